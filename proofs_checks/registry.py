"""The registry: one check a claim, found by importing the families; a user's own module adds to it."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from dpaudit.numbers.errors import InputError
from proofs_checks.catalogue import CLAIMS, Claim
from proofs_checks.grid import Grid
from proofs_checks.outcome import Outcome

FAMILIES = ("setting", "privacy", "accuracy", "figures")
"""A module of this package whose name begins so holds checks; a new file needs no other line."""


@dataclass(frozen=True)
class Context:
    """What a check is given: the grid it is to decide on, default or wide, and which of the two it is."""

    grid: Grid
    wide: bool = False


@dataclass(frozen=True)
class Check:
    """The check of one claim. ``weight`` is a rough cost: heavy checks are started first."""

    claim: Claim
    run: Callable[[Context], Outcome]
    grid: Grid | str
    wide: Grid | str
    weight: int = 1

    def outcome(self, wide: bool = False) -> Outcome:
        """Returns the outcome on the default or the wide grid, with the words for that grid."""
        grid = self.wide if wide else self.grid
        context = Context(grid if isinstance(grid, Grid) else Grid(grid), wide)
        found: object = self.run(context)
        if not isinstance(found, Outcome):
            kind = type(found).__name__
            raise TypeError(f"a check returns an Outcome, from scan, search, by_algebra or measured, not {kind}")
        return found.on(str(grid))


CHECKS: dict[str, Check] = {}
OWN: dict[str, Claim] = {}
"""Claims that a user's module added."""

Function = Callable[[Context], Outcome]


def check(
    identifier: str,
    *,
    grid: Grid | str,
    wide: Grid | str | None = None,
    weight: int = 1,
    claim: Claim | None = None,
) -> Callable[[Function], Function]:
    """Registers the decorated function as the check of the claim ``identifier``.

    ``grid`` and ``wide`` are what it decides on: a Grid, or words where there is nothing to list (algebra). A claim
    that is not in the catalogue is given along: ``claim=Claim(...)``.
    """

    def register(function: Function) -> Function:
        known = catalogue()
        if identifier in CHECKS or (claim is not None and identifier in known):
            raise ValueError(f"{identifier} has a check already")
        if claim is not None:
            OWN[identifier] = claim
        elif identifier not in known:
            raise ValueError(f"{identifier} is not in the catalogue; give claim=Claim(...) along")
        CHECKS[identifier] = Check(catalogue()[identifier], function, grid, grid if wide is None else wide, weight)
        return function

    return register


def catalogue() -> dict[str, Claim]:
    """Returns every claim by its id: the catalogue's, then the user's own."""
    return {claim.id: claim for claim in CLAIMS} | OWN


def load() -> dict[str, Check]:
    """Returns all checks, after importing every family."""
    package = importlib.import_module("proofs_checks")
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith(FAMILIES):
            importlib.import_module(f"proofs_checks.{module.name}")
    return CHECKS


def one_line(error: BaseException) -> str:
    """Returns kind and text of an exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def load_file(path: str) -> list[str]:
    """Imports a user's module of checks and returns the ids that it added; modules beside it can be imported."""
    load()
    before, file = set(CHECKS), Path(path)
    if not file.is_file():
        raise InputError("from", path, "is not a file: give a Python module with checks in it")
    name = f"dpaudit_own_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("from", path, "is not a Python module")
    if name in sys.modules:
        return [key for key in CHECKS if CHECKS[key].run.__module__ == name]
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError("from", path, f"cannot be loaded: {one_line(error)}") from None
    added = [key for key in CHECKS if key not in before]
    if not added:
        raise InputError("from", path, "registers no check: decorate a function with @check(...)")
    return added


def select(patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the ids that match, in the catalogue's order; an unknown one is an error with a suggestion."""
    chosen: set[str] = set()
    for pattern in patterns:
        found = [key for key in known if fnmatchcase(key, pattern)]
        if not found:
            near = difflib.get_close_matches(pattern, known, n=2, cutoff=0.4)
            hint = f"did you mean {' or '.join(near)}?" if near else "`dpaudit claims` lists them all"
            raise InputError("IDS", pattern, f"no claim has this id; {hint}")
        chosen.update(found)
    return [key for key in known if key in chosen] if patterns else list(known)

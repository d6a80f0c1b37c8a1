"""Catalogues: the claims of a paper with their checks, found through the entry-point group ``dpaudit.claims``."""

from __future__ import annotations

import difflib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from dpaudit.claims.checks import Check, checks_of
from dpaudit.claims.claim import Claim
from dpaudit.claims.family import Family
from dpaudit.claims.formal import Theorem
from dpaudit.mechanisms.own.user_code import no_exit
from dpaudit.numbers.errors import InputError

GROUP = "dpaudit.claims"
"""The entry-point group: ``name = "package:CATALOGUE"``."""


@dataclass(frozen=True)
class Catalogue:
    """A paper's claims. The modules of ``package``, sub-packages included, hold the checks.

    ``folder`` is where the expected verdicts (expected.json) and the page (README.md) lie; ``introduction`` is the
    text of the page above the claims; ``theorems`` are those of Coq, by claim; ``guarantees`` are the mechanisms, by
    the claims that they have their guarantees.
    """

    title: str
    claims: tuple[Claim, ...]
    package: str
    folder: Path
    introduction: str = ""
    theorems: Mapping[str, Theorem] = field(default_factory=dict)
    guarantees: Mapping[str, Family] = field(default_factory=dict)

    @property
    def expected(self) -> Path:
        """The file of the expected verdicts."""
        return self.folder / "expected.json"

    @property
    def page(self) -> Path:
        """The file of the page."""
        return self.folder / "README.md"

    def checks(self) -> Iterator[Check]:
        """Yields the checks, after importing every module of the package."""
        package = import_module(self.package)
        yield from checks_of(package)
        for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{self.package}."):
            if not module.name.endswith(".__main__"):
                yield from checks_of(import_module(module.name))


def installed() -> tuple[Catalogue, ...]:
    """The catalogues of all installed papers, by name."""
    catalogues = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        try:
            catalogue = entry.load()
        except Exception as error:
            raise InputError("CATALOGUE", entry.value, f"cannot be loaded: {one_line(error)}") from None
        if not isinstance(catalogue, Catalogue):
            raise InputError("CATALOGUE", entry.value, "is not a dpaudit.claims.Catalogue")
        catalogues.append(catalogue)
    return tuple(catalogues)


@dataclass(frozen=True)
class Library:
    """The claims and checks of several catalogues and of a user's own module (``file``), by id."""

    claims: Mapping[str, Claim]
    checks: Mapping[str, Check]
    own: tuple[str, ...] = ()
    file: str | None = None

    def choose(self, patterns: Sequence[str]) -> list[str]:
        """The ids to decide, in order; without patterns the user's own, or all if there are none."""
        chosen = select(patterns, list(self.claims)) if patterns or not self.own else self.own
        checked = [key for key in chosen if key in self.checks]
        if not checked:
            raise InputError("IDS", " ".join(patterns) or "(all)", "no check is written for this; see `dpaudit claims`")
        return checked

    def check_certifiable(self, chosen: Sequence[str]) -> None:
        """Refuses a certificate of more than one claim, or of one without an audited mechanism."""
        if len(chosen) > 1:
            raise InputError("IDS", " ".join(chosen[:3]) + " …", "--certificate takes one claim at a time")
        if self.checks[chosen[0]].audits is None:
            words = (
                "has no certificate: its instance is not the audited ε or δ of one mechanism, and nothing else has an "
                "independent verifier; those that have: "
            )
            raise InputError("IDS", chosen[0], words + ", ".join(key for key, c in self.checks.items() if c.audits))

    def rounds(self, identifiers: Sequence[str]) -> list[list[str]]:
        """The ids and everything they cite, in rounds: a check uses only claims of earlier rounds."""
        level: dict[str, int] = {}

        def visit(key: str, path: tuple[str, ...]) -> int:
            if key in path:
                raise InputError("uses", key, f"claims cite each other in a circle: {' → '.join((*path, key))}")
            if key not in self.checks:
                raise InputError("uses", key, f"{path[-1]} uses {key}, which has no check")
            if key not in level:
                level[key] = max((1 + visit(used, (*path, key)) for used in self.checks[key].uses), default=0)
            return level[key]

        for key in identifiers:
            visit(key, ())
        return [[key for key in level if level[key] == at] for at in range(max(level.values(), default=-1) + 1)]


def load(file: str | None = None) -> Library:
    """The library of all installed catalogues and, if given, of a user's own module."""
    claims, checks, homes = {}, dict[str, Check](), dict[str, str]()
    for catalogue in installed():
        for claim in catalogue.claims:
            if claim.id in claims:
                raise InputError("CATALOGUE", catalogue.package, f"{claim.id} is also a claim of {homes[claim.id]}")
            claims[claim.id], homes[claim.id] = claim, catalogue.package
        _collect("CATALOGUE", catalogue.package, catalogue.checks(), claims, checks)
    if file is None:
        if not claims:
            words = "no installed paper offers claims; in a checkout, `pip install -e .` installs its own"
            raise InputError("CATALOGUE", GROUP, words)
        return Library(claims, checks)
    own = _own_checks(file)
    _collect("from", file, own, claims, checks)
    return Library(claims, checks, tuple(check.identifier for check in own), file)


def _collect(
    option: str, where: str, found: Iterable[Check], claims: dict[str, Claim], checks: dict[str, Check]
) -> None:
    """Adds the checks that are found there; the claim of each must be known, or be new and given along."""
    try:
        for check in found:
            key = check.identifier
            if key in checks or (check.claim is not None and key in claims):
                raise ValueError(f"{key} already has a check")
            if check.claim is not None:
                claims[key] = check.claim
            elif key not in claims:
                raise ValueError(f"{key} is not in the catalogue; give claim=Claim(...) along")
            checks[key] = check
    except (Exception, SystemExit) as error:
        raise InputError(option, where, f"cannot be loaded: {one_line(error)}") from None


def _own_checks(path: str) -> list[Check]:
    """Runs a user's module and returns its checks; modules beside it can be imported."""
    file = Path(path)
    if not file.is_file():
        raise InputError("from", path, "is not a file: give a Python module with checks in it")
    name = f"dpaudit_own_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("from", path, "is not a Python module")
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with no_exit():
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError("from", path, f"cannot be loaded: {one_line(error)}") from None
    checks = checks_of(module)
    if not checks:
        raise InputError("from", path, "registers no check: decorate a function with @check(...)")
    return checks


def one_line(error: BaseException) -> str:
    """Kind and text of an exception in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def select(patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """The matching ids, in the catalogue's order; an unknown one is an error with a suggestion."""
    chosen: set[str] = set()
    for pattern in patterns:
        matching = [key for key in known if fnmatchcase(key, pattern)]
        if not matching:
            inside = [key for key in known if pattern.lower() in key.lower().split(".")]
            near = inside[:2] or difflib.get_close_matches(pattern, known, n=2, cutoff=0.7)
            hint = f"did you mean {' or '.join(near)}?" if near else "`dpaudit claims` lists them all"
            raise InputError("IDS", pattern, f"no claim has this id; {hint}")
        chosen.update(matching)
    return [key for key in known if key in chosen] if patterns else list(known)

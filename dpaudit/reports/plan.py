"""Plans: what a report contains, from options or from a TOML file, checked before anything is computed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.audit.setting import Setting
from dpaudit.files.strict_json import read_text
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive, whole
from dpaudit.reports.collect import Block

LARGEST = 1 << 20
"""A plan of more bytes is refused."""
MOST_POINTS = 10_000
"""Numbers of records in one audit of a report."""


@dataclass(frozen=True)
class Plan:
    """The title, the audits, and whether the claims, a study of priors or the accuracy study are wanted."""

    title: str
    command: str
    audits: tuple[Block, ...] = ()
    claims: tuple[str, ...] = ()
    studies: tuple[dict[str, Any], ...] = ()
    text: str = ""
    own: tuple[Setting, ...] = ()
    maps: bool = True
    """Whether the loss maps are part of the document: they are most of its bytes."""


def read_range(option: str, text: str | int) -> tuple[int, ...]:
    """Returns the whole numbers of "1..60", "10..2000..10" (with a step), "5,10,20" or "7"."""
    text = str(text).replace(" ", "")
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})(?:\.\.(\d{1,9}))?", text)
    if match:
        first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
        if not 1 <= first <= last or step < 1:
            raise InputError(option, text, "must be a range a..b with 1 <= a <= b, or a..b..step")
        count = len(range(first, last + 1, step))
        if count > MOST_POINTS:
            raise InputError(
                option, text, f"has {count} points, at most {MOST_POINTS} are allowed; take a step: a..b..step"
            )
        return tuple(range(first, last + 1, step))
    return tuple(whole(option, part, 1) for part in text.split(","))


def block(options: Mapping[str, Any]) -> Block:
    """Returns the checked block of one audit: mechanisms, a range of n, a setting."""
    known = {"mechs", "n", "k", "prior", "eps", *parameter_keys()}
    unknown = sorted(set(options) - known)
    if unknown:
        raise InputError("plan", unknown[0], f"unknown key; known: {', '.join(sorted(known))}")
    if "n" not in options:
        raise InputError("n", "(missing)", "must be a range such as 1..60")
    shape = {name: options.get(name) for name in ("k", "prior", "eps")}
    parameters = {name: value for name, value in options.items() if name in parameter_keys()}
    return Block.read(options.get("mechs", "all"), read_range("n", options["n"]), parameters, **shape)


def parameter_keys() -> set[str]:
    """Returns the names of the registry's parameters, old names among them."""
    declared = [p for kind in REGISTRY.values() for p in kind.parameters]
    return {name for p in declared for name in (p.name, *p.old_names)}


def read_plan(path: str) -> Plan:
    """Returns the plan in the TOML file; numbers that must be exact are text or whole numbers there."""
    text = read_text("plan", path, LARGEST)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError("plan", path, f"is not TOML: {error}") from None
    unknown = sorted(set(data) - {"title", "audit", "claims", "study", "maps"})
    if unknown:
        raise InputError("plan", unknown[0], "unknown table; known: title, audit, claims, study, maps")
    claims, maps = data.get("claims", []), data.get("maps", True)
    if not isinstance(maps, bool):
        raise InputError("maps", maps, "must be true or false")
    return Plan(
        title=str(data.get("title", "Audit report")),
        command=f"dpaudit report --plan {Path(path).name}",
        audits=tuple(block(entry) for entry in _tables(data, "audit")),
        claims=tuple(map(str, claims if isinstance(claims, list) else [claims])),
        studies=tuple(_tables(data, "study")),
        text=text,
        maps=maps,
    )


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries = data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("plan", key, f"must be written as [[{key}]]")
    return entries


def exact_list(option: str, values: Any) -> list[Fraction]:
    """Returns the positive rationals of a list in a plan."""
    if not isinstance(values, list) or not values:
        raise InputError(option, str(values), "must be a list of exact numbers")
    return [positive(option, value) for value in values]

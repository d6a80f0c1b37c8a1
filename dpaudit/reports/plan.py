"""Plans: what a report contains, from options or from a TOML file, checked before anything is computed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from dpaudit.audit.setting import command_line
from dpaudit.files.strict_json import read_text
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.errors import InputError, TooLargeError
from dpaudit.numbers.rationals import positive
from dpaudit.reports.block import Block, named

T = TypeVar("T")
LARGEST = 1 << 20
"""The most bytes of a plan."""
BLOCK_KEYS = ("mechs", "n", "k", "prior", "eps", "adjacency", "claim", "set")


@dataclass(frozen=True)
class Plan:
    """The contents of a report; ``text`` is that of the TOML file, if there is one."""

    title: str
    command: str
    audits: tuple[Block, ...] = ()
    claims: tuple[str, ...] = ()
    studies: tuple[dict[str, Any], ...] = ()
    text: str = ""


def from_options(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    claim: Any = None,
    title: str | None = None,
    **setting: Any,
) -> Plan:
    """The checked plan that options or keywords describe."""
    if plan is not None:
        given = [mech, n, title, claim, *setting.values()]
        if claims or any(value is not None for value in given):
            raise InputError("plan", plan, "the plan has all options: leave out the others, except --out")
        return read_plan(plan)
    if claim is not None and mech is None:
        raise InputError("claim", claim, "goes with --mech: it is judged for those mechanisms")
    if mech is None and not claims:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    blocks = () if mech is None else (Block.read(mech, n=n, claim=claim, **setting),)
    more = {"claims": claims, "title": title}
    command = blocks[0].command(**more) if blocks else command_line("report", **more)
    name = f"Audit of {blocks[0].title}" if blocks else "The documents' claims"
    return Plan(title or name, command, blocks, ("*",) if claims else ())


def read_plan(path: str) -> Plan:
    """The plan in the TOML file; numbers that must be exact are text or whole numbers there."""
    text = read_text("plan", path, LARGEST)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError("plan", path, f"is not TOML: {error}") from None
    known = ("title", "audit", "claims", "study")
    if unknown := sorted(set(data) - set(known)):
        raise InputError("plan", unknown[0], f"unknown table; known: {', '.join(known)}")
    title = data.get("title", "Audit report")
    if not isinstance(title, str):
        raise InputError("title", title, 'must be text: title = "My report"')
    found = Plan(
        title=title,
        command=f"dpaudit report --plan {Path(path).name}",
        audits=named(each("audit", _tables(data, "audit"), _block)),
        claims=_claims(data.get("claims", [])),
        studies=tuple(_tables(data, "study")),
        text=text,
    )
    if not (found.audits or found.claims or found.studies):
        raise InputError("plan", path, "says nothing to report: it needs [[audit]], [[study]] or claims")
    return found


def each(table: str, entries: Sequence[dict[str, Any]], read: Callable[[dict[str, Any]], T]) -> tuple[T, ...]:
    """The jobs of every [[table]]; an error names the table and the key."""
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(read(entry))
        except TooLargeError:
            raise
        except InputError as error:
            key = "mechs" if error.option == "mech" and "mechs" in entry else error.option
            where = f"[[{table}]] number {number}, {'key' if key in ('plan', table) else key}"
            raise InputError(where, error.value, error.rule) from None
    return tuple(found)


def _block(entry: Mapping[str, Any]) -> Block:
    """The checked block of one [[audit]]: mechanisms, a range of n, a setting; ``set`` is for a user's own."""
    options = dict(entry)
    check_keys("plan", options, *BLOCK_KEYS)
    settings, mechs = options.pop("set", {}), options.pop("mechs", "all")
    values = mechs if isinstance(mechs, list) else [mechs]
    if any(isinstance(value, int | float | dict | list) for value in values):
        raise InputError("mechs", mechs, 'must be a name or a list of names: mechs = ["EHD", "mine.py:Mine"]')
    if not isinstance(settings, dict):
        raise InputError("set", settings, "must be a table: set = { bits = 4 }")
    return Block.read(mechs, settings=settings, **options)


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The tables [[key]]; two of them that say the same are a mistake."""
    entries = data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("plan", key, f"must be written as [[{key}]]")
    for i, entry in enumerate(entries):
        if entry in entries[:i]:
            first, words = entries.index(entry) + 1, ", ".join(f"{name} = {value!r}" for name, value in entry.items())
            raise InputError(f"[[{key}]]", words, f"number {i + 1} is the same as number {first}: leave one out")
    return entries


def _claims(given: Any) -> tuple[str, ...]:
    """The ids or patterns of claims, each once."""
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(entry, str) for entry in listed):
        raise InputError("claims", given, 'must be a list of ids or patterns: claims = ["acc.*"]')
    return tuple(dict.fromkeys(listed))


def exact_list(option: str, values: Any) -> list[Fraction]:
    """The positive rationals of a list in a plan."""
    if not isinstance(values, list) or not values:
        raise InputError(option, str(values), "must be a list of exact numbers")
    return [positive(option, value) for value in values]


def check_keys(table: str, entry: dict[str, Any], *known: str) -> None:
    """Refuses a key that is neither known nor, where mechanisms are named, a parameter of the registry."""
    declared = [p for kind in REGISTRY.values() for p in kind.parameters] if "mechs" in known else []
    every = {*known, *(p.name for p in declared)}
    if unknown := sorted(set(entry) - every):
        raise InputError(table, unknown[0], f"unknown key; known: {', '.join(sorted(every))}")

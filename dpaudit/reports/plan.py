"""Plans: what a report contains, from options or from a TOML file, checked before anything is computed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from dpaudit.files.strict_json import read_text
from dpaudit.numbers.errors import InputError, TooLargeError
from dpaudit.reports.block import Block, check_keys
from dpaudit.reports.words import told

T = TypeVar("T")
LARGEST = 1 << 20
"""A plan of more bytes is refused."""


@dataclass(frozen=True)
class Plan:
    """The title, the audits, and whether the claims, a study of priors or the accuracy study are wanted."""

    title: str
    command: str
    audits: tuple[Block, ...] = ()
    claims: tuple[str, ...] = ()
    studies: tuple[dict[str, Any], ...] = ()
    text: str = ""
    maps: bool = True
    """Whether the loss maps are part of the document: they are most of its bytes."""

    def told_apart(self) -> Plan:
        """Returns the plan, in which audits of mechanisms that another one has too say what tells them apart."""
        names = told([block.to_dict() for block in self.audits])
        blocks = (replace(block, told=name) for block, name in zip(self.audits, names, strict=True))
        return replace(self, audits=tuple(blocks))


def block(entry: Mapping[str, Any]) -> Block:
    """Returns the checked block of one [[audit]]: mechanisms, a range of n, a setting; ``set`` is for anybody's own."""
    options = dict(entry)
    check_keys("plan", options, "mechs", "n", "k", "prior", "eps", "adjacency", "claim", "set")
    settings = options.pop("set", {})
    mechs = options.pop("mechs", "all")
    values = mechs if isinstance(mechs, list) else [mechs]
    if any(isinstance(value, int | float | dict | list) for value in values):
        raise InputError("mechs", mechs, 'must be a name or a list of names: mechs = ["EHD", "mine.py:Mine"]')
    if not isinstance(settings, dict):
        raise InputError("set", settings, "must be a table: set = { bits = 4 }")
    return Block.read(mechs, settings=settings, **options)


def each(table: str, entries: Sequence[dict[str, Any]], read: Callable[[dict[str, Any]], T]) -> tuple[T, ...]:
    """Returns what is read of every [[table]]; an error says in which one it is, and by which key."""
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
    title = data.get("title", "Audit report")
    if not isinstance(title, str):
        raise InputError("title", title, 'must be text: title = "My report"')
    return Plan(
        title=title,
        command=f"dpaudit report --plan {Path(path).name}",
        audits=each("audit", _tables(data, "audit"), block),
        claims=_claims(claims),
        studies=tuple(_tables(data, "study")),
        text=text,
        maps=maps,
    )


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Returns the tables [[key]]; two of them that say the same are a mistake."""
    entries = data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("plan", key, f"must be written as [[{key}]]")
    for i, entry in enumerate(entries):
        if entry in entries[:i]:
            first, words = entries.index(entry) + 1, ", ".join(f"{name} = {value!r}" for name, value in entry.items())
            raise InputError(f"[[{key}]]", words, f"number {i + 1} is the same as number {first}: leave one out")
    return entries


def _claims(given: Any) -> tuple[str, ...]:
    """Returns the ids or patterns of claims, each once."""
    listed = given if isinstance(given, list) else [given]
    if not all(isinstance(entry, str) for entry in listed):
        raise InputError("claims", given, 'must be a list of ids or patterns: claims = ["acc.*"]')
    return tuple(dict.fromkeys(listed))

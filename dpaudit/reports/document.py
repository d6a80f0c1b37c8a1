"""The result file: one JSON document with a versioned schema and a hash of its content.

    {"schema": "dpaudit-report/2", "title": ..., "command": ..., "verdict": {...}, "sections": [section, ...],
     "versions": {...}, "content_hash": sha256 of all that comes before, "run": {"date", "seconds"}}

The verdict is the answer (verdict.py). A section has "kind", "title", "question", "command", "setting" and "rows";
enclosures are {"lower", "upper"} as decimal strings. In the file many rows are lists, with
"columns" (``tabular``). Only "run" differs between two runs on the same inputs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from dpaudit.files.strict_json import read_text
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.verdict import whole
from dpaudit.version import __version__

SCHEMA = "dpaudit-report/2"
FEW = 20
"""So many rows stand in a file as objects; more of them as lists."""
EARLIER = "dpaudit-report/1"
"""Files of the schema before, which had no verdict; they are still drawn."""
UNTOLD: dict[str, Any] = {"word": None, "text": "Made by an earlier version, which gave no verdict.", "counts": {}}
Section = dict[str, Any]
Document = dict[str, Any]
LARGEST = 64 << 20
"""A result file of more bytes is refused."""


def named(rows: list[dict[str, Any]], field: str = "mechanism") -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of every name, in order of first appearance."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row[field]), []).append(row)
    return found


def number_of(value: Any) -> float | int:
    """Returns a number for drawing or sorting from a whole number or from text such as "3/4"."""
    if isinstance(value, int):
        return value
    top, _, bottom = str(value).partition("/")
    return float(top) / float(bottom or 1)


def of_kind(kind: str, sections: list[Section]) -> list[dict[str, Any]]:
    """Returns the rows of all sections of a kind."""
    return [row for section in sections if section["kind"] == kind for row in section["rows"]]


def decided_bounds(sections: list[Section]) -> dict[str, str]:
    """Returns "holds", "fails" or "UNDECIDED" of every accuracy bound of the documents, by bound, mechanism and data.

    A bound is drawn beside the distances of a release at every t; it fails where one of them refutes it. One that two
    sections look at counts once, with the worse of both.
    """
    words = {Verdict.PROVED: "holds", Verdict.REFUTED: "fails", Verdict.UNDECIDED: "UNDECIDED"}
    order = ("fails", "UNDECIDED", "holds")
    found: dict[str, str] = {}
    for section in sections:
        drawn = section["kind"] == "distances"
        for row in section["rows"] if drawn or section["kind"] == "bounds" else ():
            if drawn and not row["bound"]:
                continue
            claim = row["bound"].partition(" (")[0] if drawn else str(row["claim"]).partition(":")[0]
            x = ", ".join(map(str, section["x"] if drawn else row["x"]))
            setting = _released_by(row["mechanism"], section["setting"])
            outcome = words[Verdict(row["outcome"])] if drawn else str(row["outcome"]).partition(" ")[0]
            name = f"{claim} of {row['mechanism']} at x = ({x})"
            key = name + "\n" + json.dumps(setting, sort_keys=True)
            found[key] = min(outcome, found.get(key, outcome), key=order.index)
    return found


def _released_by(mechanism: str, setting: dict[str, Any]) -> dict[str, Any]:
    """Returns what of a setting the releases of one mechanism depend on, its own parameters among it."""
    kind = REGISTRY.get(mechanism.split("/")[0])
    names = {p.name for p in kind.parameters} if kind else set()
    own = {name: value for name, value in setting.get("parameters", {}).items() if name in names}
    return {"prior": setting.get("prior"), "eps": setting.get("eps"), **own}


def make(title: str, command: str, sections: list[Section], run: dict[str, Any], plan: str = "") -> Document:
    """Returns the document with verdict, versions and content hash; ``plan`` is the text of the plan, if any."""
    import flint

    document: Document = {
        "schema": SCHEMA,
        "title": visible(title),
        "command": visible(command, keep="\n"),
        "plan": plan,
        "verdict": whole(
            of_kind("matrix", sections),
            (section.get("finding") or "" for section in sections),
            Counter(row["verdict"] for row in of_kind("claims", sections)),
            decided_bounds(sections),
        ),
        "sections": sections,
        "versions": {"dpaudit": __version__, "python-flint": flint.__version__, "python": platform.python_version()},
    }
    return {**document, "content_hash": content_hash(document), "run": run}


def content_hash(document: Document) -> str:
    """Returns the SHA-256 of the canonical JSON of everything but the hash itself, the run and the versions."""
    told = ("verdict",) if document["schema"] == SCHEMA else ()
    kept = {key: document[key] for key in ("schema", "title", "command", "plan", *told, "sections")}
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def dumps(document: Document) -> str:
    """Returns the text of the result file, one row a line; the same for the same document.

    Many rows with the same members are lists, the names of the members standing once, under "columns".
    """
    return _members(document, "sections", lambda section: _members(tabular(section), "rows", _compact)) + "\n"


def tabular(section: Section) -> Section:
    """Returns the section with its rows as lists, where they are many and have the same members.

    What all rows of a mechanism have alike stands once, under "same".
    """
    rows = section["rows"]
    if len(rows) <= FEW or not all(isinstance(row, dict) and list(row) == list(rows[0]) for row in rows):
        return section
    groups = named(rows) if isinstance(rows[0].get("mechanism"), str) else {}
    same = [
        name for name in rows[0] if name != "mechanism" and groups and all(map(partial(_alike, name), groups.values()))
    ]
    kept = [name for name in rows[0] if name not in same]
    found = {**section, "columns": kept, "rows": [[row[name] for name in kept] for row in rows]}
    shared = {group: {name: own[0][name] for name in same} for group, own in groups.items()}
    return {**found, "same": shared} if same else found


def _alike(name: str, rows: list[dict[str, Any]]) -> bool:
    return all(row[name] == rows[0][name] for row in rows)


def whole_rows(section: Section) -> Section:
    """Returns the section with its rows as objects, as it was before it was written."""
    if not isinstance(section, dict) or "columns" not in section:
        return section
    names, same = section["columns"], section.get("same", {})
    kept = {key: value for key, value in section.items() if key not in ("columns", "same")}
    rows = [dict(zip(names, row, strict=True)) for row in section["rows"]]
    return {**kept, "rows": [{**row, **same[row["mechanism"]]} if same else row for row in rows]}


def _members(value: Any, key: str, show: Callable[[Any], str]) -> str:
    """Returns the JSON of an object, one member a line; the entries of the list at ``key`` as ``show`` gives them."""
    if not isinstance(value, dict):
        return _compact(value)
    members = []
    for name, member in value.items():
        entries = name == key and isinstance(member, list) and bool(member)
        text = "[\n" + ",\n".join(map(show, member)) + "\n]" if entries else _compact(member)
        members.append(f"{_compact(name)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def load(path: str) -> Document:
    """Returns the document in the file; a file that is none, or was changed, is refused with one line."""
    text = read_text("result", path, LARGEST)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("result", path, "is not JSON") from None
    if not isinstance(document, dict) or document.get("schema") not in (SCHEMA, EARLIER):
        raise InputError("result", path, f'is not a report: "schema" must be "{SCHEMA}" or "{EARLIER}"')
    if document["schema"] == EARLIER:
        document["verdict"] = UNTOLD
    members = ("title", "command", "plan", "verdict", "sections", "versions", "content_hash", "run")
    if missing := [key for key in members if key not in document]:
        raise InputError("result", path, f"lacks {', '.join(missing)}")
    try:
        document["sections"] = [whole_rows(section) for section in document["sections"]]
    except (KeyError, TypeError, ValueError):
        raise InputError("result", path, "is malformed: columns and rows do not fit") from None
    if content_hash(document) != document["content_hash"]:
        raise InputError("result", path, "the content does not match its hash: the file was changed")
    return document

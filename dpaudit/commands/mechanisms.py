"""dpaudit mechanisms."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit.page import Command, Fields, Line, Note, Page, Part, Table, strong
from dpaudit.commands import completion
from dpaudit.commands.options import Shown
from dpaudit.commands.reply import Reply


def mechanisms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Show this one: its options, an example.", autocompletion=completion.mechanisms
        ),
    ] = None,
) -> Shown:
    """List the mechanisms that have a name, or show one: formula, source, claim, options, an example.

    --mech also takes your own: file.py:Class or package.module:Class (its code runs), or a table of probabilities
    (pmf.csv, pmf.json, pmf.parquet). Installed packages register theirs in the entry-point group dpaudit.mechanisms.

    Examples:

    dpaudit mechanisms

    dpaudit mechanisms unary-encoding

    dpaudit mechanisms --json
    """
    from dpaudit.mechanisms.listing import describe_known, listing

    if name is not None:
        one = describe_known(name)
        return Reply(one, lambda: _one(one))
    rows = listing()
    return Reply(rows, lambda: _groups(rows))


def _groups(found: list[dict[str, Any]]) -> Page:
    """One line a mechanism, one table a group."""
    parts: list[Part] = []
    for group in dict.fromkeys(row["group"] for row in found):
        rows = [(row["name"], row["summary"], row["claimed"]) for row in found if row["group"] == group]
        parts.append(Table(["name", "what it does", "claims"], rows, ["what it does", "claims"], title=group))
    return [*parts, Note("dpaudit mechanisms NAME shows one: its formula, source and options.")]


def _one(row: dict[str, Any]) -> Page:
    """Everything about one mechanism, and its options."""
    rows: list[Line] = [("mechanism", strong(row["name"])), ("what it does", row["summary"])]
    rows += [("also", ", ".join(row["also"]))] if row.get("also") else []
    rows += [("formula", row["formula"]), ("claims", row["claimed"]), ("source", row["source"])]
    rows += [("closed form", row["closed_forms"])] if row.get("closed_forms") else []
    rows += [("data sets", row["covers"])] if row.get("covers") else []
    rows.append(("example", Command(row["example"])))
    options = [(f"--{name}", p["rule"], p["default"] or "required") for name, p in row["parameters"].items()]
    if row.get("nominal_epsilon", True):
        options = [("--eps", "the nominal ε, a rational > 0", "1"), *options]
    return [Fields(rows), Table(["option", "meaning", "default"], options, ["meaning", "default"], title="Options")]

"""What decided a claim where that is not the true epsilon: delta at the claimed epsilon, say, by n beside its bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.numbers.digits import powers, short
from dpaudit.pictures.lines import Chart
from dpaudit.pictures.picture import Figure
from dpaudit.privacy.claim import BOUNDS
from dpaudit.reports.charts_lines import Near, curves, figure
from dpaudit.reports.document import Section, named, number_of
from dpaudit.reports.findings import listed, sign
from dpaudit.reports.shares import LETTERS, decided_by, quantity_of

Row = dict[str, Any]
ZERO = {"lower": "0", "upper": "0"}


def decided(section: Section, near: Near) -> list[Figure]:
    """Returns a chart for each quantity that decided somewhere, by n, with what is claimed of it."""
    rows = [row for row in section["rows"] if row["n"] is not None]
    kinds = dict.fromkeys(row["evidence"]["quantity"] for row in rows if row.get("evidence"))
    return [_chart(kind, rows, near) for kind in kinds if kind in BOUNDS and kind != "epsilon"]


def _chart(kind: str, rows: list[Row], near: Near) -> Figure:
    """Returns the values of the mechanisms that this quantity decided, a line each, and their bounds as bars."""
    deciding = [row for row in rows if row["evidence"] and row["evidence"]["quantity"] == kind]
    whose = {row["mechanism"] for row in deciding}
    shown = [
        {"mechanism": row["mechanism"], "n": row["n"], "value": _value(kind, row)}
        for row in rows
        if row["mechanism"] in whose and _value(kind, row) is not None
    ]
    names = set(map(quantity_of, deciding))
    title = names.pop() if len(names) == 1 else f"{LETTERS[kind]} of the claim"
    last = {name: own[-1]["value"] for name, own in named(shown).items()}
    lines = [replace(curve, note=_note(last[curve.name])) for curve in curves({"rows": shown}, "n", "value", title)]
    bars = _bars(kind, [row for row in rows if row["mechanism"] in whose])
    chart = Chart(lines, "n (records)", title, bars=bars, whole=True, zero=True, height=300, slots=near.slots)
    return figure(chart, f"What decides, {title}: {_said(rows, whose)}", f"{title} by n")


def _note(value: dict[str, str]) -> str:
    """Returns the number for the end of a line, in the digits of the texts."""
    shown = short(value)
    return shown if shown[0] in "≤≥|" else f"in {shown}" if shown[0] == "[" else sign(value)


def _value(kind: str, row: Row) -> dict[str, str] | None:
    """Returns the number; where the true epsilon is at most the claimed one, delta is 0 there."""
    evidence = row["evidence"]
    if evidence is None:
        return ZERO if kind == "delta" and row["verdict"] == "PROVED" else None
    found: dict[str, str] = evidence["enclosure"]
    return found if evidence["quantity"] == kind else None


def _bars(kind: str, rows: list[Row]) -> list[tuple[float, str]]:
    """Returns the bounds, each once, with whose they are where they differ."""
    whose: dict[str, list[str]] = {}
    for row in rows:
        if BOUNDS[kind] not in (row["guarantee"] or {}):
            continue
        names = whose.setdefault(row["guarantee"][BOUNDS[kind]], [])
        names += [] if row["mechanism"] in names else [row["mechanism"]]
    return [
        (
            float(number_of(bound)),
            powers(f"claimed: {bound}" + (f", {', '.join(names)}" if len(whose) > 1 else "")),
        )
        for bound, names in whose.items()
    ]


def _said(rows: list[Row], whose: set[str]) -> str:
    """Returns of every mechanism the number that fails first, or else the one of its last n."""
    found = []
    for name, own in named([row for row in rows if row["mechanism"] in whose and row["evidence"]]).items():
        row = next((row for row in own if row["verdict"] == "REFUTED"), own[-1])
        found.append(f"{name} at n = {row['n']} has {decided_by(row)}")
    return f"{listed(found)}."

"""The board of claims: one line a claim, its evidence opens on click."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dpaudit.files.text import html as escape
from dpaudit.numbers.digits import powers
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Section
from dpaudit.reports.marks import badge, number, verdicts
from dpaudit.reports.typed import typed

SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "=": "=", "!=": "≠"}
FAILING = {"<=": ">", "<": "≥", ">=": "<", ">": "≤", "=": "≠", "!=": "="}
"""What is true instead where a relation fails."""
REFUTES = "counterexample"
ROLES = {REFUTES: "First counterexample", "witness": "Witness", "tightest": "Closest to failing"}


def board(section: Section) -> str:
    """Returns the counts, the buttons and all claims."""
    counts = " ".join(f"<span>{badge(verdict)} × {count}</span>" for verdict, count in verdicts(section))
    buttons = " ".join(
        f'<button type="button" data-open="{how}" hidden>{label}</button>'
        for how, label in (("yes", "Open all"), ("no", "Close all"))
    )
    return f'<p class="board">{counts}</p><p>{buttons}</p>' + "".join(map(_claim, section["rows"]))


def _claim(row: dict[str, Any]) -> str:
    facts = [
        ("Where", escape(f"{row['document']}, {row['item']}")),
        ("Quantifier", escape(row["quantifier"])),
        ("Establishes", f"<b>{escape(row['establishes'])}</b>; grid: {escape(powers(row['grid'] or 'none'))}"),
        *((_titled(role, row), _instance(row[role], role == REFUTES)) for role in ROLES if role in row),
        ("Proof", _steps(row.get("steps", []))),
        ("Measured", _table(row["table"]) if "table" in row else ""),
        *(("Part", _part(part)) for part in row.get("parts", [])),
        ("Reproduce", f"<code>{typed('dpaudit check ' + row['id'] + ' --explain')}</code>"),
    ]
    listed = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in facts if value)
    finding = f'<br><span class="dim">{escape(powers(row["finding"]))}</span>' if row.get("finding") else ""
    line = f"<code>{escape(row['id'])}</code> {escape(row['statement'])}{finding}"
    summary = f"{badge(row['verdict'])}<span>{line}</span>"
    body = f'<div class="body"><table>{listed}</table></div>'
    return f'<details open class="claim fold" id="{escape(row["id"])}"><summary>{summary}</summary>{body}</details>'


def _titled(role: str, row: dict[str, Any]) -> str:
    """Returns what an instance is called; the closest one of what nothing satisfies does not hold either."""
    never = role == "tightest" and row["verdict"] in (Verdict.IMPOSSIBLE, Verdict.UNWITNESSED)
    return "Closest to holding" if never else ROLES[role]


def _instance(instance: dict[str, Any], refuted: bool) -> str:
    """Returns parameters, both sides as enclosures with what is true of them, the margin and the worked steps."""
    parameters = powers(", ".join(f"{name} = {value}" for name, value in instance["parameters"].items()))
    left, right = instance["left"], instance["right"]
    sides = (
        f"{escape(left['meaning'])} = {number(left)} {escape(_true(instance, refuted))} "
        f"{escape(right['meaning'])} = {number(right)}; margin {number(instance['margin'])}"
    )
    note = f"<div>{escape(instance['note'])}</div>" if instance.get("note") else ""
    return f"<div>{escape(parameters)}</div><div>{sides}</div>{note}{_steps(instance.get('steps', []))}"


def _true(instance: dict[str, Any], refuted: bool) -> str:
    """Returns the relation, or where it fails, as is known of what is ``refuted``, the one that holds instead."""
    relation = str(instance["relation"])
    low, high = (Decimal(instance["margin"][end]) for end in ("lower", "upper"))
    fails = {
        **dict.fromkeys(("<=", ">="), high < 0),
        **dict.fromkeys(("<", ">"), high <= 0),
        **{"=": low > 0 or high < 0, "!=": low == high == 0},
    }
    return (FAILING if refuted or fails.get(relation) else SIGNS).get(relation, relation)


def _steps(steps: list[dict[str, str]]) -> str:
    rows = [[step[key] for key in ("label", "formula", "value")] for step in steps]
    return f"<table>{_lines(rows)}</table>" if rows else ""


def _part(part: dict[str, Any]) -> str:
    evidence = _instance(part["instance"], part["verdict"] == Verdict.REFUTED) if "instance" in part else ""
    words = f"{escape(part['statement'])} <i>({escape(part['establishes'])})</i>"
    return f"<p>{badge(part['verdict'])} {words}</p>{evidence}"


def _table(table: dict[str, Any]) -> str:
    return f"<table>{_lines([table['columns']], 'th')}{_lines(table['rows'])}</table>"


def _lines(rows: list[list[str]], tag: str = "td") -> str:
    return "".join("<tr>" + "".join(f"<{tag}>{escape(cell)}" for cell in row) for row in rows)

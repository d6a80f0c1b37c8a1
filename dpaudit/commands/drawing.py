"""How answers look as text: rows of names and values, tables, and the words that several commands use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.audit.results import evidence_words, precision_words
from dpaudit.audit.setting import Setting
from dpaudit.numbers.errors import approximately
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Counts, text

Line = tuple[str, str]
COLOURS = {
    "PROVED": "green",
    "REFUTED": "red",
    "IMPOSSIBLE": "red",
    "UNDECIDED": "yellow",
    "UNWITNESSED": "yellow",
    "MEASURED": "cyan",
}


def fields(console: Any, rows: Iterable[Line], result: Any = None) -> None:
    """Draws a two-column table of names and values, last the command that asks the same again."""
    from rich.table import Table

    again = [("again", cells(result.command))] if result is not None and result.command else []
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (*rows, *again):
        table.add_row(name, value)
    console.print(table)


def listing(
    console: Any,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    prose: Sequence[str] = (),
    title: str | None = None,
    bold: int | None = None,
) -> None:
    """Draws a table whose cells are folded where they do not fit, never cut; columns of prose stay narrow.

    A cell is shown as it reads, unless it is markup already (``Marked``).
    """
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(cells(column), overflow="fold", max_width=56 if column in prose else None)
    for i, row in enumerate(rows):
        shown = (cell if isinstance(cell, Marked) else cells(cell) for cell in row)
        table.add_row(*shown, style="bold" if i == bold else None)
    console.print(table)


class Marked(str):
    """Text that is markup."""


def decimal(value: Fraction) -> str:
    """Returns a rational of at most 8 digits as a decimal, exactly; any other as a fraction."""
    shown = f"{float(value):.8g}"
    return shown if Fraction(shown) == value else str(value)


def cells(value: Any) -> str:
    """Returns "(4, 4)" for a histogram or an output, any other data set as its text; safe as markup."""
    from rich.markup import escape

    return escape(text(value))


def badge(verdict: str) -> Marked:
    """Returns the verdict in its colour."""
    return Marked(f"[bold {COLOURS[verdict]}]{verdict}[/]")


def subject_rows(setting: Setting) -> list[Line]:
    """Returns what was audited."""
    mechanism = setting.mechanism
    rows = [("mechanism", cells(f"{mechanism.name}: {mechanism.formula_here()}"))]
    place, origin = mechanism.setting_text(), mechanism.describe()
    rows += [("setting", cells(place))] if place else []
    sha256 = origin.get("source_sha256")
    return [*rows, ("source", cells(f"{origin['source']}, SHA-256 {sha256[:12]}…"))] if sha256 else rows


def pair_text(witness: Witness) -> str:
    """Returns the two data sets."""
    return f"x = {cells(witness.x)}, x′ = {cells(witness.x_prime)}"


def claim_rows(claim: Claim, known: str | None = None) -> list[Line]:
    """Returns the claimed bound, the verdict and what decided it, unless that is ``known`` from a row of its own."""
    if claim.guarantee is None:
        return [("claimed", "nothing is claimed")]
    silent = "none: δ here neither proves nor refutes it"
    verdict = silent if claim.verdict is None else badge(claim.verdict.value)
    rows = [("claimed", cells(claim.guarantee.text())), ("verdict", verdict)]
    said = claim.verdict is None or claim.evidence is None or claim.evidence.quantity == known
    return rows if said or claim.evidence is None else [*rows, _decided(claim.evidence)]


def _decided(evidence: Evidence) -> Line:
    """Returns the quantity that decided, with its pair."""
    pair = cells(evidence.witness.x), cells(evidence.witness.x_prime)
    name, where = evidence_words(evidence.quantity, evidence.at, *pair)
    return "decided by", f"{name} = {evidence.value}, at {where}"


def effort_rows(result: Any, tier: str = "") -> list[Line]:
    """Returns what was looked at and how precisely."""
    counts: Counts = result.counts
    datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
    precision = f"{tier if result.precision_bits else ''}{precision_words(result.precision_bits)}"
    covered = f"all {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
    return [("covers", covered), ("effort", f"{precision}, {result.seconds:.3f} s")]


def tier_text(result: Any) -> str:
    """Returns by which tier the worst case was found, and how many pairs the floats left."""
    shown = result.tier if result.tier == "closed form" else f"{result.tier} tier"
    left = result.filter_left
    plural = "s" * (left != 1)
    return f"{shown}, " if left is None else f"{shown} (the float filter left {left} ordered pair{plural}), "

"""Tables of a section, from the document alone: columns and rows of cells; a cell is text or an enclosure."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dpaudit.audit.words import evidence_words
from dpaudit.reports.document import Section, named, number_of

Cell = str | dict[str, str]
Table = tuple[list[str], list[list[Cell]]]


def cell(value: Any) -> Cell:
    """Returns an enclosure as it is, a tuple as "(4, 4)", nothing as "", anything else as its text."""
    if isinstance(value, dict) and set(value) == {"lower", "upper"}:
        return value
    if isinstance(value, list):
        return "(" + ", ".join(map(str, value)) + ")"
    return "" if value is None else str(value)


def epsilon_by_n(section: Section) -> Table:
    """Returns for every mechanism the largest n and the n with the largest true epsilon, where there is an n."""
    rows: list[list[Cell]] = []
    for name, own in named(section["rows"]).items():
        worst = max(own, key=lambda row: (float(row["epsilon"]["lower"]), -(row["n"] or 0)))
        chosen = [("largest over n", worst), ("largest n", own[-1])] if worst is not own[-1] else [("largest", worst)]
        for label, row in chosen:
            where = "" if row["n"] is None else f"{label}: n = {row['n']}"
            found = [row["epsilon"], row["closed_form"], _claim(row), row["verdict"], _decided(row.get("evidence"))]
            rows.append([name, where, *map(cell, found), _pair(row["witness"])])
    columns = ["mechanism", "where", "true ε", "closed form", "claimed", "verdict", "decided by", "worst pair → output"]
    return columns, rows


def _claim(row: dict[str, Any]) -> str:
    """Returns the guarantee; a document that has none says the claimed epsilon and delta."""
    if row.get("guarantee"):
        return str(row["guarantee"]["text"])
    delta = "" if row.get("claimed_delta") in (None, "0") else f", δ = {row['claimed_delta']}"
    return f"ε = {row['claimed']}{delta}" if row["claimed"] else "none"


def _decided(evidence: dict[str, Any] | None) -> str:
    """Returns the number that decided, and its pair, where it is not the true epsilon."""
    if evidence is None:
        return ""
    pair = (str(cell(evidence["pair"][key])) for key in ("x", "x_prime"))
    name, where = evidence_words(evidence["quantity"], evidence["at"], *pair)
    return f"{name} = {short(evidence['enclosure'])} at {where}"


def _pair(pair: dict[str, Any]) -> str:
    return f"{cell(pair['x'])} | {cell(pair['x_prime'])} → {cell(pair['output'])}"


def delta_curves(section: Section) -> Table:
    """Returns delta at a few points."""
    points = sorted({row["at"] for row in section["rows"]}, key=number_of)[::5]
    found = {(row["mechanism"], row["at"]): row["delta"] for row in section["rows"]}
    names = named(section["rows"])
    return ["mechanism", *(f"δ({at})" for at in points)], [[n, *(found[n, at] for at in points)] for n in names]


def worst_pairs(section: Section) -> Table:
    """Returns the worst pair and output of each mechanism."""
    pairs = section["pairs"].items()
    rows = [[name, *(cell(pair[key]) for key in ("x", "x_prime", "output"))] for name, pair in pairs]
    return ["mechanism", "x", "x′", "output"], rows


def _size(row: dict[str, Any]) -> float:
    return abs(float(row["loss"]["lower"]))


def worst_loss(section: Section) -> Table:
    """Returns for every mechanism the five outputs of the largest loss."""
    rows = [
        [name, cell(row["output"]), row["loss"]]
        for name, own in named(section["rows"]).items()
        for row in sorted(own, key=_size, reverse=True)[:5]
    ]
    return ["mechanism", "output", "loss ln P_x/P_x′"], rows


def loss_map(section: Section) -> Table:
    """Returns for every pair the output of the largest loss."""
    worst = {x: max(own, key=_size) for x, own in named(section["rows"], "x").items()}
    rows: list[list[Cell]] = [[f"({x}, {int(x) + 1})", str(row["output"]), row["loss"]] for x, row in worst.items()]
    return ["pair (first cells)", "output of the largest loss", "loss"], rows


def breakpoints(section: Section) -> Table:
    """Returns for every mechanism at most a dozen of the segments of its curve, the last one among them."""
    some = [own[:: -max(1, len(own) // 12)][:12][::-1] for own in named(section["rows"]).values()]
    return listing(MECHANISM, *CURVE)({"rows": [row for own in some for row in own]})


def sensitivity(section: Section) -> Table:
    """Returns GS and some of the data sets."""
    step = max(1, len(section["rows"]) // 10)
    rows: list[list[Cell]] = [["GS", section["gs"], ""]]
    rows += [[cell(row["x"]), row["ls"], row["s"]] for row in section["rows"][::step]]
    return ["data x", "LS(x)", "S(x)"], rows


def by_mechanism(title: str, key: str, value: str) -> Callable[[Section], Table]:
    """Returns a table function with a line for each ``key`` and a column for each mechanism."""

    def table(section: Section) -> Table:
        found = {(row[key], row.get("mechanism", "value")): cell(row[value]) for row in section["rows"]}
        names = list(dict.fromkeys(name for _, name in found))
        lines = dict.fromkeys(line for line, _ in found)
        return [title, *names], [[line, *(found.get((line, name), "") for name in names)] for line in lines]

    return table


def prior_map(section: Section) -> Table:
    """Returns a line for each mechanism and prior, and a column for each n."""
    found = {(row["mechanism"], row["prior"], row["n"]): cell(row["ratio"]) for row in section["rows"]}
    ns = list(dict.fromkeys(n for *_, n in found))
    lines = dict.fromkeys((name, prior) for name, prior, _ in found)
    rows = [[name, prior, *(found.get((name, prior, n), "") for n in ns)] for name, prior in lines]
    return ["mechanism", "a", *(f"n = {n}" for n in ns)], rows


def distances(section: Section) -> Table:
    """Returns of every mechanism and bound some of the distances."""
    rows: list[list[Cell]] = []
    for name, own in named(section["rows"]).items():
        for bound, line in named(own, "bound").items():
            some = line[:: max(1, len(line) // 4)]
            rows += [[name, bound or "exact", row["t"], row["value"], cell(row.get("outcome"))] for row in some]
    return ["mechanism", "bound", "t", "Pr[H < t], or the bound on it", "holds"], rows


def listing(*columns: tuple[str, str]) -> Callable[[Section], Table]:
    """Returns a table function that lists the given (title, key) columns of every row."""

    def table(section: Section) -> Table:
        rows = [[cell(row.get(key)) for _, key in columns] for row in section["rows"]]
        return [title for title, _ in columns], rows

    return table


MECHANISM, MEAN = ("mechanism", "mechanism"), ("exact mean error", "mean")
CURVE = (("from ε", "from"), ("to ε", "to"), ("α", "alpha"), ("power", "power"), ("x", "x"), ("x′", "x_prime"))
BOUNDS = (("bound", "claim"), ("t", "t"), ("exact", "exact"), ("value of the bound", "value"), ("", "outcome"))
TABLES: dict[str, Callable[[Section], Table]] = {
    "epsilon-by-n": epsilon_by_n,
    "facts": by_mechanism("quantity", "quantity", "value"),
    "delta-curves": delta_curves,
    "worst-pairs": worst_pairs,
    "worst-loss": worst_loss,
    "loss-map": loss_map,
    "sensitivity": sensitivity,
    "breakpoints": breakpoints,
    "renyi": by_mechanism("order", "order", "divergence"),
    "error-by-n": listing(MECHANISM, ("n", "n"), ("data x", "x"), MEAN),
    "error-by-prior": listing(MECHANISM, ("a", "a"), MEAN),
    "prior-study": listing(
        ("prior", "mechanism"), ("n", "n"), ("ε", "eps"), ("true ε / ε", "ratio"), ("verdict on true ε ≤ ε", "verdict")
    ),
    "true-nominal": by_mechanism("nominal ε", "eps", "ratio"),
    "prior-map": prior_map,
    "distances": distances,
    "bounds": listing(MECHANISM, ("data x", "x"), *BOUNDS),
}
"""Kind of section -> its table."""
TABLES |= {"own-audit": TABLES["facts"], "own-curve": listing(*CURVE), "own-renyi": TABLES["renyi"]}
"""Kinds of older result files."""


def table(section: Section) -> Table | None:
    """Returns the section's table, or None if its kind has none or it has no rows."""
    make = TABLES.get(section["kind"])
    return make(section) if make and section["rows"] else None


def short(enclosure: dict[str, str]) -> str:
    """Returns a few digits of the enclosure for reading; the full enclosure stands beside it on demand."""
    lower, upper = float(enclosure["lower"]), float(enclosure["upper"])
    if enclosure["lower"] == enclosure["upper"] and len(enclosure["lower"]) <= 9:
        return enclosure["lower"].replace("inf", "∞")
    if upper == math.inf:
        return f"≥ {math.floor(lower * 10**6) / 10**6:g}"
    if lower <= 0 < upper:
        return f"≤ {upper:.3g}" if lower == 0 else f"|…| ≤ {upper:.3g}"
    return f"{(lower + upper) / 2:.6g}"

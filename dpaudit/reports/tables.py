"""Tables of a section, from the document alone: columns and rows of cells; a cell is text or an enclosure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from dpaudit.numbers.digits import percent, powers, short, written
from dpaudit.reports.cells import MECHANISM, Cell, Table, cell, listing
from dpaudit.reports.document import Section, named
from dpaudit.reports.sentences import epsilon_words, of_n, unknown
from dpaudit.reports.shares import decided_by
from dpaudit.reports.tables_some import CURVE, SHOWN_N, breakpoints, delta_curves, distances, epsilon_by_n, sensitivity
from dpaudit.reports.verdict import fails_beyond
from dpaudit.reports.words import CAPTIONS

__all__ = ["Cell", "Table", "cell", "short", "table"]


def matrix(section: Section) -> Table:
    """Returns for every mechanism its verdict, the claim, the largest true epsilon, and how much of the claim it is."""
    rows: list[list[Cell]] = []
    for row in section["rows"]:
        where = f" {row['share_where']}" if row.get("share_where") else ""
        bar = "" if row["share"] is None else f"{percent(row['share'])}{_of(row)}{where} {bar_of(row['share'])}"
        bar += "" if row["share_of"] in (None, "ε") else f" ({row['share_of']})"
        strength = row["strength"] + _first(row) + _decided(row["witness"])
        nominal = "" if row["nominal"] is None else f"; nominal ε = {row['nominal']}"
        claim = powers(row["claim"] or f"none{nominal}") + (f" at n = {row['n']}" if row.get("claim_varies") else "")
        words = epsilon_words(row)
        place = of_n(row, words, row["several_n"], "").removeprefix(" n = ")
        value: Cell = {**row["epsilon"], "shown": words}
        if row.get("reason"):
            value = "" if row["epsilon"]["lower"] == "0" else value
            strength += f"; not {'audited' if row['ns'] or unknown(row) else 'known, the true ε'}: {row['reason']}"
        rows.append([row["word"], row["mechanism"], claim, value, place, bar, strength, _pair(row["witness"])])
    claimed = any(row["claim"] for row in section["rows"])
    share = "share of the claim" if claimed else "share of the nominal ε"
    largest = "true ε" if any(row.get("claim_varies") for row in section["rows"]) else "largest true ε"
    columns = ["verdict", "mechanism", "claim", largest, "at n", share, "known"]
    return [*columns, "worst pair x | x′ → output"], rows


def _of(row: dict[str, Any]) -> str:
    """Returns of what it is the share, where that is not the claim."""
    return "" if row["claim"] else " of nominal"


def _first(row: dict[str, Any]) -> str:
    """Returns the first n that fails, of those looked at or beyond them."""
    if row["smallest_failing_n"] is not None:
        return f", first at n = {row['smallest_failing_n']}"
    far = (row["theorem"] or {}).get("fails_at") if fails_beyond(row) else None
    return f"; {'fails' if row['claim'] else 'exceeds the nominal ε'} at n = {far['n']}, not asked for" if far else ""


def _decided(witness: dict[str, Any]) -> str:
    """Returns the number that decided, and its pair, where it is not the true epsilon."""
    if not (said := decided_by(witness)):
        return ""
    pair = witness["evidence"]["pair"]
    return f", by {said} at x = {cell(pair['x'])}, x′ = {cell(pair['x_prime'])}"


BAR = 10
"""A bar of so many blocks is the whole claim."""


def bar_of(share: dict[str, str]) -> str:
    """Returns the share as a bar for plain text, at most twice as long as the claim; ▏marks the claim.

    >>> bar_of({"lower": "0.5", "upper": "0.5"}), bar_of({"lower": "1.2", "upper": "1.2"})
    ('█████     ▏', '██████████▏██')
    """
    size = min(float(share["lower"]), 2.0)
    blocks = math.ceil(size * BAR - 1e-9) if size > 1 else math.floor(size * BAR + 1e-9)
    return "█" * min(blocks, BAR) + " " * (BAR - blocks) + "▏" + "█" * (blocks - BAR)


def chain(section: Section) -> Table:
    """Returns the steps of the evidence: what, in words, and its value."""
    rows = [[row["label"], row["words"], _value(row)] for row in section["rows"]]
    return ["step", "what it is", "value"], rows


def _value(row: dict[str, Any], key: str = "value") -> Cell:
    found = cell(row.get(key))
    return {**found, "shown": row["shown"]} if isinstance(found, dict) and row.get("shown") else found


def _pair(pair: dict[str, Any]) -> str:
    where = "" if pair.get("n") is None else f", n = {pair['n']}"
    if pair["x"] is None and not pair.get("evidence"):
        return ""
    pair = pair["evidence"]["pair"] if pair.get("evidence") else pair
    output = "" if pair.get("output") is None else f" → {cell(pair['output'])}"
    return f"{cell(pair['x'])} | {cell(pair['x_prime'])}{output}{where}"


def worst_pairs(section: Section) -> Table:
    """Returns the worst pair and output of each mechanism, with both probabilities and the loss there."""
    rows: list[list[Cell]] = []
    for name, pair in section["pairs"].items():
        at: dict[str, Any] = next(
            (r for r in section["rows"] if r["mechanism"] == name and r["output"] == pair["output"]), {}
        )
        rows.append([name, *(cell(v) for v in (pair["x"], pair["x_prime"], pair["output"]))])
        rows[-1] += [cell(at.get("p")), cell(at.get("p_prime")), _value(at, "loss")]
    return ["mechanism", "x", "x′", "output", "P_x", "P_x′", "loss"], rows


def _size(row: dict[str, Any]) -> float:
    return abs(float(row["loss"]["lower"]) + float(row["loss"]["upper"]))


def worst_loss(section: Section) -> Table:
    """Returns for every mechanism the five outputs of the largest loss."""
    rows = [
        [name, cell(row["output"]), _value(row, "loss")]
        for name, own in named(section["rows"]).items()
        for row in sorted(own, key=_size, reverse=True)[:5]
    ]
    return ["mechanism", "output", "loss ln P_x/P_x′"], rows


def loss_map(section: Section) -> Table:
    """Returns for every mechanism a pair and an output of the largest loss."""
    rows: list[list[Cell]] = []
    for name, own in named([{"mechanism": section.get("mechanism", ""), **row} for row in cells_of(section)]).items():
        row = max(own, key=_size)
        rows.append([name, f"({row['x']}, {row['x'] + 1})", str(row["output"]), row["loss"]])
    return ["mechanism", "pair (first cells)", "output (first cell)", "loss"], rows


def cells_of(section: Section) -> list[dict[str, Any]]:
    """Returns the cells of a loss map one by one; older files have them so, newer ones a row for each pair."""
    found = []
    for row in section["rows"]:
        kept = {key: value for key, value in row.items() if key != "losses"}
        many = row.get("losses")
        found += (
            [kept] if many is None else [{**kept, "output": i, "loss": loss} for i, loss in enumerate(many) if loss]
        )
    return found


def loss_ternary(section: Section) -> Table:
    """Returns for every mechanism a data set of the largest loss."""
    worst = {name: max(own, key=_size) for name, own in named(section["rows"]).items()}
    rows = [[name, *(cell(row[key]) for key in ("x", "x_prime", "output")), row["loss"]] for name, row in worst.items()]
    return ["mechanism", "x", "x′", "output", "loss"], rows


def worst_cells(section: Section) -> list[dict[str, Any]]:
    """Returns the worst pair and output of each mechanism on a map by name, with the loss of its cell."""
    found = []
    for name, own in named(section["rows"]).items():
        pair = section["worst"][name]
        row = next(row for row in own if row["x"] == pair["x"])
        loss = row["losses"][section["outputs"][name].index(pair["output"])]
        found.append({"mechanism": name, **pair, "loss": loss})
    return found


def loss_data(section: Section) -> Table:
    """Returns for every mechanism the worst pair and output, with the loss there."""
    names = ("mechanism", "x", "x_prime", "output")
    rows = [[*(cell(row[name]) for name in names), _value(row, "loss")] for row in worst_cells(section)]
    return ["mechanism", "x", "x′", "output", "loss"], rows


def by_mechanism(title: str, key: str, value: str) -> Callable[[Section], Table]:
    """Returns a table function with a line for each ``key`` and a column for each mechanism."""

    def table(section: Section) -> Table:
        found = {(row[key], row.get("mechanism", "value")): _value(row, value) for row in section["rows"]}
        names = list(dict.fromkeys(name for _, name in found))
        lines = merged([[line for line, name in found if name == own] for own in names])
        return [title, *names], [[line, *(found.get((line, name), "") for name in names)] for line in lines]

    return table


def merged(orders: Sequence[Sequence[str]]) -> list[str]:
    """Returns every item once, each behind the one that it follows where it is first met.

    >>> merged([["true ε", "covers"], ["true ε", "verdict", "covers"]])
    ['true ε', 'verdict', 'covers']
    """
    found: list[str] = []
    for order in orders:
        place = 0
        for item in order:
            if item not in found:
                found.insert(place, item)
            place = found.index(item) + 1
    return found


def prior_map(section: Section) -> Table:
    """Returns a line for each mechanism and prior, and a column for each n."""
    found = {(row["mechanism"], row["prior"], row["n"]): cell(row["ratio"]) for row in section["rows"]}
    ns = list(dict.fromkeys(n for *_, n in found))
    lines = dict.fromkeys((name, prior) for name, prior, _ in found)
    rows = [[name, prior, *(found.get((name, prior, n), "") for n in ns)] for name, prior in lines]
    return ["mechanism", "a", *(f"n = {n}" for n in ns)], rows


MEAN = ("exact mean error", "mean")
BOUNDS = (("bound", "claim"), ("t", "t"), ("exact", "exact"), ("value of the bound", "value"), ("", "outcome"))
NEAR_ONE = Decimal("0.999999")


def bounds(section: Section) -> Table:
    """Returns every bound at its t; where both sides are 1 to six digits, it says how near, as the digits do not."""
    columns, rows = listing(MECHANISM, ("data x", "x"), *BOUNDS)(section)
    for line, row in zip(rows, section["rows"], strict=True):
        sides = row["exact"], row["value"]
        least = min(Decimal(side["lower"]) for side in sides)
        if NEAR_ONE < least < 1 and max(Decimal(side["upper"]) for side in sides) < 2 - NEAR_ONE:
            left = written(Context(prec=1, rounding=ROUND_CEILING).plus(1 - least))
            line[-1] = f"{row['outcome']}; at the t shown both sides are 1 up to {left}"
    return columns, rows


TABLES: dict[str, Callable[[Section], Table]] = {
    "matrix": matrix,
    "chain": chain,
    "epsilon-by-n": epsilon_by_n,
    "facts": by_mechanism("quantity", "quantity", "value"),
    "delta-curves": delta_curves,
    "worst-pairs": worst_pairs,
    "worst-loss": worst_loss,
    "loss-map": loss_map,
    "loss-ternary": loss_ternary,
    "loss-data": loss_data,
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
    "bounds": bounds,
    "left-out": listing(("what", "what"), ("why", "reason")),
}
"""Kind of section -> its table."""
TABLES |= {"own-audit": TABLES["facts"], "own-curve": listing(*CURVE), "own-renyi": TABLES["renyi"]}
"""Kinds of older result files."""


def caption(section: Section) -> str | None:
    """Returns what the table holds, where its kind says it; that of the true epsilon says whether it has every n."""
    ns = {row["n"] for row in section["rows"]} if section["kind"] == "epsilon-by-n" else set()
    if ns and len(ns) <= SHOWN_N:
        return "The true ε at every n that was audited" if ns != {None} else "The true ε"
    said = CAPTIONS.get(section["kind"])
    nominal = bool(section["setting"].get("eps"))
    points = {row["at"] for row in section["rows"]} if section["kind"] == "delta-curves" else set()
    claimed = bool(points & {*section.get("claimed", {}).values()})
    if said is not None and section["kind"] == "delta-curves" and (nominal or claimed):
        told = ["the nominal"] * nominal + ["the claimed"] * claimed
        said += f", and {' and '.join(told)} one"
    if said is not None and section["kind"] == "breakpoints" and nominal:
        said += ", and that of the nominal ε"
    return said if said is None or section["setting"].get("n") else said.replace(" at the largest n", "")


def table(section: Section) -> Table | None:
    """Returns the section's table, or None if its kind has none or it has no rows."""
    make = TABLES.get(section["kind"])
    if make is None or not section["rows"]:
        return None
    columns, rows = make(section)
    return list(map(powers, columns)), [[powers(c) if isinstance(c, str) else c for c in row] for row in rows]

"""Tables of a section, from the document alone: columns and rows of cells; a cell is text or an enclosure."""

from __future__ import annotations

from typing import Any

from dpaudit.reports.document import Section

Cell = str | dict[str, str]
Table = tuple[list[str], list[list[Cell]]]


def cells(vector: Any) -> str:
    """Returns "(4, 4)", or "" for nothing."""
    return "" if vector is None else "(" + ", ".join(map(str, vector)) + ")"


def epsilon_by_n(section: Section) -> Table:
    """Returns for every mechanism the largest n and the n with the largest true epsilon."""
    rows: list[list[Cell]] = []
    for name in section["setting"]["mechanisms"]:
        own = [row for row in section["rows"] if row["mechanism"] == name]
        worst = max(own, key=lambda row: (float(row["epsilon"]["lower"]), -row["n"]))
        chosen = [("largest over n", worst), ("largest n", own[-1])] if worst is not own[-1] else [("largest", worst)]
        for label, row in chosen:
            pair = row["witness"]
            rows.append(
                [
                    name,
                    f"{label}: n = {row['n']}",
                    row["epsilon"],
                    row["closed_form"] or "",
                    _claim(row),
                    row["verdict"] or "",
                    " ".join((cells(pair["x"]), "|", cells(pair["x_prime"]), "→", cells(pair["output"]))),
                ]
            )
    return ["mechanism", "where", "true ε", "closed form", "claimed ε", "verdict", "worst pair → output"], rows


def _claim(row: dict[str, Any]) -> str:
    if not row["claimed"]:
        return "none"
    return (
        row["claimed"] if row.get("claimed_delta") in (None, "0") else f"({row['claimed']}, δ = {row['claimed_delta']})"
    )


def delta_curves(section: Section) -> Table:
    """Returns delta at a few points."""
    points = sorted({row["at"] for row in section["rows"]}, key=_value)[::5]
    names = list(dict.fromkeys(row["mechanism"] for row in section["rows"]))
    found = {(row["mechanism"], row["at"]): row["delta"] for row in section["rows"]}
    return ["mechanism", *(f"δ({at})" for at in points)], [
        [name, *(found[name, at] for at in points)] for name in names
    ]


def _value(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def worst_pairs(section: Section) -> Table:
    """Returns the worst pair and output of each mechanism."""
    return ["mechanism", "x", "x′", "output"], [
        [name, cells(pair["x"]), cells(pair["x_prime"]), cells(pair["output"])]
        for name, pair in section["pairs"].items()
    ]


def _size(row: dict[str, Any]) -> float:
    return abs(float(row["loss"]["lower"]))


def worst_loss(section: Section) -> Table:
    """Returns for every mechanism the five outputs of the largest loss."""
    rows: list[list[Cell]] = []
    for name in dict.fromkeys(row["mechanism"] for row in section["rows"]):
        own = sorted((row for row in section["rows"] if row["mechanism"] == name), key=_size, reverse=True)
        rows += [[name, cells(row["output"]), row["loss"]] for row in own[:5]]
    return ["mechanism", "output", "loss ln P_x/P_x′"], rows


def loss_map(section: Section) -> Table:
    """Returns for every pair the output of the largest loss."""
    rows: list[list[Cell]] = []
    for x in dict.fromkeys(row["x"] for row in section["rows"]):
        worst = max((row for row in section["rows"] if row["x"] == x), key=_size)
        rows.append([f"({x}, {x + 1})", str(worst["output"]), worst["loss"]])
    return ["pair (first cells)", "output of the largest loss", "loss"], rows


def sensitivity(section: Section) -> Table:
    """Returns GS and some of the data sets."""
    step = max(1, len(section["rows"]) // 10)
    rows: list[list[Cell]] = [["GS", section["gs"], ""]]
    rows += [[cells(row["x"]), row["ls"], row["s"]] for row in section["rows"][::step]]
    return ["data x", "LS(x)", "S(x)"], rows


def listing(*columns: tuple[str, str]) -> Any:
    """Returns a table function that lists the given (title, key) columns of every row."""

    def table(section: Section) -> Table:
        rows = [[_cell(row.get(key)) for _, key in columns] for row in section["rows"]]
        return [title for title, _ in columns], rows

    return table


def _cell(value: Any) -> Cell:
    if isinstance(value, dict) and set(value) == {"lower", "upper"}:
        return value
    return cells(value) if isinstance(value, list) else "" if value is None else str(value)


TABLES = {
    "epsilon-by-n": epsilon_by_n,
    "delta-curves": delta_curves,
    "worst-pairs": worst_pairs,
    "worst-loss": worst_loss,
    "loss-map": loss_map,
    "sensitivity": sensitivity,
    "own-audit": listing(("quantity", "quantity"), ("value", "value")),
    "own-curve": listing(
        ("from ε", "from"), ("to ε", "to"), ("α", "alpha"), ("power", "power"), ("x", "x"), ("x′", "x_prime")
    ),
    "own-renyi": listing(("order", "order"), ("divergence", "divergence")),
    "error-by-n": listing(("mechanism", "mechanism"), ("n", "n"), ("data x", "x"), ("exact mean error", "mean")),
    "error-by-prior": listing(("mechanism", "mechanism"), ("a", "a"), ("exact mean error", "mean")),
    "prior-study": listing(
        ("prior", "mechanism"), ("n", "n"), ("ε", "eps"), ("true ε / ε", "ratio"), ("verdict on true ε ≤ ε", "verdict")
    ),
    "bounds": listing(
        ("mechanism", "mechanism"),
        ("data x", "x"),
        ("bound", "claim"),
        ("t", "t"),
        ("exact", "exact"),
        ("value of the bound", "value"),
        ("", "outcome"),
    ),
}
"""Kind of section -> its table."""


def table(section: Section) -> Table | None:
    """Returns the section's table, or None if its kind has none."""
    make = TABLES.get(section["kind"])
    return make(section) if make and section["rows"] else None


def short(enclosure: dict[str, str]) -> str:
    """Returns a few digits of the enclosure for reading; the full enclosure stands beside it on demand."""
    middle = (float(enclosure["lower"]) + float(enclosure["upper"])) / 2
    if float(enclosure["lower"]) <= 0 < float(enclosure["upper"]):
        return (
            f"≤ {float(enclosure['upper']):.3g}"
            if float(enclosure["lower"]) == 0
            else f"|…| ≤ {float(enclosure['upper']):.3g}"
        )
    if enclosure["lower"] == enclosure["upper"] and len(enclosure["lower"]) <= 9:
        return enclosure["lower"]
    return f"{middle:.6g}"

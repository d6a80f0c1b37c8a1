"""The claims as a grid document × verdict × strength, and their margins with their signs."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.audit.conclusion import FAILS
from dpaudit.numbers.verdict import Verdict
from dpaudit.pictures.grid import Grid, Tile
from dpaudit.pictures.picture import HALF, NARROW, WIDE, Figure, Picture
from dpaudit.pictures.scales import Scale, power
from dpaudit.pictures.svg import element, fit_name, line, text, tip, width_of
from dpaudit.reports.charts_lines import Near, middle, span
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import listed, rounded

MARKS = {
    "PROVED": "proved",
    "REFUTED": "refuted",
    "IMPOSSIBLE": "refuted",
    "UNDECIDED": "open",
    "UNWITNESSED": "open",
    "MEASURED": "measured",
}
OPEN = (Verdict.UNDECIDED, Verdict.UNWITNESSED)
LEAST = 1e-12
"""Smaller margins are drawn here; the tip has the true one."""
LETTERS = {
    **{"for all n, by algebra": "∀", "by counterexample": "c", "by witness": "w", "exhaustive on the grid": "g"},
    **{"no witness on the grid": "–", "measured": "m"},
}
"""How a claim is known -> the letter on its tile."""
ROW, SHORT = 15, 20
"""Pixels of a margin; more than twice so many stand in two pictures side by side."""
Row = dict[str, Any]


def margins(section: Section, near: Near) -> list[Figure]:
    """Returns the margins, unless they stand beside the claims."""
    return [] if near("claims") else draw_margins(section)


def draw_margins(section: Section) -> list[Figure]:
    """Returns how far each claim is from failing, to the right, or by how much it fails, to the left."""
    rows = sorted(section["rows"], key=lambda row: _signed(row))
    failing = [row for row in rows if row["verdict_of"] in FAILS]
    tight = [row for row in rows if row["verdict_of"] == "PROVED" and _least(row) == 0 == middle(row["margin"])]
    said = f"{len(failing)} of {len(rows)} inequalities and equations fail somewhere"
    if failing:
        worst = max(failing, key=_least)
        said += f", {worst['id']} by the most, at least {rounded(repr(_least(worst)), False, 3)}"
    said += f"; {len(tight)} hold with equality somewhere.{_explained(rows)}"
    half = -(-len(rows) // 2)
    wide = [_margins(part, rows, HALF, said) for part in (rows[:half], rows[half:])] if half > SHORT else []
    return [Figure(wide or [_margins(rows, rows, WIDE, said)], said, [_margins(rows, rows, NARROW, said)])]


def _explained(rows: list[Row]) -> str:
    """Returns in words what is said of claims that something exists, if nothing was found that satisfies them."""
    never = [row["id"] for row in rows if row["verdict_of"] == Verdict.IMPOSSIBLE]
    unseen = [row["id"] for row in rows if row["verdict_of"] == Verdict.UNWITNESSED]
    said = f" What fails everywhere, though said to hold somewhere: {listed(never)}." if never else ""
    return said + (f" Without a witness, and on neither side: {listed(unseen)}." if unseen else "")


def _least(row: Row) -> float:
    """Returns a lower bound of the size of a margin."""
    low, high = float(row["margin"]["lower"]), float(row["margin"]["upper"])
    return max(0.0, low, -high)


def _signed(row: Row) -> float:
    """Returns where a margin stands on an axis that is logarithmic on both sides of zero; what fails, at its left.

    An equation fails by a difference, whatever its sign; what is open stands on neither side.
    """
    value = middle(row["margin"])
    value = -abs(value) if row["verdict_of"] in FAILS else value
    if not value or row["verdict_of"] in OPEN:
        return 0.0
    return math.copysign(max(0.0, math.log10(abs(value) / LEAST)) + 0.5, value)


def _margins(rows: list[Row], every: list[Row], width: float, said: str) -> Picture:
    """Returns the margins of some rows, on the axis of all."""
    small = width <= HALF
    left = 8 + max(width_of(row["id"], 11) for row in every)
    left = min(left, 172 if small else 260)
    top, bottom = 44.0, 44.0 + ROW * len(rows)
    reach = 0.5 + max(3.0, *(abs(_signed(row)) for row in every))
    across = Scale(-reach, reach, left + 10, width - 12)
    parts = [text(across(0) - 8, 14, "← fails", "e dim"), text(across(0) + 8, 14, "holds →", "dim")]
    for exponent in range(-8, 4, 6) if small else range(-10, 4, 4):
        for side in (-1, 1):
            x = across(side * (exponent - math.log10(LEAST) + 0.5))
            if left < x < width - 10 and abs(side * (exponent - math.log10(LEAST) + 0.5)) < reach:
                parts.append(
                    line(x, top - 8, x, bottom, "grid")
                    + text(x, top - 14, ("−" if side < 0 else "") + power(exponent), "m dim small")
                )
    parts.append(line(across(0), top - 8, across(0), bottom, "axis"))
    for i, row in enumerate(rows):
        y = top + ROW * (i + 0.5)
        x = across(_signed(row))
        class_ = MARKS.get(row["verdict_of"], "open")
        words = tip(f"{row['id']}: {row['verdict_of']}, margin {span(row['margin'])}")
        parts.append(text(left, y + 4, fit_name(row["id"], left - 4, 11), "e small"))
        parts.append(element("path", d=f"M{across(0):.1f} {y:.1f}H{x:.1f}", class_="lead"))
        parts.append(_sign(x, y, row["verdict_of"], f"f{class_}", words))
    return Picture(
        width, _key(parts, every, width, bottom + 20), "".join(parts), f"Signed margins of the claims. {said}"
    )


def _key(parts: list[str], rows: list[Row], width: float, y: float) -> float:
    """Adds which mark is which verdict, in lines that fit, and returns the height of all."""
    x, found = 8.0, {row["verdict_of"] for row in rows}
    for mark in dict.fromkeys(MARKS.values()):
        verdicts = [verdict for verdict in MARKS if MARKS[verdict] == mark and verdict in found]
        room = width_of(", ".join(verdicts), 11) + 30
        if x > 8 and x + room > width:
            x, y = 8.0, y + ROW
        if verdicts:
            parts.append(
                _sign(x, y, verdicts[0], f"f{mark} key", "") + text(x + 9, y + 4, ", ".join(verdicts), "small")
            )
            x += room
    return y + 10


def _sign(x: float, y: float, verdict: str, class_: str, inside: str, size: float = 4.5) -> str:
    """Returns the mark of a verdict: a disc proved, a diamond refuted, a square anything else."""
    if verdict == "PROVED":
        return element("circle", inside, cx=x, cy=y, r=size, class_=class_)
    if verdict in FAILS:
        s = size * 1.3
        return element(
            "path",
            inside,
            d=f"M{x:.1f} {y - s:.1f}L{x + s:.1f} {y:.1f}L{x:.1f} {y + s:.1f}L{x - s:.1f} {y:.1f}Z",
            class_=class_,
        )
    return element(
        "rect", inside, x=x - size + 0.5, y=y - size + 0.5, width=2 * size - 1, height=2 * size - 1, class_=class_
    )


def claims(section: Section, near: Near) -> list[Figure]:
    """Returns a tile for every claim, by document and verdict, with how strong the evidence is; then the margins."""
    rows = section["rows"]
    verdicts = sorted({row["verdict"] for row in rows}, key=lambda v: [*MARKS, v].index(v))
    said = f"{len(rows)} claims: {', '.join(_counted(rows, verdict) for verdict in verdicts)}."
    broken = [row["id"] for row in rows if row["verdict"] in FAILS]
    said += f" False as stated: {listed(broken)}." if 0 < len(broken) <= 6 else ""
    titles = {v: f"{v.capitalize()} {sum(row['verdict'] == v for row in rows)}" for v in verdicts}
    known = {_letter(strength): strength for strength in named(rows, "establishes")}
    wide, narrow = (
        Grid(
            list(titles.values()),
            {
                document: {titles[v]: [_tile(row, size) for row in own if row["verdict"] == v] for v in verdicts}
                for document, own in named(rows, "document").items()
            },
            known,
        )
        for size in (120, 0)
    )
    alt = f"The claims by document, verdict and strength of the evidence. {said}"
    found = near("margins")
    beside = draw_margins(found) if found and found["rows"] else []
    return [Figure([wide.draw(WIDE, alt)], said, [narrow.draw(NARROW, alt)]), *beside]


def _counted(rows: list[Row], verdict: str) -> str:
    """Returns how many have the verdict, and how many of those by which evidence."""
    own = named([row for row in rows if row["verdict"] == verdict], "establishes")
    total = sum(map(len, own.values()))
    if len(own) == 1:
        strength = next(iter(own))
        return f"{total} {verdict}" + (f" {strength}" if strength != verdict.lower() else "")
    return f"{total} {verdict} ({', '.join(f'{len(group)} {strength}' for strength, group in own.items())})"


def _letter(strength: str) -> str:
    return LETTERS.get(strength, strength[:1] or "·")


def _tile(row: Row, most: int) -> Tile:
    """Returns the tile of a claim; pointing at it says so many letters of the statement."""
    words = f"{row['id']}: {row['verdict']}, {row['establishes']}. {row['statement'][:most]}".strip()
    goal = row["id"] if _plain(row["id"]) else ""
    return Tile(_letter(row["establishes"]), f"f{MARKS.get(row['verdict'], 'open')}", words, goal)


def _plain(name: str) -> bool:
    return all(letter.isalnum() or letter in ".-_" for letter in name)

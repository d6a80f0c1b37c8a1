"""What P1 says of its Tables 1 and 2 in words, against the numbers that the tables print."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from dpaudit.claims import Context, Grid, Outcome, Point, Statement, annotate, check, each, scan
from dpaudit.numbers.balls import Ball, ball
from proofs_checks.figures import tables
from proofs_checks.figures.tables import Printed

AHEAD = Statement("printed probability of the mechanism said to be ahead", ">", "printed probability of the other")
OURS, LAPLACE = "exponential", "Laplace"
NEAR_1, NEAR_2 = 3, 3
"""Rows 0, 1, 2 steps from the correct answer: "close" in the text on Table 1, "few steps" in that on Table 2."""


def column(printed: Printed, name: str) -> list[Fraction]:
    """The printed numbers of that column, nearest candidates first."""
    return [Fraction(row[tables.COLUMNS.index(name)]) for row in printed]


def ahead(printed: Printed, claimed: dict[int, str]) -> Outcome:
    """The outcome of "in row i the named mechanism has the larger printed probability", row by row."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        other = LAPLACE if at.ahead == OURS else OURS
        return ball(column(printed, at.ahead)[at.steps]), ball(column(printed, other)[at.steps])

    points = [Point(steps=i, ahead=name) for i, name in claimed.items()]
    return scan(AHEAD, each(points, lambda point: point, sides))


@check("fig.table-1.text", grid=Grid("every row of the table, 0 to 4 steps"))
def table_1(ctx: Context) -> Outcome:
    """Table 1: the exponential mechanism is ahead 0, 1, 2 steps away, behind 3 and 4 steps away (P1 §5.4.1)."""
    rows = range(len(tables.TABLE_1))
    return ahead(tables.TABLE_1, {i: OURS if i < NEAR_1 else LAPLACE for i in rows})


@check("fig.table-2.text", grid=Grid("the rows 0, 1 and 2 steps from the correct answer"))
def table_2(ctx: Context) -> Outcome:
    """Table 2: Laplace outputs the answers with few steps with higher probabilities (P1 §5.4.1)."""
    ours = column(tables.TABLE_2, OURS)
    times = floor(ours[0] / ours[-1])
    words = f'"bad answers and good answers have very similar probabilities": {times} to 1, by the printed numbers'
    return annotate(
        ahead(tables.TABLE_2, dict.fromkeys(range(NEAR_2), LAPLACE)).having(words),
        ("the exact answer alone", ahead(tables.TABLE_2, {0: LAPLACE})),
    )

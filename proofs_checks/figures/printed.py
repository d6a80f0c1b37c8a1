"""Checks on P1's Tables 1 and 2: do the printed digits follow from the definitions, and from which recipe?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpaudit.claims import Batch, Context, Grid, Outcome, Part, Sides, Statement, Step, check, scan, search, single
from dpaudit.claims.shown import parameters, step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import rough
from proofs_checks.figures import tables
from proofs_checks.figures.tables import FLOORED, LS, S_EXP, TRUNCATED, Printed, Recipe

DIGIT = Statement("|computed − printed|", "<=", "half a unit of the 12th digit")
TABLE = Statement("largest |computed − printed| in half units of the 12th digit", "<=", "1")

STATED_1 = Recipe(8, (1, 1), (4, 4), S_EXP, 2, TRUNCATED)
STATED_2 = Recipe(40, (1, 1), (20, 20), S_EXP, 2, TRUNCATED)
DATA_1 = ((8, (1, 1), (4, 4)),)
DATA_2 = (
    (40, (1, 1), (20, 20)),
    (54, (3, 3, 3), (18, 18, 18)),
    (57, (2, 2, 2), (19, 19, 19)),
    (60, (1, 1, 1), (20, 20, 20)),
)
FACTORS = (2, 1, 4)


def digits(recipe: Recipe, printed: Printed, column: str = "") -> Batch:
    """Every printed number of a table (or of one column) against what the recipe gives."""
    chosen = [(c, i, text) for c, i, text in tables.entries(printed) if column in ("", c)]

    def sides() -> Sides:
        values = tables.computed(recipe, printed)
        for name, number, text in chosen:
            deviation = abs(values[name, number][0] - ball(Fraction(text)))
            yield (name, printed[number][0]), deviation, tables.half_unit(text)

    def steps(tag: tuple[str, str]) -> list[Step]:
        return _entry_steps(recipe, printed, *tag)

    return Batch(recipe.parameters(), sides, ("column", "H"), steps=steps)


def _entry_steps(recipe: Recipe, printed: Printed, column: str, distance: str) -> list[Step]:
    number = next(i for i, row in enumerate(printed) if row[0] == distance)
    value, members = tables.computed(recipe, printed)[column, number]
    row = tables.row_of(recipe)
    text = printed[number][tables.COLUMNS.index(column)]
    return [
        step("LS(x)", "max over adjacent x′ of H(x,x′)", row.ls),
        step(f"sensitivity used ({recipe.sensitivity})", "", row.sensitivity(recipe.sensitivity, tables.EPS)),
        step("candidates of the row", f"at the distance nearest to {distance}", _members(members)),
        step("computed", column, value),
        step("printed", "", text),
        step("half a unit of its 12th digit", "", rough(tables.half_unit(text), 1)),
    ]


def _members(members: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(str(r) for r in members)


def whole(recipe: Recipe, printed: Printed) -> Batch:
    """The largest deviation of the whole table, in half units of the 12th digit, against 1."""

    def sides() -> tuple[Ball, Ball]:
        values = tables.computed(recipe, printed)
        deviations = [
            abs(values[name, i][0] - ball(Fraction(text))) / ball(tables.half_unit(text))
            for name, i, text in tables.entries(printed)
        ]
        return balls.maximum(deviations), ball(1)

    def steps() -> list[Step]:
        values = tables.computed(recipe, printed)
        row = tables.row_of(recipe)
        lines = [step(f"sensitivity ({recipe.sensitivity})", "", row.sensitivity(recipe.sensitivity, tables.EPS))]
        for name, i, text in tables.entries(printed):
            value, members = values[name, i]
            lines.append(step(f"{name}, {len(members)} candidates, e.g. {members[0]}", f"printed {text}", value))
        return lines

    return single(recipe.parameters(), sides, steps=steps)


def readings(stated: Recipe, printed: Printed) -> list[Part]:
    """The columns one by one, under each reading that P1 offers."""
    full, floored = replace(stated, factor=1), replace(stated, noise=FLOORED)
    tried = (
        (stated, "H", "the column of distances"),
        (stated, "exponential", "the exponential column by Definition 4.1"),
        (
            full,
            "exponential",
            "the exponential column with S_exp and −εH/S, as §5.3 and §5.4.1 write the exponent",
        ),
        (stated, "Laplace", "the Laplace column by the law of |Y| in §5.1"),
        (floored, "Laplace", "the Laplace column by the mechanism itself: floored and clipped"),
    )
    return [scan(DIGIT, [digits(recipe, printed, column)]).part(words) for recipe, column, words in tried]


def stated(recipe: Recipe, printed: Printed) -> Outcome:
    """Whether every printed number follows from the recipe; the parts say which columns do."""
    outcome = scan(DIGIT, [digits(recipe, printed)])
    words = ""
    if outcome.counterexample is not None:
        shown = {line.label: line.value for line in outcome.counterexample.steps}
        words = f"computed {shown['computed']}, printed {shown['printed']}"
    return outcome.having(words, readings(recipe, printed))


@check("fig.table-1.stated", grid="n = 8, x = (4, 4), prior (1, 1), ε = 4/5, δ = 1e-8: all 15 printed numbers")
def table_1_stated(ctx: Context) -> Outcome:
    """Every printed number of Table 1 follows from Definition 4.1 and the law of §5.1."""
    return stated(STATED_1, tables.TABLE_1)


@check("fig.table-2.stated", grid="n = 40, x = (20, 20), prior (1, 1), ε = 4/5, δ = 1e-8: all 12 printed numbers")
def table_2_stated(ctx: Context) -> Outcome:
    """Every printed number of Table 2 follows from Definition 4.1 and the law of §5.1."""
    return stated(STATED_2, tables.TABLE_2)


def first_recipe(ctx: Context, printed: Printed) -> Outcome:
    """The first recipe that gives every printed digit; the parts try the other sensitivities in its place."""
    made = []
    for point in ctx.grid:
        n, prior, x = point.data
        made.append(Recipe(n, prior, x, point.sensitivity, point.factor, point.noise))
    outcome = search(TABLE, (whole(recipe, printed) for recipe in made))
    if outcome.witness is None:
        return outcome
    witness = next(s for s in made if parameters(s.parameters()) == outcome.witness.parameters)
    others = [replace(witness, sensitivity=name) for name in tables.SENSITIVITIES if name != witness.sensitivity]
    parts = [search(TABLE, [whole(s, printed)]).part(f"the same with {s.sensitivity}") for s in others]
    times = Fraction(2, witness.factor)
    words = f"EHDL's weights (local sensitivity, no guarantee) at {times} times the nominal ε"
    return outcome.having(words if witness.sensitivity == LS else "", parts)


AXES = {"sensitivity": tables.SENSITIVITIES, "factor": FACTORS}


@check("fig.table-1.found", grid=Grid("every printed digit", data=DATA_1, **AXES, noise=(TRUNCATED, FLOORED)))
def table_1_found(ctx: Context) -> Outcome:
    """Some recipe gives every digit of Table 1."""
    return first_recipe(ctx, tables.TABLE_1)


@check("fig.table-2.found", grid=Grid("every printed digit", data=DATA_2, **AXES, noise=(TRUNCATED,)), weight=3)
def table_2_found(ctx: Context) -> Outcome:
    """Some recipe gives every digit of Table 2."""
    return first_recipe(ctx, tables.TABLE_2)

"""Checks on what the documents say of growing data sizes: errors fall, and k = 3, 4 show the same tendencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from dpaudit.claims import Context, Grid, Outcome, Part, Statement, annotate, check, scan, spelled
from dpaudit.claims.batches import Batch, single
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.verdict import Verdict
from proofs_checks.figures import three_cells
from proofs_checks.figures.means import (
    DIRICHLET,
    FEW_BITS,
    FIGURE_3,
    FIGURE_4,
    WINNER,
    Series,
    means,
    one_in,
    proved,
)

FALLS = Statement("mean error at the larger n", "<", "mean error at the smaller n")
Sizes = Sequence[int]


def falling(series: Series, names: Sequence[str], sizes: Sizes, rising: bool = False) -> Outcome:
    """The outcome of "from each size to the next the mean error falls", or rises, size by size."""

    def step_of(low: int, high: int, name: str) -> Batch:
        def sides() -> tuple[Ball, Ball]:
            found = (means(series.points[n], series.eps)[name] for n in (high, low))
            return next(found), next(found)

        where = {"mechanism": name, "n": low, "larger n": high, "x": series.points[low][0], "eps": series.eps}
        return replace(single(where, sides), start_bits=FEW_BITS)

    statement = replace(FALLS, relation=">") if rising else FALLS
    return scan(statement, (step_of(low, high, name) for low, high in pairwise(sizes) for name in names))


def falls_from(series: Series, name: str, sizes: Sizes) -> Sizes:
    """The sizes from the one on from which the mean error seems to fall at every step; a scan decides."""
    with balls.precision(FEW_BITS):
        errors = [float(means(series.points[n], series.eps)[name]) for n in sizes]
    last = max((i + 1 for i, (low, high) in enumerate(pairwise(errors)) if not high < low), default=0)
    return sizes[last:]


def tail_part(series: Series, name: str, sizes: Sizes, words: str = "") -> tuple[str, list[Part]]:
    """From which size on the mean error falls, or that it still rises: in words, and as a part."""
    rest = falls_from(series, name, sizes)
    if len(rest) < 2:
        text = f"{words}{name} still rises at n = {sizes[-1]}"
        return text, [falling(series, (name,), sizes[-2:], rising=True).part(text)]
    text = f"{words}{name} falls from n = {rest[0]} to {rest[-1]}"
    return text, [falling(series, (name,), rest).part(text)]


def with_tails(outcome: Outcome, tails: Sequence[tuple[str, list[Part]]]) -> Outcome:
    """The outcome with where each error falls, if all of that is PROVED."""
    parts = [part for _, found in tails for part in found]
    return outcome.having("; ".join(text for text, _ in tails) if proved(parts) else "", parts)


# ------------------------------------------------------------------ k = 2

TENTHS = Grid(
    "x = (⌊n/10⌋, the rest), prior (1, 1), ε = 4/5, δ = 1e-8; MHdelta and LSDim", n=(*range(10, 801), *FIGURE_3[1])
).wider(n=range(10, 20001))
HALVES = Grid("x = (⌊n/2⌋, the rest), prior (1, 1), ε = 1, γ = 1; MH, LSDim and LSHist", n=FIGURE_4)


@check("fig.errors-fall.p1", grid=TENTHS, weight=5)
def errors_fall_p1(ctx: Context) -> Outcome:
    """The mean errors of MHdelta and of Laplace decrease as n grows, 10/90 data (P1 §6.2).

    Exactly one in ten is possible at every tenth n only; at the others the first cell is rounded down.
    """
    sizes = [point.n for point in ctx.grid]
    series, names = one_in(10, Fraction(4, 5), sizes), ("MHdelta", "LSDim")
    parts = []
    for figure in FIGURE_3:
        inside = [n for n in sizes if n in figure]
        for words, chosen in (("every n", inside), ("every tenth n", [n for n in inside if n % 10 == 0])):
            if len(chosen) > 1:
                where = f"{words} of {figure[0]}…{figure[-1]}, a range of Figure 3"
                parts.append((where, falling(series, names, chosen)))
    return annotate(falling(series, names, sizes), *parts)


@check("fig.errors-fall.a3", grid=HALVES.wider(n=range(2, 20001)), weight=5)
def errors_fall_a3(ctx: Context) -> Outcome:
    """The mean errors of MH and of both Laplace mechanisms decrease as n grows, balanced data (A3 §7.2.2)."""
    sizes = [point.n for point in ctx.grid]
    series, names = one_in(2, Fraction(1), sizes), ("MH", "LSDim", "LSHist")
    return with_tails(falling(series, names, sizes), [tail_part(series, name, sizes) for name in names])


# ------------------------------------------------------------------ k = 3 and 4

CURVES = (
    "P1: x = (⌊n/5⌋, ⌊3n/10⌋, the rest), ε = 4/5, δ = 1e-8, n = 10…{}; A3: balanced, ε = 1, k = 3, n = 3, 6, …, {}, "
    "and k = 4, n = 4, 8, …, {}"
)
REACH, WIDE_REACH = (70, 45, 16), (150, 150, 40)
"""How far the three curves are computed.

The caption of P1 Figure 4 says n = 14000…20000, while §6.2 says that with k = 3 sizes such as 10⁴ could not be run; A3
names no sizes. Every n from the least on is examined, for A3 every n with balanced data; who wins also at every n of
the caption (``three_cells``).
"""
CAPTION = range(14000, 20001)
Curve = tuple[str, Series, str, tuple[str, ...]]
"""Its name, the data, the exponential mechanism and the Laplace ones."""


def curves(ctx: Context) -> list[Curve]:
    """The three curves."""
    first, second, third = WIDE_REACH if ctx.wide else REACH
    sizes = range(10, first + 1)
    unequal = {n: ((n // 5, 3 * n // 10, n - n // 5 - 3 * n // 10), (Fraction(1),) * 3) for n in sizes}
    found: list[Curve] = [("P1, k = 3", Series("n", Fraction(4, 5), unequal), DIRICHLET, ("LSHist",))]
    for k, most in ((3, second), (4, third)):
        equal = {n: ((n // k,) * k, (Fraction(1),) * k) for n in range(k, most + 1, k)}
        found.append((f"A3, k = {k}", Series("n", Fraction(1), equal), "MH", ("LSDim", "LSHist")))
    return found


@check("fig.dirichlet.errors", grid=CURVES.format(*REACH), wide=CURVES.format(*WIDE_REACH), weight=4)
def dirichlet_errors(ctx: Context) -> Outcome:
    """k = 3, 4: the mean errors fall as n grows (P1 Figure 4, A3 Figure 5 (a) and (b))."""
    outcomes, tails = [], []
    for words, series, ours, laplace in curves(ctx):
        sizes = list(series.points)
        outcomes.append(falling(series, (ours, *laplace), sizes))
        tails += [tail_part(series, name, sizes, f"{words}: ") for name in (ours, *laplace)]
        if ours == DIRICHLET:
            tails.append(tail_part(series, "MHdelta", sizes, f"{words}, S over all data sets: "))
    first = next((outcome for outcome in outcomes if outcome.verdict is not Verdict.PROVED), outcomes[0])
    return with_tails(first, tails)


@check("fig.dirichlet.crossover", grid=CURVES.format(*REACH), wide=CURVES.format(*WIDE_REACH), weight=4)
def dirichlet_crossover(ctx: Context) -> Outcome:
    """k = 3, 4: Laplace has the smaller mean error for small n, the exponential mechanism later (the same figures).

    No n is printed: what is decided is the least n of each curve; where the order changes is computed beside it.
    """
    claimed: list[Batch] = []
    texts, parts = [], []
    for words, series, ours, laplace in curves(ctx):
        claimed += [series.duel(min(series.points), name, ours) for name in laplace]
        for name in laplace:
            more, text = series.order(ours, name)
            parts += more
            texts.append(f"{words}: {text}")
        if ours == DIRICHLET:
            more, text = series.order("MHdelta", "LSHist")
            parts += more
            texts.append(f"{words}, S over all data sets: {text}")
    words = f"P1, k = 3: LSHist beats M_H^D, with either S, at every n of the caption, {spelled(CAPTION)}"
    parts.append(scan(three_cells.BELOW, three_cells.blocks(CAPTION)).part(words))
    texts.append(words)
    return scan(WINNER, claimed).having("; ".join(texts) if proved(parts) else "", parts)

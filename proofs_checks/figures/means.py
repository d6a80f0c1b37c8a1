"""Checks on the figures that compare mean errors E[H(posterior, output)]: who wins, and from where on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from dpaudit.claims import Context, Grid, Outcome, Part, Step, Table, brief, check, refined, scan, search, spelled, step
from dpaudit.claims.batches import Batch, Statement, single
from dpaudit.mechanisms.laplace import Laplace, LSDim, LSHist
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from proofs_checks.figures.tables import Row

WINNER = Statement("mean error of the claimed winner", "<", "mean error of the other")
DELTA = Fraction(1, 10**8)
LOCAL, SMOOTH, SMOOTH_EXP = "LS(x)", "S(x) with γ = 1", "S_exp(x)"
RATES = {"MH": SMOOTH, "MHdelta": SMOOTH_EXP}
LAPLACE: dict[str, type[Laplace]] = {"LSDim": LSDim, "LSHist": LSHist}
DataSet = tuple[tuple[int, ...], tuple[Fraction, ...]]
"""A data set x and a prior."""

Stretch = tuple[str, str, list[DataSet], list[int]]
"""Who is ahead, of whom, at which points, and their labels."""
CLOSE = Fraction(17, 10)
"""MH's error would be called close to LSHist's if it came below this multiple of it; equality in the limit is 1."""


class Means:
    """The mean errors and sensitivities at one data set and prior, each computed when it is asked for."""

    def __init__(self, point: DataSet, eps: Fraction) -> None:
        x, prior = point
        self._row, self._eps = Row(make_model(sum(x), prior=prior), x), eps
        self._known: dict[str, Ball] = {}

    def __getitem__(self, name: str) -> Ball:
        """Returns a ball that contains the quantity of that name."""
        if name not in self._known:
            self._known[name] = self._compute(name)
        return self._known[name]

    def _compute(self, name: str) -> Ball:
        row, eps = self._row, self._eps
        if name in RATES:
            return row.exponential_mean(ball(eps / 2) / self[RATES[name]])
        if name == LOCAL:
            return row.ls
        if name == SMOOTH:
            return row.smooth(Fraction(1))
        if name == SMOOTH_EXP:
            return row.smooth_exp(row.gamma_p1(eps, DELTA))
        return row.laplace_mean(LAPLACE[name](row.model, eps))


@lru_cache(maxsize=4096)
def _means(point: DataSet, eps: Fraction, bits: int) -> Means:
    return Means(point, eps)


def means(point: DataSet, eps: Fraction) -> Means:
    """Returns the mean errors at the precision in force."""
    return _means(point, eps, balls.working_bits())


def duel(point: DataSet, eps: Fraction, winner: str, other: str) -> Batch:
    """Returns the statement "the winner's mean error is smaller" at one data set and prior."""
    x, prior = point
    where = {"n": sum(x), "x": x, "prior": prior, "eps": eps, "winner": winner, "other": other}

    def sides() -> tuple[Ball, Ball]:
        found = means(point, eps)
        return found[winner], found[other]

    def steps() -> list[Step]:
        found, lines = means(point, eps), [step(LOCAL, "max over adjacent x′ of H(x,x′)", means(point, eps)[LOCAL])]
        for name in (winner, other):
            if name in RATES:
                lines.append(step(RATES[name], "the sensitivity used", found[RATES[name]]))
            formula = "Σ H·e^(−εH/(2S)) / Σ e^(−εH/(2S))" if name in RATES else "Σ Pr[output]·H(posterior, output)"
            lines.append(step(f"mean error of {name}", formula, found[name]))
        return lines

    return single(where, sides, steps=steps)


def stretches(points: Sequence[DataSet], eps: Fraction, pair: tuple[str, str], label: Sequence[int]) -> list[Stretch]:
    """Returns the stretches of the grid by who is ahead; each is still to be certified by a scan."""
    found: list[Stretch] = []
    for point, name in zip(points, label, strict=True):

        def compare(point: DataSet = point) -> Verdict:
            values = means(point, eps)
            return balls.less(values[pair[0]], values[pair[1]])

        winner, other = pair if balls.decide(compare)[0] is Verdict.PROVED else pair[::-1]
        if not found or found[-1][0] != winner:
            found.append((winner, other, [], []))
        found[-1][2].append(point)
        found[-1][3].append(name)
    return found


def order(found: Sequence[Stretch], eps: Fraction, axis: str) -> tuple[list[Part], str]:
    """Returns every stretch as a part, decided by a scan, and "MH against LSDim: MH ahead from n = 2, LSDim …"."""
    turns = ", ".join(f"{winner} ahead from {axis} = {label[0]}" for winner, _, _, label in found)
    parts = [race(points, eps, winner, other, label, axis) for winner, other, points, label in found]
    return parts, f"{found[0][0]} against {found[0][1]}: {turns}"


def race(
    points: Sequence[DataSet], eps: Fraction, winner: str, other: str, label: Sequence[int], name: str = "n"
) -> Part:
    """Returns as a part: the winner's mean error is smaller at all of these points; ``label`` names them."""
    outcome = scan(WINNER, [duel(point, eps, winner, other) for point in points])
    return outcome.part(f"{winner} beats {other} for {name} = {spelled(label)}")


def proved(parts: Iterable[Part]) -> bool:
    """Returns whether every part is PROVED: only then may a finding say so."""
    return all(part.verdict is Verdict.PROVED for part in parts)


def table(points: Sequence[DataSet], eps: Fraction, names: Sequence[str], label: Sequence[int], axis: str) -> Table:
    """Returns the mean errors at these points as text, leading digits."""
    rows = []
    for point, value in zip(points, label, strict=True):
        cells = [brief(refined(lambda point=point, name=name: means(point, eps)[name])) for name in names]  # type: ignore[misc]
        rows.append((str(value), *cells))
    return Table((axis, *names), tuple(rows))


# ------------------------------------------------------------------ P1 section 6.2, Figure 3

CROSS_1 = 650
NINETY = Grid(
    "x = (n/10, 9n/10), prior (1, 1), ε = 4/5, δ = 1e-8",
    n=(*range(10, 710, 10), *range(800, 1600, 100), 1640, 1650, 2000, 5000, 15000),
)
NINETY_WIDE = Grid(NINETY.inside, n=(*range(10, 2010, 10), *range(2500, 20500, 500)))


def unbalanced(n: int) -> DataSet:
    """Returns the 10/90 data set with prior (1,1)."""
    return (n // 10, n - n // 10), (Fraction(1), Fraction(1))


@check("fig.laplace-crossover", grid=NINETY, wide=NINETY_WIDE, weight=6)
def laplace_crossover(ctx: Context) -> Outcome:
    """Laplace (scale 2/ε, that is LSDim) wins below n ≈ 650, MHdelta above (P1 §6.2)."""
    eps, sizes = Fraction(4, 5), [point.n for point in ctx.grid]
    claimed = [
        duel(unbalanced(n), eps, *(("LSDim", "MHdelta") if n < CROSS_1 else ("MHdelta", "LSDim")))
        for n in sizes
        if n != CROSS_1
    ]
    points = [unbalanced(n) for n in sizes]
    below = [n for n in sizes if n < CROSS_1]
    parts, text = both_orders(points, eps, "MHdelta", sizes)
    parts.insert(0, race([unbalanced(n) for n in below], eps, "LSDim", "MHdelta", below))
    return scan(WINNER, claimed).having(text if proved(parts) else "", parts)


def both_orders(points: Sequence[DataSet], eps: Fraction, name: str, sizes: Sequence[int]) -> tuple[list[Part], str]:
    """Returns where the order of the mechanism and of LSDim, then of LSHist, really changes."""
    found = [order(stretches(points, eps, (name, other), sizes), eps, "n") for other in ("LSDim", "LSHist")]
    return [part for parts, _ in found for part in parts], "; ".join(text for _, text in found)


# ------------------------------------------------------------------ A3 section 7.2.2, Figure 4

CROSS_2 = 300
BALANCED = Grid("x = (n/2, n/2), prior (1, 1), ε = 1, γ = 1", n=(*range(2, 322, 2), 400, 1000, 2000, 5000, 15000))
BALANCED_WIDE = Grid(BALANCED.inside, n=(*range(2, 2002, 2), *range(2500, 20500, 500)))


def balanced(n: int, prior: int = 1) -> DataSet:
    """Returns the balanced data set with prior (a, a)."""
    return (n // 2, n // 2), (Fraction(prior), Fraction(prior))


@check("fig.balanced-crossover", grid=BALANCED, wide=BALANCED_WIDE, weight=6)
def balanced_crossover(ctx: Context) -> Outcome:
    """Below n ≈ 300 both Laplace mechanisms beat MH, above it MH beats LSDim and approaches LSHist (A3 §7.2.2)."""
    eps, sizes = Fraction(1), [point.n for point in ctx.grid]
    claimed = []
    for n in sizes:
        if n < CROSS_2:
            claimed += [duel(balanced(n), eps, name, "MH") for name in ("LSHist", "LSDim")]
        elif n > CROSS_2:
            claimed.append(duel(balanced(n), eps, "MH", "LSDim"))
    parts, text = balanced_parts(sizes, eps)
    shown = [n for n in sizes if n in (2, 4, 12, 14, 50, 208, 210, 300, 1000, 15000)]
    outcome = scan(WINNER, claimed).having(text, parts)
    rows = table([balanced(n) for n in shown], eps, ("MH", "LSDim", "LSHist"), shown, "n")
    return outcome.with_table(rows)


def balanced_parts(sizes: Sequence[int], eps: Fraction) -> tuple[list[Part], str]:
    """Returns where the order really changes, and whether MH's error ever comes close to LSHist's."""
    parts, text = both_orders([balanced(n) for n in sizes], eps, "MH", sizes)
    above = [n for n in sizes if n > CROSS_2]
    near = close([balanced(n) for n in above], eps).part(
        f"MH's error < {CLOSE} × LSHist's for some n = {spelled(above)}"
    )
    return [*parts, near], text if proved(parts) else ""


def close(points: Sequence[DataSet], eps: Fraction) -> Outcome:
    """Returns whether MH's mean error is below CLOSE times LSHist's at some point; UNWITNESSED shows the closest."""
    statement = Statement("mean error of MH", "<", f"{CLOSE} × mean error of LSHist", "ratio")

    def batch(point: DataSet) -> Batch:
        def sides() -> tuple[Ball, Ball]:
            found = means(point, eps)
            return found["MH"], ball(CLOSE) * found["LSHist"]

        return single({"n": sum(point[0]), "x": point[0], "prior": point[1], "eps": eps}, sides)

    return search(statement, [batch(point) for point in points])


# ------------------------------------------------------------------ Figure 5 of P1 and of A3

PRIORS = Grid(
    "P1: x = (5, 5, 5), ε = 4/5, prior (a, a, a); A3: x = (50, 50), ε = 1, prior (a, a)",
    a=(*range(1, 13), 20, 40, 44, 45, 50, 100, 400),
)
PRIORS_WIDE = Grid(PRIORS.inside, a=(*range(1, 201), 400, 1000, 10000))


@check("fig.priors", grid=PRIORS, wide=PRIORS_WIDE, weight=6)
def priors(ctx: Context) -> Outcome:
    """Growing balanced priors: the Laplace baseline wins first, the exponential mechanism later (P1, A3 Fig. 5).

    P1's Laplace has scale 2/ε on k−1 cells (LSHist at k = 3); A3's baseline is LSDim at k = 2.
    """
    values = [point.a for point in ctx.grid]
    three: list[DataSet] = [((5, 5, 5), (Fraction(a),) * 3) for a in values]
    two = [balanced(100, a) for a in values]
    figures = ((three, Fraction(4, 5), "MHdelta", "LSHist"), (two, Fraction(1), "MH", "LSDim"))
    batches: list[Batch] = []
    parts: list[Part] = []
    found = []
    for points, eps, later, first in figures:
        ahead = stretches(points, eps, (later, first), values)
        turn = next((label[0] for winner, _, _, label in ahead if winner == later), values[-1])
        for point, a in zip(points, values, strict=True):
            batches.append(duel(point, eps, *((first, later) if a < turn else (later, first))))
        more, text = order(ahead, eps, "a")
        parts += more
        found.append(text)
    always = race(two, Fraction(1), "LSHist", "MH", values, "a")
    near = close(two, Fraction(1)).part(f"A3: MH's error < {CLOSE} × LSHist's for some a = {spelled(values)}")
    if near.verdict is Verdict.UNWITNESSED:
        found.append(f"not close to LSHist: its error is at most {1 / CLOSE} of MH's throughout")
    return scan(WINNER, batches).having("; ".join(found) if proved([*parts, always]) else "", [*parts, always, near])

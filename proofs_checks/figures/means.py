"""Checks on the figures that compare mean errors E[H(posterior, output)]: who wins, and from where on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Part,
    Step,
    Table,
    annotate,
    brief,
    check,
    refined,
    scan,
    spelled,
    step,
)
from dpaudit.claims.batches import Batch, Statement, single
from dpaudit.mechanisms.laplace import Laplace, LSDim, LSHist
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from proofs_checks.figures.limits import limit_ratio, ratio_proof, ratio_steps
from proofs_checks.figures.tables import LS, S_EXP, S_EXP_NEAR, S_GAMMA, SENSITIVITIES, Row
from proofs_checks.figures.window import WindowRow
from proofs_checks.points import rationals

WINNER = Statement("mean error of the claimed winner", "<", "mean error of the other")
DIRICHLET = "MHdelta/adjacent"
"""P1's M_H^D, the mechanism of the Dirichlet system: its S ranges over adjacent data sets (P1 §4.2.1)."""
RATES = {"MH": S_GAMMA, "MHdelta": S_EXP, DIRICHLET: S_EXP_NEAR}
LAPLACE: dict[str, type[Laplace]] = {"LSDim": LSDim, "LSHist": LSHist}
DataSet = tuple[tuple[int, ...], tuple[Fraction, ...]]
"""A data set x and a prior."""

FEW_BITS = 80
"""The precision to begin with: the windows are short, and what stays open is done again."""
APPROACHES = Statement("limit of MH's mean error over LSHist's", "=", "1")
ABOVE_LIMIT = Statement("mean error of MH", ">", "the limit of the ratio × mean error of LSHist")


class Means:
    """The mean errors and sensitivities at one data set and prior, each computed on demand."""

    def __init__(self, point: DataSet, eps: Fraction) -> None:
        self._point, self._eps = point, eps
        self._known: dict[str, Ball] = {}

    @property
    def _row(self) -> Row | WindowRow:
        return _row(self._point, balls.working_bits())

    def __getitem__(self, name: str) -> Ball:
        """A ball that contains the quantity of that name."""
        if name not in self._known:
            self._known[name] = self._compute(name)
        return self._known[name]

    def _compute(self, name: str) -> Ball:
        row, eps = self._row, self._eps
        if name in RATES:
            return row.exponential_mean(ball(eps / 2) / self[RATES[name]])
        if name in SENSITIVITIES:
            return row.sensitivity(name, eps)
        return row.laplace_mean(LAPLACE[name](row.model, eps))


@lru_cache(maxsize=2)
def _row(point: DataSet, bits: int) -> Row | WindowRow:
    x, prior = point
    return (WindowRow if len(x) == 2 else Row)(make_model(sum(x), prior=prior), x)


@lru_cache(maxsize=1 << 15)
def _means(point: DataSet, eps: Fraction, bits: int) -> Means:
    return Means(point, eps)


def means(point: DataSet, eps: Fraction) -> Means:
    """The mean errors at the precision in force."""
    return _means(point, eps, balls.working_bits())


@dataclass(frozen=True)
class Series:
    """Data sets with their priors at one ε, by their labels on an axis: who has the smaller mean error where?"""

    axis: str
    eps: Fraction
    points: Mapping[int, DataSet]

    def duel(self, label: int, winner: str, other: str) -> Batch:
        """The statement "the winner's mean error is smaller" at one point."""
        point = self.points[label]
        where = {**self._where(label), "winner": winner, "other": other}

        def sides() -> tuple[Ball, Ball]:
            found = means(point, self.eps)
            return found[winner], found[other]

        def steps() -> list[Step]:
            found = means(point, self.eps)
            lines = [step(LS, "max over adjacent x′ of H(x,x′)", found[LS])]
            for name in (winner, other):
                if name in RATES:
                    lines.append(step(RATES[name], "the sensitivity used", found[RATES[name]]))
                formula = "Σ H·e^(−εH/(2S)) / Σ e^(−εH/(2S))" if name in RATES else "Σ Pr[output]·H(posterior, output)"
                lines.append(step(f"mean error of {name}", formula, found[name]))
            return lines

        return replace(single(where, sides, steps=steps), start_bits=FEW_BITS)

    def _where(self, label: int) -> dict[str, object]:
        x, prior = self.points[label]
        return {"n": sum(x), "x": x, "prior": prior, "eps": self.eps}

    def ahead(self, first: str, second: str) -> list[tuple[str, str, list[int]]]:
        """The stretches (who is ahead, of whom, where); each is still to be certified by a scan."""
        found: list[tuple[str, str, list[int]]] = []
        for label, point in self.points.items():

            def compare(point: DataSet = point) -> Verdict:
                values = means(point, self.eps)
                return balls.less(values[first], values[second])

            smaller = balls.decide(compare, FEW_BITS)[0] is Verdict.PROVED
            winner, other = (first, second) if smaller else (second, first)
            if not found or found[-1][0] != winner:
                found.append((winner, other, []))
            found[-1][2].append(label)
        return found

    def order(self, first: str, second: str) -> tuple[list[Part], str]:
        """Every stretch as a part, decided by a scan, and "MH against LSDim: MH ahead from n = 2, LSDim …"."""
        found = self.ahead(first, second)
        turns = ", ".join(f"{winner} ahead from {self.axis} = {labels[0]}" for winner, _, labels in found)
        return [self.race(*stretch) for stretch in found], f"{found[0][0]} against {found[0][1]}: {turns}"

    def race(self, winner: str, other: str, labels: Sequence[int], words: str = "") -> Part:
        """As a part: the winner's mean error is smaller at all of these points."""
        outcome = scan(WINNER, [self.duel(label, winner, other) for label in labels])
        return outcome.part(f"{words}{winner} beats {other} for {self.axis} = {spelled(labels)}")

    def both_orders(self, name: str) -> tuple[list[Part], str]:
        """Where the order of the mechanism and of LSDim, then of LSHist, really changes."""
        found = [self.order(name, other) for other in ("LSDim", "LSHist")]
        return [part for parts, _ in found for part in parts], "; ".join(text for _, text in found)

    def above_limit(self, labels: Sequence[int], half: int) -> Outcome:
        """Whether MH's mean error over LSHist's is above its limit, prior → ∞ at n = 2·half, at each point."""

        def sides(label: int) -> tuple[Ball, Ball]:
            found = means(self.points[label], self.eps)
            return found["MH"], limit_ratio(self.eps, half) * found["LSHist"]

        made = (single(self._where(label), partial(sides, label)) for label in labels)
        return scan(ABOVE_LIMIT, (replace(batch, start_bits=FEW_BITS) for batch in made))

    def table(self, names: Sequence[str], labels: Sequence[int]) -> Table:
        """The mean errors at these points as text, leading digits."""

        def cell(label: int, name: str) -> str:
            return brief(refined(lambda: means(self.points[label], self.eps)[name]))

        rows = ((str(label), *(cell(label, name) for name in names)) for label in labels)
        return Table((self.axis, *names), tuple(rows))


def approaches(eps: Fraction, words: Mapping[str, object], half: int | None = None) -> Outcome:
    """The outcome of "MH's mean error over LSHist's tends to 1", by the limit that is proved."""
    proof = ratio_proof(half)
    if proof.obstacle:
        return proof.outcome()

    def sides() -> tuple[Ball, Ball]:
        return limit_ratio(eps, half), ball(1)

    instance = single({**words, "eps": eps}, sides, steps=lambda: ratio_steps(eps, half))
    limit = "2/cosh(ε/2)" if half is None else f"the quotient of the sums over |j| ≤ {half}"
    return annotate(scan(APPROACHES, [instance]), (f"the ratio tends to {limit}", proof))


def proved(parts: Iterable[Part]) -> bool:
    """Whether every part is PROVED: only then may a finding say so."""
    return all(part.verdict is Verdict.PROVED for part in parts)


# ------------------------------------------------------------------ P1 section 6.2, Figure 3

CROSS_1 = 650
FIGURE_3 = range(300, 801), range(14000, 20001)
"""The sizes of P1 Figure 3 (a) and (b)."""
NINETY = Grid("x = (⌊n/10⌋, the rest), prior (1, 1), ε = 4/5, δ = 1e-8", n=(*range(10, 2001), *FIGURE_3[1])).wider(
    n=range(10, 20001)
)
UNIFORM = rationals("1 1")


def one_in(parts: int, eps: Fraction, sizes: Iterable[int]) -> Series:
    """The data sets with ⌊n/parts⌋ records in the first cell, prior (1, 1)."""
    return Series("n", eps, {n: ((n // parts, n - n // parts), UNIFORM) for n in sizes})


@check("fig.laplace-crossover", grid=NINETY, weight=6)
def laplace_crossover(ctx: Context) -> Outcome:
    """Laplace (scale 2/ε, that is LSDim) wins below n ≈ 650, MHdelta above (P1 §6.2)."""
    sizes = [point.n for point in ctx.grid]
    series = one_in(10, Fraction(4, 5), sizes)
    below, above = [n for n in sizes if n < CROSS_1], [n for n in sizes if n > CROSS_1]
    claimed = [series.duel(n, "LSDim", "MHdelta") for n in below] + [series.duel(n, "MHdelta", "LSDim") for n in above]
    parts, text = series.both_orders("MHdelta")
    parts.insert(0, series.race("LSDim", "MHdelta", below))
    return scan(WINNER, claimed).having(text if proved(parts) else "", parts)


# ------------------------------------------------------------------ A3 section 7.2.2, Figure 4

CROSS_2 = 300
FIGURE_4 = (*range(2, 2001), *range(14000, 16001))
"""The caption of A3 Figure 4 names no sizes; the text speaks of 300 and of "the order of 15 thousands"."""
BALANCED = Grid("x = (⌊n/2⌋, the rest), prior (1, 1), ε = 1, γ = 1", n=FIGURE_4).wider(n=range(2, 20001))


@check("fig.balanced-crossover", grid=BALANCED, weight=6)
def balanced_crossover(ctx: Context) -> Outcome:
    """Below n ≈ 300 both Laplace mechanisms beat MH, above it MH beats LSDim and approaches LSHist (A3 §7.2.2)."""
    sizes = [point.n for point in ctx.grid]
    series = one_in(2, Fraction(1), sizes)
    above = [n for n in sizes if n > CROSS_2]
    claimed = [series.duel(n, name, "MH") for n in sizes if n < CROSS_2 for name in ("LSHist", "LSDim")]
    claimed += [series.duel(n, "MH", "LSDim") for n in above]
    parts, text = series.both_orders("MH")
    limit = approaches(series.eps, {"n": "→ ∞", "prior": UNIFORM, "x": "balanced"})
    limits = [limit.part("its error approaches LSHist's: the ratio tends to 1"), *limit.parts]
    words = f"{text}; the ratio of MH's and LSHist's errors tends to 2/cosh(ε/2), not to 1"
    outcome = scan(WINNER, claimed).having(words if proved([*parts, limits[1]]) else "", [*parts, *limits])
    shown = [n for n in sizes if n in (2, 5, 13, 14, 50, 208, 209, 300, 1000, 15000)]
    return outcome.with_table(series.table(("MH", "LSDim", "LSHist"), shown))


# ------------------------------------------------------------------ Figure 5 of P1 and of A3

EVERY_PRIOR = (*range(1, 101), 400)
"""The captions of Figures 5 name no priors: every whole number to well beyond where the order changes."""
PRIORS = Grid("P1: x = (5, 5, 5), ε = 4/5, prior (a, a, a); A3: x = (50, 50), ε = 1, prior (a, a)", a=EVERY_PRIOR)
A3_PRIORS = Grid("x = (50, 50), ε = 1, γ = 1, prior (a, a)", a=EVERY_PRIOR)


@check("fig.priors", grid=PRIORS.wider(a=(*range(1, 201), 400, 1000, 10000)), weight=6)
def priors(ctx: Context) -> Outcome:
    """Growing balanced priors: the Laplace baseline wins first, the exponential mechanism later (P1, A3 Fig. 5).

    P1's data have three cells: M_H^D, and its Laplace has scale 2/ε on k−1 cells (LSHist at k = 3). A3's baseline is
    LSDim at k = 2.
    """
    values = [point.a for point in ctx.grid]
    three = Series("a", Fraction(4, 5), {a: ((5, 5, 5), (Fraction(a),) * 3) for a in values})
    two = Series("a", Fraction(1), {a: ((50, 50), (Fraction(a),) * 2) for a in values})
    claimed: list[Batch] = []
    parts: list[Part] = []
    found = []
    for series, later, first in ((three, DIRICHLET, "LSHist"), (two, "MH", "LSDim")):
        turn = next((labels[0] for winner, _, labels in series.ahead(later, first) if winner == later), values[-1])
        claimed += [series.duel(a, *((first, later) if a < turn else (later, first))) for a in values]
        more, text = series.order(later, first)
        parts += more
        found.append(text)
    other, text = three.order("MHdelta", "LSHist")
    parts += other
    found.append(f"with S over all data sets, {text}")
    return scan(WINNER, claimed).having("; ".join(found) if proved(parts) else "", parts)


def fifty(values: Sequence[int], half: int = 50) -> Series:
    """A3's data (50, 50), or another half, with the priors (a, a)."""
    return Series("a", Fraction(1), {a: ((half, half), (Fraction(a),) * 2) for a in values})


@check("fig.priors.improved", grid=A3_PRIORS.wider(a=(*range(1, 201), 400, 1000, 10000)), weight=3)
def priors_improved(ctx: Context) -> Outcome:
    """A3 Figure 5: MH comes very close to LSHist as the balanced prior grows: the ratio of their errors tends to 1."""
    values = [point.a for point in ctx.grid]
    always = fifty(values).race("LSHist", "MH", values)
    where = f"the ratio is above its limit for a = {spelled(values)}"
    room = fifty(values).above_limit(values, 50).part(where)
    found = approaches(Fraction(1), {"x": (50, 50), "prior": "(a, a), a → ∞"}, 50)
    words = "; ".join(part.statement for part in (always, room) if proved([part]))
    return found.having("; ".join(filter(None, (found.finding, words))), [always, room])


SMALL = Grid("x = (50, 50), ε = 1, γ = 1, prior (a, a)", a=range(1, 11))


@check("fig.small-priors", grid=SMALL)
def small_priors(ctx: Context) -> Outcome:
    """Small prior parameters: MH beats the baseline, not the improved one (A3 §8, first conclusion)."""
    values = [point.a for point in ctx.grid]
    here, there = fifty(values), fifty(values, 150)
    parts = [
        here.race("LSDim", "MH", values),
        here.race("LSHist", "MH", values),
        *(there.race(*pair, values, "x = (150, 150): ") for pair in (("MH", "LSDim"), ("LSHist", "MH"))),
    ]
    claimed = [here.duel(a, *pair) for a in values for pair in (("MH", "LSDim"), ("LSHist", "MH"))]
    finding = "; ".join(part.statement for part in parts) if proved(parts) else ""
    return scan(WINNER, claimed).having(finding, parts)

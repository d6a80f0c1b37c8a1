"""The two sides of the k = 2 accuracy claims, and the scan that compares them case by case.

A case is a data set x = (a, n-a), an epsilon and a set lo..hi of near outputs; kappa counts the near outputs to the
right of x. A side is a number of a case with its formula in the case's numbers; sides that are polynomials in
q = e^(-eps) also give the polynomial, so that a tie is a polynomial identity (eps is rational: q is transcendental).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from re import sub

from flint import fmpq_poly

from dpaudit.claims import Batch, Grid, Outcome, Statement, Step, scan, show, step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Model
from dpaudit.utility.bounds import InPowers, InSteps, InTail, stated
from proofs_checks.accuracy.rows import (
    Q,
    Span,
    distances,
    evaluate,
    exponential_interval,
    laplace_interval,
    local_sensitivity,
    power,
    scale,
    separated,
    weight_sum,
)
from proofs_checks.setting.exact import decided

Prior = tuple[Fraction, ...]
Point = tuple[int, Prior, Fraction]
"""(n, prior, eps)."""

EQUAL_PRIORS = "for every equal prior (α, α)"
"""What a verdict on balanced data speaks of: with an unequal prior the posterior of balanced data is not balanced."""


def rationals(texts: str) -> list[Fraction]:
    """Returns the numbers of "1 1/2 2", in that order: the order of search."""
    return [Fraction(text) for text in texts.split()]


def priors(*texts: str) -> list[Prior]:
    """Returns the priors "1 1", "1/2 1/2", … in that order."""
    return [tuple(rationals(text)) for text in texts]


def points(grid: Grid, keep: Callable[[Prior], bool] = lambda prior: True) -> Iterator[Point]:
    """Yields (n, prior, eps) in the order of the grid, for the priors to be kept."""
    return ((point.n, point.prior, point.eps) for point in grid if keep(point.prior))


def equal(prior: Prior) -> bool:
    """Returns whether the prior is (alpha, alpha)."""
    return prior[0] == prior[1]


def unequal(prior: Prior) -> bool:
    """Returns whether the prior is not (alpha, alpha)."""
    return not equal(prior)


@dataclass(frozen=True)
class Near:
    """The near outputs by their first cell, lo..hi."""

    lo: int
    hi: int

    def __str__(self) -> str:
        return str(self.lo) if self.lo == self.hi else f"{self.lo}…{self.hi}"


@dataclass(frozen=True)
class Case:
    """One instance: model, epsilon, data set and near outputs."""

    model: Model
    eps: Fraction
    a: int
    near: Near

    @property
    def n(self) -> int:
        """Returns n."""
        return self.model.n

    @property
    def kappa(self) -> int:
        """Returns the number of near outputs to the right of x."""
        return self.near.hi - self.a

    @property
    def epsilon(self) -> Ball:
        """Returns a ball that contains epsilon."""
        return ball(self.eps)

    @property
    def local(self) -> Ball:
        """Returns a ball that contains LS(x)."""
        return local_sensitivity(self.model, self.a)

    @property
    def span(self) -> Span:
        """Returns (lo, hi)."""
        return self.near.lo, self.near.hi


@dataclass(frozen=True)
class Side:
    """A number of a case: its meaning, its value, the formula in the case's numbers, the polynomial if it is one.

    ``near_probability`` says that it is the probability of the near outputs: exactly 1 if all are near. ``form`` is
    the bound that the value is computed from; a proof for all n puts symbols into the same one.
    """

    meaning: str
    value: Callable[[Case], Ball]
    formula: Callable[[Case], str]
    poly: Callable[[Case], fmpq_poly] | None = None
    steps: Callable[[Case], list[Step]] = field(default=lambda case: [])
    near_probability: bool = False
    form: InPowers | InSteps | None = None


def from_form(words: str, form: InPowers | InSteps | InTail) -> Side:
    """Returns the side that the form gives; its words, with the case's κ and n, are its formula."""
    formula = partial(_in_numbers, words)
    if isinstance(form, InSteps):
        return Side(words, lambda case: form.of(case.kappa, case.n, case), formula, form=form)
    if isinstance(form, InTail) or form.scale != 1:
        raise TypeError("a bound on the tail, or of two noised cells, has no such cases")

    def poly(case: Case) -> fmpq_poly:
        found: fmpq_poly = form.of(Q, Q**case.kappa) + 0 * Q
        return found

    return Side(words, lambda case: evaluate(poly(case), power(case.eps)), formula, poly, form=form)


def _in_numbers(words: str, case: Case) -> str:
    """Returns the words with the case's κ and n in their place."""
    for letter, number in (("(κ+1)", case.kappa + 1), ("2κe", f"2·{case.kappa}·e"), ("2κ", f"2·{case.kappa}")):
        words = words.replace(letter, str(number))
    words = words.replace("κ", str(case.kappa)).replace("(n+1)", str(case.n + 1))
    words = sub(r"\bn\b", str(case.n), words)
    return f"{words}, ε = {case.eps}"


def _interval_words(case: Case) -> str:
    """Returns Pr[lo <= output <= hi] of LSHist as in the interval law: clipped ends drop their term."""
    terms = [f"½·e^(−{case.a - case.near.lo}ε)"] if case.near.lo > 0 else []
    terms += [f"½·e^(−{case.kappa + 1}ε)"] if case.near.hi < case.n else []
    return " − ".join(["1", *terms]) + f", ε = {case.eps}"


def _exponential(local: bool) -> Side:
    name, rate = ("EHDL", "2·LS(x)") if local else ("EHD", "2·GS₀")

    def steps(case: Case) -> list[Step]:
        inside = weight_sum(case.model, case.a, case.eps, local, *case.span)
        whole = weight_sum(case.model, case.a, case.eps, local, 0, case.n)
        base = [step("LS(x)", "larger of H(x, x±1)", local_sensitivity(case.model, case.a))] if local else []
        return [
            *base,
            step("rate", f"ε/({rate})", scale(case.model, case.a, case.eps, local)),
            step("near weights", f"Σ exp(−rate·H(x,r)), r = {case.near}", inside),
            step("all weights", f"the same sum, r = 0…{case.n}", whole),
        ]

    return Side(
        f"Pr[H < t] of {name}",
        lambda case: exponential_interval(case.model, case.a, case.eps, local, *case.span),
        lambda case: "near weights / all weights",
        steps=steps,
        near_probability=True,
    )


LSHIST = Side(
    "Pr[H < t] of LSHist",
    lambda case: evaluate(laplace_interval(case.n, case.a, *case.span), power(case.eps)),
    _interval_words,
    lambda case: laplace_interval(case.n, case.a, *case.span),
    near_probability=True,
)
EHD, EHDL = _exponential(False), _exponential(True)


# ------------------------------------------------------------------ the scan

Sets = Callable[[Model, int], Sequence[Span]]
Datasets = Callable[[int], Iterable[int]]


def every_x(n: int) -> Iterable[int]:
    """Returns the first cells of all data sets."""
    return range(n + 1)


def balanced_x(n: int) -> Iterable[int]:
    """Returns the first cell of the balanced data set, if n is even."""
    return [n // 2] if n % 2 == 0 else []


@dataclass(frozen=True)
class Comparison:
    """For every case (that meets the hypothesis): left relation right.

    ``sets`` gives the near outputs of a data set; ``hypothesis`` gives two numbers of which the first must be
    certainly smaller for the case to count.
    """

    left: Side
    relation: str
    right: Side
    data: Datasets = every_x
    sets: Sets = separated
    hypothesis: Callable[[Case], tuple[Ball, Ball]] | None = None
    hypothesis_words: str = ""
    closeness: str = "difference"
    start_bits: int = 128

    @property
    def statement(self) -> Statement:
        """Returns the statement in words."""
        return Statement(self.left.meaning, self.relation, self.right.meaning, self.closeness)

    def run(self, points: Iterable[Point], finding: str = "") -> Outcome:
        """Returns the outcome of the scan over the points, in their order."""
        return scan(self.statement, filter(None, map(self._batch, points)), finding)

    def _batch(self, point: Point) -> Batch | None:
        n, prior, eps = point
        cases = [case for case in self._cases(Model(n, prior), eps) if self._counts(case)]
        if not cases:
            return None
        by_tag = {self._tag(case): case for case in cases}
        return Batch(
            {"n": n, "prior": prior, "eps": eps},
            lambda: [(tag, self.left.value(case), self.right.value(case)) for tag, case in by_tag.items()],
            ("x", "kappa", "near"),
            lambda tag: self._tie(by_tag[tag]),
            lambda tag: self.steps(by_tag[tag]),
            self.start_bits,
        )

    @staticmethod
    def _tag(case: Case) -> tuple[tuple[int, int], int, Near]:
        return (case.a, case.n - case.a), case.kappa, case.near

    def _cases(self, model: Model, eps: Fraction) -> Iterator[Case]:
        for a in self.data(model.n):
            for lo, hi in self.sets(model, a):
                yield Case(model, eps, a, Near(lo, hi))

    def _counts(self, case: Case) -> bool:
        hypothesis = self.hypothesis
        if hypothesis is None:
            return True
        return decided(balls.decide(lambda: balls.less(*hypothesis(case)))[0])

    def _tie(self, case: Case) -> bool | None:
        if self.left.near_probability and self.right.near_probability and case.span == (0, case.n):
            return True
        if self.left.poly is None or self.right.poly is None:
            return None
        return bool(self.left.poly(case) == self.right.poly(case))

    def steps(self, case: Case) -> list[Step]:
        """Returns the case worked out: posterior, thresholds, both sides."""
        lines = [*setting_steps(case)]
        if self.hypothesis is not None:
            low, high = self.hypothesis(case)
            lines.append(step("hypothesis", self.hypothesis_words, f"{show(low)} < {show(high)}"))
        for side in (self.left, self.right):
            lines += [*side.steps(case), step(side.meaning, side.formula(case), side.value(case))]
        return lines


def setting_steps(case: Case) -> list[Step]:
    """Returns posterior, the distances around the threshold, and the near outputs."""
    row, (lo, hi) = distances(case.model, case.a), case.span
    alpha, beta = case.model.prior
    far = [r for r in (lo - 1, hi + 1) if 0 <= r <= case.n]
    lines = [step("posterior", "Beta(x + prior)", f"Beta({case.a + alpha}, {case.n - case.a + beta})")]
    edge = [f"H(x,{r}) = {show(row[r], 9)}" for r in sorted({lo, hi} - {case.a})]
    lines.append(step("farthest near outputs", "", ", ".join(edge) or "x itself, at distance 0"))
    if far:
        shown = ", ".join(f"H(x,{r}) = {show(row[r], 9)}" for r in far)
        lines.append(step("nearest others", "t is at most the smaller of", shown))
    lines.append(step("steps", "κ to the right; to the left", f"κ = {case.kappa}; {case.a - lo}"))
    return lines


def relabelled(side: Side, meaning: str) -> Side:
    """Returns the same side under another name."""
    return replace(side, meaning=meaning)


# ------------------------------------------------------------------ the documents' bounds

RELATIONS = {"≥": ">=", "≤": "<="}


def claimed(claim: str, mechanism: Side, data: Datasets = every_x, sets: Sets = separated) -> Comparison:
    """Returns the comparison that the claim states: the mechanism's probability against the documents' bound."""
    bound = stated(claim)
    closeness = "ratio" if isinstance(bound.form, InSteps) else "difference"
    relation = RELATIONS.get(bound.relation, bound.relation)
    return Comparison(mechanism, relation, from_form(bound.words, bound.form), data, sets, closeness=closeness)

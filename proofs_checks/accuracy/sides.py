"""The two sides of the k = 2 accuracy claims, and the scan that compares them case by case.

A case is a data set x = (a, n-a), an epsilon and a set lo..hi of near outputs; kappa counts the near outputs to the
right of x. A side is a number of a case with its formula in the case's numbers; sides that are polynomials in
q = e^(-eps) also give the polynomial, so that a tie is a polynomial identity (eps is rational: q is transcendental).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from re import sub
from typing import Any

from flint import fmpq_poly

from dpaudit.claims import Outcome, Point, Sides, Statement, Step, over, scan, show, step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.bounds import InPowers, InSteps, InTail, e_global
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
from proofs_checks.points import Prior, rationals
from proofs_checks.setting.exact import decided


def at(n: int, prior: str, eps: str) -> Point:
    """One point: at(2, "1 1", "1/2")."""
    return Point(n=n, prior=rationals(prior), eps=Fraction(eps))


def any_prior(prior: Prior) -> bool:
    """True."""
    return True


def equal(prior: Prior) -> bool:
    """Whether the prior is (alpha, alpha)."""
    return prior[0] == prior[1]


def unequal(prior: Prior) -> bool:
    """Whether the prior is not (alpha, alpha)."""
    return not equal(prior)


Tag = tuple[Span, int, str]
"""x, kappa and the near outputs."""


@dataclass(frozen=True)
class Case:
    """One instance: model, epsilon, data set and near outputs, by their first cell lo..hi."""

    model: Model
    eps: Fraction
    a: int
    lo: int
    hi: int

    @property
    def n(self) -> int:
        """n."""
        return self.model.n

    @property
    def kappa(self) -> int:
        """The number of near outputs to the right of x."""
        return self.hi - self.a

    @property
    def epsilon(self) -> Ball:
        """A ball that contains epsilon."""
        return ball(self.eps)

    @property
    def local(self) -> Ball:
        """A ball that contains LS(x)."""
        return local_sensitivity(self.model, self.a)

    @property
    def near(self) -> str:
        """The near outputs in words."""
        return str(self.lo) if self.lo == self.hi else f"{self.lo}…{self.hi}"

    @property
    def tag(self) -> Tag:
        """What tells the case from the others of its model and epsilon."""
        return (self.a, self.n - self.a), self.kappa, self.near


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
    """The side that the form gives; its words, with the case's κ and n, are its formula."""
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
    """The words with the case's κ and n in their place."""
    for letter, number in (("(κ+1)", case.kappa + 1), ("2κe", f"2·{case.kappa}·e"), ("2κ", f"2·{case.kappa}")):
        words = words.replace(letter, str(number))
    words = words.replace("κ", str(case.kappa)).replace("(n+1)", str(case.n + 1))
    words = sub(r"\bn\b", str(case.n), words)
    return words


def _interval_words(case: Case) -> str:
    """Pr[lo <= output <= hi] of LSHist as in the interval law: clipped ends drop their term."""
    terms = [f"½·e^(−{case.a - case.lo}ε)"] if case.lo > 0 else []
    terms += [f"½·e^(−{case.kappa + 1}ε)"] if case.hi < case.n else []
    return " − ".join(["1", *terms])


def _exponential(local: bool) -> Side:
    name, rate = ("EHDL", "2·LS(x)") if local else ("EHD", "2·GS₀")

    def steps(case: Case) -> list[Step]:
        inside = weight_sum(case.model, case.a, case.eps, local, case.lo, case.hi)
        whole = weight_sum(case.model, case.a, case.eps, local, 0, case.n)
        base = [step("LS(x)", "larger of H(x, x±1)", local_sensitivity(case.model, case.a))] if local else []
        return [
            *base,
            step("rate", f"ε/({rate})", scale(case.model, case.a, case.eps, local)),
            step("near weights", f"Σ exp(−rate·H(x,r)), r = {case.near}", inside if case.lo < case.hi else 1),
            step("all weights", f"the same sum, r = 0…{case.n}", whole),
        ]

    return Side(
        f"Pr[H < t] of {name}",
        lambda case: exponential_interval(case.model, case.a, case.eps, local, case.lo, case.hi),
        lambda case: "near weights / all weights",
        steps=steps,
        near_probability=True,
    )


LSHIST = Side(
    "Pr[H < t] of LSHist",
    lambda case: evaluate(laplace_interval(case.n, case.a, case.lo, case.hi), power(case.eps)),
    _interval_words,
    lambda case: laplace_interval(case.n, case.a, case.lo, case.hi),
    near_probability=True,
)
EHD, EHDL = _exponential(False), _exponential(True)


# ------------------------------------------------------------------ the scan

Sets = Callable[[Model, int], Sequence[Span]]
Datasets = Callable[[int], Iterable[int]]


def every_x(n: int) -> Iterable[int]:
    """The first cells of all data sets."""
    return range(n + 1)


def balanced_x(n: int) -> Iterable[int]:
    """The first cell of the balanced data set, if n is even."""
    return [n // 2] if n % 2 == 0 else []


@dataclass(frozen=True)
class Hypothesis:
    """Two expressions of kappa, n, q, K = q^kappa and u = e^(-eps/(2 GS_0)), of which the first must be smaller.

    Numbers give the hypothesis of a case; a proof puts symbols into the same expressions.
    """

    words: str
    sides: Callable[[Any, Any, Any, Any, Any], tuple[Any, Any]]

    def __call__(self, case: Case) -> tuple[Ball, Ball]:
        """Balls that contain both sides."""
        values = power(case.eps), power(case.eps, case.kappa), e_global(case)
        low, high = self.sides(case.kappa, case.n, *values)
        return ball(1) * low, ball(1) * high


@dataclass(frozen=True)
class Comparison:
    """For every case that meets the hypothesis: left relation right. ``sets`` gives the near outputs of a data set."""

    left: Side
    relation: str
    right: Side
    data: Datasets = every_x
    sets: Sets = separated
    hypothesis: Hypothesis | None = None
    closeness: str = "difference"
    threshold: str = "< t"
    """Which distances are near."""

    @property
    def statement(self) -> Statement:
        """The statement in words."""
        return Statement(self.left.meaning, self.relation, self.right.meaning, self.closeness)

    def run(self, points: Iterable[Point], keep: Callable[[Prior], bool] = any_prior, finding: str = "") -> Outcome:
        """The outcome of the scan over the points with a prior to be kept, in their order."""

        def sides(cases: dict[Tag, Case]) -> Sides:
            return [(tag, self.left.value(case), self.right.value(case)) for tag, case in cases.items()]

        def tie(cases: dict[Tag, Case], tag: Tag) -> bool | None:
            return self._tie(cases[tag])

        def steps(cases: dict[Tag, Case], tag: Tag) -> list[Step]:
            return self.steps(cases[tag])

        kept = (point for point in points if keep(point.prior))
        batches = over(kept, self._cases, sides, ("x", "kappa", "near"), tie, steps)
        return scan(self.statement, batches, finding)

    def _cases(self, point: Point) -> dict[Tag, Case]:
        model = Model(point.n, point.prior)
        cases = [Case(model, point.eps, a, *span) for a in self.data(model.n) for span in self.sets(model, a)]
        return {case.tag: case for case in cases if self._counts(case)}

    def _counts(self, case: Case) -> bool:
        hypothesis = self.hypothesis
        if hypothesis is None:
            return True
        return decided(balls.decide(lambda: balls.less(*hypothesis(case)))[0])

    def _tie(self, case: Case) -> bool | None:
        if self.left.near_probability and self.right.near_probability and (case.lo, case.hi) == (0, case.n):
            return True
        if self.left.poly is None or self.right.poly is None:
            return None
        return bool(self.left.poly(case) == self.right.poly(case))

    def steps(self, case: Case) -> list[Step]:
        """The case, step by step: posterior, thresholds, both sides."""
        lines = [*setting_steps(case, self.threshold)]
        if self.hypothesis is not None:
            low, high = self.hypothesis(case)
            lines.append(step("hypothesis", self.hypothesis.words, f"{show(low)} < {show(high)}"))
        for side in (self.left, self.right):
            formula = side.formula(case)
            lines += [*side.steps(case), step(side.meaning, formula * (formula != side.meaning), side.value(case))]
        return lines


def setting_steps(case: Case, threshold: str) -> list[Step]:
    """posterior, LS(x) if it is the threshold, the near outputs, and the distances around the threshold."""
    row, lo, hi = distances(case.model, case.a), case.lo, case.hi
    alpha, beta = case.model.prior
    lines = [step("posterior", "Beta(x + prior)", f"Beta({case.a + alpha}, {case.n - case.a + beta})")]
    if threshold != "< t":
        lines.append(step("LS(x)", "the largest H(x,x′) over the neighbors x′ of x", case.local))
    lines.append(step("near", f"the outputs r, by their first cell, with H(x,r) {threshold}", f"r = {case.near}"))
    edge = [f"H(x,{r}) = {show(row[r], 9)}" for r in sorted({lo, hi} - {case.a})]
    lines.append(step("farthest near outputs", "", ", ".join(edge) or "x itself, at distance 0"))
    far = [f"H(x,{r}) = {show(row[r], 9)}" for r in (lo - 1, hi + 1) if 0 <= r <= case.n]
    if far:
        lines.append(step("nearest other outputs", "", ", ".join(far)))
    if far and threshold == "< t":
        lines.append(step("t", "", "any number above the former and at most the least of the latter"))
    return [*lines, step("κ", "near outputs to the right of x", f"{case.kappa}; to the left {case.a - lo}")]

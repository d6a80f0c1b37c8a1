"""Proofs for all n, line by line: what a machine can check is checked exactly, the rest is marked "by hand".

A proof never decides alone: its claim is scanned on a grid first, and a counterexample there wins over any proof.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly, fmpq_poly

from dpaudit.mechanisms.closed_form import positive_on_unit_interval
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Model
from proofs_checks.accuracy_rows import HALF, ONE, Q, power
from proofs_checks.accuracy_sides import LSHIST, Case, Comparison, Near, Side
from proofs_checks.algebra import nonnegative_on_square, variables
from proofs_checks.outcome import BY_ALGEBRA, NOTHING, ON_GRID, Outcome, Part, Step
from proofs_checks.words import setting

BY_HAND = "by hand"
HOLDS = "checked exactly"
FAILS = "FAILS"
QQ, K = variables("q", "K")
"""q = e^(-eps) and K = q^kappa as independent symbols."""
ONE_SYMBOL = QQ**0


@dataclass
class Proof:
    """The lines of a proof, and the labels of those that were checked and failed; ``reach`` is what it establishes."""

    reach: str = BY_ALGEBRA
    lines: list[Step] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Returns whether no checked line failed."""
        return not self.failed

    def says(self, label: str, text: str) -> Proof:
        """Adds a line of reasoning that no machine checks."""
        self.lines.append(Step(label, "", f"{text}  [{BY_HAND}]"))
        return self

    def checks(self, label: str, formula: str, holds: bool, how: str = HOLDS) -> Proof:
        """Adds a line that was decided exactly."""
        self.lines.append(Step(label, "", f"{formula}  [{how if holds else FAILS}]"))
        if not holds:
            self.failed.append(label)
        return self

    def equal(self, label: str, formula: str, left: object, right: object) -> Proof:
        """Adds an identity of polynomials or rationals."""
        return self.checks(label, formula, bool(left == right), "identity, checked exactly")

    def positive(self, label: str, formula: str, poly: fmpq_poly) -> Proof:
        """Adds poly > 0 on 0 < q < 1, proved by Bernstein coefficients."""
        return self.checks(label, formula, positive_on_unit_interval(poly), "proved by Bernstein coefficients")

    def nonnegative(self, label: str, formula: str, poly: fmpq_poly | fmpq_mpoly) -> Proof:
        """Adds poly >= 0 for arguments >= 0: it has no negative coefficient."""
        coefficients = poly.coeffs()
        return self.checks(label, formula, all(c >= 0 for c in coefficients), "no negative coefficient")

    def on_square(self, label: str, formula: str, poly: fmpq_mpoly) -> Proof:
        """Adds poly(q, K) >= 0 on 0 <= q, K <= 1, proved by Bernstein coefficients."""
        return self.checks(label, formula, nonnegative_on_square(poly), "proved by Bernstein coefficients")

    def certified(self, label: str, formula: str, left: Ball, right: Ball) -> Proof:
        """Adds left < right, decided by balls."""
        return self.checks(label, formula, balls.less(left, right) is Verdict.PROVED, "certified by balls")

    def using(self, *lemmas: Proof) -> Proof:
        """Adds the lines of the lemmas."""
        for lemma in lemmas:
            self.lines += [line for line in lemma.lines if line not in self.lines]
            self.failed += lemma.failed
        return self

    def settle(self, scanned: Outcome, far: Outcome | None = None) -> Outcome:
        """Returns the scan's outcome if it found a counterexample or if the proof fails, else PROVED for all n.

        ``far`` is a scan of single rows far out: a counterexample there wins as well.
        """
        if scanned.verdict is not Verdict.PROVED:
            return scanned
        if far is not None:
            if far.verdict is not Verdict.PROVED:
                return far
            at = f"tightest of them: {setting(far.tightest)}" if far.tightest else ""
            self.checks("besides, single rows far out", at, far.verdict is Verdict.PROVED, "decided exactly")
        if not self.holds:
            return replace(scanned, steps=tuple(self.lines), finding=f"the algebra fails at: {'; '.join(self.failed)}")
        return Outcome(Verdict.PROVED, BY_ALGEBRA, tightest=scanned.tightest, steps=tuple(self.lines))

    def part(self, statement: str) -> Part:
        """Returns the proved statement as a part of another outcome; UNDECIDED if a line fails."""
        verdict = Verdict.PROVED if self.holds else Verdict.UNDECIDED
        return Part(statement, verdict, self.reach if self.holds else NOTHING, steps=tuple(self.lines))


def annotate(outcome: Outcome, *entries: tuple[str, Outcome | Proof]) -> Outcome:
    """Returns the outcome with further statements as its parts, each with the verdict that was computed for it.

    The finding, the one line that a reader sees first, lists them; the lines of a proof are the steps of its part.
    """
    parts, remarks = [], [outcome.finding] if outcome.finding else []
    for statement, thing in entries:
        found = thing.part(statement)
        parts.append(found)
        remarks.append(f"{statement}: {found.verdict.value}{_reach(found)}")
    return outcome.having("; ".join(remarks), parts)


def _reach(found: Part) -> str:
    """Returns where a part fails, or how far it reaches, in few words."""
    if found.verdict is Verdict.REFUTED and found.instance is not None:
        return f" at {setting(found.instance)}"
    if found.establishes == ON_GRID:
        return " on its grid only" if found.instance else ", certified row by row"
    return " by algebra" if found.establishes == BY_ALGEBRA else ""


def states(comparison: Comparison, relations: Iterable[str], balanced: bool) -> Proof:
    """Returns a proof whose first line checks that it speaks of the statement: its relation and its data sets."""
    data = [list(comparison.data(n)) == ([n // 2] if balanced else list(range(n + 1))) for n in (2, 4, 6)]
    return (
        Proof()
        .checks(
            "what is to be shown, taken from the statement",
            f"{comparison.left.meaning} {comparison.relation} {comparison.right.meaning}, "
            + ("x = (n/2, n/2)" if balanced else "every x"),
            comparison.relation in set(relations) and all(data) and comparison.hypothesis is None,
            "relation and data sets are the statement's own",
        )
        .checks(
            "the bound of the lines below is the bound of the statement",
            comparison.left.meaning if comparison.left.quotient else comparison.right.meaning,
            _formulas_agree(comparison),
            "its value compared at 256 bits, n = 2, 40, 400",
        )
    )


def _formulas_agree(comparison: Comparison) -> bool:
    """Returns whether the value of a side is that of its formula, on a few cases."""
    prior = Fraction(1), Fraction(1)
    with balls.precision(256):
        for n, kappa, eps in ((2, 0, Fraction(1)), (40, 3, Fraction(1, 4)), (400, 17, Fraction(2))):
            case = Case(Model(n, prior), eps, n // 2, Near(n // 2 - kappa, n // 2 + kappa))
            q = power(eps)
            for side in (comparison.left, comparison.right):
                if side.law is not None and not balls.overlap(side.law(q, q**kappa), side.value(case)):
                    return False
                if side.quotient is not None and not balls.overlap(side.quotient.value(case), side.value(case)):
                    return False
    return True


# ------------------------------------------------------------------ lemmas


def gamma_lemma() -> Proof:
    """Proves z - 1/4 < g(z) < z for g(z) = (Gamma(z + 1/2) / Gamma(z))^2, z > 0."""
    z, quarter = Q, fmpq(1, 4)
    shifted = (z + HALF) ** 2
    proof = Proof().says("g(z) = (Γ(z+½)/Γ(z))²", "g(z+1)/g(z) = ((z+½)/z)²; g(z)/z → 1 as z → ∞ (Stirling)")
    proof.equal("g(z)/z rises to 1: g(z) < z", "(z+½)² − z(z+1) = ¼ > 0", shifted - z * (z + 1), ONE * quarter)
    return proof.equal(
        "g(z)/(z−¼) falls to 1: g(z) > z−¼",
        "(z+½)²(z−¼) − z²(z+¾) = −1/16 < 0",
        shifted * (z - quarter) - z**2 * (z + 3 * quarter),
        ONE * fmpq(-1, 16),
    )


def _g(z: Fraction) -> Ball:
    return (ball(z + Fraction(1, 2)).gamma() / ball(z).gamma()) ** 2


def _step_formula_agrees() -> bool:
    """Returns whether the engine's BC agrees with the step formula of ``arms_lemma`` on a few models."""
    with balls.precision(256):
        for model in (Model(4, (Fraction(1), Fraction(1))), Model(5, (Fraction(1, 3), Fraction(2)))):
            h, n = Hellinger(model), model.n
            for a in range(n):
                big_a, big_b = a + model.prior[0], n - a + model.prior[1]
                for j in range(n - a):
                    ratio = h.bc((a, n - a), (a + j + 1, n - a - j - 1)) / h.bc((a, n - a), (a + j, n - a - j))
                    left = _g(big_a + Fraction(j, 2)) / ball(big_a + j)
                    right = ball(big_b - j - 1) / _g(big_b - Fraction(j + 1, 2))
                    if not balls.overlap(ratio**2, left * right):
                        return False
    return True


def arms_lemma() -> Proof:
    """Proves that H(x, r) rises strictly with every step away from x, for every n, x and prior (k = 2)."""
    j = Q
    proof = (
        Proof()
        .using(gamma_lemma())
        .checks(
            "one step to the right, A = a+α₁, B = n−a+α₂",
            "(BC(x,a+j+1)/BC(x,a+j))² = [g(A+j/2)/(A+j)]·[(B−j−1)/g(B−(j+1)/2)]",
            _step_formula_agrees(),
            "for all n by hand: Γ(z+1) = zΓ(z); compared with the engine at 256 bits, n = 4, 5",
        )
    )
    proof.nonnegative("first factor < 1: g(A+j/2) < A+j/2 ≤ A+j", "(A+j) − (A+j/2) = j/2 ≥ 0", j - HALF * j)
    proof.nonnegative(
        "second factor < 1: g(B−(j+1)/2) > B−j/2−¾ ≥ B−j−1",
        "(B−j/2−¾) − (B−j−1) = j/2+¼ ≥ 0",
        -HALF * j - fmpq(3, 4) + j + 1,
    )
    return proof.says("so the near outputs are an interval around x", "to the left: the same with the cells swapped")


def interval_value(left: Any, right: Any) -> Any:
    """Returns LSHist's Pr[lo <= output <= hi] from q^(a-lo) and q^(hi+1-a); an end that is clipped gives 0 instead."""
    return 1 - HALF * left - HALF * right


def interval_lemma(side: Side = LSHIST) -> Proof:
    """Proves LSHist's law on an interval, clipped ends included; ``side`` is the probability in the statement."""
    model = {n: Model(n, (Fraction(1), Fraction(1))) for n in range(1, 9)}
    agree = side.poly is not None and all(
        side.poly(Case(model[n], Fraction(1), a, Near(lo, hi)))
        == interval_value(Q ** (a - lo) if lo else 0 * ONE, Q ** (hi + 1 - a) if hi < n else 0 * ONE)
        for n in range(1, 9)
        for a in range(n + 1)
        for lo in range(a + 1)
        for hi in range(a, n + 1)
    )
    return Proof().checks(
        "interval law of LSHist",
        "Pr[lo ≤ output ≤ hi] = 1 − ½q^(a−lo)·[lo > 0] − ½q^(hi+1−a)·[hi < n], q = e^(−ε), lo ≤ a ≤ hi",
        agree,
        "for all n by hand: Laplace distribution function at lo, hi+1; for n ≤ 8 checked exactly against the cell law",
    )


def symmetry_lemma() -> Proof:
    """Proves that with an equal prior the balanced data set has as many near outputs on either side."""
    agree = all(
        bc_squared(Model(n, (alpha, alpha)), (n // 2, n // 2), (n // 2 + j, n // 2 - j))
        == bc_squared(Model(n, (alpha, alpha)), (n // 2, n // 2), (n // 2 - j, n // 2 + j))
        for alpha in (Fraction(1), Fraction(1, 3), Fraction(5, 2))
        for n in (2, 4, 6)
        for j in range(n // 2 + 1)
    )
    return Proof().checks(
        "equal prior, x = (n/2, n/2)",
        "H(x, n/2+j) = H(x, n/2−j): swapping the cells fixes x; so the near outputs are n/2−κ … n/2+κ, κ < n/2",
        agree,
        "for all n by hand: symmetry of BC; BC² compared exactly for n = 2, 4, 6",
    )

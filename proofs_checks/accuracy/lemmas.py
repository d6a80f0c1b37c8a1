"""Lemmas of the accuracy claims, for all n."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq

from dpaudit.claims import Proof, variables
from dpaudit.numbers import balls
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.bounds import HALF, InPowers, InSteps
from proofs_checks.accuracy.rows import ONE, Q, power
from proofs_checks.accuracy.sides import LSHIST, Case, Comparison, Side
from proofs_checks.setting.lemmas import farther_lemma

QQ, K = variables("q", "K")
"""q = e^(-eps) and K = q^kappa as independent symbols."""


def states(comparison: Comparison, relation: str, balanced: bool) -> Proof:
    """A proof that speaks of the statement: the relation to be shown, its data sets, its bound's formula."""
    data = [list(comparison.data(n)) == ([n // 2] if balanced else list(range(n + 1))) for n in (2, 4, 6)]
    proof = Proof().concludes(comparison.statement, relation)
    proof.requires("the data sets of the statement", all(data) and comparison.hypothesis is None)
    return proof.requires("the bound of the statement", _formula_agrees(comparison.right))


def _formula_agrees(side: Side) -> bool:
    """Whether the value of the side is that of its form, on a few cases."""
    prior, form = (Fraction(1), Fraction(1)), side.form
    with balls.precision(256):
        for n, kappa, eps in ((2, 0, Fraction(1)), (40, 3, Fraction(1, 4)), (400, 17, Fraction(2))):
            case, q = Case(Model(n, prior), eps, n // 2, n // 2 - kappa, n // 2 + kappa), power(eps)
            if isinstance(form, InSteps) and not balls.overlap(form.of(kappa, n, case), side.value(case)):
                return False
            if isinstance(form, InPowers) and not balls.overlap(form.of(q, q**kappa) + 0 * q, side.value(case)):
                return False
    return True


def in_symbols(side: Side) -> Any:
    """The side as a polynomial in q and K; -1, which no probability is, if it has no such form."""
    return side.form.of(QQ, K) + 0 * QQ if isinstance(side.form, InPowers) else -(QQ**0)


def gamma_lemma() -> Proof:
    """Proves z - 1/4 < G(z) < z for G(z) = (Gamma(z + 1/2) / Gamma(z))^2, z > 0."""
    z, quarter = Q, fmpq(1, 4)
    shifted = (z + HALF) ** 2
    proof = Proof().says("G(z) = (Γ(z+½)/Γ(z))²", "G(z+1)/G(z) = ((z+½)/z)²; G(z)/z → 1 as z → ∞ (Stirling)")
    proof.equal("G(z)/z rises to 1: G(z) < z", "(z+½)² − z(z+1) = ¼ > 0", shifted - z * (z + 1), ONE * quarter)
    return proof.equal(
        "G(z)/(z−¼) falls to 1: G(z) > z−¼",
        "(z+½)²(z−¼) − z²(z+¾) = −1/16 < 0",
        shifted * (z - quarter) - z**2 * (z + 3 * quarter),
        ONE * fmpq(-1, 16),
    )


def arms_lemma() -> Proof:
    """Proves that H(x, r) rises strictly with every step away from x, for every n, x and prior (k = 2)."""
    return farther_lemma().says(
        "so the near outputs are an interval around x", "k = 2: a step to either side moves one cell up, the other down"
    )


def interval_value(left: Any, right: Any) -> Any:
    """LSHist's Pr[lo <= output <= hi] from q^(a-lo) and q^(hi+1-a); an end that is clipped gives 0 instead."""
    return 1 - HALF * left - HALF * right


def interval_lemma(side: Side = LSHIST) -> Proof:
    """Proves LSHist's law on an interval, clipped ends included; ``side`` is the probability in the statement."""
    model = {n: Model(n, (Fraction(1), Fraction(1))) for n in range(1, 9)}
    agree = side.poly is not None and all(
        side.poly(Case(model[n], Fraction(1), a, lo, hi))
        == interval_value(Q ** (a - lo) if lo else 0 * ONE, Q ** (hi + 1 - a) if hi < n else 0 * ONE)
        for n in range(1, 9)
        for a in range(n + 1)
        for lo in range(a + 1)
        for hi in range(a, n + 1)
    )
    return Proof().cases(
        "interval law of LSHist, the Laplace distribution function at lo and hi+1",
        "Pr[lo ≤ output ≤ hi] = 1 − ½q^(a−lo)·[lo > 0] − ½q^(hi+1−a)·[hi < n], q = e^(−ε), lo ≤ a ≤ hi",
        "n ≤ 8, exactly; for all n by hand",
        agree,
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
    return Proof().cases(
        "equal prior, x = (n/2, n/2)",
        "H(x, n/2+j) = H(x, n/2−j): swapping the cells fixes x; so the near outputs are n/2−κ … n/2+κ, κ < n/2",
        "BC² for n = 2, 4, 6, exactly; for all n by hand",
        agree,
    )

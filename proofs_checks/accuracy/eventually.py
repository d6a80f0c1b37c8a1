"""EHD's printed upper bound on balanced data fails for EVERY even n from some n on: a proof for a given ε and prior.

At κ = 0 the bound 1/Z < 1/(n·e^(−ε)) fails exactly where Z ≤ n·e^(−ε), Z = Σ_r e^(−cεH(x,r)), c = 1/(2GS₀). With
A = n/2 + α, the parameter of either cell, BC(x, x±j) ≤ e^(−j²/(4A)), so that
    Z ≤ 1 + n·e^(−cε) + 4√A·I,  I = ∫₀^∞ (e^(−cε√(1−e^(−u²))) − e^(−cε)) du,
and n·e^(−ε) outgrows this, since c > 1. Above a computed n that is a theorem; the rows below it are a finite check.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from dpaudit.claims import Part, Proof, coefficients_positive, variables
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import at_most
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from proofs_checks.accuracy.far import BITS, Rows

CUT, PIECES = 5, 500
"""The integral is bounded by left sums with this many pieces per unit up to CUT, and by a tail from there on."""


def rate(eps: Fraction) -> Ball:
    """cε, c = 1/(2GS₀)."""
    return ball(eps) / (2 * gs_constant())


def integral(eps: Fraction) -> Ball:
    """A number that is certainly ≥ I(ε).

    The integrand falls with u, so a left sum is an upper bound. Beyond CUT: with v = e^(−u²), √(1−v) ≥ 1 − v, so it is
    at most e^(−cε)(e^(cεv) − 1) ≤ cε·v, as v ≤ 1; and ∫ e^(−u²) from CUT on is at most e^(−CUT²)/(2·CUT).
    """
    c = rate(eps)
    floor = (-c).exp()
    values = [
        (-c * (1 - (-ball(Fraction(i * i, PIECES * PIECES))).exp()).sqrt()).exp() - floor for i in range(CUT * PIECES)
    ]
    return balls.upper(balls.total(values) / PIECES + c * (-ball(CUT * CUT)).exp() / (2 * CUT))


@dataclass(frozen=True)
class Eventually:
    """The proof for one ε and prior (α, α). ``start`` is an even n from which the bound on Z is enough."""

    eps: Fraction
    alpha: Fraction
    area: Ball
    start: int

    @classmethod
    def make(cls, eps: Fraction, alpha: Fraction) -> Eventually:
        """The proof with the least such n: floating point proposes it, the lines of the proof decide."""
        area = integral(eps)
        gain, size = float(ball(-eps).exp() - (-rate(eps)).exp()), float(area)
        root = (size + sqrt(size * size + gain * (gain * float(alpha) + 0.5))) / gain
        return cls(eps, alpha, area, 2 * (int(root * root - float(alpha)) + 2))

    def gain(self) -> Ball:
        """e^(−ε) − e^(−cε)."""
        return ball(-self.eps).exp() - (-rate(self.eps)).exp()

    def most(self, n: int) -> Ball:
        """The bound on Z, 1 + n·e^(−cε) + 4√A·I."""
        return 1 + n * (-rate(self.eps)).exp() + 4 * self.root(n) * self.area

    def excess(self) -> Ball:
        """n·e^(−ε) minus the bound on Z, at n = start."""
        return self.start * ball(-self.eps).exp() - self.most(self.start)

    def slope(self) -> Ball:
        """What has the sign of its derivative in n there, √A·(e^(−ε) − e^(−cε)) − I; it rises with n."""
        return self.root(self.start) * self.gain() - self.area

    def root(self, n: int) -> Ball:
        """√A, A = n/2 + α."""
        return ball(n // 2 + self.alpha).sqrt()

    def bounds_rows(self) -> bool:
        """Whether the engine's Z is below the bound on a few rows."""
        with balls.precision(BITS):
            rows = Rows(self.alpha, self.start)
            sums = {n: (self.value(rows, n) + n) * ball(-self.eps).exp() for n in (2, 20, 200, self.start)}
            return all(balls.certainly_less(found, self.most(n)) for n, found in sums.items())

    def first(self) -> int:
        """The least n₀ such that D = e^ε·Z − n is certainly < 0 at every even n from n₀ to start."""
        found = self.start
        with balls.precision(BITS):
            rows = Rows(self.alpha, self.start)
            while found > 2 and balls.certainly_less(self.value(rows, found - 2), balls.zero()):
                found -= 2
        return found

    def holds(self, sizes: range) -> bool:
        """True only if D > 0 at every one of these n: there the bound holds for every κ."""
        with balls.precision(BITS):
            rows = Rows(self.alpha, self.start)
            return all(balls.certainly_less(balls.zero(), self.value(rows, n)) for n in sizes)

    def value(self, rows: Rows, n: int) -> Ball:
        """A ball that contains D(ε) = e^ε·Z − n of the balanced row of n."""
        at = ball(self.eps)
        return at.exp() + 2 * balls.total([(at * e).exp() for e in rows.exponents(n)]) - n

    def part(self, known: int) -> Part:
        """The proved statement: from which n on it fails, and that it holds below; D > 0 for even n < known."""
        first, zero = self.first(), balls.zero
        proof = Proof().says("as for every ε", "Z ≤ 1 + n·e^(−cε) + 4√A·I, and it fails where that is ≤ n·e^(−ε)")
        proof.requires("the bound on Z", not sum_lemma().obstacle)
        which = f"n = 2, 20, 200 and {self.start}"
        proof.cases("the engine's Z", "is below that bound", which, self.bounds_rows)
        text = f"n·(e^(−ε) − e^(−cε)) − 1 − 4√A·I > 0, I ≤ {at_most(balls.ends(self.area)[1])} by left sums"
        proof.less(f"n = {self.start}", text, zero, self.excess)
        text = "its derivative has the sign of √A·(e^(−ε) − e^(−cε)) − I > 0, which rises with n"
        proof.less(f"every n ≥ {self.start}", text, zero, self.slope)
        which = f"even n = {first}…{self.start}, certified by balls row by row"
        proof.cases("below that", "e^ε·Z < n, so it fails there too", which, first <= self.start)
        which = f"even n = {known}…{first - 2}, certified by balls row by row; smaller ones for every ε at once"
        proof.cases("before", "e^ε·Z > n, so it holds for every κ", which, lambda: self.holds(range(known, first, 2)))
        words = f"prior ({self.alpha}, {self.alpha}), ε = {self.eps}"
        return proof.part(f"{words}: it fails at every even n ≥ {first} and at none below")


def always_part() -> Part:
    """The proved statement for every ε and every equal prior, without a number."""
    proof = sum_lemma().less("c > 1", "as 2·GS₀ < 1: so e^(−ε) > e^(−cε)", lambda: 2 * gs_constant(), lambda: ball(1))
    proof.says(
        "so", "n·(e^(−ε) − e^(−cε)) grows like n, 1 + 4√A·I like √n: it fails for every even n that is large enough"
    )
    return proof.part("every ε > 0 and every equal prior: it fails for every even n from some n on")


LEMMA_CASES = ((2, Fraction(1)), (10, Fraction(1, 100)), (60, Fraction(1)), (200, Fraction(10)))


def exponent(j: int, a: Fraction) -> Fraction:
    """j²/(4A), the exponent of the Gaussian bound."""
    return Fraction(j * j) / (4 * a)


def engine_below_gaussian() -> bool:
    """Whether the engine's BC(x, x+j) ≤ e^(−j²/(4A)) for every j of a few balanced rows."""
    with balls.precision(BITS):
        for n, alpha in LEMMA_CASES:
            h, m = Hellinger(Model(n, (alpha, alpha))), n // 2
            for j in range(1, m + 1):
                bound = (-ball(exponent(j, m + alpha))).exp()
                if not balls.certainly_less(h.bc((m, m), (m + j, m - j)), bound):
                    return False
    return True


def gaussian_lemma() -> Proof:
    """Returns: BC(x, x±j) ≤ e^(−j²/(4A)) for balanced data and an equal prior, A = n/2 + α."""
    z, j, inverse = variables("z", "j", "inverse")
    proof = Proof().says("F(t) = ln Γ(A+t) + ln Γ(A−t)", "ln BC(x, x±j) = F(j/2) − ½F(0) − ½F(j)")
    proof.knows("ψ′", "F″(t) = ψ′(A+t) + ψ′(A−t) ≥ 2ψ′(A), as ψ′(z) = Σ 1/(z+k)² is convex")
    text = "1/z² > 1/(z(z+1)) = 1/z − 1/(z+1), which telescopes: z(z+1) − z² = z > 0"
    proof.holds("ψ′(z) > 1/z", text, coefficients_positive(z * (z + 1) - z**2) and (z + 1) - z == z**0)
    proof.says("midpoint", "F″ ≥ 2/A gives F(j/2) ≤ ½F(0) + ½F(j) − ½·(2/A)·(j/2)²")
    proof.equal("which is", "−j²/(4A), i for 1/A", -(2 * inverse) * (j / 2) ** 2 / 2, -(j**2) * inverse / 4)
    which = "every j of n = 2, 10, 60, 200, four priors"
    return proof.cases("the engine's BC", "is ≤ e^(−j²/(4A))", which, engine_below_gaussian)


def sum_lemma() -> Proof:
    """Returns: Z ≤ 1 + n·e^(−cε) + 4√A·I on balanced data, for every n, ε and equal prior."""
    proof = gaussian_lemma().says("κ = 0", "1/Z < 1/(n·e^(−ε)) fails exactly where Z ≤ n·e^(−ε), Z = Σ e^(−cεH)")
    proof.says("the sum", "e^(−cε√(1−e^(−u²))) falls with u = j/(2√A): over j ≥ 1 it exceeds e^(−cε) by ≤ 2√A·I in all")
    return proof.says("so", "Z ≤ 1 + n·e^(−cε) + 4√A·I with I the integral of that excess, which is finite")

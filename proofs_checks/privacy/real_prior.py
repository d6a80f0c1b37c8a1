"""An exact tie that no rational prior shows: a data set with two candidates equally far, for an algebraic prior.

k = 2, prior (α, β), x ones among n records, A = α + x, B = β + n − x. For i + j = 2m the Gamma functions cancel:
    BC²(x, x−i) / BC²(x, x+j) = (A−i)_2m · ((B−j/2)_m)² / (((A−i/2)_m)² · (B−j)_2m),
(a)_m the rising factorial. So x−i and x+j are equally far from x exactly where a polynomial in α with rational
coefficients is 0. A change of its sign between two rationals shows that there is such a real α between them; every
number that is computed from a ball around both holds for that α.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from flint import fmpq, fmpq_poly, fmpz_poly

from dpaudit.claims import Part, Proof, Step, step
from dpaudit.claims.batches import Batch, single
from dpaudit.claims.shown import brief, listed
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.enclosure import exact, outward
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import make_model
from proofs_checks.setting.exact import decided

HALF = Fraction(1, 2)
DISTANCE = "BC = Γ(α+(x+r)/2)·Γ(β+n−(x+r)/2)/√(Γ(α+x)·Γ(β+n−x)·Γ(α+r)·Γ(β+n−r))"
GUARD = 32
"""The additional bits beyond the working precision that are computed of the root."""


def rising(a: Any, m: int) -> Any:
    """(a)_m = a(a+1)…(a+m−1); numbers or polynomials."""
    return prod(a + i for i in range(m))


@dataclass(frozen=True)
class Tie:
    """x−i and x+j, equally far from x for a prior (α, β) with α between ``low`` and ``high``."""

    n: int
    x: int
    i: int
    j: int
    second: Fraction
    low: Fraction
    high: Fraction

    def sides(self, alpha: Any) -> tuple[Any, Any]:
        """Two numbers whose quotient is BC²(x, x−i) / BC²(x, x+j); α is a rational or a symbol."""
        m, a, b = (self.i + self.j) // 2, alpha + self.x, self.second + self.n - self.x
        left = rising(a - self.i, 2 * m) * _exact(rising(b - self.j * HALF, m) ** 2)
        return left, rising(a - _exact(self.i * HALF), m) ** 2 * _exact(rising(b - self.j, 2 * m))

    def polynomial(self) -> fmpq_poly:
        """The polynomial in α that is 0 exactly at a tie."""
        left, right = self.sides(fmpq_poly([0, 1]))
        found: fmpq_poly = left - right
        return found

    def agrees(self) -> bool:
        """Whether ``sides`` have the quotient of the engine's exact BC², at the two rational ends."""
        for alpha in (self.low, self.high):
            model = make_model(self.n, prior=(alpha, self.second))
            x, down, up = ((c, self.n - c) for c in (self.x, self.x - self.i, self.x + self.j))
            near, far = bc_squared(model, x, down), bc_squared(model, x, up)
            left, right = self.sides(_exact(alpha))
            if near.constants != far.constants or near.rational * right != far.rational * left:
                return False
        return True

    def signs(self) -> str:
        """The polynomial's values at both rational ends, in decimals."""
        values = (self.polynomial()(_exact(alpha)) for alpha in (self.low, self.high))
        return ", ".join(brief(exact(Fraction(int(value.p), int(value.q)), 12)) for value in values)

    def root(self) -> Ball:
        """A ball that contains an α at which the tie is exact, by bisection with exact signs."""
        poly, low, high = self.polynomial(), _exact(self.low), _exact(self.high)
        rising_there = poly(high) > 0
        if not poly(low) * poly(high) < 0:
            raise ArithmeticError("no change of sign")
        for _ in range(balls.working_bits() + GUARD):
            middle = (low + high) / 2
            low, high = (low, middle) if (poly(middle) > 0) == rising_there else (middle, high)
        return balls.from_ends(Ball(low), Ball(high))


MOST_I, MOST_J, MOST_PART, AHEAD = 3, 7, 4, 4
"""Rational ties are searched for i ≤ MOST_I, j ≤ MOST_J and j < B ≤ j + AHEAD with denominators up to MOST_PART."""


def rational_roots(i: int, j: int, b: Fraction) -> list[Fraction]:
    """Every rational A > i that ties x−i with x+j at B = b, by factoring; i + j even."""
    poly = Tie(j, 0, i, j, b - j, Fraction(0), Fraction(0)).polynomial()
    whole = fmpz_poly([int(c) for c in (poly * poly.denom()).coeffs()])
    linear = [factor for factor, _ in whole.factor()[1] if factor.degree() == 1]
    return [a for a in (Fraction(-int(factor[0]), int(factor[1])) for factor in linear) if a > i]


def rational_ties() -> list[tuple[int, int, Fraction, Fraction]]:
    """Every rational tie (i, j, A, B), i ≠ j, within the bounds above."""
    found = []
    for i, j in product(range(1, MOST_I + 1), range(1, MOST_J + 1)):
        if i != j and (i + j) % 2 == 0:
            ratios = {Fraction(p, q) for q in range(1, MOST_PART + 1) for p in range(j * q + 1, (j + AHEAD) * q + 1)}
            found += [(i, j, a, b) for b in sorted(ratios) for a in rational_roots(i, j, b)]
    return found


def no_rational_tie() -> Part:
    """As a part: none of these polynomials has a rational root that a prior could be."""
    proof = Proof().says(
        "a tie of x−i and x+j, i + j even",
        "is a root A = α + x > i of a polynomial whose coefficients are rational in B",
    )
    which = (
        f"i ≤ {MOST_I}, j ≤ {MOST_J}, i ≠ j, B = β + n − x ≤ j + {AHEAD} with denominators ≤ {MOST_PART}; every n, x, α"
    )
    proof.cases(
        "factored over the rationals",
        "no such polynomial has a rational root A > i",
        which,
        lambda: not rational_ties(),
    )
    return proof.on_cases("rational priors: no tie of x−i and x+j, i ≠ j, for small i, j and denominators")


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


class RealRow:
    """The data set of a tie under MHdelta's law: distances, S_exp(x) and weights as balls around the real prior."""

    def __init__(self, tie: Tie, eps: Fraction, delta: Fraction) -> None:
        self.tie, self.eps, self.delta = tie, eps, delta
        self.alpha = tie.root()
        self.gamma = MHdelta(make_model(tie.n), eps, delta).gamma()
        self.local = [
            balls.maximum([self.between(y, z) for z in (y - 1, y + 1) if 0 <= z <= tie.n]) for y in range(tie.n + 1)
        ]
        smooth = [value * (-self.gamma * abs(tie.x - y)).exp() for y, value in enumerate(self.local)]
        self.sensitivity, self.source = balls.maximum(smooth), balls.argsort(smooth)[-1]
        self.distances = [self.between(tie.x, r) for r in range(tie.n + 1)]
        self.rate = ball(eps / 2) / self.sensitivity
        self.weights = [(-self.rate * value).exp() for value in self.distances]
        self.normaliser = balls.total(self.weights)

    def between(self, y: int, z: int) -> Ball:
        """A ball that contains H of the data sets with y and z ones; exactly 0 if y = z."""
        if y == z:
            return balls.zero()
        first, second = self._cell(self.alpha, y, z), self._cell(ball(self.tie.second), self.tie.n - y, self.tie.n - z)
        return (1 - first * second).sqrt()

    def _cell(self, prior: Ball, s: int, t: int) -> Ball:
        """Γ(c + (s+t)/2)/√(Γ(c+s)Γ(c+t)) at c = prior."""
        top = (prior + ball(Fraction(s + t, 2))).gamma()
        return top / ((prior + s).gamma() * (prior + t).gamma()).sqrt()

    def alone(self, r: int) -> bool:
        """Whether no other candidate is as far from x as r; where balls cannot tell it is an error."""
        others = [value for s, value in enumerate(self.distances) if s != r]
        if any(balls.overlap(value, self.distances[r]) for value in others):
            raise balls.PrecisionExhausted(balls.working_bits())
        return True


def dilated(tie: Tie, nearer: int, eps: Fraction, delta: Fraction) -> Batch:
    """Pr[u = −a] against e^(ε/2)·Pr[u = −b] + δ/2: a is the tie's distance, b that of ``nearer``, alone there.

    b < a and ln(a/b) ≤ γ are required, and decided.
    """

    def sides() -> tuple[Ball, Ball]:
        row = RealRow(tie, eps, delta)
        a, b = row.distances[tie.x + tie.j], row.distances[nearer]
        if not (row.alone(nearer) and decided(balls.less(b, a)) and decided(balls.at_most((a / b).log(), row.gamma))):
            raise ArithmeticError("b is not a dilate of a that the lemma speaks of")
        far = row.weights[tie.x + tie.j] + row.weights[tie.x - tie.i]
        near = row.weights[nearer]
        return far / row.normaliser, ball(eps / 2).exp() * near / row.normaliser + ball(delta / 2)

    def steps() -> list[Step]:
        row = RealRow(tie, eps, delta)
        down, up = tie.x - tie.i, tie.x + tie.j
        m, first = (tie.i + tie.j) // 2, f"α+{tie.x}"
        second = tie.second + tie.n - tie.x
        quotient = f"(A−{tie.i})_{2 * m}·((B−{tie.j}/2)_{m})²/(((A−{tie.i}/2)_{m})²·(B−{tie.j})_{2 * m})"
        poly = str(tie.polynomial()).replace("x", "α")
        weights = {r: row.weights[r] / row.normaliser for r in (down, up, nearer)}
        return [
            step("H(x,r)", "", f"√(1 − BC) for x and r ones among n, {DISTANCE}"),
            step("BC²(x,x−i)/BC²(x,x+j)", f"(z)_m = z(z+1)…(z+m−1), A = {first}, B = {second}", quotient),
            step("a tie", "where that quotient is 1: numerator − denominator = 0", poly),
            step("signs of it", f"at α = {tie.low} and at α = {tie.high}", tie.signs()),
            step("α", "the root between them", row.alpha),
            step("the engine's BC²", "has the same quotient at both ends, exactly", str(tie.agrees())),
            step("γ, the largest |λ|", "ln(1 − ε/(2 ln(δ/(2(n+1)))))", row.gamma),
            step("LS(x″)", f"x″ = {row.source} ones, d(x, x″) = {abs(tie.x - row.source)}", row.local[row.source]),
            step("S_exp(x)", "the maximum over x″: LS(x″)·e^(−γ·d)", row.sensitivity),
            step("H(x,r), r = 0…n", "", listed(enumerate(row.distances), 9)),
            step("w = ε/(2S)", "P(r) = e^(−w·H(x,r))/NL(x)", row.rate),
            step("NL(x)", f"Σ over r = 0…{tie.n} of e^(−w·H(x,r))", row.normaliser),
            step("score a", f"H(x,r) at r = {down} and r = {up}: equal, as α is that root", row.distances[up]),
            step("score b", f"H(x,r) at r = {nearer} alone", row.distances[nearer]),
            step("λ", "ln(b/a), |λ| ≤ γ", (row.distances[nearer] / row.distances[up]).log()),
            step("Pr[u = −a]", f"P({down}) + P({up}), two equal terms", weights[down] + weights[up]),
            step("Pr[u = −b]", f"P({nearer})", weights[nearer]),
            step(
                "e^(ε/2)·Pr[u = −b]",
                f"and δ/2 = {delta / 2} is added on the right",
                ball(eps / 2).exp() * weights[nearer],
            ),
        ]

    where = {
        "n": tie.n,
        "prior": f"(α, {tie.second}) with the algebraic α = {brief(outward(tie.low, tie.high, 12), 2)} of an exact tie",
        "eps": eps,
        "delta": delta,
        "x": (tie.x, tie.n - tie.x),
        "a": f"the score of {(tie.x - tie.i, tie.n - tie.x + tie.i)} and of {(tie.x + tie.j, tie.n - tie.x - tie.j)}",
        "b": f"that of {(nearer, tie.n - nearer)} alone",
    }
    if not tie.agrees():
        raise ArithmeticError("the polynomial is not that of the engine's distances")
    return single(where, sides, steps=steps)

"""Lemmas that the proofs on the setting and on privacy share: each adds its lines to a proof.

g(a) = Γ(a+½)/√(Γ(a)Γ(a+1)) is the factor of one cell whose parameter moves from a to a+1, so that adjacent data sets
x and x′ = x − e_j + e_i have BC(x,x′) = g(α_i + x_i)·g(α_j + x_j − 1), for every k and every prior.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly

from dpaudit.claims import Proof, coefficients_positive, variables
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import make_model, neighbors

HALF = Fraction(1, 2)


def g(a: Fraction | int) -> Ball:
    """A ball that contains g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))."""
    at = Fraction(a)
    return ball(at + HALF).gamma() / (ball(at).gamma() * ball(at + 1).gamma()).sqrt()


def moves(k: int) -> list[tuple[int, ...]]:
    """x′ − x for every neighbor x′ of x = (c₁, …, c_k), the counts being symbols: any counts, any n."""
    x = variables(*(f"c{i}" for i in range(k)))
    return [tuple(_constant(b - a) for a, b in zip(x, y, strict=True)) for y in neighbors(x)]  # type: ignore[arg-type]


def _constant(poly: fmpq_mpoly) -> int:
    """The value of a polynomial that has one; refuses any other."""
    if not poly.is_constant():
        raise TypeError(f"{poly} is not a constant")
    return int(fmpq(poly.leading_coefficient()).p) if poly else 0


def step_of_g(a: Any) -> tuple[Any, Any]:
    """g(a+1)²/g(a)² = (a+½)²/(a(a+1)) as numerator and denominator."""
    return (2 * a + 1) ** 2, 4 * a * (a + 1)


STEP_CASES = ((5, 1, 1), (6, Fraction(1, 3), 2), (300, Fraction(1, 1000), 7))


def engine_steps() -> bool:
    """Whether the engine's exact BC² of neighboring pairs of k = 2 have the ratio that step_of_g says."""
    for n, first, second in STEP_CASES:
        model = make_model(n, prior=(first, second))
        for x in range(0, n - 1, max(1, n // 5)):
            low, high = (bc_squared(model, (x + i, n - x - i), (x + i + 1, n - x - i - 1)) for i in (0, 1))
            u, v = Fraction(first) + x, Fraction(second) + n - x - 2
            (a, b), (c, d) = step_of_g(u), step_of_g(v)
            ratio = high.rational / low.rational
            if low.constants != high.constants or Fraction(int(ratio.p), int(ratio.q)) != Fraction(a) * d / (b * c):
                return False
    return True


def step_factors_agree() -> bool:
    """Whether the engine's BC of one more step has the two factors of ``farther_lemma``, k = 2."""
    with balls.precision(256):
        for model in (make_model(4), make_model(5, prior=(Fraction(1, 3), 2))):
            h, n = Hellinger(model), model.n
            for x, s in [(i, j) for i in range(n) for j in range(n - i)]:
                first, second = x + model.prior[0], n - x + model.prior[1]
                near, far = (h.bc((x, n - x), (x + i, n - x - i)) for i in (s, s + 1))
                b, c = first + Fraction(s, 2), second - Fraction(s + 1, 2)
                factors = g(b) ** 2 * ball(b / (first + s)) * ball((second - s - 1) / c) / g(c) ** 2
                if not balls.overlap((far / near) ** 2, factors):
                    return False
    return True


def adjacent_lemma() -> Proof:
    """Returns: BC of adjacent data sets is a product of two values of g, and g rises strictly to 1."""
    (a,) = variables("a")
    top, bottom = step_of_g(a)
    proof = Proof()
    proof.says("adjacent", "BC(x, x − e_j + e_i) = g(α_i + x_i)·g(α_j + x_j − 1), g(a) = Γ(a+½)/√(Γ(a)Γ(a+1))")
    which = "n = 5, 6, 300, three priors, exactly"
    proof.cases("the engine's BC²", "of x, x+1 and of x+1, x+2 has the ratio that g gives", which, engine_steps)
    rises = "g(a+1)²/g(a)² = (a+½)²/(a(a+1)) by Γ(z+1) = zΓ(z), and (2a+1)² − 4a(a+1) = 1 > 0: g(a+1) > g(a)"
    proof.holds("one step of g", rises, lambda: top - bottom == 1 + 0 * a and coefficients_positive(bottom))
    proof.knows("limit of g", "a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ, so g(a) → 1")
    return proof.says(
        "g rises", "g(a)² = Π over j ≥ 0 of 1/(1 + 1/(4(a+j)(a+j+1))), and every factor rises in the real a > 0"
    )


def outward_lemma() -> Proof:
    """Returns: for k = 2 the distance of x and x+1 grows strictly away from the middle."""
    u, v = variables("u", "v")
    (a, b), (c, d) = step_of_g(u), step_of_g(v)
    text = "squared, it is N/D with N − D = −4(u − v)(u + v + 1): < 1 exactly where u > v, u − v = 2x + 2 − n + α₁ − α₂"
    fact = a * d - b * c == -4 * (u - v) * (u + v + 1) and coefficients_positive(b * c)
    return (
        adjacent_lemma()
        .says("two pairs", "H(x,x+1) has BC = g(u)·g(v+1), H(x+1,x+2) has g(u+1)·g(v); u = α₁+x, v = α₂+n−x−2")
        .holds("their ratio", text, fact)
    )


def farther_lemma() -> Proof:
    """Returns: H(x, ·) grows strictly when a cell is moved one more step away from its value in x."""
    a, s, w = variables("a", "s", "w")
    half = fmpq(1, 2)
    b, gap = a + s * half, (w - half) ** 2 - w * (w - s * half - 1)
    proof = Proof().knows("bounds of g", "g(a) = Γ(a+½)/√(Γ(a)Γ(a+1)): a/(a+½) ≤ g(a)² < 1 by the log-convexity of Γ")
    proof.says("one cell", "s steps up from parameter a its factor is Γ(a+s/2)/√(Γ(a)Γ(a+s)), s down the same with −s")
    proof.says("one more step up", "squared it is Γ(b+½)²/(Γ(b)²(a+s)) = g(b)²·b/(a+s) with b = a + s/2")
    proof.equal("which is < 1", "g(b)² < 1 and (a+s) − b = s/2 ≥ 0", (a + s) - b, s * half)
    down = "squared it is ≤ (w−s/2−1)·w/(w−½)² with w = a − s/2, as g(c)² ≥ c/(c+½) at c = w − ½"
    proof.says("one more step down", down)
    fact = gap == w * s * half + fmpq(1, 4) and coefficients_positive(gap)
    proof.holds("which is < 1 too", "(w−½)² − w(w−s/2−1) = ws/2 + ¼ > 0", fact)
    text = "of one more step, k = 2, is the product of the two factors"
    return proof.cases("the engine's BC²", text, "n = 4, 5, two priors, as balls of 256 bits", step_factors_agree)

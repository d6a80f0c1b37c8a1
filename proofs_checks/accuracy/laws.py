"""The noise laws: A3 section 6.1.2, P1 section 5.1, N0 and N4 Corollary 4.4.1. Exact algebra in q.

Every law is a function of q and of K, a power of q that stands for t: with polynomials in q it is one instance, with
q and K as independent symbols it is the law for every t at once. For a rational epsilon q is transcendental, so two
laws agree only if the polynomials are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import fmpq_poly

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Statement, Step, annotate, check, each, scan, step
from dpaudit.numbers.balls import Ball
from dpaudit.studies.accuracy.bounds import HALF
from proofs_checks.accuracy.lemmas import QQ, K
from proofs_checks.accuracy.rows import ONE, Q, evaluate, in_q, power
from proofs_checks.points import rationals

EPS = rationals("1 1/2 2 1/10 1/100 4 16")
RELATION = "="
Chance = Callable[[Any, Any], Any]
"""(q, K) -> probability."""


def above(power_of_q: Any) -> Any:
    """F(t) = Pr[Y <= t] for t >= 0, Y ~ Lap(s/eps), from q^t, q = e^(-eps/s)."""
    return 1 - HALF * power_of_q


def below(power_of_q: Any) -> Any:
    """F(-t) for t >= 0, from q^t."""
    return HALF * power_of_q


def floor_law(q: Any, k: Any) -> Any:
    """Pr[floor(Y) = t] = F(t+1) - F(t) for t >= 1; k = q^(t-1)."""
    return above(k * q * q) - above(k * q)


def ceiling_law(q: Any, k: Any) -> Any:
    """Pr[ceil(Y) = t] = F(t) - F(t-1) for t >= 1; k = q^(t-1)."""
    return above(k * q) - above(k)


def printed_floor_law(q: Any, k: Any) -> Any:
    """What A3 section 6.1.2 prints; k = q^(t-1)."""
    return HALF * (k - k * q)


def abs_floor_law(q: Any, k: Any) -> Any:
    """Pr[floor(|Y|) = t]: Y in [t, t+1) or in (-t-1, -t] (a density: ends do not matter); k = q^t."""
    return above(k * q) - above(k) + below(k) - below(k * q)


def printed_abs_law(q: Any, k: Any) -> Any:
    """What P1 section 5.1 prints; k = q^t."""
    return k - k * q


def interval_law(q: Any, _: Any) -> Any:
    """Pr[-1 <= Y < 2] = F(2) - F(-1)."""
    return above(q * q) - below(q)


def printed_interval_law(q: Any, _: Any) -> Any:
    """What Corollary 4.4.1 prints."""
    return 1 - HALF * (q + q * q)


Both = tuple[Fraction, fmpq_poly, fmpq_poly]
"""The rate of q = e^(-rate), the true probability and the printed one as polynomials in q."""


def compared(
    grid: Grid, names: tuple[str, str, str], true: Chance, printed: Chance, scale: int, shift: int = 0
) -> Outcome:
    """The outcome of "true = printed" on the grid: q = e^(-eps/scale), K = q^(t-shift).

    ``names``: the probability, how it is found, the printed expression.
    """

    def subject(point: Point) -> Both:
        k = Q ** (getattr(point, "t", shift) - shift)
        return point.eps / scale, true(Q, k), printed(Q, k)

    return scanned(grid, names, subject)


def scanned(grid: Grid, names: tuple[str, str, str], subject: Callable[[Point], Both]) -> Outcome:
    """The outcome of "true = printed" on the grid, equality by the polynomials."""

    def sides(at: Both) -> tuple[Ball, Ball]:
        return evaluate(at[1], power(at[0])), evaluate(at[2], power(at[0]))

    def steps(at: Both) -> list[Step]:
        rate, left, right = at
        texts = [in_q(poly) for poly in (left, right, right - left)]
        return [
            step("q", f"e^(−{rate})", power(rate)),
            *map(step, names[1:], texts, sides(at)),
            step("right − left", "as a polynomial", texts[2]),
        ]

    statement = Statement(names[0], RELATION, names[2])
    return scan(statement, each(grid, subject, sides, lambda at: bool(at[1] == at[2]), steps))


def proof_of(names: tuple[str, str, str], relation: str) -> Proof:
    """A proof that shows that relation, which must imply the statement's."""
    return Proof().concludes(Statement(names[0], RELATION, names[2]), relation)


@check("acc.floor-law", grid=Grid("Δ = 1", t=range(1, 7), eps=EPS))
def check_floor_law(context: Context) -> Outcome:
    """Decides A3's law of the floored noise, and what the printed law is instead."""
    names = "Pr[⌊Y⌋ = t]", "F(t+1) − F(t)", "the printed ½(e^(−ε(t−1)/Δ) − e^(−εt/Δ))"
    found = compared(context.grid, names, floor_law, printed_floor_law, 1, 1)
    wrong = Proof().equal(
        "printed − true, K = q^(t−1)",
        "½K(1−q)² > 0 for every t ≥ 1, ε and Δ",
        printed_floor_law(QQ, K) - floor_law(QQ, K),
        HALF * K * (1 - QQ) ** 2,
    )
    shifted = Proof().equal("the law of ⌈Y⌉", "is the printed one", ceiling_law(QQ, K), printed_floor_law(QQ, K))
    return annotate(
        found,
        ("printed − true = ½q^(t−1)(1−q)² > 0 for every t ≥ 1, ε and Δ, so it never holds", wrong),
        ("the printed expression is the law of ⌈Y⌉ (t−1 < Y ≤ t)", shifted),
    )


@check("acc.abs-floor-law", grid=Grid("", t=range(7), eps=EPS))
def check_abs_floor_law(context: Context) -> Outcome:
    """Decides P1's law of floor(|Y|)."""
    names = "Pr[⌊|Y|⌋ = t]", "Pr[t ≤ |Y| < t+1]", "e^(−tε/2) − e^(−(t+1)ε/2)"
    scanned = compared(context.grid, names, abs_floor_law, printed_abs_law, 2)
    proof = proof_of(names, "=").says("Y ~ Lap(2/ε), q = e^(−ε/2), t ≥ 0, K = q^t", "F(t) = 1 − ½K, F(−t) = ½K")
    proof.equal("F(t+1) − F(t) + F(−t) − F(−t−1)", "K − Kq", abs_floor_law(QQ, K), printed_abs_law(QQ, K))
    telescoped = sum((abs_floor_law(Q, Q**t) for t in range(9)), fmpq_poly())
    proof.equal("the probabilities sum to 1", "t = 0…8 give 1 − q⁹", telescoped, ONE - Q**9)
    other = Proof().equal("|⌊Y⌋| = 0", "½(1−q)", above(QQ) - above(QQ**0), HALF * (1 - QQ))
    return annotate(
        proof.settle(("", scanned)),
        (
            "but the size |⌊Y⌋| of the noise that is added is 0 with probability ½(1−q), half of that law at t = 0",
            other,
        ),
    )


@check("acc.interval-law", grid=Grid("", eps=EPS))
def check_interval_law(context: Context) -> Outcome:
    """Decides Corollary 4.4.1's probability of [-1, 2)."""
    names = "Pr[−1 ≤ Y < 2]", "F(2) − F(−1)", "1 − ½(e^(−ε) + e^(−2ε))"
    scanned = compared(context.grid, names, interval_law, printed_interval_law, 1)
    proof = proof_of(names, "=").says("Y ~ Lap(1/ε), q = e^(−ε)", "F(2) = 1 − ½q², F(−1) = ½q")
    return proof.equal(names[1], "1 − ½(q + q²)", interval_law(QQ, K), printed_interval_law(QQ, K)).settle(
        ("", scanned)
    )


# ------------------------------------------------------------------ P1 section 5.4.1: the law of the signed noise


def signed_law(q: Any, t: int) -> Any:
    """Pr[t <= Y < t+1]."""
    return above(q ** (t + 1)) - above(q**t) if t >= 0 else below(q ** (-t - 1)) - below(q**-t)


def size_law(q: Any, low: int) -> Any:
    """Pr[low <= |Y| < low+1]: nothing below 0."""
    return abs_floor_law(q, q**low) if low >= 0 else 0 * q


def printed_signed_law(q: Any, t: int) -> Any:
    """Half of Pr[t <= |Y| < t+1] for t > 0, else half of Pr[|t|-1 <= |Y| < |t|], as P1 prints it."""
    return HALF * size_law(q, t if t > 0 else -t - 1)


def literal_signed_law(q: Any, t: int) -> Any:
    """The same with Y for |Y|, letter by letter as printed."""
    return HALF * signed_law(q, t if t > 0 else -t - 1)


def signed(grid: Grid, printed: Callable[[Any, int], Any]) -> Outcome:
    """The outcome of "Pr[t <= Y < t+1] = printed", Y ~ Lap(2/eps)."""
    names = "Pr[t ≤ Y < t+1]", "F(t+1) − F(t)", "half of the printed Pr"
    return scanned(grid, names, lambda at: (at.eps / 2, signed_law(Q, at.t), printed(Q, at.t)))


SIGNED = Grid("", t=[0, 1, -1, 2, -2, 3, -3], eps=EPS)


@check("acc.signed-law", grid=SIGNED)
def check_signed_law(context: Context) -> Outcome:
    """Decides P1's law of the signed noise, its value at 0 included."""
    apart = Grid(t=[1, -1, 2, -2, 3, -3, 40, -40], eps=EPS)
    same = Proof().says("Y ~ Lap(2/ε), q = e^(−ε/2), K = q^t", "F(t) = 1 − ½K, F(−t) = ½K")
    same.equal("t > 0", "F(t+1) − F(t) = ½(K − Kq)", above(K * QQ) - above(K), HALF * abs_floor_law(QQ, K))
    same.equal("−t−1 < 0", "F(−t) − F(−t−1) = ½(K − Kq)", below(K) - below(K * QQ), HALF * abs_floor_law(QQ, K))
    return annotate(
        signed(context.grid, printed_signed_law),
        ("for every t ≠ 0", same.settle(("", signed(apart, printed_signed_law)))),
        ("letter by letter, with Lap for |Lap| inside Pr", signed(apart, literal_signed_law)),
    )


# ------------------------------------------------------------------ A3 section 6.1.3: the improved Laplace mechanism

IMPROVED = Grid("k = 2: Y ~ Lap(1/ε), as A3 §4.1.4 defines it; p = e^(−ε/2)", t=range(1, 7), eps=EPS)


def improved(true: Chance, scale: int, t: int) -> tuple[fmpq_poly, fmpq_poly]:
    """The true law and the printed one as polynomials in p = e^(-eps/2); the scale of Y is scale/eps."""
    step = Q ** (2 // scale)
    return true(step, step ** (t - 1)), printed_floor_law(Q, Q ** (t - 1))


@check("acc.improved-laplace-law", grid=IMPROVED)
def check_improved_law(context: Context) -> Outcome:
    """Decides the law that A3 prints for the improved mechanism, "replacing ΔBI with 2", at its own scale."""
    names = "Pr[t−1 ≤ Y < t]", "F(t) − F(t−1)", "the printed ½(e^(−ε(t−1)/2) − e^(−εt/2))"
    found = scanned(context.grid, names, lambda at: (at.eps / 2, *improved(ceiling_law, 1, at.t)))
    wider = scanned(context.grid, names, lambda at: (at.eps / 2, *improved(ceiling_law, 2, at.t)))
    floored = scanned(context.grid, ("Pr[⌊Y⌋ = t]", *names[1:]), lambda at: (at.eps / 2, *improved(floor_law, 2, at.t)))
    never = Proof().says(
        "p = e^(−ε/2), K = p^(t−1), t ≥ 1", "at scale 1/ε the law is ½(K² − K²p²), printed is ½(K − Kp)"
    )
    gap = printed_floor_law(QQ, K) - printed_floor_law(QQ**2, K**2)
    never.equal(
        "printed − true", "½K(1−p)(1 − K(1+p)), 0 only if K(1+p) = 1", gap, HALF * K * (1 - QQ) * (1 - K * (1 + QQ))
    )
    never.says("a tie", "p^(t−1) + p^t = 1 is impossible: p = e^(−ε/2) is transcendental for a rational ε ≠ 0")
    return annotate(
        found,
        ("at scale 1/ε it fails at every t ≥ 1 and every rational ε", never),
        ("at scale 2/ε, A3's own for k ≥ 3: Pr[t−1 ≤ Y < t]", wider),
        ("at scale 2/ε: Pr[⌊Y⌋ = t], which the line says it is", floored),
    )

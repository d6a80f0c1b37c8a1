"""The limit of balanced data, for many records or for a large prior: P(x+j) becomes a two-sided geometric law.

With x in the middle, A the parameter of each cell (n/2 + α, or 50 + a), H_j = H(x, x+j), L = LS(x) and p = e^(−ε/2):
H_j/L → |j| for every j and S(x)/L → 1, so P(x+j) → p^|j|/Σp^|i|. LSHist adds ⌊Lap(1/ε)⌋, q = p² = e^(−ε). As n → ∞
E[H]/L tends to 2p/(1−p²) for MH and to ½(1+q)/(1−q) for LSHist: the ratio tends to 4p/(1+p²) = 2/cosh(ε/2). With a
fixed n = 2m and a prior → ∞ the sums end at |j| = m.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq

from dpaudit.claims import Proof, Step, step, variables
from dpaudit.numbers.balls import Ball, ball

TERMS = 12
"""Terms of the series that are compared, with their remainders."""
HALF = fmpq(1, 2)


def exponential_sums(p: Any, half: int) -> tuple[Any, Any]:
    """Σ|j|p^|j| and Σp^|j| over |j| ≤ half; balls or symbols."""
    powers = [p**j for j in range(1, half + 1)]
    weighted, plain = 0 * p, 0 * p
    for j, power in enumerate(powers, 1):
        weighted, plain = weighted + j * power, plain + power
    return 2 * weighted, 1 + 2 * plain


def clipped_mean(q: Any, half: int) -> Any:
    """Σ over t = 1…half of Pr[j ≥ t] + Pr[j ≤ −t] = ½(q^t + q^(t−1)): E|j| of LSHist, clipped at ±half."""
    found = 0 * q
    for t in range(1, half + 1):
        found = found + (q**t + q ** (t - 1)) / 2
    return found


def limit_ratio(eps: Fraction, half: int | None = None) -> Ball:
    """A ball that contains the limit of E[H] of MH over that of LSHist; ``half``: for n = 2·half, prior → ∞."""
    p = (-ball(eps / 2)).exp()
    if half is None:
        return 4 * p / (1 + p * p)
    weighted, plain = exponential_sums(p, half)
    found: Ball = weighted / plain / clipped_mean(p * p, half)
    return found


def limit_near(eps: Fraction, steps: int) -> Ball:
    """A ball that contains the limit of Pr[at most this many steps], n → ∞: Σ of p^|j|(1−p)/(1+p)."""
    p = (-ball(eps / 2)).exp()
    found: Ball = exponential_sums(p, steps)[1] * (1 - p) / (1 + p)
    return found


def series_agree() -> bool:
    """Whether the partial sums of p^j and of j·p^j are the closed forms less their remainders, exactly."""
    (p,) = variables("p")
    weighted, plain = exponential_sums(p, TERMS)
    first = (plain - 1) * (1 - p) == 2 * (p - p ** (TERMS + 1))
    second = weighted * (1 - p) ** 2 == 2 * (p - (TERMS + 1) * p ** (TERMS + 1) + TERMS * p ** (TERMS + 2))
    return bool(first and second)


def clipped_agree(half: int) -> bool:
    """Whether Σ|j|·Pr[j] of LSHist's clipped law is ``clipped_mean``, as polynomials in q."""
    (q,) = variables("q")
    up = sum((t * HALF * (1 - q) * q**t for t in range(1, half)), 0 * q) + half * HALF * q**half
    down = sum((t * HALF * (1 - q) * q ** (t - 1) for t in range(1, half)), 0 * q) + half * HALF * q ** (half - 1)
    return bool(up + down == clipped_mean(q, half))


# ------------------------------------------------------------------ the lemma


def distances_lemma() -> Proof:
    """Returns: H(x, x+j)/LS(x) → |j| for every fixed j."""
    proof = Proof().says("notation", "both cells of x have the parameter A = n/2 + α; H_j = H(x, x+j), L = LS(x)")
    proof.says(
        "second differences",
        "½F(z) + ½F(z+j) − F(z+j/2) = (j²/8)·F″(ξ), ξ between z and z+j; with F = ln Γ: "
        "−ln BC(x, x+j) = (j²/8)(ψ′(ξ₁) + ψ′(ξ₂)), ξ₁, ξ₂ within |j| of A",
    )
    proof.knows("trigamma", "ψ′ falls, and 1/z < ψ′(z) < 1/z + 1/z² < 1/(z−1): A·ψ′(A + c) → 1 for every fixed c")
    text = "4A·(−ln BC(x, x+j)) → j² as A → ∞, and H² = 1 − BC: 4A·H_j² → j², 4A·L² → 1, H_j/L → |j|"
    return proof.says("so for every fixed j", text)


def many_records_lemma(mechanism: str) -> Proof:
    """Returns: P(x+j) of MH (γ = 1) or MHdelta tends to p^|j|(1−p)/(1+p) as n → ∞, and E[H]/L to 2p/(1−p²)."""
    (a,) = variables("A")
    proof = distances_lemma().says(
        "LS(x″), d records away, d ≤ A−3", "LS(x″)² ≤ −ln BC < 1/(4(A−d−2)): 1/LS(x″) > 2√(A−d−2)"
    )
    if mechanism == "MH":
        text = "√ is concave: the least of 2√(A−d−2) + d is 2√(A−2) or above A−3; and d > A−3 beyond"
        proof.says("1/S(x) = min of 1/LS(x″) + d", f"{text}. So 1/S(x) ≥ 2√(A−2) where A−3 ≥ 2√(A−2)")
        gap = (a - 3) ** 2 - 4 * (a - 2)
        proof.equal("which holds for A ≥ 8", "(A−3)² − 4(A−2) = (A−5)² − 8", gap, (a - 5) ** 2 - 8)
    else:
        text = "−½ln(A−d−2) − γd is convex in d: its largest value is at d = 0 or at most −γ(A−3)"
        proof.says("ln S_exp(x) = max of ln LS(x″) − γd", f"{text}; γ(A−3) ≥ ½ln(A−2) for large n, as γ ~ ε/(2 ln n)")
    proof.says("so", "S(x) ≤ 1/(2√(A−2)), and 4A·L² → 1: S(x)/L → 1")
    proof.says("domination", "H_j² ≥ 1 − e^(−j²/(4(A+|j|))) ≥ c·min(j²/A, 1): weights at most e^(−c′·min(|j|, √A))")
    proof.says("sums", "so n·√A·e^(−c′√A) → 0 bounds what lies beyond √A steps, and the sums converge term by term")
    text = "the partial sums of Σp^j = p/(1−p) and Σj·p^j = p/(1−p)², with their remainders"
    proof.cases("series", text, f"{TERMS} terms", series_agree)
    (p,) = variables("p")
    proof.equal("1 + 2Σp^j", "(1+p)/(1−p)", (1 - p) + 2 * p, 1 + p)
    left, right = 2 * p * (1 + p) * (1 - p), 2 * p * (1 - p**2)
    return proof.equal("E[H]/L → Σ|j|p^|j| / Σp^|j|", "2p/(1−p)² · (1−p)/(1+p) = 2p/(1−p²)", left, right)


def ratio_proof(half: int | None) -> Proof:
    """Proves the limit of E[H] of MH over E[H] of LSHist: n → ∞, or prior → ∞ at n = 2·half."""
    words = "j = ⌊Lap(1/ε)⌋, q = e^(−ε) = p²: Pr[j ≥ t] = ½q^t, Pr[j ≤ −t] = ½q^(t−1) for t ≥ 1"
    if half is not None:
        proof = distances_lemma().says(
            "S(x)", f"L ≤ S(x) ≤ GS, and 4A·GS² → 1 too: all parameters lie within n = {2 * half} of A. So S(x)/L → 1"
        )
        proof.says(
            "sums", f"over n+1 outputs, n fixed: they converge term by term, to p^|j| and |j|p^|j|, |j| ≤ {half}"
        )
        proof.says("LSHist", f"{words}, t ≤ {half}: all that lies beyond is clipped to ±{half}")
        text = f"is the sum of these tails, t = 1…{half}"
        return proof.holds("E|j| of the clipped law", text, lambda: clipped_agree(half), "identity")
    proof = many_records_lemma("MH")
    p = variables("p")[0]
    q = p**2
    proof.says("LSHist", f"{words}; clipping at ±n/2 changes E|j| by less than n·q^(n/2−1) → 0")
    proof.equal("E|j| = Σ of both tails", "½(q+1)/(1−q)", HALF * q + HALF, HALF * (q + 1))
    left, right = 2 * p * (1 - q), HALF * (1 + q) * (1 - q)
    text = "(2p/(1−p²)) / (½(1+p²)/(1−p²)) = 4p/(1+p²) = 2/cosh(ε/2)"
    return proof.equal("their ratio", text, left * (1 + q), 4 * p * right)


def ratio_steps(eps: Fraction, half: int | None) -> list[Step]:
    """The limit, step by step."""
    p = (-ball(eps / 2)).exp()
    if half is None:
        ours, other = 2 * p / (1 - p * p), (1 + p * p) / (2 * (1 - p * p))
        words = "2p/(1−p²)", "½(1+p²)/(1−p²)", "4p/(1+p²) = 2/cosh(ε/2)"
    else:
        weighted, plain = exponential_sums(p, half)
        ours, other = weighted / plain, clipped_mean(p * p, half)
        words = f"Σ|j|p^|j| / Σp^|j|, |j| ≤ {half}", f"Σ ½(p^(2t) + p^(2t−2)), t = 1…{half}", "their quotient"
    return [
        step("p", "e^(−ε/2)", p),
        step("limit of E[H]/LS(x) of MH", words[0], ours),
        step("limit of E[H]/LS(x) of LSHist", words[1], other),
        step("limit of the ratio", words[2], limit_ratio(eps, half)),
    ]

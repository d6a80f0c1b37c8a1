"""Checks of pure differential privacy of the exponential mechanisms EHD, EHDS and MH."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly

from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.privacy.guarantee import claimed_epsilon
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Statement, scan, single
from proofs_checks.grid import Grid
from proofs_checks.outcome import Outcome
from proofs_checks.privacy_smooth import smooth_bound
from proofs_checks.privacy_tools import epsilon_batches, subject
from proofs_checks.registry import Context, check
from proofs_checks.setting_gs import at_least_one_proof
from proofs_checks.setting_tools import Proof, found, with_sanity

PRIVATE = Statement("true ε", "<=", "claimed ε", closeness="ratio")
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
EPS = (1, Fraction(1, 100), 16)
AT_LEAST_ONE = ((1, 1), (2, 2), (1, 100), (1, 1, 1), (1, 2, 3))
ANY = ((1, 1), (HALF, HALF), (TENTH, 1), (Fraction(1, 1000), 100), (1, 1, 1), (TENTH, 1, 10))
BELOW_ONE = tuple((Fraction(1, d), Fraction(1, d)) for d in (*range(1, 21), 100))
GAMMAS = (1, TENTH, 2)
FAR_WORDS = "x = 1, x′ = 2 and back, every output"
FAR_EPS = (Fraction(1, 1000), 64)
FAR_AT_LEAST_ONE = ((1, 1), (1, 1000))
FAR_ANY = (*FAR_AT_LEAST_ONE, (Fraction(1, 1000), Fraction(1, 1000)))
CLAIMED: dict[str, Fraction | int] = {"EHD": 1, "EHDS": 1, "MH": 1}
"""Multiples of the guarantee in the documents; a test changes one."""

Case = tuple[Mapping[str, object], PosteriorMechanism, Fraction]


def cases(grid: Grid, mech: str, **options: str) -> Iterator[Case]:
    """Yields every mechanism of the grid with its parameters and its claimed guarantee."""
    for point in grid:
        where = {"n": point.n, "eps": point.eps, "prior": point.prior}
        chosen = dict(options)
        if hasattr(point, "gamma"):
            where["gamma"], chosen["gamma"] = point.gamma, point.gamma
        mechanism = subject(mech, point.n, point.prior, point.eps, **chosen)
        claimed = claimed_epsilon(mechanism.claimed())
        if claimed is not None:
            yield where, mechanism, CLAIMED[mech] * claimed


def small(most: int, most3: int, priors: tuple[tuple[Fraction | int, ...], ...], **axes: tuple[object, ...]) -> Grid:
    """Returns the grid of k = 2 up to n = most and k = 3 up to n = most3."""
    two = [prior for prior in priors if len(prior) == 2]
    three = [prior for prior in priors if len(prior) == 3]
    words = "every adjacent pair and output"
    first = Grid(words, n=range(1, most + 1), eps=EPS, prior=two, **axes)
    return first + Grid(words, n=range(1, most3 + 1), eps=EPS, prior=three, **axes)


E, GAMMA_PLUS_1 = variables("E", "G")
"""γ = G − 1 and ε = E·G as symbols, G = 1 + γ: every γ > 0 and ε > 0 is one such pair, and ε/(1+γ) = E is exact."""


class Symbolic:
    """A mechanism whose ε and γ are symbols: the engine's own formulas for numerator and guarantee are run on it."""

    epsilon = E * GAMMA_PLUS_1
    gamma = GAMMA_PLUS_1 - 1

    def __init__(self, mech: str) -> None:
        self._kind: Any = REGISTRY[mech]

    def bounded_score(self) -> bool:
        """Returns True: H ≤ 1."""
        return True

    def numerator(self) -> fmpq_mpoly:
        """Returns e of the rate e/(2Δ(x)) that the mechanism uses, in symbols."""
        value: fmpq_mpoly = self._kind.numerator(self)
        return value

    def claimed(self, mech: str) -> fmpq_mpoly:
        """Returns the ε that is claimed for it, in symbols: the multiple of the statement times the engine's own."""
        factor = Fraction(CLAIMED[mech])
        value: fmpq_mpoly = self._kind.claimed(self).epsilon * fmpq(factor.numerator, factor.denominator)
        return value


def two_halves(proof: Proof, mech: str, change: fmpq_mpoly) -> None:
    """Adds: H/Δ changes by at most ``change`` between x and x′, so the exponents add up to the claimed ε."""
    symbolic = Symbolic(mech)
    proof.cites("weights", "w_x(r) = e^(−(e/2)·H(x,r)/Δ(x)): adjacent ones differ by a factor ≤ e^((e/2)·change)")
    proof.cites("normalisers", "NL(x′) ≤ e^((e/2)·change)·NL(x), term by term, so P_x(r)/P_x′(r) ≤ e^(e·change)")
    half = symbolic.numerator() * change * fmpq(1, 2)
    text = f"(e/2)·change + (e/2)·change, e = {_words(symbolic.numerator())}, change = {_words(change)}"
    claim = symbolic.claimed(mech)
    proof.holds("together", f"{text}, is exactly the claimed {_words(claim)}", lambda: half + half == claim)
    proof.concludes(PRIVATE, "<=")


def _words(poly: fmpq_mpoly) -> str:
    """Returns the polynomial in G = 1 + γ and E = ε/(1+γ) in the letters of the documents, where it is simple."""
    g = GAMMA_PLUS_1
    simple = ((E * g, "ε"), (E, "ε/(1+γ)"), (E * g**2, "(1+γ)ε"), (g, "1+γ"), (1 + 0 * g, "1"))
    return next((words for known, words in simple if known == poly), f"{poly} (G = 1+γ, E = ε/G)")


def exact_gs_proof(proof: Proof) -> Proof:
    """Returns the proof with: EHD with any Δ ≥ GS(n, α) is ε-DP."""
    proof.cites("sensitivity", "|H(x,r) − H(x′,r)| ≤ H(x,x′) ≤ LS(x) ≤ GS(n,α) ≤ Δ by the triangle inequality")
    proof.cites("so", "H/Δ changes by at most 1")
    two_halves(proof, "EHD", 1 + 0 * E)
    return proof


@check(
    "dp.ehd.exact-gs",
    grid="for all n, k, priors and ε; audited for k = 2, n ≤ 8 and k = 3, n ≤ 3",
    wide="for all n, k, priors and ε; audited for k = 2, n ≤ 40 and k = 3, n ≤ 8",
    weight=2,
)
def ehd_exact(ctx: Context) -> Outcome:
    """EHD with the model's own GS(n, α) is ε-DP (D2 §1.1, P1 §4.1.1)."""
    grid = small(40, 8, ANY) if ctx.wide else small(8, 3, ANY)
    audited = scan(PRIVATE, epsilon_batches(cases(grid, "EHD", gs="exact")))
    outcome = with_sanity(exact_gs_proof(Proof()).outcome(), audited, f"true ε computed: {grid}")
    far = Grid(FAR_WORDS, n=[200], eps=FAR_EPS, prior=FAR_ANY)
    return with_sanity(outcome, scan(PRIVATE, far_batches(far, "EHD", gs="exact")), f"far out: {far}")


@check(
    "dp.ehd.prior-ge-1",
    grid="for all n, k, ε and priors with every αᵢ ≥ 1; audited for k = 2, n ≤ 8 and k = 3, n ≤ 3",
    wide="for all n, k, ε and priors with every αᵢ ≥ 1; audited for k = 2, n ≤ 40 and k = 3, n ≤ 8",
    weight=2,
)
def ehd_at_least_one(ctx: Context) -> Outcome:
    """EHD with the constant GS₀ is ε-DP if every αᵢ ≥ 1 (N0, N4 Theorem 3.1)."""
    grid = small(40, 8, AT_LEAST_ONE) if ctx.wide else small(8, 3, AT_LEAST_ONE)
    audited = scan(PRIVATE, epsilon_batches(cases(grid, "EHD", gs="constant")))
    outcome = with_sanity(exact_gs_proof(at_least_one_proof()).outcome(), audited, f"true ε computed: {grid}")
    far = Grid(FAR_WORDS, n=[200], eps=FAR_EPS, prior=FAR_AT_LEAST_ONE)
    return with_sanity(outcome, scan(PRIVATE, far_batches(far, "EHD", gs="constant")), f"far out: {far}")


@check(
    "dp.ehd.any-prior",
    grid=Grid("every adjacent pair and output", n=range(1, 5), eps=[1, HALF, 2], prior=BELOW_ONE),
)
def ehd_any_prior(ctx: Context) -> Outcome:
    """EHD with the constant GS₀ is ε-DP for every prior (N0, N4 Theorem 3.1)."""
    (p,) = variables("p")
    proof = Proof()
    proof.cites(
        "n = 1, k = 2",
        "both normalisers are 1 + e^(−ε·H/(2GS₀)), so the loss is exactly ε·H/(2GS₀), H² = 1 − g(α₁)g(α₂)",
    )
    fact = 1 - 4 * (1 - p * fmpq(1, 4)) == p - 3
    proof.holds("criterion", "H > 2GS₀ ⇔ 1 − g(α₁)g(α₂) > 4(1 − π/4) ⇔ g(α₁)g(α₂) < π − 3, whatever ε", fact)
    rule = proof.outcome()
    outcome = scan(PRIVATE, epsilon_batches(cases(ctx.grid, "EHD", gs="constant")))
    words = "n = 1, k = 2: it fails exactly when g(α₁)g(α₂) < π − 3, at every ε"
    return outcome.having(found(words, rule), [rule.part(words)])


# ------------------------------------------------------------------ smooth sensitivity


def smooth_proof(mech: str) -> Proof:
    """Returns the proof that the weights change by at most e^((1+γ)e/2) between adjacent data sets."""
    h, other, s, t = variables("h", "other", "s", "t")
    g = GAMMA_PLUS_1
    proof = Proof()
    proof.cites("letters", "h = H(x,r), h′ = H(x′,r), s = 1/S(x), t = 1/S(x′)")
    proof.holds("split", "h·s − h′·t = (h − h′)·s + h′·(s − t)", h * s - other * t == (h - other) * s + other * (s - t))
    proof.cites("first part", "|h − h′|·s ≤ LS(x)/S(x) ≤ 1, because S ≥ LS")
    proof.cites("second part", "h′·|s − t| ≤ 1·γ, because H ≤ 1 and S is γ-smooth (smooth.gamma)")
    two_halves(proof, mech, 1 + smooth_bound(g - 1))
    return proof


@check(
    "dp.ehds",
    grid="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 6 and k = 3, n ≤ 3, γ = 1, 1/10, 2",
    wide="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 24 and k = 3, n ≤ 6, γ = 1, 1/10, 2",
    weight=3,
)
def ehds(ctx: Context) -> Outcome:
    """EHDS is ε-DP for every γ and prior (N0, N4 Theorem 3.1)."""
    return smooth_outcome("EHDS", ctx.wide)


@check(
    "dp.mh",
    grid="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 6 and k = 3, n ≤ 3, γ = 1, 1/10, 2",
    wide="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 24 and k = 3, n ≤ 6, γ = 1, 1/10, 2",
    weight=3,
)
def mh(ctx: Context) -> Outcome:
    """MH is (1+γ)ε-DP (A3 Lemma 5.6, there for γ = 1)."""
    return smooth_outcome("MH", ctx.wide)


def smooth_outcome(mech: str, wide: bool) -> Outcome:
    """Returns the proof for a mechanism with the γ-smooth sensitivity, audited on a grid."""
    grid = small(24, 6, ANY, gamma=GAMMAS) if wide else small(6, 3, ANY, gamma=GAMMAS)
    audited = scan(PRIVATE, epsilon_batches(cases(grid, mech)))
    outcome = with_sanity(smooth_proof(mech).outcome(), audited, f"true ε computed: {grid}")
    far = Grid(FAR_WORDS, n=[200], eps=FAR_EPS, prior=FAR_ANY, gamma=[1, Fraction(1, 100), 50])
    return with_sanity(outcome, scan(PRIVATE, far_batches(far, mech)), f"far out: {far}")


# ------------------------------------------------------------------ far out


def far_batches(grid: Grid, mech: str, **options: str) -> Iterator[Batch]:
    """Yields the largest loss over all outputs of x = 1, x′ = 2 in both directions against the claimed ε."""
    for where, mechanism, claimed in cases(grid, mech, **options):

        def sides(mechanism: PosteriorMechanism = mechanism, claimed: Fraction = claimed) -> tuple[Ball, Ball]:
            n, law = mechanism.model.n, mechanism.law()
            rows = [law.log_probabilities((c, n - c)) for c in (1, 2)]
            return balls.maximum([abs(a - b) for a, b in zip(*rows, strict=True)]), ball(claimed)

        yield single(where, sides)

"""Checks of pure differential privacy of the exponential mechanisms EHD, EHDS and MH."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from flint import fmpq

from dpaudit.mechanisms import PosteriorMechanism
from proofs_checks.algebra import variables
from proofs_checks.core import Statement, scan
from proofs_checks.grid import Grid
from proofs_checks.outcome import Outcome
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
CLAIMED: dict[str, int] = {"EHD": 1, "EHDS": 1, "MH": 1}
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
        claimed = mechanism.claimed()
        if claimed is not None:
            yield where, mechanism, CLAIMED[mech] * claimed.epsilon


def small(most: int, most3: int, priors: tuple[tuple[Fraction | int, ...], ...], **axes: tuple[object, ...]) -> Grid:
    """Returns the grid of k = 2 up to n = most and k = 3 up to n = most3."""
    two = [prior for prior in priors if len(prior) == 2]
    three = [prior for prior in priors if len(prior) == 3]
    words = "every adjacent pair and output"
    first = Grid(words, n=range(1, most + 1), eps=EPS, prior=two, **axes)
    return first + Grid(words, n=range(1, most3 + 1), eps=EPS, prior=three, **axes)


def two_halves(proof: Proof, sensitivity: str) -> None:
    """Adds: if H/Δ changes by at most 1 between x and x′, the mechanism is ε-DP."""
    e, d = variables("e", "d")
    proof.cites(
        "weights", f"w_x(r) = e^(−(ε/2)·H(x,r)/Δ), Δ = {sensitivity}: adjacent ones differ by a factor ≤ e^(ε/2)"
    )
    proof.cites("normalisers", "NL(x′) ≤ e^(ε/2)·NL(x), term by term")
    half = e * d * fmpq(1, 2)
    proof.holds("together", "P_x(r)/P_x′(r) ≤ e^(ε/2)·e^(ε/2) = e^ε", half + half == e * d)


def exact_gs_proof(proof: Proof) -> Proof:
    """Returns the proof with: EHD with any Δ ≥ GS(n, α) is ε-DP."""
    proof.cites("sensitivity", "|H(x,r) − H(x′,r)| ≤ H(x,x′) ≤ LS(x) ≤ GS(n,α) ≤ Δ by the triangle inequality")
    two_halves(proof, "a bound of GS(n, α)")
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
    return with_sanity(exact_gs_proof(Proof()).outcome(), audited, f"true ε computed: {grid}")


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
    return with_sanity(exact_gs_proof(at_least_one_proof()).outcome(), audited, f"true ε computed: {grid}")


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


def smooth_proof() -> Proof:
    """Returns the proof that the weights of MH change by at most e^((1+γ)ε/2) between adjacent data sets."""
    h, other, s, t = variables("h", "other", "s", "t")
    proof = Proof()
    proof.cites("letters", "h = H(x,r), h′ = H(x′,r), s = 1/S(x), t = 1/S(x′)")
    proof.holds("split", "h·s − h′·t = (h − h′)·s + h′·(s − t)", h * s - other * t == (h - other) * s + other * (s - t))
    proof.cites("first part", "|h − h′|·s ≤ LS(x)/S(x) ≤ 1, because S ≥ LS")
    proof.cites("second part", "h′·|s − t| ≤ 1·γ, because H ≤ 1 and S is γ-smooth (smooth.gamma)")
    proof.cites("so", "H/S changes by at most 1 + γ: MH behaves as if Δ = S, with (1+γ)ε for ε")
    return proof


@check(
    "dp.ehds",
    grid="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 6 and k = 3, n ≤ 3, γ = 1, 1/10, 2",
    wide="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 24 and k = 3, n ≤ 6, γ = 1, 1/10, 2",
    weight=3,
)
def ehds(ctx: Context) -> Outcome:
    """EHDS is ε-DP for every γ and prior (N0, N4 Theorem 3.1)."""
    return smooth_outcome("EHDS", ctx.wide, "S(x)·(1+γ)")


@check(
    "dp.mh",
    grid="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 6 and k = 3, n ≤ 3, γ = 1, 1/10, 2",
    wide="for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ 24 and k = 3, n ≤ 6, γ = 1, 1/10, 2",
    weight=3,
)
def mh(ctx: Context) -> Outcome:
    """MH is (1+γ)ε-DP (A3 Lemma 5.6, there for γ = 1)."""
    return smooth_outcome("MH", ctx.wide, "S(x), and (1+γ)ε for ε")


def smooth_outcome(mech: str, wide: bool, sensitivity: str) -> Outcome:
    """Returns the proof for a mechanism with the γ-smooth sensitivity, audited on a grid."""
    grid = small(24, 6, ANY, gamma=GAMMAS) if wide else small(6, 3, ANY, gamma=GAMMAS)
    proof = smooth_proof()
    two_halves(proof, sensitivity)
    audited = scan(PRIVATE, epsilon_batches(cases(grid, mech)))
    return with_sanity(proof.outcome(), audited, f"true ε computed: {grid}")

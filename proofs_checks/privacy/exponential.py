"""Checks of pure differential privacy of the exponential mechanisms EHD, EHDS and MH."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from flint import fmpq, fmpq_mpoly

from dpaudit.claims import Batches, Context, Grid, Outcome, Proof, Statement, annotate, check, scan, single, variables
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.privacy.guarantee import claimed_epsilon
from proofs_checks.privacy.smooth import smooth_bound
from proofs_checks.privacy.tools import Subject, epsilon_batches, subject
from proofs_checks.setting.exact import Number
from proofs_checks.setting.gs import at_least_one_proof

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


def subjects(grid: Grid, mech: str, **options: str) -> Iterator[Subject]:
    """Yields every mechanism of the grid with its parameters and its claimed guarantee."""
    for point in grid:
        given = {"gamma": point.gamma} if hasattr(point, "gamma") else {}
        mechanism = subject(mech, point.n, point.prior, point.eps, **options, **given)
        claimed = claimed_epsilon(mechanism.claimed())
        if claimed is not None:
            yield vars(point), mechanism, CLAIMED[mech] * claimed


Priors = tuple[tuple[Number, ...], ...]


def small(most: int, most3: int, priors: Priors, **axes: tuple[object, ...]) -> Grid:
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


def two_halves(proof: Proof, mech: str, change: fmpq_mpoly) -> Proof:
    """Adds: H/Δ changes by at most ``change`` between x and x′, so the exponents add up to the claimed ε."""
    symbolic = Symbolic(mech)
    proof.says("weights", "w_x(r) = e^(−(e/2)·H(x,r)/Δ(x)): adjacent ones differ by a factor ≤ e^((e/2)·change)")
    proof.says("normalisers", "NL(x′) ≤ e^((e/2)·change)·NL(x), term by term, so P_x(r)/P_x′(r) ≤ e^(e·change)")
    half = symbolic.numerator() * change * fmpq(1, 2)
    text = f"(e/2)·change + (e/2)·change, e = {_words(symbolic.numerator())}, change = {_words(change)}"
    claim = symbolic.claimed(mech)
    proof.equal("together", f"{text}, is exactly the claimed {_words(claim)}", half + half, claim)
    return proof.concludes(PRIVATE, "<=")


def _words(poly: fmpq_mpoly) -> str:
    """Returns the polynomial in G = 1 + γ and E = ε/(1+γ) in the letters of the documents, where it is simple."""
    g = GAMMA_PLUS_1
    simple = ((E * g, "ε"), (E, "ε/(1+γ)"), (E * g**2, "(1+γ)ε"), (g, "1+γ"), (1 + 0 * g, "1"))
    return next((words for known, words in simple if known == poly), f"{poly} (G = 1+γ, E = ε/G)")


def any_delta_proof(proof: Proof) -> Proof:
    """Returns the proof with: EHD with any Δ ≥ GS(n, α) is ε-DP."""
    proof.uses("ls.reduction", "|H(x,r) − H(x′,r)| ≤ H(x,x′) ≤ LS(x) ≤ GS(n,α) ≤ Δ")
    proof.says("so", "H/Δ changes by at most 1")
    return two_halves(proof, "EHD", 1 + 0 * E)


def ehd_outcome(proof: Proof, wide: bool, gs: str, priors: Priors, far_priors: Priors) -> Outcome:
    """Returns the proof for EHD with that sensitivity, audited on a grid and at a few pairs far out."""
    grid = small(40, 8, priors) if wide else small(8, 3, priors)
    far = Grid(FAR_WORDS, n=[200], eps=FAR_EPS, prior=far_priors)
    return proof.settle(
        (f"true ε computed: {grid}", scan(PRIVATE, epsilon_batches(subjects(grid, "EHD", gs=gs)))),
        (f"far out: {far}", scan(PRIVATE, far_batches(far, "EHD", gs=gs))),
    )


def ehd_grids(words: str) -> tuple[str, str]:
    """Returns the words for both grids of EHD."""
    audited = f"for all n, k, {words}; audited for k = 2, n ≤ {{}} and k = 3, n ≤ {{}}"
    return audited.format(8, 3), audited.format(40, 8)


CITED = ["ls.reduction"]
ANY_PRIOR, ABOVE_ONE = ehd_grids("priors and ε"), ehd_grids("ε and priors with every αᵢ ≥ 1")


@check("dp.ehd.exact-gs", grid=ANY_PRIOR[0], wide=ANY_PRIOR[1], weight=2, uses=CITED, audits=("EHD", {"gs": "exact"}))
def ehd_exact(ctx: Context) -> Outcome:
    """EHD with the model's own GS(n, α) is ε-DP (D2 §1.1, P1 §4.1.1)."""
    return ehd_outcome(any_delta_proof(ctx.proof()), ctx.wide, "exact", ANY, FAR_ANY)


@check(
    "dp.ehd.prior-ge-1", grid=ABOVE_ONE[0], wide=ABOVE_ONE[1], weight=2, uses=CITED, audits=("EHD", {"gs": "constant"})
)
def ehd_at_least_one(ctx: Context) -> Outcome:
    """EHD with the constant GS₀ is ε-DP if every αᵢ ≥ 1 (N0, N4 Theorem 3.1)."""
    proof = any_delta_proof(ctx.proof().using(at_least_one_proof()))
    return ehd_outcome(proof, ctx.wide, "constant", AT_LEAST_ONE, FAR_AT_LEAST_ONE)


@check(
    "dp.ehd.any-prior",
    grid=Grid("every adjacent pair and output", n=range(1, 5), eps=[1, HALF, 2], prior=BELOW_ONE),
    audits=("EHD", {"gs": "constant"}),
)
def ehd_any_prior(ctx: Context) -> Outcome:
    """EHD with the constant GS₀ is ε-DP for every prior (N0, N4 Theorem 3.1)."""
    (p,) = variables("p")
    rule = Proof().says(
        "n = 1, k = 2",
        "both normalisers are 1 + e^(−ε·H/(2GS₀)), so the loss is exactly ε·H/(2GS₀), H² = 1 − g(α₁)g(α₂)",
    )
    text = "H > 2GS₀ ⇔ 1 − g(α₁)g(α₂) > 4(1 − π/4) ⇔ g(α₁)g(α₂) < π − 3, whatever ε"
    rule.equal("criterion", text, 1 - 4 * (1 - p * fmpq(1, 4)), p - 3)
    outcome = scan(PRIVATE, epsilon_batches(subjects(ctx.grid, "EHD", gs="constant")))
    return annotate(outcome, ("n = 1, k = 2: it fails exactly when g(α₁)g(α₂) < π − 3, at every ε", rule))


# ------------------------------------------------------------------ smooth sensitivity


def smooth_proof(proof: Proof, mech: str) -> Proof:
    """Returns the proof that the weights change by at most e^((1+γ)e/2) between adjacent data sets."""
    h, other, s, t = variables("h", "other", "s", "t")
    split = (h - other) * s + other * (s - t)
    proof.says("letters", "h = H(x,r), h′ = H(x′,r), s = 1/S(x), t = 1/S(x′)")
    proof.equal("split", "h·s − h′·t = (h − h′)·s + h′·(s − t)", h * s - other * t, split)
    proof.uses("ls.reduction", "first part: |h − h′|·s ≤ H(x,x′)·s ≤ LS(x)/S(x)")
    proof.uses("smooth.gamma", "which is ≤ 1, because S ≥ LS; second part: h′·|s − t| ≤ 1·γ, because H ≤ 1")
    return two_halves(proof, mech, 1 + smooth_bound(GAMMA_PLUS_1 - 1))


def smooth_outcome(ctx: Context, mech: str) -> Outcome:
    """Returns the proof for a mechanism with the γ-smooth sensitivity, audited on a grid."""
    grid = small(24, 6, ANY, gamma=GAMMAS) if ctx.wide else small(6, 3, ANY, gamma=GAMMAS)
    far = Grid(FAR_WORDS, n=[200], eps=FAR_EPS, prior=FAR_ANY, gamma=[1, Fraction(1, 100), 50])
    return smooth_proof(ctx.proof(), mech).settle(
        (f"true ε computed: {grid}", scan(PRIVATE, epsilon_batches(subjects(grid, mech)))),
        (f"far out: {far}", scan(PRIVATE, far_batches(far, mech))),
    )


def smooth_check(claim: str, mech: str) -> None:
    """Makes the check of a mechanism with the γ-smooth sensitivity."""
    words = "for all n, k, priors, γ > 0 and ε; audited for k = 2, n ≤ {} and k = 3, n ≤ {}, γ = 1, 1/10, 2"
    cited = ["ls.reduction", "smooth.gamma"]

    @check(claim, grid=words.format(6, 3), wide=words.format(24, 6), weight=3, uses=cited, audits=(mech, {}))
    def decide(ctx: Context) -> Outcome:
        return smooth_outcome(ctx, mech)


smooth_check("dp.ehds", "EHDS")
smooth_check("dp.mh", "MH")


# ------------------------------------------------------------------ far out


def far_batches(grid: Grid, mech: str, **options: str) -> Batches:
    """Yields the largest loss over all outputs of x = 1, x′ = 2 in both directions against the claimed ε."""

    def sides(mechanism: PosteriorMechanism, claimed: Fraction) -> tuple[Ball, Ball]:
        n, law = mechanism.model.n, mechanism.law()
        rows = [law.log_probabilities((c, n - c)) for c in (1, 2)]
        return balls.maximum([abs(a - b) for a, b in zip(*rows, strict=True)]), ball(claimed)

    for where, mechanism, claimed in subjects(grid, mech, **options):
        yield single(where, partial(sides, mechanism, claimed))

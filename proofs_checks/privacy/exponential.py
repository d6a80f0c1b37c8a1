"""Checks of pure differential privacy of the exponential mechanisms EHD, EHDS and MH."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from flint import fmpq, fmpq_mpoly

from dpaudit.claims import Context, Grid, Outcome, Proof, Statement, annotate, check, each, scan, spelled, variables
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.rationals import Exact
from dpaudit.privacy.guarantee import claimed_epsilon
from proofs_checks.coq import THEOREMS
from proofs_checks.points import Prior, maker, priors, rationals
from proofs_checks.privacy.smooth import smooth_bound
from proofs_checks.privacy.tools import epsilon_batches
from proofs_checks.setting.gs import at_least_one_proof

PRIVATE = Statement("true ε", "<=", "claimed ε", closeness="ratio")
EPS = rationals("1 1/100 16")
AT_LEAST_ONE = priors("1 1", "2 2", "1 100", "1 1 1", "1 2 3")
ANY = priors("1 1", "1/2 1/2", "1/10 1", "1/1000 100", "1 1 1", "1/10 1 10")
BELOW_ONE = tuple((Fraction(1, d), Fraction(1, d)) for d in (*range(1, 21), 100))
PAIRS = "every adjacent pair and output"
FAR_AT_LEAST_ONE = priors("1 1", "1 1000")
FAR_ANY = (*FAR_AT_LEAST_ONE, *priors("1/1000 1/1000"))
CLAIMED: dict[str, Fraction | int] = {"EHD": 1, "EHDS": 1, "MH": 1}
"""Multiples of the guarantee in the documents; a test changes one."""


def promised(mechanism: PosteriorMechanism) -> Fraction:
    """The ε that the documents promise: their multiple of the mechanism's guarantee."""
    return CLAIMED[mechanism.name] * (claimed_epsilon(mechanism.claimed()) or Fraction(0))


E, GAMMA_PLUS_1 = variables("E", "G")
"""γ = G − 1 and ε = E·G as symbols, G = 1 + γ: every γ > 0 and ε > 0 is one such pair, and ε/(1+γ) = E is exact."""


class Symbolic:
    """A mechanism whose ε and γ are symbols: the engine's own formulas for numerator and guarantee are run on it."""

    epsilon = E * GAMMA_PLUS_1
    gamma = GAMMA_PLUS_1 - 1

    def __init__(self, mech: str) -> None:
        self._kind: Any = REGISTRY[mech]

    def bounded_score(self) -> bool:
        """True: H ≤ 1."""
        return True

    def numerator(self) -> fmpq_mpoly:
        """e of the rate e/(2Δ(x)) that the mechanism uses, in symbols."""
        value: fmpq_mpoly = self._kind.numerator(self)
        return value

    def claimed(self, mech: str) -> fmpq_mpoly:
        """The ε that is claimed for it, in symbols: the multiple of the statement times the engine's own."""
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
    """The polynomial in G = 1 + γ and E = ε/(1+γ) in the letters of the documents, where it is simple."""
    g = GAMMA_PLUS_1
    simple = ((E * g, "ε"), (E, "ε/(1+γ)"), (E * g**2, "(1+γ)ε"), (g, "1+γ"), (1 + 0 * g, "1"))
    return next((words for known, words in simple if known == poly), f"{poly} (G = 1+γ, E = ε/G)")


def any_delta_proof(proof: Proof) -> Proof:
    """The proof with: EHD with any Δ ≥ GS(n, α) is ε-DP."""
    proof.uses("ls.reduction", "|H(x,r) − H(x′,r)| ≤ H(x,x′) ≤ LS(x) ≤ GS(n,α) ≤ Δ")
    proof.says("so", "H/Δ changes by at most 1")
    return two_halves(proof, "EHD", 1 + 0 * E)


@check(
    "dp.ehd.any-prior",
    grid=Grid(PAIRS, n=range(1, 5), eps=rationals("1 1/2 2"), prior=BELOW_ONE),
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
    outcome = scan(PRIVATE, epsilon_batches(ctx.grid, maker("EHD", gs="constant"), promised))
    return annotate(outcome, ("n = 1, k = 2: it fails exactly when g(α₁)g(α₂) < π − 3, at every ε", rule))


# ------------------------------------------------------------------ smooth sensitivity


def smooth_proof(proof: Proof, mech: str) -> Proof:
    """The proof that the weights change by at most e^((1+γ)e/2) between adjacent data sets."""
    h, other, s, t = variables("h", "other", "s", "t")
    split = (h - other) * s + other * (s - t)
    proof.says("letters", "h = H(x,r), h′ = H(x′,r), s = 1/S(x), t = 1/S(x′)")
    proof.equal("split", "h·s − h′·t = (h − h′)·s + h′·(s − t)", h * s - other * t, split)
    proof.uses("ls.reduction", "first part: |h − h′|·s ≤ H(x,x′)·s ≤ LS(x)/S(x)")
    proof.uses("smooth.gamma", "which is ≤ 1, because S ≥ LS; second part: h′·|s − t| ≤ 1·γ, because H ≤ 1")
    return two_halves(proof, mech, 1 + smooth_bound(GAMMA_PLUS_1 - 1))


# ------------------------------------------------------------------ proved for all n, audited on grids


@dataclass(frozen=True)
class Audited:
    """What a guarantee is proved for, in words, and audited for: k = 2 and 3 up to the two n, and one pair far out."""

    words: str
    near: tuple[Prior, ...]
    far: tuple[Prior, ...]
    most: tuple[int, int]
    wide: tuple[int, int]
    gammas: Prior = ()
    far_gammas: Prior = ()

    def text(self, most: tuple[int, int]) -> str:
        """The words for the grid of the check."""
        listed = f", γ = {spelled(self.gammas)}" if self.gammas else ""
        return f"for all n, k, {self.words}; audited for k = 2, n ≤ {most[0]} and k = 3, n ≤ {most[1]}{listed}"

    def grids(self, wide: bool) -> tuple[Grid, Grid]:
        """The grid of all pairs and the one far out."""
        axes, far_axes = ({"gamma": gammas} if gammas else {} for gammas in (self.gammas, self.far_gammas))
        two, three = (
            Grid(PAIRS, n=range(1, n + 1), eps=EPS, prior=[p for p in self.near if len(p) == k], **axes)
            for k, n in zip((2, 3), self.wide if wide else self.most, strict=True)
        )
        words = "x = 1, x′ = 2 and back, every output"
        return two + three, Grid(words, n=[200], eps=rationals("1/1000 64"), prior=self.far, **far_axes)


EXACT = Audited("priors and ε", ANY, FAR_ANY, (8, 3), (40, 8))
CONSTANT = Audited("ε and priors with every αᵢ ≥ 1", AT_LEAST_ONE, FAR_AT_LEAST_ONE, (8, 3), (40, 8))
SMOOTH = Audited("priors, γ > 0 and ε", ANY, FAR_ANY, (6, 3), (24, 6), rationals("1 1/10 2"), rationals("1 1/100 50"))


def far_loss(mechanism: PosteriorMechanism) -> tuple[Ball, Ball]:
    """The largest loss over all outputs of x = 1, x′ = 2 in both directions, and the promised ε."""
    n, law = mechanism.model.n, mechanism.law()
    rows = [law.log_probabilities((c, n - c)) for c in (1, 2)]
    return balls.maximum([abs(a - b) for a, b in zip(*rows, strict=True)]), ball(promised(mechanism))


def private_check(claim: str, mech: str, audited: Audited, prove: Callable[[Proof], Proof], **options: Exact) -> None:
    """Makes the check that the mechanism keeps its guarantee: proved, and audited on the grids."""
    grid, wide = audited.text(audited.most), audited.text(audited.wide)
    uses = ["ls.reduction", "smooth.gamma"] if audited.gammas else ["ls.reduction"]

    @check(claim, grid=grid, wide=wide, weight=3, uses=uses, audits=(mech, {k: str(v) for k, v in options.items()}))
    def decide(ctx: Context) -> Outcome:
        near, far = audited.grids(ctx.wide)
        subject = maker(mech, **options)
        return (
            prove(ctx.proof())
            .formal(THEOREMS[claim])
            .settle(
                (f"true ε computed: {near}", scan(PRIVATE, epsilon_batches(near, subject, promised))),
                (f"far out: {far}", scan(PRIVATE, each(far, subject, far_loss))),
            )
        )


def at_least_one(proof: Proof) -> Proof:
    """The proof for EHD with the constant GS₀ and every αᵢ ≥ 1, where GS(n, α) ≤ GS₀."""
    return any_delta_proof(proof.using(at_least_one_proof()))


private_check("dp.ehd.exact-gs", "EHD", EXACT, any_delta_proof, gs="exact")
private_check("dp.ehd.prior-ge-1", "EHD", CONSTANT, at_least_one, gs="constant")
private_check("dp.ehds", "EHDS", SMOOTH, partial(smooth_proof, mech="EHDS"))
private_check("dp.mh", "MH", SMOOTH, partial(smooth_proof, mech="MH"))

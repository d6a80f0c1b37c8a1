"""What the checks on privacy share: true epsilon and delta as balls, batches over mechanisms, worked examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from dpaudit.claims import Batches, Grid, Point, Step, each, step
from dpaudit.claims.shown import listed
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.mechanisms.exponential import EHD, EHDL, Rates
from dpaudit.mechanisms.mhdelta import ADJACENT, MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, hamming, neighbors
from dpaudit.posterior.scores import Score
from dpaudit.posterior.sensitivity import closure, local, local_all
from dpaudit.privacy import loss as privacy_loss
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Worst

TERMS = 3
"""Terms of a sum that are written out."""
DISTANCE = "√(1 − Π Γ(αᵢ+(cᵢ+dᵢ)/2)/√(Γ(αᵢ+cᵢ)·Γ(αᵢ+dᵢ)))"


def digits() -> int:
    """The decimals that the precision in force is good for."""
    return max(6, balls.working_bits() * 30 // 100 - 20)


def as_ball(worst: Worst) -> Ball:
    """A ball that contains the worst value."""
    return balls.from_ends(ball(worst.value.lower), ball(worst.value.upper))


def true_epsilon(mechanism: PosteriorMechanism, tier: str = "auto") -> Ball:
    """A ball that contains the true epsilon, over all ordered adjacent pairs and outputs."""
    return as_ball(privacy_loss.worst_loss(mechanism, Effort(digits(), tier=tier)))


def true_delta(mechanism: PosteriorMechanism, at: Fraction) -> Ball:
    """A ball that contains delta(at), over all ordered adjacent pairs."""
    return as_ball(privacy_loss.worst_delta(mechanism, at, Effort(2 * digits())))


def epsilon_batches(
    grid: Grid, subject: Callable[[Point], PosteriorMechanism], bound: Callable[[PosteriorMechanism], Fraction]
) -> Batches:
    """Yields the true epsilon of the mechanism at every point against its bound."""

    def tie(mechanism: PosteriorMechanism) -> bool | None:
        form = mechanism.algebra().worst()
        return None if form is None else form.rational() == bound(mechanism)

    return each(grid, subject, lambda at: (true_epsilon(at), bound(at)), tie, loss_steps)


def loss_steps(mechanism: PosteriorMechanism) -> list[Step]:
    """The worst pair and output, step by step: distances, sensitivities, normalizers, probabilities, loss."""
    worst = privacy_loss.worst_loss(mechanism, Effort(digits()))
    x, y, r = worst.witness.x, worst.witness.x_prime, worst.witness.output
    if r is None:
        return []
    lines = [step("the worst pair and output", "x, x′, r", f"{x}, {y}, {r}")]
    lines += row_steps(mechanism, x, r, "x") + row_steps(mechanism, y, r, "x′")
    law, index = mechanism.law(), list(mechanism.outputs()).index(r)
    p, q = law.probabilities(x)[index], law.probabilities(y)[index]
    lines += [step("P_x(r)", "", p), step("P_x′(r)", "", q)]
    return [*lines, step("privacy loss", "ln P_x(r) − ln P_x′(r)", p.log() - q.log())]


def delta_steps(mechanism: PosteriorMechanism, at: Fraction) -> list[Step]:
    """δ(at) of the worst pair, step by step: the terms P_x(r) − e^at·P_x′(r) that are positive, and their sum."""
    worst = privacy_loss.worst_delta(mechanism, at, Effort(2 * digits()))
    x, y = worst.witness.x, worst.witness.x_prime
    law, factor = mechanism.law(), ball(at).exp()
    rows = zip(mechanism.outputs(), law.probabilities(x), law.probabilities(y), strict=True)
    terms = [(r, p, q, p - factor * q) for r, p, q in rows]
    kept = sorted((term for term in terms if balls.certainly_less(balls.zero(), term[3])), key=lambda t: -float(t[3]))
    lines = [step("the worst pair", "x, x′", f"{x}, {y}")]
    lines += row_steps(mechanism, x, x, "x")[1:] + row_steps(mechanism, y, y, "x′")[1:]
    lines.append(step("e^ε", "", factor))
    for r, p, q, difference in kept[:TERMS]:
        lines += [step(f"P_x({r})", "", p), step(f"P_x′({r})", "", q)]
        lines.append(step(f"term of {r}", "P_x − e^ε·P_x′ > 0", difference))
    if len(kept) > TERMS:
        lines.append(
            step("the other positive terms", f"{len(kept) - TERMS} of them", balls.total([t[3] for t in kept[TERMS:]]))
        )
    whole = balls.total([term[3] for term in kept]) if kept else balls.zero()
    words = f"sum of the {len(kept)} positive terms; the other {len(terms) - len(kept)} are not positive and count as 0"
    return [*lines, step("δ(ε)", words, whole)]


@runtime_checkable
class Rated(Protocol):
    """P_x(r) proportional to exp(−rate(x)·H(x, r)), the rate perhaps with a smoothed sensitivity."""

    @property
    def model(self) -> Model:
        """The model."""

    def rates(self, h: Score) -> Rates:
        """x ↦ rate(x)."""

    def numerator(self) -> Fraction:
        """e of the rate e/(2Δ)."""

    def smoothing(self) -> tuple[Callable[[Ball], Ball], Ball] | None:
        """(f, γ) where f(Δ(x)) = min over x″ of f(LS(x″)) + γ·d(x, x″)."""


@dataclass(frozen=True)
class Peak:
    """Where the maximum in a smooth sensitivity is: at ``source``, ``steps`` records away."""

    source: Histogram
    steps: int
    gamma: Ball
    logarithmic: bool
    most: str = ""
    """What bounds d, where something does."""

    def formula(self) -> str:
        """S(x) from LS(x″)."""
        return ("LS(x″)·e^(−γ·d)" if self.logarithmic else "1/(1/LS(x″) + γ·d)") + self.most

    def gamma_words(self) -> str:
        """How γ is given."""
        return "ln(1 − ε/(2 ln(δ/(2(n+1)))))" if self.logarithmic else "as chosen"


def peak_of(mechanism: Rated, h: Score, x: Histogram) -> Peak | None:
    """Where the smooth sensitivity of x is attained; None for the other sensitivities."""
    if isinstance(mechanism, MHdelta) and mechanism.over == ADJACENT:
        near, gamma = [x, *neighbors(x)], mechanism.gamma()
        source = near[balls.argsort([local(h, y) * (-gamma * hamming(x, y)).exp() for y in near])[-1]]
        return Peak(source, hamming(x, source), gamma, True, ", d ≤ 1")
    smoothing = mechanism.smoothing()
    if smoothing is None:
        return None
    model, (value, gamma) = mechanism.model, smoothing
    found, i = closure(model, [value(ls) for ls in local_all(h)], gamma), model.index[x]
    logarithmic = balls.is_zero(value(ball(1)))  # f(v) = −ln v; else f(v) = 1/v
    return Peak(model.histograms[found.sources[i]], found.steps[i], gamma, logarithmic)


def sensitivity_words(mechanism: Rated, name: str) -> str:
    """Which sensitivity it is that is not smoothed, with its formula where it has a name."""
    if isinstance(mechanism, EHDL):
        return f"LS({name}), the largest H({name}, ·) over its neighbors"
    if isinstance(mechanism, EHD):
        return "GS₀ = √(1 − π/4)" if mechanism.gs == "constant" else "GS(n, α), the largest H over all adjacent pairs"
    return "the sensitivity in use"


def sensitivity_steps(mechanism: Rated, h: Score, x: Histogram, name: str) -> list[Step]:
    """The sensitivity of x, step by step: γ, x″ with its LS, and S; for the others Δ alone."""
    peak, delta = peak_of(mechanism, h, x), ball(mechanism.numerator() / 2) / mechanism.rates(h)(x)
    if peak is None:
        return [step(f"Δ({name})", sensitivity_words(mechanism, name), delta)]
    row, index = h.row(peak.source), mechanism.model.index
    beside = list(neighbors(peak.source))
    far = beside[balls.argsort([row[index[y]] for y in beside])[-1]]
    where = f"x″ = {peak.source}, d = d({name}, x″) = {peak.steps}; LS(x″) = H(x″, {far})"
    return [
        *([step("γ", peak.gamma_words(), peak.gamma)] if name == "x" else []),
        step(f"LS(x″) for {name}", where, local(h, peak.source)),
        step(f"S({name})", f"the maximum over x″: {peak.formula()}", delta),
    ]


FEW = 12
"""The most candidates whose distances are listed."""


def row_steps(mechanism: PosteriorMechanism, x: Histogram, r: Histogram, name: str) -> list[Step]:
    """distance, sensitivity and normaliser of one data set, for a mechanism that has them."""
    if not isinstance(mechanism, Rated):
        return []
    h = Hellinger(mechanism.model)
    rate, row = mechanism.rates(h)(x), h.row(x)
    weights = [(-rate * value).exp() for value in row]
    known = listed(zip(mechanism.model.histograms, row, strict=True)) if len(row) <= FEW else ""
    distant = "" if known else f", H({name},r) = {DISTANCE}"
    share = mechanism.numerator() / mechanism.epsilon
    factor = "ε" if share == 1 else f"{share}·ε"
    delta = "Δ" if peak_of(mechanism, h, x) is None else "S"
    return [
        step(f"H({name},r)", DISTANCE, h.between(x, r)),
        *sensitivity_steps(mechanism, h, x, name),
        step(f"w, the rate in P_{name}(r) = e^(−w·H({name},r))/NL({name})", f"{factor}/(2{delta}({name}))", rate),
        *([step(f"H({name}, ·)", DISTANCE, known)] if known else []),
        step(f"NL({name})", f"Σ over {len(weights)} candidates of e^(−w·H({name},r)){distant}", balls.total(weights)),
    ]

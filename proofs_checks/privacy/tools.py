"""What the checks on privacy share: true epsilon and delta as balls, batches over mechanisms, worked examples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, runtime_checkable

from dpaudit.claims import Batches, Grid, Point, Step, each, step
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.mechanisms.exponential import Rates
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from dpaudit.posterior.scores import Score
from dpaudit.posterior.sensitivity import closure, local_all
from dpaudit.privacy import loss as privacy_loss
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Worst

TERMS = 3
"""Terms of a sum that are written out."""


def digits() -> int:
    """Returns the decimals that the precision in force is good for."""
    return max(6, balls.working_bits() * 30 // 100 - 20)


def as_ball(worst: Worst) -> Ball:
    """Returns a ball that contains the worst value."""
    return balls.from_ends(ball(worst.value.lower), ball(worst.value.upper))


def true_epsilon(mechanism: PosteriorMechanism, tier: str = "auto") -> Ball:
    """Returns a ball that contains the true epsilon, over all ordered adjacent pairs and outputs."""
    return as_ball(privacy_loss.worst_loss(mechanism, Effort(digits(), tier=tier)))


def true_delta(mechanism: PosteriorMechanism, at: Fraction) -> Ball:
    """Returns a ball that contains delta(at), over all ordered adjacent pairs."""
    return as_ball(privacy_loss.worst_delta(mechanism, at, Effort(2 * digits())))


def epsilon_batches(
    grid: Grid, subject: Callable[[Point], PosteriorMechanism], bound: Callable[[PosteriorMechanism], Fraction]
) -> Batches:
    """Yields the true epsilon of the mechanism at every point against its bound."""

    def tie(mechanism: PosteriorMechanism) -> bool | None:
        form = mechanism.algebra().worst()
        return None if form is None else form.rational() == bound(mechanism)

    return each(grid, subject, lambda at: (true_epsilon(at), ball(bound(at))), tie, loss_steps)


def loss_steps(mechanism: PosteriorMechanism) -> list[Step]:
    """Returns the worst pair and output worked out: distances, sensitivities, normalisers, probabilities, loss."""
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
    """Returns δ(at) of the worst pair worked out: the terms P_x(r) − e^at·P_x′(r) that are positive, and their sum."""
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
        """Returns the model."""

    def rates(self, h: Score) -> Rates:
        """Returns x ↦ rate(x)."""

    def smoothing(self) -> tuple[Callable[[Ball], Ball], Ball] | None:
        """Returns (f, γ) where f(Δ(x)) = min over x″ of f(LS(x″)) + γ·d(x, x″)."""


def attained(mechanism: Rated, h: Score, x: Histogram) -> str:
    """Returns at which x″ the maximum in the smooth sensitivity of x is attained; nothing for the other ones."""
    smoothing = mechanism.smoothing()
    if smoothing is None:
        return ""
    model, (value, gamma) = mechanism.model, smoothing
    found, i = closure(model, [value(ls) for ls in local_all(h)], gamma), model.index[x]
    return f"; attained at x″ = {model.histograms[found.sources[i]]}, {found.steps[i]} steps away"


def row_steps(mechanism: PosteriorMechanism, x: Histogram, r: Histogram, name: str) -> list[Step]:
    """Returns distance, sensitivity and normaliser of one data set, for a mechanism that has them."""
    if not isinstance(mechanism, Rated):
        return []
    h = Hellinger(mechanism.model)
    rate = mechanism.rates(h)(x)
    weights = [(-rate * value).exp() for value in h.row(x)]
    return [
        step(f"H({name},r)", "", h.between(x, r)),
        step(f"ε/(2Δ({name}))", f"Δ the sensitivity in use, with its factor{attained(mechanism, h, x)}", rate),
        step(f"NL({name})", f"Σ over {len(weights)} candidates of e^(−ε·H/(2Δ))", balls.total(weights)),
    ]

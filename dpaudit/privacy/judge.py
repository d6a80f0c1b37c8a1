"""The verdict on (epsilon, delta), from the certified worst case; ties are decided by algebra."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import exact
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy import columns
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.effort import USUAL, Effort
from dpaudit.privacy.fast import screens_columns
from dpaudit.privacy.loss import hockey_stick, verdict, worst_delta, worst_loss
from dpaudit.privacy.pairs import Worst, pairs
from dpaudit.privacy.protocols import Audited, Mass

if TYPE_CHECKING:
    from dpaudit.privacy.guarantee import EpsilonDelta

W = TypeVar("W", bound=Worst)
VERDICT_DIGITS = 200
"""A verdict that is still open at this many digits stays UNDECIDED."""


def settled(
    mechanism: Audited, bound: Fraction, effort: Effort, measure: Callable[[Effort], W], first: W | None = None
) -> tuple[Verdict, W | None]:
    """The verdict on "the quantity <= bound" and the last measurement, None if there was none.

    ``measure`` computes more and more digits until it is decided; ``first`` is its result with this effort.
    """
    worst, digits = first, effort.digits
    try:
        if worst is None:
            worst = measure(effort)
        while verdict(worst.value, bound) is Verdict.UNDECIDED and digits < VERDICT_DIGITS and mechanism.refinable:
            digits *= 3
            worst = measure(effort.to(digits))
    except PrecisionExhausted:
        return Verdict.UNDECIDED, worst
    return verdict(worst.value, bound), worst


def at_most(mechanism: Audited, bound: Fraction, effort: Effort = USUAL, bits: int = 256) -> Verdict:
    """The verdict on "true epsilon <= bound"; a loss that equals the bound by algebra is no obstacle."""
    outcome = Verdict.PROVED
    with balls.precision(bits):
        law, limit = effort.law(mechanism), balls.ball(bound)
        cliques = columns.cliques_of(mechanism)
        if cliques is not None and bound >= 0:
            with suppress(columns.Unlike):
                return columns.at_most(mechanism, law, cliques, bound, screen=screens_columns(mechanism, effort.tier))
        seen: set[Hashable] = set()
        for x, y in pairs(mechanism, effort.whole()):
            for mass in law.ratios(x, y, seen):
                for part in (mass, mass.swapped()):
                    single = _one_at_most(part, bound, limit)
                    if single is Verdict.REFUTED:
                        return single
                    if single is Verdict.UNDECIDED:
                        outcome = single
    return outcome


def _one_at_most(mass: Mass, bound: Fraction, limit: balls.Ball) -> Verdict:
    """The verdict on ln p/p' <= bound; an impossible p is no obstacle."""
    if mass.loss is not None:
        return Verdict.PROVED if mass.loss <= bound else Verdict.REFUTED
    if balls.is_zero(mass.p):
        return Verdict.PROVED
    if balls.is_zero(mass.p_prime):
        return Verdict.REFUTED if balls.certainly_less(balls.zero(), mass.p) else Verdict.UNDECIDED
    return balls.at_most(mass.p.log() - mass.p_prime.log(), limit)


def exact_epsilon(mechanism: Audited, worst: Worst, effort: Effort = USUAL) -> Fraction | None:
    """The true epsilon where algebra knows the loss at the witness and that no other exceeds it, else None."""
    if worst.value.is_infinite:
        return None
    witness = worst.witness
    loss = mechanism.algebra().loss(witness.x, witness.x_prime, witness.output)
    if loss is None or at_most(mechanism, loss, effort) is not Verdict.PROVED:
        return None
    return loss


def true_epsilon(mechanism: Audited, effort: Effort) -> Worst:
    """The worst loss, with as many digits as the mechanism allows, exactly where algebra knows it."""
    worst = effort.widest(mechanism, lambda e: worst_loss(mechanism, e))
    form = mechanism.algebra().worst()
    known = form.rational() if form else exact_epsilon(mechanism, worst, effort)
    if known is None or not mechanism.algebra().narrows:
        return replace(worst, known=known)
    return replace(worst, value=exact(known, effort.digits), known=known)


def judge_epsilon(mechanism: Audited, claim: EpsilonDelta, effort: Effort, worst: Worst | None = None) -> Claim:
    """The claim with its verdict; ``worst`` is the true epsilon where it has been computed already.

    More digits are computed until it is decided. A claim with delta > 0 whose epsilon is exceeded, and any claim where
    the true epsilon cannot be known, is decided by delta(epsilon) <= delta.
    """
    by_delta = effort.to(max(effort.digits, 30))
    if worst is None:
        try:
            worst = true_epsilon(mechanism, effort)
        except PrecisionExhausted:
            found = judge_delta(mechanism, claim, claim.epsilon, None, by_delta)
            if found.verdict is Verdict.UNDECIDED and not claim.delta:
                raise
            return found
    if worst.known is not None:
        outcome = Verdict.PROVED if worst.known <= claim.epsilon else Verdict.REFUTED
    else:
        outcome = verdict(worst.value, claim.epsilon)
        if outcome is Verdict.UNDECIDED and mechanism.algebra().exact_losses:
            outcome = at_most(mechanism, claim.epsilon, effort)
        if outcome is Verdict.UNDECIDED:
            outcome, last = settled(mechanism, claim.epsilon, effort, lambda e: worst_loss(mechanism, e), worst)
            worst = last or worst
    if outcome is not Verdict.PROVED and claim.delta:
        return judge_delta(mechanism, claim, claim.epsilon, None, by_delta)
    return Claim(claim, outcome, Evidence("epsilon", worst.value, worst.witness, bits=worst.bits))


def delta_at_most(
    mechanism: Audited, at: Fraction, bound: Fraction, effort: Effort = USUAL, bits: int = 256
) -> Verdict:
    """The verdict on "delta(at) <= bound"; a pair that balls leave open is decided by algebra if it can be."""
    outcome, algebra = Verdict.PROVED, mechanism.algebra()
    with balls.precision(bits):
        law, limit, factor = effort.law(mechanism), balls.ball(bound), balls.ball(at).exp()
        for x, y in pairs(mechanism, effort.whole()):
            masses = law.masses(x, y)
            for a, b, parts in ((x, y, masses), (y, x, [mass.swapped() for mass in masses])):
                single = balls.at_most(hockey_stick(parts, at, factor), limit)
                if single is Verdict.UNDECIDED:
                    single = algebra.delta_at_most(a, b, at, bound)
                if single is Verdict.REFUTED:
                    return single
                outcome = single if single is Verdict.UNDECIDED else outcome
    return outcome


def _by_delta(
    mechanism: Audited,
    at: Fraction,
    bound: Fraction,
    effort: Effort,
    measure: Callable[[Effort], Worst],
    found: Worst | None,
) -> tuple[Verdict, Worst | None]:
    """The verdict on "delta(at) <= bound" and the last measurement; algebra is asked before more digits."""
    try:
        found = measure(effort) if found is None else found
    except PrecisionExhausted:
        return Verdict.UNDECIDED, None
    outcome = verdict(found.value, bound)
    if outcome is Verdict.UNDECIDED and mechanism.algebra().exact_losses and mechanism.refinable:
        outcome = delta_at_most(mechanism, at, bound, effort)
    return (outcome, found) if outcome is not Verdict.UNDECIDED else settled(mechanism, bound, effort, measure, found)


def judge_delta(mechanism: Audited, claim: EpsilonDelta, at: Fraction, found: Worst | None, effort: Effort) -> Claim:
    """The claim with the verdict on it that delta(at) gives, or with None where it says nothing.

    delta falls as epsilon grows: delta(at) <= claimed delta proves the claim if at <= claimed epsilon, and
    delta(at) > claimed delta refutes it if at >= claimed epsilon.
    """

    def measure(effort: Effort) -> Worst:
        return effort.widest(mechanism, lambda e: worst_delta(mechanism, at, e))

    outcome, worst = _by_delta(mechanism, at, claim.delta, effort, measure, found)
    silent = (outcome is Verdict.PROVED and at > claim.epsilon) or (outcome is Verdict.REFUTED and at < claim.epsilon)
    if worst is None:
        return Claim(claim, outcome)
    evidence = Evidence("delta", worst.value, worst.witness, {"epsilon": str(at)}, worst.bits)
    return Claim(claim, None if silent else outcome, evidence)

"""The verdict on a claimed guarantee, from the certified worst case; ties are decided by algebra."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from dpaudit.audit.results import Claim
from dpaudit.mechanisms.base import Mass, Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import Worst, pairs, verdict, worst_delta, worst_loss

T = TypeVar("T")
VERDICT_DIGITS = 200
"""A verdict that is still open at this many digits stays UNDECIDED."""


def widest(mechanism: Mechanism, compute: Callable[[int], T], digits: int) -> T:
    """Returns compute(digits), or for a mechanism known to fixed width only with as many digits as it allows."""
    if mechanism.refinable:
        return compute(digits)
    for fewer in range(digits, 0, -1):
        try:
            return compute(fewer)
        except PrecisionExhausted as problem:
            if problem.hopeless:
                raise
    raise InputError("mech", mechanism.name, "the enclosures that it gives are too wide for an answer of one digit")


def at_most(mechanism: Mechanism, bound: Fraction, bits: int = 256) -> Verdict:
    """Returns the verdict on "true epsilon <= bound"; a loss that equals the bound by algebra is no obstacle."""
    outcome = Verdict.PROVED
    with balls.precision(bits):
        law, limit = mechanism.law(), balls.ball(bound)
        for x, y in pairs(mechanism):
            for mass in law.masses(x, y):
                for part in (mass, mass.swapped()):
                    single = _one_at_most(part, bound, limit)
                    if single is Verdict.REFUTED:
                        return single
                    if single is Verdict.UNDECIDED:
                        outcome = single
    return outcome


def _one_at_most(mass: Mass, bound: Fraction, limit: balls.Ball) -> Verdict:
    """Returns the verdict on ln p/p' <= bound; an impossible p is no obstacle."""
    if mass.loss is not None:
        return Verdict.PROVED if mass.loss <= bound else Verdict.REFUTED
    if balls.is_zero(mass.p):
        return Verdict.PROVED
    if balls.is_zero(mass.p_prime):
        return Verdict.REFUTED if balls.certainly_less(balls.zero(), mass.p) else Verdict.UNDECIDED
    return balls.at_most(mass.p.log() - mass.p_prime.log(), limit)


def exact_epsilon(mechanism: Mechanism, worst: Worst) -> Fraction | None:
    """Returns the true epsilon where algebra knows the loss at the witness and that no other exceeds it, else None."""
    if worst.value.is_infinite:
        return None
    witness = worst.witness
    loss = mechanism.exact_loss(witness.x, witness.x_prime, witness.output)
    if loss is None or at_most(mechanism, loss) is not Verdict.PROVED:
        return None
    return loss


def judge_epsilon(mechanism: Mechanism, found: Enclosure, known: Fraction | None, digits: int, memory: int) -> Claim:
    """Returns the claim with its verdict; ``known`` is the true epsilon where algebra has it.

    More digits are computed until it is decided. A claim with delta > 0 whose epsilon is exceeded is decided by
    delta(epsilon) <= delta.
    """
    claimed = mechanism.claimed()
    if claimed is None:
        return Claim()
    if known is not None:
        found = exact(known, digits)
        if known == claimed.epsilon:
            return Claim(claimed.epsilon, claimed.delta, Verdict.PROVED)
    outcome = verdict(found, claimed.epsilon)
    if outcome is Verdict.UNDECIDED and mechanism.has_exact_losses:
        outcome = at_most(mechanism, claimed.epsilon)
    while outcome is Verdict.UNDECIDED and digits < VERDICT_DIGITS and mechanism.refinable:
        digits *= 3
        outcome = verdict(worst_loss(mechanism, digits, memory=memory).value, claimed.epsilon)
    if outcome is not Verdict.PROVED and claimed.delta:
        return judge_delta(mechanism, claimed.epsilon, None, max(digits, 30), memory)
    return Claim(claimed.epsilon, claimed.delta, outcome)


def judge_delta(mechanism: Mechanism, at: Fraction, found: Enclosure | None, digits: int, memory: int) -> Claim:
    """Returns the claim with the verdict on it that delta(at) gives, or with None where it says nothing.

    delta falls as epsilon grows: delta(at) <= claimed delta proves the claim if at <= claimed epsilon, and
    delta(at) > claimed delta refutes it if at >= claimed epsilon.
    """
    claimed = mechanism.claimed()
    if claimed is None:
        return Claim()

    def again(places: int) -> Enclosure:
        return widest(mechanism, lambda d: worst_delta(mechanism, at, d, memory=memory), places).value

    outcome = verdict(again(digits) if found is None else found, claimed.delta)
    while outcome is Verdict.UNDECIDED and digits < VERDICT_DIGITS and mechanism.refinable:
        digits *= 3
        outcome = verdict(again(digits), claimed.delta)
    silent = (outcome is Verdict.PROVED and at > claimed.epsilon) or (
        outcome is Verdict.REFUTED and at < claimed.epsilon
    )
    return Claim(claimed.epsilon, claimed.delta, None if silent else outcome)

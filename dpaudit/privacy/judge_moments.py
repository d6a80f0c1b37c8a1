"""The verdict on Renyi and zero-concentrated differential privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure, infinite, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim, Evidence, narrowed
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import settled
from dpaudit.privacy.moments import Concentration, InfiniteLoss, Moments
from dpaudit.privacy.pairs import Witness, Worst, pairs
from dpaudit.privacy.protocols import Audited

if TYPE_CHECKING:
    from dpaudit.privacy.guarantee import Guarantee, RenyiDP, Zcdp

FIRST_BITS, MOST_BITS = 192, 1536


def moments(mechanism: Audited, effort: Effort) -> Iterator[Moments]:
    """Yields the moments of all ordered adjacent pairs, up to symmetry, at the precision in force."""
    law = effort.law(mechanism)
    for x, y in pairs(mechanism, effort):
        masses = law.masses(x, y)
        yield Moments(masses, Witness(x, y, None))
        yield Moments([mass.swapped() for mass in masses], Witness(y, x, None))


def unless_infinite(
    mechanism: Audited, claim: Guarantee, quantity: str, at: dict[str, str], effort: Effort, decide: Callable[[], Claim]
) -> Claim:
    """Returns what ``decide`` says, or REFUTED where a loss is infinite; a mechanism that is too large is refused."""
    effort.check_whole(mechanism, "claim")
    found = mechanism.algebra().infinite()
    try:
        if found is not None:
            raise InfiniteLoss(Witness(*found))
        return decide()
    except InfiniteLoss as loss:
        return Claim(claim, Verdict.REFUTED, Evidence(quantity, infinite(), loss.witness, at))


def judge_renyi(mechanism: Audited, claim: RenyiDP, effort: Effort) -> Claim:
    """The verdict on D_alpha <= epsilon, with an enclosure of the largest D_alpha."""
    at = {"alpha": str(claim.alpha)}

    def decide() -> Claim:
        outcome, worst = settled(
            mechanism, claim.epsilon, effort, lambda more: _worst_divergence(mechanism, claim.alpha, more)
        )
        if worst is None:
            return Claim(claim, outcome)
        return Claim(claim, outcome, Evidence("renyi", worst.value, worst.witness, at, worst.bits))

    return unless_infinite(mechanism, claim, "renyi", at, effort, decide)


def _worst_divergence(mechanism: Audited, order: Fraction, effort: Effort) -> Worst:
    def attempt() -> tuple[Enclosure, Witness] | None:
        champion: Champion[Witness] = Champion()
        try:
            for pair in moments(mechanism, effort):
                champion.offer([pair.divergence(order)], lambda _, where=pair.where: where)  # type: ignore[misc]
        except PrecisionExhausted:
            return None
        value, witness = champion.result()
        narrow = narrowed(mechanism, value, effort.digits, least=0)
        return None if narrow is None else (narrow, witness)

    (value, witness), bits = balls.refine(attempt, *balls.bits_for(effort.digits, mechanism.counts().outputs))
    return Worst(value, witness, bits)


def judge_zcdp(mechanism: Audited, claim: Zcdp, effort: Effort) -> Claim:
    """The verdict on D_a <= rho a for all a > 1, with an enclosure of the smallest rho."""

    def decide() -> Claim:
        bits, last = FIRST_BITS, Claim(claim, Verdict.UNDECIDED)
        while bits <= (MOST_BITS if mechanism.refinable else FIRST_BITS):
            try:
                with balls.precision(bits):
                    last = _concentrated(mechanism, claim, effort, bits)
            except PrecisionExhausted:
                pass
            if last.verdict is not Verdict.UNDECIDED:
                break
            bits *= 2
        return last

    return unless_infinite(mechanism, claim, "zcdp_rho", {"alpha": "1"}, effort, decide)


def _concentrated(mechanism: Audited, claim: Zcdp, effort: Effort, bits: int) -> Claim:
    found = Concentration(list(moments(mechanism, effort)))
    rho = ball(claim.rho)
    found.refine(rho, bits // FIRST_BITS)
    upper = found.upper()
    if balls.certainly_at_most(upper, rho):
        outcome = Verdict.PROVED
    else:
        outcome = Verdict.REFUTED if balls.certainly_less(rho, found.best) else Verdict.UNDECIDED
    low, high = max(balls.ends(found.best)[0], Fraction(0)), max(balls.ends(upper)[1], Fraction(0))
    where = found.pairs[found.place].where
    value = outward(low, high, effort.digits)
    return Claim(claim, outcome, Evidence("zcdp_rho", value, where, {"alpha": str(found.order)}, bits))

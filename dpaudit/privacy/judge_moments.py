"""The verdict on Renyi and zero-concentrated differential privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure, exact, infinite, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import BOUNDS, Claim, Evidence, narrowed
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import settled
from dpaudit.privacy.left import Left, Sieve
from dpaudit.privacy.moments import Concentration, InfiniteLoss, Moments
from dpaudit.privacy.pairs import Witness, Worst
from dpaudit.privacy.protocols import Audited
from dpaudit.privacy.sieve import make_sieve

if TYPE_CHECKING:
    from dpaudit.privacy.guarantee import Guarantee, RenyiDP, Zcdp

FIRST_BITS, MOST_BITS = 192, 1536


def moments(sieve: Sieve, left: Left) -> Iterator[Moments]:
    """Yields the moments of the ordered pairs that are left, at the precision in force."""
    for x, y in left.pairs:
        masses = sieve.masses(x, y)
        yield Moments(masses, Witness(x, y, None))
        yield Moments([mass.swapped() for mass in masses], Witness(y, x, None))


def unless_infinite(
    mechanism: Audited, claim: Guarantee, quantity: str, at: dict[str, str], effort: Effort, decide: Callable[[], Claim]
) -> Claim:
    """What ``decide`` says, or REFUTED where a loss is infinite; a mechanism that is too large is refused."""
    effort.check_floats(mechanism, "claim")
    if not mechanism.tabular:
        return _without_table(mechanism, claim, quantity, at, effort)
    found = mechanism.algebra().infinite()
    try:
        if found is not None:
            raise InfiniteLoss(Witness(*found))
        return decide()
    except InfiniteLoss as loss:
        return Claim(claim, Verdict.REFUTED, Evidence(quantity, infinite(), loss.witness, at))


def _without_table(mechanism: Audited, claim: Guarantee, quantity: str, at: dict[str, str], effort: Effort) -> Claim:
    """The verdict where densities decide: by the divergence, where it is known in closed form. A loss that is
    unbounded says nothing here: that of Gaussian noise is, and its divergences are finite.
    """
    bound, order = vars(claim)[BOUNDS[quantity]], Fraction(at.get("alpha", "1"))
    worst = known_divergence(mechanism, quantity, order, effort)
    if worst is None:
        found = mechanism.algebra().impossible()
        if found is not None:
            return Claim(claim, Verdict.REFUTED, Evidence(quantity, infinite(), Witness(*found), at))
        rule = f"{mechanism.name} has no table of probabilities, and this is not known in closed form for it"
        raise InputError("claim", claim.option(), f"{rule}; (ε, δ) can be judged: --claim eps=1,delta=1e-5")
    evidence = Evidence(quantity, worst.value, worst.witness, at, worst.bits)
    if worst.known is not None:
        return Claim(claim, Verdict.PROVED if worst.known <= bound else Verdict.REFUTED, evidence)
    outcome, _ = settled(
        mechanism, bound, effort, lambda e: known_divergence(mechanism, quantity, order, e) or worst, worst
    )
    return Claim(claim, outcome, evidence)


def known_divergence(mechanism: Audited, quantity: str, order: Fraction, effort: Effort) -> Worst | None:
    """The largest divergence of a mechanism without a table, None where it is not known in closed form."""
    if mechanism.divergence(quantity, order) is None:
        return None

    def attempt() -> tuple[Enclosure, Witness, Fraction | None] | None:
        found = mechanism.divergence(quantity, order)
        assert found is not None
        value, where = found[0], Witness(found[1], found[2], None)
        if isinstance(value, Fraction):
            return exact(value, effort.digits), where, value
        narrow = balls.enclosure(value, effort.digits, least=0)
        return None if narrow is None else (narrow, where, None)

    (value, where, known), bits = balls.refine(attempt, *balls.bits_for(effort.digits))
    return Worst(value, where, bits, known=known)


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
    sieve = make_sieve(mechanism, effort, "claim")
    left = sieve.settle(lambda: sieve.divergence(order))

    def attempt() -> tuple[Enclosure, Witness] | None:
        champion: Champion[Witness] = Champion()
        try:
            for pair in moments(sieve, left):
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
        sieve = make_sieve(mechanism, effort, "claim")
        left = sieve.settle(lambda: sieve.concentration(claim.rho))
        bits, last = FIRST_BITS, Claim(claim, Verdict.UNDECIDED)
        while bits <= (MOST_BITS if mechanism.refinable else FIRST_BITS):
            try:
                with balls.precision(bits):
                    last = _concentrated(Concentration(list(moments(sieve, left))), left, claim, effort, bits)
            except PrecisionExhausted:
                pass
            if last.verdict is not Verdict.UNDECIDED:
                break
            bits *= 2
        return last

    return unless_infinite(mechanism, claim, "zcdp_rho", {"alpha": "1"}, effort, decide)


def _concentrated(found: Concentration, left: Left, claim: Zcdp, effort: Effort, bits: int) -> Claim:
    rho = ball(claim.rho)
    found.refine(rho, bits // FIRST_BITS)
    upper = found.upper()
    if left.others is not None:
        upper = balls.maximum([upper, balls.dyadic(left.others)])
    if balls.certainly_at_most(upper, rho):
        outcome = Verdict.PROVED
    else:
        outcome = Verdict.REFUTED if balls.certainly_less(rho, found.best) else Verdict.UNDECIDED
    where = found.pairs[found.place].where
    value = outward(*balls.cut(found.best, upper, 0), effort.digits)
    return Claim(claim, outcome, Evidence("zcdp_rho", value, where, {"alpha": str(found.order)}, bits))

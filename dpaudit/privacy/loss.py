"""The auditor: true epsilon and delta(epsilon) of any finite mechanism, over all adjacent pairs and all outputs.

It knows nothing of any mechanism beyond what protocols.py says.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, Champion, ball
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.numbers.errors import TooLargeError, approximately
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import MEMORY_BOUND
from dpaudit.privacy.fast import TooCoarse, fast_tier, refuse_if_forced
from dpaudit.privacy.pairs import Part, Progress, Witness, Worst, pairs
from dpaudit.privacy.protocols import Audited, Dataset, Mass


def check_memory(mechanism: Audited, bound: int) -> None:
    """Refuses a job that does not fit into ``bound`` bytes, with the numbers."""
    need, counts = mechanism.memory(), mechanism.counts()
    if need > bound:
        datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
        what = f"{mechanism.name} with {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
        raise TooLargeError(need, bound, what)


def worst_loss(
    mechanism: Audited,
    digits: int,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    part: Part | None = None,
) -> Worst:
    """Returns the true epsilon: the maximum of ln P_x(r) - ln P_x'(r) over all ordered adjacent pairs and outputs.

    Infinity where an output is possible for x and impossible for its neighbour x'. The closed form serves where the
    mechanism has one; else every pair and output is looked at, by the tier chosen (fast.TIERS). With ``part``, only
    the pairs of one part of the data sets.
    """
    impossible = mechanism.algebra().infinite()
    if impossible is not None:
        return Worst(infinite(), Witness(*impossible), 0)
    form = mechanism.algebra().worst()
    if form is not None:
        value, bits = balls.refine(lambda: balls.enclosure(form.ball(), digits, least=0), *balls.bits_for(digits))
        return Worst(value, Witness(form.x, form.x_prime, form.output), bits, "closed form")
    return worst_loss_by_search(mechanism, digits, progress, memory, tier, part)


def worst_loss_by_search(
    mechanism: Audited,
    digits: int,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    part: Part | None = None,
) -> Worst:
    """Returns the same by looking at every pair and output."""
    check_memory(mechanism, memory)
    fast = fast_tier(mechanism, tier, part)
    if fast is not None:
        try:
            return fast.worst_loss(digits, progress)
        except TooCoarse as reason:
            refuse_if_forced(tier, reason)

    def attempt() -> tuple[Enclosure, Witness] | None:
        value, (x, y, i) = _largest_difference(mechanism, progress, part)
        narrow = balls.enclosure(value, digits, least=0)
        return None if narrow is None else (narrow, Witness(x, y, mechanism.outputs()[i]))

    size = mechanism.counts().outputs
    (value, witness), bits = balls.refine(attempt, *balls.bits_for(digits, size))
    return Worst(value, witness, bits)


def _largest_difference(
    mechanism: Audited, progress: Progress | None, part: Part | None
) -> tuple[Ball, tuple[Dataset, Dataset, int]]:
    law = mechanism.law()
    champion: Champion[tuple[Dataset, Dataset, int]] = Champion()
    seen: set[Hashable] = set()
    for x, y in pairs(mechanism, progress, part):
        losses, places = law.losses(x, y, seen)
        champion.offer(losses, lambda i, x=x, y=y, at=places: (x, y, at[i]))  # type: ignore[misc]
        champion.offer([-loss for loss in losses], lambda i, x=x, y=y, at=places: (y, x, at[i]))  # type: ignore[misc]
    return champion.result()


def worst_delta(
    mechanism: Audited,
    at: Fraction,
    digits: int,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    part: Part | None = None,
) -> Worst:
    """Returns delta(at) = max over ordered adjacent pairs of sum_r max(0, P_x(r) - e^at P_x'(r))."""
    return worst_deltas(mechanism, [at], digits, progress, memory, tier, part)[0]


def worst_deltas(
    mechanism: Audited,
    points: Sequence[Fraction],
    digits: int,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    part: Part | None = None,
) -> list[Worst]:
    """Returns delta at every point, the profile; the rows are computed once for all points."""
    check_memory(mechanism, memory)
    fast = fast_tier(mechanism, tier, part)
    if fast is not None:
        try:
            return fast.worst_deltas(points, digits, progress)
        except TooCoarse as reason:
            refuse_if_forced(tier, reason)
    return _exact_deltas(mechanism, points, digits, progress, part)


def _exact_deltas(
    mechanism: Audited, points: Sequence[Fraction], digits: int, progress: Progress | None, part: Part | None
) -> list[Worst]:
    """Returns delta at every point from one walk over the pairs for each precision that is needed."""

    def attempt(left: list[Fraction]) -> dict[Fraction, tuple[Enclosure, Witness]]:
        law = mechanism.law()
        open_: list[tuple[Fraction, Ball, Champion[Witness]]] = [(at, ball(at).exp(), Champion()) for at in left]
        for x, y in pairs(mechanism, progress, part):
            masses = law.masses(x, y)
            swapped = [mass.swapped() for mass in masses]
            both = (Witness(x, y, None), Witness(y, x, None))
            for at, factor, champion in open_:
                there, back = hockey_stick(masses, at, factor), hockey_stick(swapped, at, factor)
                champion.offer([there, back], lambda i, both=both: both[i])  # type: ignore[misc]
        found = {}
        for at, _, champion in open_:
            value, witness = champion.result()
            narrow = balls.enclosure(value, digits, least=0, most=1)
            if narrow is not None:
                found[at] = narrow, witness
        return found

    found = balls.refine_all(points, attempt, *balls.bits_for(digits, mechanism.counts().datasets))
    return [Worst(*found[at][0], found[at][1]) for at in points]


def hockey_stick(masses: Sequence[Mass], at: Fraction, factor: Ball) -> Ball:
    """Returns a ball that contains the sum of max(0, p - e^at p'); ``factor`` contains e^at.

    Where the loss is known exactly, the sign of a term is decided by it: a tie contributes exactly 0.
    """
    parts = []
    for mass in masses:
        if mass.loss is None:
            parts.append(balls.positive_part(mass.p - factor * mass.p_prime))
        elif mass.loss > at:
            parts.append(mass.p - factor * mass.p_prime)
    return balls.total(parts)


def verdict(worst: Enclosure, bound: Fraction) -> Verdict:
    """Returns the verdict on "value <= bound" from the enclosure alone; UNDECIDED if the bound lies inside."""
    if worst.upper <= bound:
        return Verdict.PROVED
    return Verdict.REFUTED if worst.lower > bound else Verdict.UNDECIDED


__all__ = [
    "MEMORY_BOUND",
    "Progress",
    "Witness",
    "Worst",
    "check_memory",
    "hockey_stick",
    "pairs",
    "verdict",
    "worst_delta",
    "worst_deltas",
    "worst_loss",
    "worst_loss_by_search",
]

"""The auditor: true epsilon and delta(epsilon) of any finite mechanism, over all adjacent pairs and all outputs.

It knows nothing of any mechanism beyond what protocols.py says.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure, at_least, infinite
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.columns import Largest, cliques_of, largest_difference
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast import fast_tier, refuse_if_forced, screens_columns
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.pairs import Witness, Worst, pairs
from dpaudit.privacy.protocols import Audited, Dataset, Mass


def worst_loss(mechanism: Audited, effort: Effort) -> Worst:
    """The true epsilon: the maximum of ln P_x(r) - ln P_x'(r) over all ordered adjacent pairs and outputs.

    Infinity where an output is possible for x and impossible for its neighbor x'. The closed form serves where the
    mechanism has one; else every pair and output is examined, by the chosen tier. Where a part of the law is not
    known (Algebra.open_above), only a lower bound can be had.
    """
    effort.check_work(mechanism, 1, mechanism.most_steps, pairwise=False)
    reached = mechanism.algebra().open_above()
    if reached is not None:
        ratio, *where = reached
        bits = balls.bits_for(effort.digits)[0]
        with balls.precision(bits):
            loss = ball(ratio).log()
            lower = balls.cut(loss, loss, 0)[0]
        return Worst(at_least(lower, effort.digits), Witness(*where), bits)
    impossible = mechanism.algebra().infinite()
    if impossible is not None:
        return Worst(infinite(), Witness(*impossible), 0)
    form = mechanism.algebra().worst()
    if form is not None:
        digits = effort.digits
        value, bits = balls.refine(lambda: balls.enclosure(form.ball(), digits, least=0), *balls.bits_for(digits))
        return Worst(value, Witness(form.x, form.x_prime, form.output), bits, "closed form")
    return worst_loss_by_search(mechanism, effort)


def worst_loss_by_search(mechanism: Audited, effort: Effort) -> Worst:
    """The same by examining every pair and output."""
    fast = fast_tier(mechanism, effort.tier)
    if fast is not None:
        try:
            return fast.worst_loss(effort)
        except TooCoarse as reason:
            refuse_if_forced(effort.tier, reason)
    effort.check_memory(mechanism)

    def attempt() -> tuple[Enclosure, Witness, int | None] | None:
        value, (x, y, i), left = _largest_difference(mechanism, effort)
        narrow = effort.enclosure(value, least=0)
        return None if narrow is None else (narrow, Witness(x, y, mechanism.outputs()[i]), left)

    size = mechanism.counts().outputs
    (value, witness, left), bits = balls.refine(attempt, *balls.bits_for(effort.digits, size))
    return Worst(value, witness, bits, "exact" if left is None else "fast", left)


def _largest_difference(mechanism: Audited, effort: Effort) -> Largest:
    law = effort.law(mechanism)
    cliques = cliques_of(mechanism) if effort.part is None else None
    if cliques is not None:
        order = {x: i for i, x in enumerate(mechanism.datasets())}
        screen = screens_columns(mechanism, effort.tier)
        return largest_difference(law, cliques, order, effort.teller(len(order)), screen=screen)
    champion: Champion[tuple[Dataset, Dataset, int]] = Champion()
    seen: set[Hashable] = set()
    for x, y in pairs(mechanism, effort):
        losses, places = law.losses(x, y, seen)
        champion.offer(losses, lambda i, x=x, y=y, at=places: (x, y, at[i]))  # type: ignore[misc]
        champion.offer([-loss for loss in losses], lambda i, x=x, y=y, at=places: (y, x, at[i]))  # type: ignore[misc]
    return Largest(*champion.result())


def worst_delta(mechanism: Audited, at: Fraction, effort: Effort) -> Worst:
    """delta(at) = max over ordered adjacent pairs of sum_r max(0, P_x(r) - e^at P_x'(r))."""
    return worst_deltas(mechanism, [at], effort)[0]


def worst_deltas(mechanism: Audited, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
    """delta at every point, the profile; the rows are computed once for all points."""
    effort.check_work(mechanism, len(points), mechanism.most_steps)
    direct = mechanism.direct_deltas(points, effort)
    if direct is not None:
        return direct
    fast = fast_tier(mechanism, effort.tier)
    if fast is not None:
        try:
            return fast.worst_deltas(points, effort)
        except TooCoarse as reason:
            refuse_if_forced(effort.tier, reason)
    effort.check_memory(mechanism)
    return _exact_deltas(mechanism, points, effort)


def _exact_deltas(mechanism: Audited, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
    """delta at every point from one walk over the pairs for each precision that is needed."""

    def attempt(left: list[Fraction]) -> dict[Fraction, tuple[Enclosure, Witness]]:
        law = effort.law(mechanism)
        open_: list[tuple[Fraction, Ball, Champion[Witness]]] = [(at, ball(at).exp(), Champion()) for at in left]
        for x, y in pairs(mechanism, effort):
            masses = law.masses(x, y)
            swapped = [mass.swapped() for mass in masses]
            both = (Witness(x, y, None), Witness(y, x, None))
            for at, factor, champion in open_:
                there, back = hockey_stick(masses, at, factor), hockey_stick(swapped, at, factor)
                champion.offer([there, back], lambda i, both=both: both[i])  # type: ignore[misc]
        found = {}
        for at, _, champion in open_:
            value, witness = champion.result()
            narrow = (
                balls.nonnegative_enclosure(value, effort.digits, 1)
                if mechanism.refinable
                else effort.enclosure(value, least=0, most=1)
            )
            if narrow is not None:
                found[at] = narrow, witness
        return found

    found = balls.refine_all(points, attempt, *balls.bits_for(effort.digits, mechanism.counts().datasets))
    return [Worst(*found[at][0], found[at][1]) for at in points]


def hockey_stick(masses: Sequence[Mass], at: Fraction, factor: Ball) -> Ball:
    """A ball that contains the sum of max(0, p - e^at p'); ``factor`` contains e^at.

    Where the loss is known exactly, the sign of a term is decided by it: a tie contributes exactly 0.
    """
    parts = []
    for mass in masses:
        if mass.loss is None:
            parts.append(balls.excess(mass.p, mass.p_prime, factor))
        elif mass.loss > at:
            parts.append(mass.p - factor * mass.p_prime)
    return balls.total(parts)


def verdict(worst: Enclosure, bound: Fraction) -> Verdict:
    """The verdict on "value <= bound" from the enclosure alone; UNDECIDED if the bound lies inside."""
    return worst.at_most(bound)

"""T releases of a finite mechanism with few different losses: without a grid, to any precision.

The envelope of all pairs is the curve of one symmetric pair of distributions that dominates every adjacent pair; its
T-fold product dominates every adaptive composition of T releases (Zhu, Dong, Wang 2022, dominating pairs). So delta of
that product is an upper bound; delta of the product of one adjacent pair with itself is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import InputError, approximately
from dpaudit.privacy.curve import Envelope, PairCurve

MAX_STATES = 50_000
Key = tuple[tuple[int, int], ...]
"""How often each atom occurs, its mirror image counted negatively: equal keys have equal losses."""
Atom = tuple[Ball, Ball, Ball, int]
"""P, Q, the loss ln P/Q, and its number; the mirror image has the negative number; 0 is the loss 0."""


def dominating_atoms(envelope: Envelope) -> tuple[list[Atom], Ball]:
    """The finite atoms of the symmetric dominating pair, and the mass P of its infinite loss."""
    atoms: list[Atom] = []
    for i, (a, b) in enumerate(zip(envelope.vertices, envelope.vertices[1:], strict=False), start=1):
        p, q, loss = b.power - a.power, b.alpha - a.alpha, envelope.breakpoints[i - 1]
        atoms += [(p, q, loss, i), (q, p, -loss, -i)]
    last = envelope.vertices[-1]
    rest = 1 - last.power - last.alpha
    return [*atoms, (rest, rest, balls.zero(), 0)], envelope.vertices[0].power


def pair_atoms(curve: PairCurve) -> tuple[list[Atom], Ball]:
    """The atoms of one ordered pair, and the mass P of its infinite loss."""
    return [(g.p, g.q, g.loss, i) for i, g in enumerate(curve.groups, start=1)], curve.infinite


class Product:
    """The T-fold product of a pair of distributions: its atoms, merged where they have the same loss."""

    def __init__(self, atoms: Sequence[Atom], infinite: Ball, times: int) -> None:
        _refuse_many({abs(number) for *_, number in atoms if number}, any(a[3] < 0 for a in atoms), times)
        self._infinite = 1 - (1 - infinite) ** times
        states: dict[Key, tuple[Ball, Ball]] = {(): (ball(1), ball(1))}
        for _ in range(times):
            following: dict[Key, tuple[Ball, Ball]] = {}
            for key, (p, q) in states.items():
                for a, b, _loss, number in atoms:
                    new = _add(key, number)
                    old = following.get(new)
                    following[new] = (old[0] + p * a, old[1] + q * b) if old else (p * a, q * b)
            states = following
        self._states = list(states.values())

    def delta(self, epsilon: Fraction) -> Ball:
        """A ball that contains delta at epsilon."""
        factor = ball(epsilon).exp()
        return self._infinite + balls.total([balls.positive_part(p - factor * q) for p, q in self._states])


def _refuse_many(numbers: set[int], mirrored: bool, times: int) -> None:
    """Refuses a product with too many different losses, counted by formula: vectors of ``times`` (signed) steps."""
    size = len(numbers)
    signed = sum(math.comb(size, j) * math.comb(times, j) * 2**j for j in range(min(size, times) + 1))
    count = signed if mirrored else math.comb(size + times, times)
    if count > MAX_STATES:
        rule = f"up to {approximately(count)} different losses, at most {MAX_STATES} can be certified"
        raise InputError("compose", times, rule)


def _add(key: Key, number: int) -> Key:
    if not number:
        return key
    counts = dict(key)
    name, sign = abs(number), 1 if number > 0 else -1
    counts[name] = counts.get(name, 0) + sign
    if not counts[name]:
        del counts[name]
    return tuple(sorted(counts.items()))


def composed_deltas(envelope: Envelope, times: int, points: Sequence[Fraction]) -> list[tuple[Ball, Ball]]:
    """Returns for each epsilon >= 0 two balls: delta of ``times`` adaptive releases lies between what they contain.

    The dominating pair is known up to the slack s of the envelope: a mass s / (1 - TV) on top of it that always
    reveals everything makes it dominate for certain, and adds at most T times that mass to delta.
    """
    upper = Product(*dominating_atoms(envelope), times)
    room = 1 - envelope.vertices[-1].advantage - envelope.slack
    extra = envelope.slack / room * times if balls.certainly_less(balls.zero(), room) else ball(1)
    lower = [Product(*pair_atoms(envelope.curves[i]), times) for i in promising(envelope)]
    deltas = []
    for epsilon in points:
        low = balls.maximum([product.delta(epsilon) for product in lower])
        high = upper.delta(epsilon)
        deltas.append((low, balls.from_ends(high.min(ball(1)), (high + extra).min(ball(1)))))
    return deltas


def promising(envelope: Envelope) -> list[int]:
    """A few pairs whose products may come close to that of all: at both ends of the curve, and by their mean.

    Whichever they are, their products are lower bounds. Many pairs may attain the curve of one release; of several
    releases the one of the largest mean loss often attains most.
    """
    means = [balls.total([g.p * g.loss for g in curve.groups]) for curve in envelope.curves]
    ends = {vertex.curve for vertex in (*envelope.vertices[:2], envelope.vertices[-1])}
    return sorted({*ends, balls.argsort(means)[-1]})


# ------------------------------------------------------------------ dp-accounting


def accounting_deltas(envelope: Envelope, times: int, points: Sequence[Fraction]) -> list[float] | None:
    """Returns dp-accounting's delta of ``times`` releases at each epsilon: floats, not certified; None without it.

    Our certified curve is handed over at a grid of epsilons, by connect-the-dots (Doroshenko and others, 2022).
    """
    try:
        from dp_accounting.pld import pld_pmf
    except ImportError:
        return None
    interval, multiples, deltas = connect_the_dots(envelope)
    if deltas[-1] == 1:  # one release may reveal everything: dp-accounting would take the logarithm of 0
        return [1.0] * len(points)
    pmf: Any = pld_pmf.create_pmf_pessimistic_connect_dots(interval, multiples, deltas)
    composed = pmf.self_compose(times) if times > 1 else pmf
    return [float(composed.get_delta_for_epsilon(float(epsilon))) for epsilon in points]


def connect_the_dots(envelope: Envelope, steps: int = 1000) -> tuple[float, list[int], list[float]]:
    """A discretisation interval, whole multiples of it and delta there, rounded up: delta(-e) by symmetry."""
    top = float(envelope.breakpoints[0].upper()) if envelope.breakpoints else 0.0
    interval = max(top / steps, 1e-6)
    multiples = list(range(-steps - 1, steps + 2))
    half = [_up(envelope.delta(ball(Fraction(interval)) * i)) for i in range(steps + 2)]
    deltas = [
        half[i] if i >= 0 else min(1.0, -math.expm1(i * interval) + math.exp(i * interval) * half[-i])
        for i in multiples
    ]
    return interval, multiples, deltas


def _up(value: Ball) -> float:
    """A float that is at least the value, as far as floats go; never below 0 nor above 1."""
    return min(1.0, max(0.0, math.nextafter(float(value.upper()), math.inf)))

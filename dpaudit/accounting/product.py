"""T releases of one finite mechanism with few different losses: all their combinations, without a grid.

The envelope of all pairs is the curve of one symmetric pair of distributions that dominates every adjacent pair; its
T-fold product dominates every adaptive composition of T releases (Zhu, Dong, Wang 2022, dominating pairs). So delta of
that product is an upper bound; delta of the product of one adjacent pair with itself is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from dpaudit.accounting.pairs import Atom
from dpaudit.accounting.search import Curve
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.privacy.curve import Envelope

MAX_STEPS = 200_000
"""The most combinations times releases for which all of them are enumerated."""
Key = tuple[tuple[int, int], ...]
"""How often each atom occurs, its mirror image counted negatively: equal keys have equal losses."""


def dominating_atoms(envelope: Envelope) -> list[Atom]:
    """The finite atoms of the symmetric dominating pair, each followed by its mirror image; last the loss 0."""
    atoms: list[Atom] = []
    for a, b in pairwise(envelope.vertices):
        atom = Atom(b.power - a.power, b.alpha - a.alpha)
        atoms += [atom, atom.swapped()]
    rest = 1 - envelope.vertices[-1].power - envelope.vertices[-1].alpha
    return [*atoms, Atom(rest, rest)]


def left_out(envelope: Envelope) -> Ball:
    """A mass that always reveals everything, on top of the dominating pair, makes it dominate for certain.

    It is s / (1 - TV), where the pair is known up to the slack s of the envelope.
    """
    room = 1 - envelope.vertices[-1].advantage - envelope.slack
    return envelope.slack / room if balls.certainly_less(balls.zero(), room) else ball(1)


def promising(envelope: Envelope) -> list[int]:
    """A few pairs whose products may come close to that of all: at both ends of the curve, and by their mean.

    Whichever they are, their products are lower bounds. Many pairs may attain the curve of one release; of several
    releases the one of the largest mean loss often attains most.
    """
    means = [balls.total([g.p * g.loss for g in curve.groups]) for curve in envelope.curves]
    ends = {vertex.curve for vertex in (*envelope.vertices[:2], envelope.vertices[-1])}
    return sorted({*ends, balls.argsort(means)[-1]})


def is_short(envelope: Envelope, times: int) -> bool:
    """Whether there are few combinations: vectors of ``times`` steps, in either direction where atoms are mirrored."""
    size = len(envelope.breakpoints)
    mirrored = (math.comb(size, j) * math.comb(times, j) * 2**j for j in range(min(size, times) + 1))
    single = (math.comb(len(envelope.curves[i].groups) + times, times) for i in promising(envelope))
    return all(count * times <= MAX_STEPS for count in (sum(mirrored), *single))


class Product:
    """The T-fold product of a pair of distributions: its atoms by number, merged where they have the same loss."""

    def __init__(self, atoms: Sequence[tuple[int, Atom]], infinite: Ball, times: int) -> None:
        self._infinite = 1 - (1 - infinite) ** times
        states: dict[Key, tuple[Ball, Ball]] = {(): (ball(1), ball(1))}
        for _ in range(times):
            following: dict[Key, tuple[Ball, Ball]] = {}
            for key, (p, q) in states.items():
                for number, atom in atoms:
                    new = _add(key, number)
                    before = following.get(new, (balls.zero(), balls.zero()))
                    following[new] = (before[0] + p * atom.p, before[1] + q * atom.q)
            states = following
        self._states = list(states.values())

    def delta(self, epsilon: Fraction) -> Ball:
        """A ball that contains delta at epsilon."""
        factor = ball(epsilon).exp()
        return self._infinite + balls.total([balls.positive_part(p - factor * q) for p, q in self._states])


def _add(key: Key, number: int) -> Key:
    """The key with one more atom; 0 is the loss 0, a negative number the mirror image."""
    if not number:
        return key
    counts = dict(key)
    name, sign = abs(number), 1 if number > 0 else -1
    counts[name] = counts.get(name, 0) + sign
    if not counts[name]:
        del counts[name]
    return tuple(sorted(counts.items()))


def composed(envelope: Envelope, times: int) -> Curve:
    """The bounds of delta of ``times`` adaptive releases; what is left out adds at most T times its mass."""
    *pairs, last = dominating_atoms(envelope)
    numbered = [((i // 2 + 1) * (-1) ** i, atom) for i, atom in enumerate(pairs)]
    upper = Product([*numbered, (0, last)], envelope.vertices[0].power, times)
    extra = left_out(envelope) * times
    lower = [
        Product([(i, Atom(g.p, g.q)) for i, g in enumerate(curve.groups, start=1)], curve.infinite, times)
        for curve in map(envelope.curves.__getitem__, promising(envelope))
    ]

    def bounds(epsilon: Fraction) -> tuple[Ball, Ball]:
        return balls.maximum([product.delta(epsilon) for product in lower]), upper.delta(epsilon) + extra

    return bounds

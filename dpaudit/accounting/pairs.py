"""Pairs of distributions (P, Q) by their privacy loss ln dP/dQ: atoms, and pieces with a density.

A mechanism under one adjacency and in one direction is represented by such a pair: delta(epsilon) is the integral of
(P - e^epsilon Q)+. Poisson subsampling at rate q turns (P, Q) into ((1-q) Q + q P, Q) (Zhu, Dong, Wang 2022, Theorem
11); the loss l of the new pair belongs to the loss ln((e^l - 1 + q) / q) of the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.normal import normal


@dataclass(frozen=True)
class Atom:
    """Outputs with P, Q > 0 of one privacy loss ln(P/Q), known exactly where ``loss`` says so."""

    p: Ball
    q: Ball
    loss: Fraction | None = None

    def swapped(self) -> Atom:
        """The same outputs for the pair in the other order."""
        return Atom(self.q, self.p, None if self.loss is None else -self.loss)

    def log_ratio(self) -> Ball:
        """A ball that contains the loss."""
        return ball(self.loss) if self.loss is not None else (self.p / self.q).log()


class Piece(Hashable, Protocol):
    """A part of a pair without atoms; ``edge`` prepares a loss, ``between`` measures the losses between two of them."""

    def edge(self, loss: Ball | None) -> Any:
        """The data on this loss that ``between`` needs; None is minus infinity."""

    def between(self, low: Any, high: Any) -> tuple[Ball, Ball]:
        """Balls that contain P and Q of the losses from ``low`` to ``high``."""

    def above(self, edge: Any) -> tuple[Ball, Ball]:
        """Balls that contain P and Q of the losses above."""

    def below(self, edge: Any) -> tuple[Ball, Ball]:
        """Balls that contain P and Q of the losses below."""


Tails = tuple[bool, Ball, bool, Ball]
"""For P and for Q: whether it is the upper tail, and its probability; always the smaller one of both."""


@dataclass(frozen=True)
class Bell:
    """P = N(mu, 1) against Q = N(0, 1): Q(loss > l) = Phi(-l/mu - mu/2), P(loss > l) = Phi(-l/mu + mu/2)."""

    mu_squared: Fraction

    def edge(self, loss: Ball | None) -> Tails:
        """Both tails at the loss."""
        if loss is None:
            return False, balls.zero(), False, balls.zero()
        mu = ball(self.mu_squared).sqrt()
        middle = loss / mu
        return *_tail(middle - mu / 2), *_tail(middle + mu / 2)

    def between(self, low: Tails, high: Tails) -> tuple[Ball, Ball]:
        """P and Q of the losses between the two."""
        return _difference(*low[:2], *high[:2]), _difference(*low[2:], *high[2:])

    def above(self, edge: Tails) -> tuple[Ball, Ball]:
        """P and Q of the losses above."""
        (p_up, p, q_up, q) = edge
        return p if p_up else 1 - p, q if q_up else 1 - q

    def below(self, edge: Tails) -> tuple[Ball, Ball]:
        """P and Q of the losses below."""
        (p_up, p, q_up, q) = edge
        return 1 - p if p_up else p, 1 - q if q_up else q


def _tail(z: Ball) -> tuple[bool, Ball]:
    up = balls.certainly_less(balls.zero(), z)
    return up, normal(-z if up else z)


def _difference(low_up: bool, low: Ball, high_up: bool, high: Ball) -> Ball:
    if low_up and high_up:
        return low - high
    return 1 - low - high if high_up else high - low if not low_up else high + low - 1


Ramped = tuple[Ball, Ball, int]


@dataclass(frozen=True)
class Ramp:
    """Losses l in (-eps, eps) with dP = weight d(e^((l-eps)/2)) and dQ = e^-l dP.

    The middle of the Laplace mechanism has the weight 1/2. The whole of the pair that dominates every mechanism of
    bounded range eps has 1/(1-e^-eps): the largest (1-e^(t-eps)) (1-e^(l-t)) / (1-e^-eps) over t is at t = (l+eps)/2.
    """

    eps: Fraction
    weight: Callable[[], Ball]

    def edge(self, loss: Ball | None) -> Ramped:
        """e^((l-eps)/2) and e^(-(l+eps)/2), and on which side of the ramp the loss certainly is, or 0."""
        end = ball(self.eps)
        least = (-end).exp()
        if loss is None or balls.certainly_at_most(loss, -end):
            return least, ball(1), -1
        if balls.certainly_at_most(end, loss):
            return ball(1), least, 1
        inside = loss.max(-end).min(end)
        return ((inside - end) / 2).exp(), (-(inside + end) / 2).exp(), 0

    def between(self, low: Ramped, high: Ramped) -> tuple[Ball, Ball]:
        """P and Q of the losses between the two."""
        if low[2] and low[2] == high[2]:
            return balls.zero(), balls.zero()
        return self.weight() * (high[0] - low[0]), self.weight() * (low[1] - high[1])

    def above(self, edge: Ramped) -> tuple[Ball, Ball]:
        """P and Q of the losses above."""
        return self.between(edge, (ball(1), (-ball(self.eps)).exp(), 1))

    def below(self, edge: Ramped) -> tuple[Ball, Ball]:
        """P and Q of the losses below."""
        return self.between(self.edge(None), edge)


@dataclass(frozen=True)
class Pair:
    """A pair (P, Q): atoms, pieces, and the masses that only one of the two has.

    ``p_only`` is P where Q is 0 (loss infinity), ``q_only`` the reverse. With ``rate`` < 1, P is
    replaced by the mixture (1-rate) Q + rate P. With ``swapped``, the two then change places.
    """

    pieces: tuple[Piece, ...] = ()
    atoms: Callable[[], Sequence[Atom]] = tuple
    """Computed at the precision in force."""
    p_only: Callable[[], Ball] = balls.zero
    q_only: Callable[[], Ball] = balls.zero
    left_out: Callable[[], Ball] = balls.zero
    """A bound on P and on Q of the outputs that are left out."""
    rate: Fraction = Fraction(1)
    swapped: bool = False
    symmetric: bool = True
    """Whether (Q, P) has the same losses as (P, Q), before subsampling."""

    def sampled(self, rate: Fraction) -> Pair:
        """The pair after Poisson subsampling."""
        return replace(self, rate=self.rate * rate, symmetric=self.symmetric and rate == 1)

    def other_direction(self) -> Pair:
        """The pair (Q, P), which is this one where both have the same losses."""
        return self if self.symmetric else replace(self, swapped=not self.swapped)

    def all_atoms(self) -> list[Atom]:
        """The atoms after subsampling and swapping; outputs that only Q had may have become one."""
        found = list(self.atoms())
        if self.rate != 1:
            q, rest = ball(self.rate), ball(1 - self.rate)
            found = [Atom(rest * atom.q + q * atom.p, atom.q) for atom in found]
            lone = self.q_only()
            if not balls.is_zero(lone):
                found.append(Atom(rest * lone, lone))
        return [atom.swapped() for atom in found] if self.swapped else found

    def infinite(self) -> Ball:
        """P of the outputs that are impossible under Q, after subsampling and swapping."""
        if not self.swapped:
            return ball(self.rate) * self.p_only()
        return self.q_only() if self.rate == 1 else balls.zero()

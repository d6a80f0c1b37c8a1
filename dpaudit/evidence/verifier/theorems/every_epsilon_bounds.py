"""Every epsilon: numbers that bound true epsilon / epsilon, for the rows of a cell, taken at epsilon = 1.

When a function here returns, its number bounds the value at every epsilon of the range. With the exponents epsilon A
the loss over epsilon is D + G, D = A(y,r) - A(x,r), G = (ln Z_y - ln Z_x) / epsilon. At every epsilon: rows are
``matched``. On an interval: ln Z is convex, so ln Z_y lies below its chord and ln Z_x above its tangents at both ends,
each taken to the middle; a line over epsilon is monotone: its values at both ends of a half bound G.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..arithmetic import Interval, Malformed, common, rational
from ..exact import ZERO
from ..reading import DIGITS, number, number_or_inf
from ..special import largest
from .cells import Cell, Row

End = Fraction | None
"""An end of an interval of epsilon: 0, and None for infinity, stand for the limit."""


def read_cuts(entry: Any, low: Fraction, high: End) -> list[End]:
    """The ends of intervals of epsilon, in ascending order from the first epsilon to the last."""
    if not isinstance(entry, list):
        raise Malformed("cuts are no list")
    cuts = [low, *(number(cut, "a cut", DIGITS) for cut in entry)]
    known = [*cuts, *([] if high is None else [high])]
    if any(a >= b for a, b in pairwise(known)) or len(known) < 2:
        raise Malformed("the cuts of a pair do not rise within the range of epsilon")
    return [*cuts, high]


def read_end(text: Any) -> End:
    """The epsilon of a witness."""
    epsilon = number_or_inf(text, "epsilon")
    if epsilon is not None and epsilon < 0:
        raise Malformed("epsilon is negative")
    return epsilon


def loss_over_epsilon(cell: Cell, x: Any, y: Any, output: int, epsilon: End) -> Interval:
    """The loss of x against y at the output of this place, over epsilon."""
    return cell.differences(x, y)[output] + gain(cell.row(x), cell.row(y), epsilon)


def gain(x: Row, y: Row, epsilon: End) -> Interval:
    """G; its limits are mean A(x, .) - mean A(y, .) at 0, and 0 at infinity, where Z tends to 1."""
    if epsilon is None:
        return rational(0, x.bits)
    return (y.log(epsilon) - x.log(epsilon)) / epsilon if epsilon else x.mean - y.mean


def gains(x: Row, y: Row, low: Fraction, high: End) -> list[Interval]:
    """Numbers whose maximum is above G on the interval.

    To infinity: ln Z_x >= 0, and ln Z_y / e falls; from low on Z_y - 1 falls at least like e^(-e least(y)), and
    Z_x - 1 >= e^(-e least(x)): where the first is below the second, at low and in its exponent, G <= 0. From 0: the
    variances of A, the second derivatives of ln Z, stay within e^(+-e most) of the plain ones; while that of y is the
    smaller one, G falls: e^2 G' is the integral of s (ln Z_y - ln Z_x)''(s). Else chord and tangent start in ln |R|.
    """
    if high is None:
        below = x.least <= y.least and y.rest(low) <= (x.least * -low).exp()
        return [gain(x, y, None) if below else y.log(low) / low]
    if not low and ((x.most + y.most) * high).exp() * y.variance <= x.variance:
        return [gain(x, y, low)]
    end_x, end_y = x.log(high), y.log(high)
    if low:
        start_x, start_y, slope, first = x.log(low), y.log(low), x.slope(low), gain(x, y, low)
    else:
        start_x = start_y = rational(len(x.near), x.bits).log()
        slope, first = -x.mean, (end_y - start_y) / high + x.mean
    half, middle, chord = (high - low) / 2, (high + low) / 2, (start_y + end_y) / 2
    tangents = start_x + slope * half, end_x - x.slope(high) * half
    return [first, *((chord - line) / middle for line in tangents), gain(x, y, high)]


def matched(p: Row, q: Row) -> Interval:
    """The largest q - p plus the largest p_i - q_s(i), s the order of size; outputs that are not listed keep theirs.

    At every epsilon ln Z_y - ln Z_x is at most e times the largest A(x,i) - A(y,s(i)) for any bijection s: the order of
    size is a good choice, but any would do.
    """
    e = common(*p.all, *q.all)
    orders = [sorted(row.near, key=lambda a: a.units(e)[0]) for row in (p, q)]
    pairs = [*zip(*orders, strict=True), *zip(p.far, q.far, strict=True)]
    return largest(a - b for a, b in pairs) + largest(b - a for a, b in zip(p.all, q.all, strict=True))


def over_epsilon(cell: Cell, x: Any, y: Any, cuts: list[End] | None) -> list[Interval]:
    """Numbers whose maximum bounds loss / epsilon of x against y at every epsilon.

    With cuts: Z_y / Z_x is at most the larger of its quotients over the listed outputs and over the others.
    """
    p, q = cell.row(x), cell.row(y)
    if cuts is None:
        return [matched(p, q)]
    top = largest(cell.differences(x, y))
    near = [g for low, high in pairwise(cuts) for g in gains(p, q, low or ZERO, high)]
    return [top + g for g in (*near, *(a - b for a, b in zip(p.far, q.far, strict=True)))]

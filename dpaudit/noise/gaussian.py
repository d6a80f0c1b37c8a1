"""Probabilities without a closed form: stars with Gaussian draws by certified quadrature, discrete ones by sums.

The integrand of a star is the density of its root times chances of its leaves, each at most 1. Outside a finite
interval it is at most the density, so both tails are at most the root's own tails: they are added as an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from math import ceil

from flint import acb, arb, fmpq

from dpaudit.noise.constraints import Tree
from dpaudit.noise.families import Family, Window
from dpaudit.noise.pieces import Piecewise, Terms
from dpaudit.noise.trees import Node, TooComplex, density, factor, grid_for, is_closed, rooted
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.exponentials import Form

WORKING_BITS = 160
"""The precision of quadrature and sums, in bits."""
FARTHER = (1, 2, 4)
"""Factors by which the cut of the tails is moved out, in turn, until the result has enough digits."""
Factor = Callable[[acb, Fraction], acb]
"""(z, m) -> the value at z of what holds between the two kinks around m."""
ENDS = 150
"""Ends of an enclosure are rounded outward to this many bits."""


def form_ball(form: Form) -> Ball:
    """A ball that contains the quotient."""
    top, bottom = (balls.total([ball(c) * ball(e).exp() for e, c in terms.items()]) for terms in form)
    return top / bottom


def product(values: Sequence[Ball]) -> Ball:
    """A ball that contains the product."""
    found = ball(1)
    for value in values:
        found = found * value
    return found


def tree_chance(tree: Tree) -> Callable[[], Ball]:
    """A function that encloses the probability of a tree with Gaussian draws; TooComplex where none is known."""
    for root in tree.families:
        node = rooted(tree, root)
        if all(is_closed(child) or (child[0].kind == "gaussian" and not child[2]) for _, child in node[2]):
            return partial(star_chance, node)
    raise TooComplex("Gaussian draws are compared in a chain: take noise.argmax(list), or one threshold for all")


@lru_cache(maxsize=1 << 12)
def star_chance(node: Node) -> Ball:
    """A ball that contains the probability of a star, at WORKING_BITS; a tiny one is integrated farther out."""
    with balls.precision(WORKING_BITS):
        for farther in FARTHER:
            found = _star(node, farther)
            if found.rel_accuracy_bits() >= WORKING_BITS // 2:
                break
    return found


def _star(node: Node, farther: int) -> Ball:
    family, cut, children = node
    if not children and family.kind == "gaussian":
        root = ball(family.scale) * arb(2).sqrt()
        first, last = (None if end is None else acb(ball(end) / root) for end in cut)
        return _normal_between(first, last, _above_zero(*cut)).real
    reach, tail = _reach(family, farther)
    low = -reach if cut[0] is None else max(cut[0], -reach)
    high = reach if cut[1] is None else min(cut[1], reach)
    if low >= high:
        return arb(0).union(tail)
    kinks, factors = {low, high}, list[Factor]()
    if family.kind == "gaussian":
        factors.append(lambda z, _: _gaussian_density(family.scale, z))
    else:
        bare: Node = (family, cut, ())
        factors.append(_piecewise(density(bare, grid_for([bare])), kinks))
    for window, child in children:
        if is_closed(child):
            alone: Node = (family, cut, ((window, child),))
            factors.append(_piecewise(factor(window, child, grid_for([alone])), kinks))
        else:
            factors.append(_gaussian_leaf(window, child, kinks))
    points = sorted(kink for kink in kinks if low <= kink <= high)
    total, enough = arb(0), tail * arb(2) ** -WORKING_BITS if farther > 1 else None
    for left, right in pairwise(points):
        integrand = partial(_product_at, factors, (left + right) / 2)
        total += acb.integral(integrand, acb(ball(left)), acb(ball(right)), abs_tol=enough).real
    return total + arb(0).union(tail)


def _product_at(factors: Sequence[Factor], middle: Fraction, z: acb, analytic: bool) -> acb:
    """The integrand; every factor is entire between two kinks, so it is analytic wherever it is evaluated."""
    del analytic
    found = acb(1)
    for factor_ in factors:
        found = found * factor_(z, middle)
    return found


def _reach(family: Family, farther: int) -> tuple[Fraction, Ball]:
    """A number T, and a ball >= the probability that a draw lies outside [-T, T]; less than 2^-WORKING_BITS."""
    if family.kind == "uniform":
        return max(abs(family.scale), abs(family.other)), arb(0)
    spread = 15 if family.kind == "gaussian" else 115
    far = Fraction(ceil(family.scale * spread * farther))
    z = ball(far / family.scale)
    return far, ((z / arb(2).sqrt()).erfc() if family.kind == "gaussian" else (-z).exp()).upper()


def _gaussian_density(sigma: Fraction, z: acb) -> acb:
    scale = acb(fmpq(sigma.numerator, sigma.denominator))
    return (-((z / scale) ** 2) / 2).exp() / (scale * (2 * arb.pi()).sqrt())


def _gaussian_leaf(window: Window, child: Node, kinks: set[Fraction]) -> Callable[[acb, Fraction], acb]:
    """z -> the chance that low <= z - Y <= high and Y lies in its cut, Y a Gaussian draw."""
    (family, cut, _), (low, high) = child, window
    root = acb(fmpq(family.scale.numerator, family.scale.denominator)) * arb(2).sqrt()
    if cut[0] is not None and high is not None:
        kinks.add(cut[0] + high)
    if cut[1] is not None and high is not None:
        kinks.add(cut[1] + high)
    for end in cut:
        if end is not None and low is not None:
            kinks.add(end + low)

    def factor(z: acb, middle: Fraction) -> acb:
        """Y lies above z - high and the cut, and below z - low and the cut: which of them, the middle tells."""
        lowest, start = _inner(z, middle, high, cut[0], max)
        highest, end = _inner(z, middle, low, cut[1], min)
        if lowest is not None and highest is not None and lowest >= highest:
            return acb(0)
        first, last = (None if one is None else one / root for one in (start, end))
        return _normal_between(first, last, _above_zero(lowest, highest))

    return factor


def _inner(
    z: acb, middle: Fraction, moving: Fraction | None, fixed: Fraction | None, choose: Callable[..., Fraction]
) -> tuple[Fraction | None, acb | None]:
    """The end that binds, z - moving or fixed: its value at the middle, and at z."""
    there = None if moving is None else middle - moving
    if there is None or moving is None or (fixed is not None and choose(there, fixed) == fixed):
        return fixed, None if fixed is None else acb(fmpq(fixed.numerator, fixed.denominator))
    return there, z - acb(fmpq(moving.numerator, moving.denominator))


def _above_zero(low: Fraction | None, high: Fraction | None) -> bool:
    """Whether the interval lies rather to the right: the tails of that side are then subtracted, none near 1."""
    return high is None or (low is not None and low + high >= 0)


def _normal_between(low: acb | None, high: acb | None, right: bool) -> acb:
    """P(low <= X/sqrt(2) <= high) for a standard normal draw, as a difference of the tails on one side."""
    if right:
        return _tail(low) - (acb(0) if high is None else _tail(high))
    return _tail(None if high is None else -high) - (acb(0) if low is None else _tail(-low))


def _tail(end: acb | None) -> acb:
    return acb(1) if end is None else end.erfc() / 2


def _piecewise(function: Piecewise, kinks: set[Fraction]) -> Callable[[acb, Fraction], acb]:
    """The function of the closed class, by the part that holds around the middle of the interval."""
    grid = function.grid
    kinks.update(Fraction(n, grid.b) for n in function.cuts)

    def evaluate(z: acb, middle: Fraction) -> acb:
        part = function.parts[sum(1 for n in function.cuts if Fraction(n, grid.b) <= middle)]
        return terms_at(grid.a, grid.b, part, z)

    return evaluate


def terms_at(a: int, b: int, part: Terms, z: acb) -> acb:
    """A ball around the value of the terms at z."""
    found = z * 0
    for (m, i, j), c in part.items():
        found = found + c * (z * fmpq(i, a) + fmpq(j, a * b)).exp() * z**m
    return found


# ------------------------------------------------------------------ discrete Gaussian draws


def lattice_window(sigma: Fraction, low: int | None, high: int | None) -> Ball:
    """A ball that contains P(low <= K <= high) for P(K = k) proportional to e^(-k^2/(2 sigma^2))."""
    with balls.precision(WORKING_BITS):
        return _lattice_sum(sigma, low, high) / _lattice_sum(sigma, None, None)


@lru_cache(maxsize=1 << 12)
def _lattice_sum(sigma: Fraction, low: int | None, high: int | None) -> Ball:
    """The sum of e^(-k^2/(2 sigma^2)) over low <= k <= high.

    Beyond T >= 15 sigma the terms fall at least as a geometric series with ratio e^(-T/sigma^2): the rest on one side
    is at most e^(-T^2/(2 sigma^2)) / (1 - e^(-T/sigma^2)). T is counted from the end that is nearer to 0, so that a sum
    far out has its digits too.
    """
    near = max(0, low or 0, -(high or 0))
    far = near + ceil(15 * sigma) + 1
    first, last = (-far if low is None else max(low, -far)), (far if high is None else min(high, far))
    square = 2 * ball(sigma) ** 2
    found = balls.total([(-(ball(k) ** 2) / square).exp() for k in range(first, last + 1)])
    step = (-2 * ball(far) / square).exp()
    rest = ((-(ball(far) ** 2) / square).exp() / (1 - step)).upper()
    sides = (low is None or low < first) + (high is None or high > last)
    return found + (arb(0).union(rest) * sides if sides else arb(0))


def enclosing(value: Ball) -> tuple[Fraction, Fraction]:
    """Rational ends in [0, 1] around a probability, rounded outward to ENDS bits."""
    low, high = balls.cut(value, value, 0, 1)
    return floor_to(low), -floor_to(-high)


def floor_to(end: Fraction) -> Fraction:
    """The largest number of about ENDS bits that is not above the end."""
    size = end.denominator.bit_length() - end.numerator.bit_length()
    unit = Fraction(2) ** -(max(size, 0) + ENDS)
    return end // unit * unit

"""What has no closed form: stars with Gaussian draws by certified quadrature, discrete Gaussians by certified sums.

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
"""Quadrature and sums are done to this precision."""
Factor = Callable[[acb, Fraction], acb]
"""(z, m) -> the value at z of what holds between the two kinks around m."""
GRID = Fraction(1, 1 << 150)
"""Ends of an enclosure are rounded outward to multiples of this."""


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
    """A ball that contains the probability of a star, at WORKING_BITS."""
    with balls.precision(WORKING_BITS):
        return _star(node)


def _star(node: Node) -> Ball:
    family, cut, children = node
    if not children and family.kind == "gaussian":
        return _gaussian_between(family.scale, *cut)
    reach, tail = _reach(family)
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
    total = arb(0)
    for left, right in pairwise(points):
        integrand = partial(_product_at, factors, (left + right) / 2)
        total += acb.integral(integrand, acb(ball(left)), acb(ball(right))).real
    return total + arb(0).union(tail)


def _product_at(factors: Sequence[Factor], middle: Fraction, z: acb, analytic: bool) -> acb:
    """The integrand; every factor is entire between two kinks, so it is analytic wherever it is asked for."""
    del analytic
    found = acb(1)
    for factor_ in factors:
        found = found * factor_(z, middle)
    return found


def _reach(family: Family) -> tuple[Fraction, Ball]:
    """A number T, and a ball >= the probability that a draw lies outside [-T, T]; less than 2^-WORKING_BITS."""
    if family.kind == "uniform":
        return max(abs(family.scale), abs(family.other)), arb(0)
    spread = 15 if family.kind == "gaussian" else 115
    far = Fraction(ceil(family.scale * spread))
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

    def above(z: acb, middle: Fraction, end: Fraction | None, bound: Fraction | None, upper: bool) -> acb:
        """erfc/2 at the end of Y's interval: its moving end, unless the cut lies further inside there."""
        moving = None if end is None else middle - end
        fixed = bound
        use_fixed = fixed is not None and (moving is None or (fixed <= moving if upper else fixed >= moving))
        if moving is None and fixed is None:
            return acb(0 if upper else 1)
        if use_fixed and fixed is not None:
            return (acb(fmpq(fixed.numerator, fixed.denominator)) / root).erfc() / 2
        if end is None:
            return acb(0 if upper else 1)
        return ((z - acb(fmpq(end.numerator, end.denominator))) / root).erfc() / 2

    def factor(z: acb, middle: Fraction) -> acb:
        lowest = [n for n in (None if high is None else middle - high, cut[0]) if n is not None]
        highest = [n for n in (None if low is None else middle - low, cut[1]) if n is not None]
        if lowest and highest and max(lowest) >= min(highest):
            return acb(0)
        return above(z, middle, high, cut[0], upper=False) - above(z, middle, low, cut[1], upper=True)

    return factor


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


def _gaussian_between(sigma: Fraction, low: Fraction | None, high: Fraction | None) -> Ball:
    """P(low <= X <= high) for a normal draw."""
    root = ball(sigma) * arb(2).sqrt()

    def above(end: Fraction | None, infinite: int) -> Ball:
        return arb(infinite) if end is None else (ball(end) / root).erfc() / 2

    if low is None and high is not None:
        return (-ball(high) / root).erfc() / 2
    return above(low, 1) - above(high, 0)


# ------------------------------------------------------------------ discrete Gaussian draws


def lattice_window(sigma: Fraction, low: int | None, high: int | None) -> Ball:
    """A ball that contains P(low <= K <= high) for P(K = k) proportional to e^(-k^2/(2 sigma^2))."""
    with balls.precision(WORKING_BITS):
        return _lattice_sum(sigma, low, high) / _lattice_sum(sigma, None, None)


@lru_cache(maxsize=1 << 12)
def _lattice_sum(sigma: Fraction, low: int | None, high: int | None) -> Ball:
    """The sum of e^(-k^2/(2 sigma^2)) over low <= k <= high.

    Beyond T = ceil(15 sigma) + 1 the terms fall at least as a geometric series with ratio e^(-T/sigma^2): the rest on
    one side is at most e^(-T^2/(2 sigma^2)) / (1 - e^(-T/sigma^2)).
    """
    far = ceil(15 * sigma) + 1
    first = -far if low is None else low
    last = far if high is None else high
    square = 2 * ball(sigma) ** 2
    found = balls.total([(-(ball(k) ** 2) / square).exp() for k in range(first, last + 1)])
    step = (-2 * ball(far) / square).exp()
    rest = ((-(ball(far) ** 2) / square).exp() / (1 - step)).upper()
    sides = (low is None) + (high is None)
    return found + (arb(0).union(rest) * sides if sides else arb(0))


def enclosing(value: Ball) -> tuple[Fraction, Fraction]:
    """Rational ends in [0, 1] around a probability, rounded outward to GRID."""
    low, high = balls.ends(value)
    return max(Fraction(0), low // GRID * GRID), min(Fraction(1), -(-high // GRID) * GRID)

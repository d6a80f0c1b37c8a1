"""Laws from the structure of a mechanism, where enumeration would be wasteful or two real parts are dependent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

from flint import arb_poly

from dpaudit.noise.densities import Part
from dpaudit.noise.families import EVERYWHERE, Family, Window
from dpaudit.noise.losses import Law, Peak, largest, place_text
from dpaudit.noise.pieces import Piecewise
from dpaudit.noise.suite.inputs import Vector
from dpaudit.noise.supremum import Candidate, exact_candidate, suprema
from dpaudit.noise.trees import Child, Node, chance, density, grid_for, multiply
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.exponentials import of_rational

Count = tuple[int, ...]


# ------------------------------------------------------------------ SVT6: classes of interchangeable queries


def svt_6_classes(x: Vector, y: Vector, eps: Fraction) -> Iterator[tuple[tuple[type, str], tuple[Node, Node]]]:
    """The classes of outputs, each with the tree of one of its outputs under x and under x'."""
    for name, _, nodes in _classes(x, y, eps):
        yield name, nodes


def _classes(x: Vector, y: Vector, eps: Fraction) -> Iterator[tuple[tuple[type, str], int, tuple[Node, Node]]]:
    """(name, number of outputs, trees): queries with the same two answers are interchangeable.

    A class is the number of "above" in every group of such queries, so 2^d outputs become a product of
    (group size + 1).
    """
    groups: dict[tuple[int, int], int] = {}
    for pair in zip(x, y, strict=True):
        groups[pair] = groups.get(pair, 0) + 1
    kinds = list(groups)
    for counts in product(*(range(groups[kind] + 1) for kind in kinds)):
        many = 1
        for kind, count in zip(kinds, counts, strict=True):
            many *= comb(groups[kind], count)
        sides = [[(kind[side], c, groups[kind] - c) for kind, c in zip(kinds, counts, strict=True)] for side in (0, 1)]
        yield _class(kinds, counts), many, (_star(2 / eps, sides[0]), _star(2 / eps, sides[1]))


def svt_6_laws(x: Vector, y: Vector, eps: Fraction) -> tuple[Law, Law]:
    """The laws of SVT6 on both inputs by classes; the weight of a class counts its outputs."""
    laws: list[dict[object, Part]] = [{}, {}]
    for name, many, nodes in _classes(x, y, eps):
        for side, node in enumerate(nodes):
            laws[side][name] = Part(multiply([chance(node), of_rational(Fraction(many))]), ())
    return laws[0], laws[1]


def _class(kinds: Sequence[tuple[int, int]], counts: Count) -> tuple[type, str]:
    words = [f"{c} above where x, x′ = {kind[0]}, {kind[1]}" for kind, c in zip(kinds, counts, strict=True)]
    return str, "; ".join(words)


def _star(scale: Fraction, groups: Sequence[tuple[int, int, int]]) -> Node:
    """The threshold 1 + T with (answer, above, below) in every group."""
    leaf: Node = (Family("laplace", scale), EVERYWHERE, ())
    children: list[Child] = []
    for answer, above, below in sorted(groups):
        bar = Fraction(answer - 1)
        children += [((None, bar), leaf)] * above + [((bar, None), leaf)] * below
    return Family("laplace", scale), EVERYWHERE, tuple(sorted(children, key=repr))


def svt_6_balls(x: Vector, y: Vector, eps: Fraction) -> list[tuple[Ball, Ball, Count]]:
    """The chances of the same classes as balls (of one output each): polynomials in z = e^(T eps/2) piece by piece.

    Between breakpoints every F of the threshold is z/2 e^(-u), or 1 - e^u/(2z): a product of powers is a polynomial in
    z, and its integral a sum. No closed form comes out, but 40 queries take a second.
    """
    groups: dict[tuple[int, int], int] = {}
    for pair in zip(x, y, strict=True):
        groups[pair] = groups.get(pair, 0) + 1
    kinds, sizes = list(groups), list(groups.values())
    sides = [_BallStar([kind[side] for kind in kinds], sizes, eps / 2) for side in (0, 1)]
    return [(sides[0].chance(c), sides[1].chance(c), c) for c in product(*(range(size + 1) for size in sizes))]


class _BallStar:
    """Chances of a Laplace threshold with groups of Laplace queries, all of one rate, by polynomials in balls."""

    def __init__(self, answers: Sequence[int], sizes: Sequence[int], rate: Fraction) -> None:
        self.sizes, self.rate = sizes, rate
        bars = [Fraction(answer - 1) for answer in answers]
        cuts = sorted({Fraction(0), *bars})
        ends: list[Fraction | None] = [None, *cuts, None]
        self.pieces = [self._piece(low, high, bars) for low, high in pairwise(ends)]

    def _piece(
        self, low: Fraction | None, high: Fraction | None, bars: Sequence[Fraction]
    ) -> tuple[list[list[arb_poly]], list[bool], list[Ball], int]:
        """Powers F^below (1 - F)^above by group, whether they carry z^-size, and the integrals of f z^k."""
        groups, inverse = [], []
        for bar, size in zip(bars, self.sizes, strict=True):
            left = high is not None and high <= bar
            e = ball(-bar * self.rate).exp() / 2 if left else ball(bar * self.rate).exp() / 2
            below, above = (arb_poly([0, e]), arb_poly([1, -e])) if left else (arb_poly([-e, 1]), arb_poly([e]))
            groups.append([below ** (size - a) * above**a for a in range(size + 1)])
            inverse.append(not left)
        offset = sum(size for size, turned in zip(self.sizes, inverse, strict=True) if turned)
        top = sum(self.sizes)
        slope = 1 if high is not None and high <= 0 else -1
        integrals = [self._integral(low, high, k - offset + slope) for k in range(top + 1)]
        return groups, inverse, integrals, offset

    def _integral(self, low: Fraction | None, high: Fraction | None, k: int) -> Ball:
        """rate/2 times the integral of z^k; at an infinite end z^k vanishes, or the coefficient is 0."""
        if k == 0:
            if low is None or high is None:
                return ball(0)
            return ball((high - low) * self.rate / 2)
        if (low is None and k < 0) or (high is None and k > 0):
            return ball(0)
        ends = [ball(0) if end is None else ball(k * end * self.rate).exp() for end in (low, high)]
        return (ends[1] - ends[0]) / (2 * k)

    def chance(self, counts: Count) -> Ball:
        """The probability of one output with these numbers of "above" in the groups."""
        total = ball(0)
        for groups, _, integrals, _ in self.pieces:
            whole = groups[0][counts[0]]
            for group, count in zip(groups[1:], counts[1:], strict=True):
                whole = whole * group[count]
            total += balls.total([whole[k] * integrals[k] for k in range(whole.length())])
        return total


# ------------------------------------------------------------------ SVT3 with c = 2: two dependent real parts


def svt_3_twice_peak(x: Vector, y: Vector, eps: Fraction, least: Fraction) -> Peak | None:
    """The supremum of the loss of SVT3 with c = 2, t = 1, threshold Lap(2/eps), queries Lap(4/eps); None if <= least.

    Two values v, w above the same threshold T have the density f(v) g(w) G(min(v, w)), G(m) being the chance that
    T <= m and all others are below. The loss of w is monotone in w. So for v <= w its supremum over w is at w = v or
    in the limit w -> infinity, and what is left is a ratio of functions of v in the closed class; the same for w <= v.
    Every query up to the last one that is answered loses at most |x - x'| eps/4: patterns that cannot exceed ``least``,
    or the best so far, are skipped; and patterns of queries with the same answers are equivalent.
    """
    found, bar, seen = list[Peak](), least, set[object]()
    for above in sorted(_patterns(len(x)), key=lambda above: -_reach(x, y, above, eps)):
        if _reach(x, y, above, eps) <= bar:
            break
        for candidate in _pattern_peaks(x, y, above, eps, seen):
            found.append(candidate)
            bar = max(bar, balls.ends(candidate.loss)[0] if candidate.known is None else candidate.known)
    if not found:
        return None
    _, best = largest([(None, peak) for peak in found])
    small = best.known <= least if best.known is not None else balls.certainly_at_most(best.loss, ball(least))
    return None if small else best


def _last(d: int, above: Count) -> int:
    return above[-1] if len(above) == 2 else d - 1


def _reach(x: Vector, y: Vector, above: Count, eps: Fraction) -> Fraction:
    answered = range(_last(len(x), above) + 1)
    return Fraction(sum(abs(x[k] - y[k]) for k in answered)) * eps / 4


def _pattern_peaks(x: Vector, y: Vector, above: Count, eps: Fraction, seen: set[object]) -> Iterator[Peak]:
    below = [k for k in range(_last(len(x), above) + 1) if k not in above]
    name = f"SVT3 above at {', '.join(map(str, above)) or 'none'}"
    alike = tuple(sorted((x[k], y[k]) for k in below))
    for low in above or (None,):
        rest = [k for k in above if k != low]
        key = alike, None if low is None else (x[low], y[low]), tuple((x[k], y[k]) for k in rest)
        if key in seen:
            continue
        seen.add(key)
        if low is None:
            top, bottom = (chance(_below(z, below, None, eps))[0] for z in (x, y))
            yield _as_peak(exact_candidate(top, bottom, ""), name)
            continue
        for shift, tied in _ways(x, y, rest, eps):
            over, under = (_joint(z, below, low, tied, eps) for z in (x, y))
            yield from (_as_peak(c, name, shift) for c in suprema(over, under))


def _patterns(d: int) -> Iterator[tuple[int, ...]]:
    for size in range(3):
        yield from combinations(range(d), size)


def _ways(x: Vector, y: Vector, rest: Sequence[int], eps: Fraction) -> Iterator[tuple[Fraction, list[int]]]:
    """The larger value far out, where its loss is constant; or tied to the smaller one."""
    if not rest:
        yield Fraction(0), []
        return
    gain = Fraction(x[rest[0]] - y[rest[0]]) * eps / 4
    if gain >= 0:
        yield gain, []
    else:
        yield Fraction(0), list(rest)


def _below(z: Vector, below: Sequence[int], low: int | None, eps: Fraction) -> Node:
    """The threshold with all queries below it; or the query ``low`` above it, with the threshold as its child."""
    leaf: Node = (Family("laplace", 4 / eps), EVERYWHERE, ())
    children = tuple(sorted((((Fraction(z[k] - 1), None), leaf) for k in below), key=repr))
    threshold: Node = (Family("laplace", 2 / eps), EVERYWHERE, children)
    if low is None:
        return threshold
    window: Window = (Fraction(1 - z[low]), None)
    return Family("laplace", 4 / eps), EVERYWHERE, ((window, threshold),)


def _joint(z: Vector, below: Sequence[int], low: int, tied: Sequence[int], eps: Fraction) -> Piecewise:
    """v -> the density that the query ``low`` has the noisy value v, as have those tied to it."""
    node = _below(z, below, low, eps)
    grid = grid_for([node])
    found = density(node, grid).shifted(-grid.point(Fraction(z[low])))
    for k in tied:
        found = found.times(Family("laplace", 4 / eps).density(grid).shifted(-grid.point(Fraction(z[k]))))
    return found


def _as_peak(candidate: Candidate | None, name: str, shift: Fraction = Fraction(0)) -> Peak:
    if candidate is None:
        raise ValueError("an impossible output")
    known = candidate.rational()
    places = [(0, candidate.where)] if candidate.where else []
    return Peak(candidate.loss + ball(shift), place_text(name, places), None if known is None else known + shift)

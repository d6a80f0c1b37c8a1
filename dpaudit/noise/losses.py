"""The losses of one ordered pair of data sets whose outputs have real parts: suprema, and delta at an epsilon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

from flint import arb

from dpaudit.noise.composed import Losses, shifted
from dpaudit.noise.densities import Density, Normal, Part
from dpaudit.noise.gaussian import form_ball
from dpaudit.noise.pieces import Piecewise
from dpaudit.noise.supremum import (
    Candidate,
    Region,
    aligned,
    exact_candidate,
    mass_where,
    number_ball,
    region,
    suprema,
)
from dpaudit.noise.trees import TooComplex
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.exponentials import ONE, Form, of_rational, product
from dpaudit.privacy.protocols import text

Law = Mapping[Any, Part]
W = TypeVar("W")


@dataclass(frozen=True)
class Peak:
    """The supremum of the loss over the outputs of one shape: a ball, where, and the value if algebra knows it."""

    loss: Ball
    where: str
    known: Fraction | None
    infinite: bool = False
    ratio: Form | None = None
    """e^loss, exactly, where it is known."""


def shape_text(key: Any) -> str:
    """The shape of an output for people: "(False, ·)"."""
    kind, value = key
    if kind is tuple:
        return "(" + ", ".join(map(shape_text, value)) + ")"
    return text(value)


def place_text(shape: str, places: Sequence[tuple[int, str]], summed: bool = False) -> str:
    """Which outputs of a shape are meant: its real parts are v, or v1, v2, …; each place is (part, "v ≤ 1").

    Where the real parts are sums, the places are those of their noisy terms, draw and data together.

    >>> place_text("·", [(0, "v ≤ 1")]), place_text("(9, ·)", [(0, "v ≤ 1")]), place_text("(·, ·)", [(1, "v = 2")])
    ('v ≤ 1', '(9, v) with v ≤ 1', '(v1, v2) with v2 = 2')
    >>> place_text("(·, ·)", [(0, "v ≤ 1"), (1, "v = 2")], summed=True)
    '(v1, v2) with term 1 ≤ 1, term 2 = 2'
    """
    names = [f"v{i}" for i in range(1, shape.count("·") + 1)] if shape.count("·") > 1 else ["v"]
    for name in names:
        shape = shape.replace("·", name, 1)
    said = [place.replace("v", f"term {i + 1}" if summed else names[i], 1) for i, place in places]
    alone = shape == "v" and said
    return ", ".join(said) if alone else " with ".join(filter(None, (shape, ", ".join(said))))


def peaks(mine: Law, theirs: Law) -> list[Peak]:
    """The supremum of ln P/P' for every shape of output that is possible under P."""
    found = []
    for key, part in mine.items():
        if _impossible(part):
            continue
        other = theirs.get(key)
        if other is None or _impossible(other):
            found.append(Peak(balls.infinity(), place_text(shape_text(key), ()), None, infinite=True))
        else:
            found.append(_peak(shape_text(key), part, other))
    return found


def largest(peaks: Sequence[tuple[W, Peak]]) -> tuple[W, Peak]:
    """The largest of these suprema, and the tag of one that attains it; exact if all candidates for it are equal."""
    champion: Champion[tuple[W, Peak]] = Champion()
    champion.offer([peak.loss for _, peak in peaks], lambda i: peaks[i])
    value, (tag, best) = champion.result()
    rivals = [peak for loss, (_, peak) in champion.alive if balls.overlap(loss, value)]
    known = best.known if all(peak.known == best.known for peak in rivals) else None
    ratio = best.ratio if all(_same(peak.ratio, best.ratio) for peak in rivals) else None
    return tag, Peak(value, best.where, known, ratio=ratio)


def _same(a: Form | None, b: Form | None) -> bool:
    """Whether two quotients are the same number by algebra."""
    return a is not None and b is not None and (a == b or product(a[0], b[1]) == product(b[0], a[1]))


def _impossible(part: Part) -> bool:
    return not part.weight[0] or any(isinstance(d, Piecewise) and not any(d.parts) for d in part.densities)


def _peak(name: str, mine: Part, theirs: Part) -> Peak:
    _same_image(mine, theirs)
    parts = enumerate(zip(mine.densities, theirs.densities, strict=True))
    by_part = {i: _best(f, g) for i, (f, g) in parts if f != g}
    where = place_text(name, [(i, step.where) for i, step in by_part.items()], summed=mine.image is not None)
    steps = [_ratio(mine.weight, theirs.weight)] if mine.weight != theirs.weight else []
    steps += by_part.values()
    if not steps:
        return Peak(arb(0), where, Fraction(0), ratio=of_rational(Fraction(1)))
    if any(step.infinite for step in steps):
        return Peak(balls.infinity(), where, None, infinite=True)
    known = [step.rational() for step in steps]
    exact = [step.ratio for step in steps]
    whole = sum((k for k in known if k is not None), Fraction(0)) if None not in known else None
    ratio = None if None in exact else reduce(_times, [r for r in exact if r is not None])
    return Peak(balls.total([step.loss for step in steps]), where, whole, ratio=ratio)


def _same_image(mine: Part, theirs: Part) -> None:
    if mine.image != theirs.image:
        raise TooComplex("the real parts of a neighbor are another linear image: return the draws one by one")


def _times(a: Form, b: Form) -> Form:
    return product(a[0], b[0]), product(a[1], b[1])


def _ratio(p: Form, q: Form) -> Candidate:
    found = exact_candidate(product(p[0], q[1]), product(q[0], p[1]), "")
    if found is None:
        raise ValueError("an impossible output")
    return found


def _best(f: Density, g: Density) -> Candidate:
    if isinstance(f, Normal) or isinstance(g, Normal):
        return _normal_best(f, g)
    champion: Champion[Candidate] = Champion()
    options = suprema(f, g)
    for candidate in options:
        if candidate.infinite:
            return candidate
    champion.offer([candidate.loss for candidate in options], lambda i: options[i])
    value, best = champion.result()
    rivals = [c for c in options if balls.overlap(c.loss, value)]
    exact = [c for c in rivals if c.rational() is not None]
    if exact and len({c.rational() for c in rivals}) == 1:
        return exact[0]
    return best if len(rivals) == 1 else Candidate(value, best.where)


def _normal_best(f: Density, g: Density) -> Candidate:
    """The supremum where one density is normal: its tails decide, or two normal densities have a largest ratio."""
    if isinstance(f, Normal) and isinstance(g, Normal) and f.variance < g.variance:
        wider = g.variance - f.variance
        most = ball(g.variance / f.variance).log() / 2 + ball((f.mean - g.mean) ** 2 / (2 * wider))
        return Candidate(most, f"v = {(f.mean * g.variance - g.mean * f.variance) / wider}")
    if isinstance(g, Piecewise) and all(g.parts):
        raise TooComplex("a Gaussian real part against one with other noise: its loss is not computed here")
    if isinstance(f, Piecewise) and not (f.parts[0] or f.parts[-1]):
        raise TooComplex("a real part against a Gaussian one: its loss is not computed here")
    return Candidate(balls.infinity(), "v → ±∞", (ONE, {}))


# ------------------------------------------------------------------ delta


def delta(mine: Law, theirs: Law, at: Fraction) -> Ball:
    """A ball around the sum over shapes of the integral of max(0, P - e^at P')."""
    return tests(mine, theirs)(at).excess(ball(at).exp())


Test = Callable[[Fraction], Region]
"""at -> the masses of P and P' where P > e^at P', as far as that is proved."""


def tests(mine: Law, theirs: Law) -> Test:
    """The tests that reject where P > e^at P', for every at: their power and their level."""
    found = [_tests(part, theirs.get(key)) for key, part in mine.items()]

    def whole(at: Fraction) -> Region:
        regions = [one(at) for one in found]
        return Region(*(balls.total([getattr(r, name) for r in regions]) for name in ("p", "q", "open")))

    return whole


def _mass(part: Part) -> Ball:
    found = arb(1)
    for d in part.densities:
        if isinstance(d, Piecewise):
            found *= number_ball(d.grid.number(d.integral()))
    return found


def _tests(mine: Part, theirs: Part | None) -> Test:
    """The tests on one shape; real parts with the same density in both laws are left out."""
    if _impossible(mine):
        return lambda _: Region(arb(0), arb(0), arb(0))
    if theirs is None or _impossible(theirs):
        return lambda _: Region(form_ball(mine.weight) * _mass(mine), arb(0), arb(0))
    _same_image(mine, theirs)
    pairs = [(f, g) for f, g in zip(mine.densities, theirs.densities, strict=True) if f != g]
    same = Part(mine.weight, tuple(f for f, g in zip(mine.densities, theirs.densities, strict=True) if f == g))
    inner = _inner(pairs) if pairs else None
    top, bottom = product(mine.weight[0], theirs.weight[1]), product(theirs.weight[0], mine.weight[1])

    def test(at: Fraction) -> Region:
        p, q = (form_ball(weight) * _mass(same) for weight in (mine.weight, theirs.weight))
        if inner is None:
            gap = p - ball(at).exp() * q
            if balls.certainly_less(arb(0), gap):
                return Region(p, q, arb(0))
            return Region(arb(0), arb(0), balls.positive_part(gap))
        edge, slack = shifted(at, top, bottom)
        found = inner(edge)  # between at - ln(p/q) and the edge the excess is at most slack times P
        return Region(p * found.p, q * found.q, p * (found.open + arb(0).union(slack.upper())))

    return test


def _inner(pairs: Sequence[tuple[Density, Density]]) -> Test:
    """The tests on densities that differ."""
    normal = [(f, g) for f, g in pairs if isinstance(f, Normal) and isinstance(g, Normal) and f.variance == g.variance]
    if len(normal) == len(pairs):
        square = sum(((f.mean - g.mean) ** 2 / f.variance for f, g in normal), Fraction(0))
        return lambda at: Region(*_normal_test(ball(square).sqrt(), ball(at)), arb(0))
    closed = [(f, g) for f, g in pairs if isinstance(f, Piecewise) and isinstance(g, Piecewise)]
    if len(closed) < len(pairs):
        raise TooComplex("Gaussian real parts of two widths, or beside others that differ: delta is not computed here")
    if len(closed) == 1:
        return lambda at: region(*closed[0], at)
    return Losses(closed).region


def _normal_test(mu: Ball, at: Ball) -> tuple[Ball, Ball]:
    """(Phi(mu/2 - at/mu), Phi(-mu/2 - at/mu)): the best test of two normal distributions at distance mu."""
    root = arb(2).sqrt()
    return ((at / mu - mu / 2) / root).erfc() / 2, ((at / mu + mu / 2) / root).erfc() / 2


def infinite_mass(mine: Law, theirs: Law) -> Ball:
    """delta(infinity): the probability under P of all outputs that are impossible under P'."""
    total = arb(0)
    for key, part in mine.items():
        other = theirs.get(key)
        if other is None or _impossible(other):
            total += form_ball(part.weight) * _mass(part)
            continue
        inside = arb(1)
        for f, g in zip(part.densities, other.densities, strict=True):
            if isinstance(f, Piecewise) and isinstance(g, Piecewise):
                f, g = aligned(f, g)
                inside *= number_ball(f.grid.number(f.integral())) - number_ball(mass_where(f, g))
        total += form_ball(part.weight) * (_mass(part) - inside)
    return total


def normal_distance(mine: Law, theirs: Law) -> Fraction | None:
    """mu^2 where the laws differ by the means of Gaussian real parts, with one mu for every shape; else None."""
    found = set[Fraction]()
    for key in {*mine, *theirs}:
        part, other = mine.get(key), theirs.get(key)
        if part is None or other is None or part.weight != other.weight or part.image != other.image:
            return None
        square = Fraction(0)
        for f, g in zip(part.densities, other.densities, strict=True):
            if isinstance(f, Normal) and isinstance(g, Normal) and f.variance == g.variance:
                square += (f.mean - g.mean) ** 2 / f.variance
            elif f != g:
                return None
        found.add(square)
    return found.pop() if len(found) == 1 else None

"""One data set of a k = 2 model as the accuracy claims see it: which outputs are near, and their probabilities.

Everything is indexed by the first cell: x = (a, n-a), output r = (r, n-r). A threshold t that separates two
neighbouring attained distances is given by the outputs nearer than t; they are lo..hi, an interval around a.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from flint import arb_poly, fmpq, fmpq_poly

from dpaudit.mechanisms.laplace import cell_law
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant

Q = fmpq_poly([0, 1])
ONE = fmpq_poly([1])
HALF = fmpq(1, 2)
Span = tuple[int, int]
R = TypeVar("R", bound=Hashable)


def by_distance(outputs: Sequence[R], bc: Callable[[], Sequence[Ball]], same: Callable[[R, R], bool]) -> list[list[R]]:
    """Returns the outputs in groups of equal distance, the nearest first.

    ``bc()`` gives balls that contain the coefficients BC at the precision in force (the nearer, the larger);
    ``same`` decides equality exactly. The precision is raised until every two neighbours are told apart or equal.
    """

    def attempt() -> list[list[R]] | None:
        value = dict(zip(outputs, bc(), strict=True))
        ordered = sorted(outputs, key=lambda r: -balls.ends(value[r])[1])
        groups = [[ordered[0]]]
        for r in ordered[1:]:
            last = groups[-1][-1]
            if balls.certainly_less(value[r], value[last]):
                groups.append([r])
            elif same(last, r):
                groups[-1].append(r)
            else:
                return None
        return groups

    return balls.refine(attempt, 128)[0]


@lru_cache(maxsize=1 << 14)
def levels(model: Model, a: int) -> tuple[Span, ...]:
    """Returns the sets {r : H(x,r) <= d} for every attained distance d, smallest first, as intervals (lo, hi).

    The last one is (0, n). That each is an interval is checked, not assumed.
    """
    n, x = model.n, (a, model.n - a)
    groups = by_distance(
        range(n + 1),
        lambda: _coefficients(model, a),
        lambda r, s: bc_squared(model, x, (r, n - r)) == bc_squared(model, x, (s, n - s)),
    )
    spans, seen = [], set[int]()
    for group in groups:
        seen.update(group)
        lo, hi = min(seen), max(seen)
        if hi - lo + 1 != len(seen):
            raise ArithmeticError(f"the near outputs of x = {x} are not an interval")
        spans.append((lo, hi))
    return tuple(spans)


def separated(model: Model, a: int) -> tuple[Span, ...]:
    """Returns {r : H(x,r) < t} for every t that separates two neighbouring attained distances."""
    return levels(model, a)[:-1]


def within_ls(model: Model, a: int) -> Span:
    """Returns {r : H(x,r) <= LS(x)}: the first level that holds every neighbour, as LS(x) = max H(x,x')."""
    first, last = max(a - 1, 0), min(a + 1, model.n)
    return next((lo, hi) for lo, hi in levels(model, a) if lo <= first and hi >= last)


def below_ls(model: Model, a: int) -> Span:
    """Returns {r : H(x,r) < LS(x)}: the level before ``within_ls``."""
    spans = levels(model, a)
    return spans[spans.index(within_ls(model, a)) - 1]


# ------------------------------------------------------------------ distances at the precision in force


@lru_cache(maxsize=64)
def _hellinger(model: Model, bits: int) -> Hellinger:
    return Hellinger(model)


def _coefficients(model: Model, a: int) -> list[Ball]:
    h, n = _hellinger(model, balls.working_bits()), model.n
    return [h.bc((a, n - a), (r, n - r)) for r in range(n + 1)]


@lru_cache(maxsize=1 << 12)
def _row(model: Model, a: int, bits: int) -> tuple[Ball, ...]:
    h, n = _hellinger(model, bits), model.n
    return tuple(h.between((a, n - a), (r, n - r)) for r in range(n + 1))


def distances(model: Model, a: int) -> tuple[Ball, ...]:
    """Returns balls that contain H(x, r) for r = 0..n."""
    return _row(model, a, balls.working_bits())


def local_sensitivity(model: Model, a: int) -> Ball:
    """Returns a ball that contains LS(x) = max over the one or two neighbours of H(x, x')."""
    row = distances(model, a)
    return balls.maximum([row[r] for r in (a - 1, a + 1) if 0 <= r <= model.n])


# ------------------------------------------------------------------ probabilities


def power(eps: Fraction, multiple: Fraction | int = 1) -> Ball:
    """Returns a ball that contains e^(-multiple eps)."""
    return (-ball(eps * multiple)).exp()


def evaluate(poly: fmpq_poly, q: Ball) -> Ball:
    """Returns a ball that contains poly(q)."""
    return arb_poly(poly)(q)


@lru_cache(maxsize=1 << 14)
def laplace_interval(n: int, a: int, lo: int, hi: int) -> fmpq_poly:
    """Returns Pr[lo <= output <= hi] of one noised cell with count a, exactly, as a polynomial in q."""
    laws = [cell_law(n, a, o) for o in range(lo, hi + 1)]
    return sum((Q**law.exponent * law.poly for law in laws), fmpq_poly())


def scale(model: Model, a: int, eps: Fraction, local: bool) -> Ball:
    """Returns a ball that contains eps / (2 LS(x)) if ``local``, else eps / (2 GS_0)."""
    return ball(eps / 2) / (local_sensitivity(model, a) if local else gs_constant())


@lru_cache(maxsize=1 << 12)
def _sums(model: Model, a: int, eps: Fraction, local: bool, bits: int) -> tuple[Ball, ...]:
    rate, total = -scale(model, a, eps, local), balls.zero()
    sums = [total]
    for h in distances(model, a):
        total = total + (rate * h).exp()
        sums.append(total)
    return tuple(sums)


def weight_sum(model: Model, a: int, eps: Fraction, local: bool, lo: int, hi: int) -> Ball:
    """Returns a ball that contains the sum of exp(-eps H(x,r) / (2 Delta)) over r = lo..hi; Delta = GS_0 or LS(x)."""
    sums = _sums(model, a, eps, local, balls.working_bits())
    return sums[hi + 1] - sums[lo]


def exponential_interval(model: Model, a: int, eps: Fraction, local: bool, lo: int, hi: int) -> Ball:
    """Returns a ball that contains Pr[lo <= output <= hi] for EHD, or for EHDL if ``local``."""
    return weight_sum(model, a, eps, local, lo, hi) / weight_sum(model, a, eps, local, 0, model.n)

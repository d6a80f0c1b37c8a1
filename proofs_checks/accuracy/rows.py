"""One data set of a k = 2 model as the accuracy claims see it: which outputs are near, and their probabilities.

Everything is indexed by the first cell: x = (a, n-a), output r = (r, n-r). A threshold t that separates two
neighboring attained distances is given by the outputs nearer than t; they are lo..hi, an interval around a.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb_poly, fmpq_poly

from dpaudit.mechanisms.laplace import cell_law
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from proofs_checks.setting import exact

Q = fmpq_poly([0, 1])
ONE = fmpq_poly([1])
Span = tuple[int, int]


def in_q(poly: fmpq_poly) -> str:
    """The polynomial as text, its variable named q."""
    return str(poly).replace("x", "q")


@lru_cache(maxsize=1 << 14)
def levels(model: Model, a: int) -> tuple[Span, ...]:
    """The sets {r : H(x,r) <= d} for every attained distance d, smallest first, as intervals (lo, hi).

    The last one is (0, n). That each is an interval is checked, not assumed.
    """
    x = (a, model.n - a)
    spans, seen = [], set[int]()
    for level in exact.levels(model, x):
        seen.update(r for r, _ in level.members)
        lo, hi = min(seen), max(seen)
        if hi - lo + 1 != len(seen):
            raise ArithmeticError(f"the near outputs of x = {x} are not an interval")
        spans.append((lo, hi))
    return tuple(spans)


def separated(model: Model, a: int) -> tuple[Span, ...]:
    """{r : H(x,r) < t} for every t that separates two neighboring attained distances."""
    return levels(model, a)[:-1]


def within_ls(model: Model, a: int) -> Span:
    """{r : H(x,r) <= LS(x)}: the first level that holds every neighbor, as LS(x) = max H(x,x')."""
    first, last = max(a - 1, 0), min(a + 1, model.n)
    return next((lo, hi) for lo, hi in levels(model, a) if lo <= first and hi >= last)


def below_ls(model: Model, a: int) -> Span:
    """{r : H(x,r) < LS(x)}: the level before ``within_ls``."""
    spans = levels(model, a)
    return spans[spans.index(within_ls(model, a)) - 1]


# ------------------------------------------------------------------ distances at the precision in force


@lru_cache(maxsize=1 << 12)
def _row(model: Model, a: int, bits: int) -> tuple[Ball, ...]:
    h, n = Hellinger(model), model.n
    return tuple(h.between((a, n - a), (r, n - r)) for r in range(n + 1))


def distances(model: Model, a: int) -> tuple[Ball, ...]:
    """Balls that contain H(x, r) for r = 0..n."""
    return _row(model, a, balls.working_bits())


def local_sensitivity(model: Model, a: int) -> Ball:
    """A ball that contains LS(x) = max over the one or two neighbors of H(x, x')."""
    row = distances(model, a)
    return balls.maximum([row[r] for r in (a - 1, a + 1) if 0 <= r <= model.n])


# ------------------------------------------------------------------ probabilities


def power(eps: Fraction, multiple: Fraction | int = 1) -> Ball:
    """A ball that contains e^(-multiple eps)."""
    return (-ball(eps * multiple)).exp()


def evaluate(poly: fmpq_poly, q: Ball) -> Ball:
    """A ball that contains poly(q)."""
    return arb_poly(poly)(q)


@lru_cache(maxsize=1 << 14)
def laplace_interval(n: int, a: int, lo: int, hi: int) -> fmpq_poly:
    """Pr[lo <= output <= hi] of one noised cell with count a, exactly, as a polynomial in q."""
    laws = [cell_law(n, a, o) for o in range(lo, hi + 1)]
    return sum((Q**law.exponent * law.poly for law in laws), fmpq_poly())


def scale(model: Model, a: int, eps: Fraction, local: bool) -> Ball:
    """A ball that contains eps / (2 LS(x)) if ``local``, else eps / (2 GS_0)."""
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
    """A ball that contains the sum of exp(-eps H(x,r) / (2 Delta)) over r = lo..hi; Delta = GS_0 or LS(x)."""
    sums = _sums(model, a, eps, local, balls.working_bits())
    return sums[hi + 1] - sums[lo]


def exponential_interval(model: Model, a: int, eps: Fraction, local: bool, lo: int, hi: int) -> Ball:
    """A ball that contains Pr[lo <= output <= hi] for EHD, or for EHDL if ``local``."""
    return weight_sum(model, a, eps, local, lo, hi) / weight_sum(model, a, eps, local, 0, model.n)

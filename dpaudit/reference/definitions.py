"""The mechanisms of the documents by their definitions, in mpmath: slow, plain, and sharing no code with the engine.

It imports the standard library and mpmath only, and takes no shortcut: no symmetry, no closed form, no interval.
Results are plain mpf numbers, computed with ``dps`` digits plus a guard, and are meant to be right to about ``dps``
digits, relative for pmf, epsilon, H, LS and S, and absolute for delta (exact ties P_x = e^at P_x' leave rounding dust
there). The tests and ``--cross-check`` compare the engine with it.

Arguments: n int; prior tuple of Fractions; x tuple of ints (a histogram); eps, gamma, delta, at ints or Fractions
(floats are refused). gamma=None means 1, gs=None means 'constant'. mpf values keep their digits, but arithmetic on them
outside uses mp.dps: wrap it in mp.workdps(...). The dicts that pmf returns are cached: do not modify them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from mpmath import mp, mpf

LAPLACE = ("LSZhang", "LSDim", "LSHist")
EXPONENTIAL = ("EHD", "EHDL", "EHDS", "MH", "MHdelta")
MECHANISMS = LAPLACE + EXPONENTIAL
Mpf = Any
"""A number of mpmath."""
Cells = tuple[int, ...]
Prior = tuple[Fraction, ...]
GUARD = 20  # extra digits carried everywhere
TIE = Fraction(1, 10**30)  # relative: losses this close to the maximum count as attaining it


def exact(value: Any) -> Fraction:
    """int or Fraction -> Fraction; anything else (a float) is a mistake in the test."""
    if not isinstance(value, (int, Fraction)):
        raise TypeError(f"exact number wanted, got {value!r}")
    return Fraction(value)


def to_mpf(value: Any) -> Mpf:
    """mpf as it is; an exact number rounded to the current precision."""
    if isinstance(value, mpf):
        return value
    value = exact(value)
    return mpf(value.numerator) / value.denominator


# ---------------------------------------------------------------- histograms


@cache
def histograms(n: int, k: int) -> tuple[Cells, ...]:
    """All k-tuples of non-negative integers with sum n."""
    return tuple(c for c in product(range(n + 1), repeat=k) if sum(c) == n)


@cache
def adjacent(c: Cells) -> tuple[Cells, ...]:
    """All histograms got from c by moving one unit from one cell to another."""
    found = []
    for i in range(len(c)):
        for j in range(len(c)):
            if i != j and c[i] > 0:
                moved = list(c)
                moved[i] -= 1
                moved[j] += 1
                found.append(tuple(moved))
    return tuple(found)


def hamming(c: Cells, d: Cells) -> int:
    """Half the L1 distance (an integer when the totals agree)."""
    twice = sum(abs(ci - di) for ci, di in zip(c, d, strict=True))
    assert twice % 2 == 0, "histograms of different totals"
    return twice // 2


# ---------------------------------------------------------------- Hellinger distance


@cache
def log_gamma(a: Fraction, dps: int) -> Mpf:
    """ln Gamma(a)."""
    with mp.workdps(dps + 2 * GUARD):
        return mp.loggamma(to_mpf(a))


@cache
def log_beta(a: Prior, dps: int) -> Mpf:
    """ln B(a), B(a) = prod Gamma(a_i) / Gamma(sum a_i)."""
    with mp.workdps(dps + 2 * GUARD):
        return mp.fsum(log_gamma(ai, dps) for ai in a) - log_gamma(sum(a), dps)


@cache
def hellinger(a: Prior, b: Prior, dps: int = 60) -> Mpf:
    """H(Dir(a), Dir(b)) = sqrt(1 - B((a+b)/2) / sqrt(B(a) B(b))); the totals may differ."""
    a, b = tuple(map(exact, a)), tuple(map(exact, b))
    if a == b:
        return mpf(0)  # exactly: the root of rounding dust would not be small
    middle = tuple((ai + bi) / 2 for ai, bi in zip(a, b, strict=True))
    with mp.workdps(dps + 2 * GUARD):
        log_bc = log_beta(middle, dps) - (log_beta(a, dps) + log_beta(b, dps)) / 2
        return mp.sqrt(1 - mp.exp(log_bc))


def posterior(prior: Prior, cells: Cells) -> Prior:
    """Prior plus counts."""
    return tuple(exact(p) + c for p, c in zip(prior, cells, strict=True))


def distance(prior: Prior, c: Cells, d: Cells, dps: int) -> Mpf:
    """H between the posteriors of two vectors of cells."""
    return hellinger(posterior(prior, c), posterior(prior, d), dps)


# ---------------------------------------------------------------- sensitivities


@cache
def local_sensitivity(n: int, prior: Prior, x: Cells, dps: int = 60) -> Mpf:
    """max over adjacent x' and candidates r of |H(x,r) - H(x',r)|."""
    with mp.workdps(dps + GUARD):
        return max(
            abs(distance(prior, x, r, dps) - distance(prior, other, r, dps))
            for other in adjacent(x)
            for r in histograms(n, len(prior))
        )


@cache
def smooth_sensitivity(n: int, prior: Prior, x: Cells, gamma: Any = 1, dps: int = 60) -> Mpf:
    """max over x'' of 1 / (1/LS(x'') + gamma d(x,x''))."""
    with mp.workdps(dps + GUARD):
        g = to_mpf(gamma)
        return max(1 / (1 / local_sensitivity(n, prior, y, dps) + g * hamming(x, y)) for y in histograms(n, len(prior)))


@cache
def exp_smooth_sensitivity(n: int, prior: Prior, x: Cells, gamma: Any, dps: int = 60, over: str | None = "all") -> Mpf:
    """max over x'' of LS(x'') exp(-gamma d(x,x'')), x'' any data set, or x and those adjacent to it.

    gamma may be an mpf (see delta_gamma).
    """
    with mp.workdps(dps + GUARD):
        g, most = to_mpf(gamma), 1 if over == "adjacent" else n
        near = [y for y in histograms(n, len(prior)) if hamming(x, y) <= most]
        return max(local_sensitivity(n, prior, y, dps) * mp.exp(-g * hamming(x, y)) for y in near)


@cache
def global_sensitivity(n: int, prior: Prior, dps: int = 60) -> Mpf:
    """max over x of LS(x)."""
    with mp.workdps(dps + GUARD):
        return max(local_sensitivity(n, prior, x, dps) for x in histograms(n, len(prior)))


def constant_sensitivity(dps: int = 60) -> Mpf:
    """GS_0 = sqrt(1 - pi/4)."""
    with mp.workdps(dps + GUARD):
        return mp.sqrt(1 - mp.pi / 4)


def delta_gamma(n: int, eps: Any, delta: Any, dps: int = 60) -> Mpf:
    """The gamma of MHdelta: ln(1 - eps / (2 ln(delta / (2(n+1)))))."""
    with mp.workdps(dps + GUARD):
        return mp.log(1 - to_mpf(eps) / (2 * mp.log(to_mpf(delta) / (2 * (n + 1)))))


# ---------------------------------------------------------------- the mechanisms


def laplace_cdf(t: Any, scale: Fraction) -> Mpf:
    """Pr[Lap(scale) < t]."""
    if t < 0:
        return mp.exp(to_mpf(t) / to_mpf(scale)) / 2
    return 1 - mp.exp(-to_mpf(t) / to_mpf(scale)) / 2


@cache
def laplace_cell(n: int, c: int, scale: Fraction, dps: int) -> list[Mpf]:
    """Law of floor(c + Lap(scale)) clipped into [0, n], as the list of P(0) ... P(n)."""
    lost = int(n / scale * Fraction(44, 100)) + 1  # digits lost in 1 - F(n): n/scale/ln 10
    with mp.workdps(dps + GUARD + lost):
        law = []
        for o in range(n + 1):
            below = mpf(0) if o == 0 else laplace_cdf(o - c, scale)
            up_to = mpf(1) if o == n else laplace_cdf(o + 1 - c, scale)
            law.append(up_to - below)
        return law


@cache
def pmf(
    mech: str,
    n: int,
    prior: Prior,
    x: Cells,
    eps: Any,
    gamma: Any = 1,
    delta: Any = None,
    gs: str | None = "constant",
    dps: int = 60,
    over: str | None = "all",
) -> dict[Cells, Mpf]:
    """Output distribution for data with histogram x: dict output tuple -> mpf."""
    k, eps = len(prior), exact(eps)
    gamma = 1 if gamma is None else exact(gamma)
    gs = "constant" if gs is None else gs
    assert len(x) == k
    assert sum(x) == n
    assert min(x) >= 0
    if mech in LAPLACE:
        if mech == "LSZhang":
            noised, scale = k, 2 / eps
        elif mech == "LSDim":
            noised, scale = k - 1, k / eps
        else:
            noised, scale = k - 1, (1 if k == 2 else 2) / eps
        result = {}
        with mp.workdps(dps + GUARD):
            for output in product(range(n + 1), repeat=noised):
                probability = mpf(1)
                for i in range(noised):
                    probability *= laplace_cell(n, x[i], scale, dps)[output[i]]
                result[output] = probability
        return result
    with mp.workdps(dps + GUARD):
        if mech == "EHD" and gs == "constant":
            divisor = 2 * constant_sensitivity(dps)
        elif mech == "EHD" and gs == "exact":
            divisor = 2 * global_sensitivity(n, prior, dps)
        elif mech == "EHDL":
            divisor = 2 * local_sensitivity(n, prior, x, dps)
        elif mech == "EHDS":
            divisor = 2 * to_mpf(1 + gamma) * smooth_sensitivity(n, prior, x, gamma, dps)
        elif mech == "MH":
            divisor = 2 * smooth_sensitivity(n, prior, x, gamma, dps)
        elif mech == "MHdelta":
            g = delta_gamma(n, eps, delta, dps)
            divisor = 2 * exp_smooth_sensitivity(n, prior, x, g, dps, over)
        else:
            raise ValueError(f"unknown mechanism {mech!r} with gs={gs!r}")
        weight = {r: mp.exp(-to_mpf(eps) * distance(prior, x, r, dps) / divisor) for r in histograms(n, k)}
        total = mp.fsum(weight.values())
        return {r: w / total for r, w in weight.items()}


def exact_value(value: Mpf) -> Fraction:
    """The exact rational value of an mpf."""
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)


# ---------------------------------------------------------------- the audited quantities


def epsilon(
    mech: str,
    n: int,
    prior: Prior,
    eps: Any,
    gamma: Any = 1,
    delta: Any = None,
    gs: str | None = "constant",
    dps: int = 60,
    over: str | None = "all",
) -> tuple[Mpf, list[tuple[Cells, Cells, Cells]]]:
    """True epsilon and the list of all (x, x', output) whose loss equals it up to relative 1e-30."""
    with mp.workdps(dps + GUARD):
        log_p = {}
        for x in histograms(n, len(prior)):
            law = pmf(mech, n, prior, x, eps, gamma, delta, gs, dps, over)
            log_p[x] = {r: mp.log(p) for r, p in law.items()}
        losses = [
            (log_p[x][r] - log_p[other][r], (x, other, r)) for x in log_p for other in adjacent(x) for r in log_p[x]
        ]
        best = max(loss for loss, _ in losses)
        return best, [where for loss, where in losses if best - loss <= abs(best) * to_mpf(TIE)]


def delta(
    mech: str,
    n: int,
    prior: Prior,
    eps: Any,
    at: Any,
    gamma: Any = 1,
    delta: Any = None,
    gs: str | None = "constant",
    dps: int = 60,
    over: str | None = "all",
) -> Mpf:
    """delta(at) = max over ordered adjacent pairs of sum_r max(0, P_x(r) - e^at P_x'(r))."""
    with mp.workdps(dps + GUARD):
        factor = mp.exp(to_mpf(at))
        worst = mpf(0)
        for x in histograms(n, len(prior)):
            p = pmf(mech, n, prior, x, eps, gamma, delta, gs, dps, over)
            for other in adjacent(x):
                q = pmf(mech, n, prior, other, eps, gamma, delta, gs, dps, over)
                worst = max(worst, mp.fsum(max(mpf(0), p[r] - factor * q[r]) for r in p))
        return worst


def released_cells(mech: str, n: int, output: Cells) -> Cells:
    """The k cells released for an output: LSDim and LSHist complete it by n - sum, clipped into [0, n]."""
    if mech in ("LSDim", "LSHist"):
        return (*output, min(max(n - sum(output), 0), n))
    return output


def mean_error(
    mech: str,
    n: int,
    prior: Prior,
    eps: Any,
    x: Cells,
    gamma: Any = 1,
    delta: Any = None,
    gs: str | None = "constant",
    dps: int = 60,
    over: str | None = "all",
) -> Mpf:
    """E[H(posterior of x, released distribution)]."""
    with mp.workdps(dps + GUARD):
        law = pmf(mech, n, prior, x, eps, gamma, delta, gs, dps, over)
        return mp.fsum(p * distance(prior, x, released_cells(mech, n, r), dps) for r, p in law.items())

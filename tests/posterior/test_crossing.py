"""Where two Beta densities cross, and their total variation, with priors from tiny to huge, against integrals."""

from fractions import Fraction
from importlib import import_module
from itertools import pairwise

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.numbers import balls
from dpaudit.numbers.balls import NeedsMoreBits, ball

crossing = import_module("dpaudit.posterior.crossing")
DPS = 60


def integral(a, b):
    """Half the integral of |f - g| over the log-odds z, cut where bisection finds the densities to cross."""
    a, b = ([mpf(v.numerator) / v.denominator for v in pair] for pair in (a, b))
    beta = [mp.loggamma(s) + mp.loggamma(t) - mp.loggamma(s + t) for s, t in (a, b)]
    top, spread = mp.log(b[0] / b[1]), mp.sqrt(1 / b[0] + 1 / b[1])

    def log_density(pair, norm, z):
        return -pair[0] * mp.log1p(mp.exp(-z)) - pair[1] * mp.log1p(mp.exp(z)) - norm

    def difference(z):
        return log_density(a, beta[0], z) - log_density(b, beta[1], z)

    grid = [top + spread * mpf(i) / 4 for i in range(-70, 71)]
    cuts = []
    for low, high in pairwise(grid):
        if difference(low) * difference(high) < 0:
            cuts.append(mp.findroot(difference, (low, high), solver="anderson", tol=mpf(10) ** -(2 * DPS)))
    pieces = sorted({grid[0], grid[-1], *cuts, *grid[::10]})

    def gap(z):
        return mp.exp(log_density(a, beta[0], z)) - mp.exp(log_density(b, beta[1], z))

    parts = [mp.quad(gap, [low, high]) for low, high in pairwise(pieces)]
    return mp.fsum(abs(part) for part in parts) / 2


@pytest.mark.parametrize("prior", [(30, 20), (10**9, 10**9), (10**16, 10**16), (10**16, 10**18), (10**25, 10**24)])
@pytest.mark.parametrize("steps", [(1, 1), (3, 2), (0, 2), (2, -1), (-2, 5), (4, -4)])
@pytest.mark.thin(4)
def test_total_variation_with_large_priors(prior, steps):
    b = tuple(map(Fraction, prior))
    a = tuple(v + step for v, step in zip(b, steps, strict=True))

    def attempt():
        value = crossing.total_variation(a, b)
        return value if balls.narrow(value * 10**30, 18) else None

    with mp.workdps(DPS):
        value, _ = balls.refine(attempt, 128)
        low, high = balls.ends(value)
        slow = integral(a, b)
        assert abs(mpf(low.numerator) / low.denominator - slow) < slow * mpf(10) ** -14
        assert 0 <= low <= high < low * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2), (-1, -4), (-7, -7)])
@pytest.mark.parametrize("prior", ["1/1000000000", "1", "10000", "1e16"])
def test_each_zero_lies_on_its_own_side_of_the_extremum(p, q, prior):
    start = Fraction(prior) + 8
    with balls.precision(256):
        constant = crossing._log_beta((start, start)) - crossing._log_beta((start + p, start + q))
        peak = ball(Fraction(p, q)).log()
        left = crossing._zero(constant, Fraction(p), Fraction(q))
        right = -crossing._zero(constant, Fraction(q), Fraction(p))
    assert balls.certainly_less(left, peak)
    assert balls.certainly_less(peak, right)


def test_a_zero_on_the_other_side_is_not_taken(monkeypatch):
    """Led to the wrong side, Newton finds a zero there, with opposite signs around it: the slope refuses it."""
    p, q, start = Fraction(3), Fraction(2), Fraction(40)
    with balls.precision(128):
        constant = crossing._log_beta((start, start)) - crossing._log_beta((start + p, start + q))
        left, right = crossing._zero(constant, p, q), -crossing._zero(constant, q, p)
        assert not balls.overlap(left, right)
        monkeypatch.setattr(balls, "middle", lambda value: right.mid())
        with pytest.raises(NeedsMoreBits):
            crossing._zero(constant, p, q)


@pytest.mark.parametrize("prior", ["1e16,1e16", "1e40,1e16", "1e90,1e90", "1e-9,1e16"])
def test_the_law_of_total_variation_with_a_huge_prior(prior):
    result = dpaudit.accuracy("LSZhang", "1,2", metric="tv", prior=prior)
    assert result.steps[0].distance.upper == 0
    assert 0 < result.mean.lower <= result.mean.upper <= 1


def test_total_variation_as_the_score_with_a_huge_prior():
    result = dpaudit.epsilon("EHDL", n=3, prior="1e16,1e16", score="tv")
    assert 0 < result.epsilon.lower <= result.epsilon.upper < 2

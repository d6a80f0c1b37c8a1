"""Every n, section 4 of EVERY_N.md: the pairs of the middle."""

from fractions import Fraction
from math import e

import numpy as np
import pytest
from scipy.special import digamma, gammaln, polygamma

from dpaudit.forall import every_n_middle
from dpaudit.numbers import balls
from tests.forall.brute_force import PRIORS, distances, family, inverses, log_step, losses


def second_difference(z):
    return gammaln(z + 0.5) - 2 * gammaln(z) + gammaln(z - 0.5)


def test_the_lines_of_the_middle():
    """G >= 1/(4z), G(z+1) = G(z) + ln(1 - 1/(4z^2)), the share theta, the slope of H and the bound of 1/(2c)."""
    for z in [0.6, 0.75, 1, 2.5, 10, 77.25, 1000]:
        assert second_difference(z) >= polygamma(1, z) / 4 - 1e-12 >= 1 / (4 * z) - 2e-12
        assert second_difference(z + 1) == pytest.approx(second_difference(z) + np.log1p(-1 / (4 * z * z)), abs=1e-9)
        share = float(balls.ends(every_n_middle.turned(Fraction(z)))[1])
        assert second_difference(z) - second_difference(z + 1) <= share * second_difference(z + 1) + 1e-9
        c = np.sqrt(-np.expm1(log_step(z)))
        assert 1 / (2 * c) <= float(balls.ends(every_n_middle.widest(Fraction(z)))[1]) * (1 + 1e-9)
        assert digamma(z) <= np.log(z)
    for level in np.linspace(0.001, 30, 400):
        true = max(v * e**-v / (2 * np.sqrt(-np.expm1(-v))) for v in np.linspace(level, level + 5, 40))
        assert true <= float(balls.ends(every_n_middle.steep(Fraction(level)))[1]) + 1e-12


def shift_exceeds(n, prior, m):
    """Whether the bound of the distortion by a shift is exceeded by a pair of the middle of this n."""
    bound = max(float(balls.ends(every_n_middle.distortion(Fraction(alpha), m))[1]) for alpha in prior)
    shifted, worst = np.roll(np.arange(n + 1), -1), 0.0
    for x in (m, m + 1, n // 4, n // 2, n - m - 2, n - m - 1):
        here, there = distances(n, *prior, rows=[x, x + 1])
        worst = max(worst, abs(there[shifted] - here).max() / (2 * here[x + 1]))
    return worst > bound


def middle_exceeds(mech, prior, n, m, eps, gamma=1.0):
    """Whether the bound of the middle is exceeded by a loss there."""
    found = family(mech, prior, eps=str(eps), **({"gamma": str(Fraction(gamma))} if mech in ("MH", "EHDS") else {}))
    bound = float(balls.ends(found.middle(m, max(found.least_n(m), m)))[1])
    return abs(losses(n, prior, mech, float(Fraction(eps)), gamma)[m : n - m]).max() > bound


@pytest.mark.parametrize("prior", PRIORS)
def test_no_loss_in_the_middle_exceeds_its_bound(prior):
    for mech in ("EHD", "EHD/exact", "EHDL", "EHDS", "MH"):
        for n, m, eps in ((90, 24, "1/50"), (90, 24, "30"), (260, 64, "1"), (300, 32, "3")):
            assert not middle_exceeds(mech, prior, n, m, eps)
    for n, m in ((60, 24), (150, 24), (5000, 24), (5000, 64), (10**5, 1024)):
        assert not shift_exceeds(n, prior, m)


def test_the_parts_of_the_middle_fall_as_x_grows():
    for alpha in (Fraction(1, 1000), Fraction(1), Fraction(24)):
        values = [balls.ends(every_n_middle.distortion(alpha, x))[1] for x in (24, 25, 30, 64, 65, 200, 1000)]
        assert values == sorted(values, reverse=True)
        rises = [balls.ends(every_n_middle.rise(alpha + x))[1] for x in (1, 2, 24, 100)]
        assert rises == sorted(rises, reverse=True)


def test_a_step_of_the_inverse_sensitivity_is_below_its_bound():
    for a, b in PRIORS:
        steps = 1 / np.diag(distances(400, a, b), 1)
        for x in range(1, 190):
            assert steps[x] - steps[x - 1] <= float(balls.ends(every_n_middle.rise(Fraction(a) + x - 1))[1]) + 1e-9


@pytest.mark.parametrize("m", [24, 50])
def test_no_step_of_the_inverse_ls_in_the_middle_exceeds_the_larger_bound(m):
    """Up, down and across the peak, from the least n on."""
    for a, b in PRIORS:
        rises = [float(balls.ends(every_n_middle.rise(Fraction(alpha) + m - 1))[1]) for alpha in (a, b)]
        least = 2 * m + 4 + int(abs(a - b)) + 1
        for n in (least, least + 1, least + 40):
            assert abs(np.diff(inverses(distances(n, a, b), "EHDL")[m : n - m + 1])).max() <= max(rises) + 1e-9


def test_a_wrong_constant_in_the_middle_is_noticed(monkeypatch):
    """The share by which a shift changes L, half of what it is."""
    assert not shift_exceeds(4000, (1, 1), 128)
    whole = every_n_middle.turned
    monkeypatch.setattr(every_n_middle, "turned", lambda z: whole(z) / 2)
    assert shift_exceeds(4000, (1, 1), 128)

"""The laws of real outputs: two ways of writing one law agree, and every law has the mass 1."""

from fractions import Fraction as F

import pytest
from mpmath import erf, mpf, sqrt

from dpaudit.noise.densities import parts
from dpaudit.noise.explore import explore
from dpaudit.noise.gaussian import form_ball
from dpaudit.noise.losses import delta, infinite_mass, peaks
from dpaudit.noise.trees import TooComplex
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball


def law(code):
    return parts(explore(code, dict).paths)


def both(x, a, b, keep):
    """x + a + b where ``keep`` says so, with the draws in this order."""
    return x + a + b if keep else None


def coin_beside(n, x):
    return n.bernoulli(F(1 + x, 3)), x + n.laplace(3) + n.laplace(5)


def second_cut(n, x):
    a, b = n.laplace(2), n.laplace(1)
    return both(x, a, b, b > F(1, 3))


def first_cut(n, x):
    b, a = n.laplace(1), n.laplace(2)
    return both(x, a, b, b > F(1, 3))


def scaled_comparison(n, x):
    a, b, c = n.laplace(1), n.laplace(2), n.laplace(4)
    return both(x, a, b, 3 * a > c)


def scaled_draw(n, x):
    a, b, c = n.laplace(3), n.laplace(2), n.laplace(4)
    return both(x, a / 3, b, a > c)


def scaled_comparison_later(n, x):
    c, a, b = n.laplace(4), n.laplace(1), n.laplace(2)
    return both(x, a, b, 3 * a > c)


def twice_a_sum(n, x):
    a, b = n.laplace(1), n.laplace(2)
    return both(x, 2 * a, 2 * b, a + b > F(1, 2))


def sum_of_doubles(n, x):
    a, b = n.laplace(2), n.laplace(4)
    return both(x, a, b, a + b > 1)


def sum_in_a_window(n, x):
    a, b = n.laplace(1), n.laplace(2)
    return both(x, a, b, a / 2 + b / 2 > 1)


def sum_compared_later(n, x):
    a, b = n.laplace(1), n.laplace(2)
    return both(x, b, a, 2 * b + 2 * a > 4)


def half_of_a_cut_draw(n, x):
    a = n.laplace(1)
    return x + a / 2 if a > 1 else None


def cut_draw_of_half_the_scale(n, x):
    a = n.laplace(F(1, 2))
    return x + a if a > F(1, 2) else None


def minus_a_cut_draw(n, x):
    a = n.exponential(2)
    return x - a if a > 1 else n.uniform(0, 1) - 2


def minus_two_uniforms(n, x):
    a, b = n.exponential(2), n.uniform(-5, F(-9, 2))
    return x - a if a > 1 else 2 * b + 8


def weighted_by_a_comparison(n, x):
    return x + n.laplace(1) if n.laplace(2) > 1 else n.laplace(3)


def weighted_by_a_coin(n, x):
    return x + n.laplace(1) if n.laplace(2) < -1 else n.laplace(3)


def two_widths(n, x):
    half = F(1 + 2 * x, 2)
    return n.uniform(-half, half) + n.laplace(1), n.bernoulli(F(1, 2 + x))


def gaussian_beside(n, x):
    return n.laplace(1), x + n.gaussian(2)


def gaussians(n, x):
    return x + n.gaussian(1) + n.gaussian(2) / 2


LAWS = [
    *(coin_beside, second_cut, first_cut, scaled_comparison, scaled_draw, sum_in_a_window, sum_compared_later),
    *(scaled_comparison_later, twice_a_sum, sum_of_doubles),
    *(half_of_a_cut_draw, cut_draw_of_half_the_scale, minus_a_cut_draw, minus_two_uniforms),
    *(weighted_by_a_comparison, weighted_by_a_coin, two_widths),
]


@pytest.mark.parametrize("code", LAWS)
def test_a_law_has_the_mass_1(code):
    """delta against a law for which every output is impossible."""
    with balls.precision(128):
        low, high = balls.ends(delta(law(lambda n: code(n, 1)), {}, F(1)))
    assert low <= 1 <= high
    assert high - low < F(1, 10**20)


SAME = [
    (second_cut, first_cut),
    (scaled_comparison, scaled_draw),
    (scaled_comparison_later, scaled_draw),
    (twice_a_sum, sum_of_doubles),
    (sum_in_a_window, sum_compared_later),
    (half_of_a_cut_draw, cut_draw_of_half_the_scale),
    (minus_a_cut_draw, minus_two_uniforms),
    (weighted_by_a_comparison, weighted_by_a_coin),
]


@pytest.mark.parametrize(("code", "other"), SAME)
def test_one_law_written_in_two_ways(code, other):
    """Its loss and delta are 0 between the two, and the same against the law for another input."""
    with balls.precision(128):
        one, same, away = law(lambda n: code(n, 0)), law(lambda n: other(n, 0)), law(lambda n: code(n, 1))
        assert abs(balls.ends(delta(one, same, F(0)))[0]) < F(1, 10**20) > balls.ends(delta(one, same, F(0)))[1]
        assert all(abs(float(peak.loss)) < 1e-20 for peak in peaks(one, same))
        assert float(delta(one, away, F(0))) > 1e-3
        assert abs(float(delta(one, away, F(1, 5)) - delta(same, away, F(1, 5)))) < 1e-20


def test_the_largest_loss_with_a_coin_beside():
    with balls.precision(128):
        found = peaks(law(lambda n: coin_beside(n, 1)), law(lambda n: coin_beside(n, 0)))
        most = balls.maximum([peak.loss for peak in found])
        assert abs(float(most - (ball(2).log() + ball(F(1, 5))))) < 1e-20


@pytest.mark.parametrize("code", [coin_beside, two_widths, second_cut])
def test_the_exact_ratio_of_a_peak_is_its_loss(code):
    with balls.precision(128):
        found = [peak for x in (0, 1) for peak in peaks(*(law(lambda n, y=y: code(n, y)) for y in (x, 1 - x)))]
        exact = [peak for peak in found if peak.ratio is not None and not peak.infinite]
        assert exact
        for peak in exact:
            assert abs(float(form_ball(peak.ratio).log() - peak.loss)) < 1e-20
            assert peak.known is None or abs(float(ball(peak.known) - peak.loss)) < 1e-20


def test_one_infinite_part_is_enough():
    codes = [lambda n, x=x: (x + n.laplace(1), x + n.uniform(0, 3), n.laplace(2)) for x in (0, 1)]
    with balls.precision(128):
        (peak,) = peaks(*map(law, codes))
        assert peak.infinite
        assert balls.is_infinity(peak.loss)
        assert abs(float(delta(*map(law, codes), F(50))) - 1 / 3) < 1e-12


@pytest.mark.parametrize(("code", "sigma"), [(gaussian_beside, 2), (gaussians, F(2) ** F(1, 2))])
def test_delta_of_gaussian_parts(code, sigma):
    with balls.precision(128):
        found = float(delta(law(lambda n: code(n, 1)), law(lambda n: code(n, 0)), F(0)))
    assert abs(found - float(erf(1 / (2 * mpf(sigma) * sqrt(2))))) < 1e-12


def test_the_largest_loss_of_gaussian_parts():
    """ln(3/2) + 1/(2 (9 - 4)) for N(1, 4) against N(0, 9); the wider one has heavier tails, as every exponential."""
    with balls.precision(128):
        narrow, wide = law(lambda n: 1 + n.gaussian(2)), law(lambda n: n.gaussian(3))
        (peak,) = peaks(narrow, wide)
        assert abs(float(peak.loss - (ball(F(3, 2)).log() + ball(F(1, 10))))) < 1e-20
        tails = [law(lambda n: n.exponential(1)), law(lambda n: -n.exponential(1)), law(lambda n: n.laplace(1))]
        for one in (wide, *tails):
            (peak,) = peaks(one, narrow)
            assert peak.infinite


def test_the_mass_of_an_infinite_loss_beside_a_gaussian_part():
    codes = [lambda n, x=x: (x + n.uniform(0, 3), n.gaussian(1)) for x in (0, 1)]
    with balls.precision(128):
        assert abs(float(infinite_mass(*map(law, codes))) - 1 / 3) < 1e-20
        assert float(infinite_mass(law(codes[0]), law(codes[0]))) == 0


REFUSED = [
    ("one Gaussian real part", lambda n: n.gaussian(1) if n.bernoulli(F(1, 2)) else n.gaussian(2)),
    ("Gaussian draws beside real parts", lambda n: (n.laplace(1), n.gaussian(1) > n.gaussian(2))),
    ("discrete Gaussian draws beside", lambda n: (n.laplace(1), n.discrete_gaussian(1) > 0)),
    ("a Gaussian real part is compared", lambda n: _itself_above(n.gaussian(1), 0)),
    ("one shape with several real parts", lambda n: (n.laplace(1), n.laplace(2 if n.bernoulli(F(1, 2)) else 3))),
    ("linearly dependent", lambda n: _twice(n.laplace(1) + n.laplace(2), n)),
]


def _itself_above(draw, bar):
    return draw if draw > bar else 0


def _twice(draw, n):
    return draw, 2 * draw


@pytest.mark.parametrize(("rule", "code"), REFUSED)
def test_a_law_that_is_not_computed_says_so(rule, code):
    with pytest.raises(TooComplex, match=rule):
        law(code)

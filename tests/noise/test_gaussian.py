"""Certified sums and integrals of Gaussian draws contain the definitions, also far out and with few bits."""

from fractions import Fraction as F

import pytest
from mpmath import erfc, exp, mpf, pi, quad, sqrt, workdps

from dpaudit.noise import gaussian
from dpaudit.noise.families import EVERYWHERE, Family
from dpaudit.noise.gaussian import enclosing, floor_to, lattice_window, star_chance
from dpaudit.numbers import balls


def ends(value):
    return [mpf(end.numerator) / end.denominator for end in balls.ends(value)]


WINDOWS = [
    (None, None),
    (0, 0),
    (None, 2),
    (3, None),
    (-2, 5),
    (40, None),
    (None, -40),
    (-200, -39),
    (10, 10**4),
    (-9, 99),
]


@pytest.mark.parametrize("sigma", [F(1, 3), F(2), F(7, 2)])
@pytest.mark.parametrize("window", WINDOWS)
def test_a_discrete_gaussian_window_contains_the_sum(sigma, window):
    with workdps(150):
        s = mpf(sigma.numerator) / sigma.denominator
        weights = {k: exp(-(mpf(k) ** 2) / (2 * s * s)) for k in range(-200, 201)}
        low, high = (-200 if window[0] is None else window[0]), (200 if window[1] is None else window[1])
        exact = sum(w for k, w in weights.items() if low <= k <= high) / sum(weights.values())
        least, most = ends(lattice_window(sigma, *window))
        assert least <= exact <= most
        assert most - least <= exact * mpf(10) ** -20


def test_the_tails_of_a_sum_that_ends_early_are_inside(monkeypatch):
    """With the first cut at 2 sigma instead of 15, the bound of the rest is what counts."""
    monkeypatch.setattr(gaussian, "ceil", lambda value: int(value * F(2, 15)))
    for window in ((None, None), (None, 3), (-3, None), (1, None), (-8, 8), (-700, 8)):
        found = gaussian._lattice_sum.__wrapped__(F(30), *window)
        with workdps(40):
            low, high = (-999 if window[0] is None else window[0]), (999 if window[1] is None else window[1])
            exact = sum(exp(-(mpf(k) ** 2) / 1800) for k in range(low, high + 1))
            least, most = ends(found)
            assert least <= exact <= most
            assert most - least < 9


def normal_between(s, low, high):
    """P(low <= X <= high) for a normal draw of this standard deviation."""
    return (erfc(low / (s * sqrt(2))) - erfc(high / (s * sqrt(2)))) / 2


def gaussian_draw(s, cut=EVERYWHERE, children=()):
    return Family("gaussian", F(s)), cut, children


SPOTS = [-40, -25, *range(-16, 17), 25, 40]
STARS = [
    # root, then (window of root - leaf, scale of a Gaussian leaf, its cut) for each leaf
    ("gaussian", 1, (F(1), None), []),
    ("gaussian", 1, (F(-3), F(-1)), []),
    ("gaussian", 2, (None, F(20)), []),
    ("gaussian", 2, (None, F(-8)), []),
    ("gaussian", 1, EVERYWHERE, [((F(1), None), 2, EVERYWHERE)]),
    ("gaussian", 1, (F(0), F(4)), [((None, F(1, 2)), 1, (F(-1), None)), ((F(-1), F(3)), 3, (None, F(2)))]),
    ("laplace", 1, EVERYWHERE, [((F(-1), F(1)), 1, EVERYWHERE), ((F(0), None), 2, (F(-1), F(1)))]),
    ("laplace", 2, (F(-1), F(5)), [((None, F(0)), 1, (F(0), F(3)))]),
]


@pytest.mark.parametrize(("kind", "scale", "cut", "leaves"), STARS)
def test_the_chance_of_a_star_is_what_quadrature_gives(kind, scale, cut, leaves):
    node = Family(kind, F(scale)), cut, tuple((window, gaussian_draw(s, own)) for window, s, own in leaves)
    least, most = ends(star_chance(node))

    def real(end, otherwise):
        return mpf(otherwise) if end is None else mpf(end.numerator) / end.denominator

    def integrand(z):
        found = exp(-abs(z) / scale) / (2 * scale)
        if kind == "gaussian":
            found = exp(-(z**2) / (2 * scale**2)) / (scale * sqrt(2 * pi))
        for window, s, own in leaves:
            low, high = max(z - real(window[1], 99), real(own[0], -99)), min(z - real(window[0], -99), real(own[1], 99))
            found *= normal_between(s, low, high) if low < high else 0
        return found

    with workdps(20):
        low, high = real(cut[0], -50), real(cut[1], 50)
        exact = quad(integrand, [low, *(mpf(n) / 2 for n in SPOTS if low < mpf(n) / 2 < high), high])
        assert least - mpf(10) ** -12 * exact <= exact <= most + mpf(10) ** -12 * exact
        assert most - least <= exact * mpf(10) ** -15


@pytest.mark.parametrize("end", [F(1, 3), F(2, 7) ** 90, F(0), F(1), F(1, 2)])
def test_ends_are_rounded_outward(end):
    assert floor_to(end) <= end <= floor_to(end) * (1 + F(1, 1 << 140))
    with balls.precision(200):
        low, high = enclosing(balls.ball(end))
    assert 0 <= low <= end <= high <= 1
    assert high - low <= F(1, 1 << 140)


def test_a_probability_is_at_most_1_and_at_least_0():
    with balls.precision(200):
        for end in (0, 1):
            low, high = enclosing(balls.ball(end) + balls.around_zero(balls.ball(F(1, 1 << 60))))
            assert 0 <= low <= end <= high <= 1

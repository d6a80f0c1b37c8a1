"""The proven error bounds of FLOATS.md hold, and a bound that were much too small would be seen."""

import numpy as np
import pytest
from flint import arb

from dpaudit.accounting import floats
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball


@pytest.mark.parametrize("size", [16, 1024, 1 << 14])
def test_the_transform_is_within_its_bound(size):
    values = np.random.default_rng(1).random(size) ** 8
    ours, theirs = floats.transform(values), np.fft.fft(values)
    error = np.linalg.norm(ours - theirs) / np.linalg.norm(theirs)
    assert error <= floats.transform_error(size)
    assert np.linalg.norm(floats.inverse(ours) - values) <= 2 * floats.transform_error(size) * np.linalg.norm(values)


def test_the_transform_of_a_point_is_known_exactly():
    size = 64
    values = np.zeros(size)
    values[1] = 1.0
    with balls.precision(100):
        angles = [balls.pi() * 2 * j / size for j in range(size)]
        for found, angle in zip(floats.transform(values), angles, strict=True):
            assert abs(arb(found.real) - angle.cos()) < 8 * floats.U
            assert abs(arb(found.imag) + angle.sin()) < 8 * floats.U


@pytest.mark.parametrize(("rate", "first", "count"), [("0.001", -5000, 9000), ("-1.7", 0, 300), ("0", 3, 10)])
def test_exponentials_are_within_their_bound(rate, first, count):
    with balls.precision(150):
        found = floats.exponentials(arb(rate), first, count)
        for i in range(0, count, 37):
            exact = (arb(rate) * (first + i)).exp()
            assert abs(arb(found[i]) / exact - 1) < floats.EXPONENTIAL


def test_outward_floats_are_on_their_side():
    with balls.precision(128):
        for value in (ball(1) / 3, -ball(1) / 3, ball(10) ** 200 / 7, (-ball(500)).exp(), ball(0)):
            assert arb(floats.down(value)) <= value <= arb(floats.up(value))
            assert floats.up(value) - floats.down(value) <= 2.0**-48 * abs(float(value)) + 1e-300


@pytest.mark.parametrize("middle", ["0", "1", "-3", "1e-290"])
@pytest.mark.parametrize("radius", ["0", "1e-17", "0.25", "1e-300"])
def test_outward_floats_contain_a_whole_ball(middle, radius):
    with balls.precision(200):
        value = arb(middle) + arb(0, radius)
        assert arb(floats.down(value)) <= value <= arb(floats.up(value))
        assert floats.down(value) < floats.up(value), "0 and subnormal numbers have a margin too"


def test_norms_and_sums_are_bounded_from_above():
    """Rounding makes about half of the plain results too small; a hundred random sequences leave no doubt."""
    rng, below = np.random.default_rng(3), 0
    for _ in range(100):
        values = rng.random(200) * (1 + 1j)
        with balls.precision(200):
            squares = [arb(z.real) ** 2 + arb(z.imag) ** 2 for z in values.tolist()]
            norm, total = sum(squares, arb(0)).sqrt(), sum(map(arb, values.real.tolist()), arb(0))
            below += arb(float(np.linalg.norm(values))) < norm
            assert norm <= arb(floats.norm_above(values)) <= norm * (1 + 300 * arb(floats.U))
            assert max(squares, key=float).sqrt() <= arb(floats.largest_above(values))
            assert total <= arb(floats.sum_above(values.real))
    assert below, "without its margin the norm would be too small somewhere"


def test_the_norm_of_subnormal_numbers_is_not_lost():
    assert floats.norm_above(np.full(4, 2.0**-600)) >= 2.0**-599


def test_a_power_is_that_of_repeated_products():
    values = np.exp(1j * np.linspace(0, 6, 50)) * 0.999
    expected = np.prod([values] * 37, axis=0)
    assert np.max(np.abs(floats.power(values, 37) - expected)) < 1e-13

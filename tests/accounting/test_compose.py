"""Compositions on one lattice: what the proof of FLOATS.md takes for granted."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from mpmath import exp, mpf, workdps

from dpaudit.accounting import floats
from dpaudit.accounting.bounds import Measure
from dpaudit.accounting.cells import Lattice
from dpaudit.accounting.compose import Composition, Term, Tilted, _aligned, _Sequence
from dpaudit.accounting.grid import Grid, Question
from dpaudit.accounting.reading import Gaussian
from dpaudit.numbers import balls

LATTICE = Lattice(Fraction(1, 8))


def measure(values, first=-3):
    return Measure(LATTICE, first, np.array(values), 0.0)


BELOW = measure([0.05, 0.1, 0.3, 0.2, 0.2, 0.1, 0.0])
ABOVE = measure([0.01, 0.05, 0.3, 0.24, 0.2, 0.15, 0.05])
"""More mass at the lowest places below than above, as after merging cells."""


@pytest.mark.parametrize("theta", ["0", "1/7", "1", "7/2"])
def test_each_tilted_value_is_on_its_side_of_the_exact_one(theta):
    """The margins are a few units in the last place; mpmath has 60 digits."""
    random = np.random.default_rng(7)
    values = random.random(200) / 200
    with workdps(60):
        tilted = Tilted(Term(measure(values * 0.9), measure(values), 1), Fraction(theta))
        rate = mpf(Fraction(theta).numerator) / Fraction(theta).denominator / 8
        places = range(tilted.first - tilted.anchor, tilted.first - tilted.anchor + 200)
        for low, high, value, k in zip(tilted.lower, tilted.upper, values, places, strict=True):
            weight = exp(rate * k) * mpf(tilted.scale)
            assert mpf(low) <= mpf(value * 0.9) * weight
            assert mpf(value) * weight <= mpf(high) <= mpf(value) * weight * (1 + mpf(10) ** -14) + mpf(10) ** -290


@pytest.mark.parametrize("theta", ["0", "1", "7/2"])
@pytest.mark.parametrize("more", ["-2", "-1/3", "1/3", "2"])
def test_a_moment_bounds_both_measures(theta, more):
    tilted = Tilted(Term(BELOW, ABOVE, 3), Fraction(theta))
    with balls.precision(128):
        found = [Fraction(*balls.ends(moment)[1].as_integer_ratio()) for moment in tilted.moments(Fraction(more))]
    for values, bound in zip((tilted.lower, tilted.upper), found, strict=True):
        places = np.arange(len(values)) + tilted.first - tilted.anchor
        true = sum(
            mpf(v) * exp(mpf(more.partition("/")[0]) / int(more.partition("/")[2] or 1) * int(k) / 8)
            for v, k in zip(values, places, strict=True)
        )
        assert mpf(bound.numerator) / bound.denominator >= true


def test_a_window_bounds_what_lies_beyond_it_of_both_measures():
    """Whichever of the two has the larger moment: the mass outside, composed plainly, is at most the bound."""
    for pair in ((BELOW, ABOVE), (ABOVE, BELOW)):
        composed = Composition([Term(*pair, 40)], Fraction(1))
        assert composed.size < 512
        tilted = Tilted(Term(*pair, 40), Fraction(1))
        for values in (tilted.lower, tilted.upper):
            total = np.array([1.0])
            for _ in range(40):
                total = np.convolve(total, values)
            start = composed.start - 40 * tilted.first
            with balls.precision(128):
                below, above = (float(balls.ends(end)[1]) for end in (composed.below, composed.above))
            assert np.sum(total[: max(start, 0)]) <= below * (1 + 1e-9)
            assert np.sum(total[max(start, 0) + composed.size :]) <= above * (1 + 1e-9)


def test_a_hundred_thousand_steps_have_a_window():
    """Many steps: the two measures differ in every cell, and their common maximum would grow with every step."""
    assert (
        Grid([Gaussian(sigma="4/5", rate="1/1000") * 100_000], 1e-2).answer([Question(delta=Fraction(1, 10**5))]).rounds
    )


def real(value):
    return mpf(Fraction(value).numerator) / Fraction(value).denominator


def bounds(composed, epsilon):
    """The lower and the upper bound of delta."""
    low, high = composed.delta(epsilon)
    return real(balls.ends(low)[0]), real(balls.ends(high)[1])


def composed_exactly(measures, epsilon):
    """delta of the measures, each so many times, by plain convolution in rationals."""
    total, first, offset, none_infinite = [Fraction(1)], 0, Fraction(0), mpf(1)
    for given, times in measures:
        count = len(given.values)
        for _ in range(times):
            total = [
                sum(total[i] * Fraction(given.values[j - i]) for i in range(len(total)) if 0 <= j - i < count)
                for j in range(len(total) + count - 1)
            ]
        first, offset = first + given.first * times, offset + given.lattice.offset * times
        none_infinite *= (1 - mpf(given.infinite)) ** times
    losses = [offset + (first + k) * given.lattice.step for k in range(len(total))]
    finite = [
        real(p) * (1 - exp(real(epsilon - loss))) for p, loss in zip(total, losses, strict=True) if loss > epsilon
    ]
    return 1 - none_infinite + sum(finite)


SHIFTED = replace(BELOW, first=-5, lattice=Lattice(Fraction(1, 8), Fraction(1, 30)), infinite=0.03)
SHIFTED_ABOVE = replace(ABOVE, first=-5, lattice=SHIFTED.lattice, infinite=0.04)
LONG = np.random.default_rng(5).random(300) / 150
TERMS = {
    "long": [Term(measure(LONG * 0.9, -100), measure(LONG, -100), 1)],
    "one": [Term(BELOW, ABOVE, 1)],
    "two": [Term(BELOW, ABOVE, 2)],
    "five": [Term(BELOW, ABOVE, 5)],
    "different": [Term(BELOW, ABOVE, 2), Term(SHIFTED, SHIFTED_ABOVE, 3)],
    "apart": [Term(replace(BELOW, values=BELOW.values[1:5], first=-2), ABOVE, 3)],
}


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("theta", ["0", "1", "5/2"])
def test_the_bounds_are_those_of_the_convolution(name, theta):
    """What lies below, and what lies above, and nothing else."""
    terms = TERMS[name]
    composed = Composition(terms, Fraction(theta))
    for epsilon in (Fraction(-9), Fraction(-1, 3), Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(20)):
        with workdps(40):
            low, high = bounds(composed, epsilon)
            below, above = (
                composed_exactly([(getattr(term, side), term.times) for term in terms], epsilon)
                for side in ("lower", "upper")
            )
            room = mpf(10) ** -10 * max(1, exp(real(theta) * (25 * (name == "long") - real(epsilon))))
            assert below - room < low <= below
            assert above <= high < above + room or high == 1 < above + room


@pytest.mark.parametrize("theta", [Fraction(0), Fraction(1)])
@pytest.mark.parametrize("epsilon", [Fraction(-1, 2), Fraction(0), Fraction(1, 5)])
def test_the_error_and_the_mass_outside_the_window_count_in_full(theta, epsilon):
    """The sequences are off where it hurts most, by as much as their error says."""
    terms = [Term(BELOW, ABOVE, 5)]
    composed = Composition(terms, theta)
    plain = bounds(composed, epsilon)
    losses = (composed.start + np.arange(composed.size)) / 8 - float(epsilon)
    kernel = np.where(losses > 0, np.exp(-float(theta) * losses) * -np.expm1(-losses), 0)
    norm = np.linalg.norm(kernel)
    noise = 1e-6 * kernel / norm
    composed.lower = _Sequence(composed.lower.values + noise, 1.0000001e-6)
    composed.upper = _Sequence(composed.upper.values - noise, 1.0000001e-6)
    with balls.precision(128):
        composed.above, composed.below = balls.dyadic(2.0**-20), balls.dyadic(2.0**-21)
        scale = real(balls.ends((composed.log_scale - balls.ball(theta * epsilon)).exp())[1])
    outside = scale * (mpf(2) ** -20 + mpf(2) ** -21)
    low, high = bounds(composed, epsilon)
    assert low <= plain[0] - outside * (1 - mpf(10) ** -6)
    assert low >= plain[0] - outside - scale * norm * mpf(10) ** -12
    assert plain[1] + outside * (1 - mpf(10) ** -6) <= high
    assert high <= plain[1] + outside + scale * norm * mpf(10) ** -12


def test_the_error_bounds_that_of_the_transform():
    """The convolution of the tilted floats as they are, exactly."""
    terms = TERMS["different"]
    composed, tilted = Composition(terms, Fraction(1)), [Tilted(term, Fraction(1)) for term in terms]
    for name in ("lower", "upper"):
        total = [Fraction(1)]
        for one in tilted:
            values = [Fraction(value) for value in getattr(one, name).tolist()]
            for _ in range(one.times):
                following = [Fraction(0)] * (len(total) + len(values) - 1)
                for i, a in enumerate(total):
                    for j, b in enumerate(values):
                        following[i + j] += a * b
                total = following
        first = sum(one.first * one.times for one in tilted)
        folded = [Fraction(0)] * composed.size
        for k, value in enumerate(total):
            folded[(first + k - composed.start) % composed.size] += value
        found = getattr(composed, name)
        error = sum((Fraction(x) - y) ** 2 for x, y in zip(found.values.tolist(), folded, strict=True)) ** 0.5
        assert error <= found.error <= 1e-12


def test_a_place_far_left_of_the_anchor_has_next_to_no_weight():
    """It has a little more above, and none below."""
    values = np.full(4000, 1 / 4000)
    tilted = Tilted(Term(measure(values * 0.9), measure(values), 1), Fraction(7, 2))
    span = int(650 / (7 / 16))
    left = tilted.anchor - span - tilted.first
    assert 0 < left < 3999
    assert not np.any(tilted.lower[:left])
    assert np.all(tilted.upper[:left] > 0)
    with workdps(40):
        for k in (0, left - 1, left, left + 1, 2500, 3999):
            weight = exp(mpf(7) / 16 * (tilted.first + k - tilted.anchor)) * mpf(tilted.scale)
            assert mpf(float(tilted.lower[k])) <= mpf(float(values[k] * 0.9)) * weight
            assert mpf(float(values[k])) * weight <= mpf(float(tilted.upper[k]))


@pytest.mark.parametrize("name", TERMS)
def test_the_error_is_the_sum_of_the_parts_that_are_proven(name):
    """The formula of FLOATS.md 4, with the transform of numpy."""
    terms = TERMS[name]
    composed, u = Composition(terms, Fraction(1)), 2.0**-53
    size, rho = composed.size, floats.transform_error(composed.size)
    for side in ("lower", "upper"):
        bound, errors, product, count = 1.0, 0.0, np.ones(size, complex), 0
        for term in terms:
            tilted = Tilted(term, Fraction(1))
            x = getattr(tilted, side)
            folding = 3 * u * (len(x) // size + 1)
            folded = np.zeros(size)
            np.add.at(folded, (np.arange(len(x)) + tilted.first - tilted.anchor) % size, x)
            largest = max(np.max(np.abs(np.fft.fft(folded))), np.sum(x))
            errors += term.times * np.linalg.norm(folded) * (rho + folding) / largest
            bound *= largest**term.times
            product *= np.fft.fft(folded) ** term.times
            count += term.times
        computed = np.linalg.norm(product) / np.sqrt(size)
        expected = bound * errors + computed * 1.02 * (3 * u * count + rho)
        assert expected * (1 - 1e-9) <= getattr(composed, side).error <= expected * (1 + 1e-9)


def test_beyond_the_window_there_is_only_what_lies_above_it():
    composed = Composition(TERMS["five"], Fraction(1))
    for place in (-1, 0, 5):
        low, high = bounds(composed, Fraction(composed.start + composed.size + place, 8))
        assert low == 0 < high < 1e-10


@pytest.mark.parametrize("first", [-9, -5, -3, -1, 4, 9])
def test_places_outside_the_upper_measure_are_dropped(first):
    found = _aligned(measure(np.arange(1, 8), first), ABOVE)
    places = {first + i: i + 1 for i in range(7)}
    assert found.tolist() == [places.get(-3 + i, 0) for i in range(7)]

"""Compositions on one lattice: what the proof of FLOATS.md takes for granted."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import exp, mpf, workdps

from dpaudit.accounting.bounds import Measure
from dpaudit.accounting.cells import Lattice
from dpaudit.accounting.compose import Composition, Term, Tilted
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


@pytest.mark.parametrize("times", [1, 2, 5])
def test_the_bounds_are_those_of_the_convolution(times):
    """Against a plain convolution in rationals: what lies below, and what lies above, and nothing else."""
    composed = Composition([Term(BELOW, ABOVE, times)], Fraction(1))
    for sequence, given in ((BELOW, 0), (ABOVE, 1)):
        total = [Fraction(1)]
        for _ in range(times):
            total = [
                sum(total[i] * Fraction(sequence.values[j - i]) for i in range(len(total)) if 0 <= j - i < 7)
                for j in range(len(total) + 6)
            ]
        for epsilon in (Fraction(-1, 3), Fraction(0), Fraction(1, 5)):
            true = sum(
                mpf(p.numerator)
                / p.denominator
                * (1 - exp(mpf(epsilon.numerator) / epsilon.denominator - mpf(k - 3 * times) / 8))
                for k, p in enumerate(total)
                if Fraction(k - 3 * times, 8) > epsilon
            )
            lower, upper = composed.delta(epsilon)
            bound = balls.ends(lower)[0] if given == 0 else balls.ends(upper)[1]
            bound = mpf(bound.numerator) / bound.denominator
            assert (bound <= true) if given == 0 else (bound >= true)
            assert abs(bound - true) < mpf(10) ** -10

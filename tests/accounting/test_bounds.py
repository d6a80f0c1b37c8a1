"""The measures of one pair: the upper one dominates it and the lower one is dominated, at every epsilon."""

from fractions import Fraction as F

import numpy as np
import pytest
from mpmath import exp, mpf

from dpaudit.accounting.bounds import lower_measure, upper_measure
from dpaudit.accounting.cells import Lattice, Range, _masses, _placed, cells
from dpaudit.accounting.pairs import Atom
from dpaudit.accounting.reading import Exponential, Gaussian, Laplace
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from tests.accounting import reference_accounting as reference

BEYOND = Range(F(1, 10**15), F(1, 10**15))
PAIRS = {
    "gaussian": (Gaussian(sigma=1), lambda e: reference.gaussian(mpf(1), e)),
    "sampled": (
        Gaussian(sigma="4/5", rate="1/100"),
        lambda e: reference.sampled_gaussian(mpf(4) / 5, mpf(1) / 100, e),
    ),
    "laplace": (Laplace(eps=1), lambda e: reference.laplace(mpf(1), e)),
    "exponential": (Exponential(eps=1), lambda e: (1 - exp((e - 1) / 2)) ** 2 / (1 - exp(-1)) if e < 1 else mpf(0)),
}


def delta(measure, epsilon):
    """The definition, in mpmath."""
    total = mpf(measure.infinite)
    for i, value in enumerate(measure.values):
        loss = measure.lattice.loss(measure.first + i)
        loss = mpf(loss.numerator) / loss.denominator
        if loss > epsilon:
            total += mpf(float(value)) * (1 - exp(epsilon - loss))
    return total


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("offset", [F(0), F(1, 37)])
def test_both_measures_are_on_their_side_at_every_epsilon(name, offset):
    event, exact = PAIRS[name]
    found = cells(event.dominating(), Lattice(F(1, 16), offset), BEYOND)
    lower, upper = lower_measure(found, 0.0), upper_measure(found, 0.0)
    for epsilon in map(mpf, ("-0.5", "-0.01", "0", "0.03", "0.5", "0.97", "2")):
        value = exact(epsilon) if name != "exponential" or epsilon > -1 else 1 - exp(epsilon)
        assert delta(lower, epsilon) <= value * (1 + mpf(10) ** -17)
        assert value <= delta(upper, epsilon) * (1 + mpf(10) ** -17)


@pytest.mark.parametrize("name", ["gaussian", "sampled"])
def test_both_measures_have_the_whole_mass(name):
    """Nothing is wasted: P adds up to 1 from above and from below, up to the ends."""
    found = cells(PAIRS[name][0].dominating(), Lattice(F(1, 200)), BEYOND)
    for measure in (lower_measure(found, 0.0), upper_measure(found, 0.0)):
        assert abs(np.sum(measure.values) - 1) < 1e-12


def test_the_other_direction_swaps_p_and_q():
    pair = Gaussian(sigma=1, rate="1/4").dominating().other_direction()
    found = cells(pair, Lattice(F(1, 32)), BEYOND)
    for epsilon in (mpf(0), mpf(1) / 8):
        exact = reference.sampled_gaussian(mpf(1), mpf(1) / 4, epsilon, add=True)
        low, high = (delta(measure(found, 0.0), epsilon) for measure in (lower_measure, upper_measure))
        assert low <= exact <= high
        assert high - low < exact / 50


@pytest.mark.parametrize("step", [F(3), F(25, 2), F(64)])
def test_a_coarse_grid_stays_within_the_floats(step):
    """64 cells of such a grid would leave the range of binary64."""
    found = cells(Gaussian(sigma="1/20").dominating(), Lattice(step), BEYOND)
    for epsilon in (mpf(0), mpf(150)):
        exact = reference.gaussian(mpf(20), epsilon)
        assert delta(lower_measure(found, 0.0), epsilon) <= exact <= delta(upper_measure(found, 0.0), epsilon)
    assert np.all(np.isfinite(lower_measure(found, 0.0).values))


def test_atoms_whose_cell_is_not_known_are_kept_apart():
    """An atom that may lie on either side of a point of the grid does not pay for another one in its cell."""
    with balls.precision(40):
        unsure = Atom(balls.from_ends(ball(F(1, 2) - F(1, 10**3)), ball(F(1, 2) + F(1, 10**3))), ball(F(1, 2)))
        found = list(_masses(*_placed(unsure, Lattice(F(1))), Lattice(F(1))))
        assert all(balls.ends(value)[0] >= -F(1, 10**9) for (kind, _), value in found if kind == 1)
        assert all(balls.ends(value)[1] > 0 for (kind, _), value in found if kind == 1)
        assert {k for (_, k), _ in found} == {-1, 0} or {k for (_, k), _ in found} == {0}


def test_an_atom_is_placed_on_its_side():
    event = Laplace(eps="1/3")
    found = cells(event.dominating(), Lattice(F(1, 10)), BEYOND)
    lower, upper = lower_measure(found, 0.0), upper_measure(found, 0.0)
    for epsilon in (mpf(0), mpf(3) / 10):
        exact = reference.laplace(mpf(1) / 3, epsilon)
        assert delta(lower, epsilon) <= exact <= delta(upper, epsilon)

"""The measures of one pair: the upper one dominates it and the lower one is dominated, at every epsilon."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from mpmath import exp, mpf, workdps

from dpaudit.accounting.bounds import _Shares, lower_measure, upper_measure
from dpaudit.accounting.cells import Cells, Lattice, Range, _masses, _placed, cells
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


COUNT, FIRST, OFFSET = 90, -40, F(1, 37)
SIDES = ("upwards", "downwards")


def shapes():
    """u and v of COUNT cells: even, like a normal distribution, without excess or deficit for long, very uneven."""
    random = np.random.default_rng(1)
    u, v = random.random(COUNT), random.random(COUNT)
    bell = np.exp(-((np.arange(COUNT) - COUNT // 2) ** 2) / 200)
    inside = np.arange(COUNT) // 5 % 17 == 0
    return {
        "even": (u, v),
        "bell": (bell * (1 + u / 10), bell * (1 + v / 10)),
        "no excess": (u * inside, v),
        "no deficit": (u, v * inside),
        "uneven": (u**20, v**20),
    }


WASTED = [
    *(("even", 0.01, 0), ("bell", 1e-6, 0), ("no excess", 0.4, 0), ("no deficit", 0.01, 0), ("uneven", 0.1, 0)),
    *(("even", 0.02, 1e-3), ("bell", 0.002, 1e-3)),
]


def made(u, v, step, blur):
    """Cells whose u and v are known to the share ``blur``."""
    empty = np.zeros(COUNT + 1)
    bounds = [values * (1 + side * blur) for values in (u, v) for side in (-1, 1)]
    return Cells(Lattice(step, OFFSET), FIRST, *bounds, empty, 0.0)


def above(values):
    """The sums of the values at the places 0, 1, ... and later."""
    return np.append(np.cumsum(values[::-1])[::-1], mpf(0))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("step", [F(1, 200), F(1, 16), F(1, 2), F(4), F(25), F(200)])
@pytest.mark.parametrize(("shape", "wasted", "blur"), WASTED)
def test_shares_are_below_the_cells_merged_into_atoms(monkeypatch, side, step, shape, wasted, blur):
    """No pair with these cells is better than that of one atom a cell; at each loss and between two, to 50 digits."""
    (other,) = set(SIDES) - {side}
    monkeypatch.setattr(_Shares, other, lambda self: [0.0] * (COUNT + 1))
    u, v = shapes()[shape]
    found = lower_measure(made(u, v, step, blur), 0.0)
    assert (found.lattice, found.first) == (Lattice(step, OFFSET), FIRST)
    with workdps(50):
        u, v, p = ([mpf(float(value)) for value in values] for values in (u, v, found.values))
        h = mpf(step.numerator) / step.denominator
        factors = [exp(mpf(1) / 37 + h * (FIRST + k)) for k in range(COUNT + 1)]
        big = [(exp(h) * x + y) / (exp(h) - 1) for x, y in zip(u, v, strict=True)]
        small = [(x + y) / (exp(h) - 1) / factor for x, y, factor in zip(u, v, factors, strict=False)]
        measured = above(np.array(p)), above(np.array(p) / factors)
        cell = above(np.array(big)), above(np.array(small))
        assert cell[0][0] * (1 - wasted if step <= 4 else 0.3) <= measured[0][0] <= cell[0][0]
        for k in range(COUNT):
            for factor in (factors[k], factors[k] * exp(h / 3)):
                delta = cell[0][k + 1] - factor * cell[1][k + 1] + max(0, big[k] - factor * small[k])
                assert measured[0][k + 1] - factor * measured[1][k + 1] <= delta


def test_the_upper_measure_sends_every_cell_to_both_its_ends():
    step = F(1, 16)
    for u, v in shapes().values():
        found = upper_measure(made(u, v, step, 1e-3), 0.25)
        with workdps(50):
            grow = exp(mpf(1) / 16)
            for k in range(COUNT + 1):
                low = mpf(float(v[k])) if k < COUNT else 0
                high = mpf(float(u[k - 1])) if k else 0
                exact = (low + grow * high) * (1 + mpf(1e-3)) / (grow - 1)
                assert exact * (1 - mpf(2) ** -52) <= found.values[k] <= exact * (1 + mpf(10) ** -14) + mpf(10) ** -290
        assert found.infinite >= 0.25
        assert (found.lattice, found.first) == (Lattice(step, OFFSET), FIRST)


def test_numbers_too_small_for_floats_stay_on_their_side():
    nothing, least = np.zeros(COUNT), np.full(COUNT, 2.0**-1074)
    assert not np.any(lower_measure(made(nothing, nothing, F(1, 16), 0), 0.0).values)
    upper = upper_measure(made(least, least, F(8), 0), 0.0)
    assert np.all(upper.values >= 2.0**-1074)


def test_points_are_kept_below():
    points = np.arange(COUNT + 1) / 100
    found = lower_measure(replace(made(*np.zeros((2, COUNT)), F(1, 2), 0), points=points), 0.125)
    assert np.all(points * (1 - 2e-14) - 1e-300 <= found.values)
    assert np.all(found.values <= points)
    assert found.infinite == 0.125


def test_what_lies_beyond_the_cells_counts_above():
    """P above the cells is infinite loss, what is below them goes to the first: nothing of P is missing."""
    found = cells(Gaussian(sigma=1).dominating(), Lattice(F(1, 8)), Range(F(1, 10), F(1, 10)))
    upper, lower = upper_measure(found, 0.0), lower_measure(found, 0.0)
    assert 1 <= np.sum(upper.values) + upper.infinite <= 1 + 1e-2
    assert 0.05 < upper.infinite <= 0.1
    assert 0.5 < np.sum(lower.values) < 1 - upper.infinite
    for epsilon in map(mpf, ("-2", "-1", "0", "1", "2")):
        exact = reference.gaussian(mpf(1), epsilon)
        assert delta(lower, epsilon) <= exact <= delta(upper, epsilon)

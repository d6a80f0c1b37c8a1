"""delta of several real parts at once, against integrals over one part after the other."""

import math
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from mpmath import erfc, log, mpf, sqrt

import dpaudit
from dpaudit.noise import losses
from dpaudit.noise.composed import Losses, part_loss
from dpaudit.noise.families import Family
from dpaudit.noise.pieces import Grid
from dpaudit.noise.suite.at_c import exact_at_c
from dpaudit.noise.suite.inputs import laws_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


class Mechanism:
    """Code with noise on given data."""

    def __init__(self, code, data=(0, 1)):
        self.data, self.code = data, code

    def datasets(self):
        return list(self.data)

    def sample(self, x, noise: dpaudit.Noise):
        return self.code(x, noise)


def delta_by_parts(shifts, at):
    """delta(at) of independent Laplace parts moved by so many scales: integrals over the losses, one by one."""
    a, *rest = shifts
    if not rest:
        return 1 - math.exp(at) if at <= -a else max(0.0, 1 - math.exp((at - a) / 2))
    total = delta_by_parts(rest, at - a) / 2 + math.exp(-a) / 2 * delta_by_parts(rest, at + a)
    spots = {-a, a, *(at + s for s in _sums(rest) if -a < at + s < a)}
    for low, high in pairwise(sorted(spots)):
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            loss = (low + high) / 2 + (high - low) / 2 * node
            total += weight * (high - low) / 2 * math.exp((loss - a) / 2) / 4 * delta_by_parts(rest, at - loss)
    return total


def _sums(shifts):
    return {0.0} if not shifts else {s + t for s in (-shifts[0], shifts[0]) for t in _sums(shifts[1:])}


def delta(code, at, data=(0, 1)):
    return dpaudit.delta(Mechanism(code, data), at).delta


@pytest.mark.parametrize("at", ["0", "1/10", "1/3", "1/2", "7/10", "5/6", "2"])
@pytest.mark.parametrize("scales", [(3, 2), (2, 2), (4, 4, 3)])
def test_a_vector_of_counts(scales, at):
    found = delta(lambda x, noise: [x + noise.laplace(s) for s in scales], at)
    expected = delta_by_parts([1 / s for s in scales], float(F(at)))
    assert float(found.lower) - 1e-13 <= expected <= float(found.upper) + 1e-13
    assert found.width < F(1, 10**14)


def test_running_sums_have_the_delta_of_their_draws():
    def sums(x, noise):
        first = x + noise.laplace(2)
        return first, first - 2 * x + noise.laplace(3)

    assert float(delta(sums, "1/2").upper) == pytest.approx(delta_by_parts([1 / 2, 2 / 3], 1 / 2), abs=1e-13)


@pytest.mark.parametrize("at", ["0", "1/2", "-1/4"])
def test_a_coin_whose_chance_differs_shifts_the_loss(at):
    """(coin, two counts): delta is the sum of p delta_1(at - ln(p/q)) over the coin's sides."""
    chances = (F(1, 2), F(1, 3))

    def code(x, noise):
        return noise.bernoulli(chances[x]), x + noise.laplace(2), noise.laplace(3) - x

    mechanism = Mechanism(code)
    if at.startswith("-"):
        with pytest.raises(dpaudit.InputError):
            dpaudit.delta(mechanism, at)
        return
    found = dpaudit.delta(mechanism, at).delta
    ways = []
    for p, q in (chances, chances[::-1]):
        sides = [(float(p), float(q)), (1 - float(p), 1 - float(q))]
        ways.append(sum(c * delta_by_parts([1 / 2, 1 / 3], float(F(at)) - math.log(c / d)) for c, d in sides))
    assert float(found.lower) == pytest.approx(max(ways), abs=1e-13)
    assert found.width < F(1, 10**14)


def test_a_gaussian_value_beside_a_comparison_whose_chance_differs():
    """Propose-test-release with Gaussian noise on the value."""

    def code(x, noise):
        if x + noise.laplace(1) > 3:
            return None
        return x + noise.gaussian(2)

    found = delta(code, "1/4")
    p, q = 1 - mpf(math.exp(-3)) / 2, 1 - mpf(math.exp(-2)) / 2
    best = []
    for a, b in ((p, q), (q, p)):
        edge = mpf("0.25") - log(a / b)
        power, level = (erfc((edge / mpf(0.5) + sign * mpf("0.25")) / sqrt(2)) / 2 for sign in (-1, 1))
        none = max(mpf(0), (1 - a) - math.exp(0.25) * (1 - b))
        best.append(a * power - math.exp(0.25) * b * level + none)
    assert float(found.lower) == pytest.approx(float(max(best)), abs=1e-13)


def test_exponential_noise_has_atoms_and_an_infinite_loss():
    found = delta(lambda x, noise: [x + noise.exponential(2), x + noise.exponential(3)], "1")
    # x = 0 against 1: either value below 1 is impossible; else the loss is -5/6. x = 1 against 0: at most 5/6.
    assert float(found.lower) == pytest.approx(1 - math.exp(-5 / 6), abs=1e-14)


def test_the_losses_of_one_part():
    grid = Grid(2, 1)
    f, g = Family("laplace", F(2)).density(grid), Family("laplace", F(2)).density(grid).shifted(-1)
    part = part_loss(f, g)
    assert set(part.atoms) == {F(1, 2), F(-1, 2)}
    assert [(box.low, box.high) for box in part.boxes] == [(F(-1, 2), F(1, 2))]
    found = Losses([(f, g)] * 3)
    assert set(found.atoms) == {F(k, 2) for k in (-3, -1, 1, 3)}
    assert found.region(F(-2)).p.contains(1)
    assert found.region(F(-2)).q.contains(1)


def test_at_c_of_several_parts_is_the_least_of_its_upper_bounds():
    """power(c) = min over epsilon of delta(epsilon) + e^epsilon c, here by ternary search."""

    def program(x, noise, eps):
        return [x[0] + noise.laplace(1 / eps), x[0] + noise.laplace(2 / eps)]

    laws = laws_of(program, [((0,), (1,))], F(1))
    found, _ = exact_at_c([losses.tests(laws[0,], laws[1,])])
    low, high = 0.0, 1.5
    for _ in range(80):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        bounds = [delta_by_parts([1.0, 0.5], e) + math.exp(e) / 100 for e in (left, right)]
        low, high = (low, right) if bounds[0] < bounds[1] else (left, high)
    power = delta_by_parts([1.0, 0.5], low) + math.exp(low) / 100
    assert float(found.lower) == pytest.approx(math.log(100 * power), abs=1e-8)
    assert found.width < F(1, 10**8)


REFUSED = [
    (lambda x, noise: [x + noise.gaussian(1), x + noise.laplace(1)], "beside others that differ"),
    (lambda x, noise: [noise.laplace(x + 1) for _ in "ab"], "not all by a shift"),
]


@pytest.mark.parametrize(("code", "words"), REFUSED)
def test_what_is_not_composed_says_so(code, words):
    with pytest.raises(dpaudit.InputError, match=words):
        dpaudit.delta(Mechanism(code), "1/2")

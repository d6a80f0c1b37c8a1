"""Independent coordinates: the table of classes against all outputs, and its refusals."""

from fractions import Fraction as F
from itertools import product
from math import prod
from time import process_time

import pytest
from mpmath import log, mpf

import dpaudit
from dpaudit.numbers.errors import InputError

QUARTER, HALF = F(1, 4), F(1, 2)


class Survey:
    """Two bits and an answer with three values, for three people."""

    rows = (
        [[QUARTER, 1 - QUARTER], [HALF, HALF], [HALF, QUARTER, QUARTER]],
        [[HALF, HALF], [HALF, HALF], [QUARTER, HALF, QUARTER]],
        [[QUARTER, 1 - QUARTER], [1 - QUARTER, QUARTER], [QUARTER, QUARTER, HALF]],
    )

    def datasets(self):
        return ["a", "b", "c"]

    def coordinates(self, x):
        bit, other, answer = self.rows["abc".index(x)]
        return [bit[1], other, answer]


class AllOutputs(Survey):
    """The same, all 12 outputs listed."""

    coordinates = None

    def outputs(self):
        return list(product(range(2), range(2), range(3)))

    def probability(self, x, r):
        return prod(row[value] for row, value in zip(self.rows["abc".index(x)], r, strict=True))


@pytest.mark.parametrize("at", ["0", "1/5", "1", "3/2"])
def test_delta_is_that_of_all_outputs(at):
    assert dpaudit.delta(Survey, at).delta == dpaudit.delta(AllOutputs, at).delta


def test_everything_else_is_that_of_all_outputs():
    assert dpaudit.epsilon(Survey).epsilon == dpaudit.epsilon(AllOutputs).epsilon
    mine, theirs = (dpaudit.profile(kind, at="1/2") for kind in (Survey, AllOutputs))
    assert mine.renyi == theirs.renyi
    twice = (dpaudit.account([dpaudit.mechanism(kind)] * 2, at="1/2").deltas for kind in (Survey, AllOutputs))
    assert next(twice) == next(twice)


def test_a_coordinate_that_is_left_out_is_seen():
    class Wrong(Survey):
        def coordinates(self, x):
            return super().coordinates(x)[:2]

    assert dpaudit.delta(Wrong, "1/5").delta != dpaudit.delta(AllOutputs, "1/5").delta


class Flips:
    """Every bit of a thousand is told with odds 3 : 1; the two data sets differ in all of them."""

    def __init__(self, epsilon, k=1000):
        self.k = k

    def datasets(self):
        return [0, 1]

    def coordinates(self, x):
        return [F(3, 4) if x else QUARTER] * self.k


def test_a_thousand_bits_that_all_differ():
    start = process_time()
    found = dpaudit.epsilon(Flips, k=1000)
    assert process_time() - start < 10
    assert found.counts.outputs == 1001
    value = 1000 * log(mpf(3))
    assert found.epsilon.lower <= F(str(value)) + F(1, 10**9)
    assert abs(mpf(found.epsilon.lower.numerator) / found.epsilon.lower.denominator - value) < 1e-9


@pytest.mark.parametrize("name", ["sue", "oue", "rappor"])
def test_a_thousand_bits_by_name_take_a_second(name):
    dpaudit.epsilon(name, k=10)
    start = process_time()
    assert dpaudit.epsilon(name, k=1000).closed_form is not None or dpaudit.epsilon(name, k=1000).epsilon.lower == 1
    assert dpaudit.delta(name, "1/2", k=1000).delta.lower > 0
    assert process_time() - start < 2


class Many(Flips):
    """A unary encoding with all its values as data sets: any two differ in two bits."""

    def datasets(self):
        return list(range(self.k))

    def coordinates(self, x):
        return [F(3, 4) if i == x else QUARTER for i in range(self.k)]


def test_pairs_that_differ_alike_are_one_block():
    found = dpaudit.epsilon(Many, k=30)
    assert found.counts.outputs == 4
    assert abs(float(found.epsilon.lower) - float(2 * log(3))) < 1e-12


def test_several_kinds_of_pairs_are_several_blocks():
    class Steps(Flips):
        def datasets(self):
            return [0, 1, 2]

        def neighbors(self, x):
            return [y for y in (x - 1, x + 1) if 0 <= y <= 2]

        def coordinates(self, x):
            return [[QUARTER, HALF, F(2, 3)][x], HALF]

    found = dpaudit.epsilon(Steps)
    assert found.counts.datasets == 4
    expected = max(log(F(1, 2) / F(1, 4)), log(F(1, 2) / F(1, 3)))
    assert abs(float(found.epsilon.lower) - float(expected)) < 1e-12


REFUSED = [
    (lambda x: "abc", "must be a list, not str"),
    (lambda x: [], "has 0 entries"),
    (lambda x: [0.5], "a float is not exact"),
    (lambda x: [F(3, 2)], "coordinate 1"),
    (lambda x: [[HALF, QUARTER]], "sums to 3/4"),
    (lambda x: [HALF] * (1 + x), "must have one length"),
    (lambda x: [[HALF, HALF]] if x else [[1]], "another number"),
    (lambda x: [F(x + 1, 100 + i) for i in range(30)], "classes of loss"),
]


@pytest.mark.parametrize(("coordinates", "words"), REFUSED)
def test_what_is_no_list_of_distributions_is_refused(coordinates, words):
    class Wrong(Flips):
        def coordinates(self, x):
            return coordinates(x)

    with pytest.raises(dpaudit.InputError, match=words):
        dpaudit.epsilon(Wrong)


class Enclosed:
    """The same enclosures for both data sets, and perhaps not the same numbers: the true epsilon may be ln 2."""

    def datasets(self):
        return [0, 1]

    def coordinates(self, x):
        return [[(QUARTER, HALF), (HALF, 1 - QUARTER)]]


def test_an_enclosure_is_no_distribution_of_a_coordinate():
    with pytest.raises(InputError, match="coordinate 1 is an enclosure"):
        dpaudit.epsilon(Enclosed)

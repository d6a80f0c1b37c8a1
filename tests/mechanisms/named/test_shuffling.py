"""Shuffled randomized response against a brute force over all data sets and all counts of reports."""

from fractions import Fraction as F
from itertools import combinations_with_replacement

import pytest
from mpmath import exp, mp, mpf

import dpaudit
from dpaudit.mechanisms.named import shuffling
from dpaudit.numbers import balls
from dpaudit.studies.shuffle.published import PUBLISHED


def reported(values, k, p, q):
    """The law of the counts of the reports, one value after the other."""
    law = {(0,) * k: mpf(1)}
    for value in values:
        following = {}
        for counts, chance in law.items():
            for report in range(k):
                grown = tuple(c + (y == report) for y, c in enumerate(counts))
                following[grown] = following.get(grown, mpf(0)) + chance * (p if report == value else q)
        law = following
    return law


def by_data_set(n, eps, k, at):
    """delta in the direction from the first value to the second, for all values of the others."""
    grown = exp(mpf(eps.numerator) / eps.denominator)
    p, q, factor = grown / (grown + k - 1), 1 / (grown + k - 1), exp(mpf(at.numerator) / at.denominator)
    found = {}
    for others in combinations_with_replacement(range(k), n - 1):
        mine, theirs = (reported((first, *others), k, p, q) for first in (0, 1))
        found[others] = sum(max(mine[counts] - factor * theirs[counts], mpf(0)) for counts in mine)
    return found


BINARY = [(2, F(1), F(0)), (3, F(1, 2), F(1, 100)), (6, F(1, 2), F(1, 4)), (9, F(2), F(1, 3)), (12, F(1), F(1, 5))]


@pytest.mark.parametrize(("n", "eps", "at"), BINARY)
def test_binary_is_the_worst_of_all_data_sets(n, eps, at):
    brute = max(by_data_set(n, eps, 2, at).values())
    found = dpaudit.delta("shuffled-randomized-response", at, n=n, eps=eps).delta
    assert abs(mpf(found.lower.numerator) / found.lower.denominator - brute) < mpf(10) ** -12
    assert found.width <= F(1, 10**15)


def test_all_others_alike_is_not_always_the_worst():
    found = by_data_set(6, F(1, 2), 2, F(1, 4))
    alike = max(found[(0,) * 5], found[(1,) * 5])
    assert max(found.values()) > alike * mpf("1.2")
    with balls.precision(128):
        assert shuffling.binary(6, F(1, 2), F(1, 4))[1] != 0
        less = shuffling.with_ones(6, F(1, 2), F(1, 4), 0)
        assert balls.certainly_less(less, shuffling.binary(6, F(1, 2), F(1, 4))[0])


@pytest.mark.parametrize("n", [30, 200])
@pytest.mark.parametrize("at", [F(1, 50), F(1, 7)])
def test_the_floats_discard_only_what_is_not_worst(n, at):
    with balls.precision(128):
        every = balls.maximum([shuffling.with_ones(n, F(1), at, j) for j in range(n)])
        assert balls.overlap(shuffling.binary(n, F(1), at)[0], every)
        assert len(shuffling.survivors(n, F(1), at)) < n


def test_the_known_value():
    found = dpaudit.delta("shuffled-randomized-response", "1/10", n=1000).delta
    assert F("1.709740120e-5") < found.lower <= found.upper < F("1.709740125e-5")


MANY = [(4, F(1), 3, F(1, 5)), (4, F(2), 4, F(1, 2)), (5, F(1), 4, F(1, 10)), (3, F(1, 2), 3, F(1, 10))]


@pytest.mark.parametrize(("n", "eps", "k", "at"), MANY)
def test_the_bounds_for_more_values_contain_the_worst_of_all_data_sets(n, eps, k, at):
    found = by_data_set(n, eps, k, at)
    with balls.precision(192):
        low, high = shuffling.third_value(n, eps, k, at), shuffling.blanket(n, eps, k, at)
        with mp.workdps(30):
            brute = max(found.values())
            slack = mpf(10) ** -13
            assert float(low.mid()) <= brute + slack
            assert brute <= float(high.mid()) + slack
    if k == 3:  # then no report is left out of the lower bound
        assert abs(float(low.mid()) - found[(2,) * (n - 1)]) < mpf(10) ** -13


def test_the_blanket_bounds_binary_response_too():
    with balls.precision(128):
        assert balls.certainly_less(shuffling.binary(50, F(1), F(1, 5))[0], shuffling.blanket(50, F(1), 2, F(1, 5)))


def test_blocks_bound_what_they_stand_for(monkeypatch):
    with balls.precision(128):
        each = shuffling.blanket(300, F(1), 4, F(1, 4))
        monkeypatch.setattr(shuffling, "BLOCKS", 10)
        few = shuffling.blanket(300, F(1), 4, F(1, 4))
        assert balls.certainly_less(each, few)
        assert balls.certainly_less(few, each * 2)


def test_beyond_the_epsilon_of_a_report_there_is_nothing():
    assert dpaudit.delta("shuffled-randomized-response", 1, n=30).delta.upper == 0
    assert dpaudit.epsilon("shuffled-randomized-response", n=30, eps="3/2").closed_form_text == "3/2"


def test_the_published_bounds_are_valid_and_loose():
    found = dpaudit.shuffle("1e-4", n=1000, eps=1)
    assert found.epsilon.width < F(1, 1000)
    with_bound = [entry for entry in found.published if entry.epsilon is not None]
    assert len(with_bound) == len(PUBLISHED)
    assert all(entry.verdict.value == "PROVED" and entry.factor > 2 for entry in with_bound)
    ends = (found.epsilon.lower, found.epsilon.upper)
    at_ends = [dpaudit.delta("shuffled-randomized-response", end, n=1000).delta for end in ends]
    assert at_ends[0].upper > F(1, 10**4) >= at_ends[1].lower


def test_a_published_bound_that_is_too_small_is_seen(monkeypatch):
    from dpaudit.studies.shuffle import shuffle as module

    wrong = [type(PUBLISHED[0])("wrong", "always", lambda eps, n, k, delta: balls.ball(F(1, 100)))]
    monkeypatch.setattr(module, "PUBLISHED", wrong)
    assert dpaudit.shuffle("1e-4", n=100, eps=1).published[0].verdict.value == "REFUTED"

"""The smooth sensitivities: what the certificate of the min-plus closure promises, whatever is proposed."""

from fractions import Fraction
from importlib import import_module
from math import lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import hamming, make_model, neighbors

sensitivity = import_module("dpaudit.posterior.sensitivity")  # the package's attribute of that name is the audit
MODELS = [make_model(4), make_model(3, 3)]
STARTS = st.lists(st.fractions(0, 9, max_denominator=50), min_size=10, max_size=10)


def true_closure(model, start, gamma):
    pairs = list(zip(model.histograms, start, strict=True))
    return [min(v + gamma * hamming(c, d) for d, v in pairs) for c in model.histograms]


def links(model):
    return [[model.index[d] for d in neighbors(c)] for c in model.histograms]


@pytest.mark.parametrize("model", MODELS)
@given(start=STARTS, gamma=st.fractions(Fraction(1, 20), 3, max_denominator=20))
def test_the_proposal_is_good_and_the_closure_narrow(model, start, gamma):
    start = start[: model.size]
    with balls.precision(100):
        found = sensitivity.closure(model, [ball(v) for v in start], ball(gamma))
    for i, (value, true) in enumerate(zip(found.values, true_closure(model, start, gamma), strict=True)):
        lower, upper = balls.ends(value)
        assert lower <= true <= upper
        assert upper - lower < Fraction(1, 2**85)
        assert found.steps[i] == hamming(model.histograms[i], model.histograms[found.sources[i]])


@pytest.mark.parametrize("model", MODELS)
@given(
    start=STARTS,
    gamma=st.fractions(0, 3, max_denominator=20),
    proposal=st.lists(st.tuples(st.integers(0, 9), st.sampled_from((0, 0, 0, 1, 2))), min_size=10, max_size=10),
)
def test_a_bad_proposal_makes_the_closure_wide_not_wrong(model, start, gamma, proposal):
    """The floats that propose are not trusted: with any sources, and detours, the balls still contain the truth."""
    start = start[: model.size]
    sources = [s % model.size for s, _ in proposal[: model.size]]
    ways = zip(model.histograms, sources, proposal, strict=False)
    steps = [hamming(c, model.histograms[s]) + detour for c, s, (_, detour) in ways]
    with pytest.MonkeyPatch.context() as patch, balls.precision(100):
        patch.setattr(sensitivity, "_propose", lambda *_: (sources, steps))
        found = sensitivity.closure(model, [ball(v) for v in start], ball(gamma))
    for value, true in zip(found.values, true_closure(model, start, gamma), strict=True):
        lower, upper = balls.ends(value)
        assert lower <= true <= upper


@given(STARTS, st.fractions(0, 3, max_denominator=20))
def test_the_proposal_is_optimal(start, gamma):
    model = MODELS[1]
    common = lcm(gamma.denominator, *(v.denominator for v in start))
    sources, steps = sensitivity._propose(links(model), [int(v * common) for v in start], int(gamma * common))
    for s, d, true in zip(sources, steps, true_closure(model, start, gamma), strict=True):
        assert start[s] + gamma * d == true


def test_sources_are_told_apart_where_floats_cannot():
    """Two sources that differ by 10^-25 beside 1000: the closure is as narrow as the balls are."""
    model, near = make_model(4), Fraction(1, 10**25)
    start = [Fraction(1000), Fraction(2000), 1000 - near, Fraction(2000), 1000 + near]
    with balls.precision(128):
        found = sensitivity.closure(model, [ball(v) for v in start], ball(Fraction(1, 3)))
    assert found.sources == [0, 2, 2, 2, 4]
    for value, true in zip(found.values, true_closure(model, start, Fraction(1, 3)), strict=True):
        lower, upper = balls.ends(value)
        assert lower <= true <= upper < lower + Fraction(1, 10**33)


def test_priors_that_are_far_apart_get_an_answer():
    """Sources that differ by less than a float shows: the smooth sensitivity must not stay at 1e-16."""
    result = dpaudit.epsilon("MH", n=20, prior="1/1000000,1000000,1000000", digits=30)
    assert result.precision_bits <= 256
    assert result.epsilon.width <= Fraction(1, 10**30)
    with balls.precision(128):
        model = make_model(20, 3, "1/1000000,1000000,1000000")
        smooth = sensitivity.smooth_all(model, sensitivity.local_all(Hellinger(model)), Fraction(1))
        assert all(balls.narrow(value, 30) for value in smooth)


def test_one_source_for_all_costs_nothing():
    """Where every value comes from one source there is nothing to prove by slack: no ball is widened."""
    model = MODELS[1]
    with balls.precision(100):
        start, gamma = [ball(Fraction(1, 3)), *[ball(9)] * 9], ball(Fraction(1, 7))
        found = sensitivity.closure(model, start, gamma)
        assert found.sources == [0] * 10
        for value, d in zip(found.values, found.steps, strict=True):
            assert balls.ends(value) == balls.ends(start[0] + gamma * d if d else start[0])


def test_a_detour_on_the_way_to_one_source_costs_its_length():
    """u is 0, 2, 2 for start 0, 9, 9 and gamma 1, the truth 0, 1, 2: w = 1 at the second, so 3 w covers it."""
    model = make_model(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sensitivity, "_propose", lambda *_: ([0, 0, 0], [0, 2, 2]))
        found = sensitivity.closure(model, [ball(0), ball(9), ball(9)], ball(1))
    assert [balls.ends(v)[0] <= true for v, true in zip(found.values, (0, 1, 2), strict=True)] == [True] * 3
    assert [round(end, 6) for end in balls.ends(found.values[1])] == [-1, 2]


def test_a_source_that_is_not_its_own_costs_the_difference():
    """Two data sets, start 0 and 5, gamma 1; proposed: each from the other. The truth is 0 and 1."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sensitivity, "_propose", lambda *_: ([1, 0], [1, 1]))
        found = sensitivity.closure(make_model(1), [ball(0), ball(5)], ball(1))
    assert [round(end, 6) for end in balls.ends(found.values[0])] == [-6, 6]  # w = 6, so 2 w downward
    assert [round(end, 6) for end in balls.ends(found.values[1])] == [-11, 1]

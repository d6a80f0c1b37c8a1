"""Floats that bracket a table's probabilities: each of them true, and the answers those of the exact tier."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_laws import Given, exponentials, shares

import dpaudit
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.mechanisms.own import brackets as own
from dpaudit.numbers import balls
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy import columns, fast
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.judge import at_most, true_epsilon

KINDS = {
    "rationals": lambda rows: Given([shares(row) for row in rows]),
    "impossible": lambda rows: Given([shares([*row[1:], 0, row[0]]) for row in rows]),
    "exponentials": lambda rows: Given([exponentials([w % 50 for w in row]) for row in rows]),
    "log-weights": lambda rows: Given([[Fraction(w, 7) for w in row] for row in rows], True),
    "large log-weights": lambda rows: Given([[w * 1000 for w in row] for row in rows], True),
    "logarithms": lambda rows: Given([[dpaudit.log(w + 1) for w in row] for row in rows], True),
    "no log-weight": lambda rows: Given([[*row, None] for row in rows], True),
}
WEIGHTS = st.one_of(st.integers(1, 6), st.integers(1, 10**9))
ROWS = st.integers(1, 5).flatmap(lambda m: st.lists(st.lists(WEIGHTS, min_size=m, max_size=m), min_size=2, max_size=7))


def found(mechanism, tier):
    """What is found with columns, screened by floats unless the tier is exact."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "LARGE", 0)
        patch.setattr(fast, "WORTH_IT", 0)
        worst = true_epsilon(mechanism, Effort(tier=tier))
        bounds = (worst.value.upper, worst.value.lower, worst.known, Fraction(1, 7))
        verdicts = [at_most(mechanism, bound, Effort(tier=tier)) for bound in bounds if bound is not None]
    return worst.value, worst.witness, worst.known, verdicts, worst.tier


def agree(given):
    mechanism = load_mechanism(given, 1, {})
    first, second = found(mechanism, "auto"), found(mechanism, "exact")
    assert (first[-1], second[-1]) == ("fast", "exact")
    return first[:-1] == second[:-1]


@pytest.mark.parametrize("kind", KINDS)
@given(rows=ROWS)
def test_the_answers_are_those_of_the_exact_tier(kind, rows):
    assert agree(KINDS[kind](rows))


def outside(given, most=2.0**-40):
    """How many levels lie outside their floats; the floats are apart by no more than they need be."""
    mechanism = load_mechanism(given, 1, {})
    entries = [entry for x in mechanism.datasets() for entry in mechanism.row(x).entries]
    largest = max([30.0, *(abs(float(entry)) for entry in entries if isinstance(entry, Fraction))])
    count = 0
    with balls.precision(256):
        law = mechanism.law()
        floats = law.brackets()
        for x in mechanism.datasets():
            low, high = floats.row(x)
            widths = (high - low) / (largest if mechanism.row(x).logarithmic else high)
            assert np.all(widths <= most)
            for level, below, above in zip(law.levels(x), low.tolist(), high.tolist(), strict=True):
                inside = balls.dyadic(below), level, balls.dyadic(above)
                count += not all(map(balls.certainly_at_most, inside, inside[1:]))
    return count


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "large log-weights"])
@given(rows=ROWS)
def test_every_level_lies_between_its_floats(kind, rows):
    assert outside(KINDS[kind](rows)) == 0


def test_large_log_weights_lie_between_their_floats():
    """Weights of 10^15 leave floats about 0.2 apart; beyond, there are none."""
    rows = [[Fraction(10**12 * (i + j), 3) for j in range(9)] for i in range(4)]
    assert outside(Given(rows, True), 1.0) == 0
    floats = load_mechanism(Given([[0, 10**17], [10**17, 1]], True), 1, {}).law().brackets()
    with pytest.raises(TooCoarse):
        floats.row(0)


MANY = [[1 + (i * j * j) % 11 for j in range(40)] for i in range(1, 9)]


def test_without_its_margin_levels_lie_outside(monkeypatch):
    """The broken twin of the bound: floats as they are computed, with nothing around them."""
    monkeypatch.setattr(own, "RELATIVE", 0.0)
    with pytest.raises(TooCoarse):  # that of a ball is checked
        outside(KINDS["exponentials"](MANY))
    assert outside(KINDS["rationals"](MANY))
    monkeypatch.setattr(own, "UNIT", 0.0)
    monkeypatch.setattr(own, "LEAST", 0.0)
    monkeypatch.setattr(balls, "largest_error", lambda *_, **__: 0.0)
    assert outside(KINDS["log-weights"](MANY))


NEAR = [[3016, 1996, 4988], [2004, 3014, 4982]]
"""By three digits 302/200 is more than 301/200; by all of them, 3014/1996 is more than 3016/2004."""


def test_floats_that_are_coarser_than_they_say_find_the_wrong_output(monkeypatch):
    """The broken twin of the screen: floats of three digits, taken for floats of fifteen."""
    mechanism = load_mechanism(Given([shares(row) for row in NEAR]), 1, {})
    exact = found(mechanism, "exact")
    assert exact[1].output == 1
    assert found(mechanism, "auto")[:-1] == exact[:-1]
    rounded = own.OwnBrackets._rounded
    monkeypatch.setattr(own.OwnBrackets, "_rounded", lambda *entries: [float(f"{p:.3g}") for p in rounded(*entries)])
    assert found(mechanism, "auto")[1].output == 0


@pytest.mark.parametrize(
    "given",
    [
        Given([[Fraction(1, 10**400), 1 - Fraction(1, 10**400)], [Fraction(1, 2), Fraction(1, 2)]]),
        Given([[10**400, 1], [1, 1]], True),
        Given([[0, 10**17], [10**17, 1]], True),
    ],
    ids=["a tiny probability", "a weight beyond floats", "a weight too coarse for floats"],
)
def test_what_floats_cannot_hold_is_left_to_balls(given):
    mechanism = load_mechanism(given, 1, {})
    assert found(mechanism, "auto") == found(mechanism, "exact")


def test_a_ball_around_zero_has_no_float():
    """At 128 bits e^(10^-38) - 1 is known up to a multiple of itself: the midpoint of its ball is no float near it.

    The other entries that have no exact float come after it in the row.
    """
    tiny, some = dpaudit.exp(Fraction(1, 10**38)) - 1, dpaudit.exp(Fraction(1, 10**30)) / 1000
    first, second = Fraction(1, 1000), Fraction(41, 1000)
    rows = [
        [tiny, first, some, 1 - tiny - first - some],
        [Fraction(1, 50 * 10**38), second, some, 1 - Fraction(1, 50 * 10**38) - second - some],
    ]
    mechanism = load_mechanism(Given(rows), 1, {})
    exact = found(mechanism, "exact")
    assert exact[1].output == 0  # ln 50, and not ln 41 at the second output
    assert found(mechanism, "auto")[:-1] == exact[:-1]


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_claim_beyond_all_floats_is_judged(logarithmic, monkeypatch):
    monkeypatch.setattr(columns, "LARGE", 0)
    monkeypatch.setattr(fast, "WORTH_IT", 0)
    rows = [[0, 1], [1, 0]] if logarithmic else [shares([1, 2]), shares([2, 1])]
    assert at_most(load_mechanism(Given(rows, logarithmic), 1, {}), Fraction(10**400)) is Verdict.PROVED


def test_only_large_tables_are_screened_and_only_unless_told_otherwise():
    small = load_mechanism(Given([shares([1, 2]), shares([2, 1])]), 1, {})
    large = load_mechanism(Given([shares([1 + (i + j) % 5 for j in range(500)]) for i in range(300)]), 1, {})
    assert not fast.screens_columns(small, "auto")
    assert fast.screens_columns(large, "auto")
    assert not fast.screens_columns(large, "exact")
    result, exact = (dpaudit.epsilon(large, tier=tier) for tier in ("auto", "exact"))
    assert (result.tier, result.filter_left) == ("fast", 300 * 299)  # every row ties
    assert (exact.tier, exact.filter_left) == ("exact", None)
    assert result.epsilon == exact.epsilon

"""A sub-sampler is known by all its arguments, and its assumptions go on; ends of the code are run a second time."""

import math
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.code import law as law_of_code
from dpaudit.code.law import Budget, Refused, Session
from dpaudit.code.source import Source


@dpaudit.sampler
def part(values, rng, *, top=1):
    return sum(values) + top + int(rng.randrange(1))


@dpaudit.sampler
def changing(values, rng):
    values.append(1)
    return int(rng.randrange(2))


@dpaudit.sampler
def logarithm(rng):
    return math.floor(math.log(rng.random() + 0.5))


def test_lists_and_arguments_by_name_are_kept_apart():
    rng = Source()
    law = Session().law(lambda: (part([1], rng), part([2], rng), part([1], rng, top=5), part([1], rng, top=6)))
    assert (law.outputs, law.lower) == (((2, 3, 6, 7),), (1,))


def test_a_sub_sampler_that_changes_its_arguments_is_refused():
    rng = Source()
    with pytest.raises(Refused, match="changing changes its arguments"):
        Session().law(lambda: changing([], rng))


def test_what_a_sub_sampler_assumes_the_law_assumes():
    rng = Source()
    assert "math.log" in Session().law(lambda: logarithm(rng)).assumptions


def test_ends_are_run_again_whatever_the_trials_show(monkeypatch):
    monkeypatch.setattr(law_of_code, "TRIALS", 0)
    rng, calls = Source(), []

    def counted():
        calls.append(1)
        return len(calls), rng.random() < 0.5

    with pytest.raises(Refused, match="not a function of its draws"):
        Session().law(counted)


UNREADABLE = iter(int, 1)


@dpaudit.sampler
def beside(rng):
    return rng.randrange(3)


def look_around():
    """May read any global by its name; one of them has no key."""
    return vars()


def test_a_sub_sampler_is_followed_in_one_way_for_the_whole_audit():
    """What the code reads can no longer be compared from some run on: the runs before it are made anew."""
    rng = Source()

    def sample():
        first = beside(rng)
        if rng.randrange(4) == 0:
            look_around()
        return first + beside(rng)

    law = Session(Budget()).law(sample)
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert found == {0: Fraction(1, 9), 1: Fraction(2, 9), 2: Fraction(3, 9), 3: Fraction(2, 9), 4: Fraction(1, 9)}

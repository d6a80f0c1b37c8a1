"""What a stranger's code did to us: each of these had a wrong law without a word, or a false reproach."""

from decimal import Decimal

import numpy as np
import pytest

import dpaudit
from dpaudit.code import law as law_of_code
from dpaudit.numbers.errors import InputError


class K:
    c = 0


def leak(x, rng: np.random.Generator):
    if rng.integers(100) == 0:
        return 0
    return int(rng.geometric(0.5 if x else 0.01) > 1)


def kw(x, rng):
    if rng.integers(2):
        return bool(rng.random(dtype=np.float32) < 0.5)
    return "z"


def dec(x, rng):
    v = Decimal("1.0") if rng.randrange(2) else Decimal("1.00")
    while rng.randrange(2):
        pass
    return str(v)


def cx(x, rng):
    v = complex(0, 0.0) if rng.randrange(2) else complex(0, -0.0)
    while rng.randrange(2):
        pass
    return str(v)


def rg(x, rng):
    v = range(0, 0) if rng.randrange(2) else range(1, 1)
    while rng.randrange(2):
        pass
    return v.start


def f25(x, rng):
    K.c = 0
    while rng.randrange(3):
        K.c = (K.c + 1) % 3
    return K.c


calls = {"n": 0}


@dpaudit.sampler
def coin(rng):
    calls["n"] += 1
    return rng.randrange(2)


def samp2(x, rng):
    calls["n"] = 0
    while coin(rng):
        pass
    return calls["n"] >= 3


def cell(x, rng):
    def get():
        return c

    while rng.randrange(2):
        pass
    c = 5 + rng.randrange(2)
    return get()


def swallowed(x, rng):
    try:
        return int(rng.geometric(0.5)) > 1
    except AttributeError:
        return "old numpy"


@pytest.mark.parametrize("code", [leak, kw, swallowed])
def test_what_the_source_does_not_have_is_refused_and_never_an_output(code):
    with pytest.raises(InputError, match="cannot be followed"):
        dpaudit.pmf(code, 0, data=[0, 1])


@pytest.mark.parametrize(
    ("code", "outputs"), [(dec, {"1.0", "1.00"}), (cx, {"0j", "-0j"}), (rg, {0, 1}), (cell, {5, 6})]
)
def test_values_that_only_compare_equal_are_two_states(code, outputs):
    found = dpaudit.pmf(code, 0, data=[0, 1])
    assert set(found.outputs) == outputs
    assert {str(p) for p in found.probabilities} == {"0.5"}


@pytest.mark.parametrize("code", [f25, samp2])
def test_state_kept_elsewhere_shows_in_trial_runs(code):
    with pytest.raises(InputError, match="keeps state outside its variables"):
        dpaudit.pmf(code, 0, data=[0, 1])


def test_what_is_assumed_of_merged_states_is_said():
    def loop(x, rng):
        while rng.randrange(2):
            pass
        return x

    shown = str(dpaudit.epsilon(loop, data=[0, 1]))
    assert "keeps no state outside its variables" in " ".join(shown.split())


def test_a_trial_that_has_no_end_is_noticed(monkeypatch):
    """The counter of a class is taken for nothing; followed it ends, in a trial it may go on for ever."""
    monkeypatch.setattr(law_of_code, "MOST_LINES", 2000)

    def forever(x, rng):
        K.c = 0
        while rng.randrange(2):
            K.c = 1
        while K.c:
            pass
        return x

    with pytest.raises(InputError, match="runs with plain numbers have no end"):
        dpaudit.pmf(forever, 0, data=[0, 1])

"""A setting in Python: exact numbers alone, mechanisms that have theirs, and settings that vary."""

from fractions import Fraction

import numpy
import pytest

import dpaudit
from dpaudit.numbers.errors import InputError


def test_floats_are_refused_with_advice():
    for call in (
        lambda: dpaudit.epsilon("EHDS", n=4, eps=0.1),
        lambda: dpaudit.epsilon("EHDS", n=4, prior=[1, 0.5]),
        lambda: dpaudit.delta("EHDS", at=0.1, n=4),
        lambda: dpaudit.epsilon("EHDS", n=4, eps=True),
    ):
        with pytest.raises(dpaudit.InputError, match="not exact; write it exactly"):
            call()
    with pytest.raises(dpaudit.InputError, match="whole number"):
        dpaudit.epsilon("EHDS", n=4.0)
    with pytest.raises(dpaudit.InputError, match="whole number"):
        dpaudit.pmf("EHDS", x=[2.0, 2])
    with pytest.raises(dpaudit.InputError, match="list"):
        dpaudit.epsilon("EHDS", n=4, prior=7)


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        ({"eps": numpy.float64(0.5)}, 'a float64 is not exact; write it exactly, as text or Fraction: "1/2" or "0.5"'),
        ({"eps": numpy.float64(1) / 3}, "a computed float keeps its rounding error"),
        ({"eps": numpy.int64(2)}, "take int(…) of it: 2"),
        ({"n": numpy.int64(5)}, "take int(…) of it: 5"),
    ],
)
def test_numbers_of_numpy_are_refused_with_what_to_write(setting, rule):
    with pytest.raises(InputError) as caught:
        dpaudit.epsilon("EHDS", **{"n": 4} | setting)
    assert rule in str(caught.value)


def test_a_mechanism_that_is_given_keeps_its_setting():
    made = dpaudit.mechanism("EHDS", n=5)
    assert dpaudit.epsilon(made).subject.mechanism is made
    with pytest.raises(dpaudit.InputError, match="leave this out"):
        dpaudit.epsilon(made, n=7)


def test_a_huge_number_has_a_short_error():
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon("EHDS", n=10**5000)
    assert "about 1e" in str(caught.value)


def test_a_setting_may_vary():
    base = dpaudit.Setting.read("EHDL", n=10, prior="1/100,1/100", eps="1/100")
    assert dpaudit.search(base, n="44..46").minimal_n == 45
    assert dpaudit.search(base).region.to_dict()["n"] == "10..10"
    assert dpaudit.epsilon(base, n=3, eps=2).command == "dpaudit epsilon --mech EHDL --n 3 --prior 1/100,1/100 --eps 2"
    assert dpaudit.epsilon(base, k=3, n=2).subject.model.k == 3
    own = dpaudit.Setting.read("dpaudit.examples.geometric:WrongSensitivity", n=5)
    assert dpaudit.search(own, n="1..3", eps="1").minimal_n == 2
    assert dpaudit.calibrate(own, target=1, n=2).nominal == Fraction(1, 2)
    with pytest.raises(dpaudit.InputError, match="leave this out"):
        dpaudit.epsilon(dpaudit.mechanism("EHDL", n=3), n=4)

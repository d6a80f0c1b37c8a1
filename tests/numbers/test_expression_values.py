"""Expressions: the number that each is, beside mpmath; the text that makes it again; and what is refused."""

import math
import re
from fractions import Fraction as Fr

import mpmath
import pytest
from mpmath import mp, mpf

from dpaudit import PI, InputError, exp, log, log_gamma, sqrt
from dpaudit.numbers import balls
from dpaudit.numbers.expressions import Expression, as_ball, power, to_json

E = exp(1)
HALF = exp(Fr(1, 2))
NAMES = {"exp": exp, "log": log, "sqrt": sqrt, "log_gamma": log_gamma, "pi": PI, "Fraction": Fr}
VALUES = [
    (E, lambda: mp.e, "exp(1)"),
    (-E, lambda: -mp.e, "(-1)*exp(1)"),
    (1 - E, lambda: 1 - mp.e, "1 + (-1)*exp(1)"),
    (E - 1, lambda: mp.e - 1, "exp(1) - 1"),
    (E - HALF, lambda: mp.e - mp.sqrt(mp.e), "exp(1) + (-1)*exp(1/2)"),
    (Fr(1, 3) + E + "1/2", lambda: mpf(5) / 6 + mp.e, "1/3 + exp(1) + 1/2"),
    (Fr(1, 3) * E, lambda: mp.e / 3, "1/3*exp(1)"),
    (E * 2, lambda: 2 * mp.e, "exp(1)*2"),
    ("1/3" / E, lambda: 1 / (3 * mp.e), "(1/3)/exp(1)"),
    (E / 3, lambda: mp.e / 3, "exp(1)/3"),
    (E / HALF / 2, lambda: mp.sqrt(mp.e) / 2, "(exp(1)/exp(1/2))/2"),
    (E / (HALF / 2), lambda: 2 * mp.sqrt(mp.e), "exp(1)/(exp(1/2)/2)"),
    ((1 + E) * HALF, lambda: (1 + mp.e) * mp.sqrt(mp.e), "(1 + exp(1))*exp(1/2)"),
    ((E * HALF) ** 3, lambda: mp.e ** mpf("4.5"), "(exp(1)*exp(1/2))^3"),
    (E**-2, lambda: mp.e**-2, "exp(1)^(-2)"),
    (power(E, 2), lambda: mp.e**2, "exp(1)^2"),
    (log(3), lambda: mp.log(3), "log(3)"),
    (log(Fr(1, 2)), lambda: -mp.log(2), "log(1/2)"),
    (sqrt(2) + sqrt(Fr(1, 2)), lambda: mp.sqrt(2) * mpf("1.5"), "sqrt(2) + sqrt(1/2)"),
    (log_gamma(3), lambda: mp.log(2), "log_gamma(3)"),
    (log_gamma(Fr(1, 2)), lambda: mp.log(mp.sqrt(mp.pi)), "log_gamma(1/2)"),
    (PI * 2, lambda: 2 * mp.pi, "pi*2"),
    (exp(exp(-1) - 1), lambda: mp.exp(mp.exp(-1) - 1), "exp(exp(-1) - 1)"),
]


@pytest.mark.parametrize(("value", "true", "text"), VALUES, ids=[text for *_, text in VALUES])
def test_an_expression_is_its_number_and_prints_as_one_writes_it(value, true, text):
    with balls.precision(200), mpmath.workdps(80):
        low, high = balls.ends(as_ball(value))
        near = Fr(*mpmath.libmp.to_rational(mpf(true())._mpf_))
        assert low - Fr(1, 10**70) <= near <= high + Fr(1, 10**70)
        assert high - low < Fr(1, 10**50)
        assert repr(value) == text
        exact = re.sub(r"(\d+)/(\d+)", r"Fraction(\1, \2)", text)
        again = eval(exact.replace("^", "**"), dict(NAMES))
        assert math.isclose(float(balls.ends(as_ball(again))[0]), float(near), rel_tol=1e-9)


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (exp(0), 1), (log(1), 0), (sqrt(0), 0), (sqrt(1), 1), (log_gamma(1), 0), (log_gamma(2), 0), (E * 0, 0),
        (0 * E, 0), (0 / E, 0), (power(E, 0), 1), (exp(E - E), 1), (log(exp(0)), 0),
    ],
)  # fmt: skip
def test_a_value_that_is_rational_is_one(value, exact):
    assert type(value) is Fr
    assert value == exact


@pytest.mark.parametrize("same", [E + 0, 0 + E, E - 0, E * 1, 1 * E, E / 1, power(E, 1)])
def test_what_changes_nothing_leaves_the_same_number(same):
    with balls.precision(80):
        assert balls.overlap(as_ball(same), as_ball(E))
    assert same is E or repr(same) == "exp(1)/1"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: log(0), "log = 0: must be > 0"),
        (lambda: log("-1/2"), "log = -1/2: must be > 0"),
        (lambda: sqrt(-1), "sqrt = -1: must be >= 0"),
        (lambda: log_gamma(0), "log_gamma = 0: must be > 0"),
        (lambda: exp(0.5), "expression = 0.5: a float is not exact"),
    ],
)
def test_what_has_no_value_is_refused(make, text):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(text)


def test_what_is_no_number_at_all():
    with pytest.raises(ZeroDivisionError):
        _ = E / 0
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(E)
    with pytest.raises(TypeError, match="whole number"):
        Expression("^", E, HALF).ball()
    assert to_json(E / 3) == ["/", ["exp", "1"], "3"]
    assert to_json(Fr(1, 3)) == "1/3"

"""Expressions: the number that each is, beside mpmath; the text that makes it again; and what is refused."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as Fr
from threading import Barrier, local
from weakref import WeakValueDictionary

import mpmath
import pytest
from mpmath import mp, mpf

from dpaudit import PI, InputError, exp, log, log_gamma, sqrt
from dpaudit.numbers import balls, expressions
from dpaudit.numbers.expressions import Expression, add, as_ball, divide, multiply, power, subtract, to_json

E = exp(1)
HALF = exp(Fr(1, 2))
NAMES = {"exp": exp, "log": log, "sqrt": sqrt, "log_gamma": log_gamma, "pi": PI, "Fraction": Fr, "power": power}
VALUES = [
    (lambda: E, lambda: mp.e, "exp(1)"),
    (lambda: -E, lambda: -mp.e, "(-1)*exp(1)"),
    (lambda: 1 - E, lambda: 1 - mp.e, "1 + (-1)*exp(1)"),
    (lambda: E - 1, lambda: mp.e - 1, "exp(1) - 1"),
    (lambda: E - HALF, lambda: mp.e - mp.sqrt(mp.e), "exp(1) + (-1)*exp(1/2)"),
    (lambda: Fr(1, 3) + E + "1/2", lambda: mpf(5) / 6 + mp.e, "1/3 + exp(1) + 1/2"),
    (lambda: Fr(1, 3) * E, lambda: mp.e / 3, "1/3*exp(1)"),
    (lambda: E * 2, lambda: 2 * mp.e, "exp(1)*2"),
    (lambda: "1/3" / E, lambda: 1 / (3 * mp.e), "(1/3)/exp(1)"),
    (lambda: E / 3, lambda: mp.e / 3, "exp(1)/3"),
    (lambda: E / HALF / 2, lambda: mp.sqrt(mp.e) / 2, "(exp(1)/exp(1/2))/2"),
    (lambda: E / (HALF / 2), lambda: 2 * mp.sqrt(mp.e), "exp(1)/(exp(1/2)/2)"),
    (lambda: (1 + E) * HALF, lambda: (1 + mp.e) * mp.sqrt(mp.e), "(1 + exp(1))*exp(1/2)"),
    (lambda: (E * HALF) ** 3, lambda: mp.e ** mpf("4.5"), "(exp(1)*exp(1/2))^3"),
    (lambda: E**-2, lambda: mp.e**-2, "exp(1)^(-2)"),
    (lambda: power(E, 2), lambda: mp.e**2, "exp(1)^2"),
    (lambda: log(3), lambda: mp.log(3), "log(3)"),
    (lambda: log(Fr(1, 2)), lambda: -mp.log(2), "log(1/2)"),
    (lambda: sqrt(2) + sqrt(Fr(1, 2)), lambda: mp.sqrt(2) * mpf("1.5"), "sqrt(2) + sqrt(1/2)"),
    (lambda: log_gamma(3), lambda: mp.log(2), "log_gamma(3)"),
    (lambda: log_gamma(Fr(1, 2)), lambda: mp.log(mp.sqrt(mp.pi)), "log_gamma(1/2)"),
    (lambda: PI * 2, lambda: 2 * mp.pi, "pi*2"),
    (lambda: exp(exp(-1) - 1), lambda: mp.exp(mp.exp(-1) - 1), "exp(exp(-1) - 1)"),
    (lambda: E * Fr(-1, 2), lambda: -mp.e / 2, "exp(1)*(-1/2)"),
    (lambda: 1 / (E / 3 + PI), lambda: 1 / (mp.e / 3 + mp.pi), "1/(exp(1)/3 + pi)"),
    (lambda: (E / 2) ** 3, lambda: mp.e**3 / 8, "(exp(1)/2)^3"),
    (
        lambda: sqrt(2) * E**3 / (log(7) + 1) - log_gamma(Fr(7, 2)) * PI,
        lambda: mp.sqrt(2) * mp.e**3 / (mp.log(7) + 1) - mp.loggamma(mpf("3.5")) * mp.pi,
        "(sqrt(2)*exp(1)^3)/(log(7) + 1) + (-1)*log_gamma(7/2)*pi",
    ),
]


@pytest.mark.parametrize(("make", "true", "text"), VALUES, ids=[text for *_, text in VALUES])
def test_an_expression_is_its_number_and_prints_as_one_writes_it(make, true, text):
    value = make()
    with balls.precision(200), mpmath.workdps(80):
        low, high = balls.ends(as_ball(value))
        near = Fr(*mpmath.libmp.to_rational(mpf(true())._mpf_))
        assert low - Fr(1, 10**70) <= near <= high + Fr(1, 10**70)
        assert high - low < Fr(1, 10**50)
        assert repr(value) == text
        exact = re.sub(r"(\d+)/(\d+)", r"Fraction(\1, \2)", text)
        again = eval(exact.replace("^", "**"), dict(NAMES))
        assert math.isclose(float(balls.ends(as_ball(again))[0]), float(near), rel_tol=1e-9)


RATIONAL = {
    1: ("exp(0)", "sqrt(1)", "power(E, 0)", "exp(E - E)", "power(E - E, 0)"),
    0: ("log(1)", "sqrt(0)", "log_gamma(1)", "log_gamma(2)", "E * 0", "0 * E", "0 / E", "log(exp(0))"),
}
SAME = ("E + 0", "0 + E", "E - 0", "E * 1", "1 * E", "E / 1", "power(E, 1)", "-(-E)")
"""Texts, so that the values are made in the test: mutants of what is imported are not seen."""


@pytest.mark.parametrize(("text", "exact"), [(text, exact) for exact, texts in RATIONAL.items() for text in texts])
def test_a_value_that_is_rational_is_one(text, exact):
    value = eval(text, {**NAMES, "E": exp(1)})
    assert type(value) is Fr
    assert value == exact


@pytest.mark.parametrize("text", SAME)
def test_what_changes_nothing_leaves_the_same_number(text):
    same = eval(text, {**NAMES, "E": exp(1)})
    with balls.precision(80):
        assert balls.overlap(as_ball(same), as_ball(exp(1)))
    assert repr(same) in ("exp(1)", "exp(1)/1", "(-1)*(-1)*exp(1)")


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


def test_rationals_are_computed_at_once():
    a, b = Fr(2, 3), Fr(1, 7)
    assert [f(a, b) for f in (add, subtract, multiply, divide)] == [a + b, a - b, a * b, a / b]
    assert [f(a, Fr(1)) for f in (multiply, divide)] == [a, a]
    assert [f(Fr(1), a) for f in (add, subtract, multiply, divide)] == [1 + a, 1 - a, a, 1 / a]


ROOT, PART = sqrt(2), exp(Fr(1, 3))
WRITTEN = {
    "(1/2)/exp(1)": Fr(1, 2) / E,
    "exp(1)/(1/2)": E / Fr(1, 2),
    "1/3*exp(1)": Fr(1, 3) * E,
    "exp(1)*(-2)": E * Fr(-2),
    "(-3)/exp(1)": Fr(-3) / E,
    "exp(1) - 1/2": E - Fr(1, 2),
    "exp(1) + (-1/3)*sqrt(2)": E + Fr(-1, 3) * ROOT,
    "exp(1)*sqrt(2)/exp(1/3)": E * (ROOT / PART),
    "(exp(1)*sqrt(2))/exp(1/3)": E * ROOT / PART,
    "exp(1)/(sqrt(2)*exp(1/3))": E / (ROOT * PART),
    "exp(1)/(sqrt(2)/exp(1/3))": E / (ROOT / PART),
    "(exp(1) + sqrt(2))*exp(1/3)": (E + ROOT) * PART,
    "(exp(1)*sqrt(2))^2": (E * ROOT) ** 2,
    "(exp(1)/sqrt(2))^2": (E / ROOT) ** 2,
    "(exp(1)^2)^3": (E**2) ** 3,
    "sqrt(2)/exp(1)^2": ROOT / E**2,
}


@pytest.mark.parametrize("text", WRITTEN)
def test_an_expression_is_written_with_the_brackets_that_it_needs(text):
    assert repr(WRITTEN[text]) == text


def test_two_threads_that_write_the_same_make_one_object(monkeypatch):
    both_looked = Barrier(2)
    first = local()

    class Watched(WeakValueDictionary):
        def get(self, key, default=None):
            found = super().get(key, default)
            if not hasattr(first, "look"):
                first.look = found
                both_looked.wait(10)
            return found

    monkeypatch.setattr(expressions, "_WRITTEN", Watched())
    with ThreadPoolExecutor(2) as threads:
        a, b = threads.map(lambda _: expressions.Expression("sqrt", Fr(2)), range(2))
    assert a is b


@pytest.mark.parametrize(
    ("unknown", "advice"),
    [
        (lambda: abs(sqrt(2) - sqrt(3)), "subtract the smaller from the larger"),
        (lambda: max(sqrt(2), sqrt(3)), "compare the exact rationals"),
        (lambda: exp(1) <= 2, "compare the exact rationals"),
        (lambda: Fr(2) > exp(1), "compare the exact rationals"),
    ],
)
def test_the_order_of_expressions_is_refused_with_what_to_write(unknown, advice):
    with pytest.raises(TypeError, match=advice):
        unknown()

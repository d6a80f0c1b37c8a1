"""Exact numbers as sympy expressions, for people who go on calculating with them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.numbers.expressions import Value


def epsilon() -> Any:
    """The positive symbol epsilon of every closed form."""
    import sympy  # type: ignore[import-untyped]

    return sympy.Symbol("epsilon", positive=True)


def as_sympy(value: Value) -> Any:
    """The same number.

    >>> from dpaudit.numbers.expressions import exp, log
    >>> as_sympy(log(1 + exp("1/2")) / 3)
    log(1 + exp(1/2))/3
    """
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    parts = [as_sympy(argument) for argument in value.arguments]
    if value.operation == "pi":
        return sympy.pi
    if value.operation == "/":
        return parts[0] / parts[1]
    named = {"+": sympy.Add, "*": sympy.Mul, "^": sympy.Pow, "log_gamma": sympy.loggamma}
    return (named.get(value.operation) or getattr(sympy, value.operation))(*parts)

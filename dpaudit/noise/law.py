"""The law of sample(x, noise) with finitely many outputs: exact probabilities, as entries of a table."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.noise import gaussian
from dpaudit.noise.explore import Explored
from dpaudit.noise.paths import Value, probability
from dpaudit.noise.source import Noise
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.exponentials import ONE, Exponentials, Form, combine, rational_value
from dpaudit.numbers.expressions import Expression
from dpaudit.privacy.protocols import text

IDEAL = "the noise is ideal: real numbers of infinite precision, independent draws"


@dataclass(frozen=True)
class NotFollowed:
    """The outputs of all unexplored paths together."""

    def __str__(self) -> str:
        return "(not followed)"


def takes_noise(target: Any) -> bool:
    """Whether the sampler's parameter after x is annotated as dpaudit.Noise."""
    function = getattr(target, "function", None) or target.sample
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if len(parameters) < 2:
        return False
    kind = parameters[1].annotation
    return kind is Noise or (isinstance(kind, str) and kind.rpartition(".")[2] == "Noise")


@dataclass(frozen=True)
class FiniteLaw:
    """Outputs with their probabilities, by ``kind_of``; ``residual`` bounds the probability of the unexplored paths."""

    values: dict[Any, tuple[Hashable, Value]]
    residual: Fraction


def finite_law(explored: Explored) -> FiniteLaw:
    """The law of paths whose outputs have no real parts."""
    grouped: dict[Any, tuple[Hashable, list[Value]]] = {}
    for path in explored.paths:
        grouped.setdefault(kind_of(path.output), (path.output, []))[1].append(probability(path, explored.complete))
    values = {kind: (output, add(parts)) for kind, (output, parts) in grouped.items()}
    missing = Fraction(0) if explored.complete else _missing([value for _, value in values.values()])
    return FiniteLaw(values, missing)


def _missing(values: list[Value]) -> Fraction:
    """An upper bound of 1 minus the sum."""
    with balls.precision(gaussian.WORKING_BITS):
        least = balls.total([value_ball(value) for value in values])
        return max(Fraction(0), 1 - gaussian.enclosing(least)[0])


def add(values: list[Value]) -> Value:
    """The sum."""
    forms = [value.form for value in values if value.form is not None]
    if len(forms) == len(values):
        found = combine(forms, add_up=True)
        if found is not None:
            return Value(found)
    return Value(None, lambda: balls.total([value_ball(value) for value in values]))


def value_ball(value: Value) -> Ball:
    """A ball that contains the probability, at the precision in force."""
    if value.ball is not None:
        return value.ball()
    if value.form is None:
        raise ValueError("a probability has neither a form nor a ball")
    return gaussian.form_ball(value.form)


def entry(value: Value | None, residual: Fraction) -> Any:
    """A rational, an expression, or a pair (lower, upper) where the probability is enclosed only."""
    if value is None:
        return Fraction(0) if not residual else (Fraction(0), residual)
    if value.form is not None and not residual:
        return expression(value.form)
    with balls.precision(gaussian.WORKING_BITS):
        low, high = gaussian.enclosing(value_ball(value))
    return low, min(Fraction(1), high + residual)


def expression(form: Form) -> Fraction | Expression:
    """The quotient as a rational number, or as an expression of exponentials."""
    number = rational_value(form)
    if number is not None:
        return number
    top, bottom = form
    if bottom == ONE:
        return _sum(top)
    return Expression("/", _sum(top), _sum(bottom))


def _sum(terms: Exponentials) -> Fraction | Expression:
    parts: list[Fraction | Expression] = []
    for exponent in sorted(terms, reverse=True):
        c, power = terms[exponent], Expression("exp", exponent)
        parts.append(c if not exponent else power if c == 1 else Expression("*", c, power))
    return parts[0] if len(parts) == 1 else Expression("+", *parts)


def kind_of(output: Hashable) -> Any:
    """A key under which 1, True and Fraction(1) differ."""
    if isinstance(output, tuple):
        return tuple, tuple(map(kind_of, output))
    return type(output), output


def order_of(output: Hashable) -> Any:
    """A sorting key: numbers in order, then tuples, then everything else by its text."""
    if isinstance(output, int | Fraction) and not isinstance(output, bool):
        return 0, output, ""
    if isinstance(output, tuple):
        return 1, tuple(map(order_of, output)), ""
    return 2, (), text(output)

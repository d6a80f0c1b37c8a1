"""The laws of sample(x, noise), data set by data set: finite outputs as exact rows, real outputs as densities."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.mechanisms.user_code import guarded, no_exit
from dpaudit.noise import gaussian
from dpaudit.noise.constraints import Cyclic
from dpaudit.noise.explore import Explored, RealPart, explore
from dpaudit.noise.paths import TooComplex, Value, probability
from dpaudit.noise.symbols import Noise, Refused
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import ONE, Exponentials, Form, combine, rational_value
from dpaudit.numbers.expressions import Expression
from dpaudit.privacy.protocols import Dataset, Output, text

IDEAL = "the noise is ideal: real numbers of infinite precision, independent draws"


@dataclass(frozen=True)
class NotFollowed:
    """The outputs of the ways that were not followed, all together."""

    def __str__(self) -> str:
        return "(not followed)"


def takes_noise(function: Callable[..., Any]) -> bool:
    """Whether the parameter after x is annotated as dpaudit.Noise."""
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
    """Outputs with their probabilities; ``residual`` is the probability of the ways that were not followed."""

    values: dict[Hashable, Value]
    residual: Fraction


class NoiseLaws:
    """The laws of sample(x, noise), each computed once."""

    def __init__(self, target: Any, reference: str, name: str) -> None:
        self.target, self.reference, self.name = target, reference, name
        self._paths: dict[Dataset, Explored] = {}
        self._laws: dict[Dataset, FiniteLaw] = {}

    def _error(self, rule: str) -> InputError:
        return InputError("mech", self.reference, f"{self.name} {rule}")

    def explored(self, x: Dataset) -> Explored:
        """The ways that sample(x, noise) takes."""
        if x not in self._paths:
            self._paths[x] = self.careful(x, lambda: self._explore(x))
        return self._paths[x]

    def _explore(self, x: Dataset) -> Explored:
        sample = self.target.sample
        with no_exit():
            return explore(lambda noise: sample(x, noise), lambda: vars(self.target))

    def careful(self, x: Dataset, compute: Callable[[], Any]) -> Any:
        """What ``compute`` returns; what goes wrong becomes one line with the data set, the file and the line."""
        try:
            return guarded(self.reference, _caught, compute)
        except InputError as reason:
            raise self._error(f"sample({text(x)}, noise): {reason.rule}") from None

    def has_reals(self, datasets: Sequence[Dataset]) -> bool:
        """Whether an output has a real part."""
        return any(reals(path.output) for x in datasets for path in self.explored(x).paths)

    def law(self, x: Dataset) -> FiniteLaw:
        """The law of sample(x, noise), whose outputs have no real part."""
        if x not in self._laws:
            self._laws[x] = self.careful(x, lambda: _finite(self.explored(x)))
        return self._laws[x]

    def outputs(self, datasets: Sequence[Dataset], listed: Sequence[Output] | None) -> tuple[Output, ...]:
        """Those listed, or all that occur: numbers first, in order."""
        laws = [(x, self.law(x)) for x in datasets]
        found = {_kind(output): (x, output) for x, law in laws for output in law.values}
        rest = (NotFollowed(),) if any(law.residual for _, law in laws) else ()
        if listed is None:
            return (*sorted((output for _, output in found.values()), key=_order), *rest)
        known = {_kind(output) for output in listed}
        for kind, (x, output) in found.items():
            if kind not in known:
                raise self._error(f"sample({text(x)}, noise) gives {text(output)}, which outputs() does not list")
        return (*listed, *rest)

    @staticmethod
    def has_rest(outputs: Sequence[Output]) -> bool:
        """Whether the last output stands for what was not followed."""
        return isinstance(outputs[-1], NotFollowed)

    def entries(self, x: Dataset, outputs: Sequence[Output]) -> list[Any]:
        """The probabilities: rationals, expressions, or pairs (lower, upper)."""
        law = self.law(x)
        values = {_kind(output): value for output, value in law.values.items()}
        return [_entry(values.get(_kind(output)), law.residual) for output in outputs]

    def caveats(self, datasets: Sequence[Dataset], listed: bool) -> dict[str, Any]:
        """What the answer rests on: "assumptions"; and "residual", the largest probability not followed."""
        del listed
        laws = [self.law(x) for x in datasets]
        residual = max(law.residual for law in laws)
        cut = next((self.explored(x).cut_at for x in datasets if not self.explored(x).complete), "")
        notes = {"notes": [f"{cut}the ways beyond this fork are not followed, residual {at_most(residual, 3)}"]}
        return {"assumptions": [IDEAL], "residual": at_most(residual, 3), **(notes if residual else {})}


def _caught(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except Refused as reason:
        raise InputError("mech", "", str(reason)) from None
    except Cyclic:
        raise InputError("mech", "", "its comparisons go round in a circle: take noise.argmax(list)") from None
    except TooComplex as reason:
        raise InputError("mech", "", str(reason)) from None


def reals(output: Hashable) -> list[RealPart]:
    """The real parts of an output, from left to right."""
    if isinstance(output, RealPart):
        return [output]
    return [part for entry in output for part in reals(entry)] if isinstance(output, tuple) else []


def _finite(explored: Explored) -> FiniteLaw:
    grouped: dict[Hashable, list[Value]] = {}
    kinds: dict[Any, Hashable] = {}
    for path in explored.paths:
        first = kinds.setdefault(_kind(path.output), path.output)
        grouped.setdefault(first, []).append(probability(path))
    values = {output: add(parts) for output, parts in grouped.items()}
    return FiniteLaw(values, Fraction(0) if explored.complete else _missing(list(values.values())))


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


def _entry(value: Value | None, residual: Fraction) -> Any:
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


def _kind(output: Hashable) -> Any:
    """A key under which 1, True and Fraction(1) are three."""
    if isinstance(output, tuple):
        return tuple, tuple(map(_kind, output))
    return (RealPart, "·") if isinstance(output, RealPart) else (type(output), output)


def _order(output: Hashable) -> Any:
    if isinstance(output, int | Fraction) and not isinstance(output, bool):
        return 0, output, ""
    if isinstance(output, tuple):
        return 1, tuple(map(_order, output)), ""
    return 2, (), text(output)


"""Exact expressions for users' mechanisms: exp(-1/2) / (1 + exp(-1/2)), kept as written, evaluated at any precision.

An expression of rationals, exp(rational), + - * / and whole powers also has a canonical form, a ratio of sums
    sum_i c_i e^(a_i),   c_i and a_i rational, the a_i distinct,
by which equalities are decided (see exponentials.py).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball, total
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import MAX_TERMS, ONE, UNDEFINED, Form, combine, of_rational, rational_value, to_power
from dpaudit.numbers.precision import OneAtATime
from dpaudit.numbers.rationals import rational

LONGEST = 10**1000
"""An expression that is a rational number in disguise becomes it if numerator and denominator are below this."""


_WRITTEN: WeakValueDictionary[tuple[str, tuple[Value, ...]], Expression] = WeakValueDictionary()
"""Every expression in use, by its form: expressions that are written alike are one object."""
_TURN = OneAtATime()
"""A lock, so that two threads that write the same expression get one object."""


class Expression:
    """A number written with rationals, + - * / **, exp, log, sqrt, log_gamma and pi; rounded only on request.

    Two that are written alike are one object, so that they are compared and hashed as such; equal numbers may be
    written differently.
    """

    __slots__ = ("__weakref__", "arguments", "operation")
    operation: str
    arguments: tuple[Value, ...]

    def __new__(cls, operation: str, *arguments: Value) -> Expression:
        """The expression that is written so."""
        found = _WRITTEN.get((operation, arguments))
        if found is None:
            with _TURN.lock:
                found = _WRITTEN.get((operation, arguments))
                if found is None:
                    found = super().__new__(cls)
                    found.operation, found.arguments = operation, arguments
                    _WRITTEN[operation, arguments] = found
        return found

    def __reduce__(self) -> tuple[type[Expression], tuple[Any, ...]]:
        """How it is made again, in this process or in another one."""
        return Expression, (self.operation, *self.arguments)

    def __add__(self, other: Any) -> Value:
        try:
            return _sum(self, other) if type(other) in KEPT else add(self, _value(other))
        except _LongSum as found:
            return found.value

    def __radd__(self, other: Any) -> Value:
        try:
            return _sum(other, self) if type(other) in KEPT else add(_value(other), self)
        except _LongSum as found:
            return found.value

    def __neg__(self) -> Value:
        return multiply(Fraction(-1), self)

    def __sub__(self, other: Any) -> Value:
        try:
            return _difference(self, other) if type(other) in KEPT else subtract(self, _value(other))
        except _LongSum as found:
            return found.value

    def __rsub__(self, other: Any) -> Value:  # never long: it has two parts
        return _difference(other, self) if type(other) in KEPT else subtract(_value(other), self)

    def __mul__(self, other: Any) -> Value:
        return _product(self, other) if type(other) in KEPT else multiply(self, _value(other))

    def __rmul__(self, other: Any) -> Value:
        return _product(other, self) if type(other) in KEPT else multiply(_value(other), self)

    def __truediv__(self, other: Any) -> Value:
        return _quotient(self, other) if type(other) in KEPT else divide(self, _value(other))

    def __rtruediv__(self, other: Any) -> Value:
        return _quotient(other, self) if type(other) in KEPT else divide(_value(other), self)

    def __pow__(self, exponent: int) -> Value:
        if type(exponent) is not int:
            raise InputError("exponent", exponent, "must be a whole number; use exp or sqrt for others")
        return _power(self, exponent)

    def __bool__(self) -> bool:
        raise TypeError("an expression is neither true nor false; compare the exact rationals that it comes from")

    def __abs__(self) -> Value:
        raise TypeError("the sign of an expression is not known here: subtract the smaller from the larger")

    def __lt__(self, other: object) -> bool:
        raise TypeError("an expression is not compared: compare the exact rationals that it comes from")

    __le__ = __gt__ = __ge__ = __lt__

    def ball(self) -> Ball:
        """A ball that contains the number, at the precision in force; not finite where it is undefined."""
        if self.operation == "pi":
            return balls.pi()
        parts = [as_ball(argument) for argument in self.arguments]
        if self.operation == "+":
            return total(parts)
        if self.operation == "*":
            product = parts[0]
            for part in parts[1:]:
                product = product * part
            return product
        if self.operation == "/":
            return parts[0] / parts[1]
        if self.operation == "^":
            return Ball(parts[0] ** _whole(self.arguments[1]))
        return Ball(getattr(parts[0], {"log_gamma": "lgamma"}.get(self.operation, self.operation))())

    def to_json(self) -> list[Any]:
        """The expression as nested lists: ["/", ["exp", "-1/2"], "3"]."""
        return [self.operation, *(to_json(argument) for argument in self.arguments)]

    def __repr__(self) -> str:
        """The expression as one writes it: sqrt(2)*sqrt(2) - 2."""
        if self.operation == "+":
            first, *rest = (_infix(part, "+") for part in self.arguments)
            return first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest)
        if self.operation in "*/^":
            return self.operation.join(_infix(part, self.operation) for part in self.arguments)
        return self.operation if self.operation == "pi" else f"{self.operation}({self.arguments[0]})"


Value = Fraction | Expression
STRENGTH = {"+": 1, "*": 2, "/": 3, "^": 4}
"""The precedence of an operation."""


def _infix(part: Value, around: str) -> str:
    """The text of an argument, in brackets where the operation around it would tear it apart."""
    if isinstance(part, Expression):
        inner = STRENGTH.get(part.operation, 5)
        return f"({part})" if inner < STRENGTH[around] or (inner == STRENGTH[around] and around in "/^") else str(part)
    torn = around != "+" and (part < 0 or (part.denominator > 1 and around in "/^"))
    return f"({part})" if torn else str(part)


def _value(number: Any) -> Value:
    """The operand: an expression as it is, anything else as an exact rational (a float is refused)."""
    return number if isinstance(number, Expression) else rational("expression", number)


def _whole(value: Value) -> int:
    """The exponent of a power, which is a whole number."""
    if not isinstance(value, Fraction):
        raise TypeError("an exponent is a whole number")
    return int(value)


def as_ball(value: Value) -> Ball:
    """A ball that contains the value."""
    return value.ball() if isinstance(value, Expression) else ball(value)


def to_json(value: Value) -> Any:
    """A rational as text, an expression as nested lists."""
    return value.to_json() if isinstance(value, Expression) else str(value)


def add(a: Value, b: Value) -> Value:
    """A + b; rationals are added at once, sums of sums are flattened."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    parts: list[Value] = []
    for part in (a, b):
        parts += part.arguments if isinstance(part, Expression) and part.operation == "+" else (part,)
    return Expression("+", *parts)


def multiply(a: Value, b: Value) -> Value:
    """A * b; exactly 0 if a factor is."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    if a == 0 or b == 0:
        return Fraction(0)
    if a == 1 or b == 1:
        return b if a == 1 else a
    return Expression("*", a, b)


def divide(a: Value, b: Value) -> Value:
    """A / b."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    return Fraction(0) if a == 0 else Expression("/", a, b)


def subtract(a: Value, b: Value) -> Value:
    """A - b."""
    return add(a, multiply(Fraction(-1), b))


def power(a: Value, exponent: int) -> Value:
    """A to a whole power."""
    if exponent in (0, 1):
        return a if exponent else Fraction(1)
    return Expression("^", a, Fraction(exponent))


def exp(x: Any) -> Value:
    """e^x as an exact expression (1 for x = 0).

    >>> exp("1/2") / (1 + exp("1/2"))
    exp(1/2)/(1 + exp(1/2))
    """
    kind = type(x)
    if kind is Fraction:
        return _exp_quotient(x.as_integer_ratio())  # the hash of a Fraction is slow
    return _exp_kept(x) if kind in KEPT else _exp(_value(x))


def _exp(x: Value) -> Value:
    value = undisguised(x)
    return Fraction(1) if value == 0 else Expression("exp", value)


def log(x: Any) -> Value:
    """The natural logarithm of x > 0 as an exact expression (0 for x = 1)."""
    value = undisguised(_value(x))
    if isinstance(value, Fraction) and value <= 0:
        raise InputError("log", str(value), "must be > 0")
    return Fraction(0) if value == 1 else Expression("log", value)


def sqrt(x: Any) -> Value:
    """The square root of x >= 0 as an exact expression."""
    value = undisguised(_value(x))
    if isinstance(value, Fraction) and value < 0:
        raise InputError("sqrt", str(value), "must be >= 0")
    return value if value in (0, 1) else Expression("sqrt", value)


def log_gamma(x: Any) -> Value:
    """ln Gamma(x) for x > 0 as an exact expression (0 for x = 1 and 2)."""
    value = undisguised(_value(x))
    if isinstance(value, Fraction) and value <= 0:
        raise InputError("log_gamma", str(value), "must be > 0")
    return Fraction(0) if value in (1, 2) else Expression("log_gamma", value)


PI = Expression("pi")

KEPT = (Expression, int, Fraction, str)
"""The types of operands whose results are remembered."""
MEMORY = 1 << 14
"""The number of results of each operation that are remembered: the entries of a table consist of few numbers."""
LONG = 64
"""A sum of more parts is not remembered, as each of its prefixes would be kept as well."""


class _LongSum(Exception):
    """Brings a sum past the memory."""

    def __init__(self, value: Value) -> None:
        self.value = value


def _short(found: Value) -> Value:
    if isinstance(found, Expression) and len(found.arguments) > LONG:
        raise _LongSum(found)
    return found


@lru_cache(MEMORY)
def _sum(a: Any, b: Any) -> Value:
    return _short(add(_value(a), _value(b)))


@lru_cache(MEMORY)
def _difference(a: Any, b: Any) -> Value:
    return _short(subtract(_value(a), _value(b)))


@lru_cache(MEMORY)
def _product(a: Any, b: Any) -> Value:
    return multiply(_value(a), _value(b))


@lru_cache(MEMORY)
def _quotient(a: Any, b: Any) -> Value:
    return divide(_value(a), _value(b))


_power = lru_cache(MEMORY)(power)
_exp_kept = lru_cache(MEMORY)(lambda x: _exp(_value(x)))
_exp_quotient = lru_cache(MEMORY)(lambda x: _exp(_value(Fraction(*x))))


# ------------------------------------------------------------------ the canonical form


def exponential_form(value: Value) -> Form | None:
    """The canonical form, or None where the value has none or too long a one; UNDEFINED for a division by 0."""
    return of_rational(value) if isinstance(value, Fraction) else _expression_form(value)


@lru_cache(maxsize=1 << 14)
def _expression_form(value: Expression) -> Form | None:
    """The same for an expression; those that are written alike are computed once."""
    if value.operation == "exp":
        exponent = value.arguments[0]
        return ({exponent: Fraction(1)}, ONE) if isinstance(exponent, Fraction) else None
    if value.operation not in ("+", "*", "/", "^"):
        return None
    base = value.arguments if value.operation != "^" else value.arguments[:1]
    forms = []
    for argument in base:
        form = exponential_form(argument)
        if form is None:
            return None
        forms.append(form)
    if value.operation == "/":
        forms[1] = forms[1][1], forms[1][0]
    if value.operation == "^":
        times = _whole(value.arguments[1])
        if abs(times) > MAX_TERMS:
            return None
        top, bottom = forms[0] if times > 0 else (forms[0][1], forms[0][0])
        return to_power((top, bottom), abs(times)) if bottom else UNDEFINED
    if not all(bottom for _, bottom in forms):
        return UNDEFINED
    return combine(forms, value.operation == "+")


def undisguised(value: Value) -> Value:
    """The value as a rational number, where algebra shows that it is a short one; else the value itself.

    >>> undisguised(exp("1/2") * exp("1/2") - exp(1))
    Fraction(0, 1)
    """
    if isinstance(value, Fraction):
        return value
    found = rational_value(exponential_form(value))
    return value if found is None or max(abs(found.numerator), found.denominator) >= LONGEST else found

"""The values that code with noise computes with: reals that are linear in the draws, and whole numbers.

The list of operations is closed: +, -, x and / by rationals, comparisons (so max, min, sorted and abs), floor, round,
int of a bounded whole number. Everything else raises ``Refused`` with the line and what to write instead.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any

from dpaudit.noise.linear import MINUS, ONE, Linear, fast, fraction, number, refuse
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import rational

if TYPE_CHECKING:
    from dpaudit.noise.explore import Run


def exact(value: Any, what: str) -> Fraction:
    """The value as a rational; a float is refused."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool | Real | Whole) or not isinstance(value, int | str):
        kind = "a draw" if isinstance(value, Real | Whole) else f"a {type(value).__name__}"
        example = float(value) if isinstance(value, float) and isfinite(value) else "1/10"
        refuse(f"{what} is {kind}: write an int, a Fraction or text such as '{example}'")
    try:
        return rational(what, value)
    except InputError as error:
        refuse(f"{what}: {error.rule}")


class _Symbolic:
    """What both kinds of numbers refuse."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        refuse("float() or a function of math is applied to a draw: keep to + - * / by rationals, comparisons, floor")

    def __bool__(self) -> bool:
        refuse("a draw is used as a truth value: compare it with a number")

    def __complex__(self) -> complex:
        refuse("complex() is applied to a draw")

    def __str__(self) -> str:
        refuse("a draw is turned into text: return it as a number")

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        refuse("a draw is turned into text: return it as a number")

    def __array__(self, *_: object, **__: object) -> Any:
        refuse("a draw is passed to numpy: use lists (array.tolist()) and max, min, round of Python")

    def __pow__(self, other: object) -> Any:
        refuse("a power of a draw is not linear: only multiples of draws by rationals are followed")

    __rpow__ = __pow__

    def __floordiv__(self, other: object) -> Any:
        refuse("//, % or divmod of a draw: write floor(v / n)")

    __mod__ = __rmod__ = __rfloordiv__ = __divmod__ = __rdivmod__ = __floordiv__

    def __rtruediv__(self, other: object) -> Any:
        refuse("a division by a draw is not linear: divide by a rational")


class Real(_Symbolic):
    """A real number that is linear in continuous draws."""

    __slots__ = ("form", "run")

    def __init__(self, run: Run, form: Linear) -> None:
        self.run, self.form = run, form

    def _with(self, other: Any, factor: int, turned: bool = False) -> Any:
        if isinstance(other, Whole):
            refuse("a draw is added to, or compared with, a rounded or whole one: round after adding")
        mine = self.form.times(MINUS) if turned else self.form
        term = other.form if isinstance(other, Real) else number(exact(other, "a number added to a draw"))
        found = mine.plus(term, ONE if factor > 0 else MINUS)
        return Real(self.run, found) if found.terms else fraction(found.shift)

    def __add__(self, other: Any) -> Any:
        return self._with(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, 1, turned=True)

    def __neg__(self) -> Real:
        return Real(self.run, self.form.times(MINUS))

    def __pos__(self) -> Real:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Real | Whole):
            refuse("a product of two draws is not linear: only multiples by rationals are followed")
        factor = exact(other, "a factor of a draw")
        return Real(self.run, self.form.times(fast(factor))) if factor else Fraction(0)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Real | Whole):
            refuse("a division by a draw is not linear: divide by a rational")
        divisor = exact(other, "a divisor of a draw")
        if not divisor:
            refuse("a draw is divided by zero")
        return self * (1 / divisor)

    def _less(self, other: Any, turned: bool) -> bool:
        difference = self._with(other, -1, turned=False)
        if not isinstance(difference, Real):
            return bool(difference < 0) if not turned else bool(difference > 0)
        return self.run.positive(difference.form) is turned

    def __lt__(self, other: Any) -> bool:
        return self._less(other, turned=False)

    def __gt__(self, other: Any) -> bool:
        return self._less(other, turned=True)

    def __le__(self, other: Any) -> bool:
        return not self._less(other, turned=True)

    def __ge__(self, other: Any) -> bool:
        return not self._less(other, turned=False)

    def __eq__(self, other: object) -> bool:
        if other is None or isinstance(other, str | tuple | list):
            return False
        return self._with(other, -1) == 0 if not isinstance(self._with(other, -1), Real) else False

    def __floor__(self) -> Whole:
        return Whole(self.run, self.form, Fraction(1), Fraction(0))

    def __ceil__(self) -> Whole:
        return Whole(self.run, self.form.times(MINUS), Fraction(-1), Fraction(0))

    def __round__(self, digits: int | None = None) -> Whole:
        if digits:
            refuse("round() to digits: write round(10**k * v) / 10**k")
        return Whole(self.run, self.form.plus(number(Fraction(1, 2)), ONE), Fraction(1), Fraction(0))

    def __int__(self) -> int:
        refuse("int() of a draw, or a draw as a position: write floor, ceil or round, and clamp it")

    __trunc__ = __index__ = __int__


class Whole(_Symbolic):
    """``factor`` floor(``form``) + ``shift``; the form of a discrete draw is the symbol alone."""

    __slots__ = ("factor", "form", "run", "shift")

    def __init__(self, run: Run, form: Linear, factor: Fraction, shift: Fraction) -> None:
        self.run, self.form, self.factor, self.shift = run, form, factor, shift

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Real):
            refuse("a rounded draw is added to another draw: add before rounding")
        if not isinstance(other, Whole):
            return Whole(self.run, self.form, self.factor, self.shift + exact(other, "a number added to a draw"))
        if other.form != self.form:
            refuse("two rounded or whole draws are added or compared: bound them and take int() of one first")
        factor, shift = self.factor + other.factor, self.shift + other.shift
        return Whole(self.run, self.form, factor, shift) if factor else shift

    __radd__ = __add__

    def __neg__(self) -> Whole:
        return Whole(self.run, self.form, -self.factor, -self.shift)

    def __pos__(self) -> Whole:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other if isinstance(other, Real | Whole) else -exact(other, "a number taken from a draw"))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Real | Whole):
            refuse("a product of two draws is not linear: only multiples by rationals are followed")
        by = exact(other, "a factor of a draw")
        return Whole(self.run, self.form, self.factor * by, self.shift * by) if by else Fraction(0)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Real | Whole):
            refuse("a division by a draw is not linear: divide by a rational")
        divisor = exact(other, "a divisor of a draw")
        return self * (1 / divisor) if divisor else refuse("a draw is divided by zero")

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __ge__(self, other: Any) -> bool:
        found = self - other
        if not isinstance(found, Whole):
            return bool(found >= 0)
        bar = -found.shift / found.factor
        if found.factor > 0:
            return self.run.at_least(self.form, ceil(bar))
        return not self.run.at_least(self.form, floor(bar) + 1)

    def __le__(self, other: Any) -> bool:
        return -self >= (-other if isinstance(other, Real | Whole) else -exact(other, "a number"))

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __eq__(self, other: object) -> bool:
        if other is None or isinstance(other, str | tuple | list):
            return False
        return bool(self >= other and self <= other)

    def __int__(self) -> int:
        return int(self.concrete())

    def __index__(self) -> int:
        value = self.concrete()
        return value if isinstance(value, int) else refuse("a position that is not a whole number: take its floor")

    def __trunc__(self) -> int:
        return int(self.concrete())

    def concrete(self) -> int | Fraction:
        """The value, by a branch for each of the finitely many possible ones."""
        value = self.factor * self.run.value(self.form) + self.shift
        return value.numerator if value.denominator == 1 else value

    def __floor__(self) -> Whole:
        if self.factor.denominator != 1 or self.shift.denominator != 1:
            refuse("a multiple of a rounded draw is rounded again: round once")
        return self

    __ceil__ = __floor__

    def __round__(self, digits: int | None = None) -> Whole:
        if digits:
            refuse("round() to digits: write round(10**k * v) / 10**k, before rounding otherwise")
        return self.__floor__()

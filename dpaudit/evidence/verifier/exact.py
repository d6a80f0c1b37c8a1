"""Numbers that are known exactly: quotients of sums of c e^a with rational c and a.

Intervals never show that two numbers are equal, and many mechanisms meet their bound exactly: p = e^epsilon p'. When
``sign`` returns 0, the sum of the numbers is 0: all their exact forms are known and cancel. A sum of c e^a over
distinct rational a is 0 only if every c is (Lindemann-Weierstrass).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from operator import add

from .arithmetic import Interval, Malformed, Undecided, rational

Sum = dict[Fraction, Fraction]
"""{a: c} is the sum of c e^a; no c is 0."""
Form = tuple[Sum, Sum]
"""A quotient of two sums."""
ZERO = Fraction(0)
ONE: Sum = {ZERO: Fraction(1)}
MAX_TERMS, MAX_BITS = 400, 60_000
"""Forms with more terms, or longer numbers, are not attempted: such values are not known exactly."""


def _is_short(*sums: Sum) -> bool:
    return all(
        len(s) <= MAX_TERMS and all(v.numerator.bit_length() + v.denominator.bit_length() <= MAX_BITS
                                    for item in s.items() for v in item)
        for s in sums
    )  # fmt: skip


def sum_of(sums: Iterable[Sum]) -> Sum:
    """The sum, exactly."""
    found: Sum = {}
    for part in sums:
        for exponent, c in part.items():
            found[exponent] = found.get(exponent, ZERO) + c
    return {exponent: c for exponent, c in found.items() if c}


def product_of(a: Sum, b: Sum) -> Sum:
    """The product, exactly."""
    return sum_of({s + t: c * d} for (s, c), (t, d) in product(a.items(), b.items()))


def form_product(a: Form | None, b: Form | None) -> Form | None:
    """a b; None where one of them is not known, or too long."""
    if a is None or b is None or not _is_short(*a, *b):
        return None
    return product_of(a[0], b[0]), product_of(a[1], b[1])


def form_sum(forms: Iterable[Form | None]) -> Form | None:
    """The sum, first of those with equal denominators; None where it is not known, or too long."""
    groups: dict[frozenset[tuple[Fraction, Fraction]], list[Sum]] = {}
    for form in forms:
        if form is None:
            return None
        groups.setdefault(frozenset(form[1].items()), []).append(form[0])
    whole: Form = {}, ONE
    for key, tops in groups.items():
        top, bottom = sum_of(tops), dict(key)
        if not whole[0] or whole[1] == bottom:
            whole = sum_of([whole[0], top]), bottom
            continue
        left, right = form_product(whole, (bottom, bottom)), form_product((top, ONE), (whole[1], ONE))
        if left is None or right is None:
            return None
        whole = sum_of([left[0], right[0]]), left[1]
    return whole


class Number:
    """A value in an interval, and exactly as a quotient of sums where that is known: its form, computed on demand."""

    __slots__ = ("known", "value")

    def __init__(self, value: Interval, form: Form | Callable[[], Form | None] | None = None) -> None:
        self.value, self.known = value, form

    @property
    def form(self) -> Form | None:
        """The exact form, or None."""
        if callable(self.known):
            self.known = self.known()
        return self.known

    def rational(self) -> Fraction | None:
        """The value, if its form is plainly a rational number."""
        form = self.form
        return form[0].get(ZERO, ZERO) if form and form[1] == ONE and not set(form[0]) - {ZERO} else None

    @property
    def is_zero(self) -> bool:
        """Whether the value, a probability, is 0; Undecided if it cannot be separated from 0."""
        if self.value.sign() is None:
            raise Undecided
        return self.value.lo <= 0

    @property
    def is_exactly_zero(self) -> bool:
        """True only if the value is 0 by algebra."""
        return self.form is not None and not self.form[0]

    def __mul__(self, other: Number) -> Number:
        return Number(self.value * other.value, lambda: form_product(self.form, other.form))

    def inverse(self) -> Number:
        """1 over the number."""
        if self.is_exactly_zero:
            raise Malformed("an entry divides by zero")
        return Number(1 / self.value, self.form and (self.form[1], self.form[0]))


@lru_cache(maxsize=1 << 12)
def exp_of(value: Fraction, bits: int) -> Interval:
    """e^value, with additional bits for the digits of the value before the point."""
    wide = bits + 8 + max(0, value.numerator.bit_length() - value.denominator.bit_length())
    return rational(value, wide).exp().at(bits)


def exponential(factor: Fraction, exponent: Fraction, bits: int) -> Number:
    """factor e^exponent."""
    value = exp_of(exponent, bits) * factor if exponent else rational(factor, bits)
    return Number(value, ({exponent: factor} if factor else {}, ONE))


def constant(value: Fraction | int, bits: int) -> Number:
    """The rational number."""
    return exponential(Fraction(value), ZERO, bits)


def sign(numbers: list[Number]) -> int:
    """The sign of the sum; 0 only if all are known exactly and cancel."""
    found = reduce(add, (n.value for n in numbers)).sign()
    if found is None:
        form = form_sum(n.form for n in numbers)
        if form is None or form[0]:
            raise Undecided
    return found or 0

"""Sums of exponentials, sum_i c_i e^(a_i) with c_i and a_i rational, the a_i distinct; and quotients of two of them.

Such a sum is 0 only if every c_i is 0 (Lindemann-Weierstrass): equality is decided by algebra, and a sum that is not 0
has a sign that enough bits tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict

Exponentials = dict[Fraction, Fraction]
"""{a: c} stands for the sum of c e^a; no c is 0."""
Form = tuple[Exponentials, Exponentials]
"""A quotient (numerator, denominator)."""
UNDEFINED: Form = ({}, {})
"""The form of a number that divides by zero; every other denominator is not 0."""

ONE: Exponentials = {Fraction(0): Fraction(1)}

MAX_TERMS = 400
"""A canonical form with more terms than this is not attempted."""
KEPT_TERMS = 64
"""A product that may have more terms than this is not remembered: thousands of them would fill the memory."""
MAX_DENOMINATORS = 20
"""A row with more different denominators than this is not added up by algebra."""
SIGN_BITS = 1 << 17
"""The sign of a sum of exponentials is sought up to this precision."""


def of_rational(value: Fraction) -> Form:
    """The form of a rational number."""
    return ({Fraction(0): value} if value else {}), ONE


def _add(to: Exponentials, other: Exponentials) -> None:
    """Adds a sum of exponentials to another, in place."""
    for exponent, c in other.items():
        found = to.get(exponent, Fraction(0)) + c
        if found:
            to[exponent] = found
        else:
            del to[exponent]


Key = tuple[tuple[tuple[int, int], tuple[int, int]], ...]


def key(terms: Exponentials) -> Key:
    """The exponents and coefficients as quotients of whole numbers, whose hash is quick."""
    return tuple((a.as_integer_ratio(), c.as_integer_ratio()) for a, c in terms.items())


def product(a: Exponentials, b: Exponentials) -> Exponentials:
    """The product of two sums of exponentials; one of them itself if the other is 1. It is not to be changed."""
    if a is ONE or b is ONE:
        return b if a is ONE else a
    if len(a) == len(b) == 1:
        ((s, c),), ((t, d),) = a.items(), b.items()
        return {s + t: c * d}
    return (_kept_product if len(a) * len(b) <= KEPT_TERMS else _product)(key(a), key(b))


def _product(a: Key, b: Key) -> Exponentials:
    result: Exponentials = {}
    factors = [(Fraction(*t), Fraction(*d)) for t, d in b]
    for s, c in ((Fraction(*s), Fraction(*c)) for s, c in a):
        for t, d in factors:
            result[s + t] = result.get(s + t, Fraction(0)) + c * d
    return {exponent: c for exponent, c in result.items() if c}


_kept_product = lru_cache(maxsize=1 << 12)(_product)
"""Equal products are one object, so that equal denominators are recognized at once."""


def combine(forms: list[Form], add_up: bool) -> Form | None:
    """The sum or the product of quotients, its denominator led by 1 e^0; None where it gets too long."""
    top, bottom = forms[0]
    if add_up:
        top = dict(top)
    for up, down in forms[1:]:
        if max(len(top), len(bottom)) * max(len(up), len(down)) > MAX_TERMS**2:
            return None
        if not add_up:
            top, bottom = product(top, up), product(bottom, down)
        elif down is bottom or down == bottom:
            _add(top, up)
        else:
            more = product(up, bottom)
            top, bottom = dict(product(top, down)), product(bottom, down)
            _add(top, more)
        if max(len(top), len(bottom)) > MAX_TERMS:
            return None
    return _led_by_one(top, bottom)


def to_power(form: Form, exponent: int) -> Form | None:
    """The quotient to a power >= 1, its denominator led by 1 e^0; None where it gets too long."""
    if form[1] is ONE and len(form[0]) == 1:
        ((a, c),) = form[0].items()
        return {a * exponent: c**exponent}, ONE
    found: Form = ONE, ONE
    for bit in f"{exponent:b}":
        longer = combine([found, found, form] if bit == "1" else [found, found], add_up=False)
        if longer is None:
            return None
        found = longer
    return found


def _led_by_one(top: Exponentials, bottom: Exponentials) -> Form:
    """The same quotient with the largest exponent of the denominator 0 and its coefficient 1."""
    lead = max(bottom)
    if lead == 0 and bottom[lead] == 1:
        return top, bottom
    factor = {-lead: 1 / bottom[lead]}
    return product(top, factor), product(bottom, factor)


def rational_value(form: Form | None) -> Fraction | None:
    """The number if the form is there and is a rational number in disguise, else None.

    >>> rational_value(({Fraction(1): Fraction(3), Fraction(0): Fraction(3, 2)},
    ...                 {Fraction(1): Fraction(2), Fraction(0): Fraction(1)}))
    Fraction(3, 2)
    """
    if form is None or form == UNDEFINED:
        return None
    top, bottom = form
    if not top:
        return Fraction(0)
    if len(top) != len(bottom):
        return None
    lead = max(bottom)
    ratio = top.get(lead, Fraction(0)) / bottom[lead]
    same = all(top.get(exponent) == ratio * c for exponent, c in bottom.items())
    return ratio if same else None


def is_positive(terms: Exponentials) -> Verdict:
    """The verdict on "the sum is > 0"; UNDECIDED only for a sum that SIGN_BITS do not tell from 0."""
    signs = {c.numerator > 0 for c in terms.values()}  # no coefficient is 0
    if len(signs) < 2:
        return Verdict.PROVED if True in signs else Verdict.REFUTED
    top = max(terms)

    def compare() -> Verdict:
        parts = [ball(c) * ball(exponent - top).exp() for exponent, c in terms.items()]
        return balls.less(balls.zero(), balls.total(parts))

    return balls.decide(compare, max_bits=SIGN_BITS)[0]


def form_is_positive(form: Form) -> Verdict:
    """The verdict on "the quotient is > 0"; its denominator is not 0."""
    if not form[0]:
        return Verdict.REFUTED
    top, bottom = (is_positive(terms) for terms in form)
    if Verdict.UNDECIDED in (top, bottom):
        return Verdict.UNDECIDED
    return Verdict.PROVED if top is bottom else Verdict.REFUTED


def excess_at_most(terms: Iterable[tuple[Form, Form, int]], at: Fraction, bound: Fraction) -> Verdict:
    """The verdict on "the sum of count max(0, p - e^at q) over all (p, q, count) is <= bound"; ties are decided.

    >>> half, third = of_rational(Fraction(1, 2)), of_rational(Fraction(1, 3))
    >>> excess_at_most([(half, third, 2)], Fraction(0), Fraction(1, 3)).value
    'PROVED'
    """
    factor: Form = ({at: Fraction(-1)}, ONE)
    parts = [of_rational(-bound)]
    for p, q, count in terms:
        scaled = combine([q, factor], add_up=False)
        term = None if scaled is None else combine([p, scaled], add_up=True)
        sign = Verdict.UNDECIDED if term is None else form_is_positive(term)
        many = None if term is None else combine([term, of_rational(Fraction(count))], add_up=False)
        if sign is Verdict.UNDECIDED or many is None:
            return Verdict.UNDECIDED
        parts += [many] if sign is Verdict.PROVED else []
    whole = combine(parts, add_up=True)
    above = Verdict.UNDECIDED if whole is None else form_is_positive(whole)
    return {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}.get(above, above)


def add_up_to(forms: Iterable[tuple[Form | None, int]], number: int) -> bool | None:
    """Whether the quotients, with multiplicities, sum to exactly this number, 0 or 1.

    None where one has no form, or the sum is long.
    """
    groups: list[tuple[Exponentials, list[tuple[Exponentials, int]]]] = []
    for form, count in forms:
        if form is None:
            return None
        tops = next((tops for bottom, tops in groups if bottom is form[1] or bottom == form[1]), None)
        if tops is None:
            if len(groups) == MAX_DENOMINATORS:
                return None
            tops = []
            groups.append((form[1], tops))
        tops.append((form[0], count))
    whole = combine([(_added_up(tops), bottom) for bottom, tops in groups], add_up=True)
    return None if whole is None else whole[0] == (whole[1] if number else {})


def _added_up(sums: Iterable[tuple[Exponentials, int]]) -> Exponentials:
    """The sum of these sums, with multiplicities; coefficients over one denominator are added as whole numbers."""
    parts: dict[tuple[tuple[int, int], int], int] = {}
    for terms, count in sums:
        for exponent, (c, denominator) in key(terms):
            place = exponent, denominator
            parts[place] = parts.get(place, 0) + count * c
    found: Exponentials = {}
    for (exponent, denominator), c in parts.items():
        _add(found, {Fraction(*exponent): Fraction(c, denominator)} if c else {})
    return found


def log_of_quotient(a: Exponentials, b: Exponentials) -> Fraction | None:
    """t if a = e^t b with t rational, else None.

    >>> log_of_quotient({Fraction(1): Fraction(2)}, {Fraction(1, 2): Fraction(2)})
    Fraction(1, 2)
    """
    if not a or len(a) != len(b):
        return None
    shift = max(a) - max(b)
    return shift if all(a.get(exponent + shift) == c for exponent, c in b.items()) else None

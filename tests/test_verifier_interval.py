"""The verifier's own arithmetic against mpmath: containment, and narrow."""

import ast
import random
import sys
from decimal import Decimal
from fractions import Fraction as Fr
from pathlib import Path

import pytest
from mpmath import mp, mpf

from dpaudit.evidence import verify as v


def exact(end, e=0):
    """An end of an interval as a number of mpmath, exactly."""
    sign, digits, exponent = end.as_tuple()
    whole = mpf(int("".join(map(str, digits)))) * (-1 if sign else 1)
    return whole * mpf(10) ** (exponent + e)


def check(found, value, most=8):
    """The interval contains the value and is at most ``most`` units of its last place wide."""
    low, high = exact(found.lo, found.e), exact(found.hi, found.e)
    assert low <= value <= high
    assert high - low <= most * abs(value) / mpf(10) ** (found.digits - 1) or low == high == value


def ends_of(found):
    """Both ends, with whatever exponent they have."""
    return tuple(Fr(end) * Fr(10) ** found.e for end in (found.lo, found.hi))


def point(end, digits):
    return v.Interval(end, end, digits)


@pytest.mark.parametrize("digits", [20, 40, 61, 235])
def test_functions(digits):
    rng = random.Random(digits)
    with mp.workdps(2 * digits + 200):
        for _ in range(150):
            q = Fr(rng.randint(1, 10**6), rng.randint(1, 10 ** rng.randint(1, 7)))
            s = Fr(rng.randint(-(10**6), 10**5), rng.randint(10**4, 10**6))
            x, y = mpf(q.numerator) / q.denominator, mpf(s.numerator) / s.denominator
            a, b = v.rational(q, digits), v.rational(s, digits)
            check(point(a.lo, digits).log(), mp.log(exact(a.lo)))
            check(point(b.lo, digits).exp(), mp.exp(exact(b.lo)))
            check(b.exp(), mp.exp(y), 4 * (abs(y) + 4))
            check(a.sqrt(), mp.sqrt(x))
            check(a * b, x * y)
            check(b / a, y / x)
            low, high = (a - b).ends()
            assert low <= q - s <= high
        check(v.pi(digits), mp.pi)


@pytest.mark.parametrize("digits", [20, 61])
def test_numbers_far_from_one(digits):
    with mp.workdps(2 * digits + 1200):
        for x in (10**6, -(10**6), 10**16, 10**17, -(10**18), 10**30, -(10**30), 10**300):
            check(v.exp_of(Fr(x), digits), mp.exp(mpf(x)))
        for x in (10**16, -(10**30)):
            huge = v.exp_of(Fr(x), digits)
            check(v.Interval(huge.lo, huge.lo, digits, huge.e).log(), mp.log(exact(huge.lo, huge.e)))
            check(huge.sqrt(), mp.exp(mpf(x) / 2))
        for end in (
            Decimal("3e-900000000000000000"),
            Decimal("3e+900000000000000000"),
            Decimal("7e-99999999999999999"),
        ):
            check(point(end, digits).log(), mp.log(exact(end)))
        check(v.rational(Fr(1, 10**900), digits).log(), -900 * mp.log(10))
        near = v.rational(1, digits) + v.rational(Fr(3, 10 ** (digits - 1)), digits)
        check(near.log(), mp.log(1 + mpf(3) / mpf(10) ** (digits - 1)))
        far = v.rational(1, digits) + point(Decimal("1e-1000000000000"), digits)
        assert far.lo == 1 < far.hi


def test_random_operations_contain_the_exact_result():
    """Every operation on random intervals, of any size and sign, contains the result for random members."""
    rng = random.Random(1)
    for _ in range(3000):
        digits = rng.choice([1, 3, 20])
        pairs = []
        for _ in range(2):
            lo = rng.randint(-(10**digits) + 1, 10**digits - 1)
            scale = rng.randint(-300, 300)
            ends = (
                Decimal((end < 0, tuple(map(int, str(abs(end)))), scale)) for end in (lo, lo + rng.choice([0, 1, 5]))
            )
            x = v.Interval(*ends, digits, rng.choice([0, 0, 40, -40, 400])).at(digits)
            low, high = ends_of(x)
            pairs.append((x, low + (high - low) * Fr(rng.randint(0, 8), 8)))
        (x, a), (y, b) = pairs
        results = [(x + y, a + b), (x - y, a - b), (x * y, a * b), (-x, -a), (x.positive_part(), max(a, Fr(0)))]
        results += [(v.hull(x, y), a), (v.hull(x, y), b), (v.larger(x, y), max(a, b))]
        if y.sign() not in (None, 0):
            results.append((x / y, a / b))
        for found, value in results:
            low, high = ends_of(found)
            assert low <= value <= high


@pytest.mark.parametrize("digits", [30, 77, 210])
def test_log_gamma(digits):
    with mp.workdps(2 * digits + 120):
        for q in (Fr(1, 100), Fr(1, 3), Fr(1, 2), Fr(3, 2), Fr(22, 7), Fr(50), Fr(1001, 2), Fr(10**5), Fr(10**12)):
            wide = v.rational(q, digits + 25)
            found = v.log_gamma(wide, digits, v.Work(10**9))
            value = mp.loggamma(mpf(q.numerator) / q.denominator)
            low, high = exact(found.lo), exact(found.hi)
            assert low <= value <= high
            assert high - low <= (abs(value) + 1) / mpf(10) ** (digits - 2)
        for q in (1, 2):
            low, high = v.log_gamma(v.rational(q, digits), digits, v.Work(10**9)).ends()
            assert low <= 0 <= high < Fr(1, 10 ** (digits - 6))


def test_undecided_is_said():
    around_zero = v.Interval(Decimal(-1), Decimal(1), 20)
    one = v.rational(1, 20)
    for action in (lambda: one / around_zero, around_zero.log, around_zero.sqrt):
        with pytest.raises(v.Undecided):
            action()
    assert around_zero.sign() is None
    assert (one - one).sign() == 0
    for action in (v.rational(-1, 20).sqrt, v.rational(-1, 20).log, point(Decimal("1e1201"), 20).exp):
        with pytest.raises(v.Malformed):
            action()


def test_it_is_one_file_that_uses_the_standard_library_alone():
    tree = ast.parse(Path(v.__file__).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_what_lies_far_below_is_rounded_outward():
    one, tiny = v.rational(1, 20), v.exp_of(Fr(-(10**40)), 20)
    for small, more in ((tiny, True), (-tiny, False)):
        for found in (one + small, small + one):
            assert (found.hi > 1) == more
            assert (found.lo < 1) == (not more)
            assert found.lo <= 1 <= found.hi
    assert (tiny + tiny).e == tiny.e
    assert (one * tiny / tiny - one).sign() is None or (one * tiny / tiny - one).sign() == 0
    assert (v.exp_of(Fr(10**40), 20) - one).sign() == 1
    assert v.hull(one, tiny).lo >= 0
    assert v.larger(one, tiny).lo == 1
    with pytest.raises(v.Malformed):
        v.exp_of(Fr(10**40), 20).exp()
    assert tiny.exp().lo <= 1 <= tiny.exp().hi
    huge, two = v.exp_of(Fr(10**40), 20), v.rational(200, 20)
    assert huge.lo < two.lo  # the ends without their exponents say nothing
    assert tiny <= one <= two <= huge
    assert not huge <= two
    assert not one <= tiny

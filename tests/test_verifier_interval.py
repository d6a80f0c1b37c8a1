"""The verifier's own arithmetic against mpmath: containment, and narrow."""

import ast
import random
import sys
from fractions import Fraction as Fr
from pathlib import Path

import pytest
from mpmath import mp, mpf

from dpaudit.evidence import verify as v


def check(found, value, most=8):
    """The interval contains the value and is at most ``most`` units of its last place wide."""
    low, high = (mpf(end) * mpf(2) ** found.e for end in (found.lo, found.hi))
    assert low <= value <= high
    assert high - low <= most * abs(value) / mpf(2) ** (found.bits - 1) or low == high == value


@pytest.mark.parametrize("bits", [64, 128, 200, 777])
def test_functions(bits):
    rng = random.Random(bits)
    with mp.workprec(2 * bits + 600):
        for _ in range(150):
            q = Fr(rng.randint(1, 10**6), rng.randint(1, 10 ** rng.randint(1, 7)))
            s = Fr(rng.randint(-(10**6), 10**5), rng.randint(10**4, 10**6))
            x, y = mpf(q.numerator) / q.denominator, mpf(s.numerator) / s.denominator
            a, b = v.rational(q, bits), v.rational(s, bits)
            check(v.Interval(a.lo, a.lo, a.e, bits).log(), mp.log(mpf(a.lo) * mpf(2) ** a.e))
            check(v.Interval(b.lo, b.lo, b.e, bits).exp(), mp.exp(mpf(b.lo) * mpf(2) ** b.e))
            check(b.exp(), mp.exp(y), 4 * (abs(y) + 4))
            check(a.sqrt(), mp.sqrt(x))
            check(a * b, x * y)
            check(b / a, y / x)
            low, high = (a - b).ends()
            assert low <= q - s <= high
        check(v.pi(bits), mp.pi)


@pytest.mark.parametrize("bits", [64, 200])
def test_numbers_far_from_one(bits):
    with mp.workprec(2 * bits + 4000):
        for x in (10**6, -(10**6), 10**30, -(10**30), 10**300):
            check(v.exp_of(Fr(x), bits), mp.exp(mpf(x)))
        tiny = v.rational(Fr(1, 10**900), bits)
        check(tiny.log(), -900 * mp.log(10))
        check((v.rational(1, bits) + v.Interval(1, 1, -bits + 3, bits)).log(), mp.log(1 + mpf(2) ** (3 - bits)))
        far = v.rational(1, bits) + v.Interval(1, 1, -(10**30), bits)
        assert far.lo * 2**0 <= (1 << -far.e) <= far.hi


def test_random_operations_contain_the_exact_result():
    """Every operation on random intervals, of any size and sign, contains the result for random members."""
    rng = random.Random(1)
    for _ in range(3000):
        bits = rng.choice([3, 8, 64])
        pairs = []
        for _ in range(2):
            lo = rng.randint(-(2**bits) + 1, 2**bits - 1)
            x = v.Interval(lo, min(lo + rng.choice([0, 1, 5]), 2**bits), rng.randint(-300, 300), bits)
            low, high = x.ends()
            pairs.append((x, low + (high - low) * Fr(rng.randint(0, 8), 8)))
        (x, a), (y, b) = pairs
        results = [(x + y, a + b), (x - y, a - b), (x * y, a * b), (-x, -a), (x.positive_part(), max(a, Fr(0)))]
        results += [(v.hull(x, y), a), (v.hull(x, y), b), (v.largest([x, y]), max(a, b))]
        if y.sign() not in (None, 0):
            results.append((x / y, a / b))
        for found, value in results:
            low, high = found.ends()
            assert low <= value <= high


@pytest.mark.parametrize("bits", [96, 256, 700])
def test_log_gamma(bits):
    with mp.workprec(2 * bits + 400):
        for q in (Fr(1, 100), Fr(1, 3), Fr(1, 2), Fr(3, 2), Fr(22, 7), Fr(50), Fr(1001, 2), Fr(10**5), Fr(10**12)):
            wide = v.rational(q, bits + 80)
            found = v.log_gamma(wide, bits, v.Work(10**9))
            exact = mp.loggamma(mpf(q.numerator) / q.denominator)
            low, high = (mpf(end) * mpf(2) ** found.e for end in (found.lo, found.hi))
            assert low <= exact <= high
            assert high - low <= (abs(exact) + 1) / mpf(2) ** (bits - 4)
        for q in (1, 2):
            low, high = v.log_gamma(v.rational(q, bits), bits, v.Work(10**9)).ends()
            assert low <= 0 <= high < Fr(1, 2 ** (bits - 20))


def test_undecided_is_said():
    around_zero = v.Interval(-1, 1, 0, 64)
    one = v.rational(1, 64)
    for action in (lambda: one / around_zero, around_zero.log, around_zero.sqrt, v.Interval(1, 1, 5000, 64).exp):
        with pytest.raises(v.Undecided):
            action()
    assert around_zero.sign() is None
    assert (one - one).sign() == 0
    for action in (v.rational(-1, 64).sqrt, v.rational(-1, 64).log):
        with pytest.raises(v.Malformed):
            action()


def test_it_is_one_file_that_uses_the_standard_library_alone():
    tree = ast.parse(Path(v.__file__).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names

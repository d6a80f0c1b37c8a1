"""Every interval of small whole numbers, every comparison and operation of the verifier, against fractions."""

from contextlib import suppress
from fractions import Fraction as F
from itertools import product

import pytest
from flint import arb

from dpaudit.evidence.verifier.arithmetic import (
    MAX_SIZE,
    Interval,
    Malformed,
    Undecided,
    enclose,
    exp_by_squares,
    hull,
    larger,
    ln2,
    log_near,
    rational,
    series_of_ln2,
    total,
)
from tests.evidence.against_balls import crude_faults, exact, misses

BITS = 20
SMALL = [Interval(lo, hi, e, BITS) for lo in range(-2, 3) for hi in range(lo, 3) for e in (-1, 0, 1)]
FAR = 1 << 20


def ends(x):
    return x.lo * F(2) ** x.e, x.hi * F(2) ** x.e


@pytest.mark.parametrize("x", SMALL[::2] + SMALL[1::2], ids=lambda x: f"{x.lo}-{x.hi}e{x.e}")
def test_one_small_interval(x):
    low, high = ends(x)
    assert x.ends() == (low, high)
    assert x.sign() == (1 if low > 0 else -1 if high < 0 else 0 if low == high == 0 else None)
    assert (-x).ends() == (-high, -low)
    assert x.positive_part().ends() == (max(low, 0), max(high, 0))
    assert x.size() == max(abs(x.lo), abs(x.hi)).bit_length() + x.e
    if low <= 0:
        with pytest.raises(Malformed if high <= 0 else Undecided):
            x.positive()
    else:
        assert x.positive() is x
    if low < 0:
        with pytest.raises(Malformed if high < 0 else Undecided):
            x.sqrt()


def test_two_small_intervals():
    for x, y in product(SMALL, SMALL):
        (a, b), (c, d) = ends(x), ends(y)
        assert (x + y).ends() == (a + c, b + d)
        assert (x - y).ends() == (a - d, b - c)
        products = [p * q for p in (a, b) for q in (c, d)]
        assert (x * y).ends() == (min(products), max(products))
        assert x.within(y) == (c <= a and b <= d)
        assert (x <= y) == (b <= c)
        assert hull(x, y).ends() == (min(a, c), max(b, d))
        assert larger(x, y).ends() == (max(a, c), max(b, d))
        assert total([x, y], BITS).ends() == (a + c, b + d)
        if c <= 0 <= d:
            with pytest.raises(Undecided):
                x / y
            continue
        quotients = [p / q for p in (a, b) for q in (c, d)]
        low, high = (x / y).ends()
        assert low <= min(quotients) <= low + F(1, 2**BITS)
        assert high - F(1, 2**BITS) <= max(quotients) <= high


def test_precision():
    """Results have the precision of the first operand; numbers beside them are taken as they are."""
    x, y = Interval(1, 2, 0, 9), Interval(3, 5, -1, 30)
    for found in (x + y, x - y, x * y, x / y, 1 - x, 1 / x, -x, hull(x, y), larger(x, y), x.exp(), x.log(), x.sqrt()):
        assert found.bits == 9
    assert total([], 9).ends() == (0, 0)
    assert (2 - x).ends() == (0, 1)
    assert (x + F(1, 2)).ends() == (F(3, 2), F(5, 2))


def test_rounding_is_outward_and_only_where_it_is_needed():
    for lo, hi, e, bits in ((lo, hi, e, bits) for lo, hi in product(range(-17, 18), repeat=2) if lo <= hi
                            for e in (-1, 2) for bits in (1, 3, 5)):  # fmt: skip
        found = enclose(lo, hi, e, bits)
        longest = max(abs(lo), abs(hi)).bit_length()
        unit = F(2) ** (e + max(0, longest - bits))
        low, high = found.ends()
        assert lo * F(2) ** e - unit < low <= lo * F(2) ** e
        assert hi * F(2) ** e <= high < hi * F(2) ** e + unit
        assert max(abs(found.lo), abs(found.hi)) <= 1 << bits
        assert found.e == (e + max(0, longest - bits) if lo or hi else 0)
    for top, bottom, bits in product(range(-9, 10), range(1, 8), (2, 5)):
        low, high = rational(F(top, bottom), bits).ends()
        assert low <= F(top, bottom) <= high
        assert high - low <= max(abs(low), abs(high)) * F(2) ** (1 - bits)


def test_limits_of_exponents():
    far, near = Interval(1, 2, FAR + 1, BITS), Interval(1, 2, FAR, BITS)
    one = Interval(1, 1, 0, BITS)
    assert near.ends()[0] == 2**FAR
    assert not one.within(near)
    assert Interval(1, 1, FAR, BITS).within(near)
    assert Interval(1, 1, -FAR, BITS).ends() == (F(1, 2**FAR), F(1, 2**FAR))
    for action in (far.ends, Interval(1, 1, -FAR - 1, BITS).ends, lambda: one.within(far), lambda: far.within(one)):
        with pytest.raises(Undecided):
            action()
    longest = (1 << 2 * MAX_SIZE) - 1
    assert enclose(1, 1, longest, BITS).e == longest
    with pytest.raises(Malformed):
        enclose(1, 1, longest + 1, BITS)
    assert Interval(0, 0, 0, BITS).within(Interval(-1, 1, 1 << 30, BITS))
    assert not Interval(0, 0, 0, BITS).within(Interval(1, 2, 1 << 30, BITS))


# ------------------------------------------------------ functions: right for every number of terms and guess


@pytest.mark.parametrize("terms", range(12))
def test_ln_2_by_any_number_of_terms(terms):
    for w in (1, 2, 4, 8, 16, 60):
        assert not misses(series_of_ln2(w, terms), arb(2).log())
    low, high = ends(series_of_ln2(60, terms))
    first = F(1, (terms + 1) << terms)
    assert high - low <= first + F(terms + 2, 1 << 60)


@pytest.mark.parametrize("w", [1, 8, 53, 200])
def test_ln_2_is_narrow(w):
    assert not misses(ln2(w), arb(2).log())
    low, high = ends(ln2(w))
    assert high - low <= F(1, 2**w)


@pytest.mark.parametrize("terms", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("halvings", [0, 1, 2, 3, 5])
def test_exp_by_any_number_of_terms_and_halvings(terms, halvings):
    """With few bits and few terms every rounding to the wrong side, and the terms left out, are seen."""
    assert not crude_faults(halvings, terms)
    wide = exp_by_squares(Interval(1, 3, -2, 40), 30, 1, 9)
    assert not misses(wide, exact(F(1, 4)).exp())
    assert not misses(wide, exact(F(3, 4)).exp())


@pytest.mark.parametrize(("lo", "hi"), [(-1, 1), (-2, -1), (1, 5), (5, 6), (5, 4)])
def test_exp_by_squares_of_what_is_not_from_0_to_1(lo, hi):
    with pytest.raises(Undecided):
        exp_by_squares(Interval(lo, hi, -2, 40), 20, 0, 9)
    with pytest.raises(Undecided):
        exp_by_squares(Interval(lo, hi, 0, 40), 20, 2, 9)


def test_exp_by_squares_refuses_even_one_unit_below_0():
    with pytest.raises(Undecided):
        exp_by_squares(Interval(-1, 1, -20, 40), 20, 0, 9)
    assert exp_by_squares(Interval(0, 1, -20, 40), 20, 0, 9).lo <= 1 << 20


def test_the_logarithm_from_any_guess():
    for top, off in ((top, off) for top in range(33, 72) for off in range(-40, 60)):
        y, guess = Interval(top, top, -6, 40), F(top - 64, 80) + F(off, 64)
        true = exact(F(top, 64)).log()
        t = F(top, 64) * F(float((-exact(guess)).exp().mid())) - 1
        if abs(t) > F(1, 2):
            with pytest.raises(Undecided):
                log_near(y, rational(guess, 40))
        else:
            with suppress(Undecided):  # the powers of 2 are told, not 1/2 itself
                assert not misses(log_near(y, rational(guess, 40)), true)


def test_exp_of_multiples_of_ln_2_as_they_are_rounded():
    """Where k ln 2 is nearly the argument, the remainder is on either side of a turn."""
    for bits, k in ((bits, k) for bits in (20, 64) for k in range(-9, 10)):
        for end in ends(ln2(bits + 30)):
            assert not misses(rational(end * k, bits).exp(), exact(end * k).exp())
            if k:
                found = rational(end * k, bits + 40).exp()
                assert abs(ends(found)[0] / F(2) ** k - 1) < F(1, 2**bits)


def test_a_wide_interval_is_as_wide_as_its_ends_say():
    low, high = ends(Interval(-10, 10, 0, 40).exp())
    assert F(4, 10**5) < low < F(5, 10**5)
    assert 22000 < high < 23000
    low, high = ends(Interval(1, 1 << 300, -100, 40).log())
    assert -70 < low < -69
    assert 138 < high < 139

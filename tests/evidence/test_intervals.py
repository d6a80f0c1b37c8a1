"""Every interval of small whole numbers, every comparison and operation of the verifier, against fractions."""

from fractions import Fraction as F
from itertools import product

import pytest
from flint import arb

from dpaudit.evidence.verifier.arithmetic import (
    MAX_SIZE,
    Interval,
    Malformed,
    Undecided,
    _exp,
    _exp_small,
    cut,
    enclose,
    hull,
    larger,
    ln2,
    rational,
    total,
)

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
        assert [cut(top, bits, up) for up in (False, True)] == [top // 2**bits, -(-top // 2**bits)]


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


@pytest.mark.parametrize("w", [1, 8, 53, 200])
def test_ln_2(w):
    low, high = ln2(w)
    fine = sum(F(1, n * 2**n) for n in range(1, w + 30))  # the rest is less than 2^-(w + 29)
    assert low <= fine * 2**w
    assert (fine + F(1, 2 ** (w + 29))) * 2**w <= high <= low + 2


@pytest.mark.parametrize("w", [5, 8, 11])
def test_the_series_of_exp_is_a_bound_on_its_side(w):
    """With so few bits every rounding to the wrong side, and the terms left out, are seen."""
    for r in range(0, 2 << w, 3):
        low, high = (_exp_small(r, w, up) for up in (False, True))
        true = (arb(r) / 2**w).exp() * 2**w
        assert not arb(low) > true
        assert not arb(high) < true


def test_exp_of_a_multiple_of_ln_2_as_it_is_rounded():
    """The remainder is negative by a hair: one more ln 2 is taken."""
    bits, w = 20, 20 + 4 + 16
    m = -3 * ln2(w + 2)[1]
    for up in (False, True):
        found, k = _exp(m, -w - 2, bits, up)
        assert abs(F(found) * F(2) ** k * 8 - 1) < F(1, 2**bits)

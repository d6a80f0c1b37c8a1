"""The verifier's own arithmetic against mpmath: containment, and narrow."""

import random
from fractions import Fraction as Fr

import pytest
from mpmath import mp, mpf

from dpaudit.evidence.verifier import interval as iv


def check(found, value, most):
    """The interval contains the value and is at most ``most`` units wide."""
    low, high = (mpf(end) / mpf(2) ** found.bits for end in (found.lo, found.hi))
    assert low <= value <= high
    assert found.hi - found.lo <= most


@pytest.mark.parametrize("bits", [64, 128, 200, 777])
def test_functions(bits):
    rng = random.Random(bits)
    with mp.workprec(2 * bits + 600):
        for _ in range(150):
            q = Fr(rng.randint(1, 10**6), rng.randint(1, 10 ** rng.randint(1, 7)))
            s = Fr(rng.randint(-(10**6), 10**5), rng.randint(10**4, 10**6))
            x, y = mpf(q.numerator) / q.denominator, mpf(s.numerator) / s.denominator
            big = max(1, int(1 / x)) + 2
            check(iv.rational(q, bits).log(), mp.log(x), 2 * big)
            check(iv.rational(s, bits).exp(), mp.exp(y), 4 * int(mp.exp(y) + 1) + 8)
            check(iv.rational(q, bits).sqrt(), mp.sqrt(x), int(1 / mp.sqrt(x)) + 3)
            check(iv.log_rational(q**40, bits), 40 * mp.log(x), 2)
            check(iv.rational(q, bits) * iv.rational(s, bits), x * y, int(abs(x) + abs(y)) + 4)
            check(iv.rational(s, bits) / iv.rational(q, bits), y / x, int((abs(y) + 1) / x / x + 1 / x) + 4)
            check(iv.rational(q, bits) - iv.rational(s, bits), x - y, 2)
        check(iv.pi(bits), mp.pi, 1)


@pytest.mark.parametrize("bits", [96, 256])
def test_log_gamma(bits):
    with mp.workprec(2 * bits + 400):
        for q in (Fr(1, 100), Fr(1, 3), Fr(1, 2), Fr(1), Fr(3, 2), Fr(2), Fr(22, 7), Fr(50), Fr(1001, 2), Fr(10**5)):
            check(iv.log_gamma(q, bits), mp.loggamma(mpf(q.numerator) / q.denominator), 2)


def test_undecided_is_said():
    around_zero = iv.Interval(-1, 1, 64)
    one = iv.rational(1, 64)
    for action in (lambda: one / around_zero, around_zero.log, iv.rational(10**9, 64).exp):
        with pytest.raises(iv.Undecided):
            action()
    assert around_zero.sign() is None
    assert (one - one).sign() == 0


def test_it_shares_nothing_with_the_engine():
    from pathlib import Path

    for path in (Path(iv.__file__).parent).glob("*.py"):
        for line in path.read_text().splitlines():
            if line.startswith(("import ", "from ")):
                module = line.split()[1]
                assert module.startswith("dpaudit.evidence.verifier") or module.split(".")[0] in {
                    "__future__", "abc", "collections", "dataclasses", "fractions", "functools", "hashlib",
                    "itertools", "json", "math", "re", "statistics", "typing",
                }, line  # fmt: skip

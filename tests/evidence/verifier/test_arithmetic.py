"""The verifier's arithmetic contains the true value, and is narrow; every operation broken on purpose is noticed."""

import ast
import sys
from contextlib import contextmanager
from fractions import Fraction as Fr
from math import isqrt
from pathlib import Path

import pytest
from flint import arb, ctx

from dpaudit.evidence.verifier import arithmetic as v
from dpaudit.evidence.verifier import exact as algebra
from dpaudit.evidence.verifier import special
from tests.evidence.against_balls import OPERATIONS, Cases, crude_faults, exact, misses

COUNT, LONG = 4_000, 1_000_000
FOLDER = Path(v.__file__).parent


def test_random_expressions_contain_the_true_value(long):
    cases = Cases(26).run(LONG if long else COUNT)
    assert not cases.faults
    assert set(cases.operations) == set(OPERATIONS)
    assert set(cases.depths) == {1, 2, 3, 4}


@contextmanager
def many_bits(bits=20_000):
    old, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = old


LIMITS = [-(2**v.MAX_SIZE) + 1, 2**v.MAX_SIZE - 1, 2**3999 + 1, -(2**3001), 10**300, -(10**300), 10**17, 10**16]


@pytest.mark.parametrize("x", LIMITS, ids=lambda x: f"{(x < 0 and '-') or ''}2^{abs(x).bit_length()}")
def test_exponents_up_to_the_limits(x):
    with many_bits():
        true = arb(x).exp()
        for bits in (20, 64, 200):
            found = algebra.exp_of(Fr(x), bits)
            assert not misses(found, true)
            assert found.hi - found.lo <= 8
            root, rooted = found, true
            for _ in range(4):
                root, rooted = root.sqrt(), rooted.sqrt()
                assert not misses(root, rooted)
                assert (root.hi - root.lo) * 2 <= 1 << 4
            back = root.log()
            assert not misses(back, rooted.log())
            ratio = root * algebra.exp_of(Fr(-x, 16), bits)
            assert not misses(ratio, arb(1))
            assert (ratio - 1).size() < 10 - bits


@pytest.mark.parametrize("action", [lambda: v.rational(2**v.MAX_SIZE, 64).exp(), lambda: v.enclose(1, 1, 1 << 9000, 8),
                                    v.rational(-1, 64).sqrt, v.rational(-1, 64).log])  # fmt: skip
def test_beyond_the_limits_is_malformed(action):
    with pytest.raises(v.Malformed):
        action()


def test_the_root_of_the_root_of_a_huge_number():
    """The fault of the first verifier: half of an odd power of ten was rounded down, and the root off by sqrt(10)."""
    for k in range(60, 80):
        x = Fr(10**17 + 4 * k)
        found = v.rational(x, 200).exp().sqrt().sqrt() * algebra.exp_of(-x / 4, 200)
        assert not misses(found, arb(1))
        assert (found - 1).size() < -120


NARROW = {
    "exp": (lambda a: a.exp(), lambda a: a.exp(), 4),
    "log": (lambda a: a.log(), lambda a: a.log(), 4),
    "sqrt": (lambda a: a.sqrt(), lambda a: a.sqrt(), 2),
    "inverse": (lambda a: 1 / a, lambda a: 1 / a, 2),
    "square": (lambda a: a * a, lambda a: a * a, 2),
    "twice": (lambda a: a + a, lambda a: a + a, 2),
    "ln gamma": (lambda a: special.log_gamma(a, a.bits), lambda a: a.lgamma(), 4),
}


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("bits", [64, 131, 700])
def test_of_an_exact_number_the_result_is_a_few_units_wide(name, bits):
    interval, ball, units = NARROW[name]
    with many_bits():
        for q in (Fr(1, 4), Fr(3, 8), Fr(7, 8), Fr(9, 8), Fr(3, 2), Fr(11, 2), Fr(1025, 1024), Fr(1023, 1024), Fr(77)):
            found = interval(v.rational(q, bits))
            assert not misses(found, ball(exact(q)))
            low, high = found.ends()
            assert high - low <= units * max(abs(low), abs(high)) * Fr(2) ** (1 - bits)


def test_exact_results_are_exact():
    for found, value in (
        (v.rational(Fr(3, 8), 20), Fr(3, 8)),
        (v.rational(16, 20).sqrt(), 4),
        (v.rational(Fr(1, 64), 20).sqrt(), Fr(1, 8)),
        (v.rational(1, 20).log(), 0),
        (v.rational(0, 20).exp(), 1),
        (v.rational(0, 20).sqrt(), 0),
    ):
        assert found.ends() == (value, value)


def test_undecided_is_said():
    around_zero, one = v.Interval(-1, 1, 0, 20), v.rational(1, 20)
    for action in (lambda: one / around_zero, around_zero.log, around_zero.sqrt):
        with pytest.raises(v.Undecided):
            action()
    assert around_zero.sign() is None
    assert (one - one).sign() == 0


def test_what_lies_far_below_is_rounded_outward():
    one, tiny, huge = v.rational(1, 20), algebra.exp_of(Fr(-(10**40)), 20), algebra.exp_of(Fr(10**40), 20)
    for small, more in ((tiny, True), (-tiny, False)):
        for found in (one + small, small + one):
            low, high = found.ends()
            assert low <= 1 <= high
            assert (high > 1) == more
            assert (low < 1) == (not more)
    assert (huge - one).sign() == 1
    assert tiny <= one <= v.rational(200, 20) <= huge
    assert not huge <= v.rational(200, 20)
    assert not one <= tiny


def test_within():
    inner, outer = v.Interval(5, 7, 0, 20), v.Interval(2, 4, 1, 20)
    assert inner.within(outer)
    assert not outer.within(inner)
    assert not v.Interval(9, 17, -1, 20).within(v.Interval(5, 8, 0, 20))
    assert v.Interval(0, 0, 0, 20).within(v.Interval(0, 0, 0, 20))


# ------------------------------------------------------------------ every operation, broken


def inward_units(self, e):
    by = self.e - e
    return (self.lo << by, self.hi << by) if by >= 0 else (-(-self.lo >> -by), self.hi >> -by)


def nearest(lo, hi, e, bits):
    extra = max(lo.bit_length(), hi.bit_length()) - bits
    if extra > 0:
        lo, hi, e = (lo + (1 << extra - 1)) >> extra, (hi + (1 << extra - 1)) >> extra, e + extra
    return v.Interval(lo, hi, e, bits)


def forgotten_exponent(lo, hi, e, bits):
    extra = max(lo.bit_length(), hi.bit_length()) - bits
    if extra > 0:
        lo, hi, e = lo >> extra, -(-hi >> extra), e + extra - (extra % 7 == 3)
    return v.Interval(lo, hi, e, bits)


def odd_root(self):
    """The fault of the first verifier, in powers of two."""
    if self.lo < 0:
        raise v.Undecided
    f = 2 * self.bits
    return v.enclose(isqrt(self.lo << f), isqrt(self.hi << f) + 1, self.e // 2 - self.bits, self.bits)


def floor_root(self):
    if self.lo < 0:
        raise v.Undecided
    f = (self.e + self.hi.bit_length()) // 2 - self.bits
    low, high = self.units(2 * f)
    return v.enclose(isqrt(low), isqrt(high), f, self.bits)


def same_ends_product(self, other):
    other = self._like(other)
    return v.enclose(*sorted((self.lo * other.lo, self.hi * other.hi)), self.e + other.e, self.bits)


def truncated_quotient(self, other):
    other = self._like(other)
    if other.lo <= 0 <= other.hi:
        raise v.Undecided
    more = self.bits + max(other.lo.bit_length(), other.hi.bit_length())
    ends = [(a << more) // b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
    return v.enclose(min(ends), max(ends), self.e - other.e - more, self.bits)


def half_negative(self):
    return v.Interval(-self.lo, -self.hi, self.e, self.bits)


def series(broken):
    """The series of exp with one of its steps wrong."""

    def squares(r, w, h, terms):
        a, b = r.units(h - w)
        one, low, high = 1 << w, 1 << w, 3 << w
        for n in range(terms // (3 if broken == "tail" else 1), 0, -1):
            low, high = one + (low * a >> w) // n, one - (-high * b >> w) // n
        for _ in range(h - (broken == "square")):
            low, high = low * low >> w, -(-high * high >> w)
        if broken == "tail":
            high = low + 1
        return v.Interval(*((high, low) if broken == "side" else (low, high)), -w, w)

    return squares


def wrong_power(x):
    found = RIGHT["_exp"](x)
    return v.Interval(found.lo, found.hi, found.e + (abs(found.e) > 1000), found.bits)


def low_end(x):
    found = RIGHT["_exp"](x)
    return found.both_ends()[0]


def short_ln2(w):
    found = RIGHT["ln2"](w // 2)
    return v.Interval(found.lo, found.lo, found.e, w)


def low_ln2(w):
    found = RIGHT["ln2"](w)
    (low, high), off = found.units(-2 * w), 1 << (w + w // 2)
    return v.Interval(low - off, high - off, -2 * w, w)


def linear_log(m, e, bits):
    """ln(1 + t) taken as t, without t^2, from a guess that is not close."""
    found = RIGHT["_log"](m, e, bits)
    return v.Interval(found.hi, found.hi, found.e, bits) if found.bits < 60 else found


def wrong_log(m, e, bits):
    found = RIGHT["_log"](m, e, bits)
    return found + v.rational(Fr(e, 2**40), bits) if abs(e) > 100 else found


def far_away(*values):
    known = [x for x in values if x.lo or x.hi]
    return max((x.e for x in known), default=0) if len(known) > 1 else RIGHT["common"](*values)


def narrow_hull(a, b):
    return a


def first_larger(a, b):
    return a if a.lo * 2.0 ** max(min(a.e, 900), -900) > b.lo * 2.0 ** max(min(b.e, 900), -900) else b


def floor_rational(value, bits):
    found = RIGHT["rational"](value, bits)
    return v.Interval(found.lo, found.lo, found.e, bits)


def negative_part(self):
    return v.Interval(min(self.lo, 0), min(self.hi, 0), self.e, self.bits)


def short_total(values, bits):
    return RIGHT["total"](list(values)[1:], bits)


def short_pi(bits):
    found = special.enclose(314159265358979, 314159265358979, 0, 60) / 10**14
    return found.at(bits)


def short_gamma(lo, hi, e, bits):
    found = RIGHT_GAMMA(lo, hi, e, bits)
    return v.Interval(found.lo, found.lo, found.e, found.bits).at(bits // 4) + v.rational(Fr(1, 2**20), bits)


NAMES = ("_exp", "_log", "ln2", "common", "rational", "total")
RIGHT = {name: getattr(v, name) for name in NAMES}
RIGHT_GAMMA = special._log_gamma
SABOTAGE = {
    "units rounded inward": (v.Interval, "units", inward_units),
    "results rounded to nearest": (v, "enclose", nearest),
    "an exponent lost in rounding": (v, "enclose", forgotten_exponent),
    "half of an odd exponent": (v.Interval, "sqrt", odd_root),
    "a root rounded down on both sides": (v.Interval, "sqrt", floor_root),
    "a product of equal ends only": (v.Interval, "__mul__", same_ends_product),
    "a quotient rounded down on both sides": (v.Interval, "__truediv__", truncated_quotient),
    "ends that are not exchanged": (v.Interval, "__neg__", half_negative),
    "a series rounded to the wrong side": (v, "exp_by_squares", series("side")),
    "a series cut too early": (v, "exp_by_squares", series("tail")),
    "one square too few": (v, "exp_by_squares", series("square")),
    "exp by its lower end": (v, "_exp", low_end),
    "a wrong power of two for large numbers": (v, "_exp", wrong_power),
    "ln 2 of half of its digits, without its error": (v, "ln2", short_ln2),
    "ln 2 off by half of its digits": (v, "ln2", low_ln2),
    "a logarithm without its error": (v, "_log", linear_log),
    "a logarithm off for large numbers": (v, "_log", wrong_log),
    "operands that are not aligned": (v.Interval, "units", lambda self, e: (self.lo, self.hi)),
    "a hull of one": (v, "hull", narrow_hull),
    "a maximum by one end": (v, "larger", first_larger),
    "a fraction rounded down on both sides": (v, "rational", floor_rational),
    "the negative part": (v.Interval, "positive_part", negative_part),
    "a sum without its first term": (v, "total", short_total),
    "pi of fifteen digits": (special, "pi", short_pi),
    "ln gamma off by little": (special, "_log_gamma", short_gamma),
}


def forget():
    for function in (v.ln2, v._log, special.pi, special._log_gamma, algebra.exp_of):
        getattr(function, "cache_clear", lambda: None)()


@pytest.mark.parametrize("name", SABOTAGE)
def test_a_broken_operation_is_noticed(name, monkeypatch):
    place, attribute, wrong = SABOTAGE[name]
    right = getattr(place, attribute)
    forget()
    monkeypatch.setattr(place, attribute, wrong)
    if attribute == "larger":
        monkeypatch.setitem(OPERATIONS, "larger", (2, wrong, OPERATIONS["larger"][2]))
    if attribute == "hull":
        monkeypatch.setitem(OPERATIONS, "in a hull too", (2, wrong, OPERATIONS["in a hull too"][2]))
    try:
        noticed = Cases(3).run(3 * COUNT).faults or crude_faults(3, 2)
    except (ArithmeticError, RecursionError, ValueError, v.Undecided):
        noticed = True
    finally:
        monkeypatch.undo()
        forget()
    assert right is getattr(place, attribute)
    assert noticed


def test_without_sabotage_the_same_cases_are_right():
    assert not Cases(3).run(3 * COUNT).faults


def test_the_gamma_function_of_a_giant_is_refused_before_it_takes_all_memory():
    assert special.log_gamma(v.Interval(1, 1, v.MAX_SIZE - 1, 64), 64).size() > v.MAX_SIZE
    with pytest.raises(v.Malformed, match="log_gamma of a number that is too large"):
        special.log_gamma(v.Interval(1, 1, v.MAX_SIZE, 64), 64)


# ------------------------------------------------------------------ the folder


def test_it_uses_the_standard_library_alone_and_nothing_of_dpaudit():
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= sys.stdlib_module_names, path
            elif isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1]
                assert folder.is_relative_to(FOLDER), path
                assert (folder / f"{node.module.replace('.', '/')}.py").is_file(), path
            elif isinstance(node, ast.ImportFrom):
                known = sys.stdlib_module_names | ({"verifier"} if path.stem == "__main__" else set())
                assert node.module.split(".")[0] in known, path


def test_the_files_are_short_and_say_what_they_establish():
    lines = {path.relative_to(FOLDER).as_posix(): len(path.read_text().splitlines()) for path in FOLDER.rglob("*.py")}
    assert max(lines.values()) <= 350
    assert lines["core.py"] + lines["arithmetic.py"] <= 600
    apart = ("theorems/", "composition")  # kinds of certificates that nothing else needs
    assert sum(count for name, count in lines.items() if not name.startswith(apart)) <= 2100
    for path in FOLDER.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path

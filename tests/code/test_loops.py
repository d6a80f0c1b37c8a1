"""Loops that people write, with their laws: summed exactly, on every version of Python."""

from fractions import Fraction as F
from math import comb

import numpy as np
import pytest

import dpaudit
from dpaudit.code.law import Session
from dpaudit.code.source import Source


def while_true(rng):
    while True:
        r = rng.getrandbits(3)
        if r < 6:
            return r


def while_cond(rng):
    n = 0
    while rng.random() < 0.5 and n < 5:
        n += 1
    return n


def for_range(rng):
    s = 0
    for _ in range(20):
        s += rng.random() < 0.25
    return s


def for_list(rng):
    s = 0
    for a in [1, 2, 3]:
        if rng.randrange(3) == 0:
            continue
        s += a
    else:
        s += 10
    return s


def for_enum(rng):
    out = []
    for i, q in enumerate((3, 1, 2)):
        if q + rng.randrange(3) >= 3:
            out.append(i)
            break
    return tuple(out)


def nested(rng):
    for i in range(3):
        while True:
            r = rng.getrandbits(2)
            if r < 3:
                break
        if r == 2:
            return i
    return -1


def several(rng):
    while True:
        a = rng.randrange(6)
        b = rng.randrange(6)
        if a + b == 7:
            return a


def early(rng):
    while True:
        if rng.random() < 0.25:
            return "stop"
        if rng.random() < 0.5:
            return "late"


def coin(p, rng):
    return rng.random() < p


def helper(rng):
    k = 0
    while coin(0.5, rng):
        k = (k + 1) % 3
    return k


def recur_plain(n, rng):
    if n == 0:
        return 0
    return (rng.random() < 0.5) + recur_plain(n - 1, rng)


def recursion(rng):
    return recur_plain(6, rng)


def tail(rng):
    if rng.random() < 0.25:
        return tail(rng)
    return rng.random() < 0.5


def not_tail(rng):
    if rng.random() < 0.25:
        return not not_tail(rng)
    return True


def inner_def(rng):
    def flip():
        return rng.random() < 0.5

    k = 0
    while flip():
        k = 1 - k
    return k


def with_until(rng):
    return dpaudit.until(lambda: rng.getrandbits(3), lambda r: r < 6)


def with_until2(rng):
    r = dpaudit.until(lambda: rng.getrandbits(3), lambda r: r < 5)
    return r + 1


def dicts(rng):
    c = {"a": 0, "b": 0}
    for name, _ in c.items():
        while rng.random() < 0.5:
            c[name] = 1 - c[name]
    return c["a"], c["b"]


def arrays(rng):
    v = np.zeros(3)
    for i in range(3):
        while rng.random() < 0.5:
            v[i] = 1 - v[i]
    return tuple(int(x) for x in v)


class Obj:
    def __init__(self, p):
        self.p, self.__q = p, 0

    def run(self, rng):
        while rng.random() < self.p:
            pass
        return self.__q


def objects(rng):
    return Obj(0.5).run(rng) + 1


def trying(rng):
    while True:
        try:
            r = rng.randrange(4)
            return 1 / r
        except ZeroDivisionError:
            continue


def fin(rng):
    n = 0
    while True:
        try:
            if rng.random() < 0.5:
                return n
        finally:
            n = 1 - n


def genexp(rng):
    while True:
        if sum(rng.random() < 0.5 for _ in range(3)) == 2:
            return any(rng.random() < 0.5 for _ in range(2))


def lazyvar(rng):
    u = rng.random()
    while rng.random() < 0.5:
        pass
    return u < 0.25


def shuffles(rng):
    xs = [1, 2, 3]
    rng.shuffle(xs)
    while rng.random() < 0.5:
        pass
    return tuple(xs)


def while_else(rng):
    while rng.random() < 0.5:
        if rng.random() < 0.5:
            break
    else:
        return "else"
    return "break"


def at_least_one_state_more(rng):
    """Two counters that only their sum decides: a loop of 30 turns with few states."""
    heads = tails = 0
    for _ in range(30):
        if rng.random() < 0.5:
            heads += 1
        else:
            tails += 1
    return heads - tails > 20


LAWS = {
    while_true: dict.fromkeys(range(6), F(1, 6)),
    while_cond: {**{k: F(1, 2 ** (k + 1)) for k in range(5)}, 5: F(1, 32)},
    for_range: {k: comb(20, k) * F(1, 4) ** k * F(3, 4) ** (20 - k) for k in range(21)},
    for_list: {10: F(1, 27), 11: F(2, 27), 12: F(2, 27), 13: F(6, 27), 14: F(4, 27), 15: F(4, 27), 16: F(8, 27)},
    for_enum: {(0,): 1},
    nested: {0: F(1, 3), 1: F(2, 9), 2: F(4, 27), -1: F(8, 27)},
    several: dict.fromkeys(range(2, 6), F(1, 4)),
    early: {"stop": F(2, 5), "late": F(3, 5)},
    helper: {0: F(4, 7), 1: F(2, 7), 2: F(1, 7)},
    recursion: {k: F(comb(6, k), 64) for k in range(7)},
    tail: {True: F(1, 2), False: F(1, 2)},
    inner_def: {0: F(2, 3), 1: F(1, 3)},
    with_until: dict.fromkeys(range(6), F(1, 6)),
    with_until2: dict.fromkeys(range(1, 6), F(1, 5)),
    dicts: {(a, b): F(2 - a, 3) * F(2 - b, 3) for a in (0, 1) for b in (0, 1)},
    arrays: {(a, b, c): F((2 - a) * (2 - b) * (2 - c), 27) for a in (0, 1) for b in (0, 1) for c in (0, 1)},
    objects: {1: 1},
    trying: dict.fromkeys((1.0, 0.5, 1 / 3), F(1, 3)),
    fin: {0: F(2, 3), 1: F(1, 3)},
    genexp: {True: F(3, 4), False: F(1, 4)},
    lazyvar: {True: F(1, 4), False: F(3, 4)},
    shuffles: dict.fromkeys(((1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)), F(1, 6)),
    while_else: {"else": F(2, 3), "break": F(1, 3)},
    at_least_one_state_more: {
        True: F(sum(comb(30, h) for h in range(26, 31)), 2**30),
        False: 1 - F(sum(comb(30, h) for h in range(26, 31)), 2**30),
    },
}


@pytest.mark.quick
@pytest.mark.parametrize("sample", LAWS, ids=lambda sample: sample.__name__)
def test_a_loop_is_summed_exactly(sample):
    law = Session().law(sample, (Source(),))
    assert (dict(zip(law.outputs, law.lower, strict=True)), law.residual) == (LAWS[sample], 0)
    assert law.unrolled is None


def test_recursion_in_the_middle_of_an_expression_is_unrolled():
    law = Session().law(not_tail, (Source(),))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert 0 < law.residual < F(1, 2**64)
    assert found[True] <= F(4, 5) <= found[True] + law.residual


def announced(rng):
    while rng.random() < 0.5:
        np.set_printoptions(precision=8)
    return 0


def announced_late(rng):
    while rng.random() < 0.5:
        pass
    np.set_printoptions(precision=8)
    return 0


@pytest.mark.parametrize("sample", [announced, announced_late], ids=lambda sample: sample.__name__)
def test_a_loop_outside_the_list_is_unrolled_and_the_line_is_named(sample):
    """Also where the call comes after the loop: what was merged before is taken back."""
    law = Session().law(sample, (Source(),))
    assert 0 < law.residual <= F(1, 2**64)
    line, why = law.unrolled
    assert line.startswith("test_loops.py line ")
    assert "`set_printoptions` is outside the mergeable subset" in why


def test_until_is_an_ordinary_loop_outside_an_audit():
    values = iter((7, 6, 2, 1))
    assert dpaudit.until(lambda: next(values), lambda r: r < 6) == 2

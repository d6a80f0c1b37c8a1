"""Mechanisms as people write them, entry by entry: in dpaudit's exact expressions, or in floats as the rival."""

import math
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import mul

import numpy as np


class Response:
    """k-ary randomized response."""

    def __init__(self, size, exp):
        self.size, self.exp = size, exp

    def datasets(self):
        return list(range(self.size))

    outputs = datasets

    def probability(self, x, r):
        e = self.exp(1)
        return (e if x == r else 1) / (e + self.size - 1)


class Geometric:
    """The geometric mechanism on 0..size, clamped."""

    def __init__(self, size, exp):
        self.size, self.exp = size, exp

    def datasets(self):
        return list(range(self.size + 1))

    outputs = datasets

    def neighbors(self, x):
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.size]

    def probability(self, x, r):
        a = self.exp(-1)
        weight = a ** abs(x - r)
        return weight / (1 + a) if r in (0, self.size) else weight * (1 - a) / (1 + a)


class Rappor:
    """Basic RAPPOR: one bit a category, 2^size outputs."""

    def __init__(self, size, exp):
        self.size, self.exp = size, exp

    def datasets(self):
        return list(range(self.size))

    def outputs(self):
        return list(product((0, 1), repeat=self.size))

    def probability(self, x, r):
        half = self.exp(Fraction(1, 2))
        f = half / (1 + half)
        return reduce(mul, [f if bit == (i == x) else 1 - f for i, bit in enumerate(r)])


KINDS = {"response": Response, "geometric": Geometric, "rappor": Rappor}
NAMES = {
    "response": "k-ary randomized response, k = {}",
    "geometric": "clamped geometric, n = {}",
    "rappor": "RAPPOR, 2^{} outputs",
}


def float_epsilon(kind, size):
    """The largest loss by floats: every entry from the same code, twice as the auditor asks, then all pairs at once."""
    mechanism = KINDS[kind](size, math.exp)
    datasets, outputs = mechanism.datasets(), mechanism.outputs()
    tables = [[[mechanism.probability(x, r) for r in outputs] for x in datasets] for _ in range(2)]
    assert tables[0] == tables[1]
    logs = np.log(tables[0])
    near = getattr(mechanism, "neighbors", lambda x: [y for y in datasets if y != x])
    return max(float(np.max(logs[x] - logs[near(x)])) for x in datasets)

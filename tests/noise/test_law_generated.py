"""Random programs with two draws against integrals of their definitions, and with more draws against algebra.

The reference knows the half-planes that a program compares: for a value of the first draw it finds the intervals of the
second by the definitions and integrates over the first, between all kinks, by Gauss and Legendre.
"""

import math
import random
from fractions import Fraction as F
from itertools import pairwise, product

import numpy as np
import pytest

from dpaudit.noise.explore import explore
from dpaudit.noise.law import expression, finite_law, value_ball
from dpaudit.numbers import balls
from dpaudit.numbers.exponentials import combine

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
FAR = 90
"""No scale is above 2, so less than 1e-19 lies farther out."""


def pdf(kind, par, t):
    if kind == "laplace":
        return np.exp(-np.abs(t) / par[0]) / (2 * par[0])
    if kind == "exponential":
        return np.where(t > 0, np.exp(-np.maximum(t, 0) / par[0]) / par[0], 0)
    if kind == "gaussian":
        return np.exp(-((t / par[0]) ** 2) / 2) / (par[0] * math.sqrt(2 * math.pi))
    return np.where((t > par[0]) & (t < par[1]), 1 / (par[1] - par[0]), 0)


def cdf(kind, par, t):
    if kind == "laplace":
        return 1 - math.exp(-t / par[0]) / 2 if t > 0 else math.exp(t / par[0]) / 2
    if kind == "exponential":
        return -math.expm1(-t / par[0]) if t > 0 else 0.0
    if kind == "gaussian":
        return math.erfc(-t / par[0] / math.sqrt(2)) / 2
    return min(max((t - par[0]) / (par[1] - par[0]), 0.0), 1.0)


def kinks_of(kind, par):
    return {"laplace": [0], "exponential": [0], "gaussian": []}.get(kind, par)


def reference(first, second, planes):
    """Signs of (α a + β b + γ) -> probability."""
    (kind, par), (other, more) = ((k, [float(v) for v in p]) for k, p in (first, second))
    lines = [(-float(al / be), -float(ga / be)) for al, be, ga in planes if be]  # b = slope a + shift
    cuts = [-float(ga / al) for al, be, ga in planes if not be]
    spots = {*cuts, *kinks_of(kind, par), *((v - s) / m for m, s in lines for v in kinks_of(other, more) if m)}
    spots |= {(s - r) / (n - m) for m, s in lines for n, r in lines if m != n}
    ends = sorted(
        spot for spot in {*spots, *range(-FAR, FAR + 1, 3), *(k / 2 for k in range(-20, 20))} if -FAR <= spot <= FAR
    )
    found = {}
    for low, high in pairwise(ends):
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            a = (low + high) / 2 + (high - low) / 2 * node
            mass = float(pdf(kind, par, a)) * weight * (high - low) / 2
            borders = [-math.inf, *sorted(m * a + s for m, s in lines), math.inf] if mass else []
            for left, right in pairwise(borders):
                b = (left + right) / 2 if abs(left + right) < math.inf else max(left, min(right, 0))
                b = b if left < b < right else (right - 1 if left == -math.inf else left + 1)
                key = tuple(bool(float(al) * a + float(be) * b + float(ga) > 0) for al, be, ga in planes)
                above = 1.0 if right == math.inf else cdf(other, more, right)
                below = 0.0 if left == -math.inf else cdf(other, more, left)
                found[key] = found.get(key, 0.0) + mass * (above - below)
    return found


def generated(seed):
    r = random.Random(seed)

    def some():
        return F(r.randint(-4, 4), r.choice([1, 2, 3]))

    def draw():
        kind = r.choice(["laplace", "exponential", "uniform", *(["gaussian"] if seed % 3 == 0 else [])])
        low = some()
        return kind, (low, low + r.choice([1, 2])) if kind == "uniform" else (r.choice([F(1), F(2), F(1, 2), F(4, 3)]),)

    ratio = r.choice([F(1), F(-1), F(2), F(-1, 2)])
    planes = []
    for _ in range(r.randint(1, 4)):
        factor = r.choice([1, -2, F(1, 2)])
        planes.append(r.choice([(factor, -factor * ratio, some()), (factor, F(0), some()), (F(0), factor, some())]))
    return draw(), draw(), planes


def law(sample):
    found = finite_law(explore(sample, dict))
    with balls.precision(160):
        return {output: float(value_ball(value).mid()) for output, value in found.values.values()}


@pytest.mark.parametrize("seed", range(36))
def test_two_draws_are_what_quadrature_gives(seed):
    first, second, planes = generated(seed)

    def sample(noise):
        a, b = (getattr(noise, kind)(*par) for kind, par in (first, second))
        return tuple(bool(al * a + be * b + ga > 0) for al, be, ga in planes)

    found, expected = law(sample), reference(first, second, planes)
    for key in {*found, *expected}:
        assert found.get(key, 0) == pytest.approx(expected.get(key, 0), abs=2e-14), (key, first, second, planes)


KINDS = [
    ("laplace", (1,)),
    ("exponential", (F(1, 2),)),
    ("uniform", (-1, 1)),
    ("uniform", (F(1, 2), 3)),
    ("uniform", (-3, -2)),
]


@pytest.mark.parametrize("kinds", list(product(KINDS, repeat=3)))
def test_a_median_has_the_chance_of_two_of_three(kinds):
    """P(median > t) = sum over majorities, t where some supports are cut and others lie on one side."""
    bar = F(3, 4)

    def median(noise):
        return bool(sorted(getattr(noise, kind)(*par) for kind, par in kinds)[1] > bar)

    def single(noise, kind, par):
        return bool(getattr(noise, kind)(*par) > bar)

    chances = [finite_law(explore(lambda noise, k=kind: single(noise, *k), dict)) for kind in kinds]
    tables = [{output: value.form for output, value in chance.values.values()} for chance in chances]
    parts = []
    for bits in product((False, True), repeat=3):
        forms = [table.get(bit) for table, bit in zip(tables, bits, strict=True)]
        if sum(bits) >= 2 and None not in forms:
            parts.append(combine(forms, add_up=False))
    found = finite_law(explore(median, dict)).values
    forms = {output: value.form for output, value in found.values()}
    expected = combine(parts, add_up=True) if parts else None
    assert (expression(forms[True]) if True in forms else None) == (None if expected is None else expression(expected))
    assert expression(combine(list(forms.values()), add_up=True)) == 1


def test_comparisons_that_single_bounds_imply_connect_no_draws():
    """a > 1 > b > -1 > c: the three comparisons say nothing more, so the chances multiply."""

    def sample(noise):
        a, b, c = (noise.laplace(1) for _ in range(3))
        if a > 1 and c < -1 and -1 < b < 1:
            return a > b, b > c, a > c
        return None

    e = math.exp(-1)
    assert law(sample)[True, True, True] == pytest.approx((e / 2) ** 2 * (1 - e), abs=1e-15)


def test_a_fraction_of_a_whole_number_is_cut_towards_zero():
    found = law(lambda noise: int(min(max(math.floor(noise.laplace(1)), -3), 3) / 2))
    assert set(found) == {-1, 0, 1}
    assert found[-1] == pytest.approx(math.exp(-1) / 2, abs=1e-15)

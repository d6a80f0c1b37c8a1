"""Finite outputs: the laws against quadrature of the definitions, and against known closed forms."""

import math
from fractions import Fraction as F
from itertools import permutations, product

import noise.quadrature as ref
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mp, mpf, ncdf

import dpaudit
from dpaudit.noise.explore import explore
from dpaudit.noise.gaussian import form_ball
from dpaudit.noise.law import expression, finite_law, value_ball
from dpaudit.numbers import balls
from dpaudit.numbers.exponentials import combine


def law(sample):
    return finite_law(explore(sample, dict))


def floats(found):
    with balls.precision(160):
        return {
            output: mpf(str(value_ball(value).mid().str(30, radius=False))) for output, value in found.values.values()
        }


def forms(found):
    return {output: value.form for output, value in found.values.values()}


def is_one(found):
    return combine([value.form for _, value in found.values.values()], add_up=True) == ({F(0): F(1)}, {F(0): F(1)})


VECTORS = [(1, 1, 1), (2, 0, 1), (F(1, 2), 3, F(-1, 3))]


@pytest.mark.parametrize("kind", ["laplace", "exponential", "gaussian"])
@pytest.mark.parametrize("x", VECTORS)
def test_noisy_max_is_what_quadrature_gives(x, kind):
    found = floats(law(lambda noise: noise.argmax([q + getattr(noise, kind)(F(3, 2)) for q in x])))
    for i, p in enumerate(ref.noisy_max([ref.number(q) for q in x], kind, mpf(1.5))):
        assert abs(found[i] - p) < 1e-15


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_the_sparse_vector_is_what_quadrature_gives(kind):
    x = (1, F(1, 2), 2)

    def sample(noise):
        threshold = 1 + getattr(noise, kind)(2)
        for i, q in enumerate(x):
            if q + getattr(noise, kind)(3) >= threshold:
                return i
        return None

    found = floats(law(sample))
    expected = ref.first_above([ref.number(q) for q in x], mpf(1), kind, mpf(2), mpf(3))
    for output, p in zip((0, 1, 2, None), expected, strict=True):
        assert abs(found[output] - p) < 1e-15


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_all_above_is_one_in_d_plus_one(d):
    def sample(noise):
        threshold = 1 + noise.laplace(20)
        return False not in [1 + noise.laplace(20) >= threshold for _ in range(d)]

    assert expression(forms(law(sample))[True]) == F(1, d + 1)


def test_every_order_of_three_equal_draws_has_one_sixth():
    def sample(noise):
        drawn = [noise.laplace(1) for _ in range(3)]
        ordered = sorted(drawn)
        return tuple(next(i for i, d in enumerate(drawn) if d is v) for v in ordered)

    found = forms(law(sample))
    assert set(found) == set(permutations(range(3)))
    assert {expression(form) for form in found.values()} == {F(1, 6)}


def test_forking_and_argmax_agree():
    def forked(noise):
        values = [q + noise.laplace(2) for q in (0, 1, 2)]
        best = 0
        for i in (1, 2):
            if values[i] > values[best]:
                best = i
        return best

    direct = forms(law(lambda noise: noise.argmax([q + noise.laplace(2) for q in (0, 1, 2)])))
    assert forms(law(forked)) == direct


def test_a_decided_comparison_is_no_fork():
    def sample(noise):
        v = noise.laplace(1)
        return (v > 1, v > 0) if v > 1 else (v > 1, v > 2)

    assert set(forms(law(sample))) == {(True, True), (False, False)}


def test_uniform_noise():
    found = forms(law(lambda noise: noise.uniform(0, 3) + F(1, 2) >= noise.uniform(0, 2)))
    # P(U >= V - 1/2), U in [0, 3], V in [0, 2]: 1 - (area of V > U + 1/2) = 1 - (3/2)^2/2/6
    assert expression(found[True]) == 1 - F(9, 8) / 6


def test_rounded_and_clamped_noise():
    found = forms(law(lambda noise: min(max(math.floor(2 + noise.laplace(1)), 0), 4)))
    assert set(found) == {0, 1, 2, 3, 4}
    for k, form in found.items():
        cdf = lambda t: ref.laplace_cdf(mpf(t) - 2, mpf(1))  # noqa: E731
        low, high = (0 if k == 0 else cdf(k)), (1 if k == 4 else cdf(k + 1))
        with balls.precision(160):
            assert abs(mpf(str(form_ball(form).mid().str(30, radius=False))) - (high - low)) < 1e-18


@pytest.mark.parametrize("scale", [F(1), F(3, 2)])
def test_discrete_laplace_by_plain_enumeration(scale):
    found = floats(law(lambda noise: min(max(2 + noise.discrete_laplace(scale), 0), 5)))
    q = exp(-1 / ref.number(scale))
    weight = {k: (1 - q) / (1 + q) * q ** abs(k - 2) for k in range(-300, 300)}
    for k in range(6):
        expected = sum(w for v, w in weight.items() if min(max(v, 0), 5) == k)
        assert abs(found[k] - expected) < 1e-18


def test_discrete_gaussian_by_plain_enumeration():
    found = floats(law(lambda noise: min(max(noise.discrete_gaussian(2), -1), 2)))
    weight = {k: exp(-(mpf(k) ** 2) / 8) for k in range(-60, 61)}
    whole = sum(weight.values())
    for k in range(-1, 3):
        expected = sum(w for v, w in weight.items() if min(max(v, -1), 2) == k) / whole
        assert abs(found[k] - expected) < 1e-18


def test_coins():
    p = dpaudit.exp(1) / (1 + dpaudit.exp(1))
    found = forms(law(lambda noise: (noise.bernoulli(F(1, 3)), noise.bernoulli(p))))
    assert len(found) == 4
    with balls.precision(128):
        assert abs(float(form_ball(found[1, 1]).mid()) - math.e / (1 + math.e) / 3) < 1e-15


FAR = [
    (lambda noise: noise.argmax([noise.gaussian(1), 50 + noise.gaussian(1)]), 0, lambda: ncdf(-50 / mp.sqrt(2))),
    (lambda noise: noise.gaussian(1) > 40, True, lambda: ncdf(-40)),
    (lambda noise: (lambda v: v > -41 and not v > -40)(noise.gaussian(1)), True, lambda: ncdf(-40) - ncdf(-41)),
    (lambda noise: min(max(noise.discrete_gaussian(1), 49), 50), 50, lambda: _weight(50, 99) / _weight(-99, 99)),
]


def _weight(first, last):
    return mp.fsum(exp(-(mpf(k) ** 2) / 2) for k in range(first, last))


@pytest.mark.parametrize(("sample", "output", "expected"), FAR)
def test_probabilities_far_out_keep_their_digits(sample, output, expected):
    found = dict(law(sample).values.values())
    with balls.precision(160), mp.workdps(40):
        value = value_ball(found[output])
        assert abs(mpf(value.mid().str(40, radius=False)) / expected() - 1) < 1e-30
        assert value.rel_accuracy_bits() > 80


small = st.fractions(-2, 2, max_denominator=3)
scales = st.sampled_from([F(1), F(2), F(1, 2), F(4, 3)])


@settings(max_examples=25, deadline=None)
@given(st.lists(small, min_size=2, max_size=4), scales, scales, st.sampled_from(["laplace", "exponential"]), small)
def test_rows_sum_to_one_as_an_identity(x, a, b, kind, bar):
    def sample(noise):
        threshold = bar + noise.laplace(a)
        return tuple(q + getattr(noise, kind)(b) >= threshold for q in x)

    assert is_one(law(sample))


@settings(max_examples=20, deadline=None)
@given(st.lists(small, min_size=2, max_size=3), scales, scales, small, small)
def test_a_program_against_the_engine_of_another_shape(x, a, b, low, step):
    """Counting queries above a threshold: by comparisons, and by summing the chances of all patterns."""

    def count(noise):
        threshold = low + noise.laplace(a)
        return sum(q * step + noise.laplace(b) >= threshold for q in x)

    def pattern(noise):
        threshold = low + noise.laplace(a)
        return tuple(q * step + noise.laplace(b) >= threshold for q in x)

    counted, patterns = forms(law(count)), forms(law(pattern))
    for k, form in counted.items():
        parts = [patterns[p] for p in product((False, True), repeat=len(x)) if sum(p) == k and p in patterns]
        assert combine(parts, add_up=True) == combine([form], add_up=True)


def test_a_loop_without_end_leaves_a_residual():
    def sample(noise):
        n = 0
        while noise.laplace(1) > 0 and n < 10**6:
            n += 1
        return min(n, 3)

    found = law(sample)
    assert 0 < found.residual < F(1, 2**100)
    assert abs(floats(found)[0] - mpf(1) / 2) < 1e-20

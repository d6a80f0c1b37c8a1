"""Vectors of draws: numpy is followed as it is, or refused by name."""

from fractions import Fraction
from itertools import permutations
from math import comb

import numpy as np
import pytest

from dpaudit.code.explore import Raised
from dpaudit.code.law import Refused, Session
from dpaudit.code.source import NUMPY_STATE, Source, numpy_generator
from tests.code.snippets import law as law_of
from tests.code.snippets import texts


def law(sample, rng=None):
    """The exact law of sample(rng), by the text of its outputs; rng is a Generator."""
    return texts(law_of(sample, rng or numpy_generator()))


def rows(x, rng: np.random.Generator):
    a = np.array([[1, 2], [3, 4], [5, 6]])
    rng.shuffle(a)
    return a


def bad_sum(x, rng: np.random.Generator):
    return rng.choice(3, p=[0.5, 0.6, 0.1])


def bad_length(x, rng: np.random.Generator):
    return rng.choice(3, p=[0.5, 0.5])


def bad_sign(x, rng: np.random.Generator):
    return rng.choice(2, p=[1.5, -0.5])


def none_left(x, rng: np.random.Generator):
    return rng.choice(2, size=3, replace=False)


def a_row(x, rng: np.random.Generator):
    return int(rng.choice([[1, 2], [3, 4]]).sum())


def bounds(x, rng: np.random.Generator):
    return rng.integers([1, 5], [3, 7])


def floats(x, rng: np.random.Generator):
    return np.floor(rng.uniform([0, 4], [2, 6]) / 2)


def trials(x, rng: np.random.Generator):
    return rng.binomial(1, [0.5, 1.0])


def unseeded(x, rng):
    return np.random.Generator(np.random.PCG64()).integers(3)


def not_a_number(x, rng):
    u = rng.random()
    return max(u, float("nan")) == max(float("nan"), u), u != float("nan")


def added(x, rng: np.random.Generator):
    return rng.integers(0, 3, size=2).sum()


def down(x, rng: np.random.Generator):
    return rng.integers(0, 2, size=(2, 2)).sum(axis=0)


def eight(x, rng: np.random.Generator):
    return np.sum(rng.integers(0, 2, size=8))


def mean(x, rng: np.random.Generator):
    return rng.integers(0, 3, size=2).mean()


def largest(x, rng: np.random.Generator):
    return np.max(rng.random(2)) < 0.5, rng.integers(0, 2, 2).max()


def some(x, rng: np.random.Generator):
    return np.any(rng.integers(0, 2, 2)), np.sum(rng.random(2) < 0.5)


def binned(x, rng: np.random.Generator):
    return np.bincount(rng.integers(0, 2, 3), minlength=2)


def matrix(x, rng: np.random.Generator):
    return rng.integers(0, 2, 2) @ np.array([1, 2])


def left(x, rng: np.random.Generator):
    return np.searchsorted([0.25, 0.5, 0.75], rng.random(2)).tolist()


def right(x, rng: np.random.Generator):
    return np.searchsorted(np.cumsum([0.25, 0.25, 0.5]), rng.random(), side="right")


TOP = Fraction(1, 2**53)
ROUNDED = sum(4 + 2 * (1 - k / 2**53) == 6 for k in range(1, 9)) * TOP
"""4 + 2 u is 6 in floats for the largest u."""
QUARTERS = (Fraction(1, 4) + TOP, Fraction(1, 4), Fraction(1, 4), Fraction(1, 4) - TOP)
"""searchsorted counts what lies strictly below: 0.25 itself still belongs to the first place."""
LAWS = [
    (rows, {tuple(p): Fraction(1, 6) for p in permutations([(1, 2), (3, 4), (5, 6)])}),
    *[(bad, {"raises ValueError": Fraction(1)}) for bad in (bad_sum, bad_length, bad_sign, none_left)],
    (a_row, {3: Fraction(1, 2), 7: Fraction(1, 2)}),
    (bounds, {(a, b): Fraction(1, 4) for a in (1, 2) for b in (5, 6)}),
    (floats, {(a, b): p * q for a, p in [(0.0, 1)] for b, q in [(2.0, 1 - ROUNDED), (3.0, ROUNDED)]}),
    (trials, {(0, 1): Fraction(1, 2) + TOP, (1, 1): Fraction(1, 2) - TOP}),
    (unseeded, {k: Fraction(1, 3) for k in range(3)}),
    (not_a_number, {(False, True): Fraction(1)}),
    (added, {0: Fraction(1, 9), 1: Fraction(2, 9), 2: Fraction(3, 9), 3: Fraction(2, 9), 4: Fraction(1, 9)}),
    (down, {(a, b): Fraction(comb(2, a) * comb(2, b), 16) for a in range(3) for b in range(3)}),
    (eight, {k: Fraction(comb(8, k), 256) for k in range(9)}),
    (mean, {0.0: Fraction(1, 9), 0.5: Fraction(2, 9), 1.0: Fraction(3, 9), 1.5: Fraction(2, 9), 2.0: Fraction(1, 9)}),
    (largest, {(a, b): Fraction([3, 1][a], 4) * Fraction([1, 3][b], 4) for a in (0, 1) for b in (0, 1)}),
    (some, {(a, b): Fraction([1, 3][a], 4) * Fraction(comb(2, b), 4) for a in (0, 1) for b in range(3)}),
    (binned, {(3 - k, k): Fraction(comb(3, k), 8) for k in range(4)}),
    (matrix, {k: Fraction(1, 4) for k in range(4)}),
    (left, {(i, j): (QUARTERS[i] * QUARTERS[j]) for i in range(4) for j in range(4)}),
    (right, {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 2)}),
]


@pytest.mark.parametrize(("code", "law"), LAWS, ids=lambda value: getattr(value, "__name__", ""))
def test_numpy_is_followed_as_it_is(code, law):
    made = Session().law(code, (0, numpy_generator()))
    assert made.residual == 0
    found = {str(r) if isinstance(r, Raised) else r: p for r, p in zip(made.outputs, made.lower, strict=True)}
    assert found == law


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("np.random.seed(3); return np.random.randint(3)", "seed"),
        ("return np.random.default_rng(4).integers(3)", "seed"),
        ("return np.random.SeedSequence().entropy % 2", "SeedSequence"),
        ("return g.bit_generator.random_raw() & 1", "bits of a generator"),
        ("return np.array([5, 6, 7])[g.integers(0, 3, 2)]", "a_stranger.py line 4: a draw goes where only a plain"),
        ("return json.dumps(rng.randrange(2))", "a_stranger.py line 4: a draw goes where only a plain number is taken"),
        ("return np.var(g.random(3)) > 0.1", "numpy.var of random numbers cannot be followed"),
        ("return g.random(9).sum() > 4", "9 floats in an order of its own"),
        ("return g.random((2, 2)).sum(axis=0)[0] > 1", "2 floats in an order of its own"),
        ("return np.searchsorted(np.sort(g.random(3)), 0.5)", "searchsorted among random numbers"),
        (
            "return g.choice(2, p=[g.random(), 0.5])",
            "line 4: choice with these arguments cannot be followed",
        ),
        ("return cached(0)", "a cache, a counter"),
    ],
)
def test_what_is_not_followed_says_so(code, message):
    names = {}
    head = (
        "import functools, json, random, numpy as np\n@functools.lru_cache\ndef cached(k): return random.randrange(2)"
    )
    exec(compile(f"{head}\ndef sample(rng, g): {code}\n", "a_stranger.py", "exec"), names)
    with pytest.raises(Refused, match=message):
        Session().law(names["sample"], (Source(), numpy_generator()))


@pytest.mark.parametrize("dtype", [np.uint8, "int32", bool, np.bool_])
def test_short_whole_numbers_have_their_dtype(dtype):
    real = type(np.random.default_rng().integers(0, 2, dtype=dtype)).__name__
    assert law(lambda rng: type(rng.integers(0, 2, dtype=dtype)).__name__) == {real: 1}


@pytest.mark.parametrize("dtype", [int, np.int64, "int", None])
def test_long_whole_numbers_have_their_dtype(dtype):
    """One of dtype int is Python's, others are numpy's, which divide by 0; None is no dtype for it."""
    assert law(lambda rng: str(_divided(rng, dtype))) == _plain_divided(dtype)


def _divided(rng, dtype):
    try:
        return 1 / rng.integers(0, 2, dtype=dtype)
    except (ZeroDivisionError, TypeError) as error:
        return type(error).__name__


def _plain_divided(dtype):
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        found = {str(_divided(rng, dtype)) for _ in range(50)}
    return dict.fromkeys(found, Fraction(1, len(found)))


def test_short_whole_numbers_wrap_around_as_numpys_do():
    found = law(lambda rng: str(rng.integers(250, 256, dtype=np.uint8) + np.uint8(5)))
    assert found == dict.fromkeys(("255", "0", "1", "2", "3", "4"), Fraction(1, 6))
    assert law(lambda rng: int(rng.randint(0, 3, dtype=np.int8)), NUMPY_STATE()) == dict.fromkeys("012", Fraction(1, 3))
    assert law(lambda rng: rng.integers(0, 257, dtype=np.uint8)) == {"raises ValueError": 1}


def test_permuted_puts_lines_in_random_order():
    assert set(law(lambda rng: rng.permuted([1, 2, 3]).tolist()).values()) == {Fraction(1, 6)}
    found = law(lambda rng: rng.permuted(np.array([[1, 2], [3, 4]]), axis=1).tolist())
    assert found == {f"({a}, {b})": Fraction(1, 4) for a in ("(1, 2)", "(2, 1)") for b in ("(3, 4)", "(4, 3)")}


def test_digitize_of_a_vector_asks_each_entry_by_itself():
    found = law(lambda rng: np.digitize(rng.random(2), [0.25, 0.5]).tolist())
    assert found["(2, 2)"] == Fraction(1, 4)
    assert len(found) == 9


def test_the_bytes_of_a_vector_are_those_of_its_numbers():
    assert len(law(lambda rng: rng.integers(0, 2, size=2).tobytes())) == 4

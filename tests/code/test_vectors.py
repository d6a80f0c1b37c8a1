"""Vectors of draws: numpy is followed as it is, or refused by name."""

import math
import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from dpaudit.code.law import Refused
from dpaudit.code.source import NUMPY_GENERATOR
from tests.code.snippets import cases, exact, law, made, sampler

TOP = Fraction(1, 2**53)
ROUNDED = sum(4 + 2 * (1 - k / 2**53) == 6 for k in range(1, 9)) * TOP
"""4 + 2 u is 6 in floats for the largest u."""
QUARTERS = (Fraction(1, 4) + TOP, Fraction(1, 4), Fraction(1, 4), Fraction(1, 4) - TOP)
"""searchsorted counts what lies strictly below: 0.25 itself still belongs to the first place."""
ROWS = [tuple(p) for p in permutations([(1, 2), (3, 4), (5, 6)])]
SUMS = [float(x) for x in np.cumsum([0.1] * 10)]
BELOW_NINE = Fraction(math.ceil(Fraction(SUMS[8] / SUMS[9]) * 2**53), 2**53)
LAWS = """
a = np.array([[1, 2], [3, 4], [5, 6]])
rng.shuffle(a)
return a
= uniform(ROWS)
a = rng.random(2)
rng.shuffle(a)
return a[0] < 0.25
= {True: F(1, 4), False: F(3, 4)}
return rng.uniform(0, rng.integers(1, 3)) < 0.5
= {True: F(3, 8), False: F(5, 8)}
return int(rng.choice([[1, 2], [3, 4]]).sum())
= uniform((3, 7))
return rng.integers([1, 5], [3, 7])
= uniform([(a, b) for a in (1, 2) for b in (5, 6)])
return np.floor(rng.uniform([0, 4], [2, 6]) / 2)
= {(0.0, 2.0): 1 - ROUNDED, (0.0, 3.0): ROUNDED}
return rng.binomial(1, [0.5, 1.0])
= {(0, 1): F(1, 2) + TOP, (1, 1): F(1, 2) - TOP}
return np.random.Generator(np.random.PCG64()).integers(3)
= uniform(range(3))
u = rng.random()
return max(u, float("nan")) == max(float("nan"), u), u != float("nan")
= {(False, True): 1}
return rng.integers(0, 3, size=2).sum()
= {k: F(3 - abs(k - 2), 9) for k in range(5)}
return rng.integers(0, 2, size=(2, 2)).sum(axis=0)
= {(a, b): F(comb(2, a) * comb(2, b), 16) for a in range(3) for b in range(3)}
return np.sum(rng.integers(0, 2, size=8))
= {k: F(comb(8, k), 256) for k in range(9)}
return rng.integers(0, 3, size=2).mean()
= {k / 2: F(3 - abs(k - 2), 9) for k in range(5)}
return rng.integers(0, 2, 2).max()
= {0: F(1, 4), 1: F(3, 4)}
return np.any(rng.integers(0, 2, 2)), np.sum(rng.random(2) < 0.5)
= {(a, b): F([1, 3][a], 4) * F(comb(2, b), 4) for a in (0, 1) for b in range(3)}
return np.bincount(rng.integers(0, 2, 3), minlength=2)
= {(3 - k, k): F(comb(3, k), 8) for k in range(4)}
return rng.integers(0, 2, 2) @ np.array([1, 2])
= uniform(range(4))
return np.searchsorted([0.25, 0.5, 0.75], rng.random(2)).tolist()
= {(i, j): QUARTERS[i] * QUARTERS[j] for i in range(4) for j in range(4)}
return np.searchsorted(np.cumsum([0.25, 0.25, 0.5]), rng.random(), side="right")
= {0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}
u = rng.integers(1, 3) * 0.1
xs = [u] + [0.1] * 8  # a plain array of nine floats, which numpy adds in an order of its own
return float(np.sum(xs)), float(np.array(xs).mean()), np.array(xs).dtype.name
= {(float(np.sum([u] + [0.1] * 8)), float(np.mean([u] + [0.1] * 8)), "float64"): F(1, 2) for u in (0.1, 0.2)}
return bool(rng.choice(10, p=[0.1] * 10) == 9)  # the sums end below 1, and are divided by their end
= {True: 1 - BELOW_NINE, False: BELOW_NINE}
a = rng.integers(0, 2, size=2)
b = a
a += 1
return b.sum()
= {2: F(1, 4), 3: F(1, 2), 4: F(1, 4)}
return len(rng.integers(0, 2, size=2).tobytes())
= {16: F(1)}
"""


@pytest.mark.parametrize(("body", "expected"), cases(LAWS, **globals()))
def test_numpy_is_followed_as_it_is(body, expected):
    assert exact(law(sampler(body), NUMPY_GENERATOR())) == expected


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("np.random.seed(3); return np.random.randint(3)", "seed"),
        ("return np.random.default_rng(4).integers(3)", "seed"),
        ("return np.random.RandomState(seed=3).randint(3)", "seed"),
        ("return np.random.Generator(np.random.PCG64(seed=3)).integers(3)", "seed"),
        ("return np.random.SeedSequence().entropy % 2", "SeedSequence"),
        ("return g.bit_generator.random_raw() & 1", "bits of a generator"),
        ("return np.array([5, 6, 7])[g.integers(0, 3, 2)]", "line 4: a draw is passed where only a plain"),
        ("return json.dumps(rng.randrange(2))", "line 4: a draw is passed where only a plain number is accepted"),
        ("return np.var(g.random(3)) > 0.1", "numpy.var of random numbers cannot be followed"),
        ("return np.array([g.random(), 1]).sum() > 1", "an array that the random source did not make"),
        ("return np.sum([g.random() for _ in range(9)]) > 1", "an array that the random source did not make needs"),
        ("return np.linalg.norm(g.random(2)) > 1", "numpy.norm of random numbers cannot be followed"),
        ("xs = g.random(2); xs.put(0, 1.0); return xs[0] > 1", "put of an array of draws cannot be followed"),
        ("return np.add.accumulate(g.random(2), out=np.zeros(2))[0] > 1", "accumulate into an array cannot be"),
        ("return g.random(9).sum() > 4", "sum of an array of random numbers cannot be followed"),
        ("return g.random((2, 2)).sum(axis=0)[0] > 1", "sum of an array of random numbers cannot be followed"),
        ("return np.searchsorted(np.sort(g.random(3)), 0.5)", "searchsorted among random numbers"),
        ("return g.choice(2, p=[g.random(), 0.5])", "line 4: Generator.choice of random numbers cannot be followed"),
        ("return cached(0)", "a cache, a counter"),
    ],
)
def test_what_is_not_followed_says_so(code, message):
    head = "import functools, json, random\n@functools.lru_cache\ndef cached(k): return random.randrange(2)"
    with pytest.raises(Refused, match=message):
        law(made(f"{head}\ndef sample(rng, g): {code}\n"), random.SystemRandom(), NUMPY_GENERATOR())

"""What a stranger's code did to us: each of these had a wrong law without a word, or a false reproach."""

from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from itertools import permutations
from math import comb

import numpy as np
import pytest

import dpaudit
from dpaudit.code import law as law_of_code
from dpaudit.code.explore import Raised
from dpaudit.code.law import Refused, Session
from dpaudit.code.source import Source, numpy_generator
from dpaudit.numbers.errors import InputError


def leak(x, rng: np.random.Generator):
    if rng.integers(100) == 0:
        return 0
    return int(rng.geometric(0.5 if x else 0.01) > 1)


def kw(x, rng):
    if rng.integers(2):
        return bool(rng.random(dtype=np.float32) < 0.5)
    return "z"


def dec(x, rng):
    v = Decimal("1.0") if rng.randrange(2) else Decimal("1.00")
    while rng.randrange(2):
        pass
    return str(v)


def cx(x, rng):
    v = complex(0, 0.0) if rng.randrange(2) else complex(0, -0.0)
    while rng.randrange(2):
        pass
    return str(v)


def rg(x, rng):
    v = range(0, 0) if rng.randrange(2) else range(1, 1)
    while rng.randrange(2):
        pass
    return v.start


def in_c(x, rng):
    getcontext().prec = 1
    while rng.randrange(3):
        getcontext().prec = getcontext().prec % 3 + 1
    return getcontext().prec


last = {}


@dpaudit.sampler
def coin(rng):
    last["coin"] = int(rng.randrange(2))
    return last["coin"]


def beside(x, rng):
    """Followed, the coin is drawn at once, and what it keeps is what it kept when its law was computed."""
    coin(rng)
    return last["coin"]


def cell(x, rng):
    def get():
        return c

    while rng.randrange(2):
        pass
    c = 5 + rng.randrange(2)
    return get()


def swallowed(x, rng):
    try:
        return int(rng.geometric(0.5)) > 1
    except AttributeError:
        return "old numpy"


@pytest.mark.parametrize("code", [leak, kw, swallowed])
def test_what_the_source_does_not_have_is_refused_and_never_an_output(code):
    with pytest.raises(InputError, match="cannot be followed"):
        dpaudit.pmf(code, 0, data=[0, 1])


@pytest.mark.parametrize(
    ("code", "outputs"), [(dec, {"1.0", "1.00"}), (cx, {"0j", "-0j"}), (rg, {0, 1}), (cell, {5, 6})]
)
def test_values_that_only_compare_equal_are_two_states(code, outputs):
    found = dpaudit.pmf(code, 0, data=[0, 1])
    assert set(found.outputs) == outputs
    assert {str(p) for p in found.probabilities} == {"0.5"}


@pytest.mark.parametrize("net", [True, False])
def test_state_kept_elsewhere_is_noticed_and_then_nothing_is_merged(net, monkeypatch):
    """Nothing else notices it: runs with plain numbers do, those from merged states on and whole ones."""
    if not net:
        monkeypatch.setattr(Session, "_try_merges", lambda *_: None)
    with localcontext():
        found = dpaudit.pmf(in_c, 0, data=[0, 1])
    shown = dict(zip(found.outputs, map(str, found.probabilities), strict=True))
    assert [shown[k][:6] for k in (1, 2, 3)] == ["0.4736", "0.3157", "0.2105"]  # 9/19, 6/19, 4/19


def test_a_law_that_does_not_fit_plain_runs_is_refused_where_nothing_was_merged(monkeypatch):
    monkeypatch.setattr(law_of_code, "_gathered", lambda *_: {key(0): Fraction(1), key(1): Fraction(0)})

    def key(value):
        return "int", value

    words = r"does not fit plain runs \([0-9]+ of 200 give .*\), so no law is given: the code keeps state"
    with pytest.raises(InputError, match=words):
        dpaudit.pmf(lambda x, rng: rng.randrange(2), 0, data=[0, 1])


def test_a_sub_sampler_that_keeps_something_is_refused():
    with pytest.raises(InputError, match=r"line [0-9]+: the sub-sampler coin changes .* a variable outside of it"):
        dpaudit.pmf(beside, 0, data=[0, 1])


def test_what_is_assumed_of_merged_states_is_said():
    def loop(x, rng):
        while rng.randrange(2):
            pass
        return x

    shown = str(dpaudit.epsilon(loop, data=[0, 1]))
    assert "keeps no state outside its variables" in " ".join(shown.split())


@pytest.mark.parametrize("net", [True, False])
def test_a_trial_that_has_no_end_is_noticed(net, monkeypatch):
    """A setting of the decimal module is not read; merged it ends, in a trial it may go on for ever."""
    monkeypatch.setattr(law_of_code, "MOST_LINES", 2000)
    if not net:
        monkeypatch.setattr(Session, "_try_merges", lambda *_: None)

    def forever(rng):
        getcontext().prec = 1
        while rng.randrange(2):
            getcontext().prec = 2
        while getcontext().prec == 2:
            pass
        return 0

    with localcontext():
        rng = Source()
        law = Session(law_of_code.Budget(seconds=2, lines=3000)).law(lambda: forever(rng))
    assert (law.outputs, law.lower, law.residual) == ((0,), (Fraction(1, 2),), Fraction(1, 2))


# ------------------------------------------------------------------ the second stranger: what numpy really does


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
    made = Session().law(lambda: code(0, numpy_generator()))
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
        ("return g.choice(2, p=[g.random(), 0.5])", "probabilities that are random"),
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
        Session().law(lambda: names["sample"](Source(), numpy_generator()))

"""The law of a sampler's code, against every sequence of draws with few bits, exactly."""

import contextlib
import math
import random
import secrets
from fractions import Fraction as Fr

import numpy as np
import pytest

from dpaudit.code import law as law_of_code
from dpaudit.code.explore import Budget, Raised
from dpaudit.code.law import Refused
from dpaudit.code.source import NUMPY_STATE, Source, numpy_generator
from tests.code.snippets import law as law_of
from tests.code.snippets import table
from tests.plain_enumeration import enumerated

BITS = 5


def law(function, bits=BITS, budget=None):
    return law_of(function, bits=bits, **({} if budget is None else vars(budget)))


def check(function, bits=BITS):
    found = law(function, bits)
    assert found.residual == 0
    assert table(found) == enumerated(function, bits)
    return found


# ------------------------------------------------------------------ programs by hand


def threshold(rng):
    return "yes" if rng.random() < 0.3 else "no"


def nested(rng):
    u = rng.random()
    if u * 3 - 1 > 0.25:
        return "high" if 1 / u < 1.5 else "middle"
    return math.floor(u * 7) % 2


def logarithm(rng):
    return math.floor(math.log(rng.random()) / -0.7)


def by_numpy(rng):
    u = rng.random() - 0.5
    sign = -1 if u < 0 else 1
    return int(np.round(3 + sign * np.floor(np.log(sign * u * 1.4) / -0.5)))


def two_draws(rng):
    a, b = rng.random(), rng.random()
    return "sum" if a + b < 0.8 else "product" if a * b > 0.5 else math.floor(a - b)


def box(rng):
    return round(rng.random() + rng.random() * 2, 1)


def quotient(rng):
    u = rng.random()
    return math.floor(1 / (u - 0.5))


def power(rng):
    u = rng.random()
    return round(u**2 + 2**u, 1), (u - 0.5) ** 2 < 0.1


def integers(rng):
    a = rng.randrange(6)
    b = rng.randint(2, 5)
    return (a * b - 3) // 2, a ^ b, a % 4


def remainders(rng):
    x = rng.getrandbits(8)
    return x % 6, x & 3


def bits_of(rng):
    x = rng.getrandbits(3)
    return x >> 1, x & 1, x << 2, -x, ~x


def looked_up(rng):
    return {0: "zero", 1: "one"}.get(rng.randrange(4), "many")


def shuffled(rng):
    items = [1, 2, 3]
    rng.shuffle(items)
    return tuple(items), rng.choice("ab")


def sampled(rng):
    return tuple(rng.sample(range(4), 2)), rng.choices("abc", weights=[1, 2, 5])[0]


def expovariate(rng):
    return int(rng.expovariate(1.5) * 2)


def bounded_loop(rng):
    count = 0
    while count < 4 and rng.random() < 0.4:
        count += 1
    return count


def counted(rng):
    return sum(rng.random() < 0.5 for _ in range(3))


def lists(rng):
    found = []
    while len(found) < 3:
        found.append(rng.randrange(2))
        if sum(found) > 1:
            break
    return found and tuple(sorted(found))


def maxima(rng):
    u, v = rng.random(), rng.randrange(3)
    return max(u, 0.3) < 0.5, min(v, 1), sorted([v, 1])[0]


def in_closures(rng):
    total = 0

    def add(k):
        nonlocal total
        total += k

    for k in (1, 2):
        if rng.random() < 0.5:
            add(k)
    return total


def handled(rng):
    try:
        return math.floor(1 / rng.randrange(3))
    except ZeroDivisionError:
        return "none" if rng.random() < 0.5 else "zero"


def boolean(rng):
    return bool(rng.randrange(3)), not rng.random(), rng.random() == 0.5


def asks_for_types(rng):
    u = rng.random()
    if type(u) is not float or not isinstance(rng.randrange(2), int):
        raise TypeError("not a float")
    return u < 0.5


def mixed_numbers(rng):
    u = rng.random()
    return Fr(rng.randrange(3)) + 1, round(u), math.ceil(u), math.trunc(u * 3), divmod(rng.randrange(7), 3)


HAND = [
    *(threshold, nested, logarithm, by_numpy, two_draws, box, quotient, power, integers, remainders, bits_of),
    *(looked_up, shuffled, sampled, expovariate, bounded_loop, counted, lists, maxima, in_closures),
    *(handled, boolean, mixed_numbers, asks_for_types),
]


@pytest.mark.parametrize("function", HAND, ids=lambda f: f.__name__)
def test_exactly_as_every_sequence_of_draws(function):
    check(function)


# ------------------------------------------------------------------ loops without end


def counting(rng):
    n = 0
    while rng.random() < 0.5:
        n += 1
    return n


def test_an_endless_law_has_a_residual():
    budget = Budget(residual=Fr(1, 10**6))
    found = law(counting, 53, budget)
    assert 0 < found.residual <= Fr(1, 10**6)
    assert all(p == Fr(1, 2 ** (n + 1)) for n, p in zip(found.outputs, found.lower, strict=True))
    few = law(counting, 53, Budget(runs=10))
    assert found.residual < few.residual < 1


def stuck(rng):
    if rng.random() < 0.25:
        while True:
            pass
    return 1


def stuck_drawing(rng):
    k = 0
    while rng.random() < 0.25 or k:
        k = 1
    return 1


def test_an_endless_loop_ends_at_the_budget():
    found = law(stuck, 53, Budget(steps=1000))
    assert (found.residual, found.lower) == (Fr(1, 4), (Fr(3, 4),))
    assert "test_law.py line" in found.endless
    found = law(stuck_drawing, 53)
    assert (found.residual, found.lower) == (Fr(1, 4), (Fr(3, 4),))


# ------------------------------------------------------------------ 53 bits


def geometric(rng):
    return math.floor(math.log(rng.random()) / -0.5)


def test_a_float_geometric_to_the_last_mantissa():
    found = law(geometric, 53)
    assert found.assumptions == ("math.log",)
    assert found.residual == 0
    table_ = dict(zip(found.outputs, found.lower, strict=True))
    assert table_.pop(Raised("ValueError")) == Fr(1, 2**53)
    edge = 2**53
    for n in sorted(table_):  # the larger the number, the smaller the output
        below = edge - table_[n] * 2**53
        assert below.denominator == 1
        assert {math.floor(math.log(m / 2**53) / -0.5) for m in (edge - 1, int(below))} == {n}
        edge = int(below)
        assert edge == 1 or math.floor(math.log((edge - 1) / 2**53) / -0.5) > n
    assert edge == 1


def test_two_floats_leave_a_residual():
    found = law(lambda rng: rng.random() < rng.random(), 53, Budget(runs=500))
    assert 0 < found.residual < Fr(1, 50)
    lower = dict(zip(found.outputs, found.lower, strict=True))
    half = Fr(2**53 - 1, 2**54)
    assert lower[True] <= half <= lower[True] + found.residual


# ------------------------------------------------------------------ what cannot be followed


def unrounded(rng):
    return rng.random()


def printed(rng):
    return f"{rng.random():.3f}"


def seeded(rng):
    return random.Random(3).random() < 0.5


def system_bytes(rng):
    import os

    return os.urandom(1)


def normal(rng):
    return rng.gauss(0, 1) < 0


def numpy_normal(rng):
    return np.random.default_rng().normal() < 0


def to_float(rng):
    return float(rng.random()) < 0.5


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (unrounded, "the output takes more than"),
        (printed, "a format needs the number itself"),
        (seeded, "a generator with a seed"),
        (system_bytes, "os.urandom cannot be followed"),
        (normal, "needs the number itself"),
        (numpy_normal, "Generator.normal cannot be followed"),
        (to_float, "needs the number itself"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_followed_says_where(function, words):
    with pytest.raises(Refused, match=words) as caught:
        law(function, 53)
    if function is not unrounded:
        first = function.__code__.co_firstlineno
        assert any(f"test_law.py line {first + k}: " in str(caught.value) for k in range(1, 5))


CALLS = [0]


def timed(rng):
    import time

    return time.perf_counter_ns() % 1000, rng.random() < 0.5


def remembers(rng):
    CALLS[0] += 1
    return CALLS[0] % 2, rng.random() < 0.5


@pytest.mark.parametrize("function", [timed, remembers], ids=lambda f: f.__name__)
def test_what_is_no_function_of_its_draws_is_refused(function):
    with pytest.raises(Refused, match=r"not a function of its draws|where only a plain number is taken"):
        law(function, 53)


def test_everything_is_put_back():
    names = [(math, "log"), (random, "random"), (random, "seed"), (np.random, "default_rng"), (np.random, "rand")]
    before = [getattr(*name) for name in names], vars(random.Random).copy(), vars(random.SystemRandom).copy()
    for function in (threshold, seeded, timed):
        with contextlib.suppress(Refused):
            law(function, 53)
        assert before == ([getattr(*name) for name in names], vars(random.Random), vars(random.SystemRandom))
    assert isinstance(random.random(), float)


# ------------------------------------------------------------------ sources


def looked_up_sources(_):
    return (
        *(random.random() < 0.5, random.randint(1, 2), secrets.randbelow(2), secrets.SystemRandom().random() < 0.25),
        *(int(np.random.default_rng().integers(2)), np.random.rand() < 0.5, np.random.RandomState().randint(2)),
    )


def test_sources_that_the_code_looks_up():
    found = law(looked_up_sources, 53)
    assert found.residual == 0
    assert len(found.outputs) == 128
    assert set(found.lower) == {Fr(1, 256), Fr(3, 256)}


def test_a_source_is_what_it_passes_for():
    assert isinstance(Source(), random.Random)
    assert isinstance(Source(), secrets.SystemRandom)
    assert isinstance(numpy_generator(), np.random.Generator)
    assert isinstance(NUMPY_STATE(), np.random.RandomState)


def test_the_border_between_two_floats_is_named_and_soon_left():
    found = law(lambda rng: math.floor(rng.random() + rng.random()), 53, Budget(border=Fr(1, 20)))
    assert 0 < found.residual <= Fr(1, 20)
    assert found.runs < 500
    assert found.boxed == "in the output: "
    lower = dict(zip(found.outputs, found.lower, strict=True))
    assert lower[0] <= Fr(1, 2) <= lower[0] + found.residual
    assert law(lambda rng: rng.random() < rng.random(), 53, Budget(border=Fr(1, 20))).boxed.startswith("test_law.py")
    assert law(lambda rng: rng.random() < 0.5, 53).boxed is None


def test_a_law_that_does_not_fit_plain_runs_is_refused_where_nothing_was_merged(monkeypatch):
    monkeypatch.setattr(law_of_code, "_gathered", lambda *_: {key(0): Fr(1), key(1): Fr(0)})

    def key(value):
        return int, repr(value)

    words = r"does not fit plain runs \([0-9]+ of 200 give .*\), so no law is given: the code keeps state"
    with pytest.raises(Refused, match=words):
        law(lambda rng: rng.randrange(2), 53)


def test_ends_are_run_again_whatever_the_trials_show(monkeypatch):
    monkeypatch.setattr(law_of_code, "TRIALS", 0)
    calls = []

    def counted(rng):
        calls.append(1)
        return len(calls), rng.random() < 0.5

    with pytest.raises(Refused, match="not a function of its draws"):
        law(counted, 53)

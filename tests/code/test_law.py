"""The law of a sampler's code, against every sequence of draws with few bits, exactly."""

import contextlib
import math
import random
import secrets
import time
from fractions import Fraction as Fr

import numpy as np
import pytest

from dpaudit.code import law as law_of_code
from dpaudit.code.explore import Raised
from dpaudit.code.law import Refused
from dpaudit.code.source import NUMPY_GENERATOR, NUMPY_STATE
from tests.code.snippets import exact, law, sampler, table
from tests.plain_enumeration import enumerated

BITS = 5
HAND = """
return "yes" if rng.random() < 0.3 else "no"

u = rng.random()
if u * 3 - 1 > 0.25:
    return "high" if 1 / u < 1.5 else "middle"
return math.floor(u * 7) % 2

return math.floor(math.log(rng.random()) / -0.7)

u = rng.random() - 0.5
sign = -1 if u < 0 else 1
return int(np.round(3 + sign * np.floor(np.log(sign * u * 1.4) / -0.5)))

a, b = rng.random(), rng.random()
return "sum" if a + b < 0.8 else "product" if a * b > 0.5 else math.floor(a - b)

return round(rng.random() + rng.random() * 2, 1)

return math.floor(1 / (rng.random() - 0.5))

u = rng.random()
return round(u**2 + 2**u, 1), (u - 0.5) ** 2 < 0.1

a, b = rng.randrange(6), rng.randint(2, 5)
return (a * b - 3) // 2, a ^ b, a % 4

x = rng.getrandbits(8)
return x % 6, x & 3

items = [1, 2, 3]
rng.shuffle(items)
return tuple(items), rng.choice("ab")

return tuple(rng.sample(range(4), 2)), rng.choices("abc", weights=[1, 2, 5])[0]

return int(rng.expovariate(1.5) * 2)

found = []
while len(found) < 3 and rng.random() < 0.4:
    found.append(rng.randrange(2))
return tuple(sorted(found))

u, v = rng.random(), rng.randrange(3)
return max(u, 0.3) < 0.5, min(v, 1), sorted([v, 1])[0]

return bool(rng.randrange(3)), not rng.random(), rng.random() == 0.5

u = rng.random()
return Fraction(rng.randrange(3)) + 1, round(u), math.ceil(u), math.trunc(u * 3), divmod(rng.randrange(7), 3)

u = rng.random()
if type(u) is not float or not isinstance(rng.randrange(2), int):
    raise TypeError("not a float")
return u < 0.5
"""


@pytest.mark.parametrize("body", HAND.strip().split("\n\n"))
def test_exactly_as_every_sequence_of_draws(body):
    function = sampler(body)
    assert table(law(function, bits=BITS)) == enumerated(function, BITS)


# ------------------------------------------------------------------ loops without end


def test_an_endless_law_has_a_residual():
    counting = sampler("n = 0\nwhile rng.random() < 0.5:\n    n += 1\nreturn n")
    found = law(counting, residual=Fr(1, 10**6))
    assert 0 < found.residual <= Fr(1, 10**6)
    assert all(p == Fr(1, 2 ** (n + 1)) for n, p in zip(found.outputs, found.lower, strict=True))
    assert found.residual < law(counting, runs=10).residual < 1


STUCK = {
    "if rng.random() < 0.25:\n    while True: pass\nreturn 1": True,
    "k = 0\nwhile rng.random() < 0.25 or k: k = 1\nreturn 1": False,
}


@pytest.mark.parametrize("body", STUCK)
def test_an_endless_loop_ends_at_the_budget(body):
    found = law(sampler(body), **({"steps": 1000} if STUCK[body] else {}))
    assert (found.residual, found.lower) == (Fr(1, 4), (Fr(3, 4),))
    assert not STUCK[body] or "line 3" in found.endless


# ------------------------------------------------------------------ 53 bits


def test_a_float_geometric_to_the_last_mantissa():
    found = law(lambda rng: math.floor(math.log(rng.random()) / -0.5))
    assert found.assumptions == ("math.log",)
    known = exact(found)
    assert known.pop(Raised("ValueError")) == Fr(1, 2**53)
    edge = 2**53
    for n in sorted(known):  # the larger the number, the smaller the output
        below = edge - known[n] * 2**53
        assert below.denominator == 1
        assert {math.floor(math.log(m / 2**53) / -0.5) for m in (edge - 1, int(below))} == {n}
        edge = int(below)
        assert edge == 1 or math.floor(math.log((edge - 1) / 2**53) / -0.5) > n
    assert edge == 1


def test_the_border_between_two_floats_is_named_and_soon_left():
    found = law(lambda rng: math.floor(rng.random() + rng.random()), border=Fr(1, 20))
    assert 0 < found.residual <= Fr(1, 20)
    assert found.runs < 500
    assert found.boxed == "in the output: "
    lower = dict(zip(found.outputs, found.lower, strict=True))
    assert lower[0] <= Fr(1, 2) <= lower[0] + found.residual
    assert law(lambda rng: rng.random() < rng.random(), border=Fr(1, 20)).boxed.startswith("test_law.py")
    assert law(lambda rng: rng.random() < 0.5).boxed is None


# ------------------------------------------------------------------ what cannot be followed

UNFOLLOWED = {
    "rng.random()": "the output takes more than",
    "f'{rng.random():.3f}'": "line 3: a format needs the value itself",
    "random.Random(3).random() < 0.5": "line 3: a generator with a seed",
    "os.urandom(1)": "line 3: os.urandom cannot be followed",
    "rng.gauss(0, 1) < 0": "line 3: .*needs the value itself",
    "np.random.default_rng().normal() < 0": "line 3: Generator.normal cannot be followed",
    "len(pickle.dumps(rng.random()))": "line 3: copying or storing a draw",
    "sample(rng)": "its code recurses without end",
    "float(rng.random()) < 0.5": "line 3: .*needs the value itself",
}


@pytest.mark.parametrize("expression", UNFOLLOWED)
def test_what_cannot_be_followed_says_where(expression):
    with pytest.raises(Refused, match=UNFOLLOWED[expression]):
        law(sampler(f"return {expression}", "import os, pickle, random"))


CALLS = [0]


def timed(rng):
    return time.perf_counter_ns() % 1000, rng.random() < 0.5


def remembers(rng):
    CALLS[0] += 1
    return CALLS[0], rng.random() < 0.5


@pytest.mark.parametrize("function", [timed, remembers], ids=lambda f: f.__name__)
@pytest.mark.parametrize("trials", [0, 200])
def test_what_is_no_function_of_its_draws_is_refused(function, trials, monkeypatch):
    monkeypatch.setattr(law_of_code, "TRIALS", trials)  # ends are run again whatever the trials show
    with pytest.raises(Refused, match=r"not a function of its draws|where only a plain number is accepted"):
        law(function)


def test_a_sampler_for_which_numpy_raises_is_refused():
    """A division by 0 is ignored while the code is followed; one in 2^40 runs would not show it in trials."""
    sample = sampler("return int(np.float64(1) / rng.randrange(2**40) > 1)")
    with np.errstate(divide="raise"), pytest.raises(Refused, match=r"^np.seterr makes numpy raise"):
        law(sample)
    assert law(sample).outputs == (0, 1)


def test_trials_leave_the_settings_of_numpy():
    before = np.geterr()
    law(sampler("np.seterr(over='raise')\nreturn rng.randrange(2)"))
    assert np.geterr() == before


def test_a_law_that_does_not_fit_plain_runs_is_refused_where_nothing_was_merged(monkeypatch):
    monkeypatch.setattr(law_of_code, "_gathered", lambda *_: {(int, "0"): Fr(1), (int, "1"): Fr(0)})
    words = r"does not fit plain runs \([0-9]+ of 200 give .*\), so no law is given: the code keeps state"
    with pytest.raises(Refused, match=words):
        law(lambda rng: rng.randrange(2))


# ------------------------------------------------------------------ sources


def test_everything_is_put_back():
    names = [(math, "log"), (random, "random"), (random, "seed"), (np.random, "default_rng"), (np.random, "rand")]
    before = [getattr(*name) for name in names], vars(random.Random).copy(), vars(random.SystemRandom).copy()
    for function in (lambda rng: rng.random() < 0.5, lambda rng: random.Random(3).random() < 0.5, timed):
        with contextlib.suppress(Refused):
            law(function)
        assert before == ([getattr(*name) for name in names], vars(random.Random), vars(random.SystemRandom))
    assert isinstance(random.random(), float)


def looked_up_sources(_):
    return (
        *(random.random() < 0.5, random.randint(1, 2), secrets.randbelow(2), secrets.SystemRandom().random() < 0.25),
        *(int(np.random.default_rng().integers(2)), np.random.rand() < 0.5, np.random.RandomState().randint(2)),
    )


def test_sources_that_the_code_looks_up():
    found = exact(law(looked_up_sources))
    assert len(found) == 128
    assert set(found.values()) == {Fr(1, 256), Fr(3, 256)}


def test_a_source_is_what_it_passes_for():
    kinds = {np.random.RandomState: NUMPY_STATE}
    assert all(isinstance(made(), kind) for kind, made in (kinds | {np.random.Generator: NUMPY_GENERATOR}).items())

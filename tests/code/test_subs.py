"""Calls and sub-samplers: their law is that of the function in its place, and an old law is never taken."""

from fractions import Fraction
from itertools import product

import pytest

from dpaudit.code.law import Session
from tests.code.snippets import cases, exact, law, sampler, texts

HEAD = """
import functools
class A(Exception): pass
class Outer:
    class A(Exception): pass
class Coded(ValueError):
    def __init__(self, first, *, code):
        super().__init__(first)
        self.code = code
def listed(rng): return [rng.randrange(2)]
def fails(rng):
    k = rng.randrange(4000)
    if k == 0: raise A
    if k == 1: raise Outer.A
    if k in (2, 3): raise ValueError(k, [k])
    if k == 4: raise Coded("no", code=k)
    if k == 5:
        try: [][k]
        except IndexError as error: raise KeyError("a") from error
    if k == 6: raise OSError(2, "text", "file")
    return 0
@functools.lru_cache
def weight(k): return k % 2
def cached(rng): return weight(int(rng.randrange(3)))
def part(values, rng, *, top=1): return sum(values) + top + int(rng.randrange(1))
def changing(values, rng):
    values.append(1)
    return int(rng.randrange(2))
def told_of(value, rng): return f"{type(value).__name__} {math.copysign(1, value):g} {rng.randrange(1)}"
def total(numbers, rng): return sum(numbers) + rng.getrandbits(1)
def below(k, rng):
    while (found := rng.getrandbits(2)) >= k: pass
    return int(found)
K = L = 0
def set_later(value):  # nothing tells that L changes before this has been called
    global L
    L = value
def with_global(rng): return rng.randrange(2) + K
def with_later(rng): return rng.randrange(2) + L
def waits(rng):  # comes back to its state, and knows nothing of its caller
    while rng.randrange(2): pass
    return int(rng.randrange(2))
def again(rng, depth):  # calls itself first; then both calls stand at the same line, with the same variables
    below = () if depth == 0 else again(rng, depth - 1)
    while rng.randrange(2): pass
    return *below, int(rng.randrange(2))
"""
RARE = Fraction(1, 4000)
LAWS = """
first = listed(rng)
if rng.randrange(300) == 0: first.append(7)
return len(listed(rng)), first is listed(rng)
= {"(1, False)": 1}
try: return fails(rng)
except Outer.A: return "Outer.A"
except A: return "A"
except Coded as error: return error.args, error.code
except OSError as error: return type(error).__name__, error.filename
except KeyError as error: return type(error.__cause__).__name__, error.__context__ is error.__cause__
except ValueError as error:
    error.args[1].append(7)
    return error.args[1]
= {"0": 1 - 7 * RARE, **dict.fromkeys(EXCEPTIONS, RARE)}
return cached(rng) + cached(rng)
= {"0": F(4, 9), "1": F(4, 9), "2": F(1, 9)}
return part([1], rng), part([2], rng), part([1], rng, top=5)
= {"(2, 3, 6)": 1}
return " ".join([told_of(value, rng) for value in (1, 1.0, np.float64(1), 0.0, -0.0, np.float64(-0.0), True)])
= {"int 1 0 float 1 0 float64 1 0 float 1 0 float -1 0 float64 -1 0 bool 1 0": 1}
values = []
return changing(values, rng), len(values)
= uniform(("(0, 1)", "(1, 1)"))
return total([rng.getrandbits(1), 5], rng)
= {"5": F(1, 4), "6": F(1, 2), "7": F(1, 4)}
global K
K = 0
with_global(rng)
K = 10 if rng.randrange(4000) == 0 else 0
return with_global(rng)
= CHANGED
with_later(rng)
try:
    if rng.randrange(4000) == 0: set_later(10)
    return with_later(rng)
finally:
    set_later(0)
= CHANGED
k = 0
def part(rng): return rng.randrange(2) + k
part(rng)
if rng.randrange(4000) == 0: k = 10
return part(rng)
= CHANGED
def part(rng, more=(0,)): return rng.randrange(2) + more[0]
part(rng)
if rng.randrange(4000) == 0: part.__defaults__ = ((10,),)
return part(rng)
= CHANGED
steps = (k for k in (0, 0, 10))
def part(rng): return rng.randrange(2) + next(steps)
part(rng)
if rng.randrange(4000) == 0: next(steps)
return part(rng)
= CHANGED
"""
CHANGED = {"0": (1 - RARE) / 2, "1": (1 - RARE) / 2, "10": RARE / 2, "11": RARE / 2}
EXCEPTIONS = [
    "Outer.A",
    "A",
    "(('no',), 4)",
    "('FileNotFoundError', 'file')",
    "('IndexError', True)",
    "(2, 7)",
    "(3, 7)",
]


@pytest.mark.parametrize(("body", "expected"), cases(LAWS, RARE=RARE, CHANGED=CHANGED, EXCEPTIONS=EXCEPTIONS))
def test_a_sub_sampler_is_as_the_function_in_its_place(body, expected):
    """Values and exceptions come back as they were and anew; arguments, and what is read, are told apart."""
    assert texts(law(sampler(body, HEAD))) == expected


FAIR = """
first = waits(rng)
return first, waits(rng)

a = int(rng.randrange(2))
b = [a]
c = waits(rng)
return b[0], c

return int(rng.randrange(2)), waits(rng)

return again(rng, 2)

last = []
for a in range(2):
    for b in range(2):
        waits(rng)
        if b and not a: last.append(waits(rng))
return (*last, waits(rng))

a = rng.randrange(4)  # open in the call, where its half is decided on; nothing there refers to it
b = a < 2 if waits(rng) else a < 1
return int(a) % 2, int(b or a < 2)

def told(known):
    del known
    return waits(rng)
a = int(rng.randrange(2))
told(a)
return a, told(0)

values = [5, int(rng.randrange(2))]
for found in list(values):  # the list is the same in both runs by now; what was copied of it before is not
    values[1] = 0
    while rng.randrange(2): pass
return found, waits(rng)
"""


@pytest.mark.parametrize("body", FAIR.strip().split("\n\n"))
def test_calls_that_stand_alike_go_on_as_their_callers_do(body):
    """All coins are fair and independent; every loop is summed."""
    found = law(sampler(body, HEAD))
    size = len(found.outputs[0])
    assert exact(found) == {coins: Fraction(1, 2**size) for coins in product((0, 1), repeat=size)}
    assert found.runs < 1000


def test_a_sub_sampler_is_computed_once(monkeypatch):
    computed, of_sub = [], Session.sub_law
    monkeypatch.setattr(Session, "sub_law", lambda *given: computed.append(1) or of_sub(*given))
    found = texts(law(sampler("return below(3, rng) + below(3, rng), below(2, rng)", HEAD)))
    assert found["(0, 0)"] == Fraction(1, 18)
    assert len(computed) == 2


def test_what_a_sub_sampler_assumes_the_law_assumes():
    head = "def logarithm(rng): return math.floor(math.log(rng.random() + 0.5))"
    assert "math.log" in law(sampler("return logarithm(rng)", head)).assumptions

"""Calls and sub-samplers: their law is that of the function in its place, and an old law is never taken."""

import math
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

import dpaudit
from dpaudit.code.law import Session
from tests.code.snippets import law as found_law
from tests.code.snippets import texts

RARE = Fraction(1, 4000)


def law(sample):
    """The exact law of sample(rng), by the text of its outputs."""
    return texts(found_law(sample))


# ------------------------------------------------------------------ values

Colour = Enum("Colour", "RED BLUE")
SHARED = [1, 2]


@dpaudit.sampler
def listed(rng):
    return [rng.randrange(2)]


def rarely_changed(rng):
    first = listed(rng)
    if rng.randrange(300) == 0:
        first.append(7)
    return len(listed(rng)), first is listed(rng)


@dpaudit.sampler
def filled(rng):
    return np.array([int(rng.getrandbits(1)), 1])


@dpaudit.sampler
def one_object(rng):
    part = [rng.getrandbits(1)]
    return [part, part], Colour.RED, {1, 2}


def aliased(rng):
    (first, second), colour, entries = one_object(rng)
    first.append(5)
    return len(second), colour is Colour.RED, sorted(entries)


VALUES = [
    (rarely_changed, {"(1, False)": Fraction(1)}),
    (lambda rng: (filled(rng) * 2).dtype.name, {"int64": Fraction(1)}),
    (lambda rng: int((filled(rng) * 2).sum()), {"2": Fraction(1, 2), "4": Fraction(1, 2)}),
    (aliased, {"(2, True, (1, 2))": Fraction(1)}),
]


@pytest.mark.parametrize(("sample", "expected"), VALUES)
def test_a_value_comes_back_as_it_was_and_anew(sample, expected):
    assert law(sample) == expected


# ------------------------------------------------------------------ exceptions


class A(Exception):
    pass


class Outer:
    class A(Exception):
        pass


class Coded(ValueError):
    def __init__(self, first, *, code):
        super().__init__(first)
        self.code = code


@dpaudit.sampler
def fails(rng):
    k = rng.randrange(4000)
    if k == 0:
        raise A
    if k == 1:
        raise Outer.A
    if k in (2, 3):
        raise ValueError(k, [k])
    if k == 4:
        raise Coded("no", code=k)
    if k == 5:
        try:
            _ = [][k]
        except IndexError as error:
            raise KeyError("a") from error
    if k == 6:
        raise OSError(2, "text", "file")
    return 0


def told(rng):
    try:
        return fails(rng)
    except Outer.A:
        return "Outer.A"
    except A:
        return "A"
    except Coded as error:
        return error.args, error.code
    except OSError as error:
        return type(error).__name__, error.filename
    except KeyError as error:
        return "KeyError", type(error.__cause__).__name__, error.__context__ is error.__cause__
    except ValueError as error:
        error.args[1].append(7)
        return error.args[1]


EXPECTED = ["Outer.A", "A", "(('no',), 4)", "('FileNotFoundError', 'file')", "('KeyError', 'IndexError', True)"]
EXPECTED += ["(2, 7)", "(3, 7)"]


def test_an_exception_comes_back_with_its_class_its_arguments_and_its_attributes():
    assert law(told) == {"0": 1 - 7 * RARE, **dict.fromkeys(EXPECTED, RARE)}


# ------------------------------------------------------------------ what it reads

K = 0


@dpaudit.sampler
def with_global(rng):
    return rng.randrange(2) + K


def changes_global(rng):
    global K
    K = 0
    with_global(rng)
    K = 10 if rng.randrange(4000) == 0 else 0
    return with_global(rng)


L = 0


def set_later(value):
    """Nothing tells that L changes before this has been called."""
    global L
    L = value


@dpaudit.sampler
def with_later(rng):
    return rng.randrange(2) + L


def changes_later(rng):
    with_later(rng)
    try:
        if rng.randrange(4000) == 0:
            set_later(10)
        return with_later(rng)
    finally:
        set_later(0)


def changes_closure(rng):
    k = 0

    @dpaudit.sampler
    def part(rng):
        return rng.randrange(2) + k

    part(rng)
    if rng.randrange(4000) == 0:
        k = 10
    return part(rng)


def changes_default(rng):
    @dpaudit.sampler
    def part(rng, more=(0,)):
        return rng.randrange(2) + more[0]

    part(rng)
    if rng.randrange(4000) == 0:
        part.function.__defaults__ = ((10,),)
    return part(rng)


def has_no_key(rng):
    steps = (k for k in (0, 0, 10))

    @dpaudit.sampler
    def part(rng):
        return rng.randrange(2) + next(steps)

    part(rng)
    if rng.randrange(4000) == 0:
        next(steps)
    return part(rng)


@pytest.mark.parametrize("sample", [changes_global, changes_later, changes_closure, changes_default, has_no_key])
def test_an_old_law_is_not_taken_where_something_that_is_read_has_changed(sample):
    expected = {"0": (1 - RARE) / 2, "1": (1 - RARE) / 2, "10": RARE / 2, "11": RARE / 2}
    assert law(sample) == expected


@lru_cache
def weight(k):
    return k % 2


@dpaudit.sampler
def cached(rng):
    return weight(int(rng.randrange(3)))


def test_a_cache_of_what_is_not_random_changes_nothing():
    assert law(lambda rng: cached(rng) + cached(rng)) == {"0": Fraction(4, 9), "1": Fraction(4, 9), "2": Fraction(1, 9)}


# ------------------------------------------------------------------ callers


def waits(rng):
    """Comes back to its state, and knows nothing of its caller."""
    while rng.randrange(2):
        pass
    return int(rng.randrange(2))


def twice(rng):
    first = waits(rng)
    second = waits(rng)
    return first, second


def variable_of_the_caller(rng):
    a = int(rng.randrange(2))
    b = [a]
    c = waits(rng)
    return b[0], c


def value_on_the_stack_of_the_caller(rng):
    return int(rng.randrange(2)), waits(rng)


def again(rng, depth):
    """Calls itself first; then both calls stand at the same line, with the same variables."""
    below = () if depth == 0 else again(rng, depth - 1)
    while rng.randrange(2):
        pass
    return *below, int(rng.randrange(2))


def recursion(rng):
    return again(rng, 2)


def loops_inside_each_other(rng):
    last = []
    for a in range(2):
        for b in range(2):
            waits(rng)
            if b and not a:
                last.append(waits(rng))
    return (*last, waits(rng))


def with_an_argument_that_is_read_no_more(rng):
    def told(known):
        del known
        return waits(rng)

    a = int(rng.randrange(2))
    told(a)
    return a, told(0)


def copy_that_a_loop_holds(rng):
    """The list is the same in both runs by now; what was copied of it when the loop was made is not."""
    values = [5, int(rng.randrange(2))]
    for found in list(values):  # noqa: B007
        values[1] = 0
        while rng.randrange(2):
            pass
    return found, waits(rng)


def draws_before_the_call(rng):
    """The draw of the caller is open in the call, where its half is decided on; nothing there refers to it."""
    a = rng.randrange(4)
    b = a < 2 if waits(rng) else a < 1
    return int(a) % 2, int(b or a < 2)


UNIFORM = [
    *(
        twice,
        variable_of_the_caller,
        value_on_the_stack_of_the_caller,
        recursion,
    ),
    *(loops_inside_each_other, draws_before_the_call),
    *(with_an_argument_that_is_read_no_more, copy_that_a_loop_holds),
]


@pytest.mark.parametrize("sample", UNIFORM, ids=lambda sample: sample.__name__)
def test_calls_that_stand_alike_go_on_as_their_callers_do(sample):
    """All coins are fair and independent; every loop is summed."""
    law = found_law(sample)
    size = len(law.outputs[0])
    assert law.residual == 0
    assert dict(zip(law.outputs, law.lower, strict=True)) == {
        coins: Fraction(1, 2**size) for coins in product((0, 1), repeat=size)
    }
    assert law.runs < 1000


# ------------------------------------------------------------------ arguments


@dpaudit.sampler
def part(values, rng, *, top=1):
    return sum(values) + top + int(rng.randrange(1))


@dpaudit.sampler
def changing(values, rng):
    values.append(1)
    return int(rng.randrange(2))


@dpaudit.sampler
def told_of(value, rng):
    return f"{type(value).__name__} {math.copysign(1, value):g} {rng.randrange(1)}"


def test_arguments_are_kept_apart():
    assert law(lambda rng: (part([1], rng), part([2], rng), part([1], rng, top=5))) == {"(2, 3, 6)": 1}
    kinds = (1, 1.0, np.float64(1), 0.0, -0.0, np.float64(-0.0), True)
    (found,) = law(lambda rng: [told_of(value, rng) for value in kinds])
    assert found == str(("int 1 0", "float 1 0", "float64 1 0", "float 1 0", "float -1 0", "float64 -1 0", "bool 1 0"))


def test_a_sub_sampler_that_changes_its_arguments_is_followed():
    def changed(rng):
        values = []
        return changing(values, rng), len(values)

    assert law(changed) == {"(0, 1)": Fraction(1, 2), "(1, 1)": Fraction(1, 2)}


def test_a_sub_sampler_is_computed_once(monkeypatch):
    computed, of_sub = [], Session.sub_law
    monkeypatch.setattr(Session, "sub_law", lambda *given: computed.append(1) or of_sub(*given))

    @dpaudit.sampler
    def below(k, rng):
        while (found := rng.getrandbits(2)) >= k:
            pass
        return int(found)

    found = law(lambda rng: (below(3, rng) + below(3, rng), below(2, rng)))
    assert found["(0, 0)"] == Fraction(1, 18)
    assert len(computed) == 2


def test_what_a_sub_sampler_assumes_the_law_assumes():
    @dpaudit.sampler
    def logarithm(rng):
        return math.floor(math.log(rng.random() + 0.5))

    assert "math.log" in found_law(lambda rng: logarithm(rng)).assumptions


def test_a_draw_of_the_caller_is_known_inside():
    @dpaudit.sampler
    def total(numbers, rng):
        return sum(numbers) + rng.getrandbits(1)

    assert law(lambda rng: total([rng.getrandbits(1), 5], rng)) == {"5": 0.25, "6": 0.5, "7": 0.25}

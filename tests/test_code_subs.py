"""Sub-samplers: their values and exceptions come back as the function gives them, and an old law is never taken."""

import importlib
from enum import Enum
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

import dpaudit
from dpaudit.code.law import Refused, Session
from dpaudit.code.source import Source

HERE = r"test_code_subs.py line [0-9]+: "
RARE = Fraction(1, 4000)


def law(sample):
    """The exact law of sample(rng), by the text of its outputs."""
    found = Session().law(sample, (Source(),))
    assert not found.residual
    return {str(output): p for output, p in zip(found.outputs, found.lower, strict=True)}


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
    return np.array([rng.getrandbits(1), 1])


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


class Thing:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "Thing"


def emptied(count):
    left = {*range(40)}
    for _ in range(count):
        left.pop()
    return left


GIVEN = {
    "a thing": (lambda given, rng: Thing(rng.getrandbits(1)), "returns a Thing: return numbers"),
    "its argument": (lambda given, rng: [given, rng.getrandbits(1)], "returns an object that it was given"),
    "a global": (lambda given, rng: (SHARED, rng.getrandbits(1)), "returns an object that it was given"),
    "a view": (lambda given, rng: np.arange(4 + rng.getrandbits(1))[::2], "returns a view of an array"),
    "one memory": (lambda given, rng: [(a := np.zeros(3)), a[1:], rng.getrandbits(1)], "share their memory"),
    "a set": (lambda given, rng: emptied(38 + rng.getrandbits(1)), "a set whose order"),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_what_cannot_be_given_back_is_refused_with_its_reason(kind):
    function, words = GIVEN[kind]
    part = dpaudit.sampler(function)
    with pytest.raises(Refused, match=f"{HERE}the sub-sampler <lambda> .*{words}"):
        law(lambda rng: len(str(part([1], rng))))


def test_an_object_with_a_draw_is_no_output():
    with pytest.raises(dpaudit.InputError, match=f"{HERE}the output is a Thing that holds a draw: make it known"):
        dpaudit.pmf(lambda x, rng: Thing(rng.getrandbits(1)), 0, data=[0, 1])
    with pytest.raises(dpaudit.InputError, match="two outputs that differ have one text, Thing"):
        dpaudit.pmf(lambda x, rng: Thing(int(rng.getrandbits(1))), 0, data=[0, 1])


def test_equal_sets_are_one_output_in_whatever_order_they_were_filled():
    assert str(dpaudit.epsilon(lambda x, rng: {0, 8} if x else {8, 0}, data=[0, 1]).epsilon) == "0"
    assert law(lambda rng: {0, 8} if rng.getrandbits(1) else {8, 0}) == {"frozenset({0, 8})": 1}


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


class Slotted(Exception):
    __slots__ = ("more",)


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


def test_an_exception_of_which_there_can_be_no_second_is_refused():
    @dpaudit.sampler
    def part(rng):
        if rng.getrandbits(1):
            raise Slotted
        return 0

    with pytest.raises(Refused, match=f"{HERE}the sub-sampler part raises a Slotted, an exception with __slots__"):
        law(part)


def two_names(x, rng):
    k = rng.randrange(4)
    if k == 0:
        raise A
    if k == 1:
        raise Outer.A
    if k == 2:
        raise type("ValueError", (Exception,), {})
    raise ValueError


def test_two_exceptions_of_one_name_are_two_outputs():
    found = dpaudit.pmf(two_names, 0, data=[0, 1])
    names = ["A", "Outer.A", "ValueError", f"{__name__}.ValueError"]
    assert sorted(map(str, found.outputs)) == sorted(f"raises {name}" for name in names)
    assert {str(p) for p in found.probabilities} == {"0.25"}


def test_two_local_exceptions_of_one_name_are_two_outputs():
    def first():
        class Local(Exception):
            pass

        raise Local

    def second():
        class Local(Exception):
            pass

        raise Local

    assert sorted(law(lambda rng: first() if rng.getrandbits(1) else second()).values()) == [Fraction(1, 2)] * 2


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


def test_a_function_that_is_made_at_every_run_is_computed_once(monkeypatch):
    computed, of_sub = [], Session.sub_law
    monkeypatch.setattr(Session, "sub_law", lambda *given: computed.append(1) or of_sub(*given))
    law(changes_closure)
    assert len(computed) == 2


def test_a_draw_from_outside_is_asked_for_before():
    def asks(rng):
        u = rng.random()

        @dpaudit.sampler
        def part(rng):
            return rng.getrandbits(1) + (u < 0.5)

        return part(rng)

    with pytest.raises(Refused, match=f"{HERE}a sub-sampler asks for a draw that was made outside of it"):
        law(asks)

    @dpaudit.sampler
    def total(numbers, rng):
        return sum(numbers) + rng.getrandbits(1)

    assert law(lambda rng: total([rng.getrandbits(1), 5], rng)) == {"5": 0.25, "6": 0.5, "7": 0.25}


@lru_cache
def weight(k):
    return k % 2


@dpaudit.sampler
def cached(rng):
    return weight(int(rng.randrange(3)))


def test_a_cache_of_what_is_not_random_changes_nothing():
    assert law(lambda rng: cached(rng) + cached(rng)) == {"0": Fraction(4, 9), "1": Fraction(4, 9), "2": Fraction(1, 9)}


OTHER = """
import threading
LOCK = threading.Lock()
def look():
    return LOCK is None
"""
MINE = """
import dpaudit
from with_a_lock import look
K = 0
@dpaudit.sampler
def part(rng):
    return rng.randrange(2) + globals()["K"]
def sample(rng):
    first = part(rng)
    if first:
        look()
    return first + part(rng)
"""


def test_what_is_watched_later_and_has_no_key_does_not_change_how_it_is_drawn(tmp_path, monkeypatch):
    """A lock, in another module, that the code comes to after the law was computed."""
    (tmp_path / "with_a_lock.py").write_text(OTHER)
    (tmp_path / "uses_a_lock.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    sample = importlib.import_module("uses_a_lock").sample
    assert law(sample) == {"0": Fraction(1, 4), "1": Fraction(1, 2), "2": Fraction(1, 4)}

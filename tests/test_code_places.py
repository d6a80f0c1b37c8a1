"""Where a state may be read off, and what belongs to it: live variables, places that are watched."""

import sys
import types
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.code.places import places
from dpaudit.code.watch import Watch, is_fixed


def compiled(text):
    """The function f of this text, as a stranger's."""
    names = {"np": np, "__name__": "a_stranger"}
    exec(compile(text, "a_stranger.py", "exec"), names)
    return names["f"]


def place(function, line):
    """The variables that may still be read at the start of a line of the text, None where there is no state."""
    code = function.__code__
    starts = [start for start, _, number in code.co_lines() if number == line]
    return places(code).live.get(starts[0])


LIVE = """def f(rng, given, a):
    a, b = 1, 2
    c = rng.random()
    try:
        d = a / c
    except ZeroDivisionError:
        return b
    b = 5
    del a
    e = d if rng else b
    return e
"""
READ = {3: "a b", 5: "a b c", 8: "a d", 9: "a b d", 10: "b d", 11: "e"}
GIVEN = {"rng", "given"}
"""Arguments that are never assigned to belong to every state: their caller may look at what they are."""


@pytest.mark.parametrize("line", READ)
def test_a_variable_belongs_to_the_state_as_long_as_it_may_be_read(line):
    assert place(compiled(LIVE), line) == set(READ[line].split()) | GIVEN


def test_what_a_loop_reads_in_its_next_round_is_still_read():
    text = "def f(rng):\n    a = b = 0\n    while rng():\n        c = a\n        a = rng()\n        b = c\n    return 1"
    function = compiled(text)
    assert place(function, 4) == {"rng", "a"}
    assert place(function, 5) == {"rng", "c"}
    assert place(function, 6) == {"rng", "a", "c"}


def test_variables_of_inner_functions_and_those_read_by_name_are_always_read():
    shared = "def f(rng):\n    a = 1\n    def g():\n        return a\n    b = 2\n    rng()\n    return g"
    assert "a" in place(compiled(shared), 6)
    assert "b" not in place(compiled(shared), 6)
    for name in ("vars", "eval", "exec", "dir"):
        looking = f"def f(rng):\n    a = 1\n    rng()\n    return {name}('a')"
        assert "a" in place(compiled(looking), 3)


@pytest.mark.parametrize("text", ["def f(rng):\n    yield 1\n    rng()", "async def f(rng):\n    await rng\n    rng()"])
def test_in_what_is_entered_many_times_there_is_no_state(text):
    assert place(compiled(text), 3) is None


def test_a_loop_that_does_nothing_is_found():
    assert places(compiled("def f(rng):\n    while True: pass").__code__).still
    assert not places(compiled("def f(rng):\n    while True: rng()").__code__).still


class Rows(list):
    """A list of their own."""


# ------------------------------------------------------------------ what is watched


def watched(text, **names):
    """The names at which something is watched when f of this text runs, in its module and in others."""
    names["__name__"] = "a_stranger"
    exec(compile(text, "a_stranger.py", "exec"), names)
    watch = Watch()
    watch.note(names["f"].__code__, names)
    watch.note(names["f"].__code__, names)
    return [name for _, name in watch.places], len(watch.spaces), watch


OTHER = types.ModuleType("other")
OTHER.inner = types.ModuleType("inner")
OTHER.box, OTHER.number, OTHER.inner.box = [], 1, []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f():\n    global g\n    g = 1", ["g"]),
        ("def f():\n    global g\n    del g", ["g"]),
        ("L = []\ndef f(): return L", ["L"]),
        ("N = 1\ndef f(): return N", []),
        ("T = (1, [])\ndef f(): return T", ["T"]),
        ("T = (1, 'a')\ndef f(): return T", []),
        ("def g(): pass\ndef f(): g()", ["g"]),
        ("class C: pass\ndef f(): C()", ["C"]),
        ("def f(): return len([])", []),
        ("def f(): other.box.append(1)", ["box"]),
        ("def f(): other.n = 1", []),
        ("def f(): del other.n", []),
        ("def f(): return other.number", []),
        ("def f(): return other.inner.box", ["box", "box"]),
        ("def f(): absent", []),
        ("def f(): return math.floor(np.sum([1.5]))", []),
    ],
)
def test_what_the_code_reads_or_assigns_by_name_is_watched_once(text, found):
    import math

    names, spaces, watch = watched(text, other=OTHER, math=math, np=np)
    assert (names, spaces) == (found, 0)
    assert len(watch.values()) == len(found)


def test_what_code_puts_into_a_module_or_class_is_watched_whoever_puts_it_there():
    other, kind = types.ModuleType("other"), Fraction
    _, _, watch = watched("def f(): return other.put_there, kind", other=other, kind=kind)
    assert watch.values() == []
    putting = compiled("def f(where, value): where.put_there = value")
    watch.note(putting.__code__, {})
    assert watch.values() == []
    other.put_there = 1
    kind.put_there = 2
    try:
        assert watch.values() == ["put_there", 1, "put_there", 2]
    finally:
        del kind.put_there


def test_what_comes_under_watch_after_it_may_have_changed_is_suspect():
    other = types.ModuleType("other")
    other.n = 1
    watch = Watch()
    watch.note(compiled("def f(where, value): where.n = value").__code__, {})
    assert not watch.suspect
    watch.note(compiled("def f(): return other.m").__code__, {"other": types.ModuleType("empty")})
    assert not watch.suspect
    watch.note(compiled("def f(): return other.n").__code__, {"other": other})
    assert watch.suspect


@pytest.mark.parametrize("name", ["globals", "setattr", "delattr", "exec", "eval", "vars"])
def test_all_names_are_watched_where_the_code_may_change_any(name):
    names, spaces, watch = watched(f"A = 1\nL = []\ndef f(): {name}()")
    assert (names, spaces) == ([], 1)
    assert watch.values() == [("A", 1), ("L", [])]


@pytest.mark.parametrize("value", [1, 1.5, "a", None, len, int, sys, np.sum, np.float64(1), (1, (2,))])
def test_what_cannot_change_is_fixed(value):
    assert is_fixed(value)


@pytest.mark.parametrize("value", [[], {}, set(), (1, []), [].append, Rows, compiled, Rows(), np.zeros(1), bytearray()])
def test_what_can_change_is_not(value):
    assert not is_fixed(value)

"""Where a state may be read off, and what belongs to it: live variables, known loops, places that are watched."""

import sys
import types
from types import SimpleNamespace

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
    """The place at the start of a line of the text, None where there is none."""
    code = function.__code__
    starts = [start for start, _, number in code.co_lines() if number == line]
    return places(code).at.get(starts[0])


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
    assert place(compiled(LIVE), line).live == set(READ[line].split()) | GIVEN


def test_what_a_loop_reads_in_its_next_round_is_still_read():
    text = "def f(rng):\n    a = b = 0\n    while rng():\n        c = a\n        a = rng()\n        b = c\n    return 1"
    function = compiled(text)
    assert place(function, 4).live == {"rng", "a"}
    assert place(function, 5).live == {"rng", "c"}
    assert place(function, 6).live == {"rng", "a", "c"}


def test_variables_of_inner_functions_and_those_read_by_name_are_always_read():
    shared = "def f(rng):\n    a = 1\n    def g():\n        return a\n    b = 2\n    rng()\n    return g"
    assert "a" in place(compiled(shared), 6).live
    assert "b" not in place(compiled(shared), 6).live
    for name in ("vars", "eval", "exec", "dir"):
        looking = f"def f(rng):\n    a = 1\n    rng()\n    return {name}('a')"
        assert "a" in place(compiled(looking), 3).live


@pytest.mark.parametrize(
    "text",
    [
        "def f(rng):\n    with rng:\n        rng()\n    return 1",
        "def f(rng):\n    yield 1\n    rng()",
        "async def f(rng):\n    await rng\n    rng()",
        "def f(rng):\n    for x in rng().y:\n        rng()\n",
    ],
)
def test_where_something_lies_on_the_stack_there_is_no_place(text):
    assert place(compiled(text), 3) is None


def loops(iterable, body="rng()", before="pass"):
    """The one for-loop over what is written here."""
    found = compiled(
        f"def f(rng, a, b, self):\n    {before}\n    for x in {iterable}:\n        {body}\n    return a, b\n"
    )
    (loop,) = places(found.__code__).loops.values()
    assert (place(found, 4) is not None) is (loop.entry >= 0)
    return loop


KNOWN = {
    "range(3)": ("", "", ("range",)),
    "range(a)": ("a", "a", ("range",)),
    "a": ("a", "a", ()),
    "zip(a, b)": ("a b", "a b", ("zip",)),
    "enumerate(a)": ("a", "a", ("enumerate",)),
    "a.items()": ("a", "a", ()),
    "(1, 2)": ("", "", ()),
    "[a, b]": ("a b", "a b", ()),
    "TABLE": ("", "", ("TABLE",)),
    "range(-a)": ("a", "a", ("range",)),
    "range(a + 1)": ("a", "a", ("range",)),
}


@pytest.mark.parametrize("iterable", KNOWN)
def test_a_loop_over_names_and_constants_is_known_by_its_steps(iterable):
    loop = loops(iterable)
    names, values, outside = KNOWN[iterable]
    assert loop.entry >= 0
    assert (loop.names, loop.values, loop.globals) == (set(names.split()), set(values.split()), outside)
    kept = compiled(f"def f(rng, a, b, self):\n    pass\n    for x in {iterable}:\n        rng()\n")
    assert place(kept, 4).live >= loop.names


def test_a_loop_over_an_attribute_reads_it():
    loop = loops("self.rows")
    assert (loop.entry >= 0, loop.names, loop.values, loop.attributes) == (True, {"self"}, set(), (("self", "rows"),))


@pytest.mark.parametrize(
    "iterable", ["rng.walk.far", "a[0]", "(y for y in a)", "a if b else (1, 2)", "rng().x", "{*a}", "a @ b or b"]
)
def test_a_loop_over_anything_else_is_not_known(iterable):
    assert loops(iterable).entry == -1


@pytest.mark.parametrize("body", ["a = rng()", "del a", "a += 1", "a, c = 1, 2"])
def test_a_loop_that_assigns_what_it_is_made_of_is_not_known(body):
    assert loops("range(a)", body).entry == -1
    assert loops("range(b)", body).entry >= 0


class Rows(list):
    """A list that may be iterated over in a way of its own."""


@pytest.mark.parametrize(
    ("iterable", "given", "outside", "plain"),
    [
        ("a", [1], {}, True),
        ("a", Rows(), {}, False),
        ("a", iter([1]), {}, False),
        ("a", np.zeros(2), {}, True),
        ("range(a)", 3, {}, True),
        ("a()", lambda: iter([1]), {}, False),
        ("range(a)", 3, {"range": lambda k: iter([k])}, False),
        ("made(a)", 3, {}, False),
        ("made(a)", 3, {"made": lambda k: [k]}, False),
        ("TABLE", 3, {"TABLE": (1, 2)}, True),
        ("TABLE", 3, {"TABLE": Rows()}, False),
        ("a.rows", SimpleNamespace(rows=[1]), {}, True),
        ("a.rows", SimpleNamespace(rows=Rows()), {}, False),
        ("a.rows", SimpleNamespace(), {}, False),
        ("a.items()", {1: 2}, {}, True),
        ("a.items()", SimpleNamespace(items=list), {}, False),
    ],
)
def test_names_must_be_what_they_seem_when_the_loop_runs(iterable, given, outside, plain):
    frame = SimpleNamespace(f_locals={"a": given}, f_globals=outside)
    assert loops(iterable).is_plain(frame, Watch()) is plain


def put_rows(owner):
    owner.rows = []


def put_table():
    global TABLE
    TABLE = ()


def put_by_name(owner):
    setattr(owner, "ro" + "ws", [])


class Made:
    """Puts its rows there when it is made, as everybody does."""

    def __init__(self):
        self.rows = [1]


@pytest.mark.parametrize(
    ("function", "rows", "table"),
    [(put_rows, False, True), (put_table, True, False), (put_by_name, False, False), (Made.__init__, True, True)],
)
def test_what_a_loop_goes_over_must_not_be_put_elsewhere(function, rows, table):
    watch = Watch()
    watch.note(function.__code__, {})
    frame = SimpleNamespace(f_locals={"a": SimpleNamespace(rows=[1])}, f_globals={"TABLE": (1, 2)})
    assert loops("a.rows").is_plain(frame, watch) is rows
    assert loops("TABLE").is_plain(frame, watch) is table
    assert loops("range(3)").is_plain(frame, watch)


def test_a_loop_that_does_nothing_is_found():
    assert places(compiled("def f(rng):\n    while True: pass").__code__).still
    assert not places(compiled("def f(rng):\n    while True: rng()").__code__).still
    assert not places(compiled("def f(rng):\n    rng()").__code__).by_step
    assert places(compiled("def f(rng):\n    for x in rng: pass").__code__).by_step


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
        ("def f(): other.n = 1", ["n"]),
        ("def f(): del other.n", ["n"]),
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


@pytest.mark.parametrize("name", ["globals", "setattr", "delattr", "exec", "eval", "vars"])
def test_all_names_are_watched_where_the_code_may_change_any(name):
    names, spaces, watch = watched(f"A = 1\nL = []\ndef f(): {name}()")
    assert (names, spaces) == ([], 1)
    assert watch.values() == [("A", 1), ("L", [])]


@pytest.mark.parametrize("value", [1, 1.5, "a", None, len, int, sys, np.sum, np.float64(1), (1, (2,))])
def test_what_cannot_change_is_fixed(value):
    assert is_fixed(value)


@pytest.mark.parametrize("value", [[], {}, set(), (1, []), [].append, Rows, loops, Rows(), np.zeros(1), bytearray()])
def test_what_can_change_is_not(value):
    assert not is_fixed(value)

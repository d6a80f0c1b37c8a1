"""The keys of states, value by value: what goes on differently has two keys, and what goes on alike has one."""

import functools
import math
import random
import sys
from array import array
from collections import OrderedDict, defaultdict, deque, namedtuple
from contextvars import ContextVar
from datetime import UTC, date, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import combinations, groupby
from types import SimpleNamespace

import numpy as np
import pytest

from dpaudit.code import lazy, numpy_steps
from dpaudit.code.objects import NoKey
from dpaudit.code.run import Run
from dpaudit.code.states import LASTING, MAX_PARTS, Reader

numpy_steps.install()


def key(*values):
    """The key of the values, read one after the other as the variables of a call are."""
    reader = Reader({})
    return tuple(reader.key(value) for value in values)


def advanced(made, steps):
    for _ in range(steps):
        next(made)
    return made


def grown(*entries, less):
    """A set that these entries were put into one by one, and then some taken out."""
    made = set()
    for entry in entries:
        made.add(entry)
    for entry in less:
        made.discard(entry)
    return made


def bound(number):
    return lambda: number


def filled(full):
    def get():
        return value

    if full:
        value = 1
    return get


def with_attribute(value):
    def f():
        pass

    f.n = value
    return f


def with_defaults(a, b):
    def f(x=a, *, y=b):
        return x, y

    return f


def by_place(a):
    def f(x=a):
        return x

    return f


def by_name(b):
    def f(*, y=b):
        return y

    return f


def context(value):
    made = ContextVar("made")
    made.set(value)
    return made


def a_class(value, base=object, **more):
    return type("Made", (base,), {"__module__": __name__, "n": value, **more})


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class OneSlot:
    __slots__ = "value"

    def __init__(self, value):
        self.value = value


class Plain:
    def __init__(self, a):
        self.a = a

    def method(self):
        return self.a

    def other(self):
        return self.a


class Whole(int): ...


class Real(float): ...


class Text(str): ...


class Bytes(bytes): ...


class Pair(tuple): ...


class Frozen(frozenset): ...


class Row(list): ...


class Table(dict): ...


class Line(deque): ...


class Colour(Enum):
    RED = 1
    BLUE = 2


def attributed(kind, given, value):
    made = kind(given)
    made.note = value
    return made


Named, Other = namedtuple("Named", "a"), namedtuple("Other", "a")
SHARED = [0]
DIFFERENT = {
    "ones": (1, 1.0, True, np.int64(1), np.int32(1), np.float64(1), Fraction(1), Decimal(1), "1", b"1", 1 + 0j, None),
    "zeros": (0.0, -0.0, np.float64(0.0), np.float64(-0.0), 0, False, math.nan),
    "complex": (0j, complex(0.0, -0.0), complex(-0.0, 0.0), complex(1, 0)),
    "decimals": (Decimal("1.0"), Decimal("1.00"), Decimal("-1.0")),
    "ranges": (range(0), range(1, 1), range(0, 0, 2), range(2), range(2, 0)),
    "sequences": ((1, 2), [1, 2], [2, 1], [1], [[1], 2], deque([1, 2]), (), [], {}),
    "deques": (deque([1]), deque([1], maxlen=1), deque([1], maxlen=2), deque([2])),
    "dicts": ({1: 2, 3: 4}, {3: 4, 1: 2}, {1: 2}, {1: 3}, {2: 2}, {1: 2, 3: 5}),
    "bytes": (bytearray(b"a"), bytearray(b"b"), b"a", "a"),
    "sets": (
        *(set(), frozenset(), {1}, {2}, frozenset([1]), frozenset([2]), {1, 2}, {1, 3}, {0, 8}, {8, 0}, {0, 1, 2}),
        *(grown(0, 8, less=[8]), grown(8, 0, less=[8]), grown(*range(40), less=range(40)), frozenset([1, 2])),
    ),
    "aliases": ([SHARED, SHARED], [[0], [0]], [SHARED, [0], SHARED]),
    "arrays": (
        *(np.zeros((1, 2)), np.zeros((2, 1)), np.zeros(2), np.zeros(2, np.int64), np.ones(2), np.zeros(4, np.float32)),
        *(np.array([1, 2], object), np.array([1, 2.0], object), np.array([[1, 2]], object), array("i", [0, 0])),
    ),
    "arrays of Python": (array("i", [1]), array("I", [1]), array("i", [2]), array("i", [1, 1])),
    "iterators": (
        *(advanced(iter([1, 2, 3]), k) for k in range(3)),
        *(advanced(iter((1, 2, 3)), k) for k in range(3)),
        *(advanced(iter("abc"), k) for k in range(3)),
        *(advanced(iter(range(3)), k) for k in range(3)),
        *(advanced(iter(range(1 << 70)), k) for k in range(3)),
        *(advanced(enumerate([1, 2, 3]), k) for k in range(3)),
        *(advanced(zip([1, 2, 3], strict=False), k) for k in range(3)),
        *(advanced(reversed([1, 2, 3]), k) for k in range(3)),
        *(iter([1, 2, 4]), [1, 2, 3]),
    ),
    "methods": (
        *([1].append, [2].append, [1].extend, Plain(1).method, Plain(1).other, Plain(2).method, {1: 1}.get, {1: 2}.get),
        *(len, abs, math.floor, int.from_bytes),
    ),
    "functions": (bound(1), bound(2), filled(True), filled(False), filled, bound, lambda: 1),
    "of functions": (
        *(with_attribute(1), with_attribute(2), with_defaults(1, 1), with_defaults(2, 1), with_defaults(1, 2)),
        *(by_place(1), by_place(2), by_name(1), by_name(2)),
        *(functools.partial(bound, 1), functools.partial(bound, 2), functools.partial(with_defaults, 1)),
        *(functools.partial(bound, number=1), attributed(lambda f: functools.partial(f, 1), bound, 1)),
    ),
    "spaces": (SimpleNamespace(a=1), SimpleNamespace(a=2), SimpleNamespace(b=1), context(1), context(2)),
    "times": (
        *(date(2020, 1, 1), date(2020, 1, 2), time(1), time(2), timedelta(1), timedelta(2)),
        *(UTC, timezone(timedelta(hours=1))),
    ),
    "instances": (
        *(
            Plain(1),
            Plain(2),
            Plain([1]),
            Slots(1, 2),
            Slots(2, 1),
            Slots(1, 1),
            OneSlot(1),
            OneSlot(2),
            Named(1),
            Named(2),
            Other(1),
        ),
        *(Colour.RED, Colour.BLUE, object(), object()),
    ),
    "whole": (Whole(1), Whole(2), 1, attributed(Whole, 1, 0), attributed(Whole, 1, 1)),
    "real": (Real(1), Real(2), 1.0, Real(-0.0), Real(0.0), attributed(Real, 1, 0)),
    "text": (Text("a"), Text("b"), "a", attributed(Text, "a", 0), Bytes(b"a"), Bytes(b"b")),
    "pairs": (Pair([1]), Pair([2]), Pair([1, 1]), (1,), attributed(Pair, [1], 0), Frozen([1]), Frozen([2])),
    "rows": (Row([1]), Row([2]), [1], attributed(Row, [1], 0), Row([Row([1])])),
    "tables": (
        *(Table({1: 2}), Table({1: 3}), Table({2: 2}), {1: 2}, attributed(Table, {1: 2}, 0)),
        *(defaultdict(int, {1: 2}), defaultdict(list, {1: 2}), OrderedDict({1: 2})),
    ),
    "lines": (Line([1]), Line([2]), Line([1], 1), Line([1], 2), deque([1])),
    "classes": (a_class(1), a_class(2), a_class(1, a_class(1)), a_class(1, a_class(2)), int, Plain, Slots),
}
"""Lists of values no two of which go on alike."""


@pytest.mark.parametrize("kind", DIFFERENT)
def test_values_that_go_on_differently_have_two_keys(kind):
    reader = {}
    keys = [Reader(reader).key(value) for value in DIFFERENT[kind]]
    for (a, first), (b, second) in combinations(zip(DIFFERENT[kind], keys, strict=True), 2):
        assert first != second, (a, b)
        assert hash(first) is not None


ALIKE = {
    "numbers": lambda: [1, 1.0, True, np.int64(3), np.float64(0.1), Fraction(1, 3), Decimal("1.0"), 1j, math.nan],
    "containers": lambda: [
        (1, [2]),
        {"a": [1]},
        deque([1], 3),
        bytearray(b"a"),
        {1, 9, 17},
        frozenset([2, 3]),
        range(3),
    ],
    "arrays": lambda: [np.zeros((2, 2)), np.array([float("1.5"), [1]], object), array("d", [1.5])],
    "iterators": lambda: [advanced(iter([1, 2, 3]), 1), enumerate([1, 2]), zip([1], [2], strict=False), iter("ab")],
    "functions": lambda: [bound(1), filled(True), filled(False), with_defaults(1, [2]), with_attribute(3), [].append],
    "instances": lambda: [Plain(1), Slots(1, [2]), Named(1), Row([1]), Table(a=1), Line([1], 2), Text("a"), Whole(3)],
    "others": lambda: [SimpleNamespace(a=1), date(2020, 1, 1), Colour.RED, functools.partial(bound, 1)],
    "sources": lambda: [random.Random(random.getrandbits(9)), np.random.default_rng(), np.random.RandomState()],
}


@pytest.mark.parametrize("kind", ALIKE)
def test_values_that_go_on_alike_have_one_key(kind):
    keep = {}
    first, second = ALIKE[kind](), ALIKE[kind]()
    for one, other in zip(first, second, strict=True):
        assert Reader(keep).key(one) == Reader(keep).key(other), one
    assert Reader(keep).key(first) == Reader(keep).key(second)


@pytest.mark.parametrize(
    "value", [(k for k in "ab"), groupby("ab"), sys.stderr.buffer, [groupby("ab")], {1: iter(sys.stderr.buffer)}]
)
def test_what_cannot_be_read_has_no_key(value):
    with pytest.raises(NoKey):
        key(value)


def test_a_value_of_very_many_parts_has_no_key():
    assert key([0] * (MAX_PARTS - 1))
    with pytest.raises(NoKey):
        key([0] * MAX_PARTS)


def test_a_class_is_known_by_what_it_holds_now():
    base = a_class(1)
    kind = a_class(0, base)
    lists = [[1], [2], [3], [4]]
    members = {
        "static": staticmethod(with_defaults(1, lists[0])),
        "made": classmethod(with_defaults(1, lists[1])),
        "__call__": with_defaults(1, lists[2]),
        "held": lists[3],
    }
    others = [a_class(0, **{name: member}) for name, member in members.items()]

    def keys():
        return [key(value) for value in (kind, kind(), base, *others)]

    before = keys()
    base.n = 2
    for held in lists:
        held.append(0)
    assert all(a != b for a, b in zip(before, keys(), strict=True))
    base.n = 1
    for held in lists:
        held.pop()
    assert before == keys()


def test_the_names_of_what_a_class_and_a_call_hold_belong_to_them():
    kind = a_class(0)
    before = key(kind)
    kind.m = kind.n
    del kind.n
    assert key(kind) != before

    def read(watched=(), live="ab", **variables):
        names = {"frame": sys._getframe, **variables}
        exec("def f(" + ", ".join(variables) + "): return frame()", names)
        frame, watch = names["f"](**variables), SimpleNamespace(values=lambda: watched)
        return Reader({}).frame(frame, frozenset(live), [], watch)

    calls = [read(a=1), read(b=1), read(a=1, b=2), read(a=2, b=1), read([1], a=1), read([2], a=1), read(a=[1, 1])]
    assert len(set(calls)) == len(calls)
    assert read(a=1, c=1) == read(a=1, c=2)
    with pytest.raises(NoKey):
        read(a=a_class(0, str, __getattribute__=lambda self, name: 1 / 0)())
    shared = [0]
    assert read(a=shared, b=shared) != read(a=[0], b=[0])
    assert read([shared], a=shared) != read([[0]], a=[0])


def test_an_array_of_objects_is_known_by_what_they_are_now():
    held = [0]
    values = np.array([held, None], object)
    before = key(values)
    held.append(1)
    assert key(values) != before


def test_what_is_made_to_be_read_is_not_taken_for_what_was_read_before():
    def made(numbers):
        rows = [functools.partial(bound, k) for k in numbers]
        return [*rows, *(Row([k]) for k in numbers), *(advanced(iter([k]), 0) for k in numbers), *map(Plain, numbers)]

    assert key(made([1, 2, 3])) != key(made([1, 2, 4])) != key(made([1, 1, 1]))


def test_lists_that_are_one_object_are_told_from_two_that_are_equal():
    shared, ring = [0], []
    ring.append(ring)
    assert key(shared, shared) != key([0], [0])
    assert key(shared, [1], shared) != key([0], shared, shared)
    assert key([shared, shared], shared) == key(*(lambda a: ([a, a], a))([0]))
    assert key(ring) != key([[]])


# ------------------------------------------------------------------ open numbers


def drawn(before=0, size=8):
    """A run that has drawn so often before."""
    run = Run(())
    for _ in range(before):
        run.draw(5)
    return run, size


def cut(value, lo, hi):
    (draw,) = value.directions
    draw.lo, draw.hi = lo, hi
    return value


def below(before=0, size=8, start=0, kind=int):
    run, size = drawn(before, size)
    return lazy.below(run, size, start, kind)


def test_open_numbers_are_known_by_their_draws_and_what_is_known_of_them():
    same = [below(), below(before=3)]
    assert key(same[0]) == key(same[1])
    others = [
        *(below(size=9), below(start=1), below(kind=np.int64), cut(below(), 0, 7), cut(below(), 1, 8)),
        *(cut(below(), 1, 7), below() + 1, below() + 2, below() * 2, -below(), lazy.uniform(Run(()))),
    ]
    strided, shifted = below(), below()
    for value, stride, offset in ((strided, 2, 0), (shifted, 1, 1)):
        (draw,) = value.directions
        draw.stride, draw.offset = stride, offset
    keys = [key(value) for value in [same[0], *others, strided, shifted]]
    assert len(set(keys)) == len(keys)


def test_two_open_numbers_of_one_draw_are_told_from_those_of_two():
    run = Run(())
    a, b = lazy.uniform(run), lazy.uniform(run)
    assert key(a, a) == key(b, b)
    assert key(a, b) == key(b, a)
    assert key(a + b + a) == key(b + a + b)
    apart = [(a, a), (a, b), (a, a + 1), (a, b + 1), (a + b, a), (a + b,), (a + b + a,), (a + b + b,), (a - b, a)]
    keys = [key(*values) for values in [*apart, (a - b, b), (a, b, a - b), (a, b, b - a), (a, b, a), (a, b, b)]]
    assert len(set(keys)) == len(keys)
    assert Reader({}).others(run.draws[:1]) != Reader({}).others(run.draws)


def test_draws_made_before_the_call_are_known_by_their_numbers():
    first, second = Run(()), Run(())
    for run in (first, second):
        run.draw(8)
    assert Reader({}).others(first.draws) == Reader({}).others(second.draws)
    for change in ({"lo": 1}, {"hi": 7}, {"stride": 2}, {"offset": 1}):
        for name, value in change.items():
            old = getattr(second.draws[0], name)
            setattr(second.draws[0], name, value)
            assert Reader({}).others(first.draws) != Reader({}).others(second.draws), change
            setattr(second.draws[0], name, old)


def test_finding_an_object_keeps_nothing_of_theirs_alive():
    function, put = (lambda: 1), [].append
    reader, before = Reader({}), dict(LASTING)
    for value in (function, put, a_class(0), str.join):
        assert reader._find(id(value)) is value
    assert LASTING.keys() - before.keys() <= {id(str.join)}
    with pytest.raises(NoKey):
        reader._find(1)

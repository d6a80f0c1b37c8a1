"""Every place that can keep a flag, times every way in which code comes to set it: the law must know them all.

Each program draws a rare flag, keeps it somewhere, rejects in a loop, goes an unlikely way, and only then reads it. The
net below merged states is off: the states alone must tell the flag.
"""

import textwrap
from fractions import Fraction

import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source

RARE, LATE = Fraction(1, 16), Fraction(1, 16)
KEPT = {
    "a list": ("box = [0]", "box[0] = 1", "box[0]"),
    "a list that is emptied": ("box = [0]", "box.clear()", "not box"),
    "a nested list": ("box = ((0, [0]), 1)", "box[0][1][0] = 1", "box[0][1][0]"),
    "a dict": ("box = {}", "box['k'] = 1", "'k' in box"),
    "the order of a dict": ("box = {1: 0, 2: 0}", "box[1] = box.pop(1)", "next(iter(box)) == 2"),
    "a default dict": ("from collections import defaultdict\nbox = defaultdict(list)", "box[3]", "3 in box"),
    "a counter": ("from collections import Counter\nbox = Counter()", "box['a'] += 1", "box['a']"),
    "an ordered dict": (
        "from collections import OrderedDict\nbox = OrderedDict(a=1, b=2)",
        "box.move_to_end('a')",
        "next(iter(box)) == 'b'",
    ),
    "a set": ("box = set()", "box.add(1)", "1 in box"),
    "a deque": ("from collections import deque\nbox = deque([1, 2])", "box.rotate(1)", "box[0] == 2"),
    "bytes": ("box = bytearray(1)", "box[0] = 1", "box[0]"),
    "an array": ("import array\nbox = array.array('i', [0])", "box[0] = 1", "box[0]"),
    "an array of numpy": ("box = np.zeros(2)", "box[1] = 1", "box[1]"),
    "a view": ("base = np.zeros(3)\nbox = base[1:]", "box[0] = 1", "base[1]"),
    "flags of an array": ("box = np.zeros(1)", "box.flags.writeable = False", "not box.flags.writeable"),
    "an attribute": ("box = Box()", "box.flag = 1", "getattr(box, 'flag', 0)"),
    "a slot": ("box = Slots()", "box.flag = 1", "hasattr(box, 'flag')"),
    "a property": ("box = Hidden()", "box.flag = 1", "box.flag"),
    "a class": ("Box.flag = 0", "Box.flag = 1", "Box.flag"),
    "a metaclass": ("Meta.flag = 0", "Meta.flag = 1", "Meta.flag"),
    "a class of its own": ("class Own:\n    flag = 0", "Own.flag = 1", "Own.flag"),
    "a data class": ("box = Data(0)", "box.flag = 1", "box.flag"),
    "a function": ("def keeper(): pass", "keeper.flag = 1", "hasattr(keeper, 'flag')"),
    "a default argument": ("def keeper(box=[]): return box", "keeper().append(1)", "keeper()"),
    "the code of a function": ("def keeper(): return 0", "keeper.__code__ = other.__code__", "keeper()"),
    "a global": ("STATE['flag'] = 0", "STATE['flag'] = 1", "STATE['flag']"),
    "a module": ("module.flag = 0", "module.flag = 1", "module.flag"),
    "a variable of a closure": ("flag = 0", "nonlocal flag\nflag = 1", "flag"),
    "an iterator": ("box = iter([0, 1])", "next(box)", "next(box)"),
    "a count": ("import itertools\nbox = itertools.count()", "next(box)", "next(box)"),
    "zip": ("box = zip([0, 1], [0, 1])", "next(box)", "next(box)[0]"),
    "a generator": ("box = (k for k in (0, 1))", "next(box)", "next(box)"),
    "what is sent": ("box = echo()\nnext(box)", "box.send(1)", "box.send(0)"),
    "an exception": ("box = ValueError()", "box.flag = 1", "hasattr(box, 'flag')"),
    "notes of an exception": ("box = ValueError()", "box.add_note('a')", "hasattr(box, '__notes__')"),
    "the cause of an exception": ("box = ValueError()", "box.__cause__ = KeyError()", "box.__cause__ is not None"),
    "a partial": (
        "import functools\nbox = functools.partial(max, 0, 0)",
        "box.keywords['default'] = 1",
        "box.keywords",
    ),
    "a bound method": ("put = [].append", "put(1)", "len(put.__self__)"),
    "a context": ("VARIABLE.set(0)", "VARIABLE.set(1)", "VARIABLE.get()"),
    "local to a thread": ("LOCAL.flag = 0", "LOCAL.flag = 1", "LOCAL.flag"),
    "a text in memory": ("import io\nbox = io.StringIO()", "box.write('a')", "box.getvalue()"),
    "a queue": ("import queue\nbox = queue.SimpleQueue()", "box.put(1)", "not box.empty()"),
    "a heap": ("import heapq\nbox = [2]", "heapq.heappush(box, 1)", "box[0] == 1"),
    "a cache": ("cached.cache_clear()", "cached(1)", "cached.cache_info().currsize"),
    "a dict of classes": ("box = {int: [0]}", "box[int][0] = 1", "box[int][0]"),
    "decimal": ("import decimal\ndecimal.getcontext().rounding = 'ROUND_UP'\nbox = Box()", "box.flag = 1", "box.flag"),
    "two names of one list": (
        "box = [0]\ntwin = [0]",
        "nonlocal twin\ntwin = box",
        "(box.append(1), len(twin) == 2)[1]",
    ),
}
COMING = {
    "called": "change()",
    "in a for-loop": "for _ in [1]:\n    change()",
    "in a while-loop": "left = 1\nwhile left:\n    left -= 1\n    change()",
    "in a with-block": "with contextlib.suppress(KeyError):\n    change()",
    "in a generator that is a context": "with around():\n    change()",
    "before a finally": "try:\n    change()\nfinally:\n    spin(rng)",
    "in a finally": "try:\n    spin(rng)\nfinally:\n    change()",
    "in a handler": "try:\n    raise KeyError\nexcept KeyError:\n    change()",
    "in a comprehension": "[change() for _ in (1,)]",
    "in a generator": "sum(change() for _ in (1,))",
    "by map": "list(map(lambda _: change(), (1,)))",
    "by a key": "sorted([1], key=lambda _: change())",
    "by an operator": "Acting(change) + 1",
    "by a property": "Acting(change).now",
    "by a decorator": "decorated(change)()",
    "by a partial": "functools.partial(lambda act: act(), change)()",
    "in an expression": "[0][change()]",
    "in a condition": "1 if change() else 0",
    "by recursion": "deeper(3, change)",
    "in a match": "match change():\n    case 0:\n        spin(rng)",
    "by reduce": "functools.reduce(lambda a, b: a + change(), (1,), 0)",
    "by a callable object": "Acting(change)()",
}
HEAD = """
import contextlib, functools, threading, types
from contextvars import ContextVar
from dataclasses import dataclass
import numpy as np
STATE = {"flag": 0}
VARIABLE = ContextVar("variable", default=0)
LOCAL = threading.local()
module = types.ModuleType("a_module")
class Meta(type): flag = 0
class Box(metaclass=Meta): flag = 0
class Slots: __slots__ = ("flag", "other")
class Hidden:
    _flag = 0
    @property
    def flag(self): return self._flag
    @flag.setter
    def flag(self, value): self._flag = value
@dataclass
class Data: flag: int
class Acting:
    def __init__(self, act): self.act = act
    def __add__(self, other): return self.act()
    def __call__(self): return self.act()
    @property
    def now(self): return self.act()
def decorated(function):
    @functools.wraps(function)
    def wrapped(*given, **named): return function(*given, **named)
    return wrapped
def deeper(depth, act): return deeper(depth - 1, act) if depth else act()
def echo():
    got = 0
    while True:
        new = yield got
        got = new or got
def other(): return 1
@functools.cache
def cached(k): return k
@contextlib.contextmanager
def around():
    yield 1
def spin(rng):
    while rng.randrange(2): pass
def late(rng):
    spin(rng)
    for i in range(2):
        if rng.randrange(4): return i
"""


def program(kept, coming):
    """The sampler that keeps its flag in this way and comes to set it in that one."""
    begin, put, read = KEPT[kept]
    text = "def sample(rng):\n" + textwrap.indent(begin, "    ")
    inner = [line for line in put.split("\n") if line.startswith("nonlocal")]
    acts = [line for line in put.split("\n") if not line.startswith("nonlocal")]
    change = ["def change():", *(f"    {line}" for line in inner), "    if rng.randrange(16) == 0:"]
    change += [*(f"        {line}" for line in acts), "    spin(rng)", "    return 0"]
    text += "\n" + textwrap.indent("\n".join(change), "    ") + "\n" + textwrap.indent(COMING[coming], "    ")
    text += f"\n    found = late(rng)\n    return found if found is not None else bool({read})\n"
    names = {"__name__": "a_stranger"}
    exec(compile(HEAD + text, "a_stranger.py", "exec"), names)
    return names["sample"]


@pytest.mark.parametrize("kept", KEPT)
def test_the_flag_is_seen_wherever_it_is_kept(kept, long, monkeypatch):
    """Of the ways to set it every fifth one, another for each place; all 1034 programs with --long."""
    monkeypatch.setattr(Session, "_try_merges", lambda *_: None)
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    rng, wrong = Source(), []
    for coming in COMING if long else list(COMING)[list(KEPT).index(kept) % 5 :: 5]:
        sample = program(kept, coming)
        law = Session(Budget(residual=Fraction(1, 1 << 9), seconds=10)).law(lambda sample=sample: sample(rng))
        found = dict(zip(law.outputs, law.lower, strict=True))
        seen, unseen = found.get(True, 0), found.get(False, 0)
        right = seen <= RARE * LATE <= seen + law.residual and unseen <= (1 - RARE) * LATE <= unseen + law.residual
        wrong += [] if right else [(coming, float(seen), float(unseen), float(law.residual))]
    assert wrong == []

"""Every place that can keep a flag, times every way in which code comes to set it: the law must know them all.

Each program draws a rare flag, keeps it somewhere, rejects in a loop, goes an unlikely way, and only then reads it. The
trials that hold a law against plain runs are off: the closed list alone must do.
"""

import tempfile
from fractions import Fraction

import pytest

from dpaudit.code.law import Refused, Session
from tests.code.snippets import law, sampler

RARE, LATE = Fraction(1, 4), Fraction(1, 4)
PLACES = """
a list | box = [0] | box[0] = 1 | box[0]
a list that grows | box = ([],) | twin = box[0]; twin += [1] | box[0]
a nested list | box = ((0, [0]), 1) | box[0][1][0] = 1 | box[0][1][0]
a dict | box = {} | box['k'] = 1 | 'k' in box
a set | box = set() | box.add(1) | 1 in box
bytes | box = bytearray(1) | box[0] = 1 | box[0]
an array of numpy | box = np.zeros(2) | box[1] = 1 | box[1]
a view | base = np.zeros(3); box = base[1:] | box[0] = 1 | base[1]
an attribute | box = Box() | box.flag = 1 | getattr(box, 'flag', 0)
a slot | box = Slots() | box.flag = 1 | hasattr(box, 'flag')
a property | box = Hidden() | box.flag = 1 | box.flag
a class | Box.flag = 0 | Box.flag = 1 | Box.flag
a metaclass | Meta.flag = 0 | Meta.flag = 1 | Meta.flag
a class of its own | class Own: flag = 0 | Own.flag = 1 | Own.flag
a function | def keeper(): pass | keeper.flag = 1 | hasattr(keeper, 'flag')
the code of a global function | coded.__code__ = held.__code__; coded() | coded.__code__ = other.__code__ | coded()
a default that was none | asking.__defaults__ = None; asking(0) | asking.__defaults__ = (1,) | asking.__defaults__ and asking()
the defaults of a function | given.__defaults__ = (0,) | given.__defaults__ = (1,) | given()
a default argument | def keeper(box=[]): return box | keeper().append(1) | keeper()
the code of a function | def keeper(): return 0 | keeper.__code__ = other.__code__ | keeper()
a global | STATE['flag'] = 0 | STATE['flag'] = 1 | STATE['flag']
a module | module.flag = 0 | module.flag = 1 | module.flag
a variable of a closure | flag = 0 | nonlocal flag; flag = 1 | flag
an iterator | box = iter([0, 1]) | next(box) | next(box)
zip | box = zip([0, 1], [0, 1]) | next(box) | next(box)[0]
a generator | box = (k for k in (0, 1)) | next(box) | next(box)
what is sent | box = echo(); next(box) | box.send(1) | box.send(0)
an exception | box = ValueError() | box.flag = 1 | hasattr(box, 'flag')
a partial | import functools; box = functools.partial(max, 0, 0) | box.keywords['default'] = 1 | box.keywords
a bound method | put = [].append | put(1) | len(put.__self__)
a context | VARIABLE.set(0) | VARIABLE.set(1) | VARIABLE.get()
a cache | cached.cache_clear() | cached(1) | cached.cache_info().currsize
decimal | import decimal; decimal.getcontext().rounding = 'ROUND_UP'; box = Box() | box.flag = 1 | box.flag
two names of one list | box = [0]; twin = [0] | nonlocal twin; twin = box | (box.append(1), len(twin) == 2)[1]
the register of an abstract class | import abc; class Flag(abc.ABC): pass | Flag.register(int) | isinstance(1, Flag)
a register that was there before | Abstract = fresh_abstract() | Abstract.register(int) | isinstance(1, Abstract)
a generic function | show = fresh_dispatch() | show.register(int, lambda _: 1) | show(1)
the limit of recursion | import sys; usual = sys.getrecursionlimit() | sys.setrecursionlimit(usual + 1) | (sys.getrecursionlimit() > usual, sys.setrecursionlimit(usual))[0]
the settings of numpy | np.seterr(all='ignore') | np.seterr(all='raise') | np.geterr()['over'] == 'raise'
how numpy prints | np.set_printoptions(precision=8) | np.set_printoptions(precision=2) | str(np.array([1 / 3])) == '[0.33]'
filters of warnings | import warnings; warnings.resetwarnings() | warnings.simplefilter('error') | bool(warnings.filters)
the environment | import os; os.environ.pop('A_FLAG', None) | os.environ['A_FLAG'] = '1' | 'A_FLAG' in os.environ
a file | open(FILE, 'w').close() | open(FILE, 'w').write('1') | open(FILE).read()
the precision of decimal | import decimal; decimal.getcontext().prec = 28 | decimal.getcontext().prec = 3 | len(str(decimal.Decimal(1) / 3)) < 9
flags of decimal | import decimal; decimal.getcontext().clear_flags() | decimal.Decimal(1) / 3 | decimal.getcontext().flags[decimal.Inexact]
a builtin | import builtins; builtins.a_flag = 0 | builtins.a_flag = 1 | a_flag
the table of modules | import sys; sys.modules.pop('a_flag', None) | sys.modules['a_flag'] = sys | 'a_flag' in sys.modules
a logger | import logging; logging.getLogger('a').setLevel(30) | logging.getLogger('a').setLevel(10) | logging.getLogger('a').level == 10
a hook of exits | import atexit; before = atexit._ncallbacks() | atexit.register(int) | atexit._ncallbacks() > before
a weak reference | import weakref; box = weakref.WeakSet() | box.add(Box) | len(box)
a match object | import re; box = re.finditer('a', 'aa') | next(box) | sum(1 for _ in box) == 1
the attributes of rng | rng.flag = 0 | rng.flag = 1 | rng.flag
a descriptor | box = Described(); box.value = 0 | box.value = 1 | box.value
the entries of a class | class Own: pass | setattr(Own, 'flag', 1) | hasattr(Own, 'flag')
an array inside a tuple | box = (np.zeros(1), 0) | box[0][0] = 1 | box[0][0]
a row of an array | base = np.zeros((2, 2)); box = base[0] | np.add(box, 1, out=box) | base[0, 0]
an object in a list | box = [Plain()] | box[0].flag = 1 | box[0].flag
a method that stores | box = Plain() | box.put() | box.flag
"""  # noqa: E501
KEPT = {name: parts for name, *parts in (line.split(" | ") for line in PLACES.strip().split("\n"))}
"""By the place: how it is made, how the flag is set there, how it is read; statements end with "; "."""
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
    "by an operator": "Acting(change) + 1",
    "by a decorator": "decorated(change)()",
    "in a condition": "1 if change() else 0",
    "by recursion": "deeper(3, change)",
    "in a match": "match change():\n    case 0:\n        spin(rng)",
    "by a callable object": "Acting(change)()",
}
HEAD = """
import abc, contextlib, functools, tempfile, types
from contextvars import ContextVar
import numpy as np
STATE = {"flag": 0}
VARIABLE = ContextVar("variable", default=0)
module = types.ModuleType("a_module")
class Meta(type): flag = 0
class Box(metaclass=Meta): flag = 0
class Plain:
    flag = 0
    def put(self): self.flag = 1
class Kept:
    def __get__(self, owner, kind): return self.__dict__.get("kept", 0)
    def __set__(self, owner, value): self.kept = value
class Described: value = Kept()
FILE = tempfile.gettempdir() + "/flag"
def fresh_abstract():
    class Abstract(abc.ABC): pass
    return Abstract
def fresh_dispatch(): return functools.singledispatch(lambda _: 0)
class Slots: __slots__ = ("flag", "other")
class Hidden:
    _flag = 0
    @property
    def flag(self): return self._flag
    @flag.setter
    def flag(self, value): self._flag = value
class Acting:
    def __init__(self, act): self.act = act
    def __add__(self, other): return self.act()
    def __call__(self): return self.act()
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
def given(k=0): return k
def held(): return 0
def asking(k): return k
def coded(): return 2
@functools.cache
def cached(k): return k
@contextlib.contextmanager
def around():
    yield 1
def spin(rng):
    while rng.randrange(4) == 0: pass
def late(rng):
    spin(rng)
    for i in range(2):
        if rng.randrange(2): return "ab"[i]  # no 0 or 1, which would pass for a flag
"""


def program(kept, coming):
    """The sampler that keeps its flag in this way and comes to set it in that one."""
    begin, put, read = (part.replace("; ", "\n") for part in KEPT[kept])
    inner = [line for line in put.split("\n") if line.startswith("nonlocal")]
    acts = [line for line in put.split("\n") if not line.startswith("nonlocal")]
    change = ["def change():", *(f"    {line}" for line in inner), "    if rng.randrange(4) == 0:"]
    change += [*(f"        {line}" for line in acts), "    spin(rng)", "    return 0"]
    end = f"found = late(rng)\nreturn found if found is not None else bool({read})"
    return sampler("\n".join([begin, *change, COMING[coming], end]), HEAD)


def is_right(sample):
    """Whether the law contains the true one; the residual may be large, a refusal is right too."""
    try:
        found = law(sample, residual=Fraction(1, 1 << 6), seconds=10)
    except Refused:
        return True
    lower = dict(zip(found.outputs, found.lower, strict=True))
    seen, unseen = lower.get(True, 0), lower.get(False, 0)
    rare, usual = RARE * LATE, (1 - RARE) * LATE
    return seen <= rare <= seen + found.residual and unseen <= usual <= unseen + found.residual


@pytest.mark.parametrize("kept", KEPT)
def test_the_flag_is_seen_wherever_it_is_kept(kept, long, monkeypatch, tmp_path):
    """Of the ways to set it one, another for each place; all of them with --long."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    ways = COMING if long else list(COMING)[list(KEPT).index(kept) % len(COMING) :][:1]
    assert [coming for coming in ways if not is_right(program(kept, coming))] == []

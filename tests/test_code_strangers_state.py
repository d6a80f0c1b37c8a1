"""Where strangers keep state: in classes, functions, modules, containers. Each lay outside what was compared, and the
law lacked an output of probability 2^-7 without a word. The code is run in modules of its own, as a user has it."""

import builtins
import sys
from fractions import Fraction
from types import ModuleType

import pytest

import dpaudit
from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source
from dpaudit.numbers.errors import InputError

HELPER = """
n = 0
def reset():
    global n
    n = 0
def bump():
    global n
    n += 1
"""
"""A module beside the code."""
PLACES = {
    "class_attribute": (
        "class C: n = 0",
        "C.n = 0",
        "C.n += 1",
        "C.n",
    ),
    "class_of_an_instance": (
        "class C:\n    box = []\n    def up(self): self.box.append(1)",
        "c = C(); c.box.clear()",
        "c.up()",
        "len(c.box)",
    ),
    "function_attribute": (
        "def f(): f.n += 1",
        "f.n = 0",
        "f()",
        "f.n",
    ),
    "default_argument": (
        "def f(a=[0]):\n    a[0] += 1\n    return a",
        "f.__defaults__[0][0] = 0",
        "f()",
        "f.__defaults__[0][0]",
    ),
    "keyword_default": (
        "def f(*, a=[0]): a[0] += 1",
        "k = f.__kwdefaults__; k['a'][0] = 0",
        "f()",
        "f.__kwdefaults__['a'][0]",
    ),
    "another_module": (
        "import a_helper_of_a_stranger as h",
        "h.reset()",
        "h.bump()",
        "h.n",
    ),
    "attribute_of_a_module": (
        "import a_helper_of_a_stranger as h",
        "h.n = 0",
        "h.n += 1",
        "h.n",
    ),
    "counter": (
        "from collections import Counter\nG = Counter()",
        "G.clear()",
        "G['a'] += 1",
        "G['a']",
    ),
    "defaultdict": (
        "from collections import defaultdict\nG = defaultdict(int)",
        "G.clear()",
        "G['a'] += 1",
        "G['a']",
    ),
    "namespace": (
        "from types import SimpleNamespace\nG = SimpleNamespace()",
        "G.n = 0",
        "G.n += 1",
        "G.n",
    ),
    "array": (
        "from array import array\nG = array('i', [0])",
        "G[0] = 0",
        "G[0] += 1",
        "G[0]",
    ),
    "context_variable": (
        "from contextvars import ContextVar\nG = ContextVar('g')",
        "G.set(0)",
        "G.set(G.get() + 1)",
        "G.get()",
    ),
    "of_a_thread": (
        "from threading import local\nG = local()",
        "G.n = 0",
        "G.n += 1",
        "G.n",
    ),
    "queue": (
        "from queue import Queue",
        "global G; G = Queue()",
        "G.put(1)",
        "G.qsize()",
    ),
    "generator": (
        "from itertools import count",
        "global G; G = count()",
        "next(G)",
        "next(G)",
    ),
    "bound_method": (
        "L = []\npush, size = L.append, L.__len__\ndef clear(l=L): l.clear()",
        "clear()",
        "push(1)",
        "size()",
    ),
    "named_globals": (
        "",
        "globals()['g'] = 0",
        "globals()['g'] += 1",
        "g",
    ),
    "timedelta": (
        "from datetime import timedelta",
        "s = timedelta(0)",
        "s += timedelta(1)",
        "s.days",
    ),
    "named_tuple": (
        "from collections import namedtuple\nN = namedtuple('N', 'a')",
        "s = N(0)",
        "s = N(s.a + 1)",
        "s.a",
    ),
    "argument_no_longer_read": (
        "def up(box):\n    box.append(1)\n    box = None\n    return 0",
        "s = []",
        "up(s)",
        "len(s)",
    ),
    "hidden_slot": (
        "class C:\n    __slots__ = ('__n',)\n    def __init__(self): self.__n = 0\n"
        "    def up(self): self.__n += 1\n    def get(self): return self.__n",
        "c = C()",
        "c.up()",
        "c.get()",
    ),
    "metaclass": (
        "class M(type): n = 0\nclass C(metaclass=M): pass",
        "type(C).n = 0",
        "type(C).n += 1",
        "type(C).n",
    ),
    "dunder_attribute": (
        "class C: __state__ = [0]",
        "C.__state__[0] = 0",
        "C.__state__[0] += 1",
        "C.__state__[0]",
    ),
    "property": (
        "def made(l):\n    class C: n = property(lambda self: l)\n    return C()",
        "c = made([])",
        "c.n.append(1)",
        "len(c.n)",
    ),
    "enum_member": (
        "from enum import Enum\nclass E(Enum): A = 1",
        "E.A.n = 0",
        "E.A.n += 1",
        "E.A.n",
    ),
    "ordered_dict": (
        "from collections import OrderedDict",
        "s = OrderedDict.fromkeys(range(9))",
        "s.move_to_end(next(iter(s))) if next(iter(s)) < 7 else None",
        "next(iter(s))",
    ),
    "cache": (
        "from functools import cache\n@cache\ndef f(): return []",
        "f.cache_clear(); f()",
        "f().append(1)",
        "len(f())",
    ),
    "cache_of_limited_size": (
        "from functools import lru_cache\n@lru_cache\ndef f(): return []",
        "f.cache_clear(); f()",
        "f().append(1)",
        "len(f())",
    ),
    "logger": (
        "import logging\nlog = logging.getLogger('a_stranger')",
        "log.setLevel(0)",
        "log.setLevel(log.level + 1)",
        "log.level",
    ),
    "module_imported_inside": (
        "",
        "import a_helper_of_a_stranger as h; h.n = 0",
        "h.n += 1",
        "h.n",
    ),
    "module_by_name": (
        "import sys",
        "h = sys.modules['a_helper_of_a_stranger']; setattr(h, 'q', 0)",
        "setattr(h, 'q', getattr(h, 'q') + 1)",
        "getattr(h, 'q')",
    ),
    "builtins": (
        "import builtins",
        "setattr(builtins, '_seen', 0)",
        "setattr(builtins, '_seen', _seen + 1)",
        "_seen",
    ),
    "random_source_of_their_own": (
        "import random\nclass R(random.SystemRandom): n = 0",
        "r = R(); r.n = 0",
        "r.n += 1",
        "r.n",
    ),
    "exception": (
        "class X(Exception):\n    def __new__(cls): return super().__new__(cls)",
        "s = X(); s.args = (0,)",
        "s.args = (s.args[0] + 1,)",
        "s.args[0]",
    ),
    "environment": (
        "",
        "import os; os.environ['A_STRANGER'] = '0'",
        "os.environ['A_STRANGER'] = str(int(os.environ['A_STRANGER']) + 1)",
        "int(os.environ['A_STRANGER'])",
    ),
    "function_of_a_thread": (
        "from threading import Thread\nimport a_helper_of_a_stranger as h\n"
        "def go(f):\n    t = Thread(target=f)\n    t.start()\n    t.join()",
        "go(h.reset)",
        "go(h.bump)",
        "getattr(h, 'n')",
    ),
    "thread": (
        "from threading import Thread\nG = []",
        "G.clear()",
        "t = Thread(target=lambda: G.append(1)); t.start(); t.join()",
        "len(G)",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_state_is_seen_wherever_it_is_kept(place, monkeypatch):
    before, start, step, end = PLACES[place]
    helper, module = ModuleType("a_helper_of_a_stranger"), ModuleType("a_stranger")
    for made in (helper, module):
        made.__file__ = f"{made.__name__}.py"
        monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(HELPER, "a_helper_of_a_stranger.py", "exec"), vars(helper))
    body = f"    {start}\n    while rng.randrange(2):\n        {step}\n    return {end} >= 7"
    exec(compile(f"{before}\ndef sample(rng):\n{body}\n", "a_stranger.py", "exec"), vars(module))
    monkeypatch.setattr(builtins, "_seen", 0, raising=False)
    law = Session(Budget(residual=Fraction(1, 1 << 20))).law(lambda: module.sample(Source()))
    likely = dict(zip(law.outputs, law.lower, strict=True))
    assert likely.keys() == {True, False}
    assert likely[True] <= Fraction(1, 1 << 7) <= likely[True] + law.residual
    assert law.residual < Fraction(1, 1 << 19)


KEEPING = "if {0} not in M: M[{0}] = {1}"
STICKY = {
    "a dictionary": ("M = {}", "", KEEPING.format("x", "rng.randint(-1, 1)"), "return x + M[x]"),
    "decided": ("M = {}", "", KEEPING.format("x", "rng.random() < 0.75"), "return x if M[x] else 1 - x"),
    "and a fresh one": ("M = {}", "", KEEPING.format("x", "rng.randrange(4)"), "return M[x] + rng.randrange(2)"),
    "a float": ("M = {}", "", KEEPING.format("x", "rng.random()"), "return int(M[x] * 4)"),
    "now and then": ("M = {}", "if rng.randrange(2): return 0", KEEPING.format("x", "rng.randrange(3)"), "return M[x]"),
    "a class": ("class K: n = None", "", "if K.n is None: K.n = rng.randint(-1, 1)", "return x + K.n"),
    "a cache": (
        "import functools, random\n@functools.cache\ndef noise(k): return random.randint(-1, 1)",
        *("", "return x + noise(0)", ""),
    ),
    "a pool": ("P = []", "", "if not P: P.extend(rng.getrandbits(1) for _ in range(4))", "return x ^ P.pop()"),
}
"""Noise that is drawn once and kept."""


@pytest.mark.parametrize("kept", STICKY)
def test_noise_that_is_kept_for_the_next_call_is_refused(kept):
    """A release would give the same noise again and again; a followed run must not meet the draw of another."""
    module, (before, *lines) = ModuleType("sticky"), STICKY[kept]
    exec(before + "\ndef sample(x, rng):\n    " + "\n    ".join(lines), module.__dict__)
    with pytest.raises(InputError, match="not a function of its draws"):
        dpaudit.epsilon(module.sample, data=[0, 1])


def test_a_kept_decision_is_noticed_however_rare_it_is():
    """Neither the ends that are run again nor the trials meet one way of a thousand: its own repetition does."""
    kept = {}

    def sample(x, rng):
        a = rng.randrange(1000)
        if a != 7:
            return a
        if x not in kept:
            kept[x] = rng.random() < 0.5
        return a, kept[x]

    with pytest.raises(InputError, match="from one run to the next"):
        dpaudit.pmf(sample, 0, data=[0, 1])


def test_a_draw_of_a_run_that_is_over_cannot_be_asked():
    kept = []

    def sample(x, rng):
        kept.append(rng.randrange(3))
        return kept[-1]

    law = dpaudit.pmf(sample, 0, data=[0, 1])
    assert len(law.outputs) == 3
    with pytest.raises(BaseException, match="from one run to the next"):
        [value + 1 > 1 for value in kept]

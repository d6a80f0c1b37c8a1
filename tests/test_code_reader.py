"""How a value is read: what differs is never taken for one state. In each case a rare step changes something, a loop
follows, and what was changed is read: the law lacked the rare output, or had it twice, without a word."""

import logging
import sys
from fractions import Fraction
from types import ModuleType

import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source

RARE = Fraction(1, 32)
HELPER = "v = 0\ndef get(): return v"
MADE = "def made():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n    return up, lambda: n"
BOX = "box=[0]):\n    old = box[0]\n    box[0] = v\n    return old"
CASES = {
    "cells_shared_or_not": (MADE, "a, b = made(), made(); up, get = a[0], (a if rare else b)[1]", "up() or get()"),
    "context_manager": (
        "from contextlib import contextmanager\n@contextmanager\ndef f(v, box=[0]):\n    yield box[0]\n    box[0] = v\n"
        "def now():\n    with f(0) as v: return v",
        "with f(rare): pass",
        "now()",
    ),
    "dispatch": (
        "from functools import singledispatch\n@singledispatch\ndef f(v): return 0\n"
        "def one(v): return 1\ndef zero(v): return 0",
        "f.register(int, one if rare else zero)",
        "f(3)",
    ),
    "wrapped_by_dispatch": (
        f"from functools import singledispatch\n@singledispatch\ndef f(v, {BOX}",
        "f(rare)",
        "f(0)",
    ),
    "ufunc_of_python": (f"import numpy as np\ndef g(v, {BOX}\nf = np.frompyfunc(g, 1, 1)", "f(int(rare))", "f(0)"),
    "attribute_of_a_cache": ("from functools import cache\n@cache\ndef f(v): return v", "f.n = rare", "f.n"),
    "function_in_a_cache": (
        f"from functools import cache\n@cache\ndef f(v, {BOX}",
        "f.cache_clear(); f(rare); f.cache_clear()",
        "f(False)",
    ),
    "hits_of_a_cache": (
        "from functools import cache\n@cache\ndef f(v): return v",
        "f.cache_clear(); f(0); rare and f(0)",
        "f.cache_info().hits",
    ),
    "handler": (
        "import logging\nclass H(logging.Handler):\n    n = 0\n    def emit(self, r): self.n = r.args[0]\n"
        "log = logging.getLogger('a_stranger')\nlog.handlers, log.propagate = [H()], False",
        "log.error('%s', int(rare))",
        "log.handlers[0].n",
    ),
    "filter": (
        "import logging\nclass F:\n    n = 0\n    def filter(self, r): self.n = r.args[0]\n"
        "log = logging.getLogger('a_stranger')\nlog.filters = [F()]",
        "log.error('%s', int(rare))",
        "log.filters[0].n",
    ),
    "logger_by_name": (
        "import logging",
        "logging.getLogger('a_stranger').setLevel(10 if rare else 20)",
        "logging.getLogger('a_stranger').level == 10",
    ),
    "logger_above": (
        "import logging\nlogging.getLogger('a_stranger')\nlog = logging.getLogger('a_stranger.b')",
        "log.parent.setLevel(10 if rare else 20)",
        "log.isEnabledFor(10)",
    ),
    "logging_disabled": (
        "import logging\nlog = logging.getLogger('a_stranger')\nlog.setLevel(10)",
        "logging.disable(50 if rare else 0)",
        "not log.isEnabledFor(30)",
    ),
    "library_imported_inside": (
        "import colorsys\ndef put(v):\n    import colorsys\n    colorsys.n = v\n"
        "def get():\n    import colorsys\n    return colorsys.n",
        "put(rare)",
        "get()",
    ),
    "module_imported_inside": (
        "def put(n):\n    import a_helper_of_a_stranger as m\n    m.v = n\n"
        "def get():\n    from a_helper_of_a_stranger import get\n    return get()",
        "put(rare)",
        "get()",
    ),
    "attribute_of_a_source": ("", "rng.n = rare", "rng.n"),
    "kind_of_a_source": (
        "import numpy as np, random",
        "r = np.random.RandomState() if rare else random.SystemRandom()",
        "isinstance(r, np.random.RandomState)",
    ),
    "identity_of_a_source": ("import random", "r = random.SystemRandom() if rare else rng", "r is not rng"),
    "slot_of_a_source": ("import random\nclass R(random.Random): __slots__ = ('n',)", "r = R(); r.n = rare", "r.n"),
    "private_name_of_an_enum": ("from enum import Enum\nclass E(Enum): A = 1", "E._n = rare", "E._n"),
    "method_of_an_enum": (
        f"from enum import Enum\nclass E(Enum):\n  A = 1\n  def _f(self, v, {BOX}",
        "E.A._f(rare)",
        "E.A._f(0)",
    ),
    "base_of_an_enum": (
        "from enum import Enum\nclass B: n = [0]\nclass E(B, Enum):\n    A = 1\n    def up(self, v): self.n[0] = v",
        "E.A.up(rare)",
        "E.A.n[0]",
    ),
    "made_by_exec": (
        "exec('n = 0\\ndef put(v):\\n    global n\\n    n = v\\ndef get(): return n')",
        "put(rare)",
        "get()",
    ),
    "default_of_what_exec_made": (
        "made = {}\nexec('def f(v, box=[0]):\\n    old = box[0]\\n    box[0] = v\\n    return old', made)\n"
        "f = made['f']",
        "f(rare)",
        "f(0)",
    ),
    "named_like_a_library": ("class C: n = 0", "C.n = rare", "C.n"),
    "kind_of_number": ("import numpy as np\nclass F(np.float64): pass", "f = F(1.0); f.n = rare", "f.n"),
    "kind_of_date": ("from datetime import date\nclass D(date): pass", "d = D(2020, 1, 1); d.n = rare", "d.n"),
    "time_zone": (
        "from datetime import datetime, tzinfo\nclass Z(tzinfo):\n    def __repr__(self): return 'Z()'\n"
        "def made(n):\n    z = Z()\n    z.n = n\n    return datetime(2020, 1, 1, tzinfo=z)",
        "d = made(rare)",
        "d.tzinfo.n",
    ),
    "type_of_an_array": (
        "import numpy as np",
        "a = np.zeros(1, dtype=np.dtype('i8', metadata={'n': bool(rare)}))",
        "a.dtype.metadata['n']",
    ),
    "attribute_of_an_ordered_dict": ("from collections import OrderedDict", "o = OrderedDict(); o.n = rare", "o.n"),
    "annotation_of_a_function": ("def f(): pass", "f.__annotations__['v'] = rare", "f.__annotations__['v']"),
    "annotation_of_a_class": ("class C: v: int", "C.__annotations__['v'] = rare", "C.__annotations__['v']"),
    "attribute_of_a_property": (
        "class P(property): pass\nclass C: p = P(lambda self: 0)",
        "C.p.n = rare",
        "C.p.n",
    ),
    "attribute_of_a_static_method": (
        "class C:\n    @staticmethod\n    def m(): pass",
        "C.__dict__['m'].n = rare",
        "C.__dict__['m'].n",
    ),
    "name_of_a_class": ("class C: pass", "C.__name__ = 'D' if rare else 'C'", "C.__name__ == 'D'"),
    "bases_of_a_class": (
        "class A: pass\nclass B: pass\nclass C(A): pass",
        "C.__bases__ = (B,) if rare else (A,)",
        "issubclass(C, B)",
    ),
    "class_of_a_library": ("from fractions import Fraction", "Fraction.n = rare", "Fraction.n"),
    "disguise": (
        "class C:\n    def __getattribute__(self, name): return {}",
        "c = C(); object.__setattr__(c, 'n', rare)",
        "object.__getattribute__(c, 'n')",
    ),
    "partial_that_sets": (
        "import sys\nfrom functools import partial\nn = 0\nput = partial(setattr, sys.modules[__name__], 'n')\n"
        "def get(): return n",
        "put(rare)",
        "get()",
    ),
    "builtin_by_another_name": (
        "n, change = 0, exec\ndef get(): return n",
        "change(f'n = {rare}', get.__globals__)",
        "get()",
    ),
    "hidden_global": ("", "globals()['__n'] = rare", "globals()['__n']"),
    "context_variable_of_none": (
        "from contextvars import ContextVar, copy_context\nV = ContextVar('V')\ndef inside(rng):\n"
        "    if not rng.randrange(32): V.set(None)\n    while rng.randrange(2): pass\n    return V.get(0) is None",
        "v = copy_context().run(inside, rng)",
        "v",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_differs_is_never_one_state(case, monkeypatch):
    before, change, read = CASES[case]
    name = "sched" if case == "named_like_a_library" else "a_stranger"
    helper, module = ModuleType("a_helper_of_a_stranger"), ModuleType(name)
    for made in (helper, module):
        made.__file__ = f"{made.__name__}.py"
        monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(HELPER, helper.__file__, "exec"), vars(helper))
    loop = "    while rng.randrange(2): pass\n"
    body = f"    rare = rng.randrange({RARE.denominator}) == 0\n    {change}\n{loop}    return bool({read})\n"
    exec(compile(f"{before}\ndef sample(rng):\n{body}", module.__file__, "exec"), vars(module))
    try:
        law = Session(Budget(residual=Fraction(1, 1 << 20))).law(lambda: module.sample(Source()))
    finally:
        logging.disable(0)
        for name in ("a_stranger", "a_stranger.b"):
            logging.root.manager.loggerDict.pop(name, None)
    likely = dict(zip(law.outputs, law.lower, strict=True))
    assert likely.keys() == {True, False}
    assert likely[True] <= RARE <= likely[True] + law.residual
    assert law.residual < Fraction(1, 1 << 19)

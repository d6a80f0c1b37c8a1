"""A function that is rewritten does what the original does: both run on the same plain random numbers."""

import functools
import importlib
import inspect
import pkgutil
import random
import re
from fractions import Fraction
from textwrap import indent
from types import FunctionType, MethodType

import numpy as np
import pytest

import dpaudit.examples
from dpaudit.code.rewrite import is_rewritten, rewritten
from tests.code.snippets import law, made, sampler, table
from tests.plain_enumeration import enumerated

HEAD = """
import functools, math, collections
import numpy as np
class Box:
    kind = "box"
    __hidden = 5
    def __init__(self, value=0): self.value, self.__own = value, [value]
    def own(self): return self.__own
    def shown(self): return {"own": self.__own}
    def add(self, k): self.value += k; return self
    def secret(self): return self.__hidden + Box.__hidden
    @property
    def twice(self): return 2 * self.value
    @classmethod
    def of(cls, value): return cls(value)
    @staticmethod
    def plus(a, b=1): return a + b
class Sub(Box):
    def __init__(self, value): super().__init__(value + 1); self.more = 1
    def add(self, k): return super().add(2 * k)
    def secret(self): return super().secret() * 10
def doubled(function):
    @functools.wraps(function)
    def inner(*given, **named): return 2 * function(*given, **named)
    return inner
@doubled
def decorated(a, b=3): return a + b
def recursive(k, rng): return 1 if k == 0 else k * recursive(k - 1, rng) + rng.randrange(2)
def named(a, /, b, *rest, c=2, **others): return a, b, rest, c, sorted(others.items())
def failing(k):
    if k: raise ValueError(k)
    return "fine"
COUNT = 0
first, second = lambda k: k + 1, lambda k: k * 10
"""
FORMS = {
    "for": "t = 0\nfor i in range(4):\n    t += i * rng.randrange(2)\nreturn t, i",
    "for else": "for i in range(3):\n    if rng.randrange(3) == 0: break\nelse:\n    return 'else'\nreturn i",
    "for continue": "t = []\nfor i in [3, 1, 2]:\n    if rng.randrange(2): continue\n    t.append(i)\nreturn t",
    "for over a tuple of pairs": "t = 0\nfor a, (b, *c) in ((1, (2, 3, 4)), (5, (6,))):\n    t = t * 7 + a * b + len(c)\nreturn t",  # noqa: E501
    "for over text": "return [c for c in 'ab'], [a + b for a, b in ('ab', 'cd')]",
    "for over nothing": "for i in []:\n    pass\nelse:\n    i = 'none'\nreturn i",
    "for with no value after": "for i in (): pass\nreturn i",
    "for that grows": "t = [1]\nfor i in t:\n    if len(t) < 5 and rng.randrange(2): t.append(i + 1)\nreturn t",
    "for that shrinks": "t = [1, 2, 3, 4]\nfor i in t: t.remove(i)\nreturn t",
    "for that rebinds": "t = [1, 2, 3]\nfor i in t:\n    t = []\n    i += 1\nreturn t, i",
    "for over a dict": "d = {'a': 1, 'b': 2}\nreturn [k for k in d], [(k, v) for k, v in d.items()], sum(d.values())",
    "for over items": "t = []\nd = {'a': 1, 'b': 2}\nfor k, v in d.items():\n    d[k] = v + rng.randrange(2)\n    t.append(d[k])\nreturn t, d",  # noqa: E501
    "a dict that grows": "d = {1: 1}\nfor k in d: d[k + 1] = 1\nreturn d",
    "for over a set": "t = 0\nfor k in {1, 2, 3}: t += k\nreturn t",
    "for over enumerate": "t = []\nfor i, c in enumerate('ab', 5): t.append((i, c))\nreturn t",
    "for over zip": "t = []\nfor a, b in zip([1, 2, 3], 'ab'): t.append((a, b))\nreturn t",
    "for over reversed": "t = []\nfor a in reversed([1, 2, 3]): t.append(a)\nreturn t",
    "reversed of what shrinks": "t, s = [], [1, 2, 3]\nfor a in reversed(s):\n    t.append(a)\n    s.pop()\nreturn t, s",  # noqa: E501
    "zip strict": "t = []\nfor a, b in zip([1], [1, 2], strict=True): t.append(a)\nreturn t",
    "for over map": "t = []\nfor a in map(lambda k: k + rng.randrange(2), [1, 2]): t.append(a)\nreturn t",
    "for over a generator": "t = 0\nfor a in (k * rng.randrange(3) for k in range(3)): t += a\nreturn t",
    "for over an array": "t = 0\nfor row in np.arange(4).reshape(2, 2):\n    for x in row: t = 3 * t + int(x)\nreturn t",  # noqa: E501
    "for over an iterator": "t = []\nit = iter([1, 2, 3, 4])\nfor a in it:\n    t.append((a, next(it, None)))\nreturn t",  # noqa: E501
    "for over a number": "for a in 5: pass",
    "for into an entry": "d = {}\nfor d['k'] in range(3): pass\nreturn d",
    "for into an attribute": "b = Box()\nfor b.value in range(3): pass\nreturn b.value",
    "nested for": "t = []\nfor a in range(3):\n    for b in range(a):\n        if rng.randrange(2): break\n        t.append((a, b))\n    else: t.append(a)\nreturn t",  # noqa: E501
    "while": "k = 0\nwhile rng.randrange(3): k += 1\nreturn k",
    "while else": "k = 0\nwhile k < 3:\n    k += 1\n    if rng.randrange(4) == 0: break\nelse: k = 'else'\nreturn k",
    "while 1 with continue": "k = 0\nwhile 1:\n    k += 1\n    if rng.randrange(2): continue\n    break\nreturn k",
    "while with walrus": "t = []\nwhile (k := rng.randrange(4)): t.append(k)\nreturn t, k",
    "break in finally": "for i in range(3):\n    try: t = i\n    finally:\n        if rng.randrange(2): break\nreturn i, t",  # noqa: E501
    "try": "try: return failing(rng.randrange(2))\nexcept ValueError as e: return e.args",
    "try else finally": "t = []\ntry: t.append(failing(rng.randrange(2)))\nexcept ValueError: t.append('e')\nelse: t.append('else')\nfinally: t.append('f')\nreturn t",  # noqa: E501
    "return in finally": "try: return 1\nfinally:\n    if rng.randrange(2): return 2",
    "the name of an exception": "try: failing(1)\nexcept ValueError as e: pass\nreturn e",
    "several handlers": "try: return [1, {}['k'], 1 / 0][rng.randrange(2)]\nexcept (KeyError, IndexError): return 'k'\nexcept ZeroDivisionError: return 'z'",  # noqa: E501
    "raise again": "try:\n    try: failing(1)\n    except ValueError: raise\nexcept ValueError as e: return e.args",
    "raise from": "try: raise KeyError('a') from ValueError('b')\nexcept KeyError as e: return type(e.__cause__).__name__, e.__suppress_context__",  # noqa: E501
    "context of an exception": "try:\n    try: failing(1)\n    except ValueError: raise KeyError\nexcept KeyError as e: return type(e.__context__).__name__",  # noqa: E501
    "raise in a loop": "for i in range(5):\n    if rng.randrange(3) == 0: raise ValueError(i)",
    "try in a loop": "t = 0\nfor i in range(5):\n    try:\n        if i == 1: continue\n        if i == 4: break\n        1 / rng.randrange(2)\n    except ZeroDivisionError: t += 10 ** i\n    finally: t += 1\nreturn t",  # noqa: E501
    "assert": "assert rng.randrange(2), 'message'\nreturn 1",
    "inner function": "def inner(k, more=2): return k * more + rng.randrange(2)\nreturn inner(1), inner(2, 3)",
    "inner generator": "def steps():\n    for k in range(3): yield k + rng.randrange(2)\nreturn list(steps())",
    "inner decorated": "@doubled\ndef inner(k): return k + rng.randrange(2)\nreturn inner(3)",
    "inner class": "class Inner:\n    size = 3\n    def get(self): return self.size + rng.randrange(2)\nreturn Inner().get()",  # noqa: E501
    "closure": "k = 1\ndef get(): return k\nk = 2 + rng.randrange(2)\nreturn get()",
    "closure of a loop": "return [f() for f in [lambda: i for i in range(3)]]",
    "nonlocal": "k = 0\ndef up():\n    nonlocal k\n    k += rng.randrange(3)\nup(); up()\nreturn k",
    "inner recursion": "def down(k): return [] if k == 0 else [k, *down(k - 1)]\nreturn down(4)",
    "two lambdas in one line": "return first(rng.randrange(3)), second(2)",
    "lambdas beside each other": "f, g = lambda a: a + 1, lambda a: a * 10\nreturn f(2), g(3), (lambda *a, **k: (a, k))(1, b=2)",  # noqa: E501
    "lambda with defaults": "return (lambda a, b=rng.randrange(2), *, c=3: (a, b, c))(1)",
    "default arguments": "return decorated(1), decorated(1, b=5), Box.plus(2), Box.of(3).value",
    "named arguments": "return named(1, 2, 3, 4, c=5, d=6), named(1, b=2), named(*[1, 2], **{'c': 3, 'e': 4})",
    "wrong arguments": "return named(1)",
    "starred": "a, *b, c = range(5)\n[*d], (e, *f) = b, 'xyz'\nreturn a, b, c, d, e, f, [*b, 9, *f], (*b,), {*b}, {**{'a': 1}, 'b': 2}",  # noqa: E501
    "starred too short": "a, b, *c = [1]",
    "unpacked too long": "a, b = [1, 2, 3]",
    "swapped": "a, b = 1, 2\na, b = b, a\nt = [0, 1]\ni = 0\ni, t[i] = 1, 5\nreturn a, b, i, t",
    "chained assignment": "a = b = [1]\na.append(2)\nc = d, e = 3, 4\nreturn a, b, a is b, c, d, e",
    "order of a chain": "t = [0, 0, 0]\ni = 0\ni = t[i] = 2\nreturn i, t",
    "annotated": "k: int = 3\nj: 'nothing at all'\nreturn k",
    "augmented name": "a = 1\na += 2; a *= 3; a -= 1; a //= 2; a **= 2; a %= 7; a <<= 3; a >>= 1; a |= 3; a &= 6; a ^= 5; a /= 2\nreturn a",  # noqa: E501
    "augmented list": "a = b = [1]\na += [2]\na *= 2\nc = d = (1,)\nc += (2,)\nreturn a, b, c, d",
    "augmented item": "t = [1, 2]\nd = {'k': [0]}\nt[rng.randrange(2)] += 5\nd['k'] += [1]\nt[-1] -= 1\nreturn t, d",
    "augmented item once": "def place():\n    seen.append(1)\n    return 0\nseen, t = [], [1]\nt[place()] += 1\nreturn seen, t",  # noqa: E501
    "augmented attribute": "b = Box(1)\nb.value += rng.randrange(3)\nb.value *= 2\nreturn b.value",
    "augmented slice": "t = [1, 2, 3]\nt[1:] += [9]\nreturn t",
    "augmented array": "v = np.arange(3)\nw = v\nv += 1\nv[1] *= 5\nv[:2] -= 1\nreturn v.tolist(), w is v",
    "augmented unbound": "a += 1\nreturn a",
    "slices": "t = list(range(10))\nt[2:4] = ['x']\nt[::3] = t[::3][::-1]\ndel t[0], t[-1]\nreturn t, t[1:3], t[:], t[-2::-2]",  # noqa: E501
    "array slices": "v = np.arange(12).reshape(3, 4)\nv[0, 1:3] = 7\nv[:, 0] = -1\nreturn v[1:, ::2].tolist(), v[..., -1].tolist(), v[[0, 2]].tolist()",  # noqa: E501
    "chained comparison": "k = rng.randrange(5)\nreturn 0 < k < 3, 1 <= k != 3 < 9, k == k == 2",
    "comparison once": "t = []\ndef seen(k):\n    t.append(k)\n    return k\nreturn seen(1) < seen(0) < seen(5), t",
    "membership": "return 1 in [1, 2], 3 not in (1, 2), 'b' in 'abc', 'k' in {'k': 1}",
    "is": "a = []\nreturn a is a, a is not [], None is None, rng is not None",
    "and or not": "k = rng.randrange(3)\nreturn k and 'yes', k or 'no', not k, k and 0 or [] or 'end', (k and 1) or None",  # noqa: E501
    "short cuts": "t = []\nrng.randrange(2) and t.append(1)\nrng.randrange(2) or t.append(2)\nreturn t",
    "conditional": "return ('a' if rng.randrange(2) else 'b') if rng.randrange(2) else 'c'",
    "walrus": "t = [y := 1, y ** 2, (z := y + rng.randrange(2))]\nreturn t, y, z, [w := k for k in range(3)], w",
    "f-strings": "k = rng.randrange(3)\nw = 8\nreturn f'{k!r:>{w}}|{k:03d}|{\"a\"!s}|{{}}|{1.5:.{k}f}', f'{k=}'",
    "comprehensions": "return [a * b for a in range(3) if a for b in range(a) if rng.randrange(2)], {k: k * k for k in range(3)}, {k % 2 for k in range(5)}",  # noqa: E501
    "own name of a comprehension": "k = 'outer'\nt = [k for k in range(3)]\nreturn k, t",
    "generator expression": "return sum(k * rng.randrange(2) for k in range(5)), any(k > 1 for k in [1, 2, 3]), max((k for k in [3, 1]), default=0)",  # noqa: E501
    "private names": "b = Box(2)\nreturn b.own(), b.shown(), b.secret(), Box._Box__hidden",
    "super": "b = Sub(1)\nreturn b.add(3).value, b.secret(), b.own(), b.kind, b.twice, b.more",
    "missing attribute": "return Box().nothing",
    "getattr": "return getattr(Box(3), 'value'), getattr(Box(), 'no', 'default'), hasattr(Box(), 'no'), setattr(b := Box(), 'x', 4), b.x",  # noqa: E501
    "methods as values": "t = []\nput = t.append\nput(1); put(2)\nf = Box(3).add\nreturn t, f(4).value",
    "a star in an index": "d = {(1, 2): 'a'}\nreturn d[1, 2], d[(1, 2)]",
    "match": "match (rng.randrange(3), 1):\n    case (0, k): return 'zero', k\n    case (1 | 2 as n, _) if n > 1: return 'two'\n    case _: return 'other'",  # noqa: E501
    "type": "return type(1) is int, isinstance(True, int), type(rng.randrange(2)).__name__, issubclass(Sub, Box)",
}


def outcome(function, seed):
    """What a call gives or raises, on plain numbers."""
    try:
        return repr(function(random.Random(seed)))
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_the_language_does_the_same_when_it_is_rewritten(form):
    function = sampler(FORMS[form], HEAD)
    new = rewritten(function)
    assert isinstance(new, FunctionType), new
    assert is_rewritten(new.__code__)
    for seed in range(12):
        assert outcome(new, seed) == outcome(function, seed)


@pytest.mark.parametrize("form", [form for form in FORMS if "while" not in form])
@pytest.mark.thin(2)
def test_the_law_of_a_form_is_that_of_every_sequence_of_draws(form):
    shown = made(f"{HEAD}\ndef inside(rng):\n{indent(FORMS[form], '    ')}\ndef sample(rng): return str(inside(rng))\n")
    found = law(shown, bits=3)
    assert found.residual == 0
    assert table(found) == enumerated(shown, 3)


# ------------------------------------------------------------------ functions of files


def samplers():
    """All functions and methods of the modules of dpaudit.examples."""
    for info in pkgutil.iter_modules(dpaudit.examples.__path__):
        module = importlib.import_module(f"dpaudit.examples.{info.name}")
        for value in vars(module).values():
            if getattr(value, "__module__", "") != module.__name__:
                continue
            parts = vars(value).values() if inspect.isclass(value) else [value]
            yield from (part for part in map(inspect.unwrap, parts) if isinstance(part, FunctionType))


def mechanisms():
    """Those that draw from a generator; ideal noise has a room of its own."""
    samples = (
        f for f in samplers() if f.__qualname__.endswith(".sample") and "noise" not in inspect.signature(f).parameters
    )
    found = {f.__qualname__.partition(".")[0]: f for f in samples}
    return [pytest.param(f, id=name) for name, f in found.items()]


@pytest.mark.parametrize("sample", mechanisms())
def test_a_sampler_of_the_examples_gives_the_same_on_the_same_numbers(sample):
    module = inspect.getmodule(sample)
    kind = getattr(module, sample.__qualname__.partition(".")[0])
    new = rewritten(sample)
    numpy_like = "Generator" in str(inspect.signature(sample))
    for seed in range(20):
        results = []
        for function in (sample, new):
            thing = kind(Fraction(1))
            rng = np.random.default_rng(seed) if numpy_like else random.Random(seed)
            data = list(thing.datasets())
            results.append(repr(MethodType(function, thing)(data[seed % len(data)], rng)))
        assert results[0] == results[1]


# ------------------------------------------------------------------ what is left as it is


def replaced():
    function, other = sampler("return rng.randrange(2)"), sampler("return rng.randrange(3)")
    function.__code__ = other.__code__.replace(co_filename=function.__code__.co_filename)
    return function


def without_source(path="absent.py"):
    exec(compile("def sample(rng):\n    return rng.randrange(2)\n", str(path), "exec"), space := {})
    return space["sample"]


def changed_file(folder):
    path = folder / "changing.py"
    path.write_text("def sample(rng):\n    return rng.randrange(3)\n")
    return without_source(path)


LEFT_ALONE = [
    (lambda _: replaced(), "is not available, or differs from the running code"),
    (changed_file, "is not available, or differs from the running code"),
    (lambda _: without_source(), "is not available|cannot be"),
    (lambda _: made("def sample(rng):\n    yield 1"), "is a generator or a coroutine"),
    (lambda _: made("async def sample(rng):\n    return 1"), "is a generator or a coroutine"),
    (lambda _: made("def sample(rng):\n    return [1 for rng.x in (1,)]"), "stores more than names"),
    (lambda _: made("def sample(rng):\n    return sorted(locals())"), "has the name locals"),
]


@pytest.mark.parametrize(("make", "words"), LEFT_ALONE)
def test_a_function_that_is_not_rewritten_has_a_reason(make, words, tmp_path):
    reason = rewritten(make(tmp_path))
    assert isinstance(reason, str)
    assert re.search(words, reason), reason


def test_code_that_is_not_its_source_is_followed_as_it_runs(tmp_path):
    assert {k for _, k in table(law(changed_file(tmp_path)))} == {"0", "1"}
    assert {k for _, k in table(law(replaced()))} == {"0", "1", "2"}


def test_a_rewritten_function_keeps_its_cells_and_is_made_once():
    k = 1

    def inner():
        return k

    new = rewritten(inner)
    k = 2
    assert (new(), rewritten(new) is new, rewritten(inner).__code__ is new.__code__) == (2, True, True)
    assert functools.partial(new)() == 2

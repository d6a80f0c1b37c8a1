"""The closed list under hostile eyes: steps of clean-looking code in which Python runs code of somebody's class.

Each of these gave a false law once, or would if its check were missing. ``NOTE`` grows whenever code of theirs runs;
every step must be outside the list, so that the flag is known at the end.
"""

import sys
import textwrap
from fractions import Fraction
from types import SimpleNamespace

import pytest

from dpaudit.code import closed
from dpaudit.code.law import Session
from tests.code.snippets import law, made, sampler

HEAD = """
import abc, functools, types
NOTE = []
def note(*_): NOTE.append(1)
class OnlySet:
    def __set__(self, owner, value): note()
class Holder: x = OnlySet()
class Hostile:
    def __hash__(self): return 1
    def __eq__(self, other): note(); return False
    def __lt__(self, other): note(); return False
    def __iter__(self): note(); return iter(())
    def __bool__(self): note(); return True
    def __len__(self): note(); return 1
    def __index__(self): note(); return 0
    def __format__(self, text): note(); return ""
    def __getitem__(self, place): note(); return 0
    def __delitem__(self, place): note()
    def __enter__(self): note()
    def __exit__(self, *_): pass
    def __getattr__(self, name): note(); raise AttributeError(name)
    def __instancecheck__(self, value): note(); return True
class Called(Hostile):
    def __call__(self, *_): pass
class Floating:
    def __float__(self): note(); return 1.0
class Hashed:
    def __hash__(self): note(); return 1
class Classless:
    __class__ = property(lambda self: note() or int)
class Raising(Exception):
    def __init__(self): note()
class Spoofed(Raising): __module__ = "builtins"
class Made:
    def __new__(kind): note(); return object.__new__(kind)
class Ended:
    def __del__(self): note()
class Stored:
    def __setattr__(self, name, value): note()
class Abstract(abc.ABC): pass
class Deciding(Abstract):
    @classmethod
    def __subclasshook__(cls, kind): note(); return NotImplemented
class Got:
    def __get__(self, owner, kind): note()
class Method: plain = Got()
class Meta(type):
    def __call__(kind): note(); return type.__call__(kind)
class Metal(metaclass=Meta): pass
class HashedMeta(type):
    def __hash__(kind): note(); return 1
    def __eq__(kind, other): note(); return kind is other
class HashedKind(metaclass=HashedMeta): entry = 0
class Documented: __doc__ = Got()
class MadeByList(Exception): __new__ = NOTE.append
class Started(Exception):
    entry = property(note)
    __init__ = object.__getattribute__
class Based: __bases__ = property(lambda self: note() or ())
class Listing(abc.ABC):
    @classmethod
    def __subclasses__(cls): note(); return []
class Asking:
    def ask(self): return super().__init__
class Under: flag = Got()
class Over(Under):
    flag = 0
    def ask(self): return super().flag
class Top(Over): pass
class Names(dict):
    def __getitem__(self, name): note(); return dict.__getitem__(self, name)
def elsewhere(names): return types.FunctionType((lambda: Plain).__code__, names)
FLOAT = Floating()
HOSTILE, HASHED, CLASSLESS, HASHED_KIND, BASED = Hostile(), Hashed(), Classless(), HashedKind(), Based()
TWO, HELD, KEYED, NUMBERS = (Hostile(), Hostile()), {0: HOSTILE}, {HOSTILE: 1}, np.array([3.0, 1.0, 2.0])
ONE, OTHER = [0], [1]
import copy
KEEP = []
class Plain: pass
class Other: pass
PLAIN = Plain(); PLAIN.flag = 0
METHOD = types.MethodType(Called(), 1)
NAMES = elsewhere(Names(globals()))
def spun(box, rng):
    while rng.randrange(2): pass
    return box[0] == 0
"""
STEPS = """
holder = Holder(); holder.x = 1
{HASHED}
1 in HELD.values()
1 in (HOSTILE,)
[HOSTILE] == [1]
(HOSTILE,) < (1,)
sorted(TWO)
max(*TWO)
[HOSTILE].count(1)
float(FLOAT)
isinstance(1, HOSTILE)
isinstance(CLASSLESS, str)
Method().plain
Documented.__doc__
MadeByList()
Started('entry')
NAMES()
super()
super().flag
Top().ask()
spare = 0; del spare, HOSTILE[0]
issubclass(BASED, int)
[*HOSTILE]
[*rest] = HOSTILE
not HOSTILE
[0][HOSTILE]
[0][:HOSTILE]
[0].pop(HOSTILE)
HOSTILE[0]
HOSTILE[:1]
1 in HOSTILE
f'{HOSTILE}'
'{}'.format(HOSTILE)
len(HOSTILE)
list(zip(HOSTILE))
''.join(HOSTILE)
[].extend(HOSTILE)
made = []; made += HOSTILE
max([1], key=note)
sum(note() or 0 for _ in (1,))
rng.choice(HOSTILE)
rng.sample([1, 2], note() or 1)
Made()
Ended()
Stored().x = 1
Metal()
KeyError(note())
for _ in HOSTILE: pass
with HOSTILE: pass
assert not note()
(lambda given=note(): 0)()
"""
BLOCKS = (
    "try: raise ValueError\nexcept (note() or ValueError): pass",
    "try: raise Raising\nexcept Raising: pass",
    "try: KEYED[1]\nexcept KeyError: pass",
    "try: raise ValueError from Raising\nexcept ValueError: pass",
    "try: raise Spoofed()\nexcept Exception: pass",
    "try: SyntaxError('', HOSTILE)\nexcept TypeError: pass",
    "try: assert 0, note()\nexcept AssertionError: pass",
    "try: METHOD.__name__\nexcept AttributeError: pass",
    "try: Asking.ask(CLASSLESS)\nexcept TypeError: pass",
    "def inner(given=note()): pass",
    "def inner(given: note()): pass",
    "def inner() -> note(): pass",
    "try: note()[0]: int\nexcept TypeError: pass",
    "@note\ndef inner(): pass",
    "class Inner: entry = note()",
    "match HOSTILE:\n    case 1: pass\n    case _: pass",
)
CHANGED = {
    "max(ONE, OTHER).append(len(ONE))": "len(ONE) + len(OTHER)",
    "rng.choice([ONE]).append(1)": "len(ONE)",
    "(lambda: ONE)().append(1)": "len(ONE)",
}
if sys.version_info >= (3, 12):  # a slice may be a key
    HEAD += "SLICED = {slice(1, 2): [0]}\n"
    CHANGED["SLICED[1:2].append(1)"] = "len(SLICED[1:2])"
TWINS = """
box = ONE if rng.randrange(2) else OTHER; LOOP; return box[0] == 0
box = (ONE,) if rng.randrange(2) else (OTHER,); LOOP; return box[0][0] == 0
one, other = np.zeros(2), np.zeros(2); box = rng.choice([one, other]); LOOP; box[0] = 1; return bool(one[0])
one = [0]; box = [one, one] if rng.randrange(2) else [[0], [0]]; LOOP; box[0].append(1); return len(box[1]) == 2
box = 1 if rng.randrange(2) else True; LOOP; return str(box) == '1'
one = 10 ** 6; box = one if rng.randrange(2) else one + 1 - 1; LOOP; return box == box is one
box = 0.0 if rng.randrange(2) else -0.0; LOOP; return str(box) == '0.0'
box = reversed([1, 0] if rng.randrange(2) else [0, 0]); LOOP; return sum(box) == 1
box = zip([0, 1]); rng.randrange(2) and list(box); LOOP; return sum(1 for _ in box) == 0
box = Plain(); box.a = rng.randrange(2); LOOP; return box.a == 1
box = Plain() if rng.randrange(2) else Other(); LOOP; return type(box) is Plain
box = len if rng.randrange(2) else sum; LOOP; return box is len
return spun(ONE if rng.randrange(2) else OTHER, rng)
""".strip()
STORED = """
if 0:
    global K
K = 0
if rng.randrange(4) == 0: K = 1
LOOP
return K == 1

def put():
    if 0:
        nonlocal k
    k = 1
k = 0
if rng.randrange(4) == 0: put()
LOOP
return k == 1

def put():
    global K
    K = 1
global K
K = 0
if rng.randrange(4) == 0: put()
LOOP
return K == 1

KEEP or KEEP.append({1: lambda: note()}[1])  # made by the first run alone, which is unclean
before = len(NOTE)
if rng.randrange(4) == 0: KEEP[0]()
LOOP
return len(NOTE) != before

import a_module_of_ours
a_module_of_ours.flag = 0
if rng.randrange(4) == 0: from a_module_of_ours import path as k
LOOP
return "k" in locals()

def put():
    if rng.randrange(4) == 0:
        try: raise held from None
        except ValueError: pass
held = ValueError()
put()
return held.__suppress_context__

def put():
    if rng.randrange(4) == 0:
        for _ in held: break
    return 0
held = reversed([1, 0])
put()
LOOP
return [*held] == [1]
"""
MORE = """
import numbers, random
class Slots: __slots__ = ("entry",)
class Both: __slots__ = ("entry", "__dict__")
class Sequence(list): pass
class Seeded(random.Random): pass
class Calm(abc.ABC): pass
class Quiet(OSError): pass
class Deleting:
    def __delattr__(self, name): note()
class Getting:
    def __getattribute__(self, name): note()
class EndedError(Exception):
    def __del__(self): note()
class HashedError(Exception, metaclass=HashedMeta): pass
"""
LOOP = "while rng.randrange(4) == 0: pass"


def flag_is_known(step, told):
    """Whether the law of a sampler knows that the step, once in 4 times, has changed what ``told`` says."""
    body = f"before = {told}\nif rng.randrange(4) == 0:\n{textwrap.indent(step, '    ')}\n{LOOP}\n"
    body += f"if rng.randrange(4):\n    return 7\nreturn bool({told} != before)"
    names = "def super(): note(); return PLAIN" if step.startswith("super()") else ""
    found = law(sampler(body, HEAD + names), residual=Fraction(1, 64), runs=2000)
    flags = {output: p for output, p in zip(found.outputs, found.lower, strict=True) if isinstance(output, bool)}
    assert len(found.outputs) == len(flags) + 1  # the step raises nothing
    rare = flags.get(True, 0) <= Fraction(1, 16) <= flags.get(True, 0) + found.residual
    return rare and flags[False] <= Fraction(3, 16) <= flags[False] + found.residual


@pytest.mark.parametrize("step", [*STEPS.strip().split("\n"), *BLOCKS, *CHANGED])
def test_a_step_that_runs_their_code_or_changes_what_was_there_is_outside(step, monkeypatch):
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    assert flag_is_known(step.replace("; ", "\n"), CHANGED.get(step, "len(NOTE)"))


@pytest.mark.parametrize("case", TWINS.split("\n"))
def test_values_that_code_can_tell_apart_are_two_states(case, monkeypatch):
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    found = law(sampler(case.replace("; ", "\n").replace("LOOP", LOOP), HEAD), residual=Fraction(1, 64))
    known = dict(zip(found.outputs, found.lower, strict=True))
    assert all(known.get(flag, 0) <= Fraction(1, 2) <= known.get(flag, 0) + found.residual for flag in (True, False))


@pytest.mark.parametrize("body", STORED.strip().split("\n\n"))
def test_a_statement_that_changes_more_than_variables_counts_wherever_it_stands(body, monkeypatch):
    """Also in a branch that is never taken: the stores of the whole function go elsewhere."""
    monkeypatch.setattr(Session, "_try", lambda *_: None)
    monkeypatch.setitem(sys.modules, "a_module_of_ours", SimpleNamespace(path=1))
    found = law(sampler(body.replace("LOOP", LOOP), HEAD), residual=Fraction(1, 64))
    known = dict(zip(found.outputs, found.lower, strict=True))
    assert known[True] <= Fraction(1, 4) <= known[True] + found.residual


LISTED = {
    "is_closed": (
        "1, 1.5, 'a', b'', None, 1j, Fraction(1), range(2), np.int8(1), np.float64, int, slice(1), [(1, ['a'])]",
        "HOSTILE, HASHED_KIND, [1, HOSTILE], (1, (HOSTILE,)), slice(HOSTILE), slice(0, HOSTILE), slice(0, 1, HOSTILE), "
        "{}, set(), NUMBERS, Plain, HashedKind, Sequence, len, str",
    ),
    "is_source": (
        "random.Random(), random.SystemRandom(), dpaudit.code.source.Source(), dpaudit.code.source.NUMPY_STATE()",
        "1, HOSTILE, HASHED_KIND, Seeded(), random, random.Random, np.random.RandomState(1)",
    ),
    "reads_plainly": (
        "note, staticmethod(note), classmethod(note), Slots.entry, 1, PLAIN, Plain",
        "property(note), Got(), classmethod(property(note)), functools.cached_property(note), vars(Plain)['__dict__']",
    ),
    "is_plain_class": (
        "Plain, Holder, Abstract, Calm",
        "Metal, HashedKind, Made, Ended, Stored, Hostile, Deleting, Getting, Slots, Both, Sequence, Seeded, int",
    ),
    "is_plain_error": (
        "ValueError, KeyError, OSError, KeyboardInterrupt, BaseException, StopIteration, Quiet",
        "Raising, Spoofed, MadeByList, Started, EndedError, Plain, HashedKind, int, HashedError",
    ),
    "shows_its_class": (
        "int, str, list, dict, Plain, Abstract, Made, np.float64, dpaudit.code.source.Source",
        "Classless, Hostile, HashedKind, Metal, Getting",
    ),
    "goes_by_bases": (
        "int, Plain, (int, (Plain, Hostile)), numbers.Real, Fraction, Calm, np.random.Generator",
        "Abstract, Deciding, Metal, HashedKind, Listing, (int, Deciding), (Deciding, int), int | str, HOSTILE",
    ),
}


@pytest.mark.parametrize("name", LISTED)
def test_what_is_listed_and_what_is_not(name):
    """Judging runs no code of theirs, also none of their classes of classes."""
    inside, outside = LISTED[name]
    values = made(f"{HEAD}{MORE}\nfound = ({inside}), ({outside}), NOTE", "found")
    before = len(values[2])
    assert [value for value in values[0] if not getattr(closed, name)(value)] == []
    assert [value for value in values[1] if getattr(closed, name)(value)] == []
    assert len(values[2]) == before

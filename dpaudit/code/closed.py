"""The closed list: the types, functions, methods and classes that a clean run may use. All else is outside of it.

Every look-up here goes through the slots of ``type`` and ``object`` themselves, so that judging runs no code of theirs.
"""

from __future__ import annotations

import abc
import bisect
import builtins
import collections.abc
import functools
import math
import numbers
import operator
from _abc import _get_dump  # type: ignore[import-not-found]
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MemberDescriptorType,
    UnionType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from dpaudit.code.keys import ATOMS, NUMBERS, NUMPY_NUMBERS
from dpaudit.code.lazy import Lazy
from dpaudit.code.source import Source, StandIn
from dpaudit.code.subs import Sampler
from dpaudit.code.vectors import Draws
from dpaudit.code.views import ABSENT, in_class


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ------------------------------------------------------------------ types

ARRAYS: frozenset[Any] = frozenset((np.ndarray, Draws))
SETS: frozenset[Any] = frozenset((set, frozenset))
SEQUENCES: frozenset[Any] = ARRAYS | {list, tuple, str, range, bytes}
"""Their entries can be taken by number."""
CONTAINERS: frozenset[Any] = SEQUENCES | SETS | {dict}
TRUTHS: frozenset[Any] = ATOMS | CONTAINERS | {Lazy}
ITERATORS: frozenset[Any] = frozenset((zip, map, filter, enumerate, reversed, type(reversed([])), GeneratorType))
"""What a run makes with functions of the list, or as an expression: gone over once, by the run that made it."""


def is_closed(value: Any) -> bool:
    """Whether operators and listed functions on the value, with all its entries, run no code but that of its types."""
    kind: Any = type(value)
    if kind in ATOMS or kind is Lazy or kind is Draws:
        return True
    if kind is list or kind is tuple:
        return all(map(is_closed, value))
    if kind is dict:
        return all(map(is_closed, value)) and all(map(is_closed, value.values()))
    if kind is np.ndarray:
        return value.dtype.kind in NUMBERS
    if kind is slice:
        return is_closed((value.start, value.stop, value.step))
    return is_dtype(value) or value is Ellipsis


def is_dtype(value: Any) -> bool:
    """Whether the value names the type of an array of numbers."""
    named = any(value is kind for kind in (int, float, bool, complex, object))
    return named or (type(value) is type and value in NUMPY_NUMBERS) or issubclass(type(value), np.dtype)


def has_closed_keys(value: Any) -> bool:
    """Whether a look-up in the dict or set runs no code but that of closed types."""
    return all(map(is_closed, value))


def is_closed_set(value: Any) -> bool:
    """Whether the value is a set of closed values: an entry may be looked for, but its order is no value."""
    return type(value) in SETS and has_closed_keys(value)


# ------------------------------------------------------------------ functions


def _by_identity(module: Any, names: str) -> dict[int, Any]:
    return {id(one): one for one in (getattr(module, name, None) for name in names.split()) if one is not None}


SHALLOW: dict[int, Any] = _by_identity(builtins, "len list tuple enumerate zip reversed range")
"""Of these only the outermost container matters: the entries are handed on as they are."""
CALLING: dict[int, Any] = {
    **_by_identity(builtins, "map filter sorted min max"),
    **{id(functools.reduce): functools.reduce},
}
"""These call the functions that they are given."""
ORDERLESS: dict[int, Any] = _by_identity(builtins, "len sorted min max any all set frozenset")
"""Their value does not depend on the order of a set, as long as they are given no key."""
NUMPY: dict[int, Any] = {
    **_by_identity(
        np,
        """zeros ones full zeros_like ones_like arange linspace array asarray concatenate stack where sum prod max
min amax amin mean argmax argmin argsort sort cumsum cumprod clip round around isclose allclose
searchsorted digitize dot outer unique nonzero flatnonzero bincount all any append delete insert tile
repeat flip reshape ravel count_nonzero array_equal isin setdiff1d eye identity diff take copy size shape
ndim var std""",
    ),
    **{id(one): one for one in vars(np).values() if isinstance(one, np.ufunc)},
}
NUMPY_NAMED = _words("""axis dtype size decimals side right minlength keepdims ndmin num endpoint a_min a_max atol rtol
fill_value shape repeats return_counts assume_unique equal_nan n k""")
"""The named arguments of numpy's functions that are on the list; none of them is written to."""
PURE: dict[int, Any] = {
    **SHALLOW,
    **CALLING,
    **_by_identity(
        builtins,
        """abs all any ascii bin bool bytes chr complex divmod float format frozenset hex int oct ord pow repr round
set str sum slice dict""",
    ),
    **{id(one): one for one in vars(math).values() if isinstance(one, BuiltinFunctionType)},
    **_by_identity(
        operator,
        """abs add and_ concat contains countOf eq floordiv ge getitem gt index indexOf inv invert le lshift lt
matmul mod mul ne neg not_ or_ pos pow rshift sub truediv truth xor""",
    ),
    **NUMPY,
    **{id(kind): kind for kind in NUMPY_NUMBERS},
    **{id(one): one for one in (Fraction, bisect.bisect, bisect.bisect_left, bisect.bisect_right)},
    **{id(one): one for name, one in vars(Fraction).items() if type(one) is FunctionType and name[0] != "_"},
}
"""By address: functions whose value depends on the values of their arguments alone, and that change nothing."""
MAKES: dict[int, Any] = {
    **_by_identity(builtins, "list dict sorted set enumerate zip reversed map filter"),
    **_by_identity(
        np,
        """zeros ones full zeros_like ones_like arange linspace array concatenate stack where cumsum cumprod clip
sort bincount append delete insert tile repeat eye identity copy""",
    ),
}
"""Those of them that make a new list, dict, set, iterator or array."""
DRAWS = _words("""random getrandbits randrange randint uniform triangular expovariate choice choices sample shuffle
integers binomial permutation permuted random_sample rand randbelow randbits _default_rng RandomState
Generator PCG64 PCG64DXSM MT19937 Philox SFC64""")
"""What a random source may be asked for; a list or an array that it gives back is new, but for a choice of one."""
FROM_ANYTHING = _words("choice choices sample shuffle")
"""Python's draws that move entries without looking at them."""


def writes(function: Any, given: tuple[Any, ...], named: Any) -> bool:
    """Whether a function of numpy may be given an array to write to: by name, or behind its usual arguments."""
    usual = function.nin if isinstance(function, np.ufunc) else {np.where: 3, np.clip: 3}.get(function, 2)
    return not NUMPY_NAMED.issuperset(named) or any(type(one) in ARRAYS for one in given[usual:])


# ------------------------------------------------------------------ methods and attributes of closed types

_SETS = "union intersection difference symmetric_difference issubset issuperset isdisjoint copy"
_ARRAYS = """sum prod max min mean argmax argmin cumsum cumprod any all item tolist copy astype reshape ravel flatten
nonzero round clip dot searchsorted transpose"""
READS: dict[Any, frozenset[str]] = {
    list: _words("index count copy"),
    dict: _words("get items keys values copy"),
    **dict.fromkeys(SETS, _words(_SETS)),
    **dict.fromkeys(ARRAYS, _words(_ARRAYS)),
    **dict.fromkeys(
        NUMPY_NUMBERS,
        _words("item tolist round is_integer as_integer_ratio bit_count conjugate"),
    ),
    **{
        kind: frozenset(name for name in dir(kind) if name[0] != "_")
        for kind in (int, float, bool, str, bytes, complex, tuple, range, Fraction)
    },
}
"""The methods and attributes that change nothing: of the builtin types that never change, all public ones."""
PLAIN_ATTRIBUTES: dict[Any, frozenset[str]] = {
    **dict.fromkeys(ARRAYS, _words("shape ndim size dtype T real imag")),
    **dict.fromkeys(NUMPY_NUMBERS, _words("shape ndim size dtype real imag")),
    slice: _words("start stop step"),
}
CHANGES: dict[Any, frozenset[str]] = {
    list: _words("append extend insert pop remove clear sort reverse"),
    dict: _words("setdefault update pop popitem clear"),
    set: _words("add discard remove update clear"),
    **dict.fromkeys(ARRAYS, _words("fill sort")),
}
"""The methods that change what the run itself has made."""
COMPARES = _words("index count remove sort")
"""Methods that compare the entries."""
HANDS_ON = _words("append insert setdefault get pop")
"""Methods of lists and dicts that store or give back a value as it is."""
GIVE_NEW = _words("copy tolist flatten astype split rsplit splitlines")
ARRAY_ARGUMENTS = {"dot": 1, "searchsorted": 1, "clip": 2}
"""How many arguments of a method of an array may be arrays; one behind them would be written to."""


def may_read(kind: Any, name: str) -> bool:
    """Whether values of a closed type have the attribute or method on the list."""
    return any(name in names.get(kind, ()) for names in (READS, PLAIN_ATTRIBUTES, CHANGES))


# ------------------------------------------------------------------ classes


def is_class(value: Any) -> bool:
    """Whether the value is a class."""
    return issubclass(type(value), type)


def is_source(value: Any) -> bool:
    """Whether the value is a random source of ours."""
    return type(value) is Source or type(type(value)) is StandIn


def is_of_object(kind: Any, *names: str) -> bool:
    """Whether the class has all these from ``object``."""
    return all(in_class(kind, name) is vars(object)[name] for name in names)


def reads_plainly(found: Any) -> bool:
    """Whether reading an attribute under whose name this lies in the class runs no code."""
    kind: Any = type(found)
    if kind is classmethod:
        return type(found.__func__) is FunctionType
    known = kind in (FunctionType, staticmethod, MemberDescriptorType, Sampler) or found is ABSENT
    return known or in_class(kind, "__get__") is ABSENT


def stores_plainly(kind: Any, name: str) -> bool:
    """Whether storing the attribute puts it into the dict of the object, and does nothing else."""
    found = type(in_class(kind, name))
    return is_of_object(kind, "__setattr__") and in_class(found, "__set__") is in_class(found, "__delete__") is ABSENT


def is_true(kind: Any) -> bool:
    """Whether all objects of the class are true."""
    return in_class(kind, "__bool__") is in_class(kind, "__len__") is ABSENT


class _Plain:
    pass


def _room(kind: Any) -> tuple[int, ...]:
    return tuple(vars(type)[name].__get__(kind) for name in ("__basicsize__", "__itemsize__", "__dictoffset__"))


def is_plain_class(kind: Any) -> bool:
    """Whether objects of the class are made by ``object``, kept in a dict and nothing else, and end without a word."""
    usual = "__new__", "__getattribute__", "__setattr__", "__delattr__"
    made = type(kind) in (type, abc.ABCMeta) and _room(kind) == _room(_Plain) and is_of_object(kind, *usual)
    return made and in_class(kind, "__getattr__") is in_class(kind, "__del__") is ABSENT


def is_copied_plainly(kind: Any) -> bool:
    """Whether copy.copy() of an object of the class is an object with the same attributes."""
    usual = is_of_object(kind, "__reduce__", "__reduce_ex__", "__getstate__")
    return is_plain_class(kind) and usual and in_class(kind, "__copy__") is in_class(kind, "__setstate__") is ABSENT


def is_plain_error(kind: Any) -> bool:
    """Whether exceptions of the class are made by builtin classes alone."""
    made = (
        type(in_class(kind, "__init__")) is WrapperDescriptorType,
        type(in_class(kind, "__new__")) is BuiltinFunctionType,
    )
    return type(kind) is type and issubclass(kind, BaseException) and all(made) and in_class(kind, "__del__") is ABSENT


def shows_its_class(kind: Any) -> bool:
    """Whether objects of this type show their type as their class, or what ours stand for, without running code."""
    usual = is_of_object(kind, "__class__", "__getattribute__") and in_class(kind, "__getattr__") is ABSENT
    return kind is Lazy or kind is Source or kind in ATOMS or kind in CONTAINERS or usual


def goes_by_bases(kinds: Any) -> bool:
    """Whether the class, or each of several, and for an abstract one each that counts as it, decides nothing itself."""
    if type(kinds) is tuple:
        return all(map(goes_by_bases, kinds))
    if type(kinds) is UnionType:
        return all(map(goes_by_bases, kinds.__args__))
    if type(kinds) is not abc.ABCMeta:
        return type(kinds) in (type, StandIn)
    usual = is_of_object(kinds, "__subclasshook__") or any(kinds is one for one in _ABSTRACT)
    children: Any = type.__subclasses__
    under = *children(kinds), *(one() for one in _get_dump(kinds)[0])
    return usual and all(goes_by_bases(one) for one in under if one is not None)


_ABSTRACT = [one for module in (numbers, collections.abc) for one in vars(module).values() if type(one) is abc.ABCMeta]

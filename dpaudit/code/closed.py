"""The closed list: the types, functions, methods and classes that a clean run may use; everything else is outside it.

Every lookup here goes through the slots of ``type`` and ``object`` themselves, so that it runs no user code.
"""

from __future__ import annotations

import abc
import builtins
import math
import operator
from _abc import _get_dump  # type: ignore[import-not-found]
from fractions import Fraction
from random import Random, SystemRandom
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType
from typing import Any

import numpy as np

from dpaudit.code.keys import ABSENT, ATOMS, NUMPY_NUMBERS, SEQUENCES, addresses, in_class
from dpaudit.code.lazy import Lazy
from dpaudit.code.source import Source, StandIn


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ------------------------------------------------------------------ types

TRUTHS = ATOMS | SEQUENCES | addresses(Lazy, dict)
SOURCES = addresses(Source, Random, SystemRandom)
METACLASSES = addresses(type, abc.ABCMeta, StandIn)


def is_closed(value: Any) -> bool:
    """Whether operators and listed functions run no code on the value and its entries but that of closed types."""
    kind: Any = type(value)
    if id(kind) in ATOMS or kind is Lazy:
        return True
    if kind is list or kind is tuple:
        return all(map(is_closed, value))
    if kind is slice:
        return is_closed((value.start, value.stop, value.step))
    return kind is type and (value in NUMPY_NUMBERS or value in (int, float, bool))


# ------------------------------------------------------------------ functions


def _by_identity(module: Any, names: str) -> dict[int, Any]:
    return {id(one): one for one in (getattr(module, name, None) for name in names.split()) if one is not None}


SHALLOW: dict[int, Any] = _by_identity(builtins, "len list tuple enumerate zip reversed")
"""Only the outermost container matters for these: the entries are passed on unchanged."""
PURE: dict[int, Any] = {
    **SHALLOW,
    **_by_identity(
        builtins,
        """abs all any ascii bin bool bytes chr complex divmod float format hex int max min oct ord pow range repr round
slice sorted str sum""",
    ),
    **{id(one): one for one in vars(math).values() if isinstance(one, BuiltinFunctionType)},
    **_by_identity(
        operator,
        """abs add and_ contains eq floordiv ge getitem gt index invert le lshift lt mod mul ne neg not_ or_ pos pow
rshift sub truediv truth xor""",
    ),
    **{id(one): one for one in vars(np).values() if isinstance(one, np.ufunc)},
    **{id(kind): kind for kind in (*NUMPY_NUMBERS, Fraction, np.iinfo)},
}
"""By address: functions that depend on the values of their arguments alone, and change nothing."""
MAKES: dict[int, Any] = _by_identity(builtins, "list sorted enumerate zip reversed")
"""Those that return a new list or iterator."""

DRAWS = _words("""random getrandbits randrange randint uniform triangular expovariate choice choices sample shuffle
integers binomial random_sample rand randbelow randbits _default_rng RandomState Generator PCG64 PCG64DXSM MT19937
Philox SFC64""")
"""The methods of a random source that may be used."""

# ------------------------------------------------------------------ methods of closed types

READS: dict[int, frozenset[str]] = {
    id(list): _words("index count copy"),
    id(slice): _words("start stop step"),
    id(np.iinfo): _words("min max bits"),
    **{
        id(kind): frozenset(name for name in dir(kind) if name[0] != "_")
        for kind in (int, float, bool, str, bytes, complex, tuple, range, Fraction)
    },
    **dict.fromkeys(
        addresses(*NUMPY_NUMBERS), _words("item tolist round is_integer as_integer_ratio conjugate dtype real imag")
    ),
}
"""By address of the type: the methods and attributes that change nothing; all public ones of an immutable type."""
CHANGES = _words("append extend insert pop remove clear sort reverse")
"""The methods that change a list."""
UNSEEN = _words("append copy clear reverse")
"""Methods that do not inspect the entries."""
GIVE_NEW = _words("copy split rsplit splitlines")


# ------------------------------------------------------------------ classes


def is_class(value: Any) -> bool:
    """Whether the value is a class."""
    return issubclass(type(value), type)


def is_source(value: Any) -> bool:
    """Whether the value is a random source: Python's, whose methods are replaced during a run, or a stand-in."""
    return id(type(value)) in SOURCES or type(type(value)) is StandIn


def is_of_object(kind: Any, *names: str) -> bool:
    """Whether the class inherits all these from ``object``."""
    return all(in_class(kind, name) is vars(object)[name] for name in names)


READ_PLAINLY = addresses(FunctionType, staticmethod, MemberDescriptorType)


def reads_plainly(found: Any) -> bool:
    """Whether reading an attribute runs no code, given what its class has under that name."""
    kind: Any = type(found)
    if kind is classmethod:
        return type(found.__func__) is FunctionType
    known = id(kind) in READ_PLAINLY or found is ABSENT
    return known or in_class(kind, "__get__") is ABSENT


def stores_plainly(kind: Any, name: str) -> bool:
    """Whether storing the attribute only puts it into the dict of the object."""
    found = type(in_class(kind, name))
    return is_of_object(kind, "__setattr__") and in_class(found, "__set__") is in_class(found, "__delete__") is ABSENT


class _Plain:
    pass


_SIZES = "basicsize", "itemsize", "dictoffset", "weakrefoffset"


def _room(kind: Any) -> tuple[int, ...]:
    return tuple(vars(type)[f"__{name}__"].__get__(kind) for name in _SIZES)


def is_plain_class(kind: Any) -> bool:
    """Whether objects of the class are created by ``object``, consist of a dict alone, and have no finalizer."""
    usual = "__new__", "__getattribute__", "__setattr__", "__delattr__"
    made = id(type(kind)) in METACLASSES and _room(kind) == _room(_Plain) and is_of_object(kind, *usual)
    return made and in_class(kind, "__getattr__") is in_class(kind, "__del__") is ABSENT


_ERRORS = [one for one in vars(builtins).values() if type(one) is type and issubclass(one, BaseException)]
_MAKERS = {name: {id(in_class(one, name)) for one in _ERRORS} for name in ("__new__", "__init__")}


def is_plain_error(kind: Any) -> bool:
    """Whether exceptions of the class are created as those of a builtin class, and have no finalizer."""
    made = all(id(in_class(kind, name)) in makers for name, makers in _MAKERS.items())
    return type(kind) is type and issubclass(kind, BaseException) and made and in_class(kind, "__del__") is ABSENT


def shows_its_class(kind: Any) -> bool:
    """Whether objects of this type report their type as ``__class__`` without running code, as our stand-ins do."""
    if id(type(kind)) not in METACLASSES:
        return False
    usual = is_of_object(kind, "__class__", "__getattribute__") and in_class(kind, "__getattr__") is ABSENT
    return usual or id(kind) in TRUTHS or kind is Source


def goes_by_bases(kinds: Any) -> bool:
    """Whether isinstance() with the class, or with each of several, runs no code of theirs."""
    if type(kinds) is tuple:
        return all(map(goes_by_bases, kinds))
    if type(kinds) is not abc.ABCMeta:
        return id(type(kinds)) in METACLASSES
    children: Any = type.__subclasses__
    under = *children(kinds), *(one() for one in _get_dump(kinds)[0])
    usual = is_of_object(kinds, "__subclasshook__") and in_class(kinds, "__subclasses__") is ABSENT
    return usual and all(goes_by_bases(one) for one in under if one is not None)

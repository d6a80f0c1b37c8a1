"""Which classes and look-ups of somebody's code are plain: they run no code of their own."""

from __future__ import annotations

import abc
from types import FunctionType, MemberDescriptorType
from typing import Any

from dpaudit.code.lazy import Lazy
from dpaudit.code.run import bookkeeping, refuse
from dpaudit.code.source import Source, StandIn
from dpaudit.code.subs import Sampler
from dpaudit.code.views import ABSENT

PLAIN_CLASSES = (FunctionType, staticmethod, classmethod, MemberDescriptorType, Sampler)
"""What may lie under a name in a class: looking it up runs no code of anybody else."""


def check_name(name: str) -> None:
    """Refuses what shows that a function was rewritten."""
    if name not in ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__dict__"):
        refuse(f"{name} of a function cannot be followed")


def in_class(kind: Any, name: str) -> Any:
    """What lies under the name in the class or its bases."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return ABSENT


def is_plain(value: Any) -> bool:
    """Whether looking the value up in a class runs no code."""
    return isinstance(value, PLAIN_CLASSES) or value is ABSENT or not hasattr(type(value), "__get__")


def makes_itself(kind: type) -> bool:
    """Whether the class has a say in how its objects are made, kept or ended."""
    return any(name in vars(kind) for name in ("__new__", "__init__", "__setattr__", "__del__", "__init_subclass__"))


def is_plain_class(kind: type) -> bool:
    """Whether objects of the class are made and kept as usual: a dict of attributes."""
    special = ("__new__", "__del__", "__setattr__", "__getattribute__", "__getattr__", "__slots__", "__delattr__")
    return is_theirs_class(kind) and not any(name in vars(kind) for name in special)


def holds_attributes(kind: Any) -> bool:
    """Whether an object of the class is a dict of attributes, and nothing else."""
    theirs = [base for base in kind.__mro__ if base not in (object, abc.ABC)]
    usual = type(kind) in (type, abc.ABCMeta) and kind.__dictoffset__ != 0
    return usual and bool(theirs) and all(is_plain_class(base) for base in theirs)


def is_theirs_class(kind: type) -> bool:
    """Whether the class was made by a class statement of Python, not in C."""
    return bool(kind.__flags__ & (1 << 9))  # a heap type: made as Python runs


@bookkeeping
def is_plain_check(kind: Any, kinds: Any) -> bool:
    """Whether isinstance() of an object of this type looks at bases and registers alone."""
    shows = in_class(kind, "__class__") is vars(object)["__class__"] and in_class(kind, "__getattr__") is ABSENT
    return (kind in (Lazy, Source) or shows) and _is_plain_class_of(kinds)


def _is_plain_class_of(kinds: Any) -> bool:
    """Whether the class, or each of several, does not decide by itself what is one of it."""
    if type(kinds) is tuple:
        return all(map(_is_plain_class_of, kinds))
    if hasattr(kinds, "__args__") and not isinstance(kinds, type):
        return all(map(_is_plain_class_of, kinds.__args__))
    if type(kinds) is type or isinstance(type(kinds), StandIn) or type(kinds) is StandIn:
        return True
    hook = in_class(kinds, "__subclasshook__") if isinstance(kinds, type) else None
    known = isinstance(kinds, type) and kinds.__module__ in ("numbers", "collections.abc", "_collections_abc")
    return type(kinds) is abc.ABCMeta and (known or hook is vars(object)["__subclasshook__"])

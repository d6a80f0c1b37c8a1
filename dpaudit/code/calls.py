"""Hooks for calls: each is followed, drawn at once, made since it is on the list, or outside of it; see SOUND.md."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code import pure
from dpaudit.code.classes import holds_attributes, in_class, is_plain_check, makes_itself
from dpaudit.code.keys import ATOMS
from dpaudit.code.lazy import Lazy, is_lazy
from dpaudit.code.pure import CHANGES, CONTAINERS, IMMUTABLE, ITERATORS, MAKES, PASSES_ON, PURE, READS
from dpaudit.code.rewrite import followed
from dpaudit.code.run import RUNS, bookkeeping, is_theirs
from dpaudit.code.source import Source, StandIn
from dpaudit.code.subs import Sampler
from dpaudit.code.values import Values
from dpaudit.code.vectors import Draws

MAKING_DRAWS = frozenset(
    [
        "random",
        "random_sample",
        "rand",
        "integers",
        "randint",
        "uniform",
        "binomial",
        "permutation",
        "permuted",
        "sample",
        "choices",
    ]
)
"""Draws that give back a new list or array, where they give back one."""
COPYING = ("__copy__", "__deepcopy__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__")
GIVE_NEW = frozenset(("copy", "tolist", "flatten", "astype", "split", "rsplit", "splitlines"))
"""Methods of builtin types that give back a new list, dict, set or array."""
STAND_INS: dict[int, Any] = {}
"""The functions that stand in for those of random and numpy while a sampler runs."""


class Calls(Values):
    """What to call in place of a function."""

    @bookkeeping
    def f(self, function: Any) -> Callable[..., Any]:
        """What to call in place of the function; the function itself, called by the code, where it is outside."""
        kind = type(function)
        if kind is MethodType:
            held = function.__self__
            if type(held) is Source or isinstance(type(held), StandIn):
                return partial(self._drawn, function)
            return partial(self._method, function.__func__, held)
        if kind is FunctionType:
            if id(function) in PURE:
                return partial(self._pure, function)
            if id(function) in STAND_INS:
                return partial(self._drawn, function)
            if function is copy.copy:
                return self._copy
            return partial(self._function, function) if self._is_followed(function) else function
        if id(function) in PURE or id(function) in PASSES_ON:
            return partial(self._pure, function)
        if kind is BuiltinFunctionType and not isinstance(function.__self__, ModuleType | None):
            return self._builtin_method(function)
        return self._other(function)

    def _is_followed(self, function: FunctionType) -> bool:
        """Whether the function can be followed; else it is outside, with the reason."""
        if function.__code__.co_filename == pure.FRACTIONS:
            return True
        known = followed(function)
        if isinstance(known, str):
            name = getattr(function, "__qualname__", "a function")
            self.outside(f"`{name}` is outside the mergeable subset" + (f" ({known})" if known else ""))
            return False
        return True

    def _function(self, function: FunctionType, *given: Any, **named: Any) -> Any:
        return self.called(function, given, named)

    def _method(self, function: Any, held: Any, *given: Any, **named: Any) -> Any:
        if type(function) is FunctionType and self._is_followed(function):
            return self.called(function, (held, *given), named)
        return self.f(function)(held, *given, **named) if type(function) is Sampler else function(held, *given, **named)

    def _drawn(self, function: Any, *given: Any, **named: Any) -> Any:
        """A draw: a method of a random source of ours."""
        parts = (*given, *named.values())
        for one in parts:
            if not pure.is_closed(one) and type(one) not in CONTAINERS:
                self.outside(f"a draw from a {type(one).__name__}")
        name = getattr(function, "__name__", "")
        if name == "shuffle" and not all(map(self.is_own, given)):
            self.outside("something that was there before is shuffled")
        found = function(*given, **named)
        many = name == "choice" and (len(given) > 1 or "size" in named)
        return self.new(found) if many or name in MAKING_DRAWS else found

    def _pure(self, function: Any, *given: Any, **named: Any) -> Any:
        """A function of the list: its arguments must be of closed types."""
        shallow = id(function) in PASSES_ON
        given = tuple([self._argument(function, one, shallow, bool(named)) for one in given])
        named = {name: self._argument(function, one, shallow) for name, one in named.items()}
        if pure.writes(function, given, named):
            self.outside("a function of numpy that writes to an array (out=)")
        found = function(*given, **named)
        if id(function) in MAKES and not any(found is one for one in given):
            self.new(found)
        return found

    def _argument(self, function: Any, value: Any, shallow: bool, keyed: bool = False) -> Any:
        kind = type(value)
        if kind in (set, frozenset):
            if not pure.is_closed_set(value) or id(function) not in pure.ORDERLESS or keyed:
                self.it(value)
            return value
        if kind in ATOMS or kind is Lazy or (shallow and (kind in CONTAINERS or kind in ITERATORS)):
            return value
        if kind is GeneratorType or kind in ITERATORS:
            entries = self.it(value)
            return entries if shallow else map(self.c, entries)
        if kind in (FunctionType, MethodType, BuiltinFunctionType, type) and value not in pure.NUMPY_TYPES:
            called = self.f(value)
            return lambda *given, **named: self.c(called(*given, **named))
        if not pure.is_closed(value):
            name = getattr(function, "__name__", "a function")
            self.outside(f"{name}() of a {kind.__name__}")
        return value

    def _builtin_method(self, function: Any) -> Callable[..., Any]:
        held, name = function.__self__, function.__name__
        kind: Any = np.ndarray if type(held) is Draws else type(held)
        reads, changes = READS.get(kind, frozenset()), CHANGES.get(kind, frozenset())
        if kind in IMMUTABLE or name in reads or (name in changes and self.is_own(held)):
            return partial(self._method_of_builtin, function, name in GIVE_NEW)
        self.outside(f"{kind.__name__}.{name} of something that was there before, or is not on the list")
        return function  # type: ignore[no-any-return]

    def _method_of_builtin(self, function: Any, makes: bool, *given: Any, **named: Any) -> Any:
        held, name, kind = function.__self__, function.__name__, type(function.__self__)
        plain = pure.is_closed(held) or pure.is_closed_set(held)
        compares = name in ("index", "count", "remove", "sort") and not plain
        hands_on = type(held) in (list, dict) and name in CHANGES.get(type(held), frozenset()) | {"get"}
        if type(held) is dict and given and name in ("get", "setdefault", "pop"):
            compares = not pure.is_closed(given[0]) or not all(map(pure.is_closed, held))
        closed = [pure.is_closed(one) or (kind is set and pure.is_closed_set(one)) for one in given]
        if compares or not (all(closed) or (hands_on and name not in ("extend", "update"))):
            self.outside(f"{type(held).__name__}.{name} of things that are not of closed types")
        usual = {"dot": 1, "searchsorted": 1, "clip": 2}.get(name, 0)
        if kind in (np.ndarray, Draws) and ("out" in named or any(isinstance(x, np.ndarray) for x in given[usual:])):
            self.outside("a method of an array that writes to another one (out=)")
        named = {key: self._argument(function, one, False) for key, one in named.items()}
        given = tuple([self._checked(one) for one in given])
        found = function(*given, **named)
        return self.new(found) if makes else found

    def _checked(self, value: Any) -> Any:
        return self.it(value) if type(value) is GeneratorType or type(value) in ITERATORS else value

    def _other(self, function: Any) -> Callable[..., Any]:
        """What to call for classes, objects that can be called, and what the interpreter does itself."""
        if function is hash:
            self.order(("",))
        if function is iter:
            return self._iter
        if function is isinstance or function is issubclass:
            return partial(self._isinstance, function)
        if function is type:
            return self._type
        if any(function is one for one in (getattr, hasattr, setattr, callable)):
            return partial(self._by_name, function)
        if type(function) is partial:
            return partial(self._partial, function)
        if type(function) is Sampler:
            return function
        if type(function) is type(functools.lru_cache(int)):
            self.outside("a cache (functools)")
            return function
        if isinstance(function, type):
            return self._class(function)
        if id(function) in STAND_INS:
            return partial(self._drawn, function)
        own = in_class(type(function), "__call__")
        if type(own) is FunctionType and is_theirs(own.__code__.co_filename) and self._is_followed(own):
            return partial(self._method, own, function)
        name = getattr(function, "__qualname__", type(function).__name__)
        self.outside(f"`{name}` is outside the mergeable subset")
        return function  # type: ignore[no-any-return]

    def _iter(self, *given: Any) -> Any:
        for one in given:
            if type(one) in (set, frozenset):
                self.order(one)
        self.outside("`iter` is outside the mergeable subset")
        return iter(*given)

    def _isinstance(self, function: Any, value: Any, kinds: Any) -> bool:
        if not is_plain_check(type(value), kinds):
            self.outside("isinstance() with a class that decides by itself")
        return function(value, kinds)  # type: ignore[no-any-return]

    def _type(self, *given: Any) -> Any:
        if len(given) != 1:
            self.outside("a class that is made as it runs")
            module = sys._getframe(1).f_globals.get("__name__")  # type() looks at its caller
            return type(given[0], given[1], {"__module__": module, **given[2]}, *given[3:])
        return given[0].__class__ if is_lazy(given[0]) else type(given[0])

    def _by_name(self, function: Any, value: Any, *more: Any) -> Any:
        """getattr and the like."""
        if function is callable:
            return callable(value)
        if function is setattr:
            return self.set_a(more[1], value, more[0])
        try:
            found = self.a(value, more[0])
        except AttributeError:
            if function is getattr and len(more) == 1:
                raise
            return more[1] if function is getattr else False
        return found if function is getattr else True

    def _partial(self, function: Any, *given: Any, **named: Any) -> Any:
        return self.f(function.func)(*function.args, *given, **{**function.keywords, **named})

    def _class(self, kind: Any) -> Callable[..., Any]:
        """What makes an object of a class of theirs: one that holds attributes and nothing else."""
        if issubclass(kind, BaseException):
            usual = all(base.__module__ == "builtins" or not makes_itself(base) for base in kind.__mro__)
            if not usual:
                self.outside(f"an exception {kind.__name__} that makes itself")
            return kind  # type: ignore[no-any-return]
        start = in_class(kind, "__init__")
        if not holds_attributes(kind) or getattr(kind, "__abstractmethods__", None):
            self.outside(f"`{kind.__qualname__}` is outside the mergeable subset")
            return kind  # type: ignore[no-any-return]
        if start is not object.__init__ and not (type(start) is FunctionType and self._is_followed(start)):
            self.outside(f"`{kind.__qualname__}` makes itself outside the mergeable subset")
            return kind  # type: ignore[no-any-return]
        return partial(self._made, kind, start)

    def _copy(self, value: Any) -> Any:
        """A copy of a list, dict, set, array, or of an object that holds attributes and nothing else."""
        kind: Any = type(value)
        if kind in (list, dict, set, np.ndarray):
            return self.new(copy.copy(value))
        if not holds_attributes(kind) or any(name in vars(base) for base in kind.__mro__[:-1] for name in COPYING):
            self.outside(f"copy.copy() of a {kind.__name__}")
            return copy.copy(value)
        found = object.__new__(kind)
        vars(found).update(vars(value))
        if RUNS:
            RUNS[-1].fresh[id(found)] = found
        return found

    def _made(self, kind: Any, start: Any, *given: Any, **named: Any) -> Any:
        found = kind(*given, **named) if start is object.__init__ else object.__new__(kind)
        if RUNS:
            RUNS[-1].fresh[id(found)] = found
        if start is not object.__init__:
            self.called(start, (found, *given), named)
        return found

    def called(self, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls a function: drawn at once where its law can be computed, else followed as part of its caller."""
        run = RUNS[-1] if RUNS else None
        known = followed(function)
        if run is None or isinstance(known, str):
            return function(*given, **named)
        law = run.owner.subs.law(function, given, named) if run.clean and run.draws_calls() else None
        run.calls.append(law is not None)
        return known(*given, **named) if law is None else run.owner.subs.drawn(run, law, function.__qualname__)

"""The hooks of rewritten functions: calls, statements, loop iterations, and the outermost function; see SOUND.md.

Every hook does what the code would have done, and takes note: a run that does something outside the list is not clean
from there on. A call is followed, drawn at once, made because it is on the list, or made and noted as outside it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code import closed
from dpaudit.code.expressions import TEMPORARY, TOP
from dpaudit.code.keys import ATOMS, ITERATORS, SEQUENCES, Keys, NoKey, addresses, in_class
from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import CELL, SITES, followed, rewritten
from dpaudit.code.run import RUNS, Halted, Run, defined_at, fault, refuse, where
from dpaudit.code.values import SETS, Values

STAND_INS: dict[int, Any] = {}
"""The functions that replace those of random and numpy while a sampler runs."""


NO_METHODS = addresses(ModuleType, type(None))
"""The owner of a builtin function that is not a method."""


class Hooks(Values):
    """The hooks, by the short names that rewritten code uses."""

    locals = staticmethod(builtins.locals)
    slice = slice

    # -------------------------------------------------------------- calls

    def f(self, function: Any, count: int) -> Callable[..., Any]:
        """What to call instead of the function, with this many arguments; itself where it is outside the list."""
        kind = type(function)
        if id(function) in closed.PURE:
            return partial(self._pure, function)
        if id(function) in STAND_INS:
            return partial(self._drawn, function)
        if kind is MethodType:
            return partial(self._method, function.__func__, function.__self__)
        if kind is FunctionType:
            return partial(self._following, function) if self._is_followed(function) else function
        if kind is BuiltinFunctionType and id(type(function.__self__)) not in NO_METHODS:
            return partial(self._builtin_method, function)
        if function is isinstance or function is issubclass:
            return partial(self._isinstance, function)
        if function is type and count == 1:
            return self._type
        if closed.is_class(function) and function is not type:
            return self._class(function)
        if function is hash or function is iter:
            self.order(("",))
        self.outside(f"`{getattr(function, '__qualname__', kind.__name__)}` is outside the mergeable subset")
        return function  # type: ignore[no-any-return]

    def _is_followed(self, function: FunctionType) -> bool:
        """Whether the function can be followed; else it is outside, with the reason."""
        known = followed(function)
        if isinstance(known, str):
            why = f" ({known})" if known else ""
            at = "" if where() else defined_at(function)  # the outermost function, which no line of theirs calls
            self.outside(f"{at}`{function.__qualname__}` is outside the mergeable subset{why}")
        return not isinstance(known, str)

    def _following(self, function: FunctionType, *given: Any, **named: Any) -> Any:
        return self.called(function, given, named)

    def _method(self, function: Any, held: Any, *given: Any, **named: Any) -> Any:
        if closed.is_source(held):
            return self._drawn(MethodType(function, held), *given, **named)
        if type(function) is FunctionType and self._is_followed(function):
            return self.called(function, (held, *given), named)
        self.outside("a method that is no function")
        return function(held, *given, **named)

    def _drawn(self, function: Any, *given: Any, **named: Any) -> Any:
        """A draw: a method of a random source of ours, or a function that stands in for one."""
        name, parts = getattr(function, "__name__", ""), (*given, *named.values())
        listed = name in closed.DRAWS and (name != "shuffle" or all(map(self.is_own, given)))
        if not listed or not all(closed.is_closed(one) or closed.is_source(one) for one in parts):
            self.outside(f"the draw {name} of such arguments")
        found = function(*given, **named)
        if isinstance(found, np.ndarray):
            self.outside(f"an array that {name} draws")
        return self.new(found) if name in ("choices", "sample") else found

    def _pure(self, function: Any, *given: Any, **named: Any) -> Any:
        """A function of the list."""
        given = tuple([self._argument(function, one) for one in given])
        named = {name: self._argument(function, one) for name, one in named.items()}
        found = function(*given, **named)
        return self.new(found) if id(function) in closed.MAKES else found

    def _argument(self, function: Any, value: Any) -> Any:
        """An argument of a function of the list: of closed types, or what this function may be given besides."""
        kind, is_shallow = type(value), id(function) in closed.SHALLOW
        if id(kind) in ATOMS or kind is Lazy or (is_shallow and id(kind) in SEQUENCES):
            return value
        if id(kind) in ITERATORS or id(kind) in SETS:
            return self.it(value) if is_shallow else map(self.c, self.it(value))
        if not closed.is_closed(value):
            self.outside(f"{getattr(function, '__name__', 'a function')}() of a {kind.__name__}")
        return value

    def _builtin_method(self, function: Any, *given: Any, **named: Any) -> Any:
        """A method of a value of a builtin type."""
        held, name = function.__self__, function.__name__
        kind: Any = type(held)
        changes = kind is list and name in closed.CHANGES and self.is_own(held)
        if not changes and name not in closed.READS.get(id(kind), ()):
            self.outside(f"{kind.__name__}.{name} of an object that existed before the run, or is not on the list")
            return function(*given, **named)
        if name in ("extend", "join"):
            given = tuple([self._argument(sorted, one) for one in given])
        elif name not in closed.UNSEEN and not all(map(closed.is_closed, (held, *given, *named.values()))):
            self.outside(f"{kind.__name__}.{name} of values that are not of closed types")
        found = function(*given, **named)
        return self.new(found) if name in closed.GIVE_NEW else found

    def _isinstance(self, function: Any, value: Any, kinds: Any) -> bool:
        shows = closed.is_class(value) if function is issubclass else closed.shows_its_class(type(value))
        if not (shows and closed.goes_by_bases(kinds)):
            self.outside("isinstance() with a class that overrides it")
        return function(value, kinds)  # type: ignore[no-any-return]

    def _type(self, value: Any) -> Any:
        return value.__class__ if type(value) is Lazy else type(value)

    def raised(self, value: Any, part: str) -> Any:
        """The exception that is raised, or its cause; raising changes it, and Python instantiates a class."""
        if closed.is_class(value) and not closed.is_plain_error(value):
            self.outside("an exception with its own constructor")
        if part == "exc" and not closed.is_class(value) and not self.is_own(value):
            self.outside("an exception is raised that existed before the run")
        return value

    def _class(self, kind: Any) -> Callable[..., Any]:
        """What makes an object of a class: an exception, or one that holds attributes and nothing else."""
        if closed.is_plain_error(kind):
            return partial(self._error, kind)
        start = in_class(kind, "__init__")
        if closed.is_plain_class(kind) and start is object.__init__:
            return partial(self._construct, kind, None)
        if closed.is_plain_class(kind) and type(start) is FunctionType and self._is_followed(start):
            return partial(self._construct, kind, start)
        self.outside(f"`{kind.__qualname__}` is outside the mergeable subset")
        return kind  # type: ignore[no-any-return]

    def _error(self, kind: Any, *given: Any, **named: Any) -> Any:
        if named or not closed.is_closed(given):
            self.outside(f"an exception {kind.__name__} of values that are not of closed types")
        return self._own(kind(*given, **named))

    def _construct(self, kind: Any, start: Any, *given: Any, **named: Any) -> Any:
        found = self._own(kind(*given, **named) if start is None else object.__new__(kind))
        if start is not None:
            self.called(start, (found, *given), named)
        return found

    def _own(self, made: Any) -> Any:
        if RUNS:
            RUNS[-1].fresh[id(made)] = made
        return made

    def called(self, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls a function: drawn at once where its law can be computed, else followed as part of its caller."""
        run = RUNS[-1] if RUNS else None
        known = followed(function)
        if run is None or isinstance(known, str):
            self.outside(f"`{function.__qualname__}` is outside the mergeable subset")
            return function(*given, **named)
        law = run.owner.subs.law(function, given, named) if run.clean and run.draws_calls() else None
        run.calls.append(law is not None)
        if law is None:
            return known(*given, **named)
        return run.owner.subs.drawn(run, law, function.__qualname__)

    # -------------------------------------------------------------- statements and loop heads

    def head(self, site: int, top: bool, variables: dict[str, Any], holder: FunctionType) -> None:
        """The head of a loop, where a clean run may reach a state; the holder has all cells."""
        for run in RUNS[-1:]:
            run.step()
            if run.follower is not None and run.follower.has_decided:
                self._state(run, site, top, variables, holder)

    def _state(self, run: Run, site: int, top: bool, variables: dict[str, Any], holder: FunctionType) -> None:
        line, dead, cursors, reason = SITES[site]
        why = run.unclean_at or reason or run.owner.unmerged.get(site, "")
        why = why or ("" if top else "it is in a function that is followed as part of its caller")
        if not why:
            keys = Keys(run.owner.keep, frozenset(map(id, holder.__closure__ or ())))
            try:
                kept = [name for name in variables if name not in dead and not name.startswith(TEMPORARY)]
                known = [*kept, *(name for name in cursors if name in variables)]
                parts = tuple([(name, keys.key(variables[name])) for name in sorted(known)])
            except NoKey as reason_too:
                why = f"a variable holds {reason_too}"
            else:
                return run.follower.arrive(site, parts)  # type: ignore[no-any-return]
        return run.follower.is_unrolled(line, why)  # type: ignore[no-any-return]

    def guard(self) -> None:
        """The start of a handler: the code must catch neither the end of a run nor a fault of ours."""
        found = sys.exception()
        if found is not None and (why := fault(found)):
            refuse(why)
        for run in RUNS[-1:]:
            if run.halted or run.refused is not None:
                raise run.refused or Halted("")

    # -------------------------------------------------------------- the outermost function

    def outermost(self, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls the function of a run."""
        if type(function) is MethodType:
            function, given = function.__func__, (function.__self__, *given)
        if type(function) is not FunctionType or not self._is_followed(function):
            self.outside(f"`{getattr(function, '__qualname__', type(function).__name__)}` cannot be followed")
            return function(*given, **named)
        known: Any = rewritten(function)
        return known(*given, **named, **{TOP: True})


HOOKS = Hooks()
CELL.cell_contents = HOOKS

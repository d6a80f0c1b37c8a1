"""The hooks of rewritten functions: calls, statements, loop heads, and the outermost function; see SOUND.md.

Every hook does what the code would have done. It only takes note: a run that does something that is not on the list is
not clean from there on. A call is followed, drawn at once, made since it is on the list, or outside of it.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code import closed
from dpaudit.code.expressions import HOOK, TEMPORARY
from dpaudit.code.keys import ATOMS, DICT_VIEWS, Keys, NoKey, in_class
from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import CELL, SITES, followed, rewritten
from dpaudit.code.run import RUNS, Halted, Run, fault, refuse
from dpaudit.code.values import Values

STAND_INS: dict[int, Any] = {}
"""The functions that stand in for those of random and numpy while a sampler runs."""
FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, type)


class Hooks(Values):
    """The hooks, by the short names that rewritten code has for them."""

    locals = staticmethod(builtins.locals)
    slice = slice

    # -------------------------------------------------------------- calls

    def f(self, function: Any) -> Callable[..., Any]:
        """What to call in place of the function; the function itself, called by the code, where it is outside."""
        kind = type(function)
        if id(function) in closed.PURE:
            return partial(self._pure, function)
        if id(function) in STAND_INS:
            return partial(self._drawn, function)
        if kind is MethodType:
            return partial(self._method, function.__func__, function.__self__)
        if kind is FunctionType:
            return partial(self._following, function) if self._is_followed(function) else function
        if kind is BuiltinFunctionType and type(function.__self__) not in (ModuleType, type(None)):
            return partial(self._builtin_method, function)
        if closed.is_class(function) and function is not type:
            return self._class(function)
        return self._other(function, kind)

    def _is_followed(self, function: FunctionType) -> bool:
        """Whether the function can be followed; else it is outside, with the reason."""
        known = followed(function)
        if isinstance(known, str):
            why = f" ({known})" if known else ""
            self.outside(f"`{function.__qualname__}` is outside the mergeable subset{why}")
        return not isinstance(known, str)

    def _following(self, function: FunctionType, *given: Any, **named: Any) -> Any:
        return self.called(function, given, named)

    def _method(self, function: Any, held: Any, *given: Any, **named: Any) -> Any:
        if closed.is_source(held):
            return self._drawn(MethodType(function, held), *given, **named)
        if id(function) in closed.PURE:
            return self.f(function)(held, *given, **named)
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
        return self.new(found) if name in ("choices", "sample") else found

    def _pure(self, function: Any, *given: Any, **named: Any) -> Any:
        """A function of the list."""
        given = tuple([self._argument(function, one) for one in given])
        named = {name: self._argument(function, one) for name, one in named.items()}
        if closed.writes(function, given, named):
            self.outside(f"{function.__name__} with an array to write to")
        found = function(*given, **named)
        makes = id(function) in closed.MAKES and all(found is not one for one in given)
        return self.new(found) if makes else found

    def _argument(self, function: Any, value: Any) -> Any:
        """An argument of a function of the list: of closed types, or what this function may be given besides."""
        kind, address = type(value), id(function)
        if kind in ATOMS or kind is Lazy:
            return value
        if kind in closed.ITERATORS or kind in DICT_VIEWS or kind in (set, frozenset):
            return self.it(value) if address in closed.SHALLOW else self.cs(value)
        if address in closed.CALLING and kind in FUNCTIONS:
            called = self.f(value)
            return lambda *given, **named: self.c(called(*given, **named))
        if not closed.is_closed(value) and not (address in closed.SHALLOW and kind in closed.CONTAINERS):
            self.outside(f"{getattr(function, '__name__', 'a function')}() of a {kind.__name__}")
        return value

    def _builtin_method(self, function: Any, *given: Any, **named: Any) -> Any:
        """A method of a value of a builtin type."""
        held, name = function.__self__, function.__name__
        kind: Any = type(held)
        changes = name in closed.CHANGES.get(kind, ()) and self.is_own(held)
        if not changes and name not in closed.READS.get(kind, ()):
            self.outside(f"{kind.__name__}.{name} of something that was there before, or is not on the list")
            return function(*given, **named)
        if name in ("sort", "extend", "join", "update"):
            given = tuple([self._argument(sorted, one) for one in given])
            named = {key: self._argument(sorted, one) for key, one in named.items()}
        elif name not in closed.UNSEEN and not all(map(closed.is_closed, (*given, *named.values()))):
            self.outside(f"{kind.__name__}.{name} of things that are not of closed types")
        if kind is np.ndarray and not ATOMS.issuperset(map(type, (*given, *named.values()))):
            self.outside(f"a method {name} of an array with such arguments")
        if name not in closed.UNSEEN and not closed.is_closed(held):
            self.outside(f"{kind.__name__}.{name} where not all is of closed types")
        found = function(*given, **named)
        return self.new(found) if name in closed.GIVE_NEW else found

    def _other(self, function: Any, kind: type) -> Callable[..., Any]:
        """What to call for the functions that look at objects, and for objects that can be called."""
        looks: list[tuple[Any, Callable[..., Any]]] = [(type, self._type), (callable, callable)]
        looks += [(one, partial(self._isinstance, one)) for one in (isinstance, issubclass)]
        looks += [(one, partial(self._by_name, one)) for one in (getattr, hasattr, setattr)]
        looks += [(builtins.locals, self._locals), (vars, self._vars)]
        for one, instead in looks:
            if function is one:
                return instead
        if function is hash or function is iter:
            self.order(("",))
        self.outside(f"`{getattr(function, '__qualname__', kind.__name__)}` is outside the mergeable subset")
        return function  # type: ignore[no-any-return]

    def _isinstance(self, function: Any, value: Any, kinds: Any) -> bool:
        if not (
            closed.goes_by_bases(kinds)
            and (closed.is_class(value) if function is issubclass else closed.shows_its_class(type(value)))
        ):
            self.outside("isinstance() with a class that decides by itself")
        return function(value, kinds)  # type: ignore[no-any-return]

    def _locals(self) -> dict[str, Any]:
        """The variables of the function that asks, without those that the rewriting has added."""
        return self._variables(sys._getframe(1).f_locals)

    def _vars(self, *given: Any) -> Any:
        """The names of an object; of nothing, the variables of the function that asks."""
        if given:
            self.outside("`vars` is outside the mergeable subset")
            return vars(*given)
        return self._variables(sys._getframe(1).f_locals)

    def _variables(self, found: Mapping[str, Any]) -> dict[str, Any]:
        self.outside("`locals` is outside the mergeable subset")
        return {name: value for name, value in found.items() if name != HOOK and not name.startswith(TEMPORARY)}

    def _type(self, *given: Any) -> Any:
        if len(given) != 1:
            self.outside("a class that is made as it runs")
            module = sys._getframe(1).f_globals.get("__name__")  # type() looks at its caller
            return type(given[0], given[1], {"__module__": module, **given[2]}, *given[3:])
        return given[0].__class__ if type(given[0]) is Lazy else type(given[0])

    def _by_name(self, function: Any, value: Any, *more: Any) -> Any:
        """getattr and the like."""
        if not 0 < len(more) < 3 or type(more[0]) is not str:
            self.outside(f"{function.__name__}() with such arguments")
            return function(value, *more)
        if function is setattr:
            return self.set_a(more[1], value, more[0])
        try:
            found = self.a(value, more[0])
        except AttributeError:
            if function is getattr and len(more) == 1:
                raise
            return more[1] if function is getattr else False
        return found if function is getattr else True

    def raised(self, value: Any) -> Any:
        """What is raised: Python makes an exception of a class."""
        if closed.is_class(value) and not closed.is_plain_error(value):
            self.outside(f"an exception {value.__name__} that makes itself")
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
            self.outside(f"an exception {kind.__name__} of things that are not of closed types")
        return kind(*given, **named)

    def _construct(self, kind: Any, start: Any, *given: Any, **named: Any) -> Any:
        found = kind(*given, **named) if start is None else object.__new__(kind)
        if RUNS:
            RUNS[-1].fresh[id(found)] = found
        if start is not None:
            self.called(start, (found, *given), named)
        return found

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

    def enter(self) -> bool:
        """Whether the function that begins is the outermost one of the run."""
        run = RUNS[-1] if RUNS else None
        if run is None or run.top is None:
            return False
        is_top, run.top = run.top is sys._getframe(1).f_code, None
        return is_top

    def head(self, site: int, top: bool, variables: dict[str, Any]) -> bool:
        """The head of a loop: where a clean run may come to a state."""
        run = RUNS[-1] if RUNS else None
        if run is None:
            return True
        run.step()
        if run.follower is not None and run.follower.has_decided:
            self._state(run, site, top, variables)
        return True

    def _state(self, run: Run, site: int, top: bool, variables: dict[str, Any]) -> None:
        line, dead, cursors, reason = SITES[site]
        why = run.unclean_at or reason or run.owner.unmerged.get(site, "")
        why = why or ("" if top else "it is in a function that is followed as part of its caller")
        if not why:
            keys = Keys(run.owner.keep)
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
        """The start of a handler: neither the end of a run nor a fault of ours is for the code to catch."""
        found = sys.exception()
        if found is not None and (why := fault(found)):
            refuse(why)
        if RUNS and (RUNS[-1].halted or RUNS[-1].refused is not None):
            raise RUNS[-1].refused or Halted("")

    def plain_super(self, function: Any) -> None:
        """super() without arguments, which looks at its caller."""
        if function is not super:
            self.outside("a function that is called super")

    # -------------------------------------------------------------- the outermost function

    def outermost(self, run: Run, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls the function of a run."""
        while True:
            if type(function) is MethodType:
                function, given = function.__func__, (function.__self__, *given)
            elif type(function) is partial:
                function, given, named = function.func, (*function.args, *given), {**function.keywords, **named}
            elif type(function) is not FunctionType and type(in_class(type(function), "__call__")) is FunctionType:
                function, given = in_class(type(function), "__call__"), (function, *given)
            else:
                break
        if type(function) is not FunctionType or not self._is_followed(function):
            self.outside(f"`{getattr(function, '__qualname__', type(function).__name__)}` cannot be followed")
            return function(*given, **named)
        known: Any = rewritten(function)
        run.top = known.__code__
        return known(*given, **named)


HOOKS = Hooks()
CELL.cell_contents = HOOKS

"""The hooks of rewritten functions: statements, loop heads, and the outermost function; see SOUND.md.

Every hook does what the code would have done. It only takes note: a run that does something that is not on the list is
not clean from there on.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dpaudit.code.calls import STAND_INS, Calls
from dpaudit.code.closed import PURE
from dpaudit.code.keys import Keys, NoKey
from dpaudit.code.rewrite import CELL, SITES, followed, rewritten
from dpaudit.code.run import RUNS, Halted, Run, fault, refuse
from dpaudit.code.subs import Sampler
from dpaudit.code.views import in_class

IMPORT = builtins.__import__


class Hooks(Calls):
    """The hooks, by the short names that rewritten code has for them."""

    locals = staticmethod(builtins.locals)
    slice = slice

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
        line, live, reason = SITES[site]
        why = run.unclean_at or reason or run.owner.unmerged.get(site, "")
        why = why or ("" if top else "it is in a function that is followed as part of its caller")
        if not why:
            keys = Keys(run.owner.keep)
            try:
                parts = tuple([(name, keys.key(variables[name])) for name in sorted(live) if name in variables])
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

    def manager(self, value: Any) -> Any:
        """What a ``with`` is given."""
        self.outside("a with statement")
        return value

    def imports(self, module: str, names: str) -> None:
        """An import in a function: on the list where it only looks up what is loaded."""
        parts = module.split(".")
        needed = [(".".join(parts[:i]), parts[i : i + 1]) for i in range(1, len(parts))] + [(module, names.split())]
        for title, attributes in needed:
            loaded = sys.modules.get(title)
            if type(loaded) is not ModuleType or not vars(loaded).keys() >= set(attributes) or __import__ is not IMPORT:
                self.outside(f"the import of {module}")

    def plain_super(self, function: Any) -> None:
        """super() without arguments, which looks at its caller."""
        if function is not super:
            self.outside("a function that is called super")

    # -------------------------------------------------------------- the outermost function

    def tail(self, top: bool, function: Any) -> Callable[..., Any]:
        """What to call in a return statement: of the outermost function, it takes its place."""
        run = RUNS[-1] if RUNS else None
        held: tuple[Any, ...] = ()
        if top and run is not None and run.clean:
            target = function
            if type(target) is MethodType:
                held, target = (target.__self__,), target.__func__
            if type(target) is Sampler:
                target = target.function
            if type(target) is FunctionType and id(target) not in PURE and id(target) not in STAND_INS:
                known = followed(target)
                if not isinstance(known, str):
                    return partial(self._taking_over, run, target, known, held)
        return self.f(function)

    def _taking_over(self, run: Run, target: Any, known: Any, held: tuple[Any, ...], *given: Any, **named: Any) -> Any:
        """Calls a function in the place of the outermost one: what is left of the run depends on its arguments."""
        given = (*held, *given)
        if run.clean and run.follower is not None and run.follower.has_decided:
            keys, site = Keys(run.owner.keep), ("call", id(target.__code__))
            if site not in run.owner.unmerged:
                try:
                    key = keys.key(target), keys.key(given), keys.key(tuple(named.items()))
                except NoKey:
                    pass
                else:
                    run.follower.arrive(site, key)
        return self._on_top(run, known, given, named)

    def _on_top(self, run: Run, known: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        run.top = known.__code__
        try:
            return known(*given, **named)
        finally:
            run.top = None

    def outermost(self, run: Run, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls the function of a run."""
        while True:
            if type(function) is MethodType:
                function, given = function.__func__, (function.__self__, *given)
            elif type(function) is partial:
                function, given, named = function.func, (*function.args, *given), {**function.keywords, **named}
            elif type(function) is Sampler:
                function = function.function
            elif type(function) is not FunctionType and type(in_class(type(function), "__call__")) is FunctionType:
                function, given = in_class(type(function), "__call__"), (function, *given)
            else:
                break
        if type(function) is not FunctionType or not self._is_followed(function):
            self.outside(f"`{getattr(function, '__qualname__', type(function).__name__)}` cannot be followed")
            return function(*given, **named)
        return self._on_top(run, rewritten(function), given, named)


HOOKS = Hooks()
CELL.cell_contents = HOOKS

"""Sub-samplers: calls whose law is computed once for what they are given, and then drawn at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any, TypeVar, cast

import numpy as np

from dpaudit.code import monotone
from dpaudit.code.keys import ATOMS, Keys, NoKey, is_fresh
from dpaudit.code.lazy import is_lazy
from dpaudit.code.rewrite import CELL
from dpaudit.code.run import Piece, Refused, Run, current
from dpaudit.code.vectors import Draws, known

F = TypeVar("F", bound=Callable[..., Any])
Template = tuple[Any, ...]
DEEPEST = 12
"""So many sub-samplers are followed inside each other; further ones are followed as part of their caller."""


class Unfit(Refused):
    """The call cannot be drawn at once: it is not clean, or gives back what cannot be made again."""


class Sampler:
    """A function of which the author says that it is a sub-sampler: open numbers that it is given are made known."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """One draw; in an audit by its law, as long as nothing outside the closed list was done before."""
        run = current()
        if run is None:
            return self.function(*given, **named)
        if not run.plain:
            given = tuple(_known(value) for value in given)
            named = {name: _known(value) for name, value in named.items()}
        return CELL.cell_contents.called(cast(FunctionType, self.function), given, named)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The method of an instance."""
        return self if instance is None else MethodType(self, instance)


def sampler(function: F) -> F:
    """The function, marked as a sub-sampler: an audit computes its law once for equal arguments."""
    return cast(F, Sampler(function))


def _known(value: Any) -> Any:
    return known(value, "an argument") if _holds_draw(value) else value


def _holds_draw(value: Any) -> bool:
    """Whether an open number lies in the value, or in its entries."""
    if isinstance(value, dict):
        return any(map(_holds_draw, (*value, *value.values())))
    return any(map(_holds_draw, value)) if isinstance(value, list | tuple | Draws) else is_lazy(value)


class Subs:
    """The laws of sub-samplers that an audit knows."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._laws: dict[Hashable, Any] = {}
        self._unfit: dict[int, Any] = {}
        self._under_way: list[Hashable] = []

    def law(self, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The law of function(*given, **named); None where it is to be followed as part of its caller.

        What is decided for a key is decided for good: so every repetition of a run finds the same.
        """
        code = function.__code__
        keys = Keys(self.session.keep)
        try:
            key = keys.key(function), id(code), keys.key(given), keys.key(tuple(named.items()))
        except NoKey:
            return None
        if key in self._laws:
            return self._laws[key]
        if keys.draws or id(code) in self._unfit or key in self._under_way or len(self._under_way) >= DEEPEST:
            return None
        self._under_way.append(key)
        try:
            law = self.session.sub_law(function, given, named)
        except Unfit:
            law, self._unfit[id(code)] = None, code
        finally:
            self._under_way.pop()
        self._laws[key] = law
        return law

    def drawn(self, run: Run, law: Any, name: str) -> tuple[BaseException | None, Any]:
        """One output of the law: an exception, or a value. What is open in it is lost to the residual of the caller."""
        run.assumptions.update(law.assumptions)
        number = 0
        if not law.outputs:
            run.halt()
        if len(law.outputs) > 1 or law.residual:
            sign = (name, len(law.outputs))
            if run.plain:
                number = run.next_plain(len(law.outputs))
            else:
                draw = run.draw(len(law.outputs))
                pieces = (Piece(sign, draw.number, i, i + 1, p) for i, p in enumerate(law.lower))
                draw.take(run.choose(sign, draw.number, lambda: pieces))
                number = draw.lo
        output = law.outputs[number]
        if not isinstance(output, tuple):
            return _like(output.error), None
        return None, self._rebuilt(run, output)

    def template(self, value: Any, loops: bool) -> Template:
        """What a sub-sampler gives back, as data to make it of again; Unfit where that cannot be done.

        An open number is listed value by value, if they are few and the function has a loop to be summed; else it is
        better to follow the function as part of its caller.
        """
        return self._template(value, set(), loops)

    def _template(self, value: Any, met: set[int], loops: bool = False) -> Template:
        kind, run = type(value), current()
        if is_lazy(value):
            if not monotone.same(value.least(), value.most()) and not (loops and value.few()):
                raise Unfit("it gives back an open number")
            return self._template(value.force(), met)
        if kind in ATOMS:
            return "atom", Keys({}).key(value), value
        if kind is tuple:
            return "tuple", *(self._template(part, met, loops) for part in value)
        if run is None or id(value) not in run.fresh:
            unsure = kind in (list, dict, set, np.ndarray, FunctionType, MethodType) or hasattr(kind, "__next__")
            if unsure or is_fresh(value):
                raise Unfit("it gives back a container, a function, or an object that it was given")
            self.session.keep[id(value)] = value
            return "same", id(value)
        if id(value) in met:
            raise Unfit("it gives back an object twice")
        met.add(id(value))
        if kind is list:
            return "list", *(self._template(part, met, loops) for part in value)
        raise Unfit(f"it gives back a {kind.__name__}")

    def _rebuilt(self, run: Run, template: Template) -> Any:
        """The value, made anew."""
        kind, *parts = template
        if kind == "atom":
            return parts[1]
        if kind == "tuple":
            return tuple(self._rebuilt(run, part) for part in parts)
        if kind == "same":
            return self.session.keep[parts[0]]
        made = [self._rebuilt(run, part) for part in parts]
        run.fresh[id(made)] = made
        return made

    def copied(self, error: BaseException) -> BaseException:
        """An exception like this one; Unfit where it holds more than plain values."""
        plain = type(error).__module__ == "builtins" and all(type(part) in ATOMS for part in error.args)
        if not plain or error.__cause__ is not None or vars(error):
            raise Unfit("it raises an exception that holds more than text and numbers")
        return _like(error)


def _like(error: BaseException) -> BaseException:
    return type(error)(*error.args)

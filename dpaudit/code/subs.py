"""Sub-samplers: functions whose law is computed once for what they are given, and then drawn at once."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS, update_wrapper
from types import FunctionType, MethodType
from typing import Any, TypeVar, cast

import numpy as np

from dpaudit.code.explore import Raised
from dpaudit.code.lazy import Lazy
from dpaudit.code.objects import NoKey
from dpaudit.code.outputs import holds_draw
from dpaudit.code.returned import NUMBERS, NotReturned, fresh, parts, twin
from dpaudit.code.run import Piece, Run, begin_anew, current, defined_at, is_theirs, refuse
from dpaudit.code.source import Source
from dpaudit.code.states import SOURCES, Reader
from dpaudit.code.vectors import known
from dpaudit.code.watch import Watch, is_fixed, is_their_class

F = TypeVar("F", bound=Callable[..., Any])
PLAIN: dict[type, Callable[[Any], Hashable]] = {
    Source: lambda _: None,
    int: lambda value: value,
    float: lambda value: value.hex(),
    np.float64: lambda value: ("numpy", value.hex()),
}
"""Keys of the usual arguments of a sub-sampler; 1 and 1.0, 0.0 and -0.0, and numpy's numbers are kept apart."""

WRAPPED = frozenset((*WRAPPER_ASSIGNMENTS, "__wrapped__", "__type_params__", "function"))
"""The attributes of every sub-sampler."""


class Sampler:
    """A sub-sampler: in an audit its law is computed once for its arguments, and then drawn at once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Returns one draw; outside an audit, and where what it reads cannot be compared, by the function itself."""
        run = current()
        if run is None or run.owner is None or run.trial is not None:
            return self.function(*given, **named)
        plain = _plain(given, named)
        if plain is None:
            given = tuple(_known(value) for value in given)
            named = {name: _known(value) for name, value in named.items()}
        law = run.owner.subs.law(self.function, given, named, plain)
        if law is None:
            return self.function(*given, **named)
        run.assumptions.update(law.assumptions)
        return _drawn(run, law, (self.function.__qualname__, len(law.outputs)))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Returns the method of an instance."""
        return self if instance is None else MethodType(self, instance)


def sampler(function: F) -> F:
    """Returns the function; an audit of code that calls it computes its law once for equal arguments."""
    return cast(F, Sampler(function))


def _known(value: Any) -> Any:
    return known(value, "an argument") if type(value) is Lazy or holds_draw(value) else value


def _plain(given: tuple[Any, ...], named: dict[str, Any]) -> Hashable:
    """Returns a key of the arguments, where all are usual ones; else None."""
    if named:
        return None
    try:
        return tuple([PLAIN[type(value)](value) for value in given])
    except KeyError:
        return None


def _drawn(run: Run, law: Any, sign: Hashable) -> Any:
    """Returns one output of the law; what stays open in it is lost to the residual of the caller."""
    if not law.outputs:
        run.halt()
    if run.plain:
        number = run.next_plain(len(law.outputs))
    else:
        draw = run.draw(len(law.outputs))
        number = draw.number
        pieces = (Piece(sign, number, i, i + 1, p) for i, p in enumerate(law.lower))
        draw.take(run.choose(sign, number, lambda: pieces))
        number = draw.lo
    output = law.outputs[number]
    if isinstance(output, Raised):
        raise twin(cast(BaseException, output.error))
    return fresh(output)


@dataclass
class Known:
    """A law, with what lay at the places that the code reads when it was computed."""

    law: Any
    values: list[Any]
    still: bool
    """Whether these never change: then it is enough that they are the same objects."""
    key: Hashable
    places: int
    """How many places were watched then, by name; behind them stand all the names of whole modules."""
    named: frozenset[str]
    """All names in the code that had run then: what is watched since under one of them, its code may read."""


class Subs:
    """The laws of sub-samplers that an audit knows."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._known: dict[Hashable, list[Known]] = {}
        self._noted: set[tuple[int, int]] = set()
        self._drawn: dict[int, Any] = {}
        """The functions that were drawn at once, and those that are followed instead: one way for the whole audit."""
        self._followed: dict[int, Any] = {}

    def law(
        self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], plain: Hashable = None
    ) -> Any:
        """Returns the law of function(*given, **named); None where something that it reads has no key.

        Where the code keeps something that is not seen, a law may hold for one call and not for the next: None, too.
        """
        made_of = getattr(function, "__code__", function)
        if id(made_of) in self._followed or not self.session.merging:
            return None
        try:
            law = self._law(function, given, named, plain)
        except NoKey:
            self._followed[id(made_of)] = made_of
            if id(made_of) in self._drawn:
                begin_anew()
            return None
        self._drawn[id(made_of)] = made_of
        return law

    def _law(self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], plain: Hashable) -> Any:
        handled = sys.exc_info()[1]
        caught = None if handled is self.session.outside else self.key(handled)
        key = self._who(function), self._arguments(function, given, named) if plain is None else plain, caught
        found, run = self._known.get(key, []), current()
        if len(found) == 1 and run is not None and run.is_repeating:
            return found[0].law  # when this call was followed it had this law, or there would be another one
        values = self.session.watch.values()
        for one in found:
            if self._holds(one, values):
                return one.law
        inner = Inner(self, function, given, named)
        law = self.session.sub_law(lambda: function(*given, **named), inner)
        values = self.session.watch.values()
        still = all(map(_is_still, values))
        watch: Watch = self.session.watch
        known = Known(law, values, still, self.key(values), len(watch.places), frozenset(watch.named))
        self._known.setdefault(key, []).append(known)
        return law

    def _holds(self, one: Known, values: list[Any]) -> bool:
        """Returns whether all that the law depends on is as it was; other names that are watched since do not count."""
        places = self.session.watch.places
        if len(places) > one.places:
            if any(name in one.named for _, name in places[one.places :]):
                return False
            values = values[: one.places] + values[len(places) :]
        if one.still and len(values) == len(one.values) and all(map(operator.is_, values, one.values)):
            return True
        return self.key(values) == one.key

    def key(self, value: Any) -> Hashable:
        """Returns a key of the value; NoKey where there is none."""
        return Reader(self.session.keep).key(value)

    def _who(self, function: Callable[..., Any]) -> Hashable:
        """Returns a key of the function, with what it holds."""
        if type(function) is not FunctionType:
            return self.key(function)
        made_of = id(function.__code__), id(function.__globals__)  # which the watch keeps alive
        if made_of not in self._noted:
            self._note(function)
        return made_of if _is_still(function) else self.key(function)

    def _note(self, function: FunctionType) -> None:
        """Notes the places that the function, and those of theirs that it names, read or assign."""
        code, names = function.__code__, function.__globals__
        if (id(code), id(names)) in self._noted or not is_theirs(code.co_filename):
            return
        self._noted.add((id(code), id(names)))
        self.session.watch.note(code, names)
        for name in code.co_names:
            called = names.get(name)
            called = called.function if type(called) is Sampler else called
            if type(called) is FunctionType:
                self._note(called)

    def _arguments(self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Hashable:
        """Returns a key of the arguments of a sub-sampler."""
        try:
            return self.key((given, named))
        except NoKey:
            return refuse(f"the arguments of {function.__name__} cannot be compared: pass numbers, text, tuples")  # type: ignore[no-any-return]


class Inner:
    """Takes the outcomes of one sub-sampler, and sees to it that its function changes nothing else."""

    def __init__(self, subs: Subs, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.subs, self.function, self.given = subs, function, (given, named)
        self.handled = sys.exc_info()[1]
        """The exception that the caller is just handling; it is the context of those raised here, too."""
        self.at, self.name = defined_at(function), getattr(function, "__name__", type(function).__name__)
        self.outside: list[Any] = subs.session.watch.values()
        self.before = self._key(self.outside)
        self.still = _plain(given, named) is not None and all(map(_is_still, (function, *self.outside)))

    def _key(self, outside: list[Any], reader: Reader | None = None) -> Hashable:
        return (reader or Reader(self.subs.session.keep)).key((self.given, self.function, outside))

    def _now(self) -> list[Any]:
        """Returns what lies now where ``outside`` lay; the same where that cannot be told."""
        watch: Watch = self.subs.session.watch
        values = watch.values()
        if len(values) != len(self.outside) and watch.spaces:
            return self.outside
        return values[: len(self.outside)]

    def check(self) -> None:
        """Refuses a function that has changed its arguments, or what lies outside of it."""
        now = self._now()
        if not (self.still and all(map(operator.is_, now, self.outside))) and self._key(now) != self.before:
            self.refuse("changes its arguments, or a variable outside of it: it must change nothing")

    def value(self, value: Any) -> Any:
        """Returns an equal value, to make others of."""
        met: dict[int, Any] = {}
        try:
            found = fresh(value, f"{self.at}what the sub-sampler {self.name} returns", met)
        except NotReturned as reason:
            return self.refuse(f"returns {reason}: return {NUMBERS}")
        changing = {place for place, made in met.items() if not isinstance(made, tuple | frozenset)}
        if changing:
            reader = Places(self.subs.session.keep)
            self._key(self._now(), reader)
            if changing & reader.places():
                self.refuse("returns an object that it was given, or that lies outside of it: return a copy")
        return found

    def error(self, error: BaseException) -> tuple[Hashable, BaseException]:
        """Returns a key of the exception, and an equal one to make others of."""
        try:
            found = twin(error, {id(self.handled): None})
            return self.subs.key(parts(found)), found
        except NotReturned as reason:
            return self.refuse(f"raises {reason}")  # type: ignore[no-any-return]

    def refuse(self, what: str) -> Any:
        """Refuses the function, with the line where it is defined."""
        return refuse(f"{self.at}the sub-sampler {self.name} {what}")


class Places(Reader):
    """A reader that tells which objects it has met."""

    def places(self) -> set[int]:
        """Returns their addresses."""
        return set(self._places)


def _is_still(value: Any) -> bool:
    """Returns whether the value never changes: as long as it is the same object, it is the same."""
    kind: Any = type(value)
    if kind is Sampler:
        return vars(value).keys() <= WRAPPED and _is_still(value.function)
    if kind is not FunctionType:
        return is_fixed(value) or (isinstance(value, SOURCES) and not is_their_class(kind))
    held = value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__
    return not held or not is_theirs(value.__code__.co_filename)

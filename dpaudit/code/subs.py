"""Sub-samplers: calls whose law is computed once for what they are given, and then drawn at once."""

from __future__ import annotations

from collections.abc import Hashable
from types import FunctionType
from typing import Any

from dpaudit.code import monotone
from dpaudit.code.keys import ATOMS, Keys, NoKey
from dpaudit.code.lazy import is_lazy
from dpaudit.code.run import Piece, Refused, Run

DEEPEST = 12
"""So many sub-samplers are followed inside each other; further ones are followed as part of their caller."""


class Unfit(Refused):
    """The call cannot be drawn at once: it is not clean, or gives back what cannot be made again."""


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

    def drawn(self, run: Run, law: Any, name: str) -> Any:
        """One output of the law. What is open in it is lost to the residual of the caller."""
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
        return law.outputs[number]


def output(value: Any, loops: bool) -> Any:
    """What a sub-sampler gives back, known: numbers, text, or tuples of them; Unfit for anything else.

    An open number is listed value by value, if they are few and the function has a loop to be summed; else it is
    better to follow the function as part of its caller.
    """
    if type(value) is tuple:
        return tuple(output(part, loops) for part in value)
    if is_lazy(value):
        if not monotone.same(value.least(), value.most()) and not (loops and value.few()):
            raise Unfit("it gives back an open number")
        return value.force()
    if id(type(value)) not in ATOMS or value != value:
        raise Unfit(f"it gives back a {type(value).__name__}")
    return value

"""Sub-samplers: calls whose law is computed once for their arguments, and then drawn in one step."""

from __future__ import annotations

from collections.abc import Hashable
from types import FunctionType
from typing import Any

from dpaudit.code import monotone
from dpaudit.code.keys import ATOMS, Keys, NoKey
from dpaudit.code.lazy import is_lazy
from dpaudit.code.run import Piece, Refused, Run

DEEPEST = 12
"""Sub-samplers nested deeper than this are followed as part of their caller."""


class Unfit(Refused):
    """The call cannot be drawn in one step: it is not clean, or its output cannot be reproduced."""


class Subs:
    """The laws of the sub-samplers of an audit."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._laws: dict[Hashable, Any] = {}
        self._unfit: dict[int, Any] = {}
        self._under_way: list[Hashable] = []

    def law(self, function: FunctionType, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The law of function(*given, **named); None where it is to be followed as part of its caller.

        A decision for a key is final, so every repetition of a run finds the same.
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
        """One output of the law. Its open mass goes to the residual of the caller."""
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
    """The output of a sub-sampler without open parts: numbers, text, or tuples of them; Unfit for anything else.

    An open number is listed value by value if it has few and the function has a loop to sum; otherwise it is better
    to follow the function as part of its caller.
    """
    if type(value) is tuple:
        return tuple(output(part, loops) for part in value)
    if is_lazy(value):
        if not monotone.same(value.least(), value.most()) and not (loops and value.few()):
            raise Unfit("it returns an open number")
        return value.force()
    if id(type(value)) not in ATOMS or value != value:
        raise Unfit(f"it returns a {type(value).__name__}")
    return value

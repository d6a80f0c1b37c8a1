"""Mechanisms by name: the protocol of a user's own, with declared parameters, a source and closed forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.expressions import Value
from dpaudit.numbers.rationals import Exact, positive, whole

INFINITE = "∞"


@dataclass(frozen=True)
class Named(ABC):
    """A mechanism by name. One additional method gives its law: see own/mechanism.py.

    It has few data sets: ``covers`` says which pairs of neighbors they represent, and the docstring of the class
    proves it.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """What it does, in a few words."""
    formula: ClassVar[str]
    source: ClassVar[str]
    """The paper, with the item that defines it."""
    covers: ClassVar[str]
    closed: ClassVar[str] = ""
    """The closed forms, for people."""
    claims: ClassVar[str] = "ε-DP"
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    takes_epsilon: ClassVar[bool] = True
    event: ClassVar[str | None] = None
    """The event of `dpaudit account` that composes best, with this mechanism's parameters in braces."""

    @classmethod
    def make(cls, **given: Any) -> Named:
        """The mechanism with these parameters, checked."""
        return cls(**given)

    @property
    def uses_epsilon(self) -> bool:
        """Whether the nominal epsilon matters with these parameters."""
        return self.takes_epsilon

    @abstractmethod
    def datasets(self) -> Sequence[Hashable]:
        """The data sets."""

    @abstractmethod
    def claimed(self) -> Any:
        """The guarantee that its source claims."""

    def closed_epsilon(self) -> Value | str | None:
        """The true epsilon in closed form, INFINITE, or None where none is known."""
        return None

    def closed_delta(self, at: Fraction) -> Value | None:
        """delta(at) in closed form for 0 <= at <= the true epsilon, or None where none is known."""
        return None


# ------------------------------------------------------------------ parameters


def number(name: str, default: str | None, rule: str, examples: tuple[str, ...], check: Any = positive) -> Parameter:
    """A parameter that is a rational number."""
    return Parameter(name, default, rule, check, examples)


def count(name: str, default: str | None, least: int, most: int, rule: str, examples: tuple[str, ...]) -> Parameter:
    """A parameter that is a whole number."""

    def check(option: str, value: Exact) -> int:
        if isinstance(value, Fraction) and value.denominator == 1:
            value = int(value)
        return whole(option, value, least, most)  # type: ignore[arg-type]

    return Parameter(name, default, rule, check, examples)


def choice(name: str, rule: str, *words: str) -> Parameter:
    """A parameter that is one of these words; the first is the default."""

    def check(option: str, value: Any) -> str:
        found = str(value).strip().lower()
        if found not in words:
            raise InputError(option, value, f"must be {' or '.join(words)}")
        return found

    return Parameter(name, words[0], rule, check, words, words)


def optional(name: str, rule: str, examples: tuple[str, ...], check: Callable[[str, Any], Any]) -> Parameter:
    """A parameter that may be left to the mechanism by its default, auto."""

    def read(option: str, value: Any) -> Any:
        return None if str(value).strip().lower() == "auto" else check(option, value)

    return Parameter(name, "auto", rule, read, examples)


K = count("k", "2", 2, 10**6, "the number of values that a record may have", ("2", "3", "5"))
SENSITIVITY = number("sensitivity", "1", "the most that one record changes the answer, > 0", ("1", "3/2", "2"))
WHOLE_SENSITIVITY = count("sensitivity", "1", 1, 1000, "the most that one record changes the count", ("1", "2", "5"))

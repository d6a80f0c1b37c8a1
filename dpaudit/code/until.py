"""An explicit rejection loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(body: Callable[[], T], accept: Callable[[T], bool]) -> T:
    """The first value of ``body()`` that ``accept`` accepts: its law is that of the body, given that it is accepted.

    An ordinary loop, which dpaudit follows like any other: exactly, if body and accept keep no state.
    """
    while True:
        value = body()
        if accept(value):
            return value

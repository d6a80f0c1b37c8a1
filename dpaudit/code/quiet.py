"""What a sampler does besides its output, kept small: it prints once, and what it imports is there before it runs."""

from __future__ import annotations

import dis
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import get_ident
from types import CodeType, FunctionType
from typing import Any

from dpaudit.code.run import is_theirs


class Silence:
    """A stream that drops what this thread writes; others, such as a line of progress, write as before."""

    def __init__(self, real: Any) -> None:
        self.real, self.thread = real, get_ident()

    def write(self, text: str) -> int:
        """Returns the length of the text."""
        return len(text) if get_ident() == self.thread else self.real.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@contextmanager
def silence(holds: bool) -> Iterator[None]:
    """While this holds, what somebody's code prints is dropped: it was seen at its first run."""
    before = sys.stdout, sys.stderr
    if holds:
        sys.stdout, sys.stderr = Silence(sys.stdout), Silence(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def import_first(function: Any) -> None:
    """Imports what the function, and those of theirs that it names, import when they run.

    Under way it would be followed line by line, and a library that draws while it is loaded would be taken for theirs.
    """
    for name in dict.fromkeys(name for code in _codes(function) for name in _imported(code)):
        with suppress(Exception):  # then it fails there too, where that is an output
            importlib.import_module(name)


def _codes(function: Any) -> list[CodeType]:
    """Returns the code of the function, and of the functions and methods of theirs that it names."""
    owner = getattr(function, "__self__", None)
    todo, found = [getattr(function, "__func__", function)], list[CodeType]()
    while todo:
        one = todo.pop()
        one = getattr(one, "function", getattr(one, "__wrapped__", one))
        if not isinstance(one, FunctionType) or one.__code__ in found or not is_theirs(one.__code__.co_filename):
            continue
        found.append(one.__code__)
        for name in one.__code__.co_names:
            todo += [one.__globals__.get(name), getattr(type(owner), name, None)]
    return found


def _imported(code: CodeType) -> list[str]:
    """Returns the modules that the code, or a function inside it, imports by their full names."""
    steps = list(dis.get_instructions(code))
    found = [
        str(step.argval)
        for level, step in zip(steps[-2:] + steps, steps, strict=False)
        if step.opname == "IMPORT_NAME" and level.argval == 0
    ]
    return found + [name for inner in code.co_consts if isinstance(inner, CodeType) for name in _imported(inner)]

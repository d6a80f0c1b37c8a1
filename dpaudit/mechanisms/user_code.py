"""Other people's code, run with care: what goes wrong in it becomes one line with file and line number.

Its exits are errors, also ``os._exit`` and the ``os.exec`` functions, which would end the whole program, perhaps with
exit code 0. This is care, not a prison: code that goes round Python (an extension, ctypes) can do what it likes.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from dpaudit.numbers.errors import InputError, visible

_HERE = str(Path(__file__).resolve().parents[1])


OWN = "dpaudit_own_"
"""What the name of a module begins with that was loaded as file.py."""
ENDS = ("_exit", "abort", "execv", "execve")
"""Functions of os that end the program, or put another in its place, without a word to Python."""


class Ended(BaseException):
    """Somebody's code wanted to end the program."""


@contextmanager
def no_exit(instead: Callable[[str, int], None] | None = None, for_good: bool = False) -> Iterator[None]:
    """While this holds, the functions that end the program raise Ended, in this process only.

    A process that the code forks may end as it likes. ``instead(name, code)`` is called in place of raising. What
    holds ``for_good`` also holds for what runs when the interpreter ends.
    """
    process, modules, holds = os.getpid(), [os, __import__(os.name)], True
    before = [(module, name, getattr(module, name)) for module in modules for name in ENDS if hasattr(module, name)]

    def refusing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def refused(*arguments: Any) -> Any:
            if os.getpid() != process or not holds:
                return real(*arguments)
            code = arguments[0] if name == "_exit" and arguments and isinstance(arguments[0], int) else 0
            if instead is not None:
                return instead(name, code)
            raise Ended(f"it calls os.{name}, which would end the audit")

        return refused

    for module, name, real in before:
        setattr(module, name, refusing(name, real))
    try:
        yield
    finally:
        holds = for_good
        for module, name, real in () if for_good else before:
            setattr(module, name, real)


_BESIDE: dict[str, dict[str, ModuleType]] = {}
"""The modules that mechanisms imported from their own folder, by folder."""


@contextmanager
def beside(reference: str) -> Iterator[None]:
    """While this holds, the code of file.py:Class can import what lies beside it, now or later.

    Afterwards neither the path nor the loaded modules know of that: a module of the same name beside another mechanism
    is another module.
    """
    where = reference.strip().rpartition(":")[0]
    folder = os.path.dirname(os.path.abspath(where)) if where.endswith(".py") else None
    if folder is None or folder in sys.path[:1]:
        yield
        return
    known = _BESIDE.setdefault(folder, {})
    hidden = {name: sys.modules.pop(name) for name in known if name in sys.modules}
    size = len(sys.modules)
    sys.path.insert(0, folder)
    sys.modules.update(known)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
        fresh = list(islice(sys.modules.items(), size, None))
        known |= {name: module for name, module in fresh if _lies_in(folder, module)}
        for name in known:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)


def _lies_in(folder: str, module: ModuleType) -> bool:
    """Returns whether the module was imported from the folder, by its own name; not from an environment inside it."""
    path = getattr(module, "__file__", None)
    if not isinstance(path, str) or module.__name__.startswith(OWN):
        return False
    homes = [entry for entry in (folder, *sys.path) if path.startswith(entry + os.sep)]
    return folder == max(homes, key=len, default=None)


def guarded(reference: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Returns function(*arguments); an exception in it becomes an InputError that names file, line and exception."""
    try:
        with no_exit(), beside(reference):
            return function(*arguments, **named)
    except RecursionError:
        raise InputError("mech", reference, "its code recurses without end") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, InputError) and error.option == "mech":
            raise  # it names the mechanism and the place already
        raise InputError("mech", reference, f"{_where(error)}{describe(error)}") from None


def describe(error: BaseException) -> str:
    """Returns the kind and the message of an exception, on one line."""
    try:
        message = visible(" ".join(str(error).split()))
    except BaseException:  # somebody else's exception: its text may do anything
        message = "(it cannot be shown)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _where(error: BaseException) -> str:
    """Returns "file.py line 12: " for the innermost frame outside dpaudit's own engine."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name} line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)[1:]
    theirs = [f for f in frames if not f.filename.startswith(_HERE) or "examples" in Path(f.filename).parts]
    if not theirs:
        return ""
    return f"{Path(theirs[-1].filename).name} line {theirs[-1].lineno}: "

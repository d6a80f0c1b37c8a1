"""A user's code, run with care: its mistakes become one line with file and line number.

An exit is an error, also ``os._exit``, which would end the whole program, perhaps with exit code 0. A process that the
code forks ends where the code returns: it is not a second audit. This guards against accidents, not against malice:
a mechanism is code that you run, and code can do whatever its user can.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, NoReturn

from dpaudit.numbers.errors import InputError, visible

_HERE = str(Path(__file__).resolve().parents[2])


OWN = "dpaudit_own_"
"""The prefix of the name of a module that was loaded as file.py."""


class Ended(BaseException):
    """The user's code wanted to end the program."""


_TURN = Lock()
_LEAVE = os._exit
_inside = 0
"""How many blocks of ``no_exit`` are open, in all threads; the first one puts ``os._exit`` aside, the last one back."""


@contextmanager
def no_exit() -> Iterator[None]:
    """Makes ``os._exit`` raise Ended; a process forked in the block ends at its end."""
    global _inside
    process = os.getpid()
    with _TURN:
        _inside += 1
        if _inside == 1:
            os._exit = partial(_refused, process)
    try:
        yield
    finally:
        ends_here(process)
        with _TURN:
            _inside -= 1
            if not _inside:
                os._exit = _LEAVE


def _refused(process: int, status: int = 0) -> NoReturn:
    if os.getpid() != process:
        _LEAVE(status)
    raise Ended("it calls os._exit, which would end the audit")


def ends_here(process: int) -> None:
    """Ends this process if it is a child that has returned from the code that forked it."""
    if os.getpid() != process:
        _LEAVE(0)


_BESIDE: dict[str, dict[str, ModuleType]] = {}
"""The modules that mechanisms imported from their own folder, by folder."""


@contextmanager
def beside(reference: str) -> Iterator[None]:
    """Lets the code of file.py:Class import modules from its folder, now or later.

    Afterwards the path and the loaded modules are restored, so that a module of the same name beside another mechanism
    is a different module.
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
    """Whether the module was imported from the folder, by its own name; not from an environment inside it."""
    path = getattr(module, "__file__", None)
    if not isinstance(path, str) or module.__name__.startswith(OWN):
        return False
    homes = [entry for entry in (folder, *sys.path) if path.startswith(entry + os.sep)]
    return folder == max(homes, key=len, default=None)


def guarded(reference: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """function(*arguments); an exception in it becomes an InputError that names file, line and exception."""
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
        raise InputError("mech", reference, f"{_where(error)}{describe(error)}{_missing(error)}") from None


def _missing(error: BaseException) -> str:
    """The next step where the code imports a package that is not installed."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    return f"; install it for the Python that runs dpaudit, {visible(sys.executable)}"


def describe(error: BaseException) -> str:
    """The kind and the message of an exception, on one line."""
    try:
        message = visible(" ".join(str(error).split()))
    except BaseException:  # a foreign exception: its text may do anything
        message = "(it cannot be shown)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _where(error: BaseException) -> str:
    """The place, "file.py line 12: ", of the innermost frame outside dpaudit's own engine."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name} line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)[1:]
    theirs = [f for f in frames if not f.filename.startswith(_HERE) or "examples" in Path(f.filename).parts]
    if not theirs:
        return ""
    libraries = tuple({os.path.realpath(path) + os.sep for path in sysconfig.get_paths().values()})
    own = [f for f in theirs if not os.path.realpath(f.filename).startswith(libraries)] or theirs
    return f"{Path(own[-1].filename).name} line {own[-1].lineno}: "

"""Other people's code, run with care: what goes wrong in it becomes one line with file and line number."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpaudit.numbers.errors import InputError

_HERE = str(Path(__file__).resolve().parents[1])


def guarded(reference: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Returns function(*arguments); an exception in it becomes an InputError that names file, line and exception."""
    try:
        return function(*arguments, **named)
    except RecursionError:
        raise InputError("mech", reference, "its code recurses without end") from None
    except (Exception, SystemExit) as error:
        if isinstance(error, InputError) and error.option == "mech":
            raise  # it names the mechanism and the place already
        raise InputError("mech", reference, f"{_where(error)}{describe(error)}") from None


def describe(error: BaseException) -> str:
    """Returns the kind and the message of an exception, on one line."""
    message = " ".join(str(error).split())
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

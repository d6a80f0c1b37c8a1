"""Standard output belongs to the result alone: what a user's code prints while a command runs goes to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_result: TextIO | None = None


def stdout() -> TextIO:
    """Where results go: the standard output as the command found it."""
    return sys.stdout if _result is None else _result


@contextmanager
def kept_for_results() -> Iterator[None]:
    """While this holds, ``sys.stdout`` and the file descriptor 1 lead to stderr, and ``stdout()`` to the real output.

    So a print, an os.write(1, …) and the output of a program that is started do not come between the results.
    """
    global _result
    before, outer = sys.stdout, _result
    copy = _copy(before)
    _result, sys.stdout = copy or before, sys.stderr
    try:
        yield
        _result.flush()
    finally:
        sys.stdout, _result = before, outer
        if copy is not None:
            with suppress(OSError):
                os.dup2(copy.fileno(), 1)
            with suppress(OSError):
                copy.close()


def _copy(stream: TextIO) -> TextIO | None:
    """A separate stream to where the file descriptor 1 led, which leads to stderr from now on.

    None where the stream is not that of the system: a test or a notebook has put its own in place.
    """
    try:
        if stream.fileno() != 1:
            return None
        stream.flush()
        number = os.dup(1)
    except (OSError, ValueError, AttributeError):
        return None
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.close(number)
        return None
    return open(number, "w", encoding=stream.encoding, errors=stream.errors)

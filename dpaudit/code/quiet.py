"""What a sampler prints is shown once, at its first run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any


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

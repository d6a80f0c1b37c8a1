"""The time spent on a sampler's code, and who is notified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic, thread_time

PATIENCE = 5
"""The number of seconds of waiting (for a file, a lock, other programs) that count as one."""

Listener = Callable[[int, int, float], None]
"""Called before the code is followed on a data set: how many are done, of how many, and the seconds for each."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Notifies the listener of how far the code of a mechanism has been followed."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(done: int, total: int, seconds: float) -> None:
    """Notifies the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, seconds)


class Watch:
    """Counts seconds of processor time, so that a busy machine gives the same answer as an idle one.

    Code that only waits is stopped too: a fifth of the elapsed time counts where that is more.
    """

    def __init__(self) -> None:
        self._processor, self._wall = thread_time(), monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the watch was started."""
        return max(thread_time() - self._processor, (monotonic() - self._wall) / PATIENCE)

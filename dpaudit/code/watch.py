"""The seconds that are spent on a sampler's code."""

from __future__ import annotations

from time import monotonic, thread_time

PATIENCE = 5
"""Seconds of waiting (for a file, for a lock, for other programs) that count as one."""


class Watch:
    """Counts seconds of processor time, so that a busy machine gives the same answer as an idle one.

    Code that only waits is stopped too: a fifth of the time on the wall counts where that is more.
    """

    def __init__(self) -> None:
        self._processor, self._wall = thread_time(), monotonic()

    @property
    def seconds(self) -> float:
        """The seconds since the watch was made."""
        return max(thread_time() - self._processor, (monotonic() - self._wall) / PATIENCE)

"""All cores for one long audit: processes that bound the losses of a part of the pairs each.

A process gets the mechanism once and then the numbers of parts.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Hashable
from concurrent.futures import as_completed
from typing import Any

import numpy as np

from dpaudit.files.lane import HELPER, Died, Lanes
from dpaudit.numbers import balls
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.fast.uppers import Uppers, loss_uppers, make_screen
from dpaudit.privacy.protocols import Audited

LONG = 1 << 30
"""Pairs times outputs, up to symmetry: from here on starting processes pays.

With k = 3 that is n = 290 or so for a uniform prior. Two processes need 1.9 times the processor time
of one at n = 200, 1.6 times at n = 300, 1.5 times at n = 360.
"""
PARTS = 4
"""Parts for each process: they are not equally long."""


def cores(mechanism: Audited, effort: Effort) -> int:
    """How many processes this audit is worth: 1 if it is short or a part of something larger."""
    counts = mechanism.counts()
    symmetry = mechanism.symmetry()
    orbit = 1 if symmetry is None else max(1, counts.datasets // sum(1 for _ in symmetry.representatives()))
    short = counts.pairs * counts.outputs // (2 * orbit) < LONG
    if short or effort.part is not None or HELPER in os.environ or multiprocessing.parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def loss_uppers_by(number: int, mechanism: Audited, effort: Effort) -> Uppers | None:
    """The result of ``loss_uppers`` from this many processes; None where the mechanism cannot be sent there."""
    lanes, parts = Lanes(number), number * PARTS
    try:
        lanes.tell(know, (mechanism, balls.working_bits()))
        waiting = [lanes.submit(bound, (part, parts)) for part in range(parts)]
        for done, _ in enumerate(as_completed(waiting), 1):
            effort.tell(done, parts)
        found = [future.result() for future in waiting]
    except (Died, pickle.PicklingError, AttributeError, TypeError):
        return None
    finally:
        lanes.close(at_once=True)
    for answer in found:
        if isinstance(answer, str):
            raise TooCoarse(answer)
    return _together(mechanism, [answer for answer in found if isinstance(answer, Uppers)])


def _together(mechanism: Audited, found: list[Uppers]) -> Uppers:
    """All of it, each orbit once."""
    symmetry, keep = mechanism.symmetry(), []
    seen: set[Hashable] = set()
    pairs = [pair for uppers in found for pair in uppers.pairs]
    for place, (x, y) in enumerate(pairs):
        keys: set[Hashable] = {(x, y), (y, x)} if symmetry is None else {symmetry.orbit(x, y), symmetry.orbit(y, x)}
        if not keys & seen:
            seen |= keys
            keep.append(place)
    return Uppers([pairs[i] for i in keep], np.concatenate([uppers.values for uppers in found])[keep])


_task: tuple[Audited, Any, int]
"""In a process that helps: the mechanism, its screen and the bits."""


def know(task: tuple[Audited, int]) -> None:
    """Keeps the task, in a process that helps."""
    global _task
    mechanism, bits = task
    _task = mechanism, mechanism.screen(), bits


def bound(part: tuple[int, int]) -> Uppers | str:
    """The bounds of this part of the task, or why there are none."""
    mechanism, screen, bits = _task
    try:
        with balls.precision(bits):
            return loss_uppers(make_screen(screen.law(), mechanism, Effort(part=part)))
    except (TooCoarse, balls.PrecisionExhausted) as reason:
        return str(reason)

"""Calibration of a setting, or for every n at once."""

from __future__ import annotations

from typing import Any

from dpaudit.audit.setting import is_ranged
from dpaudit.forall.every_n import read_every_n
from dpaudit.numbers.rationals import Exact
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.studies.calibrate import nominal
from dpaudit.studies.calibrate.every_n import CalibrateEveryNResult, calibrate_every_n


def calibrate(
    mech: Any,
    target: Exact = 1,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **setting: Any,
) -> nominal.CalibrateResult | CalibrateEveryNResult:
    """The largest nominal epsilon whose true epsilon is certified to be at most the target.

    With n="all" it is safe for every n.

    >>> calibrate("LSDim", n=20, target="1/2").nominal
    Fraction(1, 1)
    """
    if not is_ranged(setting.get("n")):
        return nominal.calibrate(mech, target, digits=digits, progress=progress, memory=memory, **setting)
    effort, bar = Effort.read(digits, memory, progress, least=10), nominal.read_target(target)
    return calibrate_every_n(read_every_n(mech, **setting), bar, effort)

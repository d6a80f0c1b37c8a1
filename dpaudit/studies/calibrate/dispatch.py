"""Calibration of a setting, or for every n at once."""

from __future__ import annotations

from typing import Any

from dpaudit.audit.setting import is_ranged, settled
from dpaudit.forall.every_n import read_every_n
from dpaudit.mechanisms.load import takes
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.studies.calibrate.every_n import CalibrateEveryNResult, calibrate_every_n
from dpaudit.studies.calibrate.nominal import ELSEWHERE, CalibrateResult, calibrated, read_target


def calibrate(
    mech: Any,
    target: Exact = 1,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **setting: Any,
) -> CalibrateResult | CalibrateEveryNResult:
    """The largest nominal epsilon whose true epsilon is certified to be at most the target.

    With n="all" it is safe for every n.

    >>> calibrate("LSDim", n=20, target="1/2").nominal
    Fraction(1, 1)
    """
    effort, bar = Effort.read(digits, memory, progress, least=10), read_target(target)
    if is_ranged(setting.get("n")):
        return calibrate_every_n(read_every_n(mech, **setting), bar, effort)
    chosen = settled(mech, **setting)
    if chosen.mechanism.epsilon is None and "eps" not in takes(chosen.mech):
        raise InputError("mech", chosen.label, f"takes no nominal ε to calibrate; {ELSEWHERE}")
    return calibrated(chosen.at(eps=bar), bar, effort)

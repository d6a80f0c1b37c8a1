"""Three-valued verdicts. They refuse to be used as a bool."""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn


class Verdict(StrEnum):
    """The outcome of deciding a statement by certified arithmetic or by algebra.

    UNWITNESSED, IMPOSSIBLE and MEASURED belong to the claims: "there is ..." without a witness on the grid, the same
    where it is proved that there is none, and O(.).
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    UNWITNESSED = "UNWITNESSED"
    IMPOSSIBLE = "IMPOSSIBLE"
    MEASURED = "MEASURED"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has more than two values: compare it with Verdict.PROVED")

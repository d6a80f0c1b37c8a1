"""Three-valued verdicts. They refuse to be used as a bool."""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn


class Verdict(StrEnum):
    """The outcome of deciding a statement by certified arithmetic or by algebra.

    UNWITNESSED, IMPOSSIBLE and MEASURED are verdicts on claims: an existence claim without a witness on the grid, an
    existence claim that is proved false, and an O(.) statement.
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    UNWITNESSED = "UNWITNESSED"
    IMPOSSIBLE = "IMPOSSIBLE"
    MEASURED = "MEASURED"

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has more than two values: compare it with Verdict.PROVED")

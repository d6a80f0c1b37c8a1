"""The choice of the sieve: for large audits floats with a proven error bound (fast/CURVES.md) discard pairs.

numpy is imported only then.
"""

from __future__ import annotations

from dpaudit.numbers import balls
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.left import Sieve
from dpaudit.privacy.protocols import Audited

WORTH_IT = 1 << 17
"""Ordered pairs times outputs from which on the floats have paid for themselves."""


def make_sieve(mechanism: Audited, effort: Effort, option: str) -> Sieve:
    """The sieve for an audit of this size; one that is too large is refused."""
    effort.check_floats(mechanism, option)
    if mechanism.count_masses() >= WORTH_IT and effort.tier != "exact":
        from dpaudit.privacy.fast.screened import Screened

        try:
            return Screened(mechanism, effort, option)
        except (TooCoarse, balls.PrecisionExhausted):
            pass
    effort.check_whole(mechanism, option)
    return Sieve(mechanism, effort)

"""Does a mechanism have this guarantee? One call for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.questions import MAX_DIGITS
from dpaudit.audit.setting import Setting
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import MEMORY_BOUND, Claim, Effort, Evidence
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee
from dpaudit.privacy.pairs import Progress, Witness
from dpaudit.privacy.protocols import Counts


@dataclass(frozen=True)
class GuaranteeResult(Shown):
    """The verdict on "the mechanism has this guarantee", over all ordered adjacent pairs, with what decides it."""

    subject: Setting
    claim: Claim
    counts: Counts
    seconds: float
    command: str | None = None
    """The command that asks the same again."""

    @property
    def verdict(self) -> Verdict | None:
        """Returns the verdict."""
        return self.claim.verdict

    @property
    def evidence(self) -> Evidence | None:
        """Returns what decides it; None where nothing could be computed."""
        return self.claim.evidence

    @property
    def witness(self) -> Witness | None:
        """Returns the worst pair."""
        return None if self.evidence is None else self.evidence.witness

    @property
    def precision_bits(self) -> int:
        """Returns the precision that it took."""
        return 0 if self.evidence is None else self.evidence.bits

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit judge --json``."""
        return {
            **self.subject.describe(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
            "command": self.command,
        }


def judge(
    mech: Any,
    guarantee: Guarantee | Any = None,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    **setting: Any,
) -> GuaranteeResult:
    """Returns the verdict on a guarantee: a value, a number, or a text such as "rho=1/2"; default: what is claimed.

    >>> judge("dpaudit.examples.randomised_response:RandomisedResponse", "rho=1/2").verdict.value
    'PROVED'
    """
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    chosen = Setting.read(mech, **setting)
    subject = chosen.mechanism
    asked = subject.claimed_here() if guarantee is None else parse_guarantee("claim", guarantee)
    if asked is None:
        raise InputError("claim", "(missing)", f"{subject.name} claims nothing here: say what is to be judged")
    claim = asked.judge(subject, Effort(digits, memory, tier, progress))
    command = chosen.command_line("judge", claim=asked.option(), digits=digits, tier=tier)
    return GuaranteeResult(chosen, claim, subject.counts(), perf_counter() - start, command)

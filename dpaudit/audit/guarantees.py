"""Does a mechanism have this guarantee? One call for all of them."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from dpaudit.audit.judgement import Whose
from dpaudit.audit.questions import repairing_delta
from dpaudit.audit.results import GuaranteeResult
from dpaudit.audit.setting import settled
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee


def judge(
    mech: Any,
    claim: Guarantee | Any = None,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    **setting: Any,
) -> GuaranteeResult:
    """The verdict on a guarantee (a value, a number, or text such as "rho=1/2"), by default the mechanism's claim.

    >>> judge("dpaudit.examples.randomized_response:RandomizedResponse", "rho=1/2").verdict.value
    'PROVED'
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, tier)
    chosen = settled(mech, **setting)
    subject = chosen.mechanism
    asked = subject.claimed_here() if claim is None else parse_guarantee("claim", claim)
    if asked is None:
        raise InputError("claim", "(missing)", f"{subject.name} claims nothing here: say what is to be judged")
    found = asked.judge(subject, effort)
    return GuaranteeResult(
        subject=chosen,
        claim=found,
        repairing_delta=repairing_delta(subject, effort, found),
        whose=Whose.CLAIMED if claim is None else Whose.ASKED,
        counts=subject.counts(),
        precision_bits=0 if found.evidence is None else found.evidence.bits,
        seconds=perf_counter() - start,
        command=chosen.command_line("judge", claim=claim and asked.option(), digits=effort.digits, tier=tier),
    )

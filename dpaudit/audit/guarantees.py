"""Does a mechanism have this guarantee? One call for all of them."""

from __future__ import annotations

from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit.cross_check import CrossCheck, check_possible
from dpaudit.audit.cross_check import cross_check as answer_again
from dpaudit.audit.judgement import judged
from dpaudit.audit.questions import option, repairing_delta, statement
from dpaudit.audit.results import GuaranteeResult
from dpaudit.audit.setting import settled
from dpaudit.audit.words import extent_of
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.claim import Evidence
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee


def judge(
    mech: Any,
    claim: Guarantee | Any = None,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    cross_check: bool = False,
    **setting: Any,
) -> GuaranteeResult:
    """The verdict on a guarantee (a value, a number, or text such as "rho=1/2"), by default the mechanism's claim.

    With ``cross_check`` the deciding epsilon or delta is computed again in mpmath, with code that shares nothing with
    the engine; it is refused for other guarantees, which the reference does not cover.

    >>> judge("dpaudit.examples.randomized_response:RandomizedResponse", "rho=1/2").verdict.value
    'PROVED'
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, tier)
    chosen = settled(mech, **setting)
    subject = chosen.mechanism
    stated, whose = statement(subject, claim)
    if stated is None:
        raise InputError("claim", "(missing)", f"{subject.name} claims nothing here: state a guarantee with --claim")
    if cross_check:
        check_possible(subject)
        if stated.epsilon_delta() is None:
            raise InputError("cross-check", stated.text(), "the reference answers ε-DP and (ε, δ)-DP only")
    found = stated.judge(subject, effort)
    return GuaranteeResult(
        subject=chosen,
        claim=found,
        judged=judged(found, chosen.label, whose, extent_of(chosen), repairing_delta(subject, effort, found)),
        counts=subject.counts(),
        precision_bits=0 if found.evidence is None else found.evidence.bits,
        cross_check=_again(subject, found.evidence) if cross_check else None,
        seconds=perf_counter() - start,
        command=chosen.command_line(
            "judge", claim=option(stated, whose), digits=effort.digits, tier=tier, cross_check=cross_check
        ),
    )


def _again(subject: Mechanism, evidence: Evidence | None) -> CrossCheck:
    """What the reference finds for the ε or the δ that decides."""
    if evidence is None:
        raise InputError("cross-check", subject.name, "nothing could be measured, so there is nothing to check")
    at = Fraction(evidence.at["epsilon"]) if evidence.quantity == "delta" else None
    return answer_again(subject, evidence.value, at)

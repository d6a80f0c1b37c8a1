"""The audits, one call each: true epsilon, delta(epsilon), one distribution, the sensitivities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit.closed import log_of_odds
from dpaudit.audit.cross_check import check_possible
from dpaudit.audit.cross_check import cross_check as answer_again
from dpaudit.audit.judgement import CLOSE, Whose, judged
from dpaudit.audit.results import DeltaResult, EpsilonResult, PmfResult, SensitivityResult
from dpaudit.audit.setting import Setting, command_line, settled
from dpaudit.audit.words import extent_of
from dpaudit.mechanisms import Mechanism, in_family
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import TooLargeError, approximately
from dpaudit.numbers.rationals import Exact, nonnegative, positive, whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.divergences import choice
from dpaudit.posterior.model import Histogram, make_model, parse_data
from dpaudit.posterior.scores import check_score, make_score
from dpaudit.posterior.sensitivity import local_all, smooth_all
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import MAX_DIGITS, MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee
from dpaudit.privacy.judge import judge_delta, true_epsilon
from dpaudit.privacy.loss import worst_delta
from dpaudit.privacy.pairs import Worst

ROW_BYTES = 2500
"""An output in a listing with its enclosure; rounded up."""


def mechanism(mech: Any, **setting: Any) -> Mechanism:
    """The mechanism with this name and setting, checked.

    ``mech`` is a built-in name, a mechanism, or your own: "file.py:Class", "package.module:Class", the name of an entry
    point, a table of probabilities ("pmf.csv"), or a class or object with the protocol described under "Your own
    mechanism". The setting is given by keyword: n, k, prior, eps and the parameters.
    """
    return settled(mech, **setting).mechanism


def epsilon(
    mech: Any,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    claim: Guarantee | Any = None,
    cross_check: bool = False,
    **setting: Any,
) -> EpsilonResult:
    """The true epsilon, over all ordered adjacent pairs and outputs, with the verdict on what is claimed.

    A ``claim`` (a guarantee, a number, or a text such as "rho=1/2") is judged instead of what the mechanism claims.
    Where neither is given, the true epsilon is judged against the nominal one.
    With ``cross_check`` the same is computed again in mpmath, by code that shares nothing with the engine, and the
    result says whether it agrees.

    >>> epsilon("LSDim", n=20, k=3).closed_form
    2*epsilon/3
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, tier)
    chosen = settled(mech, **setting)
    subject = chosen.mechanism
    stated, whose = statement(subject, claim)
    if cross_check:
        check_possible(subject)
    worst, form = true_epsilon(subject, effort), subject.algebra().worst()
    found = Claim() if stated is None else stated.judge(subject, effort, worst)
    decisive, who = (_nominal(subject, effort, worst), Whose.NOMINAL) if stated is None else (found, whose)
    return EpsilonResult(
        epsilon=worst.value,
        closed=form or (log_of_odds(subject, worst) if worst.known is None else worst.known),
        claim=found,
        judged=judged(decisive, chosen.label, who, extent_of(chosen), repairing_delta(subject, effort, decisive)),
        delta_instead=_delta_instead(subject, effort, worst.value),
        **_common_members(chosen, worst),
        cross_check=answer_again(subject, worst.value) if cross_check else None,
        seconds=perf_counter() - start,
        command=chosen.command_line(
            "epsilon",
            claim=option(stated, whose),
            digits=effort.digits,
            tier=tier,
            cross_check=cross_check,
        ),
    )


def statement(subject: Mechanism, claim: Guarantee | Any) -> tuple[Guarantee | None, Whose]:
    """What is judged, and whose statement it is: the user's, or else what the mechanism claims."""
    if claim is not None:
        return parse_guarantee("claim", claim), Whose.ASKED
    return subject.claimed_here(), Whose.CLAIMED


def option(stated: Guarantee | None, whose: Whose) -> str | None:
    """What --claim takes to ask the same again."""
    return stated.option() if stated is not None and whose is Whose.ASKED else None


def _nominal(subject: Mechanism, effort: Effort, worst: Worst) -> Claim:
    """The verdict on "true epsilon <= nominal epsilon"; nothing of a mechanism without a nominal epsilon."""
    return Claim() if subject.epsilon is None else EpsilonDelta(subject.epsilon).judge(subject, effort, worst)


def _delta_instead(subject: Mechanism, effort: Effort, value: Enclosure) -> tuple[Fraction, Enclosure] | None:
    """delta at the nominal epsilon, or at 1, where the true epsilon is infinite though no output gives a pair away."""
    if not value.is_infinite or subject.tabular:
        return None
    at = subject.epsilon or Fraction(1)
    return at, effort.widest(subject, lambda e: worst_delta(subject, at, e)).value


def repairing_delta(subject: Mechanism, effort: Effort, claim: Claim) -> Enclosure | None:
    """delta at the epsilon of a refuted pure claim that is just exceeded, or infinitely; else None."""
    bound, evidence = claim.epsilon, claim.evidence
    if claim.verdict is not Verdict.REFUTED or bound is None or evidence is None or evidence.quantity != "epsilon":
        return None
    if not evidence.value.is_infinite and evidence.value.reaches(bound * (1 + CLOSE)):
        return None
    try:
        return effort.widest(subject, lambda e: worst_delta(subject, bound, e)).value
    except PrecisionExhausted:
        return None


def _common_members(setting: Setting, worst: Worst) -> dict[str, Any]:
    """What the results on epsilon and delta have in common."""
    return {
        "subject": setting,
        "witness": worst.witness,
        "counts": setting.mechanism.counts(),
        "tier": worst.tier,
        "filter_left": worst.filter_left,
        "precision_bits": worst.bits,
    }


def delta(
    mech: Any,
    at: Exact,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    claim: Guarantee | Any = None,
    cross_check: bool = False,
    **setting: Any,
) -> DeltaResult:
    """The smallest delta for which the mechanism is (at, delta)-DP.

    This is the maximum of ``sum_r max(0, P_x(r) - e^at P_x'(r))`` over ordered pairs of neighbors. The verdict is on
    the mechanism's claim, or on ``claim``; it is None if delta(at) does not decide it.
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, tier)
    point = nonnegative("at", at)
    chosen = settled(mech, **setting)
    subject = chosen.mechanism
    stated, whose = statement(subject, claim)
    if cross_check:
        check_possible(subject)
    worst = effort.widest(subject, lambda e: worst_delta(subject, point, e))
    both = None if stated is None else stated.epsilon_delta()
    found = Claim(stated) if both is None else judge_delta(subject, EpsilonDelta(*both), point, worst, effort)
    return DeltaResult(
        at=point,
        delta=worst.value,
        claim=found,
        judged=judged(found, chosen.label, whose, extent_of(chosen)),
        **_common_members(chosen, worst),
        cross_check=answer_again(subject, worst.value, point) if cross_check else None,
        seconds=perf_counter() - start,
        command=chosen.command_line(
            "delta",
            at=point,
            claim=option(stated, whose),
            digits=effort.digits,
            tier=tier,
            cross_check=cross_check,
        ),
    )


def on_data(x: Histogram, setting: Mapping[str, Any]) -> dict[str, Any]:
    """The setting on data x: n is its sum, and k its length, unless they are given."""
    shape = {"n": sum(x)} | ({} if setting.get("prior") is not None else {"k": len(x)})
    return {**shape, **{name: value for name, value in setting.items() if value is not None}}


def pmf(
    mech: Any,
    x: Any,
    *,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
    **setting: Any,
) -> PmfResult:
    """The full output distribution of the data set ``x``; for a built-in mechanism, a histogram whose sum is n."""
    start, effort = perf_counter(), Effort.read(digits, memory, None)
    if in_family(mech):
        x = parse_data(x)
        setting = on_data(x, setting)
    chosen = settled(mech, **setting)
    dataset = chosen.mechanism.read_dataset("x", x)
    chosen = chosen.alone(dataset)
    subject = chosen.mechanism
    effort.check_memory(subject)
    outputs = subject.counts().outputs
    if outputs * ROW_BYTES > memory:
        raise TooLargeError(outputs * ROW_BYTES, memory, f"a listing of {approximately(outputs)} outputs")

    def refined(effort: Effort) -> tuple[tuple[Enclosure, ...], int]:
        def attempt() -> tuple[Enclosure, ...]:
            return tuple(effort.enclosed(p, least=0, most=1) for p in subject.law().probabilities(dataset))

        return balls.refine(attempt, *balls.bits_for(effort.digits, outputs))

    probabilities, bits = effort.widest(subject, refined)
    return PmfResult(
        subject=chosen,
        x=dataset,
        outputs=tuple(subject.outputs()),
        released=subject.released_outputs(),
        probabilities=probabilities,
        precision_bits=bits,
        seconds=perf_counter() - start,
        command=chosen.command_line("pmf", x=dataset, digits=effort.digits),
    )


def sensitivity(
    n: int | str | None = None,
    *,
    k: int | str | None = None,
    prior: str | Sequence[Exact] | None = None,
    gamma: Exact | None = None,
    score: str | None = None,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
) -> SensitivityResult:
    """GS(n, prior), and LS(x) and S(x) of every data set, for the Hellinger score or another."""
    start, digits = perf_counter(), whole("digits", digits, 1, MAX_DIGITS)
    weight = positive("gamma", 1 if gamma is None else gamma)
    model = make_model("(missing)" if n is None else n, k, prior)
    score = choice("score", Hellinger.name if score is None else score)
    check_score(score, model)
    need = model.size * 3000
    if need > memory:
        raise TooLargeError(need, memory, f"a table of {approximately(model.size)} data sets")

    def attempt() -> tuple[Enclosure, ...]:
        ls = local_all(make_score(score, model))
        smooth = smooth_all(model, ls, weight)
        return tuple(balls.enclosed(v, digits, least=0) for v in (balls.maximum(ls), *ls, *smooth))

    (top, *known), bits = balls.refine(attempt, *balls.bits_for(digits, model.size))
    words = {"n": model.n, "prior": model.prior, "gamma": weight, "score": score, "digits": digits}
    return SensitivityResult(
        model=model,
        gamma=weight,
        score=score,
        gs=top,
        ls=tuple(known[: model.size]),
        s=tuple(known[model.size :]),
        precision_bits=bits,
        seconds=perf_counter() - start,
        command=command_line("sensitivity", **words),
    )

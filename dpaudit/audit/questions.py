"""The audits, one call each: true epsilon, delta(epsilon), one distribution, the sensitivities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit.results import DeltaResult, EpsilonResult, PmfResult, SensitivityResult
from dpaudit.audit.setting import Setting
from dpaudit.mechanisms import Mechanism, in_family
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.errors import TooLargeError, approximately
from dpaudit.numbers.rationals import Exact, nonnegative, positive, whole
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.divergences import choice
from dpaudit.posterior.model import Histogram, make_model, parse_histogram
from dpaudit.posterior.scores import check_score, make_score
from dpaudit.posterior.sensitivity import local_all, smooth_all
from dpaudit.privacy.claim import Claim, Effort, widest
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.judge import judge_delta, known_epsilon
from dpaudit.privacy.loss import MEMORY_BOUND, Progress, Worst, check_memory, worst_delta, worst_loss

__all__ = [
    "MAX_DIGITS",
    "Claim",
    "DeltaResult",
    "EpsilonResult",
    "PmfResult",
    "SensitivityResult",
    "delta",
    "epsilon",
    "mechanism",
    "pmf",
    "sensitivity",
]

MAX_DIGITS = 2000


def mechanism(mech: Any, **setting: Any) -> Mechanism:
    """Returns the checked mechanism of that name and setting.

    ``mech`` is a name of the family; a mechanism; or somebody's own: "file.py:Class", "package.module:Class", the
    name of an entry point, a table of probabilities ("pmf.csv"), or an object or class with the small protocol of
    ``dpaudit.mechanisms.own``. The setting: n, k, prior, eps and the mechanism's parameters, by keyword.
    """
    return Setting.read(mech, **setting).mechanism


def epsilon(
    mech: Any,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    guarantee: Guarantee | None = None,
    **setting: Any,
) -> EpsilonResult:
    """Returns the true epsilon, over all ordered adjacent pairs and outputs, with the verdict on what is claimed.

    A ``guarantee`` is judged instead of what the mechanism claims.

    >>> epsilon("LSDim", n=20, k=3).closed_form
    '2/3'
    """
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    chosen = Setting.read(mech, **setting)
    subject = chosen.mechanism
    worst = widest(subject, lambda d: worst_loss(subject, d, progress, memory, tier), digits)
    form, known = subject.algebra().worst(), known_epsilon(subject, worst)
    asked = subject.claimed_here() if guarantee is None else guarantee
    effort = Effort(digits, memory, tier, worst=worst, known=known)
    return EpsilonResult(
        subject=chosen,
        epsilon=worst.value if known is None else exact(known, digits),
        closed_form=form.text() if form else None if known is None else str(known),
        closed_form_symbolic=form.symbolic() if form else None,
        witness=worst.witness,
        claim=Claim() if asked is None else asked.judge(subject, effort),
        counts=subject.counts(),
        precision_bits=worst.bits,
        seconds=perf_counter() - start,
        tier=worst.tier,
        filter_left=worst.filter_left,
        command=chosen.command_line("epsilon", digits=digits, tier=tier),
    )


def delta(
    mech: Any,
    at: Exact,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    guarantee: Guarantee | None = None,
    **setting: Any,
) -> DeltaResult:
    """Returns delta(at) = max over ordered adjacent pairs of sum_r max(0, P_x(r) - e^at P_x'(r)).

    The verdict is on the claimed guarantee, as far as delta(at) speaks of it (see judge.judge_delta), else None.
    """
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    point = nonnegative("at", at)
    chosen = Setting.read(mech, **setting)
    subject = chosen.mechanism
    worst = widest(subject, lambda d: worst_delta(subject, point, d, progress, memory, tier), digits)
    return DeltaResult(
        subject=chosen,
        at=point,
        delta=worst.value,
        witness=worst.witness,
        claim=_by_delta(subject, guarantee, point, worst, Effort(digits, memory, tier)),
        counts=subject.counts(),
        precision_bits=worst.bits,
        seconds=perf_counter() - start,
        tier=worst.tier,
        filter_left=worst.filter_left,
        command=chosen.command_line("delta", at=point, digits=digits, tier=tier),
    )


def _by_delta(subject: Mechanism, guarantee: Guarantee | None, at: Fraction, worst: Worst, effort: Effort) -> Claim:
    """Returns the verdict on (epsilon, delta) as far as delta(at) speaks of it; of another guarantee it does not."""
    asked = subject.claimed_here() if guarantee is None else guarantee
    both = None if asked is None else asked.epsilon_delta()
    return Claim(asked) if both is None else judge_delta(subject, EpsilonDelta(*both), at, worst, effort)


def on_data(x: Histogram, setting: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the setting on data x: n is its sum, and k its length, unless they are given."""
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
    """Returns the full output distribution of one data set; of the family: a histogram, whose sum is the default n."""
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    if in_family(mech):
        x = parse_histogram("x", tuple(x) if not isinstance(x, str) else x)
        setting = on_data(x, setting)
    chosen = Setting.read(mech, **setting)
    subject = chosen.mechanism
    dataset = subject.read_dataset("x", x)
    check_row_memory(subject, memory)

    def refined(digits: int) -> tuple[tuple[Enclosure, ...], int]:
        def attempt() -> tuple[Enclosure, ...] | None:
            row = [balls.enclosure(p, digits, least=0, most=1) for p in subject.law().probabilities(dataset)]
            narrow = tuple(p for p in row if p is not None)
            return narrow if len(narrow) == len(row) else None

        return balls.refine(attempt, *balls.bits_for(digits, subject.counts().outputs))

    probabilities, bits = widest(subject, refined, digits)
    return PmfResult(
        subject=chosen,
        x=dataset,
        outputs=tuple(subject.outputs()),
        released=subject.released_outputs(),
        probabilities=probabilities,
        precision_bits=bits,
        seconds=perf_counter() - start,
        command=chosen.command_line("pmf", x=dataset, digits=digits),
    )


def check_row_memory(subject: Mechanism, memory: int) -> None:
    """Refuses a distribution whose listing does not fit into ``memory`` bytes."""
    check_memory(subject, memory)
    outputs = subject.counts().outputs
    need = outputs * 2500
    if need > memory:
        raise TooLargeError(need, memory, f"a listing of {approximately(outputs)} outputs")


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
    """Returns GS(n, prior), and LS(x) and S(x) for every data set, for the Hellinger score or another."""
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    weight = positive("gamma", 1 if gamma is None else gamma)
    model = make_model("(missing)" if n is None else n, k, prior)
    score = choice("score", Hellinger.name if score is None else score)
    check_score(score, model)
    need = model.size * 3000
    if need > memory:
        raise TooLargeError(need, memory, f"a table of {approximately(model.size)} data sets")

    def attempt() -> tuple[Enclosure, list[Enclosure], list[Enclosure]] | None:
        ls = local_all(make_score(score, model))
        smooth = smooth_all(model, ls, weight)
        top = balls.enclosure(balls.maximum(ls), digits, least=0)
        shown = [[balls.enclosure(v, digits, least=0) for v in values] for values in (ls, smooth)]
        known = [[v for v in values if v is not None] for values in shown]
        if top is None or any(len(values) < model.size for values in known):
            return None
        return top, known[0], known[1]

    (top, ls, smooth), bits = balls.refine(attempt, *balls.bits_for(digits, model.size))
    return SensitivityResult(model, weight, top, tuple(ls), tuple(smooth), score, bits, perf_counter() - start)

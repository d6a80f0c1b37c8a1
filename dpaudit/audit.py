"""The audits, one call each: true epsilon, delta(epsilon), one distribution, the sensitivities. Results are frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit import balls
from dpaudit.distances import Hellinger
from dpaudit.divergences import choice
from dpaudit.enclosure import Enclosure, exact
from dpaudit.errors import InputError
from dpaudit.mechanisms import PosteriorMechanism, make_mechanism
from dpaudit.mechanisms.base import Counts, Output
from dpaudit.model import Histogram, Model, make_model, parse_histogram
from dpaudit.privacy_loss import MEMORY_BOUND, Progress, Witness, check_memory, verdict, worst_delta, worst_loss
from dpaudit.rationals import Exact, nonnegative, positive, whole
from dpaudit.scores import check_score, make_score
from dpaudit.sensitivity import local_all, smooth_all
from dpaudit.verdict import Verdict

Prior = str | Sequence[Exact] | None
MAX_DIGITS = 2000
VERDICT_DIGITS = 200
"""A verdict that is still open at this many digits stays UNDECIDED."""


@dataclass(frozen=True)
class Subject:
    """What was audited: a mechanism with its model and parameters."""

    mechanism: PosteriorMechanism

    def to_dict(self) -> dict[str, Any]:
        """Returns mechanism, n, k, prior, nominal epsilon and parameters as exact text."""
        model = self.mechanism.model
        return {
            "mechanism": self.mechanism.name,
            "n": model.n,
            "k": model.k,
            "prior": [str(alpha) for alpha in model.prior],
            "nominal_epsilon": str(self.mechanism.epsilon),
            "parameters": self.mechanism.settings(),
        }


@dataclass(frozen=True)
class Claim:
    """The guarantee that the documents claim, and the verdict on it; all None where nothing is claimed."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    verdict: Verdict | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Returns claimed, claimed_delta and verdict as text or None."""
        return {
            "claimed": None if self.epsilon is None else str(self.epsilon),
            "claimed_delta": None if self.delta is None else str(self.delta),
            "verdict": None if self.verdict is None else self.verdict.value,
        }


@dataclass(frozen=True)
class EpsilonResult:
    """The true epsilon lies in ``epsilon``; the loss at the witness is at least its lower end."""

    subject: Subject
    epsilon: Enclosure
    closed_form: str | None
    closed_form_symbolic: str | None
    witness: Witness
    claim: Claim
    counts: Counts
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit epsilon --json``."""
        return {
            **self.subject.to_dict(),
            "epsilon": self.epsilon.to_dict(),
            "closed_form": self.closed_form,
            "closed_form_symbolic": self.closed_form_symbolic,
            "witness": self.witness.to_dict(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True)
class DeltaResult:
    """delta(at), the largest over all ordered adjacent pairs, lies in ``delta``; the witness is the worst pair."""

    subject: Subject
    at: Fraction
    delta: Enclosure
    witness: Witness
    claim: Claim
    counts: Counts
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit delta --json``."""
        return {
            **self.subject.to_dict(),
            "at": str(self.at),
            "delta": self.delta.to_dict(),
            "witness": self.witness.to_dict(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True)
class PmfResult:
    """The output distribution of one data set: ``probabilities[i]`` contains P_x(outputs[i])."""

    subject: Subject
    x: Histogram
    outputs: tuple[Output, ...]
    released: tuple[Histogram, ...]
    probabilities: tuple[Enclosure, ...]
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit pmf --json``."""
        rows = zip(self.outputs, self.released, self.probabilities, strict=True)
        return {
            **self.subject.to_dict(),
            "x": list(self.x),
            "outputs": [{"output": list(o), "released": list(r), "probability": p.to_dict()} for o, r, p in rows],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True)
class SensitivityResult:
    """GS(n, prior), and LS and S data set by data set."""

    model: Model
    gamma: Fraction
    gs: Enclosure
    ls: tuple[Enclosure, ...]
    s: tuple[Enclosure, ...]
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit sensitivity --json``."""
        rows = zip(self.model.histograms, self.ls, self.s, strict=True)
        return {
            "n": self.model.n,
            "k": self.model.k,
            "prior": [str(alpha) for alpha in self.model.prior],
            "gamma": str(self.gamma),
            "gs": self.gs.to_dict(),
            "datasets": [{"x": list(x), "ls": ls.to_dict(), "s": s.to_dict()} for x, ls, s in rows],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


def mechanism(
    mech: str | PosteriorMechanism,
    n: int | str | None = None,
    k: int | str | None = None,
    prior: Prior = None,
    eps: Exact = 1,
    gamma: Exact | None = None,
    delta_param: Exact | None = None,
    gs: str | None = None,
    score: str | None = None,
) -> PosteriorMechanism:
    """Returns the checked mechanism of that name and setting."""
    if isinstance(mech, PosteriorMechanism):
        return mech
    if n is None:
        raise InputError("n", "(missing)", "must be a whole number >= 1")
    model = make_model(n, k, prior)
    return make_mechanism(mech, model, eps, {"gamma": gamma, "delta": delta_param, "gs": gs, "score": score})


def epsilon(
    mech: str | PosteriorMechanism,
    n: int | str | None = None,
    k: int | str | None = None,
    prior: Prior = None,
    eps: Exact = 1,
    gamma: Exact | None = None,
    delta_param: Exact | None = None,
    gs: str | None = None,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    score: str | None = None,
) -> EpsilonResult:
    """Returns the true epsilon, over all ordered adjacent pairs and outputs, with the verdict on the claimed bound.

    >>> epsilon("LSDim", n=20, k=3).closed_form
    '2/3'
    """
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    subject = mechanism(mech, n, k, prior, eps, gamma, delta_param, gs, score)
    worst = worst_loss(subject, digits, progress, memory)
    form = subject.loss_by_algebra()
    return EpsilonResult(
        subject=Subject(subject),
        epsilon=worst.value,
        closed_form=form.text() if form else None,
        closed_form_symbolic=form.symbolic() if form else None,
        witness=worst.witness,
        claim=_judge_epsilon(subject, worst.value, digits, memory),
        counts=subject.counts(),
        precision_bits=worst.bits,
        seconds=perf_counter() - start,
    )


def _judge_epsilon(subject: PosteriorMechanism, found: Enclosure, digits: int, memory: int) -> Claim:
    """Returns the claim with its verdict; more digits are computed until it is decided."""
    claimed = subject.claimed()
    if claimed is None:
        return Claim()
    form = subject.loss_by_algebra()
    if form and form.rational() is not None:
        found = exact(form.rational(), digits)
        if form.rational() == claimed.epsilon:
            return Claim(claimed.epsilon, claimed.delta, Verdict.PROVED)
    outcome = verdict(found, claimed.epsilon)
    while outcome is Verdict.UNDECIDED and digits < VERDICT_DIGITS:
        digits *= 3
        outcome = verdict(worst_loss(subject, digits, memory=memory).value, claimed.epsilon)
    if outcome is Verdict.REFUTED and claimed.delta:
        tail = worst_delta(subject, claimed.epsilon, max(digits, 30), memory=memory)
        outcome = verdict(tail.value, claimed.delta)
    return Claim(claimed.epsilon, claimed.delta, outcome)


def delta(
    mech: str | PosteriorMechanism,
    at: Exact,
    n: int | str | None = None,
    k: int | str | None = None,
    prior: Prior = None,
    eps: Exact = 1,
    gamma: Exact | None = None,
    delta_param: Exact | None = None,
    gs: str | None = None,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    score: str | None = None,
) -> DeltaResult:
    """Returns delta(at) = max over ordered adjacent pairs of sum_r max(0, P_x(r) - e^at P_x'(r)).

    The verdict is on the claimed guarantee, as far as delta(at) speaks of it: at >= claimed epsilon and
    delta(at) <= claimed delta, else None.
    """
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    point = nonnegative("at", at)
    subject = mechanism(mech, n, k, prior, eps, gamma, delta_param, gs, score)
    worst = worst_delta(subject, point, digits, progress, memory)
    return DeltaResult(
        subject=Subject(subject),
        at=point,
        delta=worst.value,
        witness=worst.witness,
        claim=_judge_delta(subject, point, worst.value, digits, memory),
        counts=subject.counts(),
        precision_bits=worst.bits,
        seconds=perf_counter() - start,
    )


def _judge_delta(subject: PosteriorMechanism, at: Fraction, found: Enclosure, digits: int, memory: int) -> Claim:
    claimed = subject.claimed()
    if claimed is None:
        return Claim()
    if at < claimed.epsilon:
        return Claim(claimed.epsilon, claimed.delta, None)
    outcome = verdict(found, claimed.delta)
    while outcome is Verdict.UNDECIDED and digits < VERDICT_DIGITS:
        digits *= 3
        outcome = verdict(worst_delta(subject, at, digits, memory=memory).value, claimed.delta)
    return Claim(claimed.epsilon, claimed.delta, outcome)


def pmf(
    mech: str | PosteriorMechanism,
    x: str | Sequence[int],
    n: int | str | None = None,
    k: int | str | None = None,
    prior: Prior = None,
    eps: Exact = 1,
    gamma: Exact | None = None,
    delta_param: Exact | None = None,
    gs: str | None = None,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
    score: str | None = None,
) -> PmfResult:
    """Returns the full output distribution for the data set with histogram x; n defaults to its sum."""
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    cells = parse_histogram("x", tuple(x) if not isinstance(x, str) else x)
    if k is None and prior is None:
        k = len(cells)
    subject = mechanism(mech, sum(cells) if n is None else n, k, prior, eps, gamma, delta_param, gs, score)
    cells = subject.model.check("x", cells)
    check_row_memory(subject, memory)

    def attempt() -> tuple[Enclosure, ...] | None:
        row = [balls.enclosure(p, digits, least=0, most=1) for p in subject.law().probabilities(cells)]
        narrow = tuple(p for p in row if p is not None)
        return narrow if len(narrow) == len(row) else None

    probabilities, bits = balls.refine(attempt, *balls.bits_for(digits, subject.count_outputs()))
    outputs = tuple(subject.outputs())
    return PmfResult(
        subject=Subject(subject),
        x=cells,
        outputs=outputs,
        released=tuple(subject.released(output) for output in outputs),
        probabilities=probabilities,
        precision_bits=bits,
        seconds=perf_counter() - start,
    )


def check_row_memory(subject: PosteriorMechanism, memory: int) -> None:
    """Refuses a distribution whose listing does not fit into ``memory`` bytes."""
    check_memory(subject, memory)
    need = subject.count_outputs() * (2000 + 100 * subject.model.k)
    if need > memory:
        rule = f"listing {subject.count_outputs()} outputs needs {need / 2**30:.3g} GiB; raise the bound"
        raise InputError("memory", f"{memory / 2**30:.3g} GiB", rule)


def sensitivity(
    n: int | str,
    k: int | str | None = None,
    prior: Prior = None,
    gamma: Exact = 1,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
    score: str = Hellinger.name,
) -> SensitivityResult:
    """Returns GS(n, prior), and LS(x) and S(x) for every data set, for the Hellinger score or another."""
    start = perf_counter()
    digits = whole("digits", digits, 1, MAX_DIGITS)
    weight = positive("gamma", gamma)
    model = make_model(n, k, prior)
    score = choice("score", score)
    check_score(score, model)
    need = model.size * 3000
    if need > memory:
        rule = f"{model.size} data sets need {need / 2**30:.3g} GiB; take a smaller n or k, or raise the bound"
        raise InputError("memory", f"{memory / 2**30:.3g} GiB", rule)

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
    return SensitivityResult(model, weight, top, tuple(ls), tuple(smooth), bits, perf_counter() - start)

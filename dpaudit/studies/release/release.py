"""dpaudit release: audit, then draw one output of the audited law."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from secrets import SystemRandom
from time import perf_counter
from typing import Any

from dpaudit.audit.judgement import Judgement
from dpaudit.audit.page import Page
from dpaudit.audit.questions import ROW_BYTES, epsilon, on_data
from dpaudit.audit.results import EpsilonResult, SettingAnswer
from dpaudit.audit.setting import Setting, settled
from dpaudit.mechanisms import in_family, posterior
from dpaudit.mechanisms.draw import ExactDraw
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError, TooLargeError, approximately
from dpaudit.numbers.rationals import whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import parse_histogram
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee
from dpaudit.privacy.protocols import Output, plain
from dpaudit.studies.pages import release_page

MOST_TIMES = 10**6


@dataclass(frozen=True)
class Released:
    """One output; for a posterior the counts that it stands for, and the parameters prior + counts."""

    output: Output
    counts: tuple[int, ...] | None = None
    parameters: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The output, and the posterior where there is one."""
        posterior = (
            {} if self.counts is None else {"counts": list(self.counts), "posterior": list(self.parameters or ())}
        )
        return {"output": plain(self.output), **posterior}


@dataclass(frozen=True, kw_only=True)
class ReleaseResult(SettingAnswer):
    """Outputs of the audited law. The data are not part of it: it may be handed on.

    ``epsilon`` is the true epsilon of one release; so many independent ones of the same data lose ``spent`` in the
    worst case, and one more makes it ``after_one_more``: losses of the same pair and output add up.
    """

    released: tuple[Released, ...]
    private: bool
    """False for draws from a seed: whoever knows the seed knows the data."""
    randomness: str
    epsilon: Enclosure
    claim: Claim
    audited: EpsilonResult
    """The audit of one release."""
    spent: Enclosure
    after_one_more: Enclosure
    audit: str | None
    """The command that audits this setting again."""

    @property
    def judgement(self) -> Judgement | None:
        """The verdict of the audit of this setting."""
        return self.audited.judgement

    def page(self) -> Page:
        """The release for people."""
        return release_page(self)


def release(
    mech: Any,
    x: Any,
    *,
    times: int | str = 1,
    seed: int | str | None = None,
    require: bool = False,
    claim: Guarantee | Any = None,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
    progress: Progress | None = None,
    **setting: Any,
) -> ReleaseResult:
    """Outputs drawn from exactly the audited law, with the audit of this setting.

    The bits come from the operating system, or from a ``seed`` for simulations, which is not private. With ``require``
    nothing is drawn, and ``released`` is empty, unless the ``claim`` (by default the mechanism's own) is proved.
    """
    start, count = perf_counter(), whole("times", times, 1, MOST_TIMES)
    source = SystemRandom() if seed is None else Random(whole("seed", seed, 0))
    if in_family(mech):
        x = parse_histogram("x", tuple(x) if not isinstance(x, str) else x)
        setting = on_data(x, setting)
    chosen = settled(mech, **setting)
    dataset = chosen.mechanism.read_dataset("x", x)
    Effort(memory=memory).check_memory(chosen.mechanism)
    outputs = chosen.mechanism.counts().outputs
    if outputs * ROW_BYTES > memory:
        raise TooLargeError(outputs * ROW_BYTES, memory, f"a draw from {approximately(outputs)} outputs")
    draws = ExactDraw(chosen.mechanism, dataset)
    audited = epsilon(chosen, digits=digits, memory=memory, progress=progress, claim=claim)
    if require and audited.claim.verdict is None:
        rule = f"nothing is released: {chosen.mechanism.name} claims nothing here, so nothing can be required of it"
        raise InputError("require", "yes", rule)
    if require and audited.claim.verdict is not Verdict.PROVED:
        count = 0
    found = tuple(_released(chosen, draws.draw(source)) for _ in range(count))
    return ReleaseResult(
        subject=chosen,
        released=found,
        private=seed is None,
        randomness="the operating system" if seed is None else f"seed {seed}: not private, for simulations only",
        epsilon=audited.epsilon,
        claim=audited.claim,
        audited=audited,
        spent=audited.epsilon.times(count),
        after_one_more=audited.epsilon.times(count + 1),
        audit=audited.command,
        seconds=perf_counter() - start,
    )


def _released(setting: Setting, output: Output) -> Released:
    family = posterior(setting.mechanism)
    if family is None:
        return Released(output)
    counts = family.released(output)
    parameters = tuple(str(alpha + c) for alpha, c in zip(family.model.prior, counts, strict=True))
    return Released(output, counts, parameters)

"""The work of a worker: a batch of jobs, each with its result or error. Plain functions, the same on any executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.forall.dispatch import theorem
from dpaudit.forall.ranged import Ranged, from_dict
from dpaudit.forall.theorem import Supremum
from dpaudit.mechanisms import posterior
from dpaudit.mechanisms.own.user_code import describe
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import true_epsilon
from dpaudit.privacy.loss import worst_delta, worst_loss
from dpaudit.privacy.pairs import Worst
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.sweeps.plan import sources
from dpaudit.version import __version__

Outcome = dict[str, Any]
"""{"key", "seconds", "result": ...} or {"key", "seconds", "error": text}."""

BATCH_SECONDS = 2.0


def run_batch(batch: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Outcome]:
    """The outcome of every (key, specification); an error is an outcome too and stops nothing.

    A batch that takes long returns early, with at least one outcome.
    """
    outcomes: list[Outcome] = []
    begun = perf_counter()
    for key, spec in batch:
        start = perf_counter()
        if outcomes and start - begun > BATCH_SECONDS:
            break
        try:
            outcome: Outcome = {"key": key, "result": run_job(spec)}
        except BaseException as error:  # whatever it is, it belongs to this job alone
            outcome = {"key": key, "error": describe(error)}
        outcomes.append({**outcome, "seconds": round(perf_counter() - start, 6)})
    return outcomes


def _check_sources(spec: Mapping[str, Any]) -> None:
    """Refuses a job that this program, or the mechanism's file as it is now, would compute from another source."""
    if spec["version"] != __version__:
        raise InputError("version", __version__, f"the plan was read by dpaudit {spec['version']}")
    now = sources(spec["mech"], spec.get("adjacency"))
    if any(spec.get(name) != value for name, value in now.items()):
        raise InputError("mech", spec["mech"], "its file has changed since the plan was read: run the sweep again")


def run_job(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The enclosure, its witness and the method, as JSON; the specification determines all of it."""
    _check_sources(spec)
    chosen = from_dict(spec)
    if isinstance(chosen, Ranged):
        return _theorem(chosen, Effort(spec["digits"], int(Fraction(spec["memory"]) * 2**30)))
    subject = chosen.mechanism
    part = None if "part" not in spec else (spec["part"][0], spec["part"][1])
    effort = Effort(spec["digits"], int(Fraction(spec["memory"]) * 2**30), part=part)
    if spec["quantity"] == "epsilon":
        return _result_members(true_epsilon(subject, effort) if part is None else worst_loss(subject, effort))
    if spec["quantity"] == "delta":
        return _result_members(effort.widest(subject, lambda e: worst_delta(subject, Fraction(spec["at"]), e)))
    effort.check_memory(subject)
    released = posterior(subject)
    if released is None:
        raise TypeError(f"{subject.name} releases no posterior")
    return mean_error(released, released.model.check("x", spec["x"]), effort.digits).to_dict()


def _theorem(ranged: Ranged, effort: Effort) -> dict[str, Any]:
    """The supremum over what ranges, where it is attained, and its witness."""
    found = theorem(ranged, effort)
    assert isinstance(found, Supremum)
    members = found.members()
    known = {"attained": found.where(), "tier": "theorem", "bits": members["precision_bits"]}
    return {**found.value.to_dict(), **members["witness"], **known}


def _result_members(worst: Worst) -> dict[str, Any]:
    return {
        **worst.value.to_dict(),
        **worst.witness.to_dict(),
        "tier": worst.tier,
        "filter_left": worst.filter_left,
        "bits": worst.bits,
    }

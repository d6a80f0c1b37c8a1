"""The certificate of an account: the releases and each number, for the verifier to recompute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.accounting.event import Event
from dpaudit.accounting.events import DiscreteGaussian, DiscreteLaplace, Pure, RandomizedResponse
from dpaudit.accounting.lattice import common_step, exact_losses, length, verifiable
from dpaudit.audit.account import AccountResult
from dpaudit.evidence.verifier.composition import LONGEST, MOST
from dpaudit.numbers.errors import InputError

BITS = 128
"""The precision at which the accountant starts without a grid; it is doubled where needed."""


def check_possible(events: Sequence[Event]) -> None:
    """Refuses what the verifier cannot check, before any work is done."""
    for event in events:
        if not event.exact:
            rule = (
                "the verifier checks compositions without subsampling whose losses lie on a lattice, so there is none"
            )
            raise InputError("certificate", str(event), rule)
    if not verifiable(events):
        times = sum(event.times for event in events)
        rule = (
            f"the verifier checks at most {LONGEST} losses and {MOST} releases; these are {length(events)} and {times}"
        )
        raise InputError("certificate", "(not written)", rule)


def release(event: Event) -> dict[str, Any]:
    """The event in the verifier's words."""
    found: dict[str, Any] = {"release": event.name, "times": event.times}
    match event:
        case RandomizedResponse():
            return {**found, "eps": str(event.largest_loss), "k": event.k}
        case Pure():
            return {**found, "eps": str(event.eps), "delta": str(event.delta)}
        case DiscreteLaplace():
            return {**found, "eps": str(event.largest_loss), "sensitivity": event.sensitivity}
        case DiscreteGaussian():
            return {**found, "sigma": str(event.sigma), "sensitivity": event.sensitivity}
    raise InputError("certificate", str(event), "the verifier does not know this release")


def documents(result: AccountResult) -> Iterator[dict[str, Any]]:
    """The kind, subject and statement for each number."""
    step = common_step([exact_losses(event) for event in result.events]) or 1
    subject = {"releases": [release(event) for event in result.events], "step": str(step)}
    rows: list[tuple[str, Any, Any, str | None]] = [("delta", at, value, None) for at, value in result.deltas]
    rows += [("epsilon", at, value, None) for at, value in result.epsilons]
    guarantee = result.claim.guarantee
    if guarantee is not None and result.claimed is not None:
        epsilon, delta = guarantee.epsilon_delta() or (Fraction(0), Fraction(0))
        rows.append(("delta", epsilon, result.claimed, str(delta)))
    for quantity, at, value, claimed in rows:
        stated = {"quantity": quantity, "at": str(at), **value.to_dict(), "claimed": claimed}
        yield {"kind": "composition", "subject": subject, "statement": stated}

"""Certificates of claims: the audited ε or δ of the mechanism in a claim's instance, for ``dpaudit verify``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.audit import questions
from dpaudit.audit.results import DeltaResult, EpsilonResult
from dpaudit.audit.setting import Setting
from dpaudit.claims.outcome import EVERYWHERE, Instance
from dpaudit.claims.runner import Result
from dpaudit.claims.words import setting
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError

EPSILON, SHARE, DELTA = "true ε", "true ε / ε", "δ(ε)"
"""The meaning of the left side of an audited instance."""


def audited_instance(result: Result) -> Instance:
    """The instance about a mechanism's ε or δ: the outcome's own, else that of its first such part."""
    found = result.outcome.instance
    instances = [found[1] if found else None, *(part.instance for part in result.outcome.parts)]
    for instance in instances:
        if instance is not None and instance.left.meaning in (EPSILON, SHARE, DELTA):
            return instance
    raise InputError("IDS", result.claim.id, "has no certificate: its outcome holds no audited instance")


def certified_words(result: Result) -> str:
    """One line that says what the certificate covers: one instance, never a statement for all n."""
    found, instance = result.outcome.instance, audited_instance(result)
    own = found is not None and found[1] is instance and result.outcome.establishes not in EVERYWHERE
    role = found[0] if own and found else "the tightest audited instance, not the theorem"
    return f"certified: {setting(instance)} ({role})"


def audited(result: Result) -> EpsilonResult | DeltaResult:
    """The audit of the mechanism at the claim's instance; it must agree with what the claim found there."""
    instance = audited_instance(result)
    mech, options = result.audits or ("", {})
    at = instance.parameters
    eps, prior = Fraction(at["eps"]), at["prior"].strip("()").replace(" ", "") if "prior" in at else None
    given: dict[str, Any] = {name: at.get(name) for name in ("n", "k", "gamma", "delta")}
    chosen = Setting.read(mech, **given, prior=prior, eps=eps, settings=options)
    if instance.left.meaning == DELTA:
        found = questions.delta(chosen, eps)
        _agree(result.claim.id, found.delta, instance.left.value, Fraction(1))
        return found
    pure = questions.epsilon(chosen)
    _agree(result.claim.id, pure.epsilon, instance.left.value, eps if instance.left.meaning == SHARE else Fraction(1))
    return pure


def _agree(identifier: str, audit_value: Enclosure, claimed: Enclosure, unit: Fraction) -> None:
    """Refuses to certify if the audit and the claim's instance contradict each other."""
    scaled = Enclosure(claimed.lower * unit, claimed.upper * unit, claimed.places)
    if audit_value.below(scaled) or scaled.below(audit_value):
        raise InputError("IDS", identifier, f"the audit gives {audit_value}, the claim {claimed}: please report this")

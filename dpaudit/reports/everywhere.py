"""Results for every n of a setting: by the theorem on every n if there is one, and by the papers' claims."""

from __future__ import annotations

from functools import lru_cache

from dpaudit.audit.setting import Setting
from dpaudit.claims.families import proved_for_all
from dpaudit.forall.every_n import EveryNResult, every_n, family_of
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.mechanisms import REGISTRY, posterior
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.loss import verdict
from dpaudit.reports.document import EveryN, place

DIGITS = 6
LARGEST_PRIOR = 10
"""With a larger entry in the prior the theorem takes minutes, and is used only with --n all."""


def known_everywhere(setting: Setting, asked: Guarantee | None, wanted: bool = False) -> EveryN | None:
    """The result for every n about ``asked``, or None. ``wanted``: even if it takes minutes."""
    mechanism = posterior(setting.mechanism)
    if mechanism is None or REGISTRY.get(mechanism.name) is not type(mechanism):
        return None
    claim = proved_for_all(mechanism) if asked is not None and asked == mechanism.claimed_here() else None
    found = theorem_of(setting, wanted)
    if claim is None and found is None:
        return None
    by_supremum = None if found is None else _judged(found, asked)
    outcome = Verdict.PROVED if claim is not None and by_supremum is not Verdict.REFUTED else by_supremum
    decided = found is not None and by_supremum in (Verdict.PROVED, Verdict.REFUTED)
    command = found.command if decided and found is not None else f"dpaudit check {claim.id}" if claim else ""
    return EveryN(
        verdict=outcome,
        command=command or "",
        supremum=None if found is None else found.epsilon,
        limit=None if found is None else found.limit,
        attained=None if found is None else found.attained,
        claim="" if claim is None else place(claim.document, claim.item),
    )


def _judged(found: EveryNResult, asked: Guarantee | None) -> Verdict | None:
    """The verdict for every n; a supremum above ε says nothing where there is a δ."""
    if not isinstance(asked, EpsilonDelta):
        return None
    outcome = verdict(found.epsilon, asked.epsilon)
    return None if asked.delta and outcome is not Verdict.PROVED else outcome


def theorem_of(setting: Setting, wanted: bool = False) -> EveryNResult | None:
    """The theorem about a setting; None where there is none, or it would take too long and is not ``wanted``."""
    model = setting.model
    if model is None or (max(model.prior) > LARGEST_PRIOR and not wanted):
        return None
    name = setting.mechanism.name
    return _theorem(Ranged(name, Span(), model.prior, setting.epsilon, setting.parameters, setting.adjacency))


@lru_cache(maxsize=64)
def _theorem(ranged: Ranged) -> EveryNResult | None:
    """The theorem on every n, computed once; None where there is none about this mechanism, k or score."""
    try:
        return None if family_of(ranged) is None else every_n(ranged, Effort(DIGITS))
    except (InputError, PrecisionExhausted):
        return None

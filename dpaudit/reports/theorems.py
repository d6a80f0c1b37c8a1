"""What is known for every n of a setting: by the theorem on every n where there is one, and by the papers' claims."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dpaudit.audit.setting import Setting
from dpaudit.claims.claim import Claim
from dpaudit.claims.families import proved_for_all
from dpaudit.forall.every_n import every_n, family_of
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.mechanisms import REGISTRY, Mechanism, posterior
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.loss import verdict

DIGITS = 6
LARGEST_PRIOR = 10
"""With a larger entry in the prior the theorem on every n takes minutes: it has a command of its own."""


@dataclass(frozen=True)
class EveryN:
    """The supremum over every n >= 1 of the true epsilon, its limit, and the n where it is attained, or "inf"."""

    supremum: Enclosure
    limit: Enclosure
    attained: str
    command: str | None


def compared_with(mechanism: Mechanism, guarantee: Guarantee | None = None) -> EpsilonDelta | None:
    """Returns the (epsilon, delta) asked for or claimed, or the nominal epsilon where nothing is claimed, or None."""
    claimed = mechanism.claimed_here() if guarantee is None else guarantee
    if claimed is None:
        return None if mechanism.epsilon is None else EpsilonDelta(mechanism.epsilon)
    return claimed if isinstance(claimed, EpsilonDelta) else None


def for_every_n(setting: Setting, guarantee: Guarantee | None = None) -> dict[str, Any] | None:
    """Returns what is known for every n: the verdict on what is compared, whence, with supremum and limit; or None.

    ``guarantee`` is judged instead of what the mechanism claims; the papers' claims are about the latter alone.
    """
    mechanism = posterior(setting.mechanism)
    if mechanism is None or REGISTRY.get(mechanism.name) is not type(mechanism):
        return None
    own = guarantee is None or guarantee == mechanism.claimed_here()
    claim, found = proved_for_all(mechanism) if own else None, _every_n(_ranged(setting))
    if claim is None and found is None:
        return None
    numbers: dict[str, Any] = {"supremum": None, "limit": None, "attained": None}
    if found is not None:
        numbers = {
            "supremum": found.supremum.to_dict(),
            "limit": found.limit.to_dict(),
            "attained": found.attained,
        }
    bound = compared_with(mechanism, guarantee)
    known = None if found is None or bound is None else _by_supremum(found.supremum, bound)
    outcome = Verdict.PROVED if claim is not None and known is not Verdict.REFUTED else known
    commands = [*([f"dpaudit check {claim.id}"] if claim else []), *([found.command] if found else [])]
    return {
        "verdict": None if outcome is None else outcome.value,
        "claim": None if claim is None else claim.id,
        "words": "; ".join(_words(claim, found)),
        "commands": commands,
        "command": commands[0] if known in (None, Verdict.UNDECIDED) else commands[-1],
        **numbers,
    }


def _by_supremum(supremum: Enclosure, bound: EpsilonDelta) -> Verdict | None:
    """Returns the verdict on the bound for every n; a supremum above epsilon says nothing where there is a delta."""
    found = verdict(supremum, bound.epsilon)
    return None if bound.delta and found is not Verdict.PROVED else found


def _words(claim: Claim | None, found: EveryN | None) -> list[str]:
    cited = [f"claim {claim.id} ({claim.where}), PROVED for all n, by algebra"] if claim else []
    if found is None:
        return cited
    where = "in the limit n → ∞" if found.attained == "inf" else f"attained at n = {found.attained}"
    return [*cited, f"supremum of the true ε over every n: {found.supremum}, {where}"]


def _ranged(setting: Setting) -> Ranged | None:
    """Returns the setting with every n, or None where the theorem would take too long."""
    model = setting.model
    if model is None or max(model.prior) > LARGEST_PRIOR:
        return None
    name = setting.mechanism.name
    return Ranged(name, Span(), model.prior, setting.epsilon, setting.parameters, setting.adjacency)


@lru_cache(maxsize=64)
def _every_n(ranged: Ranged | None) -> EveryN | None:
    """Returns the theorem on every n; None where there is none about this mechanism, k or score."""
    try:
        if ranged is None or family_of(ranged) is None:
            return None
        found = every_n(ranged, Effort(DIGITS))
    except (InputError, PrecisionExhausted):
        return None
    return EveryN(found.epsilon, found.limit, found.attained, found.command)

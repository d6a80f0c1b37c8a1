"""Certificates of theorems: the statement, and the cover that proves it, for ``dpaudit verify --full``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.evidence.verify import FORMAT
from dpaudit.forall.every_epsilon import RatioResult
from dpaudit.forall.every_epsilon_cover import Cover
from dpaudit.forall.prior_boxes import PriorMapResult
from dpaudit.forall.ranged import Ranged
from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import Histogram


def check_possible(ranged: Ranged) -> None:
    """Refuses a theorem that the verifier cannot replay, before any work is done."""
    name = ranged.ranging[0]
    if ranged.ranging not in (("eps",), ("prior",)):
        rule = f"there is no independent verifier for every {name}, so no certificate; take one"
        raise InputError(name, ranged.told(name), rule)
    if ranged.ranging == ("eps",) and not isinstance(ranged.mechanism, Exponential):
        rule = f"{ranged.mechanism.name} is decided by its closed form, of which there is no certificate; take one ε"
        raise InputError("eps", ranged.told("eps"), rule)


def document(result: RatioResult | PriorMapResult) -> dict[str, Any]:
    """Returns what the certificate of a theorem says, without method and versions."""
    return every_epsilon(result) if isinstance(result, RatioResult) else prior_map(result)


def every_epsilon(result: RatioResult) -> dict[str, Any]:
    """Returns what the certificate of the largest ratio says, without method and versions."""
    check_possible(result.subject)
    cover = result.cover
    assert cover is not None
    witness = result.witness.to_dict() | {"epsilon": "inf" if cover.epsilon is None else str(cover.epsilon)}
    judged = result.claim.to_dict()
    return {
        "format": FORMAT,
        "version": 1,
        "kind": "every-epsilon",
        "subject": result.subject.describe(),
        "statement": {
            "quantity": "every-epsilon",
            **result.ratio.to_dict(),
            "claimed": judged["guarantee"]["factor"],
            "verdict": judged["verdict"],
        },
        "witness": witness,
        "cover": _cover(result, cover),
    }


def prior_map(result: PriorMapResult) -> dict[str, Any]:
    """Returns what the certificate of a map says: the shares, and how each box is decided."""
    check_possible(result.subject)
    judged = result.claim.to_dict()
    return {
        "format": FORMAT,
        "version": 1,
        "kind": "prior-map",
        "subject": result.subject.describe(),
        "statement": {
            "quantity": "prior-map",
            "claimed": judged["guarantee"]["epsilon"],
            **{name: str(getattr(result, name)) for name in ("proved", "refuted", "undecided")},
            "verdict": judged["verdict"],
        },
        "cover": result.tree,
    }


def _cover(result: RatioResult, cover: Cover) -> list[list[Any]]:
    """Returns [x, x', cuts] for the ordered pairs that their oscillation does not settle, those of an orbit alike."""
    mechanism = result.subject.mechanism
    canonical = mechanism.model.canonical
    cuts: dict[tuple[Histogram, ...], list[str]] = {}
    for i, pair in enumerate(cover.pairs):
        if not pair.alike:
            cuts[canonical(pair.x, pair.y)] = [_text(high) for _, high in cover.closed[i][:-1]]
    ordered = ((x, y) for x in mechanism.datasets() for y in mechanism.neighbours(x))
    return [[list(x), list(y), cuts[key]] for x, y in ordered if (key := canonical(x, y)) in cuts]


def _text(cut: Fraction | None) -> str:
    return str(cut)

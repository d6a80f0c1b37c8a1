"""Certificates of theorems: the statement, and the cover that proves it, for ``dpaudit verify --full``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.reading import FORMAT, VERSION
from dpaudit.forall.every_epsilon import RatioResult
from dpaudit.forall.every_epsilon_cover import Cover
from dpaudit.forall.every_n import EveryNRatioResult, EveryNResult
from dpaudit.forall.every_n_finite import Below, Cuts
from dpaudit.forall.every_n_search import Closed
from dpaudit.forall.prior_boxes import PriorMapResult
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.mechanisms.base import PosteriorMechanism
from dpaudit.numbers.enclosure import or_infinity, outward
from dpaudit.numbers.errors import InputError

TheoremResult = RatioResult | PriorMapResult | EveryNResult


def check_possible(ranged: Ranged) -> None:
    """Refuses a theorem that the verifier cannot replay, before any work is done."""
    name = ranged.ranging[0]
    if ranged.ranging not in (("eps",), ("prior",), ("n",), ("n", "eps")):
        rule = f"there is no independent verifier for every {name}, so no certificate; take one"
        raise InputError(name, ranged.option_text(name), rule)


def document(result: TheoremResult) -> dict[str, Any]:
    """The content of the certificate of a theorem, without method and versions."""
    if isinstance(result, EveryNResult):
        return every_n(result)
    return every_epsilon(result) if isinstance(result, RatioResult) else prior_map(result)


def every_epsilon(result: RatioResult) -> dict[str, Any]:
    """The content of the certificate of the largest ratio, without method and versions."""
    check_possible(result.subject)
    witness = result.witness.to_dict() | {"epsilon": _where(result)}
    judged = result.claim.to_dict()
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "every-epsilon",
        "subject": result.subject.describe(),
        "statement": {
            **_bounds(result),
            "claimed": judged["guarantee"]["factor"],
        },
        "witness": witness,
        "cover": [] if result.cover is None else _cover(result, result.cover),
    }


def _bounds(result: RatioResult) -> dict[str, str]:
    """Lower and upper: one rational where the verifier confirms it exactly, which intervals cannot do."""
    known, step = result.exactly, Fraction(1, 10**result.ratio.places)
    if known is None:
        return result.ratio.to_dict()
    if result.cover is None:
        return dict.fromkeys(("lower", "upper"), str(known))
    return outward(known - step, known + step, result.ratio.places).to_dict()


def _where(result: RatioResult) -> str:
    """The epsilon at which the witness reaches the lower bound; 0 and inf are limits."""
    if result.cover is not None:
        return or_infinity(result.cover.epsilon)
    span = result.subject.epsilon
    assert isinstance(span, Span)
    every = "0" if span.low is None else str(span.low)
    return result.at.get("limit") or {"every": every}.get(result.at["epsilon"], result.at["epsilon"])


def prior_map(result: PriorMapResult) -> dict[str, Any]:
    """The content of the certificate of a map: the shares, and how each box is decided."""
    check_possible(result.subject)
    judged = result.claim.to_dict()
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "prior-map",
        "subject": result.subject.describe(),
        "statement": {
            "claimed": judged["guarantee"]["epsilon"],
        },
        "cover": result.tree,
    }


def every_n(result: EveryNResult) -> dict[str, Any]:
    """The content of the certificate for every n: M, N, the blocks of n with their pairs, and the witness."""
    theory, ranged = result.theory, result.subject
    best, judged = theory.best, result.claim.to_dict()
    ratio = isinstance(result, EveryNRatioResult)
    if isinstance(best, Below):
        x, y, r = (cells[0] for cells in (best.witness.x, best.witness.x_prime, best.witness.output))  # type: ignore[index]
        witness = {"n": best.n, "side": 0, "x": x, "x_prime": y, "output": r}
        witness |= {"epsilon": or_infinity(best.epsilon)} if ratio else {}
    else:
        peak = best.peak
        witness = {"side": int(best.side != ranged.prior), "x": peak.x, "x_prime": peak.x_prime, "output": peak.output}
        witness |= {} if best.n is None else {"n": best.n}
    sides = dict.fromkeys([ranged.prior, ranged.prior[::-1]])
    blocks = [[_blocks(theory.cover, side, x) for x in range(theory.m)] for side in sides]
    below = [entry for found in theory.below for entry in _below(ranged, found)]
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "every-n",
        "subject": ranged.describe(),
        "statement": {
            **result.epsilon.to_dict(),
            "claimed": judged["guarantee"]["factor" if ratio else "epsilon"],
        },
        "witness": witness,
        "cover": {"m": theory.m, "first": theory.first, "blocks": blocks, "below": below if ratio else []},
    }


def _blocks(cover: Iterable[Closed], side: tuple[Any, ...], x: int) -> list[Any]:
    """Where the blocks of n for the pair x, x+1 begin, with the intervals of epsilon of both orders where there are."""
    own = [closed for closed in cover if closed.side == side and x in closed.pairs]
    if any(closed.sloped for closed in own):
        rule = (
            "the loss is on a plateau, which the verifier's blocks of n cannot bound so narrowly; take fewer --digits"
        )
        raise InputError("certificate", "(not written)", rule)
    starts: dict[int, Any] = {}
    for closed in own:
        one = closed.block.first
        assert one is not None
        cuts = [] if closed.cuts is None else [[str(cut) for cut in part] for part in closed.cuts]
        starts[one] = [one, *cuts] if cuts else one
    return [starts[one] for one in sorted(starts)]


def _below(ranged: Ranged, below: Below) -> list[list[Any]]:
    """[n, x, x', cuts] for the ordered pairs of this n that need intervals of epsilon."""
    mechanism = ranged.moved(n=below.n, eps=1)
    return [[below.n, x[0], y[0], cuts] for x, y, cuts in _expanded(mechanism, below.cuts)] if below.cuts else []


def _cover(result: RatioResult, cover: Cover) -> list[list[Any]]:
    """[x, x', cuts] for the ordered pairs that their oscillation does not settle."""
    cuts = {
        (pair.x, pair.y): tuple(high for _, high in cover.closed[i][:-1] if high is not None)
        for i, pair in enumerate(cover.pairs)
        if not pair.alike
    }
    return _expanded(result.subject.mechanism, cuts)


def _expanded(mechanism: PosteriorMechanism, cuts: Cuts) -> list[list[Any]]:
    """[x, x', cuts] for these ordered pairs and all others of their orbits."""
    canonical = mechanism.model.canonical
    texts = {canonical(x, y): [str(cut) for cut in ends] for (x, y), ends in cuts.items()}
    ordered = ((x, y) for x in mechanism.datasets() for y in mechanism.neighbors(x))
    return [[list(x), list(y), texts[key]] for x, y in ordered if (key := canonical(x, y)) in texts]

"""The true epsilon of a setting; where n, epsilon or the prior ranges, the theorem about all of its values."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dpaudit.audit import questions
from dpaudit.audit.results import EpsilonResult
from dpaudit.forall.ranged import Ranged, settled
from dpaudit.forall.theorem import Theorem
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee

THEOREMS: dict[tuple[str, ...], str] = {
    ("n",): "dpaudit.forall.every_n:every_n",
    ("n", "eps"): "dpaudit.forall.every_n:every_n_and_epsilon",
    ("eps",): "dpaudit.forall.every_epsilon:every_epsilon",
    ("prior",): "dpaudit.forall.prior_boxes:prior_map",
}
"""What ranges -> the call that decides it, with the ranged setting, the effort and, for priors, the rest."""


def epsilon(
    mech: Any,
    *,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    tier: str = "auto",
    claim: Guarantee | Any = None,
    rest: Exact | None = None,
    cross_check: bool = False,
    **setting: Any,
) -> EpsilonResult | Theorem:
    """The true epsilon with its witness and verdict, or a theorem if eps, n or the prior ranges.

    They range with eps="all" or "1/100..16", n="all", prior="1/100..2,1/100..2". ``claim`` is judged instead of the
    mechanism's own claim; for a theorem it must be an epsilon, and it is not allowed if eps ranges. ``rest`` is the
    share of a box of priors that may stay undecided.
    """
    chosen = settled(mech, **setting)
    if isinstance(chosen, Ranged):
        if tier != "auto":
            raise InputError("tier", tier, "needs one n, one prior and one ε: a theorem has no tiers")
        if cross_check:
            rule = "needs one n, one prior and one ε: for a theorem use --certificate"
            raise InputError("cross-check", "yes", rule)
        stated = None if claim is None else parse_guarantee("claim", claim)
        return theorem(chosen, Effort.read(digits, memory, progress), rest, stated)
    refuse_rest(rest)
    effort: dict[str, Any] = {"digits": digits, "progress": progress, "memory": memory, "tier": tier}
    return questions.epsilon(chosen, **effort, claim=claim, cross_check=cross_check)


def check_possible(ranged: Ranged) -> None:
    """Refuses a setting without a theorem, before any work is done."""
    from dpaudit.forall import every_epsilon, every_n

    _named(ranged)
    if "n" in ranged.ranging:
        every_n.check_possible(ranged)
    elif "eps" in ranged.ranging:
        every_epsilon.check_possible(ranged)


def _named(ranged: Ranged) -> str:
    """Where the call is that decides this, or says what is possible."""
    where = THEOREMS.get(ranged.ranging)
    if where is None:
        name = ranged.ranging[0]
        possible = "; ".join(" and ".join(names) for names in THEOREMS)
        rule = f"there is no theorem on every value of {' and '.join(ranged.ranging)} here; there is one on: {possible}"
        raise InputError(name, ranged.option_text(name), rule)
    return where


def theorem(ranged: Ranged, effort: Effort, rest: Exact | None = None, claim: Guarantee | None = None) -> Theorem:
    """The theorem for all values of what ranges."""
    module, _, name = _named(ranged).partition(":")
    box = ranged.ranging == ("prior",)
    if not box:
        refuse_rest(rest)
    if claim is not None and "eps" in ranged.ranging:
        raise InputError("claim", claim.text(), "needs one ε: over every ε the statement is a multiple of ε")
    stated = {} if "eps" in ranged.ranging else {"claim": claim}
    decide: Callable[..., Theorem] = getattr(import_module(module), name)
    return decide(ranged, effort, **({"rest": rest} if box else {}), **stated)


def refuse_rest(rest: Exact | None) -> None:
    """Refuses a rest without a box of priors."""
    if rest is not None:
        raise InputError("rest", rest, "needs a box of priors: --prior 1/100..2,1/100..2")

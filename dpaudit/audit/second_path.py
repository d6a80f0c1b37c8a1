"""Who else computed a true ε: a second path of the engine where that is affordable, else mpmath."""

from __future__ import annotations

from contextlib import suppress

from dpaudit.audit import questions
from dpaudit.audit.cross_check import check_possible, cross_check
from dpaudit.audit.results import EpsilonResult
from dpaudit.audit.words import extent_of
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.guarantee import Guarantee

SECOND_PATH = 300_000
"""Pairs times outputs up to which a second path of the engine computes the deciding number again."""
BY_MPMATH = 4_500
"""And mpmath, at some milliseconds for each."""
DIGITS = 12
NO_TABLE = "the outputs are real numbers, and the second paths and the verifier need a table of probabilities"
PATHS = {
    "exact": "certified arithmetic throughout",
    "fast": "a float filter with a proven error bound",
    "ends": "one bound for all middle pairs",
    "closed form": "a closed form",
}
"""How the tiers of the engine compute the true ε."""


def repeated(found: EpsilonResult, claim: Guarantee | None, label: str) -> tuple[str, ...]:
    """Who found the same again, in words; empty where nobody can, or it would take too long."""
    mechanism, extent = found.subject.mechanism, extent_of(found.subject)
    if not mechanism.tabular:
        return (f"nobody: {NO_TABLE}",)
    where = "" if extent is None else f" {extent.text()}"
    masses = mechanism.count_masses()
    if masses <= SECOND_PATH:
        with suppress(PrecisionExhausted, InputError):
            if other := _second_path(found, claim, label):
                return (f"two paths of the engine, which agree{where}: {PATHS[found.tier]}, and {other}",)
    if masses <= BY_MPMATH:
        with suppress(PrecisionExhausted, InputError):
            check_possible(mechanism)
            again = cross_check(mechanism, found.epsilon)
            if not again.agrees:
                raise AssertionError(f"mpmath disagrees on {label}: {again.value}, {found.epsilon}")
            followed = "assumptions" in mechanism.caveats()
            own = "from the same table, which was found by following the code"
            return (f"mpmath, {own if followed else 'by code that shares nothing with the engine'}: it agrees{where}",)
    return ()


def _second_path(found: EpsilonResult, claim: Guarantee | None, label: str) -> str:
    """How a second path of the engine found the same; "" where there is none. A disagreement is an error of ours."""
    tier = "fast" if found.tier == "exact" else "exact"
    again = questions.epsilon(found.subject, digits=DIGITS, tier=tier, claim=claim)
    agree = not (again.epsilon.below(found.epsilon) or found.epsilon.below(again.epsilon))
    if not agree or again.claim.verdict is not found.claim.verdict:
        raise AssertionError(f"two paths of the engine disagree on {label}: {again.epsilon}, {found.epsilon}")
    return "" if again.tier == found.tier else PATHS[again.tier]

"""A nominal epsilon that is safe for every n: the true epsilon is certified to be at most a target at all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit.page import Against, Line, Words, strong
from dpaudit.forall.every_n import EveryNResult, every_n
from dpaudit.forall.ranged import Ranged
from dpaudit.forall.theorem import Theorem
from dpaudit.numbers.digits import at_least, rough
from dpaudit.numbers.enclosure import Enclosure, or_infinity, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.loss import verdict
from dpaudit.studies.calibrate.nominal import NominalPoint, calibrated, unit_of

ROUNDS = 12
"""Nominal epsilons that are tried at most, each with its own theorem."""
AUDITABLE = 10**4
"""An n up to this is calibrated by itself when it turns out to be the worst."""


@dataclass(frozen=True, kw_only=True)
class CalibrateEveryNResult(Theorem):
    """true epsilon <= target is certified at ``nominal`` for every n; ``beyond``, if known, is refuted at some n.

    ``theorem`` is what was proved at the nominal epsilon; its limit or an n shows that little more is possible.
    """

    target: Fraction
    nominal: Fraction
    true_epsilon: Enclosure
    attained: int | None
    limit: Enclosure
    beyond: NominalPoint | None
    tried: int
    digits: int
    theorem: EveryNResult

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit calibrate --json``."""
        members = {
            name: value for name, value in super().members().items() if name not in ("theorem", "nominal", "digits")
        }
        return {
            **members,
            "claimed": None,
            "attained": or_infinity(self.attained),
            "nominal_epsilon": str(self.nominal),
            "gain": str(self.nominal / self.target),
        }

    def measured(self) -> tuple[str, Enclosure, Fraction]:
        """The supremum of the true epsilon against the target."""
        return "largest true ε", self.true_epsilon, self.target

    def lines(self) -> list[Line]:
        """Target, nominal epsilon, what the theorem says there, and the next one up."""
        share = f" = {at_least(self.nominal, 8)}, {rough(self.nominal / self.target, 4)} × the target"
        where = f", {self.theorem.where()}"
        found: list[Line] = [
            ("target", f"true ε ≤ {self.target} for every n"),
            ("nominal ε", Words(strong(self.nominal), share)),
            ("true ε, any n", Words("at most ", Against(self.true_epsilon, self.target), where)),
        ]
        if self.beyond is not None:
            found.append(
                ("next up", Words(f"{self.beyond.nominal}: true ε reaches ", Against(self.beyond.true, self.target)))
            )
        return [*found, ("covers", self.theorem.covered())]


def calibrate_every_n(ranged: Ranged, target: Fraction, effort: Effort) -> CalibrateEveryNResult:
    """A nominal epsilon, with 8 digits, whose true epsilon is certified to be <= target for every n.

    The limit is in proportion to epsilon, so that target / limit cannot be exceeded; where the supremum at that
    epsilon is at an n of its own, that n is calibrated, and the theorem is asked again.
    """
    start = perf_counter()
    first = every_n(replace(ranged, epsilon=target), effort)
    nominal, beyond = _below(target * target / first.limit.lower), None
    for tried in range(1, ROUNDS + 1):
        theorem = every_n(replace(ranged, epsilon=nominal), effort)
        if verdict(theorem.epsilon, target) is Verdict.PROVED:
            claim = Claim(EpsilonDelta(target), Verdict.PROVED)
            return CalibrateEveryNResult(
                subject=theorem.subject,
                claim=claim,
                asked=True,
                target=target,
                nominal=nominal,
                true_epsilon=theorem.epsilon,
                attained=theorem.attained,
                limit=theorem.limit,
                beyond=beyond or _beyond_limit(first, target, nominal, effort.digits),
                tried=tried + 1,
                digits=effort.digits,
                theorem=replace(theorem, claim=claim),
                seconds=perf_counter() - start,
                command=replace(ranged, epsilon=Fraction(1)).command_line(
                    "calibrate", target=target, digits=effort.digits
                ),
            )
        nominal, exceeding = _smaller(ranged, theorem, nominal, target, effort)
        beyond = exceeding or beyond
    raise InputError(
        "target", str(target), f"no safe nominal ε was found in {ROUNDS} rounds; the last tried: {nominal}"
    )


def statements(result: CalibrateEveryNResult) -> list[EveryNResult]:
    """The theorem at the nominal epsilon found, and the one at the next up where that is known to exceed."""
    if result.beyond is None:
        return [result.theorem]
    there = every_n(replace(result.subject, epsilon=result.beyond.nominal), Effort(digits=result.digits))
    claim = Claim(EpsilonDelta(result.target), verdict(there.epsilon, result.target))
    return [result.theorem, replace(there, claim=claim)]


def _below(value: Fraction) -> Fraction:
    """The number of 8 digits that is certainly below the value."""
    unit = unit_of(value)
    return (value // unit) * unit if value % unit else value - unit


def _smaller(
    ranged: Ranged, found: EveryNResult, nominal: Fraction, target: Fraction, effort: Effort
) -> tuple[Fraction, NominalPoint | None]:
    """The next nominal epsilon to try, and a point that exceeds the target where one is known."""
    n = found.attained
    if n is not None and n <= AUDITABLE and found.epsilon.above(target):
        single = calibrated(ranged.at(n=n, eps=target), target, replace(effort, progress=None))
        if single.nominal < nominal:
            return single.nominal, single.beyond
    return _below(nominal * target / found.epsilon.upper), None


def _beyond_limit(first: EveryNResult, target: Fraction, nominal: Fraction, digits: int) -> NominalPoint | None:
    """The next number of 8 digits up if the limit exceeds the target there."""
    up = nominal + unit_of(nominal)
    share = up / target
    there = outward(first.limit.lower * share, first.limit.upper * share, digits)
    return NominalPoint(up, there, Verdict.REFUTED) if there.above(target) else None

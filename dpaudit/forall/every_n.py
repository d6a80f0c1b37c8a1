"""Every n: the supremum over n >= 1 of the true epsilon, and its limit (EVERY_N.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from dpaudit.audit.page import Line, Words
from dpaudit.audit.picture import bar
from dpaudit.audit.setting import ALL
from dpaudit.audit.words import pair_text
from dpaudit.forall.every_epsilon import LIMITS
from dpaudit.forall.every_n_finite import Below
from dpaudit.forall.every_n_proof import Theory, prove
from dpaudit.forall.every_n_rates import Family
from dpaudit.forall.every_n_search import Place
from dpaudit.forall.ranged import Ranged, settled
from dpaudit.forall.theorem import EveryEpsilon, Supremum, bounded, by_algebra, claimed_factor, stated_bound
from dpaudit.numbers.enclosure import Enclosure, or_infinity
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole
from dpaudit.posterior.distances import Hellinger
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.loss import verdict
from dpaudit.privacy.pairs import Witness

MOST_DIGITS = 40
"""The blocks of n reach to about 10^digits."""


@dataclass(frozen=True, kw_only=True)
class EveryNResult(Supremum):
    """The supremum over n >= 1 of the true epsilon lies in ``epsilon``, its limit as n grows in ``limit``.

    ``attained`` is the n of the witness, None where the supremum is the limit to the given digits: the
    witness then represents all large n. ``open`` names the missing inequality if the enclosure is wider than
    requested.
    """

    epsilon: Enclosure
    limit: Enclosure
    attained: int | None
    witness: Witness
    finite_below: int
    middle_from: int
    blocks: int
    open: str | None
    precision_bits: int
    theory: Theory = field(repr=False)

    def members(self) -> dict[str, Any]:
        """The fields for JSON; the theory is for the certificate."""
        members = {name: value for name, value in super().members().items() if name != "theory"}
        cells = {name: list(value) for name, value in vars(self.witness).items() if isinstance(value, tuple)}
        return members | {"attained": or_infinity(self.attained), "witness": {**self.witness.to_dict(), **cells}}

    @property
    def value(self) -> Enclosure:
        """The supremum."""
        return self.epsilon

    def picture(self) -> str:
        """The supremum compared with the claim."""
        return bar("any n", self.epsilon, self.claim.epsilon, "claimed")

    def where(self) -> str:
        """The n of the supremum, or of its lower bound where there is a gap, for people."""
        where = "in the limit n → ∞" if self.attained is None else f"at n = {self.attained}"
        return where if self.open is None else f"the lower bound: {where}"

    def lines(self) -> list[Line]:
        """The supremum, where it is, the limit, and what the proof consists of."""
        return [("true ε, any n", bounded(self.epsilon, self.open)), *self.details()]

    def details(self) -> list[Line]:
        """The rows after the first."""
        found: list[Line] = [
            ("attained", self.where()),
            ("limit n → ∞", Words(self.limit, by_algebra(self.limit, self.theory.limit_known))),
        ]
        found += [("worst pair", pair_text(self.witness)), ("worst output", self.witness.output)]
        found.append(("covers", self.covered()))
        return found if self.open is None else [*found, ("open", self.open)]

    def covered(self) -> str:
        """The cases that the proof covers."""
        n, m, count = self.finite_below, self.middle_from, self.blocks
        blocks = f"{count} block{'s' * (count != 1)} of n"
        return f"n < {n} one by one; n ≥ {n}: {m} pairs at each end in {blocks}, the middle by one bound"

    def effort_text(self) -> str:
        """The effort in words."""
        return f"{self.precision_bits} bits, {self.seconds:.3f} s"


@dataclass(frozen=True, kw_only=True)
class EveryNRatioResult(EveryNResult):
    """The same for true epsilon / epsilon over every n >= 1 and every epsilon > 0, in ``ratio``.

    ``attained_epsilon`` is that of the witness, "0" and "inf" for limits, "every" in the limit n -> infinity.
    """

    ratio: Enclosure
    attained_epsilon: str

    def where(self) -> str:
        """The n and the epsilon of the supremum, or of its lower bound where there is a gap, for people."""
        at = self.attained_epsilon
        return super().where() + {"every": ""}.get(at, f", {LIMITS.get(at, f'at ε = {at}')}")

    def lines(self) -> list[Line]:
        """The same rows, of the ratio."""
        return [("true ε / ε", bounded(self.ratio, self.open, ", for every n and ε")), *self.details()]


def read_every_n(mech: Any, **setting: Any) -> Ranged:
    """The setting with n = all, everything else a single value."""
    chosen = settled(mech, **setting)
    if not isinstance(chosen, Ranged):
        raise InputError("n", str(setting.get("n")), "must be all here")
    for name in chosen.ranging:
        if name != "n":
            raise InputError(name, chosen.option_text(name), "only n may be all here")
    return chosen


def family_of(ranged: Ranged) -> Family:
    """The family; an InputError with the alternatives where there is no theorem for every n."""
    mechanism, size = ranged.mechanism, ranged.option_text("n")
    if len(ranged.prior) != 2:
        raise InputError("n", size, f"the theorem for every n covers k = 2, not {len(ranged.prior)}; give one n")
    form = mechanism.exponent()
    if form is None:
        rule = (
            f"the true ε over every n is known for EHD, EHDL, EHDS and MH, not for {mechanism.name}; "
            f"`dpaudit check dp.{mechanism.name.lower()}` decides its claim for every n"
        )
        raise InputError("n", size, rule)
    if form.score != Hellinger.name:
        raise InputError("n", size, f"the theorem for every n covers the Hellinger score, not {form.score}")
    if mechanism.adjacency != REPLACE_ONE:
        raise InputError("n", size, "the theorem for every n covers one record replaced (--adjacency replace-one)")
    a, b = mechanism.model.prior
    return Family.of(form, (a, b))


def check_possible(ranged: Ranged) -> None:
    """Refuses a setting without a theorem for every n, before any work is done."""
    family_of(ranged)
    claimed_factor(ranged)
    if "eps" in ranged.ranging and ranged.option_text("eps") != ALL:
        raise InputError("eps", ranged.option_text("eps"), "with --n all: one number, or all")


def every_n(ranged: Ranged, effort: Effort, claim: Guarantee | None = None) -> EveryNResult:
    """Enclosures of the supremum over every n of the true epsilon and of its limit, and the verdict.

    The verdict is on the ``claim``, a pure epsilon, else on what the mechanism claims, else on its nominal epsilon.
    """
    start, bound = perf_counter(), stated_bound(ranged, claim)
    theory = _theory(ranged, effort)
    found = Claim(EpsilonDelta(bound), verdict(theory.supremum, bound))
    last = _last(ranged, effort, start, claim)
    return EveryNResult(**_members(ranged, theory), claim=found, asked=claim is not None, **last)


def every_n_and_epsilon(ranged: Ranged, effort: Effort) -> EveryNRatioResult:
    """An enclosure of the supremum of true epsilon / epsilon over every n and every epsilon."""
    start, factor = perf_counter(), claimed_factor(ranged)
    check_possible(ranged)
    theory = _theory(ranged, effort, every_epsilon=True)
    claim = Claim(EveryEpsilon(factor, "all"), verdict(theory.supremum, factor))
    best = theory.best
    at = "every" if isinstance(best, Place) else or_infinity(best.epsilon)
    members = {**_members(ranged, theory), "attained_epsilon": at}
    return EveryNRatioResult(**members, ratio=theory.supremum, claim=claim, **_last(ranged, effort, start))


def _theory(ranged: Ranged, effort: Effort, every_epsilon: bool = False) -> Theory:
    digits = whole("digits", effort.digits, 1, MOST_DIGITS)
    return prove(family_of(ranged), ranged, effort.to(digits), every_epsilon)


def _last(ranged: Ranged, effort: Effort, start: float, claim: Guarantee | None = None) -> dict[str, Any]:
    command = ranged.command_line("epsilon", claim=claim and claim.option(), digits=effort.digits)
    return {"seconds": perf_counter() - start, "command": command}


def _members(ranged: Ranged, theory: Theory) -> dict[str, Any]:
    attained, witness = _where(ranged, theory.best)
    return {
        "subject": ranged,
        "epsilon": theory.supremum,
        "limit": theory.limit,
        "attained": attained,
        "witness": witness,
        "finite_below": theory.first,
        "middle_from": theory.m,
        "blocks": len(theory.cover),
        "open": theory.open,
        "precision_bits": theory.bits,
        "theory": theory,
    }


def _where(ranged: Ranged, best: Place | Below) -> tuple[int | None, Witness]:
    """The n of the largest loss, None in the limit, and the witness, whose large cell is then written "n-2"."""
    if not isinstance(best, Place):
        return best.n, best.witness
    turned = best.side != ranged.prior

    def cells(count: int | None) -> tuple[Any, ...]:
        known = "far" if count is None else count
        other = "" if count is None else f"n-{count}" if best.n is None else best.n - count
        return (other, known) if turned else (known, other)

    peak = best.peak
    witness = Witness(cells(peak.x), cells(peak.x_prime), cells(peak.output))
    return best.n, witness

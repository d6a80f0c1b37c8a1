"""Every epsilon at once: the supremum of true epsilon / epsilon (EVERY_EPSILON.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit.page import Line
from dpaudit.audit.words import pair_text
from dpaudit.forall.every_epsilon_cover import Cover, Search
from dpaudit.forall.every_epsilon_rows import is_two
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.forall.theorem import EveryEpsilon, Supremum, bounded, by_algebra, claimed_factor
from dpaudit.mechanisms.base import Exponent
from dpaudit.mechanisms.closed_form import ClosedForm
from dpaudit.mechanisms.exponential import BALL_BYTES, Exponential, with_exponent
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.enclosure import INFINITY, Enclosure, exact, or_infinity, outward
from dpaudit.numbers.errors import InputError, TooLargeError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import verdict
from dpaudit.privacy.pairs import Witness

LIMITS = {"0": "in the limit ε → 0", INFINITY: "in the limit ε → ∞"}


@dataclass(frozen=True, kw_only=True)
class RatioResult(Supremum):
    """The supremum of true epsilon / epsilon over the range of epsilon lies in ``ratio``.

    ``at`` says where: {"limit": "0"} or {"limit": "inf"} if it is proved to be that limit, {"epsilon": "every"} if the
    worst pair has it at every epsilon, {"epsilon": e} at that one, else {"lower", "upper"}: somewhere in between.
    """

    ratio: Enclosure
    exactly: Fraction | None
    at: dict[str, str]
    witness: Witness
    method: str
    pairs: int
    by_oscillation: int
    intervals: int
    precision_bits: int
    open: str | None = None
    """The intervals of epsilon that are left where the enclosure is wider than requested."""
    cover: Cover | None = field(default=None, repr=False)

    def members(self) -> dict[str, Any]:
        """The fields for JSON; the cover is for the certificate."""
        return {name: value for name, value in super().members().items() if name != "cover"}

    def lines(self) -> list[Line]:
        """The ratio, where it is attained, and the cover."""
        known = by_algebra(self.ratio, self.exactly)
        found: list[Line] = [("true ε / ε", bounded(self.ratio, self.open, known)), ("attained", self.where())]
        found += [("worst pair", pair_text(self.witness)), ("worst output", self.witness.output)]
        found.append(("covers", self.covered()))
        return found if self.open is None else [*found, ("open", self.open)]

    @property
    def value(self) -> Enclosure:
        """The ratio."""
        return self.ratio

    def where(self) -> str:
        """Where the supremum is attained, for people."""
        if "limit" in self.at:
            return LIMITS[self.at["limit"]]
        if "epsilon" in self.at:
            known = self.at["epsilon"]
            return "by this pair at every ε" if known == "every" else f"at ε = {known}"
        return f"for an ε between {self.at['lower']} and {self.at['upper']}"

    def covered(self) -> str:
        """The cases that the proof covers."""
        if self.method == "closed form":
            return "every ε, in closed form"
        rest = self.pairs - self.by_oscillation
        return (
            f"{self.pairs} ordered pairs up to symmetry: {self.by_oscillation} by their oscillation, "
            f"{rest} with {self.intervals} intervals of ε"
        )

    def effort_text(self) -> str:
        """The effort in words."""
        bits = f"{self.precision_bits} bits, " if self.precision_bits else ""
        return f"{self.method}, {bits}{self.seconds:.3f} s"


def every_epsilon(ranged: Ranged, effort: Effort) -> RatioResult:
    """An enclosure of the supremum over epsilon of true epsilon / epsilon, with the verdict on the claim."""
    start, factor = perf_counter(), claimed_factor(ranged)
    offered = with_exponent(ranged.mechanism)
    theorem = _in_closed_form(ranged, effort) if offered is None else _by_cover(ranged, *offered, effort)
    ratio, known = theorem["ratio"], theorem["exactly"]
    decided = verdict(ratio, factor)
    if known is not None:
        decided = Verdict.PROVED if known <= factor else Verdict.REFUTED
    return RatioResult(
        subject=ranged,
        claim=Claim(EveryEpsilon(factor, ranged.option_text("eps")), decided),
        **theorem,
        seconds=perf_counter() - start,
        command=ranged.command_line("epsilon", digits=effort.digits),
    )


# ------------------------------------------------------------------ the exponential family


def _by_cover(ranged: Ranged, mechanism: Exponential, form: Exponent, effort: Effort) -> dict[str, Any]:
    """The members of the result for the exponential family."""
    span = ranged.epsilon
    assert isinstance(span, Span)
    effort.check_memory(mechanism)
    need = mechanism.model.size**2 * BALL_BYTES
    if need > effort.memory:
        raise TooLargeError(need, effort.memory, f"all rows of {mechanism.name} at every ε")

    def attempt() -> tuple[Enclosure, Cover] | None:
        cover = Search(mechanism, span, effort).run()
        narrow = balls.enclosure(cover.value, effort.digits, least=0)
        if narrow is None and cover.ran_out:
            narrow = outward(*balls.ends(cover.value), effort.digits)
        return None if narrow is None else (narrow, cover)

    (ratio, cover), bits = balls.refine(attempt, *balls.bits_for(effort.digits + 4, mechanism.model.size))
    pair, known = cover.pair, _half(mechanism, form)
    return {
        "ratio": ratio if known is None else exact(known, effort.digits),
        "exactly": known,
        "at": _place(cover),
        "witness": Witness(pair.x, pair.y, mechanism.outputs()[pair.output]),
        "method": "oscillation and intervals of ε",
        "pairs": cover.by_oscillation + len(cover.pairs),
        "by_oscillation": cover.by_oscillation,
        "intervals": sum(map(len, cover.closed.values())),
        "precision_bits": bits,
        "open": _left(cover) if ratio.width > Fraction(1, 10**effort.digits) else None,
        "cover": cover,
    }


def _half(mechanism: Exponential, form: Exponent) -> Fraction | None:
    """The ratio of two data sets whose distance is the sensitivity: A = e / (2 epsilon), exactly."""
    if not is_two(mechanism) or form.kind == "constant":
        return None
    return form.e / (2 * mechanism.epsilon)


def _left(cover: Cover) -> str:
    """What is left to be split."""
    pairs = len({node.pair for node in cover.left})
    place = _place(cover)
    where = f", ε from {place['lower']} to {place['upper']}" if "lower" in place else ""
    count = f"{len(cover.left)} intervals of ε of {pairs} ordered pair{'s' * (pairs != 1)}"
    return f"{count} after {cover.ran_out} splits{where}: with fewer --digits it ends soon"


def _place(cover: Cover) -> dict[str, str]:
    """Where the supremum is, as far as the cover knows."""
    if cover.pair.alike:
        return {"epsilon": "every"}
    if cover.known:
        return {"epsilon" if cover.epsilon else "limit": or_infinity(cover.epsilon)}
    spots = [node.interval for node in cover.left] or [(cover.epsilon or Fraction(0), cover.epsilon)]
    highs = [high for _, high in spots]
    low = min(low for low, _ in spots)
    if None in highs:
        return {"lower": str(low), "upper": INFINITY}
    return outward(low, max(high for high in highs if high is not None), 8).to_dict()


# ------------------------------------------------------------------ the Laplace family


def check_possible(ranged: Ranged) -> None:
    """Refuses a setting without a theorem for every epsilon, before any work is done."""
    claimed_factor(ranged)
    if with_exponent(ranged.mechanism) is None:
        _closed_form(ranged)


def _closed_form(ranged: Ranged) -> ClosedForm:
    """The loss in closed form, or says that there is none."""
    form = ranged.mechanism.algebra().worst()
    if not isinstance(form, ClosedForm):
        rule = f"there is no theorem for every ε for {ranged.mechanism.name} with these options; give one ε"
        raise InputError("eps", ranged.option_text("eps"), rule)
    return form


def _in_closed_form(ranged: Ranged, effort: Effort) -> dict[str, Any]:
    """The members of the result from loss / epsilon = c + b ln(2 - e^(-t)) / (s t), t = epsilon / s."""
    form, span = _closed_form(ranged), ranged.epsilon
    assert isinstance(span, Span)
    known, place = _largest(form, span)
    bits = 0
    if isinstance(known, Fraction):
        ratio = exact(known, effort.digits)
    else:
        worst = known

        def attempt() -> Enclosure | None:
            return balls.enclosure(_ratio(form, worst[0]), effort.digits, least=0)

        ratio, bits = balls.refine(attempt, *balls.bits_for(effort.digits))
    return {
        "ratio": ratio,
        "exactly": known if isinstance(known, Fraction) else None,
        "at": place,
        "witness": Witness(form.x, form.x_prime, form.output),
        "method": "closed form",
        "pairs": ranged.mechanism.counts().pairs,
        "by_oscillation": 0,
        "intervals": 0,
        "precision_bits": bits,
    }


def _largest(form: ClosedForm, span: Span) -> tuple[Fraction | tuple[Fraction], dict[str, str]]:
    """The supremum of loss / epsilon, exactly or as the epsilon that has it, and where it is.

    ln(2 - e^(-t)) is concave and 0 at 0, so its quotient by t falls, from 1 to 0.
    """
    linear, log = Fraction(-form.ratio.q, form.unit), Fraction(form.ratio.corner, form.unit)
    if not log:
        return linear, {"epsilon": "every"}
    if log > 0:
        return (linear + log, {"limit": "0"}) if span.low is None else ((span.low,), {"epsilon": str(span.low)})
    return (linear, {"limit": INFINITY}) if span.high is None else ((span.high,), {"epsilon": str(span.high)})


def _ratio(form: ClosedForm, epsilon: Fraction) -> Ball:
    """A ball that contains the worst-case loss at this epsilon, divided by it."""
    step = epsilon / form.unit
    log = (2 - (-ball(step)).exp()).log() / ball(epsilon)
    return ball(Fraction(-form.ratio.q, form.unit)) + form.ratio.corner * log

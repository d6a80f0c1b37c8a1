"""dpaudit profile: more of the privacy from the same exact distributions, in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import as_json
from dpaudit.audit.page import Line, Page, Table, Words, strong
from dpaudit.audit.results import SettingAnswer
from dpaudit.audit.setting import settled
from dpaudit.audit.words import answer_fields, precision_words
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure, at_least, exact, infinite
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, rational, sequence
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.curve import Envelope, PairCurve, curves_of, envelope
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.judge import true_epsilon
from dpaudit.privacy.judge_moments import known_divergence
from dpaudit.privacy.left import Left, Sieve
from dpaudit.privacy.loss import worst_deltas
from dpaudit.privacy.moments import Concentration, Moments
from dpaudit.privacy.pairs import Witness, Worst
from dpaudit.privacy.protocols import text
from dpaudit.privacy.sieve import make_sieve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDERS = ("1", "3/2", "2", "4", "8", "16", "32", "64")
EXTRA_BITS = 256
"""The first precision beyond what the digits need: vertices that cannot be told apart with it are left out."""
RHO_DIGITS = 6
RHO_BITS = 128
RHO_SHARE = Fraction(1, 100)
SHOWN = 12
"""Segments of the curve in the text; JSON has all."""


@dataclass(frozen=True)
class Segment:
    """For ``start`` <= epsilon <= ``end``: delta(epsilon) = power - e^epsilon alpha, attained by ``pair``.

    ``end`` is None for the last segment, where alpha = 0 and delta stays at ``power``. Where the outputs are real
    numbers a segment is a single epsilon.
    """

    start: Enclosure
    end: Enclosure | None
    alpha: Enclosure
    power: Enclosure
    pair: Witness

    def to_dict(self) -> dict[str, Any]:
        """The segment; beta = 1 - power is the error of the second kind of the test with level alpha."""
        return {
            "from": self.start.to_dict(),
            "to": None if self.end is None else self.end.to_dict(),
            "alpha": self.alpha.to_dict(),
            "power": self.power.to_dict(),
            "x": self.pair.to_dict()["x"],
            "x_prime": self.pair.to_dict()["x_prime"],
        }


def _along(part: Segment, steps: int = 12) -> list[tuple[float, float]]:
    """Points of one segment, for drawing."""
    low, high = float(part.start.lower), float(part.end.upper if part.end is not None else part.start.lower)
    places = [low + (high - low) * i / steps for i in range(steps)]
    return [(at, max(0.0, float(part.power.upper) - math.exp(at) * float(part.alpha.lower))) for at in places]


@dataclass(frozen=True, kw_only=True)
class ProfileResult(SettingAnswer):
    """The curve delta(epsilon) up to ``slack``, total variation, Renyi divergences, zCDP."""

    epsilon: Enclosure
    total_variation: Enclosure
    segments: tuple[Segment, ...]
    slack: Enclosure
    deltas: tuple[tuple[Fraction, Enclosure], ...]
    renyi: tuple[tuple[Fraction, Enclosure], ...]
    rho: Enclosure
    precision_bits: int

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit profile --json``."""
        return {
            "epsilon": self.epsilon.to_dict(),
            "total_variation": self.total_variation.to_dict(),
            "curve": as_json(self.segments),
            "curve_slack": self.slack.to_dict(),
            "deltas": [{"at": str(at), "delta": delta.to_dict()} for at, delta in self.deltas],
            "renyi": [{"order": str(order), "divergence": value.to_dict()} for order, value in self.renyi],
            "zcdp_rho": self.rho.to_dict(),
            "precision_bits": self.precision_bits,
        }

    def page(self) -> Page:
        """The numbers, the curve, of a long one both ends, delta and the divergences."""
        real = not self.subject.mechanism.tabular
        why = "the outputs are real numbers" if real else "a part of the law is not known"
        curve: Any = f"δ at the points only: {why}"
        if not (real or self.epsilon.is_open):
            curve = Words(f"{len(self.segments)} segments; nothing rises above by more than ", self.slack)
        rows: list[Line] = [
            ("true ε", strong(self.epsilon)),
            ("total variation", Words(self.total_variation, "   (the adversary's best advantage)")),
            ("zCDP ρ", self.rho),
            ("curve", curve),
        ]
        effort: list[Line] = [("effort", f"{precision_words(self.precision_bits)}, {self.seconds:.3f} s")]
        return [
            answer_fields(self.subject, rows, self.command, effort),
            *([self._curve()] if self.segments else []),
            Table(["ε", "δ"], self.deltas, title="δ(ε)"),
            Table(["order", "divergence"], self.renyi, title="Rényi divergences"),
        ]

    def _curve(self) -> Table:
        rows: list[Any] = []
        for part in self.segments:
            ends = [part.start, "∞" if part.end is None else part.end]
            rows.append([*ends, part.alpha, part.power, text(part.pair.x), text(part.pair.x_prime)])
        if len(rows) > SHOWN:
            half = SHOWN // 2
            rows = [*rows[:half], [f"… {len(rows) - SHOWN} more", *[""] * 5], *rows[-half:]]
        return Table(["from ε", "to ε", "α", "power", "x", "x′"], rows, title="δ(ε) = power − e^ε·α")

    def draw(self, axes: Axes) -> None:
        """Draws δ(ε) through the breakpoints of the curve."""
        from dpaudit.charts.draw import curve

        curve(axes, self._places(), "ε", "δ(ε)")
        axes.set_title(f"{self.subject.label}: privacy profile δ(ε)", loc="left")

    def _places(self) -> list[tuple[float, float]]:
        """Points of the curve, near enough to each other for a picture."""
        if self.epsilon.is_open or not self.subject.mechanism.tabular:
            return self._fine()
        known = [part for part in self.segments if part.end is not None and not part.start.is_infinite]
        places = [number for part in known for number in _along(part)]
        last = [s.start for s in self.segments[-1:] if s.end is None and not s.start.is_infinite]
        return [*places, *((float(end.lower), float(self.segments[-1].power.lower)) for end in last)]

    def _fine(self, steps: int = 64) -> list[tuple[float, float]]:
        """δ at many ε, where the segments are not known: a straight line between the few of the answer is not δ."""
        mechanism = self.subject.mechanism
        top = max(at for at, _ in self.deltas) or _points(self.epsilon)[-1]
        places = [top * i / steps for i in range(steps + 1)]
        effort = Effort.read(digits=6, memory=MEMORY_BOUND, progress=None)
        deltas = effort.widest(mechanism, lambda e: worst_deltas(mechanism, places, e))
        return [(float(at), float(worst.value.upper)) for at, worst in zip(places, deltas, strict=True)]


def profile(
    mech: Any,
    *,
    at: str | Sequence[Exact] | None = None,
    orders: str | Sequence[Exact] | None = None,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **setting: Any,
) -> ProfileResult:
    """The privacy profile delta(epsilon), the trade-off function, Rényi divergences and zCDP.

    >>> found = profile("LSHist", n=3, orders="2")
    >>> len(found.segments), str(found.total_variation)[:8]
    (2, '0.316060')
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress)
    chosen = [_order(order) for order in sequence("orders", ORDERS if orders is None else orders)]
    given = None if at is None else [nonnegative("at", point) for point in sequence("at", at)]
    asked = settled(mech, **setting)
    subject = asked.mechanism
    sieve = make_sieve(subject, effort, "profile")
    true = true_epsilon(subject, effort).value
    points = given if given is not None else _points(true)
    if true.is_open or not subject.tabular:
        found, bits = _points_only(subject, effort, points, chosen)
    else:
        left = _pairs_left(sieve, true, chosen)
        found, bits = effort.widest(subject, lambda e: _refined(subject, sieve, left, true, e, points, chosen))
        deltas = found["deltas"]
        small = [at for at in (Fraction(0), *points) if at not in deltas]
        again = effort.widest(subject, lambda e: worst_deltas(subject, small, e)) if small else []
        deltas |= {at: worst.value for at, worst in zip(small, again, strict=True)}
        found |= {"total_variation": deltas[0], "deltas": tuple((at, deltas[at]) for at in points)}
    words: dict[str, Any] = {"at": given, "orders": None if orders is None else chosen}
    return ProfileResult(
        subject=asked,
        epsilon=true,
        **found,
        precision_bits=bits,
        seconds=perf_counter() - start,
        command=asked.command_line("profile", **words, digits=effort.digits),
    )


def _order(order: Exact) -> Fraction:
    value = rational("orders", order)
    if value < 1:
        raise InputError("orders", order, "must be >= 1")
    return value


def _points(true: Enclosure) -> list[Fraction]:
    """0 and four steps up to the true epsilon, rounded up to two digits."""
    top = Fraction(1) if true.is_infinite else true.lower if true.is_open else true.upper
    size = 10 ** max(0, 2 - len(str(math.floor(top)))) if top >= 1 else 10 ** (1 + _zeros(top))
    top = Fraction(math.ceil(top * size), size)
    return [top * i / 4 for i in range(5)] if top else [Fraction(0)]


def _zeros(value: Fraction) -> int:
    return len(str(value.denominator // max(value.numerator, 1)))


Found = dict[str, Any]
"""The members of a ProfileResult by name."""


def _pairs_left(sieve: Sieve, true: Enclosure, orders: Sequence[Fraction]) -> tuple[Left, Left]:
    """The pairs that make the curve, and those that may have a largest divergence; all are infinite where a loss is."""
    curve = sieve.settle(sieve.curve)
    if true.is_infinite or not sieve.discards:
        return curve, curve
    by_order = [sieve.settle(lambda: sieve.divergence(*orders))] if orders else []
    return curve, sieve.settle(sieve.concentration).joined(*by_order)


def _points_only(
    subject: Mechanism, effort: Effort, points: Sequence[Fraction], orders: Sequence[Fraction]
) -> tuple[Found, int]:
    """Delta at the points where a part of the law is not known: no curve, nor bounds above on divergences."""
    worst = effort.widest(subject, lambda e: worst_deltas(subject, [Fraction(0), *points], e))
    parts: Found = {
        "total_variation": worst[0].value,
        "segments": _tests(subject, points, worst[1:], effort),
        "slack": at_least(Fraction(0), 1),
        "deltas": tuple((at, found.value) for at, found in zip(points, worst[1:], strict=True)),
        "renyi": tuple((order, _closed_divergence(subject, "renyi", order, effort)) for order in orders),
        "rho": _closed_divergence(subject, "zcdp_rho", Fraction(1), effort),
    }
    return parts, worst[0].bits


def _closed_divergence(subject: Mechanism, quantity: str, order: Fraction, effort: Effort) -> Enclosure:
    """The divergence where a closed form has it; else nothing but that it is at least 0."""
    divergence = None if subject.tabular else known_divergence(subject, quantity, order, effort)
    return at_least(Fraction(0), 1) if divergence is None else divergence.value


def _tests(
    subject: Mechanism, points: Sequence[Fraction], worst: Sequence[Worst], effort: Effort
) -> tuple[Segment, ...]:
    """The test of the worst pair at each point: a point of the trade-off function; none where a law is not known."""
    tests = []
    with balls.precision(4 * balls.bits_for(effort.digits)[0]):
        for at, case in zip(points, worst, strict=True):
            test = subject.direct_test(case.witness.x, case.witness.x_prime, at)
            level, power = (None, None) if test is None else [balls.enclosure(b, effort.digits, 0) for b in test]
            if level is not None and power is not None:
                place = exact(at, effort.digits)
                tests.append(Segment(place, place, level, power, case.witness))
    return tuple(tests)


def _refined(
    subject: Mechanism,
    sieve: Sieve,
    left: tuple[Left, Left],
    true: Enclosure,
    effort: Effort,
    points: Sequence[Fraction],
    orders: Sequence[Fraction],
) -> tuple[Found, int]:
    """The members that come from the curve, and the bits that it took."""
    of_curve, of_divergences = left

    def attempt() -> Found | None:
        try:
            curves = curves_of(of_curve.pairs, sieve.masses, of_curve.ways)
            curve = envelope(curves, balls.dyadic(of_curve.others or 0.0))
            if of_divergences is not of_curve:
                curves = curves_of(of_divergences.pairs, sieve.masses)
            return {
                "segments": _segments(curve, effort),
                "slack": effort.enclosed(curve.slack, 0),
                "deltas": _deltas(curve, (Fraction(0), *points), true, effort) if not of_curve.others else {},
                **_divergences(curves, of_divergences.others, true, orders, effort),
            }
        except PrecisionExhausted:
            return None

    first, cap = balls.bits_for(effort.digits, subject.counts().datasets)
    return balls.refine(attempt, first + EXTRA_BITS, (cap if subject.refinable else first) + EXTRA_BITS)


def _deltas(curve: Envelope, points: Sequence[Fraction], true: Enclosure, effort: Effort) -> dict[Fraction, Enclosure]:
    """Delta at the points, exactly 0 from the true epsilon on; without those that the slack swallows."""
    deltas = {}
    for at in points:
        value = balls.zero() if true.at_most(at) is Verdict.PROVED else curve.delta(balls.ball(at))
        if balls.decides_zero(value):
            deltas[at] = effort.enclosed(value, 0, 1)
    return deltas


def _segments(curve: Envelope, effort: Effort) -> tuple[Segment, ...]:
    """The segments from epsilon = 0 upwards."""
    ends: list[Enclosure | None] = [None, *(effort.enclosed(epsilon, 0) for epsilon in curve.breakpoints)]
    starts = [*ends[1:], effort.enclosed(balls.zero(), 0)]
    segments = []
    for vertex, start, end in zip(curve.vertices, starts, ends, strict=True):
        pair = curve.curves[vertex.curve].where
        if start is not None:
            alpha, power = (effort.enclosed(value, 0, 1) for value in (vertex.alpha, vertex.power))
            segments.append(Segment(start, end, alpha, power, pair))
    return tuple(reversed(segments))


def _divergences(
    curves: Sequence[PairCurve], others: float | None, true: Enclosure, orders: Sequence[Fraction], effort: Effort
) -> Found:
    """D_a for the orders, and rho, all infinite where a loss is."""
    if true.is_infinite:
        return {"renyi": tuple((order, infinite()) for order in orders), "rho": infinite()}
    pairs = _moments(curves)
    largest = (balls.maximum([pair.divergence(order) for pair in pairs]) for order in orders)
    renyi = tuple((order, effort.enclosed(value, 0)) for order, value in zip(orders, largest, strict=True))
    return {"renyi": renyi, "rho": _rho(curves, others)}


def _moments(curves: Sequence[PairCurve]) -> list[Moments]:
    return [Moments(pair.finite, pair.where) for pair in curves]


def _rho(curves: Sequence[PairCurve], others: float | None) -> Enclosure:
    """Rho, finite: to RHO_SHARE of its size, with up to RHO_DIGITS decimals, or else to two."""
    for bits in (RHO_BITS, balls.working_bits()):
        with balls.precision(bits):
            concentration = Concentration(_moments(curves))
            concentration.refine()
            bounds = [concentration.upper(), *([] if others is None else [balls.dyadic(others)])]
            rate = balls.from_ends(concentration.best, balls.maximum([concentration.best, *bounds]))
        digits = next((places for places in range(RHO_DIGITS, 2, -1) if balls.narrow(rate, places)), 2)
        shown = balls.proportional(rate, digits, RHO_SHARE) or balls.enclosure(rate, RHO_DIGITS, least=0)
        if shown:
            return shown
    return balls.enclosed(rate, 2, 0)

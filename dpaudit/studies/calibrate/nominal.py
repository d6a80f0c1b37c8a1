"""How much noise can be saved? The largest nominal epsilon whose true epsilon is certified to be at most a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, log10
from time import perf_counter
from typing import Any

from dpaudit.audit.display import as_json
from dpaudit.audit.page import Page
from dpaudit.audit.results import SettingAnswer
from dpaudit.audit.setting import Setting
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.digits import rough
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import USUAL, Effort
from dpaudit.privacy.judge import exact_epsilon
from dpaudit.privacy.loss import verdict, worst_loss
from dpaudit.studies.pages import calibrate_page

PLACES = 8
"""The nominal epsilon has this many significant digits: the next one up is certified to exceed the target."""
REACH = 6
"""The assumption is checked at this many points on either side, each a factor of sqrt(2) from the last."""
LARGEST = Fraction(10**6)
ELSEWHERE = (
    "for noise and (ε, δ) there is --event gaussian:sigma=?,sensitivity=1 --target eps=1,delta=1e-5; "
    "`dpaudit judge --claim eps=1,delta=1e-5` decides one setting"
)
"""What answers where no nominal epsilon is calibrated."""


@dataclass(frozen=True)
class NominalPoint:
    """The true epsilon at one nominal epsilon, and the verdict on "it is at most the target"."""

    nominal: Fraction
    true: Enclosure
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """The point as JSON."""
        return {"nominal_epsilon": str(self.nominal), "true_epsilon": self.true.to_dict()}


@dataclass
class Curve:
    """nominal -> true epsilon, certified point by point; nothing is computed twice."""

    setting: Setting
    target: Fraction
    effort: Effort
    points: dict[Fraction, NominalPoint] = field(default_factory=dict)

    def at(self, nominal: Fraction) -> NominalPoint:
        """The point, with as many digits as the verdict takes (up to 60)."""
        if nominal not in self.points:
            self.points[nominal] = self._point(nominal, self.setting.at(eps=nominal).mechanism)
        return self.points[nominal]

    def _point(self, nominal: Fraction, mechanism: Mechanism) -> NominalPoint:
        digits = self.effort.digits
        while True:
            worst = self.effort.to(digits).widest(mechanism, lambda e: worst_loss(mechanism, e))
            outcome = verdict(worst.value, self.target)
            known = exact_epsilon(mechanism, worst, self.effort) if outcome is Verdict.UNDECIDED else None
            if known is not None:
                outcome = Verdict.PROVED if known <= self.target else Verdict.REFUTED
            if outcome is not Verdict.UNDECIDED or digits >= 60 or not mechanism.refinable:
                value = worst.value if known is None else exact(known, digits)
                return NominalPoint(nominal, value, outcome)
            digits *= 2

    def safe(self, nominal: Fraction) -> bool:
        """Whether the true epsilon is certified to be at most the target."""
        return self.at(nominal).verdict is Verdict.PROVED

    def in_order(self) -> list[NominalPoint]:
        """All points evaluated so far, by nominal epsilon."""
        return [self.points[nominal] for nominal in sorted(self.points)]


@dataclass(frozen=True, kw_only=True)
class CalibrateResult(SettingAnswer):
    """true epsilon <= target is certified at ``nominal``, and refuted at ``beyond``, the next number of 8 digits
    (or the one after it, where the true epsilon at the next seems to equal the target).

    ``nominal`` is the largest such number under the stated assumption, checked at ``points``; with ``closed_form`` it
    is exactly the largest, by algebra, and there is no ``beyond``.
    """

    target: Fraction
    nominal: Fraction
    true_epsilon: Enclosure
    beyond: NominalPoint | None = None
    closed_form: str | None = None
    points: tuple[NominalPoint, ...] = ()

    @property
    def assumption(self) -> str:
        """What "largest" rests on."""
        if self.closed_form:
            return "none: the true epsilon is known in closed form and rises with the nominal one"
        low, high = self.points[0].nominal, self.points[-1].nominal
        return (
            f"the true epsilon passes the target once between nominal {rough(low, 3)} and {rough(high, 3)}; checked "
            f"by certified evaluation at {len(self.points)} points there, not proved between or beyond them"
        )

    @property
    def monotone(self) -> bool:
        """Whether the certified true epsilons rise strictly from each evaluated point to the next."""
        return all(a.true.below(b.true) for a, b in zip(self.points, self.points[1:], strict=False))

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit calibrate --json``."""
        return {
            "target": str(self.target),
            "nominal_epsilon": str(self.nominal),
            "true_epsilon": self.true_epsilon.to_dict(),
            "true_epsilon_exact": str(self.target) if self.closed_form else None,
            "gain": str(self.nominal / self.target),
            "beyond": as_json(self.beyond),
            "closed_form": self.closed_form,
            "assumption": self.assumption,
            "monotone": self.monotone,
            "points": as_json(self.points),
        }

    def page(self) -> Page:
        """The calibration for people."""
        return calibrate_page(self)


def read_target(target: Exact) -> Fraction:
    """The true epsilon to be kept: a pure one, so a guarantee with a δ is refused."""
    try:
        return positive("target", target)
    except InputError as error:
        if "=" not in str(target) and "," not in str(target):
            raise
        rule = f"{error.rule}: a pure ε; {ELSEWHERE}"
        raise InputError("target", target, rule) from None


def calibrated(setting: Setting, target: Fraction, effort: Effort = USUAL) -> CalibrateResult:
    """The same for a setting, whatever its own nominal epsilon."""
    start, form = perf_counter(), setting.at(eps=target).mechanism.algebra().worst()
    known = form.rational() if form is not None and form.symbolic() else None  # known for every epsilon
    members: dict[str, Any]
    if form is not None and known is not None and form.symbolic():
        nominal, members = target * target / known, {"closed_form": form.symbolic()}
        members["true_epsilon"] = exact(target, effort.digits)
    else:
        small = max(0, -floor(log10(target)))
        curve = Curve(setting, target, effort.to(effort.digits + small))
        nominal, high = crossing(curve, target)
        again = check_above(curve, high)
        while again is not None:
            nominal, high = crossing(curve, again)
            again = check_above(curve, high)
        check_below(curve, nominal)
        members = {"true_epsilon": curve.at(nominal).true, "beyond": first_refuted(curve, high)}
        members["points"] = tuple(curve.in_order())
    return CalibrateResult(
        subject=setting.at(eps=nominal),
        target=target,
        nominal=nominal,
        **members,
        seconds=perf_counter() - start,
        command=setting.at(eps=1).command_line("calibrate", target=target, digits=effort.digits),
    )


def unit_of(nominal: Fraction) -> Fraction:
    """The last place of a number of this size with PLACES significant digits."""
    return Fraction(10) ** (floor(log10(nominal)) - PLACES + 1)


def crossing(curve: Curve, start: Fraction) -> tuple[Fraction, Fraction]:
    """Neighbors low < high with ``low`` certified safe and ``high`` not, found from ``start``."""
    low, high = bracket(curve, start)
    unit, widths = unit_of(low), [high - low]
    while high - low > unit:
        stalled = len(widths) > 3 and widths[-1] > widths[-4] / 2
        guess = (low + high) / 2 if stalled else _secant(curve, low, high)
        middle = min(max(guess // unit * unit, low + unit), high - unit)
        middle = middle if low < middle < high else (low + high) / 2
        low, high = (middle, high) if curve.safe(middle) else (low, middle)
        widths.append(high - low)
    return low, high


def first_refuted(curve: Curve, high: Fraction) -> NominalPoint:
    """The point at ``high``, or the next one up that certainly exceeds the target (a tie is undecided)."""
    point, unit = curve.at(high), unit_of(high)
    while point.verdict is Verdict.UNDECIDED and point.nominal < high + 4 * unit:
        point = curve.at(point.nominal + unit)
    return point


def bracket(curve: Curve, start: Fraction) -> tuple[Fraction, Fraction]:
    """low < high, numbers of few digits, with ``low`` certified safe and ``high`` not."""
    unit = unit_of(start)
    low = high = start // unit * unit
    while curve.safe(high):
        low, high = high, high * 2
        if high > LARGEST * curve.target:
            raise InputError("target", str(curve.target), f"is not exceeded up to nominal epsilon {high / 2}")
    while not curve.safe(low):
        high, low = low, low / 2
        if low < curve.target / LARGEST:
            shown = curve.at(low).true
            raise InputError("target", str(curve.target), f"is exceeded at every nominal epsilon tried (true: {shown})")
    return low, high


def _secant(curve: Curve, low: Fraction, high: Fraction) -> Fraction:
    """Where the line through the two certified points nearest to the target meets it."""
    finite = [point for point in curve.points.values() if not point.true.is_infinite]
    near = sorted(finite, key=lambda point: abs(point.true.lower - curve.target))[:2]
    rise = near[-1].true.lower - near[0].true.lower
    if len(near) < 2 or not rise:
        return (low + high) / 2
    slope = (near[-1].nominal - near[0].nominal) / rise
    return near[0].nominal + slope * (curve.target - near[0].true.lower)


def check_above(curve: Curve, high: Fraction) -> Fraction | None:
    """The largest checked point above ``high`` that is safe after all (the assumption fails there), or None."""
    safe = [nominal for nominal in _grid(high, 1) if curve.safe(nominal)]
    return max(safe, default=None)


def check_below(curve: Curve, low: Fraction) -> None:
    """Evaluates the points below, so that the result can tell whether the true epsilon rises there."""
    for nominal in _grid(low, -1):
        curve.at(nominal)


def _grid(start: Fraction, direction: int) -> Sequence[Fraction]:
    """``start`` times sqrt(2)^(direction j), j = 1..REACH, with sqrt(2) taken as 7/5 and 10/7 in turn."""
    points, value = [], start
    for j in range(REACH):
        value = value * (Fraction(7, 5) if j % 2 else Fraction(10, 7)) ** direction
        points.append(value.limit_denominator(1000) if value > 1 else value)
    return points

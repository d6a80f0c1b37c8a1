"""The certified map of a box of priors: where a claim is true, where it is false, and what is left (PRIOR_BOXES.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.page import Line
from dpaudit.forall.prior_boxes_rows import Box
from dpaudit.forall.prior_boxes_search import MapSearch, Patch
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.forall.theorem import EveryPrior, Theorem, stated_bound
from dpaudit.mechanisms.base import Exponent
from dpaudit.mechanisms.exponential import BALL_BYTES, Exponential, with_exponent
from dpaudit.numbers import balls
from dpaudit.numbers.digits import at_least, at_most, decimal
from dpaudit.numbers.errors import InputError, TooLargeError
from dpaudit.numbers.rationals import Exact, probability
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import Guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REST = Fraction(1, 100)
"""The share of a box that may stay undecided by default."""
BITS = 96
"""The working precision: boxes are wide, and undecided ones are halved."""


@dataclass(frozen=True, kw_only=True)
class PriorMapResult(Theorem):
    """The claim is true for every prior of a PROVED box, false for every one of a REFUTED box, with one witness.

    ``proved``, ``refuted`` and ``undecided`` are shares of the box; ``rest`` is what may stay undecided.
    """

    proved: Fraction
    refuted: Fraction
    undecided: Fraction
    rest: Fraction
    examined: int
    boxes: tuple[Patch, ...]
    precision_bits: int = BITS
    tree: Any = field(default=None, repr=False)
    """How the box was decided, see ``MapSearch.tree``; for the certificate."""

    def box(self) -> Box:
        """The whole box."""
        return Box(tuple(_side(alpha) for alpha in self.subject.prior))

    @property
    def complete(self) -> bool:
        """Whether no more than the rest is undecided."""
        return self.undecided <= self.rest

    def members(self) -> dict[str, Any]:
        """The fields for JSON, one entry for each box."""
        shown = [
            {
                "verdict": patch.verdict.value,
                "prior": [f"{low}..{high}" if low < high else str(low) for low, high in patch.box.sides],
                "witness": None if patch.witness is None else patch.witness.to_dict(),
            }
            for patch in self.boxes
        ]
        return {name: value for name, value in super().members().items() if name != "tree"} | {"boxes": shown}

    def boxes_with(self, verdict: Verdict) -> list[Patch]:
        """The boxes with this verdict, the largest first."""
        return sorted((p for p in self.boxes if p.verdict is verdict), key=lambda patch: -patch.box.area)

    def lines(self) -> list[Line]:
        """The shares, with the largest box of each kind."""
        found: list[Line] = []
        for verdict, share in (
            (Verdict.PROVED, self.proved),
            (Verdict.REFUTED, self.refuted),
            (Verdict.UNDECIDED, self.undecided),
        ):
            chosen = self.boxes_with(verdict)
            if not chosen:
                found.append((verdict.value.lower(), "nowhere"))
                continue
            known = chosen[0].witness
            seen = "" if known is None else f", by x = {known.x}, x′ = {known.x_prime}, output {known.output}"
            boxes = f"{len(chosen)} boxes, the largest" if len(chosen) > 1 else "one box,"
            where = f"{in_percent(verdict, share)} in {boxes} {_sides_text(chosen[0].box)}{seen}"
            found.append((verdict.value.lower(), where))
        return found

    def draw(self, axes: Axes) -> None:
        """Draws the map, k = 2: one color for each verdict, the boundary in black however thin it is."""
        from dpaudit.charts.draw import boxes

        if not self.subject.drawable:
            raise InputError("plot", self.subject.option_text("prior"), "both sides must be ranges: 1/9..2,1/9..2")
        order = (Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED)
        sides = {v: [p.box.sides for p in self.boxes if p.verdict is v] for v in order}
        areas = [(v, [(float(a), float(b), float(c), float(d)) for (a, b), (c, d) in sides[v]]) for v in order]
        shares = dict(zip(order, (self.proved, self.refuted, self.undecided), strict=True))
        boxes(axes, areas, {v: f"{v.value} {in_percent(v, share)}" for v, share in shares.items()})
        axes.set_xlabel("prior α₁")
        axes.set_ylabel("prior α₂")
        guarantee = "" if self.claim.guarantee is None else f"{vars(self.claim.guarantee)['epsilon']}-DP"
        subject = self.subject
        axes.set_title(f"{subject.mech}, n = {subject.n}, ε = {subject.epsilon}: where it is {guarantee}", loc="left")

    def effort_text(self) -> str:
        """The effort in words."""
        plural = "es" * (self.examined != 1)
        return f"{self.examined} box{plural} examined, {self.precision_bits} bits, {self.seconds:.3f} s"


def in_percent(verdict: Verdict, share: Fraction) -> str:
    """A share to 4 digits: the decided part is rounded down, the rest up.

    >>> in_percent(Verdict.PROVED, Fraction(99999, 100000)), in_percent(Verdict.UNDECIDED, Fraction(1, 300))
    ('99.99 %', '0.3334 %')
    """
    return f"{(at_most if verdict is Verdict.UNDECIDED else at_least)(100 * share, 4)} %"


def _sides_text(box: Box) -> str:
    """The sides, for people: exactly where that is short, else to 5 digits within the box."""
    return " × ".join(_inside(low, high) for low, high in box.sides)


def _inside(low: Fraction, high: Fraction) -> str:
    """An interval within [low, high]: what is said of the box is true of it.

    >>> _inside(Fraction(1, 9), Fraction(2)), _inside(Fraction(123457, 10**6), Fraction(1234567, 10**6))
    ('[1/9, 2]', '[0.12346, 1.2345]')
    """
    exact = [decimal(str(end)) for end in (low, high)]
    near = at_most(low, 5), at_least(high, 5)
    ends = [one if len(one) <= len(other) else other for one, other in zip(exact, near, strict=True)]
    narrow = Fraction(ends[0]) > Fraction(ends[1])
    return f"[{low}, {high}]" if narrow else f"[{ends[0]}, {ends[1]}]"


def prior_map(
    ranged: Ranged, effort: Effort, rest: Exact | None = None, claim: Guarantee | None = None
) -> PriorMapResult:
    """The map of the box of priors for the ``claim``, else for what the mechanism claims, else epsilon-DP."""
    start, bound = perf_counter(), stated_bound(ranged, claim)
    share, option = REST if rest is None else probability("rest", rest), ranged.option_text("prior")
    mechanism, form = _in_form(ranged, option)
    need = mechanism.model.size**2 * BALL_BYTES * 8
    if need > effort.memory:
        raise TooLargeError(need, effort.memory, f"all rows of {mechanism.name} over a box of priors")
    box = Box(tuple(_side(alpha) for alpha in ranged.prior))
    with balls.precision(BITS):
        search = MapSearch(mechanism, form, balls.ball(bound))
        left = search.run(box, share * box.area, effort)
    patches = (*search.patches, *(patch for node in left for patch in node.patches()))
    shares = {v: sum((p.box.area for p in patches if p.verdict is v), Fraction(0)) / box.area for v in Verdict}
    return PriorMapResult(
        subject=ranged,
        claim=Claim(EveryPrior(bound, option), _whole(shares)),
        asked=claim is not None,
        proved=shares[Verdict.PROVED],
        refuted=shares[Verdict.REFUTED],
        undecided=shares[Verdict.UNDECIDED],
        rest=share,
        examined=search.examined,
        boxes=patches,
        tree=search.tree(box, search.is_symmetric(box)),
        seconds=perf_counter() - start,
        command=ranged.command_line("epsilon", claim=claim and claim.option(), rest=None if share == REST else share),
    )


def _in_form(ranged: Ranged, option: str) -> tuple[Exponential, Exponent]:
    """The mechanism with the form of its law, or says why there is no map."""
    name, offered = ranged.mechanism.name, with_exponent(ranged.mechanism)
    if offered is None and ranged.mechanism.algebra().worst() is not None:
        raise InputError("prior", option, f"the privacy of {name} does not depend on the prior: give one prior")
    if offered is None:
        raise InputError(
            "prior", option, f"there is no map for {name}, only for EHD, EHDL, EHDS and MH; give one prior"
        )
    if offered[1].score != Hellinger.name:
        raise InputError("prior", option, f"a map needs the Hellinger score, not {offered[1].score}")
    return offered


def _side(alpha: Fraction | Span) -> tuple[Fraction, Fraction]:
    """The ends of a side."""
    if not isinstance(alpha, Span):
        return alpha, alpha
    assert alpha.low is not None
    assert alpha.high is not None
    return alpha.low, alpha.high


def _whole(shares: dict[Verdict, Fraction]) -> Verdict:
    """The verdict on the claim for every prior of the box."""
    if shares[Verdict.REFUTED]:
        return Verdict.REFUTED
    return Verdict.UNDECIDED if shares[Verdict.UNDECIDED] else Verdict.PROVED

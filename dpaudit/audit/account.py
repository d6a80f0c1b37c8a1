"""How much privacy a whole pipeline spends: certified bounds of its composition, as a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.accounting.event import Event
from dpaudit.accounting.finite import Released
from dpaudit.accounting.grid import MOST_CELLS, Question, State
from dpaudit.accounting.lattice import verifiable
from dpaudit.accounting.rivals import Rival, rivals
from dpaudit.accounting.solve import Solution, solve
from dpaudit.audit.explanation import person
from dpaudit.audit.judgement import MARKS
from dpaudit.audit.page import COLOURS, Fields, Headline, Line, Note, Page, Part, Table, strong
from dpaudit.audit.picture import bar
from dpaudit.audit.releases import ADD_REMOVE, event_words, read_adjacency, read_events
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import command_line
from dpaudit.audit.words import again
from dpaudit.numbers.bounds import Bounds
from dpaudit.numbers.digits import at_least, at_most, powers, rough
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, positive, probability, sequence, whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Progress
from dpaudit.privacy.guarantee import EpsilonDelta, parse_guarantee

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIGITS = 15
ANY_TEST = Question(epsilon=Fraction(0), bound=Fraction(1))
"""δ(0), as well as the grid of the other questions gives it."""
THEOREMS = {
    "composition": "dominating pairs compose (Zhu, Dong, Wang 2022, Theorem 10)",
    "sampling": "Poisson sampling, add/remove: ((1−q)Q + qP, Q) and its reverse (Zhu, Dong, Wang 2022, Theorem 11)",
}
CERTIFICATE = "with --certificate FILE: the verifier computes the composition again"
NO_CERTIFICATE = "none: the verifier checks small compositions whose losses lie on a lattice"


@dataclass(frozen=True, kw_only=True)
class AccountResult(Answer):
    """Bounds of delta at every epsilon of ``at``, and of epsilon at every delta, of the whole composition."""

    events: tuple[Event, ...]
    """What is released."""
    deltas: tuple[tuple[Fraction, Enclosure], ...]
    """δ at every ε of ``at``."""
    epsilons: tuple[tuple[Fraction, Enclosure], ...]
    """ε at every δ of ``delta``."""
    adjacency: str
    """The neighboring datasets for which the bounds hold."""
    solution: Solution
    """How they were found, and every bound as a rational number."""
    gap: Fraction
    """The relative gap that was asked for."""
    claim: Claim
    """The (ε, δ) that was judged, with the verdict."""
    variation: Enclosure
    """δ(0), the most that any test gains: the best guess from the releases is right with (1 + δ(0)) / 2."""
    claimed: Enclosure | None = None
    """delta at the epsilon of the claim."""
    others: tuple[Rival, ...] = ()
    """What other accountants say, where they were asked."""
    alone: tuple[tuple[Event, Fraction, Enclosure], ...] = ()
    """What every event alone would spend at every delta, where that was asked for."""

    @property
    def complete(self) -> bool:
        """Whether nothing ended the work early."""
        return self.solution.interrupted is None

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit account --json``."""
        solution = self.solution
        found: dict[str, Any] = {
            "events": [str(event) for event in self.events],
            "delta": [{"at": powers(str(at)), **value.to_dict()} for at, value in self.deltas],
            "epsilon": [{"delta": powers(str(at)), **value.to_dict()} for at, value in self.epsilons],
            "adjacency": self.adjacency,
            "directions": list(solution.directions),
            "grid": {
                "method": solution.method,
                "step": None if solution.step is None else str(solution.step),
                "points": solution.cells,
                "rounds": solution.rounds,
            },
            "person": self.person(),
            "gap": powers(str(self.gap)),
            "complete": self.complete,
            "theorems": self.theorems(),
            "certificate": CERTIFICATE if verifiable(self.events) else NO_CERTIFICATE,
        }
        if self.claim.guarantee is not None and self.claim.verdict is not None and self.claimed is not None:
            found["verdict"] = {
                "word": self.claim.verdict.value,
                "statement": self.claim.guarantee.text(),
                "delta": self.claimed.to_dict(),
            }
        if self.alone:
            found["alone"] = [
                {"event": str(event), "delta": powers(str(at)), **value.to_dict()} for event, at, value in self.alone
            ]
        if self.others:
            found["others"] = [rival.to_dict() for rival in self.others]
        return found

    def theorems(self) -> list[str]:
        """What the bounds rest on."""
        sampled = any(event.sampled for event in self.events)
        return [THEOREMS["composition"], *([THEOREMS["sampling"]] if sampled else [])]

    def person(self) -> str:
        """What the whole means for a person, by δ(0) or a better (ε, δ) that is proved; "" of none."""
        pairs = [(bound.upper, at) for at, bound in self.epsilons] + [(at, bound.upper) for at, bound in self.deltas]
        pairs.append((Fraction(0), self.variation.upper))
        if self.claimed is not None and isinstance(self.claim.guarantee, EpsilonDelta):
            pairs.append((self.claim.guarantee.epsilon, self.claimed.upper))
        known = [(epsilon, delta) for epsilon, delta in pairs if isfinite(epsilon) and delta < 1]
        included = self.adjacency == ADD_REMOVE
        return person(*known, guessed="whether yours is included" if included else "yours") if known else ""

    def page(self) -> Page:
        """The claim, the bounds, how they were found, and the others."""
        solution = self.solution
        step = "" if solution.step is None else f", step {rough(solution.step, 3)}, {solution.cells} points"
        rows: list[Line] = [
            ("releases", str(event) if i else strong(str(event))) for i, event in enumerate(self.events)
        ]
        meaning = self.person()
        rows += [("for a person", meaning)] if meaning else []
        rows += [("adjacency", self.adjacency), ("directions", " and ".join(solution.directions))]
        rows += [
            ("method", f"{solution.method}{step}"),
            ("effort", f"{solution.rounds} round{'s' * (solution.rounds != 1)}, {self.seconds:.2f} s"),
        ]
        parts: list[Part] = [self.headline(), Fields(again(rows, self.command))]
        if self.deltas:
            parts.append(Table(["ε", "δ"], [[powers(str(at)), value] for at, value in self.deltas], title="δ(ε)"))
        if self.epsilons:
            parts.append(Table(["δ", "ε"], [[powers(str(at)), value] for at, value in self.epsilons], title="ε(δ)"))
        if self.alone:
            each = [[str(event), powers(str(at)), value] for event, at, value in self.alone]
            parts.append(Table(["release", "δ", "ε alone"], each, title="each release alone"))
        if self.others:
            lines = [
                [r.accountant, powers(str(r.delta)), "–" if r.epsilon is None else rough(r.epsilon, 6), r.text()]
                for r in self.others
            ]
            parts.append(Table(["accountant", "δ", "its ε (float)", "beside ours"], lines, title="other accountants"))
        if not self.complete:
            parts.append(Note("ended early: what is printed is certified, but not all that was asked for"))
        elif self.widest() > self.gap:
            parts.append(Note(f"wider than --gap {powers(str(self.gap))}: the effort is used up, or no pair is both"))
        return parts

    def widest(self) -> float:
        """The largest relative gap."""
        return max((bounds.gap() for q, bounds in self.solution.known.items() if q.bound is None), default=0.0)

    def headline(self) -> Headline:
        """The verdict on the claim, else the first bound."""
        verdict, guarantee, value = self.claim.verdict, self.claim.guarantee, self.claimed
        if verdict is not None and guarantee is not None and value is not None:
            at = powers(str(guarantee.epsilon_delta()[0]))  # type: ignore[index]
            low, high = at_least(value.lower, 4), at_most(value.upper, 4)
            words = f"δ({at}) is at least {low}" if verdict is Verdict.REFUTED else f"δ({at}) is at most {high}"
            return Headline(MARKS[verdict], COLOURS[verdict], f"{guarantee.text()}: {verdict.value}", words)
        if self.epsilons:
            delta, found = self.epsilons[0]
            return Headline.neutral(f"ε at δ = {powers(str(delta))}: {found.shortened(6)}")
        point, value_there = self.deltas[0]
        return Headline.neutral(f"δ({powers(str(point))}) = {value_there.shortened(6)}")

    def picture(self) -> str:
        """δ at the ε of the claim beside the δ that is claimed, else the first ε as a bar."""
        guarantee = self.claim.guarantee
        if self.claimed is not None and isinstance(guarantee, EpsilonDelta):
            return bar(f"δ({powers(str(guarantee.epsilon))})", self.claimed, guarantee.delta, "claimed")
        name, found = ("ε", self.epsilons[0][1]) if self.epsilons else ("δ", self.deltas[0][1])
        return bar(name, found, None, "")

    def draw(self, axes: Axes) -> None:
        """Draws the lower and the upper bound of every δ(ε) that was asked for."""
        if len(self.deltas) < 2:
            raise InputError("plot", "one point", "give several points: --at 0,1,2,3")
        from dpaudit.charts.draw import Line, lines

        points, values = zip(*self.deltas, strict=True)
        lines(axes, [Line("", points, values)], x_label="ε", y_label="δ(ε)", log_y=True)
        axes.set_title("δ(ε) of the composition: certified bounds", loc="left")


def account(
    events: Any,
    *,
    at: str | Sequence[Exact] = (),
    delta: str | Sequence[Exact] = (),
    gap: Exact = "1e-3",
    claim: str | EpsilonDelta | None = None,
    adjacency: str | None = None,
    cells: int | str = MOST_CELLS,
    compare: bool = False,
    each: bool = False,
    progress: Progress | None = None,
) -> AccountResult:
    """Certified two-sided bounds of delta(epsilon) and epsilon(delta) of everything that a pipeline releases.

    ``events`` are events, mechanisms, events of dp-accounting, or texts as the command line takes them. ``each`` adds
    what every event alone would spend, ``compare`` what other accountants say.

    >>> from dpaudit import Gaussian
    >>> found = account([Gaussian(sigma=10) * 100], delta="1e-6")
    >>> str(found.epsilons[0][1])[:6]
    '4.8865'
    """
    start = perf_counter()
    parts = read_events(events)
    points = [nonnegative("at", point) for point in sequence("at", at)]
    levels = [probability("delta", level) for level in sequence("delta", delta)]
    guarantee = _guarantee(claim)
    share = positive("gap", gap)
    if not points and not levels and guarantee is None:
        raise InputError(
            "at", "(nothing)", "nothing to compute: give --at EPSILON, --delta DELTA or --claim eps=1,delta=1e-6"
        )
    relation = read_adjacency(adjacency, parts)
    questions = [*(Question(epsilon=point) for point in points), *(Question(delta=level) for level in levels)]
    judged = None if guarantee is None else Question(epsilon=guarantee.epsilon, bound=guarantee.delta)
    questions_and_test = [*questions, ANY_TEST, *([] if judged is None else [judged])]
    rounds = 0

    def count_round(state: State) -> None:
        nonlocal rounds
        rounds += 1
        if progress is not None:
            progress(rounds, rounds + 1)

    solution = solve(parts, questions_and_test, float(share), whole("cells", cells, 1 << 10, 1 << 22), count_round)
    ours = [(level, solution.known[Question(delta=level)]) for level in levels]
    others, alone = list[Rival](), list[tuple[Event, Fraction, Enclosure]]()
    try:
        for rival in rivals(parts, ours) if compare and solution.interrupted is None else ():
            others.append(rival)
        for one in _alone(parts, levels, float(share)) if each and solution.interrupted is None else ():
            alone.append(one)
    except KeyboardInterrupt as error:
        solution = replace(solution, interrupted=error)
    return AccountResult(
        events=tuple(parts),
        deltas=tuple((point, solution.known[Question(epsilon=point)].enclosure(DIGITS)) for point in points),
        epsilons=tuple((level, bounds.enclosure(DIGITS)) for level, bounds in ours),
        adjacency=relation,
        solution=solution,
        gap=share,
        claim=Claim() if judged is None or guarantee is None else _judged(guarantee, solution.known[judged]),
        variation=solution.known[ANY_TEST].enclosure(DIGITS),
        claimed=None if judged is None else solution.known[judged].enclosure(DIGITS),
        others=tuple(others),
        alone=tuple(alone),
        seconds=perf_counter() - start,
        command=_command(parts, points, levels, guarantee, share, compare),
    )


def _alone(
    events: Sequence[Event], levels: Sequence[Fraction], gap: float
) -> Iterator[tuple[Event, Fraction, Enclosure]]:
    """What every event alone spends; the whole is not their sum."""
    questions = [Question(delta=level) for level in levels]
    for event in events:
        solution = solve([event], questions, gap)
        yield from ((event, level, solution.known[Question(delta=level)].enclosure(DIGITS)) for level in levels)


def _guarantee(claim: str | EpsilonDelta | None) -> EpsilonDelta | None:
    guarantee = parse_guarantee("claim", claim) if isinstance(claim, str) else claim
    if guarantee is not None and not isinstance(guarantee, EpsilonDelta):
        raise InputError("claim", claim, "an account judges (ε, δ): eps=3,delta=1e-5")
    return guarantee


def _judged(guarantee: EpsilonDelta, bounds: Bounds) -> Claim:
    """The verdict on delta(epsilon) <= delta."""
    return Claim(guarantee, bounds.at_most(guarantee.delta))


def _command(
    events: Sequence[Event],
    points: Sequence[Fraction],
    levels: Sequence[Fraction],
    claim: EpsilonDelta | None,
    gap: Fraction,
    compare: bool,
) -> str | None:
    """The command that asks the same; None of a mechanism that only Python has."""
    if any(isinstance(event, Released) and not event.text for event in events):
        return None
    at, delta = (",".join(powers(str(value)) for value in values) or None for values in (points, levels))
    asked: dict[str, Any] = {"at": at, "delta": delta, "claim": claim and claim.option(), "gap": powers(str(gap))}
    return command_line("account", *event_words(events), **asked, compare=compare)

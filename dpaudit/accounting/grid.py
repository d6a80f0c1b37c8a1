"""Compositions on a grid of losses, refined until the two bounds are as close as requested."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.accounting.bounds import lower_measure, upper_measure
from dpaudit.accounting.cells import BITS, Lattice, Range, TooFine, cells
from dpaudit.accounting.compose import Composition, Term
from dpaudit.accounting.event import Event
from dpaudit.accounting.floats import down, up
from dpaudit.accounting.lattice import common_step
from dpaudit.accounting.pairs import Atom, Bell, Pair, Ramp
from dpaudit.accounting.saddle import Saddle
from dpaudit.accounting.search import delta_at, epsilon_at
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.bounds import Bounds
from dpaudit.numbers.verdict import Verdict

MOST_CELLS = 1 << 19
"""Cells of one event, by default."""
FURTHER = Fraction(1, 10**20)
LEAST = Fraction(1, 10**290)
"""The smallest mass that is cut off, as the ends are located in binary64."""
COARSEST = 64
FIRST_GAP = 0.02
"""The gap for which the first grid is made."""
NEGLIGIBLE = Fraction(1, 10**8)
"""Share of delta that may be lost beyond the ends of the grid."""


@dataclass(frozen=True)
class Question:
    """delta at ``epsilon``, or epsilon at ``delta``: one of them is None."""

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    bound: Fraction | None = None
    """The answer must be precise enough to decide whether it is at most this."""

    def settled(self, known: Bounds, gap: float) -> bool:
        """Whether the bounds are close enough, and on one side of the bound."""
        if self.bound is not None and known.at_most(self.bound) is Verdict.UNDECIDED:
            return False
        return known.gap() <= gap or (self.bound is not None and known.gap() < 1)


@dataclass
class State:
    """The bounds of every question so far, the step of the finest grid, and its cells."""

    known: dict[Question, Bounds] = field(default_factory=dict)
    step: Fraction = Fraction(0)
    cells: int = 0
    rounds: int = 0
    history: list[tuple[Fraction, dict[Question, Bounds]]] = field(default_factory=list)


def _same() -> list[Atom]:
    return [Atom(ball(1), ball(1), Fraction(0))]


NOTHING = Pair(atoms=_same)
"""A release that reveals nothing: a lower bound for every other."""


class Direction:
    """One direction, "remove" or "add": the events with their pairs in that order."""

    def __init__(self, name: str, events: Sequence[Event], alike: bool) -> None:
        self.name, self.events = name, events
        trusted = next((event for event in events if event.ordered and alike), None)
        turn: Callable[[Pair], Pair] = Pair.other_direction if name == "add" else (lambda pair: pair)
        self.dominating = [turn(event.dominating()) for event in events]
        attained = [
            [NOTHING] if event.ordered and event is not trusted else [turn(pair) for pair in event.attained()]
            for event in events
        ]
        most = max(map(len, attained))
        self.attained = [[pairs[i % len(pairs)] for pairs in attained] for i in range(most)]

    def terms(self, step: Fraction, beyond: Range) -> Iterator[list[Term]]:
        """The terms on the grid, for each choice of attained pairs."""
        above, lattices = [], []
        for pair in self.dominating:
            lattice = Lattice(step, _offset(pair, step))
            weights = cells(pair, lattice, beyond)
            with balls.precision(BITS):
                infinite = up((pair.infinite() + pair.left_out()).upper())
            above.append(upper_measure(weights, infinite))
            lattices.append((lattice, weights))
        for choice in self.attained:
            terms = []
            for event, pair, measure, whole, (lattice, weights) in zip(
                self.events, choice, above, self.dominating, lattices, strict=True
            ):
                with balls.precision(BITS):
                    infinite = max(0.0, down(pair.infinite())) if not balls.is_zero(pair.infinite()) else 0.0
                own = weights if pair == whole else cells(pair, lattice, beyond)
                terms.append(Term(lower_measure(own, infinite), measure, event.times))
            yield terms


def _offset(pair: Pair, step: Fraction) -> Fraction:
    """The offset of the lattice: next to nothing below the heaviest atom whose loss is no rational number."""
    with balls.precision(BITS):
        atoms = [atom for atom in pair.all_atoms() if atom.loss is None]
        if not atoms or len(atoms) > FEW:
            return Fraction(0)
        heaviest = max(atoms, key=lambda atom: float(atom.p))
        low, _ = balls.ends(heaviest.log_ratio())
    place = Fraction(math.floor(low * 2**60), 2**60)
    return place - math.floor(place / step) * step


FEW = 8
"""The most atoms of a pair that are put on the lattice."""


def natural_step(directions: Sequence[Direction]) -> Fraction | None:
    """The step whose integer fractions put every atom on the lattice; None where there are no such atoms."""
    rational, distances = [], []
    with balls.precision(BITS):
        for pair in (pair for d in directions for pairs in (d.dominating, *d.attained) for pair in pairs):
            atoms = pair.all_atoms()
            exact = [atom.loss for atom in atoms if atom.loss is not None]
            if exact:
                rational.append([Fraction(0), *exact])
            others = [balls.ends(atom.log_ratio())[0] for atom in atoms if atom.loss is None]
            if 1 < len(others) <= FEW:
                distances.append(max(others) - min(others))
    if rational:
        return common_step(rational) or None
    if distances:
        return Fraction(math.floor(max(distances) * 2**70), 2**70)
    return None


def fitted(step: Fraction, natural: Fraction | None) -> Fraction:
    """A step of at most this size, an integer fraction of the natural one where that is not much finer."""
    if natural is not None and natural * 64 >= step:
        return natural / max(1, math.ceil(natural / step))
    scale = 1 << max(4, 8 - math.floor(math.log2(float(step))))
    return Fraction(max(1, math.floor(step * scale)), scale)


def first_step(events: Sequence[Event]) -> Fraction:
    """Roughly the smallest spread of the loss of one release, over all events; a float estimate."""
    spreads = []
    for event in events:
        pair = event.dominating()
        rate = float(pair.rate)
        for piece in pair.pieces:
            if isinstance(piece, Bell):
                mu = math.sqrt(float(piece.mu_squared))
                spreads.append(mu if rate == 1 else min(mu, rate * math.sqrt(math.expm1(min(mu * mu, 9.0)))))
            elif isinstance(piece, Ramp):
                spreads.append(min(float(piece.eps), rate * math.expm1(min(float(piece.eps), 3.0))))
        with balls.precision(BITS):
            ratios = [float(atom.log_ratio()) for atom in pair.all_atoms()]
        if len(ratios) > 1:
            spreads.append((max(ratios) - min(ratios)) / 4)
    return Fraction(min(max(min(spreads, default=1.0) / 4, 1e-9), COARSEST))


class Grid:
    """Answers questions about a composition; ``state`` holds the bounds at any time, even after an interrupt."""

    def __init__(self, events: Sequence[Event], gap: float, most_cells: int = MOST_CELLS) -> None:
        self.events, self.gap, self.most_cells = events, gap, most_cells
        alike = all(event.dominating().symmetric for event in events)
        names = ("remove",) if alike else ("remove", "add")
        self.directions = [Direction(name, events, alike) for name in names]
        self.natural = natural_step(self.directions)
        self.times = sum(event.times for event in events)
        self.state = State()
        self._side: dict[tuple[str, Question], Bounds] = {}

    def answer(self, questions: Sequence[Question], progress: Callable[[State], None] | None = None) -> State:
        """The bounds of every question, refined until all gaps are small enough or the cells are used up."""
        state = self.state
        for question in questions:
            state.known[question] = ANY if question.delta is None else UNKNOWN
        step, before = Fraction(0), dict[Question, float]()
        while True:
            last = dict(state.known)
            open_ = [q for q in questions if not q.settled(state.known[q], self.gap)]
            try:
                step = fitted(step or self._first(questions), self.natural)
                self.refine_to(step, open_)
            except TooFine as error:
                if state.rounds or step > COARSEST:
                    break
                coarser = max(Fraction(4), Fraction(error.needed, self.most_cells))
                step, self.natural = coarser * (step or first_step(self.events)), None
                continue  # releases of very different spread: a coarser grid for all is better than none
            state.rounds += 1
            state.history.append((step, dict(state.known)))
            if progress is not None:
                progress(state)
            gaps = {q: state.known[q].gap() for q in questions if not q.settled(state.known[q], self.gap)}
            if any(state.known[q].fell(last[q], FURTHER) for q in gaps):
                continue  # the grid ends too early for so small a delta: the same step once more, with further ends
            if not gaps or (state.rounds > 2 and all(gaps[q] >= 0.8 * before.get(q, math.inf) for q in gaps)):
                break
            before = gaps
            wanted = [self.gap if gap > self.gap else gap / 16 for gap in gaps.values()]
            share = min(want / gap if gap else 1.0 for want, gap in zip(wanted, gaps.values(), strict=True))
            finer = step * Fraction(max(1 / 12, 0.85 * math.sqrt(share)))
            finer = max(finer, step * state.cells / self.most_cells)
            if fitted(finer, self.natural) > step * Fraction(9, 10):
                break
            step = finer
        return state

    def _beyond(self, questions: Sequence[Question]) -> Range:
        """How much may lie beyond the ends of the grid, a release."""
        deltas = []
        for question in questions:
            if question.delta is not None:
                deltas.append(question.delta)
            else:
                known = self.state.known[question]
                deltas.append(known.lower or min(Fraction(1, 10**30), known.upper**2))
        top = max(min(deltas) * NEGLIGIBLE / self.times, LEAST)
        if len(self.directions) == 1:
            return Range(top, max(top, Fraction(1, 10**10) / self.times))
        return Range(top, top)

    def _first(self, questions: Sequence[Question]) -> Fraction:
        """A step for which the gap of the worst question is about FIRST_GAP, from a probe with a rough grid."""
        step = first_step(self.events)
        rough = fitted(step, self.natural)
        probe = next(self.directions[0].terms(rough, self._beyond(questions)))
        saddle = Saddle(probe)
        steepest = max(1.0, *(float(_tilt(saddle, question)) for question in questions))
        wanted = math.sqrt(max(FIRST_GAP, self.gap) * 2 / self.times) / steepest
        widest = max(len(term.upper.values) for term in probe) * rough
        return max(min(step, Fraction(wanted)), widest / self.most_cells)

    def refine_to(self, step: Fraction, questions: Sequence[Question]) -> None:
        """One pass over all questions with this step."""
        beyond = self._beyond(questions)
        for direction in self.directions:
            open_questions = [q for q in questions if self._matters(direction, q)]
            for terms in direction.terms(step, beyond) if open_questions else ():
                self.state.cells = max(len(term.upper.values) for term in terms)
                saddle, composed = Saddle(terms), dict[Fraction, Composition]()
                for question in open_questions:
                    self._settle(direction.name, question, terms, saddle, composed)
        self.state.step = step
        for question in questions:
            sides = [self._side[direction.name, question] for direction in self.directions]
            worst = sides[0]
            for side in sides[1:]:
                worst = worst.worst(side)
            self.state.known[question] = self.state.known[question].meet(worst)

    def _matters(self, direction: Direction, question: Question) -> bool:
        """Whether the direction may still be the worse one."""
        own = self._side.get((direction.name, question))
        return own is None or not own.below(self.state.known[question])

    def _settle(
        self,
        name: str,
        question: Question,
        terms: Sequence[Term],
        saddle: Saddle,
        composed: dict[Fraction, Composition],
    ) -> None:
        """Bounds of one question in one direction; a tilt that turns out too steep is halved."""
        theta = _tilt(saddle, question)
        bounds = self._side.get((name, question), UNKNOWN if question.delta is not None else ANY)
        for _ in range(TRIES):
            if theta not in composed:
                composed[theta] = Composition(terms, theta)
            curve = composed[theta].delta
            if question.epsilon is not None:
                bounds = bounds.meet(delta_at(curve, question.epsilon))
            else:
                assert question.delta is not None
                guess = saddle.cumulants(float(theta))[1]
                with balls.precision(BITS):
                    bounds = bounds.meet(epsilon_at(curve, question.delta, guess, self.gap / 40))
            if bounds.gap() < 1 or theta < 1:
                break
            theta = Fraction(round(theta * 512), 1024)
        self._side[name, question] = bounds


TRIES = 5
"""The number of tilts that are tried for one question on one grid."""
ANY = Bounds(Fraction(0), Fraction(1))
"""Nothing is known of a delta."""


def _tilt(saddle: Saddle, question: Question) -> Fraction:
    if question.epsilon is not None:
        return saddle.tilt(float(question.epsilon))
    return saddle.tilt_for(max(float(question.delta or 1), 1e-300))


UNKNOWN = Bounds(Fraction(0), math.inf)  # type: ignore[arg-type]
"""Nothing is known of an epsilon."""

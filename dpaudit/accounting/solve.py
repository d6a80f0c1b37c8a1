"""The accountant: bounds of delta(epsilon) and epsilon(delta) of a composition, by the best of four methods.

Gaussian mechanisms alone have a closed form. Losses on a lattice are composed without a grid, and so is one mechanism
with few combinations of losses. Everything else is composed on a grid that is refined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpaudit.accounting.event import Event
from dpaudit.accounting.events import Gaussian
from dpaudit.accounting.finite import Released
from dpaudit.accounting.gaussian import gaussian_delta
from dpaudit.accounting.grid import MOST_CELLS, UNKNOWN, Grid, Question, State
from dpaudit.accounting.lattice import LONGEST, Product, length
from dpaudit.accounting.pairs import Bell, Pair
from dpaudit.accounting.search import Curve, delta_at, epsilon_at
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.bounds import Bounds

FINE = 1e-12
"""The gap required of methods without a grid."""
CLOSED, LATTICE, PRODUCT, GRID = "closed form", "lattice", "all combinations of losses", "grid"


@dataclass(frozen=True, kw_only=True)
class Bells(Event):
    """Gaussian mechanisms together: one Gaussian mechanism with mu^2 the sum of all (sensitivity / sigma)^2."""

    mu_squared: Fraction = Fraction(1)
    exact = False
    name = "gaussians"

    def dominating(self) -> Pair:
        """N(mu, 1) against N(0, 1)."""
        return Pair(pieces=(Bell(self.mu_squared),))


@dataclass(frozen=True)
class Solution:
    """The bounds of every question, and the method that gave them."""

    known: dict[Question, Bounds]
    method: str
    directions: tuple[str, ...]
    step: Fraction | None = None
    cells: int = 0
    rounds: int = 1
    interrupted: BaseException | None = None
    """The interrupt that ended the work early; the bounds are certified all the same."""


def gathered(events: Sequence[Event]) -> list[Event]:
    """The same composition in fewer events: equal ones combined, and all Gaussian mechanisms without sampling."""
    counts: dict[Event, int] = {}
    mu_squared = Fraction(0)
    for event in events:
        if isinstance(event, Gaussian) and not event.sampled:
            mu_squared += event.mu_squared * event.times
        else:
            one = replace(event, times=1)
            counts[one] = counts.get(one, 0) + event.times
    events_once = [replace(event, times=times) for event, times in counts.items()]
    return [*events_once, Bells(mu_squared=mu_squared)] if mu_squared else events_once


def solve(
    events: Sequence[Event],
    questions: Sequence[Question],
    gap: float,
    most_cells: int = MOST_CELLS,
    progress: Callable[[State], None] | None = None,
    method: str | None = None,
) -> Solution:
    """Certified bounds of every question about the composition of the events; ``method`` forces one of the methods."""
    parts = gathered(events)
    size = length(parts)
    if method is None:
        method = _best(parts, size)
    limit = _largest(parts)
    left = [q for q in questions if _limited(q, limit) is None]
    if method == GRID:
        solution = _on_grid(parts, left, gap, most_cells, progress)
    else:
        known, ended = _by_curve(parts, left, method)
        solution = Solution(known, method, ("both alike",), _step(parts, method), size or 0, interrupted=ended)
    known = {q: solution.known.get(q) or _limited(q, limit) or UNKNOWN for q in questions}
    if limit is not None:
        known = {q: b if q.delta is None else b.meet(Bounds(Fraction(0), limit)) for q, b in known.items()}
    return replace(solution, known=known)


def _best(parts: Sequence[Event], size: int | None) -> str:
    """The best way for these events; ``size`` is that of their lattice, if they have one."""
    if len(parts) == 1 and isinstance(parts[0], Bells):
        return CLOSED
    if len(parts) == 1 and isinstance(parts[0], Released) and parts[0].is_short():
        return PRODUCT
    return LATTICE if size is not None and size <= LONGEST else GRID


def _step(parts: Sequence[Event], method: str) -> Fraction | None:
    if method != LATTICE:
        return None
    with balls.precision(64):
        return Product([replace(part, times=1) for part in parts]).step


def _largest(parts: Sequence[Event]) -> Fraction | None:
    """A loss that the composition never exceeds, where there is one and no loss is infinite."""
    total = Fraction(0)
    for part in parts:
        most = part.pure_epsilon
        if most is None:
            return None
        total += most * part.times
    return total


def _limited(question: Question, limit: Fraction | None) -> Bounds | None:
    """The answer where the largest loss gives it: delta is 0 from there on."""
    if limit is not None and question.epsilon is not None and question.epsilon >= limit:
        return Bounds(Fraction(0), Fraction(0))
    return None


def _by_curve(
    parts: Sequence[Event], questions: Sequence[Question], method: str
) -> tuple[dict[Question, Bounds], BaseException | None]:
    """Answers from a curve without a grid, at a precision that makes them narrow, and what ended that early."""
    known = {q: UNKNOWN if q.epsilon is None else Bounds(Fraction(0), Fraction(1)) for q in questions}

    def attempt() -> bool | None:
        curve = _curve(parts, method)
        for question in questions:
            if question.epsilon is not None:
                found = delta_at(curve, question.epsilon)
            else:
                assert question.delta is not None
                found = epsilon_at(curve, question.delta, 1.0, FINE / 8)
            known[question] = known[question].meet(found)
        return all(bounds.gap() <= FINE for bounds in known.values()) or None

    try:
        balls.refine(attempt, *_bits(parts, method))
    except PrecisionExhausted:
        return known, None
    except KeyboardInterrupt as error:
        return known, error
    return known, None


def _bits(parts: Sequence[Event], method: str) -> tuple[int, int]:
    """The precision to begin with, and the largest; that of combinations is known, and their bounds may lie apart."""
    if isinstance(parts[0], Released):
        return parts[0].bits(), parts[0].bits()
    return 128 if method == LATTICE else 192, 1024


def _curve(parts: Sequence[Event], method: str) -> Curve:
    if method == LATTICE:
        return Product(parts).delta
    (part,) = parts
    if isinstance(part, Released):
        return part.curve()
    assert isinstance(part, Bells)
    mu_squared = part.mu_squared

    def closed(epsilon: Fraction) -> tuple[balls.Ball, balls.Ball]:
        delta = gaussian_delta(mu_squared, epsilon)
        return delta, delta

    return closed


def _on_grid(
    parts: Sequence[Event],
    questions: Sequence[Question],
    gap: float,
    most_cells: int,
    progress: Callable[[State], None] | None,
) -> Solution:
    grid = Grid(parts, gap, most_cells)
    names = tuple(d.name for d in grid.directions) if len(grid.directions) > 1 else ("both alike",)
    ended: BaseException | None = None
    if questions:
        try:
            grid.answer(questions, progress)
        except KeyboardInterrupt as error:
            ended = error
    state = grid.state
    return Solution(dict(state.known), GRID, names, state.step or None, state.cells, state.rounds, ended)

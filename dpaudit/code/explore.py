"""All paths that the code can take, the likeliest first: a graph of states with exact probabilities.

A state is a loop head, or a call in a return statement, that a clean run reaches after a decision. From every state
the code is run again: the decisions that first led there are repeated, then it is followed to the next state or end.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from inspect import iscoroutine
from threading import get_ident
from typing import Any, NamedTuple

from dpaudit.code import chain
from dpaudit.code.hooks import HOOKS
from dpaudit.code.keys import Keys
from dpaudit.code.lazy import settle
from dpaudit.code.outputs import form, output_key
from dpaudit.code.rewrite import has_loop
from dpaudit.code.run import (
    KEPT,
    RUNS,
    Again,
    Changed,
    Halted,
    Past,
    Piece,
    Refused,
    Run,
    fault,
    innermost,
    is_theirs,
    raised_at,
)
from dpaudit.code.subs import Unfit
from dpaudit.code.subs import output as output_of_sub

ROUND = 1000
"""A round follows the likeliest paths until only this share of the open mass is left."""
MOST_LEAVES = 10_000
"""The number of ends that are kept; some of them are run again with plain numbers."""
COLLECT = 2000
"""The number of runs between two collections of garbage."""


@dataclass(frozen=True)
class Raised:
    """An output that is an exception."""

    kind: str

    def __str__(self) -> str:
        return f"raises {self.kind}"


@dataclass(frozen=True)
class Budget:
    """When to stop: the mass that may stay open, runs, seconds, and loop iterations of one run."""

    residual: Fraction = Fraction(1, 1 << 64)
    runs: int = 200_000
    seconds: float = 60.0
    steps: int = 1_000_000
    border: Fraction = Fraction(1, 500)
    """What may stay open at the boundary where many-valued draws decide jointly; half of it takes twice as long."""


class Way(NamedTuple):
    """An unexplored path of decisions from a state, with its probability from there."""

    path: tuple[Piece, ...]
    share: Fraction


@dataclass
class State:
    """A point in the code with its variables; ``prefix`` are the decisions that first led here."""

    prefix: tuple[Piece, ...]
    edges: dict[int, Fraction] = field(default_factory=dict)
    outputs: dict[Hashable, Fraction] = field(default_factory=dict)
    open: list[Way] = field(default_factory=list)

    def lead(self, number: int, share: Fraction) -> None:
        """Adds to the probability of the next state."""
        self.edges[number] = self.edges.get(number, Fraction(0)) + share


class End(NamedTuple):
    """An end of the code: the lowest and the highest number m of each draw, and the output."""

    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    calls: tuple[bool, ...]
    output: Any


class Silence:
    """A stream that drops what this thread writes; other threads, such as the progress line, write as before."""

    def __init__(self, real: Any) -> None:
        self.real, self.thread = real, get_ident()

    def write(self, text: str) -> int:
        """The length of the text."""
        return len(text) if get_ident() == self.thread else self.real.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@contextmanager
def silence(holds: bool) -> Iterator[None]:
    """Drops what the code prints: its first run has shown it."""
    before = sys.stdout, sys.stderr
    if holds:
        sys.stdout, sys.stderr = Silence(sys.stdout), Silence(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class Follower:
    """The states that one run reaches. A known state ends the run; at a new one it continues with a leg of its own."""

    def __init__(self, explorer: Explorer, run: Run, state: int) -> None:
        self.explorer, self.run, self.endless = explorer, run, False
        self.legs = [(state, len(explorer.states[state].prefix))]
        """The states on the path of the run, each with the number of decisions before it."""
        self.met: int | None = None

    @property
    def has_decided(self) -> bool:
        """Whether to look for a state: all decisions are repeated, and a new one was made since the last state."""
        return not self.run.is_repeating and len(self.run.taken) > self.legs[-1][1]

    def arrive(self, site: Hashable, key: Hashable) -> None:
        """Records that a clean run has reached a state; ends the run where the state is known."""
        explorer = self.explorer
        number = explorer.known.setdefault((site, key), len(explorer.states))
        explorer.sites.add(site)
        if number < len(explorer.states):
            self.met = number
            self.run.halt()
        explorer.states.append(State(tuple(self.run.taken)))
        self.legs.append((number, len(self.run.taken)))

    def left_the_list(self) -> None:
        """Undoes the merging along a run that later does something outside the closed list."""
        explorer, run = self.explorer, self.run
        if explorer.inner:
            run.stop(Unfit(run.unclean_at))
        elif self.legs[0][0] or len(self.legs) > 1:
            explorer.session.unmerged |= dict.fromkeys(explorer.sites, run.unclean_at)
            run.stop(Again(run.unclean_at))

    def is_unrolled(self, line: str, why: str) -> None:
        """Records the first loop that could not be merged, and why."""
        self.explorer.unrolled = self.explorer.unrolled or (line, why)

    def is_endless(self, line: str) -> None:
        """Records that the run did not end within its limits."""
        self.endless = True
        self.explorer.endless = self.explorer.endless or line or "in code whose source is not available: "


class Explorer:
    """The graph of one call: ``call`` is the function with its arguments; ``inner``: it belongs to a sub-sampler."""

    def __init__(
        self,
        call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]],
        session: Any,
        budget: Budget,
        inner: bool = False,
        at: str = "",
    ) -> None:
        self.call, self.session, self.budget, self.at = call, session, budget, at
        self.inner = inner
        self.states = [State((), open=[Way((), Fraction(1))])]
        self.known: dict[Hashable, int] = {}
        self.sites: set[Hashable] = set()
        self.values: dict[Hashable, Any] = {}
        self.leaves: list[End] = []
        self.errors: dict[Hashable, str] = {}
        self.raised_at: dict[Hashable, str] = {}
        self.assumptions: set[str] = set()
        self.endless: str | None = None
        self.unrolled: tuple[str, str] | None = None
        """The first loop whose runs could not be merged, "file.py line 12", and why."""
        self.unclean = ""
        """The first step outside the closed list, with its line."""
        self.boxed: str | None = None
        """The first line at which several draws with many values decide jointly."""
        self.is_clean = True
        """Whether every run was clean: then none has changed anything that the next one can see."""
        self.runs = 0

    def explore(self) -> None:
        """Explores the code until the open mass is at most the residual, or the budget is used up."""
        while True:
            times = chain.visits([state.edges for state in self.states], chain.FLOATS)
            ways = [(-times[i] * float(w.share), i, k) for i, s in enumerate(self.states) for k, w in enumerate(s.open)]
            left = -sum(way[0] for way in ways)
            if not ways or left <= self.budget.residual or self.exhausted() or self._is_border(ways):
                return
            self._round(sorted(ways), max(left / ROUND, float(self.budget.residual) / 2))

    def _is_border(self, ways: list[tuple[float, int, int]]) -> bool:
        """Whether all that is open lies on the border of boxes, and is little."""
        if self.boxed is None:
            return False
        open_ways = [(-mass, (*self.states[i].prefix, *self.states[i].open[k].path)) for mass, i, k in ways]
        inside = sum(mass for mass, path in open_ways if not any(piece.is_half for piece in path))
        return inside <= self.budget.residual and sum(mass for mass, _ in open_ways) <= self.budget.border

    def exhausted(self) -> bool:
        """Whether the budget is used up."""
        return self.runs >= self.budget.runs or self.session.is_late

    def _round(self, ways: list[tuple[float, int, int]], leave: float) -> None:
        """Follows all ways but the least likely ones, which have ``leave`` together."""
        rest, chosen = 0.0, len(ways)
        while chosen > 1 and rest - ways[chosen - 1][0] <= leave:
            rest -= ways[chosen - 1][0]
            chosen -= 1
        least = -ways[chosen - 1][0] / 2
        picked = [(mass, i, self.states[i].open[k]) for mass, i, k in ways[:chosen]]
        gone = {(i, k) for _, i, k in ways[:chosen]}
        for i in {i for i, _ in gone}:
            self.states[i].open = [w for k, w in enumerate(self.states[i].open) if (i, k) not in gone]
        heap = [(mass, number, i, way) for number, (mass, i, way) in enumerate(picked)]
        heapify(heap)
        count = len(heap)
        while heap:
            mass, _, i, way = heappop(heap)
            if -mass < least or self.exhausted():
                self.states[i].open.append(way)
                continue
            for share, j, new in self._follow(i, way, -mass, least):
                heappush(heap, (mass * share, count, j, new))
                count += 1

    def _follow(self, i: int, way: Way, mass: float, least: float) -> list[tuple[float, int, Way]]:
        """Runs the code along the way; returns the ways that are open now, with their mass as a part of this one's."""
        run = Run((*self.states[i].prefix, *way.path), self.session, self.session.bits)
        run.mass, run.least = mass, least
        run.follower = follower = Follower(self, run, i)
        output, ended = self.perform(run)
        self.unclean = self.unclean or run.unclean_at
        if len(run.taken) < len(run.script) and not follower.endless and not self.exhausted():
            raise Changed(f"{self.at}{KEPT}")
        found: list[tuple[float, int, Way]] = []
        others, place, part, share = dict(run.alternatives), len(run.script), 1.0, way.share
        starts = [start for _, start in follower.legs]
        for leg, end in enumerate([*starts[1:], len(run.taken)]):
            j, start = follower.legs[leg]
            for k in range(place, end):
                path = tuple(run.taken[start:k]) if k in others else ()
                found += [
                    (part * float(piece.share), j, Way((*path, piece), share * piece.share))
                    for piece in others.get(k, ())
                ]
                share, part = share * run.taken[k].share, part * float(run.taken[k].share)
            place = max(place, end)
            if leg + 1 < len(starts):
                self.states[j].lead(follower.legs[leg + 1][0], share)
                share = Fraction(1)
        state = self.states[follower.legs[-1][0]]
        if ended:
            self._end(state, run, output, share)
        elif follower.met is not None:
            state.lead(follower.met, share)
        elif not follower.endless:
            state.open.append(Way(tuple(run.taken[starts[-1] :]), share))
        for draw in run.draws:
            draw.__class__ = Past
        return found

    def perform(self, run: Run) -> tuple[Any, bool]:
        """The output of one run, and whether it reached its end."""
        self.runs += 1
        if not self.runs % COLLECT:
            gc.collect()
        RUNS.append(run)
        output: Any = None
        try:
            try:
                with silence(self.session.heard):
                    value = HOOKS.outermost(*self.call)
            finally:
                self.session.heard = True
            output, run.form = self._finished(value)
        except Halted as end:
            if not run.halted and run.refused is None:
                raise Changed(f"{raised_at(end)}{KEPT}") from None
        except RecursionError:
            raise (Unfit if self.inner else Refused)("its code recurses without end, or too deep") from None
        except (Exception, SystemExit) as error:
            if isinstance(error, SystemExit) and not is_theirs(innermost(error)):
                raise
            if why := fault(error):
                raise Refused(why) from error
            if self.inner:
                raise Unfit("it raises an exception") from None
            output = Raised(self.session.title(type(error)))
            self.errors.setdefault(output, f"{error}")
            self.raised_at.setdefault(output, raised_at(error))
        finally:
            RUNS.remove(run)
            self.assumptions |= run.assumptions
            self.boxed = self.boxed or run.boxed
            self.is_clean = self.is_clean and run.clean
        if run.refused is not None:
            raise run.refused
        return output, not run.halted

    def _finished(self, value: Any) -> tuple[Any, Any]:
        """An output without open numbers, and of which containers it was made."""
        if self.inner:
            return output_of_sub(value, has_loop(self.call[0])), None
        if iscoroutine(value):
            value.close()  # it is refused; left alone it would complain that nobody awaited it
        return settle(value), form(value)

    def key(self, output: Any) -> Hashable:
        """A key of an output; 1, 1.0 and True have three."""
        if self.inner:
            return Keys({}).key(output)
        if isinstance(output, Raised):
            return output
        found = output_key(output)
        if found is None:
            kind = type(output).__name__
            raise Refused(f"{self.at}the output is a {kind}; return numbers, text or tuples of them")
        return found

    def _end(self, state: State, run: Run, output: Any, share: Fraction) -> None:
        key = self.key(output)
        self.values.setdefault(key, output)
        known = (key, run.form)
        if not self.inner and self.session.texts.setdefault((type(output), repr(output)), known) != known:
            raise Refused(f"two different outputs count as one, {output}: return one kind of numbers, text or tuples")
        state.outputs[key] = state.outputs.get(key, Fraction(0)) + share
        if len(self.leaves) >= MOST_LEAVES and not isinstance(output, Raised):
            return
        lowest = tuple(draw.m(draw.lo) for draw in run.draws)
        highest = tuple(draw.m(draw.hi - 1) for draw in run.draws)
        self.leaves.append(End(lowest, highest, tuple(run.calls), output))

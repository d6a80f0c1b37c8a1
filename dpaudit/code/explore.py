"""All ways that somebody's code can take, likeliest first: a graph of states with exact probabilities.

A state is where a statement starts after a decision, with all that the code still reads. From every state the code is
run again: the decisions that led there first are repeated, then it is followed to the next state or to its end.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from threading import Thread
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple

from dpaudit.code import chain
from dpaudit.code.lazy import settle
from dpaudit.code.places import Loop, places
from dpaudit.code.run import RUNS, Halted, Piece, Refused, Run, is_theirs, line_of, raised_at
from dpaudit.code.states import NoKey, Reader

ROUND = 1000
"""A round follows what is likely enough to leave this part of the mass that was open before it."""

MOST_LEAVES = 10_000
"""So many ends are kept, some of which are run again with plain numbers."""
ANOTHER_THREAD = Thread.start.__code__
"""A run that starts a thread has no states from then on: what the thread does is not watched."""
COLLECT = 2000
"""Garbage is collected once in so many runs, between them."""


@dataclass(frozen=True)
class Raised:
    """An output that is an exception."""

    kind: str

    def __str__(self) -> str:
        return f"raises {self.kind}"


@dataclass(frozen=True)
class Budget:
    """When to stop: the mass that may stay open, runs, seconds, lines of one run."""

    residual: Fraction = Fraction(1, 1 << 64)
    runs: int = 200_000
    seconds: float = 60.0
    lines: int = 1_000_000
    border: Fraction = Fraction(1, 500)
    """What may stay open between the boxes where several random floats decide; twice as little takes twice as long."""


class Way(NamedTuple):
    """A path of decisions from a state on, with its probability from there; not followed yet."""

    path: tuple[Piece, ...]
    share: Fraction


@dataclass
class State:
    """Where the code stands; ``prefix`` are the decisions that led here first."""

    prefix: tuple[Piece, ...]
    call: int
    loop: tuple[Loop, int] | None
    frames: dict[int, Hashable]
    edges: dict[int, Fraction] = field(default_factory=dict)
    outputs: dict[Hashable, Fraction] = field(default_factory=dict)
    open: list[Way] = field(default_factory=lambda: [Way((), Fraction(1))])


@dataclass(frozen=True)
class Leaf:
    """An end of the code: the numbers m of all draws, lowest and highest, and what came out."""

    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    output: Any


@dataclass
class Entry:
    """A call of one of their functions, or a for-loop entered: its number in the run, and what went before it."""

    number: int
    taken: int
    draws: int
    steps: int = 0
    """How often a loop has asked its iterator."""
    loops: dict[int, Entry] = field(default_factory=dict)
    last: int = -1
    """The instruction before this one, in a call with loops."""


class Explorer:
    """The graph of one function of the random source."""

    def __init__(self, function: Callable[[], Any], session: Any, budget: Budget) -> None:
        self.function, self.session, self.budget = function, session, budget
        self.states = [State((), 0, None, {})]
        self.known: dict[Hashable, int] = {}
        self.entries: dict[Hashable, int] = {}
        self.values: dict[Hashable, Any] = {}
        self.leaves: list[Leaf] = []
        self.errors: dict[Hashable, str] = {}
        self.raised_at: dict[Hashable, str] = {}
        self.assumptions: set[str] = set()
        self.endless: str | None = None
        self.boxed: str | None = None
        """The first line at which several random floats decide together."""
        self.runs = 0

    def explore(self) -> None:
        """Follows the code until what is open is at most the residual, or the budget is used up."""
        while True:
            times = chain.visits([state.edges for state in self.states], chain.Floats())
            ways = [(-times[i] * float(w.share), i, k) for i, s in enumerate(self.states) for k, w in enumerate(s.open)]
            left = -sum(way[0] for way in ways)
            if not ways or left <= self.budget.residual or self.exhausted() or self._is_border(ways):
                return
            self._round(sorted(ways), max(left / ROUND, float(self.budget.residual) / 2))

    def _is_border(self, ways: list[tuple[float, int, int]]) -> bool:
        """Returns whether all that is open lies on the border of boxes, and is little."""
        if self.boxed is None:
            return False
        open_ways = [(-mass, (*self.states[i].prefix, *self.states[i].open[k].path)) for mass, i, k in ways]
        inside = sum(mass for mass, path in open_ways if not any(piece.is_half for piece in path))
        return inside <= self.budget.residual and sum(mass for mass, _ in open_ways) <= self.budget.border

    def exhausted(self) -> bool:
        """Returns whether the budget is used up."""
        return self.runs >= self.budget.runs or monotonic() >= self.session.deadline

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
        state = self.states[i]
        run = Run((*state.prefix, *way.path), self.session, self.session.bits)
        run.mass, run.least = mass, least
        tracer = Tracer(self, run, i)
        output, ended = self.perform(run, tracer)
        start, first = len(state.prefix), len(run.script)
        shares = [way.share]
        for piece in run.taken[first:]:
            shares.append(shares[-1] * piece.share)
        found: list[tuple[float, int, Way]] = []
        for place, pieces in run.alternatives:
            path = tuple(run.taken[start:place])
            for piece in pieces:
                new = Way((*path, piece), shares[place - first] * piece.share)
                found.append((float(new.share / way.share), i, new))
        share = shares[-1]
        if ended:
            self._end(state, run, output, share)
        elif tracer.met is not None:
            state.edges[tracer.met] = state.edges.get(tracer.met, Fraction(0)) + share
            if tracer.fresh:
                new_state = self.states[tracer.met]
                found += [(float(share / way.share), tracer.met, new) for new in new_state.open]
                new_state.open = []
        elif not tracer.endless:
            state.open.append(Way(tuple(run.taken[start:]), share))
        return found

    def perform(self, run: Run, tracer: Any = None) -> tuple[Any, bool]:
        """Returns the output of one run, and whether it came to its end."""
        self.runs += 1
        if not self.runs % COLLECT:
            gc.collect()
        before = sys.gettrace()
        RUNS.append(run)
        output: Any = None
        try:
            sys.settrace(tracer)
            try:
                value = self.function()
            finally:
                sys.settrace(before)
            output = settle(value)
        except Halted:
            pass
        except RecursionError:
            raise Refused("its code recurses without end") from None
        except Exception as error:
            output = Raised(type(error).__name__)
            self.errors.setdefault(output, f"{error}")
            self.raised_at.setdefault(output, raised_at(error))
        finally:
            RUNS.remove(run)
            self.assumptions |= run.assumptions
            self.boxed = self.boxed or run.boxed
        if run.refused is not None:
            raise run.refused
        return output, not run.halted

    def _end(self, state: State, run: Run, output: Any, share: Fraction) -> None:
        key = self.session.output_key(output)
        self.values.setdefault(key, output)
        state.outputs[key] = state.outputs.get(key, Fraction(0)) + share
        if len(self.leaves) >= MOST_LEAVES and not isinstance(output, Raised):
            return
        numbers = [(d.m(d.lo), d.m(d.hi - 1)) for d in run.draws]
        self.leaves.append(Leaf(tuple(a for a, _ in numbers), tuple(b for _, b in numbers), output))

    def meet(self, key: Hashable, make: Callable[[], State]) -> tuple[int, bool]:
        """Returns the number of the state with this key, and whether it is new; ``make`` makes it."""
        number = self.known.setdefault(key, len(self.states))
        if number < len(self.states):
            return number, False
        self.states.append(make())
        return number, True


class Tracer:
    """Watches one run: ends it where it meets a state after a decision, or when the call it started in is left."""

    def __init__(self, explorer: Explorer, run: Run, state: int) -> None:
        self.explorer, self.run, self.state = explorer, run, state
        self.start = len(explorer.states[state].prefix)
        self.innermost, self.loop = explorer.states[state].call, explorer.states[state].loop
        self.left = self.blind = False
        self.stack: list[Entry] = []
        self.calls = self.lines = 0
        self.met: int | None = None
        self.fresh = self.endless = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Notes a call of their code."""
        if event != "call" or not is_theirs(frame.f_code.co_filename):
            self.blind = self.blind or frame.f_code is ANOTHER_THREAD
            return None
        self.stack.append(self._entered())
        self.explorer.session.watch.note(frame.f_code, frame.f_globals)
        frame.f_trace_opcodes = bool(places(frame.f_code).loops)
        return self._local

    def _entered(self) -> Entry:
        self.calls += 1
        return Entry(self.calls, len(self.run.taken), len(self.run.draws))

    def _local(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.lines += 1
            if (self.left or len(self.run.taken) > self.start or self._out(frame)) and not self.run.halted:
                self._look(frame)
            if self.lines >= self.explorer.budget.lines or (not self.lines & 1023 and self.explorer.exhausted()):
                self.endless = self.lines >= self.explorer.budget.lines
                self.explorer.endless = self.explorer.endless or (line_of(frame) if self.endless else None)
                self.run.halt()
        elif event == "opcode":
            self._step(frame)
        elif event == "return":
            self.left = self.stack.pop().number == self.innermost or self.left
        return self._local

    def _step(self, frame: FrameType) -> None:
        """Counts the steps of for-loops."""
        call, here = self.stack[-1], frame.f_lasti
        loop = places(frame.f_code).loops.get(here)
        if loop is not None:
            if call.last == loop.entry:
                call.loops[here] = self._entered()
            if here in call.loops:
                call.loops[here].steps += 1
        call.last = here

    def _out(self, frame: FrameType) -> bool:
        """Returns whether the innermost for-loop around the state that the run started from has been left."""
        call = self.stack[-1]
        if self.loop is None or call.number != self.innermost:
            return False
        loop, number = self.loop
        now = call.loops.get(loop.start)
        inside = loop.start <= frame.f_lasti < loop.end
        return now is not None and (now.number > number or (now.number == number and not inside))

    def _look(self, frame: FrameType) -> None:
        place, call = places(frame.f_code).at.get(frame.f_lasti), self.stack[-1]
        if self.blind or place is None:
            return
        if not all(loop.start in call.loops and loop.is_plain(frame) for loop in place.loops):
            return
        session, draws = self.explorer.session, self.run.draws[: call.draws]
        try:
            reader = Reader(session.keep)
            state = reader.frame(frame, place.live, session.watch), reader.others(draws)
        except NoKey:
            return
        entered = [entry for outer in self.stack for entry in (outer, *outer.loops.values())]
        frames = {entry.number: self._entry(entry) for entry in entered}
        around = [call.loops[loop.start] for loop in place.loops]
        loops = tuple((frames[entry.number], entry.steps) for entry in around)
        key = frames[call.number], loops, id(frame.f_code), frame.f_lasti, state
        session.keep[id(frame.f_code)] = frame.f_code
        innermost = (place.loops[-1], around[-1].number) if around else None
        self.met, self.fresh = self.explorer.meet(
            key, lambda: State(tuple(self.run.taken), call.number, innermost, frames)
        )
        self.run.halt()

    def _entry(self, entry: Entry) -> Hashable:
        """Returns what names a call: all that ran before it is the same wherever the name is."""
        known = self.explorer.states[self.state].frames.get(entry.number)
        if known is not None:
            return known
        name = self.state, tuple(self.run.taken[self.start : entry.taken]), entry.number
        return self.explorer.entries.setdefault(name, len(self.explorer.entries))

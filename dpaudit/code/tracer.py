"""Watches a run of somebody's code, and finds the states that it comes to.

A run repeats the decisions of a script first. That part is not watched again: what a tracer knew at the last of them
was noted when it was first come to, and it goes on from there.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Thread
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple

from dpaudit.code.objects import NoKey
from dpaudit.code.places import is_inert, looks_at_callers, places
from dpaudit.code.run import EXPLORER, Changed, Piece, Run, begin_anew, is_ours, is_theirs, line_of
from dpaudit.code.states import Reader, is_type_checker

ANOTHER_THREAD = Thread.start.__code__
"""A run that starts a thread has no states from then on: what the thread does is not watched."""

sys._getframe().f_trace_opcodes = True  # Python 3.12 tells of instructions once a frame has asked before the tracing
LONG = 1 / 4
"""A run that takes this part of the seconds of a budget, and that the budget ends, may have no end."""


def watch_steps(frame: FrameType, trace: Any, by_step: bool) -> None:
    """Makes the trace watch the call, by instructions too; Python 3.13 wants it to be told in this order."""
    frame.f_trace = trace
    frame.f_trace_opcodes = by_step


class Entry(NamedTuple):
    """A call of one of their functions: its number in the run, and what went before it."""

    number: int
    taken: int
    draws: int


@dataclass(frozen=True)
class Mark:
    """What a tracer knows at a decision: the calls under way, how many there were, lines, whether the state is left."""

    stack: tuple[Entry, ...]
    calls: int
    lines: int
    left: bool


class Way(NamedTuple):
    """A path of decisions from a state on, with its probability from there; not followed yet."""

    path: tuple[Piece, ...]
    share: Fraction
    mark: Mark | None = None
    """Where its last decision stands, so that the run to there need not be watched again."""


@dataclass
class State:
    """Where the code stands; ``prefix`` are the decisions that led here first."""

    prefix: tuple[Piece, ...]
    call: int
    frames: dict[int, Hashable]
    line: tuple[str, int] = ("", 0)
    edges: dict[int, Fraction] = field(default_factory=dict)
    outputs: dict[Hashable, Fraction] = field(default_factory=dict)
    open: list[Way] = field(default_factory=list)

    def lead(self, number: int, share: Fraction) -> None:
        """Adds to the probability of the next state."""
        self.edges[number] = self.edges.get(number, Fraction(0)) + share


class Tracer:
    """Watches one run: looks for a state after a decision, or when the call it started in is left.

    A state that is known ends the run; through a new one it goes on, in a leg of its own.
    """

    def __init__(self, explorer: Any, run: Run, state: int, mark: Mark | None = None) -> None:
        self.explorer, self.run, self.state = explorer, run, state
        self.legs: list[tuple[int, int]] = []
        """The states that the run goes through, each with the number of the decisions before it."""
        self.blind = False
        self._begin(state)
        self.stack: list[Entry] = []
        self.calls = self.lines = 0
        self.met: int | None = None
        self.endless = False
        self.began = monotonic()
        self.marks: dict[int, Mark | None] = {}
        """By number of a decision: what was known then."""
        self.resumed = mark
        run.tracer = self

    def _begin(self, number: int) -> None:
        """Goes on from a state."""
        state = self.explorer.states[number]
        self.state, self.start = number, len(state.prefix)
        self.innermost, self.left = state.call, False
        self.legs.append((number, self.start))

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Notes a call of their code."""
        if event != "call" or not is_theirs(frame.f_code.co_filename):
            self.blind = self.blind or frame.f_code is ANOTHER_THREAD
            return None
        self.stack.append(self._entered())
        session, names = self.explorer.session, set(frame.f_code.co_names)
        session.watch.note(frame.f_code, frame.f_globals)
        if not session.all_live and (session.watch.looks or looks_at_callers(names)):
            session.all_live = True
            begin_anew()
        if session.watch.suspect:
            session.watch.suspect = False
            if session.met:
                begin_anew()
        watch_steps(frame, self._local, bool(places(frame.f_code).still))
        return self._local

    def mark(self) -> None:
        """Notes what is known at this decision."""
        watched = not self.blind and len(_frames_of_theirs(sys._getframe(1))) == len(self.stack)
        mark = Mark(tuple(self.stack), self.calls, self.lines, self.left) if watched else None
        self.marks[len(self.run.taken)] = mark

    def resume(self) -> None:
        """Goes on watching at the last decision of the script, as it was left there."""
        if self.resumed is None or self.run.over:
            return
        frames = _frames_of_theirs(sys._getframe(1))
        self.stack = list(self.resumed.stack)
        self.calls, self.lines = self.resumed.calls, self.resumed.lines
        self.left = self.resumed.left and len(self.run.script) > self.start
        if len(frames) != len(self.stack):
            self.run.stop(Changed("its calls differ in a second run: it is not a function of its draws"))
        for frame in frames:
            watch_steps(frame, self._local, bool(places(frame.f_code).still))
        sys.settrace(self)

    def _entered(self) -> Entry:
        self.calls += 1
        return Entry(self.calls, len(self.run.taken), len(self.run.draws))

    def _local(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.run.end_if_interrupted()
            self.lines += 1
            if (self.left or len(self.run.taken) > self.start) and not self.run.halted:
                self._look(frame)
            self._limit(frame)
        elif event == "opcode":
            if frame.f_lasti in places(frame.f_code).still:
                self.lines += 1
                self._limit(frame)
        elif event == "return":
            self.left = self.stack.pop().number == self.innermost or self.left
        return self._local

    def _limit(self, frame: FrameType) -> None:
        """Ends a run of too many lines, or one beyond the budget; names the line where it may have no end."""
        self.endless = self.lines >= self.explorer.budget.lines
        if self.endless or monotonic() >= self.explorer.session.deadline:
            if self.endless or monotonic() - self.began >= LONG * self.explorer.budget.seconds:
                self.explorer.endless = self.explorer.endless or line_of(frame)
            self.run.halt()

    def _look(self, frame: FrameType) -> None:
        live, call, session = places(frame.f_code).live.get(frame.f_lasti), self.stack[-1], self.explorer.session
        if self.blind or live is None or not session.merging:
            return
        draws = self.run.draws[: call.draws]
        try:
            reader = Reader(session.keep, session.watch, outside=session.outside)
            acting = (name for name, value in frame.f_locals.items() if session.all_live or not is_inert(value))
            around = _frames_around(frame.f_back)
            state = reader.frame(frame, live.union(acting), around, session.watch), reader.others(draws)
        except NoKey:
            return
        session.met = True
        frames = {entry.number: self._entry(entry) for entry in self.stack}
        key = frames[call.number], id(frame.f_code), frame.f_lasti, state
        session.keep[id(frame.f_code)] = frame.f_code
        line = frame.f_code.co_filename, frame.f_lineno
        number, fresh = self.explorer.meet(key, lambda: State(tuple(self.run.taken), call.number, frames, line))
        held = (*range(len(draws)), *(draw.number for draw in reader.draws))
        self.explorer.merges.came(self.state, number, fresh, self.run, held)
        if fresh:
            self._begin(number)
        else:
            self.met = number
            self.run.halted = True  # it ends where it draws or asks next: raised here, with-blocks might not be left

    def _entry(self, entry: Entry) -> Hashable:
        """Returns what names a call: all that ran before it is the same wherever the name is."""
        state: State = self.explorer.states[self.state]
        known = state.frames.get(entry.number)
        if known is not None:
            return known
        name = self.state, tuple(self.run.taken[self.start : entry.taken]), entry.number
        entries: dict[Hashable, int] = self.explorer.entries
        return entries.setdefault(name, len(entries))


def _frames_of_theirs(frame: FrameType | None) -> list[FrameType]:
    """Returns the calls of somebody's own code that are under way in this run, from this one outwards."""
    found: list[FrameType] = []
    while frame is not None and frame.f_code.co_filename != EXPLORER:
        if is_theirs(frame.f_code.co_filename):
            found.append(frame)
        frame = frame.f_back
    return found


def _frames_around(frame: FrameType | None) -> list[FrameType]:
    """Returns all calls under way in this run, from this one outwards, but for ours and those of type checkers."""
    found: list[FrameType] = []
    while frame is not None and frame.f_code.co_filename != EXPLORER:
        if not is_ours(frame.f_code.co_filename) and not is_type_checker(frame.f_globals):
            found.append(frame)
        frame = frame.f_back
    return found

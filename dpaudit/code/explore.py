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
from inspect import iscoroutine
from time import monotonic
from typing import Any

from dpaudit.code import chain
from dpaudit.code.lazy import settle
from dpaudit.code.merges import End, Merges
from dpaudit.code.objects import NoKey
from dpaudit.code.outputs import Form, differ, form
from dpaudit.code.quiet import silence
from dpaudit.code.run import KEPT, RUNS, Changed, Halted, Past, Refused, Run, innermost, is_theirs, raised_at
from dpaudit.code.states import Reader
from dpaudit.code.tracer import State, Tracer, Way

ROUND = 1000
"""A round follows what is likely enough to leave this part of the mass that was open before it."""

MOST_LEAVES = 10_000
"""So many ends are kept, some of which are run again with plain numbers."""
COLLECT = 2000
"""Garbage is collected once in so many runs, between them."""


@dataclass(frozen=True)
class Raised:
    """An output that is an exception; of a sub-sampler with all that tells it from others, and one like it."""

    kind: str
    key: Hashable = field(default=None, repr=False)
    error: BaseException | None = field(default=None, repr=False, compare=False)

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
    """What may stay open between the boxes where many-valued draws decide together; half of it takes twice as long."""


class Explorer:
    """The graph of one function of the random source."""

    def __init__(
        self,
        function: Callable[[], Any],
        session: Any,
        budget: Budget,
        forms: dict[Hashable, Form],
        inner: Any = None,
        at: str = "",
    ) -> None:
        self.function, self.session, self.budget, self.at = function, session, budget, at
        self.forms, self.inner = forms, inner
        """``inner`` takes what a sub-sampler returns or raises, which stays what it is: a list, a number of numpy."""
        self.states = [State((), 0, {}, open=[Way((), Fraction(1))])]
        self.known: dict[Hashable, int] = {}
        self.entries: dict[Hashable, int] = {}
        self.values: dict[Hashable, Any] = {}
        self.leaves: list[End] = []
        self.merges = Merges()
        self.errors: dict[Hashable, str] = {}
        self.raised_at: dict[Hashable, str] = {}
        self.assumptions: set[str] = set()
        self.endless: str | None = None
        self.boxed: str | None = None
        """The first line at which several draws of many values decide together."""
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
        tracer = Tracer(self, run, i, way.mark)
        output, ended = self.perform(run, tracer)
        if len(run.taken) < len(run.script) and not tracer.endless:
            raise Changed(KEPT)
        found: list[tuple[float, int, Way]] = []
        others, place, part, share = dict(run.alternatives), len(run.script), 1.0, way.share
        starts = [start for _, start in tracer.legs]
        for leg, end in enumerate([*starts[1:], len(run.taken)]):
            j, start = tracer.legs[leg]
            state = self.states[j]
            for k in range(place, end):
                path = tuple(run.taken[start:k]) if k in others else ()
                found += [
                    (part * float(piece.share), j, Way((*path, piece), share * piece.share, tracer.marks[k]))
                    for piece in others.get(k, ())
                ]
                share, part = share * run.taken[k].share, part * float(run.taken[k].share)
            place = end
            if leg + 1 < len(starts):
                state.lead(tracer.legs[leg + 1][0], share)
                share = Fraction(1)
        if ended:
            self._end(state, run, output, share)
            self.merges.ended(tracer.legs[-1][0], run, output)
        elif tracer.met is not None:
            state.lead(tracer.met, share)
        elif not tracer.endless:
            mark = tracer.marks.get(len(run.taken) - 1, way.mark)
            state.open.append(Way(tuple(run.taken[starts[-1] :]), share, mark))
        for draw in run.draws:
            draw.__class__ = Past
        return found

    def perform(self, run: Run, tracer: Any = None) -> tuple[Any, bool]:
        """Returns the output of one run, and whether it came to its end."""
        self.runs += 1
        if not self.runs % COLLECT:
            gc.collect()
        before, around = sys.gettrace(), self.session.outside
        self.session.outside = sys.exc_info()[1]
        RUNS.append(run)
        output: Any = None
        try:
            sys.settrace(tracer if run.tracer is None or run.tracer.resumed is None else None)
            try:
                with silence(self.session.heard):
                    value = self.function()
            finally:
                self.session.heard = True
                sys.settrace(before)
                run.over = True
            output, run.form = self._finished(value)
        except Halted:
            if not run.halted and run.refused is None:
                raise Changed(KEPT) from None
        except RecursionError:
            raise Refused("its code recurses without end") from None
        except (Exception, SystemExit) as error:
            if isinstance(error, SystemExit) and not is_theirs(innermost(error)):
                raise
            output = self._raised(error)
            self.errors.setdefault(output, f"{error}")
            self.raised_at.setdefault(output, raised_at(error))
        finally:
            self.session.outside = around
            RUNS.remove(run)
            self.assumptions |= run.assumptions
            self.boxed = self.boxed or run.boxed
        if run.refused is not None:
            raise run.refused
        if self.inner is not None and not run.halted and not run.plain:
            self.inner.check()
        return output, not run.halted

    def _finished(self, value: Any) -> tuple[Any, Form]:
        """Returns an output without open numbers, and of which containers it was made."""
        if iscoroutine(value):
            value.close()  # it is refused; left alone it would complain that nobody awaited it
        if self.inner is not None:
            return self.inner.value(value), None
        return settle(value), form(value)

    def _raised(self, error: BaseException) -> Raised:
        title = self.session.title(type(error))
        return Raised(title) if self.inner is None else Raised(title, *self.inner.error(error))

    def key(self, output: Any) -> Hashable:
        """Returns a key of an output; 1, 1.0 and True are three."""
        if isinstance(output, Raised):
            return output
        reader, kind = Reader(self.session.keep, is_output=self.inner is None), type(output).__name__
        try:
            found = reader.key(output)
        except NoKey:
            raise Refused(f"{self.at}the output is a {kind}; return numbers, text or tuples of them") from None
        if reader.draws:
            raise Refused(f"{self.at}the output is a {kind} that holds a draw: make it known before, with int(...)")
        return found

    def _end(self, state: State, run: Run, output: Any, share: Fraction) -> None:
        key = self.key(output)
        self.values.setdefault(key, output)
        before = self.forms.setdefault(key, run.form)
        if before != run.form:
            words = f"the output {output}, or a part of it, comes as {differ(before, run.form)}"
            raise Refused(f"{words}: two outputs that would count as one; return one kind")
        if self.inner is None and self.session.texts.setdefault((type(output), repr(output)), key) != key:
            raise Refused(f"two outputs that differ have one text, {output}: return numbers, text or tuples of them")
        state.outputs[key] = state.outputs.get(key, Fraction(0)) + share
        if len(self.leaves) >= MOST_LEAVES and not isinstance(output, Raised):
            return
        self.leaves.append(End.of(run, output))

    def meet(self, key: Hashable, make: Callable[[], State]) -> tuple[int, bool]:
        """Returns the number of the state with this key, and whether it is new; ``make`` makes it."""
        number = self.known.setdefault(key, len(self.states))
        if number < len(self.states):
            return number, False
        self.states.append(make())
        return number, True

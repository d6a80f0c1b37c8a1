"""Every merged way is run on to ends of the code, with plain numbers: a second way to the same output.

Where a run comes to a state that is known, it is not followed further: what comes after was followed from the run that
was there first. If the two states only look equal (the code keeps something that is not seen), the run that was left
may end elsewhere. So it is run on: its own draws first, then those with which the other run went on to an end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dpaudit.code.run import Run

MOST_NUMBERS = 1_000_000
"""So many numbers of draws are kept; beyond, of the merged ways every second one."""
ENDS = 64
"""So many ends are tried from each state, at the most; ``KEPT`` are kept of those that a state leads to at once."""
KEPT = 16
MIXING = 2_654_435_761
MOST_STATES = 200
"""So far ends are looked for; for the first one as far as needed."""


@dataclass(frozen=True)
class End:
    """Where the code ends: the numbers m of all draws, lowest and highest, and what comes out."""

    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    output: Any

    @classmethod
    def of(cls, run: Run, output: Any) -> End:
        """Returns the end that the run has come to."""
        return cls(*_numbers(run), output)


@dataclass(frozen=True)
class Merge:
    """A run that came to a known state: its draws so far, and which of them the state still holds, in its order."""

    target: int
    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    held: tuple[int, ...]

    def on_to(self, end: End, known: Known) -> End:
        """Returns the end, as this run comes to it; ``known`` is the state in which it goes over to the other."""
        lowest, highest = self._on(self.lowest, end.lowest, known), self._on(self.highest, end.highest, known)
        return End(lowest, highest, end.output)

    def _on(self, own: tuple[int, ...], other: tuple[int, ...], known: Known) -> tuple[int, ...]:
        found = list(own)
        for mine, theirs in zip(self.held, known.held, strict=True):
            found[mine] = other[theirs]
        return (*found, *other[known.draws :])


@dataclass
class Known:
    """What is kept of a state: how many draws came before it, which of them it holds, and where it leads to."""

    draws: int = 0
    held: tuple[int, ...] = ()
    ends: list[End] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    """States that a run through this one was the first to come to: their draws begin with those of this one."""
    merges: list[Merge] = field(default_factory=list)


class Merges:
    """The ways between the states of one graph, as numbers of draws."""

    def __init__(self) -> None:
        self.states: dict[int, Known] = {0: Known()}
        self._numbers = 0
        self._every, self._count = 1, 0
        self._tails: dict[int, list[End]] = {}

    def came(self, source: int, target: int, is_fresh: bool, run: Run, held: tuple[int, ...]) -> None:
        """Notes that a run has come from one state to another."""
        if is_fresh:
            self.states[source].fresh.append(target)
            self.states[target] = Known(len(run.draws), held)
            return
        self._count += 1
        if self._count % self._every:
            return
        self._numbers += 2 * len(run.draws)
        self.states[source].merges.append(Merge(target, *_numbers(run), held))
        if self._numbers > MOST_NUMBERS:
            self._thin()

    def _thin(self) -> None:
        self._every, self._numbers = 2 * self._every, 0
        for state in self.states.values():
            state.merges = state.merges[::2]
            self._numbers += sum(2 * len(merge.lowest) for merge in state.merges)

    def ended(self, source: int, run: Run, output: Any) -> None:
        """Notes that a run has come to an end."""
        ends = self.states[source].ends
        if len(ends) < KEPT:
            ends.append(End.of(run, output))

    def trials(self) -> Iterator[tuple[int, End]]:
        """Gives, for every merged way and each of some ends behind it, the state it was merged in and the end.

        First one end of every way, in a mixed order, then a second one, and so on.
        """
        ways = [merge for state in self.states.values() for merge in state.merges]
        ways = [ways[i] for i in sorted(range(len(ways)), key=lambda i: i * MIXING % (1 << 32))]
        for number in range(ENDS):
            for merge in ways:
                tails = self._ends_behind(merge.target)
                if number < len(tails):
                    yield merge.target, merge.on_to(tails[number], self.states[merge.target])

    def _ends_behind(self, number: int) -> list[End]:
        """Returns some ends that the code comes to from the state, as its own run comes to them; one of each output
        first, then a second one of each, and so on.
        """
        if number not in self._tails:
            counts: dict[str, int] = {}
            ranked: list[tuple[int, int, End]] = []
            for end in self._search(number):
                text = repr(end.output)
                counts[text] = counts.get(text, 0) + 1
                ranked.append((counts[text], len(ranked), end))
            self._tails[number] = [end for *_, end in sorted(ranked, key=lambda one: one[:2])]
        return self._tails[number]

    def _search(self, number: int) -> Iterator[End]:
        todo, met, found = deque[tuple[int, tuple[tuple[Merge, Known], ...]]]([(number, ())]), {number}, 0
        while todo and (len(met) < MOST_STATES or not found):
            here, way = todo.popleft()
            state = self.states[here]
            for end in state.ends:
                for merge, known in reversed(way):
                    end = merge.on_to(end, known)
                yield end
                found += 1
                if found == ENDS:
                    return
            onward = [(target, way) for target in state.fresh]
            onward += [(merge.target, (*way, (merge, self.states[merge.target]))) for merge in state.merges]
            for target, path in onward:
                if target not in met:
                    met.add(target)
                    todo.append((target, path))


def _numbers(run: Run) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the lowest and the highest number of each draw."""
    return tuple(draw.m(draw.lo) for draw in run.draws), tuple(draw.m(draw.hi - 1) for draw in run.draws)

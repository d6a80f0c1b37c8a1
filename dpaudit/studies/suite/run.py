"""The whole suite: every row with its exact answer, over all inputs and for every epsilon where that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from dpaudit.noise.suite import every_epsilon
from dpaudit.noise.suite.all_inputs import AllInputs, over_all_inputs
from dpaudit.noise.suite.every_epsilon import DECIDED, OTHERS, EveryEpsilon
from dpaudit.noise.suite.gaussian_rows import GAUSSIAN_ROWS, solve_gaussian
from dpaudit.noise.suite.rows import ROWS, Row
from dpaudit.noise.suite.solve import Answer, solve
from dpaudit.numbers.errors import InputError
from dpaudit.studies.suite.local_rows import LOCAL_ROWS, RAPPOR_ROWS

BEFORE_RAPPOR = 1 + [row.name for row in ROWS].index("SVT6")
ALL: tuple[Row, ...] = (*ROWS[:BEFORE_RAPPOR], *RAPPOR_ROWS, *ROWS[BEFORE_RAPPOR:], *LOCAL_ROWS, *GAUSSIAN_ROWS)


@dataclass(frozen=True)
class Entry:
    """A row with everything that is known of it."""

    answer: Answer
    """The true ε over the suite's pairs, where it is attained, and the value at c."""
    over_all: AllInputs | None
    """The supremum over all inputs, where it is proved."""
    every: EveryEpsilon | None
    """None where it is not decided."""

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON."""
        name = self.answer.row.name
        verdict = None if self.every is None else self.every.verdict.value
        every = {
            "verdict": verdict,
            "powers": None if self.every is None else self.every.powers,
            "where": None if self.every is None else self.every.where or None,
            "undecided_because": OTHERS.get(name),
        }
        all_inputs = None if self.over_all is None else self.over_all.to_dict()
        return {**self.answer.to_dict(), "all_inputs": all_inputs, "every_epsilon": every}


def chosen(names: Sequence[str]) -> list[Row]:
    """The rows of these names; all where none is named."""
    known = {row.name: row for row in ALL}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1) or list(known)[:3]
            raise InputError("name", name, f"is not a row of the suite; there is {', '.join(near)}")
    return [row for row in ALL if not names or row.name in names]


def suite(names: Sequence[str] = (), progress: Callable[[int, int], None] | None = None) -> list[Entry]:
    """The answers of these rows, or of all."""
    rows, found = chosen(names), list[Entry]()
    for number, row in enumerate(rows):
        if progress is not None:
            progress(number, len(rows))
        answer = solve_gaussian(row) if row in GAUSSIAN_ROWS else solve(row)
        decided = every_epsilon.decide(row) if row.name in DECIDED else None
        found.append(Entry(answer, over_all_inputs(row.name), decided))
    return found


def document(entries: Sequence[Entry]) -> dict[str, Any]:
    """The JSON of ``dpaudit suite --json``."""
    return {"rows": [entry.to_dict() for entry in entries]}

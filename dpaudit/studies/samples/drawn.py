"""dpaudit samples --draw: run a mechanism often and count its outputs, also where its code cannot be followed.

Outputs come from the method ``draw(x)`` of a user's own class, which calls the code whose law the class documents;
from ``sample(x, rng)`` with a real generator where the class has that alone; else from the mechanism's exact law.
"""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO

from dpaudit.files.text import csv_cell
from dpaudit.files.writing import write_file
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole
from dpaudit.privacy.effort import Progress
from dpaudit.privacy.protocols import Dataset, Output, text
from dpaudit.studies.samples.fit import rows

MOST_DRAWS = 10**9
MOST_OUTPUTS = 10**4
"""More different outputs than this are no events that counts could say something of."""
BATCH = 1000
"""Draws between two reports of progress."""


def drawn(
    mechanism: Mechanism, times: int | str, pair: list[str] | None, progress: Progress | None = None
) -> dict[str, dict[str, int]]:
    """The counts of ``times`` outputs of each data set, or of the two of ``pair``, by their names."""
    number = whole("draw", times, 1, MOST_DRAWS)
    wanted = list(mechanism.datasets()) if pair is None else list(rows(mechanism, pair, "pair").values())
    seen: dict[Dataset, Counter[Output]] = {}
    for i, x in enumerate(wanted):
        one, seen[x] = mechanism.runs(x), Counter()
        for start in range(0, number, BATCH):
            seen[x].update(one() for _ in range(min(BATCH, number - start)))
            if len(seen[x]) > MOST_OUTPUTS:
                some = next(iter(seen[x]))
                how = "round them, return round(r, 1)" if isinstance(some, float) else "return fewer, bins or a bool"
                rule = f"{text(x)} gives more than {MOST_OUTPUTS} different outputs, such as {text(some)}: {how}"
                raise InputError("draw", times, rule)
            if progress:
                progress(i * number + start, len(wanted) * number)
    return _named(mechanism, seen)


def _named(mechanism: Mechanism, seen: dict[Dataset, Counter[Output]]) -> dict[str, dict[str, int]]:
    """The counts by names, a column for every output of the law and every output seen; twins are refused."""
    listed = [] if mechanism.only_code else list(mechanism.outputs())
    outputs = dict.fromkeys([*listed, *(output for counts in seen.values() for output in counts)])
    if listed and len(outputs) > len(listed):
        stranger = text(list(outputs)[len(listed)])
        raise InputError("draw", stranger, f"is drawn, but is not an output of the law of {mechanism.name}")
    names: dict[str, Output] = {}
    for output in outputs:
        if names.setdefault(text(output), output) != output:
            raise InputError("draw", text(output), "is the text of two different outputs")
    return {text(x): {name: counts[output] for name, output in names.items()} for x, counts in seen.items()}


def keep(path: str, counts: dict[str, dict[str, int]]) -> None:
    """Writes the counts as the CSV file that ``dpaudit samples`` reads."""
    sheet = StringIO()
    lines: list[list[object]] = [["", *next(iter(counts.values()))], *([x, *row.values()] for x, row in counts.items())]
    csv.writer(sheet, lineterminator="\n").writerows([[csv_cell(cell) for cell in line] for line in lines])
    write_file("COUNTS", path, sheet.getvalue())

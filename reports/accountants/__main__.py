"""Accountants against certified bounds: ``python -m reports.accountants`` computes, ``... page`` writes the report.

``... bounds`` computes our bounds again, and marks beside them what the accountants said, which is not asked again.

Every finished row is appended to rows.jsonl at once; a run that is killed goes on where it stopped.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.accounting.event import Event
from dpaudit.accounting.grid import Question
from dpaudit.accounting.reading import read
from dpaudit.accounting.rivals import installed, mark, rivals
from dpaudit.accounting.solve import solve
from dpaudit.numbers.bounds import Bounds
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import outward
from reports.accountants.page import read_row, write, written_row
from reports.accountants.settings import DELTAS, compositions

HERE = Path(__file__).parent
ROWS = HERE / "rows.jsonl"
GAP, MOST_CELLS = 2e-3, 1 << 17
SECONDS = 60
"""An accountant that takes longer at one composition is given up there."""


class Late(Exception):
    """It takes too long."""


def late(*_: object) -> None:
    """Ends an accountant that takes too long."""
    raise Late(f"gave no answer in {SECONDS} s")


def row(words: list[str]) -> dict[str, Any]:
    """Certified bounds of epsilon at every delta, and what the others say."""
    events = [read(text) for text in words]
    known, ours = bounded(events)
    said = []
    signal.alarm(SECONDS)
    try:
        said += [rival.to_dict() for rival in rivals(events, known)]
    except Late:
        pass
    finally:
        signal.alarm(0)
    return {"events": words, **ours, "others": said}


def bounded(events: list[Event]) -> tuple[list[tuple[Fraction, Bounds]], dict[str, Any]]:
    """Our bounds of epsilon at every delta: as they are, and as the members of a row."""
    start = time.process_time()
    questions = [Question(delta=Fraction(delta)) for delta in DELTAS]
    found = solve(events, questions, GAP, MOST_CELLS)
    seconds = time.process_time() - start
    known = [(q.delta or Fraction(0), found.known[q]) for q in questions]
    certified = [
        {"delta": delta, **outward(bounds.lower, bounds.upper, 12).to_dict()}
        for delta, (_, bounds) in zip(DELTAS, known, strict=True)
        if bounds.upper != float("inf")
    ]
    return known, {"certified": certified, "method": found.method, "seconds": round(seconds, 2)}


def renewed(old: dict[str, Any]) -> dict[str, Any]:
    """The row with our bounds computed again, and every answer of the others marked beside them."""
    known, ours = bounded([read(text) for text in old["events"]])
    others = []
    for said in old["others"]:
        if "epsilon" in said:
            bounds = dict(known)[Fraction(said["delta"])]
            said = mark(said["accountant"], Fraction(said["delta"]), float(said["epsilon"]), bounds).to_dict()
        others.append(said)
    return {**old, **ours, "others": others}


def renew() -> None:
    """Renews every row, each in its place as soon as it is known."""
    lines = ROWS.read_text().splitlines()
    for i, line in enumerate(lines):
        lines[i] = compact(renewed(read_row(line)))
        ROWS.write_text("\n".join(lines) + "\n")
        print(i + 1, read_row(lines[i])["events"], flush=True)


def compact(found: dict[str, Any]) -> str:
    """The row as one line; what an accountant does not say is left out, and a distance has four digits."""
    for said in found["others"]:
        said["delta"] = powers(said["delta"])
        if "epsilon_float_not_certified" in said:
            said["epsilon"] = said.pop("epsilon_float_not_certified")
        if said.get("relative_distance") is not None:
            said["relative_distance"] = float(f"{said['relative_distance']:.4g}")
    return written_row(found)


def main() -> None:
    """Computes what is missing, for as many minutes as the first argument says."""
    if sys.argv[1:] == ["page"]:
        write(HERE)
        return
    if sys.argv[1:] == ["bounds"]:
        renew()
        write(HERE)
        return
    until = time.monotonic() + 60 * float(sys.argv[1]) if sys.argv[1:] else float("inf")
    done = [json.loads(line)["events"] for line in ROWS.read_text().splitlines()] if ROWS.exists() else []
    signal.signal(signal.SIGALRM, late)
    print(installed())
    for words in compositions():
        if words in done:
            continue
        if time.monotonic() > until:
            break
        with ROWS.open("a") as file:
            file.write(compact(row(words)) + "\n")
        print(words, flush=True)
    write(HERE, installed())


if __name__ == "__main__":
    main()

"""python -m tests.mutation [NAME ...]: mutate the engine, run the tests on every mutant, list the survivors.

A name is a room, a package or a module (``numbers``, ``evidence.verifier``, ``numbers.balls``). The tests of a room are
those in tests/ROOM, the doctests of its modules and what ``--tests`` adds. Besides being killed, by a test, the time
limit or a crash, a mutant may survive; no test may enter its function (unreached); or it cannot be put in place in a
running process (not tried: most of all in the body of a class). Exit code 1 if any survived or is unreached.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from tests.mutation.operators import Mutant, mutants
from tests.mutation.reach import Outcome, Room, try_room

ROOT = Path(__file__).parents[2]
KILLED = ("killed", "timeout", "crash")
KINDS = (*KILLED, "survived", "unreached", "not tried")
SLOW = 2.0
"""A test function whose cases take more CPU seconds than this runs only with --all."""


def say(text: str) -> None:
    """Prints even while pytest captures the output of tests."""
    print(text, file=sys.__stdout__, flush=True)


def sources(wanted: list[str]) -> dict[str, Path]:
    """The modules of dpaudit that the names select, in the order of the names; all of them without names."""
    parts = {path.relative_to(ROOT / "dpaudit").with_suffix("").parts: path for path in ROOT.glob("dpaudit/*/**/*.py")}
    names = {".".join(part for part in key if part != "__init__"): path for key, path in sorted(parts.items())}
    return {m: path for name in wanted or [""] for m, path in names.items() if f"{m}.".startswith(name and f"{name}.")}


def slow_tests() -> set[str]:
    """The test functions that take long, by slow.txt."""
    lines = (ROOT / "tests" / "slow.txt").read_text().splitlines()
    return {name for name, seconds in (line.rsplit(" ", 1) for line in lines) if float(seconds) > SLOW}


def record(mutant: Mutant, outcome: Outcome, seconds: float, log: Path | None) -> str:
    """The kind of the outcome, which is logged, and printed if no test noticed the mutant."""
    if log:
        entry = {"mutant": mutant.text, "line": mutant.line, **vars(outcome), "seconds": round(seconds, 2)}
        with log.open("a") as file:
            file.write(json.dumps(entry) + "\n")
    if outcome.kind == "survived":
        say(f"survived {outcome.ran} of {outcome.reaching} tests: line {mutant.line} {mutant.text}")
    elif outcome.kind == "unreached":
        say(f"unreached: line {mutant.line} {mutant.text}")
    return outcome.kind


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a room, a package or a module; default all")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="tests of other rooms to run as well")
    parser.add_argument("--all", action="store_true", help=f"also the tests that take more than {SLOW} CPU seconds")
    parser.add_argument("--seconds", type=float, default=20, help="CPU seconds of tests per mutant; default 20")
    parser.add_argument("--only", default="", help="mutants whose text contains this")
    parser.add_argument("--list", action="store_true", help="list the mutants and run nothing")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a sample: every N-th mutant of each module")
    parser.add_argument("--log", type=Path, help="append one JSON line per mutant; killed ones are not rerun")
    return parser.parse_args()


def main() -> int:
    """Runs what the command line asks for."""
    options = arguments()
    files = sources(options.names)
    work = {m: [x for x in mutants(path.read_text(), m)[:: options.every] if options.only in x.text]
            for m, path in files.items()}  # fmt: skip
    if options.list:
        say("\n".join(mutant.text for each in work.values() for mutant in each))
        return 0
    log = options.log.read_text().splitlines() if options.log and options.log.exists() else []
    known = {entry["mutant"]: entry["kind"] for entry in map(json.loads, log)}
    tallies: dict[str, Counter[str]] = {m: Counter() for m in work}

    def visit(room: Room) -> None:
        say(f"{len(room.tests)} tests of {sum(test.seconds for test in room.tests):.0f} CPU seconds when recorded")
        for name in room.left_out:
            say(f"left out, as it starts processes or fails under the recorder: {name[:110]}")
        for module, each in work.items():
            for mutant in each if files[module].is_relative_to(room.folder) else []:
                kind, begin = known.get(mutant.text, ""), time.monotonic()
                if kind not in KILLED:
                    kind = record(mutant, room.try_mutant(mutant, files[module]), time.monotonic() - begin, options.log)
                tallies[module][kind] += 1

    for name in dict.fromkeys(m.split(".")[0] for m in work):
        tests = [path for path in (ROOT / "tests" / name, *map(Path, options.tests)) if path.exists()]
        slow = set() if options.all else slow_tests()
        try_room(ROOT / "dpaudit" / name, tests, slow, options.seconds, visit)
    total = sum(tallies.values(), Counter())
    say(f"| module | mutants | {' | '.join(KINDS)} |\n|---|---|{'---|' * len(KINDS)}")
    for module, tally in [*tallies.items(), ("all", total)]:
        say(f"| {module} | {tally.total()} | {' | '.join(str(tally[kind]) for kind in KINDS)} |")
    return 1 if total["survived"] or total["unreached"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""python -m tests.net [--minutes M] [--cases N] [--seed S] [--workers W] [--case JSON]: the long run of the net.

Exit code 1 if two paths disagree somewhere. ``--case`` takes one setting as a finding prints it.
"""

from __future__ import annotations

import argparse
import sys

from .run import Tally, cast, examine
from .settings import Own, from_json


def main() -> int:
    """Runs the net and prints what it found."""
    parser = argparse.ArgumentParser(prog="python -m tests.net", description=__doc__)
    parser.add_argument("--minutes", type=float, help="how long to run")
    parser.add_argument("--cases", type=int, help="how many settings to draw (default: 200, if no minutes are given)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="processes; default: all cores")
    parser.add_argument("--case", help="one setting, as JSON")
    chosen = parser.parse_args()
    if chosen.case:
        case, tally = from_json(chosen.case), Tally()
        if isinstance(case, Own):
            print(case.source())
        examine(case, tally)
    else:
        count = 200 if chosen.cases is None and chosen.minutes is None else chosen.cases
        tally = cast(chosen.seed, chosen.minutes, count, chosen.workers, lambda line: print(line, flush=True))
    for line in tally.report():
        print(line)
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())

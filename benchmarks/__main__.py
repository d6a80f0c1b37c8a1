"""python -m benchmarks [--quick]: measures, prints one table of ratios, writes benchmarks/results.json."""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks import own
from benchmarks.task import used

MECHANISMS = ("EHDS", "EHD", "EHDL", "MH", "MHdelta")
RESULTS = Path(__file__).with_name("results.json")


def run(*arguments, repeat=1):
    """The task in a process of its own; the fastest of several runs."""
    command = [sys.executable, "-m", "benchmarks.task", *map(str, arguments)]
    best = None
    for _ in range(repeat):
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        best = found if best is None or found["seconds"] < best["seconds"] else best
    print(f"  {' '.join(map(str, arguments))}: {best['seconds']:.3g} s", file=sys.stderr)
    return best


def start_up(*arguments):
    """Processor seconds of a whole command, interpreter and all, its modules compiled already; the fewest of ten."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(10):
        start = used()[0]
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
        times.append(used()[0] - start)
    return min(times)


class Table:
    """Ratios: ours over theirs, smaller is better."""

    def __init__(self):
        self.ratios, self.growth, self.peaks = [], [], []

    def ratio(self, what, ours, theirs, rival):
        self.ratios.append(
            {
                "what": what,
                "rival": rival,
                "ratio": round(ours["seconds"] / theirs["seconds"], 4),
                "ours": ours,
                "theirs": theirs,
            }
        )

    def exponent(self, what, small, large, sizes):
        exponent = math.log(large["seconds"] / small["seconds"]) / math.log(sizes[1] / sizes[0])
        self.growth.append({"what": what, "exponent": round(exponent, 3), "seconds": round(large["seconds"], 3)})

    def peak(self, what, found):
        self.peaks.append({"what": what, "mib": round(found["peak_mib"]), "seconds": round(found["seconds"], 3)})


def measure_family(table, quick=False):
    """The documents' family: the true ε at small and huge n."""
    small, large = (1000, 10_000) if quick else (10_000, 100_000)
    for mech in MECHANISMS:
        first = run("certified", mech, small, repeat=3)
        rival = run("numpy", mech, small, repeat=3)
        table.ratio(f"true ε of {mech}, k = 2, n = {small}", first, rival, "numpy float64 brute force")
        second = run("certified", mech, large)
        table.exponent(f"{mech}, k = 2, n = {small} to {large}", first, second, (small, large))
        table.peak(f"{mech}, k = 2, n = {large}", second)
    ends = run("certified", "EHDS", large, repeat=3)
    table.ratio(f"true ε of EHDS, n = {large}, by its ends", ends, run("usual", "EHDS", large), "every pair bounded")
    for n in (10**7, 10**9):
        found = run("certified", "EHDS", n, repeat=3)
        table.exponent(f"EHDS by its ends, n = {large} to {n}", ends, found, (large, n))
        table.peak(f"EHDS by its ends, n = {n}", found)
    few = 30 if quick else 60
    many = 100 if quick else 200
    for mech, prior in (("EHDS", ""), ("EHDS", "1,2,3")):
        name = f"{mech}, k = 3, prior {prior or '1,1,1'}"
        first, second = (run("certified", mech, n, 3, "fast", 15, prior) for n in (few, many))
        table.exponent(f"{name}, n = {few} to {many}", first, second, (few, many))
        table.peak(f"{name}, n = {many}", second)
    tiers = [run("certified", "EHDS", 1000, 2, tier, repeat=2) for tier in ("fast", "exact")]
    table.ratio("true ε of EHDS, k = 2, n = 1000", *tiers, "our own all-arb tier")
    tiers = [run("certified", "EHDS", few, 3, tier) for tier in ("fast", "exact")]
    table.ratio(f"true ε of EHDS, k = 3, n = {few}", *tiers, "our own all-arb tier")
    ours = run("certified", "EHDS", 40, 2, "auto", 30, repeat=3)
    table.ratio("true ε of EHDS, 30 digits, n = 40", ours, run("mpmath", 40, 30, repeat=3), "mpmath brute force")
    ours, theirs = run("delta", 100, "1/5", repeat=3), run("accounting", 100, 0.2, repeat=3)
    table.ratio("δ(1/5) of EHDS, all pairs, n = 100", ours, theirs, "dp-accounting, symmetric=False")
    ours = run("certified", "LSDim", 10**9, repeat=3)
    table.peak("LSDim (closed form), k = 2, n = 10⁹", ours)


def measure_tables(table, quick=False):
    """What people bring: mechanisms entry by entry, tables, ties, k = 3."""
    for kind, size in (
        ("response", 100 if quick else 500),
        ("geometric", 50 if quick else 200),
        ("rappor", 6 if quick else 10),
    ):
        ours, theirs = (run(task, kind, size, repeat=3) for task in ("own", "own_float"))
        table.ratio(f"true ε of {own.NAMES[kind].format(size)}", ours, theirs, "the same code in floats, and numpy")
    sizes = (100, 200) if quick else (500, 1000)
    first, second = (run("table", size, size) for size in sizes)
    what = "a table of {0} × {0} rationals"
    plain = run("table_fractions", sizes[1], sizes[1])
    table.ratio(f"true ε of {what.format(sizes[1])}", second, plain, "Fractions in plain Python")
    table.exponent(f"tables of n × n rationals, n = {sizes[0]} to {sizes[1]}", first, second, sizes)
    table.peak(what.format(sizes[1]), second)
    wide = (50, 500) if quick else (200, 5000)
    ours, plain = run("table_exp", *wide), run("table_exp_numpy", *wide, repeat=3)
    table.ratio(f"true ε of {wide[0]} × {wide[1]} quotients of exp", ours, plain, "numpy")
    table.peak(f"{wide[0]} × {wide[1]} quotients of exp", ours)
    ours, plain = run("table_weights", *wide), run("table_weights_numpy", *wide, repeat=3)
    table.ratio(f"true ε of {wide[0]} × {wide[1]} log-weights", ours, plain, "numpy")
    table.peak(f"{wide[0]} × {wide[1]} log-weights", ours)
    n = 10 if quick else 20
    *tied, plain = (run("certified", mech, n, 5, "fast", repeat=2) for mech in ("EHD", "MHdelta", "EHDS"))
    for mech, found in zip(("EHD", "MHdelta"), tied, strict=True):
        table.ratio(f"true ε of {mech}, k = 5, n = {n}, which has ties", found, plain, "our own EHDS")
    small, large = (10**4, 10**5) if quick else (10**4, 10**6)
    first, second = (run("certified", "MHdelta", n, repeat=3) for n in (small, large))
    for n, found in ((small, first), (large, second)):
        plain = run("certified", "EHDS", n, repeat=3)
        table.ratio(f"true ε of MHdelta, k = 2, n = {n}, by its ends", found, plain, "our own EHDS")
    table.exponent(f"MHdelta by its ends, n = {small} to {large}", first, second, (small, large))
    n = 40 if quick else 200
    ours = run("certified", "EHDS", n, 3, "fast")
    table.ratio(f"true ε of EHDS, k = 3, n = {n}", ours, run("numpy_3", n), "numpy float64 brute force")
    table.peak(f"EHDS, k = 3, n = {n}, prior 1,1,1", ours)


CURVES = {
    "profile": ("the whole privacy profile", "its vertices, Rényi divergences and ρ on a grid, in numpy"),
    "renyi": ("the largest Rényi divergence of order 2", "numpy"),
    "rho": ("ρ of zCDP", "numpy, at ten orders only"),
    "trade-off": ("an f-DP claim", "numpy"),
    "mu": ("μ of Gaussian DP", "numpy and scipy"),
}


def measure_curves(table, quick=False):
    """Sums over all outputs of all pairs: profile, divergences, tests."""
    n, large = (400, 800) if quick else (700, 10_000)
    for what, (words, rival) in CURVES.items():
        ours = run("curve", what, n, repeat=2)
        table.ratio(f"{words} of EHDS, n = {n}", ours, run("curve_numpy", what, n, repeat=2), rival)
        table.peak(f"{words} of EHDS, n = {n}", ours)
        more = run("curve", what, large)
        table.exponent(f"{words} of EHDS, n = {n} to {large}", ours, more, (n, large))
        table.peak(f"{words} of EHDS, n = {large}", more)


def measure_claims(table):
    """All claims, by two processes and by one."""
    two, one = run("claims", 2), run("claims", 1)
    table.ratio("all claims, --jobs 2", two, one, "--jobs 1")
    table.peak("all claims, --jobs 1", one)


def measure_start(table):
    """The first command beside the import of the library that it computes with."""
    what, command = "epsilon --mech EHDS --n 5", ("-m", "dpaudit", "epsilon", "--mech", "EHDS", "--n", "5")
    ours, theirs = ({"seconds": start_up(*words)} for words in (command, ("-c", "import flint")))
    table.ratio(f"dpaudit {what}, the whole command", ours, theirs, "import flint")


def measure_noise(table, quick=False):
    """Continuous noise beside sampling, and the whole suite."""
    for queries in (10, 40):
        ours, theirs = run("svt", queries, repeat=3), run("svt_sampled", queries)
        table.ratio(
            f"true ε of SVT6 with {queries} queries, one pair", ours, theirs, "10⁶ samples in numpy, an estimate"
        )
    if not quick:
        table.peak("the standard suite, all rows", run("suite"))


SGD, LONG = "gaussian:sigma=4/5,rate=1/100 x 1000", "gaussian:sigma=3/5,rate=1/1000 x 100000"


def measure_accounting(table):
    """Certified composition beside accountants in floats."""
    for event, what in ((SGD, "1000 steps, rate 1/100, σ = 4/5"), (LONG, "10⁵ steps, rate 1/1000, σ = 3/5")):
        ours = run("account", event, "1e-5")
        table.peak(f"ε(1e-5) of {what}, gap 1e-3", ours)
        for grid in ("1e-3", "1e-4"):
            theirs = run("accounting_epsilon", event, "1e-5", grid)
            table.ratio(f"ε(1e-5) of {what}", ours, theirs, f"dp-accounting, floats, grid {grid}")
        if event == SGD and find_spec("prv_accountant") is not None:
            table.ratio(f"ε(1e-5) of {what}", ours, run("prv_epsilon", event, "1e-5"), "prv_accountant, error 0.003")


def replaced(payload, table):
    """The committed figures with the rows of these tables in place of the old ones."""
    for name, rows in (("ratios", table.ratios), ("peaks", table.peaks), ("growth", table.growth)):
        new = {row["what"] for row in rows}
        payload[name] = [row for row in payload[name] if row["what"] not in new] + rows
    return payload


def check_rivals():
    """Ends with one line before anything is measured if what we are measured against is not installed."""
    missing = [name for name in ("mpmath", "dp_accounting") if find_spec(name) is None]
    if missing:
        sys.exit(f"benchmarks: not installed: {', '.join(missing)}; pip install mpmath 'dpaudit[accounting]'")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few of them, and nothing is written")
    parser.add_argument("--family", action="store_true", help="only the true ε of the documents' family")
    parser.add_argument("--accounting", action="store_true", help="only compositions; the other figures stay")
    parser.add_argument("--tables", action="store_true", help="only tables, ties and start-up; the others stay")
    parser.add_argument("--curves", action="store_true", help="only profiles, divergences and tests of all pairs")
    parser.add_argument("--claims", action="store_true", help="only all claims, by one process and by two")
    parser.add_argument("--noise", action="store_true", help="only continuous noise; the other figures stay")
    given = parser.parse_args()
    quick = given.quick
    check_rivals()
    some = [
        (given.family, measure_family),
        (given.tables, measure_tables),
        (given.tables, measure_start),
        (given.curves, measure_curves),
        (given.claims, measure_claims),
        (given.accounting, measure_accounting),
        (given.noise, measure_noise),
    ]
    if any(wanted for wanted, _ in some):
        table = Table()
        for wanted, measure_part in some:
            if wanted:
                measure_part(table)
        payload = replaced(json.loads(RESULTS.read_text(encoding="utf-8")), table)
        RESULTS.write_text(json.dumps(payload, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    table = Table()
    for measure_part in (measure_family, measure_tables, measure_curves, measure_noise):
        measure_part(table, quick)
    measure_start(table)
    if not quick:
        measure_accounting(table)
        measure_claims(table)
    starts = {
        "import dpaudit": start_up("-c", "import dpaudit"),
        "dpaudit --version": start_up("-m", "dpaudit", "--version"),
        "dpaudit epsilon --mech EHDS --n 100": start_up("-m", "dpaudit", "epsilon", "--mech", "EHDS", "--n", "100"),
    }
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    payload = {
        "machine": machine,
        "ratios": table.ratios,
        "growth": table.growth,
        "peaks": table.peaks,
        "start_up_seconds": {name: round(value, 3) for name, value in starts.items()},
    }
    show(payload)
    if not quick:
        RESULTS.write_text(json.dumps(payload, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"written: {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS.name}")


def show(payload):
    from rich.console import Console
    from rich.table import Table as Drawn

    console = Console(width=None if sys.stdout.isatty() else 140)
    drawn = Drawn(
        "certified against", "what", "ours / theirs", title="processor time, as ratios of one run (smaller is better)"
    )
    for row in payload["ratios"]:
        drawn.add_row(row["rival"], row["what"], f"{row['ratio']:.3g}")
    console.print(drawn)
    drawn = Drawn("growth of time with n", "exponent", "seconds at the larger n")
    for row in payload["growth"]:
        drawn.add_row(row["what"], f"{row['exponent']:.2f}", f"{row['seconds']:.1f}")
    console.print(drawn)
    drawn = Drawn("peak memory", "MiB", "seconds")
    for row in payload["peaks"]:
        drawn.add_row(row["what"], str(row["mib"]), f"{row['seconds']:.3g}")
    console.print(drawn)
    drawn = Drawn("start-up", "seconds")
    for name, seconds in payload["start_up_seconds"].items():
        drawn.add_row(name, f"{seconds:.2f}")
    console.print(drawn)


if __name__ == "__main__":
    main()

"""Whatever is asked for ends with an answer or one line, in bounded time and memory."""

import os
import re
import resource
import signal
import subprocess
import sys
from fractions import Fraction as Fr
from pathlib import Path
from time import perf_counter

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.rationals import total
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import pairs

LARGE = [
    ("report --mech EHDS --n 1..999999999 --out out", "has 999999999 points, at most 10000 are allowed"),
    ("compare --n 1..999999999", "has 999999999 points, at most 100000 are allowed"),
    ("compare --n 100000000", "needs at least 186 GiB"),
    ("compare --n 10000000 --mech LSDim", "needs at least 18.6 GiB"),
    ("search --mech EHDS --n 1..999999999", "has 999999999 points, at most 100000 are allowed"),
    ("epsilon --mech EHDS --n 100000 --k 3", "needs at least 5140 GiB"),
    ("pmf --mech LSHist --x 50000000,50000000", "needs at least 242 GiB"),
    ("accuracy --mech LSDim --x 50000000,50000000", "needs at least 186 GiB"),
    ("sensitivity --n 100000000", "needs at least 279 GiB"),
    ("calibrate --mech EHDS --n 100000 --k 3", "needs at least 5140 GiB"),
    ("table rows.csv --at 0", "399980000 ordered pairs, 2 outputs need about 8799560000 steps"),
    ("delta --mech rows.csv --at 1", "need about 8799560000 steps"),
    ("judge --mech rows.csv --claim rho=1", "399980000 pairs and 799960000 pairs times outputs"),
    ("profile --mech rows.csv", "399980000 pairs and 799960000 pairs times outputs"),
    ("account --event mech:rows.csv --at 1", "needs at least 521 GiB"),
    ("table cells.csv", "has 1020000 cells, at most 1000000 are allowed"),
    ("table denominators.csv", "row 2 (d0): has a common denominator of more than 20000 digits"),
    ("table small.csv --work 80 --at 0,1", "2 ordered pairs, 2 outputs need about 88 steps"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")

    def write(name, outputs, rows):
        lines = [",".join(["", *(f"o{j}" for j in range(outputs))]), *(f"d{i},{row}" for i, row in enumerate(rows))]
        (folder / name).write_text("\n".join(lines))

    write("small.csv", 2, ["1/4,3/4", "3/4,1/4"])
    write("rows.csv", 2, (f"{i + 1}/40000,{39999 - i}/40000" for i in range(20000)))
    write("cells.csv", 1020, [",".join(["1/1020"] * 1020)] * 1000)
    (folder / "deep.json").write_text("[" * 10**6)
    (folder / "deep.toml").write_text("x = " + "[" * 10**5)
    many = [",".join(f"1/{10**990 + 2 * j + 1}" for j in range(500))] * 2
    write("denominators.csv", 500, many)
    return folder


@pytest.mark.parametrize(("line", "words"), LARGE)
@pytest.mark.thin(2)
def test_what_is_too_large_is_one_line_with_the_numbers(line, words, folder):
    """In 3 GiB of address space, of which the interpreter with its libraries takes a part, and in seconds."""

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    command = [sys.executable, "-m", "dpaudit", *line.split()]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, preexec_fn=limited, timeout=60
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_the_sum_of_a_row_is_exact_and_bounded():
    parts = [Fr(1, d) for d in range(1, 200)] * 3
    assert total(parts) == sum(parts, Fr(0))
    assert total([]) == 0
    start = perf_counter()
    assert total(Fr(1, 10**990 + 2 * j + 1) for j in range(5000)) is None
    assert perf_counter() - start < 5


class Chain:
    """Data sets 0, 1, ..., each with its own distribution; every two are adjacent."""

    def __init__(self, size):
        self.size = size

    def datasets(self):
        return [(i,) for i in range(self.size)]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        p = Fr(x[0] + 1, self.size + 1)
        return p if r else 1 - p


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_every_pair_comes_once_whatever_the_parts(parts):
    found = [pair for i in range(parts) for pair in pairs(dpaudit.mechanism(Chain(12)), Effort(part=(i, parts)))]
    assert len(found) == len(set(map(frozenset, found))) == 12 * 11 // 2


def test_all_pairs_are_counted_without_a_list():
    mechanism = dpaudit.mechanism(Chain(30))
    assert mechanism.counts().pairs == 30 * 29
    assert "_links" not in vars(mechanism)
    assert dpaudit.epsilon(mechanism).witness.x in [(29,), (0,)]


def test_rational_rows_of_equal_entries_have_the_loss_zero():
    """Of rationals only equal ones have a rational logarithm of their quotient."""

    class Row(Chain):
        def outputs(self):
            return [0, 1, 2]

        def probability(self, x, r):
            return ["1/2", "1/4", "1/4"][r] if x[0] else ["1/2", "3/8", "1/8"][r]

    first, second = (dpaudit.mechanism(Row(2)).row((i,)) for i in range(2))
    assert [first.exact_loss(second, i) for i in range(3)] == [Fr(0), None, None]
    assert dpaudit.delta(Row(2), 0).delta.to_dict() == {"lower": "0.125", "upper": "0.125"}


def test_the_logarithms_of_a_table_are_not_taken_pair_by_pair(monkeypatch, folder):
    """That made delta of a table six times as slow."""
    for name in ("entry_form", "log_of_quotient", "_coarse_log"):
        monkeypatch.setattr(f"dpaudit.mechanisms.own.rows.{name}", None)
    assert dpaudit.table(str(folder / "small.csv"), at="0").deltas[0].delta.lower == Fr(1, 2)


def test_the_page_of_promises_has_the_figures_of_the_code():
    from dpaudit.claims import expectations
    from dpaudit.evidence.verifier import reading as verify
    from dpaudit.files import sheets
    from dpaudit.mechanisms.own import mechanism as own
    from dpaudit.mechanisms.own import table
    from dpaudit.numbers import ranges, rationals
    from dpaudit.privacy.effort import MEMORY_BOUND, PAIR, WORK
    from dpaudit.reports import block, document, plan

    page = " ".join((Path(__file__).parents[2] / "docs" / "guarantees.md").read_text().split())
    sizes = {
        "table and pairs": sheets.MAX_BYTES,
        "result file": document.LARGEST,
        "certificate": verify.MAX_BYTES,
        "expectations": expectations.LARGEST,
        "plan of a report": plan.LARGEST,
    }
    for words in (
        *(f"{name} {size >> 20} MiB" for name, size in sizes.items()),
        f"{table.MAX_DIGITS} digits in a table",
        f"10⁶ cells; a row's common denominator {rationals.LONGEST_COMMON:_} digits".replace("_", " "),
        "3·10⁷ steps",
        f"(outputs + {PAIR})",
        f"{MEMORY_BOUND >> 30} GiB",
    ):
        assert words in page, words
    powers = (sheets.MAX_CELLS, WORK, ranges.MOST_POINTS, block.MOST_POINTS, own.MAX_ITEMS, own.MAX_PAIRS)
    assert powers == (10**6, 3 * 10**7, 10**5, 10**4, 10**6, 10**7)
    for words in ("10⁵ points (`compare`, `search`), 10⁴ (`report`)", "10⁶ data sets and outputs, 10⁷ listed pairs"):
        assert words in page


NO_FILES = [
    "verify {}",
    "table {}.csv",
    "table {}.json",
    "table {}.parquet",
    "epsilon --mech {}.csv",
    "delta --mech {}.json --at 1",
    "epsilon --mech {}.py:Mine",
    "table small.csv --adjacency {}.csv",
    "table small.csv --adjacency {}.parquet",
    "report --plan {} --out out",
    "render {}",
    "samples {}.csv",
    "sweep {} --out store.db",
    "sweep --status --out {}",
    "sweep plan.toml --out {}",
    "check --expect {}",
    "check --from {}.py",
    "export {} --coq x.v",
    "export --mech {}.csv --table o.csv",
    "verify {} --coq",
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("line", NO_FILES)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
def test_what_is_no_file_is_one_line_at_once(line, kind, tmp_path, folder, monkeypatch, capsys):
    """A pipe that nobody writes to, a device without end, a folder, a link to itself: as any input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.csv").write_text((folder / "small.csv").read_text())
    (tmp_path / "plan.toml").write_text('mech = "EHDS"\nn = 3\n')
    for name in {word.split(":")[0].format("x") for word in line.split() if "{}" in word}:
        make = {"pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "folder": os.mkdir,
                "loop": lambda path: os.symlink(path, path)}[kind]  # fmt: skip
        make(name)
    signal.alarm(30)  # rather than wait for ever
    try:
        assert main(line.format("x").split()) in (2, 74)  # 74: an output that cannot be written
    finally:
        signal.alarm(0)
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1, shown.err
    assert re.match(r"dpaudit: [\w-]+ = x", shown.err), shown.err
    assert any(rule in shown.err for rule in ("no file", "not a file", "directory", "symbolic links", "no such")), (
        shown.err
    )


def test_every_promise_names_a_test_that_is_there():
    root = Path(__file__).parents[2]
    table = (root / "docs" / "guarantees.md").read_text().partition("| promise | test |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").rpartition(" | ") for line in table.splitlines()[2:]]
    assert len(rows) >= 16
    for promise, _, test in rows:
        files = [root / name for name in re.findall(r"`([^`]+)`", test)]
        assert any(path.suffix == ".py" for path in files), promise
        assert all("test" in path.read_text() for path in files), promise

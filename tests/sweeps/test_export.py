"""Exported tables: parts combined, text and types of the columns, rows of theorems."""

import csv
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.export import columns, combine, export, table
from dpaudit.sweeps.plan import expand
from dpaudit.sweeps.store import Store
from tests.sweeps.sweeping import exported, swept

PLAN = """
digits = 10
[[audit]]
mech = ["EHDS", "LSDim"]
n = 4
k = [2, 3]
eps = ["all", "1/4..2", 1]

[[audit]]
mech = "EHD"
n = "all"
digits = 3
"""


def test_parts_combine_by_maximum_of_both_bounds():
    def part(i, lower, upper):
        spec = {**expand({"mech": "EHDS", "n": 4})[0].spec, "part": [i, 3]}
        return spec, "done", {"lower": lower, "upper": upper, "bits": 128, "x": [i, 4 - i]}, None, 1.0

    row = combine([part(0, "0.1", "0.3"), part(1, "0.2", "0.25"), part(2, "0.01", "0.02")])
    assert (row["lower"], row["upper"], row["x"], row["seconds"]) == ("0.2", "0.3", "1,3", 3.0)


def test_export(plan, tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install dpaudit[parquet]")
    with closing(swept(tmp_path / "s.db", plan, slice(30))) as store:
        assert export(store, str(tmp_path / "t.csv")) == export(store, str(tmp_path / "t.parquet")) == 30
        lower = [row["lower"] for row in table(store)]
        with pytest.raises(InputError, match=r"must end in \.csv or \.parquet"):
            export(store, "t.xlsx")
    with (tmp_path / "t.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    parquet = pyarrow.read_table(tmp_path / "t.parquet").to_pylist()
    assert list(found[0]) == list(parquet[0]) == list(columns())
    assert [row["lower"] for row in found] == [row["lower"] for row in parquet] == lower
    assert isinstance(parquet[0]["midpoint"], float)


def test_text_from_others_is_harmless_in_the_table(here):
    assert main(["sweep", "plan.toml", "--out", "s.db", "--workers", "1"]) == 0
    (job,) = expand({"mech": "EHDS", "n": 3})
    with closing(Store("s.db")) as store:
        store.add([job])
        store.finish([{"key": job.key, "seconds": 0.0, "error": "-2+3 cmd"}])
        assert store.status().failed == 1
    row, *_, failed = exported("s.db")
    assert {row["x"], row["x_prime"]} == {"'=x", "'-y"}
    assert row["output"] in ("'+a", "'@b")
    assert failed["error"] == "'-2+3 cmd"


def test_a_row_is_what_one_question_answers_and_is_kept(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install dpaudit[parquet]")
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    found = dpaudit.sweep("plan.toml", "s.db", workers=1, export=["t.csv", "t.parquet"])
    assert (found.status.done, found.status.failed) == (13, 0)
    rows = list(csv.DictReader(StringIO(Path("t.csv").read_text())))
    kinds = {(row["every"], row["quantity"]) for row in rows}
    assert kinds == {("", "epsilon"), ("eps", "ratio"), ("n", "epsilon")}
    for row in rows:
        found_here = dpaudit.epsilon(
            row["mechanism"], n=row["n"] or "all", prior=row["prior"], eps=row["eps"], digits=row["digits"]
        )
        number = found_here.ratio if row["quantity"] == "ratio" else found_here.epsilon
        assert [row["lower"], row["upper"]] == list(number.to_dict().values())
        assert row["attained"] == (found_here.where() if row["every"] else "")
    last = rows[-1]
    assert (last["n"], last["eps"], last["tier"], last["attained"]) == ("", "1", "theorem", "at n = 3")
    typed = parquet.read_table("t.parquet").to_pylist()
    assert [(row["n"], row["every"]) for row in (typed[0], typed[-1])] == [(4, "eps"), (None, "n")]
    again = dpaudit.sweep("plan.toml", "s.db", workers=1).rows()
    assert [row["seconds"] for row in again] == [row["seconds"] for row in found.rows()]

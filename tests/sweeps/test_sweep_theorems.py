"""Every n and every epsilon in a sweep: the rows say what dpaudit.epsilon says, are kept, resumed and exported."""

import csv
from io import StringIO
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.plan import expand

PLAN = """
digits = 10
[[audit]]
mech = ["EHDS", "EHDL", "LSDim"]
n = 4
k = [2, 3]
eps = ["all", "1/4..2", 1]

[[audit]]
mech = "EHD"
n = "all"
digits = 3
"""


def test_a_row_is_what_one_question_answers_and_is_kept(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install dpaudit[parquet]")
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    found = dpaudit.sweep("plan.toml", "s.db", workers=1, export=["t.csv", "t.parquet"])
    assert (found.status.done, found.status.failed) == (19, 0)
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


def test_a_range_with_a_step_is_a_list_of_numbers():
    assert [job.spec["eps"] for job in expand({"mech": "EHDS", "n": 3, "eps": "1..2..1/2"})] == ["1", "3/2", "2"]
    assert [job.spec["eps"] for job in expand({"mech": "EHDS", "n": 3, "eps": {"from": 1, "to": 2}})] == ["1", "2"]
    (job,) = expand({"mech": "EHDS", "n": 3, "eps": " 0.5..2 "})
    assert (job.spec["eps"], job.spec["quantity"]) == ("1/2..2", "ratio")
    (job,) = expand({"mech": "EHDL", "n": " All ", "eps": "all"})
    assert (job.spec["n"], job.spec["eps"], job.spec["quantity"]) == ("all", "all", "ratio")


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ({"n": "all", "k": 3}, "the theorem for every n is about k = 2, not 3"),
        ({"mech": "LSZhang", "n": "all"}, "no theorem for every n about LSZhang: it is about EHD, EHDL, EHDS, MH"),
        ({"mech": "MHdelta", "delta": "1e-8", "n": 3, "eps": "all"}, "MHdelta claims"),
        ({"n": "all", "eps": "1..2"}, "one number, or all"),
        ({"n": "all", "digits": 50}, "must be a whole number >= 1 and <= 40"),
        ({"n": 3, "eps": "all", "quantities": ["epsilon", "delta at 1"]}, "must be epsilon where eps is all"),
        ({"n": 3, "prior": "1..2,1"}, "a map of a box is no number"),
        ({"n": 3, "eps": "2..1"}, "must not fall"),
        ({"mech": "dpaudit.examples.geometric:Geometric", "eps": "all"}, "theorems are about the mechanisms"),
    ],
)
def test_what_has_no_theorem_is_refused_before_any_work(plan, said):
    with pytest.raises(InputError, match=said):
        expand({"mech": "EHDS", **plan})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("search --mech EHDL --eps all", "--eps = all: numbers or a range are needed here; all is for epsilon"),
        ("search --mech EHDL --n all", "--n = all: numbers or a range are needed here; all is for epsilon, calibrate"),
        ("compare --n all", "--n = all: numbers or a range are needed here; all is for epsilon, calibrate and sweep"),
        ("report --mech EHDS --n 4 --eps all --out a.html", "--eps = all: one value is needed here; all or a range"),
    ],
)  # fmt: skip
def test_who_takes_no_theorem_says_who_does(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert capsys.readouterr().err.startswith(f"dpaudit: {said}")

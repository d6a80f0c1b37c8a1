"""Every command takes a user's own mechanism: a stranger's 25 lines, from audit to report and certificate."""

import csv
import json
import math

import pytest

from dpaudit.cli import main

MINE = '''from fractions import Fraction

from dpaudit import exp


class Subsampled:
    """Asks one of n people, chosen at random, and has the answer randomized with odds e^eps : 1."""

    name = "one of n, randomized"

    def __init__(self, epsilon, n=3):
        self.epsilon, self.n = epsilon, n

    def datasets(self):
        return list(range(self.n + 1))  # how many would say yes

    def neighbors(self, x):
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def outputs(self):
        return ["yes", "no"]

    def probability(self, x, r):
        share = Fraction(x if r == "yes" else self.n - x, self.n)
        return (share * exp(self.epsilon) + (1 - share)) / (1 + exp(self.epsilon))

    def claimed(self):
        return self.epsilon
'''
assert len(MINE.splitlines()) <= 30


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    return f"{tmp_path / 'mine.py'}:Subsampled"


def run(capsys, *arguments, code=0):
    assert main([str(a) for a in arguments]) == code
    return capsys.readouterr().out


def test_audit_certificate_and_verification(mine, tmp_path, capsys):
    path = tmp_path / "c.json"
    text = run(capsys, "epsilon", "--mech", mine, "--eps", "1", "--n", "3", "--certificate", path)
    assert "PROVED" in text
    assert str(math.log(1 + (math.e - 1) / 3))[:7] in text  # x = 1 against x' = 0, output yes
    run(capsys, "verify", path, "--full")
    run(capsys, "delta", "--mech", mine, "--at", "0.1", "--certificate", path)
    assert "ACCEPTED" in run(capsys, "verify", path, "--full")


def test_profile_calibrate_search(mine, capsys):
    assert "zCDP" in run(capsys, "profile", "--mech", mine)
    found = json.loads(run(capsys, "calibrate", "--mech", mine, "--n", "3", "--target", "1", "--json"))
    assert (
        1.8
        < float(found["nominal_epsilon"].split("/")[0]) / float((found["nominal_epsilon"] + "/1").split("/")[1])
        < 1.9
    )
    found = json.loads(run(capsys, "search", "--mech", mine, "--n", "1..3", "--eps", "1/2,1", "--json"))
    assert found["found"] is False
    assert found["certified_places"] == 6
    assert found["largest_ratio"]["lower"] == "1"  # n = 1 is randomized response
    assert found["witness"] is None
    assert found["region"]["n"] == "1..3"
    assert found["region"]["eps"] == "1/2,1"
    assert {"n", "prior", "eps", "x", "x_prime", "output", "ratio"} <= set(found["largest"])
    assert (found["largest"]["n"], found["largest"]["prior"]) == (1, None)
    assert "n = 1..3; ε = 1/2,1" in run(capsys, "search", "--mech", mine, "--n", "1..3", "--eps", "1/2,1")
    bad = "dpaudit.examples.geometric:WrongSensitivity"
    assert "REFUTED, first at n = 2" in run(capsys, "search", "--mech", bad, "--n", "1..3", "--eps", "1")
    assert "REFUTED" in run(capsys, "search", "--mech", bad, "--n", "1..3", "--eps", "1", "--require", code=1)


def test_report(mine, tmp_path, capsys):
    run(capsys, "report", "--mech", mine, "--n", "3", "--set", "epsilon=1", "--out", tmp_path / "r", code=2)
    run(capsys, "report", "--mech", mine, "--n", "3", "--out", tmp_path / "r")
    text = (tmp_path / "r" / "report.md").read_text()
    for part in ("one of n, randomized", "PROVED", "Worst pair", "dpaudit epsilon --mech"):
        assert part in text
    assert (tmp_path / "r" / "report.html").exists()
    run(capsys, "report", "--mech", "dpaudit.examples.sparse_vector:BrokenSparseVector", "--out", tmp_path / "s")
    assert "REFUTED" in (tmp_path / "s" / "report.md").read_text()


def test_sweep(mine, tmp_path, capsys):
    (tmp_path / "t.csv").write_text(",a,b\nx,1/2,1/2\ny,0,1\n")
    (tmp_path / "plan.toml").write_text(
        f'quantities = ["epsilon", "delta at 1/2"]\n[[audit]]\nmech = "{mine}"\nn = [2, 3]\neps = [0.5, 1]\n'
        f'[[audit]]\nmech = "{tmp_path / "t.csv"}"\n[[audit]]\nmech = "EHDS"\nn = 3\n'
    )
    store, table = tmp_path / "s.db", tmp_path / "out.csv"
    run(capsys, "sweep", tmp_path / "plan.toml", "--out", store, "--workers", "1")
    run(capsys, "sweep", "--out", store, "--export", table)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 12
    assert {row["state"] for row in rows} == {"done"}
    infinite = next(row for row in rows if row["upper"] == "inf")
    assert (infinite["x"], infinite["x_prime"], infinite["output"]) == ("x", "y", "a")

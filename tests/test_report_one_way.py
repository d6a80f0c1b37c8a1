"""Anybody's own mechanisms and those of the registry take one way through a report, alone or side by side."""

import json
import math
import shlex
import sys
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.examples.geometric import TruncatedGeometric, WrongSensitivity
from dpaudit.reports import document, html, markdown, plan
from dpaudit.reports.block import Block
from dpaudit.reports.charts import figures
from dpaudit.reports.report import build, render

GEOMETRIC = "dpaudit.examples.geometric:TruncatedGeometric"
RESPONSE = "dpaudit.examples.randomised_response:RandomisedResponse"
MINE = '''from fractions import Fraction


class Biased:
    """Says yes with probability 1/2 + x/(2·bits)."""

    def __init__(self, epsilon, bits=4):
        self.epsilon, self.bits = epsilon, bits

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["yes", "no"]

    def probability(self, x, r):
        yes = Fraction(1, 2) + Fraction(x, 2 * self.bits)
        return yes if r == "yes" else 1 - yes

    def claimed(self):
        return "rho=1/2"


class Leaky(Biased):
    name = "leaky"

    def claimed(self):
        return Fraction(1, 100), Fraction(1, 8)
'''


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    return str(tmp_path / "mine.py")


@pytest.fixture
def no_charts(monkeypatch):
    """Drawing takes most of the time of a report."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)


def made(mechs, **setting):
    block = Block.read(mechs, **setting)
    return build(plan.Plan("t", block.command(), (block,)), lambda text: None)


def kinds(result):
    return {section["kind"]: section for section in result["sections"]}


def facts(result, name):
    rows = kinds(result)["facts"]["rows"]
    return {row["quantity"]: row["value"] for row in rows if row["mechanism"] == name}


def test_sections_come_from_what_a_mechanism_can_give():
    found = kinds(made(f"{GEOMETRIC},EHDS,{RESPONSE}", n="1..3", eps="1/2"))
    names = ["truncated geometric", "EHDS", "randomised response"]
    for kind in ("epsilon-by-n", "facts", "delta-curves", "worst-pairs", "breakpoints", "renyi"):
        assert list(document.named(found[kind]["rows"])) == names, kind
    rows = document.named(found["epsilon-by-n"]["rows"])
    assert [[row["n"] for row in rows[name]] for name in names] == [[1, 2, 3], [1, 2, 3], [None]]
    assert {row["mechanism"] for row in found["error-by-n"]["rows"]} == {"EHDS"}
    assert {"sensitivity", "loss-map"} <= set(found)
    assert set(kinds(made(GEOMETRIC, n="2,4"))) == {
        *("matrix", "chain", "epsilon-by-n", "facts", "delta-curves", "worst-pairs", "breakpoints", "renyi", "loss-map")
    }


def test_a_count_of_anybodys_own_has_its_map_of_losses():
    (section,) = [s for s in made(GEOMETRIC, n=4)["sections"] if s["kind"] == "loss-map"]
    assert (section["n"], [row["x"] for row in section["rows"]]) == (4, [0, 1, 2, 3])
    assert {row["mechanism"] for row in section["rows"]} == {"truncated geometric"}
    low, high = (dpaudit.pmf(GEOMETRIC, x=x, n=4) for x in (2, 3))
    for output, loss in enumerate(section["rows"][2]["losses"]):
        at = low.outputs.index(output)
        p, q = (float(found.probabilities[at].lower) for found in (low, high))
        assert float(loss["lower"]) == pytest.approx(math.log(p / q), abs=1e-5)


def test_numbers_are_those_of_the_questions():
    found = kinds(made(f"EHD/exact,{GEOMETRIC}", n="1..3"))
    row = next(r for r in found["epsilon-by-n"]["rows"] if r["mechanism"] == "EHD/exact" and r["n"] == 2)
    assert row["epsilon"] == dpaudit.epsilon("EHD/exact", n=2, digits=12).epsilon.to_dict()
    curve = dpaudit.profile(GEOMETRIC, n=3, digits=12)
    orders = {r["order"]: r["divergence"] for r in found["renyi"]["rows"] if r["mechanism"] == "truncated geometric"}
    assert orders == {str(order): value.to_dict() for order, value in curve.renyi}
    own = [r for r in found["delta-curves"]["rows"] if r["mechanism"] == "truncated geometric"]
    for row in own[::6]:
        exact = dpaudit.delta(GEOMETRIC, at=row["at"], n=3, digits=12).delta
        low, high = Fraction(row["delta"]["lower"]), Fraction(row["delta"]["upper"])
        assert low <= exact.upper
        assert exact.lower <= high
    assert own[-1]["delta"] == {"lower": "0", "upper": "0"}


def test_the_number_that_decided_is_named(mine):
    found = made(f"{mine}:Biased,{mine}:Leaky")
    biased, leaky = facts(found, "Biased"), facts(found, "leaky")
    assert (biased["claimed"], biased["verdict"], biased["decided by"]) == ("1/2-zCDP", "PROVED", "zCDP ρ")
    assert float(biased["its value"]["upper"]) < 0.5
    assert leaky["decided by"] == "δ(1/100)"
    assert leaky["verdict"] == "PROVED"
    expected = dpaudit.delta(f"{mine}:Leaky", at="1/100").delta
    assert Fraction(leaky["its value"]["lower"]) <= expected.upper
    assert leaky["at"] == "x = 0, x′ = 1"
    shown = markdown.render(found, {})
    assert "δ(1/100) = 0." in shown
    assert {row["mechanism"]: row["claim"] for row in found["sections"][0]["rows"]} == {
        "leaky": "(1/100, 1/8)-DP",
        "Biased": "1/2-zCDP",
    }


@pytest.mark.parametrize(
    "words",
    [
        ["--mech", f"{GEOMETRIC},EHD/exact,MHdelta", "--n", "1..3", "--eps", "1/2", "--delta", "1/1000"],
        ["--mech", "EHDL", "--score", "kl", "--n", "2,3", "--prior", "1/2,1"],
        ["--mech", "EHDS", "--gamma", "2", "--adjacency", "all", "--n", "3", "--k", "3"],
        ["--mech", "MINE:Biased,EHDS", "--set", "bits=3", "--n", "2"],
    ],
    ids=["mixed", "score", "adjacency", "set"],
)
def test_the_commands_give_the_sections_again(words, mine, tmp_path, capsys, no_charts):
    words = [word.replace("MINE", mine) for word in words]
    assert main(["report", *words, "--out", str(tmp_path / "a")]) == 0
    first = json.loads((tmp_path / "a" / "result.json").read_text())
    again = shlex.split(first["command"])[1:]
    assert main([*again, "--out", str(tmp_path / "b")]) == 0
    assert json.loads((tmp_path / "b" / "result.json").read_text())["content_hash"] == first["content_hash"]
    commands = {line for section in first["sections"] for line in section["command"].splitlines()}
    questions = {shlex.split(command)[1] for command in commands}
    assert {"report", "epsilon", "delta", "pmf", "profile"} <= questions
    rows = {row["mechanism"]: row for row in first["sections"][0]["rows"]}
    capsys.readouterr()
    seen = []
    for command in sorted(commands):
        parts = shlex.split(command)[1:]
        if parts[0] != "report":
            assert main([*parts, "--json"]) == 0, command
            answer = json.loads(capsys.readouterr().out)
            if parts[0] == "epsilon" and "--digits" in parts:
                seen.append(answer["epsilon"])
    for row in rows.values():
        assert row["epsilon"] in seen


def test_a_plan_takes_anybodys_own(mine, tmp_path, capsys, no_charts):
    path = tmp_path / "plan.toml"
    path.write_text(
        f"[[audit]]\nmechs = ['{mine}:Biased', 'EHDS']\nn = '1..2'\nset = {{ bits = 2 }}\nadjacency = 'all'"
    )
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "r")]) == 0
    result = json.loads((tmp_path / "r" / "result.json").read_text())
    section = kinds(result)["epsilon-by-n"]
    (row,) = [row for row in section["rows"] if row["mechanism"] == "Biased"]
    assert row["closed_form"] is None
    assert row["epsilon"]["lower"].startswith("0.693")  # ln 2: "no" has 1/2 against 1/4
    assert section["setting"]["parameters"] == {"bits": "2", "gamma": "1"}
    assert section["setting"]["adjacency"] == "all"
    capsys.readouterr()
    for wrong, rule in (("set = 3", "must be a table"), ("set = { frobs = 1 }", "has such a parameter")):
        path.write_text(f"[[audit]]\nmechs = ['{mine}:Biased', 'EHDS']\nn = 2\n{wrong}")
        assert main(["report", "--plan", str(path), "--out", str(tmp_path / "r")]) == 2
        error = capsys.readouterr().err
        assert rule in error
        assert error.count("\n") == 1
    path.write_text(f"[[study]]\nkind = 'accuracy'\nmechs = '{mine}:Biased'\nx = '2,2'")
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "r")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_older_members_of_the_setting_are_kept():
    setting = Block.read("EHDS,MHdelta", n="1..3", gamma="2", delta="1e-3").to_dict()
    assert setting["parameters"] == {"gamma": "2", "delta": "1/1000"}
    assert (setting["gamma"], setting["delta_param"]) == ("2", "1/1000")
    assert not {"gamma", "delta_param"} & set(Block.read("LSHist", n=2).to_dict())


def test_objects_of_python_are_reported_without_a_command(tmp_path, no_charts):
    class Local(TruncatedGeometric):
        pass

    assert Block.read(Local, n=3).command() == ""
    assert Block.read([WrongSensitivity, dpaudit.mechanism("EHDS", n=2)], n=3).command() == ""
    assert (
        Block.read(dpaudit.mechanism("EHD", n=2, gs="exact")).command() == "dpaudit report --mech EHD --n 2 --gs exact"
    )
    block = Block.read([Local, WrongSensitivity, dpaudit.mechanism("EHDS", n=2)], n=3)
    result = build(plan.Plan("t", "", (block,)), lambda text: None)
    rows = {row["mechanism"]: row for row in result["sections"][0]["rows"]}
    assert {name: row["n"] for name, row in rows.items()} == {
        "truncated geometric": 3,
        "truncated geometric, noise for the wrong sensitivity": 2,  # the same as at 3, seen in the search
        "EHDS": 2,
    }
    files = dpaudit.report(WrongSensitivity, n="1..2", out=str(tmp_path))
    assert "REFUTED" in files[2].read_text()
    twice = Block.read([Local, type("Local", (Local,), {})], n=2)
    assert len(set(twice.labels)) == 2


def test_impossible_outputs_and_infinite_losses_are_drawn(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(",a,b,c,d\nx,1/2,1/2,0,0\ny,0,1/2,1/2,0\n")
    assert main(["report", "--mech", str(tmp_path / "t.csv"), "--out", str(tmp_path / "r")]) == 0
    result = document.load(str(tmp_path / "r" / "result.json"))
    found = kinds(result)
    losses = {row["output"]: float(row["loss"]["upper"]) for row in found["worst-pairs"]["rows"]}
    assert set(losses) == {"a", "b", "c"}  # d never happens
    assert sorted(losses.values()) == [-math.inf, pytest.approx(0, abs=1e-6), math.inf]
    assert found["epsilon-by-n"]["setting"]["eps"] is None
    for section in result["sections"]:
        assert "nan" not in "".join(figure.file() for figure in figures(section))
    assert figures(found["epsilon-by-n"]) == []  # there is no n
    assert "∞" in (tmp_path / "r" / "report.md").read_text()


OLD = [
    {
        "kind": "own-audit",
        "title": "Audit of mine",
        "rows": [{"quantity": "true ε", "value": {"lower": "0.5", "upper": "0.5"}}],
    },
    {"kind": "own-renyi", "title": "Rényi", "rows": [{"order": "2", "divergence": {"lower": "0.1", "upper": "0.2"}}]},
    {
        "kind": "own-curve",
        "title": "Breakpoints",
        "rows": [
            {
                **{key: {"lower": "0", "upper": "0"} for key in ("from", "alpha", "power")},
                **{"to": "∞", "x": "no", "x_prime": "yes"},
            }
        ],
    },
    {
        "kind": "epsilon-by-n",
        "title": "True ε against n",
        "setting": {
            "mechanisms": ["EHDS"],
            "n": "1..2",
            "k": 2,
            "prior": ["1", "1"],
            "eps": "1",
            "gamma": "2",
            "delta_param": "1/8",
        },
        "rows": [
            {
                "mechanism": "EHDS",
                "n": 1,
                "epsilon": {"lower": "0.25", "upper": "0.25"},
                "closed_form": None,
                "claimed": "1",
                "claimed_delta": "0",
                "verdict": "PROVED",
                "witness": {"x": [0, 1], "x_prime": [1, 0], "output": [0, 1]},
                "precision_bits": 128,
            }
        ],
    },
    {
        "kind": "worst-pairs",
        "title": "Worst pair",
        "setting": {"k": 2},
        "n": 1,
        "pairs": {"EHDS": {"x": [0, 1], "x_prime": [1, 0], "output": [0, 1]}},
        "rows": [
            {
                "mechanism": "EHDS",
                "output": [0, 1],
                **{key: {"lower": "0.5", "upper": "0.5"} for key in ("p", "p_prime", "loss")},
            }
        ],
    },
]


def test_result_files_of_earlier_versions_are_drawn(tmp_path):
    sections = [{"question": "?", "command": "dpaudit", "setting": {}, **section} for section in OLD]
    old = document.make("Old", "dpaudit report", sections, {"date": "", "seconds": 0})
    (tmp_path / "old.json").write_text(document.dumps(old))
    page = render(str(tmp_path / "old.json"), str(tmp_path / "r"))[1].read_text()
    for text in ("Audit of mine", "γ = 2, δ = 1/8", "ε = 1", "PROVED", "0.25"):
        assert text in page
    assert page == html.render(old)
    assert '<svg class="pic"' in page

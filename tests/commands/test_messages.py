"""What a message says helps the one who reads it: it names what was written, where it was written, and what to do."""

import json
from fractions import Fraction

import pytest

import dpaudit
from dpaudit import PI, exp, log, sqrt
from dpaudit.cli import main

RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"
CODE = """
from dpaudit import sqrt, exp

class Pair:
    def __init__(self, q="1/4"):
        self.q = q
    def datasets(self): return [0, 1]
    def outputs(self): return [0, 1]

class Near(Pair):
    def probability(self, x, r): return exp(-1) * exp("1/1000000000000") if r else 1 - exp(-1)

class Open(Pair):
    def outputs(self): return [0, 1, 2]
    def probability(self, x, r):
        if r == 2:
            return sqrt(2) * sqrt(2) - 2 if x else exp(-1) / 4
        return "1/2" if x or not r else "1/2" - exp(-1) / 4

class Fine(Pair):
    def probability(self, x, r): return "1/2"
class Other(Pair): pass
class Another(Pair): pass
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(CODE)
    (tmp_path / "pmf.csv").write_text(",a,b\nx,1/2,1/2\ny,1/4,3/4\n")
    (tmp_path / "frob.toml").write_text('mech = "EHDS"\nfrob = 1\n')
    (tmp_path / "zero.toml").write_text('mech = "EHDS"\nn = 0\n')
    (tmp_path / "fine.toml").write_text('mech = "EHDS"\nn = 3\n')
    return tmp_path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("epsilon --mech own.py:Near", "Near probability(0) sums to 1 + 3.68e-13, not to 1"),
        ("epsilon --mech own.py:Pears", "it has Pair"),
        ("epsilon --mech own.py:Qqq", "it has Pair, Near, Open, Fine, Other, Another"),
        ("epsilon --mech own.py:Fine --set r=3", "--set = r=3: Fine of own.py:Fine has no such parameter (it has: q)"),
        (f"epsilon --mech {RESPONSE} --set epsilon=2", "--set = epsilon=2: is the nominal ε"),
        (f"epsilon --mech {RESPONSE} --set epsilon=2", "give it as --eps"),
        ("epsilon --mech EHDS --n 3 --set a=1", "--set = a=1: EHDS has no such parameter"),
        ("search --mech own.py:Fine --set r=3", "--set = r=3: Fine of own.py:Fine has no such parameter"),
        ("pmf --mech EHDS --x 4", "--x = 4: must have at least 2 cells"),
        ("accuracy --mech own.py:Fine --x 4,4", "accuracy is for the posterior family"),
        ("check nosuch", "no claim has this id; `dpaudit claims` lists them all"),
        ("check ehds", "did you mean dp.ehds?"),
        ("judge --mech EHDS --n 3 --claim eps=1,delta=2", "--claim = eps=1,delta=2: delta must be <= 1"),
        ("judge --mech EHDS --n 3 --claim rho=-1", "--claim = rho=-1: rho must be >= 0"),
        ("judge --mech EHDS --n 3 --claim alpha=1/2,eps=1", "--claim = alpha=1/2,eps=1: alpha must be >= 1"),
        ("judge --mech EHDS --n 3 --claim f=0:2;1:0", "--claim = f=0:2;1:0: f must decrease"),
        ("judge --mech EHDS --n 3 --claim f=hello", "--claim = f=hello: must be points"),
        ("judge --mech EHDS --n 3 --claim mu=0.x", "--claim = mu=0.x: mu must be an exact number"),
        ("report --mech nope --out r", "--mech = nope: unknown mechanism"),
        ("sweep frob.toml --out s.db", "dpaudit: plan = frob: unknown key"),
        ("sweep zero.toml --out s.db", "dpaudit: n = 0: must be a whole number"),
    ],
)
def test_a_message_names_what_is_wrong(command, said, place, capsys):
    assert main(command.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (0.8, '"4/5" or "0.8"'),
        (0.1, '"1/10" or "0.1"'),
        (2.0, '"2.0"'),
        (1e-9, '"1e-09"'),
        (float("nan"), '"1/10" or "0.1"'),
    ],
)
def test_a_float_is_told_how_it_is_written(value, advice):
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon("EHDS", n=2, eps=value)
    assert str(caught.value).endswith(f"as text or Fraction: {advice}")


@pytest.mark.parametrize(
    "command",
    [
        "epsilon --mech EHDS --n 2",
        "delta --mech EHDS --n 2 --at 1",
        "judge --mech EHDS --n 2",
        "pmf --mech EHDS --x 1,1",
        "sensitivity --n 2",
        "mechanisms",
        "accuracy --mech EHDS --x 1,1",
        "calibrate --mech EHDS --n 2",
        "compare --x 1,1",
        "search --mech EHDS --n 1..2",
        "claims",
        "check gs.each-n",
        "table pmf.csv",
        "profile --mech EHDS --n 2",
        "explain --epsilon 1",
        "sweep fine.toml",
    ],
)
def test_an_output_that_cannot_be_written_ends_with_74(command, place, capsys):
    assert main([*command.split(), "--out", str(place / "nowhere" / "x")]) == 74
    assert "--out = " in capsys.readouterr().err


@pytest.mark.parametrize(("score", "symbol"), [("kl", "KL"), ("tv", "TV"), ("l1", "ℓ₁"), ("hellinger", "H")])
def test_the_formula_shows_the_score_in_force(score, symbol, capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "3", "--score", score]) == 0
    assert f"exp(−ε·{symbol}(x,r) / " in capsys.readouterr().out


def test_expressions_are_shown_as_they_are_written():
    x = exp(-1)
    assert repr(sqrt(2) * sqrt(2) - 2) == "sqrt(2)*sqrt(2) - 2"
    assert repr((x + 1) * x) == "(exp(-1) + 1)*exp(-1)"
    assert repr(1 / (x / 3 + PI)) == "1/(exp(-1)/3 + pi)"
    assert repr((x / 2) ** 3) == "(exp(-1)/2)^3"
    assert repr(log(x * Fraction(-1, 2))) == "log(exp(-1)*(-1/2))"


def test_undecided_is_said_in_json_too(place, capsys):
    assert main(["epsilon", "--mech", "own.py:Open", "--json"]) == 3
    found = capsys.readouterr()
    assert json.loads(found.out)["verdict"] == {"word": "UNDECIDED"}
    assert "sqrt(2)*sqrt(2) - 2 cannot be separated from 0" in json.loads(found.out)["reason"]
    assert found.err.startswith("dpaudit: ")
    assert main(["epsilon", "--mech", "own.py:Open", "--json", "--out", "o.json"]) == 3
    assert json.loads((place / "o.json").read_text())["verdict"] == {"word": "UNDECIDED"}
    capsys.readouterr()
    assert main(["epsilon", "--mech", "own.py:Open"]) == 3
    assert capsys.readouterr().out == ""


def test_json_has_the_command_that_gives_it_again(place, capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "2", "--certificate", "c.json"]) == 0
    capsys.readouterr()
    for command in (["verify", "c.json", "--full"], ["claims", "gs.each-n"], ["check", "gs.each-n"]):
        assert main([*command, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found if command[0] == "verify" else found[0])["command"] == " ".join(["dpaudit", *command])


def test_a_comparison_shows_the_delta_of_a_claim(capsys):
    asked = ["compare", "--x", "2,2", "--mech", "MHdelta,LSHist"]
    assert main(asked) == 0
    assert "(1, 1e-8)-DP" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    rows = {row["mechanism"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["MHdelta"]["claimed"] == "1"
    assert rows["MHdelta"]["guarantee"]["delta"] == "1/100000000"


def test_what_is_exact_has_no_bits(capsys):
    for command in ("epsilon", "judge"):
        assert main([command, "--mech", "dpaudit.examples.sparse_vector:BrokenSparseVector"]) == 0
        text = capsys.readouterr().out
        assert "exact, by algebra, " in text
        assert "0 bits" not in text


def test_a_setting_may_vary():
    base = dpaudit.Setting.read("EHDL", n=10, prior="1/100,1/100", eps="1/100")
    assert dpaudit.search(base, n="44..46").minimal_n == 45
    assert dpaudit.search(base).region.to_dict()["n"] == "10..10"
    assert dpaudit.epsilon(base, n=3, eps=2).command == "dpaudit epsilon --mech EHDL --n 3 --prior 1/100,1/100 --eps 2"
    assert dpaudit.epsilon(base, k=3, n=2).subject.model.k == 3
    own = dpaudit.Setting.read("dpaudit.examples.geometric:WrongSensitivity", n=5)
    assert dpaudit.search(own, n="1..3", eps="1").minimal_n == 2
    assert dpaudit.calibrate(own, target=1, n=2).nominal == Fraction(1, 2)
    with pytest.raises(dpaudit.InputError, match="leave this out"):
        dpaudit.epsilon(dpaudit.mechanism("EHDL", n=3), n=4)


def test_a_sweep_is_as_exact_as_an_audit(place, capsys):
    (place / "exact.toml").write_text(f'mech = "{RESPONSE}"\neps = "1/2"\nquantities = ["epsilon", "delta at 0"]\n')
    assert main(["sweep", "exact.toml", "--out", "s.db", "--workers", "1", "--export", "t.csv"]) == 0
    result = dpaudit.sweep(out="s.db").rows()[0]
    wanted = dpaudit.epsilon(RESPONSE, eps="1/2").epsilon.to_dict()
    assert (result["lower"], result["upper"]) == (wanted["lower"], wanted["upper"]) == ("0.5", "0.5")

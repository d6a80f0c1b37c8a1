"""What a command answers goes out as text or JSON, to the terminal or a file, and says how to get it again."""

import json

import pytest

from dpaudit.cli import main

OPEN = """
from dpaudit import sqrt, exp
class Open:
    def datasets(self): return [0, 1]
    def outputs(self): return [0, 1, 2]
    def probability(self, x, r):
        if r == 2:
            return sqrt(2) * sqrt(2) - 2 if x else exp(-1) / 4
        return "1/2" if x or not r else "1/2" - exp(-1) / 4
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OPEN)
    (tmp_path / "pmf.csv").write_text(",a,b\nx,1/2,1/2\ny,1/4,3/4\n")
    (tmp_path / "fine.toml").write_text('mech = "EHDS"\nn = 3\n')
    return tmp_path


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

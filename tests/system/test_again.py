"""Every answer prints the command that asks the same again, and that command, run again, gives the same answer."""

import json
import shlex
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.privacy.adjacency import ALL_PAIRS, ExplicitPairs
from dpaudit.privacy.guarantee import EpsilonDelta

OWN = "dpaudit.examples.geometric:WrongSensitivity"
RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"
ASKED = [
    "epsilon --mech EHDS --n 6 --prior 1/2,3 --eps 0.8 --gamma 1/3 --digits 20 --tier exact",
    "epsilon --mech EHDL --n 3 --k 3 --adjacency all",
    "epsilon --mech EHD/exact --n 5 --score kl --gs exact",
    f"epsilon --mech {OWN} --n 3 --eps 1/2",
    "epsilon --mech TABLE",
    "epsilon --mech TABLE --adjacency PAIRS",
    "delta --mech MHdelta --delta 1e-8 --n 4 --at 0.3",
    f"delta --mech {RESPONSE} --eps 2 --at 1",
    "judge --mech LSHist --n 4 --claim mu=3/2 --digits 8",
    f"judge --mech {RESPONSE}",
    "pmf --mech LSDim --n 3 --k 3 --x 1,1,1 --digits 7",
    "pmf --mech TABLE --x no",
    "sensitivity --n 4 --prior 1/2,3 --gamma 2/3 --score kl --digits 22",
    "accuracy --mech LSHist --x 3,4 --t 0.2 --quantiles 1/3,1/2 --metric kl --digits 9",
    "calibrate --mech EHDS --n 5 --target 1/2 --digits 11",
    f"calibrate --mech {OWN} --n 3",
    "calibrate --mech MH --n 4 --over gamma --gammas 1/2,1 --x 1,3 --digits 12",
    "calibrate --mech MH --n 3 --target 2 --over gamma",
    "calibrate --event 'gaussian:sigma=? x 3' --event laplace:eps=1/10 --target eps=1,delta=1e-5",
    "compare --x 3,3,1 --prior 1,2,1 --mech EHDS,LSHist --gamma 1/2 --target 4/5 --sort mean --metric l1 --digits 15",
    "compare --dataset cryotherapy --mech LSDim,LSHist",
    "compare --n 2..8 --step 3 --share 1/4,3/4 --mech EHD/exact,LSHist --calibrated --digits 13",
    "compare --n 4 --k 3 --mech EHDL,LSHist",
    "compare --x 2,2 --priors 1..3 --mech EHDL,EHDS --gamma 2",
    "search --mech EHDL --prior 1/100,1/100 --eps 1/100,1 --n 1..3",
    "search --mech EHDS --prior 1,1 --eps 1 --n 1..3 --claim 1/3",
    "epsilon --mech EHDL --n 4 --claim rho=1/8",
    "epsilon --mech EHDS --n all --claim 2 --digits 3",
    "epsilon --mech EHD --n 2 --prior 1/2..1,1/2..1 --claim 2",
    "delta --mech EHDL --n 4 --at 1 --claim eps=1,delta=1/100",
    "search --mech MH --gamma 1/2 --n 1..2 --k 3 --prior-box 1/10..10",
    f"search --mech {OWN} --n 1..3 --eps 1",
    f"search --mech {RESPONSE} --eps 1/2,1",
    "table TABLE --adjacency PAIRS --claim eps=1.1,delta=1/100 --at 0,1/2 --digits 9",
    "table TABLE",
    "explain --epsilon 2/5 --delta 1/1000 --beliefs 1/3 --digits 9",
    "explain --mech LSHist --n 3 --releases 2,3",
    "profile --mech LSHist --n 3 --at 0,1/2 --orders 2,3 --digits 10",
    f"profile --mech {RESPONSE} --eps 3/2",
]


@pytest.fixture
def files(tmp_path):
    table, pairs = tmp_path / "a table.csv", tmp_path / "pairs.csv"
    table.write_text(",no,yes\nno,3/4,1/4\nmaybe,1/2,1/2\nyes,0.25,0.75\n")
    pairs.write_text("no,maybe\n")
    return {"TABLE": str(table), "PAIRS": str(pairs)}


def answer(words, capsys):
    capsys.readouterr()
    assert main([*words, "--json"]) == 0, words
    return json.loads(capsys.readouterr().out)


def untimed(value):
    """The answer without how long it took, at any depth."""
    if isinstance(value, dict):
        return {name: untimed(part) for name, part in value.items() if name != "seconds"}
    return [untimed(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.thin(2)
def test_the_printed_command_gives_the_same_answer(asked, files, capsys):
    words = [files.get(word, word) for word in shlex.split(asked)]
    first = answer(words, capsys)
    command = shlex.split(first["command"])
    assert command[:2] == ["dpaudit", words[0]]
    assert untimed(answer(command[1:], capsys)) == untimed(first)
    assert main(words) == 0
    assert f"again{' ' * 100}{first['command']}".split() == next(
        line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("again")
    )


def test_parameters_of_an_own_mechanism_are_in_the_command(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(
        "class Mine:\n"
        "    def __init__(self, epsilon, size, weights=(1, 2)): self.e, self.size, self.w = epsilon, size, weights\n"
        "    def datasets(self): return list(range(self.size))\n"
        "    def outputs(self): return [0, 1]\n"
        "    def log_weight(self, x, r): return self.w[r] * self.e * x\n"
    )
    asked = [f"{file}:Mine", "--set", "size=3", "--set", "weights=1,1/2", "--eps", "1/3"]
    for words in (["epsilon", "--mech", *asked], ["search", "--mech", *asked]):
        first = answer(words, capsys)
        assert untimed(answer(shlex.split(first["command"])[1:], capsys)) == untimed(first)


def test_what_only_python_has_prints_no_command():
    class Mine:
        def datasets(self):
            return ["a", "b"]

        def outputs(self):
            return [0, 1]

        def probability(self, x, r):
            return "1/2"

    assert dpaudit.epsilon(Mine()).command is None
    assert dpaudit.search(Mine(), eps=1).command is None
    judged = dpaudit.epsilon("EHD", n=2, claim=EpsilonDelta(Fraction(2)))
    assert (judged.claim.epsilon, judged.command) == (2, "dpaudit epsilon --mech EHD --n 2 --claim eps=2")
    pairs = ExplicitPairs((((1, 1), (2, 0)),))
    assert dpaudit.epsilon("EHD", n=2, adjacency=pairs).command is None


def test_the_adjacency_of_a_mechanism_that_is_made_already_is_in_the_command():
    made = dpaudit.mechanism("EHD", n=2, adjacency=ALL_PAIRS)
    expected = "dpaudit epsilon --mech EHD --n 2 --adjacency all"
    assert dpaudit.epsilon(made).command == dpaudit.epsilon("EHD", n=2, adjacency=ALL_PAIRS).command == expected

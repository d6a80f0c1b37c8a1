"""Every command and every mechanism by name: an answer, or one line that says what to ask instead."""

import json
import shlex

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms import named

ANSWERED = ["epsilon --mech {}", "delta --mech {} --at 1/2", "profile --mech {}", "explain --mech {}"]
ASKED = [
    *("judge --mech {} --claim rho=1", "judge --mech {} --claim mu=1", "judge --mech {} --claim 'f=0:1;1/4:1/2;1:0'"),
    *("account --event mech:{} --delta 1e-3", "epsilon --mech {} --cross-check"),
    *("search --mech {}", "calibrate --mech {}", "epsilon --mech {} --certificate c.json", "pmf --mech {} --x nobody"),
    *("accuracy --mech {} --x 1,2", "epsilon --mech {} --plot p.svg"),
]
SLOW = "shuffled-randomized-response"
"""That one takes seconds at its default size; ``test_shuffling.py`` asks it."""
NAMES = [name for name in named.names() if name != SLOW]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ANSWERED)
def test_an_answer(name, command, capsys):
    assert main([*shlex.split(command.format(name)), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["command"].startswith("dpaudit ")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ASKED)
def test_an_answer_or_one_line(name, command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = main(shlex.split(command.format(name)))
    out, err = capsys.readouterr()
    assert code in (0, 2)
    if code:
        assert err.startswith("dpaudit: ")
        assert err.count("\n") == 1
    else:
        assert out


def test_a_mechanism_with_its_own_options(capsys):
    assert main(shlex.split("epsilon --mech gaussian --sigma 2 --sensitivity 3 --json")) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {"sigma": "2", "sensitivity": "3"}
    assert main(shlex.split("epsilon --mech OUE --k 7 --variant symmetric --json")) == 0
    assert json.loads(capsys.readouterr().out)["parameters"]["variant"] == "symmetric"
    assert main(["epsilon", "--help"]) == 0
    assert "--sensitivity" not in capsys.readouterr().out
    assert main(["mechanisms", "gaussian"]) == 0
    assert "--sensitivity" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--mech gaussian --eps 2", "takes no epsilon"),
        ("--mech laplace --sigma 2", "No such option: --sigma"),
        ("--mech unary-encoding/wrong", "it has: unary-encoding/symmetric, unary-encoding/optimized"),
        ("--mech randomized-respons", "did you mean randomized-response"),
        ("--mech subset-selection --k 3 --size 3", "must be below k"),
        ("--mech rappor --k 3", "needs k >= 4 bits"),
        ("--mech exponential --scores 1,2", "must be at least two rows"),
        ("--mech exponential --scores 1,2;1", "must be at least two rows"),
        ("--mech sparse-vector --answers 1,2", "at least two different rows"),
        ("--mech discrete-gaussian --sigma 1e9", "must be at most"),
        ("--mech local-hashing --collision 2", "it is a probability"),
    ],
)
def test_bad_parameters_are_one_line(words, said, capsys):
    assert main(["epsilon", *words.split()]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_scores_from_a_file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(",red,green,blue\nx,5,0,0\nx',4,1,1\n")
    found = dpaudit.epsilon("exponential", scores=str(path))
    assert found.epsilon == dpaudit.epsilon("exponential", scores="5,0,0;4,1,1").epsilon
    assert found.witness.output in ("red", "green", "blue")


class Gaussian:
    """Two Gaussian counts, in a user's own code."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, noise: dpaudit.Noise):
        return x + noise.gaussian(2), 3 * x + noise.gaussian(2)


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        *(("rho=5/4", "PROVED"), ("rho=124/100", "REFUTED"), ("alpha=4,eps=5", "PROVED"), ("alpha=4,eps=4", "REFUTED")),
        *(("mu=2", "PROVED"), ("mu=3/2", "REFUTED")),
    ],
)
def test_an_unbounded_loss_does_not_refute_a_divergence(claim, word):
    """mu^2 = (1 + 9)/4; the loss is unbounded, rho and mu are not."""
    assert dpaudit.judge(Gaussian, claim).verdict.value == word


def test_a_supremum_known_at_one_epsilon_is_no_closed_form_for_all():
    found = dpaudit.calibrate("laplace", target=2)
    assert found.nominal == 2
    assert found.closed_form is None
    assert len(found.points) > 5

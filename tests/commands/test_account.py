"""``dpaudit account``: its JSON, its verdicts and exit codes, and what an interrupted run says."""

import json
from fractions import Fraction as F

import pytest

import dpaudit
from dpaudit.accounting import grid
from dpaudit.accounting.rivals import mark
from dpaudit.cli import main
from dpaudit.commands.reply import Terminated
from dpaudit.numbers.bounds import Bounds

RELEASES = ["--event", "gaussian:sigma=1,rate=1/10 x 20", "--event", "discrete-laplace:eps=1/10"]


def test_the_json_has_the_members_of_the_reference(capsys):
    assert main(["account", *RELEASES, "--at", "1,8", "--delta", "1e-6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["events"] == [RELEASES[1], RELEASES[3]]
    assert [row["at"] for row in found["delta"]] == ["1", "8"]
    assert [row["delta"] for row in found["epsilon"]] == ["1e-6"]
    assert found["adjacency"] == "add-remove-one"
    assert found["directions"] == ["remove", "add"]
    assert set(found["grid"]) == {"method", "step", "points", "rounds"}
    assert found["certificate"].startswith("none")
    for row in (*found["delta"], *found["epsilon"]):
        low, high = F(row["lower"]), F(row["upper"])
        assert 0 < low <= high <= low * (1 + F(1, 500))


@pytest.mark.parametrize(
    ("asked", "guessed", "most"),
    [
        (["gaussian:sigma=1", "--at", "0"], "whether yours is included", "0.6915"),  # (1 + δ(0)) / 2 = Φ(1/2)
        (["gaussian:sigma=1", "--delta", "1e-6"], "whether yours is included", "0.6915"),
        (["gaussian:sigma=1", "--at", "0", "--delta", "1e-6"], "whether yours is included", "0.6915"),
        (["pure:eps=1", "--claim", "eps=1,delta=0"], "whether yours is included", "0.7311"),  # e / (1 + e)
        (["pure:eps=1", "--at", "1", "--adjacency", "replace-one"], "yours", "0.7311"),
    ],
)
def test_an_account_says_what_it_means_for_a_person(capsys, asked, guessed, most):
    words = f"someone who knows every other record guesses {guessed} with probability at most {most} (blind: 0.5)"
    assert main(["account", "--event", *asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["person"] == words
    assert main(["account", "--event", *asked]) == 0
    assert words in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("claim", "code", "word"), [("eps=5,delta=1e-6", 0, "PROVED"), ("eps=4,delta=1e-6", 1, "REFUTED")]
)
def test_require_decides_the_exit_code(capsys, claim, code, word):
    assert main(["account", "--event", "gaussian:sigma=10 x 100", "--claim", claim, "--require"]) == code
    assert word in capsys.readouterr().out


def test_a_claim_on_the_very_edge_stays_undecided(capsys):
    edge = dpaudit.account(["gaussian:sigma=10,rate=1/2 x 10"], at="1/10", gap="1e-5").deltas[0][1]
    middle = (edge.lower + edge.upper) / 2
    arguments = ["--event", "gaussian:sigma=10,rate=1/2 x 10", "--claim", f"eps=1/10,delta={middle}", "--cells", "1024"]
    assert main(["account", *arguments, "--require"]) == 3
    assert "undecided" in capsys.readouterr().err


def test_require_without_a_claim_is_refused(capsys):
    assert main(["account", *RELEASES, "--at", "1", "--require"]) == 2
    assert "nothing is claimed" in capsys.readouterr().err


def test_a_mechanism_is_an_event_and_each_is_explained(capsys):
    assert (
        main(["account", "--event", "mech:LSHist,n=5 x 2", "--event", "laplace:eps=1/10", "--delta", "1e-3", "--each"])
        == 0
    )
    shown = capsys.readouterr().out
    assert "each release alone" in shown
    assert "each mechanism's own" in shown


def test_an_interrupted_run_says_what_it_knew(capsys, monkeypatch):
    """The second round is interrupted: the bounds of the first are printed, and the exit code says so."""
    usual, rounds = grid.Grid.refine_to, []

    def interrupted(self, step, questions):
        rounds.append(step)
        if len(rounds) == 2:
            raise KeyboardInterrupt
        usual(self, step, questions)

    monkeypatch.setattr(grid.Grid, "refine_to", interrupted)
    assert main(["account", *RELEASES, "--at", "1", "--gap", "1e-5", "--json"]) == 130
    found = json.loads(capsys.readouterr().out)
    assert found["complete"] is False
    assert 0 < F(found["delta"][0]["lower"]) <= F(found["delta"][0]["upper"]) < 1


def test_a_run_that_is_ended_among_the_others_keeps_its_bounds(capsys, monkeypatch):
    def ended(events, known):
        yield mark("first", F(1, 10**6), 9.0, Bounds(F(1), F(2)))
        raise Terminated

    monkeypatch.setattr("dpaudit.audit.account.rivals", ended)
    assert main(["account", "--event", "gaussian:sigma=10", "--delta", "1e-6", "--compare", "--json"]) == 143
    found = json.loads(capsys.readouterr().out)
    assert found["complete"] is False
    assert F(found["epsilon"][0]["lower"]) > 0
    assert [rival["accountant"] for rival in found["others"]] == ["first"]


def test_a_lattice_that_is_ended_says_what_it_knew(capsys, monkeypatch):
    def ended(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpaudit.accounting.solve.epsilon_at", ended)
    assert (
        main(["account", "--event", "randomized-response:eps=1 x 3", "--delta", "1e-2", "--at", "1", "--json"]) == 130
    )
    found = json.loads(capsys.readouterr().out)
    assert F(found["delta"][0]["lower"]) > 0


def test_a_whole_pipeline_is_explained(capsys):
    """The best guess from a hundred Gaussian releases is (1 + delta(0)) / 2 = Phi(1/2)."""
    assert main(["explain", "--event", "gaussian:sigma=10 x 100", "--delta", "1e-6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["account"] == ["gaussian:sigma=10 x 100"]
    assert F(found["attained"]["lower"]) <= F("0.69146246127401310364") <= F(found["attained"]["upper"])
    spent = dpaudit.account(["gaussian:sigma=10 x 100"], delta="1e-6").epsilons[0][1]
    assert spent.upper <= F(found["epsilon"]["lower"]) <= spent.upper * (1 + F(1, 10**5))
    for arguments, words in (
        (["--event", "laplace:eps=1"], "give the δ"),
        (["1", "--event", "laplace:eps=1", "--delta", "1e-6"], "neither --mech nor an ε"),
        (["--event", "pure:eps=1,delta=1/10", "--delta", "1e-6"], "no ε is proved"),
    ):
        assert main(["explain", *arguments]) == 2
        assert words in capsys.readouterr().err


def test_a_picture_needs_several_points(tmp_path):
    found = dpaudit.account(["gaussian:sigma=2 x 4"], at="0,1,2")
    assert found.plot().get_title(loc="left").startswith("δ(ε)")
    with pytest.raises(dpaudit.InputError):
        dpaudit.account(["gaussian:sigma=2 x 4"], at="1").plot()

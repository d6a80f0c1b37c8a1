"""A setting in which n, eps or the prior ranges: how it is read, and who refuses it."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.audit.setting import Setting
from dpaudit.cli import main
from dpaudit.forall.ranged import Ranged, Span, read
from dpaudit.numbers.errors import InputError


def test_a_single_value_is_a_setting():
    assert read("EHDL", n=3, eps="1/2") == Setting.read("EHDL", n=3, eps="1/2")


@pytest.mark.parametrize(
    ("words", "ranging", "command"),
    [
        ({"n": 9, "eps": "all"}, ("eps",), "--n 9 --eps all"),
        ({"n": 9, "epsilon": " ALL "}, ("eps",), "--n 9 --eps all"),
        ({"n": 9, "eps": "0.01..16", "k": 3}, ("eps",), "--n 9 --k 3 --eps 1/100..16"),
        ({"n": "9", "prior": "1/100..2,1/2..3"}, ("prior",), "--n 9 --prior 1/100..2,1/2..3"),
        ({"n": "9", "prior": ["1..2", 3], "eps": 2}, ("prior",), "--n 9 --prior 1..2,3 --eps 2"),
        ({"n": "all", "eps": "all", "prior": "1/2,1"}, ("n", "eps"), "--n all --prior 1/2,1 --eps all"),
    ],
)
def test_what_ranges_and_the_command_again(words, ranging, command):
    found = read("EHDL", **words)
    assert isinstance(found, Ranged)
    assert found.ranging == ranging
    assert found.command_line("epsilon") == f"dpaudit epsilon --mech EHDL {command}"


def test_a_point_of_it_is_a_setting():
    found = read("ehds", n=9, gamma="1/2", prior="1..2,3")
    assert found.prior == (Span(Fraction(1), Fraction(2)), Fraction(3))
    assert found.at(prior="3/2,3") == Setting.read("EHDS", n=9, gamma="1/2", prior="3/2,3")
    assert found.describe()["prior"] == ["1..2", "3"]
    assert found.setting_text() == "n = 9, k = 2, prior (1..2, 3), ε = 1, gamma = 1/2"
    assert read("EHD", n=9, eps="all").setting_text() == "n = 9, k = 2, prior (1, 1), every ε > 0, gs = constant"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("epsilon --mech EHDL --n 4 --prior 2..1,1", "--prior = 2..1: the range must not fall"),
        ("epsilon --mech EHDL --n 4 --prior 1..1,1", "--prior = 1..1: is empty"),
        ("epsilon --mech EHDL --n 4 --prior 1..,1", "--prior = 1..: must be an exact number"),
        ("epsilon --mech EHDL --n 4 --prior 0..1,1", "--prior = 0..1: must be > 0"),
        ("epsilon --mech EHDL --n 4 --prior 1,-1..1", "--prior = -1..1: must be > 0"),
        ("epsilon --mech EHDL --n 4 --prior all,1", "--prior = all: must be an exact number"),
        ("epsilon --mech EHDL --n 4 --eps 16..1", "--eps = 16..1: the range must not fall"),
        ("epsilon --mech EHDL --n 4 --eps 0..1", "--eps = 0..1: must be > 0"),
        ("epsilon --mech EHDL --n 4 --eps 1..9..2", "--eps = 1..9..2: every number of the range is meant"),
        ("epsilon --mech EHDL --n 1..4", "--n = 1..4: must be a whole number >= 1 or all"),
        ("epsilon --mech EHDL --n 4 --eps all --prior 1..2,1", "--prior = 1..2,1: there is no theorem on every value"),
        ("epsilon --mech EHDL --n 4 --rest 1/10", "--rest = 1/10: goes with a box of priors"),
        ("epsilon --mech EHDL --n 4 --eps all --rest 1/10", "--rest = 1/10: goes with a box of priors"),
        ("epsilon --mech EHDL --n 4 --picture a.svg", "--picture = a.svg: goes with a box of priors"),
        ("epsilon --mech MHdelta --delta 1e-8 --n 4 --eps all", "--eps = all: MHdelta claims"),
        ("epsilon --mech dpaudit.examples.geometric:Geometric --eps all", "--eps = all: theorems are about"),
        (
            "delta --mech EHDL --n 4 --eps all --at 1",
            "--eps = all: one value is needed here; all or",
        ),
        ("judge --mech EHDL --n all --claim eps=1", "--n = all: one value is needed here"),
        ("pmf --mech EHDL --n 4 --x 1,3 --prior 1..2,1", "--prior = 1..2,1: one value is needed here"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"dpaudit: {said}")


def test_the_same_in_python():
    with pytest.raises(InputError, match="eps = all"):
        dpaudit.delta("EHDL", 1, n=4, eps="all")
    assert dpaudit.epsilon("LSDim", n=4).closed_form == "1/2"

"""--cross-check: a second path answers the same question, says whether it agrees, and is heard where it does not."""

import ast
import json
from fractions import Fraction
from pathlib import Path

import pytest
from certificates import FAMILY, OWN

import dpaudit
from dpaudit.audit import cross_check
from dpaudit.cli import main
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.reference import definitions, tables

REFERENCE = Path(definitions.__file__).parent
AGREES = "cross-checked with mpmath at 50 digits: agrees"


@pytest.mark.parametrize(("mech", "options"), FAMILY + OWN, ids=lambda value: str(value)[-24:])
def test_both_paths_agree(mech, options):
    for found in (
        dpaudit.epsilon(mech, cross_check=True, **options),
        dpaudit.delta(mech, "1/3", cross_check=True, **options),
    ):
        assert found.cross_check.text() == AGREES
        assert found.to_dict()["cross_check"] == {"by": "mpmath", "digits": 50, "value": found.cross_check.value,
                                                  "agrees": True}  # fmt: skip
    assert "cross_check" not in dpaudit.epsilon(mech, **options).to_dict()


def test_many_digits_are_checked_with_more():
    assert dpaudit.epsilon("EHDL", n=3, digits=80, cross_check=True).cross_check.digits >= 90


WRONG = [
    (lambda patch: patch.setattr(definitions, "constant_sensitivity", lambda dps: definitions.to_mpf(Fraction(1, 2))),
     ("EHD", {"n": 3})),
    (lambda patch: patch.setattr(definitions, "laplace_cdf", lambda t, scale: definitions.to_mpf(Fraction(1, 3))),
     ("LSHist", {"n": 3, "eps": "7/5"})),
    (lambda patch: patch.setitem(tables.FUNCTIONS, "exp", lambda x: 1 + x), OWN[2]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "case"), WRONG, ids=["sensitivity", "noise", "function"])
def test_a_disagreement_is_said_and_ends_with_1(change, case, monkeypatch, capsys):
    mech, options = case
    for cached in (definitions.pmf, definitions.laplace_cell):
        cached.cache_clear()
    change(monkeypatch)
    words = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    try:
        code = main(["epsilon", "--mech", mech, *words, "--cross-check"])
        said = capsys.readouterr()
    finally:
        for cached in (definitions.pmf, definitions.laplace_cell):
            cached.cache_clear()
    assert (code, "DISAGREES" in said.out) == (1, True) or (code, "the reference cannot decide" in said.err) == (
        2,
        True,
    )


def test_an_enclosure_that_misses_the_value_disagrees():
    mechanism = dpaudit.mechanism("LSHist", n=3)
    for lower, upper, agrees in (
        ("1", "1", True),
        ("0.9", "1.1", True),
        ("1.0001", "2", False),
        ("0", "0.9999", False),
    ):
        found = cross_check.cross_check(mechanism, Enclosure(Fraction(lower), Fraction(upper), 17))
        assert found.agrees == agrees
    assert not cross_check.cross_check(mechanism, dpaudit.epsilon("LSHist", n=3).epsilon, Fraction(1, 2)).agrees


def test_an_infinite_epsilon_is_found_by_both(tmp_path):
    (tmp_path / "t.csv").write_text(",a,b\nx,1,0\ny,1/2,1/2\n")
    found = dpaudit.table(str(tmp_path / "t.csv"), at="0,1", cross_check=True)
    assert found.epsilon.is_infinite
    assert found.cross_check.agrees
    assert all(part.cross_check.agrees for part in found.deltas)


def test_a_disguised_zero_is_zero_in_the_reference_too():
    zero = ["+", ["*", ["exp", "1/2"], ["exp", "1/2"]], ["*", "-1", ["exp", "1"]]]
    assert list(tables.row([zero, "1"], False, 50)) == [0, 1]
    small, _ = tables.row([["exp", "-2000"], ["+", "1", ["*", "-1", ["exp", "-2000"]]]], False, 50)
    assert small > 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("epsilon --mech EHDS --n 900", "too large for the slow reference"),
        ("epsilon --mech EHD --n 3 --gs exact --score l1", "the reference covers the documents' mechanisms"),
        ("epsilon --mech EHD --n 3 --adjacency all", "replace-one adjacency only"),
        ("epsilon --mech EHDL --n 5 --eps all", "needs one n, one prior and one ε"),
    ],
)
def test_what_the_reference_cannot_answer_is_refused_before_any_work(words, reason, capsys):
    assert main([*words.split(), "--cross-check"]) == 2
    assert reason in capsys.readouterr().err


def test_intervals_are_refused():
    class Wide:
        def datasets(self):
            return [0, 1]

        outputs = datasets

        def probabilities(self, x):
            return [("0.4", "0.5"), ("0.5", "0.6")]

    with pytest.raises(dpaudit.InputError, match="the reference cannot decide: an entry is given as an interval"):
        dpaudit.epsilon(Wide(), cross_check=True)


def test_the_answer_for_people_and_the_command_name_it(capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "5", "--cross-check"]) == 0
    text = capsys.readouterr().out
    assert f"checked by    {AGREES}" in text
    assert "dpaudit epsilon --mech EHDS --n 5 --cross-check" in text
    assert main(["delta", "--mech", "EHDS", "--n", "5", "--at", "1/9", "--cross-check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cross_check"]["agrees"] is True


def test_it_shares_no_code_with_the_engine_and_no_intervals_of_mpmath():
    """mpmath.iv returns None from comparisons that it cannot decide."""
    for path in REFERENCE.glob("*.py"):
        tree = ast.parse(path.read_text())
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {name for name in names if name.split(".")[0] == "dpaudit"}, path
    for path in REFERENCE.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "mpmath":
                assert "iv" not in {alias.name for alias in node.names}, path
            assert not (isinstance(node, ast.Attribute) and node.attr == "iv"), path


@pytest.mark.parametrize(("mech", "claim"), [("EHDS", None), ("LSHist", "eps=1/2,delta=1/4"), (OWN[1][0], "eps=2")])
def test_what_decides_a_guarantee_is_checked(mech, claim, capsys):
    options = {} if ":" in mech else {"n": 3}
    found = dpaudit.judge(mech, claim, cross_check=True, **options)
    assert found.checked_by == (AGREES,)
    assert found.to_dict()["cross_check"]["agrees"] is True
    words = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    claimed = ["--claim", claim] if claim else []
    assert main(["judge", "--mech", mech, *words, *claimed, "--cross-check"]) == 0
    assert AGREES in capsys.readouterr().out
    assert dpaudit.judge(mech, claim, **options).checked_by == ()


def test_a_guarantee_that_the_reference_does_not_answer_is_refused():
    with pytest.raises(dpaudit.InputError, match="the reference answers"):
        dpaudit.judge("EHDS", "rho=1/8", n=3, cross_check=True)

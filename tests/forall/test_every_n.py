"""Every n, section 5 of EVERY_N.md: the suprema against brute force, the command line, the claim."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import outward
from tests.forall.brute_force import losses

ANSWERS = [
    ("EHDL", {}),
    ("EHDL", {"prior": "1/10,1/10"}),
    ("EHDS", {"prior": "1/2,3", "eps": "2"}),
    ("EHD", {}),
    ("EHD/exact", {"prior": "2,2", "eps": "4"}),
    ("MH", {"gamma": "1/2"}),
]


@cache
def answer(mech, **setting):
    return dpaudit.epsilon(mech, n="all", digits=10, **setting)


@pytest.mark.parametrize(("mech", "setting"), ANSWERS)
@pytest.mark.thin(2)
def test_the_supremum_against_brute_force(mech, setting):
    result = answer(mech, **setting)
    assert result.open is None
    assert result.epsilon.width <= Fraction(2, 10**10)
    assert result.limit.upper <= result.epsilon.upper
    prior = tuple(map(Fraction, setting.get("prior", "1,1").split(",")))
    eps, gamma = float(Fraction(setting.get("eps", "1"))), float(Fraction(setting.get("gamma", "1")))
    seen = {n: abs(losses(n, prior, mech, eps, gamma)).max() for n in (*range(1, 120), 150, 200, 250, 300)}
    assert max(seen.values()) <= float(result.epsilon.upper) + 1e-7
    if result.attained is None:
        assert result.epsilon.lower <= result.limit.upper
        assert max(seen.values()) < float(result.limit.lower)
    else:
        n = result.attained
        assert seen[n] == pytest.approx(float(result.epsilon.lower), abs=1e-7)
        own = dpaudit.epsilon(mech, n=n, digits=10, **setting)
        assert own.epsilon.lower <= result.epsilon.upper
        assert result.epsilon.lower <= own.epsilon.upper
        assert own.witness.to_dict() == result.witness.to_dict()


def test_single_n_by_the_auditor():
    result = answer("EHDL")
    for n in (1, 2, 3, 5, 6, 50, 143, 144, 299, 300):
        assert dpaudit.epsilon("EHDL", n=n, digits=10).epsilon.upper < result.epsilon.lower


def test_ehdl_with_the_uniform_prior_is_private_for_every_n_and_every_epsilon():
    result = dpaudit.epsilon("EHDL", n="all", eps="all", digits=10)
    assert result.claim.verdict.value == "PROVED"
    with balls.precision(128):
        first, second = ((1 - bc).sqrt() for bc in (balls.pi().sqrt() / 2, (2 * balls.pi()).sqrt() * 3 / 8))
        limit = (second / first + 1 / second - 1 / first) / 2
        lower, upper = balls.ends(limit)
    assert result.ratio.lower <= upper
    assert lower <= result.ratio.upper < 1
    assert result.limit.lower <= lower <= upper <= result.limit.upper
    for n in (2, 20, 140):
        for eps in ("1/1000", "3", "200"):
            own = dpaudit.epsilon("EHDL", n=n, eps=eps, digits=10).epsilon
            assert own.upper <= result.ratio.lower * Fraction(eps)


def test_calibrated_where_one_n_is_the_worst():
    """At n = 1 and prior (1, 1) the loss of EHD is exactly eps / 2, and no other n exceeds that at eps = 2."""
    result = dpaudit.calibrate("EHD", n="all", target=1, digits=10)
    assert result.nominal == 2
    assert result.true_epsilon.lower == result.true_epsilon.upper == 1
    assert result.attained == 1
    assert result.beyond.nominal == Fraction(20000001, 10**7)


def test_calibrated_for_every_n():
    result = dpaudit.calibrate("EHDS", n="all", target="1/2", digits=10)
    assert result.true_epsilon.upper <= Fraction(1, 2) < result.beyond.true.lower
    assert result.beyond.nominal - result.nominal <= Fraction(1, 10**7)
    again = dpaudit.epsilon("EHDS", n=300, eps=str(result.nominal), digits=10)
    assert again.epsilon.upper < Fraction(1, 2)


# ------------------------------------------------------------------ the command line


def run_command(capsys, *words):
    code = main([*words])
    return code, *capsys.readouterr()


def test_the_answer_in_json(capsys):
    code, out, _ = run_command(capsys, "epsilon", "--mech", "EHD", "--n", "all", "--digits", "10", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["n"] == "all"
    assert found["attained"] == "3"
    assert found["epsilon"]["lower"].startswith("0.5244")
    assert found["limit"]["lower"].startswith("0.3640")
    assert found["verdict"]["word"] == "PROVED"
    assert found["command"] == "dpaudit epsilon --mech EHD --n all --digits 10"


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["epsilon", "--mech", "MHdelta", "--delta", "1e-8"], "no theorem here is about that"),
        (["epsilon", "--mech", "LSHist"], "not for LSHist; `dpaudit check dp.lshist` decides its claim for every n"),
        (["epsilon", "--mech", "EHDL", "--k", "3"], "k = 2, not 3"),
        (["epsilon", "--mech", "EHDL", "--score", "kl"], "Hellinger score"),
        (["epsilon", "--mech", "EHDL", "--adjacency", "all"], "one record replaced"),
        (["epsilon", "--mech", "EHDL", "--eps", "1..2"], "one number, or all"),
        (["epsilon", "--mech", "EHD", "--prior", "300,300"], "beyond n = 800: the prior is too large; give one n"),
        (["epsilon", "--mech", "EHDS", "--prior", "300,300"], "beyond n = 800: the prior is too large; give one n"),
        (["epsilon", "--mech", "EHDS", "--gamma", "1/50"], "beyond n = 800: γ = 1/50 is too small; give one n"),
        (["epsilon", "--mech", "EHDL", "--digits", "50"], "40"),
        (["epsilon", "--mech", "EHDL", "--prior", "1..2,1"], "no theorem"),
        (["calibrate", "--mech", "LSHist"], "not for LSHist; `dpaudit check dp.lshist` decides its claim for every n"),
        (["delta", "--mech", "EHDL", "--at", "1"], "must be one value here"),
    ],
)
def test_what_has_no_theorem_is_refused_in_one_line(capsys, words, rule):
    code, out, err = run_command(capsys, *words, "--n", "all")
    assert code == 2
    assert not out
    assert err.count("\n") == 1
    assert rule in err


# ------------------------------------------------------------------ the claim


def test_the_proof_that_ehdl_is_private_fails_with_any_of_its_parts():
    from proofs_checks.privacy.ehdl import private_for_every_n, theory

    found = theory()
    assert not private_for_every_n(found).obstacle
    wide = replace(found.cover[0], most=Fraction(1))
    high = replace(found.below[5], value=outward(Fraction(0), Fraction(1), 10))
    for broken, label in (
        (replace(found, middle=Fraction(1)), "the middle"),
        (replace(found, cover=(wide, *found.cover[1:])), "the ends"),
        (replace(found, below=(*found.below[:5], high, *found.below[6:])), f"n < {found.first}"),
        (replace(found, below=found.below[1:]), f"n < {found.first}"),
    ):
        assert label in private_for_every_n(broken).obstacle


def test_the_slow_convergence_of_the_docs():
    """docs/forall.md: the limit of EHDS with gamma = 1/3 at epsilon = 4 is far off at n = 10^9."""
    text = (Path(__file__).parents[2] / "docs" / "forall.md").read_text(encoding="utf-8")
    found = dpaudit.epsilon("EHDS", n=10**9, gamma="1/3", eps=4, digits=6).epsilon
    assert f"at n = 10⁹ an audit still gives {float(found.lower):.7f}"[:-2] in text


def test_the_limit_with_the_exact_sensitivity_is_half_of_epsilon_by_algebra(monkeypatch, capsys):
    words = ["epsilon", "--mech", "EHD", "--gs", "exact", "--n", "all", "--digits", "8"]
    assert main([*words, "--eps", "4"]) == 0
    assert re.search(r"limit n → ∞ +2, by algebra", capsys.readouterr().out)
    known = dpaudit.epsilon("EHD/exact", n="all", eps="1/3", prior="1,3", digits=8)
    assert known.theory.limit_known == Fraction(1, 6)
    monkeypatch.setattr("dpaudit.forall.every_n_rates.Family.limit_form", lambda _: None)
    found = dpaudit.epsilon("EHD/exact", n="all", eps="1/3", prior="1,3", digits=8)
    assert found.theory.limit_known is None
    assert found.limit.contains(Fraction(1, 6))

"""Answers for a paper: LaTeX whose bounds are rounded outward, and closed forms that sympy goes on with."""

import re
from fractions import Fraction

import pytest
import sympy

import dpaudit
from dpaudit.audit.latex import escaped
from dpaudit.cli import main


@pytest.mark.parametrize("mech", ["LSZhang", "LSDim", "LSHist"])
def test_the_closed_form_is_the_true_epsilon_at_every_nominal_one(mech):
    form = dpaudit.epsilon(mech, n=7, k=3).closed_form
    (epsilon,) = form.free_symbols
    for eps in ("1/3", "2"):
        found = dpaudit.epsilon(mech, n=7, k=3, eps=eps)
        assert found.closed_form == form
        value = Fraction(str(sympy.N(form.subs(epsilon, sympy.Rational(eps)), 30)))
        assert found.epsilon.lower - Fraction(1, 10**14) <= value <= found.epsilon.upper + Fraction(1, 10**14)


def test_a_number_known_at_this_epsilon_alone():
    response = "dpaudit.examples.randomized_response:RandomizedResponse"
    assert dpaudit.epsilon(response, eps="2/7").closed_form == sympy.Rational(2, 7)
    assert dpaudit.epsilon("EHDS", n=5).closed_form is None
    assert dpaudit.epsilon("EHDS", n=5).to_dict()["closed_form"] is None


def test_both_bounds_are_rounded_outward(capsys):
    assert main(["epsilon", "EHDS", "--n", "100", "--latex"]) == 0
    shown = capsys.readouterr().out
    lower, upper = (Fraction(end) for end in re.search(r"lies in \$\[(.*), (.*)\]\$", shown).groups())
    true = dpaudit.epsilon("EHDS", n=100).epsilon
    assert lower < true.lower < true.upper < upper
    assert upper - lower == Fraction(1, 10**6)
    assert shown.startswith("% dpaudit ")
    assert shown.count("\\\\\n") == len(re.findall(r"^.* & .*$", shown, re.MULTILINE)) == 5


def test_a_closed_form_is_typeset(capsys):
    assert main(["epsilon", "LSDim", "--n", "20", "--k", "3", "--latex"]) == 0
    assert r"\[ \varepsilon_{\mathrm{true}} = \frac{2 \varepsilon}{3} \]" in capsys.readouterr().out
    assert main(["epsilon", "gaussian", "--latex"]) == 0
    assert r"is $\infty$" in capsys.readouterr().out


def test_nothing_of_a_name_is_read_as_latex():
    assert escaped(r"50 % of \x_1^2 & {ε}") == r"50 \% of \textbackslash{}x\_1\textasciicircum{}2 \& \{$\varepsilon$\}"


@pytest.mark.parametrize(
    ("setting", "name", "attained"),
    [
        ({"mech": "EHDS", "n": "all"}, "largest true $\\varepsilon$", r"in the limit n $\to$ $\infty$"),
        ({"mech": "EHDL", "n": 20, "eps": "all"}, r"largest true $\varepsilon$ / $\varepsilon$", r"in the limit"),
    ],
)
def test_a_theorem_has_a_sentence_whose_bounds_are_rounded_outward(setting, name, attained):
    found = dpaudit.epsilon(**setting)
    shown = found.latex()
    lower, upper = (Fraction(end) for end in re.search(r"lies in \$\[(.*), (.*)\]\$", shown).groups())
    assert lower < found.value.lower < found.value.upper < upper
    assert upper - lower == Fraction(1, 10**6)
    assert name in shown
    assert f"attained {attained}" in shown
    assert shown.count("\\\\\n") == len(re.findall(r"^.* & .*$", shown, re.MULTILINE)) == 4


def test_another_answer_has_no_latex(capsys):
    assert main(["epsilon", "EHD", "--n", "1", "--prior", "1..2,1..2", "--latex"]) == 2
    assert "--latex = yes: is for a true ε or δ, at one setting or over all n or ε" in capsys.readouterr().err

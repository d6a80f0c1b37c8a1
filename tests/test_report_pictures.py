"""The numbers behind the pictures of a report are the engine's, and the pictures show them."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.reports import plan
from dpaudit.reports.charts import figures
from dpaudit.reports.distances import along
from dpaudit.reports.nominal import FACTORS
from dpaudit.reports.report import build


@pytest.fixture(scope="module")
def made():
    block = plan.block({"n": "2..4", "mechs": "EHDL,MH", "prior": "1/10,1/10"})
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    return {section["kind"]: section for section in sections}


def shown(made, kind):
    drawn = figures(made[kind], list(made.values()))
    return drawn, "".join(picture.svg() for figure in drawn for picture in figure.wide)


def test_true_over_nominal_is_the_true_epsilon(made):
    rows = [row for row in made["true-nominal"]["rows"] if row["mechanism"] == "EHDL"]
    assert [Fraction(row["eps"]) for row in rows] == list(FACTORS)
    found = dpaudit.epsilon("EHDL", n=4, prior="1/10,1/10", eps=rows[0]["eps"], digits=12).epsilon
    ratio = rows[0]["ratio"]
    assert Fraction(ratio["lower"]) <= found.lower / FACTORS[0] <= found.upper / FACTORS[0] <= Fraction(ratio["upper"])
    assert "true ε = nominal ε" in shown(made, "true-nominal")[1]


def test_the_map_of_priors_outlines_what_exceeds(made):
    rows = made["prior-map"]["rows"]
    row = next(r for r in rows if (r["mechanism"], r["prior"], r["n"]) == ("EHDL", "1/10", 160))
    assert row["outcome"] == "REFUTED"  # from n = 137 on
    drawn, text = shown(made, "prior-map")
    assert "EHDL in" in drawn[0].caption
    assert text.count('class="cells"') == 2


def test_distances_are_the_accuracy_and_the_bound_that_fails_is_named(made):
    subject = dpaudit.mechanism("MH", n=4, prior="1/10,1/10")
    rows = along(subject, (2, 2))
    steps = dpaudit.accuracy("MH", "2,2", prior="1/10,1/10", digits=10).steps
    first = next(row for row in rows if row["bound"] == "")
    cumulative = steps[0].cumulative
    assert Fraction(first["value"]["lower"]) <= cumulative.upper
    assert cumulative.lower <= Fraction(first["value"]["upper"])
    failing = {row["bound"] for row in made["distances"]["rows"] if row.get("outcome") == "REFUTED"}
    caption = shown(made, "distances")[0][0].caption
    assert all(bound in caption for bound in failing)


def test_the_chain_shows_both_probabilities_and_the_matrix_every_share(made):
    drawn, text = shown(made, "chain")
    assert "P_x(r)" in text
    assert "P_x′(r)" in text
    assert made["chain"]["rows"][-1]["words"] in drawn[0].caption
    assert all(row["mechanism"] in shown(made, "matrix")[1] for row in made["matrix"]["rows"])


def test_limits_and_claims_stand_by_the_lines(made):
    drawn, text = shown(made, "epsilon-by-n")
    assert set(made["epsilon-by-n"]["limits"]) == {"EHDL", "MH"}
    assert "n → ∞" in text
    assert "no claim" in text
    assert "claims 2-DP" in text
    assert "Proved limits" in drawn[0].caption


def test_curves_stand_beside_the_trade_off(made):
    drawn, text = shown(made, "delta-curves")
    assert len(drawn[0].wide) == 2
    assert "error of the second kind" in text

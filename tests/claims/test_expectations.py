"""One test a claim: the check is run, its verdict and its one line must be the committed ones."""

import pytest

from dpaudit.claims.catalogue import load
from dpaudit.claims.expectations import entry
from dpaudit.claims.outcome import EVERYWHERE, PARTS_EVERYWHERE
from dpaudit.claims.page import render
from proofs_checks import CATALOGUE
from tests.proofs_checks.documents import CLAIMS, EXPECTED, run_one

LIBRARY = load()
CHECKED = [claim.id for claim in CLAIMS if claim.id in LIBRARY.checks]


SLOW = ("fig.laplace-crossover", "fig.errors-fall.a3")
"""Several seconds each: with --long only."""


@pytest.mark.parametrize("claim", CHECKED)
def test_claim(claim, long):
    if claim in SLOW and not long:
        pytest.skip("with --long")
    result = run_one(claim, LIBRARY)
    assert not result.error
    assert claim in EXPECTED, "run python -m dpaudit.claims.expectations and look at what it found"
    assert entry(result) == EXPECTED[claim]
    assert all(part.steps for part in result.outcome.parts if part.establishes in PARTS_EVERYWHERE.values())
    assert all(part.establishes not in EVERYWHERE for part in result.outcome.parts)


def test_every_claim_has_a_check_and_an_expectation():
    assert CHECKED == [claim.id for claim in CLAIMS] == list(EXPECTED)


def test_nothing_is_undecided_on_the_default_grids():
    assert [key for key, row in EXPECTED.items() if row["verdict"] == "UNDECIDED"] == []


def test_a_verdict_on_a_grid_says_so_in_the_column_of_verdicts():
    rows = {
        row.split("`")[1]: row.split(" | ")[3]
        for row in CATALOGUE.page.read_text("utf-8").splitlines()
        if row[:3] == "| `"
    }
    for key, row in EXPECTED.items():
        on_grid = row["verdict"] == "PROVED" and row["establishes"] == "exhaustive on the grid"
        assert rows[key] == ("**PROVED on its grid**" if on_grid else f"**{row['verdict']}**")


def test_the_page_names_the_theorem_of_coq():
    page = CATALOGUE.page.read_text("utf-8")
    assert "Coq: `Sensitivity.ehd_constant` |" in page
    assert "Coq: `Counting.lshist_private` |" in page


def test_the_page_is_fresh():
    assert CATALOGUE.page.read_text(encoding="utf-8") == render(CATALOGUE, EXPECTED)


ALLOWED = {
    "for all": {"PROVED": (*EVERYWHERE, "exhaustive on the grid"), "REFUTED": ("by counterexample",)},
    "there is": {
        "PROVED": ("by witness", *EVERYWHERE),
        "UNWITNESSED": ("no witness on the grid",),
        "IMPOSSIBLE": EVERYWHERE,
    },
    "O(.)": {"MEASURED": ("measured",)},
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_fits_the_quantifier_and_says_how_far_it_reaches(claim):
    row = EXPECTED[claim.id]
    assert row["establishes"] in ALLOWED[claim.quantifier][row["verdict"]]
    if row["establishes"] == "exhaustive on the grid":
        assert row["extent"].startswith("ON THE GRID ONLY: ")
    if row["establishes"] in EVERYWHERE:
        assert row["extent"] == row["establishes"]

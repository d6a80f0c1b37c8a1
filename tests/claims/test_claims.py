"""One test a claim: the check is run, its verdict and its one line must be the committed ones."""

import pytest

from proofs_checks import expectations, page, registry, runner
from proofs_checks.catalogue import CLAIMS, PENDING, REASONS

CHECKED = [key for key in page.order() if key in registry.load()]
EXPECTED = expectations.read()


@pytest.fixture(scope="module")
def futures(request):
    """Starts the selected checks on two processes; every test waits for its own."""
    names = {item.callspec.params["claim"] for item in request.session.items if "futures" in item.fixturenames}
    with runner.pool(2) as executor:
        yield runner.submit(executor, [key for key in CHECKED if key in names])
        executor.shutdown(cancel_futures=True)


@pytest.mark.parametrize("claim", CHECKED)
def test_claim(claim, futures):
    result = futures[claim].result()
    assert not result.error
    assert claim in EXPECTED, "run python -m proofs_checks.expectations and look at what it found"
    assert expectations.entry(result) == EXPECTED[claim]
    assert all(part.steps for part in result.outcome.parts if part.establishes == "for all n, by algebra")


def test_every_claim_has_a_check_or_a_reason():
    for claim in CLAIMS:
        pending = claim.section in PENDING
        assert (claim.id in CHECKED) + (claim.id in REASONS) == 1 or (pending and claim.id not in REASONS)


def test_every_check_and_every_expectation_names_a_claim():
    assert set(registry.load()) <= {claim.id for claim in CLAIMS}
    assert set(EXPECTED) == set(CHECKED)
    assert set(REASONS) <= {claim.id for claim in CLAIMS}


def test_ids_are_unique():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


def test_nothing_is_undecided_on_the_default_grids():
    assert [key for key, row in EXPECTED.items() if row["verdict"] == "UNDECIDED"] == []


def test_the_page_is_fresh():
    assert page.FILE.read_text(encoding="utf-8") == page.render(EXPECTED)


ALLOWED = {
    "for all": {"PROVED": ("for all n, by algebra", "exhaustive on the grid"), "REFUTED": ("by counterexample",)},
    "there is": {
        "PROVED": ("by witness", "for all n, by algebra"),
        "UNWITNESSED": ("no witness on the grid", "for all n, by algebra"),
    },
    "O(.)": {"MEASURED": ("measured",)},
}


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.id in EXPECTED], ids=lambda claim: claim.id)
def test_the_verdict_fits_the_quantifier_and_says_how_far_it_reaches(claim):
    row = EXPECTED[claim.id]
    assert row["establishes"] in ALLOWED[claim.quantifier][row["verdict"]]
    if row["establishes"] == "exhaustive on the grid":
        assert row["extent"].startswith("ON THE GRID ONLY: ")
    if row["establishes"] == "for all n, by algebra":
        assert row["extent"] == "for all n, by algebra"

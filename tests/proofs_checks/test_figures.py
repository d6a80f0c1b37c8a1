"""Every check of the figures can fail: an inequality is flipped or a constant changed, and the verdict changes."""

from dataclasses import replace

import pytest

from dpaudit.claims import scans
from dpaudit.claims.catalogue import load
from dpaudit.claims.grid import Grid
from proofs_checks.figures import concrete_epsilon, good_answers
from proofs_checks.figures import errors as figures_errors
from proofs_checks.figures import means as figures_means
from proofs_checks.figures import near as figures_near
from proofs_checks.figures import printed as figures_printed
from proofs_checks.figures import sizes as figures_sizes
from proofs_checks.figures import tables as figures_tables
from proofs_checks.figures import text as figures_text
from proofs_checks.figures.catalogue import FIGURES
from proofs_checks.figures.tables import LS, TABLE_1, TABLE_2, TRUNCATED, Recipe
from tests.proofs_checks.documents import EXPECTED, FLIPPED


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    """Nothing computed under a perturbation is remembered; the curves for k = 3 and 4 are short."""
    monkeypatch.setattr(figures_sizes, "REACH", (14, 12, 8))
    yield
    figures_means._means.cache_clear()


LIBRARY = load()
FEW = {
    "fig.laplace-crossover": Grid(n=(640, 650, 660, 1640, 1650, 2000)),
    "fig.balanced-crossover": Grid(n=(2, 4, 13, 14, 208, 209, 299, 301)),
    "fig.priors": Grid(a=(1, 5, 6, 44, 45)),
    "fig.priors.improved": Grid(a=(1, 400)),
    "fig.small-priors": Grid(a=(1, 2)),
    "fig.errors-fall.p1": Grid(n=(10, 20, 300, 310, 320)),
    "fig.errors-fall.a3": Grid(n=(2, 4, 12, 14)),
    "fig.near-candidates": Grid(x=((50, 50),)),
    "near.decay": Grid(n=(8, 10, 80, 100)),
    "err.priors": Grid(n=(2, 3), a=(figures_means.Fraction(1),), eps=(figures_means.Fraction(4),)),
    "fig.concrete-epsilon": Grid(n=(90,)),
}
"""Smaller grids on which the unperturbed verdicts are the same."""


def last_digit_changed(table):
    """The table with another last digit in its last number."""
    *rows, (distance, ours, laplace) = table
    head, exponent = [*laplace.split("e"), ""][:2]
    other = head[:-1] + ("1" if head[-1] != "1" else "2") + (f"e{exponent}" if exponent else "")
    return (*rows, (distance, ours, other))


class MHMadeWorse(figures_means.Means):
    """Mean errors with MH's raised below n = 300."""

    def __getitem__(self, name):
        value = super().__getitem__(name)
        return value + 1 if name == "MH" and self._row.model.n < figures_means.CROSS_2 else value


_fifty = figures_means.fifty


def all_of_150(values, half=50):
    return _fifty(values, 150)


DIFFER = replace(figures_sizes.FALLS, relation="!=")
PERTURBED = [
    ("fig.table-1.text", figures_text, "NEAR_1", 2),
    ("fig.table-2.text", figures_text, "NEAR_2", 1),
    ("fig.errors-fall.p1", figures_sizes, "FALLS", DIFFER),
    ("fig.errors-fall.a3", figures_sizes, "FALLS", DIFFER),
    ("fig.dirichlet.errors", figures_sizes, "FALLS", DIFFER),
    ("fig.dirichlet.crossover", figures_sizes, "WINNER", replace(figures_means.WINNER, relation=">")),
    ("fig.priors.improved", figures_means, "APPROACHES", replace(figures_means.APPROACHES, relation=">")),
    ("near.decay", good_answers, "FALLS", replace(good_answers.FALLS, relation="!=")),
    ("err.priors", figures_errors, "FALLS", replace(figures_errors.FALLS, relation="!=")),
    ("fig.small-priors", figures_means, "fifty", all_of_150),
    ("fig.concrete-epsilon", concrete_epsilon, "TRUE_EPSILON", replace(concrete_epsilon.TRUE_EPSILON, relation=">")),
    (
        "fig.concrete-epsilon",
        concrete_epsilon,
        "CONCRETE",
        ((concrete_epsilon.AsTabulated.name, concrete_epsilon.Fraction(4, 5)),),
    ),
    ("fig.table-1.stated", figures_printed, "STATED_1", Recipe(8, (1, 1), (4, 4), LS, 1, TRUNCATED)),
    ("fig.table-2.stated", figures_printed, "STATED_2", Recipe(60, (1,) * 3, (20,) * 3, LS, 1, TRUNCATED)),
    ("fig.table-1.found", figures_tables, "TABLE_1", last_digit_changed(TABLE_1)),
    ("fig.table-2.found", figures_tables, "TABLE_2", last_digit_changed(TABLE_2)),
    ("fig.laplace-crossover", figures_means, "CROSS_1", 1650),
    ("fig.balanced-crossover", figures_means, "Means", MHMadeWorse),
    ("fig.priors", figures_means, "WINNER", replace(figures_means.WINNER, relation=">")),
    ("fig.near-candidates", figures_near, "PAIRS", (("LSHist", "MH"),)),
]


def verdict(claim):
    check = LIBRARY.checks[claim]
    return replace(check, grid=FEW.get(claim, check.grid)).outcome().verdict.value


@pytest.mark.parametrize(("claim", "module", "name", "value"), PERTURBED)
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    figures_means._means.cache_clear()
    assert verdict(claim) != EXPECTED[claim]["verdict"]


@pytest.mark.parametrize("claim", FEW)
def test_the_smaller_grids_give_the_same_verdicts(claim):
    assert verdict(claim) == EXPECTED[claim]["verdict"]


def test_the_flipped_core_changes_what_was_proved_on_the_grid(monkeypatch):
    compare = scans.compare
    monkeypatch.setattr(scans, "compare", lambda relation, left, right: compare(FLIPPED[relation], left, right))
    assert verdict("fig.concrete-epsilon") == "REFUTED"


def test_every_figure_is_perturbed():
    assert {row[0] for row in PERTURBED} == {claim.id for claim in FIGURES}

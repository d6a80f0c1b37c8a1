"""Column maxima over column minima give what the walk over all pairs gives: value, witness, verdict."""

from fractions import Fraction
from itertools import product
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_laws import Given, exponentials, shares

import dpaudit
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy import columns
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import at_most, true_epsilon


def found(given, cliques):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "LARGE", 0 if cliques else 10**9)
        mechanism = load_mechanism(given, 1, {})
        worst = true_epsilon(mechanism, Effort())
        bounds = [at_most(mechanism, bound) for bound in (worst.value.upper, worst.value.lower, Fraction(1, 7))]
    return worst.value, worst.witness, worst.known, bounds


WEIGHTS = st.integers(1, 6)
ROWS = st.integers(1, 4).flatmap(lambda m: st.lists(st.lists(WEIGHTS, min_size=m, max_size=m), min_size=2, max_size=7))
KINDS = {
    "rationals": lambda rows: Given([shares(row) for row in rows]),
    "exponentials": lambda rows: Given([exponentials(row) for row in rows]),
    "log-weights": lambda rows: Given([[Fraction(w, 2) for w in row] for row in rows], logarithmic=True),
    "impossible": lambda rows: Given([shares([*row, 0]) for row in rows]),
    "no log-weight": lambda rows: Given([[*row, None] for row in rows], logarithmic=True),
}


@pytest.mark.parametrize("kind", KINDS)
@given(rows=ROWS)
def test_columns_and_pairs_agree(kind, rows):
    first, second = found(KINDS[kind](rows), True), found(KINDS[kind](rows), False)
    assert (first[0], first[2:]) == (second[0], second[2:])
    assert first[1] == second[1] or first[2] == 0  # where nothing is lost, any pair is a witness


@given(st.lists(st.lists(WEIGHTS, min_size=3, max_size=3), min_size=9, max_size=9))
def test_replaced_records_are_sets_in_which_all_are_adjacent(rows):
    people = list(product(range(3), repeat=2))
    given = Given([shares(row) for row in rows], datasets=people, adjacency="replace-one:records")
    first, second = found(given, True), found(given, False)
    assert (first[0], first[2:]) == (second[0], second[2:])


def test_an_output_that_is_impossible_for_some_is_no_column():
    """The verdict is that of the walk over the pairs: the loss is infinite."""
    given = Given([shares([1, 1]), shares([1, 2]), shares([1, 0])])
    assert found_infinite(given) is Verdict.REFUTED


def found_infinite(given):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "LARGE", 0)
        return at_most(load_mechanism(given, 1, {}), Fraction(10**6))


def test_a_table_of_many_rows_is_not_refused_for_its_pairs(tmp_path):
    """With 300 data sets and 400 outputs the pairs would be 36 million steps."""
    rows = [shares([1 + (i * j) % 7 for j in range(400)]) for i in range(300)]
    lines = ["," + ",".join(f"o{j}" for j in range(400))]
    lines += [f"d{i}," + ",".join(map(str, row)) for i, row in enumerate(rows)]
    (tmp_path / "pmf.csv").write_text("\n".join(lines))
    result = dpaudit.table(str(tmp_path / "pmf.csv")).epsilon
    ratio = max(max(column) / min(column) for column in zip(*rows, strict=True))
    assert float(result.lower) == pytest.approx(log(ratio), abs=1e-12)
    assert dpaudit.epsilon(str(tmp_path / "pmf.csv"), claim="1").epsilon == result
    with pytest.raises(dpaudit.InputError, match="steps"):
        dpaudit.table(str(tmp_path / "pmf.csv"), at="1/2")

"""Adjacency is a value: which pairs are looked at, what stays valid under another one."""

import itertools
import re
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit.mechanisms import REGISTRY, make_mechanism
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.numbers import balls
from dpaudit.posterior.model import hamming, make_model
from dpaudit.privacy.adjacency import (
    ADD_OR_REMOVE_ONE,
    ALL_PAIRS,
    REPLACE_ONE,
    ExplicitPairs,
    parse_adjacency,
)
from dpaudit.privacy.pairs import pairs

F = Fraction
CELLS = [c for c in itertools.product(range(4), repeat=2) if sum(c) <= 3]


def unknown(option, value):
    raise dpaudit.InputError(option, value, "is no data set")


def test_relations_by_hand():
    near = {name: set(relation.neighbors((1, 1), CELLS)) for name, relation in
            (("replace", REPLACE_ONE), ("add", ADD_OR_REMOVE_ONE), ("all", ALL_PAIRS))}  # fmt: skip
    assert near["replace"] == {(0, 2), (2, 0)}
    assert near["add"] == {(0, 1), (1, 0), (2, 1), (1, 2)}
    assert near["all"] == set(CELLS) - {(1, 1)}
    assert set(ADD_OR_REMOVE_ONE.neighbors((0, 3), CELLS)) == {(0, 2)}
    listed = ExplicitPairs((((1, 1), (0, 0)), ((0, 3), (1, 1)), ((1, 1), (1, 1))))
    assert listed.neighbors((1, 1), CELLS) == [(0, 0), (0, 3)]
    assert listed.neighbors((0, 3), CELLS) == [(1, 1)]
    assert listed.neighbors((2, 0), CELLS) == []


@pytest.mark.parametrize("relation", [REPLACE_ONE, ADD_OR_REMOVE_ONE, ALL_PAIRS])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (4, 2), (3, 3), (2, 4)])
def test_counts_by_formula_are_right_and_the_relation_is_symmetric(relation, n, k):
    every = make_model(n, k).histograms
    links = {(x, y) for x in every for y in relation.neighbors(x, every)}
    assert len(links) == relation.count(n, k)
    assert links == {(y, x) for x, y in links}
    if relation is REPLACE_ONE:
        assert links == {(x, y) for x in every for y in every if hamming(x, y) == 1}


def test_texts_and_values():
    assert parse_adjacency("Replace-One", unknown) is REPLACE_ONE
    assert parse_adjacency(" all ", unknown) is ALL_PAIRS
    assert parse_adjacency(ADD_OR_REMOVE_ONE, unknown) is ADD_OR_REMOVE_ONE
    assert REPLACE_ONE.to_dict() == {"kind": "replace-one"}
    listed = ExplicitPairs((("a", "b"), ("b", "a"), ("b", "c")), "pairs.csv")
    assert listed.to_dict() == {"kind": "pairs", "pairs": [["b", "a"], ["b", "c"]]}
    assert listed.text() == "2 pairs listed in pairs.csv"
    assert listed == ExplicitPairs(listed.pairs)
    assert REPLACE_ONE != ALL_PAIRS
    with pytest.raises(dpaudit.InputError, match="must be replace-one, add-remove-one, all, or a file of pairs"):
        parse_adjacency("replace", unknown)


def largest_loss(mechanism, links):
    """The largest loss over the ordered pairs, all outputs, in the plainest way."""
    with balls.precision(200):
        law = mechanism.law()
        rows = {x: law.log_probabilities(x) for x in mechanism.model.histograms}
        return max(
            balls.ends(a - b)[1] for x, y in links for a, b in zip(rows[x], rows[y], strict=True)
        )  # fmt: skip


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("prior", [("1", "1"), ("1/2", "3"), ("1", "1", "1")])
def test_a_mechanism_under_every_pair(name, prior):
    values = {p.name: p.examples[1] for p in REGISTRY[name].parameters}
    mechanism = make_mechanism(name, make_model(3, prior=prior), "3/2", values)
    other = mechanism.with_adjacency("all")
    every = mechanism.model.histograms
    expected = largest_loss(mechanism, itertools.permutations(every, 2))
    found = dpaudit.epsilon(other, digits=20)
    assert abs(expected - found.epsilon.lower) < F(1, 10**18)
    assert found.claim.guarantee is None  # the documents claim nothing of these pairs
    assert found.epsilon.lower >= dpaudit.epsilon(mechanism, digits=20).epsilon.lower
    assert other.screen() is None
    assert other.algebra().worst() is None
    assert len(list(pairs(other))) <= len(every) * (len(every) - 1) // 2
    assert other.describe()["adjacency"] == {"kind": "all"}
    assert "adjacency" not in mechanism.describe()
    assert "every two data sets" in other.setting_text()
    assert other != mechanism
    assert other.with_adjacency("replace-one") == mechanism


def test_listed_pairs_of_the_family(tmp_path):
    """A relation that no permutation of the cells keeps: every pair is looked at, none stands for another."""
    (tmp_path / "pairs.csv").write_text('x,x_prime\n"0,4","4,0"\n"1,3","0,4"\n')
    mechanism = make_mechanism("EHD", make_model(4), 1, {}).with_adjacency(str(tmp_path / "pairs.csv"))
    assert mechanism.counts().pairs == 4
    assert set(pairs(mechanism)) == {((0, 4), (4, 0)), ((0, 4), (1, 3))}
    links = [((0, 4), (4, 0)), ((4, 0), (0, 4)), ((1, 3), (0, 4)), ((0, 4), (1, 3))]
    assert abs(dpaudit.epsilon(mechanism, digits=20).epsilon.lower - largest_loss(mechanism, links)) < F(1, 10**18)
    (tmp_path / "pairs.csv").write_text('"0,5","4,0"\n')
    with pytest.raises(dpaudit.InputError, match="row 1: 0,5 is not a data set"):
        mechanism.with_adjacency(str(tmp_path / "pairs.csv"))


def test_a_tie_under_every_pair_is_decided_by_algebra():
    """LSDim with n = 3 and two cells: the worst loss over all pairs is rational, and a claim at it holds."""
    other = make_mechanism("LSDim", make_model(3), 1, {}).with_adjacency("all")
    exact = F(dpaudit.epsilon(other).closed_form_text)
    assert exact == F(3, 2)  # three units, noise of scale 2
    assert dpaudit.judge(other, str(exact)).verdict is dpaudit.Verdict.PROVED
    assert dpaudit.judge(other, str(exact - F(1, 10**50))).verdict is dpaudit.Verdict.REFUTED


def test_nobody_has_one_record_more_in_the_family():
    with pytest.raises(dpaudit.InputError, match="the data sets of EHDS all have the same number of records"):
        make_mechanism("EHDS", make_model(4), 1, {}).with_adjacency("add-remove-one")


class Count:
    """Reports x1 + x2 exactly or off by one, on data sets of at most two records."""

    def datasets(self):
        return [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]

    def outputs(self):
        return [0, 1, 2]

    def probability(self, x, r):
        return F(1, 2) if r == sum(x) else F(1, 4)

    def claimed(self):
        return 1


class Adding(Count):
    adjacency = "add-remove-one"


class Replacing(Count):
    adjacency = "replace-one:counts"


class Both(Adding):
    def neighbors(self, x):
        return []


def test_an_own_mechanism_says_its_adjacency():
    assert dpaudit.epsilon(Replacing()).epsilon.upper == 0  # the number of records is the same
    assert str(dpaudit.epsilon(Adding()).epsilon).startswith("0.693147")
    assert dpaudit.epsilon(Adding()).counts.pairs == 12
    assert dpaudit.epsilon(Count()).counts.pairs == 30
    with pytest.raises(dpaudit.InputError, match="has both a method neighbors"):
        dpaudit.epsilon(Both())


def test_an_own_mechanism_under_another_adjacency(tmp_path):
    mechanism = load_mechanism(Count(), 1, {})
    other = mechanism.with_adjacency("replace-one:counts")
    assert dpaudit.epsilon(other).epsilon.upper == 0
    assert dpaudit.epsilon(other).claim.guarantee is None  # its author claimed it of every pair
    assert dpaudit.epsilon(mechanism).claim.verdict is dpaudit.Verdict.PROVED
    assert dpaudit.epsilon(other).to_dict()["adjacency"] == {"kind": "replace-one:counts"}
    (tmp_path / "pairs.json").write_text('[["(0, 0)", "(1, 1)"]]')
    assert dpaudit.epsilon(mechanism.with_adjacency(str(tmp_path / "pairs.json"))).counts.pairs == 2


def test_a_table_of_names_has_no_records(tmp_path):
    (tmp_path / "pmf.csv").write_text(",no,yes\nno,3/4,1/4\nyes,1/4,3/4\n")
    mechanism = load_mechanism(str(tmp_path / "pmf.csv"), 1, {})
    with pytest.raises(dpaudit.InputError, match="the data sets must be tuples of counts"):
        dpaudit.epsilon(mechanism.with_adjacency("replace-one"))


class NumberOfRecords:
    """Releases how many records there are, of data sets that list them."""

    def __init__(self, listed):
        self.listed = listed

    def datasets(self):
        return self.listed

    def outputs(self):
        return sorted({self.released(x) for x in self.listed})

    def released(self, x):
        return len(x)

    def probability(self, x, r):
        return int(r == self.released(x))

    def claimed(self):
        return 0


class Sum(NumberOfRecords):
    """Releases the sum."""

    def released(self, x):
        return sum(x)


LISTS = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]
BITS = [(0, 0), (0, 1), (1, 0), (1, 1)]
REFUSED = [
    (NumberOfRecords(LISTS), "add-remove-one", "have one length; there are data sets of 0 and of 2 entries"),
    (NumberOfRecords(LISTS), "replace-one", "have one length"),
    (NumberOfRecords(LISTS), "add-remove-one:counts", "have one length"),
    (NumberOfRecords([("a",), ("a", "b")]), "add-remove-one", r"must be tuples of counts; \(a\) is not"),
    (NumberOfRecords([(0, -1), (0, 0)]), "add-remove-one", "must be tuples of counts"),
    (NumberOfRecords([(True,), (0,)]), "replace-one", "must be tuples of counts"),
    (Sum(BITS), "replace-one", "may be counts or records.* Write replace-one:counts or replace-one:records"),
    (NumberOfRecords(["a", "ab"]), "add-remove-one:records", "must be tuples of records; a is not"),
]


@pytest.mark.parametrize(("target", "relation", "rule"), REFUSED)
def test_records_are_not_taken_for_counts(target, relation, rule):
    with pytest.raises(dpaudit.InputError, match=rule):
        dpaudit.epsilon(load_mechanism(target, 1, {}).with_adjacency(relation))


@pytest.mark.parametrize(
    ("target", "relation", "private", "pairs"),
    [
        (NumberOfRecords(LISTS), "add-remove-one:records", False, 16),
        (NumberOfRecords(LISTS), "replace-one:records", True, 10),
        (Sum(BITS), "replace-one:records", False, 8),
        (Sum(BITS), "replace-one:counts", True, 2),
        (Sum(BITS), "add-remove-one", False, 8),
        (Sum([(0, 2), (1, 1), (2, 0)]), "replace-one", True, 4),
    ],
)
def test_records_and_counts_where_it_is_said_or_clear(target, relation, private, pairs):
    found = dpaudit.epsilon(load_mechanism(target, 1, {}).with_adjacency(relation))
    assert found.counts.pairs == pairs
    assert (found.epsilon.upper == 0) is private
    assert found.epsilon.is_infinite is not private


@pytest.mark.parametrize("relation", ["replace-one:records", "add-remove-one:records"])
def test_records_by_the_plainest_enumeration(relation):
    every = [x for length in range(4) for x in itertools.product("ab", repeat=length)]

    def adjacent(x, y):
        if relation.startswith("replace"):
            return len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) == 1
        short, long = sorted((x, y), key=len)
        return len(long) == len(short) + 1 and short in {long[:i] + long[i + 1 :] for i in range(len(long))}

    found = parse_adjacency(relation, unknown).links(every)
    assert {(x, y) for x in every for y in found[x]} == {(x, y) for x in every for y in every if adjacent(x, y)}


def test_privacy_knows_no_mechanism_and_nobody_asks_for_a_family():
    package = Path(dpaudit.__file__).parent
    families = "Exponential|Laplace|PosteriorMechanism|OwnMechanism|EHD|EHDL|EHDS|MH|MHdelta|LSDim|LSHist|LSZhang"
    for path in package.rglob("*.py"):
        source = path.read_text()
        if "privacy" in path.parts:
            assert "dpaudit.mechanisms" not in source, path
        if "accounting" in path.parts:  # it has events of these names
            continue
        assert not re.search(rf"isinstance\([^()]*\b({families})\b", source), path

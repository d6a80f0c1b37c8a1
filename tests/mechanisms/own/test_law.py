"""Equal probabilities of a user's own mechanism are looked at once: how much is done, and that nothing is lost."""

import operator
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import product

import pytest

import dpaudit
from dpaudit.mechanisms.own import entry, rows
from dpaudit.numbers import balls
from dpaudit.numbers.verdict import Verdict


class Response:
    """k-ary randomized response; ``way`` says which method gives the distributions."""

    def __init__(self, k, way="probability"):
        self.k = k
        setattr(self, way, getattr(self, f"_{way}"))

    def datasets(self):
        return list(range(self.k))

    outputs = datasets

    def _probability(self, x, r):
        e = dpaudit.exp(1)
        return (e if x == r else 1) / (e + self.k - 1)

    def _log_weight(self, x, r):
        return int(x == r)

    def claimed(self):
        return 1


@pytest.mark.parametrize("way", ["probability", "log_weight"])
def test_the_work_of_algebra_does_not_grow_with_the_pairs(way, monkeypatch):
    calls = Counter()
    for name in ("log_of_quotient", "product"):
        real = getattr(rows, name)
        monkeypatch.setattr(rows, name, lambda *a, name=name, real=real: calls.update([name]) or real(*a))
    found = dpaudit.epsilon(Response(30, way))
    assert found.closed_form_text == "1"
    assert found.claim.verdict is Verdict.PROVED
    assert sum(calls.values()) <= 30


@pytest.mark.parametrize("way", ["probability", "log_weight"])
def test_an_entry_that_is_written_alike_is_read_once(way, monkeypatch):
    calls = Counter()
    real = entry.read_entry
    monkeypatch.setattr(entry, "read_entry", lambda *a: calls.update(["read"]) or real(*a))
    assert dpaudit.epsilon(Response(30, way)).closed_form_text == "1"
    assert calls["read"] == 2


class Rappor:
    """A bit a category, each told with probability f: products that are equal but written in another order."""

    def __init__(self, bits):
        self.bits = bits

    def datasets(self):
        return list(range(self.bits))

    def outputs(self):
        return list(product((0, 1), repeat=self.bits))

    def probability(self, x, r):
        half = dpaudit.exp("1/2")
        f = half / (1 + half)
        parts = [f if bit == (i == x) else 1 - f for i, bit in enumerate(r)]
        return reduce(operator.mul, parts)


def test_products_that_are_equal_by_algebra_are_compared_once(monkeypatch):
    calls = Counter()
    real = rows._log_ratio
    monkeypatch.setattr(rows, "_log_ratio", lambda *a: calls.update(["ratio"]) or real(*a))
    assert dpaudit.epsilon(Rappor(6)).closed_form_text == "1"
    assert calls["ratio"] <= 7**2


def test_the_author_gets_the_entries_back_as_written():
    e = dpaudit.exp(1)
    first, second = e * (1 / (1 + e)), (1 / (1 + e)) * e
    assert first != second

    class Twice:
        def datasets(self):
            return ["a", "b"]

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            found = first if x == "a" else second
            return [found, 1 - found]

    mechanism = dpaudit.mechanism(Twice())
    assert [mechanism.row(x).entries[0] for x in "ab"] == [first, second]
    assert mechanism.row("a").numbers == mechanism.row("b").numbers


def test_a_long_sum_does_not_keep_all_its_beginnings():
    from dpaudit.numbers.expressions import _WRITTEN, LONG

    def long_sums():
        return sum(len(e.arguments) > LONG for e in list(_WRITTEN.values()))

    before = long_sums()
    whole = dpaudit.exp(1)
    for i in range(2, 1000):
        whole = whole + dpaudit.exp(i)
    assert len(whole.arguments) == 999
    assert long_sums() <= before + 1


def test_a_single_larger_loss_among_many_pairs_is_found():
    class Odd(Response):
        def _probability(self, x, r):
            e = dpaudit.exp(1)
            if x == 17:
                return Fraction(1, 2) if r == 17 else Fraction(1, 2) / (self.k - 1)
            return (e if x == r else 1) / (e + self.k - 1)

    found = dpaudit.epsilon(Odd(20))
    assert {found.witness.x, found.witness.x_prime} & {17}
    assert found.claim.verdict is Verdict.REFUTED
    assert found.epsilon.lower > 1


def test_equal_enclosures_are_not_merged():
    """Two outputs with the same enclosure may have different probabilities: their ratios to 1/2 differ."""

    class Wide:
        def datasets(self):
            return ["a", "b"]

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            return [("49/100", "51/100")] * 2 if x == "a" else ["1/2", "1/2"]

    mechanism = dpaudit.mechanism(Wide())
    with balls.precision(128):
        assert len(mechanism.law().masses("a", "b")) == 2
    assert dpaudit.judge(Wide(), "rho=1/100000").verdict is Verdict.UNDECIDED


def test_merged_masses_sum_to_one_and_give_the_same_delta():
    by_probability, by_weight = dpaudit.mechanism(Response(9)), dpaudit.mechanism(Response(9, "log_weight"))
    with balls.precision(128):
        masses = by_probability.law().masses(0, 1)
        assert len(masses) == 3
        assert balls.overlap(balls.total([mass.p for mass in masses]), balls.ball(1))
    first, second = (dpaudit.delta(m, "1/2").delta for m in (by_probability, by_weight))
    assert first.lower <= second.upper
    assert second.lower <= first.upper
    assert first.upper - first.lower < Fraction(1, 10**12)


def test_a_row_of_known_entries_is_added_up_again_where_they_occur_otherwise():
    class Uneven:
        """The entries of the first row, one of them too often."""

        def datasets(self):
            return ["a", "b"]

        def outputs(self):
            return [0, 1, 2]

        def probabilities(self, x):
            small = 1 / (2 + 2 * dpaudit.exp(1))
            return [small, small, 1 - 2 * small] if x == "a" else [small, 1 - 2 * small, 1 - 2 * small]

    with pytest.raises(dpaudit.InputError, match=r"probabilities\(b\) sums to 1 \+ "):
        dpaudit.epsilon(Uneven())

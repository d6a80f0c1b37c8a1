"""Mechanisms of given rows, and random ones: tables with zeros, ties and large losses; the exponential family."""

from fractions import Fraction

from hypothesis import strategies as st

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.own.table import GivenTable
from dpaudit.posterior.model import make_model
from dpaudit.privacy.adjacency import ALL_PAIRS


def table(rows, adjacency=ALL_PAIRS):
    """A mechanism with these rows; every two data sets are neighbors."""
    outputs = tuple(f"o{i}" for i in range(len(rows[0])))
    return dpaudit.mechanism(GivenTable("t", outputs, {f"d{i}": tuple(row) for i, row in enumerate(rows)}, adjacency))


class Given:
    """Somebody's rows, as probabilities or as log-weights; every two data sets are adjacent unless said otherwise."""

    def __init__(self, rows, logarithmic=False, datasets=None, adjacency="all", claim=None):
        self.rows = dict(zip(datasets or range(len(rows)), rows, strict=True))
        self.adjacency, self.claim = adjacency, claim
        if logarithmic:
            self.log_weight = lambda x, r: self.rows[x][r]
        else:
            self.probabilities = self.rows.__getitem__

    def datasets(self):
        return list(self.rows)

    def outputs(self):
        return list(range(len(next(iter(self.rows.values())))))

    def claimed(self):
        return self.claim


def lettered(*rows, logarithmic=False):
    """These rows for data sets a, b, ..., which claim 1."""
    return Given(rows, logarithmic, datasets="abcd"[: len(rows)], claim=1)


TINY = Fraction(1, 10**99)
SLIVER = dpaudit.exp(TINY) - 1 - TINY
"""About 5e-199, far below what 512 bits see next to 1."""
BLURRED = [("1/4", "1/2"), ("1/2", "3/4")]
"""A row that is known to wide enclosures alone."""


def shares(weights):
    return [Fraction(w, sum(weights)) for w in weights]


def exponentials(exponents):
    """Shares of weights e^(j/3)."""
    parts = [dpaudit.exp(Fraction(e, 3)) for e in exponents]
    whole = sum(parts[1:], parts[0])
    return [part / whole for part in parts]


weights = st.one_of(
    st.just(Fraction(0)),
    st.integers(1, 9).map(Fraction),
    st.integers(1, 1500).map(lambda size: Fraction(1, 2**size)),
    st.integers(1, 10**18).map(lambda value: 1 + Fraction(value, 10**25)),
)


@st.composite
def tables(draw):
    """Rows with zeros, ties, near ties and losses up to a thousand."""
    size = draw(st.integers(2, 6))
    rows = draw(st.lists(st.lists(weights, min_size=size, max_size=size), min_size=2, max_size=4))
    return table([shares(row if any(row) else [Fraction(1)] * size) for row in rows])


@st.composite
def models(draw):
    """A mechanism of the exponential family: priors and nominal epsilons from tiny to huge."""
    k = draw(st.sampled_from([2, 2, 3]))
    n = draw(st.integers(1, 12 if k == 2 else 4))
    prior = draw(st.lists(st.sampled_from(["1", "1/2", "1/1000", "40", "1e6"]), min_size=k, max_size=k))
    mech = draw(st.sampled_from(["EHD", "EHDL", "EHDS", "MH"]))
    eps = draw(st.sampled_from(["1e-20", "1e-3", "1", "8", "300"]))
    return make_mechanism(mech, make_model(n, None, prior), eps, {})

"""Random mechanisms for comparing tiers: tables with zeros, ties and large losses; the exponential family."""

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


def normalized(weights):
    return [w / sum(weights) for w in weights]


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
    return table([normalized(row if any(row) else [Fraction(1)] * size) for row in rows])


@st.composite
def models(draw):
    """A mechanism of the exponential family: priors and nominal epsilons from tiny to huge."""
    k = draw(st.sampled_from([2, 2, 3]))
    n = draw(st.integers(1, 12 if k == 2 else 4))
    prior = draw(st.lists(st.sampled_from(["1", "1/2", "1/1000", "40", "1e6"]), min_size=k, max_size=k))
    mech = draw(st.sampled_from(["EHD", "EHDL", "EHDS", "MH"]))
    eps = draw(st.sampled_from(["1e-20", "1e-3", "1", "8", "300"]))
    return make_mechanism(mech, make_model(n, None, prior), eps, {})

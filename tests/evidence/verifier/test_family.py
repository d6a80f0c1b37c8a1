"""The mechanisms of the documents, by name: what is known of them exactly lies in their intervals."""

import math
from fractions import Fraction as F

import pytest

from dpaudit.evidence.verifier.exact import ZERO, exp_of
from dpaudit.evidence.verifier.family import ratios, read_family

BITS = 120
SLACK = F(1, 10**12)
MECHANISMS = [("EHDL", {}), ("EHDS", {"gamma": "1/3"}), ("EHDS", {"gamma": "2"}), ("MH", {"gamma": "1/3"}),
              ("MHdelta", {"delta": "1/20"}), ("EHD", {"gs": "exact"}), ("EHD", {"gs": "constant"})]  # fmt: skip


@pytest.mark.parametrize(("z", "way", "most"), [(F(1, 10), 1, 9), (F(7), 1, 8), (F(1), -1, 1), (F(17, 2), -1, 16)])
def test_the_ratios_of_the_gamma_function(z, way, most):
    """g[m] = Gamma(z + way m/2) / Gamma(z); and 1 / sqrt(g[2i])."""
    g, root = ratios(z, way, most, BITS)
    assert (len(g), len(root)) == (most + 1, most // 2 + 1)
    for m, found in enumerate(g):
        low, high = found.ends()
        true = F(math.gamma(z + F(way * m, 2)) / math.gamma(z))
        assert low * (1 - SLACK) <= true <= high * (1 + SLACK)
        assert high - low <= high * SLACK
        if m % 2 == 0:
            low, high = (found * root[m // 2] * root[m // 2]).ends()
            assert low <= 1 <= high <= 1 + SLACK


def law_of(name, parameters, n, prior):
    made = {"mechanism": name, "n": n, "k": len(prior), "prior": prior, "parameters": parameters}
    return read_family({**made, "nominal_epsilon": "3/2"}, BITS)


@pytest.mark.parametrize(("name", "parameters"), MECHANISMS)
@pytest.mark.parametrize("prior", [["1", "1"], ["2", "2"], ["1/2", "3"]])
def test_the_rate_of_one_record_in_two_cells_is_known(name, parameters, prior):
    law = law_of(name, parameters, 1, prior)
    x, y = law.datasets()
    rate = law.epsilon / law.divisor(x) * law.hellinger(x, y)
    known = parameters != {"gs": "constant"} or prior == ["1", "1"]
    assert (law.half() is not None) == known
    if known:
        low, high = rate.ends()
        assert low <= law.half() <= high


@pytest.mark.parametrize(("name", "parameters"), MECHANISMS)
@pytest.mark.parametrize(("n", "prior"), [(2, ["1", "1"]), (1, ["1", "1", "1"]), (3, ["1/2", "3"])])
def test_no_other_rate_is_known(name, parameters, n, prior):
    assert law_of(name, parameters, n, prior).half() is None


def value_of(terms):
    return sum((exp_of(a, BITS) * c for a, c in terms.items()), start=exp_of(ZERO, BITS) * 0)


@pytest.mark.parametrize(
    ("name", "parameters", "n"),
    [*((*mechanism, 1) for mechanism in MECHANISMS), ("LSZhang", {}, 2), ("LSDim", {}, 3), ("LSHist", {}, 3)],
)
def test_an_exact_form_is_the_probability(name, parameters, n):
    law = law_of(name, parameters, n, ["1", "1"])
    for x in law.datasets():
        for number in law.make_row(x):
            top, bottom = number.form
            low, high = (value_of(top) / value_of(bottom) - number.value).ends()
            assert low <= 0 <= high

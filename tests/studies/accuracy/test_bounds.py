"""`dpaudit accuracy` shows every bound that the documents state, and says whether it holds."""

import pytest

import dpaudit

NONE = "The documents state no bound"
STATED = [
    ("LSZhang", "1,4", {"eps": 5}, {"acc.4.5.lszhang-eq.all": "REFUTED", "acc.4.5.lszhang-lb.all": "REFUTED"}),
    ("LSZhang", "0,5", {"eps": 1}, {"acc.4.5.lszhang-eq.all": "REFUTED"}),
    ("LSZhang", "3,3", {"eps": 1}, {"acc.4.5.lszhang-lb.balanced": "PROVED"}),
    ("EHD", "2,2", {"gs": "exact"}, {"acc.em-tail.model": "PROVED"}),
    ("EHD", "1,1,2", {"gs": "exact"}, {"acc.em-tail.model": "PROVED"}),
    ("EHD", "2,2", {}, {"acc.em-tail": "PROVED", "acc.4.5.ehd-lower.balanced": "PROVED"}),
]


@pytest.mark.parametrize(("mech", "x", "options", "wanted"), STATED)
def test_the_bound_stands_beside_the_exact_probability(mech, x, options, wanted):
    found = dpaudit.accuracy(mech, x, **options)
    verdicts = {bound.claim: bound.verdict.value for bound in found.bounds}
    assert wanted.items() <= verdicts.items()
    assert NONE not in " ".join(map(str, found.page()))


@pytest.mark.parametrize(
    ("mech", "x", "options", "other"),
    [("EHD", "2,2", {"gs": "exact"}, "acc.em-tail"), ("EHD", "2,2", {}, "acc.em-tail.model")],
)
def test_a_bound_is_about_its_own_sensitivity(mech, x, options, other):
    assert other not in {bound.claim for bound in dpaudit.accuracy(mech, x, **options).bounds}

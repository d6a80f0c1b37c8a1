"""The bounds that the documents state, beside the exact probabilities: each holds or fails where it should."""

import pytest
from agreement import agrees
from mpmath import mp

from dpaudit.numbers.verdict import Verdict
from dpaudit.studies.accuracy.accuracy import accuracy
from dpaudit.studies.accuracy.bounds import BOUNDS


@pytest.mark.parametrize(
    ("mech", "x", "options", "expected"),
    [
        (
            "LSHist",
            "20,20",
            {"t": "0.2"},
            {
                "acc.4.2.strict": False,
                "acc.4.2.closed": True,
                "acc.4.5.lshist-eq.balanced": True,
                "acc.4.5.lshist-lb.balanced": True,
            },
        ),
        ("LSHist", "1,2", {}, {"acc.4.2.closed": True, "acc.4.5.lshist-eq.all": False, "acc.4.5.lshist-lb.all": False}),
        ("LSZhang", "1,1", {}, {"acc.4.5.lszhang-eq.balanced": False, "acc.4.5.lszhang-lb.balanced": True}),
        (
            "EHD",
            "1,1",
            {},
            {
                "acc.em-tail": True,
                "acc.4.5.ehd-lower.balanced": False,
                "acc.4.5.ehd-upper.balanced": True,
                "acc.4.5.ehd-lower.repaired": True,
                "acc.4.5.ehd-upper.repaired": True,
            },
        ),
        ("EHD", "386,386", {"eps": "1/4"}, {"acc.4.5.ehd-upper.balanced": False, "acc.4.5.ehd-upper.repaired": True}),
        ("EHD", "385,385", {"eps": "1/4"}, {"acc.4.5.ehd-upper.balanced": True}),
        ("EHDL", "1,1", {}, {"acc.4.5.ehdl-lower.balanced": False, "acc.4.5.ehdl-upper.balanced": True}),
        ("EHDL", "2,0", {"eps": "1/4"}, {"acc.4.5.ehdl-upper.all": False}),
        (
            "MH",
            "0,1",
            {"eps": 2},
            {
                "acc.mh-tight.stated": False,
                "acc.mh-tight.corrected": True,
                "acc.mh-second.stated": False,
                "acc.mh-second.corrected": True,
                "acc.mh-loose": True,
            },
        ),
        ("MH", "0,1", {"eps": 1}, {"acc.mh-second.stated": True}),
        ("LSZhang", "1,4", {"eps": 5}, {"acc.4.5.lszhang-eq.all": False, "acc.4.5.lszhang-lb.all": False}),
        ("LSZhang", "0,5", {"eps": 1}, {"acc.4.5.lszhang-eq.all": False}),
        ("LSZhang", "3,3", {"eps": 1}, {"acc.4.5.lszhang-lb.balanced": True}),
        ("EHD", "2,2", {}, {"acc.em-tail": True, "acc.4.5.ehd-lower.balanced": True}),
        ("EHD", "2,2", {"gs": "exact"}, {"acc.em-tail.model": True}),
        ("EHD", "1,1,2", {"gs": "exact"}, {"acc.em-tail.model": True}),
        ("EHDS", "3,3", {}, {}),
    ],
)
def test_bounds_of_the_documents(mech, x, options, expected):
    result = accuracy(mech, x, **options)
    found = {b.claim: {"PROVED": True, "REFUTED": False}.get(b.verdict.value) for b in result.bounds}
    assert {claim: found[claim] for claim in expected} == expected
    assert None not in found.values()
    assert bool(found) == bool(expected)
    assert ("The documents state no bound" in " ".join(map(str, result.page()))) == (not expected)


@pytest.mark.parametrize(
    ("mech", "x", "options", "other"),
    [("EHD", "2,2", {"gs": "exact"}, "acc.em-tail"), ("EHD", "2,2", {}, "acc.em-tail.model")],
)
def test_a_bound_is_about_its_own_sensitivity(mech, x, options, other):
    assert other not in {bound.claim for bound in accuracy(mech, x, **options).bounds}


@pytest.mark.parametrize("x", ["0,1", "2,2", "1,0,2"])
def test_beyond_every_distance_both_sides_are_zero_and_equal(x):
    """Both sides of the printed equality are empty sums: 0 = 0 is exact, not undecided."""
    for mech in ("MH", "MHdelta"):
        found = {b.claim: b for b in accuracy(mech, x, t="3/2", delta=None if mech == "MH" else "1/20").bounds}
        assert {b.verdict.value for b in found.values()} == {"PROVED"}
        assert found["acc.mh-tight.stated"].margin.upper == found["acc.mh-tight.stated"].margin.lower == 0
    inside = {b.claim: b for b in accuracy("MH", x, t="1/100").bounds}
    assert inside["acc.mh-tight.stated"].verdict.value == "REFUTED"


def test_bounds_have_catalogued_names_and_a_value():
    """The value that is printed is the formula's: EHD's upper bound at kappa = 0 is e/n."""
    result = accuracy("EHD", "2,2", t="0.1", digits=30)
    upper = next(b for b in result.bounds if b.claim == "acc.4.5.ehd-upper.balanced")
    with mp.workdps(60):
        assert agrees(upper.value, mp.e / 4)
    assert upper.kappa == 0
    assert len({b.claim for b in BOUNDS}) == len(BOUNDS)


def test_an_equality_is_proved_by_algebra_at_every_threshold():
    eq = next(b for b in accuracy("LSHist", "300,300").bounds if b.claim == "acc.4.5.lshist-eq.balanced")
    assert eq.verdict is Verdict.PROVED
    assert (eq.thresholds, eq.failing) == (300, 0)
    assert eq.margin.lower == eq.margin.upper == 0

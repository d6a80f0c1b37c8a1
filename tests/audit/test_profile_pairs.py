"""The profile of the pairs that floats leave against that of all pairs."""

from fractions import Fraction as Fr

import pytest
from mpmath import mp
from segments import by_segments, number, overlap

import dpaudit
from dpaudit.audit.profile import profile

FILTERED = [
    ("EHDS", {"n": 30}),
    ("EHDS", {"n": 17, "prior": "1,3/2", "eps": "2"}),
    ("EHDL", {"n": 12, "k": 3}),
    ("MHdelta", {"n": 20, "delta": "1/20"}),
    ("LSHist", {"n": 9}),
    ("LSZhang", {"n": 3}),
    ("dpaudit.examples.permute_and_flip:PermuteAndFlip", {}),
    ("dpaudit.examples.sparse_vector:BrokenSparseVector", {}),
]


def filtered(mech, options, masses=1 << 17):
    """The profile of all pairs, and that of those which floats leave, however small the audit is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpaudit.privacy.sieve.WORTH_IT", 0)
        patch.setattr("dpaudit.privacy.fast.screened.CURVE_MASSES", masses)
        left = profile(mech, **options)
    return profile(mech, **options), left


def same_numbers(exact, left):
    assert overlap(exact.total_variation, left.total_variation)
    for mine, theirs in ((exact.deltas, left.deltas), (exact.renyi, left.renyi)):
        assert [place for place, _ in mine] == [place for place, _ in theirs]
        for (_, a), (_, b) in zip(mine, theirs, strict=True):
            assert overlap(a, b)
            assert b.is_infinite or b.width <= a.width + Fr(1, 10**14)
    assert exact.rho.is_infinite == left.rho.is_infinite
    assert left.rho.is_infinite or overlap(exact.rho, left.rho)


@pytest.mark.parametrize(("mech", "options"), FILTERED, ids=[mech.rpartition(":")[2] for mech, _ in FILTERED])
def test_the_float_filter_changes_nothing(mech, options):
    exact, left = filtered(mech, options)
    same_numbers(exact, left)
    assert len(exact.segments) == len(left.segments)
    for a, b in zip(exact.segments, left.segments, strict=True):
        assert overlap(a.start, b.start)
        assert overlap(a.alpha, b.alpha)
        assert overlap(a.power, b.power)


class TooClose:
    """e^(10^-60) - 1 is not apart from 0 at the 128 bits of promising pairs."""

    adjacency = "all"

    def datasets(self):
        return [2, 3, 4]

    def outputs(self):
        return [0, 1, 2]

    def probabilities(self, x):
        tiny = dpaudit.exp(Fr(1, 10**60)) - 1 if x < 4 else Fr(1, 10**60)
        return [tiny, Fr(1, x), 1 - Fr(1, x) - tiny]


def test_where_the_filter_has_too_few_bits_all_pairs_are_computed():
    same_numbers(*filtered(TooClose, {}))


@pytest.mark.parametrize(("mech", "options"), FILTERED[:2], ids=["EHDS", "prior"])
def test_a_curve_of_promising_pairs_is_known_up_to_its_slack(mech, options, monkeypatch):
    monkeypatch.setattr("dpaudit.privacy.fast.screened.FEW", 1)
    monkeypatch.setattr("dpaudit.privacy.fast.screened.MANY", 2)
    exact, left = filtered(mech, options, masses=0)
    same_numbers(exact, left)
    assert 0 < left.slack.upper < Fr(1, 10)
    gaps = []
    with mp.workdps(60):
        for i in range(40):
            at = exact.epsilon.upper * i / 40
            low, _ = by_segments(exact, at)
            below, above = by_segments(left, at)
            assert below <= by_segments(exact, at)[1]
            assert low <= above
            gaps.append(low - (above - number(left.slack.upper)))
    assert max(gaps) > number(left.slack.upper) / 100  # the bound is not far from what some pair needs


def test_a_curve_that_forgets_a_pair_would_be_seen(monkeypatch):
    """A twin that leaves one pair alone, whatever the others do."""
    from dpaudit.privacy.fast.screened import Screened
    from dpaudit.privacy.left import Left

    monkeypatch.setattr(Screened, "curve", lambda self: Left(self.every().pairs[:1]))
    exact, left = filtered("EHDS", {"n": 30})
    with pytest.raises(AssertionError):
        same_numbers(exact, left)


def test_more_records_than_balls_could_follow_are_answered(monkeypatch):
    """The curve of promising pairs and its slack; the numbers at points are as narrow as ever."""
    monkeypatch.setattr("dpaudit.privacy.fast.screened.CURVE_MASSES", 0)
    monkeypatch.setattr("dpaudit.privacy.fast.screened.MANY", 16)
    found = profile("EHDS", n=720, orders="2")
    assert 0 < found.slack.upper < Fr(1, 10**3)
    assert found.total_variation.width <= Fr(1, 10**14)
    for at, delta in found.deltas:
        below, above = by_segments(found, at)
        assert below <= number(delta.upper)
        assert number(delta.lower) <= above

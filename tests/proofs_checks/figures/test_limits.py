"""The limits of the mean errors: the closed forms against the errors themselves, and lines that can fail."""

from fractions import Fraction

import pytest

from dpaudit.numbers import balls
from proofs_checks.figures import limits
from proofs_checks.figures.means import approaches, fifty, means, one_in


@pytest.mark.parametrize("eps", [Fraction(1), Fraction(1, 2), Fraction(4)])
def test_the_ratio_comes_to_its_limit_as_n_grows(eps):
    with balls.precision(80):
        gaps = []
        for n in (2000, 20000):
            found = means(one_in(2, eps, [n]).points[n], eps)
            gaps.append(abs(float(found["MH"] / found["LSHist"] / limits.limit_ratio(eps)) - 1))
    assert gaps[1] < gaps[0] < 0.02
    assert gaps[1] < 0.003


def test_the_ratio_comes_to_its_limit_as_the_prior_grows():
    with balls.precision(80):
        found = means(fifty([10**6]).points[10**6], Fraction(1))
        assert abs(float(found["MH"] / found["LSHist"] / limits.limit_ratio(Fraction(1), 50)) - 1) < 1e-4


@pytest.mark.parametrize("half", [None, 50])
def test_a_broken_line_leaves_the_limit_undecided(half, monkeypatch):
    assert approaches(Fraction(1), {}, half).verdict.value == "REFUTED"
    monkeypatch.setattr(limits, "clipped_agree", lambda half: False)
    monkeypatch.setattr(limits, "series_agree", lambda: False)
    assert approaches(Fraction(1), {}, half).verdict.value == "UNDECIDED"


def test_mh_is_the_better_one_in_the_limit_for_large_epsilon():
    assert float(limits.limit_ratio(Fraction(3))) < 1 < float(limits.limit_ratio(Fraction(5, 2)))

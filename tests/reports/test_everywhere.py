"""What a supremum over all n says about a claim."""

from fractions import Fraction as F
from types import SimpleNamespace

import pytest

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta, Zcdp
from dpaudit.reports.everywhere import _judged

ONE, TENTH = F(1), F(1, 10)


@pytest.mark.parametrize(
    ("low", "high", "asked", "verdict"),
    [
        ("9/10", "1", EpsilonDelta(ONE), Verdict.PROVED),
        ("9/10", "11/10", EpsilonDelta(ONE), Verdict.UNDECIDED),
        ("11/10", "12/10", EpsilonDelta(ONE), Verdict.REFUTED),
        ("9/10", "1", EpsilonDelta(ONE, TENTH), Verdict.PROVED),
        ("11/10", "12/10", EpsilonDelta(ONE, TENTH), None),
        ("9/10", "11/10", EpsilonDelta(ONE, TENTH), None),
        ("9/10", "1", Zcdp(ONE), None),
    ],
)
def test_a_supremum_decides_pure_privacy_and_proves_more(low, high, asked, verdict):
    assert _judged(SimpleNamespace(epsilon=Enclosure(F(low), F(high), 6)), asked) is verdict

"""Other accountants beside certified bounds: what each says, and the mark that it gets."""

from fractions import Fraction as F

import pytest

import dpaudit
from dpaudit.accounting.grid import Question
from dpaudit.accounting.rivals import ABOVE, ACCOUNTANTS, FAILED, INSIDE, LOW, mark, rivals
from dpaudit.numbers.bounds import Bounds


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, INSIDE), (0.99, LOW), (2.5, ABOVE), (float("inf"), ABOVE), (float("nan"), FAILED)]
)
def test_a_rival_is_marked(value, expected):
    assert mark("it", F(1, 10), value, Bounds(F(1), F(2))).mark == expected


def test_rivals_that_are_installed_are_asked(monkeypatch):
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    ours_alone = {name: ask for name, ask in ACCOUNTANTS.items() if name.startswith("dp-accounting")}
    monkeypatch.setattr("dpaudit.accounting.rivals.ACCOUNTANTS", ours_alone)  # the others load torch
    event = dpaudit.Gaussian(sigma=2) * 10
    bounds = dpaudit.account([event], delta="1e-5").solution.known[Question(delta=F(1, 10**5))]
    said = {rival.accountant: rival for rival in rivals([event], [(F(1, 10**5), bounds)])}
    assert said["dp-accounting PLD, grid 1e-4"].mark in (INSIDE, ABOVE)
    assert said["dp-accounting RDP"].mark == ABOVE
    assert "% above" in said["dp-accounting RDP"].text()

"""How far a report is: the share of its time counts up, and ends below the whole."""

import pytest

from dpaudit.reports.plan import Plan, from_options
from dpaudit.reports.report import build
from dpaudit.reports.steps import EVERY_N, SMALLER, Steps


def test_the_cost_of_a_step_moves_the_share():
    told = []
    steps = Steps(lambda *now: told.append(now))
    steps.expect(49.0)
    for words in ("A: true ε", f"A: {EVERY_N}", "A: worst pair", "x", "y", "z"):
        steps(words)
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[2] == pytest.approx(41 / 50)


def test_the_search_of_smaller_n_is_part_of_the_estimate():
    told = []
    build(from_options("EHDL", n="100..101", prior="1/100,1/100"), Steps(lambda *now: told.append(now)))
    searched = [share for words, share in told if SMALLER in words]
    assert len(searched) > 40
    assert searched[0] + 0.1 < searched[-1] < 0.95, "the share grows while it searches, and something is left"


def test_progress_counts_up_and_ends_below_the_total():
    told = []
    build(Plan("t", "c", from_options("EHDS", n="1..6").audits), Steps(lambda *now: told.append(now)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert 0.9 < shares[-1] < 1
    assert told[0] == ("EHDS: true ε, n = 1", 0.0)

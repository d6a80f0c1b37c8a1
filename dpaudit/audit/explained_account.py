"""What a whole pipeline means for a person: explain, of the certified bounds of its composition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.audit.account import account
from dpaudit.audit.explanation import ExplainResult, explain
from dpaudit.audit.releases import event_words
from dpaudit.audit.setting import command_line
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.privacy.effort import Progress

PLACES = 6


def explain_account(
    events: Any, *, delta: Exact | None, digits: int | str = 6, progress: Progress | None = None, **asked: Any
) -> ExplainResult:
    """The meaning of (epsilon, delta)-DP with the proved upper bound of the composition's epsilon at this delta.

    The best guess from the releases themselves is (1 + delta(0)) / 2, where delta(0) is their total variation.
    """
    if delta is None:
        raise InputError("delta", "(missing)", "give the δ at which the ε of the composition is bounded, such as 1e-6")
    found = account(events, at="0", delta=str(delta), progress=progress)
    ((level, spent),), ((_, variation),) = found.epsilons, found.deltas
    if spent.is_open or spent.is_infinite:
        raise InputError("delta", delta, "no ε is proved for this δ: some release reveals everything more often")
    proved = outward(spent.upper, spent.upper, PLACES).upper
    meaning = explain(proved, delta=level, digits=digits, **asked)
    releases = tuple(str(event) for event in found.events)
    command = command_line("explain", *event_words(releases), delta=powers(str(level)), **asked)
    return replace(
        meaning,
        account=releases,
        attained=outward((1 + variation.lower) / 2, (1 + variation.upper) / 2, PLACES),
        attained_advantage=variation,
        command=None if found.command is None else command,
        seconds=found.seconds + meaning.seconds,
    )

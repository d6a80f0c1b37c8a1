"""The map of n and prior: where the true epsilon exceeds the nominal one, for priors (a, a)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.numbers.enclosure import outward
from dpaudit.privacy.loss import verdict
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section, named

NS = (5, 10, 20, 40, 80, 160)
PRIORS = tuple(Fraction(text) for text in ("1/100", "1/10", "1/2", "1", "5"))
DIGITS = 8
MOST_MASSES = 100_000
"""Pairs times outputs of one audit: n of more are left out."""
Row = dict[str, Any]


def prior_map(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields true over nominal epsilon at a few n and priors (a, a), of the mechanisms with a model of two cells."""
    cases = [
        c for c in block.cases if c.model is not None and c.model.k == 2 and c.setting.has_n and c.mechanism.epsilon
    ]
    if not block.ns or not cases:
        return
    rows: list[Row] = []
    for case in cases:
        progress(f"{case.label}: priors")
        rows += list(_rows(case))
    yield block.section(
        "prior-map",
        f"True ε over nominal ε by n and prior (a, a), ε = {block.eps}",
        "For which priors and n does the true ε exceed the nominal one? Only the n and a drawn were looked at.",
        lambda case: _again(case, named(rows).get(case.label, [])),
        rows,
    )


def _again(case: Case, rows: list[Row]) -> str | None:
    """Returns the command that gives the largest ratio again, the one that is ringed; None without any."""
    if not rows:
        return None
    worst = max(rows, key=lambda row: Fraction(row["ratio"]["lower"]))
    return case.setting.at(n=worst["n"], prior=[Fraction(worst["prior"])] * 2).command_line("epsilon")


def _affordable(case: Case) -> list[int]:
    """Returns the n at which an audit is cheap: with all pairs adjacent the large ones are not."""
    return [n for n in NS if case.setting.at(n=n).mechanism.count_masses() <= MOST_MASSES]


def _rows(case: Case) -> Iterator[Row]:
    nominal = case.mechanism.epsilon or Fraction(1)
    for alpha in PRIORS:
        for n in _affordable(case):
            found = audit.epsilon(case.setting.at(n=n, prior=(alpha, alpha)), digits=DIGITS).epsilon
            if not found.is_infinite and not found.is_open:
                ratio = outward(found.lower / nominal, found.upper / nominal, DIGITS - 2).to_dict()
                outcome = verdict(found, nominal).value
                yield {"mechanism": case.label, "prior": str(alpha), "n": n, "ratio": ratio, "outcome": outcome}

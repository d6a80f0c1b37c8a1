"""About how long the steps of a report take, for the time that is told to be left. Nothing else rests on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dpaudit.reports.block import LARGEST_CURVE, Block, Case
from dpaudit.reports.steps import Progress, Sized
from dpaudit.reports.theorems import LARGEST_PRIOR

AFTER = 6
"""Steps of a mechanism after its true epsilon: about one for each kind of section."""
THEOREM, KNOWN = 2.0, 0.3
"""Seconds of the theorem on every n with two cells, and of what is known of others."""
LOSS, CURVE, DELTA = 1.5e-6, 0.9e-4, 4e-5
"""Seconds for each pair and output: of one true epsilon, of a whole curve, of delta on a grid."""
LEAST = 0.003
"""Seconds of the smallest audit."""


def masses(case: Case, n: int | None = None) -> int:
    """Returns pairs times outputs at that n; 0 where only an audit tells them."""
    if case.model is None:
        return 0
    return case.at(n).mechanism.count_masses()


def theorem(case: Case) -> float:
    """Returns the seconds of what is known for every n."""
    model = case.model
    if model is None or not case.setting.has_n:
        return 0.01
    return THEOREM if model.k == 2 and max(model.prior) <= LARGEST_PRIOR else KNOWN


def losses(case: Case, ns: Sequence[int]) -> float:
    """Returns the seconds of the true epsilon at all n."""
    own = len(ns) if case.setting.has_n and ns else 1
    if case.model is None:
        return 0.2 * own
    return sum(LEAST + LOSS * masses(case, n) for n in ns)


def expected(block: Block, run: Callable[[Progress], Iterator[dict[str, Any]]]) -> Sized:
    """Returns the job of the audits of a block with what it costs."""
    cases, steps = block.cases, len(block.cases) * (len(block.ns) + AFTER)
    sizes = [masses(case) for case in cases]
    each = {
        "true ε": sum(losses(case, block.ns) for case in cases) / (len(cases) * max(1, len(block.ns))),
        "what is known for every n": sum(map(theorem, cases)) / len(cases),
        "the curve δ(ε)": sum(CURVE * size if size <= LARGEST_CURVE else 0.02 for size in sizes) / len(cases),
        ": δ(ε)": sum(DELTA * min(size, LARGEST_CURVE) for size in sizes) / len(cases),
    }
    rounds = {"true ε": max(1, len(block.ns))}
    seconds = sum(cost * rounds.get(name, 1) for name, cost in each.items()) * len(cases)
    return Sized(run, steps, seconds, each)

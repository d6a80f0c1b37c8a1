"""What a report does not show of a mechanism, and why: nothing is left out without a word."""

from __future__ import annotations

from collections.abc import Sequence

from dpaudit.numbers.errors import visible
from dpaudit.reports.block import LARGEST_CURVE, Block, Case
from dpaudit.reports.charts import MAPS
from dpaudit.reports.data_maps import MOST_LOSSES
from dpaudit.reports.document import Section
from dpaudit.reports.pairs import MOST_OUTPUTS

KINDS = {
    "the distributions of the worst pair": ("worst-pairs",),
    "δ(ε)": ("delta-curves",),
    "breakpoints, best tests and Rényi divergences": ("breakpoints",),
    "the map of losses": tuple(MAPS),
}
"""What a mechanism usually has -> the kinds of its sections."""


def not_shown(block: Block, sections: Sequence[Section], maps: bool) -> list[Section]:
    """Returns the section that names what is missing of every mechanism, and why; none where nothing is."""
    rows = []
    for name, kinds in KINDS.items():
        here = {row["mechanism"] for section in sections if section["kind"] in kinds for row in section["rows"]}
        absent = [case for case in block.cases if case.label not in here]
        if maps or kinds != KINDS["the map of losses"]:
            rows += [{"what": f"{case.label}: {name}", "reason": _why(case, name)} for case in absent]
    if not rows:
        return []
    question = "What does this report usually have that is missing here, and why?"
    return [block.section("left-out", f"What is not shown{block.where}", question, block.command(), rows)]


def lost(block: Block) -> list[Section]:
    """Returns the section of the mechanisms whose true epsilon is not known, so that no numbers of theirs are shown."""
    rows = [
        {"what": f"{case.label}: all but its verdict", "reason": visible(str(case.failures[0]))}
        for case in block.cases
        if case.failures
    ]
    question = "Which mechanisms have no numbers here, and why?"
    title = f"What could not be told{block.where}"
    return [block.section("left-out", title, question, block.command(), rows)] if rows else []


def _why(case: Case, name: str) -> str:
    """Returns why a mechanism has no such section."""
    counts = case.mechanism.counts()
    if case.found.epsilon.is_open:
        return "the true ε has no upper bound here: a part of its code was not followed, and may end in any output"
    if not case.mechanism.refinable:
        return "its probabilities are known to enclosures, which are too wide for it"
    if name == "the distributions of the worst pair":
        return f"it has {counts.outputs} outputs, more than {MOST_OUTPUTS}"
    if name == "the map of losses":
        return f"pairs times outputs are {counts.pairs * counts.outputs}, more than {MOST_LOSSES}"
    masses = case.mechanism.count_masses()
    if masses > LARGEST_CURVE:
        return f"the curve is put together of {masses} masses, more than {LARGEST_CURVE}"
    return "it could not be computed to the digits of a report"

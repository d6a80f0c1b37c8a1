"""The matrix: one row for every mechanism, which is the verdict on it, failures first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from dpaudit.audit.conclusion import Conclusion, Strength, conclude
from dpaudit.audit.words import residual_words
from dpaudit.mechanisms import posterior
from dpaudit.numbers.ranges import range_text
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section, named
from dpaudit.reports.judged import First, beyond, first_failing, strongest
from dpaudit.reports.sentences import sentence
from dpaudit.reports.shares import (
    Row,
    at_most_all,
    bound_of,
    compared,
    hull,
    largest_share,
    outcome_of,
    quotient,
    share_of,
)
from dpaudit.reports.theorems import for_every_n
from dpaudit.reports.verdict import CODE, EXCEEDS, SEARCHED, audited_words, badness

TITLE = "What is claimed, and what holds"
QUESTION = "Does every mechanism keep what it claims, how much of the claim is used, and how is that known?"


def matrix(block: Block, rows: list[Row], progress: Progress) -> Section:
    """Returns the verdict on every mechanism of the block from the rows of its true epsilon, failures first."""
    own = named(rows)
    found = []
    for case in block.cases:
        name = f"{case.label}, {block.told}" if block.told else case.label
        found.append({**verdict_row(case.called(name), own[case.label], progress), "label": case.label})
    found.sort(key=badness)
    commands = "\n".join(dict.fromkeys(filter(None, [block.command(), *(row["witness"]["command"] for row in found)])))
    return block.section("matrix", TITLE, QUESTION, commands, found)


def verdict_row(case: Case, rows: Sequence[Row], progress: Progress) -> Row:
    """Returns the verdict on one mechanism, from its rows, the smallest n that fails, and what is known for every n."""
    progress(f"{case.label}: what is known for every n")
    theorem = for_every_n(case.setting, case.guarantee) if case.setting.has_n else None
    concluded = conclude(
        [_verdict(row["verdict"]) for row in rows],
        [_verdict(row["nominal_verdict"]) for row in rows],
        _verdict(theorem["verdict"]) if theorem else None,
    )
    first = first_failing(case, rows, progress)
    far = beyond(case, rows, theorem, progress)
    if far is not None and theorem is not None:
        kept = {key: far.row[key] for key in ("n", "epsilon", "witness", "command")}
        theorem |= {"fails_at": {**kept, "looked_at": far.looked_at}}
    return _row(case, rows, concluded, first, theorem)


def _verdict(value: str | None) -> Verdict | None:
    return None if value is None else Verdict(value)


def _row(case: Case, rows: Sequence[Row], concluded: Conclusion, first: First | None, theorem: Any) -> Row:
    ns = [row["n"] for row in rows if row["n"] is not None]
    open_ = [row for row in rows if outcome_of(row) is Verdict.UNDECIDED]
    every = [*rows, *(first.rows if first else ())]
    worst, varies = _worst(every, concluded, first)
    undecided = concluded.outcome is Verdict.UNDECIDED
    evident = any(row["evidence"] for row in rows)
    shown = first.row if first else worst if varies else _telling(open_ if undecided else every)
    everywhere = concluded.strength is Strength.FOR_ALL and theorem["command"]
    failed = [row for row in rows if row.get("reason")]
    known = [n for n in ns if all(row["n"] != n for row in failed)]
    seen = sorted({*known, *(first.seen if first else ())})
    row: Row = {
        "mechanism": case.label,
        "where": _where(case, ns),
        "word": concluded.word.value,
        "outcome": None if concluded.outcome is None else concluded.outcome.value,
        "strength": concluded.strength.value,
        "claim": None if worst["guarantee"] is None else worst["guarantee"]["text"],
        "claim_varies": varies,
        "claim_asked": case.guarantee is not None,
        "guarantee": worst["guarantee"],
        "nominal": worst["nominal"],
        "epsilon": worst["epsilon"],
        "n": worst["n"] if varies else _largest_at(every),
        "compared": compared(worst),
        "ns": range_text(known) if known else None,
        "several_n": len(every) > 1,
        "seen": range_text(sorted({*known, *(row["n"] for row in (first.rows if first else ()))})) or None,
        **_shares(every, worst, varies, theorem if concluded.strength is Strength.FOR_ALL else None),
        "smallest_failing_n": first.row["n"] if first else None,
        "looked_at": first.looked_at if first else None,
        "undecided_n": [row["n"] for row in open_ if row["n"] is not None],
        "holds_at": _holding(rows) if undecided else None,
        "witness": witness(shown),
        "theorem": theorem,
        "command": everywhere or shown["command"] or "",
        "absent": grouped(sorted(case.absent.items())) or None,
        "reason": grouped((row["n"], row["reason"]) for row in failed) or None,
        "counts": None if case.failures and not evident else case.mechanism.counts().told(),
        "caveats": None if case.failures and not evident else case.mechanism.caveats() or None,
    }
    row |= {"covered": list(_covered(case, row, first)), "not_covered": list(_not_covered(case, seen, theorem))}
    return {**row, "text": sentence(row)}


def grouped(reasons: Iterable[tuple[int | None, str]]) -> str:
    """Returns "n = 3..5: boom", the n of one reason together; after three reasons "…"."""
    found: dict[str, list[int]] = {}
    for n, reason in reasons:
        found.setdefault(reason, []).extend([] if n is None else [n])
    said = [(f"n = {range_text(ns)}: " if ns else "") + reason for reason, ns in found.items()]
    return "; ".join(said[:3]) + ("; …" if said[3:] else "")


def _holding(rows: Sequence[Row]) -> str | None:
    """Returns the n at which the claim, or the nominal epsilon, is kept."""
    return range_text([row["n"] for row in rows if row["n"] is not None and outcome_of(row) is Verdict.PROVED]) or None


def _largest_at(rows: Sequence[Row]) -> int | None:
    """Returns the n at which the true epsilon is at least what is known of the largest."""
    most, least = strongest(rows), hull(row["epsilon"] for row in rows)["lower"]
    holding = [most, *(row for row in rows if row["epsilon"]["lower"] == least)]
    found: int | None = next(row["n"] for row in holding if row["epsilon"]["lower"] == least)
    return found


def _telling(rows: Sequence[Row]) -> Row:
    """Returns the row that is shown as evidence: of the largest share where more than epsilon is claimed.

    Where the true epsilon decided all of them, it is that of the largest.
    """
    others = [row for row in rows if row["evidence"] is not None and share_of(row) is not None]
    return max(others, key=_least_share) if others else strongest(rows)


def _worst(rows: Sequence[Row], concluded: Conclusion, first: First | None) -> tuple[Row, bool]:
    """Returns the row that the words are about, and whether the claim is another at another n.

    It is that of the largest true epsilon; where the claims differ, the first that fails, or of the rows that decided
    that of the largest share.
    """
    varies = len({(row["guarantee"] or {}).get("text") for row in rows}) > 1
    if not varies:
        return {**strongest(rows), "epsilon": hull(row["epsilon"] for row in rows)}, False
    if first is not None:
        return first.row, True
    decided = [row for row in rows if outcome_of(row) is concluded.outcome] or rows
    return max(decided, key=_least_share), True


def _shares(rows: Sequence[Row], worst: Row, varies: bool, theorem: dict[str, Any] | None) -> Row:
    """Returns the share of what is compared and what it is about: over every n where a ``theorem`` says how much."""
    share = share_of(worst) if varies else largest_share(rows)
    share = None if share and share[1] == {"lower": "0", "upper": "inf"} else share  # nothing is known
    bound = bound_of(worst)
    if theorem is not None and theorem["supremum"] is not None and bound is not None and bound[0] == "ε":
        found = quotient(theorem["supremum"], bound[1])
        if found is not None:
            return {
                "share": at_most_all(found, Verdict.PROVED),
                "share_of": "ε",
                "share_where": "by its supremum over every n",
            }
    other = share is not None and share[0] != "ε" and len(rows) > 1
    known = [row for row in rows if other and (share_of(row) or ("ε",))[0] != "ε"]
    place = worst["n"] if theorem is not None else max(known, key=_least_share)["n"] if known else None
    place = worst["n"] if varies else place
    at = None if place is None or not share else f"at n = {place}"
    return {"share": share[1] if share else None, "share_of": share[0] if share else None, "share_where": at}


def _least_share(row: Row) -> Decimal:
    return Decimal((share_of(row) or ("", {"lower": "0"}))[1]["lower"])


def witness(row: Row) -> Row:
    """Returns the pair and output of a row of true epsilon, with its n, its true epsilon, and what decided there."""
    outcome = outcome_of(row)
    found = {"n": row["n"], "epsilon": row["epsilon"], "outcome": None if outcome is None else outcome.value}
    more = {"compared": compared(row), "guarantee": row["guarantee"], "command": row["command"]}
    return {**found, "evidence": row["evidence"], **more, **row["witness"]}


def _where(case: Case, ns: Sequence[int]) -> str:
    """Returns the setting in words, with all n."""
    text = case.mechanism.setting_text()
    return text.replace(f"n = {ns[-1]}", f"n = {range_text(ns)}", 1) if ns else text


def _covered(case: Case, row: Row, first: First | None) -> Iterator[str]:
    if row["counts"] is None:
        yield "nothing" if row["ns"] is None else f"every adjacent pair and output at n = {row['ns']}"
    else:
        yield audited_words(row["ns"], row["counts"], row["several_n"])
    more = [row["n"] for row in first.rows] if first else []
    if more:
        whole = (row["looked_at"] or "").startswith("every n")
        found = SEARCHED if row["claim"] else EXCEEDS
        yield f"{case.label}: {row['looked_at'] if whole else f'n = {range_text(more)}'}{found}"
    if row["theorem"] and row["theorem"]["verdict"] == Verdict.PROVED:
        yield f"{case.label}, every n ≥ 1: {row['theorem']['words']}"


def _not_covered(case: Case, seen: Sequence[int], theorem: dict[str, Any] | None) -> Iterator[str]:
    """Yields what the verdict does not speak of; ``seen`` are the n that were looked at."""
    mechanism = case.mechanism
    if seen and case.setting.has_n and not (theorem and theorem["verdict"] == Verdict.PROVED):
        more = theorem is not None and theorem["verdict"] == Verdict.REFUTED
        what = "it fails" if case.claimed is not None else "it exceeds its nominal ε"
        yield f"{case.label} at other n than {range_text(seen)}" + (f": there are some where {what}" if more else "")
    family = posterior(mechanism)
    yield "other priors, ε and parameters" if family else "other parameters"
    relation = mechanism.adjacency
    whose = relation.text() if family or case.setting.adjacency is not None else "the mechanism's own"
    yield f"other neighbours than {'one record replaced' if relation == REPLACE_ONE else whose}"
    yield "several releases from the same data"
    caveats = {} if case.failures else mechanism.caveats()
    if said := residual_words(caveats):
        yield f"{case.label}: {'; '.join([said, *caveats.get('notes', ())])}"
    yield from (f"{case.label} rests on: {said}" for said in caveats.get("assumptions", ()))
    if not caveats:
        yield CODE

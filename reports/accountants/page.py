"""The report from the rows: how often each accountant is inside, above or too low, and the smallest failures."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpaudit.accounting.rivals import ABOVE, FAILED, INSIDE, LOW

ROUNDED = "low by rounding"
MARKS = (INSIDE, ABOVE, ROUNDED, LOW, FAILED)
ROUNDING = 1e-9
"""A shortfall below this share of epsilon is the rounding of a float, and counted apart."""
Case = dict[str, Any]


MEMBERS = ("delta", "mark", "epsilon", "relative_distance", "reason")
"""Of one answer of an accountant, as rows.jsonl has them in a list; what is not said at its end is left out."""


def read_row(line: str) -> dict[str, Any]:
    """A row of rows.jsonl, with the answers of the accountants as records."""
    row = json.loads(line)
    row["others"] = [
        {"accountant": name, **{key: value for key, value in zip(MEMBERS, answer, strict=False) if value is not None}}
        for name, answers in row["others"].items()
        for answer in answers
    ]
    return row


def written_row(row: dict[str, Any]) -> str:
    """The row as one line, from which ``read_row`` makes it again."""
    others: dict[str, list[list[Any]]] = defaultdict(list)
    for said in row["others"]:
        answer = [said.get(name) for name in MEMBERS]
        while answer[-1] is None:
            answer.pop()
        others[said["accountant"]].append(answer)
    return json.dumps({**row, "others": others}, ensure_ascii=False, separators=(",", ":"))


def cases(rows: Sequence[dict[str, Any]]) -> dict[str, list[Case]]:
    """Every answer of every accountant, with the composition and the certified bounds it belongs to."""
    found: dict[str, list[Case]] = defaultdict(list)
    for row in rows:
        bounds = {_level(entry["delta"]): entry for entry in row["certified"]}
        for said in row["others"]:
            entry = bounds.get(_level(said["delta"]))
            if entry is not None:
                slight = said["mark"] == LOW and said["relative_distance"] < ROUNDING
                mark = ROUNDED if slight else said["mark"]
                found[said["accountant"]].append({**said, "mark": mark, "events": row["events"], "certified": entry})
    return found


def _level(text: str) -> float:
    numerator, _, denominator = text.partition("/")
    return float(numerator) / float(denominator or 1)


def steps(case: Case) -> int:
    """How many releases the composition has."""
    return sum(int(event.rpartition(" x ")[2]) if " x " in event else 1 for event in case["events"])


def write(folder: Path, asked: dict[str, str] | None = None) -> None:
    """Writes README.md and summary.json; a row that lacks a bound is not counted.

    ``asked`` are the versions of the accountants, where they were asked again; else those that gave the answers stay.
    """
    versions = asked or json.loads((folder / "summary.json").read_text(encoding="utf-8"))["versions"]
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [read_row(line) for line in lines]
    found = cases(rows)
    settings = sum(len(row["certified"]) for row in rows)
    result = {
        "versions": versions,
        "compositions": len(rows),
        "settings": settings,
        "accountants": {name: dict(Counter(case["mark"] for case in entries)) for name, entries in found.items()},
        "smallest": {name: _smallest(entries) for name, entries in found.items()},
    }
    (folder / "summary.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(_text(result, found, rows), encoding="utf-8")


def _smallest(entries: Sequence[Case]) -> Case | None:
    """The case with the fewest releases, then the largest delta, in which the accountant is too low."""
    low = [case for case in entries if case["mark"] == LOW]
    return min(low, key=lambda case: (len(case["events"]), steps(case), -_level(case["delta"])), default=None)


def _text(result: dict[str, Any], found: dict[str, list[Case]], rows: Sequence[dict[str, Any]]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    low = {
        name: count
        for name, entries in found.items()
        if name != "Opacus GDP" and (count := sum(case["mark"] == LOW for case in entries))
    }
    named = "; ".join(f"{name}, {count} of {len(found[name])}" for name, count in low.items())
    lines = [
        "# Accountants against certified bounds",
        "",
        f"**✗ REFUTED.** {sum(low.values())} upper bounds that accountants promise are certainly too low: {named}.",
        "",
        f"{result['settings']} settings ({result['compositions']} compositions, five δ each), each with a certified "
        "lower and upper bound on ε(δ). An accountant that promises an upper bound is **too low** if its ε is below "
        "our certified lower bound: there are neighboring data sets for which its statement is false.",
        "",
        f"Versions: {versions}. Adjacency: add/remove one record, with Poisson sampling.",
        "",
        "| accountant | inside our bounds | valid upper | low by rounding | **too low** | no answer | shortfall |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, entries in found.items():
        counts = Counter(case["mark"] for case in entries)
        worst = max((case["relative_distance"] for case in entries if case["mark"] == LOW), default=None)
        shown = "–" if worst is None else f"{100 * worst:.3g} % of ε"
        lines.append(f"| {name} | " + " | ".join(str(counts[mark]) for mark in MARKS) + f" | {shown} |")
    lines += ["", "## The smallest case of each failure", ""]
    for name, case in result["smallest"].items():
        if case is not None:
            lines += _case(name, case)
    lines += ["## Every case in which an accountant is too low", ""]
    lines += ["Opacus's GDP accountant is based on a limit theorem, not a bound, so it is not in this list.", ""]
    lines += ["| accountant | composition | δ | its ε | certified: ε is at least |", "|---|---|---|---|---|"]
    for name, entries in found.items():
        for case in entries if name != "Opacus GDP" else ():
            if case["mark"] == LOW:
                value = f"{float(case['epsilon']):.10g}"
                lines.append(f"| {name} | `{'` + `'.join(case['events'])}` | {case['certified']['delta']} | {value} | "
                             f"{case['certified']['lower']} |")  # fmt: skip
    times = sorted(row["seconds"] for row in rows)
    lines += [
        "",
        f"Processor seconds for our bounds at five δ: median {times[len(times) // 2]}, at most {times[-1]}.",
    ]
    lines += ["", "Computed by `python -m reports.accountants`; `rows.jsonl` has every number."]
    return "\n".join(lines) + "\n"


def _case(name: str, case: Case) -> list[str]:
    command = " ".join(f'--event "{event}"' for event in case["events"])
    value, lower = float(case["epsilon"]), case["certified"]["lower"]
    return [
        f"**{name}**: ε({case['certified']['delta']}) = {value:.10g}, but ε is at least {lower}. Check it with",
        "",
        f"    dpaudit account {command} --delta {case['certified']['delta']} --compare",
        "",
    ]

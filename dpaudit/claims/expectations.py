"""The committed expectations of a catalogue: the result of every check when it was last run and reviewed.

``python -m dpaudit.claims.expectations [IDS]`` runs the checks of the installed catalogues and rewrites
the expected.json and the page of each catalogue that they belong to.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpaudit.audit.setting import command_line
from dpaudit.claims.catalogue import Catalogue, installed, load, select
from dpaudit.claims.page import Expected, render
from dpaudit.claims.runner import Decided, Result, run_many
from dpaudit.claims.words import extent, summary
from dpaudit.files.strict_json import read_text
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict

LARGEST = 16 << 20
"""The most bytes of a file of expectations."""


def entry(result: Result) -> dict[str, str]:
    """The expectation for one claim: the verdict, what it establishes, its extent and its one line."""
    outcome = result.outcome
    return {
        "verdict": outcome.verdict.value,
        "establishes": outcome.establishes,
        "extent": extent(outcome),
        "line": summary(outcome),
    }


def read(path: str | Path) -> Expected:
    """The expectations by id; a list written by ``dpaudit check --json`` serves as well."""
    text = read_text("expect", str(path), LARGEST)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("expect", str(path), f"is not JSON: {error}") from None
    if isinstance(data, list) and all(isinstance(row, dict) and "id" in row for row in data):
        data = {row["id"]: row for row in data}
    if not isinstance(data, dict):
        raise InputError("expect", str(path), "must be what `dpaudit check --json` writes, or {id: verdict}")
    return {str(key): _entry(str(path), key, value) for key, value in data.items()}


def _entry(path: str, key: str, value: Any) -> dict[str, str]:
    row = {"verdict": value} if isinstance(value, str) else value
    if not isinstance(row, dict) or row.get("verdict") not in list(Verdict):
        raise InputError("expect", path, f"{key} has no verdict; it must be one of {', '.join(Verdict)}")
    return {name: str(row[name]) for name in ("verdict", "establishes", "extent", "line") if name in row}


def expected_of(catalogue: Catalogue) -> Expected:
    """The committed expectations of a catalogue; empty if there is no such file yet."""
    return read(catalogue.expected) if catalogue.expected.exists() else {}


def list_claims(ids: Sequence[str] = ()) -> list[dict[str, str]]:
    """The claims of all installed papers with these ids or patterns, and their last known verdicts.

    This is dpaudit.list_claims. Nothing is computed; a claim without a verdict has empty texts in its place.
    """
    rows: dict[str, dict[str, str]] = {}
    for catalogue in installed():
        expected = expected_of(catalogue)
        for claim in catalogue.claims:
            known = expected.get(claim.id, {})
            last = {name: known.get(name, "") for name in ("verdict", "establishes", "line")}
            rows[claim.id] = {**claim.to_dict(), **last, "command": command_line("claims", claim.id)}
    return [rows[key] for key in select(ids, list(rows))]


def differences(expected: Mapping[str, Mapping[str, str]], decided: Decided) -> list[str]:
    """One line for every verdict that differs from the expected one, also in what it establishes.

    Also one for every id in the file that no claim has, or that was requested and did not run.
    """
    lines, ran = [], set()
    for result in decided:
        key, outcome = result.claim.id, result.outcome
        ran.add(key)
        wanted = expected.get(key, {"verdict": "nothing: the file does not name it"})
        actual = {"verdict": outcome.verdict.value, "establishes": outcome.establishes}
        compared = [name for name in actual if name in wanted]
        if any(actual[name] != wanted[name] for name in compared):
            texts = [", ".join(row[name] for name in compared) for row in (wanted, actual)]
            lines.append(f"{key}: expected {texts[0]}, found {texts[1]}; {summary(outcome)}".rstrip("; "))
    for key in expected:
        if key not in decided.known:
            lines.append(f"{key}: expected {expected[key]['verdict']}, but no claim has this id")
        elif key not in ran and any(fnmatchcase(key, pattern) for pattern in decided.asked):
            lines.append(f"{key}: expected {expected[key]['verdict']}, but it did not run")
    return lines


def update(patterns: Sequence[str]) -> None:
    """Runs the checks and writes the outcomes into the expected.json of their catalogues, and the pages from them."""
    library = load()
    fresh = {result.claim.id: entry(result) for result in run_many(library, library.choose(patterns), progress=_report)}
    for catalogue in installed():
        merged = {**expected_of(catalogue), **fresh}
        kept = {claim.id: merged[claim.id] for claim in catalogue.claims if claim.id in merged}
        if not kept.keys() & fresh.keys():
            continue
        write_file("expected", catalogue.expected, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
        write_file("page", catalogue.page, render(catalogue, kept))


def _report(result: Result, done: int, total: int) -> None:
    verdict = f"ERROR {result.error}" if result.error else result.outcome.verdict.value
    print(f"{done}/{total} {result.claim.id} {verdict} {result.seconds:.1f} s", file=sys.stderr)


def main(patterns: Sequence[str]) -> int:
    """``update`` as a command: an id that no claim has is one line, and exit code 2."""
    try:
        update(patterns)
    except InputError as problem:
        print(f"dpaudit: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The committed expectations: what every check found when it was last run and looked at.

``python -m proofs_checks.expectations [IDS]`` runs the checks again, writes expected.json and the page anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from proofs_checks.registry import catalogue
from proofs_checks.runner import Result, run_many
from proofs_checks.words import extent, summary

FILE = Path(__file__).with_name("expected.json")
Expected = dict[str, dict[str, str]]


def entry(result: Result) -> dict[str, str]:
    """Returns what is expected of one claim: verdict, what it establishes, its extent and the one line."""
    outcome = result.outcome
    return {
        "verdict": outcome.verdict.value,
        "establishes": outcome.establishes,
        "extent": extent(outcome),
        "line": summary(outcome),
    }


def read(path: str | Path = FILE) -> Expected:
    """Returns the expectations by id. A list as ``dpaudit check --json`` writes it serves as well."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError("expect", str(path), f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
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


def differences(
    expected: Mapping[str, Mapping[str, str]], results: Iterable[Result], patterns: Sequence[str] = ("*",)
) -> list[str]:
    """Returns one line for every verdict, or what it establishes, that is not the expected one.

    Besides one for every id of the file that does not exist, or that ``patterns`` ask for and that did not run.
    """
    lines, known, ran = [], catalogue(), set()
    for result in results:
        key, outcome = result.claim.id, result.outcome
        ran.add(key)
        wanted = expected.get(key, {"verdict": "nothing: the file does not name it"})
        found = {"verdict": outcome.verdict.value, "establishes": outcome.establishes}
        compared = [name for name in found if name in wanted]
        if any(found[name] != wanted[name] for name in compared):
            texts = [", ".join(row[name] for name in compared) for row in (wanted, found)]
            lines.append(f"{key}: expected {texts[0]}, found {texts[1]}; {summary(outcome)}".rstrip("; "))
    for key in expected:
        if key not in known:
            lines.append(f"{key}: expected {expected[key]['verdict']}, but no claim has this id")
        elif key not in ran and any(fnmatchcase(key, pattern) for pattern in patterns):
            lines.append(f"{key}: expected {expected[key]['verdict']}, but it did not run")
    return lines


def update(identifiers: list[str]) -> None:
    """Runs the checks and writes their outcomes into expected.json, and the page from it."""
    from proofs_checks import page
    from proofs_checks.registry import load, select

    known = [key for key in page.order() if key in load()]
    chosen = select(identifiers, known)
    fresh = {result.claim.id: entry(result) for result in run_many(chosen, progress=_report)}
    merged = {**(read() if FILE.exists() else {}), **fresh}
    kept = {key: merged[key] for key in known if key in merged}
    FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    page.FILE.write_text(page.render(kept), encoding="utf-8")


def _report(result: Result, done: int, total: int) -> None:
    verdict = f"ERROR {result.error}" if result.error else result.outcome.verdict.value
    print(f"{done}/{total} {result.claim.id} {verdict} {result.seconds:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    update(sys.argv[1:])

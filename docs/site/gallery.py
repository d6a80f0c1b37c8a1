"""The gallery: every committed report with its verdict, what it found and a picture, read from its files."""

import json
from pathlib import Path
from typing import Any

from docs.site.contents import ROOT
from dpaudit.reports.document import load

REPORTS = ROOT / "reports"
BESIDE = (
    "\n[What installed libraries really do](implementations/README.md) is a report of its own kind, with one table.\n"
)


def gallery() -> str:
    """Returns the page; its links are those of a page that lies in reports/."""
    parts = ["# Gallery of audits\n", "Committed reports, as `dpaudit report --refresh reports` makes them anew.\n"]
    parts += [entry(path.parent) for path in sorted(REPORTS.glob("*/result.json")) if is_report(path)]
    return "\n".join([*parts, BESIDE])


def is_report(path: Path) -> bool:
    """Returns whether the file is the result file of a report."""
    return str(json.loads(path.read_text(encoding="utf-8")).get("schema", "")).startswith("dpaudit-report/")


def entry(folder: Path) -> str:
    """Returns the section of one report."""
    document = load(str(folder / "result.json"))
    picture = next(iter(sorted((folder / "charts").glob("*.svg"))), None)
    shown = [f"![{document['title']}]({picture.relative_to(REPORTS).as_posix()})\n"] if picture else []
    link = f"[The whole report]({folder.name}/report.html), made by `{document['command']}`.\n"
    return "\n".join([f"## {document['title']}\n", *found(document), *shown, link])


def found(document: dict[str, Any]) -> list[str]:
    """Returns the verdict and the findings, as the result file states them."""
    verdict = document["verdict"]
    word = f"**{verdict['word']}**: " if verdict["word"] else ""
    return [f"{word}{verdict['text']}\n"]

"""The gallery: every committed report with its verdict, what it found and a picture, read from its files."""

import json
from pathlib import Path
from typing import Any

from docs.site.contents import ROOT
from dpaudit.reports.document import load
from dpaudit.reports.index import short
from dpaudit.reports.verdict import headline

REPORTS = ROOT / "reports"
OVERVIEW = ("00-claims", "02-epsilon-by-n", "02-prior-study", "00-matrix")
"""The picture of a report that stands for it: the first of these that it has, else its first."""


def gallery() -> str:
    """Returns the page; its links are those of a page that lies in reports/."""
    parts = ["# Gallery of audits\n", "Committed reports, as `dpaudit report --refresh reports` makes them anew.\n"]
    for path in sorted(REPORTS.glob("*/result.json")):
        parts.append(entry(path.parent) if is_report(path) else beside(path.parent))
    return "\n".join(parts)


def is_report(path: Path) -> bool:
    """Returns whether the file is the result file of a report."""
    return str(json.loads(path.read_text(encoding="utf-8")).get("schema", "")).startswith("dpaudit-report/")


def entry(folder: Path) -> str:
    """Returns the section of one report: its verdict in full, what it found, a picture, and where all of it is."""
    document = load(str(folder / "result.json"))
    found = picture(folder)
    shown = [f"![{document['title']}]({found.relative_to(REPORTS).as_posix()})\n"] if found else []
    whole, plan = f"[The whole report]({folder.name}/report.html)", f"[its plan]({folder.name}/plan.toml)"
    links = f"{whole}, made by `{document['command']}` ({plan}).\n"
    return "\n".join([f"## {document['title']}\n", *said(document), *shown, links])


def picture(folder: Path) -> Path | None:
    """Returns the picture that stands for a report."""
    drawn = {path.stem: path for path in sorted((folder / "charts").glob("*.svg"))}
    return next((drawn[name] for name in OVERVIEW if name in drawn), next(iter(drawn.values()), None))


def said(document: dict[str, Any]) -> list[str]:
    """Returns the headline and the sentence of its index, as the result file states them."""
    verdict = document["verdict"]
    return [f"**{headline(verdict)}**\n", f"{short(verdict['text'])}\n"]


def beside(folder: Path) -> str:
    """Returns the section of a page that is a report of its own kind: its title, and what it says in short."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    title, start = text.splitlines()[0].removeprefix("# "), text.index("**In short.** ")
    finding = " ".join(text[start : text.index("\n\n", start)].removeprefix("**In short.** ").split())
    first, stop, rest = finding.partition("; ")
    return f"## {title}\n\n**{first}**{stop}{rest}\n\n[All of it, class by class]({folder.name}/README.md).\n"

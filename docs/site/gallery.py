"""The gallery: every committed report with its verdict, what it found and a picture, read from its files."""

import json
from pathlib import Path

from docs.site.contents import ROOT
from dpaudit.files.text import markdown
from dpaudit.reports.document import SCHEMA, Document, load
from reports.index import in_short, own_page, verdict_words

REPORTS = ROOT / "reports"


def gallery() -> str:
    """Returns the page; its links are those of a page that lies in reports/."""
    parts = ["# Gallery of audits\n", "`dpaudit report --refresh reports` makes the reports from their plans.\n"]
    for path in sorted(REPORTS.glob("*/result.json")):
        parts.append(entry(path.parent) if is_report(path) else beside(path.parent))
    return "\n".join(parts)


def is_report(path: Path) -> bool:
    """Returns whether the file is the result file of a report."""
    return bool(json.loads(path.read_text(encoding="utf-8")).get("schema") == SCHEMA)


def entry(folder: Path) -> str:
    """Returns the section of one report: its verdict, what it found, its main picture, and where all of it is."""
    document = load(str(folder / "result.json"))
    found = picture(folder, document)
    shown = [f"![{document.title}]({found.relative_to(REPORTS).as_posix()})\n"] if found else []
    links = f"[The whole report]({folder.name}/report.html), [its plan]({folder.name}/plan.toml).\n"
    return "\n".join([f"## {document.title}\n", said(document), *shown, links])


def picture(folder: Path, document: Document) -> Path | None:
    """Returns the main picture of a report, if it has one."""
    return next((folder / f"charts/{name}.svg" for name, section in document.figures() if section.main), None)


def said(document: Document) -> str:
    """Returns the verdict and the sentences of the index."""
    return f"**{verdict_words(document)}.** {markdown(in_short(document))}\n"


def beside(folder: Path) -> str:
    """Returns the section of a page that is not made from a plan: its title, verdict and answer."""
    title, verdict, words = own_page((folder / "README.md").read_text(encoding="utf-8"))
    return f"## {title}\n\n**{verdict}.** {words}\n\n[The whole page]({folder.name}/README.md).\n"

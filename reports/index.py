"""The index of the reports: what each of them found, in one line.

``python -m reports.index`` writes it, and the pages of the reports from their result.json; nothing is computed.
"""

from __future__ import annotations

import re
from pathlib import Path

from dpaudit.files.text import markdown as escape
from dpaudit.numbers.digits import powers
from dpaudit.reports.document import Document, load
from dpaudit.reports.report import render
from dpaudit.reports.words import bounds_sentence, counts_line, headline

INTRODUCTION = """# Reports

Each folder has the page (`report.html`, which opens offline), the same page as Markdown, all numbers (`result.json`)
and the plan. `dpaudit report --refresh reports` makes them again. See [how to read them](../docs/reports.md).

| report | verdict | in short |
|---|---|---|
"""
NAME = "README.md"
"""Of the index, and of the page of a folder without a plan."""


def index(folder: str | Path) -> str:
    """The page: a line for every report below the folder, and for every other page there."""
    lines = []
    for path in sorted(Path(folder).iterdir()):
        if (path / "plan.toml").exists():
            lines.append(_line(path.name, load(str(path / "result.json"))))
        elif (path / NAME).exists():
            title, verdict, words = own_page((path / NAME).read_text(encoding="utf-8"))
            lines.append(f"| [{title}]({path.name}/{NAME}) | **{verdict}** | {words} |")
    return INTRODUCTION + "\n".join(lines) + "\n"


def _line(name: str, document: Document) -> str:
    verdict = f"**{verdict_words(document)}**"
    return f"| [{escape(document.title)}]({name}/report.md) | {verdict} | {escape(in_short(document))} |"


def in_short(document: Document) -> str:
    """The answer of a report in one or two sentences."""
    counts = counts_line(document)
    parts = [powers(headline(document)), f"{counts}." if counts else ""]
    bounds = [bounds_sentence(document)] if document.bounds and document.lead is not None else []
    return " ".join(filter(None, [*parts, *bounds]))


def verdict_words(document: Document) -> str:
    """The verdict on privacy, on claims, or, where nothing else was asked, on accuracy."""
    return "" if document.verdict is None else document.verdict.value


def own_page(page: str) -> tuple[str, str, str]:
    """The title of a page, its verdict and its answer: "**✗ REFUTED.** 5 of 39 classes …"."""
    lines = page.splitlines()
    first = next((line for line in lines if re.match(r"\*\*. [A-Z ]+\.\*\* ", line)), "")
    verdict, _, words = first.partition(".** ")
    return lines[0].removeprefix("# "), verdict.removeprefix("**")[2:], words


def main() -> None:
    """Writes the pages of the reports, and the index."""
    folder = Path(__file__).parent
    for plan in folder.glob("*/plan.toml"):
        render(str(plan.parent / "result.json"), str(plan.parent))
    (folder / NAME).write_text(index(folder), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The index of a folder of reports: what each of them found, in one line, from its verdict."""

from __future__ import annotations

import re
from pathlib import Path

from dpaudit.files.text import markdown as escape
from dpaudit.reports.document import Document, load
from dpaudit.reports.verdict import headline

INTRODUCTION = """# Reports

What each report found, from its own verdict. Every folder has the page (`report.html`, opens offline), the same as
Markdown, everything that was computed (`result.json`) and the plan. `dpaudit report --refresh reports` makes all of it
anew, this page too. [How to read them](../docs/reports.md).

| report | verdict | in short |
|---|---|---|
"""
OWN = "README.md"
"""A folder without a plan has a page of its own under this name."""
WORDS = 30
"""A line says no more than so many, numbers and signs counted too."""


def index(folder: str | Path) -> str:
    """Returns the page: a line for every report below the folder, and for every other page there."""
    lines = []
    for path in sorted(Path(folder).iterdir()):
        if (path / "plan.toml").exists():
            lines.append(_line(path.name, load(str(path / "result.json"))))
        elif (path / OWN).exists():
            title, short = _own((path / OWN).read_text())
            lines.append(f"| [{title}]({path.name}/{OWN}) | | {short} |")
    return INTRODUCTION + "\n".join(lines) + "\n"


def _line(name: str, document: Document) -> str:
    verdict = document["verdict"]
    word = f"**{escape(headline(verdict))}**" if headline(verdict) else ""
    return f"| [{escape(document['title'])}]({name}/report.md) | {word} | {escape(short(verdict['text']))} |"


def short(text: str) -> str:
    """Returns the first sentence that says more than how many verdicts there are, as far as a line takes its clauses.

    >>> short("2 verdicts: 1 HOLDS FOR ALL n, 1 NO CLAIM. The worst: MH claims 2-DP; its true ε is 1.5. 3 bounds fail.")
    'The worst: MH claims 2-DP; its true ε is 1.5.'
    """
    sentences = re.split(r"(?<=\.) ", text)
    first, *clauses = next((s for s in sentences if not re.match(r"\d+ verdicts:", s)), text).split("; ")
    for clause in clauses:
        if len(f"{first} {clause}".split()) > WORDS:
            break
        first = f"{first}; {clause}"
    return first.rstrip(".") + "."


def _own(page: str) -> tuple[str, str]:
    """Returns the title of a page and what it says first after "In short"."""
    lines = page.splitlines()
    title = lines[0].removeprefix("# ")
    start = next((i for i, line in enumerate(lines) if line.startswith("**In short.**")), None)
    if start is None:
        return title, ""
    return title, short(" ".join(lines[start : lines.index("", start)]).removeprefix("**In short.** "))

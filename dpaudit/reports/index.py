"""The index of a folder of reports: what each of them found, in one line, from its verdict."""

from __future__ import annotations

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
    text = escape(verdict["text"])
    return f"| [{escape(document['title'])}]({name}/report.md) | {word} | {text} |"


def _own(page: str) -> tuple[str, str]:
    """Returns the title of a page and the sentence that it begins with "In short"."""
    lines = page.splitlines()
    title = lines[0].removeprefix("# ")
    start = next((i for i, line in enumerate(lines) if line.startswith("**In short.**")), None)
    if start is None:
        return title, ""
    whole = " ".join(lines[start : lines.index("", start)]).removeprefix("**In short.** ")
    return title, whole.split(". ")[0].rstrip(".") + "."

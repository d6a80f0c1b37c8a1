"""Small pieces of HTML: verdict badges, and numbers that open their enclosure on demand. All text is escaped."""

from __future__ import annotations

from dpaudit.files.text import html as escape
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Section
from dpaudit.reports.tables import short

KNOWN = {verdict.value for verdict in Verdict}


def badge(verdict: str | None) -> str:
    """Returns the verdict as a badge; only a known verdict becomes a class, anything else is text."""
    return f'<span class="badge {verdict}">{verdict}</span>' if verdict in KNOWN else escape(str(verdict or ""))


def number(enclosure: dict[str, str]) -> str:
    """Returns a number that opens its enclosure on demand."""
    full = f"{enclosure['lower']} ≤ value ≤ {enclosure['upper']}"
    return f'<details class="num"><summary>{escape(short(enclosure))}</summary><span>{escape(full)}</span></details>'


def verdicts(section: Section) -> dict[str, int]:
    """Returns how often each verdict occurs in the section's rows."""
    counts: dict[str, int] = {}
    for row in section["rows"]:
        verdict = row.get("verdict")
        if verdict:
            counts[verdict] = counts.get(verdict, 0) + 1
    return counts

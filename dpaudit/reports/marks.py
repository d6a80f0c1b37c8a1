"""Small pieces of HTML: verdict badges, and numbers with their enclosures. All text is escaped."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress

from dpaudit.audit.conclusion import Word
from dpaudit.files.text import html as escape
from dpaudit.numbers.digits import shown
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Document, Section, decided_bounds

NOMINAL = {
    Verdict.PROVED: " (within the nominal ε)",
    Verdict.REFUTED: " (above the nominal ε)",
    Verdict.UNDECIDED: " (undecided against the nominal ε)",
}
WORDS = {
    Word.NOT_PRIVATE.value: Verdict.REFUTED.value,
    Word.ON_AUDITED.value: Verdict.PROVED.value,
    Word.FOR_ALL.value: Verdict.PROVED.value,
}
"""Words of a report that have the badge of a verdict."""
KNOWN = {verdict.value for verdict in Verdict}


def badge(verdict: str | None) -> str:
    """Returns the verdict as a badge; only a known verdict becomes a class, anything else is text."""
    if verdict in WORDS:
        return f'<span class="badge {WORDS[verdict]}">{verdict}</span>'
    return f'<span class="badge {verdict}">{verdict}</span>' if verdict in KNOWN else escape(str(verdict or ""))


def number(enclosure: dict[str, str]) -> str:
    """Returns a number with its enclosure: on paper, to who points at it, and where all are asked for.

    What is shown exactly, or is infinite, has none beside it.
    """
    lower, upper = escape(enclosure["lower"]), escape(enclosure["upper"])
    if lower == upper and shown(enclosure) in (lower, "∞", "−∞"):
        return shown(enclosure)
    whole = tails(lower, upper)
    return f'<span class="num">{escape(shown(enclosure))}<i>{whole}</i></span>'


def tails(lower: str, upper: str) -> str:
    """Returns both ends of an enclosure: of two positive decimals what they share, then the two tails.

    >>> tails("0.5137306003657", "0.51373060036581"), tails("-0.5", "0.5"), tails("1.5e-8", "1.6e-8")
    ('0.513730600365[70, 81]', '[-0.5, 0.5]', '[1.5e-8, 1.6e-8]')
    """
    whole = re.compile(r"\d+\.\d+")
    if whole.fullmatch(lower) and whole.fullmatch(upper) and lower.index(".") == upper.index("."):
        length = max(len(lower), len(upper))
        low, high = lower.ljust(length, "0"), upper.ljust(length, "0")
        same = next((i for i in range(length) if low[i] != high[i]), 0)
        if same > 4:
            return f"{low[:same]}[{low[same:]}, {high[same:]}]"
    return f"[{lower}, {upper}]"


def verdicts(section: Section) -> list[tuple[str, int]]:
    """Returns how often each verdict occurs in the section's rows, in order; of the true epsilon also what has none."""
    found = Counter(row["verdict"] for row in section["rows"] if row.get("verdict"))
    if section["kind"] == "epsilon-by-n":
        none = (row for row in section["rows"] if row["verdict"] is None)
        found.update(f"NO CLAIM{NOMINAL.get(row.get('nominal_verdict'), '')}" for row in none)
        found["not audited"] = section.get("lost", 0)
        found.update(section.get("judged", {}))
    if section["kind"] == "distances":
        with suppress(ValueError):  # a stranger's file may have anything for a verdict
            found.update(word.removesuffix("s") for word in decided_bounds([section]).values())
    if section["kind"] == "bounds":
        found.update(str(row["outcome"]).partition(" ")[0].removesuffix("s") for row in section["rows"])
    return sorted((word, count) for word, count in found.items() if count)


def decided(document: Document) -> list[tuple[int, Section, list[tuple[str, int]]]]:
    """Returns the sections that decide or find something, with their numbers and verdicts."""
    counted = [(i, s, verdicts(s)) for i, s in enumerate(document["sections"]) if s["kind"] not in ("matrix", "chain")]
    return [entry for entry in counted if entry[2] or entry[1].get("finding")]

"""The answer as pictures: how much of its claim each mechanism uses, and the chain of evidence of the worst case."""

from __future__ import annotations

from typing import Any

from dpaudit.pictures import chain as boxes
from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.pictures.scales import Scale
from dpaudit.pictures.svg import element, fit, line, text, tip, width_of
from dpaudit.reports.charts_lines import Near, middle, span
from dpaudit.reports.digits import powers
from dpaudit.reports.document import Section
from dpaudit.reports.findings import at_most, listed, sign

MARKS = {
    "NOT PRIVATE": "refuted",
    "UNDECIDED": "open",
    "HOLDS FOR ALL n": "proved",
    "HOLDS ON WHAT WAS AUDITED": "proved",
}
"""Word of the verdict -> its colour."""
MOST = 1.6
"""A larger share is cut, with an arrow."""
ROW = 26.0
Row = dict[str, Any]


def matrix(section: Section, near: Near) -> list[Figure]:
    """Returns a bar for every mechanism: the share of its claim, or of its nominal epsilon, that is used."""
    rows = [row for row in section["rows"] if row["share"] is not None]
    if not rows:
        return []
    said = _counted(section["rows"])
    return [Figure([_bars(rows, WIDE, said)], said, [_bars(rows, NARROW, said)])]


def _counted(rows: list[Row]) -> str:
    """Returns which word was said of whom."""
    words: dict[str, list[str]] = {}
    for row in rows:
        words.setdefault(row["word"], []).append(row["mechanism"])
    return " ".join(f"{word}: {listed(names)}." for word, names in words.items())


def _bars(rows: list[Row], width: float, said: str) -> Picture:
    small = width <= NARROW
    left = min(0.3 * width, 12 + max(width_of(row["mechanism"], 13) for row in rows))
    right = 60.0 if small else 240.0
    sizes = [min(middle(row["share"]), MOST) for row in rows]
    across = Scale(0.0, max([1.1, *sizes]), left, width - right)
    bottom = 30 + ROW * len(rows)
    parts = [line(across(1), 20, across(1), bottom, "rule"), text(across(1), 14, "the claim", "m")]
    for i, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        y = 30 + ROW * i
        name, share = fit(row["mechanism"], left - 10, 13), f"{100 * middle(row['share']):.3g} %"
        words = f"{row['mechanism']}: share in {span(row['share'])}, {row['word']}, {row['strength']}"
        parts.append(text(left - 8, y + 14, name, "e"))
        parts.append(
            element(
                "rect",
                tip(words),
                x=left,
                y=y + 3,
                width=max(1.0, across(size) - left),
                height=ROW - 10,
                class_=_class(row),
            )
        )
        if middle(row["share"]) > MOST:
            parts.append(text(across(size) + 3, y + 15, "→"))
        shown = share if small else f"{share}{_of(row)}  {row['word'].capitalize()}"
        parts.append(text(width - right + 10, y + 14, fit(shown, right - 10), "small"))
    parts.append(line(left, 24, left, bottom, "axis"))
    return Picture(width, bottom + 6, "".join(parts), f"Share of the claim that each mechanism uses. {said}")


def _of(row: Row) -> str:
    return " of nominal," if row["claim"] is None else ","


def _class(row: Row) -> str:
    """Returns the colour of a bar: of its verdict, or grey where nothing is claimed and nothing exceeded."""
    if row["claim"] is None:
        return "frefuted" if row["outcome"] == "REFUTED" else "fnone"
    return f"f{MARKS.get(row['word'], 'open')}"


def chain(section: Section, near: Near) -> list[Figure]:
    """Returns claim, pair, output, both probabilities, the logarithm of their ratio, and the verdict, linked."""
    links = list(_links(section["rows"], section.get("word", "")))
    steps = {row["step"]: row for row in section["rows"]}
    loss, verdict = steps.get("loss"), steps.get("verdict")
    parts = [f"{section['mechanism']}, {steps['pair']['words']}" if "pair" in steps else section["mechanism"]]
    parts += [f"{loss['label']} {at_most(loss['value'])}"] if loss and loss["value"] else []
    parts += [verdict["words"]] if verdict else []
    said = "; ".join(parts) + "."
    alt = f"The evidence as a chain. {said}"
    return [Figure([boxes.draw(links, WIDE, alt)], said, [boxes.draw(links, NARROW, alt)])]


def _links(rows: list[Row], word: str) -> list[boxes.Link]:
    """Returns the boxes; both probabilities share one."""
    found, bars = [], [row for row in rows if row["step"] in ("p", "p_prime") and row["value"]]
    top = max((middle(row["value"]) for row in bars), default=1.0) or 1.0
    for row in rows:
        strong = sign(row["value"]) if row["value"] else ""
        if row["step"] == "p" and bars:
            shares = [
                (f"{bar['words']} {sign(bar['value'])}", middle(bar["value"]) / top, "fa" if bar is bars[0] else "fb")
                for bar in bars
            ]
            found.append(boxes.Link("both probabilities", "", "", shares))
        elif row["step"] == "verdict":
            found.append(boxes.Link(row["label"], "", row["words"], mark=f"box-{MARKS.get(word, 'open')}"))
        elif row["step"] != "p_prime":
            words = row["words"].split(", the largest of")[0].split("; its true")[0]
            found.append(boxes.Link(row["label"], powers(words), strong if row["step"] == "loss" else ""))
    return found

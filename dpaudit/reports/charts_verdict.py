"""The answer as pictures: how much of its claim each mechanism uses, and the chain of evidence of the worst case."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.numbers.digits import equated, percent, powers, short
from dpaudit.pictures import chain as boxes
from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.pictures.scales import Scale
from dpaudit.pictures.svg import at, element, fit, fit_name, line, text, tip, width_of
from dpaudit.reports.charts_lines import Near, span
from dpaudit.reports.document import Section
from dpaudit.reports.findings import listed, sign, signed
from dpaudit.reports.verdict import fails_beyond

MARKS = {
    "NOT PRIVATE": "refuted",
    "UNDECIDED": "open",
    "HOLDS FOR ALL n": "proved",
    "HOLDS ON WHAT WAS AUDITED": "proved",
}
"""Word of the verdict -> its colour."""
NOMINAL = {"REFUTED": ", above the nominal ε", "UNDECIDED": ", undecided against the nominal ε"}
"""What is said of a mechanism without a claim by the verdict on its nominal epsilon; within it goes without words."""
MOST = 1.6
"""A larger share is cut: its bar has a gap and ends in an arrow, on a grey band where it is infinite."""
BREAK, HEAD, SLANT = 5.0, 18.0, 5.0
"""Pixels of the gap in a bar that is cut, of the arrow after it, and by which gap and arrow lean."""
MOST_BESIDE = 0.55
"""What stands beside the bars takes no more of the picture."""
ROW = 26.0
Row = dict[str, Any]


def matrix(section: Section, near: Near) -> list[Figure]:
    """Returns a bar for every mechanism: the share of its claim, or of its nominal epsilon, that is used."""
    rows = [row for row in section["rows"] if row["share"] is not None]
    if not rows:
        return []
    absent = [row["mechanism"] for row in section["rows"] if row["share"] is None]
    said = _counted(section["rows"]) + _going_on(rows)
    said += f" Not drawn, as no share is known: {listed(absent)}." if absent else ""
    return [Figure([_bars(rows, WIDE, said)], said, [_bars(rows, NARROW, said)])]


def _counted(rows: list[Row]) -> str:
    """Returns which word was said of whom."""
    words: dict[str, list[str]] = {}
    for row in rows:
        compared = NOMINAL.get(row["outcome"], "") if row["claim"] is None else ""
        words.setdefault(row["word"] + compared, []).append(row["mechanism"])
    return " ".join(f"{word}: {listed(names)}." for word, names in words.items())


def _going_on(rows: list[Row]) -> str:
    """Returns what a gap in a bar means, where there is one."""
    highs = [_ends(row)[1] for row in rows]
    endless = "; those on grey may go on without end" if math.inf in highs else ""
    return f" A bar with a gap goes on beyond the picture{endless}." if max(highs) > MOST else ""


def _bars(rows: list[Row], width: float, said: str) -> Picture:
    """Returns the bars; long names, and all on a phone, stand above theirs."""
    small = width <= NARROW
    longest = max(width_of(row["mechanism"], 13) for row in rows)
    above = small or longest > 0.25 * width
    ends = [_ends(row) for row in rows]
    shares = [percent(row["share"]) for row in rows]
    beside = [
        f"{share}{_of(row)}  {row['word'].capitalize()}{_beyond(row)}" for row, share in zip(rows, shares, strict=True)
    ]
    right = 4.0 if small else min(MOST_BESIDE * width, 16 + max(width_of(words, 11) for words in beside))
    left = 2.0 if above else 12 + longest
    across = Scale(0.0, max(1.1, *(min(high, MOST) for _, high in ends)), left, width - right)
    step = ROW + (16 if above else 0)
    bottom = 30 + step * len(rows)
    tops = [30 + step * i + (16 if above else 0) for i in range(len(rows))]
    ruled = [(y, y + ROW - 4) for y in tops] if above else [(20.0, bottom)]
    parts = [line(left, 24, left, bottom, "axis")]
    for row, both, shown, said_beside, y in zip(rows, ends, shares, beside, tops, strict=True):
        parts.append(_bar(row, across, y + 3, both))
        if small:
            words = shown + _of(row).removesuffix(",")
            name = fit_name(row["mechanism"], width - width_of(words) - 20)
            parts.append(text(left + 2, y - 3, f"{name}: {words}"))
            continue
        place = (left + 2, y - 3, None) if above else (left - 8, y + 14, "e")
        parts.append(text(*place[:2], fit_name(row["mechanism"], width - right), place[2]))
        parts.append(text(width - right + 10, y + 14, fit(said_beside, right - 10, 11), "small"))
    parts.append(_whole(rows, across(1), ruled, width))
    return Picture(width, bottom + 6, "".join(parts), f"Share of {whole_of(rows)} that each mechanism uses. {said}")


def _whole(rows: list[Row], place: float, ruled: list[tuple[float, float]], width: float) -> str:
    """Returns the line at 100 % with its words; it is broken where names stand."""
    words = whole_of(rows)
    middle = min(place, width - width_of(words) / 2 - 2)
    return "".join(line(place, top, place, foot, "rule") for top, foot in ruled) + text(middle, 14, words, "m")


def _ends(row: Row) -> tuple[float, float]:
    """Returns both ends of a share."""
    return float(row["share"]["lower"]), float(row["share"]["upper"])


def _bar(row: Row, across: Scale, y: float, ends: tuple[float, float]) -> str:
    """Returns a bar up to the lower end of the share, and where it is seen a light one to the upper end.

    What is larger than MOST ends in an arrow after a gap.
    """
    low, high = (across(min(end, MOST)) for end in ends)
    words = tip(f"{row['mechanism']}: share {span(row['share'])}, {row['word']}, {row['strength']}")
    size, class_ = {"y": y, "height": ROW - 10}, _class(row)
    if ends[0] > MOST:
        return _cut(across(0), high, y, words, class_, ends[0] == math.inf)
    solid = element("rect", words, x=across(0), width=max(1.0, low - across(0)), class_=class_, **size)
    if ends[1] > MOST:
        return solid + _cut(low, high, y, words, f"{class_} open", ends[1] == math.inf)
    if high - low <= 1:
        return solid
    return solid + element("rect", words, x=low, width=high - low, class_=f"{class_} open", **size)


def _cut(start: float, end: float, y: float, words: str, class_: str, endless: bool) -> str:
    """Returns a bar that goes on beyond the picture: a slanted gap, then an arrow; ``endless``, on a grey band."""
    tall = ROW - 10
    head = end - HEAD
    gap = max(start, head - BREAK)
    bar = f"M{at(start)} {at(y)}H{at(gap + SLANT)}L{at(gap)} {at(y + tall)}H{at(start)}z"
    arrow = (
        f"M{at(head + SLANT)} {at(y)}H{at(end - SLANT)}L{at(end)} {at(y + tall / 2)}L{at(end - SLANT)} {at(y + tall)}"
    )
    shown = element("path", words, d=f"{bar}{arrow}H{at(head)}z", class_=class_)
    wide = HEAD + BREAK + 3
    band = element("rect", x=head - BREAK, y=y - 3, width=wide, height=tall + 6, class_="beyond")
    return band * endless + shown


def whole_of(rows: list[Row]) -> str:
    """Returns what 100 % is: the claim, the nominal epsilon where nothing is claimed, or the one or the other."""
    claims = [row["claim"] is not None for row in rows]
    return "the claim" if all(claims) else "the claim, or the nominal ε" if any(claims) else "the nominal ε"


def _of(row: Row) -> str:
    """Returns of what the share is, where that is not the claimed epsilon."""
    return " of nominal," if row["claim"] is None else "," if row["share_of"] == "ε" else f" of {row['share_of']},"


def _beyond(row: Row) -> str:
    """Returns that it fails, or exceeds its nominal epsilon, at an n that was not asked for, where it does."""
    if not fails_beyond(row):
        return ""
    far = row["theorem"].get("fails_at")
    where = f"at n = {far['n']}" if far else "for larger n"
    return f", {'exceeds it' if row['claim'] is None else 'fails'} {where}"


def _class(row: Row) -> str:
    """Returns the colour of a bar: of its verdict, or grey where nothing is claimed and nothing exceeded."""
    if fails_beyond(row):
        return "fopen"
    if row["claim"] is None:
        return "frefuted" if row["outcome"] == "REFUTED" else "fnone"
    return f"f{MARKS.get(row['word'], 'open')}"


def chain(section: Section, near: Near) -> list[Figure]:
    """Returns claim, pair, output, both probabilities, the logarithm of their ratio, and the verdict, linked."""
    links = list(_links(section["rows"], _mark(section)))
    steps = {row["step"]: row for row in section["rows"]}
    loss, verdict = steps.get("loss"), steps.get("verdict")
    parts = [f"{section['mechanism']}, {steps['pair']['words']}" if "pair" in steps else section["mechanism"]]
    parts += [equated(loss["label"], loss.get("shown") or short(loss["value"]))] if loss and loss["value"] else []
    parts += [verdict["words"]] if verdict else []
    said = "; ".join(parts) + "."
    alt = f"The evidence as a chain. {said}"
    return [Figure([boxes.draw(links, WIDE, alt)], said, [boxes.draw(links, NARROW, alt)])]


def _mark(section: Section) -> str:
    """Returns the rim of the last box: that of the verdict; without a claim only what exceeds the nominal has one."""
    word, outcome = section.get("word", ""), section.get("witness", {}).get("outcome")
    if word == "NO CLAIM":
        return "box-refuted" if outcome == "REFUTED" else ""
    return f"box-{MARKS.get(word, 'open')}"


def _about(value: dict[str, str]) -> str:
    """Returns a probability with its sign, three digits of it, or both ends where it is not known to them."""
    shown = short(value)
    return f"in {shown}" if shown.startswith("[") else sign(value, 3)


def _links(rows: list[Row], mark: str) -> list[boxes.Link]:
    """Returns the boxes; both probabilities share one."""
    found, bars = [], [row for row in rows if row["step"] in ("p", "p_prime") and row["value"]]
    top = max((float(row["value"]["upper"]) for row in bars), default=1.0) or 1.0
    for row in rows:
        strong = signed(row["value"], row.get("shown")) if row["value"] else ""
        if row["step"] == "p" and bars:
            shares = [
                boxes.Share(
                    f"{bar['words']} {_about(bar['value'])}",
                    float(bar["value"]["lower"]) / top,
                    float(bar["value"]["upper"]) / top,
                    "fa" if bar is bars[0] else "fb",
                )
                for bar in bars
            ]
            found.append(boxes.Link("both probabilities", "", "", shares))
        elif row["step"] == "verdict":
            found.append(boxes.Link(row["label"], "", row["words"], mark=mark))
        elif row["step"] != "p_prime":
            words = row["words"].split(", the largest of")[0].split("; its true")[0]
            found.append(boxes.Link(row["label"], powers(words), strong if row["step"] == "loss" else ""))
    return found

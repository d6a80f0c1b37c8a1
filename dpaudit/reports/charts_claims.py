"""The claims as a matrix document × verdict × strength, and their margins with their signs."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.pictures.plot import Ground
from dpaudit.pictures.scales import Scale, power
from dpaudit.pictures.svg import element, fit, line, text, tip, width_of
from dpaudit.reports.charts_lines import Near, middle, span
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import listed, rounded

MARKS = {
    "PROVED": "proved",
    "REFUTED": "refuted",
    "IMPOSSIBLE": "refuted",
    "UNDECIDED": "open",
    "UNWITNESSED": "open",
    "MEASURED": "measured",
}
LEAST = 1e-12
"""Smaller margins are drawn here; the tip has the true one."""
ROW = 15
Row = dict[str, Any]


def margins(section: Section, near: Near) -> list[Figure]:
    """Returns how far each claim is from failing, to the right, or by how much it fails, to the left."""
    rows = sorted(section["rows"], key=lambda row: _signed(row))
    failing = [row for row in rows if float(row["margin"]["upper"]) < 0]
    tight = [row for row in rows if float(row["margin"]["lower"]) == 0 == float(row["margin"]["upper"])]
    said = f"{len(failing)} of {len(rows)} inequalities fail somewhere"
    if failing:
        worst = min(failing, key=lambda row: float(row["margin"]["upper"]))
        size = rounded(worst["margin"]["upper"].removeprefix("-"), False, 3)
        said += f", {worst['id']} by the most, at least {size}"
    said += f"; {len(tight)} hold with equality somewhere."
    return [Figure([_margins(rows, WIDE, said)], said, [_margins(rows, NARROW, said)])]


def _signed(row: Row) -> float:
    """Returns where a margin stands on an axis that is logarithmic on both sides of zero."""
    value = middle(row["margin"])
    if not value:
        return 0.0
    return math.copysign(max(0.0, math.log10(abs(value) / LEAST)) + 0.5, value)


def _margins(rows: list[Row], width: float, said: str) -> Picture:
    small = width <= NARROW
    left = 8 + max(width_of(row["id"], 11) for row in rows)
    left = min(left, 150 if small else 260)
    top, bottom = 44.0, 44.0 + ROW * len(rows)
    reach = 0.5 + max(3.0, *(abs(_signed(row)) for row in rows))
    across = Scale(-reach, reach, left + 10, width - 12)
    ground = Ground(across, Scale(0, 1, bottom, top))
    parts = [text(across(0) - 8, 14, "← fails", "e dim"), text(across(0) + 8, 14, "holds →", "dim")]
    for exponent in range(-10, 4, 6 if small else 4):
        for side in (-1, 1):
            x = across(side * (exponent - math.log10(LEAST) + 0.5))
            if left < x < width - 10 and abs(side * (exponent - math.log10(LEAST) + 0.5)) < reach:
                parts.append(
                    line(x, top - 8, x, bottom, "grid")
                    + text(x, top - 14, ("−" if side < 0 else "") + power(exponent), "m dim small")
                )
    parts.append(line(across(0), top - 8, across(0), bottom, "axis"))
    for i, row in enumerate(rows):
        y = top + ROW * (i + 0.5)
        x = across(_signed(row))
        class_ = MARKS.get(row["verdict_of"], "open")
        words = tip(f"{row['id']}: {row['verdict_of']}, margin in {span(row['margin'])}")
        parts.append(text(left, y + 4, fit(row["id"], left - 4, 11), "e small"))
        parts.append(element("path", d=f"M{across(0):.1f} {y:.1f}H{x:.1f}", class_="lead"))
        parts.append(_sign(x, y, row["verdict_of"], f"f{class_}", words))
    return Picture(width, ground.bottom + 10, "".join(parts), f"Signed margins of the claims. {said}")


def _sign(x: float, y: float, verdict: str, class_: str, inside: str, size: float = 4.5) -> str:
    """Returns the mark of a verdict: a disc proved, a diamond refuted, a square anything else."""
    if verdict == "PROVED":
        return element("circle", inside, cx=x, cy=y, r=size, class_=class_)
    if verdict in ("REFUTED", "IMPOSSIBLE"):
        s = size * 1.3
        return element(
            "path",
            inside,
            d=f"M{x:.1f} {y - s:.1f}L{x + s:.1f} {y:.1f}L{x:.1f} {y + s:.1f}L{x - s:.1f} {y:.1f}Z",
            class_=class_,
        )
    return element(
        "rect", inside, x=x - size + 0.5, y=y - size + 0.5, width=2 * size - 1, height=2 * size - 1, class_=class_
    )


def claims(section: Section, near: Near) -> list[Figure]:
    """Returns a mark for every claim, by document, verdict and how strong the evidence is."""
    rows = section["rows"]
    verdicts = sorted({row["verdict"] for row in rows}, key=lambda v: [*MARKS, v].index(v))
    counts = ", ".join(f"{sum(row['verdict'] == v for row in rows)} {v}" for v in verdicts)
    broken = [row["id"] for row in rows if row["verdict"] in ("REFUTED", "IMPOSSIBLE")]
    said = f"{len(rows)} claims: {counts}." + (f" False as stated: {listed(broken)}." if 0 < len(broken) <= 6 else "")
    return [Figure([_matrix(rows, verdicts, WIDE, said)], said, [_matrix(rows, verdicts, NARROW, said)])]


def _matrix(rows: list[Row], verdicts: list[str], width: float, said: str) -> Picture:
    """Returns lines "document", under each one line a strength, with the verdicts side by side."""
    small = width <= NARROW
    left = 120.0 if small else 230.0
    side = (width - left - 4) / len(verdicts)
    step = 11 if small else 13
    each = max(1, int((side - 8) // step))
    parts = [
        text(left + i * side, 14, v.title() if not small else v.title()[:8], "head" if not small else "small")
        for i, v in enumerate(verdicts)
    ]
    y = 24.0
    for document, own in named(rows, "document").items():
        parts.append(line(0, y, width, y, "axis") + text(0, y + 15, fit(document, width, 14), "head"))
        y += 18
        for strength, group in named(own, "establishes").items():
            most = max(sum(row["verdict"] == v for row in group) for v in verdicts)
            lines = -(-most // each)
            words = fit(strength, left - 14, 11)
            parts.append(text(8, y + 12, words, "small dim"))
            for i, verdict in enumerate(verdicts):
                for j, row in enumerate(row for row in group if row["verdict"] == verdict):
                    x = left + i * side + step * (j % each) + 5
                    mark = _sign(
                        x,
                        y + 8 + step * (j // each),
                        verdict,
                        f"f{MARKS.get(verdict, 'open')}",
                        tip(f"{row['id']}: {row['statement'][:120]}"),
                    )
                    parts.append(f'<a href="#{row["id"]}" tabindex="-1">{mark}</a>' if _plain(row["id"]) else mark)
            y += step * lines + 6
        y += 4
    return Picture(
        width, y + 2, "".join(parts), f"The claims by document, verdict and strength of the evidence. {said}"
    )


def _plain(name: str) -> bool:
    return all(letter.isalnum() or letter in ".-_" for letter in name)

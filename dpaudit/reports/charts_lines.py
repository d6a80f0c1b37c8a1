"""Charts of lines, drawn from the document alone. Floats serve here for positions on paper only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from dpaudit.numbers.digits import powers, short
from dpaudit.numbers.enclosure import outward
from dpaudit.pictures.colours import slots
from dpaudit.pictures.lines import Chart, Curve, together
from dpaudit.pictures.picture import NARROW, WIDE, Figure
from dpaudit.reports.document import Section, named, number_of
from dpaudit.reports.findings import against, at_most, claims_found, largest, listed, sign


@dataclass(frozen=True)
class Near:
    """What a chart may take from the rest of the document."""

    sections: Sequence[Section]
    setting: dict[str, Any]

    def __call__(self, kind: str) -> Section | None:
        """Returns the section of another kind about the same setting, if there is one."""
        return next((s for s in self.sections if s["kind"] == kind and s["setting"] == self.setting), None)

    @property
    def slots(self) -> dict[str, int]:
        """Returns the colours of all mechanisms of the document: each has one wherever it is drawn."""
        return slots(name for section in self.sections for name in section["setting"].get("mechanisms", ()))


TIP_DIGITS = 6


def middle(enclosure: dict[str, str]) -> float:
    """Returns a float near the enclosure, for drawing; the finite end where the other is not."""
    lower, upper = float(enclosure["lower"]), float(enclosure["upper"])
    return lower if math.isinf(upper) or math.isinf(lower) else (lower + upper) / 2


def span(enclosure: dict[str, str]) -> str:
    """Returns the enclosure for tips, rounded outward to about six digits; the result file has all.

    >>> span({"lower": "0.83179656575118", "upper": "0.83179656575119"}), span({"lower": "1", "upper": "1"})
    ('0.8317965[6, 7]', '1')
    >>> span({"lower": "-inf", "upper": "-inf"}), span({"lower": "0.5", "upper": "inf"})
    ('−∞', '≥ 0.5')
    """
    lower, upper = enclosure["lower"], enclosure["upper"]
    if "inf" in lower + upper:
        return short(enclosure)
    return lower if lower == upper else str(outward(Fraction(lower), Fraction(upper), TIP_DIGITS))


def curves(section: Section, x: str, y: str, unit: str, log: bool = False, **more: Any) -> list[Curve]:
    """Returns a line for every name: the enclosures of the rows under ``y``; without what has no x, or no logarithm."""
    found, foot = [], _foot(section, y) if log else -math.inf
    for name, own in named(section["rows"]).items():
        kept = [row for row in own if row[x] is not None and float(row[y]["upper"]) > foot]
        points = [(float(number_of(row[x])), middle(row[y])) for row in kept]
        tips = [f"{x} = {row[x]}: {unit} {span(row[y])}" for row in kept]
        ends = [(float(row[y]["lower"]), float(row[y]["upper"])) for row in kept]
        found.append(Curve(name, points, tips, note=sign(kept[-1][y]) if kept else "", spans=ends, **more))
    return [curve for curve in found if curve.points]


def _foot(section: Section, y: str) -> float:
    """Returns the least value that is known to be positive: what may be 0 and is smaller lies below a picture."""
    return min((low for row in section["rows"] if (low := float(row[y]["lower"])) > 0), default=0.0) / 2


def missing(wanted: Iterable[str], drawn: Iterable[str], where: str = "") -> str:
    """Returns a sentence on who is absent from a picture, or nothing."""
    absent = [name for name in wanted if name not in set(drawn)]
    place = f" {where}" if where else ""
    return f" Not drawn{place}, as not computed: {listed(absent)}." if absent else ""


def figure(chart: Chart, caption: str, title: str) -> Figure:
    """Returns the chart for a page and for a phone; the caption says what coincides."""
    said = caption + together(chart)
    low = replace(chart, height=max(300, 16 * len(chart.curves) + 90))
    return Figure([chart.draw(WIDE, f"{title}. {said}")], said, [low.draw(NARROW, f"{title}. {said}")])


def epsilon_by_n(section: Section, near: Near) -> list[Figure]:
    """Returns true epsilon against n; every line has its claim, and where it is proved its limit."""
    rows = section["rows"]
    last = {name: own[-1] for name, own in named(rows).items()}
    limits, lines = section.get("limits", {}), []
    for curve in curves(section, "n", "epsilon", "true ε"):
        row, limit = last[curve.name], limits.get(curve.name)
        note, claimed = _goes(limit) if limit else against(row, 3), _claimed(row, "claim" in section["setting"])
        lines.append(replace(curve, note=note, more=f", {claimed}", limit=middle(limit) if limit else None))
    more_: dict[str, Any] = {"whole": True, "zero": True, "height": 380, "slots": near.slots}
    chart = Chart(lines, "n (records)", "true ε", bars=_bars(section), steps=_steps(section), **more_)
    more = (
        f" Proved limits as n → ∞: {listed(f'{name} {at_most(value)}' for name, value in limits.items())}."
        if limits
        else ""
    )
    return [figure(chart, claims_found(rows, "claim" in section["setting"]) + more, section["title"])]


def _claimed(row: dict[str, Any], asked: bool) -> str:
    """Returns what it claims, or what it is asked for, in words."""
    said = row["guarantee"]["text"] if row.get("guarantee") else row["claimed"]
    return f"{'asked for' if asked else 'claims'} {powers(said)}" if said else "no claim"


def _goes(limit: dict[str, str]) -> str:
    """Returns a limit as where a line goes, unlike the value at its end.

    >>> _goes({"lower": "0.92181", "upper": "0.92182"}), _goes({"lower": "0.1", "upper": "0.5"})
    ('→ 0.922', '→ … ≤ 0.5')
    """
    shown = sign(limit, 3)
    return f"→ {shown[2:]}" if shown[0] in "=≈" else f"→ … {shown}"


def _levels(section: Section) -> dict[str, dict[int, str]]:
    """Returns the claimed epsilon of every mechanism by n, of those that claim one."""
    rows = [row for row in section["rows"] if row["claimed"] and row["n"] is not None]
    return {name: {row["n"]: row["claimed"] for row in own} for name, own in named(rows).items()}


def _steps(section: Section) -> list[tuple[list[tuple[float, float]], str]]:
    """Returns the claims that differ by n, each at its n."""
    differ = {name: own for name, own in _levels(section).items() if len(set(own.values())) > 1}
    every = {name: [row["n"] for row in own] for name, own in named(section["rows"]).items()}
    found: list[tuple[list[tuple[float, float]], str]] = []
    for name, own in differ.items():
        runs = [
            [(float(n), float(number_of(own[n]))) for n in run]
            for claimed, run in groupby(every[name], own.__contains__)
            if claimed
        ]
        longest = max(runs, key=len)
        found += [(run, f"claimed at each n: {name}" if run is longest else "") for run in runs]
    return found


def _bars(section: Section) -> list[tuple[float, str]]:
    """Returns the claims that are the same at every n, with whose they are, and the nominal epsilon nobody claims."""
    whose: dict[str, list[str]] = {}
    levels = _levels(section)
    for name, own in levels.items():
        if len(set(own.values())) == 1:
            whose.setdefault(next(iter(own.values())), []).append(name)
    every = len({row["mechanism"] for row in section["rows"]})
    found = [
        (
            float(number_of(value)),
            f"claimed ε = {value}{_allowed(section, value)}"
            + (f": {', '.join(names)}" if len(names) < min(every, 4) else ""),
        )
        for value, names in whose.items()
    ]
    nominal = section["setting"].get("eps")
    return found + ([(float(number_of(nominal)), f"nominal ε = {nominal}")] if nominal and nominal not in whose else [])


def _allowed(section: Section, claimed: str) -> str:
    """Returns what delta is claimed with that epsilon: by all who claim it, or by whom."""
    rows = [row for row in section["rows"] if row["claimed"] == claimed]
    whose = {row["mechanism"]: row["claimed_delta"] for row in rows if row["claimed_delta"] not in (None, "0")}
    if not whose:
        return ""
    every = len(whose) == len({row["mechanism"] for row in rows})
    said = next(iter(whose.values())) if len(set(whose.values())) == 1 else "some"
    return powers(f" ({'' if every else f'{listed(whose)} '}with δ = {said})")


def renyi(section: Section, near: Near) -> list[Figure]:
    """Returns the Renyi divergence against its order; order infinity is the true epsilon."""
    by_n, lines = near("epsilon-by-n"), []
    true = {name: own[-1]["epsilon"] for name, own in named(by_n["rows"]).items()} if by_n else {}
    for curve in curves(section, "order", "divergence", "divergence"):
        value = true.get(curve.name)
        limit = middle(value) if value and math.isfinite(float(value["upper"])) else None
        lines.append(replace(curve, limit=limit, note=sign(value, 3) if value else ""))
    scaled: dict[str, Any] = {"log_x": True, "zero": True, "limit_title": "true ε", "axis": "order"}
    chart = Chart(lines, "order α, logarithmic", "Rényi divergence", slots=near.slots, **scaled)
    row, value = largest({**section, "rows": _at_two(section)}, "divergence")
    caption = f"Of order 2 the largest divergence is that of {row['mechanism']}: {at_most(value)}."
    return [figure(chart, caption, section["title"])]


def _at_two(section: Section) -> list[dict[str, Any]]:
    return [row for row in section["rows"] if row["order"] == "2"] or section["rows"]


def sensitivity(section: Section, near: Near) -> list[Figure]:
    """Returns LS and S over the first cell (k = 2), with GS as a bar."""
    rows = [
        {"mechanism": which, "x": row["x"][0], "value": row[key]}
        for which, key in (("LS(x)", "ls"), ("S(x)", "s"))
        for row in section["rows"]
    ]
    drawn = [replace(curve, note="") for curve in curves({**section, "rows": rows}, "x", "value", "sensitivity")]
    bars = [(middle(section["gs"]), f"GS {sign(section['gs'])}")]
    chart = Chart(drawn, "first cell of x", "sensitivity", zero=True, whole=True, bars=bars, axis="x₁")
    row, value = largest(section, "ls")
    caption = (
        f"One record moves the posterior most at x = ({', '.join(map(str, row['x']))}): LS is {at_most(value)} there; "
        f"GS, for every data set, is {at_most(section['gs'])}."
    )
    return [figure(chart, caption, section["title"])]


def errors(axis: str, title: str) -> Callable[[Section, Near], list[Figure]]:
    """Returns the chart of the exact mean error against n or the prior, with the crossovers as posts."""

    def draw(section: Section, near: Near) -> list[Figure]:
        places = [float(row[axis]) for row in section["rows"]]
        wide = max(places) > 20 * min(places)
        posts = [(float(c["n"]), f"{axis} = {c['n']}") for c in section.get("crossovers", [])]
        lines = curves(section, axis, "mean", "mean error", log=True)
        words = f"{title}, logarithmic" if wide else title
        scaled: dict[str, Any] = {"log_x": wide, "log_y": True, "whole": not wide, "height": 360, "axis": axis}
        chart = Chart(lines, words, "exact mean error E[H], log.", posts=posts, slots=near.slots, **scaled)
        return [figure(chart, _best(section, axis, max(places)), section["title"])]

    return draw


def _best(section: Section, axis: str, last: float) -> str:
    """Returns which mechanism has certainly the least mean error at the last place, if one has."""
    here = [row for row in section["rows"] if float(row[axis]) == last]
    first = min(here, key=lambda row: float(row["mean"]["upper"]))
    rest = [row for row in here if row is not first]
    certain = all(float(first["mean"]["upper"]) < float(row["mean"]["lower"]) for row in rest)
    named_ = (
        f"{first['mechanism']} has the least mean error"
        if certain and rest
        else f"the mean error of {first['mechanism']}"
    )
    return f"At {axis} = {last:g} {named_}{',' if certain and rest else ' is'} {at_most(first['mean'])}."


def true_nominal(section: Section, near: Near) -> list[Figure]:
    """Returns true over nominal epsilon against the nominal one."""
    lines = curves(section, "eps", "ratio", "true ε / nominal ε")
    bars = [(1.0, "true ε = nominal ε")]
    chart = Chart(
        lines,
        "nominal ε, logarithmic",
        "true ε / nominal ε",
        log_x=True,
        zero=True,
        bars=bars,
        height=360,
        tinted=True,
        axis="ε",
        slots=near.slots,
    )
    return [figure(chart, section["said"], section["title"])]


def prior_lines(section: Section) -> Chart:
    """Returns true epsilon / nominal epsilon against n, a line a prior."""
    lines = curves(section, "n", "ratio", "true ε / ε")
    return Chart(
        lines,
        "n (records), logarithmic",
        "true ε / nominal ε",
        log_x=True,
        bars=[(1.0, "true ε = nominal ε")],
        tinted=True,
        height=360,
    )

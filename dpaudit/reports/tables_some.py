"""Tables that show some of many rows: at round distances, and always those that decide, which are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, TypeVar

from dpaudit.numbers.digits import MANY, MOST, decimal, short, written
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.cells import MECHANISM, Cell, Table, cell, listing
from dpaudit.reports.document import Section, named, number_of
from dpaudit.reports.judged import strongest
from dpaudit.reports.sentences import epsilon_words
from dpaudit.reports.shares import compared, number_of_evidence, outcome_of, quantity_of

T = TypeVar("T")
Row = dict[str, Any]
SHOWN_AT = 6
"""So many epsilons are listed in the table of delta, and those that are nominal or claimed."""
SHOWN_N = 12
"""So many n are listed in the table of true epsilon, and those that decide; all of them are in the result file."""
MOST_NAMED = 3
"""More mechanisms than this are counted in the head of a column, not named."""
CURVE = (("from ε", "from"), ("to ε", "to"), ("α", "alpha"), ("power", "power"), ("x", "x"), ("x′", "x_prime"))


def some(rows: Sequence[T], most: int, decisive: Callable[[T], bool] = lambda row: False) -> list[T]:
    """Returns about so many of the rows, in their order: the first, the last, some between, and the decisive ones.

    >>> some(range(10), 3, lambda row: row == 4), some(range(3), 5)
    ([0, 1, 4, 5, 9], [0, 1, 2])
    """
    step = max(1, -(-len(rows) // most))
    last = len(rows) - 1
    return [row for i, row in enumerate(rows) if not i or (last - i) % step == 0 or decisive(row)]


def epsilon_by_n(section: Section) -> Table:
    """Returns the true epsilon of every mechanism at some n; those of its largest, first failing and first open one."""
    names = named(section["rows"])
    ns = sorted({row["n"] for row in section["rows"] if row["n"] is not None})
    marks = _marks(names) if len(ns) > 1 else {}
    found: dict[tuple[str, int | None], Cell] = {
        (row["mechanism"], row["n"]): {**row["epsilon"], "shown": epsilon_words({**row, "compared": compared(row)})}
        for row in section["rows"]
    }
    shown: list[int | None] = list(some(ns, SHOWN_N, lambda n: n in marks))
    shown += [None] if any((name, None) in found for name in names) else []
    rows: list[list[Cell]] = [
        ["" if n is None else str(n), *(found.get((name, n), "") for name in names), "; ".join(marks.get(n, ()))]
        for n in shown
    ]
    heads, more = _deciding(names, shown)
    rows = [[*row[:-1], *cells, row[-1]] for row, cells in zip(rows, more, strict=True)]
    columns, first = ["n", *names, *heads, "of note"], 0 if ns else 1
    last = len(columns) if marks else -1
    return columns[first:last], [row[first:last] for row in rows]


def _deciding(names: dict[str, list[Row]], ns: Sequence[int | None]) -> tuple[list[str], list[list[Cell]]]:
    """Returns of the mechanisms that another number than the true epsilon decided its name, and it at every n."""
    heads: list[str] = []
    cells: list[list[Cell]] = [[] for _ in ns]
    for name, own in names.items():
        found = {row["n"]: row for row in own if row.get("evidence")}
        if found:
            quantities = dict.fromkeys(quantity_of(row) for row in found.values())
            heads.append((f"{name}: " if len(names) > 1 else "") + " or ".join(quantities))
            for n, line in zip(ns, cells, strict=True):
                row = found.get(n)
                line.append({**row["evidence"]["enclosure"], "shown": number_of_evidence(row)} if row else "")
    return heads, cells


def _marks(names: dict[str, list[Row]]) -> dict[int | None, list[str]]:
    """Returns what decides at which n: the largest true epsilon of each mechanism, its first failure, and open one."""
    found: dict[int | None, list[str]] = {}
    for name, own in names.items():
        known = [row for row in own if row["n"] is not None]
        first = {outcome_of(row): row["n"] for row in reversed(known)}
        whose = f"{name}: " if len(names) > 1 else ""
        told = [(strongest(known)["n"], said)] if len(known) > 1 and (said := _top(known)) else []
        fails = "the first that fails" if any(row["verdict"] for row in known) else "the first above the nominal ε"
        told += [(first[Verdict.REFUTED], fails)] if Verdict.REFUTED in first else []
        told += [(first[Verdict.UNDECIDED], "the first that is open")] if Verdict.UNDECIDED in first else []
        for n in dict.fromkeys(n for n, _ in told):
            found.setdefault(n, []).append(whose + ", ".join(words for at, words in told if at == n))
    return found


def _top(rows: Sequence[Row]) -> str:
    """Returns "the largest" of the row that may be so, where it is known to be; of several as large how many."""
    top = strongest(rows)
    rivals = [row for row in rows if Decimal(row["epsilon"]["upper"]) >= Decimal(top["epsilon"]["lower"])]
    if len(rivals) == 1:
        return "the largest"
    same = all(row["epsilon"] == top["epsilon"] for row in rivals)
    narrow = top["epsilon"]["lower"] == top["epsilon"]["upper"] or short(top["epsilon"])[0].isdigit()
    return f"the largest, one of {len(rivals)} as large" if same and narrow else "may be the largest"


def delta_curves(section: Section) -> Table:
    """Returns delta at a few points, the nominal epsilon and those that are claimed among them."""
    points = sorted({row["at"] for row in section["rows"]}, key=number_of)
    nominal, claims, names = _nominal(section), section.get("claimed", {}), named(section["rows"])
    marks = {at: ["nominal"] * (Fraction(at) == nominal) + _claimed(claims, at, len(names)) for at in points}
    steps = some([at for at in points if "nominal" in marks[at] or not marks[at]], SHOWN_AT)
    shown = [at for at in points if at in steps or marks[at]]
    found = {(row["mechanism"], row["at"]): row["delta"] for row in section["rows"]}
    titles = [", ".join([f"δ({at if marks[at] else decimal(at)})", *marks[at]]) for at in shown]
    return ["mechanism", *titles], [[n, *(found.get((n, at), "") for at in shown)] for n in names]


def _claimed(claims: dict[str, str], at: str, every: int) -> list[str]:
    """Returns who claims this epsilon, by name or where they are many by their number; nothing of none."""
    whose = [name for name, claimed in claims.items() if claimed == at]
    named_ = ", ".join(whose) if len(whose) <= MOST_NAMED else f"{len(whose)} of {every}"
    return [f"claimed by {named_}" if len(whose) < every else "claimed"] if whose else []


def _nominal(section: Section) -> Fraction | None:
    """Returns the nominal epsilon of the setting; None where there is none, or a stranger's file has another text."""
    with suppress(ValueError, TypeError):
        return Fraction(section["setting"].get("eps"))
    return None


def breakpoints(section: Section) -> Table:
    """Returns about a dozen of the segments of every curve, the last one and that of the nominal epsilon among them."""
    nominal = _nominal(section)

    def decisive(row: Row) -> bool:
        return nominal is not None and _holds(row, nominal)

    shown = [row for own in named(section["rows"]).values() for row in some(own, 12, decisive)]
    columns, rows = listing(MECHANISM, *CURVE)({"rows": shown})
    rows = _told_apart(rows)
    if not any(map(decisive, shown)):
        return columns, rows
    marks = (f"has the nominal ε = {nominal}" if decisive(row) else "" for row in shown)
    return [*columns, "of note"], [[*row, mark] for row, mark in zip(rows, marks, strict=True)]


def _told_apart(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Returns the rows, both ends of a segment that read alike with as many digits as tell them apart.

    An end has these digits in every row of its mechanism; ends that are not known to so many show their enclosures.
    """
    words: dict[tuple[str, str, str], str] = {}
    for name, start, end in (row[:3] for row in rows):
        if isinstance(start, dict) and isinstance(end, dict) and short(start) == short(end):
            for value, text in zip((start, end), _longer(start, end), strict=True):
                key = str(name), value["lower"], value["upper"]
                words[key] = max(words.get(key, ""), text, key=len)

    def told(name: Cell, value: Cell) -> Cell:
        found = words.get((str(name), value["lower"], value["upper"])) if isinstance(value, dict) else None
        return {**value, "shown": found} if isinstance(value, dict) and found else value

    return [[row[0], told(row[0], row[1]), told(row[0], row[2]), *row[3:]] for row in rows]


def _longer(start: dict[str, str], end: dict[str, str]) -> list[str]:
    """Returns two numbers with the fewest digits, known of both, that differ; else their enclosures.

    >>> _longer({"lower": "0.99999999", "upper": "0.99999999"}, {"lower": "1", "upper": "1.0000000001"})
    ['0.99999999', '1']
    >>> _longer({"lower": "0.9999999", "upper": "1"}, {"lower": "0.99999999", "upper": "1"})
    ['[0.9999999, 1]', '[0.99999999, 1]']
    """
    for digits in range(MOST + 1, MANY):
        near = Context(prec=digits).plus
        ends = [{near(Decimal(text)) for text in value.values()} for value in (start, end)]
        if all(len(known) == 1 for known in ends) and ends[0] != ends[1]:
            return [written(known.pop()) for known in ends]
    return [f"[{written(Decimal(value['lower']))}, {written(Decimal(value['upper']))}]" for value in (start, end)]


def _holds(row: Row, at: Fraction) -> bool:
    """Returns whether the segment has this epsilon, or may have it."""
    start, end = row["from"], row["to"]
    reaches = end == "∞" or (isinstance(end, dict) and at < Decimal(end["upper"]))
    return isinstance(start, dict) and Decimal(start["lower"]) <= at and reaches


def sensitivity(section: Section) -> Table:
    """Returns GS and some of the data sets, those of the largest LS and S among them."""
    tops = {key: max(section["rows"], key=lambda row: float(row[key]["lower"])) for key in ("ls", "s")}
    rows: list[list[Cell]] = [["GS", section["gs"], ""]]
    for row in some(section["rows"], 10, lambda row: row in tops.values()):
        marks = [f"largest {name}" for key, name in (("ls", "LS"), ("s", "S")) if row is tops[key]]
        rows.append([", ".join([str(cell(row["x"])), *marks]), row["ls"], row["s"]])
    return ["data x", "LS(x)", "S(x)"], rows


def distances(section: Section) -> Table:
    """Returns of every mechanism and bound some of the distances, where it first fails and is first open among them."""
    rows: list[list[Cell]] = []
    for name, own in named(section["rows"]).items():
        for bound, line in named(own, "bound").items():
            first = {row.get("outcome"): row for row in reversed(line)}
            told = [first.get(Verdict.REFUTED.value), first.get(Verdict.UNDECIDED.value)]
            shown = some(line, 4, lambda row, told=told: any(row is other for other in told))  # type: ignore[misc]
            rows += [[name, bound or "exact", row["t"], row["value"], cell(row.get("outcome"))] for row in shown]
    return ["mechanism", "bound", "t", "Pr[H < t], or the bound on it", "holds"], rows

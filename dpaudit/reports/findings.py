"""Words of captions: numbers are rounded outward, so that "at most" and "at least" are true as printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from dpaudit.numbers.digits import beside, written
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Section, named
from dpaudit.reports.shares import compared, decided_by

Row = dict[str, Any]
DIGITS = 4


def rounded(number: str, up: bool, digits: int = DIGITS) -> str:
    """Returns the number with few digits, rounded in one direction.

    >>> rounded("0.38221903", True), rounded("0.38221903", False), rounded("1", True), rounded("inf", True)
    ('0.3823', '0.3822', '1', '∞')
    """
    if "inf" in number:
        return number.replace("inf", "∞").replace("-", "−")
    value = Decimal(number)
    if value == value.to_integral_value() and len(number) <= digits + 2:
        return _text(value)
    return _text(Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR).create_decimal(value))


def _text(value: Decimal) -> str:
    """Returns the digits of a number, with a long minus sign."""
    text = written(value)
    return text.replace("-", "−", text.startswith("-"))


def about(enclosure: dict[str, str], digits: int = DIGITS) -> str | None:
    """Returns the digits to which both ends round alike, or None where they do not.

    >>> about({"lower": "0.99999999", "upper": "1.00000001"}), about({"lower": "0.1", "upper": "0.9"})
    ('1', None)
    """
    if "inf" in enclosure["lower"] + enclosure["upper"]:
        return None
    ends = {Context(prec=digits).create_decimal(enclosure[end]) for end in ("lower", "upper")}
    return _text(ends.pop()) if len(ends) == 1 else None


def told(enclosure: dict[str, str]) -> str:
    """Returns a number for a tip that says "about" already: its digits, or a bound where they are not known."""
    return about(enclosure) or sign(enclosure)


def exactly(enclosure: dict[str, str]) -> bool:
    """Returns whether the number is known exactly."""
    return enclosure["lower"] == enclosure["upper"]


def at_most(enclosure: dict[str, str], digits: int = DIGITS) -> str:
    """Returns "about 0.3822" where its digits are known, else "at most 0.3823"; what is known exactly as it is."""
    near = about(enclosure, digits)
    if near is None:
        return sign(enclosure, digits).removeprefix("= ").replace("≤", "at most").replace("≥", "at least")
    return near if exactly(enclosure) else f"about {near}"


def sign(enclosure: dict[str, str], digits: int = DIGITS) -> str:
    """Returns "≈ 0.3822", "= 1/2" or "≤ 0.4" for the end of a line; "≥ …" where there is no upper bound."""
    near = about(enclosure, digits)
    if near is not None:
        return f"{'=' if exactly(enclosure) and len(near) >= len(enclosure['lower']) else '≈'} {near}"
    if enclosure["upper"] == "inf":
        return "= ∞" if enclosure["lower"] == "inf" else f"≥ {rounded(enclosure['lower'], False, digits)}"
    return f"≤ {rounded(enclosure['upper'], True, digits)}"


def signed(enclosure: dict[str, str], shown: str | None) -> str:
    """Returns the number as ``sign`` does, with the digits that show the verdict on it where it has them.

    >>> signed({"lower": "1.00000001", "upper": "1.00000002"}, "1.00000001")
    '≈ 1.00000001'
    """
    if shown is None or not shown[0].isdigit():
        return sign(enclosure) if shown is None else f"in {shown}" if shown[0] in "[(" else shown
    return f"{'=' if exactly(enclosure) and shown == enclosure['lower'] else '≈'} {shown}"


def against(row: Row, digits: int = DIGITS) -> str:
    """Returns the true epsilon of a row as ``sign`` does, with more digits where these would hide the verdict on it."""
    shown, known = sign(row["epsilon"], digits), compared(row)
    number = shown[2:]
    if known is None or known["outcome"] == Verdict.UNDECIDED or not number[0].isdigit():
        return shown
    bound, value = Fraction(known["bound"]), Fraction(number)
    hidden = value <= bound if known["outcome"] == Verdict.REFUTED else value > bound
    if not hidden or shown[0] == "≥":
        return shown
    found = beside(row["epsilon"], bound, known["outcome"])
    return f"≤ {found.strip('[]').split(', ')[-1]}" if found.startswith("[") else f"≈ {found}"


def tied(rows: Sequence[Row], worst: Row, key: str = "loss") -> str:
    """Returns how many of the values are as large as this one, as far as all of their digits tell; "" of one alone.

    >>> loss = {"lower": "0.5", "upper": "0.6"}
    >>> tied([{"loss": loss}, {"loss": {"lower": "-0.55", "upper": "-0.55"}}], {"loss": loss})
    ' (one of 2 as large)'
    """
    least = min(_sizes(worst[key]))
    count = sum(max(_sizes(row[key])) >= least for row in rows)
    return f" (one of {count} as large)" if count > 1 else ""


def ringed(words: Sequence[str], what: str = "the largest loss") -> str:
    """Returns the sentences on the cells that are ringed, each with its ``tied``."""
    ties = any(one.endswith("as large)") for one in words)
    explained = " As large: equal in size to every digit that was computed." if ties else ""
    return f"Ringed, {what}: {listed(words)}.{explained}"


def _sizes(value: dict[str, str]) -> list[Decimal]:
    return [abs(Decimal(end)) for end in value.values()]


def listed(names: Iterable[str]) -> str:
    """Returns "a, b and c"; names that have commas of their own are told apart by semicolons.

    >>> listed(["a", "b", "c"]), listed(["x = 1, y = 2", "b"])
    ('a, b and c', 'x = 1, y = 2; b')
    """
    every = list(names)
    if len(every) > 1 and any(", " in name for name in every):
        return "; ".join(every)
    return " and ".join(filter(None, [", ".join(every[:-1]), every[-1]])) if every else ""


def claims_found(rows: Sequence[Row], asked: bool = False) -> str:
    """Returns in words how the true epsilon stands to what is claimed, or ``asked`` for, at the n looked at."""
    its, their = ("what it is asked for", "what they are asked for") if asked else ("its claim", "their claims")
    own = named(list(rows))
    broken: list[str] = []
    kept: list[str] = []
    open_: list[str] = []
    none: list[str] = []
    others: list[str] = []
    for name, group in own.items():
        verdicts = [row["verdict"] for row in group]
        if "REFUTED" in verdicts:
            row = group[verdicts.index("REFUTED")]
            where = "" if row["n"] is None else f"first at n = {row['n']} of those drawn"
            if said := decided_by(row):
                others.append(f"{name} does not keep {its}{f', {where}' if where else ''}: {said}.")
            else:
                broken.append(f"{name} ({where})" if where else name)
        else:
            (none if not any(verdicts) else open_ if "UNDECIDED" in verdicts else kept).append(name)
    parts = [f"Above what is {'asked for' if asked else 'claimed'}: {listed(broken)}."] if broken else []
    parts += others
    parts += [f"Undecided somewhere: {listed(open_)}."] if open_ else []
    parts += (
        [f"{listed(kept)} {f'keep {their}' if len(kept) > 1 else f'keeps {its}'} at every n drawn."] if kept else []
    )
    above = [name for name in kept if any(map(_above, own[name]))]
    parts += [f"{listed(above)}: the true ε alone is above the claimed ε, what δ is left is allowed."] if above else []
    for name in none:
        largest = max((row["epsilon"] for row in own[name]), key=lambda e: float(e["lower"]))
        over = [row["n"] for row in own[name] if row.get("nominal_verdict") == "REFUTED"]
        first = f", above the nominal ε first at n = {over[0]} of those drawn" if over and over[0] is not None else ""
        parts.append(f"{name} claims nothing; its true ε reaches {at_most(largest)} here{first}.")
    return " ".join(parts)


def _above(row: Row) -> bool:
    """Returns whether the true epsilon exceeds the claimed one, which a claim with a delta allows."""
    return row["claimed"] is not None and Decimal(row["epsilon"]["lower"]) > Fraction(row["claimed"])


def largest(section: Section, key: str) -> tuple[Row, dict[str, str]]:
    """Returns the row with the largest value under a key, and that value."""
    row = max(section["rows"], key=lambda row: float(row[key]["lower"]))
    return row, row[key]

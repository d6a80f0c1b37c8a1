"""The verdict on one mechanism in words: a sentence or two from a row of the matrix."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dpaudit.audit.conclusion import Word
from dpaudit.audit.words import residual_words
from dpaudit.numbers.digits import beside, percent, powers, short, written
from dpaudit.numbers.ranges import range_text
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.shares import Row, decided_by


def sentence(row: Row) -> str:
    """Returns the verdict on one mechanism in two sentences: what it claims, its true epsilon, where it fails."""
    claims = f"{row['mechanism']} {claim_words(row)}"
    if unknown(row):
        return f"{claims}; it could not be audited: {row['reason']}."
    parts = [f"{claims}; {_true(row)}{share_words(row)}."]
    if row["outcome"] == Verdict.REFUTED:
        parts.append(_failing(row))
    elif row["word"] == Word.NO_CLAIM and row["outcome"] == Verdict.PROVED:
        parts.append(f"It stays within its nominal ε = {row['nominal']} {_extent(row)}.")
    elif row["outcome"] == Verdict.UNDECIDED:
        what = "the claim" if row["claim"] else f"its nominal ε = {row['nominal']}"
        parts.append(f"Whether it exceeds {what} is undecided{_at(row['undecided_n'])}.")
        parts += [f"It does not exceed it at n = {row['holds_at']}."] if row.get("holds_at") else []
    elif row["outcome"] == Verdict.PROVED:
        parts.append(f"The claim holds {_extent(row)}.")
    open_ = residual_words(row.get("caveats") or {})
    parts += [f"{open_[0].upper()}{open_[1:]}."] if open_ else []
    parts += [f"There is no mechanism at {row['absent']}."] if row.get("absent") else []
    lost = "Not all of it could be audited" if row["ns"] else "Why it is not known"
    parts += [f"{lost}: {row['reason']}."] if row["reason"] else []
    beyond = row["outcome"] != Verdict.REFUTED and (row["theorem"] or {}).get("verdict") == Verdict.REFUTED
    return powers(" ".join([*parts, *([_beyond(row)] if beyond else [])]))


def in_short(row: Row) -> str:
    """Returns "EHDS: HOLDS FOR ALL n, 45.1 % of the claim by its supremum over every n", with the n it is about."""
    said = in_words(row)
    if row["word"] == Word.ON_AUDITED and row["ns"] is not None:
        said += f" (n = {row['ns']})"
    elif row["word"] == Word.NOT_PRIVATE and row["smallest_failing_n"] is not None:
        said += f", first at n = {row['smallest_failing_n']}"
    elif row["outcome"] == Verdict.UNDECIDED and row["claim"]:
        said += _at(row["undecided_n"])
    elif row["word"] == Word.NO_CLAIM and row["nominal"] is None and not row["reason"]:
        said += f"; {_true(row)}"
    held = f"; {'holds' if row['claim'] else 'within it'} at n = {row['holds_at']}" if row.get("holds_at") else ""
    lost = (
        f"; {'not audited' if row['ns'] or unknown(row) else 'true ε not known'}: {row['reason']}"
        if row["reason"]
        else ""
    )
    absent = f"; there is no mechanism at {row['absent']}" if row.get("absent") else ""
    return powers(f"{row['mechanism']}: {said}{share_words(row)}{held}{lost}{absent}")


def in_words(row: Row, whose: str = "true ε") -> str:
    """Returns the word; of a mechanism without a claim also how its true epsilon stands to its nominal one."""
    word, outcome, theorem = str(row["word"]), row["outcome"], row["theorem"] or {}
    if unknown(row):
        return f"{word}: {row['mechanism']} could not be audited"
    found = theorem.get("fails_at")
    where = "beyond what was asked for" if found is None else f"{_first(found)}, beyond what was asked for"
    if word in (Word.ON_AUDITED, Word.UNDECIDED) and theorem.get("verdict") == Verdict.REFUTED:
        return f"{word}; the claim fails {where}"
    if word != Word.NO_CLAIM or row["nominal"] is None:
        return word
    n = row["smallest_failing_n"]
    if outcome == Verdict.REFUTED:
        return f"{word}: {whose} exceeds its nominal ε" + ("" if n is None else f", first at n = {n}")
    if outcome == Verdict.PROVED and theorem.get("verdict") == Verdict.REFUTED:
        return f"{word}: {whose} exceeds its nominal ε {where}"
    if outcome == Verdict.UNDECIDED:
        return f"{word}: {whose} is undecided against its nominal ε{_at(row.get('undecided_n') or [])}"
    everywhere = "for all n" if row["strength"] == "for all n" else ""
    where = everywhere or (f"at n = {row['ns']}" if row.get("ns") else "on what was audited")
    return f"{word}: {whose} stays within its nominal ε {where}"


def unknown(row: Row) -> bool:
    """Returns whether nothing of it is known: no true epsilon at any n, and no verdict on what it claims."""
    open_ = row["outcome"] in (None, Verdict.UNDECIDED) and not row["witness"]["evidence"]
    return bool(row.get("reason")) and row.get("ns") is None and open_


def claim_words(row: Row) -> str:
    """Returns "claims 1-DP", "claims nothing", "is asked for 1-DP" where it is not its own; with n if it varies."""
    verb = "is asked for" if row.get("claim_asked") else "claims"
    varies = f" at n = {row['n']} (its claim depends on n)" if row.get("claim_varies") else ""
    return f"{verb} {powers(row['claim'] or 'nothing')}{varies}"


def epsilon_words(row: Row) -> str:
    """Returns the largest true epsilon with digits that show the verdict on it: for texts and labels."""
    found = row.get("compared")
    return beside(row["epsilon"], Fraction(found["bound"]), found["outcome"]) if found else short(row["epsilon"])


def _true(row: Row) -> str:
    value = epsilon_words(row)
    nothing = row["epsilon"] == {"lower": "0", "upper": "inf"}
    value = "not known" if nothing else value
    is_ = "is in " if value[0] in "[(" else "" if value[0] in "≥≤|" else "is "
    several = row["n"] is not None and row["several_n"] and not row.get("claim_varies")
    largest = f"largest true ε of n = {row['seen']}" if several and row.get("seen") else "true ε"
    where = "" if nothing else of_n(row, value, row["several_n"], ", at")
    return f"its {largest} {is_}{value}{where}{supremum(row)}"


def of_n(row: Row, value: str, several: bool, at: str) -> str:
    """Returns ", at n = 3", where the largest is known to be there: not where it lies between ends of several n."""
    return "" if row["n"] is None or (several and value[0] in "[(≤|") else f"{at} n = {row['n']}"


def supremum(row: Row) -> str:
    """Returns the supremum over every n, where the verdict is for every n and it is known."""
    theorem = row["theorem"] or {}
    if row["strength"] != "for all n" or theorem.get("supremum") is None:
        return ""
    where = "in the limit n → ∞" if theorem["attained"] == "inf" else f"at n = {theorem['attained']}"
    return f"; over every n it is at most {_at_most(theorem['supremum'])} ({where})"


def _at_most(value: dict[str, str]) -> str:
    """Returns the upper end, rounded up to six digits."""
    return written(Context(prec=6, rounding=ROUND_CEILING).plus(Decimal(value["upper"])))


def share_words(row: Row) -> str:
    """Returns ", 45.1 % of the claim by its supremum over every n", or with the n that it is about."""
    if row["share"] is None or row["share"]["lower"] == "inf":
        return ""
    what = "the claim" if row["claim"] else f"its nominal ε = {row['nominal']}"
    letter = row["share_of"]
    of = "" if letter == "ε" else f"{'the ' if letter == 'divergence' else ''}{letter} is "
    where = f" {row['share_where']}" if row.get("share_where") else ""
    return f", {of}{percent(row['share'])} of {what}{where}"


def _extent(row: Row) -> str:
    if row["strength"] == "for all n":
        return "for every n"
    return "on everything that was audited" if row["n"] is None else f"at every n that was audited ({row['ns']})"


def _failing(row: Row) -> str:
    what = "The claim fails" if row["claim"] else f"It exceeds its nominal ε = {row['nominal']}"
    by = f": {said}" if (said := decided_by(row["witness"])) else ""
    if row["smallest_failing_n"] is None:
        return f"{what}{by}."
    return f"{what} first at n = {row['smallest_failing_n']}{by} ({row['looked_at']})."


def _beyond(row: Row) -> str:
    theorem, found = row["theorem"], row["theorem"].get("fails_at")
    where = "for large n" if theorem["attained"] == "inf" else f"at n = {theorem['attained']}"
    where = where if found is None else beyond_words(row)
    what = "the claim fails" if row["claim"] else f"it exceeds its nominal ε = {row['nominal']}"
    return f"But {what} {where}, beyond what was asked for: {theorem['words']}."


def beyond_words(row: Row) -> str:
    """Returns "first at n = 9 (true ε 0.4003; every n from 1 to 9 was looked at)": where it fails beyond the range."""
    found = row["theorem"]["fails_at"]
    bound = Fraction(row["compared"]["bound"]) if row.get("compared") else None
    looked = (found.get("looked_at") or "").removeprefix("of those audited; ")
    said = "; ".join(filter(None, [f"true ε {beside(found['epsilon'], bound, Verdict.REFUTED)}", looked]))
    return f"{_first(found)} ({said})"


def _first(found: Row) -> str:
    """Returns "first at n = 101" where every smaller n was looked at, else "at n = 101"."""
    every = (found.get("looked_at") or "").startswith("every n")
    return f"{'first ' * every}at n = {found['n']}"


def _at(ns: list[int]) -> str:
    return f" at n = {range_text(ns)}" if ns else ""

"""The verdict of a document, from its rows alone: one on top for the whole, one for every mechanism, in words.

A row of the matrix is the verdict on one mechanism. Which word it has is decided in ``audit.conclusion``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from dpaudit.audit.conclusion import Word, bounds_failing, claims_failing, claims_words, counted, fails, rank
from dpaudit.audit.words import residual_words
from dpaudit.numbers.digits import beside, percent, powers, short, written
from dpaudit.numbers.errors import approximately
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.shares import Row

LEAD = (
    *("mechanism", "where", "claim", "nominal", "strength", "epsilon", "n", "ns", "compared", "share", "share_of"),
    *("share_where", "smallest_failing_n", "looked_at", "witness", "theorem", "command", "reason"),
    "caveats",
)
"""What the verdict on the whole has of its worst mechanism."""
MOST_NAMED = 6
"""So many accuracy bounds that fail are named in the sentence."""
SEARCHED = ", for the smallest that fails"
"""How a line ends that says which n were looked at besides those that were asked for."""


# ------------------------------------------------------------------ words


def sentence(row: Row) -> str:
    """Returns the verdict on one mechanism in two sentences: what it claims, its true epsilon, where it fails."""
    claims = f"{row['mechanism']} {claim_words(row)}"
    if row["reason"] and row["ns"] is None:
        return f"{claims}; it could not be audited: {row['reason']}."
    parts = [f"{claims}; {_true(row)}{share_words(row)}."]
    if row["outcome"] == Verdict.REFUTED:
        parts.append(_failing(row))
    elif row["word"] == Word.NO_CLAIM and row["outcome"] == Verdict.PROVED:
        parts.append(f"It stays within its nominal ε = {row['nominal']} {_extent(row)}.")
    elif row["outcome"] == Verdict.UNDECIDED:
        what = "the claim" if row["claim"] else f"its nominal ε = {row['nominal']}"
        parts.append(f"Whether it exceeds {what} is undecided{_at(row['undecided_n'])}.")
    elif row["outcome"] == Verdict.PROVED:
        parts.append(f"The claim holds {_extent(row)}.")
    open_ = residual_words(row.get("caveats") or {})
    parts += [f"{open_[0].upper()}{open_[1:]}."] if open_ else []
    parts += [f"There is no mechanism at {row['absent']}."] if row.get("absent") else []
    parts += [f"Not all of it could be audited: {row['reason']}."] if row["reason"] else []
    beyond = row["outcome"] != Verdict.REFUTED and (row["theorem"] or {}).get("verdict") == Verdict.REFUTED
    return " ".join([*parts, *([_beyond(row)] if beyond else [])])


def in_short(row: Row) -> str:
    """Returns "EHDS: HOLDS FOR ALL n, 45.1 % of the claim by its supremum over every n"."""
    return f"{row['mechanism']}: {row['word']}{share_words(row)}"


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
    unknown = row["epsilon"] == {"lower": "0", "upper": "inf"}
    value = "not known" if unknown else value
    is_ = "is in " if value[0] in "[(" else "" if value[0] in "≥≤|" else "is "
    largest = (
        "largest true ε" if row["n"] is not None and row["several_n"] and not row.get("claim_varies") else "true ε"
    )
    where = "" if unknown else _of_n(row, value, row["several_n"], ", at")
    return f"its {largest} {is_}{value}{where}{_supremum(row)}"


def _of_n(row: Row, value: str, several: bool, at: str) -> str:
    """Returns ", at n = 3", where the largest is known to be there: not where it lies between ends of several n."""
    return "" if row["n"] is None or (several and value[0] in "[(≤|") else f"{at} n = {row['n']}"


def _supremum(row: Row) -> str:
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
    of = "" if row["share_of"] == "ε" else f"{row['share_of']} is "
    where = f" {row['share_where']}" if row.get("share_where") else ""
    return f", {of}{percent(row['share'])} of {what}{where}"


def _extent(row: Row) -> str:
    if row["strength"] == "for all n":
        return "for every n"
    return "on everything that was audited" if row["n"] is None else f"at every n that was audited ({row['ns']})"


def _failing(row: Row) -> str:
    what = "The claim fails" if row["claim"] else f"It exceeds its nominal ε = {row['nominal']}"
    if row["smallest_failing_n"] is None:
        return f"{what}."
    return f"{what} first at n = {row['smallest_failing_n']} ({row['looked_at']})."


def _beyond(row: Row) -> str:
    theorem, found = row["theorem"], row["theorem"].get("fails_at")
    where = "for large n" if theorem["attained"] == "inf" else f"at n = {theorem['attained']}"
    where = where if found is None else f"at n = {found['n']} (true ε {short(found['epsilon'])})"
    what = "the claim fails" if row["claim"] else f"it exceeds its nominal ε = {row['nominal']}"
    return f"But {what} {where}, beyond what was asked for: {theorem['words']}."


def _at(ns: list[int]) -> str:
    shown = ", ".join(map(str, ns[:5])) + (", …" if len(ns) > 5 else "")
    return f" at n = {shown}" if ns else ""


# ------------------------------------------------------------------ the whole


def badness(row: Row) -> tuple[int, float]:
    """Returns the key that sorts rows of the matrix, failures first, then by the share of the claim."""
    beyond = row["word"] == Word.NO_CLAIM and (row["theorem"] or {}).get("verdict") == Verdict.REFUTED
    order = rank(row["word"], Verdict.UNDECIDED if beyond and row["outcome"] == Verdict.PROVED else row["outcome"])
    return order, -float((row["share"] or {"lower": "0"})["lower"])


def whole(
    rows: list[Row],
    findings: Iterable[str] = (),
    claims: Mapping[str, int] | None = None,
    bounds: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Returns the verdict of the document: the worst word with counts, what its worst mechanism says, and the scope.

    Without a mechanism there is no word, and ``text`` is what else was found. ``claims`` counts the verdicts on the
    papers' claims that the document decides as well, ``bounds`` has "holds", "fails" or "UNDECIDED" of every
    bound on the accuracy.
    """
    tally = Counter((bounds or {}).values())
    decided = {key: dict(found) for key, found in (("claims", claims), ("bounds", tally)) if found}
    if not rows:
        return {"word": None, "text": "; ".join(filter(None, findings)), "counts": {}, **decided}
    loose = _loose(bounds or {})
    lead = min(rows, key=badness)
    scope = {"covered": list(_covered(rows)), "not_covered": list(_not_covered(rows))}
    counts = counted(row["word"] for row in rows)
    found = {key: lead[key] for key in LEAD}
    beside_ = f" {claims_words(claims)}." if claims else ""
    text = f"{_counted(counts)}{lead['text']}{beside_}{loose}"
    head = {"word": lead["word"], "outcome": lead["outcome"], "text": text, "counts": counts}
    return {**head, **decided, **found, **scope}


def _loose(bounds: Mapping[str, str]) -> str:
    """Returns " 1 of 9 accuracy bounds fail: acc.3 of EHD at x = (2, 2).", naming those that fail or are undecided."""
    said = bounds_failing(Counter(bounds.values()))
    names = list(dict.fromkeys(key.partition("\n")[0] for key, found in bounds.items() if found != "holds"))
    more = f"; and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f" {said}: {'; '.join(names[:MOST_NAMED])}{more}." if said else ""


def _covered(rows: list[Row]) -> Iterator[str]:
    """Yields what was looked at, by all rows together: mechanisms of which the same was looked at share a line."""
    if len(rows) == 1:
        yield from rows[0]["covered"]
        return
    groups: dict[str | None, list[Row]] = {}
    for row in rows:
        if row["counts"] is not None:
            groups.setdefault(row["ns"], []).append(row)
    lost = [row for row in rows if row["counts"] is None]
    partly = len(groups) > 1 or bool(lost)
    yield from [] if groups or any(row["ns"] for row in lost) else ["nothing"]
    for own in groups.values():
        most = {key: max(row["counts"][key] for row in own) for key in own[0]["counts"]}
        names = list(dict.fromkeys(row["mechanism"] for row in own))
        whose = f" of {('; ' if ', ' in ''.join(names) else ', ').join(names)}" if partly else ""
        yield audited_words(own[0]["ns"], most, True, whose)
    yield from (f"every adjacent pair and output of {row['mechanism']} at n = {row['ns']}" for row in lost if row["ns"])
    proved = [row for row in rows if (row["theorem"] or {}).get("verdict") == Verdict.PROVED]
    named = [f"{row['mechanism']} ({row['theorem']['claim'] or 'the supremum over n'})" for row in proved]
    yield from [f"every n ≥ 1, by a theorem: {', '.join(named)}"] if named else []
    yield from (line for row in rows for line in row["covered"] if line.endswith(SEARCHED))


def audited_words(ns: str | None, counts: Mapping[str, int], several: bool, whose: str = "") -> str:
    """Returns which pairs and outputs were looked at, at which n; ``several``: the counts are the largest of many."""
    sizes = (approximately(counts[key]) for key in ("datasets", "pairs", "outputs"))
    each = "{} data sets, {} ordered adjacent pairs and {} outputs".format(*sizes)
    where = f" at n = {ns}" if ns else "" if whose else " of the mechanism"
    return f"every adjacent pair and output{whose}{where}, {'up to ' if several else ''}{each}"


def _not_covered(rows: list[Row]) -> Iterator[str]:
    """Yields what the verdict does not speak of: of single mechanisms first, each once."""
    lines = [(row["mechanism"], line) for row in rows for line in row["not_covered"]]
    yield from dict.fromkeys(line for name, line in lines if line.startswith(name))
    yield from dict.fromkeys(line for name, line in lines if not line.startswith(name))


def _counted(counts: dict[str, int]) -> str:
    """Returns "3 verdicts: 1 NOT PRIVATE, 2 HOLDS FOR ALL n. The worst: ", or nothing where there is one."""
    if sum(counts.values()) == 1:
        return ""
    listed = ", ".join(f"{count} {word}" for word, count in counts.items())
    return f"{sum(counts.values())} verdicts: {listed}. The worst: "


def arranged(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the sections with one matrix of all mechanisms on top, then the evidence of the worst of them."""
    parts = [section for section in sections if section["kind"] == "matrix"]
    if not parts:
        return sections
    rows = sorted((row for section in parts for row in section["rows"]), key=badness)
    commands = dict.fromkeys(line for section in parts for line in section["command"].split("\n"))
    top = {**parts[0], "command": "\n".join(commands), "rows": rows}
    if len(parts) > 1:
        top["setting"] = {}
    lead = (rows[0]["mechanism"], rows[0]["witness"])
    chains = [s for s in sections if s["kind"] == "chain" and (s["mechanism"], s["witness"]) == lead][:1]
    rest = [section for section in sections if section["kind"] != "matrix" and section not in chains]
    return [top, *chains, *rest]


def headline(verdict: dict[str, Any]) -> str:
    """Returns the words on top: what holds of the mechanisms, how many of the papers' claims and bounds do not hold.

    Of a mechanism without a claim also whether the nominal epsilon is exceeded, and where that was looked at.
    """
    failing = [claims_failing(verdict.get("claims") or {}), bounds_failing(verdict.get("bounds") or {})]
    if verdict["word"] is None:
        found = "; ".join(filter(None, failing))
        return found or (claims_words(verdict["claims"]) if verdict.get("claims") else "")
    return "; ".join(filter(None, [_headline(verdict), *failing]))


def _headline(verdict: dict[str, Any]) -> str:
    word, outcome, theorem = str(verdict["word"]), verdict["outcome"], verdict["theorem"] or {}
    ns = verdict.get("ns")
    if verdict.get("reason") and ns is None:
        return f"{word}: {verdict['mechanism']} could not be audited"
    if word != Word.NO_CLAIM or verdict["nominal"] is None:
        return word
    n = verdict["smallest_failing_n"]
    if outcome == Verdict.REFUTED:
        return f"{word}: true ε exceeds its nominal ε" + ("" if n is None else f", first at n = {n}")
    if outcome == Verdict.PROVED and theorem.get("verdict") == Verdict.REFUTED:
        found = theorem.get("fails_at")
        where = "beyond what was asked for" if found is None else f"at n = {found['n']}, beyond what was asked for"
        return f"{word}: true ε exceeds its nominal ε {where}"
    known = {Verdict.PROVED: "stays within its nominal ε", Verdict.UNDECIDED: "is undecided against its nominal ε"}
    everywhere = "for all n" if verdict["strength"] == "for all n" else ""
    where = everywhere or (f"at n = {ns}" if ns else "on what was audited")
    return f"{word}: true ε {known[Verdict(outcome)]} {where}"


def severity(verdict: dict[str, Any]) -> int:
    """Returns how bad the whole is, as ``rank`` does: claims of the papers that do not hold count too.

    Accuracy bounds count where nothing is said of privacy; beside that they stand in the words.
    """
    claims = verdict.get("claims") or {}
    bounds = verdict.get("bounds") or {} if verdict["word"] is None else {}
    bad, open_ = fails(claims) or bounds.get("fails"), claims.get(Verdict.UNDECIDED) or bounds.get("UNDECIDED")
    of_claims = 2 if bad else 3 if open_ else 6
    return of_claims if verdict["word"] is None else min(rank(verdict["word"], verdict["outcome"]), of_claims)


def facts(verdict: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the lines under the verdict: label and text; the command is a member of its own."""
    if verdict["word"] is None:
        return []
    found, lines = verdict["witness"], []
    if not verdict.get("reason") or verdict["epsilon"]["lower"] != "0":
        value = epsilon_words(verdict)
        where = _of_n(verdict, value, not (verdict["ns"] or "").isdigit(), " at")
        lines.append(("true ε", f"{value}{where}{_supremum(verdict)}"))
    nominal = f"; nominal ε = {verdict['nominal']}" if verdict["nominal"] else ""
    lines.append(("claim", powers(verdict["claim"] or f"none{nominal}")))
    if verdict["share"] is not None and verdict["share"]["lower"] != "inf":
        whose = f"of the {'claimed' if verdict['claim'] else 'nominal'} {verdict['share_of']}"
        lines.append(("share", " ".join(filter(None, [percent(verdict["share"]), whose, verdict.get("share_where")]))))
    if verdict["smallest_failing_n"] is not None:
        lines.append(("fails first", f"n = {verdict['smallest_failing_n']}: {verdict['looked_at']}"))
    if verdict.get("reason"):
        lines.append(("not audited", verdict["reason"]))
    n = "" if found["n"] is None else f", at n = {found['n']}"
    pair = found["evidence"]["pair"] if found["evidence"] else found
    output = "" if pair.get("output") is None else f" → {plain_text(pair['output'])}"
    if pair["x"] is not None:
        lines.append(("witness", f"{plain_text(pair['x'])} | {plain_text(pair['x_prime'])}{output}{n}"))
    caveats = verdict.get("caveats") or {}
    lines += [("residual", said)] if (said := residual_words(caveats)) else []
    lines += [("assumes", "; ".join(caveats["assumptions"]))] if caveats.get("assumptions") else []
    if verdict.get("claims"):
        lines.append(("claims", claims_words(verdict["claims"])))
    return lines


def plain_text(value: Any) -> str:
    """Returns a data set or an output as people read it: "(4, 4)"."""
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list) else str(value)

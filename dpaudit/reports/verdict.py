"""The verdict of a document, from its rows alone: one on top for the whole, one for every mechanism, in words.

A row of the matrix is the verdict on one mechanism. Which word it has is decided in ``audit.conclusion``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from dpaudit.audit.conclusion import Word, counted, rank
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.digits import percent, powers, short

Row = dict[str, Any]
DECIDERS = {
    "epsilon": ("epsilon", "ε"),
    "delta": ("delta", "δ"),
    "renyi": ("epsilon", "divergence"),
    "zcdp_rho": ("rho", "ρ"),
    "gdp_mu": ("mu", "μ"),
}
"""Quantity that decided -> the number of the guarantee that bounds it, and its letter."""
LEAD = (
    *("mechanism", "where", "claim", "nominal", "strength", "epsilon", "n", "share", "share_of"),
    *("smallest_failing_n", "looked_at", "witness", "theorem", "command"),
)
"""What the verdict on the whole has of its worst mechanism."""


def outcome_of(row: Row) -> Verdict | None:
    """Returns the verdict of a row of true epsilon: on the claim, or on the nominal epsilon where there is no claim."""
    found = row["verdict"] or row.get("nominal_verdict")
    return None if found is None else Verdict(found)


# ------------------------------------------------------------------ shares


def quotient(value: dict[str, str], bound: Fraction) -> dict[str, str] | None:
    """Returns an enclosure of value / bound; None of a bound that is 0.

    >>> quotient({"lower": "0.5", "upper": "0.5"}, Fraction(2)), quotient({"lower": "1", "upper": "inf"}, Fraction(2))
    ({'lower': '0.25', 'upper': '0.25'}, {'lower': '0.5', 'upper': 'inf'})
    """
    if not bound:
        return None
    ends = {name: None if end == "inf" else Fraction(end) / bound for name, end in value.items()}
    known = [end for end in ends.values() if end is not None]
    shown = outward(known[0], known[-1], 12).to_dict() if known else {}
    return {name: "inf" if end is None else shown[name] for name, end in ends.items()}


def share_of(row: Row) -> tuple[str, dict[str, str]] | None:
    """Returns the letter and the enclosure of what decided, as a share of what is claimed or nominal."""
    guarantee, evidence = row.get("guarantee"), row.get("evidence")
    if guarantee is None:
        found = None if row.get("nominal") is None else quotient(row["epsilon"], Fraction(row["nominal"]))
        return None if found is None else ("ε", found)
    quantity = "epsilon" if evidence is None else evidence["quantity"]
    name, letter = DECIDERS.get(quantity, ("", ""))
    if name not in guarantee:
        return None
    value = row["epsilon"] if evidence is None else evidence["enclosure"]
    found = quotient(value, Fraction(guarantee[name]))
    return None if found is None else (letter, found)


def largest_share(rows: Iterable[Row]) -> tuple[str, dict[str, str]] | None:
    """Returns the largest share of all rows; where delta decided some of them, of those."""
    found = [share for share in map(share_of, rows) if share is not None]
    of_delta = [share for share in found if share[0] == "δ"]
    return max(of_delta or found, key=lambda share: float(share[1]["lower"]), default=None)


# ------------------------------------------------------------------ words


def sentence(row: Row) -> str:
    """Returns the verdict on one mechanism in two sentences: what it claims, its true epsilon, where it fails."""
    claims = f"{row['mechanism']} claims {powers(row['claim'] or 'nothing')}"
    parts = [f"{claims}; {_true(row)}{_share(row)}."]
    if row["outcome"] == Verdict.REFUTED:
        parts.append(_failing(row))
    elif row["word"] == Word.NO_CLAIM and row["outcome"] == Verdict.PROVED:
        parts.append(f"It stays within its nominal ε = {row['nominal']} {_extent(row)}.")
    elif row["outcome"] == Verdict.UNDECIDED:
        what = "the claim" if row["claim"] else f"its nominal ε = {row['nominal']}"
        parts.append(f"Whether it exceeds {what} is undecided{_at(row['undecided_n'])}.")
    elif row["outcome"] == Verdict.PROVED:
        parts.append(f"The claim holds {_extent(row)}.")
    beyond = row["outcome"] != Verdict.REFUTED and (row["theorem"] or {}).get("verdict") == Verdict.REFUTED
    return " ".join([*parts, *([_beyond(row)] if beyond else [])])


def in_short(row: Row) -> str:
    """Returns "EHDS: HOLDS FOR ALL n, 45.1 % of the claim"."""
    return f"{row['mechanism']}: {row['word']}{_share(row)}"


def _true(row: Row) -> str:
    value = short(row["epsilon"])
    is_ = "is " if value[0] not in "≥≤[|" else "is in " if value[0] == "[" else ""
    largest = "largest true ε" if row["n"] is not None and row["several_n"] else "true ε"
    return f"its {largest} {is_}{value}" + ("" if row["n"] is None else f", at n = {row['n']}")


def _share(row: Row) -> str:
    if row["share"] is None or row["share"]["lower"] == "inf":
        return ""
    what = "the claim" if row["claim"] else f"its nominal ε = {row['nominal']}"
    of = "" if row["share_of"] == "ε" else f"{row['share_of']} is "
    return f", {of}{percent(row['share'])} of {what}"


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


def whole(rows: list[Row], findings: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the verdict of the document: the worst word with counts, what its worst mechanism says, and the scope.

    Without a mechanism there is no word, and ``text`` is what else was found.
    """
    if not rows:
        return {"word": None, "text": "; ".join(filter(None, findings)), "counts": {}}
    lead = min(rows, key=badness)
    scope = {"covered": list(_covered(rows)), "not_covered": list(_not_covered(rows))}
    counts = counted(row["word"] for row in rows)
    found = {key: lead[key] for key in LEAD}
    text = f"{_counted(counts)}{lead['text']}"
    return {"word": lead["word"], "outcome": lead["outcome"], "text": text, "counts": counts, **found, **scope}


def _covered(rows: list[Row]) -> Iterator[str]:
    """Yields what was looked at, by all rows together."""
    if len(rows) == 1:
        yield from rows[0]["covered"]
        return
    yield from dict.fromkeys(row["covered"][0] for row in rows)
    proved = [row for row in rows if (row["theorem"] or {}).get("verdict") == Verdict.PROVED]
    named = [f"{row['mechanism']} ({row['theorem']['claim'] or 'the supremum over n'})" for row in proved]
    yield from [f"every n ≥ 1, by a theorem: {', '.join(named)}"] if named else []
    looked = [row for row in rows if (row["looked_at"] or "").startswith("every n")]
    yield from (f"{row['mechanism']}: {row['looked_at']}, for the smallest that fails" for row in looked)


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
    """Returns the word; without a claim also whether the nominal epsilon is exceeded, and from which n."""
    word, outcome, theorem = str(verdict["word"]), verdict["outcome"], verdict["theorem"] or {}
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
    return f"{word}: true ε {known[Verdict(outcome)]}" + (" for all n" if verdict["strength"] == "for all n" else "")


def facts(verdict: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the lines under the verdict: label and text; the command is a member of its own."""
    if verdict["word"] is None:
        return []
    found, lines = verdict["witness"], []
    lines.append(("true ε", f"{short(verdict['epsilon'])}" + (f" at n = {verdict['n']}" if verdict["n"] else "")))
    nominal = f"; nominal ε = {verdict['nominal']}" if verdict["nominal"] else ""
    lines.append(("claim", powers(verdict["claim"] or f"none{nominal}")))
    if verdict["share"] is not None and verdict["share"]["lower"] != "inf":
        whose = "claimed" if verdict["claim"] else "nominal"
        lines.append(("share", f"{percent(verdict['share'])} of the {whose} {verdict['share_of']}"))
    if verdict["smallest_failing_n"] is not None:
        lines.append(("fails first", f"n = {verdict['smallest_failing_n']}: {verdict['looked_at']}"))
    n = "" if found["n"] is None else f", at n = {found['n']}"
    pair = found["evidence"]["pair"] if found["evidence"] else found
    output = "" if pair.get("output") is None else f" → {plain_text(pair['output'])}"
    lines.append(("witness", f"{plain_text(pair['x'])} | {plain_text(pair['x_prime'])}{output}{n}"))
    return lines


def plain_text(value: Any) -> str:
    """Returns a data set or an output as people read it: "(4, 4)"."""
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list) else str(value)

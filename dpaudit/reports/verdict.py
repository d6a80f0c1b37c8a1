"""The verdict of a document, from its rows alone: one on top for the whole, one for every mechanism, in words.

A row of the matrix is the verdict on one mechanism. Which word it has is decided in ``audit.conclusion``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dpaudit.audit.conclusion import Word, bounds_failing, claims_failing, claims_words, counted, fails, rank
from dpaudit.audit.words import counted_words, residual_words
from dpaudit.numbers.digits import percent, powers
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.sentences import beyond_words, epsilon_words, in_words, of_n, supremum, unknown
from dpaudit.reports.shares import Row, decided_by

LEAD = (
    *("mechanism", "where", "claim", "nominal", "strength", "epsilon", "n", "ns", "compared", "share", "share_of"),
    *("share_where", "smallest_failing_n", "looked_at", "witness", "theorem", "command", "reason"),
    *("caveats", "undecided_n", "holds_at", "absent", "claim_varies"),
)
"""What the verdict on the whole has of its worst mechanism."""
MOST_NAMED = 6
"""So many accuracy bounds that fail are named in the sentence."""
CODE = "code that samples: the distributions were audited, not a program that draws from them"
"""What is not covered of a mechanism that gives its distributions itself."""
SEARCHED, EXCEEDS = ", for the smallest that fails", ", for the smallest that exceeds the nominal ε"
"""How a line ends that says which n were looked at besides those that were asked for."""


def badness(row: Row) -> tuple[int, float]:
    """Returns the key that sorts rows of the matrix, failures first, then by the share of the claim."""
    order = rank(Word.NO_CLAIM, Verdict.REFUTED) if fails_beyond(row) else rank(row["word"], row["outcome"])
    evidence = row["witness"]["evidence"]
    margin = float(evidence["enclosure"]["lower"]) if evidence and evidence["quantity"] == "trade-off" else 0.0
    return order, margin - float((row["share"] or {"lower": "0"})["lower"])


def fails_beyond(row: Row) -> bool:
    """Returns whether a theorem says that it fails at n that were not looked at, and it was not seen to fail."""
    unseen = row["outcome"] in (Verdict.PROVED, Verdict.UNDECIDED)
    return unseen and (row["theorem"] or {}).get("verdict") == Verdict.REFUTED


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
    yield from (line for row in rows for line in row["covered"] if line.endswith((SEARCHED, EXCEEDS)))


def audited_words(ns: str | None, counts: Mapping[str, int], several: bool, whose: str = "") -> str:
    """Returns which pairs and outputs were looked at, at which n; ``several``: the counts are the largest of many."""
    each = counted_words(counts, "ordered adjacent pairs")
    where = f" at n = {ns}" if ns else "" if whose else " of the mechanism"
    return f"every adjacent pair and output{whose}{where}, {'up to ' if several else ''}{each}"


def _not_covered(rows: list[Row]) -> Iterator[str]:
    """Yields what the verdict does not speak of: of single mechanisms first, each once."""
    lines = [(row["mechanism"], line) for row in rows for line in row["not_covered"]]
    yield from dict.fromkeys(line for name, line in lines if line.startswith(name))
    whose = [row["mechanism"] for row in rows if CODE in row["not_covered"]]
    named = f"{CODE} ({', '.join(whose)})" if len(whose) < len(rows) else CODE
    yield from dict.fromkeys(named if line == CODE else line for name, line in lines if not line.startswith(name))


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
    return "; ".join(filter(None, headlines(verdict)))


def headlines(verdict: dict[str, Any]) -> tuple[str, str]:
    """Returns the headline in two: what holds of the mechanisms, and what else does not hold; "" of nothing."""
    failing = [claims_failing(verdict.get("claims") or {}), bounds_failing(verdict.get("bounds") or {})]
    others = "; ".join(filter(None, failing))
    if verdict["word"] is None:
        return "", others or (claims_words(verdict["claims"]) if verdict.get("claims") else "")
    whose = f"true ε of {verdict['mechanism']}" if sum(verdict["counts"].values()) > 1 else "true ε"
    return in_words(verdict, whose), others


def severity(verdict: dict[str, Any]) -> int:
    """Returns how bad the whole is, as ``rank`` does: claims of the papers that do not hold count too.

    Accuracy bounds count where nothing is said of privacy; beside that they stand in the words.
    """
    claims = verdict.get("claims") or {}
    bounds = verdict.get("bounds") or {} if verdict["word"] is None else {}
    bad, open_ = fails(claims) or bounds.get("fails"), claims.get(Verdict.UNDECIDED) or bounds.get("UNDECIDED")
    of_claims = 2 if bad else 3 if open_ else 6
    if verdict["word"] is None:
        return of_claims
    own = rank(Word.NO_CLAIM, Verdict.REFUTED) if fails_beyond(verdict) else rank(verdict["word"], verdict["outcome"])
    return min(own, of_claims)


def facts(verdict: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the lines under the verdict: label and text; the command is a member of its own."""
    if verdict["word"] is None:
        return []
    found, lines = verdict["witness"], []
    if not verdict.get("reason") or verdict["epsilon"]["lower"] != "0":
        value = epsilon_words(verdict)
        where = of_n(verdict, value, not (verdict["ns"] or "").isdigit(), " at")
        lines.append(("true ε", f"{value}{where}{supremum(verdict)}"))
    nominal = f"; nominal ε = {verdict['nominal']}" if verdict["nominal"] else ""
    varies = f" at n = {verdict['n']} (it depends on n)" if verdict.get("claim_varies") else ""
    lines.append(("claim", powers(verdict["claim"] or f"none{nominal}") + varies))
    if verdict["share"] is not None and verdict["share"]["lower"] != "inf":
        whose = f"of the {'claimed' if verdict['claim'] else 'nominal'} {verdict['share_of']}"
        lines.append(("share", " ".join(filter(None, [percent(verdict["share"]), whose, verdict.get("share_where")]))))
    if verdict["smallest_failing_n"] is not None:
        label = "fails first" if verdict["claim"] else "exceeds first"
        lines.append((label, f"n = {verdict['smallest_failing_n']}: {verdict['looked_at']}"))
    if fails_beyond(verdict) and (far := verdict["theorem"].get("fails_at")):
        label = "fails beyond" if verdict["claim"] else "exceeds beyond"
        again = f"; check it: {far['command']}" if far.get("command") else ""
        lines.append((label, f"{beyond_words(verdict)}{again}"))
    if verdict.get("reason"):
        known = verdict["ns"] is None and not unknown(verdict)
        lines.append(("true ε", f"not known: {verdict['reason']}") if known else ("not audited", verdict["reason"]))
    n = "" if found["n"] is None else f", at n = {found['n']}"
    label = "compared" if found["outcome"] == Verdict.UNDECIDED else "decided by"
    lines += [(label, f"{said}{n}")] if (said := decided_by(found)) else []
    pair = found["evidence"]["pair"] if found["evidence"] else found
    output = "" if pair.get("output") is None else f", output {plain_text(pair['output'])}"
    if pair["x"] is not None:
        lines.append(("witness", f"x = {plain_text(pair['x'])}, x′ = {plain_text(pair['x_prime'])}{output}{n}"))
    caveats = verdict.get("caveats") or {}
    lines += [("residual", said)] if (said := residual_words(caveats)) else []
    lines += [("of note", "; ".join(caveats["notes"]))] if caveats.get("notes") else []
    lines += [("assumes", "; ".join(caveats["assumptions"]))] if caveats.get("assumptions") else []
    if verdict.get("claims"):
        lines.append(("claims", claims_words(verdict["claims"])))
    return lines


def plain_text(value: Any) -> str:
    """Returns a data set or an output as people read it: "(4, 4)"."""
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list) else str(value)

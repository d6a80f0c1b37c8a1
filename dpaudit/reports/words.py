"""Words that explain a report: its settings, its verdicts and its letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpaudit.numbers.digits import powers

NOTES = (
    "PROVED and REFUTED are decided by certified arithmetic or by algebra; UNDECIDED is an honest answer.",
    "UNWITNESSED: a statement “there is …” without a witness on the grid; IMPOSSIBLE: it is proved that there "
    "is none. MEASURED: an O(·) statement.",
    "True ε is the largest ln P_x(r) − ln P_x′(r) over all adjacent data sets x, x′ and outputs r.",
    "δ(ε) is the largest Σ max(0, P_x − e^ε·P_x′) over all ordered adjacent pairs.",
    "H is the Hellinger distance; LS, S and GS are the local, the γ-smooth and the global sensitivity of H.",
    "Every number opens its enclosure: the true value lies between the two ends, which are rounded outward.",
)
MOST_NAMED = 3
"""So many mechanisms are named in a title."""
SYMBOLS = {"gamma": "γ", "delta": "δ", "delta_param": "δ"}


def setting_text(setting: dict[str, Any]) -> str:
    """Returns the setting in words, or "" if it names no mechanisms."""
    if "mechanisms" not in setting:
        return ""
    shown = ", ".join(_parts(setting).values())
    return ", ".join(setting["mechanisms"]) + (f": {powers(shown)}" if shown else "")


def _parts(setting: dict[str, Any]) -> dict[str, str]:
    """Returns "n = 1..20" and the like of a setting, by name."""
    older = {key: setting[key] for key in ("gamma", "delta_param") if key in setting}
    prior = {"prior": f"({', '.join(setting['prior'])})"} if "prior" in setting else {}
    parts = {"n": setting["n"], **prior, "ε": setting["eps"], "claim": setting.get("claim")}
    parts |= {"adjacent": setting.get("adjacency"), **setting.get("parameters", older)}
    return {key: f"{SYMBOLS.get(key, key)} = {value}" for key, value in parts.items() if value is not None}


def told_apart(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the sections with titles that differ: those of one title say in what their settings do, or a number."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for section in sections:
        groups.setdefault(section["title"], []).append(section)
    titles = {id(section): title for group in groups.values() for section, title in _titles(group)}
    return [{**section, "title": titles[id(section)]} for section in sections]


def told(settings: list[dict[str, Any]]) -> list[str]:
    """Returns for every setting what tells it from those with a mechanism of the same name; "" where there is none."""
    found = []
    for own in settings:
        alike = [other for other in settings if set(own["mechanisms"]) & set(other["mechanisms"])]
        keys = [key for key in _telling([_parts(other) for other in alike]) if key in _parts(own)]
        found.append(powers(", ".join(_parts(own)[key] for key in keys)) if len(alike) > 1 else "")
    return found


def _titles(group: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields the sections of one title, each with one of its own."""
    if len(group) == 1:
        yield group[0], group[0]["title"]
        return
    parts = [_differing(section) for section in group]
    keys = _telling(parts)
    said = [powers("; ".join(own[key] for key in keys if key in own)) for own in parts]
    for number, (section, words) in enumerate(zip(group, said, strict=True), 1):
        alone = words and said.count(words) == 1
        yield section, f"{section['title']}: {words}" if alone else f"{section['title']} ({number})"


def _telling(parts: list[dict[str, str]]) -> list[str]:
    """Returns the first of the names whose values tell all of them apart, as far as that goes, and no more."""
    keys: list[str] = []
    for key in dict.fromkeys(key for own in parts for key in own):
        before, after = (len({tuple(own.get(k) for k in chosen) for own in parts}) for chosen in (keys, [*keys, key]))
        keys += [key] if after > before else []
    return keys


def _differing(section: dict[str, Any]) -> dict[str, str]:
    """Returns what may tell the setting of a section from that of another; a title that has its n says it already."""
    setting = section["setting"]
    if "mechanisms" not in setting:
        return {}
    names = setting["mechanisms"]
    listed = ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} more"
    return {"mechanisms": listed, **_parts(setting)}


def same_hash(document: dict[str, Any]) -> str:
    """Returns in words whether another run has the same content hash: not where seconds ended it."""
    rows = [row for section in document["sections"] if section["kind"] == "matrix" for row in section["rows"]]
    timed = [row["mechanism"] for row in rows if (row.get("caveats") or {}).get("timed")]
    if not timed:
        return "The same inputs give the same content hash."
    return (
        f"The seconds of a budget ended the code of {', '.join(timed)}: another run has other ends of its enclosures, "
        "and so another content hash. What was audited is known by the SHA-256 of its source and by its parameters."
    )


CAPTIONS = {
    "epsilon-by-n": "The true ε at some n, and at those that decide; the picture has every n that was audited",
    "facts": "What was audited at the largest n, what is claimed, what decided",
    "delta-curves": "δ at some ε",
    "worst-pairs": "The worst pair and output of each mechanism",
    "worst-loss": "The five outputs of largest loss of each mechanism",
    "loss-map": "Where the loss of each mechanism is largest in size",
    "loss-ternary": "Where the loss of each mechanism is largest",
    "loss-data": "Where the loss of each mechanism is largest",
    "matrix": "What every mechanism claims, and what holds; failures first",
    "chain": "The evidence of the worst case, step by step",
    "sensitivity": "GS, and some of the data sets, those of the largest LS and S among them",
    "breakpoints": "Some segments of each curve, the last one among them",
    "renyi": "The divergences by order",
    "true-nominal": "True over nominal ε",
    "prior-map": "True over nominal ε by prior and n",
    "bounds": "Each bound at the t where it comes closest or fails most",
}
"""Kind of section -> what its table holds; the others say it in their titles."""

"""The sentences of a report, from its typed document. Numbers beside "at most" and "at least" are rounded outward."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dpaudit.audit.judgement import Extent, Judgement, Whose, worst
from dpaudit.numbers.digits import at_most, beside, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.document import FAILS, Document, Finding, Value, tally

MOST_LINES = 4
"""Lines of what is covered, and of what is not."""
MOST_RANGE = 24
"""A list of n of more letters is told by its ends."""


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["x = 1, y = 2", "b"]), listed([])
    ('a, b and c', 'x = 1, y = 2; b', '')
    """
    every = list(names)
    if len(every) > 1 and any(", " in name for name in every):
        return "; ".join(every)
    return " and ".join(filter(None, [", ".join(every[:-1]), every[-1]])) if every else ""


def value_text(value: Value | None) -> str:
    """A data set or an output as people read it: "(4, 4)"."""
    return "" if value is None else f"({', '.join(map(str, value))})" if isinstance(value, tuple) else value


def number(value: Enclosure) -> str:
    """A number in at most six digits that are known."""
    return short(value.to_dict())


def private(judgement: Judgement) -> str:
    """The statement as an adjective: "1-differentially private", "1/2-zCDP"."""
    text = judgement.statement
    return (
        f"{text.removesuffix('-DP')}-differentially private" if isinstance(judgement.guarantee, EpsilonDelta) else text
    )


def subject(name: str) -> str:
    """The name in a sentence: "EHDL with ε = 1, prior (1, 1)"."""
    head, comma, rest = name.partition(", ")
    return f"{head} with {rest}" if comma else name


def whose(judgement: Judgement) -> str:
    """Who states it, as words after the number."""
    return {
        Whose.CLAIMED: "the claim",
        Whose.ASKED: "what was asked for",
        Whose.NOMINAL: "its nominal ε (its documents do not claim it)",
    }[judgement.whose]


def sentence(finding: Finding) -> str:
    """The verdict on one mechanism in one plain sentence."""
    found = finding.judgement
    name = subject(finding.name)
    if found is None:
        known = (
            "could not be audited" if finding.epsilon is None else f"has true ε {number(finding.epsilon)}{_at(finding)}"
        )
        return f"{name} claims nothing; it {known}."
    if found.verdict is Verdict.REFUTED:
        return f"{name} is not {private(found)}: {_failing(finding, found)}."
    if found.verdict is Verdict.PROVED:
        where = "" if found.extent is None else f" {found.extent.text()}"
        return f"{name} is {private(found)}{where}{_used(found)}."
    where = "" if found.extent is None else f" {found.extent.text()}"
    open_ = f": {found.value_text()}" if found.value is not None else ""
    return f"Whether {name} is {private(found)} is undecided{where}{open_}."


def _failing(finding: Finding, found: Judgement) -> str:
    proof = finding.proof
    at = f"at n = {proof.n}, " if proof is not None and proof.n is not None else ""
    if proof is None:
        supremum = "" if found.value is None else f": its supremum is {number(found.value)}"
        return f"its true ε exceeds {whose(found)} for some n{supremum}"
    value = beside(proof.value.to_dict(), found.bound, Verdict.REFUTED.value)
    name = "its true ε" if proof.quantity == "true ε" else f"its {proof.quantity}"
    bound = "" if found.bound is None else f", above {powers(str(found.bound))}, {whose(found)}"
    verb = "is" if value[:1] not in "≤≥[(" else "lies in" if value[0] in "[(" else ""
    return f"{at}{name} {verb} {value}{bound}".replace("  ", " ")


def _used(found: Judgement) -> str:
    text = found.margin_text()
    return f"; it {text}" if text else ""


def _at(finding: Finding) -> str:
    return "" if finding.epsilon_n is None else f" at n = {finding.epsilon_n}"


def in_short(finding: Finding) -> str:
    """ "EHDS: 1-DP: PROVED for every n; uses 45 % of the claim"."""
    if finding.judgement is None:
        return sentence(finding).rstrip(".")
    return f"{finding.name}: {finding.judgement.text()}"


def share_sentence(findings: Sequence[Finding]) -> str:
    """What a picture of several mechanisms shows: who exceeds the statement, or who uses how much of it."""
    judged = [finding for finding in findings if finding.judgement is not None]
    if not judged:
        return "True ε"
    if len(judged) == 1:
        found = judged[0].judgement
        assert found is not None
        if found.verdict is Verdict.REFUTED:
            first = f" from n = {found.first_n} on" if found.first_n is not None and _stays(judged[0]) else ""
            first = first or (f" at n = {found.first_n}" if found.first_n is not None else "")
            return f"{judged[0].name} exceeds {_bound(found)}{first}"
        if found.verdict is Verdict.UNDECIDED:
            return f"{judged[0].name}: whether it stays below {_bound(found)} is undecided"
        return f"{judged[0].name} stays below {_bound(found)}: it {found.margin_text() or 'holds'}"
    failing = [f for f in judged if f.judgement is not None and f.judgement.verdict is Verdict.REFUTED]
    if failing:
        kept = len(judged) - len(failing)
        others = "" if not kept else "; the other does not" if kept == 1 else f"; the other {kept} do not"
        return f"{listed(f.name for f in failing)} {'exceed' if len(failing) > 1 else 'exceeds'} what is stated{others}"
    lead = worst(f.judgement for f in judged if f.judgement is not None)
    half = [f for f in judged if _share(f) is not None and (_share(f) or 1) <= Fraction(1, 2)]
    whole = lead.margin is not None and lead.margin.share is not None and lead.margin.share.lower >= 1
    most = f"; {lead.subject} {'uses all of it' if whole else lead.margin_text()}" if lead.margin_text() else ""
    few = (
        f"{len(half)} of {len(judged)} mechanisms {'uses' if len(half) == 1 else 'use'} at most half of what is stated"
        if half
        else "No mechanism exceeds what is stated"
    )
    return f"{few}{most}"


def _share(finding: Finding) -> Fraction | None:
    margin = None if finding.judgement is None else finding.judgement.margin
    return None if margin is None or margin.share is None else margin.share.upper


def _stays(finding: Finding) -> bool:
    """Whether the largest n that was audited fails too, and the limit with it."""
    every, found = finding.every_n, finding.judgement
    return bool(every and every.limit and found and found.bound is not None and every.limit.lower > found.bound)


def _bound(found: Judgement) -> str:
    number_ = "" if found.bound is None else f" = {powers(str(found.bound))}"
    by = {Whose.CLAIMED: "the claimed", Whose.ASKED: "the asked", Whose.NOMINAL: "its nominal"}
    return f"{by[found.whose]} ε{number_}"


# ------------------------------------------------------------------ the box on top


def headline(document: Document) -> str:
    """The answer of the report in one sentence."""
    lead = document.lead
    if document.summary:
        return document.summary
    if lead is not None:
        judged = [f for f in document.findings if f.judgement is not None]
        proved = [f for f in judged if f.judgement is not None and f.judgement.verdict is Verdict.PROVED]
        if len(judged) > 1 and len(proved) == len(judged):
            every = "Both" if len(judged) == 2 else f"All {len(judged)}"
            return f"{every} mechanisms are as private as stated. The closest to its limit: {sentence(lead)}"
        return sentence(lead)
    if document.claims:
        return claims_sentence(document)
    return bounds_sentence(document)


def counts_line(document: Document) -> str:
    """How many of the statements have which verdict; "" of one alone."""
    verdicts = [f.judgement.verdict for f in document.findings if f.judgement is not None]
    words = ", ".join(f"{count} {word}" for word, count in tally(verdicts).items())
    several = f"{len(verdicts)} statements: {words}" if len(verdicts) > 1 else ""
    claims = claims_sentence(document).rstrip(".") if document.claims and document.findings else ""
    return "; ".join(filter(None, (several, claims)))


def claims_sentence(document: Document) -> str:
    """How many of the papers' claims are true and false."""
    total, bad = len(document.claims), sum(claim.verdict in FAILS for claim in document.claims)
    good = sum(claim.verdict is Verdict.PROVED for claim in document.claims)
    rest = total - bad - good
    other = f"; {rest} are neither" if rest else ""
    return f"{bad} of {total} claims are false as stated, {good} are proved{other}."


def bounds_sentence(document: Document) -> str:
    """How many of the accuracy bounds fail."""
    if not document.bounds:
        return "Nothing was judged."
    failing = [bound for bound in document.bounds if bound.verdict is Verdict.REFUTED]
    open_ = sum(bound.verdict is Verdict.UNDECIDED for bound in document.bounds)
    total = len(document.bounds)
    more = f"; {open_} are undecided" if open_ else ""
    if not failing and not open_:
        words = {1: "The accuracy bound of the documents holds", 2: "Both accuracy bounds of the documents hold"}
        return f"{words.get(total, f'All {total} accuracy bounds of the documents hold')} on these data."
    if not failing:
        return f"None of {total} accuracy bounds of the documents fails on these data{more}."
    names = listed(dict.fromkeys(bound.mechanism for bound in failing))
    return f"{len(failing)} of {total} accuracy bounds of the documents fail on these data (of {names}){more}."


def epsilon_line(finding: Finding) -> str:
    """The true ε, where it was largest, and what is stated."""
    found = finding.judgement
    if finding.epsilon is None:
        return "true ε not known"
    bound = None if found is None or found.quantity != "true ε" else found.bound
    value = beside(finding.epsilon.to_dict(), bound, found.verdict.value if found and bound is not None else None)
    largest = f" (largest of {_seen(finding)}, at n = {finding.epsilon_n})" if len(finding.ns) > 1 else ""
    every = finding.every_n
    sup = ""
    if every is not None and every.supremum is not None:
        where = f"at n = {every.attained}" if every.attained is not None else "as n → ∞"
        sup = f"; at most {at_most(every.supremum.upper, 6)} over every n, {where}"
    return f"{value}{largest}{sup}"


def _seen(finding: Finding) -> str:
    shown = Extent(finding.ns).text().partition(" ")[2]
    few = len(shown) <= MOST_RANGE
    return shown if few else f"{len(finding.ns)} values of n from {finding.ns[0]} to {finding.ns[-1]}"


def statement_line(finding: Finding) -> str:
    """What is stated, and by whom."""
    found = finding.judgement
    if found is None:
        return "nothing is claimed"
    by = {
        Whose.CLAIMED: "claimed",
        Whose.ASKED: "asked for",
        Whose.NOMINAL: "its nominal ε; its documents do not claim it",
    }
    return f"{found.statement} ({by[found.whose]})"


def known_line(finding: Finding) -> str:
    """How the verdict is known."""
    found, every = finding.judgement, finding.every_n
    if finding.epsilon is None and (found is None or found.value is None):
        return "not known: it could not be audited"
    if found is not None and found.extent is not None and found.extent.every and every is not None:
        claim = f"a proof by algebra ({every.claim})" if every.claim else "a theorem on the supremum over every n"
        return f"{claim}; computed exactly at the n that were audited, nothing was sampled"
    if found is not None and found.verdict is Verdict.REFUTED:
        return "computed exactly from both output distributions; nothing was sampled"
    if found is not None and found.verdict is Verdict.UNDECIDED:
        return "computed with certified bounds, which do not decide it; nothing was sampled"
    return "computed exactly, for every neighboring pair and every output; nothing was sampled"


def checked_lines(document: Document) -> list[str]:
    """Who else checked the verdict; what to do where nobody did."""
    lead = document.lead
    found = [] if lead is None else list(lead.checked)
    coq = sum(claim.coq for claim in document.claims)
    found += [f"Coq, the proofs of {coq} of the claims"] if coq else []
    return found or ["nobody yet; dpaudit report --certificate writes a certificate and has it verified independently"]


def covered_lines(document: Document) -> list[str]:
    """What the verdicts cover, in a few lines."""
    lines = []
    groups: dict[str, list[Finding]] = {}
    for finding in document.findings:
        if finding.epsilon is not None or finding.pairs:
            groups.setdefault(_seen(finding) if finding.ns else "", []).append(finding)
    for where, own in groups.items():
        whose_ = "" if len(groups) == 1 else f" of {_names(own)}"
        size = max(own, key=lambda f: f.pairs * f.outputs)
        at = f" at {where}" if where else ""
        most = f" (up to {size.pairs} ordered pairs, {size.outputs} outputs)" if size.pairs else ""
        lines.append(f"every neighboring pair and output{whose_}{at}{most}")
    proved = [f for f in document.findings if f.judgement and f.judgement.extent and f.judgement.extent.every]
    if proved:
        lines.append(f"every n ≥ 1, by a theorem: {_names(proved)}")
    if document.bounds:
        data = listed(dict.fromkeys(value_text(bound.x) for bound in document.bounds))
        lines.append(f"every threshold of {len(document.bounds)} accuracy bounds on x = {data}")
    if document.claims:
        lines.append(f"{len(document.claims)} claims, each decided by algebra, on a stated grid or by a counterexample")
    return _few(lines) or ["nothing"]


def not_covered_lines(document: Document) -> list[str]:
    """What the verdicts do not speak of, in a few lines."""
    lines = [
        f"{finding.name}: {words}" for finding in document.findings for words in (*finding.lost, *finding.rests_on)
    ]
    limited = [
        f for f in document.findings if f.ns and f.judgement and f.judgement.extent and not f.judgement.extent.every
    ]
    if limited:
        lines.append(f"other n{'' if len(limited) == len(document.findings) else f' of {_names(limited)}'}")
    if document.findings:
        relations = listed(dict.fromkeys(f.neighbours for f in document.findings if f.neighbours))
        lines.append(f"other parameters, and other neighbors than {relations or 'those the mechanism names'}")
        lines.append("several releases from the same data")
        if not any(f.rests_on for f in document.findings):
            lines.append("programs that draw from these distributions: the distributions were audited")
    elif document.claims:
        lines.append("what the documents say beyond these claims; a claim on a grid is not proved beyond it")
    return _few(lines)


def _names(findings: Sequence[Finding]) -> str:
    names = [finding.name for finding in findings]
    return listed(names) if len(names) <= 4 else f"{listed(names[:3])} and {len(names) - 3} more"


def _few(lines: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(lines))
    if len(unique) <= MOST_LINES:
        return unique
    return [*unique[: MOST_LINES - 1], f"and {len(unique) - MOST_LINES + 1} more, in result.json"]

"""The sentences of a report, from its typed document. Numbers beside "at most" and "at least" are rounded outward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dpaudit.audit.judgement import NOBODY, Extent, Judgement, Whose, worst
from dpaudit.claims.outcome import ON_GRID
from dpaudit.claims.words import on_its_grid
from dpaudit.numbers.digits import at_most, beside, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.document import FAILS, Document, Finding, Paper, Value, tally

MOST_LINES = 4
"""The most lines of what is covered, and of what is not."""
EXACTLY = "computed exactly; nothing was sampled"
BY_CHECKS = "decided by algebra, on stated grids in certified arithmetic, or by counterexamples; nothing was sampled"
NOT_YET = "nobody yet; dpaudit report --certificate writes a certificate and has it verified independently"
MOST_RANGE = 24
"""A longer list of n is shortened to its ends."""


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
    return short(value)


class Said(NamedTuple):
    """The words for a statement, by who makes it."""

    after: str
    """After its number: "above 1, the claim"."""
    stated: str
    """In the box, behind the statement."""
    mark: str = ""
    """In a table, behind the statement."""


WHOSE = {
    Whose.CLAIMED: Said("the claim", "claimed"),
    Whose.ASKED: Said("what was asked for", "asked for"),
    Whose.NOMINAL: Said("its nominal ε (its documents do not claim it)", NOBODY, " (nominal)"),
}


def private(judgement: Judgement) -> str:
    """The statement as an adjective: "1-differentially private", "1/2-zCDP"."""
    text = judgement.statement
    pure = isinstance(judgement.guarantee, EpsilonDelta)
    return f"{text.removesuffix('-DP')}-differentially private" if pure else text


def subject(name: str) -> str:
    """The name in a sentence: "EHDL with ε = 1, prior (1, 1)"."""
    head, comma, rest = name.partition(", ")
    return f"{head} with {rest}" if comma else name


def sentence(finding: Finding) -> str:
    """The verdict on one mechanism in one plain sentence."""
    found, name = finding.judgement, subject(finding.name)
    if found is None:
        at = "" if finding.epsilon_n is None else f" at n = {finding.epsilon_n}"
        known = "could not be audited" if finding.epsilon is None else f"has true ε {number(finding.epsilon)}{at}"
        return f"{name} claims nothing; it {known}."
    if found.verdict is Verdict.REFUTED:
        return f"{name} is not {private(found)}: {_failing(finding, found)}."
    where = "" if found.extent is None else f" {found.extent.text()}"
    if found.verdict is Verdict.PROVED:
        margin = found.margin_text()
        return f"{name} is {private(found)}{where}{f'; it {margin}' if margin else ''}."
    open_ = f": {found.value_text()}" if found.value is not None else ""
    return f"Whether {name} is {private(found)} is undecided{where}{open_}."


def _failing(finding: Finding, found: Judgement) -> str:
    proof, who = finding.proof, WHOSE[found.whose].after
    if proof is None:
        supremum = "" if found.value is None else f": its supremum is {number(found.value)}"
        return f"its true ε exceeds {who} for some n{supremum}"
    at = "" if proof.n is None else f"at n = {proof.n}, "
    value = beside(proof.value, found.bound, Verdict.REFUTED)
    bound = "" if found.bound is None else f", above {powers(str(found.bound))}, {who}"
    verb = "lies in " if value[0] in "[(" else "" if value[0] in "≤≥" else "is "
    return f"{at}its {proof.quantity} {verb}{value}{bound}"


def share_sentence(findings: Sequence[Finding]) -> str:
    """The finding of a picture of several mechanisms: which exceed the statement, or how much of it they use."""
    judged = [(finding, finding.judgement) for finding in findings if finding.judgement is not None]
    if len(judged) < 2:
        return f"{judged[0][1].full_statement()}: {judged[0][1].finding()}" if judged else "True ε"
    failing = [finding.name for finding, found in judged if found.verdict is Verdict.REFUTED]
    if failing:
        who = listed(failing) if len(failing) <= 2 else f"{len(failing)} of {len(judged)}"
        others = (
            "" if len(failing) == len(judged) else "; the other does not" if len(judged) == 2 else "; the others do not"
        )
        return f"{who} {'exceed' if len(failing) > 1 else 'exceeds'} what is stated{others}"
    shares = [found.margin.share for _, found in judged if found.margin and found.margin.share is not None]
    half = sum(share.at_most(Fraction(1, 2)) is Verdict.PROVED for share in shares)
    few = f"{half} of {len(judged)} mechanisms {'uses' if half == 1 else 'use'} at most half of what is stated"
    lead = worst(found for _, found in judged)
    margins = [(finding.name, found.margin) for finding, found in judged]
    whole = [name for name, own in margins if own and own.share is not None and own.share.reaches(1)]
    most = f"; {lead.subject} {lead.margin_text()}" if lead.margin_text() else ""
    if whole:
        most = f"; {listed(whole)} {'use' if len(whole) > 1 else 'uses'} all of it"
    return f"{few if half else 'No mechanism exceeds what is stated'}{most}"


# ------------------------------------------------------------------ the box on top


def headline(document: Document) -> str:
    """The answer of the report in one sentence."""
    lead = document.lead
    if document.answer:
        return document.answer
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
    """The number of statements with each verdict; "" for a single one, or if the headline says so."""
    verdicts = [f.judgement.verdict for f in document.findings if f.judgement is not None]
    words = ", ".join(f"{count} {word}" for word, count in tally(verdicts).items())
    said_above = bool(document.answer) or len(verdicts) < 2 or set(verdicts) == {Verdict.PROVED}
    several = "" if said_above else f"{len(verdicts)} statements: {words}"
    claims = claims_sentence(document).rstrip(".") if document.claims and document.findings else ""
    return "; ".join(filter(None, (several, claims)))


def claims_sentence(document: Document) -> str:
    """The numbers of the papers' claims that are true and false."""
    total, bad = len(document.claims), sum(claim.verdict in FAILS for claim in document.claims)
    proved = [claim for claim in document.claims if claim.verdict is Verdict.PROVED]
    limited = sum(claim.establishes == ON_GRID for claim in proved)
    grid = f", {limited} of them on a stated grid only" if limited else ""
    rest = total - bad - len(proved)
    other = f"; {rest} are neither" if rest else ""
    return f"{bad} of {total} claims are false as stated, {len(proved)} are proved{grid}{other}."


def reader_line(document: Document) -> str:
    """The claims that a reader of the papers may rely on."""
    sure = sum(claim.verdict is Verdict.PROVED and claim.establishes != ON_GRID for claim in document.claims)
    fails = sum(claim.verdict in FAILS for claim in document.claims)
    sentence = f"{sure} of {len(document.claims)} claims can be relied on as printed"
    if not fails:
        return sentence
    return f"{sentence}; whatever builds on one of the {fails} that are false needs another proof"


def claim_verdict(claim: Paper) -> str:
    """The verdict on a claim, with its reach where that is a grid."""
    return f"{claim.verdict.value}{on_its_grid(claim.verdict, claim.establishes)}"


def bounds_sentence(document: Document) -> str:
    """The number of accuracy bounds that fail."""
    if not document.bounds:
        return "Nothing was judged."
    failing = [bound for bound in document.bounds if bound.verdict is Verdict.REFUTED]
    open_ = sum(bound.verdict is Verdict.UNDECIDED for bound in document.bounds)
    total = len(document.bounds)
    more = f"; {open_} {'is' if open_ == 1 else 'are'} undecided" if open_ else ""
    if not failing and not open_:
        words = {1: "The accuracy bound holds", 2: "Both accuracy bounds hold"}
        return f"{words.get(total, f'All {total} accuracy bounds hold')} on these data."
    if not failing:
        return f"None of {total} accuracy bounds fails on these data{more}."
    names = listed(dict.fromkeys(bound.mechanism for bound in failing))
    fail = "fails" if len(failing) == 1 else "fail"
    return f"{len(failing)} of {total} accuracy bounds {fail} on these data (for {names}){more}."


class Field(NamedTuple):
    """A line of the box: its label, and one or several texts; ``code`` if it is a command."""

    label: str
    lines: Sequence[str]
    code: bool = False


def fields(document: Document) -> Iterator[Field]:
    """Yields the lines of the box below the verdict; for several mechanisms those of the first."""
    for label, lines in _known_fields(document):
        if lines:
            yield Field(label, [powers(line) for line in lines])
    again, whole = "" if document.lead is None else document.lead.command, document.command
    yield from [Field("reproduce", [again], code=True)] if again else []
    yield from [Field("whole report", [whole], code=True)] if whole and whole != again else []
    yield Field("made", [provenance_line(document)])


def _known_fields(document: Document) -> Iterator[tuple[str, Sequence[str]]]:
    lead = document.lead
    if lead is not None:
        margin = "" if lead.judgement is None else lead.judgement.margin_text()
        yield "true ε", [epsilon_line(lead)]
        yield "stated", [statement_line(lead)]
        yield "margin", [margin] if margin else []
        yield "for a person", [lead.person] if lead.person else []
        yield "audited", [audited_line(lead)]
    yield "for a reader", [reader_line(document)] if document.claims and lead is None else []
    yield "how it is known", [BY_CHECKS if document.claims else EXACTLY] if lead is None else [known_line(lead)]
    yield "checked by", checked_lines(document)
    yield "covers", covered_lines(document)
    yield "does not cover", not_covered_lines(document)


def provenance_line(document: Document) -> str:
    """Date, version and hash."""
    version = dict(document.versions).get("dpaudit")
    made = [document.date, f"dpaudit {version}" if version else "", f"content hash {document.hash[:16]}…"]
    return ", ".join(filter(None, made))


def true_epsilon(finding: Finding) -> str:
    """The largest true ε that was seen, in digits that show the verdict."""
    found = finding.judgement
    if finding.epsilon is None:
        return "not known"
    if found is None or found.quantity != "true ε" or found.bound is None:
        return number(finding.epsilon)
    return beside(finding.epsilon, found.bound, found.verdict)


def epsilon_line(finding: Finding) -> str:
    """The true ε, where it was largest, and its supremum over every n."""
    every = finding.every_n
    many = finding.epsilon is not None and len(finding.ns) > 1
    largest = f" (largest of {_examined(finding)}, at n = {finding.epsilon_n})" if many else ""
    if every is None or every.supremum is None:
        return f"{true_epsilon(finding)}{largest}"
    where = f"at n = {every.attained}" if every.attained is not None else "as n → ∞"
    return f"{true_epsilon(finding)}{largest}; at most {at_most(every.supremum.upper, 6)} over every n, {where}"


def _examined(finding: Finding) -> str:
    shown = Extent(finding.ns).values()
    few = len(shown) <= MOST_RANGE
    return shown if few else f"{len(finding.ns)} values of n from {finding.ns[0]} to {finding.ns[-1]}"


def audited_line(finding: Finding) -> str:
    """The audited mechanism: the formula, the setting and, for code, the file with its hash."""
    code = f"{finding.source}, SHA-256 {finding.sha256[:16]}…" if finding.sha256 else ""
    return "; ".join(filter(None, (finding.formula, finding.setting, code)))


def statement_line(finding: Finding) -> str:
    """The statement, and who makes it."""
    found = finding.judgement
    return "nothing is claimed" if found is None else f"{found.statement} ({WHOSE[found.whose].stated})"


def known_line(finding: Finding) -> str:
    """The basis of the verdict."""
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
    """The independent checks of the verdict, or how to get one."""
    lead = document.lead
    found = [] if lead is None else list(lead.checked)
    coq = sum(claim.coq for claim in document.claims)
    found += [f"Coq, the proofs of {coq} of {len(document.claims)} claims"] if coq else []
    if found or lead is None:
        return found or ["nobody: there is no certificate of this"]
    undecided = lead.judgement is not None and lead.judgement.verdict is Verdict.UNDECIDED
    return ["nobody: there is no certificate of what is undecided" if undecided else NOT_YET]


def covered_lines(document: Document) -> list[str]:
    """The scope of the verdicts, in at most four lines."""
    lines = []
    if seen := [finding for finding in document.findings if finding.epsilon is not None or finding.pairs]:
        places = dict.fromkeys(f" at {_examined(finding)}" if finding.ns else "" for finding in seen)
        size = max(seen, key=lambda f: f.pairs * max(1, f.outputs))
        upto = "up to " if len(seen) > 1 or len(size.ns) > 1 else ""
        outputs = f"{size.outputs} outputs" if size.outputs else "outputs are real numbers"
        most = f" ({upto}{size.pairs} ordered pairs, {outputs})" if size.pairs else ""
        where = places.popitem()[0] if len(places) == 1 else " at the n that were audited"
        lines.append(f"every neighboring pair and output{where}{most}")
    if proved := [finding for finding in document.findings if _reaches(finding, every=True)]:
        lines.append(f"every n ≥ 1, by a theorem: {_names(proved)}")
    if document.bounds:
        data = listed(dict.fromkeys(value_text(bound.x) for bound in document.bounds))
        lines.append(f"every threshold of {len(document.bounds)} accuracy bounds on x = {data}")
    if document.claims:
        lines.append(f"{len(document.claims)} claims as the documents print them")
    lines[1:1] = _at_most(
        list(dict.fromkeys(f"{f.name}: {text}" for f in document.findings for text in f.stands_for)),
        MOST_LINES - len(lines),
        "notes",
    )
    return lines or ["nothing"]


def _at_most(lines: list[str], room: int, what: str) -> list[str]:
    """The lines if there is room for them, else the first ones and how many more there are."""
    if len(lines) <= room:
        return lines
    return [*lines[: max(0, room - 1)], f"{len(lines) - max(0, room - 1)} other {what}, which result.json lists"]


def not_covered_lines(document: Document) -> list[str]:
    """The limits of the verdicts, in at most four lines; those of single mechanisms come first."""
    findings = document.findings
    if not findings:
        rest = "what the documents say beyond these claims; a claim on a grid is not proved beyond it"
        data = "other data, other parameters, and whether the mechanisms are private"
        return [rest] if document.claims else [data] if document.bounds else []
    lines = []
    limited = [finding for finding in findings if finding.ns and _reaches(finding, every=False)]
    if limited and len(limited) == len(findings):
        lines.append("other n")
    elif holding := [f for f in limited if f.judgement and f.judgement.verdict is not Verdict.REFUTED]:
        lines.append(f"other n for {_names(holding)}")
    relations = listed(dict.fromkeys(f.neighbors for f in findings if f.neighbors)) or "those the mechanism names"
    lines.append(f"other parameters, other neighbors than {relations}, several releases from the same data")
    if not any(f.rests_on for f in findings):
        lines.append("programs that draw from these distributions: the distributions were audited")
    own = list(dict.fromkeys(f"{f.name}: {text}" for f in findings for text in (*f.lost, *f.rests_on)))
    return [*_at_most(own, MOST_LINES - len(lines), "reservations"), *lines]


def _reaches(finding: Finding, every: bool) -> bool:
    """Whether the statement was judged for every n, or for some."""
    extent = None if finding.judgement is None else finding.judgement.extent
    return extent is not None and extent.every is every


def _names(findings: Sequence[Finding]) -> str:
    names = [finding.name for finding in findings]
    return listed(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"])

"""The finding on one mechanism: its statement judged over all n, the smallest n that fails, and the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, takewhile
from typing import Any

from dpaudit.audit import explanation
from dpaudit.audit import questions as audit
from dpaudit.audit.judgement import EVERY_N, Extent, Judgement, Margin, Whose, badness, judged, over_n
from dpaudit.audit.results import EpsilonResult
from dpaudit.audit.second_path import repeated
from dpaudit.audit.words import residual_words
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.enclosure import Enclosure, largest, maximum
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.protocols import Dataset, Output, plain
from dpaudit.reports import steps
from dpaudit.reports.block import DIGITS, Case, Unknown
from dpaudit.reports.document import EveryN, Finding, Proof, Value
from dpaudit.reports.everywhere import known_everywhere
from dpaudit.reports.steps import Progress

MOST_LOOKED = 500
"""The largest failing n below which all n are searched for the smallest."""
MOST_MASSES = 2_000_000
"""The most pairs times outputs at the failing n for which smaller n are searched."""
FARTHEST = 10**6
"""The limit of the search for a failing n, at doubles of the largest n, where a theorem says that one exists."""


def finding(case: Case, progress: Progress, every_n: bool = False) -> Finding:
    """The statement about the mechanism, judged at every requested n and, where possible, for every n."""
    for n in case.places():
        progress(f"{case.label}: true ε" + (f", n = {n}" if n is not None else ""))
        case.answer(n)
    progress(f"{case.label}: {steps.EVERY_N}")
    place = case.places()[-1]
    everywhere = known_everywhere(case.setting, case.asked_at(place), every_n) if case.setting.has_n else None
    each = {n: found for n in case.places() if (found := judged_at(case, n)) is not None}
    failing = [n for n, found in each.items() if found.verdict is Verdict.REFUTED]
    if not failing and everywhere is not None and everywhere.verdict is Verdict.REFUTED:
        failing = _beyond(case, everywhere)
    first = _first(case, failing, progress) if failing else None
    judgement = _together(case, each, first, everywhere)
    return _described(case, judgement, first, everywhere)


def judged_at(case: Case, n: int | None) -> Judgement | None:
    """The judgement at one n; None where nothing is stated, or there is no such mechanism."""
    whose = Whose.ASKED if case.guarantee else Whose.NOMINAL if case.claimed is None else Whose.CLAIMED
    return judged(case.answer(n).claim, case.label, whose, Extent((n,)) if n is not None else None)


@dataclass(frozen=True)
class First:
    """The smallest n known to fail; ``searched`` says what is unknown about smaller ones, "" if all hold."""

    n: int | None
    searched: str = ""


def _first(case: Case, failing: Sequence[int | None], progress: Progress) -> First:
    """The smallest n that fails, from 1 on."""
    least = min(failing, key=lambda n: n or 0)
    if least is None or not case.setting.has_n:
        return First(least)
    if least > MOST_LOOKED or case.at(least).mechanism.count_masses() > MOST_MASSES:
        return First(least, "not all smaller n were searched")
    smaller = [n for n in range(1, least) if n not in case.answers]
    steps.Steps.of(progress).expect(len(smaller) * steps.COSTS[steps.SMALLER])
    open_ = []
    for n in range(1, least + 1):
        if n in smaller:
            progress(f"{case.label}: {steps.SMALLER}, n = {n}")
        found = judged_at(case, n)
        if found is not None and found.verdict is Verdict.REFUTED:
            least = n
            break
        open_ += [n] if found is None or found.verdict is Verdict.UNDECIDED else []
    return First(least, f"{Extent(tuple(open_)).values()} below it not decided" if open_ else "")


def _beyond(case: Case, theorem: EveryN) -> list[int | None]:
    """A failing n beyond the requested ones: where the supremum is attained, else among the doubles of the last n."""
    doubles = takewhile(lambda n: n <= FARTHEST, (case.ns[-1] << i for i in count(1)))
    for n in doubles if theorem.attained is None else [theorem.attained]:
        found = judged_at(case, n)
        if found is not None and found.verdict is Verdict.REFUTED:
            return [n]
    return []


def _together(
    case: Case, each: dict[int | None, Judgement], first: First | None, everywhere: EveryN | None
) -> Judgement | None:
    """The judgement on all n together."""
    if not each:
        return None
    seen = {n: found for n in case.answers if (found := judged_at(case, n)) is not None} if first else each
    lead = min(each.values(), key=badness)
    if set(seen) <= {None} or not case.setting.has_n:
        return _repaired(case, lead, first)
    numbered = {n: found for n, found in seen.items() if n is not None}
    theorem = _for_every_n(lead, everywhere)
    found = over_n(numbered, theorem)
    if found.verdict is Verdict.REFUTED:
        return _repaired(case, found, first)
    if everywhere is not None and everywhere.verdict is Verdict.REFUTED and theorem is not None:
        return replace(theorem, verdict=Verdict.REFUTED, extent=EVERY_N)
    return found


def _for_every_n(lead: Judgement, everywhere: EveryN | None) -> Judgement | None:
    """The judgement for every n; without a supremum the margin is that of the n that were seen."""
    if everywhere is None or everywhere.verdict is None:
        return None
    found = replace(lead, verdict=everywhere.verdict, extent=EVERY_N)
    pure = isinstance(lead.guarantee, EpsilonDelta)
    if everywhere.supremum is not None and isinstance(lead.guarantee, EpsilonDelta) and pure:
        bound = lead.guarantee.epsilon
        of = "the nominal ε" if lead.whose is Whose.NOMINAL else "the claim"
        where = "as n → ∞" if everywhere.attained is None else f"at n = {everywhere.attained}"
        margin = Margin.between(everywhere.supremum, bound, of=f"{of} {where}")
        return replace(found, quantity="true ε", value=everywhere.supremum, bound=bound, margin=margin)
    if lead.margin is None or lead.extent is None:
        return found
    return replace(found, margin=replace(lead.margin, of=f"{lead.margin.of} {lead.extent.text()}"))


def _repaired(case: Case, found: Judgement, first: First | None) -> Judgement:
    """The judgement with its smallest failing n, if that is certain, and of a pure claim the δ with which it holds."""
    if found.verdict is Verdict.PROVED:
        return found
    found = replace(found, first_n=None if first is None or first.searched else first.n)
    pure = isinstance(found.guarantee, EpsilonDelta) and not found.guarantee.delta
    if not pure or found.margin is None or found.bound is None:
        return found
    at, bound = case.at(found.margin_n if found.extent is None else found.margin_n or found.extent.ns[-1]), found.bound
    delta = case.narrow(lambda: audit.delta(at, bound, digits=6).delta)
    return replace(found, margin=replace(found.margin, repairing_delta=delta))


# ------------------------------------------------------------------ the evidence, and what else a finding says


def _described(case: Case, judgement: Judgement | None, first: First | None, everywhere: EveryN | None) -> Finding:
    mechanism = case.mechanism
    known = {n: a for n, a in case.answers.items() if isinstance(a, EpsilonResult)}
    epsilons = [answer.epsilon for answer in known.values()]
    at = list(known)[largest(epsilons)] if known else None
    shown = _evidence_n(judgement, first, at)
    origin = mechanism.describe()
    lost = _lost(case)
    caveats = {} if not known else mechanism.caveats()
    stands_for = tuple(getattr(mechanism, "notes", tuple)())
    notes = [note for note in caveats.get("notes", ()) if note not in stands_for]
    counts = mechanism.counts() if known or (judgement is not None and judgement.value is not None) else None
    own = mechanism.adjacency.text() if case.setting.adjacency else ""
    neighbors = "one record replaced" if mechanism.adjacency == REPLACE_ONE else own
    proof = _proof(case, judgement, shown)
    return Finding(
        name=case.label,
        formula=mechanism.formula_here(),
        setting=_setting_words(case),
        judgement=judgement,
        epsilon=maximum([answer.value()[1] for answer in known.values()]) if known else None,
        epsilon_n=at,
        ns=tuple(sorted(n for n in known if n is not None)),
        proof=proof,
        every_n=everywhere,
        person=person(judgement, maximum(epsilons) if known else None, mechanism.tabular),
        checked=() if shown not in known else repeated(known[shown], case.asked_at(shown), case.label),
        rests_on=(*_residual(caveats), *caveats.get("assumptions", ()), *notes),
        stands_for=stands_for,
        lost=(*lost, *([first.searched] if first and first.searched else [])),
        pairs=0 if counts is None else counts.pairs,
        outputs=0 if counts is None or not mechanism.tabular else counts.outputs,
        neighbors=neighbors,
        source=str(origin.get("source") or ""),
        sha256=str(origin.get("source_sha256") or ""),
        command=_command(case, judgement, everywhere, shown),
    )


def _evidence_n(judgement: Judgement | None, first: First | None, largest: int | None) -> int | None:
    """The n of the evidence: the first that fails, an open one, else that of the largest share."""
    if first is not None:
        return first.n
    if judgement is None or judgement.extent is None or judgement.extent.every:
        return largest
    if judgement.verdict is Verdict.UNDECIDED:
        return judgement.extent.ns[-1]
    return largest if judgement.margin_n is None else judgement.margin_n


def _setting_words(case: Case) -> str:
    """The setting with all requested n."""
    words = case.mechanism.setting_text()
    if not case.ns or not case.setting.has_n:
        return words
    return words.replace(f"n = {case.ns[-1]}", Extent(case.ns).values(), 1)


def _lost(case: Case) -> list[str]:
    """What could not be audited: "n = 3…5: reason", the n of one reason together."""
    found: dict[str, list[int]] = {}
    for n, answer in sorted(case.answers.items(), key=lambda entry: entry[0] or 0):
        if isinstance(answer, Unknown):
            found.setdefault(answer.reason, []).extend([] if n is None else [n])
    return [(f"{Extent(tuple(ns)).values()}: " if ns else "") + reason for reason, ns in found.items()]


def _residual(caveats: Any) -> tuple[str, ...]:
    words = residual_words(caveats)
    return (words,) if words else ()


def _command(case: Case, judgement: Judgement | None, everywhere: EveryN | None, n: int | None) -> str:
    """The command that decides the statement again: of a theorem the theorem's."""
    whole = judgement is not None and judgement.extent is not None and judgement.extent.every
    return everywhere.command if whole and everywhere is not None and everywhere.command else case.command(n)


def person(judgement: Judgement | None, epsilon: Enclosure | None, tabular: bool = True) -> str:
    """The meaning of the true ε for a person; where it is infinite or open, that of ε and the remaining δ.

    Without a table an infinite ε need not mean an impossible output: the losses of Gaussian noise are unbounded.
    """
    margin = None if judgement is None else judgement.margin
    repairing = None if margin is None else margin.repairing_delta
    if epsilon is None and judgement is not None and judgement.verdict is Verdict.PROVED:
        both = judgement.guarantee.epsilon_delta()
        return "" if both is None else explanation.person(both)
    if epsilon is None or (epsilon.is_open and repairing is None):
        return ""
    if not epsilon.is_infinite and not epsilon.is_open:
        everywhere = judgement is not None and judgement.extent is not None and judgement.extent.every
        supremum = judgement.value if judgement is not None and everywhere and judgement.quantity == "true ε" else None
        return explanation.person((maximum([epsilon, supremum or epsilon]).upper, Fraction(0)))
    both = None if judgement is None else judgement.guarantee.epsilon_delta()
    if both is None or repairing is None or not repairing.within(-1, 1):
        if not tabular:
            return "no ε bounds what a single output reveals; state an ε with a δ to learn how rare such outputs are"
        return "some output is possible with your record and impossible without it: seeing it gives the record away"
    rare = f"; outputs of probability at most {at_most(repairing.upper, 2)} may give it away" if tabular else ""
    return f"{explanation.person((both[0], repairing.upper))}{rare}"


def _proof(case: Case, judgement: Judgement | None, n: int | None) -> Proof | None:
    """The pair, the output and both probabilities at one n; of another quantity the pair and its value."""
    answer = case.answers.get(n)
    evidence = None if answer is None else answer.claim.evidence
    if evidence is not None and (evidence.quantity != "epsilon" or isinstance(answer, Unknown)):
        found, pair = judged_at(case, n), evidence.witness
        quantity = evidence.quantity if found is None else found.quantity
        return Proof(as_value(pair.x), as_value(pair.x_prime), quantity, evidence.value, n=n)
    if not isinstance(answer, EpsilonResult):
        return None
    pair, output = answer.witness, answer.witness.output
    p, p_prime = (_mass(case, case.at(n).mechanism, x, output) for x in (pair.x, pair.x_prime))
    shown = None if output is None else as_value(output)
    return Proof(as_value(pair.x), as_value(pair.x_prime), "true ε", answer.value()[1], shown, p, p_prime, n)


def _mass(case: Case, mechanism: Mechanism, x: Dataset, output: Output) -> Enclosure | None:
    """P_x(output) with as many significant digits as possible; None where it is unknown, or has a density."""

    def attempt() -> Enclosure:
        value = mechanism.point(x, output)
        found = (balls.enclosure(value, places, least=0, most=1) for places in range(DIGITS, 0, -1))
        return next((narrow for narrow in found if narrow), Enclosure(Fraction(0), Fraction(1), 0))

    bits = balls.bits_for(2 * DIGITS, mechanism.counts().outputs)
    return case.narrow(lambda: balls.refine(attempt, *bits)[0]) if mechanism.tabular else None


def as_value(value: Any) -> Value:
    """A data set or an output in the form of the document."""
    found = plain(value)
    return tuple(found) if isinstance(found, list) else str(found)

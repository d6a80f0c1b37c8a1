"""Collecting: the audits of a block as sections of a report. Everything certified is computed here.

A section asks what a mechanism can give (an n, a model, few outputs, a small curve), never whose it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.words import counted_words, evidence_words, precision_words
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.digits import powers, short
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_deltas
from dpaudit.privacy.protocols import text
from dpaudit.reports.block import DIGITS, Block, Case, Progress
from dpaudit.reports.chain import chain
from dpaudit.reports.document import Section, named
from dpaudit.reports.judged import epsilon_row, rows_of
from dpaudit.reports.maps import loss_maps
from dpaudit.reports.matrix import matrix
from dpaudit.reports.missing import lost, not_shown
from dpaudit.reports.pairs import MAP_DIGITS, worst_pairs
from dpaudit.reports.sentences import in_short
from dpaudit.reports.shares import Row
from dpaudit.reports.tables_some import SHOWN_AT, some

STEPS = 25
FAR = 10
"""A claimed epsilon of so many times the true one is left out of the curve."""


def audit_sections(block: Block, progress: Progress, maps: bool = True) -> Iterator[Section]:
    """Yields the sections of one block: the verdicts, what is known of every mechanism, then what its model gives."""
    rows = epsilon_rows(block, progress)
    verdicts = matrix(block, rows, progress)
    yield verdicts
    whole, block = block, block.known()
    told = [row for row in verdicts["rows"] if row["witness"]["x"] is not None or row["witness"]["evidence"]]
    if told:
        (lead,) = [case for case in whole.cases if case.label == told[0]["label"]]
        yield chain(lead, told[0], whole.to_dict(), progress)
    if block.cases:
        yield epsilon_by_n(block, rows, verdicts["rows"])
    if block.cases or told:
        yield facts(whole, progress)
        yield from lost(whole)
    if not block.cases:
        return
    shown = []
    for section in detailed(block, progress, maps):
        shown.append(section)
        yield section
    yield from not_shown(block, shown, maps)


def detailed(block: Block, progress: Progress, maps: bool) -> Iterator[Section]:
    """Yields the sections that show the distributions of every mechanism, those that can be computed."""
    curves = delta_curves(block, progress)
    yield from [curves] if curves["rows"] else []
    pairs = worst_pairs(block, progress)
    yield from [pairs] if pairs["rows"] else []
    if any(case.curve for case in block.cases):
        yield breakpoints(block)
        yield renyi(block)
    yield from sensitivities(block, progress)
    yield from loss_maps(block, progress, maps)


def epsilon_rows(block: Block, progress: Progress) -> list[Row]:
    """Returns the true epsilon of every mechanism at every n, with claim, verdict, evidence, witness and command."""
    rows: list[Row] = []
    for case in block.cases:
        rows += rows_of(case, block.ns, progress)
    return rows


def epsilon_by_n(block: Block, rows: list[Row], verdicts: list[Row]) -> Section:
    """Returns the section of the true epsilon, with what the verdicts say of it."""
    order = list(named(rows))
    every = [*rows, *deciding(block, rows, verdicts)]
    every.sort(key=lambda row: (order.index(row["mechanism"]), row["n"] or 0))
    kept = [{key: value for key, value in row.items() if key != "command"} for row in every if not row.get("reason")]
    several = len({row["n"] for row in every}) > 1
    title = "True ε against n" if several else f"True ε{block.where}"
    question = "How much privacy is really spent, and does it stay below the claim?"
    limits = {row["label"]: row["theorem"]["limit"] for row in verdicts if (row["theorem"] or {}).get("limit")}
    more: dict[str, Any] = {"finding": "; ".join(map(in_short, verdicts)), "limits": limits}
    open_ = [f"{row['mechanism']}: {row['reason']}" for row in verdicts if row["reason"]]
    more |= {"text": f"Could not be computed: {'; '.join(open_)}."} if open_ else {}
    unknown = [row for row in rows if row.get("reason")]
    judged = Counter(row["verdict"] for row in unknown if row["verdict"] not in (None, Verdict.UNDECIDED))
    more |= {"lost": len(unknown) - judged.total(), "judged": dict(judged)} if open_ else {}
    return block.section("epsilon-by-n", title, question, lambda c: c.again, kept, **more)


def deciding(block: Block, rows: list[Row], verdicts: list[Row]) -> Iterator[Row]:
    """Yields the rows of the smallest n that fails and of the largest true epsilon, where they were not asked for."""
    known = {(row["mechanism"], row["n"]) for row in rows}
    cases = {case.label: case for case in block.cases}
    for verdict in verdicts:
        for n in dict.fromkeys((verdict["smallest_failing_n"], verdict["n"])):
            if n is not None and verdict["label"] in cases and (verdict["label"], n) not in known:
                case = cases[verdict["label"]]
                yield epsilon_row(case, n, case.result(n))


def facts(block: Block, progress: Progress) -> Section:
    """Returns what was audited at the largest n, what is claimed, and what decided the claim."""
    rows = []
    for case in block.cases:
        progress(f"{case.label}: the curve δ(ε)")
        facts_of = _facts if not case.failures else _origin
        listed = [(name, value) for name, value in facts_of(case) if value not in (None, "")]
        rows += [{"mechanism": case.label, "quantity": name, **_told(case, name, value)} for name, value in listed]
    question = "What was looked at, what is claimed of it, and which number decided the claim?"
    return block.section("facts", f"The audit{block.where}", question, _of_facts, rows)


def _of_facts(case: Case) -> str | None:
    """Returns the commands that give the true epsilon, what decided, and what the curve gives, again."""
    curve = case.curve.command if not case.failures and case.curve else None
    return "\n".join(dict.fromkeys(filter(None, (case.again, case.judging(None), curve)))) or None


def _origin(case: Case) -> Iterator[tuple[str, Any]]:
    """Yields what is known of a mechanism before it is audited."""
    mechanism = case.mechanism
    yield "mechanism", mechanism.formula_here()
    yield "setting", powers(mechanism.setting_text())
    yield "source", mechanism.describe().get("source")
    yield "SHA-256 of the source", mechanism.describe().get("source_sha256")


def _facts(case: Case) -> Iterator[tuple[str, Any]]:
    mechanism, found, claim, curve = case.mechanism, case.found, case.found.claim, case.curve
    yield from _origin(case)
    yield "true ε", found.value()[1]
    yield "exactly, by algebra", found.closed_form
    yield "worst pair", f"x = {text(found.witness.x)}, x′ = {text(found.witness.x_prime)}"
    yield "worst output", text(found.witness.output)
    yield "claimed", "nothing" if claim.guarantee is None else powers(claim.guarantee.text())
    yield "verdict", None if claim.verdict is None else claim.verdict.value
    if claim.evidence is not None:
        pair = text(claim.evidence.witness.x), text(claim.evidence.witness.x_prime)
        name, where = evidence_words(claim.evidence.quantity, claim.evidence.at, *pair)
        yield "compared" if claim.verdict is Verdict.UNDECIDED else "decided by", name
        if claim.evidence.quantity != "epsilon":
            yield "its value", claim.evidence.value
            yield "at", where
    if curve is not None:
        yield "total variation", curve.total_variation
        yield "zCDP ρ", curve.rho
    yield "assumes", "; ".join(mechanism.caveats().get("assumptions", ()))
    yield "residual", mechanism.caveats().get("residual")
    yield "of note", "; ".join(mechanism.caveats().get("notes", ()))
    yield "covers", counted_words(found.counts.told(), "ordered pairs")
    yield "working precision", precision_words(found.precision_bits)


def _told(case: Case, name: str, value: Any) -> dict[str, Any]:
    """Returns the value of a fact, and how it is shown where few digits would hide the verdict on it."""
    if not isinstance(value, Enclosure):
        return {"value": value}
    evidence, known = case.found.claim.evidence, value.to_dict()
    by = {"true ε": "epsilon", "its value": evidence.quantity if evidence else ""}.get(name, "")
    words = case.told(value, by)
    return {"value": known} if words == short(known) else {"value": known, "shown": words}


def delta_curves(block: Block, progress: Progress) -> Section:
    """Returns delta(epsilon) of every mechanism at the largest n, on a grid of epsilon."""
    points = sorted({point for case in block.cases for point in _grid(case)})
    rows = []
    for case in block.cases:
        progress(f"{case.label}: δ(ε)")
        below = [at for at in points if at < case.found.epsilon.upper]
        found = case.narrow(lambda case=case, below=below: _deltas(case.mechanism, below))  # type: ignore[misc]
        if found is None:
            continue
        deltas = [worst.value for worst in found] + [exact(Fraction(0), 1)] * (len(points) - len(below))
        pairs = zip(points, falling(_with_claimed(case, points, deltas)), strict=True)
        rows += [{"mechanism": case.label, "at": str(at), "delta": delta.to_dict()} for at, delta in pairs]
    claimed = {case.label: str(at) for case in block.cases if (at := _claimed(case)) is not None}
    return block.section(
        "delta-curves",
        f"δ(ε){block.where}",
        "What δ is left over at each ε?",
        lambda case: case.setting.command_line("delta", at=powers(str(_listed(case, points)))),
        rows,
        n=block.ns[-1] if block.ns else None,
        claimed=claimed,
    )


def _with_claimed(case: Case, points: Sequence[Fraction], deltas: Sequence[Enclosure]) -> list[Enclosure]:
    """Returns the deltas, that at the claimed epsilon with the digits that decided the claim."""
    evidence = case.found.claim.evidence
    if evidence is None or evidence.quantity != "delta":
        return list(deltas)
    at = Fraction((evidence.at or {})["epsilon"])
    return [evidence.value if point == at else delta for point, delta in zip(points, deltas, strict=True)]


def falling(deltas: Sequence[Enclosure]) -> list[Enclosure]:
    """Returns enclosures of the same numbers, none of which is larger than one before: delta falls with epsilon.

    >>> found = falling([Enclosure(Fraction(a), Fraction(b), 0) for a, b in ((1, 4), (2, 5), (0, 3))])
    >>> [(int(delta.lower), int(delta.upper)) for delta in found]
    [(2, 4), (2, 4), (0, 3)]
    """
    places = max((delta.places for delta in deltas), default=0)
    lows = list(accumulate((delta.lower for delta in reversed(deltas)), max))[::-1]
    highs = accumulate((delta.upper for delta in deltas), min)
    return [
        delta if (low, high) == (delta.lower, delta.upper) else Enclosure(low, high, places)
        for delta, low, high in zip(deltas, lows, highs, strict=True)
    ]


def _listed(case: Case, points: Sequence[Fraction]) -> Fraction:
    """Returns a point that the table lists: what is claimed if delta decided it, else a step where delta is not 0."""
    claimed, evidence = _claimed(case), case.found.claim.evidence
    if claimed in points and claimed is not None and evidence is not None and evidence.quantity == "delta":
        return claimed
    steps = some([at for at in points if at != claimed or at == case.mechanism.epsilon], SHOWN_AT)
    inside = [at for at in steps if at and at < case.found.epsilon.lower]
    chosen = inside or steps or list(points)
    return chosen[len(chosen) // 2]


def _deltas(mechanism: Mechanism, points: Sequence[Fraction]) -> list[Any]:
    return Effort(DIGITS).widest(mechanism, lambda e: worst_deltas(mechanism, points, e)) if points else []


def _grid(case: Case) -> Iterator[Fraction]:
    """Yields steps beyond the nominal epsilon, where there is one, then to the true epsilon, and the claimed one."""
    nominal, true = case.mechanism.epsilon, case.found.epsilon
    yield from (nominal * Fraction(step, 20) for step in range(STEPS + 1)) if nominal else ()
    last = nominal * Fraction(STEPS, 20) if nominal else Fraction(-1)
    known = true.lower if true.is_open else true.upper
    top = known if not true.is_infinite else Fraction(0) if nominal else Fraction(2)
    steps = (Fraction(f"{float(top * step / STEPS):.3g}") for step in range(STEPS + 1))
    yield from (point for point in steps if point > last)
    claimed = _claimed(case)
    yield from [claimed] if claimed is not None and claimed <= FAR * max(top, last) else []


def _claimed(case: Case) -> Fraction | None:
    """Returns the epsilon of what is claimed, where that is epsilon and delta."""
    both = None if case.claimed is None else case.claimed.epsilon_delta()
    return None if both is None else both[0]


def breakpoints(block: Block) -> Section:
    """Returns where delta(epsilon) changes its form, with the best test there, where the curve is small enough."""
    rows = []
    for case in block.cases:
        for part in case.curve.segments if case.curve else ():
            row, pair = part.to_dict(), {"x": text(part.pair.x), "x_prime": text(part.pair.x_prime)}
            rows.append({"mechanism": case.label, **row, "to": row["to"] or "∞", **pair})
    title = f"Breakpoints and best tests{block.where}"
    question = "Where does δ(ε) = power − e^ε·α change? (α, 1 − power) are the errors of the best test: f-DP."
    return block.section("breakpoints", title, question, _of_curve, rows)


def renyi(block: Block) -> Section:
    """Returns the Renyi divergences, where the curve is small enough."""
    rows = [
        {"mechanism": case.label, "order": str(order), "divergence": value.to_dict()}
        for case in block.cases
        for order, value in (case.curve.renyi if case.curve else ())
    ]
    question = "How does the loss look to accountants that compose Rényi divergences?"
    return block.section("renyi", f"Rényi divergences{block.where}", question, _of_curve, rows)


def _of_curve(case: Case) -> str | None:
    return case.curve.command if case.curve else None


def sensitivities(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields LS, S and GS over the data sets of the largest n, for every score in use."""
    model, gamma = block.model, block.parameters().get("gamma")
    if model is None:
        return
    for score in dict.fromkeys(c.mechanism.settings().get("score", Hellinger.name) for c in block.cases if c.model):
        progress(f"sensitivities at n = {model.n}")
        found = audit.sensitivity(model.n, prior=model.prior, gamma=gamma, score=score, digits=MAP_DIGITS)
        title = f"Sensitivities of the {'Hellinger' if score == Hellinger.name else score} score, n = {model.n}"
        users = [c.label for c in block.cases if "gamma" in c.mechanism.settings()]
        used = f"S is the γ-smooth one with γ = {gamma or 1}, of {', '.join(users) or 'no mechanism here'}"
        question = f"How much does one record move the posterior, data set by data set? {used}."
        rows = found.to_dict()["datasets"]
        yield block.section("sensitivity", title, question, found.command, rows, n=model.n, gs=found.gs.to_dict())

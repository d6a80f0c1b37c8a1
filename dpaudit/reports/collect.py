"""Collecting: the audits of a block as sections of a report. Everything certified is computed here.

A section asks what a mechanism can give (an n, a model, few outputs, a small curve), never whose it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from operator import sub
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.words import evidence_words, precision_words
from dpaudit.mechanisms import Mechanism, PosteriorMechanism, posterior
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, exact, infinite
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_deltas
from dpaudit.privacy.protocols import Dataset, plain, text
from dpaudit.reports.block import DIGITS, Block, Case, Progress
from dpaudit.reports.document import Section, named

MAP_DIGITS = 6
MAP_LARGEST = 40
"""The map of all pairs is drawn for n up to this."""
MOST_OUTPUTS = 400
"""A mechanism with more outputs is left out of the charts that show every output."""
STEPS = 25
CLAIM = ("claimed", "claimed_delta", "verdict", "guarantee", "evidence")
KEPT = ("epsilon", "closed_form", *CLAIM, "witness", "precision_bits")
"""What a row of the true epsilon has of the result of ``dpaudit epsilon``."""


def audit_sections(block: Block, progress: Progress, maps: bool = True) -> Iterator[Section]:
    """Yields the sections of one block: what is known of every mechanism, then what its model gives."""
    yield epsilon_by_n(block, progress)
    yield facts(block, progress)
    yield delta_curves(block, progress)
    pairs = worst_pairs(block, progress)
    yield from [pairs] if pairs["rows"] else []
    if pairs["flat"]:
        yield worst_loss(pairs)
    if any(case.curve for case in block.cases):
        yield breakpoints(block)
        yield renyi(block)
    yield from sensitivities(block, progress)
    mapped = [(case, subject) for case in block.cases if (subject := _mapped(case)) is not None]
    yield from (loss_map(block, *one, progress) for one in mapped) if maps else [maps_left_out(block)] * bool(mapped)


def epsilon_by_n(block: Block, progress: Progress) -> Section:
    """Returns the true epsilon of every mechanism at every n, with claim, verdict, evidence and witness."""
    rows: list[dict[str, Any]] = []
    for case in block.cases:
        progress(f"{case.label}: true ε")
        for n, found in case.over(block.ns):
            kept = {key: value for key, value in found.to_dict().items() if key in KEPT}
            if kept["evidence"] and kept["evidence"]["quantity"] == "epsilon":
                kept["evidence"] = None  # it is the true epsilon of this row
            rows.append({"mechanism": case.label, "n": n, **kept})
    title = "True ε against n" if len(block.ns) > 1 else f"True ε{block.where}"
    question = "How much privacy is really spent, and does it stay below the claim?"
    return block.section("epsilon-by-n", title, question, lambda c: c.found.command, rows, finding=_finding(rows))


def _finding(rows: list[dict[str, Any]]) -> str:
    """Returns in words which mechanism exceeds its claim, how much of the claims is used, and what has no claim."""
    names = named(rows)
    by_verdict = {v: [name for name in names if any(r["verdict"] == v.value for r in names[name])] for v in Verdict}
    broken, open_ = by_verdict[Verdict.REFUTED], by_verdict[Verdict.UNDECIDED]
    parts = [f"exceeds its claim somewhere: {', '.join(broken)}"] if broken else []
    parts += [f"undecided somewhere: {', '.join(open_)}"] if open_ else []
    if not parts and by_verdict[Verdict.PROVED]:
        parts = ["no claim is exceeded"]
    shares, rest = [], []
    for name, own in names.items():
        bounds = [Fraction(row["claimed"] or 0) for row in own]
        ends = [("lower" if row["epsilon"]["upper"] == "inf" else "upper", row["epsilon"]) for row in own]
        sizes = [float(epsilon[end]) for end, epsilon in ends]
        if all(bounds):
            share = max(size / float(bound) for size, bound in zip(sizes, bounds, strict=True))
            shares.append(f"{name} {_number(100 * share, '.0f')}%")
        else:
            claim = "nothing" if own[-1]["guarantee"] is None else own[-1]["guarantee"]["text"]
            rest.append(f"{name} claims {claim}, its true ε reaches {_number(max(sizes))}")
    parts += [f"largest share of the claimed ε that is used: {', '.join(shares)}"] if shares else []
    return "; ".join(parts + rest)


def _number(value: float, form: str = ".4g") -> str:
    return "∞" if value == math.inf else format(value, form)


def facts(block: Block, progress: Progress) -> Section:
    """Returns what was audited at the largest n, what is claimed, and what decided the claim."""
    rows = []
    for case in block.cases:
        progress(f"{case.label}: the curve δ(ε)")
        listed = [{"mechanism": case.label, "quantity": name, "value": value} for name, value in _facts(case)]
        rows += [row for row in listed if row["value"] not in (None, "")]
    question = "What was looked at, what is claimed of it, and which number decided the claim?"
    return block.section("facts", f"The audit{block.where}", question, lambda c: c.found.command, rows)


def _facts(case: Case) -> Iterator[tuple[str, Any]]:
    mechanism, found, claim, curve = case.mechanism, case.found, case.found.claim, case.curve
    yield "mechanism", mechanism.formula_here()
    yield "setting", mechanism.setting_text()
    yield "source", mechanism.describe().get("source")
    yield "SHA-256 of the source", mechanism.describe().get("source_sha256")
    for said in mechanism.caveats().get("assumptions", ()):
        yield "assumes", said
    yield "residual", mechanism.caveats().get("residual")
    yield "true ε", found.epsilon.to_dict()
    yield "exactly, by algebra", found.closed_form
    yield "worst pair", f"x = {text(found.witness.x)}, x′ = {text(found.witness.x_prime)}"
    yield "worst output", text(found.witness.output)
    yield "claimed", "nothing" if claim.guarantee is None else claim.guarantee.text()
    yield "verdict", None if claim.verdict is None else claim.verdict.value
    if claim.evidence is not None:
        pair = text(claim.evidence.witness.x), text(claim.evidence.witness.x_prime)
        name, where = evidence_words(claim.evidence.quantity, claim.evidence.at, *pair)
        yield "decided by", name
        if claim.evidence.quantity != "epsilon":
            yield "its value", claim.evidence.value.to_dict()
            yield "at", where
    if curve is not None:
        yield "total variation", curve.total_variation.to_dict()
        yield "zCDP ρ", curve.rho.to_dict()
    counts = found.counts
    yield "covers", f"{counts.datasets} data sets, {counts.pairs} ordered pairs, {counts.outputs} outputs"
    yield "working precision", precision_words(found.precision_bits)


def delta_curves(block: Block, progress: Progress) -> Section:
    """Returns delta(epsilon) of every mechanism at the largest n, on a grid of epsilon."""
    points = sorted({point for case in block.cases for point in _grid(case)})
    rows = []
    for case in block.cases:
        progress(f"{case.label}: δ(ε)")
        below = [at for at in points if at < case.found.epsilon.upper]
        deltas = [worst.value for worst in _deltas(case.mechanism, below)]
        deltas += [exact(Fraction(0), 1)] * (len(points) - len(below))
        pairs = zip(points, deltas, strict=True)
        rows += [{"mechanism": case.label, "at": str(at), "delta": delta.to_dict()} for at, delta in pairs]
    half = points[len(points) // 2]
    return block.section(
        "delta-curves",
        f"δ(ε){block.where}",
        "What δ is left over at each ε?",
        lambda case: case.setting.command_line("delta", at=half if block.eps is None else block.eps / 2),
        rows,
        n=block.ns[-1] if block.ns else None,
    )


def _deltas(mechanism: Mechanism, points: Sequence[Fraction]) -> list[Any]:
    return Effort(DIGITS).widest(mechanism, lambda e: worst_deltas(mechanism, points, e)) if points else []


def _grid(case: Case) -> Iterator[Fraction]:
    """Yields steps beyond the nominal epsilon, where there is one, and from there on to the true epsilon."""
    nominal, true = case.mechanism.epsilon, case.found.epsilon
    yield from (nominal * Fraction(step, 20) for step in range(STEPS + 1)) if nominal else ()
    last = nominal * Fraction(STEPS, 20) if nominal else Fraction(-1)
    known = true.lower if true.is_open else true.upper
    top = known if not true.is_infinite else Fraction(0) if nominal else Fraction(2)
    steps = (Fraction(f"{float(top * step / STEPS):.3g}") for step in range(STEPS + 1))
    yield from (point for point in steps if point > last)


def worst_pairs(block: Block, progress: Progress) -> Section:
    """Returns both output distributions of the worst pair and the loss at every output, at the largest n."""
    known = [case for case in block.cases if not case.found.epsilon.is_open]
    chosen = [case for case in known if case.mechanism.counts().outputs <= MOST_OUTPUTS]
    left_out = ", ".join(case.label for case in block.cases if case not in chosen)
    rows = []
    for case in chosen:
        progress(f"{case.label}: worst pair")
        rows += [{"mechanism": case.label, **row} for row in _pair_rows(case)]
    return block.section(
        "worst-pairs",
        f"Output distributions of the worst pair{block.where}",
        "Which two data sets are told apart best, and by which outputs?",
        lambda c: c.setting.command_line("pmf", x=plain(c.found.witness.x)) if c in chosen else None,
        rows,
        n=block.ns[-1] if block.ns else None,
        pairs={case.label: case.found.witness.to_dict() for case in chosen},
        flat=bool(chosen) and all(c.model is not None and c.model.k == 2 for c in chosen),
        text=f"Left out, with more than {MOST_OUTPUTS} outputs or a part not known: {left_out}." if left_out else "",
    )


def _pair_rows(case: Case) -> Iterator[dict[str, Any]]:
    """Yields the outputs that are possible for one data set of the worst pair at the least."""
    mechanism, witness = case.mechanism, case.found.witness
    pair = (witness.x, witness.x_prime)
    (losses,) = Effort(MAP_DIGITS).widest(mechanism, lambda e: _loss_rows(mechanism, [pair], e.digits))
    here, there = (audit.pmf(mechanism, x=x, digits=DIGITS) for x in pair)
    for output, p, q, loss in zip(here.outputs, here.probabilities, there.probabilities, losses, strict=True):
        if p.upper or q.upper:
            shown = loss.to_dict() if p.upper and q.upper else infinite().to_dict()
            shown = shown if p.upper else dict.fromkeys(shown, "-inf")
            yield {"output": plain(output), "p": p.to_dict(), "p_prime": q.to_dict(), "loss": shown}


def worst_loss(pairs: Section) -> Section:
    """Returns the loss of the worst pairs at every output, from the section of the pairs."""
    rows = [{key: row[key] for key in ("mechanism", "output", "loss")} for row in pairs["rows"]]
    title = pairs["title"].replace("Output distributions", "Privacy loss")
    question = "At which outputs is the loss ln P_x/P_x′ large?"
    return {**pairs, "kind": "worst-loss", "title": title, "question": question, "rows": rows, "text": ""}


def _loss_rows(
    mechanism: Mechanism, pairs: Sequence[tuple[Dataset, Dataset]], digits: int = MAP_DIGITS
) -> list[list[Enclosure]]:
    """Returns for every pair (x, y) enclosures of ln P_x(r) - ln P_y(r), for the outputs possible for both."""

    def attempt(left: list[tuple[Dataset, Dataset]]) -> dict[tuple[Dataset, Dataset], list[Enclosure]]:
        law, found = mechanism.law(), {}
        for x, y in left:
            losses = map(sub, law.log_probabilities(x), law.log_probabilities(y))
            shown = [balls.enclosure(loss, digits) for loss in losses]
            known = [loss for loss in shown if loss is not None]
            if len(known) == len(shown):
                found[x, y] = known
        return found

    found = balls.refine_all(pairs, attempt, *balls.bits_for(digits, mechanism.counts().outputs))
    return [found[pair][0] for pair in pairs]


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


def _mapped(case: Case) -> PosteriorMechanism | None:
    """Returns the mechanism whose map of losses is drawn, n being at most MAP_LARGEST: pairs (x, x+1) by outputs."""
    model = case.model
    if model is None or model.k != 2:
        return None
    n = min(model.n, MAP_LARGEST)
    subject = posterior((case.setting if n == model.n else case.setting.at(n=n)).mechanism)
    fits = subject is not None and subject.count_outputs() == n + 1 and subject.adjacency == REPLACE_ONE
    return subject if fits else None


def loss_map(block: Block, case: Case, subject: PosteriorMechanism, progress: Progress) -> Section:
    """Returns for k = 2 the loss of every adjacent pair (x, x+1) at every output."""
    progress(f"{case.label}: loss map")
    n, pairs = subject.model.n, list(pairwise(subject.model.histograms))
    rows = [
        {"x": x[0], "output": output[0], "loss": loss.to_dict()}
        for (x, _), losses in zip(pairs, _loss_rows(subject, pairs), strict=True)
        for output, loss in zip(subject.outputs(), losses, strict=True)
    ]
    title = f"Privacy loss of every pair: {case.label}, n = {n}"
    question = "Where does the loss come from? A row is a pair (x, x+1), a column an output. Drawn for n up to 40."
    command = case.setting.at(n=n).command_line("epsilon") if case.setting.has_n else case.found.command
    return block.section("loss-map", title, question, command or "", rows, n=n, mechanism=case.label, folded=True)


def maps_left_out(block: Block) -> Section:
    """Returns the section that stands for the loss maps where the plan leaves them out."""
    n = min(block.ns[-1], MAP_LARGEST)
    note = "The maps of all pairs and outputs are left out here for their size; this command draws them."
    title, command = f"Privacy loss of every pair, n = {n}", replace(block, ns=(n,)).command()
    return block.section("loss-map", title, "Where does the loss come from?", command, [], n=n, text=note)


def sensitivities(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields LS, S and GS over the data sets of the largest n, for every score in use."""
    model, gamma = block.model, block.parameters().get("gamma")
    if model is None:
        return
    for score in dict.fromkeys(c.mechanism.settings().get("score", Hellinger.name) for c in block.cases if c.model):
        progress(f"sensitivities at n = {model.n}")
        found = audit.sensitivity(model.n, prior=model.prior, gamma=gamma, score=score, digits=DIGITS)
        title = f"Sensitivities of the {'Hellinger' if score == Hellinger.name else score} score, n = {model.n}"
        question = "How much does one record move the posterior, data set by data set?"
        rows = found.to_dict()["datasets"]
        yield block.section("sensitivity", title, question, found.command, rows, n=model.n, gs=found.gs.to_dict())

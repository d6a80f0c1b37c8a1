"""The answers of the studies as people read them: each a page of the same parts (``dpaudit.audit.page``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpaudit.audit.judgement import MARKS, Margin, Whose, judged
from dpaudit.audit.page import (
    COLOURS,
    Against,
    Command,
    Fields,
    Headline,
    Line,
    Note,
    Page,
    Part,
    Table,
    Words,
    badge,
    strong,
)
from dpaudit.audit.words import again, answer_fields, caveat_rows, evidence_rows, extent_of, pair_text, subject_rows
from dpaudit.numbers.digits import at_least, decimal, powers, rough
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from dpaudit.studies.accuracy.accuracy import AccuracyResult
    from dpaudit.studies.calibrate.gammas import GammaResult
    from dpaudit.studies.calibrate.nominal import CalibrateResult
    from dpaudit.studies.calibrate.releases import CalibrateReleasesResult
    from dpaudit.studies.compare.on_data import CompareResult, Performance
    from dpaudit.studies.compare.ranges import RangeResult
    from dpaudit.studies.release.release import Released, ReleaseResult
    from dpaudit.studies.samples.samples import SamplesResult
    from dpaudit.studies.search.search import Place, SearchResult


STEPS = 12
"""Steps in the table; JSON has all."""


def accuracy_page(result: AccuracyResult) -> Page:
    """The numbers, the first steps of the law, and the documents' bounds."""
    rows: list[Line] = [("data x", result.x), ("distance", result.metric)]
    rows += [("mean", strong(result.mean)), ("median", result.median)]
    rows += [(f"quantile {level}", value) for level, value in result.quantiles]
    if result.probability is not None:
        rows.append((f"Pr[< {result.t}]", strong(result.probability)))
    steps = [result.step(i) for i in range(min(STEPS, len(result.law)))]
    shown = [(step.distance, step.outputs, step.probability, step.cumulative) for step in steps]
    more = len(result.law) - STEPS
    return [
        answer_fields(result.subject, rows, result.command),
        Table(["distance", "outputs", "probability", "Pr[≤ distance]"], shown),
        *([Note(f"… and {more} more steps: --json has them all")] if more > 0 else []),
        *_accuracy_bounds(result),
    ]


def _accuracy_bounds(result: AccuracyResult) -> list[Part]:
    """The documents' bounds with their verdicts."""
    if not result.bounds:
        return [Note("The documents state no bound for this mechanism, distance and k.")]
    rows = []
    for bound in result.bounds:
        verdict = badge(bound.verdict)
        if bound.thresholds > 1:
            verdict = Words(verdict, f" at {bound.failing or bound.thresholds} of {bound.thresholds} t")
        numbers = [bound.t, bound.kappa, bound.probability, bound.value, bound.margin]
        rows.append([bound.claim, bound.statement, *numbers, verdict])
    columns = ["claim", "statement", "at t", "κ", "here", "bound", "margin", "verdict"]
    all_t = "Each bound at every t that separates two distances; the row shows the worst. --t asks for one."
    return [Table(columns, rows, prose=["statement"]), *([Note(all_t)] if result.t is None else [])]


def calibrate_page(result: CalibrateResult) -> Page:
    """The nominal epsilon found, and what it rests on."""
    gain = rough(result.nominal / result.target, 4)
    nominal = Words(strong(result.nominal), f" = {at_least(result.nominal, 8)}, {gain} × the target")
    rows: list[Line] = [
        ("target", f"true ε ≤ {result.target}"),
        ("nominal ε", nominal),
        ("true ε", Against(result.true_epsilon, result.target)),
    ]
    if result.beyond:
        rows.append(
            ("next up", Words(f"{result.beyond.nominal}: true ε = ", Against(result.beyond.true, result.target)))
        )
    if result.closed_form:
        rows.append(("closed form", f"true ε = {result.closed_form}, for every ε > 0"))
    else:
        rising = "rise strictly" if result.monotone else "do not rise strictly"
        rows.append(("evaluated", f"{len(result.points)} certified points, whose true ε {rising}"))
    rows.append(("assumes", result.assumption))
    return [
        _calibrated(result),
        answer_fields(result.subject, rows, result.command, [("effort", f"{result.seconds:.3f} s")]),
    ]


def _calibrated(result: CalibrateResult) -> Headline:
    """The target, proved at the nominal epsilon that was found."""
    stated = Claim(EpsilonDelta(result.target), Verdict.PROVED)
    judgement = judged(stated, result.subject.label, Whose.ASKED, extent_of(result.subject))
    assert judgement is not None
    used = Margin.between(result.true_epsilon, result.target, of="the target").text(Verdict.PROVED)
    first = Headline.of(judgement)
    return replace(first, sentence=f"{first.sentence} with nominal ε = {rough(result.nominal, 8)}", more=used)


def releases_page(result: CalibrateReleasesResult) -> Page:
    """The parameter found for a pipeline, what it spends with it, and the next value that would be too little."""
    name, target = result.parameter, result.target
    at = f"δ({powers(str(target.epsilon))})"
    rows: list[Line] = [("releases", event) for event in result.events]
    rows += [(name, Words(strong(decimal(str(result.value))), f", {result.superlative}"))]
    rows += [(at, Against(result.delta, target.delta))]
    if result.beyond is None:
        rows.append(("next", f"there is none: {name} = {decimal(str(result.value))} is the end of its range"))
    else:
        word = f", {result.beyond.verdict.value}"
        value = decimal(str(result.beyond.value))
        rows.append(("next", Words(f"{value}: {at} = ", Against(result.beyond.delta, target.delta), word)))
    rows += [("assumes", result.assumption), ("adjacency", result.adjacency)]
    rows += [("effort", f"{result.trials} values tried, {result.seconds:.2f} s"), ("check", Command(result.check))]
    rows += [("again", Command(result.command or ""))]
    sentence = f"{target.text()}: {Verdict.PROVED.value} with {name} = {decimal(str(result.value))}"
    return [Headline(MARKS[Verdict.PROVED], COLOURS[Verdict.PROVED], sentence), Fields(rows)]


def gammas_page(result: GammaResult) -> Page:
    """The best gamma, and the table of those tried."""
    best = result.best
    answer = Words(strong(best.gamma), f", nominal ε {best.calibrated.nominal}, mean error ", best.mean)
    rows: list[Line] = [
        ("mechanism", result.subject.mechanism.name),
        ("target", f"true ε ≤ {result.target}"),
        ("data x", result.x),
        ("best γ", answer),
    ]
    if len(result.equal) > 1:
        rows.append(("equal to 6 digits", ", ".join(str(gamma) for gamma in result.equal)))
    tried = [(row.gamma, row.calibrated.nominal, row.calibrated.true_epsilon, row.mean) for row in result.tried]
    columns = ["γ", "nominal ε", "true ε", "mean error"]
    return [Fields(again(rows, result.command)), Table(columns, tried, bold=result.tried.index(best))]


SORTED = {
    "calibrated": "mean error at equal true ε",
    "mean": "mean error at equal nominal ε",
    "true": "true ε at equal nominal ε",
}
POINTS = 12
"""About so many points of a range are in the text; JSON has all."""
BRIEF = 6
"""Significant digits in the table of a range."""


def compare_page(result: CompareResult, most: int) -> Page:
    """The winner, the data, and the table of mechanisms; quantiles are computed up to ``most`` outputs."""
    model = result.model
    others = f" (equal to 6 digits: {', '.join(result.tied)})" if len(result.tied) > 1 else ""
    rows = [
        ("winner", Words(strong(result.winner), others)),
        ("sorted by", SORTED[result.sort]),
        ("data x", result.x),
        ("model", f"n = {model.n}, k = {model.k}, prior {text(model.prior)}"),
        ("distance", result.metric),
    ]
    nominal, calibrated = [], []
    for row in result.entries:
        nominal.append([row.label, row.guarantee.text() if row.guarantee else "nothing", *_performance(row.nominal)])
        there = row.calibrated
        cells = (
            ["too large a job", "", ""] if there is None else [decimal(str(there.nominal), 8), *_performance(there)[1:]]
        )
        calibrated.append([row.label, *cells])
    last = ["mean error", "90 % within"]
    at_true = Table(["mechanism", "nominal ε", *last], calibrated, title=f"At equal true ε = {result.target}")
    at_nominal = ["mechanism", "claimed", "true ε", *last]
    parts: list[Part] = [Fields(again(rows, result.command)), at_true]
    parts.append(Table(at_nominal, nominal, title=f"At equal nominal ε = {result.target}"))
    if not all(row.nominal.quantiles for row in result.entries):
        parts.append(Note(f"Quantiles are computed up to {most} outputs; dpaudit accuracy has them beyond that."))
    return parts


def _performance(found: Performance) -> list[Any]:
    """True epsilon, mean and 9/10 quantile."""
    tail: Any = next((value for level, value in found.quantiles if level * 10 == 9), "not computed")
    return [found.true or "too large a job", found.mean, tail]


def range_page(result: RangeResult) -> Page:
    """A few points, and the crossovers."""
    kind = "true" if result.calibrated else "nominal"
    size = f"{len(result.points)} of {result.over}"
    stride, rows = max(1, len(result.points) // POINTS), []
    for point in result.points[::stride]:
        means = (value.shortened(BRIEF) for value in point.means.values())
        rows.append([point.at, point.x, *means, point.winner])
    about = [("compared at", f"{kind} ε = {result.epsilon}"), ("points", size)]
    parts: list[Part] = [Fields(again(about, result.command))]
    parts.append(Table([result.over, "data x", *result.points[0].means, "least"], rows))
    if stride > 1:
        parts.append(Note("Every point, with certified enclosures: --json or --csv."))
    if not result.crossovers:
        parts.append(Note(f"No two mechanisms change their order on these {len(result.points)} points."))
    for crossover in result.crossovers:
        parts.append(Note(f"from {result.over} = {crossover.at} on, {crossover.better} beats {crossover.worse}"))
    return parts


def search_page(result: SearchResult) -> Page:
    """The region, the finding and its places."""
    region, subject = result.to_dict()["region"], result.subject.mechanism
    shown = {"n": region["n"], "k": region["k"], "ε": region["eps_between"] or region["eps"], "prior": region["prior"]}
    where = [f"{name} = {value}" for name, value in shown.items() if value is not None]
    where += [f"prior entries in {region['prior_box']}"] if region["prior_box"] else []
    judged = result.judgement
    first = Headline.neutral("no violation found") if judged is None else Headline.of(judged)
    parameters = "".join(f", {name} = {value}" for name, value in subject.settings().items() if name != "n")
    rows: list[Line] = [("mechanism", subject.name + parameters), ("region", "; ".join(where))]
    if result.minimal and (result.minimal.n is not None or result.minimal.result is not result.largest.result):
        least = "smallest n" if result.exhaustive else "least n found"
        rows += _place("violated" if result.minimal.n is None else least, result.minimal)
    rows += _place("largest ratio", result.largest)
    if not result.exhaustive:
        rows.append(("", "a free optimum: where the optimizer stopped; certified there, larger ones may exist"))
    if result.exhaustive:
        rows.append(("certified", f"{result.places} settings: {result.exhaustive}"))
    rows += [("screened", result.screened), ("effort", f"{result.seconds:.1f} s")]
    return [first, Fields(again(rows, result.command))]


def _place(title: str, found: Place) -> list[Line]:
    """One certified place as rows: the ratio, the setting with its witness, what else decided the claim."""
    result, witness = found.result, found.result.witness
    bound = "nominal" if result.claim.epsilon is None else "claimed"
    pair = f"{pair_text(witness)}, output {text(witness.output)}"
    place = "; ".join(part for part in (result.subject.mechanism.setting_text(), pair) if part)
    rows: list[Line] = [
        (title, Words(f"true ε / {bound} ε {'' if found.ratio.is_open else '= '}", found.ratio)),
        ("", place),
    ]
    if result.claim.guarantee is None or (result.claim.epsilon is not None and not result.claim.delta):
        return rows
    judged = result.judgement
    said = "" if judged is None else judged.sentence()
    return [*rows, ("", Words(said, *(part for _, value in evidence_rows(result.claim) for part in ("; ", value))))]


def samples_page(result: SamplesResult, lower: str, ceiling: str) -> Page:
    """What the counts show: the claim, the event, the limits of the method; both bounds as decimals."""
    how = "the event named in advance" if result.registered else f"{result.tests} tests, the error shared among them"
    off = f", δ = {result.delta}" if result.delta else ""
    sure = f"with confidence {decimal(str(result.confidence))}"
    rows: list[Line] = [("shown", Words(strong(f"ε ≥ {lower}"), f"{off} {sure} ({how})"))]
    judged, first = result.judgement, []
    if judged is not None:
        unproved = "" if judged.verdict is Verdict.REFUTED else "; sampling cannot prove it"
        first = [replace(Headline.of(judged), more=f"{judged.margin_text()}, {sure}{unproved}")]
    seen = result.shown
    if seen is not None:
        rows.append(("pair", f"x = {seen.x}, x′ = {seen.x_prime}"))
        rows.append(("event", ", ".join(seen.event)))
        rows.append(("counts", f"{seen.count} of {seen.of} for x, {seen.count_prime} of {seen.of_prime} for x′"))
    rows.append(("at best", f"ε = {ceiling}: so many samples show no more than that, whatever the code does"))
    for reach in result.reach:
        rows.append((f"at {reach.at}", Words("ε = ", reach.epsilon, ": events this likely show no more")))
    fits = [(fit.x, badge(fit.verdict), fit.output or "", fit.why) for fit in result.fit]
    table = [Table(["data x", "is it this law?", "output", "why"], fits, prose=["why"])] if fits else []
    often = "Hardly an output occurs twice, so no event of one output shows anything: return fewer, round(r, 1)."
    hint = [Note(often)] if result.scattered else []
    return [*first, Fields(again(rows, result.command)), *table, *hint]


RELEASES = 40
"""More releases than this are listed in the JSON only."""


def release_page(result: ReleaseResult) -> Page:
    """What was released, what the audit says, what it cost."""
    many = len(result.released)
    value = Against(result.epsilon, result.audited.bound())
    rows: list[Line] = [*subject_rows(result.subject), ("true ε", Words(strong(value), " of one release"))]
    rows += evidence_rows(result.claim, "epsilon")
    if not many:
        nothing = Words("nothing", style="bold red")
        rows = [("released", Words(nothing, ": the claim is not proved")), *rows]
    elif many == 1:
        rows = [*_released(result.released[0]), *rows]
    rows += _cost(result, many) if many else []
    rows += [*([("audit", result.audit)] if result.audit else []), *caveat_rows(result.subject)]
    parts: list[Part] = [result.audited.headline(), Fields(again(rows, result.command))]
    if many > 1:
        shown = result.released[:RELEASES]
        if shown[0].parameters is None:
            parts.append(Table(["output"], [(found.output,) for found in shown]))
        else:
            listed = [(found.output, ", ".join(found.parameters or ())) for found in shown]
            parts.append(Table(["output", "released Dir(…)"], listed))
    if many > RELEASES:
        parts.append(Note(f"{many - RELEASES} more: --json"))
    return parts


def _released(found: Released) -> list[Line]:
    """The output; for a posterior its parameters too."""
    if found.parameters is None:
        return [("released", strong(found.output))]
    posterior = Words(strong(f"Dir({', '.join(found.parameters)})"), f": prior + counts {text(found.counts)}")
    return [("released", posterior), ("output", found.output)]


def _cost(result: ReleaseResult, many: int) -> list[Line]:
    """Where the bits came from, what was spent and what one more release would make of it."""
    kind = "release" if many == 1 else "releases"
    return [
        ("randomness", result.randomness),
        ("spent", Words(result.spent, f" by {many} {kind} of these data")),
        ("one more", Words(result.after_one_more, " in all")),
    ]

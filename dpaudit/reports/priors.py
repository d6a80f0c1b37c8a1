"""The study of priors: true over nominal ε for equal priors (a, a), over n and ε."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.audit.judgement import badness
from dpaudit.audit.results import EpsilonResult
from dpaudit.audit.setting import Setting
from dpaudit.charts.draw import Level
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_numbers
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.block import DIGITS, MOST_POINTS, Block, Case
from dpaudit.reports.document import Finding, Section
from dpaudit.reports.judge import finding
from dpaudit.reports.plan import PRIORS, check_keys, exact_list
from dpaudit.reports.steps import COSTS, Job, Progress
from dpaudit.reports.table import Cell, Figure, Look, Table


def prepare(study: dict[str, Any]) -> Job:
    """The checked job of a [[study]] of kind "priors"."""
    check_keys("study", study, "mech", "n", "priors", "eps")
    ns = whole_numbers("n", study.get("n", "10,20,50,100,200"), most=MOST_POINTS)
    block = Block.read(str(study.get("mech", PRIORS)), n=ns[-1])
    if block.model is None or len(block.settings) > 1:
        raise InputError("mech", study["mech"], f"must be one of the posterior family: {', '.join(REGISTRY)}")
    alphas = exact_list("priors", study.get("priors", ["1/100", "1/10", "1/2", "1", "5"]))
    epsilons = exact_list("eps", study.get("eps", ["1"]))
    steps, cases = len(ns) + 1, len(alphas) * len(epsilons)
    run = partial(_run, block.settings[0], ns, alphas, epsilons)
    return Job("study of priors", cases * steps, cases * (len(ns) + COSTS["what is known for every n"]), run)


def _run(
    setting: Setting, ns: Sequence[int], alphas: Sequence[Fraction], epsilons: Sequence[Fraction], progress: Progress
) -> Iterator[Section | Finding]:
    """Yields for every ε the finding on the worst prior, then the ratios of all priors."""
    for eps in epsilons:
        places = [(a, setting.at(eps=eps, n=ns[-1], prior=[a, a])) for a in alphas]
        cases = [Case(f"{setting.label}, ε = {eps}, prior ({a}, {a})", at, ns=tuple(ns)) for a, at in places]
        found = [finding(case, progress) for case in cases]
        judged = [one for one in found if one.judgement is not None]
        yield min(judged, key=lambda one: badness(one.judgement)) if judged else found[0]  # type: ignore[arg-type]
        yield _ratios(setting.label, ns, alphas, eps, cases, found)
        yield _firsts(setting.label, alphas, eps, found)


def _ratios(
    name: str,
    ns: Sequence[int],
    alphas: Sequence[Fraction],
    eps: Fraction,
    cases: Sequence[Case],
    found: Sequence[Finding],
) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for a, case in zip(alphas, cases, strict=True):
        for n in ns:
            answer = case.answer(n)
            if isinstance(answer, EpsilonResult) and not answer.epsilon.is_infinite:
                value = answer.value()[1]
                ratio = outward(value.lower / eps, value.upper / eps, DIGITS)
                rows.append((f"a = {a}", n, ratio, answer.claim.verdict))
    table = Table.of("prior (a, a) | n: count | true ε / ε: enclosure | verdict: verdict", rows)
    failing = [one for one in found if one.judgement and one.judgement.verdict is Verdict.REFUTED]
    said = f"{name}: with {len(failing)} of {len(found)} priors the true ε exceeds the nominal ε = {eps}"
    figure = Figure(
        Look.LINES, said, "n", "true ε / ε", by="prior (a, a)", x_label="number of records n",
        y_label="true ε / nominal ε", marks=(Level(Fraction(1), "the nominal ε"),), log_x=True, ordered=True,
    )  # fmt: skip
    commands = tuple(case.command(ns[-1]) for case in cases)
    title = f"{name}: true ε over nominal ε by prior, ε = {eps}"
    return Section("priors", title, figure, table, commands=commands, main=True)


def _firsts(name: str, alphas: Sequence[Fraction], eps: Fraction, found: Sequence[Finding]) -> Section:
    """The n that fails, whether it is the smallest, and the limit, prior by prior."""
    heads = "prior (a, a) | statement | verdict: verdict | fails at n: count | smaller n | limit n → ∞: enclosure"
    rows: list[tuple[Cell, ...]] = []
    for a, one in zip(alphas, found, strict=True):
        judged, every = one.judgement, one.every_n
        fails = judged is not None and judged.verdict is Verdict.REFUTED and one.proof is not None
        n = one.proof.n if fails and one.proof is not None else None
        smaller = "" if judged is None or n is None else "all hold" if judged.first_n == n else "not all searched"
        said = ("", None) if judged is None else (judged.statement, judged.verdict)
        rows.append((f"a = {a}", *said, n, smaller, every.limit if every else None))
    return Section("first-n", f"{name}, ε = {eps}: first n that fails, by prior", table=Table.of(heads, rows))

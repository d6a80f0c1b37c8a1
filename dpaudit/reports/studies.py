"""Studies: sections that look across priors, at accuracy, or at the documents' claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.setting import Setting
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_numbers
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import verdict
from dpaudit.reports import accuracy_study
from dpaudit.reports.block import DIGITS, MOST_POINTS, Block, Job, Progress, check_keys, exact_list
from dpaudit.reports.document import Section


def prepare(study: dict[str, Any]) -> Job:
    """Returns the checked job of one [[study]] of a plan; its "kind" says which."""
    kind = study.get("kind")
    if kind not in STUDIES:
        raise InputError("study kind", str(kind), f"must be one of {', '.join(STUDIES)}")
    return STUDIES[kind]({key: value for key, value in study.items() if key != "kind"})


def prepare_priors(study: dict[str, Any]) -> Job:
    """Returns the study of true epsilon / nominal epsilon over equal priors (a, a), n and epsilon."""
    check_keys("study", study, "mech", "n", "priors", "eps")
    ns = whole_numbers("n", study.get("n", "10,20,50,100,200"), most=MOST_POINTS)
    block = Block.read(str(study.get("mech", "EHDL")), n=ns[-1])
    if block.model is None or len(block.settings) > 1:
        raise InputError("mech", study["mech"], f"must be one of the posterior family: {', '.join(REGISTRY)}")
    alphas = exact_list("priors", study.get("priors", ["1/100", "1/10", "1/2", "1", "5"]))
    return partial(_priors, block.settings[0], ns, alphas, exact_list("eps", study.get("eps", ["1"])))


def _priors(
    setting: Setting, ns: Sequence[int], alphas: Sequence[Fraction], epsilons: Sequence[Fraction], progress: Progress
) -> Iterator[Section]:
    name = setting.label
    for eps in epsilons:
        rows = []
        for alpha in alphas:
            progress(f"{name}: prior ({alpha}, {alpha}), ε = {eps}")
            rows += [ratio(name, n, alpha, eps) for n in ns]
        each = (setting.at(eps=eps, n=ns[-1], prior=[a, a]).command_line("epsilon") or "" for a in alphas)
        yield {
            "kind": "prior-study",
            "title": f"{name}: true ε over nominal ε, prior (a, a), ε = {eps}",
            "question": "For which priors and n does the true ε exceed the nominal one?",
            "command": "\n".join(each),
            "setting": {"mechanism": name, "n": list(ns), "eps": str(eps), "priors": [str(a) for a in alphas]},
            "rows": rows,
            "finding": _first_violations(rows),
        }


def _first_violations(rows: list[dict[str, Any]]) -> str:
    """Returns in words for which priors the true epsilon exceeds the nominal one, and from which n of the list on."""
    least: dict[str, int] = {}
    for row in rows:
        if row["verdict"] == Verdict.REFUTED.value:
            least.setdefault(row["mechanism"], row["n"])
    if not least:
        return "true ε ≤ ε everywhere here"
    return "true ε > ε first at " + ", ".join(f"n = {n} for prior {prior}" for prior, n in least.items())


def ratio(name: str, n: int, alpha: Fraction, eps: Fraction) -> dict[str, Any]:
    """Returns one row of the study of priors."""
    found = audit.epsilon(name, n=n, prior=[alpha, alpha], eps=eps, digits=DIGITS + 2).epsilon
    lower, upper = found.lower / eps, found.upper / eps
    return {
        "mechanism": f"({alpha}, {alpha})",
        "n": n,
        "eps": str(eps),
        "ratio": outward(lower, upper, DIGITS).to_dict(),
        "verdict": verdict(found, eps).value,
    }


def prepare_claims(patterns: tuple[str, ...]) -> Job:
    """Returns the job that checks the claims; unknown ids are refused here."""
    from dpaudit.claims.catalogue import load

    asked = () if patterns == ("*",) else patterns
    return partial(claims, patterns, load().choose(asked))


def claims(patterns: tuple[str, ...], chosen: Sequence[str], progress: Progress) -> Iterator[Section]:
    """Yields the board of the claims and how close each came to failing."""
    from dpaudit.claims.runner import decide

    progress(f"checking {len(chosen)} claims")
    results = decide(
        chosen, progress=lambda result, done, total: progress(f"{done} of {total} claims checked: {result.claim.id}")
    )
    rows = [{key: value for key, value in result.to_dict().items() if key != "seconds"} for result in results]
    wanted = " ".join(chosen) if patterns != ("*",) else ""
    shared = {"command": f"dpaudit check {wanted}".strip(), "setting": {"claims": list(patterns)}}
    yield {
        "kind": "claims",
        "title": "The claims",
        "question": "Which claims are true, which false, which hold in another form only? Open one for its evidence.",
        **shared,
        "rows": rows,
        "finding": f"{len(rows)} claims, each with its evidence",
    }
    margins = [
        {"id": row["id"], "verdict_of": row["verdict"], "margin": row[role]["margin"]}
        for row in rows
        for role in ("counterexample", "tightest")
        if role in row
    ]
    yield {
        "kind": "margins",
        "title": "How close each inequality comes",
        "question": "By how much does the tightest instance hold, or the first counterexample fail?",
        **shared,
        "rows": margins,
    }


STUDIES: dict[str, Callable[[dict[str, Any]], Job]] = {"priors": prepare_priors, "accuracy": accuracy_study.prepare}

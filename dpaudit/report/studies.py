"""Studies: sections that look across priors, at accuracy, or at the documents' claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dpaudit import audit
from dpaudit.errors import InputError
from dpaudit.mechanisms import lookup
from dpaudit.privacy_loss import verdict
from dpaudit.report.collect import DIGITS
from dpaudit.report.document import Section

Progress = Callable[[str], None]


def run(study: dict[str, Any], progress: Progress) -> Iterator[Section]:
    """Yields the sections of one [[study]] of a plan; its "kind" says which."""
    kind = study.get("kind")
    if kind not in STUDIES:
        raise InputError("study kind", str(kind), f"must be one of {', '.join(STUDIES)}")
    yield from STUDIES[kind]({key: value for key, value in study.items() if key != "kind"}, progress)


def priors(study: dict[str, Any], progress: Progress) -> Iterator[Section]:
    """Yields true epsilon / nominal epsilon over equal priors (a, a), n and epsilon, for one mechanism."""
    from dpaudit.report.plan import exact_list, read_range

    name = lookup(str(study.get("mech", "EHDL"))).name
    ns = read_range("n", study.get("n", "10,20,50,100,200"))
    alphas = exact_list("priors", study.get("priors", ["1/100", "1/10", "1/2", "1", "5"]))
    for eps in exact_list("eps", study.get("eps", ["1"])):
        rows = []
        for alpha in alphas:
            progress(f"{name}: prior ({alpha}, {alpha}), ε = {eps}")
            rows += [_ratio(name, n, alpha, eps) for n in ns]
        yield {
            "kind": "prior-study",
            "title": f"{name}: true ε over nominal ε, prior (a, a), ε = {eps}",
            "question": "For which priors and n does the true ε exceed the nominal one?",
            "command": f"dpaudit epsilon --mech {name} --n {ns[-1]} --prior {alphas[0]},{alphas[0]} --eps {eps}",
            "setting": {"mechanism": name, "n": list(ns), "eps": str(eps), "priors": [str(a) for a in alphas]},
            "rows": rows,
        }


def _ratio(name: str, n: int, alpha: Fraction, eps: Fraction) -> dict[str, Any]:
    found = audit.epsilon(name, n=n, prior=[alpha, alpha], eps=eps, digits=DIGITS + 2).epsilon
    lower, upper = found.lower / eps, found.upper / eps
    from dpaudit.enclosure import outward

    return {
        "mechanism": f"({alpha}, {alpha})",
        "n": n,
        "eps": str(eps),
        "ratio": outward(lower, upper, DIGITS).to_dict(),
        "verdict": verdict(found, eps).value,
    }


def claims(patterns: tuple[str, ...], progress: Progress) -> Iterator[Section]:
    """Yields the board of the documents' claims and how close each came to failing."""
    from proofs_checks import registry, runner

    known = list(registry.load())
    chosen = known if patterns == ("*",) else registry.select(patterns, known)
    progress(f"checking {len(chosen)} claims")
    results = runner.run_many(
        chosen, progress=lambda result, done, total: progress(f"{done} of {total} claims checked: {result.claim.id}")
    )
    rows = [{key: value for key, value in result.to_dict().items() if key != "seconds"} for result in results]
    wanted = " ".join(chosen) if patterns != ("*",) else ""
    shared = {"command": f"dpaudit check {wanted}".strip(), "setting": {"claims": list(patterns)}}
    yield {
        "kind": "claims",
        "title": "The claims of the five documents",
        "question": "Which claims are true, which false, which hold in another form only? Open one for its evidence.",
        **shared,
        "rows": rows,
    }
    margins = [
        {"id": row["id"], "verdict": row["verdict"], "margin": row[role]["margin"]}
        for row in rows
        for role in ("counterexample", "tightest")
        if role in row
    ]
    yield {
        "kind": "margins",
        "title": "How close each inequality comes",
        "question": "By how much does the tightest instance hold, or the smallest counterexample fail?",
        **shared,
        "rows": [{**row, "verdict_of": row.pop("verdict")} for row in margins],
    }


STUDIES = {"priors": priors}

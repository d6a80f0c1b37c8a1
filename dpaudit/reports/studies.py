"""Studies: sections that look across priors, at accuracy, or at the documents' claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.setting import Setting
from dpaudit.claims.outcome import BY_ALGEBRA
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_numbers
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports import accuracy_study
from dpaudit.reports.block import DIGITS, MOST_POINTS, Block, Case, Job, Progress, check_keys, exact_list
from dpaudit.reports.chain import chain
from dpaudit.reports.document import Section
from dpaudit.reports.expected import losses, theorem
from dpaudit.reports.judged import epsilon_row
from dpaudit.reports.matrix import QUESTION, TITLE, verdict_row
from dpaudit.reports.shares import Row, quotient
from dpaudit.reports.steps import Sized
from dpaudit.reports.verdict import badness

CLAIM = 0.3
"""About the seconds of a claim of weight 1, two at a time."""


def prepare(study: dict[str, Any]) -> Job:
    """Returns the checked job of one [[study]] of a plan; its "kind" says which."""
    kind = study.get("kind")
    if kind not in STUDIES:
        raise InputError("kind", str(kind), f"must be one of {', '.join(STUDIES)}")
    return STUDIES[kind]({key: value for key, value in study.items() if key != "kind"})


def prepare_priors(study: dict[str, Any]) -> Job:
    """Returns the study of true epsilon / nominal epsilon over equal priors (a, a), n and epsilon."""
    check_keys("study", study, "mech", "n", "priors", "eps")
    ns = whole_numbers("n", study.get("n", "10,20,50,100,200"), most=MOST_POINTS)
    block = Block.read(str(study.get("mech", "EHDL")), n=ns[-1])
    if block.model is None or len(block.settings) > 1:
        raise InputError("mech", study["mech"], f"must be one of the posterior family: {', '.join(REGISTRY)}")
    alphas = exact_list("priors", study.get("priors", ["1/100", "1/10", "1/2", "1", "5"]))
    epsilons = exact_list("eps", study.get("eps", ["1"]))
    run = partial(_priors, block.settings[0], ns, alphas, epsilons)
    case, rounds = block.cases[0], len(epsilons) * len(alphas)
    each = {", n = ": losses(case, ns) / len(ns), "what is known for every n": theorem(case)}
    return Sized(run, rounds * (len(ns) + 2), rounds * (losses(case, ns) + theorem(case)), each)


def _priors(
    setting: Setting, ns: Sequence[int], alphas: Sequence[Fraction], epsilons: Sequence[Fraction], progress: Progress
) -> Iterator[Section]:
    """Yields for every epsilon the verdict on the worst prior with its evidence, and the ratios of all."""
    name = setting.label
    for eps in epsilons:
        cases = {alpha: _case(setting, ns[-1], alpha, eps) for alpha in alphas}
        found = {alpha: [_at(case, n, progress) for n in ns] for alpha, case in cases.items()}
        verdicts = {alpha: verdict_row(case, found[alpha], progress) for alpha, case in cases.items()}
        words = {"mechanism": name, "n": list(ns), "eps": str(eps), "priors": [str(a) for a in alphas]}
        finding = _finding(list(verdicts.values()))
        worst = min(alphas, key=lambda alpha: badness(verdicts[alpha]))
        row = {**verdicts[worst], "text": f"{verdicts[worst]['text']} {finding}"}
        commands = "\n".join(case.setting.command_line("epsilon") or "" for case in cases.values())
        yield {
            "kind": "matrix",
            "title": TITLE,
            "question": QUESTION,
            "command": row["command"],
            "setting": {},
            "rows": [row],
        }
        yield chain(cases[worst], row, words, progress)
        yield {
            "kind": "prior-study",
            "title": f"{name}: true ε over nominal ε, prior (a, a), ε = {eps}",
            "question": "For which priors and n does the true ε exceed the nominal one?",
            "command": commands,
            "setting": words,
            "rows": [ratio_row(alpha, eps, row["n"], row["epsilon"]) for alpha, own in found.items() for row in own],
            "priors": [_of_prior(alpha, row) for alpha, row in verdicts.items()],
            "finding": finding,
        }


def _case(setting: Setting, n: int, alpha: Fraction, eps: Fraction) -> Case:
    return Case(f"{setting.label}, prior {_prior(alpha)}, ε = {eps}", setting.at(eps=eps, n=n, prior=[alpha, alpha]))


def _prior(alpha: Fraction) -> str:
    return f"({alpha}, {alpha})"


def _at(case: Case, n: int, progress: Progress) -> Row:
    progress(f"{case.label}, n = {n}")
    return epsilon_row(case, n, audit.epsilon(case.setting.at(n=n), digits=DIGITS + 2))


def _of_prior(alpha: Fraction, row: Row) -> dict[str, Any]:
    """Returns of one prior the smallest n that exceeds, how it was found, and the limit n → ∞ where it is known."""
    theorem = row["theorem"] or {"limit": None, "verdict": None}
    found = {"smallest_failing_n": row["smallest_failing_n"], "looked_at": row["looked_at"], "word": row["word"]}
    return {"prior": _prior(alpha), **found, "limit": theorem["limit"], "for_every_n": theorem["verdict"]}


def _finding(verdicts: list[Row]) -> str:
    """Returns in words which priors exceed, each with its smallest n, and which of the others do for larger n."""
    failing = [row for row in verdicts if row["outcome"] == Verdict.REFUTED]
    others = [row for row in verdicts if row not in failing]
    beyond = [row for row in others if (row["theorem"] or {}).get("verdict") == Verdict.REFUTED]
    listed = ", ".join(f"{_named(row)} first at n = {row['smallest_failing_n']}" for row in failing)
    what = "what is claimed" if verdicts[0]["claim"] else "the nominal ε"
    parts = [f"{len(failing)} of {len(verdicts)} priors exceed {what}" + (f": {listed}" if listed else "")]
    parts += [f"at larger n {', '.join(map(_named, beyond))}{' do too' if failing else ' do'}"] if beyond else []
    return "; ".join(parts) + "."


def _named(row: Row) -> str:
    return str(row["mechanism"]).split(", prior ")[1].split(", ε")[0]


def ratio(name: str, n: int, alpha: Fraction, eps: Fraction) -> dict[str, Any]:
    """Returns one row of the study of priors, computed by itself."""
    found = audit.epsilon(name, n=n, prior=[alpha, alpha], eps=eps, digits=DIGITS + 2).epsilon
    return ratio_row(alpha, eps, n, found.to_dict())


def ratio_row(alpha: Fraction, eps: Fraction, n: int, epsilon: dict[str, str]) -> dict[str, Any]:
    """Returns true epsilon over nominal epsilon, with the verdict on "at most 1"."""
    share = quotient(epsilon, eps) or epsilon
    above = Verdict.REFUTED if Fraction(share["lower"]) > 1 else Verdict.UNDECIDED
    outcome = Verdict.PROVED if Fraction(epsilon["upper"]) <= eps else above
    return {"mechanism": _prior(alpha), "n": n, "eps": str(eps), "ratio": share, "verdict": outcome.value}


def prepare_claims(patterns: tuple[str, ...]) -> Job:
    """Returns the job that checks the claims; unknown ids are refused here."""
    from dpaudit.claims.catalogue import load

    asked = () if patterns == ("*",) else patterns
    library = load()
    chosen = library.choose(asked)
    every = [key for each in library.rounds(chosen) for key in each]
    costs = {f"checked: {key}": CLAIM * library.checks[key].weight for key in every}
    return Sized(partial(claims, patterns, chosen), len(every) + 1, sum(costs.values()), costs)


def claims(patterns: tuple[str, ...], chosen: Sequence[str], progress: Progress) -> Iterator[Section]:
    """Yields the board of the claims and how close each came to failing."""
    from dpaudit.claims.runner import decide

    progress(f"checking {len(chosen)} claims")
    results = decide(chosen, progress=lambda result, done, total: progress(f"claim checked: {result.claim.id}"))
    rows = [board_row(result.to_dict()) for result in results]
    wanted = " ".join(chosen) if patterns != ("*",) else ""
    shared = {"command": f"dpaudit check {wanted}".strip(), "setting": {"claims": list(patterns)}}
    yield {
        "kind": "claims",
        "title": "The claims",
        "question": "Which claims are true, which false, which hold in another form only? Open one for its evidence.",
        **shared,
        "rows": rows,
        "finding": _claims_found(rows),
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
        "text": "The picture of the margins stands above, with that of the claims.",
        **shared,
        "rows": margins,
    }


def board_row(entry: dict[str, Any]) -> dict[str, Any]:
    """Returns one entry of ``dpaudit check --json`` as the board shows it: without seconds, with the worked steps
    of what refutes or is a witness, not of what only comes close; ``dpaudit check ID --explain`` computes these again.
    """
    row = {key: value for key, value in entry.items() if key != "seconds"}
    row |= {"tightest": _unworked(row["tightest"])} if "tightest" in row else {}
    return row | ({"parts": [_part(part) for part in row["parts"]]} if "parts" in row else {})


def _part(part: dict[str, Any]) -> dict[str, Any]:
    kept = _unworked(part)
    refutes = part["verdict"] == Verdict.REFUTED or "instance" not in part
    return kept if refutes else {**kept, "instance": _unworked(part["instance"])}


def _unworked(value: dict[str, Any]) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key != "steps"}


def _claims_found(rows: list[dict[str, Any]]) -> str:
    """Returns in words how many claims got which verdict, and what is proved for all n."""
    counts = Counter(str(row["verdict"]) for row in rows)
    everywhere = sum(row["verdict"] == Verdict.PROVED and row["establishes"] == BY_ALGEBRA for row in rows)
    listed = ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v])
    return f"{len(rows)} claims: {listed}; {everywhere} of those PROVED for all n, by algebra"


STUDIES: dict[str, Callable[[dict[str, Any]], Job]] = {"priors": prepare_priors, "accuracy": accuracy_study.prepare}

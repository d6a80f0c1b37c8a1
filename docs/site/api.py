"""The reference page of the public names of the package: calls, what they return, values."""

import ast
import re
from dataclasses import fields, is_dataclass
from functools import cached_property
from inspect import getsource, isclass, isfunction
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_args, get_type_hints

import dpaudit
from docs.site.reference import cell, escaped
from dpaudit.audit.results import Answer
from dpaudit.forall.every_epsilon import RatioResult
from dpaudit.forall.every_n import EveryNResult
from dpaudit.forall.prior_boxes import PriorMapResult
from dpaudit.forall.theorem import Theorem

THEOREMS: list[type] = [RatioResult, EveryNResult, PriorMapResult]
"""What ``dpaudit.epsilon`` returns where something ranges."""

CALLS = {
    "Audit": ("epsilon", "delta", "judge", "profile", "account", "to_pld", "table", "pmf", "explain"),
    "Use": (
        *("mechanism", "accuracy", "calibrate", "calibrate_gamma", "compare", "compare_over_n", "compare_over_priors"),
        *("release", "sensitivity"),
    ),
    "Prove": ("search", "samples", "suite", "list_claims", "check"),
    "Evidence and reports": ("verify", "export", "export_table", "report", "render"),
    "Many": ("sweep",),
    "For your own mechanism": ("exp", "log", "log_gamma", "sqrt", "sampler", "until"),
}
"""The public calls by kind, as the commands are grouped."""

VALUES = {
    "Enclosure": ("width", "is_open", "is_infinite", "contains", "to_dict"),
    "Setting": ("read", "at", "command_line"),
    "Verdict": (),
    "InputError": (),
    "TooLargeError": (),
}
"""The public classes that one meets beside the results, and what of them is for everybody."""

INTRODUCTION = """# Python API

Every command is one call: `import dpaudit`. What is exact is given as text (`"1/10"`, `"0.1"`), a whole number or a
`Fraction`; a binary float is refused. The mechanism, by its name, as a class, an object or a `Setting`, comes first,
its setting by keyword: `dpaudit.epsilon("EHDS", n=100, prior="1,1", eps="1/2")`.

Keywords that many calls have:

| keyword | what it is |
|---|---|
| `digits` | every enclosure is at most 10^−digits wide |
| `memory` | bytes; a job that needs more is refused before it starts. 2147483648 is 2 GiB. Of `verify`: MiB |
| `tier` | `"auto"`, `"exact"` or `"fast"`: which way decides |
| `progress` | a function that is told how far the job is |
| `guarantee` | judged in place of what the mechanism claims |

Every result is frozen, and has

| member | what it is |
|---|---|
| `print(result)` | shows what the command prints; in a notebook the result shows itself |
| `result.to_dict()` | the JSON of the command: numbers as decimal text, rounded outward |
| `result.to_frame()` | a pandas or polars frame, one line a row of the answer; ends of an enclosure stay exact text |
| `result.command` | the command that asks the same again, or None where only Python can |
| `result.seconds` | how long it took |

Below each call stand the attributes of what it returns, on top of these. An `Enclosure` has two ends, `lower` and
`upper`, exact fractions; `str` of it is `0.41[65, 67]`, and `shortened(4)` has fewer digits.
"""
WORDS = {
    "witness": "the worst pair, and the output where it is worst",
    "claim": "what was judged, the verdict on it, and what decided it",
    "counts": "how many data sets, ordered pairs and outputs were looked at",
    "tier": "which way decided: exact, fast, ends, closed form",
    "filter_left": "ordered pairs that the float filter left to the balls",
    "epsilon": "the true ε",
    "closed_form": "the true ε as a rational number, where algebra knows it",
    "closed_form_symbolic": "the same for every nominal ε",
    "at": "the ε at which δ was asked for",
    "RatioResult.at": "where the ratio is attained",
    "RatioResult.exactly": "the ratio, where algebra knows it",
    "PriorMapResult.undecided": "the share that is left",
    "ExplainResult.epsilon": "the ε that is explained",
    "ExplainResult.delta": "the δ that goes with it",
    "TableResult.epsilon": "the true ε, with the verdict on the claim",
    "RangeResult.epsilon": "the ε at which they are compared",
    "EveryNResult.epsilon": "the largest true ε over every n",
    "GammaResult.x": "the data set whose mean error decides",
    "CalibrateEveryNResult.tried": "how many nominal ε were tried",
    "delta": "δ there",
    "total_variation": "δ(0), the adversary's best advantage",
    "segments": "δ(ε) = power − e^ε·alpha between start and end",
    "slack": "by no more than this does any pair rise above the segments",
    "deltas": "δ at the ε that were asked for",
    "renyi": "order and Rényi divergence",
    "rho": "the ρ of zCDP",
    "composition": "δ of several releases, where it was asked for",
    "x": "the data set",
    "outputs": "in the order of the probabilities",
    "released": "what the outputs stand for",
    "probabilities": "one for each output",
    "tests": "false alarms, and the hits at most",
    "people": "size of the group, ε, δ, best guess",
    "releases": "their number, ε, δ, best guess",
    "metric": "the distance",
    "mean": "its exact mean",
    "median": "its exact median",
    "quantiles": "level and distance",
    "t": "the distance that was asked for",
    "probability": "Pr[distance < t]",
    "omitted": "probability of outputs that were not listed; it is inside every enclosure",
    "bounds": "the documents' bounds here",
    "target": "the ε that was aimed at",
    "nominal": "the nominal ε to use",
    "true_epsilon": "the true ε there",
    "beyond": "the next nominal ε, and its true ε",
    "points": "what was evaluated, in order",
    "attained": "where the supremum is: an n, or inf",
    "limit": "the limit n → ∞",
    "tried": "what was tried",
    "theorem": "the theorem at the nominal ε",
    "sort": "by what it is sorted",
    "entries": "one for each mechanism, in order",
    "over": "what ranges: n or the prior",
    "calibrated": "whether they are compared at equal true ε",
    "crossovers": "where one becomes better than another",
    "gamma": "γ of S(x)",
    "score": "the score",
    "gs": "GS(n, prior)",
    "ls": "LS, one for each data set",
    "s": "S, one for each data set",
    "randomness": "where the bits came from",
    "spent": "ε of all these releases together",
    "after_one_more": "ε after one more",
    "region": "where it was looked for",
    "minimal": "the violation of the smallest n, if there is one",
    "largest": "the largest ratio true ε / claimed ε",
    "places": "how many settings were certified",
    "exhaustive": "what was certified without a gap",
    "screened": "what was only looked at in floats",
    "file": "the file that was read",
    "samples": "how many there are",
    "confidence": "with which all statements hold together",
    "registered": "whether event and pair were named in advance",
    "epsilon_lower": "no smaller ε is compatible with the counts",
    "shown": "the test that shows it",
    "ceiling": "so many samples show no more than that",
    "claimed": "what was claimed",
    "verdict": "REFUTED or UNDECIDED",
    "fit": "whether the counts contradict the law, by data set",
    "reach": "what events of a given probability can show",
    "results": "one for each claim, in order",
    "established": "what was established, line by line",
    "statement": "what was accepted",
    "reason": "why it was rejected",
    "full": "whether the upper bound was checked",
    "coq": "what the proof assistant was asked",
    "characters": "how long the file is",
    "store": "the file of the sweep",
    "status": "how many jobs are done, failed, left",
    "errors": "the first failures",
    "written": "tables that were written",
    "ratio": "the largest true ε / ε",
    "proved": "the share of the box where the claim is true",
    "refuted": "the share where it is false",
    "boxes": "the parts of the box, each with its verdict",
    "rest": "the share that may stay undecided",
    "examined": "how many boxes were looked at",
    "open": "what lacks a bound, in words",
}
"""What an attribute is, by its name, where its class does not say."""
HIDDEN = {
    *("seconds", "command", "subject", "precision_bits", "model", "law", "aside", "asked", "known", "digits"),
    *("finite_below", "middle_from", "blocks", "theory", "value", "method", "pairs", "by_oscillation", "certified"),
    *("intervals", "cover"),
}
"""Attributes of results that every one has, or that are for dpaudit itself."""


def api() -> str:
    """Returns the page of the public names of ``dpaudit``: calls with what they return, values, names."""
    named = [name for kind in CALLS.values() for name in kind]
    names = [name for name in sorted({*dpaudit.__all__, *dpaudit.LATER}) if not name.startswith("__")]
    found = {name: getattr(dpaudit, name) for name in names}
    missing = {name for name, value in found.items() if isfunction(value)} ^ set(named)
    if missing:
        raise ValueError(f"the reference does not place: {', '.join(sorted(missing))}")
    parts = [INTRODUCTION]
    for kind, calls in CALLS.items():
        parts.append(f"## {kind}\n")
        parts += [f"{_directive('autofunction', name)}\n{_returned(found[name])}" for name in calls]
    parts.append("## Values\n")
    for name, members in VALUES.items():
        parts.append(_directive("autoclass", name, *([f":members: {', '.join(members)}"] if members else [])))
    rest = [name for name in names if name not in (*named, *VALUES) and not isclass(found[name])]
    parts += ["## Names\n", *(f"- `dpaudit.{name}`: `{type(found[name]).__name__}`" for name in rest)]
    results = [name for name in names if isclass(found[name]) and name not in VALUES]
    parts += ["", "Classes of results, for annotations: " + ", ".join(f"`dpaudit.{name}`" for name in results) + "."]
    return "\n".join(parts) + "\n"


def _directive(kind: str, name: str, *options: str) -> str:
    body = "\n".join([f".. {kind}:: dpaudit.{name}", *(f"   {option}" for option in options)])
    return f"```{{eval-rst}}\n{body}\n```\n"


def _returned(call: Any) -> str:
    """Returns the table of the attributes of what a call returns, one of each class."""
    hint = get_type_hints(call).get("return")
    kinds = [kind for kind in (get_args(hint) or (hint,)) if is_dataclass(kind)]
    kinds = [theorem for kind in kinds for theorem in (THEOREMS if kind is Theorem else [kind])]
    return "".join(_attributes(kind) for kind in kinds if isclass(kind) and not kind.__module__.endswith("expressions"))


def _attributes(kind: type) -> str:
    words = next(iter((kind.__doc__ or "").split("\n\n"))).replace("``", "`")
    rows = [f"| `{name}` | {cell(told)} | {cell(shown)} |" for name, (told, shown) in attributes(kind).items()]
    said = f"Result: `{kind.__name__}`. {escaped(' '.join(words.split()))}\n"
    return "\n".join([said, "| attribute | what it is | type |", "|---|---|---|", *rows]) + "\n\n"


def attributes(kind: type) -> dict[str, tuple[str, str]]:
    """Returns the public attributes of a result: what each is, in words, and its type."""
    hints, said = get_type_hints(kind), _documented(kind)
    found = {field.name: hints[field.name] for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in vars(kind).items():
        if isinstance(value, property | cached_property) and not name.startswith("_"):
            getter: Any = value.fget if isinstance(value, property) else value.func
            found[name] = get_type_hints(getter).get("return")
            said[name] = (getter.__doc__ or "").partition("\n")[0].removeprefix("Returns ").replace("``", "`")
    known = {name: said.get(name) or WORDS.get(f"{kind.__name__}.{name}") or WORDS.get(name, "") for name in found}
    return {name: (known[name].rstrip("."), _type(found[name])) for name in found if name not in HIDDEN}


def _documented(kind: type) -> dict[str, str]:
    """Returns what stands below the attributes of a class and of those that it extends."""
    found: dict[str, str] = {}
    for base in (base for base in reversed(kind.__mro__) if base.__module__.startswith("dpaudit")):
        tree: Any = ast.parse(dedent(getsource(base))).body[0]
        for statement, after in pairwise(tree.body):
            words = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if isinstance(statement, ast.AnnAssign) and isinstance(words, str):
                found[ast.unparse(statement.target)] = " ".join(words.split()).replace("``", "`")
    return found


def _type(hint: Any) -> str:
    """Returns a type as a reader knows it: no modules, and of a row its own attributes."""
    text = hint.__name__ if isclass(hint) and not get_args(hint) else re.sub(r"\b[a-z_]\w*\.", "", str(hint))
    rows = [part for part in _parts(hint) if is_dataclass(part) and part.__name__ not in VALUES]
    names = [", ".join(f"`{field.name}`" for field in fields(row)) for row in rows if not issubclass(row, Answer)]
    return " with ".join([f"`{text.replace(', ...', ', …')}`", *names])


def _parts(hint: Any) -> list[Any]:
    return [part for inner in get_args(hint) for part in _parts(inner)] if get_args(hint) else [hint]

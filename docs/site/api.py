"""The Python reference: one page for each module that public names come from, with the attributes of results."""

import ast
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cached_property
from inspect import getdoc, getsource, isclass, isfunction
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_args, get_type_hints

import dpaudit
from docs.site.contents import API, toctree
from docs.site.reference import cell, escaped
from dpaudit import claims, pytest_plugin
from dpaudit.audit.results import Answer
from dpaudit.forall.every_epsilon import RatioResult
from dpaudit.forall.every_n import EveryNResult
from dpaudit.forall.prior_boxes import PriorMapResult
from dpaudit.forall.theorem import Theorem

THEOREMS: list[type] = [RatioResult, EveryNResult, PriorMapResult]
"""The results of ``dpaudit.epsilon`` for every n, every ε or a box of priors."""

MEMBERS = {
    "Enclosure": ("width", "is_open", "is_infinite", "contains", "to_dict"),
    "Setting": ("read", "at", "command_line"),
    "Noise": (
        *("laplace", "exponential", "gaussian", "uniform", "discrete_laplace", "discrete_gaussian", "bernoulli"),
        *("argmax", "argmin"),
    ),
}
"""The documented members of a class, besides those of ``dpaudit.claims``, whose members are all documented."""

CONSTANTS = {"MECHANISMS": "the mechanisms of the posterior family, by name", "PI": "π, as an expression"}

NOTES = {
    "forall": "`dpaudit.epsilon` answers for one setting, or with a theorem if n, ε or the prior is a range or `all`.",
    "accounting": "Releases for `account`, `calibrate_releases` and `to_pld`; `release * 10` is ten of them.",
    "claims": "The first calls decide the claims of catalogues and list them. What follows is for [your own catalogue]"
    "(../../claims.md#your-own-claims): import it from `dpaudit.claims`.",
    "mechanisms": "A mechanism of your own is any class with the members of [the protocol]"
    "(../../own-mechanism.md#the-protocol): it inherits from nothing and imports nothing.",
    "code": "For samplers that are [audited as code](../../code.md).",
    "noise": "The source of draws in [code with continuous noise](../../noise.md).",
    "numbers": "Exact numbers for mechanisms of your own, and what answers and errors are made of.",
    "pytest_plugin": "pytest finds the plug-in by itself if dpaudit is installed ([privacy tests in CI](../../ci.md)).",
}
"""The introduction of a page."""

INTRODUCTION = """# Python API

After `import dpaudit`, every command is one call. Pass exact numbers as text (`"1/10"`, `"0.1"`), integers or
`Fraction`s; floats are refused. The mechanism comes first, as a name, a class, an object or a `Setting`; everything
else is a keyword: `dpaudit.epsilon("EHDS", n=100, prior="1,1", eps="1/2")`.

Each page covers the public names of one module. Import them from `dpaudit` itself, and those for a catalogue of claims
from `dpaudit.claims`; the module of a name may change.

| module | for | names |
|---|---|---|
{pages}

Keywords that many calls share:

| keyword | meaning |
|---|---|
| `digits` | every enclosure is at most $10^{{-\\text{{digits}}}}$ wide |
| `memory` | a limit in bytes; a larger job is refused before it starts. 2147483648 is 2 GiB. `verify` takes MiB |
| `tier` | `"auto"`, `"exact"` or `"fast"`: the method that decides |
| `progress` | a function that is called with the progress of the job |
| `claim` | the guarantee to judge instead of the mechanism's own claim |

Every result is frozen and has these members; the page of a call lists the others:

| member | meaning |
|---|---|
| `print(result)` | prints the output of the command; a notebook displays the result |
| `result.to_dict()` | the JSON of the command: numbers as decimal text, rounded outward |
| `result.to_frame()` | a pandas or polars frame, one line per row of the answer; ends of enclosures stay exact text |
| `result.command` | the command that asks the same question, or None if only Python can ask it |
| `result.seconds` | the time it took |

An `Enclosure` has two ends, `lower` and `upper`, exact fractions; `str` of it is `0.41[65, 67]`, and `shortened(4)` has
fewer digits.
"""
WORDS = {
    "answer": "the exact answer for the row of the suite",
    "over_all": "the answer over all inputs, if it is known",
    "witness": "the worst pair and the output that attains the worst case",
    "claim": "the judged guarantee, its verdict and the evidence",
    "counts": "the numbers of data sets, ordered pairs and outputs covered",
    "tier": "the method that decided: exact, fast, ends, closed form",
    "filter_left": "ordered pairs that the float filter left to the balls",
    "epsilon": "the true ε",
    "closed": "the true ε where it is known exactly, as a value of the engine",
    "closed_form": "the true ε as a rational number, if algebra gives it",
    "closed_form_symbolic": "the same for every nominal ε",
    "at": "the ε at which δ is taken",
    "RatioResult.at": "where the ratio is attained",
    "RatioResult.exactly": "the exact ratio, if algebra gives it",
    "PriorMapResult.undecided": "the undecided share",
    "ExplainResult.epsilon": "the explained ε",
    "ExplainResult.delta": "the explained δ",
    "RangeResult.epsilon": "the ε at which they are compared",
    "EveryNResult.epsilon": "the largest true ε over every n",
    "GammaResult.x": "the data set on which the mean error is compared",
    "CalibrateEveryNResult.tried": "the number of nominal ε tried",
    "delta": "δ there",
    "total_variation": "δ(0), the adversary's best advantage",
    "segments": r"$\delta(\varepsilon) = \text{power} - e^\varepsilon\, \text{alpha}$ between start and end",
    "slack": "an upper bound on how far any pair rises above the segments",
    "deltas": "δ at the requested ε",
    "renyi": "order and Rényi divergence",
    "rho": "the ρ of zCDP",
    "x": "the data set",
    "outputs": "in the order of the probabilities",
    "released": "the released value of each output",
    "probabilities": "one for each output",
    "tests": "false-alarm rate and the largest possible hit rate",
    "people": "size of the group, ε, δ, best guess",
    "releases": "their number, ε, δ, best guess",
    "metric": "the distance",
    "mean": "its exact mean",
    "median": "its exact median",
    "quantiles": "level and distance",
    "t": "the requested distance",
    "probability": "Pr[distance < t]",
    "omitted": "the probability of outputs not listed; every enclosure includes it",
    "bounds": "the documents' bounds here",
    "target": "the target ε",
    "nominal": "the nominal ε to use",
    "true_epsilon": "the true ε there",
    "beyond": "the next nominal ε, and its true ε",
    "points": "the evaluated points, in order",
    "attained": "where the supremum is attained: an n, or inf",
    "limit": "the limit n → ∞",
    "tried": "the values tried",
    "theorem": "the theorem at the nominal ε",
    "sort": "the sort key",
    "entries": "one for each mechanism, in order",
    "over": "the varying quantity: n or the prior",
    "calibrated": "whether the comparison is at equal true ε",
    "crossovers": "where one becomes better than another",
    "gamma": "γ of S(x)",
    "score": "the score",
    "gs": "GS(n, prior)",
    "ls": "LS, one for each data set",
    "s": "S, one for each data set",
    "randomness": "the source of the random bits",
    "spent": "ε of all these releases together",
    "after_one_more": "ε after one more",
    "region": "the searched region",
    "minimal": "the violation of the smallest n, if there is one",
    "largest": "the largest ratio true ε / claimed ε",
    "places": "the number of certified settings",
    "exhaustive": "the part of the region certified without a gap",
    "screened": "the part of the region only screened in floats",
    "file": "the input file",
    "samples": "the number of samples",
    "confidence": "the confidence with which all statements hold together",
    "registered": "whether the event and the pair were named in advance",
    "epsilon_lower": "no smaller ε is compatible with the counts",
    "shown": "the test behind the bound",
    "ceiling": "the most that this number of samples can show",
    "claimed": "the claimed guarantee",
    "verdict": "REFUTED or UNDECIDED",
    "fit": "whether the counts contradict the law, by data set",
    "reach": "the most that events of a given probability can show",
    "results": "one for each claim, in order",
    "established": "the established statements, line by line",
    "statement": "the accepted statement",
    "reason": "the reason for a rejection",
    "full": "whether the upper bound was checked",
    "coq": "the statement given to the proof assistant",
    "characters": "the length of the file",
    "store": "the file of the sweep",
    "status": "the numbers of jobs done, failed and left",
    "errors": "the first failures",
    "written": "the tables written",
    "ratio": "the largest true ε / ε",
    "proved": "the share of the box where the claim is true",
    "refuted": "the share where it is false",
    "boxes": "the parts of the box, each with its verdict",
    "rest": "the share that may stay undecided",
    "examined": "the number of boxes examined",
    "open": "the cases without a bound, in words",
}
"""The meaning of an attribute that its class does not document."""
HIDDEN = {
    *("seconds", "command", "subject", "precision_bits", "model", "law", "aside", "asked", "known", "digits"),
    *("finite_below", "middle_from", "blocks", "theory", "value", "method", "pairs", "by_oscillation", "certified"),
    *("intervals", "cover"),
}
"""Attributes that every result has, or that only dpaudit uses."""


FIXTURES = {
    pytest_plugin.dp_audit: pytest_plugin.PrivacyAssertions,
    pytest_plugin.dp_account: pytest_plugin.PipelineAssertions,
}
"""The fixtures of the plug-in, and the class of what each gives a test."""


def api() -> dict[str, str]:
    """Returns the pages of the reference by their place: the introduction, and one page a module."""
    rooms: dict[str, list[str]] = {"pytest_plugin": []}
    for name in _ordered(dpaudit, dpaudit.LATER):
        rooms.setdefault(re.split("[.:]", dpaudit.LATER[name])[1], []).append(name)
    if set(rooms) != set(API):
        raise ValueError(f"the reference and docs.site.contents.API differ: {', '.join(sorted(set(rooms) ^ set(API)))}")
    shown = {**rooms, "pytest_plugin": [fixture.__name__ for fixture in FIXTURES]}
    rows = [f"| [{room}](api/{room}.md) | {words} | {_listed(shown[room])} |" for room, words in API.items()]
    pages = {f"api/{room}": _page(room, rooms[room]) for room in API}
    return {"api": INTRODUCTION.format(pages="\n".join(rows)) + "\n" + toctree(pages), **pages}


def _page(room: str, names: list[str]) -> str:
    """Returns the page of a module: its calls with their results, its classes, its other names."""
    public = {name: getattr(dpaudit, name) for name in names}
    results = [name for name, value in public.items() if isclass(value) and issubclass(value, Answer)]
    sections = [_section(f"dpaudit.{name}", value) for name, value in public.items() if name not in results]
    parts = [f"# {room}: {API[room]}\n", *([NOTES[room] + "\n"] if room in NOTES else []), *sections]
    if results:
        parts.append(f"Classes of results, for annotations: {_listed(f'dpaudit.{name}' for name in results)}.\n")
    if room == "claims":
        parts += ["## For your own catalogue\n"]
        names = _ordered(claims, claims.__all__)
        parts += [_section(f"dpaudit.claims.{name}", getattr(claims, name)) for name in names]
    if room == "pytest_plugin":
        for fixture, kind in FIXTURES.items():
            parts += [_fixture(fixture), _section(f"dpaudit.pytest_plugin.{kind.__name__}", kind)]
    return "\n".join(parts)


def _ordered(module: Any, names: Iterable[str]) -> list[str]:
    """Returns the names in the order of the alphabet: the calls, the classes, the others."""
    found = {name: getattr(module, name) for name in sorted(names)}
    return sorted(found, key=lambda name: (not isfunction(found[name]), not isclass(found[name])))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _section(path: str, value: Any) -> str:
    """Returns what a page says of a name; names of ``dpaudit`` itself have the result of a call, or chosen members."""
    name, own = path.rpartition(".")[2], path.count(".") == 1
    if isfunction(value):
        return _directive("autofunction", path) + ("\n" + _returned(value) if own else "")
    if isclass(value) and value.__module__.startswith("dpaudit"):
        members = [f":members: {', '.join(MEMBERS[name])}"] if name in MEMBERS else []
        return _directive("autoclass", path, *(members if own else [":members:"]))
    words = f'`"{value}"`' if isinstance(value, str) else cell(_type(value))
    return f"- `{path}`: {CONSTANTS.get(name, words)}\n"


def _fixture(fixture: Any) -> str:
    """Returns the section of a fixture, whose docstring begins with its call."""
    words = " ".join((getdoc(fixture) or "").replace("``", "`").split()).removeprefix("Returns ")
    call, _, rest = words.partition("): ")
    return f"## {fixture.__name__}\n\n`{call})`: {escaped(rest)}\n"


def _directive(kind: str, path: str, *options: str) -> str:
    body = "\n".join([f".. {kind}:: {path}", *(f"   {option}" for option in options)])
    return f"```{{eval-rst}}\n{body}\n```\n"


def _returned(call: Any) -> str:
    """Returns a table of attributes for each class of result that a call returns."""
    hint = get_type_hints(call).get("return")
    kinds = [kind for kind in (get_args(hint) or (hint,)) if is_dataclass(kind)]
    kinds = [theorem for kind in kinds for theorem in (THEOREMS if kind is Theorem else [kind])]
    return "".join(_attributes(kind) for kind in kinds if isclass(kind) and not kind.__module__.endswith("expressions"))


def _attributes(kind: type) -> str:
    summary = next(iter((kind.__doc__ or "").split("\n\n"))).replace("``", "`")
    rows = [f"| `{name}` | {cell(words)} | {cell(hint)} |" for name, (words, hint) in attributes(kind).items()]
    head = f"Result: `{kind.__name__}`. {escaped(' '.join(summary.split()))}\n"
    return "\n".join([head, "| attribute | meaning | type |", "|---|---|---|", *rows]) + "\n\n"


def attributes(kind: type) -> dict[str, tuple[str, str]]:
    """Returns the public attributes of a result: the meaning and the type of each."""
    hints, said = get_type_hints(kind), _documented(kind)
    found = {field.name: hints[field.name] for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in vars(kind).items():
        if isinstance(value, property | cached_property) and not name.startswith("_"):
            getter: Any = value.fget if isinstance(value, property) else value.func
            found[name] = get_type_hints(getter).get("return")
            said[name] = (getter.__doc__ or "").partition("\n")[0].removeprefix("Returns ").replace("``", "`")
    known = {name: said.get(name) or WORDS.get(f"{kind.__name__}.{name}") or WORDS.get(name, "") for name in found}
    return {name: (_uncapped(known[name].rstrip(".")), _type(found[name])) for name in found if name not in HIDDEN}


def _uncapped(words: str) -> str:
    """Returns the words of a cell: they begin as a sentence does in a docstring only.

    >>> _uncapped("The data set"), _uncapped("Pr[distance < t]"), _uncapped("GS(n, prior)")
    ('the data set', 'Pr[distance < t]', 'GS(n, prior)')
    """
    return words[:1].lower() + words[1:] if re.match(r"[A-Z][a-z]*\s", words) else words


def _documented(kind: type) -> dict[str, str]:
    """Returns the documentation of the attributes of a class and its bases."""
    found: dict[str, str] = {}
    for base in (base for base in reversed(kind.__mro__) if base.__module__.startswith("dpaudit")):
        tree: Any = ast.parse(dedent(getsource(base))).body[0]
        for statement, after in pairwise(tree.body):
            words = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            if isinstance(statement, ast.AnnAssign) and isinstance(words, str):
                found[ast.unparse(statement.target)] = " ".join(words.split()).replace("``", "`")
    return found


def _type(hint: Any) -> str:
    """Returns a type without its modules, and the attributes of a row."""
    text = hint.__name__ if isclass(hint) and not get_args(hint) else re.sub(r"\b[a-z_]\w*\.", "", str(hint))
    rows = [part for part in _parts(hint) if is_dataclass(part) and part.__name__ not in MEMBERS]
    names = [", ".join(f"`{field.name}`" for field in fields(row)) for row in rows if not issubclass(row, Answer)]
    return " with ".join([f"`{text.replace(', ...', ', …')}`", *names])


def _parts(hint: Any) -> list[Any]:
    return [part for inner in get_args(hint) for part in _parts(inner)] if get_args(hint) else [hint]

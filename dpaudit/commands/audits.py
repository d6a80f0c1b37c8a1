"""dpaudit epsilon, delta, pmf, sensitivity, mechanisms."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.commands import common
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.mechanisms import REGISTRY, Mechanism, PosteriorMechanism
from dpaudit.mechanisms.load import entry_points
from dpaudit.numbers.errors import approximately
from dpaudit.numbers.verdict import Verdict


def epsilon(
    mech: common.Mech,
    n: common.N = None,
    k: common.K = None,
    prior: common.Prior = None,
    eps: common.Eps = "1",
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    gs: common.Gs = None,
    score: common.Score = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    tier: common.Tier = "auto",
    require: common.Require = False,
    set_: common.Set = None,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """The true ε: certified enclosure, worst pair and output, verdict on the claimed bound.

    Examples:

    dpaudit epsilon --mech EHDS --n 100

    dpaudit epsilon --mech EHD --n 30 --prior 1/100,1/100 --eps 0.5 --digits 40 --json

    dpaudit epsilon --mech LSDim --n 1000 --k 3        # in closed form
    """
    with common.progress_bar(f"{mech}: data sets") as progress:
        subject = audit.mechanism(mech, n, k, prior, eps, gamma, delta_param, gs, score, common.settings(set_))
        common.certifiable(subject, certificate)
        result = audit.epsilon(subject, digits=digits, progress=progress, memory=memory_bytes(memory), tier=tier)

    def render(console: Any) -> None:
        rows = [*subject_rows(result.subject.mechanism), ("true ε", f"[bold]{result.epsilon}[/]")]
        if result.closed_form_symbolic:
            rows.append(("closed form", f"{result.closed_form}   ({result.closed_form_symbolic}, for every ε > 0)"))
        elif result.closed_form:
            rows.append(("exactly", f"{result.closed_form}, by algebra"))
        rows += [
            ("worst pair", f"x = {cells(result.witness.x)}, x′ = {cells(result.witness.x_prime)}"),
            ("worst output", cells(result.witness.output)),
            *claim_rows(result.claim),
            *effort_rows(result),
        ]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    common.certify(result, certificate)
    if require and result.claim.verdict is Verdict.REFUTED:
        raise typer.Exit(1)


def delta(
    mech: common.Mech,
    at: Annotated[str, typer.Option("--at", metavar="RATIONAL", help="The ε at which δ is asked for, >= 0.")],
    n: common.N = None,
    k: common.K = None,
    prior: common.Prior = None,
    eps: common.Eps = "1",
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    gs: common.Gs = None,
    score: common.Score = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    tier: common.Tier = "auto",
    require: common.Require = False,
    set_: common.Set = None,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """δ at a given ε: the largest Σ max(0, P_x − e^ε·P_x′) over all ordered adjacent pairs.

    Examples:

    dpaudit delta --mech EHDL --n 100 --at 0.4

    dpaudit delta --mech MHdelta --delta-param 1e-8 --n 100 --eps 0.8 --at 0.8
    """
    with common.progress_bar(f"{mech}: data sets") as progress:
        subject = audit.mechanism(mech, n, k, prior, eps, gamma, delta_param, gs, score, common.settings(set_))
        common.certifiable(subject, certificate)
        result = audit.delta(subject, at, digits=digits, progress=progress, memory=memory_bytes(memory), tier=tier)

    def render(console: Any) -> None:
        rows = [
            *subject_rows(result.subject.mechanism),
            (f"δ({result.at})", f"[bold]{result.delta}[/]"),
            ("worst pair", f"x = {cells(result.witness.x)}, x′ = {cells(result.witness.x_prime)}"),
            *claim_rows(result.claim),
            *effort_rows(result),
        ]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    common.certify(result, certificate)
    if require and result.claim.verdict is Verdict.REFUTED:
        raise typer.Exit(1)


def pmf(
    mech: common.Mech,
    x: Annotated[str, typer.Option("--x", metavar="A,B,…", help="The histogram of the data, k counts that sum to n.")],
    n: common.N = None,
    k: common.K = None,
    prior: common.Prior = None,
    eps: common.Eps = "1",
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    gs: common.Gs = None,
    score: common.Score = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    set_: common.Set = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """The full output distribution of one data set.

    Example:

    dpaudit pmf --mech LSHist --n 8 --x 4,4
    """
    options = (n, k, prior, eps, gamma, delta_param, gs, digits, memory_bytes(memory), score, common.settings(set_))
    result = audit.pmf(mech, x, *options)

    def render(console: Any) -> None:
        from rich.markup import escape

        fields(console, escape_brackets([*subject_rows(result.subject.mechanism), ("data x", cells(result.x))]))
        released = [] if result.released is None else [("released Dir(prior + …)", result.released)]
        table = common.listing("output", *(title for title, _ in released), "probability")
        for i, output in enumerate(result.outputs):
            table.add_row(cells(output), *(cells(r[i]) for _, r in released), escape(str(result.probabilities[i])))
        console.print(table)

    emit(result.to_dict(), render, as_json, out)


def sensitivity(
    n: common.N = None,
    k: common.K = None,
    prior: common.Prior = None,
    gamma: common.Gamma = None,
    score: common.Score = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """LS(x) and S(x) of every data set, and GS(n, prior), for the Hellinger score or another.

    Example:

    dpaudit sensitivity --n 20 --gamma 1
    """
    result = audit.sensitivity(
        "(missing)" if n is None else n, k, prior, gamma or "1", digits, memory_bytes(memory), score or "hellinger"
    )

    def render(console: Any) -> None:
        from rich.markup import escape

        model = result.model
        prior_text = cells(model.prior)
        fields(
            console,
            escape_brackets(
                [("model", f"n = {model.n}, k = {model.k}, prior {prior_text}"), ("GS(n, prior)", str(result.gs))]
            ),
        )
        table = common.listing("data x", "LS(x)", f"S(x), γ = {result.gamma}")
        for c, ls, s in zip(model.histograms, result.ls, result.s, strict=True):
            table.add_row(cells(c), escape(str(ls)), escape(str(s)))
        console.print(table)

    emit(result.to_dict(), render, as_json, out)


def mechanisms(as_json: common.Json = False, out: common.Out = None) -> None:
    """What there is: formula, claimed guarantee, options, source.

    Besides these, --mech takes your own: file.py:Class or package.module:Class (its code runs), or a table of
    probabilities (pmf.csv, pmf.json, pmf.parquet). Installed packages register theirs under the entry-point group
    dpaudit.mechanisms.

    Example:

    dpaudit mechanisms --json
    """
    rows: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "formula": kind.formula,
            "claimed": guarantee_text(kind),
            "parameters": {p.name: {"default": p.default, "rule": p.rule} for p in kind.parameters},
            "source": kind.source,
        }
        for kind in REGISTRY.values()
    ]
    rows += [
        {
            "name": name,
            "formula": "registered by an installed package; not loaded for this list",
            "claimed": "",
            "parameters": {},
            "source": point.value,
        }
        for name, point in entry_points().items()
    ]

    def render(console: Any) -> None:
        from rich.markup import escape

        table = common.listing("name", "output distribution for data with histogram c", "claimed", "options", "source")
        for row in rows:
            options = "\n".join(
                f"--{OPTION_NAMES.get(name, name)} ({p['default'] or 'required'})"
                for name, p in row["parameters"].items()
            )
            table.add_row(
                *(escape(str(t)) for t in (row["name"], row["formula"], row["claimed"], options, row["source"]))
            )
        console.print(table)

    emit(rows, render, as_json, out)


OPTION_NAMES = {"delta": "delta-param"}
"""Where an option is spelt otherwise than the parameter."""


def guarantee_text(kind: type[PosteriorMechanism]) -> str:
    """Returns the claimed guarantee as a formula, read off an instance with epsilon = 1 and 2."""
    from dpaudit.posterior.model import make_model

    values = {p.name: p.read(kind.name, p.default or p.examples[0]) for p in kind.parameters}
    one = kind(make_model(2), Fraction(1), **values).claimed()
    if one is None:
        return "none"
    both = one.epsilon_delta()
    if both is None:
        return one.text()
    if both[1]:
        return "(ε, δ)-DP"
    return "ε-DP" if both[0] == 1 else "(1+γ)ε-DP"


def subject_rows(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Returns what was audited, for the text table."""
    rows = [("mechanism", cells(f"{mechanism.name}: {mechanism.formula}"))]
    setting = mechanism.setting_text()
    return [*rows, ("setting", cells(setting))] if setting else rows


def claim_rows(claim: audit.Claim) -> list[tuple[str, str]]:
    """Returns the claimed bound and the verdict, for the text table."""
    if claim.epsilon is None:
        return [("claimed", "nothing is claimed")]
    bound = f"{claim.epsilon}-DP" if not claim.delta else f"({claim.epsilon}, {claim.delta})-DP"
    verdict = (
        common.badge(claim.verdict.value) if claim.verdict is not None else "none: δ here neither proves nor refutes it"
    )
    return [("claimed", bound), ("verdict", verdict)]


def effort_rows(result: audit.EpsilonResult | audit.DeltaResult) -> list[tuple[str, str]]:
    """Returns what was looked at and how precisely, for the text table."""
    counts = result.counts
    datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
    covered = f"all {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
    tier = f"{result.tier} tier" if result.tier != "closed form" else result.tier
    if result.filter_left is not None:
        tier += f" (the float filter left {result.filter_left} ordered pair{'s' * (result.filter_left != 1)})"
    return [("covers", covered), ("effort", f"{tier}, {result.precision_bits} bits, {result.seconds:.3f} s")]


def escape_brackets(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Returns the rows with enclosures protected from being read as markup."""
    import re

    return [(name, re.sub(r"\[(?=[-\d])", r"\\[", value)) for name, value in rows]

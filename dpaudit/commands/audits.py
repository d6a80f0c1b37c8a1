"""dpaudit epsilon, delta, pmf, sensitivity, mechanisms."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.audit.results import evidence_words
from dpaudit.audit.setting import Setting
from dpaudit.commands import common, options
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.commands.options import Given
from dpaudit.mechanisms import Mechanism
from dpaudit.mechanisms.listing import listing
from dpaudit.numbers.errors import approximately


def epsilon(
    setting: Given,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    tier: common.Tier = "auto",
    require: common.Require = False,
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
    with common.progress_bar(f"{setting['mech']}: data sets") as progress:
        subject = Setting.read(**setting)
        common.certifiable(subject.mechanism, certificate)
        common.claiming(subject.mechanism, require)
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
            *verdict_rows(result.claim),
            *effort_rows(result),
        ]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    common.finish(result, certificate, require)


def delta(
    setting: Given,
    at: Annotated[str, typer.Option("--at", metavar="RATIONAL", help="The ε at which δ is asked for, >= 0.")],
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    tier: common.Tier = "auto",
    require: common.Require = False,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """δ at a given ε: the largest Σ max(0, P_x − e^ε·P_x′) over all ordered adjacent pairs.

    Examples:

    dpaudit delta --mech EHDL --n 100 --at 0.4

    dpaudit delta --mech MHdelta --delta 1e-8 --n 100 --eps 0.8 --at 0.8
    """
    with common.progress_bar(f"{setting['mech']}: data sets") as progress:
        subject = Setting.read(**setting)
        common.certifiable(subject.mechanism, certificate)
        common.claiming(subject.mechanism, require)
        result = audit.delta(subject, at, digits=digits, progress=progress, memory=memory_bytes(memory), tier=tier)

    def render(console: Any) -> None:
        rows = [
            *subject_rows(result.subject.mechanism),
            (f"δ({result.at})", f"[bold]{result.delta}[/]"),
            ("worst pair", f"x = {cells(result.witness.x)}, x′ = {cells(result.witness.x_prime)}"),
            *verdict_rows(result.claim),
            *effort_rows(result),
        ]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    common.finish(result, certificate, require)


def pmf(
    setting: Given,
    x: Annotated[str, typer.Option("--x", metavar="A,B,…", help="The histogram of the data, k counts that sum to n.")],
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """The full output distribution of one data set.

    Example:

    dpaudit pmf --mech LSHist --n 8 --x 4,4
    """
    result = audit.pmf(x=x, digits=digits, memory=memory_bytes(memory), **setting)

    def render(console: Any) -> None:
        fields(console, escape_brackets([*subject_rows(result.subject.mechanism), ("data x", cells(result.x))]))
        released = [] if result.released is None else [("released Dir(prior + …)", result.released)]
        table = common.listing("output", *(title for title, _ in released), "probability")
        for i, output in enumerate(result.outputs):
            table.add_row(cells(output), *(cells(r[i]) for _, r in released), cells(str(result.probabilities[i])))
        console.print(table)

    emit(result.to_dict(), render, as_json, out)


def sensitivity(
    n: Annotated[str | None, typer.Option("--n", metavar="N", help=options.SHAPE["n"][1])] = None,
    k: Annotated[str | None, typer.Option("--k", metavar="K", help=options.SHAPE["k"][1])] = None,
    prior: Annotated[str | None, typer.Option("--prior", metavar="A,B,…", help=options.SHAPE["prior"][1])] = None,
    gamma: Annotated[str | None, typer.Option("--gamma", metavar="RATIONAL", help="γ of S(x). Default: 1.")] = None,
    score: Annotated[
        str | None, typer.Option("--score", metavar="NAME", help="hellinger (default), tv (k = 2), kl, l1, chi2.")
    ] = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """LS(x) and S(x) of every data set, and GS(n, prior), for the Hellinger score or another.

    Example:

    dpaudit sensitivity --n 20 --gamma 1
    """
    shape = {"k": k, "prior": prior, "gamma": gamma, "score": score}
    result = audit.sensitivity(n, **shape, digits=digits, memory=memory_bytes(memory))

    def render(console: Any) -> None:
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
            table.add_row(cells(c), cells(str(ls)), cells(str(s)))
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
    rows = listing()

    def render(console: Any) -> None:
        table = common.listing("name", "output distribution for data with histogram c", "claimed", "options", "source")
        for row in rows:
            given = "\n".join(f"--{name} ({p['default'] or 'required'})" for name, p in row["parameters"].items())
            shown = (row["name"], row["formula"], row["claimed"], given, row["source"])
            table.add_row(*(cells(str(text)) for text in shown))
        console.print(table)

    emit(rows, render, as_json, out)


def subject_rows(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Returns what was audited, for the text table."""
    rows = [("mechanism", cells(f"{mechanism.name}: {mechanism.formula}"))]
    setting = mechanism.setting_text()
    return [*rows, ("setting", cells(setting))] if setting else rows


def claim_rows(claim: audit.Claim) -> list[tuple[str, str]]:
    """Returns the claimed bound and the verdict, for the text table."""
    if claim.guarantee is None:
        return [("claimed", "nothing is claimed")]
    silent = "none: δ here neither proves nor refutes it"
    verdict = silent if claim.verdict is None else common.badge(claim.verdict.value)
    return [("claimed", cells(claim.guarantee.text())), ("verdict", verdict), *evidence_rows(claim.evidence)]


def verdict_rows(claim: audit.Claim) -> list[tuple[str, str]]:
    """Returns the same where the true ε stands in a row of its own: it is not said twice."""
    known = claim.evidence is not None and claim.evidence.quantity == "epsilon"
    return claim_rows(replace(claim, evidence=None) if known else claim)


def evidence_rows(evidence: Any) -> list[tuple[str, str]]:
    """Returns the quantity that decided, with its pair."""
    if evidence is None:
        return []
    pair = cells(evidence.witness.x), cells(evidence.witness.x_prime)
    name, where = evidence_words(evidence.quantity, evidence.at, *pair)
    return [("decided by", f"{name} = {evidence.value}, at {where}")]


def effort_rows(result: audit.EpsilonResult | audit.DeltaResult) -> list[tuple[str, str]]:
    """Returns what was looked at and how precisely, for the text table."""
    counts = result.counts
    datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
    covered = f"all {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
    tier = f"{result.tier} tier" if result.tier != "closed form" else result.tier
    if result.filter_left is not None:
        tier += f" (the float filter left {result.filter_left} ordered pair{'s' * (result.filter_left != 1)})"
    return [
        ("covers", covered),
        ("effort", f"{tier}, {result.precision_bits} bits, {result.seconds:.3f} s"),
        *again(result),
    ]


def again(result: Any) -> list[tuple[str, str]]:
    """Returns the command that asks the same again, if there is one, as a row."""
    return [("again", cells(result.command))] if result.command else []


def escape_brackets(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Returns the rows with enclosures protected from being read as markup."""
    import re

    return [(name, re.sub(r"\[(?=[-\d])", r"\\[", value)) for name, value in rows]

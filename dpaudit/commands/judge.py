"""dpaudit judge."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit.setting import Setting
from dpaudit.commands import common
from dpaudit.commands.audits import again, claim_rows, escape_brackets, subject_rows
from dpaudit.commands.common import emit, fields, memory_bytes
from dpaudit.commands.options import Given
from dpaudit.numbers.errors import approximately


def judge(
    setting: Given,
    claim: Annotated[
        str | None,
        typer.Option(
            "--claim",
            metavar="GUARANTEE",
            help="eps=1, eps=1,delta=1e-5, rho=1/2 (zCDP), alpha=2,eps=1/2 (Rényi), mu=1 (Gaussian DP), "
            "f=0:1;1/4:1/2;1:0 (trade-off function). Default: what the mechanism claims.",
        ),
    ] = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    tier: common.Tier = "auto",
    require: common.Require = False,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Is this guarantee true? ε, (ε, δ), ρ-zCDP, Rényi, Gaussian DP or a trade-off function, over all pairs.

    Examples:

    dpaudit judge --mech EHDS --n 20 --claim rho=1/8

    dpaudit judge --mech LSHist --n 10 --claim mu=1

    dpaudit judge --mech dpaudit.examples.randomised_response:RandomisedResponse --claim alpha=2,eps=1/2
    """
    from dpaudit.audit.guarantees import judge as compute

    with common.progress_bar(f"{setting['mech']}: data sets") as progress:
        subject = Setting.read(**setting)
        common.certifiable(subject.mechanism, certificate)
        effort: dict[str, Any] = {"digits": digits, "memory": memory_bytes(memory), "tier": tier}
        result = compute(subject, claim, progress=progress, **effort)

    def render(console: Any) -> None:
        counts = result.counts
        datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
        covered = f"all {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
        rows = [
            *subject_rows(result.subject.mechanism),
            *claim_rows(result.claim),
            ("covers", covered),
            ("effort", f"{result.precision_bits} bits, {result.seconds:.3f} s"),
            *again(result),
        ]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    common.finish(result, certificate, require)

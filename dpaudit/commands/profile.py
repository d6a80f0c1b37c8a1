"""dpaudit profile."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.audits import again, escape_brackets, subject_rows
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.commands.options import Given
from dpaudit.mechanisms.base import text

SHOWN = 12
"""Segments of the curve in the text; JSON has all."""


def profile(
    setting: Given,
    at: Annotated[
        str | None, typer.Option("--at", metavar="A,B,…", help="Print δ at these ε. Default: five up to the true ε.")
    ] = None,
    orders: Annotated[
        str | None,
        typer.Option(
            "--orders",
            metavar="A,B,…",
            help="Orders of the Rényi divergences, rationals >= 1. Default: 1,3/2,2,4,8,16,32,64.",
        ),
    ] = None,
    compose: Annotated[
        str | None,
        typer.Option("--compose", metavar="T", help="δ of T releases: certified if small, and dp-accounting's float."),
    ] = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """The whole privacy curve: δ(ε) with its breakpoints, f-DP, total variation, Rényi, zCDP, composition.

    Between two breakpoints δ(ε) = power − e^ε·α, where (α, 1 − power) are the errors of the best test between the
    two data sets: the trade-off function of f-DP. Everything is certified, except what is labelled as float.

    Examples:

    dpaudit profile --mech EHDL --n 20 --at 0,0.1,0.2

    dpaudit profile --mech LSHist --n 10 --compose 4
    """
    from dpaudit.audit.profile import profile as compute

    asked: dict[str, Any] = {"at": at, "orders": orders, "compose": compose}
    with common.progress_bar(f"{setting['mech']}: data sets") as progress:
        result = compute(progress=progress, **asked, digits=digits, memory=memory_bytes(memory), **setting)

    def render(console: Any) -> None:
        rows = [
            *subject_rows(result.subject.mechanism),
            ("true ε", f"[bold]{result.epsilon}[/]"),
            ("total variation", f"{result.total_variation}   (the adversary's best advantage)"),
            ("zCDP ρ", str(result.rho)),
            ("curve", f"{len(result.segments)} segments; nothing rises above by more than {result.slack}"),
            ("effort", f"{result.precision_bits} bits, {result.seconds:.3f} s"),
            *again(result),
        ]
        fields(console, escape_brackets(rows))
        for draw in (_curve, _deltas, _renyi, _composition):
            draw(console, result)

    emit(result.to_dict(), render, as_json, out)


def _table(console: Any, title: str, columns: list[str], rows: list[list[str]]) -> None:
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(cells(cell) for cell in row))
    console.print(table)


def _curve(console: Any, result: Any) -> None:
    rows = []
    for part in result.segments:
        ends = [str(part.start), "∞" if part.end is None else str(part.end)]
        rows.append([*ends, str(part.alpha), str(part.power), text(part.pair.x), text(part.pair.x_prime)])
    if len(rows) > SHOWN:
        half = SHOWN // 2
        rows = [*rows[:half], [f"… {len(rows) - SHOWN} more", *[""] * 5], *rows[-half:]]
    _table(console, "δ(ε) = power − e^ε·α", ["from ε", "to ε", "α", "power", "x", "x′"], rows)


def _deltas(console: Any, result: Any) -> None:
    _table(console, "δ(ε)", ["ε", "δ"], [[str(at), str(delta)] for at, delta in result.deltas])


def _renyi(console: Any, result: Any) -> None:
    rows = [[str(order), str(value)] for order, value in result.renyi]
    _table(console, "Rényi divergences", ["order", "divergence"], rows)


def _composition(console: Any, result: Any) -> None:
    found = result.composition
    if found is None:
        return
    rows = []
    for i, at in enumerate(found.points):
        certified = "not certified" if found.certified is None else str(found.certified[i])
        rows.append([str(at), certified, "not installed" if found.accounting is None else f"{found.accounting[i]:.6g}"])
    columns = ["ε", "δ, certified", "δ, dp-accounting (float, not certified)"]
    _table(console, f"{found.times} releases", columns, rows)
    if found.reason:
        console.print(f"not certified: {found.reason}", markup=False)
    if found.accounting is None:
        console.print('dp-accounting is not installed: pip install "dpaudit[accounting]"', markup=False)

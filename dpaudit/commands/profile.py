"""dpaudit profile."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.drawing import fields, listing, subject_rows
from dpaudit.commands.options import Effort, Given, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.privacy.protocols import text

SHOWN = 12
"""Segments of the curve in the text; JSON has all."""


def profile(
    setting: Given,
    effort: Effort,
    at: Annotated[str | None, option("--at", "A,B,…", "Print δ at these ε. Default: five up to the true ε.")] = None,
    orders: Annotated[
        str | None,
        option("--orders", "A,B,…", "Orders of the Rényi divergences, rationals >= 1. Default: 1,3/2,2,4,8,16,32,64."),
    ] = None,
    compose: Annotated[
        str | None, option("--compose", "T", "δ of T releases: certified if small, and dp-accounting's float.")
    ] = None,
) -> Shown:
    """The whole privacy curve: δ(ε) with its breakpoints, f-DP, total variation, Rényi, zCDP, composition.

    Between two breakpoints δ(ε) = power − e^ε·α, where (α, 1 − power) are the errors of the best test between the
    two data sets: the trade-off function of f-DP. Everything is certified, except what is labelled as float.

    Examples:

    dpaudit profile --mech EHDL --n 20 --at 0,0.1,0.2

    dpaudit profile --mech LSHist --n 10 --compose 4
    """
    from dpaudit.audit.profile import profile as compute

    asked: dict[str, Any] = {"at": at, "orders": orders, "compose": compose}
    result = compute(**asked, **effort, **setting)
    rows = [
        *subject_rows(result.subject),
        ("true ε", f"[bold]{result.epsilon}[/]"),
        ("total variation", f"{result.total_variation}   (the adversary's best advantage)"),
        ("zCDP ρ", str(result.rho)),
        ("curve", f"{len(result.segments)} segments; nothing rises above by more than {result.slack}"),
        ("effort", f"{result.precision_bits} bits, {result.seconds:.3f} s"),
    ]

    def render(console: Any) -> None:
        fields(console, rows, result)
        _curve(console, result)
        listing(console, ["ε", "δ"], result.deltas, title="δ(ε)")
        listing(console, ["order", "divergence"], result.renyi, title="Rényi divergences")
        _composition(console, result)

    return Reply(result, render)


def _curve(console: Any, result: Any) -> None:
    rows = []
    for part in result.segments:
        ends = [str(part.start), "∞" if part.end is None else str(part.end)]
        rows.append([*ends, str(part.alpha), str(part.power), text(part.pair.x), text(part.pair.x_prime)])
    if len(rows) > SHOWN:
        half = SHOWN // 2
        rows = [*rows[:half], [f"… {len(rows) - SHOWN} more", *[""] * 5], *rows[-half:]]
    listing(console, ["from ε", "to ε", "α", "power", "x", "x′"], rows, title="δ(ε) = power − e^ε·α")


def _composition(console: Any, result: Any) -> None:
    found = result.composition
    if found is None:
        return
    rows = []
    for i, at in enumerate(found.points):
        certified = "not certified" if found.certified is None else str(found.certified[i])
        rows.append([str(at), certified, "not installed" if found.accounting is None else f"{found.accounting[i]:.6g}"])
    columns = ["ε", "δ, certified", "δ, dp-accounting (float, not certified)"]
    listing(console, columns, rows, title=f"{found.times} releases")
    if found.reason:
        console.print(f"not certified: {found.reason}", markup=False)
    if found.accounting is None:
        console.print('dp-accounting is not installed: pip install "dpaudit[accounting]"', markup=False)

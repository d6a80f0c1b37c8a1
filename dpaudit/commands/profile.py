"""dpaudit profile."""

from __future__ import annotations

from typing import Annotated

from dpaudit.commands.options import Effort, Given, Plotted, option
from dpaudit.commands.reply import Reply


def profile(
    setting: Given,
    effort: Effort,
    at: Annotated[str | None, option("--at", "A,B,…", "Print δ at these ε. Default: five up to the true ε.")] = None,
    orders: Annotated[
        str | None,
        option("--orders", "A,B,…", "Orders of the Rényi divergences, rationals >= 1. Default: 1,3/2,2,4,8,16,32,64."),
    ] = None,
) -> Plotted:
    """The whole privacy curve: δ(ε) with its breakpoints, f-DP, total variation, Rényi, zCDP.

    Between two breakpoints δ(ε) = power − e^ε·α, where (α, 1 − power) are the errors of the best test between the
    two data sets: the trade-off function of f-DP. `dpaudit account --event mech:NAME` composes several releases.

    Examples:

    dpaudit profile --mech EHDL --n 20 --at 0,0.1,0.2

    dpaudit profile --mech LSHist --n 10 --orders 1,2,10
    """
    from dpaudit.audit.profile import profile as compute

    return Reply(compute(at=at, orders=orders, **effort, **setting))

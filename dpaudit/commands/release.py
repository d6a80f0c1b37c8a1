"""dpaudit release: one output of the audited law, drawn exactly."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.options import Claimed, Effort, Given, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.verdict import Verdict


def release(
    setting: Given,
    effort: Effort,
    wanted: Annotated[dict[str, Any], "require"],
    x: Annotated[
        str, option("--x", "A,B,…", "The data: a histogram (n is its sum), or a data set of your own mechanism.")
    ],
    claim: Claimed = None,
    times: Annotated[str, option("--times", "T", "Number of independent releases; each costs its ε.")] = "1",
    seed: Annotated[
        str | None, option("--seed", "S", "Draw from this seed, for simulations: not private. Default: the system.")
    ] = None,
) -> Shown:
    """Draw one output from exactly the audited law, without floating point.

    Bits from the operating system decide the output; probabilities are refined as needed. The answer contains the
    release and the audit of this setting, never the data, so it may be published.

    Examples:

    dpaudit release --mech EHDS --x 20,20

    dpaudit release --mech LSHist --x 7,3,2 --eps 1/2 --require --json

    dpaudit release --mech EHDS --x 20,20 --times 1000 --seed 1 --json      # a simulation
    """
    from dpaudit.studies.release.release import release as compute

    result = compute(x=x, claim=claim, times=times, seed=seed, **wanted, **effort, **setting)
    unproved = 1 if result.claim.verdict is Verdict.REFUTED else 3
    return Reply(result, code=0 if result.released else unproved)

"""dpaudit shuffle."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.options import Shown, option
from dpaudit.commands.reply import Reply


def shuffle(
    effort: Annotated[dict[str, Any], "progress"],
    delta: Annotated[str, option("--delta", "RATIONAL", "Bound ε at this δ.")],
    eps: Annotated[str, option("--eps", "RATIONAL", "The ε of one report, exact.")] = "1",
    n: Annotated[str, option("--n", "N", "The number of reports, 2 to 10000.")] = "1000",
    k: Annotated[str, option("--k", "K", "The number of values of randomized response.")] = "2",
) -> Shown:
    """What shuffling buys: ε at a δ for n shuffled reports of randomized response, next to the published bounds.

    Certified on both sides for all data sets. For δ at an ε: dpaudit delta --mech shuffled-randomized-response.

    Examples:

    dpaudit shuffle --eps 1 --n 1000 --delta 1e-6

    dpaudit shuffle --eps 2 --n 500 --k 10 --delta 1e-6
    """
    from dpaudit.studies.shuffle.shuffle import shuffle as compute

    return Reply(compute(delta, eps=eps, n=n, k=k, **effort))

"""dpaudit search."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.options import Claimed, Given, Shown, flag, option
from dpaudit.commands.reply import Reply, claiming, undecided


def search(
    setting: Given,
    effort: Annotated[dict[str, Any], "memory", "progress"],
    n: Annotated[
        str | None, option("--n", "A..B", "Default: 1..200 for k = 2, 1..12 for k = 3, 1..6 for k = 4.")
    ] = None,
    eps: Annotated[str | None, option("--eps", "E,…", "These nominal ε only. Default: free in 1/100..16.")] = None,
    prior: Annotated[
        str | None, option("--prior", "A,B,…", "This prior only; certifies every n up to the minimal one.")
    ] = None,
    prior_box: Annotated[str | None, option("--prior-box", "A..B", "Range of the entries of a free prior.")] = None,
    claim: Claimed = None,
    require: Annotated[
        bool, flag("--require", "Exit with 0 only if the claim is proved at every certified setting.")
    ] = False,
) -> Shown:
    """Search for a counterexample: the largest certified ratio true ε / claimed ε, the smallest violating n.

    Examples:

    dpaudit search --mech EHDL

    dpaudit search --mech EHDL --prior 1/100,1/100 --eps 1/100

    dpaudit search --mech EHDS --n 201..400        # continue an earlier search

    dpaudit search --mech mine.py:Mine --n 1..10 --eps 1/10,1
    """
    from dpaudit.studies.search.search import search as compute

    result = compute(n=n, eps=eps, prior=prior, prior_box=prior_box, claim=claim, **effort, **setting)

    def after() -> None:
        if require and not result.found:
            if claim is None:
                claiming(result.largest.result.subject.mechanism)
            if result.undecided:
                undecided(f"the claim is neither proved nor refuted at {result.undecided} of the certified settings")

    return Reply(result, after=after, code=int(require and result.found))

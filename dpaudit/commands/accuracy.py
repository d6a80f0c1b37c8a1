"""dpaudit accuracy."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.options import Given, Listing, Plotted, option
from dpaudit.commands.reply import Reply


def accuracy(
    setting: Given,
    x: Annotated[str, option("--x", "A,B,…", "The histogram of the data: n is its sum, k its length.")],
    effort: Listing,
    t: Annotated[str | None, option("--t", "RATIONAL", "Compute Pr[distance < t] and check the bounds at t.")] = None,
    metric: Annotated[
        str,
        option(
            "--metric",
            "NAME",
            "hellinger, tv (k = 2), kl (always finite), l1 (of the parameters), chi2 (may be infinite).",
        ),
    ] = "hellinger",
    quantiles: Annotated[
        str, option("--quantiles", "P,…", "Levels between 0 and 1, besides the median.")
    ] = "1/4,3/4,9/10,99/100",
) -> Plotted:
    """The exact distribution of the distance between release and true posterior, and the papers' accuracy bounds.

    Examples:

    dpaudit accuracy --mech LSHist --x 20,20 --t 0.2

    dpaudit accuracy --mech EHDL --x 4,4 --eps 8/5        # P1's Table 1

    dpaudit accuracy --mech LSDim --x 2000,18000 --eps 0.8 --metric tv
    """
    from dpaudit.studies.accuracy.accuracy import accuracy as compute

    asked: dict[str, Any] = {"t": t, "metric": metric, "quantiles": quantiles}
    return Reply(compute(x=x, **asked, **effort, **setting))

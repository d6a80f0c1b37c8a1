"""dpaudit accuracy."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.drawing import Marked, cells, fields, listing, subject_rows
from dpaudit.commands.options import Given, Listing, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.verdict import Verdict

SHOWN = 12
"""Steps in the text table."""
MARKS = {
    Verdict.PROVED: "[bold green]holds[/]",
    Verdict.REFUTED: "[bold red]fails[/]",
    Verdict.UNDECIDED: "[bold yellow]undecided[/]",
}


def accuracy(
    setting: Given,
    x: Annotated[str, option("--x", "A,B,…", "The histogram of the data: n is its sum, k its length.")],
    effort: Listing,
    t: Annotated[str | None, option("--t", "RATIONAL", "Ask for Pr[distance < t], and the bounds at t.")] = None,
    metric: Annotated[
        str,
        option(
            "--metric",
            "NAME",
            "hellinger, tv (k = 2), kl (always finite), l1 (of the parameters), chi2 (may be infinite).",
        ),
    ] = "hellinger",
    quantiles: Annotated[
        str, option("--quantiles", "P,…", "Levels between 0 and 1, beside the median.")
    ] = "1/4,3/4,9/10,99/100",
) -> Shown:
    """How far the release is from the true posterior: the exact law of the distance, and the documents' bounds.

    Examples:

    dpaudit accuracy --mech LSHist --x 20,20 --t 0.2

    dpaudit accuracy --mech EHDL --x 4,4 --eps 8/5        # P1's Table 1

    dpaudit accuracy --mech LSDim --x 2000,18000 --eps 0.8 --metric tv
    """
    from dpaudit.utility.accuracy import accuracy as compute

    asked: dict[str, Any] = {"t": t, "metric": metric, "quantiles": quantiles}
    result = compute(x=x, **asked, **effort, **setting)
    return Reply(result, lambda console: draw(console, result))


def draw(console: Any, result: Any) -> None:
    """Draws the result as tables."""
    rows = [*subject_rows(result.subject), ("data x", cells(result.x)), ("distance", result.metric)]
    rows.append(("mean", f"[bold]{result.mean}[/]"))
    rows.append(("median", str(result.median)))
    rows += [(f"quantile {level}", str(value)) for level, value in result.quantiles]
    if result.probability is not None:
        rows.append((f"Pr\\[< {result.t}]", f"[bold]{result.probability}[/]"))
    fields(console, rows, result)
    steps = [result.step(i) for i in range(min(SHOWN, len(result.law)))]
    shown = [(step.distance, step.outputs, step.probability, step.cumulative) for step in steps]
    listing(console, ["distance", "outputs", "probability", "Pr[≤ distance]"], shown)
    if len(result.law) > SHOWN:
        console.print(f"… and {len(result.law) - SHOWN} more steps: --json has them all")
    draw_bounds(console, result)


def draw_bounds(console: Any, result: Any) -> None:
    """Draws the documents' bounds with their verdicts."""
    if not result.bounds:
        console.print("The documents state no bound for this mechanism, distance and k.")
        return
    rows = []
    for bound in result.bounds:
        verdict = MARKS[bound.verdict]
        if bound.thresholds > 1:
            verdict += f" at {bound.failing if bound.failing else bound.thresholds} of {bound.thresholds} t"
        numbers = [bound.t, bound.kappa, bound.probability, bound.value, bound.margin]
        rows.append([bound.claim, bound.statement, *map(brief, numbers), Marked(verdict)])
    listing(console, ["claim", "statement", "at t", "κ", "here", "bound", "margin", "verdict"], rows)
    if result.t is None:
        console.print("Each bound at every t that separates two distances; the row shows the worst. --t asks for one.")


def brief(value: Any) -> str:
    """Returns an enclosure to about 6 digits, marked "≈"; --json has all of them."""
    if isinstance(value, int) or value.lower == value.upper:
        return str(value)
    if value.lower <= 0 <= value.upper:
        return "≈ 0"
    return f"≈ {float(value.lower):.6g}"

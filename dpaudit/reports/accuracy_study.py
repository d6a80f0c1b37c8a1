"""Sections on accuracy: exact mean error against n or against the prior, crossovers, and the documents' bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.comparison.ranges import RangeResult, compare_over_n, compare_over_priors
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import Histogram, parse_histogram, show
from dpaudit.reports.collect import Block
from dpaudit.reports.document import Section
from dpaudit.utility.accuracy import accuracy

Progress = Callable[[str], None]
DIGITS = 10


def errors_by_n(block: Block, shares: Sequence[Fraction], progress: Progress) -> Section:
    """Returns the exact mean error of every mechanism on data with the given shares, n by n, with the crossovers."""
    progress(f"exact mean errors for n = {block.ns[0]}…{block.ns[-1]}")
    shape: dict[str, Any] = {"share": shares, "prior": block.model.prior, "mechs": block.labels}
    found = compare_over_n(block.ns, block.eps, **shape, digits=DIGITS, **block.shared())
    data = "data in equal shares" if len(set(shares)) == 1 else f"data split {' : '.join(map(str, shares))}"
    return {
        "kind": "error-by-n",
        "title": f"Exact mean error, {data}, ε = {block.eps}",
        "question": "Which mechanism is the most accurate, and from which n on? Dashed lines mark crossovers.",
        "command": _commands(block, found.points[-1].x),
        "setting": {**block.to_dict(), "shares": [str(share) for share in shares]},
        "rows": _rows(found, "n"),
        "crossovers": _crossovers(found, "n"),
    }


def _rows(found: RangeResult, axis: str) -> list[dict[str, Any]]:
    names = found.points[0].means
    return [
        {"mechanism": name, axis: point.at, "x": list(point.x), "mean": point.means[name].to_dict()}
        for name in names
        for point in found.points
    ]


def _crossovers(found: RangeResult, axis: str) -> list[dict[str, Any]]:
    """Returns the certified changes of order in words, with the last point before each."""
    points = [point.at for point in found.points]
    return [
        {
            "n": crossing.at,
            "text": f"{crossing.better} overtakes {crossing.worse} after {axis} = "
            f"{points[points.index(crossing.at) - 1]} and by {axis} = {crossing.at} (of the values looked at)",
        }
        for crossing in found.crossovers
    ]


def _commands(block: Block, x: Histogram) -> str:
    """Returns the commands that give the accuracy of every mechanism on x."""
    return "\n".join(setting.at(n=sum(x)).command_line("accuracy", x=x) or "" for setting in block.settings)


def bounds(block: Block, x: Histogram, progress: Progress) -> Section:
    """Returns every accuracy bound of the documents for this data set, each with its worst threshold."""
    rows = []
    for setting in block.settings:
        name = setting.label
        progress(f"{name}: bounds at x = {x}")
        found = accuracy(setting.at(n=sum(x)), x, digits=DIGITS).to_dict()
        for bound in found["bounds"]:
            fails = f"fails at {bound['failing']} of {bound['thresholds']} thresholds"
            rows.append(
                {
                    "mechanism": name,
                    "x": list(x),
                    "claim": f"{bound['claim']}: {bound['statement']}",
                    "t": bound["t"],
                    "exact": bound["probability"],
                    "value": bound["value"],
                    "outcome": "UNDECIDED" if bound["holds"] is None else "holds" if bound["holds"] else fails,
                }
            )
    return {
        "kind": "bounds",
        "title": f"The documents' accuracy bounds at x = ({show(x)}), ε = {block.eps}",
        "question": "Which bounds hold here? A row shows the t at which the bound comes closest or fails most.",
        "command": _commands(block, x),
        "setting": block.to_dict(),
        "rows": rows,
        "finding": f"{sum(row['outcome'] == 'holds' for row in rows)} of {len(rows)} bounds hold here; failing: "
        + ", ".join(str(row["claim"]).split(":")[0] for row in rows if str(row["outcome"]).startswith("fails")),
    }


def errors_by_prior(block: Block, x: Histogram, priors: Sequence[int], progress: Progress) -> Section:
    """Returns the exact mean error on fixed data under growing balanced priors (P1 and A3, Figure 5)."""
    progress(f"exact mean errors under {len(priors)} priors")
    found = compare_over_priors(priors, x, block.eps, mechs=block.labels, digits=DIGITS, **block.shared())
    return {
        "kind": "error-by-prior",
        "title": f"Exact mean error on x = ({show(x)}) under priors (a, …, a), ε = {block.eps}",
        "question": "Who wins as the prior grows?",
        "command": _commands(block, x),
        "setting": {**block.to_dict(), "priors": list(priors)},
        "rows": _rows(found, "a"),
        "crossovers": _crossovers(found, "a"),
    }


KEYS = {"title", "mechs", "n", "shares", "x", "prior", "priors", "eps"}


def prepare(entry: dict[str, Any]) -> Callable[[Progress], Iterator[Section]]:
    """Returns the checked job of a [[study]] of kind "accuracy": "n" and "shares", or "x" with "priors" or bounds."""
    from dpaudit.reports.plan import exact_list, parameter_keys, read_range

    known = KEYS | parameter_keys()
    unknown = sorted(set(entry) - known)
    if unknown:
        raise InputError("study", unknown[0], f"unknown key of an accuracy study; known: {', '.join(sorted(known))}")
    if "x" in entry and ("n" in entry or "shares" in entry):
        raise InputError("study", "x", "goes without n and shares: x is the data itself")
    x = parse_histogram("x", entry["x"]) if "x" in entry else None
    parts = exact_list("shares", entry.get("shares", ["1", "1"]))
    k = len(x) if x else len(parts)
    ns = (sum(x),) if x else read_range("n", entry.get("n", "10..100..10"))
    shape = {"k": k, "prior": entry.get("prior"), "eps": entry.get("eps")}
    parameters = {name: value for name, value in entry.items() if name in parameter_keys()}
    block = Block.read(entry.get("mechs", "all"), ns, parameters, **shape)
    if x is None:
        make = partial(errors_by_n, block, [part / sum(parts) for part in parts])
    elif "priors" in entry:
        make = partial(errors_by_prior, block, x, read_range("priors", entry["priors"]))
    else:
        make = partial(bounds, block, x)
    return partial(_titled, make, str(entry.get("title", "")))


def _titled(make: Callable[[Progress], Section], title: str, progress: Progress) -> Iterator[Section]:
    section = make(progress)
    yield {**section, "title": f"{title}: {section['title']}"} if title else section


def balanced(block: Block, progress: Progress) -> Section:
    """Returns the mean errors on balanced data for at most twenty values of n of an audit's range."""
    k = block.model.k
    ns = [n for n in block.ns if n % k == 0] or list(block.ns)
    some = tuple(ns[:: max(1, -(-len(ns) // 20))])
    cheap = tuple(setting for setting in block.settings if k == 2 or setting.mech != "LSZhang")
    return errors_by_n(Block(cheap, some), [Fraction(1, k)] * k, progress)

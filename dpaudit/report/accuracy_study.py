"""Sections on accuracy: exact mean error against n or against the prior, crossovers, and the documents' bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from dpaudit.errors import InputError
from dpaudit.mechanisms import lookup
from dpaudit.model import Histogram, make_model, parse_histogram, show
from dpaudit.rationals import positive, probability
from dpaudit.report.collect import Setting, mechanism_names
from dpaudit.report.document import Section
from dpaudit.utility import accuracy

Progress = Callable[[str], None]
DIGITS = 10


def split(n: int, shares: Sequence[Fraction]) -> Histogram:
    """Returns n records in cells proportional to the shares: floors, then the rest one by one from the left."""
    whole = sum(shares)
    cells = [int(n * share / whole) for share in shares]
    for i in range(n - sum(cells)):
        cells[i] += 1
    return tuple(cells)


def errors_by_n(setting: Setting, shares: Sequence[Fraction], progress: Progress) -> Section:
    """Returns the exact mean error of every mechanism on data with the given shares, n by n, with the crossovers."""
    rows = []
    for name in setting.mechs:
        progress(f"{name}: exact mean error for n = {setting.ns[0]}…{setting.ns[-1]}")
        for n in setting.ns:
            rows.append(_mean(setting, name, split(n, shares), {"n": n}))
    data = "balanced data" if len(set(shares)) == 1 else f"data split {' : '.join(map(str, shares))}"
    return {
        "kind": "error-by-n",
        "title": f"Exact mean error, {data}, ε = {setting.eps}",
        "question": "Which mechanism is the most accurate, and from which n on? Dashed lines mark crossovers.",
        "command": f"dpaudit accuracy {_options(setting, setting.mechs[0], split(setting.ns[-1], shares))}",
        "setting": {**setting.to_dict(), "shares": [str(share) for share in shares]},
        "rows": rows,
        "crossovers": crossovers(rows),
    }


def _mean(setting: Setting, name: str, x: Histogram, more: dict[str, Any]) -> dict[str, Any]:
    found = accuracy(setting.mechanism(name, sum(x)), x, digits=DIGITS)
    return {"mechanism": name, **more, "x": list(x), "mean": found.mean.to_dict()}


def _options(setting: Setting, name: str, x: Histogram) -> str:
    return f"{setting.options(name)} --x {show(x)}"


def crossovers(rows: Sequence[dict[str, Any]], axis: str = "n") -> list[dict[str, Any]]:
    """Returns where the order of two mechanisms changes between neighbouring points, certified on both sides."""
    table: dict[str, dict[Any, dict[str, str]]] = {}
    for row in rows:
        table.setdefault(row["mechanism"], {})[row[axis]] = row["mean"]
    found = []
    for one, other in combinations(table, 2):
        points = list(table[one])
        order = {p: _order(table[one][p], table[other][p]) for p in points}
        known = [p for p in points if order[p]]
        for before, after in pairwise(known):
            if order[before] != order[after]:
                winner, loser = (one, other) if order[after] < 0 else (other, one)
                text = f"{winner} beats {loser} from {axis} = {after} on ({loser} is better at {axis} = {before})"
                found.append({axis: after, "text": text})
    return sorted(found, key=lambda entry: (Fraction(str(entry[axis])), entry["text"]))


def _order(a: dict[str, str], b: dict[str, str]) -> int:
    """Returns -1 or 1 where one enclosure lies below the other, 0 where they overlap."""
    if Fraction(a["upper"]) < Fraction(b["lower"]):
        return -1
    return 1 if Fraction(b["upper"]) < Fraction(a["lower"]) else 0


def bounds(setting: Setting, x: Histogram, progress: Progress) -> Section:
    """Returns every accuracy bound of the documents for this data set, each with its worst threshold."""
    rows = []
    for name in setting.mechs:
        progress(f"{name}: bounds at x = {x}")
        found = accuracy(setting.mechanism(name, sum(x)), x, digits=DIGITS).to_dict()
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
        "title": f"The documents' accuracy bounds at x = ({show(x)}), ε = {setting.eps}",
        "question": "Which bounds hold here? A row shows the t at which the bound comes closest or fails most.",
        "command": f"dpaudit accuracy {_options(setting, setting.mechs[0], x)}",
        "setting": setting.to_dict(),
        "rows": rows,
    }


def errors_by_prior(setting: Setting, x: Histogram, priors: Sequence[Fraction], progress: Progress) -> Section:
    """Returns the exact mean error on fixed data under growing balanced priors (P1 and A3, Figure 5)."""
    rows = []
    for name in setting.mechs:
        progress(f"{name}: exact mean error under {len(priors)} priors")
        for a in priors:
            own = Setting(
                (name,), setting.ns, setting.k, (a,) * setting.k, setting.eps, setting.gamma, setting.delta_param
            )
            rows.append(_mean(own, name, x, {"a": str(a)}))
    found = [{"n": float(Fraction(entry["a"])), "text": entry["text"]} for entry in crossovers(rows, "a")]
    return {
        "kind": "error-by-prior",
        "title": f"Exact mean error on x = ({show(x)}) under priors (a, …, a), ε = {setting.eps}",
        "question": "Who wins as the prior grows?",
        "command": f"dpaudit accuracy {_options(setting, setting.mechs[0], x)}",
        "setting": {**setting.to_dict(), "priors": [str(a) for a in priors]},
        "rows": rows,
        "crossovers": found,
    }


def study(entry: dict[str, Any], progress: Progress) -> Iterator[Section]:
    """Yields the sections of a [[study]] of kind "accuracy": "n" and "shares", or "x" with "priors" or bounds."""
    from dpaudit.report.plan import exact_list, read_range

    unknown = sorted(set(entry) - {"mechs", "n", "shares", "x", "prior", "priors", "eps", "gamma", "delta_param"})
    if unknown:
        raise InputError("study", unknown[0], "unknown key of an accuracy study")
    x = parse_histogram("x", entry["x"]) if "x" in entry else None
    shares = exact_list("shares", entry.get("shares", ["1", "1"]))
    k = len(x) if x else len(shares)
    ns = (sum(x),) if x else read_range("n", entry.get("n", "10..100..10"))
    gamma = entry.get("gamma")
    setting = Setting(
        mechanism_names(entry.get("mechs", "all")),
        ns,
        k,
        make_model(ns[-1], k, entry.get("prior")).prior,
        positive("eps", entry.get("eps", "1")),
        None if gamma is None else positive("gamma", gamma),
        probability("delta_param", entry.get("delta_param", "1e-8")),
    )
    if x is None:
        yield errors_by_n(setting, shares, progress)
    elif "priors" in entry:
        yield errors_by_prior(setting, x, exact_list("priors", entry["priors"]), progress)
    else:
        yield bounds(setting, x, progress)


def balanced(setting: Setting, progress: Progress) -> Section:
    """Returns the mean errors on balanced data for at most twenty values of n of an audit's range."""
    ns = [n for n in setting.ns if n % setting.k == 0] or list(setting.ns)
    some = tuple(ns[:: max(1, -(-len(ns) // 20))])
    cheap = tuple(name for name in setting.mechs if setting.k == 2 or lookup(name).name != "LSZhang")
    thinned = Setting(cheap, some, setting.k, setting.prior, setting.eps, setting.gamma, setting.delta_param)
    return errors_by_n(thinned, [Fraction(1)] * setting.k, progress)

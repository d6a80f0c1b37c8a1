"""dpaudit compare."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.common import cells, decimal, emit, fields, listing, memory_bytes
from dpaudit.commands.options import Given
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole


def compare(
    setting: Given,
    x: Annotated[
        str | None, typer.Option("--x", metavar="A,B,…", help="The histogram of the data; n is its sum, k its length.")
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option("--dataset", metavar="NAME", help="A real histogram: badges, bike, cryotherapy, immunotherapy."),
    ] = None,
    n: Annotated[
        str | None,
        typer.Option("--n", metavar="A..B", help="A range of n, data in fixed proportions: mean errors, crossovers."),
    ] = None,
    priors: Annotated[
        str | None, typer.Option("--priors", metavar="A..B", help="A range of priors (a, …, a), with --x.")
    ] = None,
    share: Annotated[
        str | None, typer.Option("--share", metavar="P,Q,…", help="With --n: the proportions; default all equal.")
    ] = None,
    step: Annotated[str, typer.Option("--step", metavar="S", help="With a range: every S-th point.")] = "1",
    target: Annotated[
        str, typer.Option("--target", metavar="RATIONAL", help="The ε at which all are compared: nominal, and true.")
    ] = "1",
    mech: Annotated[
        str | None, typer.Option("--mech", metavar="A,B,…", help="Only these; EHD/exact is EHD with the exact GS.")
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="calibrated|mean|true",
            help="By the mean at equal true ε (default), at equal nominal ε, or by the true ε.",
        ),
    ] = "calibrated",
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="hellinger, tv (k = 2), kl, l1 or chi2; not with a range.")
    ] = "hellinger",
    at_true: Annotated[bool, typer.Option("--calibrated", help="With a range: at equal true ε, not nominal.")] = False,
    digits: common.Digits = "12",
    memory: common.Memory = "2",
    as_csv: Annotated[bool, typer.Option("--csv", help="With a range: CSV, one line a point and mechanism.")] = False,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Which mechanism is most accurate: all of them at equal nominal ε and at equal true ε, exactly.

    Examples:

    dpaudit compare --x 50,50 --target 1

    dpaudit compare --dataset cryotherapy

    dpaudit compare --n 2..320 --step 2 --mech MH,LSDim,LSHist --csv --out fig4.csv

    dpaudit compare --x 5,5,5 --priors 1..12 --target 4/5 --mech MHdelta,LSHist
    """
    from dpaudit.comparison import on_data as comparison
    from dpaudit.comparison import ranges

    k, prior = setting.pop("k", None), setting.pop("prior", None)
    data = source(x, dataset, n, k, priors, share)
    ranged = n is not None or priors is not None
    if as_csv and not ranged:
        raise InputError("n", "(missing)", "--csv goes with a range: --n A..B or --priors A..B")
    if ranged and metric != "hellinger":
        raise InputError("metric", metric, "a range is for hellinger only")
    places, bytes_ = whole("digits", digits, 10, 2000), memory_bytes(memory)
    if "eps" in setting or "settings" in setting:
        name, value = ("eps", setting["eps"]) if "eps" in setting else ("set", ", ".join(setting["settings"]))
        raise InputError(name, value, "is not for a comparison: all mechanisms of the family at one --target")
    with common.progress_bar("compare") as progress:
        asked: dict[str, Any]
        if not ranged:
            asked = {"prior": prior, "mechs": mech, "sort": sort, "metric": metric, "digits": places}
            result = comparison.compare(data, target, **asked, progress=progress, memory=bytes_, **setting)
            emit(result.to_dict(), lambda console: draw(console, result), as_json, out)
            return
        stride = whole("step", step, 1)
        asked = {
            "mechs": mech,
            "calibrate": at_true,
            "digits": places,
            "progress": progress,
            "memory": bytes_,
            **setting,
        }
        if priors is not None:
            points = ranges.parse_range("priors", priors, 1, stride)
            many = ranges.compare_over_priors(points, data, target, **asked)
        else:
            points = ranges.parse_range("n", str(n), 1, stride)
            wide = prior or (",".join("1" * int(k)) if k and share is None else None)
            many = ranges.compare_over_n(points, target, share=share, prior=wide, **asked)
    render = write_csv if as_csv else draw_range
    emit(many.to_dict(), lambda console: render(console, many), as_json, out)


def source(
    x: str | None, dataset: str | None, n: str | None, k: str | None, priors: str | None, share: str | None
) -> str:
    """Returns the data, from exactly one of --x, --dataset and --n; "" for a range of n."""
    given = [name for name, value in (("x", x), ("dataset", dataset), ("n", n)) if value is not None]
    if len(given) != 1:
        rule = "give exactly one of --x, --dataset and --n"
        raise InputError(
            "x", x or "(missing)", rule + (f", not {' and '.join('--' + g for g in given)}" if given else "")
        )
    if priors is not None and n is not None:
        raise InputError("priors", priors, "goes with --x or --dataset")
    if share is not None and n is None:
        raise InputError("share", share, "goes with --n A..B")
    cells_wanted = None if k is None else whole("k", k, 2)
    if dataset is not None:
        from dpaudit.posterior.data import dataset as find

        return ",".join(str(count) for count in find(dataset, cells_wanted).counts)
    if x is not None and cells_wanted is not None and len(x.split(",")) != cells_wanted:
        raise InputError("k", k, f"contradicts --x, which has {len(x.split(','))} cells")
    return x or ""


SORTED = {
    "calibrated": "mean error at equal true ε",
    "mean": "mean error at equal nominal ε",
    "true": "true ε at equal nominal ε",
}


def draw(console: Any, result: Any) -> None:
    """Draws the table of mechanisms."""
    from dpaudit.comparison.on_data import STAIRS

    model, others = result.model, ""
    if len(result.tied) > 1:
        others = f" (equal to 6 digits: {', '.join(result.tied)})"
    rows = [
        ("data x", cells(result.x)),
        ("model", f"n = {model.n}, k = {model.k}, prior {cells(model.prior)}"),
        ("distance", result.metric),
        ("sorted by", SORTED[result.sort]),
        ("winner", f"[bold]{result.winner}[/]{others}"),
    ]
    fields(console, rows)
    e = result.target
    table = listing(
        "mechanism",
        "claimed",
        f"true ε at ε = {e}",
        f"mean at ε = {e}",
        "90% within",
        f"ε for true ε = {e}",
        "mean there",
        "90% within there",
    )
    for row in result.entries:
        shown = [row.label, row.claimed or "nothing", *performance(row.nominal)]
        again = row.calibrated
        shown += ["too large a job", "", ""] if again is None else [decimal(again.nominal), *performance(again)[1:]]
        table.add_row(*(cells(str(entry)) for entry in shown))
    console.print(table)
    if not all(row.nominal.quantiles for row in result.entries):
        console.print(f"Quantiles are computed up to {STAIRS} outputs; dpaudit accuracy has them beyond that.")


def performance(found: Any) -> list[str]:
    """Returns true epsilon, mean and 9/10 quantile as text."""
    tail = next((str(value) for level, value in found.quantiles if level * 10 == 9), "not computed")
    return [str(found.true) if found.true else "too large a job", str(found.mean), tail]


def draw_range(console: Any, result: Any) -> None:
    """Draws the crossovers, and a few points."""
    kind = "true" if result.calibrated else "nominal"
    fields(
        console, [("compared at", f"{kind} ε = {result.epsilon}"), ("points", f"{len(result.points)} of {result.over}")]
    )
    table = listing(result.over, "data x", *result.points[0].means, "least")
    stride = max(1, len(result.points) // 12)
    for point in result.points[::stride]:
        means = (f"{float(value.lower):.6g}" for value in point.means.values())
        table.add_row(str(point.at), cells(point.x), *means, point.winner)
    console.print(table)
    if stride > 1:
        console.print("Every point, with certified enclosures: --json or --csv.")
    if not result.crossovers:
        console.print(f"No two mechanisms change their order on these {len(result.points)} points.")
    for crossover in result.crossovers:
        console.print(f"from {result.over} = {crossover.at} on, {crossover.better} beats {crossover.worse}")


def write_csv(console: Any, result: Any) -> None:
    """Writes the lines of the CSV file."""
    for line in result.csv():
        console.print(line, markup=False, soft_wrap=True)

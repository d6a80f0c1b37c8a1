"""dpaudit compare."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.audit.setting import refuse_all
from dpaudit.commands.options import Given, Plotted, flag, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_range
from dpaudit.numbers.rationals import whole
from dpaudit.privacy.effort import MAX_DIGITS


def compare(
    setting: Given,
    effort: Annotated[dict[str, Any], "digits=12", "memory", "progress"],
    x: Annotated[str | None, option("--x", "A,B,…", "The histogram of the data; n is its sum, k its length.")] = None,
    dataset: Annotated[
        str | None, option("--dataset", "NAME", "A real histogram: badges, bike, cryotherapy, immunotherapy.")
    ] = None,
    n: Annotated[
        str | None, option("--n", "A..B", "A range of n with data in fixed proportions: mean errors and crossovers.")
    ] = None,
    priors: Annotated[str | None, option("--priors", "A..B", "A range of priors (a, …, a), with --x.")] = None,
    share: Annotated[str | None, option("--share", "P,Q,…", "With --n: the proportions. Default: all equal.")] = None,
    step: Annotated[str, option("--step", "S", "With a range: every S-th point.")] = "1",
    target: Annotated[str, option("--target", "RATIONAL", "The ε at which to compare: nominal, and true.")] = "1",
    mech: Annotated[
        str | None, option("--mech", "A,B,…", "These mechanisms only; EHD/exact is EHD with the exact GS.")
    ] = None,
    sort: Annotated[
        str,
        option(
            "--sort",
            "calibrated|mean|true",
            "By the mean at equal true ε (default), at equal nominal ε, or by the true ε.",
        ),
    ] = "calibrated",
    metric: Annotated[
        str, option("--metric", "NAME", "hellinger, tv (k = 2), kl, l1 or chi2; not with a range.")
    ] = "hellinger",
    at_true: Annotated[bool, flag("--calibrated", "With a range: at equal true ε, not nominal.")] = False,
    as_csv: Annotated[bool, flag("--csv", "With a range: CSV, one line per point and mechanism.")] = False,
) -> Plotted:
    """Which mechanism is most accurate, at equal nominal ε and at equal true ε, exactly.

    Examples:

    dpaudit compare --x 50,50 --target 1

    dpaudit compare --dataset cryotherapy

    dpaudit compare --n 2..320 --step 2 --mech MH,LSDim,LSHist --csv --out fig4.csv

    dpaudit compare --x 5,5,5 --priors 1..12 --target 4/5 --mech MHdelta,LSHist
    """
    from dpaudit.studies.compare import on_data as comparison
    from dpaudit.studies.compare import ranges

    k, prior = setting.pop("k", None), setting.pop("prior", None)
    data = source(x, dataset, n, k, priors, share)
    ranged = n is not None or priors is not None
    if as_csv and not ranged:
        raise InputError("n", "(missing)", "--csv needs a range: --n A..B or --priors A..B")
    if ranged and metric != "hellinger":
        raise InputError("metric", metric, "a range supports hellinger only")
    effort["digits"] = whole("digits", effort["digits"], 10, MAX_DIGITS)
    if "eps" in setting or "settings" in setting:
        name, value = ("eps", setting["eps"]) if "eps" in setting else ("set", ", ".join(setting["settings"]))
        raise InputError(name, value, "cannot be given here: compare runs all mechanisms at one --target")
    if not ranged:
        asked: dict[str, Any] = {"prior": prior, "mechs": mech, "sort": sort, "metric": metric}
        result = comparison.compare(data, target, **asked, **effort, **setting)
        return Reply(result)
    refuse_all(n=n)
    stride, asked = whole("step", step, 1), {"mechs": mech, "calibrate": at_true, **effort, **setting}
    if priors is not None:
        points = whole_range("priors", priors, 1, stride)
        many = ranges.compare_over_priors(points, data, target, **asked)
    else:
        points = whole_range("n", str(n), 1, stride)
        wide = prior or (",".join("1" * int(k)) if k and share is None else None)
        many = ranges.compare_over_n(points, target, share=share, prior=wide, **asked)
    return Reply(many, text=many.csv() if as_csv else None)


def source(
    x: str | None, dataset: str | None, n: str | None, k: str | None, priors: str | None, share: str | None
) -> str:
    """The data, from exactly one of --x, --dataset and --n; "" for a range of n."""
    given = [name for name, value in (("x", x), ("dataset", dataset), ("n", n)) if value is not None]
    if len(given) != 1:
        rule = "give exactly one of --x, --dataset and --n"
        raise InputError(
            "x", x or "(missing)", rule + (f", not {' and '.join('--' + g for g in given)}" if given else "")
        )
    if priors is not None and n is not None:
        raise InputError("priors", priors, "needs --x or --dataset")
    if share is not None and n is None:
        raise InputError("share", share, "needs --n A..B")
    cells_wanted = None if k is None else whole("k", k, 2)
    if dataset is not None:
        from dpaudit.posterior.data import dataset as find

        return ",".join(str(count) for count in find(dataset, cells_wanted).counts)
    if x is not None and cells_wanted is not None and len(x.split(",")) != cells_wanted:
        raise InputError("k", k, f"contradicts --x, which has {len(x.split(','))} cells")
    return x or ""

"""Seven real histograms, from UCI data sets, that ship as examples."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import Histogram


@dataclass(frozen=True)
class Dataset:
    """A named histogram and where it comes from."""

    name: str
    counts: Histogram
    source: str


@cache
def datasets() -> tuple[Dataset, ...]:
    """All of them, in the order of the file."""
    text = files(__name__).joinpath("real_counts.csv").read_text(encoding="utf-8")
    return tuple(
        Dataset(row["dataset"], tuple(int(count) for count in row["counts"].split()), row["source"])
        for row in csv.DictReader(text.splitlines())
    )


def dataset(name: str, k: int | None = None) -> Dataset:
    """The data set of that name with k cells, by default the one with the fewest."""
    named = [d for d in datasets() if d.name == name.strip().lower()]
    if not named:
        raise InputError("dataset", name, f"must be one of {', '.join(sorted({d.name for d in datasets()}))}")
    fits = [d for d in named if k in (None, len(d.counts))]
    if not fits:
        has = " and ".join(str(len(d.counts)) for d in named)
        raise InputError("k", k, f"{name} has k = {has} only")
    return min(fits, key=lambda d: len(d.counts))

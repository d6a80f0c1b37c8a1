"""A plan in TOML: lists and ranges of settings, and the quantities wanted; it expands to jobs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import product
from math import isqrt, prod
from typing import Any

from dpaudit.audit.setting import Setting, is_ranged
from dpaudit.files.lane import Died, Lane
from dpaudit.files.strict_json import read_text
from dpaudit.forall.dispatch import check_possible
from dpaudit.forall.every_n import MOST_DIGITS
from dpaudit.forall.ranged import Ranged, read
from dpaudit.mechanisms import REGISTRY, Mechanism, in_family, lookup, posterior
from dpaudit.mechanisms.own.user_code import describe
from dpaudit.mechanisms.source import sha256_of
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import Range, parse_range
from dpaudit.numbers.rationals import nonnegative, positive, rational, sequence, whole
from dpaudit.posterior.model import show
from dpaudit.version import __version__

GENERAL = ("digits", "memory", "tiles", "quantities", "set")
QUANTITIES = ("epsilon", "delta at E", "mean error")
RANGED = ("n", "k", "eps")
"""Axes of numbers, which may be given as text such as "10..200..10"."""
MOST_BYTES = 16 << 20
MOST_JOBS = 1_000_000
TILE_CELLS = 1 << 28
"""An audit with more float cells than this is split into tiles of data sets."""


def parameter_names() -> list[str]:
    """The parameters of the registry's mechanisms."""
    return list(dict.fromkeys(p.name for kind in REGISTRY.values() for p in kind.parameters))


def axes() -> tuple[str, ...]:
    """What varies; every combination is one audit."""
    return ("mech", "n", "k", "prior", "eps", "adjacency", *parameter_names(), "x")


@dataclass(frozen=True)
class Job:
    """One unit of work: a setting, a quantity, which part of the data sets, the version and the source; exact text."""

    spec: dict[str, Any]
    cost: float

    @property
    def key(self) -> str:
        """The text that identifies the job."""
        return canonical(self.spec)

    @property
    def entry(self) -> str:
        """The same without the part: the jobs of one entry combine by maximum."""
        return canonical({name: value for name, value in self.spec.items() if name != "part"})


def canonical(spec: Mapping[str, Any]) -> str:
    """The one JSON text of a specification."""
    return json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sources(mech: str, adjacency: str | None) -> dict[str, str | None]:
    """What a result depends on besides its setting: dpaudit's version and the SHA-256 of the files."""
    pairs = None if adjacency is None else sha256_of("adjacency", adjacency)
    source = None if in_family(mech) else sha256_of("mech", mech)
    return {"version": __version__, "source": source, **({"pairs": pairs} if pairs else {})}


def read_plan(path: str) -> list[Job]:
    """The jobs of the plan in this file, in order, each once."""
    try:
        plan = tomllib.loads(read_text("plan", path, MOST_BYTES), parse_float=str)
    except InputError:
        raise
    except RecursionError:
        raise InputError("plan", path, "is nested too deeply") from None
    except ValueError as error:
        raise InputError("plan", path, f"is not TOML: {' '.join(str(error).split())}") from None
    return expand(plan)


def expand(plan: Mapping[str, Any]) -> list[Job]:
    """The jobs of a plan: every combination of every block, every quantity, split into parts if large."""
    blocks = plan.get("audit", [{}])
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise InputError("plan", "audit", "write each block as [[audit]]")
    shared = {name: value for name, value in plan.items() if name != "audit"}
    jobs: dict[str, Job] = {}
    lane = Lane()
    try:
        for block in blocks:
            for job in _block({**shared, **block}, lane):
                jobs.setdefault(job.key, job)
                _check_count(len(jobs))
    finally:
        lane.end()
    if not jobs:
        raise InputError("plan", "(empty)", "it has no jobs")
    return list(jobs.values())


def _check_count(jobs: int) -> None:
    if jobs > MOST_JOBS:
        raise InputError("plan", f"more than {MOST_JOBS} jobs", "make it smaller, or split it into several plans")


def _block(block: Mapping[str, Any], lane: Lane) -> Iterator[Job]:
    for name in block:
        if name not in (*axes(), *GENERAL):
            near = get_close_matches(name.replace("epsilon", "eps"), (*axes(), *GENERAL), n=1, cutoff=0.7)
            hint = (
                f"did you mean {near[0]}?" if near else f"a parameter of a mechanism is given by set = {{{name} = …}};"
            )
            raise InputError("plan", name, f"unknown key; {hint} known: {', '.join((*axes(), *GENERAL))}")
    for name in ("mech", "n"):
        if name not in block and (name == "mech" or any(in_family(str(m)) for m in _list("mech", block["mech"]))):
            raise InputError("plan", f"without {name}", f"every block needs {name}")
    digits = whole("digits", block.get("digits", 15), 1, 2000)
    memory = str(positive("memory", block.get("memory", 2)))
    tiles = None if "tiles" not in block else whole("tiles", block["tiles"], 1, 10_000)
    quantities = [_quantity(text) for text in _list("quantities", block.get("quantities", "epsilon"))]
    lists = [_list(name, block[name]) if name in block else [None] for name in axes()]
    sets = _own_settings(block.get("set", {}))
    _check_count(prod(map(len, lists)) * len(sets) * len(quantities))
    sources_of = cache(sources)
    for *values, own in product(*lists, sets):
        chosen = {**dict(zip(axes(), values, strict=True)), "set": own}
        setting = _setting(chosen)
        of = sources_of(str(chosen["mech"]), None if chosen["adjacency"] is None else str(chosen["adjacency"]))
        for quantity in quantities:
            spec = {**setting.to_dict(), **quantity, "digits": digits, "memory": memory, **of}
            if isinstance(setting, Ranged):
                yield _theorem(setting, spec)
                continue
            if quantity["quantity"] == "mean error":
                spec["x"] = str(chosen["x"] or "balanced")
            yield from _parts(spec, _sizes(setting, spec, lane), tiles)


def _list(name: str, value: Any) -> list[Any]:
    """The values of an axis: those of a list, of a range "a..b..step" or {from, to, step | factor}, or one."""
    if isinstance(value, dict):
        return _range(name, value)
    if isinstance(value, list):
        return [item for part in value for item in ([part] if isinstance(part, list) else _list(name, part))]
    if name in RANGED and isinstance(value, str) and ".." in value:
        found = parse_range(name, value)
        every = name == "eps" and found.step is None  # every number of the range: a theorem, as on the command line
        return [value] if every else list(map(str, found.points(name, MOST_JOBS)))
    return [value]


def _own_settings(table: Any) -> list[dict[str, str]]:
    """Every combination of the parameters of one's own mechanism: set = {w = [1, 2], mode = "a"}."""
    if not isinstance(table, dict):
        raise InputError("set", table, "must be a table such as {w = 2}")
    for name in table:
        if name in axes():
            raise InputError("set", name, f"has its own key: write {name} = ...")
    values = [_list(name, value) for name, value in table.items()]
    _check_count(prod(map(len, values)))
    return [dict(zip(table, map(str, chosen), strict=True)) for chosen in product(*values)]


def _range(name: str, table: Mapping[str, Any]) -> list[str]:
    """from, from + step, ... or from, from * factor, ... up to ``to``, exactly."""
    if set(table) not in ({"from", "to", "step"}, {"from", "to", "factor"}, {"from", "to"}):
        raise InputError(name, dict(table), "a range is {from, to, step} or {from, to, factor}")
    value, last = rational(name, table["from"]), rational(name, table["to"])
    step = rational(name, table.get("step", 1 if "factor" not in table else 0))
    factor = rational(name, table.get("factor", 1))
    if not (step > 0 or (factor > 1 and value > 0)):
        raise InputError(name, dict(table), "a range must increase: step > 0, or from > 0 and factor > 1")
    if last < value:
        raise InputError(name, dict(table), "the range is empty")
    if step:
        return list(map(str, Range(value, last, step).points(name, MOST_JOBS)))
    values = []
    while value <= last:
        values.append(str(value))
        value *= factor
        if len(values) > MOST_JOBS:
            raise InputError(name, dict(table), f"has more than {MOST_JOBS} values")
    return values


def _quantity(text: Any) -> dict[str, Any]:
    """The quantity by name: "epsilon", "delta at 1/2", "mean error"."""
    words = str(text).split()
    if words == ["epsilon"] or words == ["mean", "error"]:
        return {"quantity": " ".join(words)}
    if len(words) == 3 and words[:2] == ["delta", "at"]:
        return {"quantity": "delta", "at": str(nonnegative("quantities", words[2]))}
    raise InputError("quantities", text, f"must be one of {', '.join(QUANTITIES)}")


def _theorem(ranged: Ranged, spec: dict[str, Any]) -> Job:
    """The job of a theorem about every n or every epsilon; over every epsilon the quantity is a ratio."""
    if spec["quantity"] != "epsilon":
        rule = f"must be epsilon where {' and '.join(ranged.ranging)} is all or a range"
        raise InputError("quantities", spec["quantity"], rule)
    check_possible(ranged)
    if "n" in ranged.ranging:
        whole("digits", spec["digits"], 1, MOST_DIGITS)
        return Job({**spec, "quantity": quantity_of(ranged)}, 3.0)
    cells = ranged.mechanism.model.size**2
    return Job({**spec, "quantity": quantity_of(ranged)}, 0.01 + min(cells, 10**15) * 5e-5)


def quantity_of(ranged: Ranged) -> str:
    """What of a ranged setting is bounded: true epsilon, or over every epsilon its ratio to epsilon."""
    return "ratio" if "eps" in ranged.ranging else "epsilon"


def _setting(chosen: Mapping[str, Any]) -> Setting | Ranged:
    """The setting; a parameter that a mechanism of the family lacks is left out."""
    mech, own = str(chosen["mech"]), chosen["set"]
    adjacency = None if chosen["adjacency"] is None else str(chosen["adjacency"])
    given = {name: chosen[name] for name in parameter_names() if chosen[name] is not None}
    shape = {name: chosen[name] for name in ("n", "k", "eps") if chosen[name] is not None}
    if not in_family(mech):
        given = {name: str(value) for name, value in given.items()}
        shape |= {name: whole(name, shape[name], 0, 10**18) for name in ("n", "k") if name in shape}
        return read(mech, **shape, prior=chosen["prior"], adjacency=adjacency, settings={**given, **own})
    if own:
        raise InputError("set", ", ".join(own), "is for your own mechanism, not for one of the family")
    known = {parameter.name for parameter in lookup(mech.split("/")[0]).parameters}
    given = {name: value for name, value in given.items() if name in known}
    prior = _prior(chosen["prior"], chosen["k"])
    if is_ranged(prior):
        raise InputError(
            "prior", chosen["prior"], "a box of priors gives a map, not a number: use dpaudit epsilon --prior"
        )
    return read(mech, **shape, prior=prior, adjacency=adjacency, settings=given)


def _prior(value: Any, k: Any) -> list[Any] | None:
    """The entries; one number stands for k equal entries."""
    if value is None:
        return None
    parts = sequence("prior", str(value))
    return parts * whole("k", 2 if k is None else k, 2, 10**4) if len(parts) == 1 else list(parts)


def _dataset(subject: Mechanism, x: str) -> str:
    """The data set of the mean error: "balanced" (the default), "corner", or a histogram."""
    released = posterior(subject)
    if released is None:
        raise InputError("quantities", "mean error", f"{subject.name} releases no posterior")
    model = released.model
    if x == "balanced":
        rest = model.n % model.k
        return show(tuple(model.n // model.k + (i < rest) for i in range(model.k)))
    if x == "corner":
        return show((model.n, *(0 for _ in range(model.k - 1))))
    return show(model.check("x", x))


def _size(subject: Mechanism, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The number of float cells, whether data sets are searched, whether all are few, and the data set."""
    counts = subject.counts()
    searched = spec["quantity"] == "delta" or (spec["quantity"] == "epsilon" and not subject.algebra().worst())
    released = posterior(subject)
    two_cells = released is not None and released.model.k == 2
    width = min(counts.outputs, 20 * isqrt(counts.datasets)) if two_cells else counts.outputs
    cells = counts.datasets * width if searched else counts.outputs
    chosen = {"x": _dataset(subject, spec["x"])} if "x" in spec else {}
    return {"cells": cells, "searched": searched, "few": counts.datasets * counts.outputs < 1 << 17, "chosen": chosen}


def measure(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The size of a job of a user's own mechanism, or why it is refused; this runs their code."""
    try:
        return _size(Setting.from_dict(spec).mechanism, spec)
    except InputError as error:
        return {"refused": (error.option, str(error.value), error.rule)}
    except BaseException as error:  # whatever their code raises
        return {"refused": ("mech", spec["mech"], describe(error))}


def _sizes(setting: Setting, spec: Mapping[str, Any], lane: Lane) -> dict[str, Any]:
    """The size of a job; a user's own code runs in the lane, and the job of one that kills it is small."""
    if setting.model is not None:
        return _size(setting.mechanism, spec)
    try:
        found: dict[str, Any] = lane.call(measure, dict(spec))
    except Died:
        return {"cells": 1, "searched": False, "few": True, "chosen": {}}
    if "refused" in found:
        raise InputError(*found["refused"])
    return found


def _parts(spec: dict[str, Any], size: Mapping[str, Any], tiles: int | None) -> Iterator[Job]:
    """Yields the job, or its tiles if it is a search over many data sets."""
    spec, cells = {**spec, **size["chosen"]}, size["cells"]
    count = (tiles or min(64, 1 + cells // TILE_CELLS)) if size["searched"] else 1
    cost = 0.003 + min(cells, 10**15) * (1e-6 if size["few"] else 5e-8) / count
    for i in range(count):
        yield Job(spec if count == 1 else {**spec, "part": [i, count]}, cost)

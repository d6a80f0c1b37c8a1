"""Plans: what a report contains, from options or from a TOML file, checked before anything is computed."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive, probability, whole
from dpaudit.posterior.model import make_model
from dpaudit.reports.collect import Setting, mechanism_names
from dpaudit.reports.own import OwnSetting

KEYS = {"mechs", "n", "k", "prior", "eps", "gamma", "delta_param"}


@dataclass(frozen=True)
class Plan:
    """The title, the audits, and whether the claims, a study of priors or the accuracy study are wanted."""

    title: str
    command: str
    audits: tuple[Setting, ...] = ()
    claims: tuple[str, ...] = ()
    studies: tuple[dict[str, Any], ...] = ()
    text: str = ""
    own: tuple[OwnSetting, ...] = ()
    maps: bool = True
    """Whether the loss maps are part of the document: they are most of its bytes."""


def read_range(option: str, text: str | int) -> tuple[int, ...]:
    """Returns the whole numbers of "1..60", "10..2000..10" (with a step), "5,10,20" or "7"."""
    text = str(text).replace(" ", "")
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})(?:\.\.(\d{1,9}))?", text)
    if match:
        first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
        if not 1 <= first <= last or step < 1:
            raise InputError(option, text, "must be a range a..b with 1 <= a <= b, or a..b..step")
        return tuple(range(first, last + 1, step))
    return tuple(whole(option, part, 1) for part in text.split(","))


def setting(options: dict[str, Any]) -> Setting:
    """Returns the checked setting of one audit."""
    unknown = sorted(set(options) - KEYS)
    if unknown:
        raise InputError("plan", unknown[0], f"unknown key; known: {', '.join(sorted(KEYS))}")
    if "n" not in options:
        raise InputError("n", "(missing)", "must be a range such as 1..60")
    ns = read_range("n", options["n"])
    prior = options.get("prior")
    model = make_model(ns[-1], options.get("k"), prior if prior is None or isinstance(prior, str) else list(prior))
    gamma = options.get("gamma")
    return Setting(
        mechs=mechanism_names(options.get("mechs", "all")),
        ns=ns,
        k=model.k,
        prior=model.prior,
        eps=positive("eps", options.get("eps", "1")),
        gamma=None if gamma is None else positive("gamma", gamma),
        delta_param=probability("delta_param", options.get("delta_param", "1e-8")),
    )


def read_plan(path: str) -> Plan:
    """Returns the plan in the TOML file; numbers that must be exact are text or whole numbers there."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise InputError("plan", path, f"cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("plan", path, f"is not TOML: {error}") from None
    unknown = sorted(set(data) - {"title", "audit", "claims", "study", "maps"})
    if unknown:
        raise InputError("plan", unknown[0], "unknown table; known: title, audit, claims, study, maps")
    claims, maps = data.get("claims", []), data.get("maps", True)
    if not isinstance(maps, bool):
        raise InputError("maps", maps, "must be true or false")
    return Plan(
        title=str(data.get("title", "Audit report")),
        command=f"dpaudit report --plan {Path(path).name}",
        audits=tuple(setting(dict(entry)) for entry in _tables(data, "audit")),
        claims=tuple(map(str, claims if isinstance(claims, list) else [claims])),
        studies=tuple(_tables(data, "study")),
        text=text,
        maps=maps,
    )


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    entries = data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("plan", key, f"must be written as [[{key}]]")
    return entries


def exact_list(option: str, values: Any) -> list[Fraction]:
    """Returns the positive rationals of a list in a plan."""
    if not isinstance(values, list) or not values:
        raise InputError(option, str(values), "must be a list of exact numbers")
    return [positive(option, value) for value in values]

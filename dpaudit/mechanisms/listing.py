"""The list of mechanisms: the registry and those of installed packages, with their claims."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.mechanisms import REGISTRY, PosteriorMechanism, lookup, named
from dpaudit.mechanisms.source import entry_points
from dpaudit.posterior.model import make_model

if TYPE_CHECKING:
    from dpaudit.mechanisms.named.base import Named


FAMILY, INSTALLED = "posterior family", "installed packages"


def listing() -> list[dict[str, Any]]:
    """Name, group, summary, formula, claimed guarantee, parameters and source of every mechanism."""
    rows = [describe_known(name) for name in named.names()]
    rows += [_row(kind, FAMILY, kind.summary, claim_text(kind)) for kind in REGISTRY.values()]
    outside = "registered by an installed package; not loaded for this list"
    return rows + [
        {
            **{"name": name, "group": INSTALLED, "summary": outside, "formula": outside, "claimed": ""},
            **{"parameters": {}, "source": point.value},
        }
        for name, point in entry_points().items()
    ]


def describe_known(name: str) -> dict[str, Any]:
    """The row of one mechanism by name; for a well-known one also its closed forms, data sets and an example."""
    if not named.is_named(name):
        kind = lookup(name)
        return _row(kind, FAMILY, kind.summary, claim_text(kind))
    base, variants = named.canonical(name)
    found = named.kind_of(base)
    group = next(group for group, rows in named.NAMED.items() if base in rows)
    also = sorted(alias for alias, of in named.ALIASES.items() if of.split("/")[0] == base)
    more = {"also": also, "closed_forms": found.closed, "covers": found.covers, "nominal_epsilon": found.takes_epsilon}
    return _row(found, group, found.summary, found.claims) | more | {"variants": variants}


def _row(kind: type[PosteriorMechanism] | type[Named], group: str, summary: str, claimed: str) -> dict[str, Any]:
    found = {
        **{"name": kind.name, "group": group, "summary": summary, "formula": kind.formula, "claimed": claimed},
        "parameters": {
            p.name: {"default": p.default, "rule": p.rule, "examples": list(p.examples)} for p in kind.parameters
        },
        "source": kind.source,
    }
    return {**found, "example": _example(found)}


def _example(row: dict[str, Any]) -> str:
    """A command that audits the mechanism, with one of its parameters."""
    first = next(iter(row["parameters"].items()), None)
    if row["group"] == FAMILY:
        needed = [f"--{name} {p['examples'][0]}" for name, p in row["parameters"].items() if p["default"] is None]
        return " ".join(["dpaudit epsilon --mech", row["name"], *needed, "--n 20"])
    words = [] if first is None else [f"--{first[0]} {shlex.quote(first[1]['examples'][-1])}"]
    return " ".join(["dpaudit epsilon --mech", row["name"], *words])


def claim_text(kind: type[PosteriorMechanism]) -> str:
    """The claimed guarantee, from instances: its multiple of epsilon, and the parameter that it depends on.

    >>> claim_text(REGISTRY["EHDS"]), claim_text(REGISTRY["MH"]), claim_text(REGISTRY["EHDL"])
    ('ε-DP', '2ε-DP at gamma = 1', 'none')
    """
    values = {p.name: p.default or p.examples[0] for p in kind.parameters}
    usual = _claimed(kind, values)
    if usual is None:
        return "none"
    factor, delta = usual
    shown = "ε" if factor == 1 else f"{factor}ε"
    text = f"({shown}, δ)-DP" if delta else f"{shown}-DP"
    moving = [
        f"{p.name} = {values[p.name]}"
        for p in kind.parameters
        if any((_claimed(kind, {**values, p.name: other}) or usual)[0] != factor for other in p.examples)
    ]
    return text + (f" at {', '.join(moving)}" if moving else "")


def _claimed(kind: type[PosteriorMechanism], values: dict[str, str]) -> tuple[Fraction, Fraction] | None:
    """claimed epsilon over epsilon, and delta, for a small model; None where no such thing is claimed."""
    checked = {p.name: p.read(kind.name, values[p.name]) for p in kind.parameters}
    found = kind(make_model(2), Fraction(1), **checked).claimed()
    return None if found is None else found.epsilon_delta()

"""The registry of the posterior family: one line for each mechanism. All other named ones are in ``named``."""

from __future__ import annotations

import difflib

from dpaudit.mechanisms import named
from dpaudit.mechanisms.base import Mechanism, PosteriorMechanism, posterior
from dpaudit.mechanisms.exponential import EHD, EHDL, EHDS, MH
from dpaudit.mechanisms.laplace import LSDim, LSHist, LSZhang
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.mechanisms.source import is_own
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive
from dpaudit.posterior.model import Model

REGISTRY: dict[str, type[PosteriorMechanism]] = {
    mechanism.name: mechanism for mechanism in (LSZhang, LSDim, LSHist, EHD, EHDL, EHDS, MH, MHdelta)
}
MECHANISMS = REGISTRY
"""Its public name."""


def in_family(mech: object) -> bool:
    """Whether ``mech`` names a mechanism of the registry, or is at least not a user's own.

    Somebody's own is an object or class, "file.py:Class", "package.module:Class", a table of probabilities or the
    name of an entry point.
    """
    if not isinstance(mech, str):
        return False
    if mech.strip().lower() in (name.lower() for name in REGISTRY):
        return True
    return not is_own(mech)


def lookup(name: str) -> type[PosteriorMechanism]:
    """The mechanism with this name, in any letter case; an unknown name is an error with a suggestion."""
    by_key = {key.lower(): key for key in REGISTRY}
    key = str(name).strip().lower()
    if key in by_key:
        return REGISTRY[by_key[key]]
    if is_own(str(name)):
        raise InputError("mech", name, f"this works for the posterior family only: {', '.join(REGISTRY)}")
    close = difflib.get_close_matches(key, [*by_key, *named.names(), *named.ALIASES], n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(by_key.get(n, n) for n in close)}? " if close else ""
    rule = f"unknown mechanism; {hint}`dpaudit mechanisms` lists all; your own: file.py:Class"
    raise InputError("mech", name, rule)


def make_mechanism(mech: str, model: Model, eps: Exact, parameters: dict[str, Exact | None]) -> PosteriorMechanism:
    """The mechanism with checked parameters; an unknown parameter is an error."""
    kind = lookup(mech)
    known = {parameter.name for parameter in kind.parameters}
    for name, value in parameters.items():
        if value is not None and name not in known:
            has = ", ".join(sorted(known)) or "none"
            hint = f"; to claim (ε, δ): --claim eps={eps},delta={value}" if name == "delta" else ""
            if hint:
                hint += f"; for the ε at this δ: dpaudit account --event mech:{kind.name},n={model.n} --delta {value}"
            raise InputError(name, value, f"{kind.name} has no such parameter (it has: {has}){hint}")
    values = {p.name: p.read(kind.name, parameters.get(p.name)) for p in kind.parameters}
    return kind(model, positive("eps", eps), **values)


__all__ = [
    "MECHANISMS",
    "REGISTRY",
    "Mechanism",
    "PosteriorMechanism",
    "in_family",
    "lookup",
    "make_mechanism",
    "posterior",
]

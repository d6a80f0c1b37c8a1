"""What there is: the registry, and what installed packages register, with what each of them claims."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.mechanisms.source import entry_points
from dpaudit.posterior.model import make_model


def listing() -> list[dict[str, Any]]:
    """Returns name, formula, claimed guarantee, parameters and source of every mechanism."""
    rows: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "formula": kind.formula,
            "claimed": claim_text(kind),
            "parameters": {p.name: {"default": p.default, "rule": p.rule} for p in kind.parameters},
            "source": kind.source,
        }
        for kind in REGISTRY.values()
    ]
    outside = "registered by an installed package; not loaded for this list"
    return rows + [
        {"name": name, "formula": outside, "claimed": "", "parameters": {}, "source": point.value}
        for name, point in entry_points().items()
    ]


def claim_text(kind: type[PosteriorMechanism]) -> str:
    """The claimed guarantee, read off instances: its multiple of epsilon, and on which parameter it hangs.

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
    """Returns claimed epsilon over epsilon, and delta, for a small model; None where no such thing is claimed."""
    checked = {p.name: p.read(kind.name, values[p.name]) for p in kind.parameters}
    found = kind(make_model(2), Fraction(1), **checked).claimed()
    return None if found is None else found.epsilon_delta()

"""--cross-check: the same question answered again in mpmath, along a path that shares no code with the engine.

mpmath is imported when it is used: it would double the time that a command takes to start.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.mechanisms import Mechanism, posterior
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.adjacency import REPLACE_ONE

DIGITS = 50
MOST = 300_000
"""Numbers that the reference may be asked for: probabilities of all pairs, or distances of local sensitivities."""
SLACK = 5
"""Digits that the reference may lose."""
PARAMETERS = {"gamma", "delta", "gs", "over"}


@dataclass(frozen=True)
class CrossCheck:
    """What the reference found, and whether it lies in the engine's enclosure."""

    digits: int
    value: str
    agrees: bool

    def to_dict(self) -> dict[str, Any]:
        """The member ``cross_check`` of the answer."""
        return {"by": "mpmath", "digits": self.digits, "value": self.value, "agrees": self.agrees}

    def text(self) -> str:
        """The line of the answer."""
        said = f"cross-checked with mpmath at {self.digits} digits"
        if self.agrees:
            return f"{said}: agrees"
        return f"{said}: DISAGREES, it finds {self.value}; please report this"


def check_possible(mechanism: Mechanism) -> None:
    """Refuses what the reference knows nothing of, or what is too large for it, before any work is done."""

    from dpaudit.reference import definitions

    def refuse(rule: str) -> InputError:
        return InputError("cross-check", mechanism.name, rule)

    counts = mechanism.counts()
    if not mechanism.tabular:
        raise refuse("it has no table of probabilities, and the reference needs one")
    if mechanism.exact_rows([]) is not None:
        if mechanism.caveats().get("residual", "0") != "0":
            raise refuse("its distributions have a residual, and the reference needs exact numbers")
        size = counts.pairs * counts.outputs
    else:
        if mechanism.name not in definitions.MECHANISMS or set(mechanism.settings()) - PARAMETERS:
            raise refuse("the reference covers the documents' mechanisms, tables and your own distributions")
        if mechanism.adjacency != REPLACE_ONE:
            raise refuse("for these mechanisms the reference covers replace-one adjacency only")
        size = counts.pairs * counts.outputs * (2 if mechanism.name in definitions.EXPONENTIAL else 1)
    if size > MOST:
        raise refuse(f"too large for the slow reference: {size} numbers; at most {MOST}")


def cross_check(mechanism: Mechanism, found: Enclosure, at: Fraction | None = None) -> CrossCheck:
    """The true epsilon, or delta(at), found again; it agrees if it lies in the enclosure but for some last digits."""
    from mpmath import mp

    from dpaudit.reference import definitions, tables

    dps = max(DIGITS, 0 if found.is_infinite else found.places + 2 * SLACK)
    try:
        value = (_own if posterior(mechanism) is None else _family)(mechanism, at, dps)
    except tables.Unknown as problem:
        raise InputError("cross-check", mechanism.name, f"the reference cannot decide: {problem}") from None
    with mp.workdps(dps):
        text = mp.nstr(value, 20)
        if mp.isinf(value) or found.is_infinite:
            return CrossCheck(dps, text, bool(mp.isinf(value)) and found.is_infinite)
    exact, slack = definitions.exact_value(value), Fraction(1, 10 ** (dps - SLACK))
    room = slack * max(Fraction(1), abs(exact))
    return CrossCheck(dps, text, found.widened(room).contains(exact))


def _own(mechanism: Mechanism, at: Fraction | None, dps: int) -> Any:
    from dpaudit.reference import tables

    datasets = list(mechanism.datasets())
    given = mechanism.exact_rows(datasets)
    assert given is not None
    rows = {x: tables.row(row, given.logarithmic, dps) for x, row in zip(datasets, given.rows, strict=True)}
    pairs = ((x, y) for x in datasets for y in mechanism.neighbors(x))
    return tables.epsilon(rows, pairs, dps) if at is None else tables.delta(rows, pairs, at, dps)


def _family(mechanism: Mechanism, at: Fraction | None, dps: int) -> Any:
    from dpaudit.reference import definitions

    known = posterior(mechanism)
    assert known is not None
    parameters = {name: getattr(mechanism, name) for name in mechanism.settings()}
    setting: dict[str, Any] = {"mech": known.name, "n": known.model.n, "prior": tuple(known.model.prior)}
    setting |= {"eps": known.epsilon, "dps": dps, **parameters}
    return definitions.epsilon(**setting)[0] if at is None else definitions.delta(**setting, at=at)

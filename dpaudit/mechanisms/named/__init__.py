"""The well-known mechanisms, by name: one line each. A class is loaded on first use.

They are written in the protocol of a user's own mechanism (own/mechanism.py), so every command for one also
works for these; they add a name, declared parameters, a source and closed forms.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dpaudit.numbers.errors import InputError

if TYPE_CHECKING:
    from dpaudit.mechanisms.named.base import Named

GENERAL, LOCAL, SHUFFLED = "general", "local", "shuffled"
NAMED: dict[str, dict[str, str]] = {
    GENERAL: {
        "laplace": "noisy:Laplace",
        "gaussian": "gaussian:Gaussian",
        "discrete-laplace": "additive:DiscreteLaplace",
        "truncated-geometric": "additive:TruncatedGeometric",
        "discrete-gaussian": "gaussian:DiscreteGaussian",
        "staircase": "additive:Staircase",
        "exponential": "selection:Exponential",
        "permute-and-flip": "selection:PermuteAndFlip",
        "report-noisy-max": "selection:ReportNoisyMax",
        "sparse-vector": "noisy:SparseVector",
    },
    LOCAL: {
        "randomized-response": "local:RandomizedResponse",
        "unary-encoding": "bits:UnaryEncoding",
        "rappor": "bits:Rappor",
        "subset-selection": "local:SubsetSelection",
        "local-hashing": "local:LocalHashing",
        "hadamard-response": "local:HadamardResponse",
    },
    SHUFFLED: {"shuffled-randomized-response": "shuffled:ShuffledRandomizedResponse"},
}
"""Group -> name -> module of this package and class."""
ALIASES = {
    "geometric": "discrete-laplace",
    "grr": "randomized-response",
    "krr": "randomized-response",
    "k-rr": "randomized-response",
    "sue": "unary-encoding/symmetric",
    "oue": "unary-encoding/optimized",
    "blh": "local-hashing/binary",
    "olh": "local-hashing/optimal",
}
"""Other names of a mechanism, or of one of its variants."""


def names() -> list[str]:
    """The names, in the order of the groups."""
    return [name for group in NAMED.values() for name in group]


def _base(mech: str) -> tuple[str, list[str]]:
    """The name in lower case, its alias resolved, and the variants behind its slashes."""
    base, *words = (part.strip() for part in mech.strip().lower().split("/"))
    if base in ALIASES:
        base, *more = ALIASES[base].split("/")
        words = [*more, *words]
    return base, words


def is_named(mech: object) -> bool:
    """Whether the text is the name of one of these mechanisms, perhaps with a variant: unary-encoding/optimized."""
    return isinstance(mech, str) and any(_base(mech)[0] in group for group in NAMED.values())


def kind_of(mech: str) -> type[Named]:
    """The class behind the name."""
    base, _ = _base(mech)
    where = next(group[base] for group in NAMED.values() if base in group)
    module, _, name = where.partition(":")
    found: type[Named] = getattr(import_module(f"dpaudit.mechanisms.named.{module}"), name)
    return found


def canonical(mech: str) -> tuple[str, dict[str, str]]:
    """The name, and the choices after its slashes: OUE is unary-encoding with variant = optimized."""
    base, words = _base(mech)
    found: dict[str, str] = {}
    for word in words:
        parameters = kind_of(base).parameters
        names = [p.name for p in parameters if word in p.choices]
        if not names:
            known = ", ".join(f"{base}/{choice}" for p in parameters for choice in p.choices) or "none"
            raise InputError("mech", mech, f"{base} has no such variant; it has: {known}")
        found[names[0]] = word
    return base, found

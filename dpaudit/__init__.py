"""dpaudit: an exact auditor for differential privacy.

>>> import dpaudit
>>> result = dpaudit.epsilon("EHDS", n=100)
>>> str(result.epsilon)[:8], result.claim.verdict.value
('0.399933', 'PROVED')
"""

from typing import Any

from dpaudit.audit import (
    DeltaResult,
    EpsilonResult,
    PmfResult,
    SensitivityResult,
    delta,
    epsilon,
    mechanism,
    pmf,
    sensitivity,
)
from dpaudit.enclosure import Enclosure
from dpaudit.errors import InputError, TooLargeError
from dpaudit.expressions import PI, exp, log, log_gamma, sqrt
from dpaudit.mechanisms import REGISTRY as MECHANISMS
from dpaudit.verdict import Verdict
from dpaudit.version import __version__

LATER = {
    "accuracy": "dpaudit.utility",
    "calibrate": "dpaudit.calibration",
    "calibrate_gamma": "dpaudit.gammas",
    "compare": "dpaudit.comparison",
    "profile": "dpaudit.profiles",
    "search": "dpaudit.counterexamples",
    "compare_over_n": "dpaudit.ranges",
    "compare_over_priors": "dpaudit.ranges",
}
"""Calls that are imported when first used: name -> module."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(LATER[name]), name)


__all__ = [
    "MECHANISMS",
    "PI",
    "DeltaResult",
    "Enclosure",
    "EpsilonResult",
    "InputError",
    "PmfResult",
    "SensitivityResult",
    "TooLargeError",
    "Verdict",
    "__version__",
    "delta",
    "epsilon",
    "exp",
    "log",
    "log_gamma",
    "mechanism",
    "pmf",
    "sensitivity",
    "sqrt",
]

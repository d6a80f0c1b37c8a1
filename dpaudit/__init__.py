"""dpaudit: an exact auditor for differential privacy.

>>> import dpaudit
>>> result = dpaudit.epsilon("EHDS", n=100)
>>> str(result.epsilon)[:8], result.claim.verdict.value
('0.399933', 'PROVED')
"""

from typing import TYPE_CHECKING, Any

from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.accounting.dp_events import to_pld
    from dpaudit.accounting.reading import (
        DiscreteGaussian,
        DiscreteLaplace,
        Exponential,
        Gaussian,
        Laplace,
        Pure,
        RandomizedResponse,
    )
    from dpaudit.audit.account import account
    from dpaudit.audit.explanation import explain
    from dpaudit.audit.guarantees import judge
    from dpaudit.audit.profile import profile
    from dpaudit.audit.questions import delta, mechanism, pmf, sensitivity
    from dpaudit.audit.results import DeltaResult, EpsilonResult, PmfResult, SensitivityResult
    from dpaudit.audit.setting import Setting
    from dpaudit.audit.tables import export_table, table
    from dpaudit.claims.expectations import list_claims
    from dpaudit.claims.runner import decide as check
    from dpaudit.code.until import until
    from dpaudit.evidence.coq.export import export
    from dpaudit.evidence.verification import verify
    from dpaudit.forall.dispatch import epsilon
    from dpaudit.mechanisms import REGISTRY as MECHANISMS
    from dpaudit.noise.source import Noise
    from dpaudit.numbers.enclosure import Enclosure
    from dpaudit.numbers.errors import InputError, TooLargeError
    from dpaudit.numbers.expressions import PI, exp, log, log_gamma, sqrt
    from dpaudit.numbers.verdict import Verdict
    from dpaudit.reports.report import render, report
    from dpaudit.studies.accuracy.accuracy import accuracy
    from dpaudit.studies.calibrate.dispatch import calibrate
    from dpaudit.studies.calibrate.gammas import calibrate_gamma
    from dpaudit.studies.calibrate.releases import calibrate_releases
    from dpaudit.studies.compare.on_data import compare
    from dpaudit.studies.compare.ranges import compare_over_n, compare_over_priors
    from dpaudit.studies.release.release import release
    from dpaudit.studies.samples.samples import samples
    from dpaudit.studies.search.search import search
    from dpaudit.studies.suite.run import suite
    from dpaudit.sweeps.sweep import sweep

LATER = {
    "account": "dpaudit.audit.account",
    "accuracy": "dpaudit.studies.accuracy.accuracy",
    "calibrate": "dpaudit.studies.calibrate.dispatch",
    "check": "dpaudit.claims.runner:decide",
    "calibrate_gamma": "dpaudit.studies.calibrate.gammas",
    "compare": "dpaudit.studies.compare.on_data",
    "calibrate_releases": "dpaudit.studies.calibrate.releases",
    "list_claims": "dpaudit.claims.expectations",
    "explain": "dpaudit.audit.explanation",
    "judge": "dpaudit.audit.guarantees",
    "profile": "dpaudit.audit.profile",
    "search": "dpaudit.studies.search.search",
    "compare_over_n": "dpaudit.studies.compare.ranges",
    "compare_over_priors": "dpaudit.studies.compare.ranges",
    **dict.fromkeys(("export_table", "table"), "dpaudit.audit.tables"),
    "verify": "dpaudit.evidence.verification",
    "export": "dpaudit.evidence.coq.export",
    "sweep": "dpaudit.sweeps.sweep",
    "shuffle": "dpaudit.studies.shuffle.shuffle",
    "suite": "dpaudit.studies.suite.run",
    "release": "dpaudit.studies.release.release",
    "report": "dpaudit.reports.report",
    "samples": "dpaudit.studies.samples.samples",
    "render": "dpaudit.reports.report",
    "epsilon": "dpaudit.forall.dispatch",
    **dict.fromkeys(("delta", "mechanism", "pmf", "sensitivity"), "dpaudit.audit.questions"),
    **dict.fromkeys(("DeltaResult", "EpsilonResult", "PmfResult", "SensitivityResult"), "dpaudit.audit.results"),
    "Setting": "dpaudit.audit.setting",
    **dict.fromkeys(
        ("DiscreteGaussian", "DiscreteLaplace", "Exponential", "Gaussian", "Laplace", "Pure", "RandomizedResponse"),
        "dpaudit.accounting.reading",
    ),
    "to_pld": "dpaudit.audit.releases",
    "MECHANISMS": "dpaudit.mechanisms:REGISTRY",
    "Enclosure": "dpaudit.numbers.enclosure",
    **dict.fromkeys(("InputError", "TooLargeError"), "dpaudit.numbers.errors"),
    **dict.fromkeys(("PI", "exp", "log", "log_gamma", "sqrt"), "dpaudit.numbers.expressions"),
    "Verdict": "dpaudit.numbers.verdict",
    "until": "dpaudit.code.until",
    "Noise": "dpaudit.noise.source",
}
"""Calls that are imported when first used: name -> module, or module:attribute where that has another name."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module 'dpaudit' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = LATER[name].partition(":")
    globals()[name] = found = getattr(import_module(module), attribute or name)
    return found


__all__ = [
    "MECHANISMS",
    "PI",
    "DeltaResult",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Enclosure",
    "EpsilonResult",
    "Exponential",
    "Gaussian",
    "InputError",
    "Laplace",
    "Noise",
    "PmfResult",
    "Pure",
    "RandomizedResponse",
    "SensitivityResult",
    "Setting",
    "TooLargeError",
    "Verdict",
    "__version__",
    "account",
    "accuracy",
    "calibrate",
    "calibrate_gamma",
    "calibrate_releases",
    "check",
    "compare",
    "compare_over_n",
    "compare_over_priors",
    "delta",
    "epsilon",
    "exp",
    "explain",
    "export",
    "export_table",
    "judge",
    "list_claims",
    "log",
    "log_gamma",
    "mechanism",
    "pmf",
    "profile",
    "release",
    "render",
    "report",
    "samples",
    "search",
    "sensitivity",
    "shuffle",
    "sqrt",
    "suite",
    "sweep",
    "table",
    "to_pld",
    "until",
    "verify",
]


def __dir__() -> list[str]:
    return sorted(__all__)

"""Every claim of the five documents with a certified verdict. ``dpaudit check`` runs the checks.

The documents: N0 (note with LSZhang), P1 (workshop paper), D2 (draft), A3 (long version), N4 (note of 12 March 2020).
A check is a function that returns an ``Outcome``; see docs/claims.md.
"""

from proofs_checks.catalogue import CLAIMS, Claim
from proofs_checks.core import Batch, Statement, scan, search, single
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Instance, Outcome, Quantity, Step, Table, by_algebra, measured
from proofs_checks.registry import Context, check

__all__ = [
    "CLAIMS",
    "Batch",
    "Claim",
    "Context",
    "Grid",
    "Instance",
    "Outcome",
    "Quantity",
    "Statement",
    "Step",
    "Table",
    "by_algebra",
    "check",
    "measured",
    "scan",
    "search",
    "single",
    "step",
]

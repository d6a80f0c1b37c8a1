"""The engine of claims, for any paper: every claim gets a certified verdict. ``dpaudit check`` runs the checks.

A check is a function that returns an ``Outcome``; a paper is a ``Catalogue``, found through the entry-point group
``dpaudit.claims``. See "Claims" in the documentation.
"""

from dpaudit.claims.algebra import coefficients_positive, variables
from dpaudit.claims.batches import Batch, Batches, Sides, Statement, each, over, single
from dpaudit.claims.catalogue import Catalogue
from dpaudit.claims.checks import Context, check
from dpaudit.claims.claim import Claim, claims
from dpaudit.claims.family import Family
from dpaudit.claims.grid import Grid, Point, spelled
from dpaudit.claims.outcome import (
    BY_ALGEBRA,
    BY_WITNESS,
    COMPUTER_ASSISTED,
    FOR_ALL,
    ON_GRID,
    ORDER,
    THERE_IS,
    Instance,
    Outcome,
    Part,
    Quantity,
    Step,
    Table,
    measured,
)
from dpaudit.claims.proof import Kind, Proof
from dpaudit.claims.scans import scan, search
from dpaudit.claims.shown import brief, parameters, refined, show, significant, step
from dpaudit.claims.words import annotate, setting

__all__ = [
    "BY_ALGEBRA",
    "BY_WITNESS",
    "COMPUTER_ASSISTED",
    "FOR_ALL",
    "ON_GRID",
    "ORDER",
    "THERE_IS",
    "Batch",
    "Batches",
    "Catalogue",
    "Claim",
    "Context",
    "Family",
    "Grid",
    "Instance",
    "Kind",
    "Outcome",
    "Part",
    "Point",
    "Proof",
    "Quantity",
    "Sides",
    "Statement",
    "Step",
    "Table",
    "annotate",
    "brief",
    "check",
    "claims",
    "coefficients_positive",
    "each",
    "measured",
    "over",
    "parameters",
    "refined",
    "scan",
    "search",
    "setting",
    "show",
    "significant",
    "single",
    "spelled",
    "step",
    "variables",
]

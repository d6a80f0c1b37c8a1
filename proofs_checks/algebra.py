"""Algebra that settles a claim for all n: exact identities and polynomial inequalities. sympy is imported lazily."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_poly


def identical(left: Any, right: Any) -> bool:
    """Returns True only if the two sympy expressions are the same function: their difference simplifies to 0.

    False says nothing: the simplifier may have missed it.
    """
    import sympy

    difference = sympy.together(sympy.expand(left - right))
    return bool(difference == 0 or sympy.simplify(difference) == 0)


def shifted(poly: fmpq_poly, start: int) -> list[fmpq]:
    """Returns the coefficients of poly(start + t) in t."""
    return [fmpq(c) for c in poly(fmpq_poly([start, 1]))]


def positive_from(poly: fmpq_poly, start: int) -> bool:
    """Returns True only if poly(n) > 0 for every real n >= start: all coefficients of poly(start + t) are >= 0.

    The constant one must be > 0. False says nothing.

    >>> positive_from(fmpq_poly([-3, 0, 1]), 2)
    True
    """
    coefficients = shifted(poly, start)
    return bool(coefficients) and coefficients[0] > 0 and all(c >= 0 for c in coefficients)

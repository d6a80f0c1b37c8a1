"""Comparing certified enclosures with the slow reference: containment and width, no tolerance.

The reference is an mpf that is right to REFERENCE_ERROR; an enclosure agrees if it meets that small interval and is
itself no wider than asked. Both sides are compared as exact rationals.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.reference.definitions import exact_value

DIGITS = 30
DPS = 60
REFERENCE_ERROR = Fraction(1, 10**50)


def agrees(found: Enclosure, reference: Any, digits: int = DIGITS) -> bool:
    """Whether the enclosure contains the reference value and is at most 10^-digits wide."""
    value = exact_value(reference)
    error = REFERENCE_ERROR * max(1, abs(value))
    inside = found.lower <= value + error and value - error <= found.upper
    return inside and found.width <= Fraction(1, 10**digits)

"""Advice for code that cannot be followed: what works instead, with a command to paste."""

from __future__ import annotations

import inspect
import re
from typing import Any

NOISE = {
    "laplace": ("laplace", "noise.laplace(scale)"),
    "normal": ("gaussian", "noise.gaussian(sigma)"),
    "gauss": ("gaussian", "noise.gaussian(sigma)"),
    "geometric": ("discrete-laplace", "noise.discrete_laplace(scale)"),
    "gumbel": ("report-noisy-max/gumbel", ""),
    "exponential": ("report-noisy-max/exponential", "noise.exponential(scale)"),
}
"""A word in a call of the code -> the mechanism by name, and the ideal draw."""


COUNTS = "dpaudit samples counts.csv --claim 1"
"""The advice for a class without a file that a command could name."""


def instead(function: Any, reference: str, claims: bool) -> str:
    """The next step: ideal noise, a mechanism by name, or counts of real outputs, drawn if the class has a file.

    The claim of a class that ``claims`` something is judged without --claim.
    """
    drawn = f"dpaudit samples --draw 20000 --mech {reference}{'' if claims else ' --claim 1'}"
    counts = drawn if ".py:" in reference else COUNTS
    try:
        code = inspect.getsource(function)
    except (OSError, TypeError):  # compiled, or written in a session
        code = ""
    called = re.findall(r"(\w+)\(", code)
    known = next((found for word, found in NOISE.items() if any(word in call.lower() for call in called)), None)
    if known is None:
        return f"; counts of its outputs can refute a claim: {counts}"
    name, draw = known
    ideal = f"as ideal noise, sample(self, x, noise: dpaudit.Noise) with {draw}; " if draw else ""
    return f"; instead: {ideal}by name, dpaudit epsilon --mech {name}; counts of its outputs, {counts}"

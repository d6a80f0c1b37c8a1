"""A constructor of OpenDP 0.16: its code, its documented law, what its map reports, and a real output."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property
from typing import Any


@cache
def library() -> Any:
    """OpenDP, with the features that the constructors ask for."""
    import opendp.prelude as dp

    for feature in ("contrib", "honest-but-curious", "idealized-numerics", "private-selection-v2"):
        dp.enable_features(feature)
    return dp


class Constructor:
    """A constructor of OpenDP: its code, its documented law and what its map reports."""

    code = ""
    """How it is called, as Python."""
    d_in: Any = 1
    law = ""
    """The documented law, in words."""
    pair: tuple[str, str] | None = None
    """The two data sets whose counts show most, named before anything is drawn: there every output but "nothing"."""

    @cached_property
    def made(self) -> Any:
        """The measurement."""
        dp = library()
        return eval(self.code, {"dp": dp, "INT": (dp.atom_domain(T=int), dp.absolute_distance(T=int))})

    def claimed(self) -> Any:
        """What the map reports, exactly the float that it returns."""
        return Fraction(self.made.map(self.d_in))

    def draw(self, x: Any) -> Any:
        """One output of the compiled code."""
        return self.made(x)

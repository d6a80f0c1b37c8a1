"""The clients of multi-freq-ldpy as they are installed: local differential privacy, any two inputs are neighbors.

numba compiles these functions, and compiled code cannot be followed: the Python functions that it compiles are run
(`py_func`, which numba keeps). That numba draws and computes as numpy does is assumed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from multi_freq_ldpy.long_freq_est import L_GRR, L_OSUE, L_OUE, L_SOUE, L_SUE, dBitFlipPM
from multi_freq_ldpy.mdim_freq_est import RSpFD_solution, SMP_solution, SPL_solution
from multi_freq_ldpy.pure_frequency_oracles import GRR, SS, UE

MODULES = (GRR, SS, UE, L_GRR, L_OSUE, L_OUE, L_SOUE, L_SUE, dBitFlipPM, RSpFD_solution, SMP_solution, SPL_solution)
for module in MODULES:
    for name, compiled in list(vars(module).items()):
        if hasattr(compiled, "py_func"):
            setattr(module, name, compiled.py_func)


class Client:
    """A client of the library at a nominal ε, with k values."""

    k = 3

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon, self.nominal = epsilon, float(epsilon)

    def datasets(self) -> list[Any]:
        """Returns the values of one user."""
        return list(range(self.k))

    def claimed(self) -> Fraction:
        """Returns the nominal ε."""
        return self.epsilon


class GRR_Client(Client):
    """Generalised randomized response."""

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns what is sent."""
        return GRR.GRR_Client(x, self.k, self.nominal)


class UE_Client(Client):
    """Optimized unary encoding."""

    optimal = True

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns what is sent."""
        return UE.UE_Client(x, self.k, self.nominal, self.optimal)


class UE_ClientSymmetric(UE_Client):
    """Symmetric unary encoding."""

    optimal = False


class SS_Client(Client):
    """Subset selection: two of six values at ε = 1, three at 1/10."""

    k = 6

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns what is sent: an array."""
        return SS.SS_Client(x, self.k, self.nominal)


class SS_ClientSorted(SS_Client):
    """The same, sorted by its caller: a set has no order."""

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns the values of the array in order."""
        return sorted(super().sample(x, rng))


class dBitFlipPM_Client(Client):
    """Microsoft's dBitFlipPM: two bits of three."""

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns what is sent."""
        return dBitFlipPM.dBitFlipPM_Client(x, self.k, self.k, 2, self.nominal)


class L_GRR_Client(Client):
    """Two rounds of randomized response: the first report at ε, all of them at 2 ε."""

    client = staticmethod(L_GRR.L_GRR_Client)

    def sample(self, x: int, rng: np.random.RandomState) -> Any:
        """Returns the first report."""
        return self.client(x, self.k, 2 * self.nominal, self.nominal)


class L_SUE_Client(L_GRR_Client):
    """Two rounds of unary encoding, both symmetric: basic RAPPOR."""

    client = staticmethod(L_SUE.L_SUE_Client)


class L_OUE_Client(L_GRR_Client):
    """Two rounds, both optimized."""

    client = staticmethod(L_OUE.L_OUE_Client)


class L_OSUE_Client(L_GRR_Client):
    """Optimized, then symmetric."""

    client = staticmethod(L_OSUE.L_OSUE_Client)


class L_SOUE_Client(L_GRR_Client):
    """Symmetric, then optimized."""

    client = staticmethod(L_SOUE.L_SOUE_Client)


class RSpFD_GRR_Client(Client):
    """Two attributes of two values: one is randomized, the other one is fake."""

    client = staticmethod(RSpFD_solution.RSpFD_GRR_Client)

    def datasets(self) -> list[Any]:
        """Returns the tuples of one user."""
        return [(a, b) for a in range(2) for b in range(2)]

    def sample(self, x: tuple[int, int], rng: np.random.RandomState) -> Any:
        """Returns what is sent."""
        return self.client(x, [2, 2], 2, self.nominal)


class RSpFD_GRR_ClientOneAttribute(RSpFD_GRR_Client):
    """The same, where only tuples that differ in one attribute are neighbors."""

    def neighbors(self, x: Any) -> list[Any]:
        """Returns the tuples that differ in one attribute."""
        return [(1 - x[0], x[1]), (x[0], 1 - x[1])]


class RSpFD_UE_zero_Client(RSpFD_GRR_Client):
    """The same with unary encoding, of nothing for what is fake."""

    client = staticmethod(RSpFD_solution.RSpFD_UE_zero_Client)


class RSpFD_UE_rnd_Client(RSpFD_GRR_Client):
    """The same with unary encoding, of a random value for what is fake."""

    client = staticmethod(RSpFD_solution.RSpFD_UE_rnd_Client)


class SPL_GRR_Client(RSpFD_GRR_Client):
    """Both attributes at ε/2 each."""

    client = staticmethod(SPL_solution.SPL_GRR_Client)


class SMP_GRR_Client(RSpFD_GRR_Client):
    """One attribute, and which one it is."""

    client = staticmethod(SMP_solution.SMP_GRR_Client)

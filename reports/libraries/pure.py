"""The clients of pure-ldp as they are installed: what a user's device sends, local differential privacy.

A data set is the one item of a user, and any two are neighbors. The clients draw from `random` and `numpy.random`.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from pure_ldp.frequency_oracles.apple_cms import CMSClient as Sketch
from pure_ldp.frequency_oracles.direct_encoding import DEClient as Direct
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient as Hadamard
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient as Response
from pure_ldp.frequency_oracles.rappor import RAPPORClient as Rappor
from pure_ldp.frequency_oracles.unary_encoding import UEClient as Unary

ITEMS, CELLS = 3, 4


def cell(text: str) -> int:
    """Returns the cell of an item: a hash function of the sketches, which the library takes as an argument."""
    return int(text) % CELLS


class Client:
    """A client of the library at a nominal ε, with three items."""

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon = epsilon
        self.client = self.made(float(epsilon))

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        raise NotImplementedError

    def datasets(self) -> list[int]:
        """Returns the items, which the library counts from 1."""
        return list(range(1, ITEMS + 1))

    def claimed(self) -> Fraction:
        """Returns the nominal ε."""
        return self.epsilon

    def sample(self, x: int, rng: Random) -> Any:
        """Returns what is sent."""
        return self.client.privatise(x)


class DEClient(Client):
    """Direct encoding: randomized response on all items."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Direct(epsilon, ITEMS)


class UEClient(Client):
    """Symmetric unary encoding."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Unary(epsilon, ITEMS)


class UEClientOptimised(Client):
    """Optimized unary encoding."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Unary(epsilon, ITEMS, use_oue=True)


class HadamardResponseClient(Client):
    """Hadamard response, for ε of at most 1."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Response(epsilon, ITEMS, None)


class HadamardMechClient(Client):
    """The Hadamard mechanism with one coefficient."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Hadamard(epsilon, CELLS, 1)

    def sample(self, x: int, rng: Random) -> Any:
        """Returns what is sent, as a tuple: the library gives a list if it tells the truth, and a zip otherwise."""
        return tuple(self.client.privatise(x))


class CMSClient(Client):
    """Apple's count mean sketch, with one hash function."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Sketch(epsilon, [cell], CELLS)


class CMSClientHadamard(Client):
    """The same with the Hadamard transform."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        return Sketch(epsilon, [cell], CELLS, is_hadamard=True)


class RAPPORClient(Client):
    """RAPPOR with one cohort and one hash function; f is what the library computes from ε."""

    def made(self, epsilon: float) -> Any:
        """Returns the library's object."""
        client = Rappor(0.5, CELLS, [[cell]], num_of_cohorts=1)
        client.f = client.convert_eps_to_f(epsilon)
        return client

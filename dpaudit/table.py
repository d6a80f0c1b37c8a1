"""stub"""

from __future__ import annotations

from dpaudit.mechanisms.base import Mechanism


def read_table(path: str, adjacency: str | None) -> Mechanism:
    """Stub."""
    raise NotImplementedError

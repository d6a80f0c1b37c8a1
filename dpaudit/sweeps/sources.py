"""What a result was computed from, besides its setting."""

from __future__ import annotations

from dpaudit.mechanisms import in_family
from dpaudit.mechanisms.source import sha256_of
from dpaudit.version import __version__


def made(mech: str, adjacency: str | None) -> dict[str, str | None]:
    """Returns dpaudit's version and the SHA-256 of the mechanism's file, and of that of pairs."""
    pairs = None if adjacency is None else sha256_of("adjacency", adjacency)
    source = None if in_family(mech) else sha256_of("mech", mech)
    return {"version": __version__, "source": source, **({"pairs": pairs} if pairs else {})}

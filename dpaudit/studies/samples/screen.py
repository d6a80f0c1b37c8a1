"""Which events are worth a certified bound: chosen in floats, which decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

FEW = 5
"""How many are certified."""
Test = tuple[tuple[str, str], tuple[str, ...]]


def most_promising(
    counts: Mapping[str, Mapping[str, int]],
    pairs: Sequence[tuple[str, str]],
    events: Sequence[tuple[str, ...]],
    level: Fraction,
    delta: Fraction,
) -> list[Test]:
    """The tests whose bound of the loss looks largest, a few; one at least."""
    import numpy as np
    from scipy.stats import beta

    share, off = float(level), float(delta)
    rows = {x: np.array([sum(row[o] for o in event) for event in events], float) for x, row in counts.items()}
    total = {x: float(sum(row.values())) for x, row in counts.items()}
    with np.errstate(all="ignore"):
        low = {x: np.where(c > 0, beta.ppf(share, c, total[x] - c + 1), 0.0) for x, c in rows.items()}
        high = {x: np.where(c < total[x], beta.isf(share, c + 1, total[x] - c), 1.0) for x, c in rows.items()}
        found = [(float(v), pair, i) for pair in pairs for i, v in enumerate((low[pair[0]] - off) / high[pair[1]])]
    found.sort(key=lambda entry: -entry[0] if entry[0] == entry[0] else 0.0)
    return [(pair, events[i]) for _, pair, i in found[:FEW]]

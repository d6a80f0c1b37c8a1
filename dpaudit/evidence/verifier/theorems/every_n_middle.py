"""Every n: a bound for all pairs x, x+1 far from both ends, and the conditions for the data sets near an end.

When ``middle`` returns, its number bounds the losses of x and x+1, m <= x <= n-1-m, for every n >= N, over epsilon, at
every epsilon; when ``check_first`` returns, S near an end is attained among the first data sets there, for every n >=
N. The lemmas are proved in EVERY_N.md, sections 2 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..arithmetic import Interval, rational
from ..core import Rejected
from ..exact import exp_of
from ..special import largest, smallest
from .cells import Cell

Block = Callable[[int, tuple[int | None, int | None], int], Cell]
"""The cell of a side for all n from a first to a last one, with a number of data sets."""


def rise(z: Fraction, bits: int) -> Interval:
    """-ln BC of a step lies between 1/(8z+2) and 1/(8z), and 1/c rises by at most (8z+2)^(3/2) / (16 z^2)."""
    wide = rational(8 * z + 2, bits)
    return wide * wide.sqrt() / (16 * z * z)


def widest(z: Fraction, bits: int) -> Interval:
    """A rate without epsilon is at most e^(1/(32z+8)) sqrt(8z+2) / 2."""
    return exp_of(1 / (32 * z + 8), bits) * rational(8 * z + 2, bits).sqrt() / 2


def share(z: Fraction) -> Fraction:
    """A shift by one changes L = -ln BC by at most this share."""
    return 4 * (z + 1) / (4 * z * z - 1)


def steep(level: Fraction, bits: int) -> Interval:
    """L dH/dL <= sqrt(L) e^(-3L/4) / 2 <= 1/4, which falls from L = 2/3 on."""
    if level < 1:
        return rational(Fraction(1, 4), bits)
    return rational(level, bits).sqrt() * exp_of(-3 * level / 4, bits) / 2


def touches(law: Any, m: int, block: Block) -> bool:
    """Whether S = LS from m on in the limit, hence at every n: no step of 1/LS is longer at n than there."""
    gamma = law.parameters["gamma"]
    for side, alpha in enumerate(law.prior):
        limit = block(side, (None, None), m)
        ls = [1 / limit.distance(max(x - 1, 0), max(x, 1)) for x in range(m + 1)]
        if any((ls[m] - ls[x]).ends()[1] > gamma * (m - x) for x in range(m)):
            return False
        if rise(alpha + m - 1, law.bits).ends()[1] > gamma:
            return False
    return True


def check_first(law: Any, n: int, m: int, block: Block) -> None:
    """From n on, up to m: 2x <= n + b - a, and no better candidate for S beyond the peak of 1/LS."""
    a, b = law.prior
    gamma, room = law.parameters.get("gamma"), Fraction(n) - abs(a - b) - 2 * m - 4
    if room < 0:
        raise Rejected("N is too small for the pairs near the ends")
    if gamma is None or touches(law, m, block):
        return
    for side in (0, 1):
        if (1 / block(side, (None, None), m).distance(m, m + 1)).ends()[1] > gamma * (room / 2 - 2):
            raise Rejected("N is too small for the smooth sensitivity near the ends")


def middle(law: Any, m: int, first: int, block: Block) -> Interval:
    """EHD: twice rate times the step. Else with s: r -> r+1, n -> 0: 1/2 + |1/Delta(x+1) - 1/Delta(x)| / 2 + w T.

    T is the largest |H(x+1,s(r)) - H(x,r)|, and L(x,x-j) >= j^2 / (8(a+x+1)).
    """
    gamma, found, bits = law.parameters.get("gamma"), [], law.bits
    if law.name == "EHD":
        cells = [block(side, (first, first), m) for side in (0, 1)]
        divisor: Interval = block(0, (None, None), 0).laws[0].divisor(0)
        return largest(cell.distance(m, m + 1) for cell in cells) * 2 / divisor
    for a in law.prior:
        whole, (near, far) = 8 * (a + m + 1), (widest(z, bits) for z in (a + m, a + max(Fraction(m), 2 * a)))
        square = Fraction(9 * m * m, 16)
        found.append(exp_of(-square / (8 * a + 5 * m + 8), bits) * near)
        found.append(share(a + Fraction(m, 4)) * steep(square / whole, bits) * far)
        for i in range(24):
            low, high = Fraction(i, 32), Fraction(i + 1, 32)
            found.append(share(a + m * (1 - high)) * steep((low * m) ** 2 / whole, bits) * near)
    rises = [] if gamma is None else [rational(gamma, bits)]
    if gamma is None or touches(law, m, block):
        rises.append(largest(rise(a + m - 1, bits) for a in law.prior))
    bound = smallest(rises) / 2 + Fraction(1, 2) + largest(found)
    return bound / (1 + gamma) if law.name == "EHDS" else bound

"""Two rational bounds of a value: what they say of a number, of other bounds, and as a printed enclosure."""

import math
from fractions import Fraction as F

import pytest

from dpaudit.numbers.bounds import INFINITE, Bounds
from dpaudit.numbers.enclosure import at_least, infinite
from dpaudit.numbers.verdict import Verdict

WIDE, POINT = Bounds(F(1), F(3)), Bounds(F(2), F(2))
OPEN, NEVER, ZERO = Bounds(F(2), INFINITE), Bounds(INFINITE, INFINITE), Bounds(F(0), F(0))


@pytest.mark.parametrize(
    ("bounds", "gap"),
    [(WIDE, 2.0), (Bounds(F(2), F(3)), 0.5), (POINT, 0.0), (ZERO, 0.0), (NEVER, 0.0), (OPEN, math.inf),
     (Bounds(F(0), F(3)), math.inf), (Bounds(F(-1), F(3)), math.inf), (Bounds(F(1, 2), F(1)), 1.0)],
)  # fmt: skip
def test_the_gap_is_relative_to_the_lower_bound(bounds, gap):
    assert bounds.gap() == gap


PAIRS = [
    # one, the other, what both say, the larger of two values
    (WIDE, POINT, POINT, Bounds(F(2), F(3))),
    (WIDE, OPEN, Bounds(F(2), F(3)), OPEN),
    (WIDE, Bounds(F(0), F(2)), Bounds(F(1), F(2)), WIDE),
    (ZERO, ZERO, ZERO, ZERO),
    (OPEN, NEVER, NEVER, NEVER),
]


@pytest.mark.parametrize(("one", "other", "meet", "worst"), PAIRS)
def test_two_bounds(one, other, meet, worst):
    assert one.meet(other) == other.meet(one) == meet
    assert one.worst(other) == other.worst(one) == worst


@pytest.mark.parametrize(
    ("bounds", "bound", "verdict"),
    [(WIDE, F(3), "PROVED"), (WIDE, F(3) - F(1, 10**30), "UNDECIDED"), (WIDE, F(1), "UNDECIDED"),
     (WIDE, F(1) - F(1, 10**30), "REFUTED"), (POINT, F(2), "PROVED"), (OPEN, F(2), "UNDECIDED"),
     (OPEN, F(10**30), "UNDECIDED"), (OPEN, F(1), "REFUTED"), (NEVER, F(10**30), "REFUTED"), (ZERO, F(0), "PROVED")],
)  # fmt: skip
def test_at_most(bounds, bound, verdict):
    assert bounds.at_most(bound) is Verdict[verdict]


@pytest.mark.parametrize(
    ("one", "other", "below"),
    [(WIDE, Bounds(F(3), F(4)), False), (WIDE, Bounds(F(4), F(5)), True), (WIDE, POINT, False), (POINT, POINT, False),
     (POINT, NEVER, True), (OPEN, NEVER, False), (Bounds(F(4), F(5)), WIDE, False)],
)  # fmt: skip
def test_certainly_below(one, other, below):
    assert one.below(other) is below


@pytest.mark.parametrize(
    ("bounds", "value", "side"),
    [(WIDE, 0.5, -1), (WIDE, 1.0, 0), (WIDE, 2.0, 0), (WIDE, 3.0, 0), (WIDE, 3.5, 1), (OPEN, 1e300, 0),
     (NEVER, 1.0, -1), (WIDE, math.nextafter(1, 0), -1), (WIDE, math.nextafter(3, 4), 1), (OPEN, math.inf, 0)],
)  # fmt: skip
def test_the_side_of_a_number(bounds, value, side):
    assert bounds.side(value) == side


@pytest.mark.parametrize("digits", [3, 10])
def test_the_enclosure_is_rounded_outward(digits):
    found = Bounds(F(1, 3), F(2, 3)).enclosure(digits)
    room = F(1, 10 ** (digits - 1))
    assert F(1, 3) - room < found.lower < F(1, 3)
    assert F(2, 3) < found.upper < F(2, 3) + room
    assert NEVER.enclosure(digits) == infinite()
    assert Bounds(F(1, 3), INFINITE).enclosure(digits) == at_least(F(1, 3), digits)
    half_open = Bounds(F(1, 3), INFINITE).enclosure(digits)
    assert half_open.is_open
    assert F(1, 3) - room < half_open.lower < F(1, 3)


def test_an_upper_end_has_fallen_only_while_nothing_is_known_from_below():
    half = F(1, 2)
    assert Bounds(F(0), F(1)).fell(Bounds(F(0), F(4)), half)
    assert not Bounds(F(0), F(2)).fell(Bounds(F(0), F(4)), half)
    assert not Bounds(F(1, 9), F(1)).fell(Bounds(F(0), F(4)), half)

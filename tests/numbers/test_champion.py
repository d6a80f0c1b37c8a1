"""The maximum of a stream of balls, with a witness."""

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.champion import Champion

RATIONALS = st.fractions(-50, 50, max_denominator=10**6)


@given(st.lists(st.lists(RATIONALS, min_size=1, max_size=6), min_size=1, max_size=6))
def test_the_champion_is_the_maximum_with_a_witness(batches):
    with balls.precision(40):
        champion = Champion()
        for b, batch in enumerate(batches):
            champion.offer([ball(v) for v in batch], lambda i, b=b: (b, i))
        value, (b, i) = champion.result()
        lower, upper = balls.ends(value)
        assert lower <= max(map(max, batches)) <= upper
        assert lower <= batches[b][i]


def test_the_champion_forgets_what_cannot_win_and_keeps_ties():
    champion = Champion()
    champion.offer([ball(v) for v in range(5000)], lambda i: i)
    assert len(champion.alive) == 1
    champion.offer([ball(4999), ball(7)], lambda i: ("late", i))
    assert champion.result()[1] == 4999
    assert len(champion.alive) == 2


def test_the_champion_knows_its_top_and_can_be_put_in_order():
    champion = Champion()
    with pytest.raises(ValueError, match="nothing"):
        champion.top()
    champion.offer([], lambda i: i)
    champion.offer([ball(5), ball(3), ball(5)], lambda i: "cba"[i])
    champion.offer([ball(4)], lambda i: "z")
    assert balls.ends(champion.top()) == (5, 5)
    assert champion.result()[1] == "c"
    champion.sort(str)
    assert champion.result()[1] == "a"


def test_the_champion_covers_wide_balls():
    for values in ([arb(2, 0.25), arb(1, 5)], [arb(1, 5), arb(2, 0.25)]):
        champion = Champion()
        champion.offer(values, lambda i: i)
        assert champion.result()[0].contains(arb(5.5))


NARROW = 2.0**-11
"""Less than 2^-16 of 100: order decides, not the ends."""
WITNESSES = [
    ([(1.75, 2.25), (-4, 6)], 0),
    ([(-4, 6), (1.75, 2.25)], 1),
    ([(1, 2), (1, 5)], 1),
    ([(1, 5), (1, 2)], 0),
    ([(1, 5), (1.5, 2), (1.5, 3)], 2),
    ([(1, 2), (1 - 2.0**-20, 5)], 1),
    ([(1, 2), (1 - 2.0**-10, 5)], 0),
    ([(1, 2), (1, 2 + 2.0**-20)], 0),
    ([(-6, -1), (-4, -2)], 1),
    ([(100, 100 + NARROW), (100 + NARROW / 2, 100 + 2 * NARROW)], 0),
]
"""The ends of balls, and the number of the witness: largest lower end, then largest upper end, then the first."""


@pytest.mark.parametrize(("ends", "witness"), WITNESSES)
def test_the_witness_of_wide_balls_has_the_largest_lower_end(ends, witness):
    champion = Champion()
    champion.offer([arb((low + high) / 2, (high - low) / 2) for low, high in ends], lambda i: i)
    value, found = champion.result()
    assert found == witness
    assert value.contains(arb(max(high for _, high in ends)))
    assert value.contains(arb(ends[witness][0]))


def test_the_champion_is_pruned_now_and_then():
    champion = Champion()
    for v in range(5000):
        champion.offer([ball(v)], lambda i, v=v: v)
    assert len(champion.alive) <= 4097
    assert champion.result()[1] == 4999

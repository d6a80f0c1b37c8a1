"""State that equal values do not show: which arrays share their memory, how it lies, how a set came about."""

from fractions import Fraction

import numpy as np
import pytest

from dpaudit.code import layout
from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source

RARE = Fraction(1, 1024)
LEFT = RARE / (1 + RARE)
"""While a coin shows heads, something is changed with probability RARE: so likely it is changed at the end."""


def probabilities(law):
    """Returns the lower bounds of a law by output."""
    return dict(zip(law.outputs, law.lower, strict=True))


def rarely(rng, change, value):
    """Changes the value now and then."""
    while rng.randrange(2):
        if rng.randrange(1024) == 0:
            value = change(value)
    return value


def shared(rng):
    whole = np.zeros(3, dtype=int)
    part = rarely(rng, np.copy, whole[:2])
    whole[0] = 1
    return int(part[0]) == 0


def written(rng):
    def close(array):
        array.flags.writeable = False
        return array

    return not rarely(rng, close, np.zeros(2)).flags.writeable


def ordered(rng):
    return rarely(rng, np.asfortranarray, np.array([[1, 2], [3, 4]])).ravel(order="K")[1] == 3


def named(rng):
    def rename(function):
        function.__name__ = "other"
        return function

    def asked():
        return 1

    return rarely(rng, rename, asked).__name__ == "other"


def grown(rng):
    def grow(made):
        made.update(range(2, 100))
        for entry in range(2, 100):
            made.discard(entry)
        return made

    made = rarely(rng, grow, {1})
    made |= {8, 0}
    return next(iter(made)) == 0


@pytest.mark.parametrize("sample", [shared, written, ordered, named, grown])
def test_a_rare_change_of_what_values_do_not_show_is_followed(sample):
    rng = Source()
    law = Session(Budget()).law(lambda: bool(sample(rng)))
    assert law.residual == 0
    assert probabilities(law)[True] == LEFT


class Marked(np.ndarray):
    """May keep what its entries do not show."""


def test_an_array_of_another_class_is_followed_but_never_merged():
    def mark(array):
        array.mark = True
        return array

    rng = Source()
    law = Session(Budget(residual=Fraction(1, 1 << 14))).law(
        lambda: hasattr(rarely(rng, mark, np.zeros(1).view(Marked)), "mark")
    )
    assert 0 < probabilities(law)[True] <= LEFT <= probabilities(law)[True] + law.residual


def test_a_loop_that_fills_a_set_is_merged():
    rng = Source()

    def three():
        found = set()
        while len(found) < 3:
            found.add(rng.randrange(6))
        return tuple(sorted(found))

    law = Session(Budget()).law(three)
    assert law.residual < Fraction(1, 1 << 60)
    assert len(law.outputs) == 20
    assert all(Fraction(1, 20) - p < Fraction(1, 1 << 60) for p in law.lower)


def test_the_table_of_a_set_tells_what_was_inside():
    fresh, used, large = {1}, {1, 8}, set(range(100))
    used.discard(8)
    for entry in range(2, 101):
        large.discard(entry % 100)
    assert fresh == used == large
    assert layout.layout(fresh) == layout.layout({1})
    assert len({layout.layout(made) for made in (fresh, used, large)}) == 3
    assert layout.layout(frozenset(range(5))) != layout.layout(frozenset(set(range(5))))


def test_where_sets_lie_otherwise_nothing_is_said(monkeypatch):
    layout._as_expected.cache_clear()
    monkeypatch.setattr(layout, "_header", lambda value: (0, len(value), 7, 0, 0))
    assert layout.layout({1}) is None
    layout._as_expected.cache_clear()

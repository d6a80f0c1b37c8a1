"""A function changes what its caller still reads, and then loops: its own variables no longer show it."""

from fractions import Fraction

import numpy as np
import pytest

import dpaudit
from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source
from dpaudit.numbers.verdict import Verdict

RARE = Fraction(1, 1024)


def spin(rng):
    """Rejects; what went before is no variable here."""
    while rng.randrange(2):
        pass
    return 0


def rare(rng):
    return rng.randrange(1024) == 0


def noted(box, rng):
    box.append(rare(rng))
    while rng.randrange(2):
        pass
    return 0


def a_list(rng):
    box = []
    noted(box, rng)
    return box[0]


def a_callback(rng):
    box = []
    noted(CallBack(box.append), rng)
    return box[0]


class CallBack:
    """Has the method of a list."""

    def __init__(self, append):
        self.append = append


class Counter:
    """Counts in an attribute."""

    hit = False

    def draw(self, rng):
        self.hit = rare(rng)
        self = None
        while rng.randrange(2):
            pass
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        CLOSED.append(self.hit)


CLOSED = []


def an_attribute(rng):
    counter = Counter()
    counter.draw(rng)
    return counter.hit


def a_with_block(rng):
    CLOSED.clear()
    with Counter() as counter:
        counter.draw(rng)
    return CLOSED[0]


def filled(array, rng):
    array[0] = rare(rng)
    while rng.randrange(2):
        pass


def an_array(rng):
    array = np.zeros(2)
    filled(array[:1], rng)
    return bool(array[0])


def taken_out(owner, rng):
    box = owner.pop()
    box.append(rare(rng))
    box = None
    while rng.randrange(2):
        pass
    return box


def an_object_taken_out(rng):
    box = []
    taken_out([box], rng)
    return box[0]


def in_a_comprehension(rng):
    boxes = [[]]
    return [noted(box, rng) for box in boxes] and boxes[0][0]


def sorted_by(rng):
    def key(box):
        box.append(rare(rng))
        while rng.randrange(2):
            pass
        return 0

    return sorted([[]], key=key)[0][0]


def over_an_attribute(rng):
    class Owner:
        entries = None

    owner, last = Owner(), 0
    owner.entries = [0, 0]
    for last in owner.entries:  # noqa: B007
        if owner.entries:
            owner.entries[1] = int(rare(rng))
            owner.entries = []
        while rng.randrange(2):
            pass
    return bool(last)


SAMPLES = (
    *(a_list, a_callback, an_attribute, a_with_block, an_array, an_object_taken_out, in_a_comprehension, sorted_by),
    over_an_attribute,
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_the_caller_reads_belongs_to_the_state(sample):
    rng = Source()
    law = Session(Budget(residual=Fraction(1, 1 << 14))).law(lambda: sample(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert found.keys() == {True, False}
    assert found[True] <= RARE <= found[True] + law.residual
    assert law.residual <= Fraction(1, 1 << 14)


@pytest.mark.parametrize("sample", [a_list, a_callback, an_attribute, an_array, in_a_comprehension, sorted_by])
def test_and_its_loop_is_still_summed(sample):
    rng = Source()
    assert Session(Budget()).law(lambda: sample(rng)).residual == 0


class Leaky:
    """Tells the data once in a thousand releases; the flag is set by a function that then loops."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        box = []
        noted(box, rng)
        return f"raw {x}" if box[0] else rng.randrange(2)

    def claimed(self):
        return "7/10"


def test_a_leak_that_a_called_function_notes_is_refuted():
    assert dpaudit.epsilon(Leaky).claim.verdict is Verdict.REFUTED

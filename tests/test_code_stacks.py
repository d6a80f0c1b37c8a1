"""What a state must not leave out: values on the stack, class bodies, copies that a loop goes over, what acts when it
goes. Each lost an output of probability 1/1024 without a word."""

import sys
from dataclasses import dataclass
from fractions import Fraction

import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source

RARE = Fraction(1, 1024)


def rare(rng):
    return rng.randrange(1024) == 0


def returned_through_a_loop(rng):
    try:
        for _ in range(3):
            return rare(rng)
    finally:
        while rng.randrange(2):
            pass


def a_class_body(rng):
    class Made:
        flag = rare(rng)
        while rng.randrange(2):
            pass
        seen = flag

    return Made.seen


def a_copy_that_is_drained(rng):
    queue, last = [[0], [0]], None
    for last in list(queue):
        if queue:
            queue[1][0] = rare(rng)
            queue.clear()
            last = None
        while rng.randrange(2):
            pass
    return last[0]


def a_list_without_a_name(rng):
    total = 0
    for box in [[]] * 2:
        box.append(rare(rng) if not box else False)
        total += len(box) == 2 and box[0]
        box = None
        while rng.randrange(2):
            pass
    return bool(total)


def entries_that_come_again(rng):
    table, steps = {1: 0, 2: 0}, 0
    try:
        for _ in table:
            steps += 1
            if steps == 1 and rare(rng):
                table[1] = table.pop(1)
                table[2] = table.pop(2)
            while rng.randrange(2):
                pass
    except RuntimeError:
        return True
    return steps > 2


@dataclass(frozen=True)
class Frozen:
    """Changed from outside."""

    entries: list


def put_from_outside(rng):
    made, last, first = Frozen([0, 0]), 0, True
    for last in made.entries:  # noqa: B007
        if first:
            made.entries[1] = rare(rng)
            object.__setattr__(made, "entries", [])
            first = False
        while rng.randrange(2):
            pass
    return bool(last)


class Telling:
    """Tells when it goes."""

    def __init__(self, into, flag):
        self.into, self.flag = into, flag

    def __del__(self):
        self.into.append(self.flag)


def held(into, rng):
    telling = Telling(into, rare(rng))  # noqa: F841
    while rng.randrange(2):
        pass


def what_acts_when_it_goes(rng):
    into = []
    held(into, rng)
    return into[0]


def callers():
    return sys._getframe(1).f_locals["flag"]


def read_by_a_called_function(rng):
    flag = rare(rng)  # noqa: F841
    while rng.randrange(2):
        pass
    return callers()


SAMPLES = (
    *(returned_through_a_loop, a_class_body, a_copy_that_is_drained, a_list_without_a_name, entries_that_come_again),
    *(put_from_outside, what_acts_when_it_goes, read_by_a_called_function),
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_output_is_lost(sample):
    rng = Source()
    law = Session(Budget(residual=Fraction(1, 1 << 13))).law(lambda: sample(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert found.keys() == {True, False}
    assert found[True] <= RARE <= found[True] + law.residual


def over_a_sorted_copy(rng):
    total = 0
    for size in sorted([1, 3, 2]):
        while rng.randrange(2):
            total = (total + size) % 4
    return total


def over_a_dict(rng):
    total, table = 0, {"a": 1, "b": 2}
    for name, size in table.items():
        while rng.randrange(2):
            total = (total + size + len(name)) % 4
    return total


@pytest.mark.parametrize("sample", [over_a_sorted_copy, over_a_dict])
def test_loops_over_what_never_changes_are_still_summed(sample):
    rng = Source()
    assert Session(Budget()).law(lambda: sample(rng)).residual == 0

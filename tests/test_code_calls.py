"""Equal variables in the innermost call are not enough: who called it, from which state, after which decisions."""

from fractions import Fraction
from itertools import product

import pytest

from dpaudit.code.law import Session
from dpaudit.code.source import Source


def waits(rng):
    """Comes back to its state, and knows nothing of its caller."""
    while rng.randrange(2):
        pass
    return int(rng.randrange(2))


def twice(rng):
    first = waits(rng)
    second = waits(rng)
    return first, second


def at_once(rng):
    return waits(rng), waits(rng), waits(rng)


def variable_of_the_caller(rng):
    a = int(rng.randrange(2))
    b = [a]
    c = waits(rng)
    return b[0], c


def value_on_the_stack_of_the_caller(rng):
    return int(rng.randrange(2)), waits(rng)


def value_on_the_stack_of_a_loop(rng):
    (found,) = [(int(rng.randrange(2)), waits(rng)) for _ in (0,)]
    return found


def again(rng, depth):
    """Calls itself first; then both calls stand at the same line, with the same variables."""
    below = () if depth == 0 else again(rng, depth - 1)
    while rng.randrange(2):
        pass
    return *below, int(rng.randrange(2))


def recursion(rng):
    return again(rng, 2)


def dead(rng, depth):
    """The same, and what the inner call returns is not read any more."""
    if depth:
        dead(rng, depth - 1)
    while rng.randrange(2):
        pass
    return int(rng.randrange(2))


def recursion_of_which_nothing_is_kept(rng):
    return dead(rng, 1), dead(rng, 0)


def loops_beside_each_other(rng):
    found = []
    for _ in range(2):
        waits(rng)
    for _ in range(2):
        found.append(waits(rng))
    return tuple(found)


def loops_inside_each_other(rng):
    last = []
    for a in range(2):
        for b in range(2):
            waits(rng)
            if b and not a:
                last.append(waits(rng))
    return (*last, waits(rng))


def with_an_argument_that_is_read_no_more(rng):
    def told(known):
        del known
        return waits(rng)

    a = int(rng.randrange(2))
    told(a)
    return a, told(0)


def copy_that_a_loop_holds(rng):
    """The list is the same in both runs by now; what was copied of it when the loop was made is not."""
    values = [5, int(rng.randrange(2))]
    for found in list(values):  # noqa: B007
        values[1] = 0
        while rng.randrange(2):
            pass
    return found, waits(rng)


def draws_before_the_call(rng):
    """The draw of the caller is open in the call, where its half is decided on; nothing there refers to it."""
    a = rng.randrange(4)
    b = a < 2 if waits(rng) else a < 1
    return int(a) % 2, int(b or a < 2)


UNIFORM = [
    *(
        twice,
        at_once,
        variable_of_the_caller,
        value_on_the_stack_of_the_caller,
        value_on_the_stack_of_a_loop,
        recursion,
    ),
    *(recursion_of_which_nothing_is_kept, loops_beside_each_other, loops_inside_each_other, draws_before_the_call),
    *(with_an_argument_that_is_read_no_more, copy_that_a_loop_holds),
]


@pytest.mark.parametrize("sample", UNIFORM, ids=lambda sample: sample.__name__)
def test_calls_that_stand_alike_go_on_as_their_callers_do(sample):
    """All coins are fair and independent; every loop is summed."""
    rng = Source()
    law = Session().law(sample, (rng,))
    size = len(law.outputs[0])
    assert law.residual == 0
    assert dict(zip(law.outputs, law.lower, strict=True)) == {
        coins: Fraction(1, 2**size) for coins in product((0, 1), repeat=size)
    }
    assert law.runs < 300

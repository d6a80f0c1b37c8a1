"""What a run repeats: it is not watched again, and a run goes on through the states that it is the first to meet."""

import sys
from fractions import Fraction
from functools import partial
from types import ModuleType

import numpy as np
import pytest

from dpaudit.code.law import Budget, Session
from dpaudit.code.source import Source
from dpaudit.code.tracer import Tracer


def steps(rng, most):
    """A chain of states: after every step it may end."""
    n = 0
    while n < most and rng.randrange(2):
        n += 1
    last = rng.randrange(2)
    return n, last


def watched(most, monkeypatch):
    """The lines that are watched in all runs, and how many runs there are."""
    lines, old = [0], Tracer._local

    def counted(self, frame, event, arg):
        lines[0] += event == "line"
        old(self, frame, event, arg)
        return self._local

    monkeypatch.setattr(Tracer, "_local", counted)
    rng = Source()
    law = Session(Budget()).law(lambda: steps(rng, most))
    monkeypatch.undo()
    assert not law.residual
    assert dict(zip(law.outputs, law.lower, strict=True)) == {
        (n, last): Fraction(1, 2 ** min(n + 2, most + 1)) for n in range(most + 1) for last in (0, 1)
    }
    return lines[0], law.runs


def test_what_a_run_repeats_is_not_watched_again(monkeypatch):
    (short, few), (long, many) = watched(15, monkeypatch), watched(30, monkeypatch)
    assert many < 2.2 * few, "one run for every piece that is not taken"
    assert long < 2.2 * short, "the lines grow as the ways, not as their square"


def test_an_output_that_is_still_open_leaves_no_trace_behind():
    """The last decision is made when the output is asked for: nothing runs any more that could be watched."""
    rng, before = Source(), sys.gettrace()
    law = Session(Budget()).law(lambda: (rng.randrange(3), rng.randrange(2)))
    assert (len(law.outputs), law.residual) == (6, 0)
    assert sys.gettrace() is before


def inner(rng, seen):
    for k in range(3):
        if rng.randrange(3) == 0:
            seen.append(k)
    return len(seen)


def outer(rng):
    seen = []
    total = sum(inner(rng, seen) for _ in range(2))
    while rng.randrange(4):
        pass
    return total, tuple(seen), rng.random() < 0.25


def test_a_run_is_gone_on_with_in_calls_loops_and_generators():
    rng = Source()
    law = Session(Budget()).law(lambda: outer(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert not law.residual
    by_hand = {}
    for m in range(3**6):
        hits = [m // 3**k % 3 == 0 for k in range(6)]
        first = [k for k in range(3) if hits[k]]
        seen = first + [k for k in range(3) if hits[3 + k]]
        for small, p in ((True, Fraction(1, 4)), (False, Fraction(3, 4))):
            key = len(first) + len(seen), tuple(seen), small
            by_hand[key] = by_hand.get(key, 0) + p / 3**6
    assert found == by_hand


CHECKED = """
import typeguard
def sample(rng):
    n = 0
    memo = typeguard.Memo(globals(), locals())
    while rng.randrange(2):
        memo = typeguard.Memo(globals(), locals())
    return n, memo and 1
"""


def checked_by(name, monkeypatch):
    """The law of this code, where the memo is made by a module of this name and holds what cannot be read."""
    module = ModuleType(name)
    module.__file__ = __file__
    exec("class Memo:\n    def __init__(self, *given): self.given = given, iter(int, 1)", vars(module))
    monkeypatch.setitem(sys.modules, name, module)
    code = {"__name__": "theirs"}
    exec(compile(CHECKED.replace("typeguard", name), "theirs.py", "exec"), code)
    return Session(Budget(residual=Fraction(1, 100))).law(partial(code["sample"], Source()))


def test_what_a_type_checker_puts_among_the_variables_is_no_state_of_its_own(monkeypatch):
    law = checked_by("typeguard", monkeypatch)
    assert (law.outputs, law.lower, law.residual) == (((0, 1),), (1,), 0)


@pytest.mark.parametrize("name", ["other", "typeguards"])
def test_the_same_of_a_stranger_has_no_key(name, monkeypatch):
    assert checked_by(name, monkeypatch).residual > 0


def looked_at_once(rng):
    """The variable of a round is not read in the next one; locals() has been called before."""
    known = len(locals())
    while True:
        r = int(rng.randrange(12))
        if rng.randrange(2):
            return r // 6, known


def looked_at_by_another_name(rng):
    """The variable is read by its name alone, later than the function is looked up."""
    look, seen = locals, 0
    r = int(rng.randrange(2))  # noqa: F841
    while rng.randrange(2):
        seen = look()["r"]
    return seen


def test_locals_is_read_where_it_is_called_and_nowhere_else():
    rng = Source()
    law = Session(Budget()).law(lambda: looked_at_once(rng))
    assert (law.outputs, law.lower, law.residual) == (((0, 1), (1, 1)), (Fraction(1, 2), Fraction(1, 2)), 0)
    assert law.runs < 60, "from a state for each number that is refused it would be hundreds"


def test_locals_by_another_name_reads_everything_everywhere():
    rng = Source()
    law = Session(Budget()).law(lambda: looked_at_by_another_name(rng))
    assert dict(zip(law.outputs, law.lower, strict=True)) == {0: Fraction(3, 4), 1: Fraction(1, 4)}


CHECKING = """
KNOWN = memoryview(b"int float")
def check(kind):
    return kind in bytes(KNOWN)
"""


@pytest.mark.parametrize(("name", "followed"), [("typeguard", False), ("typeguards", True)])
def test_the_code_of_a_type_checker_is_not_followed(name, followed):
    """It reads a view of memory, which has no key: where that is part of the state, no loop comes back to it."""
    checker = {"__name__": name}
    exec(compile(CHECKING, f"/lib/site-packages/{name}/checks.py", "exec"), checker)
    rng, check = Source(), checker["check"]

    def sample():
        while rng.randrange(2):
            check(b"int")
        return 1

    law = Session(Budget(residual=Fraction(1, 100))).law(sample)
    assert (law.residual > 0) is followed


def below_the_largest(rng):
    """Rejects, beside an attribute that is named as a function of numpy is."""
    while True:
        r = int(rng.getrandbits(3))
        if r < min(6, np.iinfo(np.int8).max):
            return r


def with_a_function_of_numpy(rng):
    while True:
        r = np.sum([rng.getrandbits(2), rng.getrandbits(1), 2])
        if r < 5:
            return int(r)


@pytest.mark.parametrize("sample", [below_the_largest, with_a_function_of_numpy])
def test_a_loop_with_a_function_of_numpy_comes_back_to_its_state(sample):
    rng = Source()
    law = Session(Budget(residual=Fraction(1, 100))).law(lambda: sample(rng))
    assert (law.residual, sum(law.lower)) == (0, 1)


MISSING = object()


def absent(rng, given=MISSING):
    while rng.randrange(2):
        given = given if rng.randrange(2) else None
    return given is MISSING


def test_a_bare_object_is_known_by_what_it_is():
    rng = Source()
    law = Session(Budget()).law(lambda: absent(rng))
    assert dict(zip(law.outputs, law.lower, strict=True)) == {True: Fraction(2, 3), False: Fraction(1, 3)}
    assert not law.residual

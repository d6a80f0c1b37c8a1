"""The net below the states: every merged way is run on to an end. It catches what the reader of states does not see."""

import decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest
import test_code_held as held

import dpaudit
from dpaudit.code import merges as merged
from dpaudit.code import states
from dpaudit.code.law import Budget, Session
from dpaudit.code.merges import End, Merges
from dpaudit.code.source import Source

RARE = Fraction(1, 1024)
HIDDEN = bytearray(1)


class InC:
    """Keeps something where no reader looks: stands for state in compiled code."""

    def put(self, value):
        HIDDEN[0] = value

    def get(self):
        return HIDDEN[0]


@pytest.fixture(autouse=True)
def nobody_reads_it(monkeypatch):
    """A bytearray has one key, whatever it holds."""
    whole = states.Reader._compound
    monkeypatch.setattr(
        states.Reader, "_compound", lambda self, kind, value: 0 if kind is bytearray else whole(self, kind, value)
    )


def told_at_once(rng):
    InC().put(held.rare(rng))
    held.spin(rng)
    return bool(InC().get())


def told_far_away(rng):
    InC().put(held.rare(rng))
    total = 0
    for _ in range(5):
        held.spin(rng)
        total += rng.randrange(3)
    held.spin(rng)
    return bool(InC().get())


def another_threshold(rng):
    """The hidden flag moves a threshold: with it the coin is another one."""
    InC().put(held.rare(rng))
    held.spin(rng)
    return rng.random() < (0.75 if InC().get() else 0.5)


def a_lower_threshold(rng):
    InC().put(held.rare(rng))
    held.spin(rng)
    return rng.random() < (0.25 if InC().get() else 0.5)


def a_kept_draw(rng):
    """The merged state holds a draw that is not known yet."""
    u = rng.random()
    InC().put(held.rare(rng))
    held.spin(rng)
    return u < (0.25 if InC().get() else 0.5)


def more_draws(rng):
    InC().put(held.rare(rng))
    held.spin(rng)
    return all(rng.randrange(2) for _ in range(3 if InC().get() else 2))


def fewer_draws(rng):
    InC().put(held.rare(rng))
    held.spin(rng)
    return all(rng.randrange(2) for _ in range(1 if InC().get() else 2))


def without_end(rng):
    InC().put(held.rare(rng))
    held.spin(rng)
    while InC().get():
        rng.randrange(2)
    return True


EXPECTED = {
    told_at_once: RARE,
    told_far_away: RARE,
    another_threshold: Fraction(1, 2) + RARE / 4,
    a_lower_threshold: Fraction(1, 2) - RARE / 4,
    a_kept_draw: Fraction(1, 2) - RARE / 4,
    more_draws: Fraction(1, 4) - RARE / 8,
    fewer_draws: Fraction(1, 4) + RARE / 4,
    without_end: 1 - RARE,
}


@pytest.mark.parametrize("sample", EXPECTED)
def test_hidden_state_that_changes_an_end_is_found_and_nothing_is_merged(sample):
    rng, session = Source(), Session(Budget(residual=Fraction(1, 1 << 14), seconds=5, lines=3000))
    law = session.law(lambda: sample(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert found.get(True, 0) <= EXPECTED[sample] <= found.get(True, 0) + law.residual
    assert (law.states, session.merging) == (1, False)
    assert law.unmerged.startswith("test_code_")


@pytest.mark.parametrize("sample", held.SAMPLES)
def test_the_net_alone_finds_what_a_stack_hides(sample, monkeypatch):
    monkeypatch.setattr(states, "stack", lambda frame, find: [])
    rng = Source()
    law = Session(Budget(residual=Fraction(1, 1 << 14))).law(lambda: sample(rng))
    found = dict(zip(law.outputs, law.lower, strict=True))
    assert found[True] <= RARE <= found[True] + law.residual


def test_equal_states_stay_merged():
    def loop(rng):
        total = 0
        for _ in range(4):
            while rng.randrange(2):
                pass
            u = rng.random()
            total += rng.randrange(2)
            total += u < 0.25
        return total

    session, rng = Session(Budget()), Source()
    law = session.law(lambda: loop(rng))
    assert session.merging
    assert law.residual == 0
    assert law.unmerged is None


def test_a_draw_that_both_states_hold_may_have_another_number_in_each():
    def held_later(rng):
        u = rng.random() if rng.randrange(2) else [rng.randrange(2), rng.random()][1]
        while rng.randrange(2):
            pass
        return u < 0.25

    session, rng = Session(Budget()), Source()
    law = session.law(lambda: held_later(rng))
    assert (session.merging, law.residual) == (True, 0)
    assert dict(zip(law.outputs, law.lower, strict=True)) == {True: Fraction(1, 4), False: Fraction(3, 4)}


class Piece:
    """A draw of which only the ends are known."""

    def __init__(self, lowest, highest):
        self.lo, self.hi = lowest, highest + 1

    def m(self, a):
        return a


def run(*draws):
    return SimpleNamespace(draws=[Piece(*draw) for draw in draws])


def test_a_merged_way_goes_on_with_the_numbers_of_the_other():
    merges = Merges()
    merges.came(0, 1, True, run((0, 9), (5, 6)), (1,))
    merges.ended(1, run((0, 9), (6, 6), (7, 8)), "end")
    merges.came(0, 1, False, run((3, 3), (5, 6), (1, 2)), (1,))
    assert list(merges.trials()) == [(1, End((3, 6, 1, 7), (3, 6, 2, 8), "end"))]


def test_an_end_is_found_behind_another_merged_way():
    merges = Merges()
    merges.came(0, 1, True, run((0, 0)), ())
    merges.came(0, 2, True, run((1, 1), (4, 4)), (1,))
    merges.ended(2, run((1, 1), (4, 4), (9, 9)), "end")
    merges.came(1, 2, False, run((0, 0), (2, 2), (4, 4)), (2,))
    merges.came(0, 1, False, run((7, 7), (8, 8)), ())
    ways = [end.lowest for _, end in merges.trials()]
    assert sorted(ways) == [(0, 2, 4, 9), (7, 8, 2, 4, 9)]


def test_of_too_many_ways_every_second_one_is_kept(monkeypatch):
    monkeypatch.setattr(merged, "MOST_NUMBERS", 20)
    merges = Merges()
    merges.came(0, 1, True, run((0, 0)), ())
    merges.ended(1, run((0, 0)), "end")
    for k in range(40):
        merges.came(0, 1, False, run((k, k)), ())
    kept = [end.lowest[0] for _, end in merges.trials()]
    assert len(kept) <= 10
    assert max(kept) - min(kept) > 20


def test_some_ends_are_tried_of_each_way_and_the_first_of_every_way_comes_first():
    merges = Merges()
    merges.came(0, 1, True, run((0, 0)), ())
    for k in range(5):
        merges.ended(1, run((0, 0), (k, k)), k // 3)
    for k in range(3):
        merges.came(0, 1, False, run((k, k)), ())
    outputs = [end.output for _, end in merges.trials()]
    assert outputs == [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0]


def rounded(x, rng):
    """A setting of decimal, which no reader looks at, decides."""
    decimal.getcontext().prec = 3 if rng.randrange(1024) == 0 else 2
    while rng.randrange(2):
        pass
    return int(1000 * (decimal.Decimal(1) / 8 + 0)) + x


def test_the_answer_says_that_nothing_was_merged():
    with decimal.localcontext():
        found = dpaudit.epsilon(rounded, data=[0, 5])
    words = " ".join(str(found).split())
    assert "the code keeps something there that dpaudit does not see: no states were merged" in words

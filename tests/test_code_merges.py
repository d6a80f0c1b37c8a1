"""The net below the states: every merged way is run on to an end. It catches what the reader of states does not see."""

import decimal
from fractions import Fraction

import pytest
import test_code_held as held

import dpaudit
from dpaudit.code import states
from dpaudit.code.law import Budget, Session
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
    monkeypatch.setattr(states, "stack", lambda frame: [])
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

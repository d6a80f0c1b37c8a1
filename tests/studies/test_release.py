"""Releases drawn exactly: every share of the bits is the probability, and the answer says what it cost."""

import json
import random
from fractions import Fraction

import pytest
from random_laws import Given

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms.draw import ExactDraw
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.studies.release.release import release


def run(capsys, *words):
    code = main(list(words))
    return code, *capsys.readouterr()


class Words:
    """A source that gives these bits, a word at a time, and says when it has no more."""

    def __init__(self, words):
        self.words = list(words)

    def getrandbits(self, k):
        if not self.words:
            raise EOFError
        return self.words.pop(0)


def shares(mechanism, x, word, depth):
    """The share of all strings of ``depth`` words that lead to each output, and the share that leads nowhere yet."""
    draws = ExactDraw(mechanism, mechanism.read_dataset("x", x), word)
    found, open_ = {}, Fraction(0)
    todo = [()]
    while todo:
        words = todo.pop()
        share = Fraction(1, 1 << word * len(words))
        try:
            output = draws.draw(Words(words))
        except EOFError:
            if len(words) == depth:
                open_ += share
            else:
                todo += [(*words, w) for w in range(1 << word)]
            continue
        found[output] = found.get(output, 0) + share
    return found, open_


@pytest.mark.parametrize(
    ("mech", "setting", "x"),
    [
        ("EHDS", {"n": 3}, (1, 2)),
        ("LSHist", {"n": 4}, (2, 2)),
        ("EHD", {"n": 2, "k": 3}, (1, 0, 1)),
        ("LSDim", {"n": 3}, (0, 3)),
    ],
)
def test_the_share_of_the_bits_is_the_probability(mech, setting, x):
    mechanism = dpaudit.Setting.read(mech, **setting).mechanism
    found, open_ = shares(mechanism, x, 5, 3)
    assert open_ <= Fraction(4 * len(mechanism.outputs()), 1 << 15)
    with balls.precision(200):
        for output, p in zip(mechanism.outputs(), mechanism.law().probabilities(x), strict=True):
            low, high = balls.ends(p)
            share = found.get(output, Fraction(0))
            assert share <= high
            assert low <= share + open_


def test_a_wrong_cut_would_be_noticed(monkeypatch):
    mechanism = dpaudit.Setting.read("EHDS", n=3).mechanism
    right = ExactDraw._cut
    monkeypatch.setattr(
        ExactDraw, "_cut", lambda self, words: tuple([c + 2 for c in cut] for cut in right(self, words))
    )
    with pytest.raises(AssertionError):
        test_the_share_of_the_bits_is_the_probability("EHDS", {"n": 3}, (1, 2))
    assert mechanism.draw((1, 2)) in mechanism.outputs()


def test_rational_shares_end_exactly():
    """1/2 and 1/2: one bit decides, and no string of bits stays open."""

    found, open_ = shares(
        dpaudit.Setting.read(Given([[Fraction(1, 2)] * 2] * 2, datasets=["a", "b"])).mechanism, "a", 1, 1
    )
    assert (found, open_) == ({0: Fraction(1, 2), 1: Fraction(1, 2)}, 0)


def test_a_seed_gives_the_same_again_and_is_marked():
    first, second = (release("EHDS", (20, 20), times=50, seed=3) for _ in range(2))
    assert first.released == second.released
    assert not first.private
    assert "not private" in first.randomness
    assert release("EHDS", (20, 20)).private


def test_what_it_costs():
    audited = dpaudit.epsilon("EHDS", n=40).epsilon
    result = release("EHDS", (20, 20), times=3, seed=1)
    assert result.epsilon == audited
    assert result.spent == audited.times(3)
    assert result.after_one_more.upper == 4 * audited.upper


def test_the_answer_does_not_hold_the_data(capsys):
    code, out, err = run(capsys, "release", "--mech", "LSHist", "--x", "701,299", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    released = answer["released"][0]
    assert released["posterior"] == [str(1 + c) for c in released["counts"]]
    assert "x" not in answer
    del answer["released"], answer["seconds"]  # digits of the time may be any
    assert "701" not in json.dumps(answer)


def test_the_text_has_the_verdict_and_the_release_first(capsys):
    code, out, _ = run(capsys, "release", "--mech", "EHDS", "--x", "20,20")
    assert code == 0
    assert out.startswith("✓ 1-DP: PROVED at n = 40")
    assert out.splitlines()[1].startswith("released")
    assert "one more" in out
    assert run(capsys, "release", "--mech", "EHDS", "--x", "3,2", "--times", "50", "--seed", "1")[0] == 0


def test_nothing_is_released_where_the_claim_is_not_proved(capsys):
    code, out, _ = run(capsys, "release", "--mech", "EHD", "--prior", "1/20,1/20", "--x", "1,0", "--require", "--json")
    assert code == 1
    assert json.loads(out)["released"] == []
    code, out, err = run(capsys, "release", "--mech", "EHDL", "--x", "20,20", "--require")
    assert (code, out) == (2, "")
    assert "nothing is released" in err


@pytest.mark.parametrize("words", ["--x 20", "--x a,b", "--x 2,2 --times 0", "--x 2,2 --seed -1", "--x 2,2 --n 5"])
def test_bad_input_is_one_line(capsys, words):
    code, out, err = run(capsys, "release", "--mech", "EHDS", *words.split())
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


def test_a_law_of_fixed_width_cannot_be_drawn():
    with pytest.raises(InputError, match="fixed width"):
        release(Given([[("0.49", "0.51")] * 2] * 2, datasets=["a", "b"]), "a")


def test_draws_follow_the_law_on_the_whole():
    """10 000 draws from a seed against the exact probabilities: no share is off by 5 standard deviations."""
    mechanism = dpaudit.Setting.read("EHDS", n=6).mechanism
    draws, source = mechanism.draws((3, 3)), random.Random(7)
    seen = [draws.draw(source) for _ in range(10_000)]
    with balls.precision(100):
        for output, p in zip(mechanism.outputs(), mechanism.law().probabilities((3, 3)), strict=True):
            share = float(p)
            assert abs(seen.count(output) - 10_000 * share) < 5 * (10_000 * share * (1 - share)) ** 0.5


AUDITED = dpaudit.Setting.read("EHDS", n=3).mechanism
SHARES = {x: AUDITED.draws(x) for x in AUDITED.datasets()}


class Circle:
    """The release itself as code to be audited: what `dpaudit release` runs."""

    def datasets(self):
        return list(SHARES)

    def neighbors(self, x):
        return list(AUDITED.neighbors(x))

    def outputs(self):
        return list(AUDITED.outputs())

    def sample(self, x, rng):
        return SHARES[x].draw(rng)


def test_the_circle_closes():
    """The exact law of the code that releases is the law that was audited, up to what 64 bits leave open."""
    for x in SHARES:
        audited, drawn = dpaudit.pmf("EHDS", x, n=3), dpaudit.pmf(Circle, x)
        pairs = zip(audited.probabilities, drawn.probabilities, strict=True)
        assert all(p.lower <= q.upper and q.lower <= p.upper and q.width < Fraction(1, 10**15) for p, q in pairs)
    audited, drawn = dpaudit.epsilon("EHDS", n=3).epsilon, dpaudit.epsilon(Circle).epsilon
    assert drawn.lower <= audited.upper
    assert audited.lower <= drawn.upper < audited.upper + Fraction(1, 10**12)


@pytest.mark.parametrize("words", ["--x 500000000,500000000", "--x 2000000,2000000 --memory 0.1"])
def test_what_does_not_fit_is_refused_at_once(capsys, words):
    code, out, err = run(capsys, "release", "--mech", "EHDS", *words.split())
    assert (code, out) == (2, "")
    assert "needs at least" in err


def test_several_outputs_of_an_own_mechanism_have_one_column():
    shown = str(release("dpaudit.examples.randomized_response:RandomizedResponse", "no", times=3, seed=1))
    assert "released Dir" not in shown

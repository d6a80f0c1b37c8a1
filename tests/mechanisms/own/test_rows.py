"""Rows at the edge: huge weights, tiny probabilities, fixed width, sums that miss 1 by a hair and are refused."""

from fractions import Fraction

import pytest
from certificates import changed, outcome
from random_laws import SLIVER, lettered

import dpaudit
from dpaudit.audit.profile import profile
from dpaudit.cli import main
from dpaudit.evidence.certificate import certificate
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import add_up_to
from dpaudit.numbers.expressions import PI, exp, log

SOURCE = """
class Weights:
    def __init__(self, w): self.w = int(w)
    def datasets(self): return [0, 1]
    def outputs(self): return ["a", "b"]
    def log_weight(self, x, r): return self.w * (1 + x) if r == "a" else 0

class Wide:
    def datasets(self): return [0, 1]
    def outputs(self): return ["a", "b"]
    def probabilities(self, x):
        return [("0.30", "0.31"), ("0.69", "0.70")] if x else [("0.5", "0.5"), ("0.5", "0.5")]
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.mark.parametrize("w", [10**30, -(10**30), -5000, -300, 10**7])
def test_extreme_weights_have_certificates_that_are_accepted(source, w):
    for found in (
        dpaudit.epsilon(f"{source}:Weights", settings={"w": str(w)}),
        dpaudit.delta(f"{source}:Weights", "1/2", settings={"w": str(w)}),
    ):
        assert outcome(certificate(found)) is None
        assert outcome(certificate(found), full=True) is None


def test_a_tiny_probability_outside_its_enclosure_is_still_rejected(source):
    found = certificate(dpaudit.epsilon(f"{source}:Weights", settings={"w": "-2000"}))
    row = found["subject"]["datasets"].index(found["witness"]["x_prime"])
    column = found["subject"]["outputs"].index(found["witness"]["output"])
    lo, width, e = found["law"]["rows"][row][column]
    assert -5775 < lo.bit_length() + e <= -5770  # about 1e-1738
    assert "does not contain the probability" in outcome(
        changed(found, ("law", "rows", row, column), [lo // 10, width, e])
    )


def test_a_profile_of_huge_weights_ends_with_one_line(source, capsys):
    assert main(["profile", "--mech", f"{source}:Weights", "--set", f"w={10**30}"]) in (0, 3)
    assert capsys.readouterr().err.count("\n") <= 1


def test_a_profile_of_fixed_width_is_not_refined(source, monkeypatch):
    seen = []
    right = balls.refine
    monkeypatch.setattr(balls, "refine", lambda f, bits, most: seen.append(most) or right(f, bits, most))
    with pytest.raises(dpaudit.InputError, match="too wide for an answer with one digit"):
        profile(f"{source}:Wide")
    assert max(seen[-15:]) < 1024


def test_pmf_of_fixed_width_has_the_digits_that_there_are(source):
    row = dpaudit.pmf(f"{source}:Wide", x="1", digits=15).probabilities
    assert row[0].lower <= Fraction("0.30") < Fraction("0.31") <= row[0].upper
    assert row[0].width < Fraction(1, 10)
    assert [p.lower for p in dpaudit.pmf(f"{source}:Wide", x="0").probabilities] == [Fraction(1, 2)] * 2


def test_a_sum_that_misses_one_by_a_hair_is_refused_by_engine_and_verifier():
    hair = Fraction(1, 10**60)

    class Hair:
        def __init__(self, miss):
            self.miss = miss

        def datasets(self):
            return [0, 1]

        def outputs(self):
            return ["a", "b"]

        def probabilities(self, x):
            half = log(2) / log(4)
            return [half, half + self.miss] if x else [Fraction(1, 3), Fraction(2, 3)]

    good = certificate(dpaudit.epsilon(Hair(Fraction(0))))
    assert outcome(good) is None
    with pytest.raises(dpaudit.InputError, match="not to 1"):
        dpaudit.epsilon(Hair(hair))
    entry = good["subject"]["rows"][1][1]
    wrong = changed(good, ("subject", "rows", 1, 1), ["+", entry, str(hair)])
    assert "does not sum to 1" in outcome(wrong)


class Shifted:
    """Weights a^|x - r| over their sum, but for ``odd``: its first entry has a hair more."""

    def __init__(self, size, odd=None):
        self.size, self.odd = size, odd

    def datasets(self):
        return list(range(self.size))

    outputs = datasets

    def probability(self, x, r):
        a = exp(-1)
        middle = a ** abs(x - r) * (1 - a) / (1 + a)
        found = a ** abs(x - r) / (1 + a) if r in (0, self.size - 1) else middle
        return found + Fraction(1, 10**90) if x == self.odd and r == 0 else found


def test_rows_that_differ_in_few_entries_are_added_up_by_these(monkeypatch):
    """The first row whole, to 1; of every other one what it has and the row before it has not, to 0."""
    asked = []

    def counted(forms, number):
        forms = list(forms)
        asked.append((number, len(forms)))
        return add_up_to(forms, number)

    monkeypatch.setattr("dpaudit.mechanisms.own.rows.add_up_to", counted)
    assert str(dpaudit.epsilon(Shifted(20)).epsilon) == "19"
    assert asked[0] == (1, 20)
    assert all(number == 0 and size <= 8 for number, size in asked[1:])
    assert len(asked) > 5


@pytest.mark.parametrize("odd", range(6))
def test_a_row_that_misses_one_by_a_hair_is_refused_wherever_it_is(odd):
    assert str(dpaudit.epsilon(Shifted(6)).epsilon) == "5"
    with pytest.raises(dpaudit.InputError, match=r"sums to 1 \+ 1.*e-90"):
        dpaudit.epsilon(Shifted(6, odd))


class Crowd:
    """Randomized response over many rows, one of which makes an output impossible."""

    def datasets(self):
        return list(range(3000))

    def outputs(self):
        return ["a", "b"]

    def probabilities(self, x):
        return [Fraction(x, 6000), Fraction(6000 - x, 6000)]


def test_all_pairs_are_judged_without_listing_them(monkeypatch):
    monkeypatch.setattr("dpaudit.mechanisms.own.mechanism.OwnMechanism.neighbors", None)
    found = dpaudit.epsilon(Crowd())
    assert found.epsilon.is_infinite
    assert (found.witness.x, found.witness.x_prime, found.witness.output) == (1, 0, "a")


NOT_ONE = [
    [exp(-2000), 1],
    [SLIVER, 1],
    [exp(1) / (1 + exp(1)), 1 / (1 + exp(1)) - exp(-900)],
    [exp(1) / (1 + exp(1)), 1 / (2 + exp(1)), 1 / (1 + exp(1)) - 1 / (2 + exp(1)) + SLIVER],
]


@pytest.mark.parametrize("row", NOT_ONE)
def test_a_row_that_is_nearly_one_is_refused(row):
    with pytest.raises(InputError, match="not to exactly 1, by algebra"):
        dpaudit.epsilon(lettered(row, [0] * (len(row) - 1) + [1]))


def test_sums_of_enclosures_are_exact():
    assert dpaudit.delta(lettered([("1/10", "1/5"), Fraction(4, 5)], ["1/5", "4/5"]), 5).delta.upper == 0
    with pytest.raises(InputError, match=r"sums to .*, not to 1"):
        dpaudit.delta(lettered([("1/10", "1/5"), Fraction(4, 5) - Fraction(1, 10**300)], ["1/5", "4/5"]), 5)


def test_a_row_of_many_denominators_sums_to_one():
    odds = [exp(Fraction(i, 7)) / (1 + exp(Fraction(i, 7))) / 4 for i in range(1, 5)]
    rest = [1 / (1 + exp(Fraction(i, 7))) / 4 for i in range(1, 5)]
    assert not dpaudit.epsilon(lettered(odds + rest, rest + odds)).epsilon.is_infinite


def test_long_rows_and_rows_without_a_form_are_checked_by_balls():
    long = [exp(Fraction(-i, 1000)) for i in range(420)]
    total = sum(long[1:], long[0])
    row = [w / total for w in long]
    assert dpaudit.epsilon(lettered(row, row[::-1])).closed_form_text is None
    with pytest.raises(InputError, match="not to 1"):
        dpaudit.epsilon(lettered([*row[1:], Fraction(1, 10**9)], row))
    with pytest.raises(InputError, match="not to 1"):
        dpaudit.epsilon(lettered([PI / 4, 1 - PI / 4 + Fraction(1, 10**90)], ["1/2", "1/2"]))

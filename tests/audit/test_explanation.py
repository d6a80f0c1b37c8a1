"""dpaudit explain: the bounds against tests and guesses enumerated in mpmath, and the answer as people see it."""

import json
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from agreement import agrees
from random_laws import BLURRED, Given

import dpaudit
from dpaudit.audit.explanation import ExplainResult
from dpaudit.cli import main

BITS = 300
PROMISES = [("0.4", "0"), ("1", "1e-5"), ("3", "1/10"), ("0", "0"), ("0", "1/3"), ("1/100", "0"), ("5", "1")]


def assert_contains(found, reference):
    assert agrees(found, reference, digits=6)


def worst_pair(epsilon, delta):
    """The two rows of the mechanism that uses up (epsilon, delta): shown, or randomized response."""
    rise = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
    seen = mpmath.mpf(delta.numerator) / delta.denominator
    p, q = (1 - seen) * rise / (1 + rise), (1 - seen) / (1 + rise)
    return [seen, p, q, 0], [0, q, p, seen]


def best_accuracy(p, q):
    return sum(max(a, b) for a, b in zip(p, q, strict=True)) / 2


def best_power(p, q, rate):
    """Neyman and Pearson: outputs by falling ratio until the false positives are used up, the last one in part."""
    left, power = mpmath.mpf(rate.numerator) / rate.denominator, mpmath.mpf(0)
    for a, b in sorted(zip(p, q, strict=True), key=lambda row: -(row[0] / row[1] if row[1] else mpmath.inf)):
        share = 1 if b <= left else left / b
        power, left = power + share * a, left - share * b
    return power


def product_rows(p, q, times):
    rows = [[mpmath.fprod(word) for word in product(row, repeat=times)] for row in (p, q)]
    return rows[0], rows[1]


@pytest.mark.parametrize(("epsilon", "delta"), PROMISES)
def test_bounds_are_those_of_the_worst_pair(epsilon, delta):
    """Guesses, tests and several releases, enumerated output by output."""
    with mpmath.workprec(BITS):
        result = dpaudit.explain(epsilon, delta=delta, rates="1/100,1/20,1/2,9/10", releases="1,2,3,5", digits=20)
        p, q = worst_pair(Fraction(epsilon), Fraction(delta))
        assert_contains(result.accuracy, best_accuracy(p, q))
        assert_contains(result.advantage, 2 * best_accuracy(p, q) - 1)
        for rate, power in result.tests:
            assert_contains(power, best_power(p, q, rate))
        for count, total, spent, accuracy in result.releases:
            assert total.contains(count * Fraction(epsilon))
            assert spent.contains(min(Fraction(1), count * Fraction(delta)))
            assert_contains(accuracy, best_accuracy(*product_rows(p, q, count)))


@pytest.mark.parametrize("epsilon", ["0.4", "2", "1/1000"])
def test_beliefs_follow_bayes(epsilon):
    with mpmath.workprec(BITS):
        p, q = worst_pair(Fraction(epsilon), Fraction(0))
        for before, low, high in dpaudit.explain(epsilon, digits=20).beliefs:
            prior = mpmath.mpf(before.numerator) / before.denominator
            after = [prior * a / (prior * a + (1 - prior) * b) for a, b in zip(p[1:3], q[1:3], strict=True)]
            assert_contains(high, max(after))
            assert_contains(low, min(after))


def odds_of_the_likeliest(p, q, mass):
    """The odds of the outputs that favour x most, so many of them that they have this probability under x."""
    left, other = mass, mpmath.mpf(0)
    possible = [(a, b) for a, b in zip(p, q, strict=True) if a]
    for a, b in sorted(possible, key=lambda row: -(row[0] / row[1] if row[1] else mpmath.inf)):
        share = 1 if a <= left else left / a
        left, other = left - share * a, other + share * b
    return mass / other


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1e-5"), ("1", "1/10"), ("0", "1/4"), ("1/10", "9/20"), ("3", "49/100")]
)
def test_beliefs_with_delta_are_as_far_as_they_go_where_two_delta_is_left_out(epsilon, delta):
    """One output of probability just above 2 delta can have these odds; below that it would be left out."""
    result = dpaudit.explain(epsilon, delta=delta, beliefs="1/2,1/10", digits=20)
    with mpmath.workprec(BITS):
        p, q = worst_pair(Fraction(epsilon), Fraction(delta))
        factor = odds_of_the_likeliest(p, q, 2 * mpmath.mpf(Fraction(delta).numerator) / Fraction(delta).denominator)
        for (before, low, high), (_, fall, rise) in zip(result.beliefs, result.odds, strict=True):
            odds = mpmath.mpf(before.numerator) / (before.denominator - before.numerator)
            assert_contains(rise, odds * factor)
            assert_contains(fall, odds / factor)
            assert_contains(high, odds * factor / (1 + odds * factor))
            assert_contains(low, odds / factor / (1 + odds / factor))


def test_the_bound_on_odds_is_one_for_each_direction(tmp_path):
    """Of this (1, 1/10)-DP table both outer outputs change the odds by more than 2e; only each alone has at most 2δ."""
    file = tmp_path / "pmf.csv"
    file.write_text(",a,b,c\nx,0.199,0.7645,0.0365\ny,0.0365,0.7645,0.199\n")
    assert dpaudit.table(str(file), claim="eps=1,delta=1/10").claim.verdict == "PROVED"
    likely, unlikely, twice = Fraction("0.199"), Fraction("0.0365"), 2 * Fraction("0.1")
    assert likely / unlikely > 2 * Fraction("2.7183")  # > 2e
    assert unlikely < likely <= twice < likely + unlikely
    assert "A belief; each way but for probability 0.2" in str(dpaudit.explain(1, delta="1/10"))


def test_beside_them_stands_what_epsilon_alone_gives(capsys):
    with_delta, alone = dpaudit.explain("1", delta="1e-5"), dpaudit.explain("1")
    assert with_delta.beliefs_without_delta == alone.beliefs
    assert alone.beliefs_without_delta == ()
    assert with_delta.beliefs[0][2].lower > alone.beliefs[0][2].upper
    text = str(with_delta)
    assert text.index("A belief, if δ were 0") < text.index("A belief; each way but for probability 2e-5")


@pytest.mark.parametrize("delta", ["1e-5", "1/2", "1"])
@pytest.mark.parametrize("epsilon", ["0", "1"])
def test_if_delta_were_0_it_is_pure_epsilon(epsilon, delta):
    """With a delta of 1 nothing is promised, and what epsilon alone would give is the same still."""
    assert dpaudit.explain(epsilon, delta=delta).beliefs_without_delta == dpaudit.explain(epsilon).beliefs


def test_odds_change_by_the_factor_of_epsilon():
    with mpmath.workprec(BITS):
        for before, fall, rise in dpaudit.explain("0.4", beliefs="1/100,1/2", digits=20).odds:
            size = mpmath.mpf(before.numerator) / before.denominator
            assert_contains(rise, size * mpmath.exp(mpmath.mpf(2) / 5))
            assert_contains(fall, size * mpmath.exp(-mpmath.mpf(2) / 5))
    assert dpaudit.explain("0.4").to_dict()["odds"][0]["before"] == "1/99"
    assert dpaudit.explain("1e6").odds == ()


def test_a_mechanism_s_own_advantage_is_told_from_the_bound():
    result = dpaudit.explain(mech="EHDS", n=10)
    assert result.attained_advantage.upper < result.advantage.lower
    said = [" ".join(line.split()) for line in str(result).splitlines()]
    assert (
        f"advantage hits minus false alarms at most {result.advantage.shortened(6)}, of any mechanism with this ε"
        in said
    )
    assert f"its own advantage is {result.attained_advantage.shortened(6)}" in said


def test_epsilon_has_several_names_where_there_is_no_mechanism(capsys):
    shown = [run_explain(capsys, *words)[1].out for words in (["0.4"], ["--eps", "0.4"], ["--epsilon", "0.4"])]
    assert shown[0] == shown[1] == shown[2] != ""


def test_groups_add_up_along_the_path():
    with mpmath.workprec(BITS):
        for count, total, spent, accuracy in dpaudit.explain("1", delta="1/1000", people="1,2,3", digits=20).people:
            shown = mpmath.mpf(1) / 1000 * sum(mpmath.e**step for step in range(count))
            assert total.contains(count)
            assert_contains(spent, shown)
            together = 1 - (1 - shown) / (1 + mpmath.e**count)
            assert_contains(accuracy, together)


def test_a_mechanism_is_explained_by_its_audited_epsilon():
    result, audit = dpaudit.explain(mech="EHDS", n=10, digits=12), dpaudit.epsilon("EHDS", n=10, digits=30)
    assert result.epsilon.lower <= audit.epsilon.lower
    assert audit.epsilon.upper <= result.epsilon.upper
    with mpmath.workprec(BITS):
        size = mpmath.mpf(audit.epsilon.lower.numerator) / audit.epsilon.lower.denominator
        assert_contains(result.accuracy, 1 / (1 + mpmath.exp(-size)))
    variation = dpaudit.delta("EHDS", 0, n=10, digits=30).delta
    assert 2 * result.attained.lower - 1 <= variation.lower <= variation.upper <= 2 * result.attained.upper - 1
    assert result.attained.upper < result.accuracy.lower


def test_randomized_response_uses_up_its_epsilon():
    result = dpaudit.explain(mech="dpaudit.examples.randomized_response:RandomizedResponse", eps="0.4")
    assert result.attained.lower <= result.accuracy.upper
    assert result.accuracy.lower <= result.attained.upper


def test_an_infinite_epsilon_promises_nothing():
    result = dpaudit.explain(mech="dpaudit.examples.sparse_vector:BrokenSparseVector")
    certain = [power for _, power in result.tests] + [high for _, _, high in result.beliefs]
    certain += [row[-1] for row in (*result.people, *result.releases)]
    assert {(bound.lower, bound.upper) for bound in (*certain, result.accuracy)} == {(1, 1)}
    assert all(low.upper == 0 for _, low, _ in result.beliefs)
    assert str(result.people[0][1]) == "∞"


@pytest.mark.parametrize("epsilon", ["1e6", "1e60", "1e-60"])
def test_extreme_values_are_answered(epsilon):
    result = dpaudit.explain(epsilon, releases="10000")
    assert Fraction(1, 2) <= result.accuracy.upper <= 1
    assert result.accuracy.width <= Fraction(1, 10**6)


def run_explain(capsys, *words):
    code = main(["explain", *words])
    return code, capsys.readouterr()


def test_the_answer_comes_first(capsys):
    code, shown = run_explain(capsys, "--epsilon", "0.4")
    assert code == 0
    first = shown.out.splitlines()[0]
    assert first.startswith("answer")
    assert "at most 0.5987" in first


def test_json_is_what_the_call_returns(capsys):
    _, shown = run_explain(capsys, "--epsilon", "1", "--delta", "1e-5", "--json")
    found, same = json.loads(shown.out), dpaudit.explain(1, delta="1e-5").to_dict()
    assert {**found, "seconds": 0} == {**same, "seconds": 0}
    assert found["tests"][0].keys() == {"false_positive_rate", "true_positive_rate"}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("", "--epsilon = (missing)"),
        ("--epsilon -1", "--epsilon = -1: must be >= 0"),
        ("--epsilon x", "--epsilon = x: must be an exact number"),
        ("--epsilon 1 --delta 2", "--delta = 2: must be <= 1"),
        ("--epsilon 1 --beliefs 1", "--beliefs = 1: must be > 0 and < 1"),
        ("--epsilon 1 --rates 0", "--rates = 0: must be > 0 and < 1"),
        ("--epsilon 1 --people 0", "--people = 0: must be a whole number >= 1"),
        ("--epsilon 1 --releases 100000", "--releases = 100000: must be a whole number >= 1 and <= 10000"),
        ("--epsilon 1 --n 3", "--n = 3: needs a mechanism"),
        ("--epsilon 1 --mech EHDS --n 3", "--epsilon = 1: with --mech the true ε is audited"),
        ("1 --mech EHDS --n 3", "--epsilon = 1: with --mech the true ε is audited"),
        ("1 --epsilon 2", "--epsilon = 1: is given twice"),
        ("--eps 1 --epsilon 2", "--eps = 1: is another name of --epsilon"),
        ("--eps x", "--epsilon = x: must be an exact number"),
    ],
)
def test_bad_input_is_one_line(capsys, words, part):
    code, shown = run_explain(capsys, *words.split())
    assert code == 2
    assert part in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out


class Endless:
    """Counts heads from the number on; what is not followed may end anywhere."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        while rng.random() < 0.5:
            x += 1
        return x % 3


def test_an_epsilon_without_upper_bound_promises_nothing_and_says_what_is_known():
    result = dpaudit.explain(mech=Endless)
    assert result.epsilon.is_open
    assert Fraction(1, 2) < result.accuracy.lower < result.accuracy.upper == 1
    assert str(result.releases[0][1]).startswith("≥ ")


def test_a_wide_epsilon_gives_wide_bounds():
    result = dpaudit.explain(mech=Given([BLURRED] * 2))
    highest = dpaudit.explain(result.epsilon.upper)
    assert result.accuracy.lower == Fraction(1, 2)
    assert Fraction("0.6931471") < result.epsilon.upper < Fraction("0.6931473")  # ln 2
    assert 0 <= highest.accuracy.upper - result.accuracy.upper < Fraction(1, 10**7)
    assert 0 <= result.beliefs[0][1].lower - highest.beliefs[0][1].lower < Fraction(1, 10**7)


def test_the_printed_command_asks_the_same(capsys):
    for asked in (dpaudit.explain("0.4", beliefs="1/3", digits=9), dpaudit.explain(mech="EHDS", n=4, releases="3")):
        assert main([*asked.command.split()[1:], "--json"]) == 0
        assert {**json.loads(capsys.readouterr().out), "seconds": 0} == {**asked.to_dict(), "seconds": 0}


def test_it_shows_itself():
    result = dpaudit.explain("0.4")
    assert isinstance(result, ExplainResult)
    assert "A belief" in str(result)
    assert "<table" in result._repr_html_()


def test_with_a_delta_of_a_half_no_outputs_are_left():
    """The odds change by at most 2e^ε but for outputs of probability 2δ: that is all outputs."""
    found = dpaudit.explain(epsilon=1, delta="1/2")
    assert found.to_dict()["beliefs"] == []
    assert "with δ of 1/2 or more the statement but for probability 2δ is empty" in " ".join(str(found).split())
    assert "rises to" in str(dpaudit.explain(epsilon=1, delta="49/100"))


def test_what_is_rational_is_told_exactly(capsys):
    """With epsilon = 0, with delta = 1 and with nothing promised no number is an interval."""
    for epsilon, delta in (("0", "0"), ("0", "1/4"), ("1", "1")):
        result = dpaudit.explain(epsilon, delta=delta, rates="1/100,1/20", releases="1,2,3")
        known = [result.accuracy, result.advantage, *(row[1] for row in result.tests)]
        known += [row[-1] for row in (*result.people, *result.releases)]
        assert all(number.lower == number.upper for number in known), (epsilon, delta)
    assert dpaudit.explain("0", delta="1/4").accuracy.lower == Fraction(5, 8)
    assert main(["explain", "--epsilon", "0"]) == 0
    assert "[" not in capsys.readouterr().out
    assert main(["explain", "--epsilon", "0.4", "--delta", "1e-5"]) == 0
    assert "δ = 1e-5\n" in capsys.readouterr().out


def test_a_guess_that_gains_little_says_how_little(capsys):
    """Rounded to four places, 0.5 + 2.5e-31 read 0.5001."""
    assert main(["explain", "--epsilon", "1e-30"]) == 0
    printed = capsys.readouterr().out
    assert "yours with probability at most 0.5 + 2.51e-31 (blind: 0.5)" in printed
    assert "right with probability at most 0.5 + [2.499999e-31, 2.500001e-31]" in printed
    assert main(["explain", "--epsilon", "0"]) == 0
    assert "yours with probability at most 0.5 (blind: 0.5)" in capsys.readouterr().out


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1/2"), ("0", "1/2"), ("1/10", "3/5")])
def test_a_group_to_which_nothing_is_promised_is_exact(epsilon, delta):
    """A delta of 1 bounds nothing: the best guess is right with probability 1, and not just nearly."""
    for _, _, together, accuracy in dpaudit.explain(epsilon, delta=delta, people="2,5").people:
        assert (together.lower, together.upper) == (1, 1)
        assert (accuracy.lower, accuracy.upper) == (1, 1)


def test_a_mechanism_may_be_given_in_place_of_its_epsilon(capsys):
    assert main(["explain", "ehds", "--n", "5", "--json"]) == 0
    short = json.loads(capsys.readouterr().out)
    assert main(["explain", "--mech", "EHDS", "--n", "5", "--json"]) == 0
    full = json.loads(capsys.readouterr().out)
    assert short["epsilon"] == full["epsilon"]
    assert main(["explain", "ehdx"]) == 2

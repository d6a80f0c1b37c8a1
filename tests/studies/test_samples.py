"""Counts of outputs: certified bounds against plain sums, what they show and what they cannot."""

import csv
import json
import random
from fractions import Fraction
from math import comb, e, log

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import Effort
from dpaudit.studies.samples.binomial import lower_bound, upper_bound
from dpaudit.studies.samples.reach import exact_at

RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"


def tail(p, least, trials):
    """P(Bin(trials, p) >= least), exactly."""
    return sum(comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(least, trials + 1))


@pytest.mark.parametrize("trials", [1, 2, 7, 40])
@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)])
def test_the_bounds_are_clopper_and_pearsons(trials, level):
    for successes in range(trials + 1):
        low, high = lower_bound(successes, trials, level), upper_bound(successes, trials, level)
        assert low < high
        if successes:
            assert tail(low, successes, trials) <= level < tail(low * Fraction(10**8 + 1, 10**8), successes, trials)
        else:
            assert low == 0
        if successes < trials:
            assert 1 - tail(high, successes + 1, trials) <= level
            assert 1 - tail(high * Fraction(10**8 - 1, 10**8), successes + 1, trials) > level
        else:
            assert high == 1


def write(path, rows):
    outputs = list(next(iter(rows.values())))
    lines = [",".join(["", *outputs]), *(",".join([x, *(str(row[o]) for o in outputs)]) for x, row in rows.items())]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def counts(tmp_path):
    return write(tmp_path / "counts.csv", {"no": {"no": 75012, "yes": 24988}, "yes": {"no": 25000, "yes": 75000}})


def test_an_event_named_in_advance(counts):
    result = dpaudit.samples(counts, event="yes", pair="yes,no", claim=1)
    low = lower_bound(75000, 100000, Fraction(1, 2000))
    high = upper_bound(24988, 100000, Fraction(1, 2000))
    assert (result.shown.probability_lower, result.shown.probability_prime_upper) == (low, high)
    assert result.epsilon_lower == pytest.approx(1.0759, abs=1e-3)
    assert result.verdict is dpaudit.Verdict.REFUTED
    assert (result.tests, result.registered) == (1, True)
    assert result.epsilon_lower < dpaudit.epsilon(RESPONSE, epsilon="1.0986123").epsilon.upper


def test_without_an_event_the_error_is_shared(counts):
    result = dpaudit.samples(counts, claim=Fraction(11, 10))
    assert (result.tests, result.registered) == (4, False)
    assert result.epsilon_lower < dpaudit.samples(counts, event="yes", pair="yes,no").epsilon_lower
    assert result.verdict is dpaudit.Verdict.UNDECIDED


def test_delta_is_taken_off(counts):
    plain = dpaudit.samples(counts, event="yes", pair="yes,no")
    off = dpaudit.samples(counts, event="yes", pair="yes,no", claim="eps=1,delta=1/10")
    assert 0 < off.epsilon_lower < plain.epsilon_lower


def test_nobody_shows_more_than_the_ceiling(tmp_path):
    extreme = write(tmp_path / "c.csv", {"a": {"0": 1000, "1": 0}, "b": {"0": 0, "1": 1000}})
    result = dpaudit.samples(extreme, event="0", pair="a,b")
    assert result.epsilon_lower == result.ceiling
    assert 4 < result.ceiling < 8


def test_the_right_law_is_hardly_ever_refuted_and_a_wrong_one_is(tmp_path):
    mechanism = dpaudit.Setting.read("EHDS", n=4).mechanism
    source, refuted = random.Random(1), 0
    names = {output: f"{output[0]} {output[1]}" for output in mechanism.outputs()}
    rows = {}
    for x in mechanism.datasets():
        draws = mechanism.draws(x)
        seen = [draws.draw(source) for _ in range(2000)]
        rows[names[x]] = {names[output]: seen.count(output) for output in mechanism.outputs()}
    file = write(tmp_path / "drawn.csv", rows)
    right = dpaudit.samples(file, law=dpaudit.Setting.read("EHDS", n=4))
    wrong = dpaudit.samples(file, law=dpaudit.Setting.read("EHDS", n=4, eps=3))
    refuted = [fit for fit in right.fit if fit.verdict is dpaudit.Verdict.REFUTED]
    assert not refuted
    assert all(fit.verdict is not dpaudit.Verdict.PROVED for fit in right.fit)
    assert any(fit.verdict is dpaudit.Verdict.REFUTED for fit in wrong.fit)
    assert right.epsilon_lower <= dpaudit.epsilon("EHDS", n=4).epsilon.upper


def test_an_output_that_cannot_be(tmp_path):
    table = write(tmp_path / "law.csv", {"a": {"1": 0, "0": 1}, "b": {"1": "1/2", "0": "1/2"}})
    file = write(tmp_path / "c.csv", {"a": {"1": 1, "0": 99}, "b": {"1": 50, "0": 50}})
    found = dpaudit.samples(file, law=dpaudit.Setting.read(table))
    assert found.fit[0].why.startswith("impossible")


def test_the_best_at_a_probability_is_a_point_of_the_trade_off_curve():
    """Randomized response, ε = 1: below 1/(1+e) all of it; at 1/2 the power is e/(1+e) + (1/2 − 1/(1+e))/e."""
    response = dpaudit.Setting.read(RESPONSE, epsilon="1").mechanism
    with_e = exact_at(response, Fraction(1, 100), Effort())
    assert with_e.contains(1) or abs(with_e.lower - 1) < Fraction(1, 10**12)
    half = exact_at(response, Fraction(1, 2), Effort())
    assert half.upper < with_e.lower
    power = e / (1 + e) + (0.5 - 1 / (1 + e)) / e
    assert float(half.lower) == pytest.approx(log(power / 0.5), abs=1e-12)


def test_the_command(capsys, counts):
    assert main(["samples", counts, "--event", "yes", "--pair", "yes,no", "--claim", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"]["word"], found["verdict"]["whose"]) == ("REFUTED", "asked")
    assert Fraction(found["epsilon_lower"]) > 1
    assert main(["samples", counts, "--mech", RESPONSE, "--at", "1/100"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("shown")
    assert "whatever the code does" in out


@pytest.mark.parametrize(
    "words",
    [
        ["--event", "maybe"],
        ["--pair", "yes,yes"],
        ["--confidence", "1"],
        ["--at", "1/10"],
        ["--n", "4"],
        ["--claim", "eps=1,delta=2"],
        ["--claim", "rho=1/2"],
    ],
)
def test_bad_input_is_one_line(capsys, counts, words):
    assert main(["samples", counts, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_counts_are_whole_numbers(tmp_path):
    file = write(tmp_path / "c.csv", {"a": {"0": "0.5", "1": 0}, "b": {"0": 0, "1": 1}})
    with pytest.raises(InputError, match="whole number"):
        dpaudit.samples(file)


def test_the_command_that_asks_again_runs(capsys, counts):
    result = dpaudit.samples(counts, claim="eps=1/2,delta=1/10", confidence="9/10")
    assert "--claim eps=1/2,delta=1/10" in result.command
    assert main(result.command.split()[1:]) == 0


def test_a_row_that_the_law_does_not_know(capsys, counts):
    assert main(["samples", counts, "--mech", "EHDS", "--n", "4"]) == 2
    assert "COUNTS = no: is not a data set of EHDS" in capsys.readouterr().err


class Certain:
    """Releases one output, always; the law of every row is that output alone."""

    def __init__(self, outputs, datasets=("a", "b")):
        self.listed, self.rows = outputs, datasets

    def datasets(self):
        return self.rows

    def outputs(self):
        return self.listed

    def probability(self, x, r):
        return int(r == self.listed[0])


def sheet(path, outputs, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["", *outputs], *([x, *cells] for x, cells in rows.items())])
    return str(path)


@pytest.mark.parametrize(
    ("outputs", "names"),
    [
        (["a b", "a,b"], ["a b", "a,b"]),
        ([(1, (2, 3)), ((1, 2), 3)], ["(1, (2, 3))", "((1, 2), 3)"]),
        ([(1, (2, 3)), ((1, 2), 3)], ["1,(2,3)", "((1,2),3)"]),
        ([("a", "b c"), ("a b", "c")], ["('a', 'b c')", "('a b', 'c')"]),
        ([("a,b", "c"), ("a", "b,c")], ["(a,b, c)", "(a, b,c)"]),
        ([(3, 1), (1, 3)], ["3 1", "1,3"]),
        ([None, "no"], ["None", "no"]),
        ([(1,), (2,)], ["1", "(2,)"]),
    ],
)
def test_the_true_law_is_not_refuted_whatever_its_outputs_are_called(tmp_path, outputs, names):
    file = sheet(tmp_path / "c.csv", names, {"a": [100, 0], "b": [100, 0]})
    found = dpaudit.samples(file, law=dpaudit.Setting.read(Certain(outputs)))
    assert [fit.verdict.value for fit in found.fit] == ["UNDECIDED", "UNDECIDED"]
    other = sheet(tmp_path / "o.csv", names, {"a": [100, 0], "b": [0, 100]})
    refuted = dpaudit.samples(other, law=dpaudit.Setting.read(Certain(outputs)))
    assert [fit.verdict.value for fit in refuted.fit] == ["UNDECIDED", "REFUTED"]


@pytest.mark.parametrize(
    ("outputs", "names", "rule"),
    [
        (["3 1", (3, 1)], ["3 1", "(3, 1)"], "is ambiguous"),
        ([("a,b", "c"), ("a", "b,c")], ["(a,b,c)", "(a, b,c)"], "is ambiguous"),
        ([(3, 1), (1, 3)], ["3 1", "(3,1)"], "is the same column of Certain as 3 1"),
    ],
)
def test_a_name_of_two_outputs_is_refused(tmp_path, outputs, names, rule):
    file = sheet(tmp_path / "c.csv", names, {"a": [100, 0], "b": [100, 0]})
    with pytest.raises(InputError, match=rule):
        dpaudit.samples(file, law=dpaudit.Setting.read(Certain(outputs)))


def test_a_name_denotes_one_data_set():
    mechanism = dpaudit.Setting.read(Certain(["r"], ["ab", "a b", ("a", "b")])).mechanism
    assert mechanism.read_dataset("x", "a b") == "a b"
    assert mechanism.read_dataset("x", "ab") == "ab"
    assert mechanism.read_dataset("x", "( a , b )") == ("a", "b")
    with pytest.raises(InputError, match="is not a data set of Certain"):
        mechanism.read_dataset("x", "a  b")


class Documented(Certain):
    """Documents that it always releases r, and releases what it is told to."""

    def __init__(self, drawn, outputs=("r", "s")):
        super().__init__(list(outputs))
        self.drawn = iter(drawn) if isinstance(drawn, list) else drawn

    def draw(self, x):
        return next(self.drawn) if not isinstance(self.drawn, dict) else self.drawn[x]


class Sampled:
    """A sampler that nobody documents."""

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        return int(rng.random() < (0.9 if x else 0.1))


def drawn(mechanism, times=400, **given):
    return dpaudit.samples(law=dpaudit.Setting.read(mechanism), draw=times, **given)


def test_what_is_drawn_is_held_against_the_law_that_the_class_documents():
    same = drawn(Documented({"a": "r", "b": "r"}))
    assert [fit.verdict.value for fit in same.fit] == ["UNDECIDED", "UNDECIDED"]
    other = drawn(Documented({"a": "r", "b": "s"}), claim=1)
    assert [(fit.x, fit.verdict.value) for fit in other.fit] == [("a", "UNDECIDED"), ("b", "REFUTED")]
    assert other.verdict.value == "REFUTED"
    assert other.samples == {"a": 400, "b": 400}


def test_a_sampler_is_run_and_not_followed():
    found = drawn(Sampled(), claim=1, confidence="9/10")
    assert found.fit == ()
    assert found.law is None
    assert 1 < found.epsilon_lower < Fraction(log(81)), "odds of 9 : 1 against 1 : 9"


def test_what_a_class_claims_is_judged_where_its_outputs_are_drawn(tmp_path):
    class Claims(Sampled):
        def claimed(self):
            return 1

    found = drawn(Claims(), confidence="9/10")
    assert str(found).startswith("✗ 1-DP: REFUTED")
    assert found.whose.value == "claimed"
    assert "--claim" not in (found.command or "")
    assert drawn(Claims(), claim=3, confidence="9/10").verdict.value == "UNDECIDED"
    assert drawn(Sampled()).verdict is None
    kept = drawn(Claims(), file=str(tmp_path / "kept.csv"), confidence="9/10").command
    assert "--claim eps=1" in kept, "who reads the file alone does not know the class"


def test_outputs_that_hardly_occur_twice_are_told():
    class Real(Sampled):
        def sample(self, x, rng):
            return rng.random()

    found = drawn(Real())
    assert found.scattered
    assert "round(r, 1)" in str(found)
    assert not drawn(Sampled()).scattered


def test_the_exact_law_is_drawn_from_where_there_is_nothing_else(tmp_path, capsys):
    file = tmp_path / "kept.csv"
    words = ["samples", str(file), "--draw", "300", "--mech", "EHDS", "--n", "3", "--pair", "0 3,1 2", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == {"(0, 3)": 300, "(1, 2)": 300}
    assert [fit["verdict"] for fit in found["fit"]] == ["UNDECIDED"] * 2
    assert main([*found["command"].split("'")[0].split()[1:-1], "--pair", "0 3,1 2", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["epsilon_lower"], again["shown"]) == (found["epsilon_lower"], found["shown"])
    assert main(words) == 2, "what was drawn is not written over"
    assert "exists" in capsys.readouterr().err


def test_only_neighbors_count_where_the_mechanism_is_known(tmp_path, capsys):
    rows = {"0,3": [400, 0], "3,0": [0, 400]}
    file = sheet(tmp_path / "far.csv", ["0,3", "3,0"], rows)
    assert dpaudit.samples(file, claim=1).verdict.value == "REFUTED"
    assert main(["samples", file, "--claim", "1", "--mech", "EHDS", "--n", "3"]) == 2
    assert "no pair of neighboring data sets" in capsys.readouterr().err
    assert main(["samples", file, "--claim", "1", "--mech", "EHDS", "--n", "3", "--pair", "0 3,3 0"]) == 2
    assert "are not neighbors for EHDS" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("mechanism", "times", "rule"),
    [
        (Documented([["list"]] * 9), 1, "draws a list: return numbers, text or tuples"),
        (Documented(["t"] * 9), 1, "is drawn, but is not an output of the law of Documented"),
        (Documented([]), 1, "StopIteration"),
        (Documented({"a": "r", "b": "r"}), 0, "must be a whole number >= 1"),
    ],
)
def test_draws_that_go_wrong_are_one_line(mechanism, times, rule):
    with pytest.raises(InputError, match=rule):
        drawn(mechanism, times)


def test_too_many_outputs_and_twins_are_refused(monkeypatch):
    from dpaudit.studies.samples import drawn as module

    class Free(Sampled):
        def sample(self, x, rng):
            return (rng.choice(["1", 1]), x)

    with pytest.raises(InputError, match="is the text of two different outputs"):
        drawn(Free(), 60)
    monkeypatch.setattr(module, "MOST_OUTPUTS", 1)
    with pytest.raises(InputError, match="more than 1 different outputs"):
        drawn(Sampled())
    with pytest.raises(InputError, match=r"such as 0\.[0-9]+: round them, return round\(r, 1\)"):
        drawn(type("Real", (Sampled,), {"sample": lambda self, x, rng: rng.random()})())

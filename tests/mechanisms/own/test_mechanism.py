"""A user's own mechanism: every way to give the numbers, every way to get it wrong."""

import json
import sys
from fractions import Fraction as Fr

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit import exp
from dpaudit.cli import main
from dpaudit.numbers.verdict import Verdict

HEAD = "from fractions import Fraction\nfrom dpaudit import exp\n"


class Coin:
    """A mechanism by probabilities; tests override single methods."""

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        return Fr(3, 4) if (x == "a") == (r == 0) else Fr(1, 4)


def contains(enclosure, value):
    """The enclosure contains the mpf (known to 40 digits) and is narrow."""
    with mp.workdps(60):
        low, high = (mpf(end.numerator) / end.denominator for end in (enclosure.lower, enclosure.upper))
        return low - mpf("1e-40") <= value <= high + mpf("1e-40") and high - low <= mpf("1e-15")


def test_rationals():
    result = dpaudit.epsilon(Coin())
    with mp.workdps(60):
        assert contains(result.epsilon, mp.log(3))
    assert result.claim.verdict is None
    assert result.closed_form_text == "ln 3"
    assert str(result.closed_form) == "log(3)"
    assert dpaudit.delta(Coin(), 0).delta.contains(Fr(1, 2))
    assert dpaudit.delta(Coin(), 0).delta.width == 0


def test_a_class_is_constructed_and_numbers_may_be_text():
    class Text(Coin):
        def probability(self, x, r):
            return "0.75" if (x == "a") == (r == 0) else "1/4"

    assert dpaudit.epsilon(Text).epsilon == dpaudit.epsilon(Coin()).epsilon


@pytest.mark.parametrize("eps", [Fr(1), Fr(4, 5), Fr(1, 100), Fr(30)])
def test_three_ways_to_give_randomized_response(eps):
    class Weights(Coin):
        probability = None

        def log_weight(self, x, r):
            return eps if (x == "a") == (r == 0) else 0

        def claimed(self):
            return eps

    class Expressions(Coin):
        probability = None

        def probabilities(self, x):
            truth, lie = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
            return {0: truth, 1: lie} if x == "a" else [lie, truth]

        def claimed(self):
            return eps, 0

    for kind in (Weights, Expressions):
        result = dpaudit.epsilon(kind())
        assert result.closed_form_text == str(eps)
        assert result.claim.verdict is Verdict.PROVED
        tie = dpaudit.delta(kind(), eps)
        assert tie.delta.upper == 0
        assert tie.claim.verdict is Verdict.PROVED


def test_a_claim_missed_by_a_hair_is_refuted():
    class Hair(Coin):
        def claimed(self):
            return "1.0986122886681096913952452369225257"  # ln 3 = ...252570464749..., 30 digits further

    assert dpaudit.epsilon(Hair()).claim.verdict is Verdict.REFUTED
    Hair.claimed = lambda self: "1.0986122886681096913952452369225258"
    assert dpaudit.epsilon(Hair()).claim.verdict is Verdict.PROVED


def test_enclosures_of_fixed_width_give_as_many_digits_as_they_allow():
    class Measured(Coin):
        def probability(self, x, r):
            big, small = ("0.749999", "0.750001"), ("0.249999", "0.250001")
            return big if (x == "a") == (r == 0) else small

    result = dpaudit.epsilon(Measured())
    assert Fr(1, 10**7) < result.epsilon.width < Fr(1, 10**4)
    assert result.epsilon.contains(Fr("1.09861228866810969"))


def test_impossible_outputs():
    class Leak(Coin):
        def probability(self, x, r):
            return int((x == "a") == (r == 0))

        def claimed(self):
            return 10**9

    result = dpaudit.epsilon(Leak())
    assert result.epsilon.is_infinite
    assert result.to_dict()["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert result.claim.verdict is Verdict.REFUTED
    assert dpaudit.delta(Leak(), 100).delta.lower == 1

    class Never(Coin):  # an output that is impossible for all plays no part
        def outputs(self):
            return [0, 1, 2]

        def probability(self, x, r):
            return 0 if r == 2 else Coin.probability(self, x, r)

    assert dpaudit.epsilon(Never()).epsilon == dpaudit.epsilon(Coin()).epsilon

    class Weights(Coin):
        probability = None

        def log_weight(self, x, r):
            return None if (x, r) == ("a", 1) else 0

    assert dpaudit.epsilon(Weights()).witness.to_dict() == {"x": "b", "x_prime": "a", "output": "1"}


def test_adjacency_is_what_neighbors_says_made_symmetric():
    class Path(Coin):
        def datasets(self):
            return [0, 1, 2]

        def neighbors(self, x):
            return [x + 1] if x < 2 else []

        def probability(self, x, r):
            p = (Fr(1, 2), Fr(2, 3), Fr(3, 4))[x]
            return p if r else 1 - p

    result = dpaudit.epsilon(Path())
    assert result.counts.pairs == 4
    with mp.workdps(60):
        assert contains(result.epsilon, mp.log(mpf(3) / 2))
    del Path.neighbors
    assert dpaudit.epsilon(Path()).counts.pairs == 6


BAD = [
    ("", "exactly one of", "has none"),
    ("def probability(self, x, r): return '1/2'\n    def log_weight(self, x, r): return 0", "exactly one", ""),
    ("def probability(self, x, r): return -1 if r else 2", "probability(a, 1)", "negative"),
    ("def probability(self, x, r): return None", "probability(a, 0)", "a NoneType is not exact"),
    ("def probability(self, x, r): return 'half'", "is half", "exact number"),
    ("def probability(self, x): return 1", "TypeError", "positional argument"),
    ("def probability(self, x, r): return exp(1)", "sums to", "not to 1"),
    ("def probability(self, x, r): return exp(1) - 3 if r else 4 - exp(1)", "probability(a, 1)", "is negative"),
    ("def probability(self, x, r): return ('1/2', '1/3')", "probability(a, 0)", "lower <= upper"),
    ("def probability(self, x, r): return Fraction(10**5000, 3)", "at most 1000 digits", ""),
    ("def probability(self, x, r): return self.probability(x, r)", "recurses without end", ""),
    ("def probability(self, x, r): raise SystemExit(7)", "SystemExit: 7", "line 6"),
    ("def probability(self, x, r): return exp(0.5)", "a float is not exact", "line 6"),
    ("def probability(self, x, r): return 1 if exp(1) > 2 else 0", "TypeError", "line 6"),
    ("def probabilities(self, x): return ['1/2']", "probabilities(a)", "only 1 entries, there are 2 outputs"),
    ("def probabilities(self, x): return ['1/2'] * 3", "probabilities(a)", "more entries"),
    ("def probabilities(self, x): return {0: 1, 7: 0}", "names 7", "not one of the outputs"),
    ("def probabilities(self, x): return 7", "must be a list or a dict", "int"),
    ("def probabilities(self, x): return [2, -1]", "at 1", "negative"),
    ("def log_weight(self, x, r): return None", "log_weight(a)", "every output impossible"),
    ("def log_weight(self, x, r): return 'nan'", "log_weight(a, 0)", "exact number"),
    ("def log_weight(self, x, r): return 0\n    def claimed(self): return 0.5", "claimed", "not exact"),
    ("def log_weight(self, x, r): return 0\n    def claimed(self): return 1, 2, 3", "claimed()", "(epsilon, delta)"),
    ("def log_weight(self, x, r): return 0\n    def neighbors(self, x): return ['c']", "c, which is not one of", ""),
    ("def log_weight(self, x, r): return 0\n    def neighbors(self, x): return []", "has no neighboring", ""),
    ("def log_weight(self, x, r): return 0\n    def datasets(self): return ['a']", "at least 2 data sets", "returns 1"),
    ("def log_weight(self, x, r): return 0\n    def datasets(self): return ['a', 'a']", "returns a twice", ""),
    ("def log_weight(self, x, r): return 0\n    def datasets(self): return [1, '1']", "as different values", ""),
    ("def log_weight(self, x, r): return 0\n    def datasets(self): return [[1], [2]]", "not hashable", "tuples"),
    ("def log_weight(self, x, r): return 0\n    def datasets(self): return 'ab'", "must return a list", "str"),
    ("def log_weight(self, x, r): return 0\n    def outputs(self): return 3", "must return a list", "int"),
    ("def log_weight(self, x, r): return 0\n    def datasets(self):\n        import itertools\n"
     "        return itertools.count()", "more than 1000000 items", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "first", "second"), BAD)
def test_a_mechanism_that_misbehaves_is_one_line(tmp_path, capsys, body, first, second):
    file = tmp_path / "mine.py"
    methods = "".join(
        f"    def {name}(self): return {value}\n"
        for name, value in (("datasets", "['a', 'b']"), ("outputs", "[0, 1]"))
        if f"def {name}" not in body
    )
    file.write_text(f"{HEAD}class Mine:\n{methods}    {body or 'pass'}\n")
    code = main(["epsilon", "--mech", f"{file}:Mine"])
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dpaudit: ")
    assert first in captured.err
    assert second in captured.err


REFERENCES = [
    ("{dir}/fine.py:", "file.py:Class"),
    ("{dir}/broken.py:Mine", "broken.py line 2: SyntaxError"),
    ("{dir}/raising.py:Mine", "raising.py line 1: RuntimeError: not today"),
    ("no.such.package:Mine", "cannot be imported"),
    ("math:Mine", "no class Mine"),
    (":Mine", "file.py:Class"),
]


@pytest.mark.parametrize(("reference", "rule"), REFERENCES)
def test_references_that_lead_nowhere(tmp_path, capsys, reference, rule):
    (tmp_path / "fine.py").write_text("class Mine: pass\n")
    (tmp_path / "broken.py").write_text("class Mine:\n  def x(: pass\n")
    (tmp_path / "raising.py").write_text("raise RuntimeError('not today')\n")
    assert main(["epsilon", "--mech", reference.format(dir=tmp_path)]) == 2
    error = capsys.readouterr().err
    assert rule in error
    assert error.count("\n") == 1


def run(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_constructor_parameters_come_from_the_command_line(capsys):
    mech = "dpaudit.examples.geometric:TruncatedGeometric"
    found = run(capsys, "epsilon", "--mech", mech, "--eps", "0.3", "--n", "4")
    assert found["nominal_epsilon"] == "3/10"
    assert found["parameters"] == {"n": "4"}
    assert found["closed_form"] == "3/10"
    assert found["counts"]["datasets"] == 5
    assert run(capsys, "epsilon", "--mech", mech, "--set", "n=4", "--eps", "0.3")["counts"] == found["counts"]
    spinner = "dpaudit.examples.randomized_response:SpinnerResponse"
    assert run(capsys, "delta", "--mech", spinner, "--set", "p=2/3", "--at", "0")["delta"]["upper"].startswith("0.333")
    assert main(["epsilon", "--mech", spinner, "--eps", "2"]) == 2
    assert "takes no epsilon" in capsys.readouterr().err
    for wrong in ("p", "=3", "p=", "p=1=2", "zz=1"):
        assert main(["epsilon", "--mech", spinner, "--set", wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_default_that_is_text_is_read_as_on_the_command_line():
    seen = []

    class Lying(Coin):
        def __init__(self, p="1/10", n="3", cells="1,1/2", mode="plain"):
            self.p = p
            seen.append((n, cells, mode))

        def probability(self, x, r):
            return 1 - self.p if (x == "a") == (r == 0) else self.p

    found = dpaudit.epsilon(Lying)
    assert found.epsilon.contains(dpaudit.epsilon(Lying, p="1/10").epsilon.lower)
    assert found.subject.mechanism.settings()["p"] == "1/10"
    assert seen[0] == (3, (1, Fr(1, 2)), "plain")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (["1/2", "1/4", "1/4"], "ln(5/3)"),  # 1/4 against 3/20 is more than 1/2 against 3/5, or 3/5 against 1/2
        (["3/5", "1/4", "3/20"], "0"),
        ([dpaudit.exp("-1"), 1 - dpaudit.exp("-1"), 0], None),
    ],
)
def test_the_closed_form_of_rational_probabilities_is_the_largest_ratio(row, text):
    class Rows:
        def datasets(self):
            return [0, 1]

        def outputs(self):
            return [0, 1, 2]

        def probability(self, x, r):
            return ["3/5", "1/4", "3/20"][r] if x else row[r]

    assert dpaudit.epsilon(Rows).closed_form_text == text


@pytest.mark.parametrize(("size", "ratio"), [(2000, 7), (60_000, None)])
def test_the_closed_form_of_very_many_pairs_lists_none_of_them(size, ratio, monkeypatch):
    """Where every two are neighbors columns are compared, as fractions if these are few enough."""

    class Many:
        def datasets(self):
            return range(size)

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            return [Fr(1 + x % 7, 9), Fr(8 - x % 7, 9)]

    mechanism = dpaudit.mechanism(Many)
    monkeypatch.setattr(type(mechanism), "neighbors", None)
    assert mechanism.algebra().odds(6, 0, 0) == ratio


def test_pmf_of_ones_own(capsys):
    mech = "dpaudit.examples.exponential_mechanism:MostCommon"
    rows = run(capsys, "pmf", "--mech", mech, "--x", "1,1,2")["outputs"]
    assert [row["output"] for row in rows] == ["1", "2", "3"]
    assert "released" not in rows[0]
    assert main(["pmf", "--mech", mech, "--x", "(1, 1, 2)"]) == 0
    assert "0." in capsys.readouterr().out
    assert main(["pmf", "--mech", mech, "--x", "1,1"]) == 2
    assert "is not a data set" in capsys.readouterr().err


def test_names_cannot_smuggle_markup(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(
        "class Mine:\n    name = '[red]x[/red]'\n    def datasets(self): return ['[b]', '[/]']\n"
        "    def outputs(self): return ['[/b]', 1]\n    def log_weight(self, x, r): return int(x == '[b]' and r == 1)\n"
    )
    assert main(["epsilon", "--mech", f"{file}:Mine"]) == 0
    text = capsys.readouterr().out
    assert "[red]x[/red]" in text
    assert "[b]" in text
    assert "[/]" in text


def test_entry_points(tmp_path, monkeypatch, capsys):
    from dpaudit.mechanisms import source

    (tmp_path / "somebodys.py").write_text("from dpaudit.examples.geometric import WrongSensitivity as Theirs\n")
    information = tmp_path / "somebodys-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[dpaudit.mechanisms]\ntheirs = somebodys:Theirs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    source.entry_points.cache_clear()
    try:
        found = run(capsys, "epsilon", "--mech", "theirs", "--n", "3")
        listed = run(capsys, "mechanisms")
    finally:
        source.entry_points.cache_clear()
        sys.modules.pop("somebodys", None)
    assert found["closed_form"] == "2"
    assert found["verdict"]["word"] == "REFUTED"
    assert any(row["name"] == "theirs" for row in listed)

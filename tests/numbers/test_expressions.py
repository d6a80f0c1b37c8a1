"""Zeros in disguise, tiny negative entries, sums that are nearly 1, twins: none of them may make a certified result."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as Fr
from threading import Barrier, local
from weakref import WeakValueDictionary

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit import PI, exp, log, sqrt
from dpaudit.audit.questions import mechanism
from dpaudit.cli import main
from dpaudit.numbers import expressions
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.judge import at_most
from tests.certificates import changed, make, outcome

T = Fr(1, 10**99)
SLIVER = exp(T) - 1 - T
"""About 5e-199, far below what 512 bits see next to 1."""


E, ROOT, PART = exp(1), sqrt(2), exp(Fr(1, 3))
WRITTEN = {
    "(1/2)/exp(1)": Fr(1, 2) / E,
    "exp(1)/(1/2)": E / Fr(1, 2),
    "1/3*exp(1)": Fr(1, 3) * E,
    "exp(1)*(-2)": E * Fr(-2),
    "(-3)/exp(1)": Fr(-3) / E,
    "exp(1) - 1/2": E - Fr(1, 2),
    "exp(1) + (-1/3)*sqrt(2)": E + Fr(-1, 3) * ROOT,
    "exp(1)*sqrt(2)/exp(1/3)": E * (ROOT / PART),
    "(exp(1)*sqrt(2))/exp(1/3)": E * ROOT / PART,
    "exp(1)/(sqrt(2)*exp(1/3))": E / (ROOT * PART),
    "exp(1)/(sqrt(2)/exp(1/3))": E / (ROOT / PART),
    "(exp(1) + sqrt(2))*exp(1/3)": (E + ROOT) * PART,
    "(exp(1)*sqrt(2))^2": (E * ROOT) ** 2,
    "(exp(1)/sqrt(2))^2": (E / ROOT) ** 2,
    "(exp(1)^2)^3": (E**2) ** 3,
    "sqrt(2)/exp(1)^2": ROOT / E**2,
}


@pytest.mark.parametrize("text", WRITTEN)
def test_an_expression_is_written_with_the_brackets_that_it_needs(text):
    assert repr(WRITTEN[text]) == text


class Rows:
    """A mechanism of given rows: data sets a, b, ..., outputs 0, 1, ..."""

    bound = 1

    def __init__(self, *rows):
        self.rows = dict(zip("abcd", rows, strict=False))

    def datasets(self):
        return list(self.rows)

    def outputs(self):
        return list(range(len(self.rows["a"])))

    def probabilities(self, x):
        return self.rows[x]

    def claimed(self):
        return self.bound


class Weights(Rows):
    """The same by log-weights."""

    probabilities = None

    def log_weight(self, x, r):
        return self.rows[x][r]


ZEROS = {
    "product": lambda: exp("1/2") * exp("1/2") - exp(1),
    "inverse": lambda: exp(1) * exp(-1) - 1,
    "square": lambda: (1 + exp(1)) ** 2 - 1 - 2 * exp(1) - exp(2),
    "quotient": lambda: (exp(2) - 1) / (exp(1) - 1) - exp(1) - 1,
    "in an exponent": lambda: exp(exp("1/2") * exp("1/2") - exp(1)) - 1,
    "under a root": lambda: sqrt(exp("1/2") * exp("1/2") - exp(1)),
    "exact root": lambda: sqrt(4) - 2,
}
OPEN = {
    "roots": lambda: sqrt(2) * sqrt(2) - 2,
    "logarithms": lambda: log(6) - log(2) - log(3),
    "enclosure": lambda: ("0", "1/10"),
}


@pytest.mark.parametrize("zero", ZEROS.values(), ids=list(ZEROS))
def test_a_zero_in_disguise_is_zero(zero):
    same = Rows([zero(), 1], [0, 1])
    result = dpaudit.epsilon(same)
    assert (result.closed_form_text, result.claim.verdict) == ("0", Verdict.PROVED)
    assert dpaudit.delta(same, 1).delta.upper == 0
    found = dpaudit.profile(same, orders="2", at="0,1")
    assert found.rho.upper == found.renyi[0][1].upper == found.total_variation.upper == 0
    assert at_most(mechanism(same), Fr(0)) is Verdict.PROVED


@pytest.mark.parametrize("zero", ZEROS.values(), ids=list(ZEROS))
def test_its_mirror_image_is_an_infinite_loss(zero):
    mirror = Rows(["1/4", "3/4"], [zero(), 1])
    result = dpaudit.epsilon(mirror)
    assert result.epsilon.is_infinite
    assert result.claim.verdict is Verdict.REFUTED
    assert result.witness.to_dict() == {"x": "a", "x_prime": "b", "output": "0"}
    assert dpaudit.delta(mirror, 1).delta.contains(Fr(1, 4))
    found = dpaudit.profile(mirror, orders="2", at="9")
    assert found.rho.is_infinite
    assert found.deltas[0][1].contains(Fr(1, 4))
    assert at_most(mechanism(mirror), Fr(10**6)) is Verdict.REFUTED


@pytest.mark.parametrize("entry", OPEN.values(), ids=list(OPEN))
@pytest.mark.parametrize("mirror", [False, True])
def test_what_is_not_told_from_zero_is_undecided(entry, mirror):
    value = entry()
    rest = ("9/10", "1") if isinstance(value, tuple) else 1 - value
    other = ["1/2", "1/2"] if mirror else [0, 1]
    subject = Rows([value, rest], other)
    for audit in (dpaudit.epsilon, dpaudit.profile):
        with pytest.raises(PrecisionExhausted, match="the output 0 may be possible for a or not"):
            audit(subject)
    assert at_most(mechanism(subject), Fr(1)) is Verdict.UNDECIDED
    if not isinstance(value, tuple):
        found = dpaudit.delta(subject, 0).delta
        assert found.contains(Fr(1, 2) if mirror else 0)
        assert found.width > 0


def test_delta_of_what_is_not_told_from_zero_neither_proves_nor_refutes():
    assert dpaudit.delta(Rows([sqrt(2) * sqrt(2) - 2, 1], [0, 1]), 1).claim.verdict is Verdict.UNDECIDED


def test_a_log_weight_that_may_be_minus_infinity_is_undecided():
    with pytest.raises(PrecisionExhausted, match="cannot be separated from minus infinity at 4096 bits"):
        dpaudit.epsilon(Weights([log(sqrt(2) * sqrt(2) - 2), 0], [None, 0]))
    assert dpaudit.epsilon(Weights([log(sqrt(2) * sqrt(2) - 1), 0], [None, 0])).epsilon.is_infinite


def test_a_certain_infinite_loss_stands_beside_an_open_question():
    subject = Rows([sqrt(2) * sqrt(2) - 2, "1/2", "1/2"], ["1/2", "1/2", 0])
    assert dpaudit.epsilon(subject).witness.to_dict() == {"x": "a", "x_prime": "b", "output": "2"}
    with pytest.raises(PrecisionExhausted):
        dpaudit.profile(subject)


FILE = """from dpaudit import exp, sqrt
class Mine:
    def __init__(self, epsilon): pass
    def datasets(self): return ["a", "b"]
    def outputs(self): return [0, 1]
    def probabilities(self, x): return [{entry}, {rest}] if x == "a" else [0, 1]
    def claimed(self): return 1
"""


@pytest.mark.parametrize(("entry", "rest"), [("sqrt(2) * sqrt(2) - 2", "1"), ("('0', '1/10')", "('9/10', 1)")])
@pytest.mark.parametrize("command", ["epsilon", "profile", "search"])
def test_undecided_is_exit_code_3_and_one_line_that_says_why(tmp_path, capsys, command, entry, rest):
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(entry=entry, rest=rest))
    assert main([command, "--mech", f"{file}:Mine", "--eps", "1"]) == 3
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "undecided: the output 0 may be possible for a or not" in captured.err
    assert captured.out == ""


def test_the_search_finds_no_violation_where_there_is_none(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(entry="exp('1/2') * exp('1/2') - exp(1)", rest="1"))
    assert main(["search", "--mech", f"{file}:Mine", "--eps", "1", "--require"]) == 0
    assert "no violation" in capsys.readouterr().out


NEGATIVE = [-exp(-3000), -SLIVER, SLIVER - exp(-400), -SLIVER / (1 + exp(1)), 3 - PI]


@pytest.mark.parametrize("entry", NEGATIVE)
def test_a_negative_entry_is_refused_however_small(entry):
    for subject in (Rows([entry, 1 - entry], [0, 1]), Rows([0, 1], [entry, 1 - entry])):
        for audit in (dpaudit.epsilon, lambda mech: dpaudit.delta(mech, 1), dpaudit.profile):
            with pytest.raises(InputError, match="at 0 is negative"):
                audit(subject)


@pytest.mark.parametrize("entry", [exp(-3000), SLIVER, exp(-400) - SLIVER, exp(-(10**30)), PI * exp(-3000)])
def test_a_positive_entry_is_possible_however_small(entry):
    assert dpaudit.epsilon(Rows([entry, 1 - entry], [0, 1])).epsilon.is_infinite


@pytest.mark.parametrize(
    "entry", [1 / (exp(1) * exp(-1) - 1), 1 / (1 / (exp(1) * exp(-1) - 1)), (exp(1) - exp(1)) ** -2]
)
def test_a_division_by_a_zero_in_disguise_is_refused(entry):
    with pytest.raises(InputError, match="divides by zero"):
        dpaudit.epsilon(Rows([entry, 1], [0, 1]))
    with pytest.raises(InputError, match="divides by zero"):
        dpaudit.epsilon(Weights([entry, 1], [0, 1]))


NOT_ONE = [
    [exp(-2000), 1],
    [SLIVER, 1],
    [exp(1) / (1 + exp(1)), 1 / (1 + exp(1)) - exp(-900)],
    [exp(1) / (1 + exp(1)), 1 / (2 + exp(1)), 1 / (1 + exp(1)) - 1 / (2 + exp(1)) + SLIVER],
]


@pytest.mark.parametrize("row", NOT_ONE)
def test_a_row_that_is_nearly_one_is_refused(row):
    with pytest.raises(InputError, match="not to exactly 1, by algebra"):
        dpaudit.epsilon(Rows(row, [0] * (len(row) - 1) + [1]))


def test_sums_of_enclosures_are_exact():
    assert dpaudit.delta(Rows([("1/10", "1/5"), Fr(4, 5)], ["1/5", "4/5"]), 5).delta.upper == 0
    with pytest.raises(InputError, match=r"sums to .*, not to 1"):
        dpaudit.delta(Rows([("1/10", "1/5"), Fr(4, 5) - Fr(1, 10**300)], ["1/5", "4/5"]), 5)


def test_a_row_of_many_denominators_sums_to_one():
    odds = [exp(Fr(i, 7)) / (1 + exp(Fr(i, 7))) / 4 for i in range(1, 5)]
    rest = [1 / (1 + exp(Fr(i, 7))) / 4 for i in range(1, 5)]
    assert not dpaudit.epsilon(Rows(odds + rest, rest + odds)).epsilon.is_infinite


def test_long_rows_and_rows_without_a_form_are_checked_by_balls():
    long = [exp(Fr(-i, 1000)) for i in range(420)]
    total = sum(long[1:], long[0])
    row = [w / total for w in long]
    assert dpaudit.epsilon(Rows(row, row[::-1])).closed_form_text is None
    with pytest.raises(InputError, match="not to 1"):
        dpaudit.epsilon(Rows([*row[1:], Fr(1, 10**9)], row))
    with pytest.raises(InputError, match="not to 1"):
        dpaudit.epsilon(Rows([PI / 4, 1 - PI / 4 + Fr(1, 10**90)], ["1/2", "1/2"]))


def test_certificates_hold_the_zero_itself_and_verify():
    zero = exp("1/2") * exp("1/2") - exp(1)
    for rows in (([zero, 1], [0, 1]), (["1/4", "3/4"], [zero, 1])):
        for at in (None, 1):
            document = make((Rows(*rows), {}), at)
            assert ["0", "1"] in document["subject"]["rows"]
            assert outcome(document, full=True) is None


def test_the_verifier_adds_rows_up_exactly():
    document = make((Rows([exp(-1), 1 - exp(-1)], ["1/2", "1/2"]), {}), 1)
    assert outcome(document, full=True) is None
    forged = changed(document, ("subject", "rows", 0, 1), lambda entry: ["+", entry, ["exp", "-2000"]])
    assert "does not sum to 1" in outcome(forged, full=True)


rationals = st.fractions(-3, 3, max_denominator=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(rationals, rationals), min_size=1, max_size=3), rationals, st.integers(-300, 0))
def test_signs_of_random_forms_agree_with_mpmath(terms, c, a):
    """x^2 - x x written out is 0; with c e^a added the sign is that of c, which mpmath confirms."""
    from dpaudit.mechanisms.own.entry import read_entry

    x = sum((d * exp(b) for b, d in terms), Fr(0))
    value = (x + 1) * (x + 1) - x * x - 2 * x - 1 + c * exp(a) + exp(-250)
    with mp.workdps(400):
        truth = mpf(c.numerator) / c.denominator * mp.exp(a) + mp.exp(-250)
    if truth < -mpf("1e-300"):
        with pytest.raises(InputError, match="negative"):
            read_entry(value, False, lambda rule: InputError("entry", "x", rule))
        return
    entry, possible = read_entry(value, False, lambda rule: InputError("entry", "x", rule))
    assert possible is (Verdict.PROVED if truth > mpf("1e-300") else Verdict.REFUTED)
    assert (entry == 0) == (possible is Verdict.REFUTED)


# ------------------------------------------------------------------ twins


class Twins(Rows):
    def __init__(self, datasets=("a", "b"), outputs=(0, 1), links=None, names=None):
        self.lists, self.links, self.names = (datasets, outputs), links, names
        if links is not None:
            self.neighbors = links.__getitem__

    def datasets(self):
        return self.lists[0]

    def outputs(self):
        return self.lists[1]

    def probabilities(self, x):
        p = Fr(49, 50) if x is False else Fr(1, 2)
        return dict(zip(self.names or self.lists[1], (p, 1 - p), strict=True))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"datasets": [0, False, 1]}, r"datasets\(\) returns 0 and False, which compare equal \(numbers 1 and 2\)"),
        ({"datasets": [2, 1, 1.0]}, r"datasets\(\) returns 1 and 1.0, which compare equal \(numbers 2 and 3\)"),
        ({"datasets": [(0, 1), (False, 1)]}, r"datasets\(\) returns \(0, 1\) and \(False, 1\), which compare equal"),
        ({"datasets": ["a", "b", "a"]}, r"datasets\(\) returns a twice \(numbers 1 and 3\)"),
        ({"outputs": [True, 1]}, r"outputs\(\) returns True and 1, which compare equal \(numbers 1 and 2\)"),
        ({"outputs": [0, 0]}, r"outputs\(\) returns 0 twice"),
        (
            {"datasets": [0, 1], "links": [[True], []]},
            r"neighbors\(0\) returns True, which compares equal to the data set 1 but is another value",
        ),
        ({"datasets": [(0,), (1,)], "links": {(0,): [(1.0,)]}}, r"returns \(1.0,\), which compares equal to"),
        ({"names": [False, 1]}, r"probabilities\(a\) names False, which compares equal to the output 0"),
    ],
)
def test_twins_are_refused_by_name(given, message):
    with pytest.raises(InputError, match=message):
        dpaudit.epsilon(Twins(**given))


def test_neighbors_may_be_named_twice_and_by_numbers_of_the_same_text():
    assert dpaudit.epsilon(Twins([0, 1], links=[[1, 1, Fr(1), 0], []])).counts.pairs == 2


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (",u,v\na,1,0\nb,0,1\n a,1,0\n", "row 4: the data set a occurs twice, first in row 2"),
        (",u,v,u\na,1,0,0\nb,0,1,0\n", "the output u occurs twice, in columns 1 and 3"),
    ],
)
def test_twins_of_a_table_are_refused_with_both_places(tmp_path, table, message):
    file = tmp_path / "pmf.csv"
    file.write_text(table)
    with pytest.raises(InputError, match=message):
        dpaudit.epsilon(str(file))


def test_two_threads_that_write_the_same_make_one_object(monkeypatch):
    both_looked = Barrier(2)
    first = local()

    class Watched(WeakValueDictionary):
        def get(self, key, default=None):
            found = super().get(key, default)
            if not hasattr(first, "look"):
                first.look = found
                both_looked.wait(10)
            return found

    monkeypatch.setattr(expressions, "_WRITTEN", Watched())
    with ThreadPoolExecutor(2) as threads:
        a, b = threads.map(lambda _: expressions.Expression("sqrt", Fr(2)), range(2))
    assert a is b


@pytest.mark.parametrize(
    ("unknown", "advice"),
    [
        (lambda: abs(sqrt(2) - sqrt(3)), "subtract the smaller from the larger"),
        (lambda: max(sqrt(2), sqrt(3)), "compare the exact rationals"),
        (lambda: exp(1) <= 2, "compare the exact rationals"),
        (lambda: Fr(2) > exp(1), "compare the exact rationals"),
    ],
)
def test_the_order_of_expressions_is_refused_with_what_to_write(unknown, advice):
    with pytest.raises(TypeError, match=advice):
        unknown()

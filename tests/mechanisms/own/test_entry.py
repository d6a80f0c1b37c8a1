"""Entries: zeros in disguise, tiny negative ones, ones that may be 0; none of them may make a certified result."""

from fractions import Fraction as Fr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from random_laws import SLIVER, lettered

import dpaudit
from dpaudit import PI, exp, log, sqrt
from dpaudit.audit.questions import mechanism
from dpaudit.cli import main
from dpaudit.mechanisms.own.entry import read_entry
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.judge import at_most
from tests.certificates import make, outcome

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
    same = lettered([zero(), 1], [0, 1])
    result = dpaudit.epsilon(same)
    assert (result.closed_form_text, result.claim.verdict) == ("0", Verdict.PROVED)
    assert dpaudit.delta(same, 1).delta.upper == 0
    found = dpaudit.profile(same, orders="2", at="0,1")
    assert found.rho.upper == found.renyi[0][1].upper == found.total_variation.upper == 0
    assert at_most(mechanism(same), Fr(0)) is Verdict.PROVED


@pytest.mark.parametrize("zero", ZEROS.values(), ids=list(ZEROS))
def test_its_mirror_image_is_an_infinite_loss(zero):
    mirror = lettered(["1/4", "3/4"], [zero(), 1])
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
    subject = lettered([value, rest], other)
    for audit in (dpaudit.epsilon, dpaudit.profile):
        with pytest.raises(PrecisionExhausted, match="the output 0 may or may not be possible for a"):
            audit(subject)
    assert at_most(mechanism(subject), Fr(1)) is Verdict.UNDECIDED
    if not isinstance(value, tuple):
        found = dpaudit.delta(subject, 0).delta
        assert found.contains(Fr(1, 2) if mirror else 0)
        assert found.width > 0


def test_delta_of_what_is_not_told_from_zero_neither_proves_nor_refutes():
    assert dpaudit.delta(lettered([sqrt(2) * sqrt(2) - 2, 1], [0, 1]), 1).claim.verdict is Verdict.UNDECIDED


def test_a_log_weight_that_may_be_minus_infinity_is_undecided():
    with pytest.raises(PrecisionExhausted, match="cannot be separated from minus infinity at 4096 bits"):
        dpaudit.epsilon(lettered([log(sqrt(2) * sqrt(2) - 2), 0], [None, 0], logarithmic=True))
    assert dpaudit.epsilon(lettered([log(sqrt(2) * sqrt(2) - 1), 0], [None, 0], logarithmic=True)).epsilon.is_infinite


def test_a_certain_infinite_loss_stands_beside_an_open_question():
    subject = lettered([sqrt(2) * sqrt(2) - 2, "1/2", "1/2"], ["1/2", "1/2", 0])
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
    assert "undecided: the output 0 may or may not be possible for a" in captured.err
    assert captured.out == ""


def test_the_search_finds_no_violation_where_there_is_none(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(entry="exp('1/2') * exp('1/2') - exp(1)", rest="1"))
    assert main(["search", "--mech", f"{file}:Mine", "--eps", "1", "--require"]) == 0
    assert "no violation" in capsys.readouterr().out


NEGATIVE = [-exp(-3000), -SLIVER, SLIVER - exp(-400), -SLIVER / (1 + exp(1)), 3 - PI]


@pytest.mark.parametrize("entry", NEGATIVE)
def test_a_negative_entry_is_refused_however_small(entry):
    for subject in (lettered([entry, 1 - entry], [0, 1]), lettered([0, 1], [entry, 1 - entry])):
        for audit in (dpaudit.epsilon, lambda mech: dpaudit.delta(mech, 1), dpaudit.profile):
            with pytest.raises(InputError, match="at 0 is negative"):
                audit(subject)


@pytest.mark.parametrize("entry", [exp(-3000), SLIVER, exp(-400) - SLIVER, exp(-(10**30)), PI * exp(-3000)])
def test_a_positive_entry_is_possible_however_small(entry):
    assert dpaudit.epsilon(lettered([entry, 1 - entry], [0, 1])).epsilon.is_infinite


@pytest.mark.parametrize(
    "entry", [1 / (exp(1) * exp(-1) - 1), 1 / (1 / (exp(1) * exp(-1) - 1)), (exp(1) - exp(1)) ** -2]
)
def test_a_division_by_a_zero_in_disguise_is_refused(entry):
    with pytest.raises(InputError, match="divides by zero"):
        dpaudit.epsilon(lettered([entry, 1], [0, 1]))
    with pytest.raises(InputError, match="divides by zero"):
        dpaudit.epsilon(lettered([entry, 1], [0, 1], logarithmic=True))


def test_certificates_hold_the_zero_itself_and_verify():
    zero = exp("1/2") * exp("1/2") - exp(1)
    for rows in (([zero, 1], [0, 1]), (["1/4", "3/4"], [zero, 1])):
        for at in (None, 1):
            document = make((lettered(*rows), {}), at)
            assert ["0", "1"] in document["subject"]["rows"]
            assert outcome(document, full=True) is None


rationals = st.fractions(-3, 3, max_denominator=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(rationals, rationals), min_size=1, max_size=3), rationals, st.integers(-300, 0))
def test_signs_of_random_forms_agree_with_mpmath(terms, c, a):
    """x^2 - x x written out is 0; with c e^a added the sign is that of c, which mpmath confirms."""
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

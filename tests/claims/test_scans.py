"""The core of the checks: three-valued, exact at ties, in order, honest about what stays open."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.claims import scans, shown
from dpaudit.claims.batches import Batch, Statement, single
from dpaudit.claims.outcome import BY_COUNTEREXAMPLE, NOTHING, ON_GRID, Outcome
from dpaudit.claims.scans import compare, compare_tie, search
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.enclosure import Enclosure, at_least, infinite, outward
from dpaudit.numbers.verdict import Verdict

ROOTS = Statement("√n", "<=", "bound")


def roots(bounds):
    """√n against a bound for n = 1…; a tie at every square."""
    for n, bound in enumerate(bounds, 1):
        yield single({"n": n}, lambda n=n, bound=bound: (ball(n).sqrt(), ball(Fraction(bound))))


def test_proved_carries_the_tightest():
    outcome = scans.scan(ROOTS, roots([2, 2, 2, 4]))
    assert (outcome.verdict, outcome.establishes) == (Verdict.PROVED, ON_GRID)
    assert outcome.tightest.parameters == {"n": "3"}
    assert outcome.tightest.margin.contains(Fraction(0)) is False


def test_refuted_stops_at_the_first_counterexample():
    outcome = scans.scan(ROOTS, roots([1, 1, 1]))
    assert (outcome.verdict, outcome.establishes) == (Verdict.REFUTED, BY_COUNTEREXAMPLE)
    assert outcome.counterexample.parameters == {"n": "2"}
    assert outcome.counterexample.margin.upper < 0


@pytest.mark.parametrize("left", [0.1 + 0.2, True, "3/10", None, infinite(), at_least(Fraction(3, 10), 5)])
def test_a_float_never_decides(left):
    with pytest.raises(TypeError, match="a side is a ball, a whole number, a Fraction or a finite Enclosure"):
        scans.scan(Statement("left", "<=", "3/10"), [single({}, lambda: (left, Fraction(3, 10)))])


@pytest.mark.parametrize(
    ("left", "verdict"),
    [
        (0, Verdict.PROVED),
        (dpaudit.epsilon("randomized-response", eps="3/10").epsilon, Verdict.PROVED),
        (outward(Fraction(1, 3), Fraction(1, 3), 9), Verdict.REFUTED),
        (Fraction(3, 10), Verdict.PROVED),
        (Enclosure(Fraction(29, 100), Fraction(31, 100), 2), Verdict.UNDECIDED),
    ],
)
def test_the_result_of_an_audit_is_a_side(left, verdict):
    outcome = scans.scan(Statement("left", "<=", "3/10"), [single({}, lambda: (left, Fraction(3, 10)))])
    assert outcome.verdict is verdict


def test_a_tie_needs_algebra():
    def pi_twice():
        return balls.pi(), balls.pi() / 2 * 2

    open_ = scans.scan(Statement("π", "<=", "π"), [single({}, pi_twice)])
    assert (open_.verdict, open_.establishes) == (Verdict.UNDECIDED, NOTHING)
    decided = scans.scan(Statement("π", "<=", "π"), [single({}, pi_twice, tie=lambda: True)])
    assert decided.verdict is Verdict.PROVED
    assert decided.tightest.margin.lower == decided.tightest.margin.upper == 0
    strict = scans.scan(Statement("π", "<", "π"), [single({}, pi_twice, tie=lambda: True)])
    assert strict.verdict is Verdict.REFUTED


def test_a_certain_counterexample_beats_an_open_instance_and_does_not_claim_to_be_the_first():
    batches = [single({"n": 1}, lambda: (balls.pi(), balls.pi() / 2 * 2)), single({"n": 2}, lambda: (ball(2), ball(1)))]
    outcome = scans.scan(Statement("a", "<=", "b"), batches)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.counterexample.parameters == {"n": "2"}
    assert outcome.finding == "perhaps not the first one: 1 of 2 instances are still open at 4096 bits"
    assert scans.scan(Statement("a", "<=", "b"), batches[1:]).finding == ""


def test_precision_is_raised_only_for_what_is_open():
    asked = []

    def sides():
        asked.append(balls.working_bits())
        tiny = ball(Fraction(1, 10**60))
        yield "near", balls.pi() - tiny, balls.pi()
        yield "far", ball(1), ball(2)

    found = scans.decide_batch(Statement("a", "<", "b"), Batch({}, sides, ("which",)), scans.Log())
    assert [f.verdict for f in found] == [Verdict.PROVED, Verdict.PROVED]
    assert asked == [128, 256]


def test_search_finds_the_first_witness_or_says_how_close_it_came():
    witness = search(Statement("√n", ">", "bound"), roots([2, 2, 2, 1]))
    assert witness.verdict is Verdict.PROVED
    assert witness.witness.parameters == {"n": "4"}
    none = search(Statement("√n", ">", "bound"), roots([2, 2, 2]))
    assert none.verdict is Verdict.UNWITNESSED
    assert none.tightest.parameters == {"n": "3"}


def test_an_empty_grid_proves_nothing():
    with pytest.raises(ValueError, match="empty"):
        scans.scan(ROOTS, [])


@pytest.mark.parametrize(
    ("relation", "wanted"),
    [("<=", "PUR"), ("<", "PUR"), (">=", "RUP"), (">", "RUP"), ("=", "RUR"), ("!=", "PUP")],
)
def test_compare(relation, wanted):
    pairs = [(ball(1), ball(2)), (balls.pi(), balls.pi()), (ball(2), ball(1))]
    letters = {Verdict.PROVED: "P", Verdict.UNDECIDED: "U", Verdict.REFUTED: "R"}
    assert "".join(letters[compare(relation, *pair)] for pair in pairs) == wanted
    assert compare_tie(relation, True) is (Verdict.PROVED if relation in ("<=", ">=", "=") else Verdict.REFUTED)
    assert compare_tie(relation, None) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("verdict", "establishes"),
    [
        (Verdict.REFUTED, BY_COUNTEREXAMPLE),
        (Verdict.PROVED, ON_GRID),
        (Verdict.PROVED, "by witness"),
        (Verdict.PROVED, "for all n, by algebra"),
        (Verdict.IMPOSSIBLE, "for all n, by algebra"),
        (Verdict.MEASURED, "measured"),
        (Verdict.PROVED, "by magic"),
    ],
)
def test_no_verdict_without_its_evidence(verdict, establishes):
    with pytest.raises(ValueError, match="must"):
        Outcome(verdict, establishes)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 3), "0.333333…"), (Fraction(7), "7"), (Fraction(-2, 3) / 10**9, "-6.66666…e-10")],
)
def test_brief_shows_only_certain_digits(value, text):
    assert shown.brief(shown.significant(value)) == text


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("0.99999999999", "1.00000000001", "1 ± 1e-11"),
        ("-1.00000000001", "-0.99999999999", "-1 ± 1e-11"),
        ("0.9999", "1.02", "[0.999, 1.02]"),
        ("-0.35", "-0.21", "[-0.35, -0.21]"),
        ("0.3141599", "0.3141601", "0.31416 ± 1e-7"),
        ("0.31415900001", "0.31415900002", "0.314159…"),
        ("0.3499999", "0.350000012", "0.35 ± 1e-7"),
        ("0.3141", "0.3148", "0.314…"),
        ("9.99999e-12", "1.00001e-11", "[9.99e-12, 1.01e-11]"),
        ("-0.001", "0.0312", "[-0.001, 0.032]"),
    ],
)
def test_brief_never_rounds_an_end_inward(lower, upper, text):
    assert shown.brief(outward(Fraction(lower), Fraction(upper), 20)) == text

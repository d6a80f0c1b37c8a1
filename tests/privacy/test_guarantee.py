"""Guarantees judged: against the slow reference, at ties, at infinite losses, where nothing can be decided."""

import random
from fractions import Fraction

import pytest
from mpmath import mp
from random_laws import BLURRED, Given, shares

import dpaudit
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import (
    EpsilonDelta,
    GaussianDP,
    RenyiDP,
    TradeOff,
    Zcdp,
    claimed_epsilon,
    parse_guarantee,
    trade_off,
)
from dpaudit.reference import guarantees as reference

mp.dps = 40  # what the reference computes with here

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
F = Fraction


def table(*rows):
    return Given([[F(entry) for entry in row] for row in rows])


def random_rows(seed, datasets=3, outputs=5):
    source = random.Random(seed)
    rows = []
    for _ in range(datasets):
        rows.append(shares([source.randint(1, 12) for _ in range(outputs)]))
    return rows


def near(value, digits=9):
    """A rational just below and one just above, by a part in 10^digits."""
    exact = F(str(value))
    return exact - exact / 10**digits, exact + exact / 10**digits


def inside(evidence, value, slack="1e-12"):
    value = F(str(value))
    return evidence.value.lower <= value + F(slack) and value - F(slack) <= evidence.value.upper


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", ["1", "3/2", "2", "17"])
def test_renyi_agrees_with_the_reference(seed, order):
    rows = random_rows(seed)
    value = reference.worst(rows, lambda p, q: reference.divergence(p, q, F(order)))
    low, high = near(value)
    for bound, verdict in ((low, REFUTED), (high, PROVED)):
        result = dpaudit.judge(Given(rows), RenyiDP(F(order), bound))
        assert result.verdict is verdict
        assert inside(result.evidence, value)
        assert result.evidence.value.width < F(1, 10**14)
    worst = result.witness
    there = reference.divergence(rows[worst.x], rows[worst.x_prime], F(order))
    assert abs(there - value) < 1e-20


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.thin(3)
def test_zcdp_agrees_with_the_reference(seed):
    rows = random_rows(seed)
    value = reference.worst(rows, reference.rho)
    low, high = near(value, 3)
    for bound, verdict in ((low, REFUTED), (high, PROVED)):
        result = dpaudit.judge(Given(rows), Zcdp(bound))
        assert result.verdict is verdict
        found = result.evidence.value
        assert found.lower * F(1001, 1000) >= F(str(value)) * F(999, 1000)
        assert found.upper >= F(str(value)) * (1 - F(1, 10**12))
        assert found.width <= found.upper / 5000
    order, worst = F(result.evidence.at["alpha"]), result.witness
    there = reference.divergence(rows[worst.x], rows[worst.x_prime], order) / reference.number(order)
    assert F(str(there)) >= found.lower - F(1, 10**12)


@pytest.mark.parametrize("seed", range(8))
def test_the_smallest_rho_is_pinned_down_as_far_as_it_takes(seed):
    """The claim is a part in 10^8 above or below: far closer than the enclosure that is shown otherwise."""
    rows = random_rows(seed, 2, 3)
    result = dpaudit.judge(Given(rows), "rho=1/1000")
    order, (p, q) = F(result.evidence.at["alpha"]), (rows[result.witness.x], rows[result.witness.x_prime])
    peak = reference.divergence(p, q, order) / reference.number(order)
    assert dpaudit.judge(Given(rows), Zcdp(near(peak, 8)[0])).verdict is REFUTED
    top = reference.worst(rows, reference.rho)
    if order == 1:  # the supremum is the limit at 1, which the reference knows exactly
        assert dpaudit.judge(Given(rows), Zcdp(near(top, 8)[1])).verdict is PROVED


@pytest.mark.parametrize("seed", range(6))
def test_gaussian_agrees_with_the_reference(seed):
    rows = random_rows(seed)
    value = reference.worst(rows, reference.mu)
    low, high = near(value)
    for bound, verdict in ((low, REFUTED), (high, PROVED)):
        result = dpaudit.judge(Given(rows), GaussianDP(bound))
        assert result.verdict is verdict
        assert inside(result.evidence, value)
        assert result.evidence.value.width < F(1, 10**14)


@pytest.mark.parametrize("seed", range(30))
def test_trade_off_agrees_with_the_reference(seed):
    source = random.Random(seed)
    rows = random_rows(seed, 2, 4)
    a, b = F(source.randint(1, 5), 12), F(source.randint(1, 5), 12)
    points = ((F(0), F(1)), (a, min(b, 1 - a)), (F(1), F(0)))
    expected = all(reference.holds(p, q, points) for p, q in (rows, rows[::-1]))
    result = dpaudit.judge(Given(rows), TradeOff(points))
    assert result.verdict is (PROVED if expected else REFUTED)
    margins = [
        beta - reference.piecewise(points, alpha)
        for p, q in (rows, rows[::-1])
        for alpha, beta in reference.all_tests(p, q)
    ]
    assert inside(result.evidence, min(margins))


def test_a_tie_with_the_own_trade_off_function_is_decided_by_algebra():
    """3/4 against 1/4: the tests are (0, 1), (1/4, 1/4), (1, 0), in thirds nothing is a dyadic number."""
    given = table(["2/3", "1/3"], ["1/3", "2/3"])
    result = dpaudit.judge(given, "f=0:1;1/3:1/3;1:0")
    assert result.verdict is PROVED
    assert result.evidence.value.lower == result.evidence.value.upper == 0
    assert "threshold" not in result.evidence.at
    assert dpaudit.judge(given, "f=0:1;1/3:333333333333333333334e-21;1:0").verdict is REFUTED
    assert dpaudit.judge(given, "f=0:1;1/3:333333333333333333333e-21;1:0").verdict is PROVED


def test_outputs_of_the_same_ratio_are_one_step():
    """Twice the ratio 2: the tests between them lie on the line, and the claimed function is that line."""
    given = table(["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"])
    assert dpaudit.judge(given, "f=0:1;1/3:1/3;1:0").verdict is PROVED
    assert dpaudit.judge(given, "mu=2").verdict is PROVED


INFINITE = table(["1/2", "1/2", "0"], ["0", "1/2", "1/2"])


@pytest.mark.parametrize("claim", ["rho=1000", "alpha=1,eps=1000", "alpha=2,eps=1000", "mu=1000"])
def test_an_infinite_loss_refutes(claim):
    result = dpaudit.judge(INFINITE, claim)
    assert result.verdict is REFUTED
    assert result.evidence.value.is_infinite
    assert (result.witness.x, result.witness.x_prime) in ((0, 1), (1, 0))


def test_an_infinite_loss_and_trade_off_functions():
    assert dpaudit.judge(INFINITE, "f=0:1/2;1/2:0;1:0").verdict is PROVED
    assert dpaudit.judge(INFINITE, "f=0:51/100;1/2:0;1:0").verdict is REFUTED
    assert dpaudit.judge(INFINITE, "f=0:1/2;51/100:0;1:0").verdict is REFUTED


@pytest.mark.parametrize("claim", ["0", "rho=0", "alpha=2,eps=0", "alpha=1,eps=0", "mu=0", "f=0:1;1:0"])
def test_equal_distributions_have_every_guarantee(claim):
    given = table(["1/3", "2/3"], ["1/3", "2/3"])
    assert dpaudit.judge(given, claim).verdict is PROVED
    other = table(["1/3", "2/3"], ["333333333333333333/1000000000000000000", "666666666666666667/1000000000000000000"])
    assert dpaudit.judge(other, claim).verdict is REFUTED


def test_equality_in_disguise_stays_undecided():
    """sqrt 2 squared / 4 is 1/2, which no ball can show; a claim with room is still proved."""
    root = dpaudit.sqrt(2)
    given = Given([[root * root / 4, 1 - root * root / 4], [F(1, 2), F(1, 2)]])
    for claim in ("rho=0", "mu=0", "alpha=2,eps=0"):
        assert dpaudit.judge(given, claim).verdict is UNDECIDED
    for claim in ("rho=1e-30", "mu=1e-30", "alpha=2,eps=1e-30", "f=0:1;1/2:499/1000;1:0"):
        assert dpaudit.judge(given, claim).verdict is PROVED


def test_a_probability_that_may_be_zero():
    """Whether the first output is possible for the first data set is not known: delta does not mind, the rest does."""
    zero = dpaudit.sqrt(2) * dpaudit.sqrt(2) - 2
    given = Given([[zero, F(1, 2), F(1, 2) - zero], [F(0), F(1, 2), F(1, 2)]])
    assert dpaudit.judge(given, "eps=1,delta=1/100").verdict is PROVED
    for claim in ("1", "rho=1", "alpha=2,eps=1", "mu=1"):
        with pytest.raises(PrecisionExhausted, match="may or may not be possible"):
            dpaudit.judge(given, claim)


def test_probabilities_known_to_fixed_width():
    given = Given([[("49/100", "51/100"), ("49/100", "51/100")], [F(1, 2), F(1, 2)]])
    for claim in ("rho=1/10", "mu=1/5", "alpha=2,eps=1/10", "f=0:1;1/2:1/3;1:0"):
        assert dpaudit.judge(given, claim).verdict is PROVED
    for claim in ("rho=1/100000", "mu=1/1000", "alpha=2,eps=1/100000", "f=0:1;1/2:4999/10000;1:0"):
        assert dpaudit.judge(given, claim).verdict is UNDECIDED
    far = Given([[("89/100", "91/100"), ("9/100", "11/100")], [F(1, 2), F(1, 2)]])
    for claim in ("rho=1/10", "mu=1/5", "alpha=2,eps=1/10", "f=0:1;1/2:1/3;1:0"):
        assert dpaudit.judge(far, claim).verdict is REFUTED


def test_implications_hold_on_the_family():
    """eps-DP implies eps^2/2-zCDP; the enclosures of mu and rho are narrow and positive."""
    for name in ("EHDS", "EHD", "LSHist", "LSDim"):
        true = dpaudit.epsilon(name, n=6).epsilon.upper
        assert dpaudit.judge(name, Zcdp(true * true / 2), n=6).verdict is PROVED
        assert dpaudit.judge(name, GaussianDP(F(1, 10**6)), n=6).verdict is REFUTED


# ------------------------------------------------------------------ values

TEXTS = {
    "1": EpsilonDelta(F(1)),
    "eps=1/2": EpsilonDelta(F(1, 2)),
    "eps=1,delta=1e-5": EpsilonDelta(F(1), F(1, 10**5)),
    "rho=1/2": Zcdp(F(1, 2)),
    "alpha=2,eps=1/2": RenyiDP(F(2), F(1, 2)),
    " EPSILON = 1/2 , alpha=2 ": RenyiDP(F(2), F(1, 2)),
    "mu=1": GaussianDP(F(1)),
    "f=0:1;1/4:1/2;1:0": TradeOff(((F(0), F(1)), (F(1, 4), F(1, 2)), (F(1), F(0)))),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_back(text):
    value = parse_guarantee("claim", text)
    assert value == TEXTS[text]
    assert parse_guarantee("claim", value.option()) == value
    assert parse_guarantee("claim", value) is value
    assert value.to_dict()["text"] == value.text()


def test_kinds_and_words():
    kinds = [parse_guarantee("claim", text).to_dict()["kind"] for text in TEXTS]
    assert kinds == ["epsilon", "epsilon", "epsilon-delta", "zcdp", "renyi", "renyi", "gaussian", "trade-off"]
    assert Zcdp(F(1, 2)).text() == "1/2-zCDP"
    assert EpsilonDelta(F(1), F(1, 4)).text() == "(1, 1/4)-DP"
    assert trade_off("f", [(0, 1), ("1/4", "1/2"), (1, 0)]) == TEXTS["f=0:1;1/4:1/2;1:0"]
    assert claimed_epsilon(Zcdp(F(1))) is claimed_epsilon(None) is None
    assert claimed_epsilon(EpsilonDelta(F(3))) == 3


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("eps=-1", "must be >= 0"),
        ("-1", "must be >= 0"),
        ("eps=1,delta=2", "must be <= 1"),
        ("eps=1,delta=-1e-9", "must be >= 0"),
        ("rho=-1", "must be >= 0"),
        ("alpha=1/2,eps=1", "must be >= 1"),
        ("mu=-1", "must be >= 0"),
        ("foo", "must be a guarantee such as"),
        ("mu=0.x", "mu must be an exact number"),
        ("mu=", "must be a guarantee such as"),
        ("nu=1", "must be a guarantee such as"),
        ("rho=1,rho=2", "must be a guarantee such as"),
        ("rho=1,mu=2", "must be a guarantee such as"),
        ("f=0:1", "must go from alpha = 0 to alpha = 1"),
        ("f=0:1;1/2:1/4", "must go from"),
        ("f=0:1;1/2:1/4;1/2:1/5;1:0", "the alphas must increase"),
        ("f=0:2;1:0", "must decrease from f(0) <= 1 to f(1) = 0"),
        ("f=0:1;1:1/10", "must decrease from"),
        ("f=0:1/4;1/2:1/2;1:0", "must decrease from"),
        ("f=0:1;1/2:3/5;1:0", "must be convex"),
        ("f=0,1;1:0", "must be points alpha:beta"),
        (0.5, "a float is not exact"),
    ],
)
def test_bad_guarantees(text, rule):
    with pytest.raises(dpaudit.InputError) as error:
        parse_guarantee("claim", text)
    assert rule in str(error.value)


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        (1, EpsilonDelta(F(1))),
        (("1/2", "1e-3"), EpsilonDelta(F(1, 2), F(1, 1000))),
        ("rho=1/2", Zcdp(F(1, 2))),
        (GaussianDP(F(2)), GaussianDP(F(2))),
        (None, None),
    ],
)
def test_what_a_mechanism_may_claim(claim, value):
    given = Given([[F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)]], claim=claim)
    assert load_mechanism(given, 1, {}).claimed() == value
    result = dpaudit.epsilon(given)
    assert result.claim.guarantee == value
    assert (result.claim.verdict is PROVED) == (value is not None)
    shown = result.to_dict()
    assert (shown["claimed"] is None) == (claimed_epsilon(value) is None)
    assert (shown["guarantee"] or {}).get("kind") == (value.kind if value else None)


@pytest.mark.parametrize("claim", [(1, 2), (1, "-1e-9"), -1, "rho=-1", (1, 2, 3), "nonsense"])
def test_a_wrong_claim_is_refused_at_the_door(claim):
    with pytest.raises(dpaudit.InputError, match="claimed\\(\\) is wrong"):
        dpaudit.epsilon(Given([[F(1, 2), F(1, 2)], [F(1, 3), F(2, 3)]], claim=claim))


def test_judging_what_is_claimed_and_nothing():
    assert dpaudit.judge("EHDS", n=4).claim.guarantee == EpsilonDelta(F(1))
    with pytest.raises(dpaudit.InputError, match="claims nothing"):
        dpaudit.judge("EHDL", n=4)
    assert dpaudit.judge("LSHist", EpsilonDelta(F(1), F(1, 4)), n=4, eps=2).evidence.quantity == "delta"


def test_a_result_says_guarantee_verdict_and_evidence():
    shown = dpaudit.judge(table(["3/4", "1/4"], ["1/4", "3/4"]), "mu=2").to_dict()
    assert shown["guarantee"] == {"kind": "gaussian", "text": "2-GDP", "mu": "2"}
    assert shown["verdict"]["word"] == "PROVED"
    assert shown["evidence"]["quantity"] == "gdp_mu"
    assert shown["evidence"]["pair"]["x"] == "0"
    assert set(shown["evidence"]["enclosure"]) == {"lower", "upper"}


# ------------------------------------------------------------------ delta met with equality

TINY = F(1, 10**40)


class Weighted:
    """Log-weights: one output is impossible for one of the two."""

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return [0, 1, 2]

    def log_weight(self, x, r):
        return None if (x, r) == ("a", 0) else 0


def shifted():
    """Randomized response with odds e : 1 on two thirds of the mass, the rest in common: delta(0) is known in e."""
    odds = 1 / (1 + dpaudit.exp(1))
    row = [odds * F(2, 3), (1 - odds) * F(2, 3), F(1, 3)]
    return Given([row, [row[1], row[0], row[2]]])


@pytest.mark.parametrize(
    ("mechanism", "at", "delta"),
    [
        (table(("1/3", "1/3", "1/3"), ("0", "2/3", "1/3")), 0, F(1, 3)),
        (table(("1/3", "1/3", "1/3"), ("0", "2/3", "1/3")), 1, F(1, 3)),
        (table(("2/7", "5/7"), ("3/7", "4/7"), ("2/7", "5/7")), 0, F(1, 7)),
        (Weighted(), F(1, 2), F(1, 3)),
        (shifted(), 1, F(0)),
    ],
    ids=["tv", "impossible", "three", "log-weights", "exponentials"],
)
def test_delta_that_is_met_with_equality_is_decided_by_algebra(mechanism, at, delta):
    """The difference of 10^-40 on either side is decided as well, so the tie is no rounding."""
    for claimed, expected in ((delta, PROVED), (delta + TINY, PROVED), (delta - TINY, REFUTED)):
        if claimed >= 0:
            assert dpaudit.judge(mechanism, EpsilonDelta(F(at), claimed)).claim.verdict is expected
            if claimed:
                asked = dpaudit.delta(mechanism, at, claim=EpsilonDelta(F(at), claimed))
                assert asked.claim.verdict is expected


def test_a_tie_among_wide_enclosures_stays_open():
    wide = Given([BLURRED, [F(3, 4), F(1, 4)]])
    assert dpaudit.judge(wide, EpsilonDelta(F(0), F(1, 3))).claim.verdict is UNDECIDED

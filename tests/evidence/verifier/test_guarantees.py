"""Certificates of Renyi, zCDP, Gaussian and trade-off guarantees: accepted, and rejected where anything is changed."""

from fractions import Fraction

import pytest
from certificates import FAMILY, OWN, changed, outcome
from mpmath import mp, ncdf

import dpaudit
from dpaudit.evidence.certificate import certificate, write
from dpaudit.evidence.verifier import guarantees as v
from dpaudit.evidence.verifier.arithmetic import Undecided, rational
from dpaudit.evidence.verifier.core import Law, Pair
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.special import normal
from dpaudit.evidence.verifier.table import Table
from dpaudit.reference import guarantees as reference

mp.dps = 40  # what the reference computes with here

F = Fraction
CLAIMS = ["rho=1/3", "rho=1/1000", "alpha=2,eps=1/2", "alpha=1,eps=1/1000", "mu=3/2", "mu=1/100", "f=0:1;1/3:1/3;1:0",
          "f=0:1;1/2:49/100;1:0", "1", "eps=1/10,delta=1/2"]  # fmt: skip
RESPONSE = "dpaudit.examples.randomized_response:SpinnerResponse"


def judged(mech, claim, options=None):
    return dpaudit.judge(mech, claim, **(options or {}))


@pytest.mark.parametrize(("mech", "options"), FAMILY + OWN, ids=lambda value: str(value)[-24:])
@pytest.mark.thin(3)
def test_what_the_engine_judges_is_accepted(mech, options):
    verdicts = set()
    for claim in CLAIMS:
        result = judged(mech, claim, options)
        document = certificate(result)
        verdicts.add(result.verdict.value)
        assert verify(document, True)[1]["verdict"] == result.verdict.value, claim
        assert outcome(document) is None
    assert "REFUTED" in verdicts <= {"PROVED", "REFUTED"}


def shifted(text, by):
    return str(F(text) + F(by))


@pytest.mark.parametrize("claim", ["rho=1", "alpha=2,eps=1", "mu=2", "f=0:1;1/2:1/10;1:0", "rho=1/10", "mu=1/2"])
@pytest.mark.parametrize("mech", [RESPONSE, "EHD"])
def test_wrong_bounds_are_rejected(mech, claim):
    """3/4 against 1/4: rho = 0.549..., D_2 = 0.847..., mu = 1.348..."""
    options = {"n": 3, "prior": "1/20,1/20", "eps": 3} if mech == "EHD" else {}
    document = certificate(judged(mech, claim, options))
    assert outcome(document, full=True) is None
    lower, upper = document["statement"]["lower"], document["statement"]["upper"]
    up = changed(changed(document, ("statement", "upper"), shifted(upper, "1")), ("statement", "lower"),
                 shifted(upper, "1/1000"))  # fmt: skip
    down = changed(changed(document, ("statement", "lower"), shifted(lower, "-1")), ("statement", "upper"),
                   shifted(lower, "-1/1000"))  # fmt: skip
    assert outcome(up, full=True) is not None
    assert outcome(down, full=True) is not None
    place = "alpha" if "alpha" in document["witness"] else "threshold"
    if document["witness"].get(place) is not None:  # a worse place does not reach the bound
        assert outcome(changed(document, ("witness", place), "200")) is not None


def test_a_proof_of_another_pair_is_not_enough():
    """The witness is a harmless pair: its value is below the lower bound; with low bounds --full finds the bad pair."""

    class Three:
        def datasets(self):
            return ["a", "b", "c"]

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            p = {"a": F(1, 2), "b": F(51, 100), "c": F(9, 10)}[x]
            return [p, 1 - p]

    for claim, place in (("rho=1/10", "1"), ("alpha=2,eps=1/10", "2"), ("mu=1/2", "0"), ("f=0:1;1/2:1/3;1:0", "0")):
        document = certificate(dpaudit.judge(Three(), claim))
        assert verify(document)[1]["verdict"] == "REFUTED"
        assert {document["witness"]["x"], document["witness"]["x_prime"]} != {"a", "b"}
        name = "alpha" if "alpha" in document["witness"] else "threshold"
        harmless = changed(document, ("witness",), {"x": "b", "x_prime": "a", name: place})
        assert outcome(harmless) is not None
        small = {"quantity": document["statement"]["quantity"], "lower": "0", "upper": "1/20",
                 "guarantee": document["statement"]["guarantee"]}  # fmt: skip
        if claim.startswith("f"):
            small |= {"lower": "0", "upper": "0"}
        lie = changed(harmless, ("statement",), small)
        assert outcome(lie) is None  # the upper bound is not looked at
        assert "exceeds the upper bound" in outcome(lie, full=True)
        said = verify(changed(lie, ("statement", "upper"), "10"), True)[1]  # room in the bounds does not help the claim
        assert said["verdict"] == "REFUTED"


@pytest.mark.parametrize("claim", ["rho=1", "alpha=2,eps=1", "mu=2"])
def test_infinite_losses(claim):
    class Leak:
        def datasets(self):
            return ["a", "b", "c"]

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            p = {"a": F(0), "b": F(1, 2), "c": F(1, 3)}[x]
            return [p, 1 - p]

    document = certificate(dpaudit.judge(Leak(), claim))
    assert document["statement"]["lower"] == "inf"
    assert [verify(document, full)[1]["verdict"] for full in (False, True)] == ["REFUTED", "REFUTED"]
    assert outcome(changed(document, ("witness", "x_prime"), "b")) is not None
    finite = changed(changed(document, ("statement", "lower"), "0"), ("statement", "upper"), "100")
    assert "contrary to the bounds" in outcome(finite)


@pytest.mark.parametrize(("points", "why"), [
    ([["0", "1"], ["1/2", "1/4"], ["1/4", "1/2"], ["1", "0"]], "f does not fall"),
    ([["0", "1/4"], ["1/4", "1/2"], ["1", "0"]], "f does not fall"),
    ([["0", "1"], ["1/4", "3/4"], ["1/2", "1/4"], ["1", "0"]], "f is not convex"),
    ([["0", "1"], ["1/4", "1/8"], ["1/2", "1/16"], ["3/4", "1/32"], ["1", "0"]], None),
    ([["0", "1"]], "does not lead"),
])  # fmt: skip
def test_a_trade_off_function_falls_and_is_convex(points, why):
    document = certificate(dpaudit.judge(RESPONSE, "f=0:1;1/2:1/10;1:0"))
    del document["statement"]["guarantee"]["text"]
    found = outcome(changed(document, ("statement", "guarantee", "points"), points))
    assert (why in found) if why else found is None or "witness" in found


def test_the_trivial_test_has_the_value_0():
    pair = Pair(None, "x", "y")
    assert [v.Gaussian(F(1), None).reached(pair, F(bound)) for bound in (0, 1)] == [0, -1]


MALFORMED = [
    (("statement", "guarantee", "kind"), "zcdp", "does not match the quantity"),
    (("statement", "guarantee"), {"kind": "gaussian", "mu": "-1"}, "mu is negative"),
    (("statement", "guarantee"), {"kind": "gaussian"}, "mu is not a number"),
    (("statement", "guarantee"), {"kind": "gaussian", "mu": "1", "nu": "1"}, 'unknown member "nu"'),
    (("statement", "verdict"), "PROVED", 'unknown member "verdict"'),
    (("statement", "claimed"), "1", 'unknown member "claimed"'),
    (("witness", "threshold"), "x", "threshold"),
    (("witness", "output"), "no", 'unknown member "output"'),
    (("statement", "lower"), "9", "do not form an interval"),
]


@pytest.mark.parametrize(("path", "value", "reason"), MALFORMED)
def test_malformed(path, value, reason):
    document = certificate(dpaudit.judge(RESPONSE, "mu=2"))
    assert outcome(document) is None
    if path[-1] not in document["statement"] and path[0] == "statement" and len(path) == 2:
        document["statement"][path[-1]] = None
    elif path[0] == "witness":
        document["witness"].setdefault(path[-1], None)
    assert reason in outcome(changed(document, path, value))


def test_the_witness_of_a_trade_off_function_bounds_the_largest_excess():
    document = certificate(dpaudit.judge(RESPONSE, "f=0:1/2;1/4:1/5;1:0"))
    short, full = (verify(document, way)[0] for way in (False, True))
    assert "lower bound: the value at the witness reaches it" in short
    assert "upper bound: not checked (--full does)" in short
    assert "verdict PROVED: no pair and output exceeds the claimed bound" in full
    more = changed(document, ("statement", "lower"), "1/2")
    more = changed(more, ("statement", "upper"), "1")
    assert outcome(more) == "the value at the witness is below the stated lower bound"
    document = certificate(dpaudit.judge(RESPONSE, "f=0:1;1/2:1/2;1:0"))
    assert "verdict REFUTED: the value at the witness exceeds the claimed bound" in verify(document, False)[0]
    less = changed(document, ("statement", "lower"), "0")
    less = changed(less, ("statement", "upper"), "1/1000")
    assert outcome(less) == "the value at the witness is above the stated upper bound"


def test_the_words_of_a_guarantee_are_printed_as_they_are():
    document = certificate(dpaudit.judge(RESPONSE, "alpha=2,eps=1"))
    assert "claimed: (2, 1)-Rényi DP; verdict" in verify(document, False)[1]["text"]


@pytest.mark.parametrize(
    "points",
    [[["0", "1"]], [["0", "1"], ["1", "1/2"]], [["0", "1"], ["1/2", "3/5"], ["1", "0"]], "f", [["0", "2"], ["1", "0"]]],
)
def test_a_function_that_is_no_trade_off_function(points):
    document = certificate(dpaudit.judge(RESPONSE, "f=0:1;1/2:1/10;1:0"))
    guarantee = {"kind": "trade-off", "points": points}
    assert "malformed" in outcome(changed(document, ("statement", "guarantee"), guarantee))


def test_every_pair_of_the_family():
    mechanism = dpaudit.mechanism("EHD", n=3).with_adjacency("all")
    for result in (dpaudit.epsilon(mechanism), dpaudit.judge(mechanism, "rho=1/2"), dpaudit.judge(mechanism, "mu=1")):
        document = certificate(result)
        assert document["subject"]["adjacency"] == {"kind": "all"}
        assert outcome(document, full=True) is None
        near = changed(document, ("subject",), {k: v for k, v in document["subject"].items() if k != "adjacency"})
        assert outcome(near, full=True) is not None


def test_what_cannot_be_verified_is_refused_at_the_door(tmp_path):
    listed = dpaudit.privacy.adjacency.ExplicitPairs((((0, 3), (3, 0)),))
    mechanism = dpaudit.mechanism("EHD", n=3).with_adjacency(listed)
    with pytest.raises(dpaudit.InputError, match="no independent verifier for this adjacency"):
        write(dpaudit.epsilon(mechanism), str(tmp_path / "no.json"))

    class Mine(dpaudit.MECHANISMS["EHD"]):
        name = "Mine"

    mine = Mine(dpaudit.mechanism("EHD", n=3).model, F(1))
    with pytest.raises(dpaudit.InputError, match="no independent verifier for Mine"):
        write(dpaudit.epsilon(mine), str(tmp_path / "no.json"))
    assert list(tmp_path.iterdir()) == []


def places(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield (*path, name)
        yield from places(inner, (*path, name))


JUNK = [None, 0, -1, [], {}, [[]], "", "x", "inf", "-1", "0", "1/0", "1e400", "-1e400", "2", True, "1e-400", ["1", "2"]]


@pytest.mark.parametrize("claim", ["rho=1", "alpha=2,eps=1", "mu=2", "f=0:1;1/2:1/10;1:0"])
def test_whatever_is_put_in_its_place_is_judged(claim):
    """Never an exception other than Rejected; what the statement rests on cannot be replaced."""
    document = certificate(dpaudit.judge(RESPONSE, claim))
    accepted = 0
    for path in places(document):
        for junk in JUNK[:: 9 if claim == "mu=2" else 1]:  # quantiles take their time
            new = changed(document, path, junk)
            if outcome(new, full=True) is None:
                accepted += 1
                assert path[-1] not in ("quantity", "kind", "x", "x_prime", "rows", "no", "yes", "n")
                ends = [F(d["statement"][end]) for d in (document, new) for end in ("lower", "upper")]
                assert ends[2] <= ends[1]
                assert ends[0] <= ends[3]
    assert accepted  # a wider enclosure, another version, another name of an output


# ------------------------------------------------------------------ the normal distribution


@pytest.mark.parametrize("z", ["0", "1/3", "-1/3", "2", "-5", "17/2", "30", "-30", "-70"])
@pytest.mark.parametrize("bits", [66, 200])
@pytest.mark.thin(3)
def test_the_normal_distribution_function(z, bits):
    with mp.workprec(8_000):
        exact = ncdf(mp.mpf(F(z).numerator) / F(z).denominator)
        found = normal(F(z), bits)
        low, high = (mp.mpf(end.numerator) / end.denominator for end in found.ends())
        assert low <= exact <= high
        if F(z) ** 2 < 15 * bits:
            assert high - low <= exact / mp.mpf(2) ** (bits - 6)


@pytest.mark.parametrize(("alpha", "mu"), [("1/10", "0"), ("1/2", "1/2"), ("9/10", "3"), ("1e-9", "1/2")])
def test_above_and_below_the_gaussian_curve(alpha, mu):
    bits = 220
    with mp.workdps(80):
        a, m = F(alpha), mp.mpf(F(mu).numerator) / F(mu).denominator
        level = mp.mpf(a.numerator) / a.denominator
        z = mp.findroot(lambda z: mp.log(ncdf(-z)) - mp.log(level), float(v.guess(a)))
        beta = 1 - ncdf(m - z) if m > z else ncdf(z - m)
        beta = F(str(beta))
    for step, sign in (("1e-30", -1), ("-1e-30", 1), ("1e-5", -1), ("-1e-5", 1)):
        at = rational(beta + min(beta, 1 - beta) * F(step), bits)
        assert v.above_gaussian(rational(a, bits), at, F(mu)) == sign
    with pytest.raises(Undecided):
        v.above_gaussian(rational(a, bits), rational(beta, bits), F(mu))


@pytest.mark.parametrize("off", [-100, -1, 0, 1, 100])
@pytest.mark.thin(2)
def test_a_bad_guess_of_a_quantile_proves_nothing(monkeypatch, off):
    """The guess is only where the search begins: from a wrong one the truth is found all the same."""
    guess = v.guess
    monkeypatch.setattr(v, "guess", lambda level: guess(level) + off)
    alpha, beta = rational(F(1, 10), 140), rational(F(1, 2), 140)
    for mu, sign in (("1", 1), ("1.28", 1), ("1.29", -1), ("2", -1)):  # mu of this test is 1.2815...
        assert v.above_gaussian(alpha, beta, F(mu)) == sign
    tiny = rational(F(1, 10**400), 140)  # beyond floats: its quantile is about 42.8
    assert [v.above_gaussian(tiny, beta, F(mu)) for mu in (40, 45)] == [1, -1]


ROWS = [
    (["1/100", "9/100", "9/10"], ["1/1000", "99/1000", "9/10"]),  # the supremum lies at an order between 1 and 10
    (["3/4", "1/4"], ["1/4", "3/4"]),  # it is the limit at 1
    (["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]),
    (["1/1000", "999/1000"], ["1/100000", "99999/100000"]),
]


def pair_of(rows, bits):
    names = [str(i) for i in range(len(rows[0]))]
    subject = {"mechanism": "rows", "datasets": ["x", "y"], "outputs": names, "logarithmic": False, "rows": list(rows)}
    table = Table(subject, "all")
    return Pair(Law({x: table.row(x, bits) for x in "xy"}, bits, []), "x", "y")


@pytest.mark.parametrize("rows", ROWS)
def test_the_verifier_encloses_rho_itself(rows):
    top = F(str(reference.rho(*([F(entry) for entry in row] for row in rows))))
    notion = v.Zcdp(F(1), F(1))
    assert notion.exceeded(pair_of(rows, 270), top * F(9999, 10000))
    assert not notion.exceeded(pair_of(rows, 270), top * F(10001, 10000))


def test_a_bound_of_0_holds_for_equal_rows_alone():
    for rows, sign in ((ROWS[1], 1), ((ROWS[1][0], ROWS[1][0]), 0)):
        for notion in (v.Renyi(F(0), F(2), F(2)), v.Zcdp(F(0), F(2))):
            assert notion.reached(pair_of(rows, 140), F(0)) == sign
            assert notion.exceeded(pair_of(rows, 140), F(0)) == (sign > 0)


def test_one_test_below_the_gaussian_function_is_enough():
    """The two tests have mu = 0.76 and 0.05."""
    pair = pair_of(ROWS[0], 140)
    assert [v.Gaussian(F(1), None).exceeded(pair, F(mu)) for mu in ("0.04", "0.5", "0.8")] == [True, True, False]


def test_equal_losses_are_one_step_of_the_verifier():
    """The test between the steps; and in the middle of the first step what lies just below its chord."""
    points = v.powerful(pair_of((["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]), 140))
    expected = [(F(1, 3), F(1, 3)), (F(1, 6), F(2, 3)), (F(1, 6), F(2, 3))]
    for (alpha, beta), ends in zip(points, expected, strict=True):
        for found, value in zip((alpha, beta), ends, strict=True):
            low, high = found.ends()
            assert low <= value <= high
            assert high - low < F(1, 10**35)


def test_losses_that_cannot_be_told_apart_are_one_step_with_two_points_below():
    wide = [["between", "0.32", "0.34"], ["between", "0.32", "0.34"], "1/3"]
    points = v.powerful(pair_of((wide, ["1/6", "1/6", "2/3"]), 140))
    assert len(points) == 3
    assert [float(a.ends()[0]) for a, _ in points] == pytest.approx([1 / 3, 1 / 6, 1 / 6])
    assert all(b.ends()[0] < F(2, 3) for _, b in points[1:])


def test_a_wide_loss_is_one_step_with_all_that_it_overlaps():
    """The losses are about 0.92, 0.83 and between 0.1 and 1.3, which overlaps both: no test lies between them."""
    rows = (["0.25", "0.23", ["between", "0.11", "0.36"], "0.16"], ["0.1", "0.1", "0.1", "0.7"])
    points = v.powerful(pair_of(rows, 140))
    assert len(points) == 3  # the end of the step, and two points below its middle
    assert float(points[0][0].ends()[0]) == pytest.approx(0.3)

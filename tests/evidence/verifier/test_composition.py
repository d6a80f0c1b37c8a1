"""Certificates of compositions: the verifier computes them with its own arithmetic, and rejects what is not so."""

import json
from fractions import Fraction as F

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.accounting.reading import DiscreteGaussian, DiscreteLaplace, Pure, RandomizedResponse
from dpaudit.cli import main
from dpaudit.evidence.certificate import certificate
from dpaudit.evidence.verifier.arithmetic import Malformed
from dpaudit.evidence.verifier.composition import MOST, Release, Whole, product
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest
from tests.accounting import reference_accounting as reference

RELEASES = {
    "responses": ([RandomizedResponse(eps="1/2", k=4) * 4], [reference.randomized_response(0.5, 4)] * 4),
    "mixed": (
        [RandomizedResponse(eps=1) * 3, DiscreteLaplace(eps="1/2") * 2],
        [reference.randomized_response(1)] * 3 + [reference.randomized_response(0.5)] * 2,
    ),
    "gaussians": ([DiscreteGaussian(sigma=1) * 2], [reference.discrete_gaussian(1)] * 2),
}


def accepted(document):
    return verify(json.loads(json.dumps(document)), True)


def stated(document, **members):
    found = {**document, "statement": {**document["statement"], **members}}
    return {**found, "sha256": digest(found)}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("at", ["0", "1", "3/2"])
def test_the_verifiers_delta_contains_the_sum_over_all_outcomes(name, at):
    events, pairs = RELEASES[name]
    document = certificate(dpaudit.account(events, at=at))
    whole = Whole([Release(given) for given in document["subject"]["releases"]], F(document["subject"]["step"]), 256)
    low, high = whole.delta(F(at))
    exact = reference.enumerated(pairs, mpf(F(at).numerator) / F(at).denominator)
    room = mpf(10) ** -20
    assert mpf(low.numerator) / low.denominator - room <= exact <= mpf(high.numerator) / high.denominator + room
    assert high - low < F(1, 10**50)
    assert accepted(document)[1]["checked"] == "full"


@pytest.mark.parametrize("w", range(4, 24))
@pytest.mark.parametrize("name", RELEASES)
def test_with_few_bits_every_rounding_is_outward(name, w):
    document = certificate(dpaudit.account([*RELEASES[name][0], Pure(eps=1, delta="1/7")], at="1"))
    releases, step = [Release(given) for given in document["subject"]["releases"]], F(document["subject"]["step"])
    few, many = Whole(releases, step, w), Whole(releases, step, 256)
    for at in (F(0), F(1, 3), F(1), F(5, 2)):
        (low, high), (least, most) = few.delta(at), many.delta(at)
        assert low <= least <= most <= high


def test_wide_discrete_laplace_and_pure_releases_are_the_engines():
    events = [DiscreteLaplace(eps=1, sensitivity=3) * 4, Pure(eps="1/3", delta="1e-7") * 5]
    found = dpaudit.account(events, at="0,1,4", delta="1e-2,1e-5", claim="eps=5,delta=1e-6")
    document = certificate(found)
    assert len(document["parts"]) == 6
    text = accepted(document)[1]["text"]
    assert "discrete-laplace (eps = 1, sensitivity = 3) x 4 and pure (eps = 1/3, delta = 1/10000000) x 5" in text
    assert "verdict: PROVED" in text or "verdict: REFUTED" in text


def test_an_epsilon_that_does_not_exist_is_stated_as_infinite():
    document = certificate(dpaudit.account([Pure(eps=1, delta="1/10")], delta="1/100"))
    assert document["statement"]["upper"] == "inf"
    accepted(document)


@pytest.mark.parametrize(
    "members",
    [
        {"lower": "1/2"},
        {"upper": "0.05"},
        {"at": "9/10"},
        {"verdict": "PROVED"},
        {"claimed": 1},
        {"quantity": "epsilon"},
        {"quantity": "epsilon", "at": "0", "lower": "500", "upper": "inf"},
        {"quantity": "epsilon", "claimed": "1/2", "upper": "inf"},
        {"upper": "inf"},
        {"lower": "-1"},
    ],
)
def test_a_false_statement_is_rejected(members):
    document = certificate(dpaudit.account([RandomizedResponse(eps=1) * 3], at="1"))
    accepted(document)
    with pytest.raises(Rejected):
        accepted(stated(document, **members))


@pytest.mark.parametrize(
    "change",
    [
        {"times": 4},
        {"times": 0},
        {"times": 10**6},
        {"times": True},
        {"eps": "11/10"},
        {"eps": "0"},
        {"k": 3},
        {"k": 2.0},
        {"release": "gaussian"},
        {"more": "1"},
    ],
)
def test_another_release_is_rejected(change):
    document = certificate(dpaudit.account([RandomizedResponse(eps=1) * 3], at="1"))
    found = {**document, "subject": {"releases": [{**document["subject"]["releases"][0], **change}]}}
    with pytest.raises(Rejected):
        verify({**found, "sha256": digest(found)}, True)


@pytest.mark.parametrize(
    "given",
    [
        {"release": "pure", "eps": "1", "delta": "-1/10"},
        {"release": "pure", "eps": "-1", "delta": "1/10"},
        {"release": "randomized-response", "eps": "-1", "k": 2},
        {"release": "discrete-laplace", "eps": "0", "sensitivity": 1},
        {"release": "discrete-gaussian", "sigma": "-1", "sensitivity": 1},
    ],
)
def test_a_parameter_out_of_range_is_malformed(given):
    with pytest.raises(Malformed, match="a parameter is negative"):
        Release({**given, "times": 1})


@pytest.mark.parametrize("count", [0, 101])
def test_a_composition_is_of_1_to_100_releases(count):
    document = certificate(dpaudit.account([RandomizedResponse(eps=1)], at="1/2"))
    listed = document["subject"]["releases"] * count
    document = {**document, "subject": {**document["subject"], "releases": listed}}
    with pytest.raises(Rejected, match="a list of 1 to 100 releases"):
        accepted(stated(document, lower="0", upper="1"))


def test_releases_are_counted_together():
    never = Release({"release": "pure", "times": MOST, "eps": "0", "delta": "0"})
    with pytest.raises(Malformed, match=f"or {MOST} releases"):
        Whole([never, never], F(1), 64)


def test_nothing_is_revealed_without_a_delta():
    never = Release({"release": "pure", "times": 3, "eps": "0", "delta": "0"})
    assert Whole([never], F(1), 256).infinite == 0
    assert Whole([never], F(1), 256).delta(F(0)) == (0, 0)


def test_an_epsilon_is_checked_at_both_ends():
    document = certificate(dpaudit.account([DiscreteGaussian(sigma=3) * 5], delta="1e-3"))
    low, high = (F(document["statement"][end]) for end in ("lower", "upper"))
    for members in ({"lower": str(high + F(1, 10**6))}, {"upper": str(low - F(1, 10**6))}):
        both = {"lower": members.get("lower", "0"), "upper": members.get("upper", "inf")}
        with pytest.raises(Rejected, match="delta at the"):
            accepted(stated(document, **both))


def test_a_product_is_the_convolution():
    a, b, w = [3, 0, (1 << 20) - 1, 1 << 20], [1 << 20, 7], 20
    exact = [sum(a[i] * b[k - i] for i in range(4) if 0 <= k - i < 2) for k in range(5)]
    assert product(a, b, w) == [value >> w for value in exact]


@pytest.mark.parametrize("step", ["2", "2/3", "0", "-1", 1, "1e-300"])
def test_the_losses_must_lie_on_the_lattice(step):
    document = certificate(dpaudit.account([RandomizedResponse(eps=1, k=3) * 3], at="1"))
    assert document["subject"]["step"] == "1"
    with pytest.raises(Rejected, match="malformed"):
        accepted(stated({**document, "subject": {**document["subject"], "step": step}}))


@pytest.mark.parametrize(("claimed", "verdict"), [("1/2", "PROVED"), ("1/100", "REFUTED")])
def test_the_verdict_is_the_verifiers_own(claimed, verdict):
    document = certificate(dpaudit.account([RandomizedResponse(eps=1) * 3], at="1"))
    said = accepted(stated(document, claimed=claimed))[1]
    assert said["verdict"] == verdict
    assert f"claimed: (1, {claimed})-DP; verdict: {verdict}" in said["text"]


@pytest.mark.parametrize(
    "event", ["gaussian:sigma=1", "discrete-laplace:eps=1,rate=1/2", "randomized-response:noise=1/2", "mech:LSHist,n=5"]
)
def test_other_compositions_say_that_there_is_none(event, capsys, tmp_path):
    path = tmp_path / "none.json"
    assert main(["account", "--event", event, "--at", "1", "--certificate", str(path)]) == 2
    assert "so there is none" in capsys.readouterr().err
    assert not path.exists()


def test_too_many_losses_are_refused_before_any_work(capsys, tmp_path):
    event = "discrete-gaussian:sigma=300 x 1000"
    assert main(["account", "--event", event, "--at", "1", "--certificate", str(tmp_path / "c.json")]) == 2
    assert "at most 20000 losses" in capsys.readouterr().err


def test_the_command_writes_what_verify_accepts(capsys, tmp_path):
    path = str(tmp_path / "c.json")
    events = ["--event", "discrete-gaussian:sigma=2 x 3", "--event", "discrete-laplace:eps=1/10"]
    assert main(["account", *events, "--claim", "eps=5,delta=1e-6", "--certificate", path]) == 0
    assert "with --certificate" not in capsys.readouterr().out
    assert main(["verify", path]) == 0
    shown = capsys.readouterr().out
    assert "ACCEPTED (full): composition of discrete-gaussian (sigma = 2, sensitivity = 1) x 3" in shown


assert mp.dps >= 22

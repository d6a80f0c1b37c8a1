"""The fast tier against the exact tier: same enclosures, same digits; every float bound above the truth."""

import random
from fractions import Fraction

import cases
import pytest

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import hockey_stick, worst_delta, worst_deltas, worst_loss
from dpaudit.privacy.pairs import pairs

np = pytest.importorskip("numpy", reason="the fast tier needs numpy")

from dpaudit.privacy.fast import WORTH_IT, fast_tier  # noqa: E402
from dpaudit.privacy.fast.certify import Certifier, is_exchange, losses  # noqa: E402
from dpaudit.privacy.fast.uppers import delta_uppers, loss_uppers, make_screen  # noqa: E402

EXPONENTIAL = [case for case in cases.CASES if not case[0].startswith("LS")]


def build(case):
    mech, n, prior, eps, gamma, delta, gs = case
    return make_mechanism(mech, make_model(n, len(prior), prior), eps, {"gamma": gamma, "delta": delta, "gs": gs})


def random_case(rng):
    """A mechanism with a random model: priors from tiny to huge, nominal epsilons from 1/100 to 30."""
    mech = rng.choice(["EHD", "EHDL", "EHDS", "MH", "MHdelta"])
    k = rng.choice([2, 2, 2, 3, 4])
    n = rng.randrange(1, {2: 26, 3: 7, 4: 4}[k])
    prior = [rng.choice(["1", "1", "1/2", "1/3", "3", "1/1000", "40", "1e6", "7/5"]) for _ in range(k)]
    if rng.random() < 0.4:
        prior = prior[:1] * k
    eps = rng.choice(["1/100", "1/3", "1", "2", "8", "30"])
    gamma = rng.choice(["1/10", "1", "3", "9"]) if mech in ("EHDS", "MH") else None
    delta = rng.choice(["1e-8", "1/20"]) if mech == "MHdelta" else None
    gs = rng.choice(["constant", "exact"]) if mech == "EHD" else None
    return mech, n, tuple(prior), eps, gamma, delta, gs


def same(fast, exact, digits):
    """Whether the enclosures overlap and both are as narrow as asked."""
    width = Fraction(1, 10**digits)
    overlap = fast.value.lower <= exact.value.upper and exact.value.lower <= fast.value.upper
    return overlap and fast.value.width <= width and exact.value.width <= width


def attains(mechanism, worst):
    """Whether the loss at the witness is at least the lower end, in balls from the law itself."""
    with balls.precision(400):
        law, w = mechanism.law(), worst.witness
        i = list(mechanism.outputs()).index(w.output)
        loss = law.log_probabilities(w.x)[i] - law.log_probabilities(w.x_prime)[i]
        return not balls.certainly_less(loss, ball(worst.value.lower))


def check_epsilon(case, digits):
    mechanism = build(case)
    fast = worst_loss(mechanism, Effort(digits, tier="fast"))
    assert fast.tier == "fast"
    assert 1 <= fast.filter_left <= 2 * mechanism.counts().pairs
    assert same(fast, worst_loss(mechanism, Effort(digits, tier="exact")), digits), case
    assert attains(mechanism, fast), case


@pytest.mark.parametrize("part", range(10))
def test_epsilon_on_five_hundred_random_cases(part):
    rng = random.Random(part)
    for _ in range(50):
        check_epsilon(random_case(rng), rng.choice([15, 15, 30, 60]))


def test_epsilon_on_the_fixed_cases():
    for case in EXPONENTIAL:
        check_epsilon(case, 15)


@pytest.mark.parametrize("part", range(4))
def test_delta_on_random_cases(part):
    rng = random.Random(100 + part)
    for _ in range(30):
        case = random_case(rng)
        mechanism = build(case)
        eps = Fraction(case[3])
        points = [Fraction(0), eps / 10, eps / 3, eps * Fraction(9, 10), 2 * eps]
        fast = worst_deltas(mechanism, points, Effort(20, tier="fast"))
        for point, found in zip(points, fast, strict=True):
            assert same(found, worst_delta(mechanism, point, Effort(20, tier="exact")), 20), (case, point)


@pytest.mark.parametrize(
    "case",
    [
        ("EHDS", 6, ("1", "1"), "1", "1", None, None),
        ("EHDS", 9, ("1/1000", "40"), "8", "9", None, None),
        ("EHDL", 9, ("1/3", "1/3"), "30", None, None, None),
        ("MHdelta", 4, ("1", "1", "1"), "2", None, "1/20", None),
        ("MH", 3, ("1/2", "1", "1/2", "1e6"), "1", "1/2", None, None),
        ("EHDL", 120, ("1/1000", "1/1000"), "30", None, None, None),
        ("EHDS", 120, ("1", "2"), "1", "1", None, None),
        ("EHDS", 9, ("1/1000", "40"), "1e-20", "9", None, None),
        ("EHDL", 120, ("1/1000", "1/1000"), "1e-20", None, None, None),
        ("MH", 3, ("1/2", "1", "1/2", "1e6"), "1e-30", "1/2", None, None),
        ("EHD", 20, ("1e-9", "1e16"), "1", None, None, None),
        ("EHDL", 9, ("1e-9", "1e16"), "3000", None, None, None),
    ],
)
def test_every_upper_bound_is_one_and_none_is_idle(case, monkeypatch):
    """Exhaustively, pair by pair: truth <= bound <= truth + a little; the same for delta; n = 120 has far outputs."""
    monkeypatch.setattr("dpaudit.privacy.fast.band.BLOCK", 200)
    mechanism, at = build(case), Fraction(case[3]) / 5
    with balls.precision(256):
        law = mechanism.hellinger_law()
        screen = make_screen(law, mechanism, Effort())
        assert case[1] < 100 or any(batch.far > 20 for batch in screen.batches())
        found, (delta,) = loss_uppers(screen), delta_uppers(screen, [at])
        assert len(found.pairs) == len(found.values) == len(delta.values)
        slack = 1e-12 * (screen.rows.most_rate + (not screen.rows.gentle))
        for (x, y), bounds, tails in zip(found.pairs, found.values, delta.values, strict=True):
            for p, q, bound, tail in ((x, y, bounds[0], tails[0]), (y, x, bounds[1], tails[1])):
                losses = [a - b for a, b in zip(*map(law.law.log_probabilities, (p, q)), strict=True)]
                assert truth_below(balls.maximum(losses), bound, slack)
                assert truth_below(hockey_stick(law.law.masses(p, q), at, ball(at).exp()), tail, slack)


def truth_below(truth, bound, slack):
    exact = balls.dyadic(float(bound))
    return balls.certainly_at_most(truth, exact) and balls.certainly_at_most(exact, truth + slack)


@pytest.mark.parametrize("eps", ["30", "1e-20"])
def test_an_underestimated_error_would_be_seen(eps, monkeypatch):
    """The comparison above can fail: without the margin some bound lies below the truth."""
    from dpaudit.privacy.fast.rows import FloatRows

    monkeypatch.setattr(FloatRows, "margin", lambda self, x, y, width: 0 * x)
    with pytest.raises(AssertionError):
        test_every_upper_bound_is_one_and_none_is_idle(("EHDL", 9, ("1/3", "1/3"), eps, None, None, None), monkeypatch)


@pytest.mark.parametrize(
    ("mech", "n", "prior", "parameters"),
    [
        ("EHDS", 700, "1,1", {}),
        ("EHDS", 500, "1,3", {"gamma": "5"}),
        ("MHdelta", 500, "1/2,1/2", {"delta": "1e-8"}),
        ("EHDL", 400, "1/1000,1/1000", {}),
        ("EHD", 40, "1,1,1", {"gs": "exact"}),
        ("MH", 16, "1,2,3", {}),
    ],
)
def test_larger_models(mech, n, prior, parameters):
    mechanism = make_mechanism(mech, make_model(n, None, prior), "4/5", parameters)
    fast = worst_loss(mechanism, Effort(15, tier="fast"))
    assert same(fast, worst_loss(mechanism, Effort(15, tier="exact")), 15)
    assert fast.filter_left < 20


@pytest.mark.parametrize("eps", ["1e-20", "1e-99"])
def test_a_tiny_epsilon_is_screened_like_any_other(eps):
    """Losses are in proportion to epsilon, and so are the errors of the floats: few pairs are left to the balls."""
    large = worst_loss(make_mechanism("EHDS", make_model(3000), eps, {}), Effort(15, tier="fast"))
    assert large.filter_left < 10
    mechanism = make_mechanism("EHDS", make_model(150), eps, {})
    fast, exact = (worst_loss(mechanism, Effort(120, tier=tier)) for tier in ("fast", "exact"))
    assert same(fast, exact, 120)
    assert fast.filter_left < 10
    assert attains(mechanism, fast)
    points = [Fraction(0), fast.value.lower / 2, Fraction(eps)]
    for point, found in zip(points, worst_deltas(mechanism, points, Effort(120, tier="fast")), strict=True):
        assert same(found, worst_delta(mechanism, point, Effort(120, tier="exact")), 120)
        assert found.filter_left < 10


@pytest.mark.parametrize("part", range(4))
def test_the_tiers_agree_at_extreme_settings(part):
    rng = random.Random(200 + part)
    for _ in range(25):
        mech, n, prior, _, gamma, delta, gs = random_case(rng)
        prior = tuple(rng.choice(["1e-9", "1e-6", "1", "1e9", "1e16"]) for _ in prior) if len(prior) == 2 else prior
        eps = rng.choice(["1e-99", "1e-20", "1e-6", "300", "3000"])
        check_epsilon((mech, n, prior, eps, gamma, delta, gs), rng.choice([15, 120]))


def test_the_far_field_may_hold_the_maximum():
    """Where the rate changes fast, the worst output lies far away; with more digits than 2^-60 shows, too."""
    mechanism = make_mechanism("EHDL", make_model(600, 2, "1/1000,1/1000"), "30", {})
    for digits in (15, 60):
        fast, exact = (worst_loss(mechanism, Effort(digits, tier=tier)) for tier in ("fast", "exact"))
        assert same(fast, exact, digits)
        assert attains(mechanism, fast)
    assert fast.witness.output[0] - fast.witness.x[0] > 200


def test_many_digits_and_a_tiny_delta():
    mechanism = make_mechanism("EHDS", make_model(300), "1", {})
    assert same(*(worst_loss(mechanism, Effort(200, tier=tier)) for tier in ("fast", "exact")), 200)
    at = worst_loss(mechanism, Effort(30)).value.lower - Fraction(1, 10**20)
    fast, exact = (worst_delta(mechanism, at, Effort(40, tier=tier)) for tier in ("fast", "exact"))
    assert same(fast, exact, 40)
    assert 0 < fast.value.upper < Fraction(1, 10**18)
    assert fast.filter_left < 10
    beyond = worst_delta(mechanism, Fraction(2), Effort(15, tier="fast"))
    assert (beyond.value.upper, beyond.filter_left) == (0, 0)


@pytest.mark.parametrize("tier", ["exact", "fast"])
@pytest.mark.parametrize("prior", ["1,1", "1,3", "1,1,1"])
def test_parts_combine_by_maximum(tier, prior):
    mechanism = make_mechanism("EHDS", make_model(11, None, prior), "1", {})
    whole = worst_loss(mechanism, Effort(20, tier=tier))
    parts = [worst_loss(mechanism, Effort(20, tier=tier, part=(i, 3))) for i in range(3)]
    assert max(p.value.upper for p in parts) == whole.value.upper
    assert max(p.value.lower for p in parts) == whole.value.lower
    at = Fraction(1, 5)
    tails = [worst_delta(mechanism, at, Effort(20, tier=tier, part=(i, 3))) for i in range(3)]
    assert max(p.value.upper for p in tails) == worst_delta(mechanism, at, Effort(20, tier=tier)).value.upper


@pytest.mark.parametrize("mech", ["EHD", "EHDL", "EHDS", "MH", "MHdelta"])
@pytest.mark.parametrize(("n", "prior"), [(5, ("1", "1")), (4, ("2", "1/3", "2")), (3, ("1/2",) * 4)])
def test_an_exchange_loses_most_where_it_is_said_without_a_row(mech, n, prior):
    """Rate times distance is the largest of all losses of the pair, computed output by output."""
    delta = "1e-8" if mech == "MHdelta" else None
    mechanism = build((mech, n, prior, "1", "1" if mech in ("EHDS", "MH") else None, delta, None))
    tier = mechanism.screen()
    checked = 0
    with balls.precision(128):
        for x, y in pairs(mechanism):
            ways = Certifier.scored(tier, (x, y), losses)
            for found, every in zip(tier.scored((x, y), losses), ways, strict=True):
                if len(found) > 1:
                    continue
                ((value, output),) = found
                at_output = next(loss for loss, where in every if where == output)
                assert balls.overlap(value, at_output)
                assert not any(balls.certainly_less(value, loss) for loss, _ in every)
                checked += 1
    assert checked


def test_an_exchange_needs_equal_priors():
    equal, unequal = [Fraction(1)] * 3, [Fraction(1), Fraction(1), Fraction(2)]
    assert is_exchange((0, 1, 4), (1, 0, 4), unequal)
    assert is_exchange((0, 3, 4), (0, 4, 3), equal)
    assert not is_exchange((0, 3, 4), (0, 4, 3), unequal)
    assert not is_exchange((0, 2, 4), (1, 1, 4), equal)


def test_the_tier_is_chosen_by_size_and_named_in_the_result():
    assert dpaudit.epsilon("EHDS", n=20).tier == "exact"
    large = dpaudit.epsilon("EHDS", n=400)
    assert WORTH_IT <= (400 + 1) ** 2
    assert (large.tier, large.filter_left) == ("fast", 1)
    assert large.to_dict()["tier"] == "fast"
    assert dpaudit.epsilon("EHDS", n=400, tier="exact").tier == "exact"
    assert dpaudit.epsilon("LSDim", n=20).tier == "closed form"
    assert dpaudit.delta("EHDS", "1/5", n=400).tier == "fast"


def test_bad_tiers_are_refused():
    with pytest.raises(InputError, match="must be one of auto, exact, fast"):
        dpaudit.epsilon("EHDS", n=20, tier="slow")
    with pytest.raises(InputError, match="LSDim: exact"):
        dpaudit.delta("LSDim", "1", n=5, tier="fast")
    with pytest.raises(InputError, match="too large for floats; use exact"):
        dpaudit.epsilon("EHDL", n=20, eps="1e20", tier="fast")


def test_auto_falls_back_where_floats_do_not_reach(monkeypatch):
    monkeypatch.setattr("dpaudit.privacy.fast.WORTH_IT", 1)
    assert dpaudit.epsilon("EHDL", n=6, eps="1e20").tier == "exact"
    assert dpaudit.epsilon("EHDL", n=6, prior="1e40,1").tier == "fast"
    assert fast_tier(make_mechanism("LSDim", make_model(30), "1", {})) is None

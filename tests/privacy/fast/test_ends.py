"""Large n: the ends and the bound between them (dpaudit/privacy/fast/LARGE_N.md), each inequality and the whole."""

import os
import random
from fractions import Fraction

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.ends import EndHellinger, Fixed, Following, end_sensitivities
from dpaudit.posterior.model import Model, make_model
from dpaudit.posterior.sensitivity import exp_smooth_all, global_, local_all, smooth_all
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast import between, cores
from dpaudit.privacy.fast.between import Middle
from dpaudit.privacy.fast.ends import EndTier
from dpaudit.privacy.fast.refusal import TooCoarse

PRIORS = ["1,1", "1/2,1/2", "1/1000,3", "7/5,40", "2,1/3"]


def mechanism(name, n, prior, eps="1", **parameters):
    return make_mechanism(name, make_model(n, None, prior), Fraction(eps), parameters)


def middle_of(made):
    """The bound between the ends of 60 records each."""
    near = EndHellinger(made.model, 60)
    other = EndHellinger(Model(made.model.n, made.model.prior[::-1]), 60)
    return Middle(made.model, made.end_sensitivity(near, other), made.numerator())


# ------------------------------------------------------------------ the inequalities


def kappa(z):
    return (1 + 1 / z) / z


def test_the_second_derivative_of_log_gamma_is_bounded_by_kappa():
    with mp.workdps(40):
        for z in [mpf(10) ** (i / mpf(4)) for i in range(-16, 25)]:
            assert -mp.polygamma(2, z) <= kappa(z) * mp.polygamma(1, z)
            assert z < 1 or -mp.polygamma(2, z) > kappa(z) * mp.polygamma(1, z) * mpf("0.45")


def test_g_is_at_most_a_quarter_and_not_much_less():
    with mp.workdps(30):
        values = [x * mp.exp(-x) / (2 * mp.sqrt(1 - mp.exp(-x))) for x in [mpf(i) / 500 for i in range(1, 5000)]]
    assert mpf("0.245") < max(values) < mpf("0.25")


def distance(prior, n, x, r):
    """H between the data sets x and r of n records, real numbers allowed; plain mpmath."""
    a, b = prior

    def part(c, s, t):
        return mp.loggamma(c + (s + t) / 2) - (mp.loggamma(c + s) + mp.loggamma(c + t)) / 2

    return mp.sqrt(1 - mp.exp(part(a, mpf(x), mpf(r)) + part(b, mpf(n - x), mpf(n - r))))


def test_a_shift_of_data_set_and_output_changes_the_distance_by_no_more_than_stated():
    rng, tight = random.Random(5), 0
    with mp.workdps(40):
        for _ in range(300):
            prior = tuple(mpf(rng.choice(["0.01", "0.5", "1", "3", "40"])) for _ in range(2))
            n = rng.randrange(4, 400)
            x, r = rng.randrange(n), rng.randrange(n)
            least = max(kappa(prior[0] + min(x, r)), kappa(prior[1] + n - 1 - max(x, r)))
            change = abs(distance(prior, n, x + 1, r + 1) - distance(prior, n, x, r))
            assert change <= least / 4
            tight = max(tight, change / least)
    assert tight > mpf("0.1"), "the bound is never used: it would not notice a wrong constant"


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("kind", ["LS", "S", "S_exp", "GS"])
def test_the_bound_of_a_block_holds_for_every_pair_in_it(prior, kind):
    n = 160
    name, more = {"LS": ("EHDL", {}), "S": ("MH", {"gamma": 1}), "S_exp": ("MHdelta", {"delta": "1e-3"})}.get(
        kind, ("EHD", {"gs": "constant"})
    )
    made = mechanism(name, n, prior, "2", **more)
    with balls.precision(128):
        law = made.law()
        middle = middle_of(made)
        for first, last in [(1, 2), (5, 9), (20, 25), (40, 80)]:
            bound = middle.block(first, last)
            for x in range(first, last):
                losses, _ = law.losses((x, n - x), (x + 1, n - x - 1), set())
                worst = balls.maximum([abs(loss) for loss in losses])
                assert balls.certainly_less(worst, bound), (first, last, x)


def shares(law, n, x):
    """The largest |A(y, r) - A(x, r)| and |ln Z(y) - ln Z(x)| of the pair (x, x+1), in balls."""
    rows = [[-p for p in law.log_probabilities(z)] for z in ((x, n - x), (x + 1, n - x - 1))]
    log_z = [row[z] for row, z in zip(rows, (x, x + 1), strict=True)]  # -ln P(x|x) = ln Z, as A(x, x) = 0
    exponents = [abs(b - log_z[1] - a + log_z[0]) for a, b in zip(*rows, strict=True)]
    return balls.maximum(exponents), abs(log_z[1] - log_z[0])


SHARPER = {
    "LS": ("EHDL", {}),
    "S": ("MH", {"gamma": 1}),
    "S small": ("EHDS", {"gamma": "1/20"}),
    "S_exp": ("MHdelta", {"delta": "1e-3"}),
    "GS": ("EHD", {"gs": "constant"}),
}


def sharper(prior, kind, n=160):
    """For blocks, reaches and pairs: what the sharper inequality says of the two parts, and what they are."""
    name, more = SHARPER[kind]
    made = mechanism(name, n, prior, "2", **more)
    with balls.precision(128):
        law = made.law()
        middle = middle_of(made)
        for first, last in [(2, 3), (5, 6), (20, 25), (60, 61), (79, 80)]:
            block = between.Block(middle, first, last)
            parts = [shares(law, n, x) for x in range(first, last)]
            worst = [balls.maximum(list(column)) for column in zip(*parts, strict=True)]
            for reach in {1, first // 8, first // 4, first // 2, first - 1} - {0}:
                yield (block.near_exponents(reach), worst[0])
                for bound in block.near_normalizers(reach):
                    yield (bound, worst[1])


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("kind", SHARPER)
def test_the_sharper_bound_holds_for_each_part_of_the_loss(prior, kind):
    found = list(sharper(prior, kind))
    assert len(found) > 15
    assert all(balls.certainly_at_most(value, bound) for bound, value in found)


@pytest.mark.parametrize("factor", ["near_exponents", "near_normalizers"])
def test_the_sharper_bound_is_not_far_from_the_truth(monkeypatch, factor):
    """The broken twin: without the terms that fall like 1/x, the bound is below the truth somewhere."""
    name = {
        "near_exponents": lambda self, reach: self._distance,
        "near_normalizers": lambda self, reach: [balls.zero()],
    }
    monkeypatch.setattr(between.Block, factor, name[factor])
    found = [pair for prior in PRIORS for kind in SHARPER for pair in sharper(prior, kind)]
    assert any(balls.certainly_less(bound, value) for bound, value in found)


def test_the_bound_falls_to_half_the_numerator_like_the_inverse_of_x():
    made = mechanism("MHdelta", 10**6, "1,1", delta="1e-8")
    with balls.precision(192):
        near = EndHellinger(made.model, 600)
        middle = Middle(made.model, made.end_sensitivity(near, near), made.numerator())
        over = [float(middle.block(x, x + x // 8)) - 0.5 for x in (2000, 8000, 32000)]
    assert over[1] < over[0] / 2.5
    assert over[2] < over[1] / 2.5
    assert over[2] < 1e-3


def test_phi_falls_faster_than_a_parabola_in_the_distance():
    with mp.workdps(30):
        for value in [mpf(i) / 200 for i in range(1, 8000)]:
            w = 1 - mp.exp(-value)
            phi = (1 - w) * mp.sqrt(value / w)
            assert phi <= mp.exp(-3 * value / 4) <= 1 - 3 * w / 4
            assert mp.sqrt(value) * phi <= mp.sqrt(w)


# ------------------------------------------------------------------ the ends


@pytest.mark.parametrize("prior", PRIORS)
def test_distances_and_sensitivities_near_an_end_are_those_of_the_whole_model(prior):
    n = 130
    model = make_model(n, 2, prior)
    with balls.precision(160):
        whole, other = Hellinger(model), EndHellinger(Model(n, model.prior[::-1]), 64)
        near = EndHellinger(model, 60)
        ls = local_all(whole)
        for c in range(0, 60, 7):
            for d in range(0, 60, 5):
                assert balls.overlap(near.between((c, n - c), (d, n - d)), whole.between((c, n - c), (d, n - d)))
        for gamma in ("1/1000", "1/7", "1", "9"):
            g = ball(Fraction(gamma))
            for kind, expected in [
                (Following(g), smooth_all(model, ls, Fraction(gamma))),
                (Following(g, logarithmic=True), exp_smooth_all(model, ls, g)),
                (Following(), ls),
            ]:
                for c, value in enumerate(end_sensitivities(kind, near, other, 60)):
                    assert balls.overlap(value, expected[c])
                    assert balls.narrow(value, 20)
                mirrored = model.prior == model.prior[::-1]
                few = end_sensitivities(kind, near, near, 25) if mirrored else []
                assert len(few) == (25 if mirrored else 0)
                for value, same in zip(few, expected, strict=False):
                    assert balls.overlap(value, same)
                    assert balls.narrow(value, 20)
        assert balls.overlap(global_(whole), balls.maximum([near.locals()[0], other.locals()[0]]))


def random_setting(rng):
    name = rng.choice(["EHD", "EHDL", "EHDS", "MH", "MHdelta"])
    prior = rng.choice(["1,1", "1/2,1/2", "3,1/1000", "1/10,7/5", "1,2"])
    more = {"EHDS": {"gamma": rng.choice(["1", "3"])}, "MH": {"gamma": "1"}, "MHdelta": {"delta": "1e-8"}}
    chosen = {"gs": rng.choice(["constant", "exact"])} if name == "EHD" else more.get(name, {})
    return mechanism(name, rng.randrange(3000, 5000), prior, rng.choice(["1/100", "1", "2", "8"]), **chosen)


def test_the_answer_is_that_of_the_usual_tier():
    rng, settled = random.Random(11), 0
    for _ in range(12):
        made = random_setting(rng)
        tier = made.screen()
        try:
            found = tier.ends.worst_loss(Effort())
        except TooCoarse:
            continue
        settled += 1
        usual = tier.usual.worst_loss(Effort())
        assert found.tier == "ends"
        assert found.value.lower <= usual.value.upper
        assert usual.value.lower <= found.value.upper
        assert (found.witness.x, found.witness.x_prime) == (usual.witness.x, usual.witness.x_prime)
    assert settled >= 6


def test_a_bound_that_is_too_small_would_be_noticed(monkeypatch):
    """The worst pair, x = 712, is far from the ends: with a bound below the truth it would be missed."""
    tier = mechanism("EHDS", 20000, "1,1", gamma="1/10").screen()
    truth = tier.usual.worst_loss(Effort()).value
    with pytest.raises(TooCoarse):
        tier.ends.worst_loss(Effort())
    monkeypatch.setattr(between.Middle, "block", lambda self, x1, x2, enough: self.half * 9 / 10)
    assert tier.ends.worst_loss(Effort()).value.upper < truth.lower


@pytest.mark.parametrize("name", ["EHD", "EHDL", "EHDS", "MH"])
def test_a_thousand_million_records(name):
    result = dpaudit.epsilon(name, n=10**9)
    assert result.tier == "ends"
    smaller = dpaudit.epsilon(name, n=10**6)
    assert abs(result.epsilon.lower - smaller.epsilon.lower) < Fraction(1, 100)
    assert result.epsilon.width <= Fraction(1, 10**15)


def test_what_the_bound_does_not_settle_is_refused_with_the_reason():
    with pytest.raises(InputError, match="a bound for all pairs at once does not settle this setting"):
        dpaudit.epsilon("EHDS", n=10**7, gamma="1/10000")


def test_the_ends_never_meet():
    tier = EndTier(make_model(400), lambda near, other: Fixed(near.locals()[0]), Fraction(1))
    with pytest.raises(TooCoarse):
        tier.worst_loss(Effort())


@pytest.mark.parametrize("n", [4000, 4001])
@pytest.mark.parametrize("prior", ["1,1", "1,2"])
def test_every_pair_is_near_an_end_or_bounded_between(n, prior, monkeypatch):
    """The one in the middle of an odd n too."""
    seen = []
    monkeypatch.setattr(Middle, "is_below", lambda self, first, last, bar: seen.append((self, first, last)) or True)
    tier = mechanism("EHDS", n, prior).screen().ends
    assert tier.worst_loss(Effort()).tier == "ends"
    first_end = {
        x for middle, first, last in seen if middle.model.prior == tier.model.prior for x in range(first, last)
    }
    other = {
        n - 1 - x for middle, first, last in seen if middle.model.prior != tier.model.prior for x in range(first, last)
    }
    if prior == "1,1":
        other = {n - 1 - x for x in first_end}
    assert first_end | other == set(range(tier._near, n - tier._near))


# ------------------------------------------------------------------ all cores


def test_several_processes_give_the_same_answer(monkeypatch):
    made = mechanism("EHDS", 12, "1,2,3")
    alone = made.screen().worst_loss(Effort())
    monkeypatch.setattr(cores, "LONG", 1)
    monkeypatch.setattr(cores, "cores", lambda mechanism, effort: 2)
    told = []
    together = made.screen().worst_loss(Effort(progress=lambda done, total: told.append((done, total))))
    assert together == alone
    assert told[-1] == (2 * cores.PARTS, 2 * cores.PARTS)


def test_a_process_that_dies_leaves_the_work_to_this_one(monkeypatch):
    made = mechanism("EHDS", 8, "1,2,3")
    alone = made.screen().worst_loss(Effort())
    monkeypatch.setattr(cores, "cores", lambda mechanism, effort: 2)
    monkeypatch.setattr(cores, "bound", os._exit)  # of a pair of numbers: it raises
    assert made.screen().worst_loss(Effort()) == alone


def test_short_audits_and_parts_use_one_process():
    assert cores.cores(mechanism("EHDS", 12, "1,2,3"), Effort()) == 1
    assert cores.cores(mechanism("EHDS", 300, "1,2,3"), Effort(part=(0, 2))) == 1


def test_a_certificate_of_too_long_rows_is_refused_before_any_work(tmp_path, capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "1000000000", "--certificate", str(tmp_path / "c.json")]) == 2
    assert "a certificate needs whole rows" in capsys.readouterr().err

"""The other distances, and the exponential mechanisms that use them as the score, against a slow transcription."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.numbers import balls
from dpaudit.posterior.divergences import DIVERGENCES
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions as reference

DPS = 40


def posterior(prior, cells):
    return [mpf(a.numerator) / a.denominator for a in reference.posterior(prior, cells)]


def log_beta(a):
    return mp.fsum(mp.loggamma(v) for v in a) - mp.loggamma(mp.fsum(a))


def total_variation(a, b):
    """Half the integral of |f - g|, cut at the sign changes that a fine scan and bisection find."""

    def g(u):
        return log_beta(b) - log_beta(a) + (a[0] - b[0]) * mp.log(u) + (a[1] - b[1]) * mp.log(1 - u)

    grid = [mpf(10) ** -e for e in (60, 30, 15, 8, 4)] + [(i + mp.sqrt(2) - 1) / 400 for i in range(1, 399)]
    grid += [1 - mpf(10) ** -e for e in (4, 8, 15, 30)]
    cuts = [mpf(0)]
    for low, high in pairwise(grid):
        if g(low) * g(high) < 0:
            for _ in range(180):
                middle = (low + high) / 2
                low, high = (low, middle) if g(low) * g(middle) <= 0 else (middle, high)
            cuts.append(low)
    cuts.append(mpf(1))
    return (
        mp.fsum(
            abs(mp.betainc(*a, s, t, regularized=True) - mp.betainc(*b, s, t, regularized=True))
            for s, t in pairwise(cuts)
        )
        / 2
    )


def slow(name, prior, c, d):
    if c == d:
        return mpf(0)
    a, b = posterior(prior, c), posterior(prior, d)
    if name == "hellinger":
        return reference.hellinger(reference.posterior(prior, c), reference.posterior(prior, d), DPS)
    if name == "tv":
        return total_variation(a, b)
    if name == "kl":
        psi = [mp.digamma(v) - mp.digamma(mp.fsum(a)) for v in a]
        return log_beta(b) - log_beta(a) + mp.fsum((u - v) * w for u, v, w in zip(a, b, psi, strict=True))
    if name == "chi2":
        return mp.exp(log_beta([2 * u - v for u, v in zip(a, b, strict=True)]) + log_beta(b) - 2 * log_beta(a)) - 1
    return mp.fsum(abs(u - v) for u, v in zip(a, b, strict=True))


def slow_epsilon(mech, name, n, prior, eps, gamma):
    """True epsilon with the sensitivities by definition."""
    cells = reference.histograms(n, len(prior))
    s = {(x, r): slow(name, prior, x, r) for x in cells for r in cells}
    ls = {x: max(abs(s[x, r] - s[y, r]) for y in reference.adjacent(x) for r in cells) for x in cells}
    if mech == "EHD":
        divisor = dict.fromkeys(cells, 2 * max(ls.values()))
    elif mech == "EHDL":
        divisor = {x: 2 * ls[x] for x in cells}
    else:
        smooth = {x: max(1 / (1 / ls[y] + gamma * reference.hamming(x, y)) for y in cells) for x in cells}
        divisor = {x: 2 * smooth[x] * (1 + gamma if mech == "EHDS" else 1) for x in cells}
    logs = {}
    for x in cells:
        weights = {r: -reference.to_mpf(eps) * s[x, r] / divisor[x] for r in cells}
        norm = mp.log(mp.fsum(mp.exp(w) for w in weights.values()))
        logs[x] = {r: w - norm for r, w in weights.items()}
    return max(logs[x][r] - logs[y][r] for x in cells for y in reference.adjacent(x) for r in cells)


PAIRS = [
    ("1,1", (4, 4), (5, 3)),
    ("1,1", (4, 4), (8, 8)),
    ("1/2,3", (0, 8), (8, 1)),
    ("1/100,1/100", (0, 8), (1, 0)),
    ("1,2", (3, 5), (3, 8)),
    ("40,9", (7, 1), (6, 2)),
]


@pytest.mark.parametrize("name", sorted(DIVERGENCES))
@pytest.mark.parametrize(("prior", "c", "d"), PAIRS)
def test_distances_contain_the_slow_value(name, prior, c, d):
    model = make_model(8, None, prior)
    with mp.workdps(DPS), balls.precision(192):
        divergence = DIVERGENCES[name](model)
        if not divergence.finite(c, d):
            assert any(2 * (p + i) <= p + j for p, i, j in zip(model.prior, c, d, strict=True))
            return
        low, high = balls.ends(divergence.between(c, d))
        value = slow(name, model.prior, c, d)
        assert abs(reference.to_mpf((low + high) / 2) - value) < mpf(10) ** -25
        assert high - low < Fraction(1, 10**30)


def test_kl_and_l1_for_three_cells_with_another_total():
    model = make_model(5, 3, "1,1/2,7")
    with mp.workdps(DPS), balls.precision(192):
        for name in ("kl", "l1", "hellinger"):
            low, high = balls.ends(DIVERGENCES[name](model).between((2, 2, 1), (5, 4, 0)))
            value = slow(name, model.prior, (2, 2, 1), (5, 4, 0))
            assert abs(reference.to_mpf((low + high) / 2) - value) < mpf(10) ** -25


@pytest.mark.parametrize("mech", ["EHD", "EHDL", "EHDS", "MH"])
@pytest.mark.parametrize(
    ("score", "prior", "n"),
    [("tv", "1,3", 4), ("kl", "1/2,1/2", 5), ("kl", "1,2,1/3", 2), ("l1", "1,1", 5), ("chi2", "6,7", 4)],
)
@pytest.mark.thin(2)
def test_true_epsilon_with_another_score(mech, score, prior, n):
    options = {"gs": "exact"} if mech == "EHD" else {}
    if mech in ("EHDS", "MH"):
        options = {"gamma": "1/2"}
    found = dpaudit.epsilon(mech, n=n, prior=prior, eps="4/5", score=score, **options).epsilon
    with mp.workdps(DPS):
        value = slow_epsilon(mech, score, n, make_model(n, None, prior).prior, Fraction(4, 5), mpf(1) / 2)
        assert abs(reference.to_mpf((found.lower + found.upper) / 2) - value) < mpf(10) ** -14
        assert (
            abs(value - reference.to_mpf(dpaudit.epsilon(mech, n=n, prior=prior, eps="4/5", **options).epsilon.lower))
            > mpf(10) ** -6
        )


@given(st.integers(1, 12), st.data())
def test_total_variation_lies_between_the_hellinger_bounds(n, data):
    """H^2 <= TV <= H sqrt(2 - H^2) for any two distributions; and it is symmetric."""
    prior = data.draw(st.sampled_from(["1,1", "1/2,1/3", "3,1/50", "20,30"]))
    c, d = ((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))) for _ in "cd")
    model = make_model(n, None, prior)
    with balls.precision(160):
        h = DIVERGENCES["hellinger"](model).between(c, d)
        tv = DIVERGENCES["tv"](model).between(c, d)
        assert c == d or balls.certainly_less(h * h, tv)
        assert c == d or balls.certainly_less(tv, h * (2 - h * h).sqrt())
        assert balls.overlap(tv, DIVERGENCES["tv"](model).between(d, c))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mech": "EHDS", "n": 3, "score": "cosine"}, "score = cosine: must be one of"),
        ({"mech": "EHDS", "n": 3, "k": 3, "score": "tv"}, "k = 2 only"),
        ({"mech": "EHDS", "n": 3, "score": "chi2"}, "is infinite"),
        ({"mech": "EHD", "n": 3, "score": "kl"}, "take exact"),
        ({"mech": "LSHist", "n": 3, "score": "kl"}, "no such parameter"),
    ],
)
def test_bad_scores(options, message):
    with pytest.raises(dpaudit.InputError, match=message):
        dpaudit.epsilon(**options)


def test_what_is_claimed_for_other_scores():
    claim = {s: dpaudit.epsilon("EHDS", n=3, score=s).claim.epsilon for s in ("hellinger", "tv", "kl", "l1")}
    assert claim == {"hellinger": 1, "tv": 1, "kl": None, "l1": None}
    assert dpaudit.epsilon("EHD", n=3, score="kl", gs="exact").claim.epsilon == 1

"""The shipped examples: what is right is proved, what is buggy is caught; the laws against plain recomputation."""

from fractions import Fraction as Fr
from itertools import permutations, product

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.numbers.verdict import Verdict

HOME = "dpaudit.examples."
EXACT = [
    ("randomized_response:RandomizedResponse", {}, 1),
    ("randomized_response:RandomizedResponse", {"k": 5}, 1),
    ("geometric:TruncatedGeometric", {"n": 6}, 1),
    ("geometric:WrongSensitivity", {"n": 6}, 2),
    ("noisy_max:ReportNoisyMax", {"n": 1}, 1),
    ("noisy_max:ReportNoisyMax", {"n": 3, "k": 2}, 1),
    ("noisy_max:ClippedNoisyMax", {"n": 2}, Fr(3, 2)),
]


@pytest.mark.parametrize("eps", [Fr(1), Fr(2, 7)])
@pytest.mark.parametrize(("mech", "settings", "factor"), EXACT)
def test_exactly(mech, settings, factor, eps):
    result = dpaudit.epsilon(HOME + mech, eps=eps, settings=settings)
    assert result.closed_form_text == str(factor * eps)
    assert result.epsilon.contains(factor * eps)
    assert result.claim.verdict is (Verdict.PROVED if factor <= 1 else Verdict.REFUTED)


INSIDE = [
    ("exponential_mechanism:MostCommon", {}, Verdict.PROVED, "0.68871146475958"),
    ("exponential_mechanism:Median", {}, Verdict.PROVED, "0.42503868501196"),
    ("permute_and_flip:PermuteAndFlip", {}, Verdict.PROVED, "0.94646548099115"),
    ("log_beta:PosteriorRelease", {}, Verdict.PROVED, "0.60068629193408"),
    ("log_beta:LogBetaSlip", {}, Verdict.REFUTED, "1.03622927420074"),
]


@pytest.mark.parametrize(("mech", "settings", "verdict", "start"), INSIDE)
def test_not_in_closed_form(mech, settings, verdict, start):
    result = dpaudit.epsilon(HOME + mech, settings=settings)
    assert result.claim.verdict is verdict
    assert result.to_dict()["epsilon"]["lower"].startswith(start)


def test_the_broken_sparse_vector_has_no_finite_epsilon():
    result = dpaudit.epsilon(HOME + "sparse_vector:BrokenSparseVector", eps="1/10")
    assert result.epsilon.is_infinite
    assert result.claim.verdict is Verdict.REFUTED


def law(mech, x, **settings):
    found = dpaudit.pmf(HOME + mech, x, settings=settings)
    return [mpf(p.lower.numerator) / p.lower.denominator for p in found.probabilities]


def same(found, expected):
    return all(abs(a - b) < mpf("1e-12") for a, b in zip(found, expected, strict=True))


def test_permute_and_flip_by_all_orders():
    with mp.workdps(30):
        scores = (1, 2, 0)
        p = [mp.exp(mpf(s - 2) / 2) for s in scores]
        expected = [mpf(0)] * 3
        for order in permutations(range(3)):
            left = mpf(1) / 6
            for r in order:
                expected[r] += left * p[r]
                left *= 1 - p[r]
        assert same(law("permute_and_flip:PermuteAndFlip", "1,2,2"), expected)


@pytest.mark.parametrize("x", ["0,1,2", "1,1,0", "2,0,2"])
def test_noisy_max_by_summing_over_the_noise(x):
    with mp.workdps(30):
        counts = [int(c) for c in x.split(",")]
        q = mp.exp(mpf(-1) / 2)
        one_sided, clipped = [mpf(0)] * 3, [mpf(0)] * 3
        weight = [(1 - q) * q**z for z in range(200)]
        for r in range(3):
            for v in range(200):
                if v >= counts[r]:
                    part = weight[v - counts[r]]
                    for j in range(3):
                        if j != r:
                            top = v if j > r else v - 1
                            part *= mp.fsum(weight[: max(0, top - counts[j] + 1)])
                    one_sided[r] += part
        noise = {z: (1 - q) / (1 + q) * q ** abs(z) for z in range(-150, 151)}
        cell = []
        for c in counts:
            row = [mpf(0)] * 3
            for z, p in noise.items():
                row[min(max(c + z, 0), 2)] += p
            cell.append(row)
        for vs in product(range(3), repeat=3):
            clipped[vs.index(max(vs))] += cell[0][vs[0]] * cell[1][vs[1]] * cell[2][vs[2]]
        assert same(law("noisy_max:ReportNoisyMax", x), one_sided)
        assert same(law("noisy_max:ClippedNoisyMax", x), clipped)


def test_the_right_posterior_release_is_ehd_with_the_exact_sensitivity():
    theirs = dpaudit.epsilon(HOME + "log_beta:PosteriorRelease", n=12, digits=30)
    ours = dpaudit.epsilon("EHD", n=12, gs="exact", digits=30)
    assert theirs.epsilon.lower <= ours.epsilon.upper
    assert ours.epsilon.lower <= theirs.epsilon.upper


def test_exponential_mechanism_by_hand():
    with mp.workdps(30):
        weights = [mp.exp(mpf(s) / 2) for s in (2, 1, 0)]
        assert same(law("exponential_mechanism:MostCommon", "1,1,2"), [w / mp.fsum(weights) for w in weights])

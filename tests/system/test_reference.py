"""The reference implementation against values that can be had by hand or by another route."""

from fractions import Fraction as Fr

import cases
import pytest
from mpmath import mp, mpf

from dpaudit.reference import definitions as ref

ONE = (Fr(1), Fr(1))


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


def same(a, b, tolerance="1e-50"):
    return abs(a - b) <= mpf(tolerance) * max(1, abs(b))


def test_histograms_and_neighbors():
    assert ref.histograms(2, 2) == ((0, 2), (1, 1), (2, 0))
    assert len(ref.histograms(5, 3)) == 21
    assert len(ref.histograms(3, 4)) == 20
    assert set(ref.adjacent((2, 0, 1))) == {(1, 1, 1), (1, 0, 2), (3, 0, 0), (2, 1, 0)}
    assert ref.hamming((3, 0, 1), (0, 2, 2)) == 3
    for c in ref.histograms(3, 3):
        assert set(ref.adjacent(c)) == {d for d in ref.histograms(3, 3) if ref.hamming(c, d) == 1}


def test_floats_are_refused():
    with pytest.raises(TypeError):
        ref.pmf("LSHist", 1, ONE, (1, 0), 0.5)


def test_hellinger_one_record():
    assert same(ref.hellinger((Fr(2), Fr(1)), (Fr(1), Fr(2))), mp.sqrt(1 - mp.pi / 4))
    # Dir(3,1) against Dir(2,2): BC = 3 sqrt(2) pi / 16
    assert same(ref.hellinger((Fr(3), Fr(1)), (Fr(2), Fr(2))), mp.sqrt(1 - 3 * mp.sqrt(2) * mp.pi / 16))


def test_hellinger_p1_table_1():
    column = ("0.233629480709", "0.457635865026", "0.662174391701", "0.83737258593")
    for j, printed in enumerate(column, start=1):
        value = ref.hellinger((Fr(5), Fr(5)), (Fr(5 + j), Fr(5 - j)))
        assert abs(value - mpf(printed)) < mpf("2e-12")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((Fr(2), Fr(3)), (Fr(4), Fr(1))),
        ((Fr(2), Fr(3)), (Fr(5), Fr(4))),  # different totals
        ((Fr(5, 4), Fr(7, 2)), (Fr(9, 4), Fr(3, 2))),
    ],
)
def test_hellinger_by_quadrature(a, b):
    """H^2 = 1/2 * integral of (sqrt f - sqrt g)^2, for Beta densities."""
    with mp.workdps(25):

        def density(t, p):
            return t ** (ref.to_mpf(p[0]) - 1) * (1 - t) ** (ref.to_mpf(p[1]) - 1) / mp.beta(*map(ref.to_mpf, p))

        squared = mp.quad(lambda t: (mp.sqrt(density(t, a)) - mp.sqrt(density(t, b))) ** 2, [0, 0.5, 1]) / 2
        assert abs(ref.hellinger(a, b) - mp.sqrt(squared)) < mpf("1e-12")


def test_sensitivities():
    gs0 = mp.sqrt(1 - mp.pi / 4)
    assert same(ref.global_sensitivity(1, ONE), gs0)
    assert same(ref.constant_sensitivity(), gs0)
    outer, inner = ref.distance(ONE, (4, 0), (3, 1), 60), ref.distance(ONE, (3, 1), (2, 2), 60)
    assert outer > inner
    assert same(ref.local_sensitivity(4, ONE, (4, 0)), outer)
    assert same(ref.local_sensitivity(4, ONE, (3, 1)), outer)
    assert same(ref.local_sensitivity(4, ONE, (2, 2)), inner)
    assert same(ref.smooth_sensitivity(4, ONE, (2, 2), Fr(1, 10)), 1 / (1 / outer + mpf(1) / 10))
    assert same(ref.smooth_sensitivity(4, ONE, (2, 2), 3), inner)
    assert same(ref.exp_smooth_sensitivity(4, ONE, (2, 2), Fr(1, 10)), outer * mp.exp(-mpf(1) / 10))
    assert same(ref.exp_smooth_sensitivity(4, ONE, (2, 2), 3), inner)


@pytest.mark.parametrize(("n", "prior"), [(5, ONE), (3, (Fr(1), Fr(2), Fr(1, 3)))])
def test_local_sensitivity_is_the_farthest_neighbor(n, prior):
    """The claim of definitions.md (triangle inequality, attained at r = x')."""
    for x in ref.histograms(n, len(prior)):
        assert same(ref.local_sensitivity(n, prior, x), max(ref.distance(prior, x, y, 60) for y in ref.adjacent(x)))


@pytest.mark.parametrize("mech", ref.MECHANISMS)
@pytest.mark.parametrize(("x", "prior"), [((2, 1), (Fr(1), Fr(1, 3))), ((0, 2, 1), (Fr(1), Fr(5, 4), Fr(2)))])
def test_pmf_sums_to_one(mech, x, prior):
    law = ref.pmf(mech, 3, prior, x, Fr(4, 5), delta=Fr(1, 20))
    k = len(prior)
    expected = {"LSZhang": 4**k, "LSDim": 4 ** (k - 1), "LSHist": 4 ** (k - 1)}
    assert len(law) == expected.get(mech, len(ref.histograms(3, k)))
    assert min(law.values()) > 0
    assert same(mp.fsum(law.values()), 1)


def test_laplace_laws_by_hand():
    q = mp.exp(-1)
    law = ref.pmf("LSHist", 2, ONE, (1, 1), 1)  # floor(1 + Lap(1)) clipped into [0, 2]
    assert same(law[(0,)], mpf(1) / 2)
    assert same(law[(1,)], (1 - q) / 2)
    assert same(law[(2,)], q / 2)
    law = ref.pmf("LSZhang", 1, ONE, (1, 0), 2)  # scale 1, cells 1 and 0
    assert same(law[(0, 0)], (1 - q / 2) / 2)
    assert same(law[(1, 1)], q / 4)
    law = ref.pmf("LSDim", 1, ONE, (0, 1), 2)  # scale 1
    assert same(law[(0,)], 1 - q / 2)
    assert same(law[(1,)], q / 2)
    # the far tail keeps its relative accuracy: P(floor(0 + Lap(1/8)) >= 12) = e^-96 / 2
    tail = ref.pmf("LSHist", 12, ONE, (0, 12), 8)[(12,)]
    assert abs(tail / (mp.exp(-96) / 2) - 1) < mpf("1e-50")


@pytest.mark.parametrize(("mech", "scale"), [("LSZhang", 2), ("LSDim", 3), ("LSHist", 2)])
def test_laplace_scales_three_cells(mech, scale):
    q = mp.exp(-mpf(1) / scale)  # n = 1, eps = 1: cell 1 -> P(1) = 1/2, cell 0 -> P(1) = q/2
    law = ref.pmf(mech, 1, (Fr(1),) * 3, (1, 0, 0), 1)
    tail = (0,) if mech == "LSZhang" else ()
    rest = 1 - q / 2 if mech == "LSZhang" else 1
    assert same(law[(1, 1, *tail)], q / 4 * rest)
    assert same(law[(0, 0, *tail)], (1 - q / 2) / 2 * rest)


@pytest.mark.parametrize("mech", ref.EXPONENTIAL)
def test_exponents_by_hand(mech):
    """ln P(x) - ln P(r) = eps H(x,r) / divisor, at x = (2,2) of n = 4, prior (1,1), gamma = 1/10."""
    outer, inner = ref.distance(ONE, (4, 0), (3, 1), 60), ref.distance(ONE, (3, 1), (2, 2), 60)
    far = ref.distance(ONE, (2, 2), (4, 0), 60)
    g = mp.log(1 + 2 / (2 * mp.log(200)))  # MHdelta: eps = 2, delta = 1/20, 2(n+1)/delta = 200
    smooth = 1 / (1 / outer + mpf(1) / 10)
    divisor = {
        "EHD": 2 * mp.sqrt(1 - mp.pi / 4),
        "EHDL": 2 * inner,
        "EHDS": mpf(22) / 10 * smooth,
        "MH": 2 * smooth,
        "MHdelta": 2 * max(inner, outer * mp.exp(-g)),
    }[mech]
    law = ref.pmf(mech, 4, ONE, (2, 2), 2, gamma=Fr(1, 10), delta=Fr(1, 20))
    assert same(mp.log(law[(2, 2)]) - mp.log(law[(4, 0)]), 2 * far / divisor)
    if mech == "EHD":
        law = ref.pmf(mech, 4, ONE, (2, 2), 2, gs="exact")
        assert same(mp.log(law[(2, 2)]) - mp.log(law[(4, 0)]), far / outer)


@pytest.mark.parametrize("eps", [Fr(1, 100), Fr(4, 5), Fr(8)])
@pytest.mark.parametrize("n", [1, 3])
def test_lshist_two_cells_is_tight(n, eps):
    value, where = ref.epsilon("LSHist", n, ONE, eps)
    assert same(value, ref.to_mpf(eps))
    assert ((1, n - 1), (0, n), (n,)) in where
    assert ref.delta("LSHist", n, ONE, eps, at=eps) < mpf("1e-55")


def test_ehdl_one_record_by_hand():
    eps = Fr(7, 3)
    q = mp.exp(-ref.to_mpf(eps) / 2)
    value, where = ref.epsilon("EHDL", 1, ONE, eps)
    assert same(value, ref.to_mpf(eps) / 2)
    assert sorted(where) == [((0, 1), (1, 0), (0, 1)), ((1, 0), (0, 1), (1, 0))]
    assert same(ref.delta("EHDL", 1, ONE, eps, at=0), (1 - q) / (1 + q))
    assert same(ref.mean_error("EHDL", 1, ONE, eps, (1, 0)), mp.sqrt(1 - mp.pi / 4) * q / (1 + q))


def test_one_record_mechanisms_agree():
    """n = 1, k = 2, prior (1,1): LS = S = GS = GS_0, so only the factor 1 + gamma of EHDS differs."""
    half = mpf(1) / 2
    for mech in ("EHD", "EHDL", "MH", "MHdelta"):
        assert same(ref.epsilon(mech, 1, ONE, 1, delta=Fr(1, 20))[0], half)
    assert same(ref.epsilon("EHD", 1, ONE, 1, gs="exact")[0], half)
    assert same(ref.epsilon("EHDS", 1, ONE, 1)[0], half / 2)
    assert same(ref.epsilon("EHDS", 1, ONE, 1, gamma=3)[0], half / 4)


def test_mean_error_laplace_by_hand():
    q = mp.exp(-1)
    h = mp.sqrt(1 - mp.pi / 4)
    assert same(ref.mean_error("LSHist", 1, ONE, 1, (1, 0)), h / 2)  # output 0 has probability 1/2
    # LSZhang, scale 1, data (1,0): outputs (0,0) and (1,1) have totals 2 and 4
    law = {(0, 0): (1 - q / 2) / 2, (0, 1): q / 4, (1, 1): q / 4}

    def bc(a, b, c, d):  # Beta(a,b) against Beta(c,d)
        return mp.beta(mpf(a + c) / 2, mpf(b + d) / 2) / mp.sqrt(mp.beta(a, b) * mp.beta(c, d))

    hand = sum(p * mp.sqrt(1 - bc(2, 1, 1 + i, 1 + j)) for (i, j), p in law.items())
    assert same(ref.mean_error("LSZhang", 1, ONE, 2, (1, 0)), hand)
    # the last cell is clipped: outputs (1,1) of n = 1 release (1,1,0)
    assert ref.released_cells("LSDim", 1, (1, 1)) == (1, 1, 0)
    assert ref.released_cells("LSHist", 2, (0,)) == (0, 2)


def test_more_digits_change_nothing():
    for case in cases.CASES[::37]:
        low, where_low = ref.epsilon(**cases.arguments(case), dps=40)
        high, where_high = ref.epsilon(**cases.arguments(case), dps=70)
        assert abs(low - high) < mpf("1e-40") * abs(high)
        assert where_low == where_high


def test_cases_cover_the_ground():
    found = cases.CASES
    assert len(found) >= 340
    assert len(set(found)) == len(found)
    for mech in ref.MECHANISMS:
        mine = [c for c in found if c[0] == mech]
        assert {len(c[2]) for c in mine} == {2, 3, 4}
        assert 1 in {c[1] for c in mine}
        assert set(cases.EPSILONS) <= {c[3] for c in mine}
        if mech in ("EHDS", "MH"):
            assert set(cases.GAMMAS) <= {c[4] for c in mine}
        if mech == "MHdelta":
            assert set(cases.DELTAS) <= {c[5] for c in mine}
        if mech == "EHD":
            assert {(len(c[2]), c[6]) for c in mine} == {(k, g) for k in (2, 3, 4) for g in cases.GS}

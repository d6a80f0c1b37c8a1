"""The error bounds of the fast tier (dpaudit/privacy/fast/ERROR_BOUND.md), each against balls."""

import random
from fractions import Fraction

import pytest

from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import make_model

np = pytest.importorskip("numpy", reason="the fast tier needs numpy")

from dpaudit.privacy.fast.band import BandRows  # noqa: E402
from dpaudit.privacy.fast.exponential_table import (  # noqa: E402
    COMPLEMENT_ERROR,
    EXP_ERROR,
    STEPS,
    UNIT,
    Scratch,
    exponential_table,
    tree_sum,
)
from dpaudit.privacy.fast.log_table import LogTable  # noqa: E402
from dpaudit.privacy.fast.refusal import TooCoarse  # noqa: E402
from dpaudit.privacy.fast.rows import FullRows  # noqa: E402
from dpaudit.privacy.fast.survivors import band_cells  # noqa: E402

PRIORS = ["1,1", "1/2,1/2", "1/1000,1/1000", "1e-6,3", "40,40", "1/3,5/7", "100000,1/7", "1e9,1e9", "2,1e12"]


def arguments(most):
    """Table steps and their neighbors, random numbers of every size, and both ends."""
    rng = random.Random(5)
    steps = [rng.randrange(most * STEPS) / STEPS for _ in range(1500)]
    near = [np.nextafter(s, toward) for s in steps for toward in (0.0, 1e9)]
    sizes = [rng.random() * 2.0 ** -rng.randrange(60) for _ in range(2000)]
    return np.array([*steps, *near, *sizes, *(rng.uniform(0, most) for _ in range(2000)), 0.0, 2.0**-60, 1 / 512])


def worst_error(values, truths):
    with balls.precision(200):
        return balls.largest_error(truths, values.tolist(), relative=True)


def test_exp_minus_keeps_its_bound():
    v = np.append(arguments(64), 64.0)
    out = np.empty_like(v)
    exponential_table(64).exp_minus(v, out, Scratch(v.shape))
    with balls.precision(200):
        error = worst_error(out, [balls.dyadic(-a).exp() for a in v.tolist()])
    assert 0.3 * EXP_ERROR * UNIT < error <= EXP_ERROR * UNIT


def test_one_minus_exp_keeps_its_bound():
    v = np.append(arguments(64), [64.0, 65.0, 1e6])
    out = np.empty_like(v)
    exponential_table(64).one_minus_exp(v, out, Scratch(v.shape))
    with balls.precision(200):
        error = worst_error(out, [-balls.dyadic(-a).expm1() for a in v.tolist()])
    assert 0.5 * COMPLEMENT_ERROR * UNIT < error <= COMPLEMENT_ERROR * UNIT


def test_the_truncation_is_most_of_the_bound():
    """At the upper end of a step the Taylor polynomial is at its worst: the bound of section 2 is nearly attained."""
    v = np.array([np.nextafter(1 / STEPS, 0)])
    out = np.empty_like(v)
    exponential_table(64).one_minus_exp(v, out, Scratch(v.shape))
    with balls.precision(200):
        error = worst_error(out, [-balls.dyadic(-v[0]).expm1()])
    assert 10 * UNIT < error < 13.6 * UNIT


@pytest.mark.parametrize("width", [1, 2, 3, 7, 64, 1000])
def test_tree_sum_is_as_deep_as_the_logarithm(width):
    rng = np.random.default_rng(width)
    terms = rng.random((3, width))
    exact = [sum(map(Fraction, row)) for row in terms.tolist()]
    sums = tree_sum(terms.copy())
    depth = (width - 1).bit_length()
    for total, found in zip(exact, sums.tolist(), strict=True):
        assert abs(Fraction(found) - total) <= depth * Fraction(UNIT) * total * Fraction(1001, 1000)


def log_bc(h, x, r):
    return -h.bc(x, r).log()


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "eps"), [(1, "3"), (7, "3"), (200, "3"), (7, "3000"), (90, "1e-20"), (7, "1e-99")])
def test_the_band_keeps_the_bounds_of_log_bc_exponents_and_normalisers(n, eps, prior, monkeypatch):
    monkeypatch.setattr("dpaudit.privacy.fast.band.BLOCK", 300)
    rng = random.Random(n)
    mechanism = make_mechanism("EHDS", make_model(n, 2, prior), eps, {"gamma": "1/2"})
    with balls.precision(768):
        law = mechanism.hellinger_law()
        rows = BandRows(law, n)
        h = Hellinger(mechanism.model)
        assert rows.gentle == (rows.most_rate <= 1)
        assert rows.gentle or not eps.startswith("1e-")
        assert rows.table.relative < 1.01 * UNIT
        pairs = [(rng.randrange(n + 1), rng.randrange(n + 1)) for _ in range(150)] + [
            (0, n),
            (n, 0),
            (0, 1),
            (n, n - 1),
        ]
        x, r = (np.array(column) for column in zip(*((a, b) for a, b in pairs if a != b), strict=True))
        truths = [log_bc(h, (a, n - a), (b, n - b)) for a, b in zip(x.tolist(), r.tolist(), strict=True)]
        assert balls.largest_error(truths, rows.logs(x, r).tolist(), relative=True) <= rows.table.relative
        assert not rows.logs(np.arange(n + 1), np.arange(n + 1)).any()
        blocks = list(rows.blocks(0, n))
        for block in blocks[:: max(1, len(blocks) // 12)]:
            check_block(law, rows, block)
        if n == 200 and prior in PRIORS[:3]:
            assert max(block.far for block in blocks) > 50, "some outputs are counted, not visited"


def log_z_of(rows, exponents):
    """ln Z, and for gentle rows ln Z - ln |R|."""
    log_z = balls.total([(-a).exp() for a in exponents]).log()
    return log_z - ball(len(exponents)).log() if rows.gentle else log_z


def check_block(law, rows, block):
    n, start = law.model.n, int(rows.start[block.first : block.first + len(block.rates)].min())
    errors = rows.row_error(block.rates, block.exponents.shape[1])
    for i in (0, len(block.rates) - 1):
        c = block.first + i
        full = [law.rate((c, n - c)) * h for h in law.h.row((c, n - c))]
        inside = full[start : start + block.exponents.shape[1]]
        assert balls.largest_error(inside, block.exponents[i].tolist(), relative=True) <= rows.exponent_error
        assert balls.largest_error([log_z_of(rows, full)], [float(block.log_z[i])]) <= errors[i]
        if rows.gentle:
            assert errors[i] < 1000 * UNIT * block.rates[i]
        outside = full[:start] + full[start + block.exponents.shape[1] :]
        assert len(outside) == block.far
        assert all(balls.certainly_less(law.rate((c, n - c)) * (1 - balls.dyadic(2.0**-60)), a) for a in outside)


@pytest.mark.parametrize("window", [(40, 75), (0, 70), (50, 101), (0, 101)])
def test_the_far_cell_contains_every_far_output(window, monkeypatch):
    """However narrow the window is taken, the balls contain the truth, near and far."""
    monkeypatch.setattr("dpaudit.privacy.fast.survivors._window", lambda law, x, y: window)
    mechanism = make_mechanism("MH", make_model(100, 2, "1,3"), "2", {})
    x, y = (60, 40), (61, 39)
    with balls.precision(128):
        law = mechanism.hellinger_law()
        cells = {cell.output: cell for cell in band_cells(law, x, y)}
    assert sum(cell.number for cell in cells.values()) == 101
    with balls.precision(256):
        exact = mechanism.hellinger_law()
        far = next((cell for cell in cells.values() if cell.number > 1), None)
        rows = zip(mechanism.model.histograms, *map(exact.law.log_probabilities, (x, y)), strict=True)
        for r, p, q in rows:
            cell = cells[r] if r in cells and cells[r].number == 1 else far
            assert cell.log_p.contains(p)
            assert cell.log_q.contains(q)


@pytest.mark.parametrize("prior", ["1,1,1", "1/2,3,40", "1e-4,1e-4,7", "1e9,1,1/3", "1,1,1,1", "2,1/3,5,1e6"])
@pytest.mark.parametrize(("mech", "eps"), [("EHDL", "20"), ("MH", "20"), ("EHDL", "1e-20"), ("MH", "1e-99")])
def test_full_rows_keep_their_bounds(mech, eps, prior):
    k = prior.count(",") + 1
    mechanism = make_mechanism(mech, make_model(7 if k == 3 else 4, k, prior), eps, {})
    with balls.precision(768):
        law = mechanism.hellinger_law()
        rows = FullRows(law)
        for x in mechanism.model.histograms[::5]:
            exponents, log_z = rows.row(x)
            truths = [law.rate(x) * h for h in law.h.row(x)]
            assert balls.largest_error(truths, exponents[0].tolist(), relative=True) <= rows.exponent_error
            (bound,) = rows.row_error(np.array([rows.rate(x)]), exponents.shape[1])
            assert balls.largest_error([log_z_of(rows, truths)], [log_z]) <= bound


def test_rows_are_gentle_up_to_rate_one_and_while_nothing_underflows(monkeypatch):
    def rows(eps):
        return FullRows(make_mechanism("EHDL", make_model(3), eps, {}).hellinger_law())

    with balls.precision(128):
        most = max(rows("1").law.rate(x) for x in make_model(3).histograms)
        below, above = (balls.ends(1 / most)[0] * share for share in (Fraction(99, 100), Fraction(101, 100)))
        assert (rows(below).gentle, rows(above).gentle) == (True, False)
        monkeypatch.setattr("dpaudit.privacy.fast.rows.LEAST_EXPONENT", 1e-30)
        assert (rows("1e-20").gentle, rows("1e-40").gentle) == (True, False)
        assert rows("1e-20").log_outputs == pytest.approx(1.386294361119890)
        assert rows("1e-40").log_outputs == 0


def band_table(model):
    first, second = Hellinger(model).log_ratios()
    return LogTable([[a + b for a, b in zip(first, reversed(second), strict=True)]])


def test_a_prior_beyond_the_tables_is_refused():
    model = make_model(10, 2, [Fraction(10**60), Fraction(10**60)])
    with balls.precision(128), pytest.raises((TooCoarse, balls.PrecisionExhausted)):
        band_table(model)
    with balls.precision(1024):
        assert band_table(model).relative < 1.01 * UNIT


@pytest.mark.parametrize("bits", [1076, 1078, 1080, 1088])
def test_low_parts_of_the_size_of_a_ball_keep_the_distance_of_equal_histograms_0(bits):
    """V(2(n - a + b)) is 0 up to a line; at so many bits its ball is off by the least positive float."""
    for n, prior in [(5, "5/2,1/2"), (8, "5/2,1/2"), (9, "4,1"), (18, "7/3,1/3")]:
        with balls.precision(bits):
            low = band_table(make_model(n, 2, prior)).low[0]
        assert not (low / 2 + low / 2 - low).any(), (n, prior)


def test_rates_beyond_the_floats_are_refused():
    mechanism = make_mechanism("EHDL", make_model(30), "1e20", {})
    with balls.precision(256), pytest.raises(TooCoarse):
        BandRows(mechanism.hellinger_law(), 30)

"""The rows behind the checks of the figures against the slow reference: mean errors, levels, the printed tables."""

from fractions import Fraction

import pytest
from agreement import DIGITS, DPS, agrees
from mpmath import mp, mpf

from dpaudit.mechanisms.laplace import LSDim, LSHist
from dpaudit.numbers import balls
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions as reference
from proofs_checks.figures import means as figures_means
from proofs_checks.figures import near as figures_near
from proofs_checks.figures import printed as figures_printed
from proofs_checks.figures import tables as figures_tables
from proofs_checks.figures import three_cells
from proofs_checks.figures.window import WindowRow

ONE = Fraction(1)
MEANS = [
    ((1, 9), (ONE, ONE), Fraction(4, 5)),
    ((6, 6), (ONE, ONE), ONE),
    ((5, 5), (Fraction(3), Fraction(3)), ONE),
    ((2, 2, 2), (ONE, ONE, ONE), Fraction(4, 5)),
    ((2, 1, 1), (Fraction(4),) * 3, Fraction(4, 5)),
]


def enclosed(value):
    found = balls.enclosure(value, DIGITS)
    assert found is not None
    return found


@pytest.mark.parametrize(("x", "prior", "eps"), MEANS)
@pytest.mark.parametrize("name", ["MH", "MHdelta", "LSDim", "LSHist"])
def test_mean_errors(x, prior, eps, name):
    delta = Fraction(1, 10**8) if name == "MHdelta" else None
    wanted = reference.mean_error(name, sum(x), prior, eps, x, delta=delta, dps=DPS)
    with balls.precision(256):
        assert agrees(enclosed(figures_means.means((x, prior), eps)[name]), wanted)


WINDOWS = [
    ((0, 1), (ONE, ONE)),
    ((7, 0), (Fraction(1, 2), Fraction(7, 3))),
    ((3, 57), (ONE, ONE)),
    ((40, 260), (Fraction(10), Fraction(1, 50))),
    ((35, 315), (ONE, ONE)),
]


@pytest.mark.parametrize(("x", "prior"), WINDOWS)
@pytest.mark.parametrize("eps", [Fraction(1, 10), Fraction(4, 5), Fraction(20)])
def test_a_window_holds_what_the_whole_row_gives(x, prior, eps):
    """Every ball of the window meets the ball of the whole row, and is narrow."""
    model = make_model(sum(x), prior=prior)
    with balls.precision(figures_means.FEW_BITS):
        window, whole = WindowRow(model, x), figures_tables.Row(model, x)
        pairs = []
        for name in (figures_tables.LS, figures_tables.S_EXP, figures_tables.S_GAMMA):
            sensitivity = whole.sensitivity(name, eps)
            rate = balls.ball(eps / 2) / sensitivity
            pairs.append((window.sensitivity(name, eps), sensitivity))
            pairs.append((window.exponential_mean(rate), whole.exponential_mean(rate)))
        for kind in (LSDim, LSHist):
            pairs.append((window.laplace_mean(kind(model, eps)), whole.laplace_mean(kind(model, eps))))
        for found, wanted in pairs:
            assert balls.overlap(found, wanted)
            assert found.rel_accuracy_bits() > 24


def test_three_cells_are_bounded_for_a_block_of_n(monkeypatch):
    """With a small box both bounds hold at every n of a block, and a block of one n is sharper."""
    monkeypatch.setattr(three_cells, "STEPS", 4)
    widths = []
    for first, last in ((54, 58), (56, 56)):
        with balls.precision(figures_means.FEW_BITS):
            ((_, upper, lower),) = three_cells.block(first, last).sides()
            for n in {first, 56, last}:
                found = figures_means.means((three_cells.split(n), (ONE,) * 3), three_cells.EPS)
                assert balls.certainly_less(found["LSHist"], upper)
                assert balls.certainly_less(lower, found["MHdelta"])
            widths.append(float(upper - lower))
    assert widths[1] < widths[0]
    with balls.precision(figures_means.FEW_BITS):
        assert not balls.certainly_less(upper, lower)


def test_the_windows_of_a_large_n_are_short():
    model = make_model(20000)
    with balls.precision(figures_means.FEW_BITS):
        row = WindowRow(model, (2000, 18000))
        row.exponential_mean(balls.ball(Fraction(2, 5)) / row.sensitivity(figures_tables.S_EXP, Fraction(4, 5)))
        assert max(len(side.distances) for side in row.sides) < 300


@pytest.mark.parametrize("x", [(6, 6), (2, 2, 3), (1, 1, 1, 1)])
@pytest.mark.parametrize("name", ["MH", "LSDim", "LSHist"])
def test_the_nearest_levels(x, name):
    n, prior = sum(x), (1,) * len(x)
    law = reference.pmf(name, n, prior, x, ONE, dps=DPS)
    mass = {}
    with mp.workdps(DPS):
        for output, p in law.items():
            cells = reference.released_cells(name, n, output)
            if sum(cells) == n:
                distance = reference.distance(prior, x, cells, DPS)
                key = next((d for d in mass if abs(d - distance) < mpf(10) ** -40), distance)
                mass[key] = mass.get(key, 0) + p
        wanted = [mass[d] for d in sorted(mass)[:2]]
    with balls.precision(256):
        found = figures_near.near(x).probabilities[name]
        assert [agrees(enclosed(p), w) for p, w in zip(found, wanted, strict=True)] == [True, True]


@pytest.mark.parametrize("number", [1, 2])
def test_the_printed_exponential_columns_are_ehdl_at_twice_the_epsilon(number):
    """By the reference alone: the sum of EHDL's probabilities at each printed distance, rounded to 12 digits."""
    setting, table = {
        1: ((8, (1, 1), (4, 4)), figures_tables.TABLE_1),
        2: ((60, (1, 1, 1), (20, 20, 20)), figures_tables.TABLE_2),
    }[number]
    n, prior, x = setting
    law = reference.pmf("EHDL", n, prior, x, 2 * figures_tables.EPS, dps=30)
    distances = {r: reference.distance(prior, x, r, 30) for r in law}
    for h, ours, _ in table:
        near = [p for r, p in law.items() if abs(distances[r] - reference.to_mpf(Fraction(h))) < 1e-11]
        assert f"{float(sum(near)):.12g}" == ours


def test_the_stated_settings_are_those_of_the_text():
    assert figures_printed.STATED_1.x == (4, 4)
    assert figures_printed.STATED_2.x == (20, 20)

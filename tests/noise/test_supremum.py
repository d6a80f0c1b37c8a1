"""The supremum of a ratio of densities, and delta, against dense samples and quadrature; limits by hand."""

import random
from fractions import Fraction as F
from math import exp, inf, log

import pytest
from flint import fmpq
from mpmath import quad, workdps

from dpaudit.noise.pieces import Grid, Piecewise
from dpaudit.noise.supremum import mass_where, region, suprema
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball

GRID = Grid(2, 3)


def value(f, t, exp=exp):
    """f(t), t not on a cut."""
    a, b = f.grid.a, f.grid.b
    part = f.parts[sum(n < t * b for n in f.cuts)]
    return sum(int(c.p) / int(c.q) * t**m * exp(i * t / a + j / (a * b)) for (m, i, j), c in part.items())


def piece(*terms):
    """The function with these terms on (0, 1), and 0 elsewhere."""
    return Piecewise(GRID, (0, 3), ({}, {key: fmpq(c) for key, c in terms}, {}))


def tail(term, left=False):
    """The function with one term on one side of 0."""
    key, c = term
    return Piecewise(GRID, (0,), ({key: fmpq(c)}, {}) if left else ({}, {key: fmpq(c)}))


def box(low, high, height=1):
    return Piecewise(GRID, (low, high), ({}, {(0, 0, 0): fmpq(height)}, {}))


def mixtures(seed):
    """Two mixtures of uniform draws with one or two Laplace draws added; for some seeds one has a wider tail."""
    draw, found = random.Random(seed), []
    for _ in range(2):
        total = None
        for _ in range(draw.choice((1, 2))):
            low = draw.randrange(-6, 3)
            f = box(low, low + draw.randrange(1, 6), draw.randrange(1, 4)).with_laplace(draw.choice((1, 1, 2)))
            f = f.with_laplace(draw.choice((1, 2, 3))) if draw.random() < 0.3 else f
            total = f if total is None else total.plus(f)
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_supremum_is_that_of_dense_samples(seed):
    """The ratio at far points grows where a loss is infinite."""
    f, g = mixtures(seed)
    with balls.precision(96):
        found = suprema(f, g)
    far = [[log(value(f, t) / value(g, t)) for t in (side * 60, side * 120)] for side in (-1, 1)]
    assert any(candidate.infinite for candidate in found) == any(b - a > 0.1 for a, b in far)
    if not any(candidate.infinite for candidate in found):
        spots = [n / 40 + 1 / 7919 for n in range(-200, 200)]
        sampled = max(*(log(value(f, t) / value(g, t)) for t in spots), far[0][1], far[1][1])
        high = max(float(balls.ends(candidate.loss)[1]) for candidate in found)
        assert sampled <= high + 1e-12
        assert high <= sampled + 1e-3


RATIOS = [
    ("equal up to a factor", box(0, 3, 5), box(0, 3, 2), log(2.5)),
    ("a part of it", box(0, 3), box(0, 6), 0.0),
    ("more than it", box(0, 6), box(0, 3), inf),
    ("beside it", box(0, 3), box(3, 6), inf),
    ("0/0 of the same order", piece(((1, 0, 0), 2)), piece(((1, 0, 0), 1)), log(2)),
    ("0/0, then more", piece(((1, 0, 0), 2), ((2, 0, 0), 2)), piece(((1, 0, 0), 1)), log(4)),
    ("0/0, then less", piece(((1, 0, 0), 4), ((2, 0, 0), -1)), piece(((1, 0, 0), 1)), log(4)),
    ("1/0", piece(((1, 0, 0), 2)), piece(((2, 0, 0), 1)), inf),
    ("0/1", piece(((2, 0, 0), 2)), piece(((1, 0, 0), 1)), log(2)),
    ("the middle", piece(((1, 0, 0), 1), ((2, 0, 0), -1)), piece(((0, 0, 0), 1)), log(1 / 4)),
    ("a third", piece(((0, 0, 0), 1), ((1, 0, 0), 2), ((2, 0, 0), -3)), piece(((0, 0, 0), 1)), log(4 / 3)),
    ("two places", piece(((0, 0, 0), 1), ((2, 0, 0), 16), ((1, 0, 0), -8)), piece(((0, 0, 0), 1)), log(9)),
    ("equal tails", tail(((0, -1, 0), 3)), tail(((0, -1, 1), 1)), log(3) - 1 / 6),
    ("equal tails from 0 on", tail(((1, -1, 0), 3)), tail(((1, -1, 0), 1)), log(3)),
    ("equal tails up to 0", tail(((1, 1, 0), -3), True), tail(((1, 1, 0), -1), True), log(3)),
    ("a power more", tail(((1, -1, 0), 3)), tail(((0, -1, 1), 1)), inf),
    ("a slower rate", tail(((0, -1, 0), 1)), tail(((0, -2, 0), 1)), inf),
    ("a faster rate", tail(((0, -2, 0), 1)), tail(((0, -1, 0), 1)), 0.0),
    ("equal tails, left", tail(((0, 1, 0), 3), True), tail(((0, 1, 1), 1), True), log(3) - 1 / 6),
    ("a power more, left", tail(((1, 1, 0), -3), True), tail(((0, 1, 1), 1), True), inf),
    ("a slower rate, left", tail(((0, 1, 0), 1), True), tail(((0, 2, 0), 1), True), inf),
    ("a faster rate, left", tail(((0, 2, 0), 1), True), tail(((0, 1, 0), 1), True), 0.0),
]


@pytest.mark.parametrize(("f", "g", "loss"), [row[1:] for row in RATIOS], ids=[row[0] for row in RATIOS])
def test_a_supremum_that_is_known(f, g, loss):
    with balls.precision(96):
        found = suprema(f, g)
    assert any(candidate.infinite for candidate in found) == (loss == inf)
    if loss != inf:
        assert abs(max(float(candidate.loss) for candidate in found) - loss) < 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("at", [F(0), F(1, 3)])
def test_delta_is_what_quadrature_gives(seed, at):
    f, g = mixtures(seed)
    with balls.precision(96):
        found = region(f, g, at)
        low, high = map(float, balls.ends(found.excess(ball(at).exp())))
        alone = float(found.p) - exp(at) * float(found.q)
    with workdps(15):
        cuts = sorted({-60, *(n / 4 for n in range(-24, 25)), *(n / 3 for n in (*f.cuts, *g.cuts)), 60})
        exact = quad(lambda t: max(0.0, value(f, float(t)) - exp(at) * value(g, float(t))), cuts, maxdegree=4)
    assert high - low < 1e-9
    assert abs(alone - exact) < 1e-3
    assert low - 1e-3 < exact < high + 1e-3


def test_the_mass_where_the_other_density_is_0():
    assert mass_where(box(-3, 6, 2), box(0, 3)) == {F(0): F(4)}
    assert not mass_where(box(0, 3), box(0, 3))


def test_what_a_narrow_cell_leaves_open_is_bounded():
    """2t exceeds 2/3 from t = 1/3 on, which lies inside a narrow cell."""
    with balls.precision(96):
        found = region(piece(((1, 0, 0), 2)), piece(((0, 0, 0), fmpq(2, 3))), F(0))
        (p, most_p), (q, most_q), (nothing, rest) = map(balls.ends, (found.p, found.q, found.open))
    assert F(8, 9) - F(1, 1 << 40) < p <= most_p < F(8, 9)
    assert F(4, 9) - F(1, 1 << 40) < q <= most_q < F(4, 9)
    assert nothing <= 0 < rest < F(1, 1 << 40)
    low, high = balls.ends(found.excess(ball(1)))
    assert low <= F(4, 9) <= high
    assert high - low < F(1, 1 << 40)

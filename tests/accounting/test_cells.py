"""Cells of privacy loss: their bounds of u and v, of points and of what lies beyond contain the exact numbers."""

from fractions import Fraction as F

import numpy as np
import pytest
from mpmath import exp, expm1, log, mpf, ncdf, workdps

from dpaudit.accounting import cells as module
from dpaudit.accounting.cells import Lattice, Range, TooFine, _least, _piece_cells, _swapped, cells
from dpaudit.accounting.pairs import Atom, Bell, Pair, Ramp
from dpaudit.numbers import balls
from dpaudit.numbers.balls import NeedsMoreBits, ball


def real(value):
    return mpf(F(value).numerator) / F(value).denominator


def bell_above(loss):
    mu = mpf(3) / 2
    return ncdf(mu / 2 - loss / mu), ncdf(-mu / 2 - loss / mu)


def ramp_above(loss):
    eps = mpf(1) / 3
    inside = max(-eps, min(eps, loss))
    return (1 - exp((inside - eps) / 2)) / 2, (exp(-(inside + eps) / 2) - exp(-eps)) / 2


def mixed(above, rate):
    """P and Q above a loss after subsampling."""
    rate = real(rate)

    def after(loss):
        inside = (exp(loss) - 1 + rate) / rate
        p, q = above(log(inside)) if inside > 0 else above(mpf(-1000))
        return (1 - rate) * q + rate * p, q

    return after


def half():
    return ball(F(1, 2))


BELL, RAMP = Bell(F(9, 4)), Ramp(F(1, 3), half)
PIECES = {"bell": (BELL, bell_above), "ramp": (RAMP, ramp_above)}
BEYOND = Range(F(1, 10**12), F(1, 10**9))


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("rate", [F(1), F(1, 4)])
@pytest.mark.parametrize(("step", "offset"), [(F(1, 3), F(0)), (F(1, 10), F(1, 37)), (F(1, 10), F(-2, 7))])
@pytest.mark.parametrize("bits", [128, 40])
def test_the_cells_of_a_piece_contain_the_exact_numbers(monkeypatch, name, rate, step, offset, bits):
    """With 40 bits the radius of each ball counts."""
    monkeypatch.setattr(module, "BITS", bits)
    piece, exact = PIECES[name]
    part = _piece_cells.__wrapped__(piece, rate, Lattice(step, offset), BEYOND)
    turned = _swapped(part)
    count, width = len(part.u[0]), 32 * 2.0**-40 if bits == 40 else 1e-30
    with workdps(50):
        above, h, c = mixed(exact, rate), real(step), real(offset)
        edges = [exp(c + h * (part.first + k)) for k in range(count + 1)]
        masses = [above(c + h * (part.first + k)) for k in range(count + 1)]
        for k in range(count):
            p, q = (masses[k][i] - masses[k + 1][i] for i in (0, 1))
            u, v = max(mpf(0), p - edges[k] * q), max(mpf(0), edges[k + 1] * q - p)
            for bounds, at, value, size in (
                (part.u, k, u, 1),
                (part.v, k, v, 1),
                (turned.u, count - 1 - k, v / edges[k + 1], 1 / edges[k + 1]),
                (turned.v, count - 1 - k, u / edges[k], 1 / edges[k]),
            ):
                assert bounds[0][at] <= value <= bounds[1][at]
                assert bounds[1][at] - bounds[0][at] <= value * mpf(10) ** -14 + 4 * width * size + mpf(10) ** -290
        whole = above(mpf(-1000))
        ends = (masses[-1], [whole[i] - masses[0][i] for i in (0, 1)])
        for bounds, values in zip((part.above, part.below), ends, strict=True):
            for bound, value in zip(bounds, values, strict=True):
                assert value <= bound <= value * (1 + mpf(10) ** -14) + 2 * width
    assert (turned.above, turned.below) == (part.below[::-1], part.above[::-1])
    assert (turned.first, turned.lattice) == (-part.first - count, Lattice(step, -offset))


@pytest.mark.parametrize("rate", [F(1), F(1, 4)])
def test_the_cells_end_where_little_lies_beyond(rate):
    part = _piece_cells.__wrapped__(BELL, rate, Lattice(F(1, 10)), BEYOND)
    with workdps(30):
        above = mixed(bell_above, rate)
        last = part.first + len(part.u[0])
        assert above(mpf(last) / 10)[0] <= mpf(10) ** -12 < above(mpf(last - 1) / 10)[0]
        assert 1 - above(mpf(part.first) / 10)[1] <= mpf(10) ** -9 < 1 - above(mpf(part.first + 1) / 10)[1]


def test_a_grid_with_too_many_cells_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST", 100)
    with pytest.raises(TooFine) as refused:
        _piece_cells.__wrapped__(BELL, F(1), Lattice(F(1, 100)), BEYOND)
    assert 1000 < refused.value.needed < 3000


def test_an_edge_that_may_lie_on_either_side_of_the_lowest_loss_needs_more_bits(monkeypatch):
    """e^loss - 1 + rate is 0 up to the last bits there."""
    monkeypatch.setattr(module, "BITS", 40)
    loss = F(float(log(F(3, 4))))
    with pytest.raises(NeedsMoreBits):
        _piece_cells.__wrapped__(BELL, F(1, 4), Lattice(-loss), BEYOND)


@pytest.mark.parametrize("least", [-1000, -5, -2, -1, 0, 1, 2, 3, 64, 777])
def test_the_least_number_that_is_enough(least):
    assert _least(lambda k: k >= least) == least


def atoms():
    """On the lattice, just above and within cells; two whose loss is no rational number, one of them on a border."""
    with balls.precision(128):
        grown = ball(F(1, 2)).exp()
        return [
            *(Atom(ball(F(1, 8)) * ball(loss).exp(), ball(F(1, 8)), loss) for loss in (F(0), F(1, 2), F(2, 3))),
            Atom(ball(F(1, 16)), ball(F(1, 10))),
            Atom(ball(F(1, 7)), ball(F(1, 8))),
            Atom(ball(F(1, 32)) * grown, ball(F(1, 32))),
        ]


def test_every_atom_goes_to_its_place():
    found = cells(Pair(atoms=atoms), Lattice(F(1, 2)), BEYOND)
    with workdps(50):
        grow = exp(mpf(1) / 2)
        on, later, border = mpf(1) / 8, exp(real(F(2, 3))) / 8, grow / 32
        expected = {
            # place: least and largest u, least and largest v, points
            -1: (mpf(1) / 16 - 1 / grow / 10, mpf(1) / 10 - mpf(1) / 16),
            0: (mpf(1) / 7 - mpf(1) / 8, grow / 8 - mpf(1) / 7),
            1: (later - grow / 8, grow * grow / 8 - later),
        }
        points = {-1: mpf(0), 0: on + mpf(1) / 32, 1: grow * on, 2: mpf(0)}
        known = {-1: mpf(0), 0: on, 1: grow * on + border}
        for k, (u, v) in expected.items():
            i = k - found.first
            assert u * (1 - mpf(10) ** -14) <= found.u_lower[i] <= u <= found.u_upper[i] <= u * (1 + mpf(10) ** -14)
            assert v * (1 - mpf(10) ** -14) <= found.v_lower[i] <= v
            v += known[k] * expm1(mpf(1) / 2)
            assert v <= found.v_upper[i] <= v * (1 + mpf(10) ** -14)
        for k, point in points.items():
            at = found.points[k - found.first]
            assert point * (1 - mpf(10) ** -14) <= at <= point
    assert (found.first, len(found), found.p_above) == (-1, 3, 0.0)


def test_pieces_and_atoms_are_added_up():
    """Bounds of the sum of two equal pieces and an atom; P above both."""
    one = cells(Pair(pieces=(BELL,)), Lattice(F(1, 4)), BEYOND)
    two = cells(Pair(pieces=(BELL, BELL), atoms=lambda: atoms()[2:3]), Lattice(F(1, 4)), BEYOND)
    place = int(F(2, 3) / F(1, 4)) - two.first
    assert one.first == two.first
    for name in ("u_lower", "u_upper", "v_lower", "v_upper"):
        ours, theirs = getattr(two, name).copy(), 2 * getattr(one, name)
        assert ours[place] > theirs[place] * (1 + 1e-9)
        ours[place] = theirs[place]
        assert np.all(ours <= theirs * (1 + 1e-14))
        assert np.all(ours >= theirs * (1 - 1e-14))
    assert 2 * one.p_above <= two.p_above <= 2 * one.p_above * (1 + 1e-14)
    part = _piece_cells.__wrapped__(BELL, F(1), Lattice(F(1, 4)), BEYOND)
    assert one.p_above >= part.above[0]
    assert one.v_upper[0] >= part.v[1][0] + part.below[0] * float(expm1(0.25))

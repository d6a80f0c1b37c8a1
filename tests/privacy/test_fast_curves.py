"""Float bounds of delta and divergences (dpaudit/privacy/fast/CURVES.md): never below the truth, nor far above it.

The truth is computed here from the probabilities, output by output.
"""

from fractions import Fraction

import pytest
from hypothesis import given
from random_laws import models, shares, table, tables

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort

np = pytest.importorskip("numpy", reason="the fast tier needs numpy")

from dpaudit.privacy.fast import orders, sticks, ways  # noqa: E402
from dpaudit.privacy.fast.exponential_table import exponential_table  # noqa: E402
from dpaudit.privacy.fast.rows import FloatRows  # noqa: E402
from dpaudit.privacy.fast.uppers import make_screen  # noqa: E402

ORDERS = [Fraction(1), 1 + Fraction(1, 10**12), 1 + Fraction(1, 100), Fraction(3, 2), Fraction(2), Fraction(64)]
ORDERS += [Fraction(10**13)]
BITS = 384


def float_pairs(mechanism):
    if mechanism.screen() is None:
        return ways.BallPairs(mechanism, Effort())
    return ways.TablePairs(make_screen(mechanism.hellinger_law(), mechanism, Effort()))


def ordered(mechanism, bits=BITS):
    """Every ordered pair once: its floats as a batch of one, and its two rows of probabilities in balls."""
    with balls.precision(bits):
        floats = float_pairs(mechanism)
        batches = [(a.rows(np.array([i])), b.rows(np.array([i]))) for a, b in floats.ways() for i in range(len(a.p))]
    with balls.precision(BITS):
        law = mechanism.law()
        for (x, y), (there, back) in zip(floats.pairs, batches, strict=True):
            p, q = law.probabilities(x), law.probabilities(y)
            yield there, p, q, floats.table
            yield back, q, p, floats.table


def at_most(truth, bound):
    """Whether the bound is not below the truth, as far as the ball of the truth can say."""
    return not np.isfinite(bound) or not balls.certainly_less(balls.dyadic(float(bound)), truth)


def losses(p, q):
    """ln P/Q at the outputs that are possible under P; infinite where impossible under Q."""
    return [a.log() - b.log() if not b.is_zero() else balls.infinity() for a, b in zip(p, q, strict=True) if a > 0]


def divergence(p, q, order):
    found = losses(p, q)
    if any(balls.is_infinity(loss) for loss in found):
        return balls.infinity()
    chances = [a for a in p if a > 0]
    if order == 1:
        return balls.total([a * loss for a, loss in zip(chances, found, strict=True)])
    u = ball(order - 1)
    return balls.total([a * (u * loss).exp() for a, loss in zip(chances, found, strict=True)]).log() / u


def delta(p, q, epsilon):
    factor = ball(epsilon).exp()
    return balls.total([balls.positive_part(a - factor * b) for a, b in zip(p, q, strict=True)])


def check_rows(way, p, q):
    """p >= P >= lower; loss >= ln P/Q. Far outputs, the last column, are not compared one by one."""
    if way.p.shape[1] != len(p):
        return
    for a, upper, lower in zip(p, way.p[0], way.lower()[0], strict=True):
        assert at_most(a, upper)
        assert balls.certainly_at_most(balls.dyadic(float(lower)), a)
    possible = [loss for a, loss in zip(p, way.loss[0], strict=True) if a > 0]
    for truth, bound in zip(losses(p, q), possible, strict=True):
        assert at_most(truth, bound)


def check_deltas(way, p, q, table):
    epsilons = [
        Fraction(0),
        Fraction(1, 10**9),
        Fraction(1, 3),
        Fraction(2),
        Fraction(40),
        Fraction(650),
        Fraction(2000),
    ]
    points = sticks.points([ball(e) for e in epsilons])
    uppers = sticks.stick_uppers(way, points, table)[0]
    for epsilon, upper in zip(epsilons, uppers, strict=True):
        truth = delta(p, q, epsilon)
        assert at_most(truth, upper)
        if epsilon < 40:
            assert upper <= balls.float_above(truth) + 1e-10


def check_orders(way, p, q, table):
    most = float(way.loss.max())
    for order in ORDERS:
        truth = divergence(p, q, order)
        (upper,) = orders.divergence_uppers(way, order, table)
        assert at_most(truth, upper)
        if np.isfinite(upper) and order >= Fraction(3, 2) and most < 50 and order < 100:
            assert upper <= balls.float_above(truth) + 1e-10 * (1 + most)


def check_rates(way, p, q, table):
    """A pair that is not flagged keeps D <= rho order at many orders; one that keeps it by far is not flagged."""
    finite = not any(balls.is_infinity(loss) for loss in losses(p, q))
    us = [Fraction(1, 10**6), *(Fraction(i, 8) for i in range(1, 40)), *(Fraction(2**i) for i in range(3, 14))]
    rates = [divergence(p, q, 1 + u) / ball(1 + u) for u in us] if finite else []
    top = balls.float_above(balls.maximum(rates)) if finite else 1.0
    for rho in (top / 2, top * (1 - 1e-6), top * (1 + 1e-6), top * 1.01 + 1e-12):
        if rho <= 0:
            continue
        (flagged,) = orders.above_rate(way, rho, table)
        assert flagged or (finite and all(at_most(rate, rho) for rate in rates))
        assert finite or flagged
    if finite and top > 1e-6 and float(way.loss.max()) < 50:
        assert not orders.above_rate(way, max(top * 1.1, 1e-3 * float(way.loss.max())), table)[0]


def check(mechanism, bits=BITS):
    with balls.precision(3 * BITS):
        for way, p, q, exponentials in ordered(mechanism, bits):
            check_rows(way, p, q)
            check_deltas(way, p, q, exponentials)
            check_orders(way, p, q, exponentials)
            check_rates(way, p, q, exponentials)


@given(models())
def test_the_bounds_hold_in_the_exponential_family(mechanism):
    check(mechanism)


@given(tables())
def test_the_bounds_hold_for_tables_with_zeros_ties_and_large_losses(mechanism):
    check(mechanism)


@pytest.mark.parametrize("zeros", [20, 24, 26])
def test_the_bounds_hold_for_balls_much_wider_than_an_ulp(zeros):
    """At 128 bits e^t - 1 is known more closely than a float, or less; its truth lies anywhere in its ball."""
    for i in range(1, 6):
        small = 10 ** (zeros - 2) * (dpaudit.exp(Fraction(i, 10**zeros)) - 1)
        check(table([[small, 1 - small], [Fraction(1, 3), Fraction(2, 3)]]), 128)


@pytest.mark.parametrize("mech", ["EHDS", "EHDL"])
def test_the_bounds_hold_with_far_outputs(mech, monkeypatch):
    monkeypatch.setattr("dpaudit.privacy.fast.band.BLOCK", 200)
    mechanism = make_mechanism(mech, make_model(120, None, "1,2" if mech == "EHDS" else "1/1000,1/1000"), "2", {})
    shapes = set()
    with balls.precision(BITS):
        for number, (way, p, q, exponentials) in enumerate(ordered(mechanism)):
            shapes.add(way.p.shape[1] < len(p))
            if number % 12 < 2:
                check_deltas(way, p, q, exponentials)
                check_orders(way, p, q, exponentials)
                check_rates(way, p, q, exponentials)
    assert True in shapes


def test_products_that_underflow_count():
    """p times a loss below 2^-1074 is 0 in floats; the sum is not."""
    way = ways.Way(np.array([[2.0**-990] * 3]), np.array([[2.0**-100, -(2.0**-200), 2.0**-90]]), np.zeros(1))
    assert orders.divergence_uppers(way, Fraction(1), exponential_table(64))[0] > 2.0**-1073


# ------------------------------------------------------------------ broken twins


def equal_rows():
    return make_mechanism("EHDL", make_model(9, None, "1/3,1/3"), "30", {})


def test_a_margin_too_small_would_be_seen(monkeypatch):
    monkeypatch.setattr(FloatRows, "margin", lambda self, x, y, width: 0 * x)
    with pytest.raises(AssertionError):
        check(equal_rows())


def test_a_share_too_small_would_be_seen(monkeypatch):
    honest = ways._way

    def cut(*arguments):
        way = honest(*arguments)
        return ways.Way(way.p * (1 - 2 * way.share[:, np.newaxis]), way.loss, way.share)

    monkeypatch.setattr(ways, "_way", cut)
    with pytest.raises(AssertionError):
        check(equal_rows())


def test_a_row_rounded_to_nearest_would_be_seen(monkeypatch):
    monkeypatch.setattr(ways, "_down", lambda values: values + 1e-14)
    mechanism = table([shares([Fraction(seed + i**j) for i in range(1, 6)]) for seed in (1, 4) for j in range(1, 4)])
    with pytest.raises(AssertionError):
        check(mechanism)


def test_sums_without_their_error_would_be_seen(monkeypatch):
    monkeypatch.setattr(sticks, "UNIT", -(2.0**-46))
    with pytest.raises(AssertionError):
        check(equal_rows())


def test_divergences_without_their_error_would_be_seen(monkeypatch):
    monkeypatch.setattr(orders, "UNIT", -(2.0**-46))
    with pytest.raises(AssertionError):
        check(equal_rows())


def test_a_chord_taken_for_its_ends_would_be_seen(monkeypatch):
    """Between its ends K may touch the bound where the chord crosses it: looking at ends alone closes too early."""
    monkeypatch.setattr(orders._Open, "closed", lambda self, rho, tops: np.ones(len(self.row), dtype=bool))
    mechanism = table([shares([Fraction(1), Fraction(1, 10**4)]), shares([Fraction(1), Fraction(1, 10**7)])])
    with pytest.raises(AssertionError):
        check(mechanism)

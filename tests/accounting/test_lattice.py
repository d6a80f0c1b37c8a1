"""Losses on a lattice: the exact distribution of the total, against all outcomes."""

from dataclasses import dataclass
from fractions import Fraction as F

import pytest
from mpmath import mpf, workdps

from dpaudit.accounting.event import Event
from dpaudit.accounting.lattice import MOST_VERIFIED, VERIFIED, Product, common_step, length, verifiable
from dpaudit.accounting.pairs import Atom, Pair
from dpaudit.accounting.reading import DiscreteLaplace, Gaussian, Pure, RandomizedResponse
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from tests.accounting import reference_accounting as reference


@dataclass(frozen=True, kw_only=True)
class Leaky(Event):
    """Losses -1/2 and 1/2, an infinite one, and a hundredth of which nothing is known."""

    def dominating(self):
        def atoms():
            grown = ball(F(1, 2)).exp()
            low, high = (ball(F(89, 100)) * part / (1 + grown) for part in (ball(1), grown))
            return [Atom(low, high, F(-1, 2)), Atom(high, low, F(1, 2))]

        def tenth():
            return ball(F(1, 10))

        return Pair(atoms=atoms, p_only=tenth, q_only=tenth, left_out=lambda: ball(F(1, 100)))


def leaky(rest):
    """The pair if the rest goes to an infinite loss, or to the loss 0."""
    pair = [(p * mpf(89) / 100, q * mpf(89) / 100) for p, q in reference.randomized_response(mpf(1) / 2)]
    return [*pair, (mpf(1) / 10, mpf(0)), (mpf(1) / 100, rest)]


def pure(eps, delta):
    return [(p * (1 - delta), q * (1 - delta)) for p, q in reference.randomized_response(eps)] + [(delta, mpf(0))]


MIX = [RandomizedResponse(eps=1, k=3) * 2, Pure(eps=F(1, 2), delta=F(1, 10)), DiscreteLaplace(eps=F(2, 3)) * 2]
POINTS = [F(-10), F(-1), F(-1, 3), F(0), F(1, 7), F(1, 2), F(2, 3), F(1), F(7, 5), F(23, 6), F(4)]
"""On the lattice and off it, below the least loss and above the largest."""


@pytest.mark.parametrize("name", ["mix", "leaky", "one loss"])
def test_delta_is_that_of_all_outcomes(name):
    with workdps(30), balls.precision(128):
        if name == "mix":
            two_thirds = mpf(2) / 3
            pairs = [
                *[reference.randomized_response(1, 3)] * 2,
                pure(mpf(1) / 2, mpf(1) / 10),
                *[reference.randomized_response(two_thirds)] * 2,
            ]
            product, least, most = Product(MIX), pairs, pairs
        elif name == "leaky":
            product, least, most = Product([Leaky(times=3)]), [leaky(mpf(1) / 100)] * 3, [leaky(mpf(0))] * 3
        else:
            product = Product([Pure(eps=0, delta=F(1, 10)) * 2])
            least = most = [[(mpf(9) / 10, mpf(9) / 10), (mpf(1) / 10, mpf(0))]] * 2
        for point in POINTS:
            at = mpf(point.numerator) / point.denominator
            below, above = product.delta(point)
            low, high = balls.ends(below)[0], balls.ends(above)[1]
            slack = mpf(10) ** -25
            assert mpf(low.numerator) / low.denominator <= reference.enumerated(least, at) + slack
            assert reference.enumerated(most, at) - slack <= mpf(high.numerator) / high.denominator
            if name != "leaky":
                assert high - low < F(1, 10**25)


@pytest.mark.parametrize(
    ("losses", "step"),
    [
        ([], F(0)),
        ([[F(1)], [F(2, 3)]], F(0)),
        ([[F(-1), F(1)], [F(0), F(2, 3)]], F(2, 3)),
        ([[F(1, 5), F(7, 10)], [F(-1, 3), F(1, 3)]], F(1, 6)),
    ],
)
def test_the_common_step_divides_every_difference_and_is_the_largest(losses, step):
    assert common_step(losses) == step


def test_the_length_of_the_product():
    assert length(MIX) == 1 + (4 + 1 + F(8, 3)) / F(1, 3)
    assert length([Pure(eps=0) * 5]) == 1
    assert length([*MIX, Gaussian(sigma=1)]) is None
    with balls.precision(64):
        assert len(Product(MIX).p) == length(MIX) + 1


@pytest.mark.parametrize(
    ("event", "checked"),
    [
        (RandomizedResponse(eps=1) * MOST_VERIFIED, True),
        (RandomizedResponse(eps=1) * (MOST_VERIFIED + 1), False),
        (DiscreteLaplace(eps=1, sensitivity=VERIFIED // 2 - 1) * 2, True),
        (DiscreteLaplace(eps=1, sensitivity=VERIFIED // 2) * 2, False),
        (Gaussian(sigma=1), False),
    ],
)
def test_what_the_verifier_can_compute_again(event, checked):
    assert verifiable([event]) is checked

"""The tie at an algebraic prior: it holds against mpmath and the engine, and nothing else is taken for one."""

from fractions import Fraction

import mpmath
import pytest

from dpaudit.claims import scan
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from proofs_checks.privacy import real_prior
from proofs_checks.privacy.dilation import P1, TIE
from proofs_checks.privacy.real_prior import RealRow, Tie, dilated, rational_roots

ONE = Fraction(1)


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(40):
        yield


def hellinger(alpha, n, x, r):
    """H of two posteriors of prior (α, 1), by mpmath alone."""

    def cell(c, s, t):
        return mpmath.gamma(c + mpmath.mpf(s + t) / 2) / mpmath.sqrt(mpmath.gamma(c + s) * mpmath.gamma(c + t))

    return mpmath.sqrt(1 - cell(alpha, x, r) * cell(1, n - x, n - r))


def test_the_algebraic_prior_makes_two_candidates_equally_far():
    with balls.precision(200):
        alpha = mpmath.mpf(TIE.root().mid().str(60, radius=False))
    assert abs(hellinger(alpha, 6, 1, 0) - hellinger(alpha, 6, 1, 6)) < mpmath.mpf(10) ** -35
    assert hellinger(alpha, 6, 1, 5) < hellinger(alpha, 6, 1, 0)


def test_the_polynomial_is_that_of_the_engines_distances():
    for tie in (TIE, Tie(9, 3, 2, 4, Fraction(5, 3), Fraction(1, 7), Fraction(2))):
        assert tie.agrees()
    assert TIE.polynomial()(0) < 0 < TIE.polynomial()(1)


def test_a_rational_tie_would_be_found(monkeypatch):
    """As many steps to either side are a tie at A = B: factoring finds it; of unequal steps there is none."""
    assert rational_roots(2, 2, Fraction(7, 2)) == [Fraction(7, 2)]
    assert rational_roots(1, 3, Fraction(7, 2)) == []
    assert real_prior.no_rational_tie().verdict is Verdict.PROVED
    monkeypatch.setattr(real_prior, "rational_ties", lambda: [(1, 3, Fraction(2), Fraction(4))])
    assert real_prior.no_rational_tie().verdict is Verdict.UNDECIDED


def test_without_a_change_of_sign_there_is_no_tie():
    with pytest.raises(ArithmeticError):
        Tie(6, 1, 1, 5, ONE, Fraction(1), Fraction(2)).root()


def test_a_score_that_is_no_such_dilate_is_refused():
    with pytest.raises(ArithmeticError):
        scan(P1, [dilated(TIE, 4, ONE, Fraction(1, 25))])


def test_the_row_of_the_algebraic_prior_is_the_engines_at_a_rational_one():
    """At a rational prior the same code must give the engine's law."""
    mechanism = MHdelta(make_model(6, prior=(Fraction(1, 300), 1)), ONE, Fraction(1, 25))

    class Rational(Tie):
        def root(self):
            return ball(Fraction(1, 300))

    with balls.precision(128):
        row = RealRow(Rational(6, 1, 1, 5, ONE, ONE, ONE), ONE, Fraction(1, 25))
        law = dict(zip(mechanism.outputs(), mechanism.law().probabilities((1, 5)), strict=True))
        for r in range(7):
            assert balls.overlap(row.weights[r] / row.normaliser, law[r, 6 - r])

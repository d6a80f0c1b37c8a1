"""Theorems and exact ties behind single statements: they hold against mpmath, and a wrong constant breaks them."""

from fractions import Fraction
from functools import partial

import mpmath
import pytest

from dpaudit.claims import Point, Proof, scan
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from proofs_checks.accuracy import eventually
from proofs_checks.accuracy.eventually import Eventually
from proofs_checks.privacy import delta, dirichlet, real_prior
from proofs_checks.privacy.dilation import P1, TIE
from proofs_checks.privacy.real_prior import RealRow, Tie, dilated, rational_roots
from tests.claims.documents import EXPECTED

ONE = Fraction(1)


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(40):
        yield


def far_sum(n, eps, alpha):
    """Σ e^(−εH/(2GS₀)) of the balanced row, by mpmath alone."""
    a, rate = mpmath.mpf(n) / 2 + alpha, eps / (2 * mpmath.sqrt(1 - mpmath.pi / 4))

    def weight(j):
        top = mpmath.loggamma(a + mpmath.mpf(j) / 2) + mpmath.loggamma(a - mpmath.mpf(j) / 2)
        low = mpmath.loggamma(a) + (mpmath.loggamma(a + j) + mpmath.loggamma(a - j)) / 2
        return mpmath.exp(-rate * mpmath.sqrt(-mpmath.expm1(top - low)))

    return 1 + 2 * mpmath.fsum(weight(j) for j in range(1, n // 2 + 1))


@pytest.mark.parametrize(("eps", "first"), [(Fraction(4, 5), 984), (ONE, 1116)])
def test_the_printed_bound_fails_from_that_n_on(eps, first):
    exact, e = mpmath.mpf(eps.numerator) / eps.denominator, mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator)
    found = Eventually.make(eps, ONE)
    assert found.first() == first
    assert far_sum(first, exact, 1) * e < first < found.start
    assert far_sum(first - 2, exact, 1) * e > first - 2
    line = EXPECTED["acc.4.5.ehd-upper.balanced"]["line"]
    assert f"ε = {eps}: it fails at every even n ≥ {first} and at none below: PROVED, computer-assisted" in line


@pytest.mark.parametrize("eps", [Fraction(1, 10), Fraction(4, 5), Fraction(3)])
def test_the_integral_is_bounded_from_above_and_narrowly(eps):
    rate = (mpmath.mpf(eps.numerator) / eps.denominator) / (2 * mpmath.sqrt(1 - mpmath.pi / 4))

    def excess(u):
        return mpmath.exp(-rate * mpmath.sqrt(-mpmath.expm1(-u * u))) - mpmath.exp(-rate)

    true = mpmath.quad(excess, [0, 1, 2, 4, 8])
    assert true < float(eventually.integral(eps)) < true * 1.01 + 0.001


def halved(eps, integral=eventually.integral):
    return integral(eps) / 2


@pytest.mark.parametrize(
    ("name", "value"), [("exponent", lambda j, a: Fraction(j * j) / (3 * a)), ("integral", halved)]
)
def test_a_wrong_constant_breaks_the_theorem_on_large_n(name, value, monkeypatch):
    monkeypatch.setattr(eventually, name, value)
    assert Eventually.make(ONE, ONE).part(1114).verdict is Verdict.UNDECIDED


def test_a_claim_that_it_holds_below_is_checked_row_by_row():
    found = Eventually.make(ONE, ONE)
    assert found.holds(range(1100, 1116, 2))
    assert not found.holds(range(1100, 1118, 2))


# ------------------------------------------------------------------ the algebraic prior


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
    mechanism = delta.MHdelta(make_model(6, prior=(Fraction(1, 300), 1)), ONE, Fraction(1, 25))

    class Rational(Tie):
        def root(self):
            return ball(Fraction(1, 300))

    with balls.precision(128):
        row = RealRow(Rational(6, 1, 1, 5, ONE, ONE, ONE), ONE, Fraction(1, 25))
        law = dict(zip(mechanism.outputs(), mechanism.law().probabilities((1, 5)), strict=True))
        for r in range(7):
            assert balls.overlap(row.weights[r] / row.normaliser, law[r, 6 - r])


# ------------------------------------------------------------------ MHdelta


@pytest.mark.parametrize(("multiple", "verdict"), [(1, Verdict.PROVED), *((k, Verdict.REFUTED) for k in delta.WRONG)])
def test_the_extreme_grid_notices_a_wrong_gamma_and_passes_the_right_one(multiple, verdict):
    kind = partial(delta.WrongGamma, multiple=multiple)
    assert scan(delta.DELTA_MOST, delta.delta_batches(delta.EXTREME, kind)).verdict is verdict


def test_the_weaker_guarantee_breaks_with_its_gamma_and_with_what_it_cites(monkeypatch):
    proved = {"smooth.exp": "", "ls.reduction": ""}
    assert not delta.weaker_proof(Proof(proved)).obstacle
    assert "smooth.exp" in delta.weaker_proof(Proof({**proved, "smooth.exp": "REFUTED"})).obstacle
    monkeypatch.setattr(delta, "growth", lambda eps, length: eps / length)
    assert delta.weaker_proof(Proof(proved)).failed == ["the last term", "the engine's γ"]


def test_the_mechanism_as_printed_takes_its_sensitivity_from_the_neighbors_only():
    """S of (0, 0, 3) by hand: LS of itself and of its neighbors, each by H of adjacent data sets."""
    mechanism = dirichlet.exponential_at(
        partial(delta.MHdelta, over="adjacent"),
        Point(n=3, eps=8, delta=Fraction(1, 10**8), prior=(100, 100, Fraction(1, 1000))),
    )
    with balls.precision(128):
        h = dirichlet.Hellinger(mechanism.model)
        gamma = delta.MHdelta(mechanism.model, mechanism.epsilon, mechanism.delta).gamma()
        near = [h.local(c) for c in ((0, 1, 2), (1, 0, 2))]
        by_hand = balls.maximum([h.local((0, 0, 3)), *((-gamma).exp() * value for value in near)])
        assert balls.overlap(ball(mechanism.epsilon / 2) / mechanism.rates(h)((0, 0, 3)), by_hand)

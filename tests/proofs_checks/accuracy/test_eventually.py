"""From which n on the printed bound fails: the theorem holds against mpmath, and a wrong constant breaks it."""

from fractions import Fraction

import mpmath
import pytest

from dpaudit.numbers.verdict import Verdict
from proofs_checks.accuracy import eventually
from proofs_checks.accuracy.eventually import Eventually
from tests.proofs_checks.documents import EXPECTED

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

"""The rows that the accuracy checks rest on, against slow independent computations and the engine's own laws."""

from fractions import Fraction

import pytest

from dpaudit.audit.questions import mechanism
from dpaudit.numbers import balls
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.divergences import HellingerDistance
from dpaudit.posterior.model import Model
from proofs_checks.accuracy import far as accuracy_far
from proofs_checks.accuracy import rows as accuracy_rows
from proofs_checks.accuracy import utility as accuracy_utility
from proofs_checks.points import rationals
from tests.proofs_checks.documents import run_one


@pytest.mark.parametrize("prior", ["1 1", "1/2 1/2", "1/100 3", "2 1"])
def test_levels_agree_with_a_slow_sort(prior):
    mpmath = pytest.importorskip("mpmath")
    alpha, beta = rationals(prior)
    with mpmath.workdps(60):
        for n in range(1, 8):
            for a in range(n + 1):

                def distance(r, a=a, n=n):
                    def log_beta(c):
                        p, q = (mpmath.mpf(t.numerator) / t.denominator for t in (alpha + c, beta + n - c))
                        return mpmath.loggamma(p) + mpmath.loggamma(q)

                    middle = log_beta(Fraction(a + r, 2))
                    return -(middle - (log_beta(Fraction(a)) + log_beta(Fraction(r))) / 2)

                found = [
                    {r for r in range(n + 1) if distance(r) <= distance(s) + mpmath.mpf(10) ** -40}
                    for s in range(n + 1)
                ]
                spans = sorted({(min(near), max(near)) for near in found}, key=lambda span: span[1] - span[0])
                assert accuracy_rows.levels(Model(n, (alpha, beta)), a) == tuple(spans)


@pytest.mark.parametrize("name", ["EHD", "EHDL", "LSHist"])
@pytest.mark.parametrize("prior", ["1 1", "1/3 2"])
def test_probabilities_of_intervals_agree_with_the_law(name, prior):
    eps, alphas = Fraction(3, 4), tuple(rationals(prior))
    for n in (1, 2, 5):
        model = Model(n, alphas)
        with balls.precision(200):
            law = mechanism(name, n=n, prior=alphas, eps=eps).law()
            for a in range(n + 1):
                masses = law.probabilities((a, n - a))
                for lo, hi in accuracy_rows.levels(model, a):
                    if name == "LSHist":
                        poly = accuracy_rows.laplace_interval(n, a, lo, hi)
                        found = accuracy_rows.evaluate(poly, accuracy_rows.power(eps))
                    else:
                        found = accuracy_rows.exponential_interval(model, a, eps, name == "EHDL", lo, hi)
                    assert balls.overlap(found, balls.total(masses[lo : hi + 1]))
                    assert balls.enclosure(found, 40) is not None


def test_distances_with_free_totals_agree_with_beta_functions():
    mpmath = pytest.importorskip("mpmath")
    model, x = Model(3, (Fraction(1), Fraction(5, 2))), (1, 2)
    with mpmath.workdps(50), balls.precision(200):
        h = HellingerDistance(model)
        prior = [mpmath.mpf(alpha.numerator) / alpha.denominator for alpha in model.prior]
        for output in [(0, 0), (1, 2), (3, 3), (2, 0), (0, 1)]:
            p, q = ([c + alpha for c, alpha in zip(d, prior, strict=True)] for d in (x, output))
            middle = mpmath.beta((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
            slow = mpmath.sqrt(1 - middle / mpmath.sqrt(mpmath.beta(*p) * mpmath.beta(*q)))
            assert abs(slow - mpmath.mpf(h.between(x, output).str(45, radius=False))) < mpmath.mpf(10) ** -30
            assert balls.overlap(bc_squared(model, x, output).ball(), h.bc(x, output) ** 2)


def test_the_far_search_finds_the_first_failure_by_hand():
    rows = accuracy_far.Rows(Fraction(1), 800)
    with balls.precision(128):
        at = {
            n: balls.ball(Fraction(1, 4)).exp() + 2 * balls.total([(e / 4).exp() for e in rows.exponents(n)]) - n
            for n in (770, 772)
        }
        assert balls.certainly_less(balls.zero(), at[770])
        assert balls.certainly_less(at[772], balls.zero())


def test_the_far_search_is_the_same_row_by_row():
    assert accuracy_far.first_failure(Fraction(1, 2), 780) == accuracy_far.Reach(770, Fraction(1, 4))
    assert accuracy_far.first_failure(Fraction(1, 2), 700) == accuracy_far.Reach(700, None)


def test_the_crossing_lemma_can_fail():
    with balls.precision(96):
        assert accuracy_far.crossing_holds(2, accuracy_far.Rows(Fraction(1), 4))
        assert not accuracy_far.crossing_holds(2, accuracy_far.Rows(Fraction(6), 4))


def test_the_quantiles_of_the_table_by_listing():
    mechanism = accuracy_utility.EHD(Model(4, accuracy_utility.UNIFORM), Fraction(1))
    with balls.precision(200):
        law, h = mechanism.law().probabilities((2, 2)), HellingerDistance(mechanism.model)
        near = law[2], law[1] + law[2] + law[3]
        level = Fraction(1, 2)
        assert balls.certainly_less(near[0], balls.ball(level))
        assert balls.certainly_less(balls.ball(level), near[1])
        assert balls.overlap(accuracy_utility.quantile(mechanism, "hellinger", level), h.between((2, 2), (1, 3)))


def test_a_row_that_balls_leave_open_is_not_called_a_violation(monkeypatch):
    monkeypatch.setattr(accuracy_utility, "ROWS", accuracy_utility.ROWS[2:])
    finding = run_one("acc.table-utility").outcome.finding
    assert "EHD: some h > U;" in finding
    wide = lambda *_: balls.from_ends(balls.ball(Fraction(1, 1000)), balls.ball(Fraction(10)))  # noqa: E731
    monkeypatch.setattr(accuracy_utility, "printed_distance", wide)
    finding = run_one("acc.table-utility").outcome.finding
    assert "EHD: h ≤ U is undecided in some row;" in finding

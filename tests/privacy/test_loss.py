"""The auditor's own parts by hand: memory, progress, the hockey stick, the verdict, the kept rows."""

from fractions import Fraction

import pytest

from dpaudit.mechanisms import REGISTRY, make_mechanism
from dpaudit.mechanisms.exponential import ROWS_BYTES, ExponentialLaw, rows_kept
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.numbers.errors import TooLargeError
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.loss import hockey_stick, verdict, worst_delta, worst_loss_by_search
from dpaudit.privacy.pairs import cut, pairs
from dpaudit.privacy.protocols import Mass


def small():
    return make_mechanism("EHD", make_model(3), 1, {})


def test_a_job_that_just_fits_is_taken():
    need = small().memory()
    Effort(memory=need).check_memory(small())
    for refused in (Effort.check_memory, lambda effort, m: worst_loss_by_search(m, effort)):
        with pytest.raises(TooLargeError) as caught:
            refused(Effort(9, memory=need - 1), small())
        assert caught.value.option == "memory"
    with pytest.raises(TooLargeError, match="4 data sets, 6 ordered pairs, 4 outputs"):
        worst_delta(small(), Fraction(1), Effort(9, memory=need - 1))


def test_progress_runs_from_nothing_to_all():
    seen = []
    mechanism = make_mechanism("EHD", make_model(3, prior="1,2"), 1, {})
    list(pairs(mechanism, Effort(progress=lambda done, total: seen.append((done, total)))))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_the_hockey_stick_by_hand():
    at = Fraction(1, 2)
    with balls.precision(100):
        factor = ball(at).exp()
        part = Mass(ball(Fraction(1, 2)), ball(Fraction(1, 4)))
        tie = Mass(ball(Fraction(1, 4)) * factor, ball(Fraction(1, 4)), at)
        above, below = Mass(ball(3), ball(1), Fraction(1)), Mass(ball(1), ball(2), Fraction(-1))
        assert hockey_stick([tie], at, factor).is_zero()
        assert hockey_stick([below], at, factor).is_zero()
        assert hockey_stick([part._replace(p=ball(Fraction(1, 5)))], at, factor).is_zero()
        for mass in (part, above):
            assert balls.overlap(hockey_stick([mass, tie], at, factor), mass.p - factor * mass.p_prime)
        lone = Mass(ball(0), ball(1), Fraction(1))  # the sign is the loss's word, not the balls'
        assert balls.overlap(hockey_stick([lone], at, factor), -factor)


def test_a_mass_in_the_other_order():
    mass = Mass(ball(1), ball(2), Fraction(1, 3))
    assert mass.swapped() == (mass.p_prime, mass.p, Fraction(-1, 3))
    assert mass._replace(loss=None).swapped().loss is None


def test_the_verdict_at_the_ends_of_the_enclosure():
    found = Enclosure(Fraction(1, 2), Fraction(3, 4), 2)
    assert verdict(found, Fraction(3, 4)) is Verdict.PROVED
    assert verdict(found, Fraction(74, 100)) is Verdict.UNDECIDED
    assert verdict(found, Fraction(1, 2)) is Verdict.UNDECIDED
    assert verdict(found, Fraction(49, 100)) is Verdict.REFUTED
    assert verdict(infinite(), Fraction(10**9)) is Verdict.REFUTED


@pytest.mark.parametrize(("size", "bits", "kept"), [(101, 53, 44296), (101, 255, 44296), (101, 256, 22148)])
def test_rows_are_kept_as_far_as_they_fit(size, bits, kept):
    assert ROWS_BYTES == 2**29
    assert rows_kept(size, bits) == kept
    assert rows_kept(2**28, 128) == 4
    assert rows_kept(2**20, 128) == 4
    assert rows_kept(10**6, 128) == 4
    assert rows_kept(8 * 10**5, 128) == 5


def test_old_rows_are_forgotten_and_computed_again():
    mechanism = make_mechanism("EHD", make_model(5), 1, {})
    law = ExponentialLaw(mechanism)
    law._keep = 2
    first, second, third = mechanism.model.histograms[:3]
    before = law.probabilities(first)
    law.probabilities(second)
    law.probabilities(first)  # now the second is the oldest
    law.probabilities(third)
    assert list(law._rows) == [first, third]
    assert len(law._rows) == 2
    law.probabilities(second)
    again = law.probabilities(first)
    assert all(map(balls.overlap, before, again))


def test_the_stated_memory():
    """Bytes by the stated sizes: 600 a histogram, 8 a cell, four rows of balls of 120; 2000 a merged cell law."""
    assert small().memory() == 4 * (600 + 2 * 8 + 4 * 120)
    assert make_mechanism("LSDim", make_model(3), 1, {}).memory() == 2000 * 4 + 600 * 4


@pytest.mark.parametrize(("count", "parts"), [(10, 3), (3, 5), (7, 7), (8, 1)])
def test_parts_make_up_the_whole(count, parts):
    bounds = [cut(count, (i, parts)) for i in range(parts)]
    assert [i for first, last in bounds for i in range(first, last)] == list(range(count))
    assert max(b - a for a, b in bounds) - min(b - a for a, b in bounds) <= 1
    assert cut(count, None) == (0, count)


def test_delta_is_a_probability():
    """The true delta(0) is 1 less 2 e^-200 or so; at few digits the enclosure still ends at 1."""
    found = worst_delta(make_mechanism("EHD", make_model(1), 400, {}), Fraction(0), Effort(5)).value
    assert found.upper == 1
    assert found.lower >= Fraction(99998, 100000)


def test_the_defaults_of_the_documents():
    model = make_model(2)
    assert REGISTRY["EHDS"](model, Fraction(1)).gamma == REGISTRY["MH"](model, Fraction(1)).gamma == 1
    assert REGISTRY["MHdelta"](model, Fraction(1)).delta == Fraction(1, 10**8)
    assert REGISTRY["EHD"](model, Fraction(1)).gs == "constant"
    assert REGISTRY["MHdelta"](model, Fraction(2), Fraction(1, 9)).claimed() == EpsilonDelta(
        Fraction(2), Fraction(1, 9)
    )

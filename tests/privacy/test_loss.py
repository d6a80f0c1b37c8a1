"""The auditor's own parts by hand: memory, the hockey stick, the verdict."""

from fractions import Fraction

import pytest

from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.numbers.errors import TooLargeError
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import hockey_stick, verdict, worst_delta, worst_loss_by_search
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


def test_delta_is_a_probability():
    """The true delta(0) is 1 less 2 e^-200 or so; at few digits the enclosure still ends at 1."""
    found = worst_delta(make_mechanism("EHD", make_model(1), 400, {}), Fraction(0), Effort(5)).value
    assert found.upper == 1
    assert found.lower >= Fraction(99998, 100000)

"""The normal distribution function and its inverse against mpmath, in both tails."""

import pytest
from mpmath import mp

from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.normal import normal, quantile


@pytest.mark.parametrize("z", ["-9", "-3/2", "-1/7", "0", "1/3", "2", "8"])
def test_against_mpmath(z):
    with mp.workdps(60), balls.precision(400):
        over, under = (int(part) for part in f"{z}/1".split("/")[:2])
        value = balls.ends(normal(ball(over) / under))
        wanted = mp.ncdf(mp.mpf(over) / under)
        for end in value:
            assert abs(mp.mpf(end.numerator) / end.denominator / wanted - 1) < mp.mpf(10) ** -55
        lower, upper = normal(ball(over) / under), normal(-ball(over) / under)
        back = balls.ends(quantile(lower, upper))
    assert back[0] * under <= over <= back[1] * under
    assert back[1] - back[0] < 1e-50

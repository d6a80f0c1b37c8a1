"""The sign of a function of the closed class: by algebra and balls, never by a guess."""

from fractions import Fraction as F

import pytest

from dpaudit.noise import signs
from dpaudit.numbers import exponentials
from dpaudit.numbers.balls import PrecisionExhausted


def test_a_sign_that_no_precision_tells_is_not_guessed(monkeypatch):
    tiny = {F(1, 10**60): F(1), F(0): F(-1)}  # e^(10^-60) - 1 > 0
    assert signs.sign_of(tiny) == 1
    monkeypatch.setattr(exponentials, "SIGN_BITS", 128)
    with pytest.raises(PrecisionExhausted):
        signs.sign_of(tiny)

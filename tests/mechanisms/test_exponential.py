"""The rows of the exponential family are kept as far as they fit."""

import pytest

from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.exponential import ROWS_BYTES, ExponentialLaw, rows_kept
from dpaudit.numbers import balls
from dpaudit.posterior.model import make_model


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

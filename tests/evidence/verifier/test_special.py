"""Constants of the special functions."""

from dpaudit.evidence.verifier.special import _tangents


def test_the_tangent_numbers():
    assert _tangents(8)[:9] == [0, 1, 2, 16, 272, 7936, 353792, 22368256, 1903757312]

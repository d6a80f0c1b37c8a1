"""The model and its data: the largest that there are, and what is none."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.posterior.model import make_model, parse_data


def test_the_largest_models():
    assert make_model(10**9, 1000).k == 1000
    assert make_model(1, prior="1,1").size == 2
    for arguments, option in (((10**9 + 1,), "n"), ((1, 1001), "k"), ((1, None, [1] * 1001), "prior")):
        with pytest.raises(dpaudit.InputError) as caught:
            make_model(*arguments)
        assert caught.value.option == option
    assert make_model(1, prior=[1] * 1000).k == 1000
    with pytest.raises(dpaudit.InputError, match=r"^x = .*: cell counts must be whole numbers >= 0"):
        make_model(3).check("x", [Fraction(3), 0])


def test_a_data_set_has_two_cells_and_a_record():
    assert parse_data("1,2") == parse_data([1, 2]) == parse_data(iter([1, 2])) == (1, 2)
    assert parse_data("0,1") == (0, 1)
    for bad in ("3", "0,0", [3], []):
        with pytest.raises(dpaudit.InputError, match="at least 2 cells and 1 record"):
            parse_data(bad)

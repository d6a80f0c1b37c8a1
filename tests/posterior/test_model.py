"""The model and its data: the largest that there are, what is none, and its symmetries."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.posterior.model import hamming, make_model, parse_data

SETTINGS = [(7, ("1", "1")), (6, ("1/2", "3")), (4, ("1", "1", "1")), (3, ("1", "2", "1")), (2, ("1", "1", "3", "3"))]


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


@pytest.mark.parametrize(("n", "prior"), SETTINGS)
def test_canonical_is_one_histogram_of_the_orbit(n, prior):
    model = make_model(n, prior=prior)
    for c in model.histograms:
        (image,) = model.canonical(c)
        assert model.canonical(image) == (image,)
        assert sorted(zip(model.prior, image, strict=True)) == sorted(zip(model.prior, c, strict=True))


@pytest.mark.parametrize(("n", "prior"), SETTINGS)
def test_pairs_are_permuted_together(n, prior):
    model = make_model(n, prior=prior)
    for c in model.histograms:
        for d in model.histograms:
            x, y = model.canonical(c, d)
            assert hamming(x, y) == hamming(c, d)


def test_distance_by_hand():
    assert hamming((3, 0, 1), (0, 2, 2)) == 3
    assert hamming((3, 0, 1), (2, 1, 1)) == 1
    assert hamming((3, 0, 1), (3, 0, 1)) == 0

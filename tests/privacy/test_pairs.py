"""Each orbit is done once; without the symmetry the answer is the same."""

from fractions import Fraction

import pytest

from dpaudit.mechanisms import REGISTRY, make_mechanism
from dpaudit.posterior.model import hamming, make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_delta, worst_loss_by_search
from dpaudit.privacy.pairs import pairs

SETTINGS = [(7, ("1", "1")), (6, ("1/2", "3")), (4, ("1", "1", "1")), (3, ("1", "2", "1")), (2, ("1", "1", "3", "3"))]


def without_symmetry(mechanism):
    """The same mechanism, every ordered pair of data sets looked at."""
    plain = type(
        "Plain",
        (type(mechanism),),
        {"symmetry": lambda self: None},
    )
    own = {p.name: getattr(mechanism, p.name) for p in mechanism.parameters}
    return plain(mechanism.model, mechanism.epsilon, **own)


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize(("n", "prior"), SETTINGS)
def test_the_result_is_the_same_without_symmetry(name, n, prior):
    values = {p.name: p.examples[1] for p in REGISTRY[name].parameters}
    mechanism = make_mechanism(name, make_model(n, prior=prior), "3/2", values)
    plain = without_symmetry(mechanism)
    assert len(list(pairs(plain))) == mechanism.counts().pairs // 2
    assert len(list(pairs(mechanism))) <= len(list(pairs(plain)))
    assert worst_loss_by_search(mechanism, Effort(25)).value == worst_loss_by_search(plain, Effort(25)).value
    at = Fraction(1, 3)
    assert worst_delta(mechanism, at, Effort(25)).value == worst_delta(plain, at, Effort(25)).value


def test_orbits_save_work_where_the_prior_is_equal():
    mechanism = make_mechanism("EHD", make_model(6, 3), 1, {})
    assert len(list(pairs(mechanism))) * 4 < mechanism.counts().pairs // 2


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

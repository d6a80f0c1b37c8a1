"""Pairs up to symmetry: each orbit is done once, in parts or at once, and the answer is the same without it."""

from fractions import Fraction

import pytest

from dpaudit.mechanisms import REGISTRY, make_mechanism
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_delta, worst_loss_by_search
from dpaudit.privacy.pairs import cut, pairs

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


def test_progress_runs_from_nothing_to_all():
    seen = []
    mechanism = make_mechanism("EHD", make_model(3, prior="1,2"), 1, {})
    list(pairs(mechanism, Effort(progress=lambda done, total: seen.append((done, total)))))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(("count", "parts"), [(10, 3), (3, 5), (7, 7), (8, 1)])
def test_parts_make_up_the_whole(count, parts):
    bounds = [cut(count, (i, parts)) for i in range(parts)]
    assert [i for first, last in bounds for i in range(first, last)] == list(range(count))
    assert max(b - a for a, b in bounds) - min(b - a for a, b in bounds) <= 1
    assert cut(count, None) == (0, count)

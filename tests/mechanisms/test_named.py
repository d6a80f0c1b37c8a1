"""The mechanisms by name: every one of them, over the examples of its parameters, against its closed forms."""

from fractions import Fraction
from itertools import product

import pytest

import dpaudit
from dpaudit.mechanisms import named
from dpaudit.mechanisms.named.base import INFINITE
from dpaudit.numbers import balls
from dpaudit.numbers.expressions import as_ball

EPSILONS = (Fraction(1), Fraction(3, 10), Fraction(5, 2))


def settings():
    """Every mechanism, each parameter at each of its examples, the others at their defaults; at three epsilons."""
    for name in named.names():
        kind = named.kind_of(name)
        found = [{}] + [{p.name: example} for p in kind.parameters for example in p.examples]
        for given, eps in product(found, EPSILONS if kind.takes_epsilon else [None]):
            yield pytest.param((name, given if eps is None else {**given, "eps": eps}), id=f"{name}-{given}-{eps}")


@pytest.fixture(params=settings())
def audited(request):
    name, given = request.param
    try:
        return dpaudit.mechanism(name, **given), name, given
    except dpaudit.InputError:  # two examples that do not go together
        pytest.skip("no such mechanism")


def target_of(mechanism):
    return getattr(mechanism, "original", mechanism)._target


def test_the_engine_contains_the_closed_epsilon(audited):
    mechanism = audited[0]
    closed = target_of(mechanism).closed_epsilon()
    found = dpaudit.epsilon(mechanism).epsilon
    if closed == INFINITE:
        assert found.is_infinite
    elif closed is not None:
        with balls.precision(200):
            assert balls.overlap(as_ball(closed), balls.from_ends(balls.ball(found.lower), balls.ball(found.upper)))
    claimed = mechanism.claimed()
    assert claimed is None or dpaudit.judge(mechanism).verdict.value == "PROVED"


def test_the_engine_contains_the_closed_delta(audited):
    mechanism, _, given = audited
    target = target_of(mechanism)
    for share in (Fraction(0), Fraction(1, 3), Fraction(9, 10)):
        at = share * given.get("eps", 1)
        with balls.precision(200):
            closed = target.closed_delta(at)
            if closed is None:
                return
            found = dpaudit.delta(mechanism, at).delta
            assert balls.overlap(as_ball(closed), balls.from_ends(balls.ball(found.lower), balls.ball(found.upper)))


def test_a_wrong_closed_form_is_seen(monkeypatch):
    """The test above compares with what the class says; said wrongly, it fails."""
    kind = named.kind_of("randomized-response")
    mechanism = dpaudit.mechanism("randomized-response", k=5)
    monkeypatch.setattr(kind, "closed_epsilon", lambda self: self.epsilon + Fraction(1, 10**12))
    with pytest.raises(AssertionError):
        test_the_engine_contains_the_closed_epsilon((mechanism, "randomized-response", {}))


@pytest.mark.parametrize("name", named.names())
def test_every_class_says_what_it_is(name):
    kind = named.kind_of(name)
    assert kind.name == name
    assert all((kind.summary, kind.formula, kind.source, kind.covers, kind.claims, kind.__doc__))
    assert named.canonical(name) == (name, {})


@pytest.mark.parametrize("alias", named.ALIASES)
def test_an_alias_is_its_mechanism(alias):
    name, variants = named.canonical(alias)
    assert dpaudit.mechanism(alias).settings() == dpaudit.mechanism(name, **variants).settings()


def test_names_load_nothing():
    """A name is looked up without its class: the table has texts alone."""
    assert all(isinstance(where, str) for group in named.NAMED.values() for where in group.values())

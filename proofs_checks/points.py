"""What the points of a grid stand for: rationals and priors from text, the model, its adjacent pairs, the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeVar

from dpaudit.claims import Point
from dpaudit.mechanisms import PosteriorMechanism, make_mechanism
from dpaudit.numbers.rationals import Exact
from dpaudit.posterior.model import Histogram, Model, make_model, neighbors

Prior = tuple[Fraction, ...]
Pair = tuple[Histogram, Histogram]
M = TypeVar("M")


def rationals(texts: str) -> Prior:
    """The numbers of "1 1/2 2", in that order: the order of search."""
    return tuple(map(Fraction, texts.split()))


def priors(*texts: str) -> tuple[Prior, ...]:
    """The priors "1 1", "1/2 1/2", … in that order."""
    return tuple(map(rationals, texts))


def model_at(point: Point) -> Model:
    """The model of a point: its n, and its prior or its k."""
    return make_model(point.n, getattr(point, "k", None), getattr(point, "prior", None))


def adjacent_pairs(model: Model) -> Iterator[Pair]:
    """Yields every ordered adjacent pair."""
    for x in model.histograms:
        for y in neighbors(x):
            yield x, y


def maker(mech: str, **options: Exact) -> Callable[[Point], PosteriorMechanism]:
    """point ↦ the mechanism of that name there: the point's model, its ε, its γ or δ if it has one."""
    return lambda point: make_mechanism(mech, model_at(point), point.eps, {**options, **_own(point)})


def exponential_at(kind: Callable[..., M], point: Point) -> M:
    """The mechanism of that class at a point."""
    return kind(model_at(point), Fraction(point.eps), **_own(point))


def _own(point: Point) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in vars(point).items() if name in ("gamma", "delta")}

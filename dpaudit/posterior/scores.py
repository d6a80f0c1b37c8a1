"""What an exponential mechanism may use as its score: a distance s(x, r) between posteriors of one model.

A metric allows the shortcut LS(x) = max over adjacent x' of s(x, x'); any other score takes the definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.divergences import DIVERGENCES, Divergence, check_offered
from dpaudit.posterior.model import Histogram, Model, neighbors


class Score(Protocol):
    """A score of one model, as balls at the precision in force when it was made."""

    model: Model

    def row(self, c: Histogram) -> Sequence[Ball]:
        """Balls that contain s(c, r) for every histogram r, in the model's order."""

    def local(self, c: Histogram) -> Ball:
        """A ball that contains LS(c)."""


class DivergenceScore:
    """Another distance as the score; its sensitivities follow the definition, with the maximum over r."""

    def __init__(self, divergence: Divergence) -> None:
        self.model = divergence.model
        self._divergence = divergence

    def row(self, c: Histogram) -> list[Ball]:
        """Balls that contain s(c, r), the true posterior first."""
        return self._divergence.row(c)

    def local(self, c: Histogram) -> Ball:
        """A ball that contains LS(c) = max over adjacent c' and all r of |s(c,r) - s(c',r)|."""
        own = self.row(c)
        return balls.maximum(
            [balls.maximum([abs(a - b) for a, b in zip(own, self.row(d), strict=True)]) for d in neighbors(c)]
        )


def make_score(name: str, model: Model) -> Score:
    """The score of that name at the precision in force."""
    if name == Hellinger.name:
        return Hellinger(model)
    return DivergenceScore(DIVERGENCES[name](model))


def check_score(name: str, model: Model) -> None:
    """Refuses a score that is not offered for this model or not finite on it."""
    check_offered("score", name, model)
    if name == "chi2" and not min(model.prior) > model.n:
        rule = f"is infinite for some data and candidate unless every prior entry is > n = {model.n}"
        raise InputError("score", name, rule)

"""The optimizer over priors (and epsilon) on the float surrogate, and simple rationals near what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import Any

import numpy as np
from scipy.optimize import minimize

from dpaudit.studies.search.region import BOX, Region
from dpaudit.studies.search.surrogate import Surrogate


@dataclass(frozen=True)
class Guess:
    """A place where the float ratio is large: log10 of the prior entries, epsilon, ratio. Nothing is certified."""

    n: int
    logs: tuple[float, ...]
    epsilon: float
    ratio: float


@dataclass
class Optimizer:
    """Finds large float ratios in a region."""

    mechanism: Any
    region: Region
    evaluations: int = 0

    def __post_init__(self) -> None:
        self._surrogates: dict[int, Surrogate] = {}
        self.k, self.box = self.region.k or 2, self.region.box or BOX
        self._epsilons = np.array([float(e) for e in self.region.epsilons])

    def at(self, n: int) -> Surrogate:
        """The surrogate for n; a few are kept."""
        if n not in self._surrogates:
            if len(self._surrogates) > 16:
                self._surrogates.pop(next(iter(self._surrogates)))
            self._surrogates[n] = Surrogate(self.mechanism, n, self.k)
        return self._surrogates[n]

    def look(self, n: int, logs: Sequence[float], epsilons: Sequence[float] | None = None) -> Guess:
        """The best epsilon of the region's list (or of ``epsilons``) for this prior."""
        tried = self._epsilons if epsilons is None else np.array(epsilons)
        self.evaluations += len(tried)
        ratios = self.at(n).ratios(10.0 ** np.array(logs), tried)
        best = int(np.argmax(ratios))
        return Guess(n, tuple(float(v) for v in logs), float(tried[best]), float(ratios[best]))

    def screen(self, n: int, extra: Sequence[tuple[float, ...]] = ()) -> list[Guess]:
        """The seeds (and ``extra``) at n, best first."""
        guesses = [self.look(n, logs) for logs in (*extra, *self.region.seeds())]
        return sorted(guesses, key=lambda guess: -guess.ratio)

    def polish(self, start: Guess, effort: int = 120) -> Guess:
        """A local maximum near the start: Nelder-Mead over the logarithms of prior entries, epsilon if free."""
        low, high = (log10(end) for end in self.box)
        bounds = [(low, high)] * self.k
        point = list(start.logs)
        if self.region.free_epsilon:
            bounds.append((log10(self._epsilons[0]), log10(self._epsilons[-1])))
            point.append(log10(start.epsilon))

        def loss(v: Sequence[float]) -> float:
            epsilons = [10.0 ** v[-1]] if self.region.free_epsilon else None
            return -self.look(start.n, v[: self.k], epsilons).ratio

        result = minimize(loss, point, method="Nelder-Mead", bounds=bounds, options={"maxfev": effort, "xatol": 1e-3})
        epsilons = [10.0 ** result.x[-1]] if self.region.free_epsilon else None
        guess = self.look(start.n, result.x[: self.k], epsilons)
        return guess if guess.ratio > start.ratio else start

    def best_at(self, n: int, extra: Sequence[tuple[float, ...]] = (), starts: int = 2) -> Guess:
        """The best guess at n: the seeds, then a local search from the best of them."""
        ranked = self.screen(n, extra)[:starts]
        return max((self.polish(guess) for guess in ranked), key=lambda guess: guess.ratio)

    def simple(self, guess: Guess, enough: float) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
        """Yields rationals near the guess, the simplest first, whose float ratio is at least ``enough``.

        The very first has powers of ten as near to 1 as the ratio allows.
        """
        yield from self._gentle(guess, enough)
        for digits in range(7):
            prior = tuple(self._clip(rounded(10.0**v, digits)) for v in guess.logs)
            epsilon = self._epsilon(guess.epsilon, digits)
            logs = [log10(p) for p in prior]
            if digits == 6 or self.look(guess.n, logs, [float(epsilon)]).ratio >= enough:
                yield prior, epsilon

    def _gentle(self, guess: Guess, enough: float) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
        """Yields powers of ten with smaller exponents than the guess's, if the ratio stays large enough."""
        epsilon = self._epsilon(guess.epsilon, 0)
        logs = [round(v) for v in guess.logs]
        if self.look(guess.n, logs, [float(epsilon)]).ratio < enough:
            return
        for i in sorted(range(len(logs)), key=lambda i: -abs(logs[i])):
            while logs[i]:
                nearer = [*logs[:i], logs[i] - (1 if logs[i] > 0 else -1), *logs[i + 1 :]]
                if self.look(guess.n, nearer, [float(epsilon)]).ratio < enough:
                    break
                logs = nearer
        yield tuple(self._clip(Fraction(10) ** v) for v in logs), epsilon

    def _clip(self, value: Fraction) -> Fraction:
        return min(max(value, self.box[0]), self.box[1])

    def _epsilon(self, value: float, digits: int) -> Fraction:
        listed = self.region.epsilons
        nearest = min(listed, key=lambda e: abs(log10(e) - log10(value)))
        if not self.region.free_epsilon or digits == 0 or abs(float(nearest) - value) < 1e-9 * value:
            return nearest
        return min(max(rounded(value, digits), listed[0]), listed[-1])


def rounded(value: float, digits: int) -> Fraction:
    """A rational with so many significant decimal digits; 0 digits is the nearest power of ten."""
    if digits == 0:
        return Fraction(10) ** round(log10(value))
    unit = Fraction(10) ** (floor(log10(value)) - digits + 1)
    return round(Fraction(value) / unit) * unit

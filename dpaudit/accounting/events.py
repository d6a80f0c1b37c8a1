"""The events of a pipeline: one class for each kind of release, with exact parameters.

``Gaussian(sigma=4) * 100`` is a hundred releases. Every event has a pair whose compositions dominate, and pairs that
some neighboring datasets attain; for most events these are the same pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.accounting.event import Event, check_rate, check_scale, loss_of, one_of
from dpaudit.accounting.pairs import Atom, Bell, Pair, Piece, Ramp
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import nonnegative, positive, probability, whole

MOST_ATOMS = 20_000


@dataclass(frozen=True, kw_only=True)
class Gaussian(Event):
    """The Gaussian mechanism: a value of the given sensitivity plus N(0, sigma^2), of a Poisson sample if rate < 1."""

    sigma: Fraction
    sensitivity: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)
    name = "gaussian"

    def check(self) -> None:
        """sigma > 0, sensitivity > 0, 0 < rate <= 1."""
        positive("sigma", self.sigma)
        positive("sensitivity", self.sensitivity)
        check_rate(self.rate)

    exact = False

    @property
    def mu_squared(self) -> Fraction:
        """(sensitivity / sigma)^2."""
        return (self.sensitivity / self.sigma) ** 2

    def dominating(self) -> Pair:
        """N(mu, 1) against N(0, 1), mixed by the sampling."""
        return Pair(pieces=(Bell(self.mu_squared),)).sampled(self.rate)


@dataclass(frozen=True, kw_only=True)
class Laplace(Event):
    """The Laplace mechanism with the given scale, or eps = sensitivity / scale; of a Poisson sample if rate < 1."""

    scale: Fraction | None = None
    eps: Fraction | None = None
    sensitivity: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)
    name = "laplace"

    def check(self) -> None:
        """One of scale and eps, > 0."""
        check_scale(self.scale, self.eps, self.sensitivity)
        check_rate(self.rate)

    exact = False

    @property
    def largest_loss(self) -> Fraction:
        """sensitivity / scale."""
        return loss_of(self.scale, self.eps, self.sensitivity)

    def dominating(self) -> Pair:
        """Two atoms at the losses -eps and eps, and a density between them."""
        e = self.largest_loss

        def atoms() -> list[Atom]:
            small = (-ball(e)).exp() / 2
            return [Atom(small, ball(Fraction(1, 2)), -e), Atom(ball(Fraction(1, 2)), small, e)]

        return Pair(pieces=(_half_ramp(e),), atoms=atoms).sampled(self.rate)


def _half_ramp(eps: Fraction) -> Piece:
    return Ramp(eps, _half)


def _half() -> Ball:
    return ball(Fraction(1, 2))


@dataclass(frozen=True, kw_only=True)
class DiscreteLaplace(Event):
    """x plus noise on the whole numbers with Pr[z] proportional to ``e^(-|z| / scale)``; eps = sensitivity / scale."""

    scale: Fraction | None = None
    eps: Fraction | None = None
    sensitivity: int = 1
    rate: Fraction = Fraction(1)
    name = "discrete-laplace"

    def check(self) -> None:
        """One of scale and eps; the sensitivity is a whole number."""
        check_scale(self.scale, self.eps, self.sensitivity)
        whole("sensitivity", self.sensitivity, 1, 10**4)
        check_rate(self.rate)

    @property
    def largest_loss(self) -> Fraction:
        """sensitivity / scale."""
        return loss_of(self.scale, self.eps, self.sensitivity)

    def dominating(self) -> Pair:
        """The losses (2j - s) / scale for j = 0 .. s."""
        s = self.sensitivity
        e = self.largest_loss / s

        def atoms() -> list[Atom]:
            t = (-ball(e)).exp()
            unit, far = (1 - t) / (1 + t), 1 / (1 + t)
            p = [t**s * far, *(unit * t ** (s - j) for j in range(1, s)), far]
            return [Atom(p[j], p[s - j], e * (2 * j - s)) for j in range(s + 1)]

        return Pair(atoms=atoms).sampled(self.rate)


@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(Event):
    """x plus noise on the whole numbers with Pr[z] proportional to ``e^(-z^2 / (2 sigma^2))``."""

    sigma: Fraction
    sensitivity: int = 1
    rate: Fraction = Fraction(1)
    name = "discrete-gaussian"

    def check(self) -> None:
        """sigma > 0; the sensitivity is a whole number."""
        sigma = positive("sigma", self.sigma)
        whole("sensitivity", self.sensitivity, 1, 10**4)
        if sigma > MOST_ATOMS // 60:
            raise InputError("sigma", self.sigma, f"must be at most {MOST_ATOMS // 60}; use gaussian for more")
        check_rate(self.rate)

    def dominating(self) -> Pair:
        """The losses s (2z - s) / (2 sigma^2) of z; the tails beyond 20 sigma are left out."""
        sigma, s = self.sigma, self.sensitivity
        reach = int(20 * sigma) + 2 + s
        square = 2 * sigma * sigma

        def weights() -> tuple[list[Ball], Ball, Ball]:
            powers = [(-ball(Fraction(z * z) / square)).exp() for z in range(reach + 1)]
            beyond = (-ball(Fraction((reach + 1) ** 2) / square)).exp() / (
                1 - (-ball(Fraction(2 * reach + 3) / square)).exp()
            )
            beyond = balls.from_ends(balls.zero(), beyond.upper())
            return powers, beyond, powers[0] + 2 * (balls.total(powers[1:]) + beyond)

        def atoms() -> list[Atom]:
            powers, _, total = weights()
            return [
                Atom(powers[abs(z - s)] / total, powers[abs(z)] / total, Fraction(s * (2 * z - s)) / square)
                for z in range(s - reach, reach + 1)
            ]

        def rest() -> Ball:
            powers, beyond, total = weights()
            missing = balls.total(powers[reach - s + 1 :])
            return (2 * (beyond + missing) / total).upper()

        return Pair(atoms=atoms, left_out=rest).sampled(self.rate)


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Event):
    """One of k answers: the true one with probability ``e^eps / (e^eps + k - 1)``, each other one equally likely.

    With ``noise`` instead of eps: an answer drawn uniformly with that probability, else the true one.
    """

    eps: Fraction | None = None
    k: int = 2
    noise: Fraction | None = None
    name = "randomized-response"

    def check(self) -> None:
        """Either eps > 0 or 0 < noise < 1; k >= 2."""
        one_of("eps", self.eps, "noise", self.noise)
        if self.noise is not None:
            probability("noise", self.noise)
        whole("k", self.k, 2, 10**9)

    @property
    def exact(self) -> bool:
        """Whether eps is given: only then is it rational."""
        return self.eps is not None

    @property
    def largest_loss(self) -> Fraction | None:
        """eps, where it is given."""
        return self.eps

    def _odds(self) -> Ball:
        """The true answer against each other one: e^eps."""
        if self.eps is not None:
            return ball(self.eps).exp()
        assert self.noise is not None
        return ball(1 + self.k * (1 - self.noise) / self.noise)

    def dominating(self) -> Pair:
        """The losses -eps, 0 (if k > 2) and eps."""
        e, k = self.eps, self.k

        def atoms() -> list[Atom]:
            grown = self._odds()
            total = grown + k - 1
            atoms = [Atom(1 / total, grown / total, None if e is None else -e), Atom(grown / total, 1 / total, e)]
            return [*atoms, Atom((k - 2) / total, (k - 2) / total, Fraction(0))] if k > 2 else atoms

        return Pair(atoms=atoms)


@dataclass(frozen=True, kw_only=True)
class Pure(Event):
    """Any (eps, delta)-differentially private release: the worst one there is (Kairouz, Oh, Viswanath 2015)."""

    eps: Fraction
    delta: Fraction = Fraction(0)
    name = "pure"

    def check(self) -> None:
        """eps >= 0, 0 <= delta < 1."""
        nonnegative("eps", self.eps)
        if not 0 <= self.delta < 1:
            raise InputError("delta", self.delta, "must be >= 0 and < 1")

    @property
    def largest_loss(self) -> Fraction:
        """eps."""
        return self.eps

    def dominating(self) -> Pair:
        """With probability delta everything is revealed, else randomized response."""
        e, rest = self.eps, 1 - self.delta

        def atoms() -> list[Atom]:
            grown = ball(e).exp()
            low, high = ball(rest) / (1 + grown), ball(rest) * grown / (1 + grown)
            return [Atom(low, high, -e), Atom(high, low, e)] if e else [Atom(ball(rest), ball(rest), Fraction(0))]

        def revealed() -> Ball:
            return ball(self.delta)

        return Pair(atoms=atoms, p_only=revealed, q_only=revealed)


@dataclass(frozen=True, kw_only=True)
class Exponential(Event):
    """The exponential mechanism, eps-differentially private with weights ``e^(eps score / (2 sensitivity))``.

    Its losses lie in an interval of length eps (Dong, Durfee, Rogers 2020). The dominating pair has the largest delta
    over all pairs of two outputs with the losses t and t - eps; the pair with t = eps/2 is attained.
    """

    eps: Fraction
    name = "exponential"

    def check(self) -> None:
        """eps > 0."""
        positive("eps", self.eps)

    exact = False

    @property
    def largest_loss(self) -> Fraction:
        """eps."""
        return self.eps

    def dominating(self) -> Pair:
        """delta(l) = (1 - e^((l-eps)/2))^2 / (1 - e^-eps)."""
        return Pair(pieces=(_whole_ramp(self.eps),))

    def attained(self) -> Sequence[Pair]:
        """Randomized response with eps/2."""
        return [RandomizedResponse(eps=self.eps / 2).dominating()]


@dataclass(frozen=True)
class _Bounded:
    eps: Fraction

    def __call__(self) -> Ball:
        return 1 / (1 - (-ball(self.eps)).exp())


def _whole_ramp(eps: Fraction) -> Piece:
    return Ramp(eps, _Bounded(eps))

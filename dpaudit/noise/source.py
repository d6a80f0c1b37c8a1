"""The source of ideal draws that code with noise receives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.noise.families import Family
from dpaudit.noise.linear import Linear, number, refuse
from dpaudit.noise.symbols import Real, Whole, exact
from dpaudit.numbers.exponentials import of_rational
from dpaudit.numbers.expressions import Expression, exponential_form

if TYPE_CHECKING:
    from dpaudit.noise.explore import Run


class Noise:
    """The source of ideal draws: the annotation of the parameter ``noise`` of sample(self, x, noise)."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getattr__(self, name: str) -> Any:
        """Refuses a draw that there is not, and names those that there are."""
        if name.startswith("_"):
            raise AttributeError(name)
        refuse(f"noise has no {name}: it has {', '.join(own for own in vars(Noise) if own[0] != '_')}")

    def _real(self, kind: str, scale: Any, what: str) -> Any:
        size = exact(scale, what)
        if size <= 0:
            refuse(f"{what} is {size}: it must be > 0")
        return Real(self._run, self._run.draw(Family(kind, size)))

    def laplace(self, scale: Any) -> Any:
        """A draw with density ``e^(-|t|/scale) / (2 scale)``."""
        return self._real("laplace", scale, "the scale of laplace")

    def exponential(self, scale: Any) -> Any:
        """A draw with density ``e^(-t/scale) / scale`` for t > 0."""
        return self._real("exponential", scale, "the scale of exponential")

    def gaussian(self, sigma: Any) -> Any:
        """A normal draw with mean 0 and standard deviation sigma."""
        return self._real("gaussian", sigma, "the sigma of gaussian")

    def uniform(self, low: Any, high: Any) -> Any:
        """A uniform draw from the interval."""
        ends = exact(low, "the lower end of uniform"), exact(high, "the upper end of uniform")
        if ends[0] >= ends[1]:
            refuse(f"uniform needs low < high, got {ends[0]} and {ends[1]}")
        return Real(self._run, self._run.draw(Family("uniform", *ends)))

    def _whole(self, kind: str, scale: Any, what: str) -> Any:
        size = exact(scale, what)
        if size <= 0:
            refuse(f"{what} is {size}: it must be > 0")
        return Whole(self._run, self._run.draw(Family(kind, size)), Fraction(1), Fraction(0))

    def discrete_laplace(self, scale: Any) -> Any:
        """A whole number k with probability proportional to ``e^(-|k|/scale)``."""
        return self._whole("discrete laplace", scale, "the scale of discrete_laplace")

    def discrete_gaussian(self, sigma: Any) -> Any:
        """A whole number k with probability proportional to ``e^(-k^2/(2 sigma^2))``."""
        return self._whole("discrete gaussian", sigma, "the sigma of discrete_gaussian")

    def bernoulli(self, p: Any) -> int:
        """1 with probability p, else 0; p is rational or an expression such as 1/(1 + dpaudit.exp(1))."""
        if isinstance(p, Expression):
            form = exponential_form(p)
            if form is None:
                refuse("the probability of bernoulli must be built from rationals and exp(rational)")
        else:
            form = of_rational(exact(p, "the probability of bernoulli"))
        return self._run.coin(form)

    def argmax(self, values: Sequence[Any]) -> int:
        """The position of the largest value: one fork with a branch for each, instead of one for each comparison."""
        if not values:
            refuse("argmax of an empty list")
        return self._run.largest([value.form if isinstance(value, Real) else _plain(value) for value in values])

    def argmin(self, values: Sequence[Any]) -> int:
        """The position of the smallest value."""
        return self.argmax([-value for value in values])


def _plain(value: Any) -> Linear:
    if isinstance(value, Whole):
        refuse("argmax of rounded draws, which may tie: compare them one by one")
    return number(exact(value, "a value in argmax"))

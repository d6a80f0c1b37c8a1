"""Which distances are below a threshold t: by certified comparison, a tie with t by algebra."""

from __future__ import annotations

from fractions import Fraction
from math import comb, floor, prod

from flint import fmpz

from dpaudit.numbers import balls
from dpaudit.numbers.balls import NeedsMoreBits, PrecisionExhausted, ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Histogram, Model
from dpaudit.studies.accuracy.staircase import TIE_BITS, Stair, Staircase


class TieUndecided(PrecisionExhausted):
    """A distance could not be told apart from the threshold; the message says what to ask instead."""

    def __init__(self, bits: int, t: Fraction, metric: str) -> None:
        super().__init__(bits)
        self.args = (
            f"t = {t}: some {metric} distance could not be separated from t at {bits} bits and may be equal to it; "
            "take a t a little smaller or larger, or read the steps (--json), which are listed without --t",
        )


def count_below(stairs: Staircase, t: Fraction) -> int:
    """The number of steps whose distance is < t, certified, or NeedsMoreBits.

    For Hellinger, H < t means -BC < t^2 - 1 (every H is below t > 1).
    """
    squared = stairs.metric.name == "hellinger"
    if squared and t > 1:
        return len(stairs.steps)
    bar = ball(t * t - 1 if squared else t)
    for count, step in enumerate(stairs.steps):
        if balls.certainly_less(step.key, bar):
            continue
        if balls.certainly_at_most(bar, step.key):
            return count
        below = _below_by_algebra(stairs, step, t)
        if below is None:
            if balls.working_bits() >= TIE_BITS:
                raise TieUndecided(balls.working_bits(), t, stairs.metric.name)
            raise NeedsMoreBits(balls.working_bits())
        if not below:
            return count
    return len(stairs.steps)


def _below_by_algebra(stairs: Staircase, step: Stair, t: Fraction) -> bool | None:
    """Whether the step's distance is < t, where all its outputs are at one known exact distance; else None."""
    name, model = stairs.metric.name, stairs.metric.model
    values = {exact_key(name, model, stairs.x, stairs.released[i]) for i in step.outputs}
    value = values.pop()
    if values or value is None:
        return None
    return value < (-((1 - t * t) ** 2) if name == "hellinger" else t)


def exact_key(name: str, model: Model, c: Histogram, d: Histogram) -> Fraction | None:
    """The distance (for Hellinger -BC^2, which rises with it) if it is rational and known to be, else None."""
    if name == "hellinger":
        square = bc_squared(model, c, d)
        return None if square.constants else -Fraction(int(square.rational.p), int(square.rational.q))
    if name == "l1":
        return Fraction(sum(abs(i - j) for i, j in zip(c, d, strict=True)))
    return {"chi2": _chi2, "kl": _kl, "tv": _tv}[name](_parameters(model, c), _parameters(model, d))


def _parameters(model: Model, c: Histogram) -> list[Fraction]:
    return [alpha + i for alpha, i in zip(model.prior, c, strict=True)]


def gamma_quotient(a: Fraction, b: Fraction) -> Fraction:
    """Gamma(a) / Gamma(b) for positive a, b with a whole difference.

    >>> gamma_quotient(Fraction(7, 2), Fraction(3, 2))
    Fraction(15, 4)
    """
    if a < b:
        return 1 / gamma_quotient(b, a)
    return prod((b + i for i in range(int(a - b))), start=Fraction(1))


def _beta_quotient(a: list[Fraction], b: list[Fraction]) -> Fraction:
    """B(a) / B(b); the entries differ by whole numbers."""
    cells = prod((gamma_quotient(p, q) for p, q in zip(a, b, strict=True)), start=Fraction(1))
    return cells * gamma_quotient(sum(b, Fraction(0)), sum(a, Fraction(0)))


def _chi2(a: list[Fraction], b: list[Fraction]) -> Fraction:
    """B(2a - b) B(b) / B(a)^2 - 1, always rational where it is finite."""
    beyond = [2 * p - q for p, q in zip(a, b, strict=True)]
    return _beta_quotient(beyond, a) * _beta_quotient(b, a) - 1


def _kl(a: list[Fraction], b: list[Fraction]) -> Fraction | None:
    """The sum of (a_i - b_i) (psi(a_i) - psi(a0)) if B(a) = B(b) and the psi cancel: psi(y + 1) = psi(y) + 1/y."""
    if _beta_quotient(a, b) != 1:
        return None
    weights = [p - q for p, q in zip(a, b, strict=True)]
    terms = [*zip(a, weights, strict=True), (sum(a, Fraction(0)), -sum(weights, Fraction(0)))]
    left: dict[Fraction, Fraction] = {}
    value = Fraction(0)
    for at, weight in terms:
        steps = floor(at) - (at == floor(at))
        base = at - steps
        left[base] = left.get(base, Fraction(0)) + weight
        value += weight * sum((1 / (base + i) for i in range(steps)), Fraction(0)) if weight else 0
    return None if any(left.values()) else value


def _tv(a: list[Fraction], b: list[Fraction]) -> Fraction | None:
    """|I_z(a) - I_z(b)| for whole parameters and equal totals, if the densities cross at a rational z.

    With m = a_1 - b_1 they cross where (z / (1 - z))^m = B(a) / B(b).
    """
    m = a[0] - b[0]
    if sum(a) != sum(b) or any(p.denominator != 1 for p in (*a, *b)):
        return None
    if not m:
        return Fraction(0)
    power = _beta_quotient(a, b) ** (1 if m > 0 else -1)
    ends = [int(fmpz(end).root(abs(int(m)))) for end in (power.numerator, power.denominator)]
    odds = Fraction(*ends)
    if odds ** abs(int(m)) != power:
        return None
    z = odds / (1 + odds)
    return abs(_incomplete_beta(z, a) - _incomplete_beta(z, b))


def _incomplete_beta(z: Fraction, a: list[Fraction]) -> Fraction:
    """I_z(p, q) for whole p, q: the probability of at least p successes in p + q - 1 trials."""
    p, trials = int(a[0]), int(a[0] + a[1]) - 1
    return sum((comb(trials, j) * z**j * (1 - z) ** (trials - j) for j in range(p, trials + 1)), Fraction(0))

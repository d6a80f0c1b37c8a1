"""dp-accounting's events in, and privacy loss distributions for it out.

An event of dp-accounting holds floats. Each is read as the shortest decimal that prints it: 0.8 means 4/5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.accounting.bounds import Measure, upper_measure
from dpaudit.accounting.cells import BITS, Lattice, Range, cells
from dpaudit.accounting.event import Event
from dpaudit.accounting.events import DiscreteLaplace, Gaussian, Laplace, RandomizedResponse
from dpaudit.accounting.floats import up
from dpaudit.accounting.pairs import Pair
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError, missing_extra


def is_dp_event(value: object) -> bool:
    """Whether the object is an event of dp-accounting, without importing it."""
    return any(kind.__name__ == "DpEvent" and "dp_accounting" in kind.__module__ for kind in type(value).__mro__)


def from_dp_event(event: Any, times: int = 1, rate: Fraction = Fraction(1)) -> list[Event]:
    """The events that an event of dp-accounting is made of; others, without a proven dominating pair, are refused."""
    name = type(event).__name__
    if name == "NoOpDpEvent":
        return []
    if name == "ComposedDpEvent":
        _unsampled(event, rate)
        return [part for inner in event.events for part in from_dp_event(inner, times)]
    if name == "SelfComposedDpEvent":
        _unsampled(event, rate)
        return from_dp_event(event.event, times * event.count)
    if name == "PoissonSampledDpEvent":
        return from_dp_event(event.event, times, rate * _exact(event.sampling_probability))
    if name == "GaussianDpEvent":
        return [Gaussian(sigma=_exact(event.noise_multiplier), rate=rate, times=times)]
    if name == "LaplaceDpEvent":
        return [Laplace(scale=_exact(event.noise_multiplier), rate=rate, times=times)]
    if name == "DiscreteLaplaceDpEvent":
        scale = 1 / _exact(event.noise_parameter)
        return [DiscreteLaplace(scale=scale, sensitivity=int(event.sensitivity), rate=rate, times=times)]
    if name == "RandomizedResponseDpEvent":
        _unsampled(event, rate)
        return [RandomizedResponse(noise=_exact(event.noise_parameter), k=int(event.num_buckets), times=times)]
    raise InputError("event", name, "only Poisson sampling under add/remove adjacency has a proven dominating pair")


def _unsampled(event: Any, rate: Fraction) -> None:
    if rate != 1:
        raise InputError(
            "event", type(event).__name__, "a composition cannot be sampled as a whole, only a single mechanism"
        )


def _exact(value: float) -> Fraction:
    return Fraction(repr(float(value)))


def to_dp_event(events: Sequence[Event]) -> Any | None:
    """The composition as an event of dp-accounting; None where it has no such event."""
    import dp_accounting as library
    from dp_accounting import dp_event

    parts = []
    for event in events:
        if isinstance(event, Gaussian):
            one = library.GaussianDpEvent(float(event.sigma / event.sensitivity))
        elif isinstance(event, Laplace):
            one = library.LaplaceDpEvent(1 / float(event.largest_loss))
        elif isinstance(event, DiscreteLaplace):
            per_unit = float(event.largest_loss) / event.sensitivity
            one = dp_event.DiscreteLaplaceDpEvent(per_unit, event.sensitivity)
        else:
            return None
        if event.sampled:
            one = library.PoissonSampledDpEvent(float(event.rate), one)
        parts.append(library.SelfComposedDpEvent(one, event.times))
    return library.ComposedDpEvent(parts)


def to_pld(event: Event, step: Fraction = Fraction(1, 1 << 13)) -> Any:
    """One release as dp-accounting's PrivacyLossDistribution, certifiably pessimistic.

    Every probability is rounded up and every loss lies on the grid of multiples of ``step``, a power of 1/2, so that
    the distribution dominates the event by the theorem of ``bounds``, rounding included. What dp-accounting then
    computes with it, in floats, is not certified.
    """
    try:
        from dp_accounting.pld import pld_pmf, privacy_loss_distribution
    except ImportError:
        raise missing_extra("to_pld", event.name, "accounting", "the export needs dp-accounting") from None
    if Fraction(float(step)) != step or step.numerator != 1:
        raise InputError("step", step, "must be a power of 1/2, which a float holds exactly")
    parts = []
    one = replace(event, times=1)
    pair = one.dominating()
    for direction in (pair,) if pair.symmetric else (pair, pair.other_direction()):
        measure = _dominating(direction, step)
        parts.append(pld_pmf.DensePLDPmf(float(step), measure.first, measure.values, measure.infinite, True))
    return privacy_loss_distribution.PrivacyLossDistribution(*parts)


def _dominating(pair: Pair, step: Fraction) -> Measure:
    beyond = Range(Fraction(1, 10**20), Fraction(1, 10**20))
    with balls.precision(BITS):
        infinite = up((pair.infinite() + pair.left_out()).upper())
    return upper_measure(cells(pair, Lattice(step), beyond), infinite)

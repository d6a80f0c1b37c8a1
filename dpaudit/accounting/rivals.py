"""Other accountants' numbers for the same composition. They are floats: each is marked, none is trusted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from dpaudit.accounting.dp_events import to_dp_event
from dpaudit.accounting.event import Event
from dpaudit.accounting.events import Gaussian, Laplace
from dpaudit.numbers.bounds import Bounds
from dpaudit.numbers.digits import rough

INSIDE, ABOVE, LOW, FAILED = "inside", "valid upper bound", "too low", "failed"


@dataclass(frozen=True)
class Rival:
    """One accountant's epsilon at this delta: a float, or the reason why there is none."""

    accountant: str
    delta: Fraction
    epsilon: float | None
    mark: str
    share: float | None = None
    """Its relative distance above our upper bound, or below our lower one."""
    reason: str = ""

    def text(self) -> str:
        """The mark in words."""
        if self.mark == FAILED or self.share is None:
            return f"{self.mark}: {self.reason}" if self.reason else self.mark
        side = "above" if self.mark == ABOVE else "below our lower bound"
        return f"{self.mark} ({rough(100 * self.share, 2)} % {side})"

    def to_dict(self) -> dict[str, Any]:
        """Its JSON, with the float as Python prints it."""
        value = None if self.epsilon is None else repr(self.epsilon)
        return {
            "accountant": self.accountant,
            "delta": str(self.delta),
            "epsilon_float_not_certified": value,
            "mark": self.mark,
            "relative_distance": self.share,
            "reason": self.reason or None,
        }


def mark(accountant: str, delta: Fraction, value: float, known: Bounds) -> Rival:
    """The claim "epsilon(delta) <= value" compared with the certified bounds."""
    if math.isnan(value):
        return Rival(accountant, delta, None, FAILED, reason="not a number")
    if known.side(value) < 0:
        return Rival(accountant, delta, value, LOW, float(1 - Fraction(value) / known.lower) if value > -1e9 else 1.0)
    if math.isinf(value) or known.side(value) > 0:
        share = math.inf if math.isinf(value) or not known.upper else float(Fraction(value) / known.upper - 1)
        return Rival(accountant, delta, value, ABOVE, share)
    return Rival(accountant, delta, value, INSIDE)


Asked = Callable[[float], float]
"""An accountant's epsilon of a given composition, by delta."""


def rivals(events: Sequence[Event], known: Sequence[tuple[Fraction, Bounds]]) -> Iterator[Rival]:
    """Every installed accountant at every delta, except those that do not support these events."""
    for name, prepare in ACCOUNTANTS.items():
        ask: Asked | None = None
        for delta, bounds in known:
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    ask = ask or prepare(events)
                    if ask is None:
                        break
                    value = ask(float(delta))
            except (ImportError, PackageNotFoundError):
                break
            except Exception as error:  # foreign code
                words = f"{type(error).__name__}: {error}".splitlines()[0][:90]
                yield Rival(name, delta, None, FAILED, reason=words)
                continue
            yield mark(name, delta, value, bounds)


def installed() -> dict[str, str]:
    """The versions of the accountants that are installed."""
    rivals = {}
    for package in ("dp-accounting", "prv-accountant", "opacus"):
        try:
            rivals[package] = version(package)
        except PackageNotFoundError:
            continue
    return rivals


def _pld(step: float) -> Callable[[Sequence[Event]], Asked | None]:
    def prepare(events: Sequence[Event]) -> Asked | None:
        from dp_accounting import pld

        event = to_dp_event(events)
        if event is None:
            return None
        accountant = pld.PLDAccountant(value_discretization_interval=step).compose(event)
        return lambda delta: float(accountant.get_epsilon(delta))

    return prepare


def _rdp(events: Sequence[Event]) -> Asked | None:
    from dp_accounting import rdp

    event, accountant = to_dp_event(events), rdp.RdpAccountant()
    if event is None or not accountant.supports(event):
        return None
    accountant.compose(event)
    return lambda delta: float(accountant.get_epsilon(delta))


def _prv(events: Sequence[Event]) -> Asked | None:
    import prv_accountant as library

    mechanisms: list[Any] = []
    for event in events:
        if isinstance(event, Gaussian):
            noise, rate = float(event.sigma / event.sensitivity), float(event.rate)
            mechanisms.append(
                library.PoissonSubsampledGaussianMechanism(sampling_probability=rate, noise_multiplier=noise)
                if event.sampled
                else library.GaussianMechanism(noise_multiplier=noise)
            )
        elif isinstance(event, Laplace) and not event.sampled:
            mechanisms.append(library.LaplaceMechanism(mu=float(event.largest_loss)))
        else:
            return None
    if sum(event.times for event in events) > MOST_FOR_PRV:
        return None
    counts = [event.times for event in events]

    def ask(delta: float) -> float:
        accountant = library.PRVAccountant(
            prvs=mechanisms, max_self_compositions=counts, eps_error=0.1, delta_error=delta / 1000
        )
        return float(accountant.compute_epsilon(delta, num_self_compositions=counts)[2])

    return ask


MOST_FOR_PRV = 20_000
"""prv_accountant needs minutes for more compositions, and is skipped."""


def _opacus(kind: str) -> Callable[[Sequence[Event]], Asked | None]:
    def prepare(events: Sequence[Event]) -> Asked | None:
        version("opacus")
        from opacus.accountants import GaussianAccountant, RDPAccountant

        if not all(isinstance(event, Gaussian) for event in events) or (kind == "GDP" and len(events) > 1):
            return None
        accountant = RDPAccountant() if kind == "RDP" else GaussianAccountant()
        for event in events:
            assert isinstance(event, Gaussian)
            accountant.history.append((float(event.sigma / event.sensitivity), float(event.rate), event.times))
        return lambda delta: float(accountant.get_epsilon(delta))

    return prepare


ACCOUNTANTS: dict[str, Callable[[Sequence[Event]], Asked | None]] = {
    "dp-accounting PLD, grid 1e-4": _pld(1e-4),
    "dp-accounting PLD, grid 1e-3": _pld(1e-3),
    "dp-accounting RDP": _rdp,
    "prv_accountant, upper": _prv,
    "Opacus RDP": _opacus("RDP"),
    "Opacus GDP": _opacus("GDP"),
}
"""Each takes a composition and returns its epsilon by delta, or None where it does not support the events."""

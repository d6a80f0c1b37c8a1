"""The results of the audits: frozen, exact text in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.mechanisms.base import Mechanism
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.loss import Witness
from dpaudit.privacy.protocols import Counts, Dataset, Output, plain


@dataclass(frozen=True)
class Subject:
    """What was audited: a mechanism with its model and parameters."""

    mechanism: Mechanism

    def to_dict(self) -> dict[str, Any]:
        """Returns mechanism, model, nominal epsilon and parameters as exact text."""
        return self.mechanism.describe()


@dataclass(frozen=True)
class EpsilonResult(Shown):
    """The true epsilon lies in ``epsilon``; the loss at the witness is at least its lower end."""

    subject: Subject
    epsilon: Enclosure
    closed_form: str | None
    closed_form_symbolic: str | None
    witness: Witness
    claim: Claim
    counts: Counts
    precision_bits: int
    seconds: float
    tier: str = "exact"
    filter_left: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit epsilon --json``."""
        return {
            **self.subject.to_dict(),
            "epsilon": self.epsilon.to_dict(),
            "closed_form": self.closed_form,
            "closed_form_symbolic": self.closed_form_symbolic,
            "witness": self.witness.to_dict(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "tier": self.tier,
            "filter_left": self.filter_left,
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True)
class DeltaResult(Shown):
    """delta(at), the largest over all ordered adjacent pairs, lies in ``delta``; the witness is the worst pair."""

    subject: Subject
    at: Fraction
    delta: Enclosure
    witness: Witness
    claim: Claim
    counts: Counts
    precision_bits: int
    seconds: float
    tier: str = "exact"
    filter_left: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit delta --json``."""
        return {
            **self.subject.to_dict(),
            "at": str(self.at),
            "delta": self.delta.to_dict(),
            "witness": self.witness.to_dict(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "tier": self.tier,
            "filter_left": self.filter_left,
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True)
class PmfResult(Shown):
    """The output distribution of one data set: ``probabilities[i]`` contains P_x(outputs[i])."""

    subject: Subject
    x: Dataset
    outputs: tuple[Output, ...]
    released: tuple[Histogram, ...] | None
    probabilities: tuple[Enclosure, ...]
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit pmf --json``."""
        return {
            **self.subject.to_dict(),
            "x": plain(self.x),
            "outputs": [self._row(i) for i in range(len(self.outputs))],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }

    def _row(self, i: int) -> dict[str, Any]:
        released = {} if self.released is None else {"released": plain(self.released[i])}
        return {"output": plain(self.outputs[i]), **released, "probability": self.probabilities[i].to_dict()}


@dataclass(frozen=True)
class SensitivityResult(Shown):
    """GS(n, prior), and LS and S data set by data set."""

    model: Model
    gamma: Fraction
    gs: Enclosure
    ls: tuple[Enclosure, ...]
    s: tuple[Enclosure, ...]
    precision_bits: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit sensitivity --json``."""
        rows = zip(self.model.histograms, self.ls, self.s, strict=True)
        return {
            "n": self.model.n,
            "k": self.model.k,
            "prior": [str(alpha) for alpha in self.model.prior],
            "gamma": str(self.gamma),
            "gs": self.gs.to_dict(),
            "datasets": [{"x": list(x), "ls": ls.to_dict(), "s": s.to_dict()} for x, ls, s in rows],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
        }

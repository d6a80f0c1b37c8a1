"""The results of the audits: frozen, exact text in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.setting import Setting
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, show
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.loss import Witness
from dpaudit.privacy.protocols import Counts, Dataset, Output, plain

QUANTITIES = {
    "epsilon": "true ε",
    "delta": "δ({epsilon})",
    "renyi": "D at order {alpha}",
    "zcdp_rho": "zCDP ρ",
    "gdp_mu": "GDP μ",
    "trade-off": "least margin over the trade-off function",
}


def evidence_words(quantity: str, at: Mapping[str, str] | None, x: str, x_prime: str) -> tuple[str, str]:
    """Returns for people what decided a claim and where: "δ(1)", and the pair with what else names the place."""
    form, known = QUANTITIES.get(quantity, quantity), at or {}
    where = {"x": x, "x′": x_prime} | {key: value for key, value in known.items() if f"{{{key}}}" not in form}
    name = form.format_map({"epsilon": "", "alpha": "", **known})
    return name, ", ".join(f"{key} = {value}" for key, value in where.items())


@dataclass(frozen=True)
class EpsilonResult(Shown):
    """The true epsilon lies in ``epsilon``; the loss at the witness is at least its lower end."""

    subject: Setting
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
    command: str | None = None
    """The command that asks the same again."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit epsilon --json``."""
        return {
            **self.subject.describe(),
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
            "command": self.command,
        }


@dataclass(frozen=True)
class DeltaResult(Shown):
    """delta(at), the largest over all ordered adjacent pairs, lies in ``delta``; the witness is the worst pair."""

    subject: Setting
    at: Fraction
    delta: Enclosure
    witness: Witness
    claim: Claim
    counts: Counts
    precision_bits: int
    seconds: float
    tier: str = "exact"
    filter_left: int | None = None
    command: str | None = None
    """The command that asks the same again."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit delta --json``."""
        return {
            **self.subject.describe(),
            "at": str(self.at),
            "delta": self.delta.to_dict(),
            "witness": self.witness.to_dict(),
            **self.claim.to_dict(),
            "counts": self.counts.to_dict(),
            "tier": self.tier,
            "filter_left": self.filter_left,
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
            "command": self.command,
        }


@dataclass(frozen=True)
class PmfResult(Shown):
    """The output distribution of one data set: ``probabilities[i]`` contains P_x(outputs[i])."""

    subject: Setting
    x: Dataset
    outputs: tuple[Output, ...]
    released: tuple[Histogram, ...] | None
    probabilities: tuple[Enclosure, ...]
    precision_bits: int
    seconds: float
    command: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit pmf --json``."""
        return {
            **self.subject.describe(),
            "x": plain(self.x),
            "outputs": [self._row(i) for i in range(len(self.outputs))],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
            "command": self.command,
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
    score: str
    precision_bits: int
    seconds: float

    @property
    def command(self) -> str:
        """Returns the command that asks the same again."""
        model = self.model
        shown = f"dpaudit sensitivity --n {model.n} --prior {show(model.prior)} --gamma {self.gamma}"
        return shown + ("" if self.score == Hellinger.name else f" --score {self.score}")

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit sensitivity --json``."""
        rows = zip(self.model.histograms, self.ls, self.s, strict=True)
        return {
            "n": self.model.n,
            "k": self.model.k,
            "prior": [str(alpha) for alpha in self.model.prior],
            "gamma": str(self.gamma),
            "score": self.score,
            "gs": self.gs.to_dict(),
            "datasets": [{"x": list(x), "ls": ls.to_dict(), "s": s.to_dict()} for x, ls, s in rows],
            "precision_bits": self.precision_bits,
            "seconds": round(self.seconds, 6),
            "command": self.command,
        }

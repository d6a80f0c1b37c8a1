"""The results of the audits: frozen, exact text in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import get_annotations
from typing import Any

from dpaudit.audit.display import Shown, as_json
from dpaudit.audit.setting import Setting
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Counts, Dataset, Output, plain

QUANTITIES = {
    "epsilon": "true ε",
    "delta": "δ({epsilon})",
    "renyi": "D at order {alpha}",
    "zcdp_rho": "zCDP ρ",
    "gdp_mu": "GDP μ",
    "trade-off": "least margin over the trade-off function",
}


def precision_words(bits: int) -> str:
    """Returns the working precision for people; without bits nothing was rounded."""
    return f"{bits} bits" if bits else "exact, by algebra"


def evidence_words(quantity: str, at: Mapping[str, str] | None, x: str, x_prime: str) -> tuple[str, str]:
    """Returns for people what decided a claim and where: "δ(1)", and the pair with what else names the place."""
    form, known = QUANTITIES.get(quantity, quantity), at or {}
    where = {"x": x, "x′": x_prime} | {key: value for key, value in known.items() if f"{{{key}}}" not in form}
    name = form.format_map({"epsilon": "", "alpha": "", **known})
    return name, ", ".join(f"{key} = {value}" for key, value in where.items())


@dataclass(frozen=True, kw_only=True)
class Answer(Shown):
    """What every result has; in JSON ``about``, then its own members by name, then these two."""

    seconds: float
    command: str | None = None
    """The command that asks the same again; None where only Python can: of an object, or of another guarantee."""

    def about(self) -> dict[str, Any]:
        """Returns what was asked about, for JSON."""
        return {}

    def members(self) -> dict[str, Any]:
        """Returns the fields for JSON, those of the class itself first; a claim by its own members."""
        names = [name for kind in type(self).__mro__ for name in get_annotations(kind)]
        found: dict[str, Any] = {}
        for name in names:
            if name not in ("subject", "seconds", "command"):
                value = as_json(getattr(self, name))
                found |= value if name == "claim" else {name: value}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of the command that asks this."""
        return {**self.about(), **self.members(), "seconds": round(self.seconds, 6), "command": self.command}


@dataclass(frozen=True, kw_only=True)
class SettingAnswer(Answer):
    """A result about one setting."""

    subject: Setting

    def about(self) -> dict[str, Any]:
        """Returns what the mechanism says of itself."""
        return self.subject.describe()


@dataclass(frozen=True, kw_only=True)
class WorstResult(SettingAnswer):
    """A worst case over all ordered adjacent pairs, with the verdict on what is claimed."""

    witness: Witness
    claim: Claim
    counts: Counts
    tier: str
    filter_left: int | None
    precision_bits: int


@dataclass(frozen=True, kw_only=True)
class EpsilonResult(WorstResult):
    """The true epsilon lies in ``epsilon``; the loss at the witness is at least its lower end."""

    epsilon: Enclosure
    closed_form: str | None
    closed_form_symbolic: str | None


@dataclass(frozen=True, kw_only=True)
class DeltaResult(WorstResult):
    """delta(at), the largest over all ordered adjacent pairs, lies in ``delta``; the witness is the worst pair."""

    at: Fraction
    delta: Enclosure


@dataclass(frozen=True, kw_only=True)
class GuaranteeResult(SettingAnswer):
    """The verdict on "the mechanism has this guarantee", over all ordered adjacent pairs, with what decides it."""

    claim: Claim
    counts: Counts
    precision_bits: int

    @property
    def verdict(self) -> Verdict | None:
        """Returns the verdict."""
        return self.claim.verdict

    @property
    def evidence(self) -> Evidence | None:
        """Returns what decides it; None where nothing could be computed."""
        return self.claim.evidence

    @property
    def witness(self) -> Witness | None:
        """Returns the worst pair."""
        return None if self.evidence is None else self.evidence.witness


@dataclass(frozen=True, kw_only=True)
class PmfResult(SettingAnswer):
    """The output distribution of one data set: ``probabilities[i]`` contains P_x(outputs[i])."""

    x: Dataset
    outputs: tuple[Output, ...]
    released: tuple[Histogram, ...] | None
    probabilities: tuple[Enclosure, ...]
    precision_bits: int

    def members(self) -> dict[str, Any]:
        """Returns x, one row an output, and the bits."""
        rows = [self._row(i) for i in range(len(self.outputs))]
        return {"x": plain(self.x), "outputs": rows, "precision_bits": self.precision_bits}

    def _row(self, i: int) -> dict[str, Any]:
        released = {} if self.released is None else {"released": plain(self.released[i])}
        return {"output": plain(self.outputs[i]), **released, "probability": self.probabilities[i].to_dict()}


@dataclass(frozen=True, kw_only=True)
class SensitivityResult(Answer):
    """GS(n, prior), and LS and S data set by data set."""

    command: str
    model: Model
    gamma: Fraction
    score: str
    gs: Enclosure
    ls: tuple[Enclosure, ...]
    s: tuple[Enclosure, ...]
    precision_bits: int

    def about(self) -> dict[str, Any]:
        """Returns the model."""
        return self.model.to_dict()

    def members(self) -> dict[str, Any]:
        """Returns gamma, the score, GS, and one row a data set."""
        rows = zip(self.model.histograms, self.ls, self.s, strict=True)
        return {
            "gamma": str(self.gamma),
            "score": self.score,
            "gs": self.gs.to_dict(),
            "datasets": [{"x": list(x), "ls": ls.to_dict(), "s": s.to_dict()} for x, ls, s in rows],
            "precision_bits": self.precision_bits,
        }

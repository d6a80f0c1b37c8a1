"""The results of the audits: frozen, exact text in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from inspect import get_annotations
from typing import TYPE_CHECKING, Any

from dpaudit.audit import latex
from dpaudit.audit.closed import LogOfOdds
from dpaudit.audit.cross_check import CrossCheck
from dpaudit.audit.display import Shown, as_json
from dpaudit.audit.judgement import Judgement
from dpaudit.audit.page import Against, Fields, Headline, Line, Page, Table, Words, strong
from dpaudit.audit.picture import bar, draw_pair, pair
from dpaudit.audit.setting import Setting
from dpaudit.audit.words import (
    again,
    answer_fields,
    caveat_rows,
    effort_rows,
    evidence_rows,
    headline,
    open_rows,
    pair_text,
    subject_rows,
    tier_text,
)
from dpaudit.numbers.digits import equated, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.symbolic import as_sympy
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import ClosedLoss, Counts, Dataset, Output, plain, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

UNNAMED = ("subject", "seconds", "command", "judged", "whose", "delta_instead", "closed", "audited", "deltas")
"""Fields that JSON does not have under their own names."""


@dataclass(frozen=True, kw_only=True)
class Answer(Shown):
    """What every result has; in JSON ``about``, then its own members by name, then these two."""

    seconds: float
    command: str | None = None
    """The command that asks the same again; None where only Python can: of an object, or of another guarantee."""

    def about(self) -> dict[str, Any]:
        """The subject of the question, for JSON."""
        return {}

    @property
    def judgement(self) -> Judgement | None:
        """The verdict with its statement, extent and margin; None where nothing is judged."""
        return None

    def members(self) -> dict[str, Any]:
        """The fields for JSON, those of the class itself first; a claim by its members and its judgement."""
        names = [name for kind in type(self).__mro__ for name in get_annotations(kind)]
        found: dict[str, Any] = {}
        for name in names:
            if name not in UNNAMED:
                value = as_json(getattr(self, name))
                found |= {**value, "verdict": as_json(self.judgement)} if name == "claim" else {name: value}
        return found

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the command that asks this."""
        return {**self.about(), **self.members(), "seconds": round(self.seconds, 6), "command": self.command}


@dataclass(frozen=True, kw_only=True)
class SettingAnswer(Answer):
    """A result about one setting."""

    subject: Setting

    def about(self) -> dict[str, Any]:
        """What the mechanism says of itself."""
        return self.subject.describe()


@dataclass(frozen=True, kw_only=True)
class Judged(SettingAnswer):
    """An answer about what is claimed, which a second path may have confirmed."""

    judged: Judgement | None
    """The verdict on the claim; where an epsilon is asked for and nothing is claimed, on the nominal one."""
    cross_check: CrossCheck | None = None
    """The result of the cross-check, if one was requested."""

    @property
    def judgement(self) -> Judgement | None:
        """The verdict on what is claimed."""
        return self.judged

    @property
    def checked_by(self) -> tuple[str, ...]:
        """The independent checks of the answer, in words; empty without a cross-check."""
        return (self.cross_check.text(),) if self.cross_check else ()

    def members(self) -> dict[str, Any]:
        """The fields for JSON; ``cross_check`` only if it was requested."""
        members = super().members()
        return members if self.cross_check else {name: v for name, v in members.items() if name != "cross_check"}


@dataclass(frozen=True, kw_only=True)
class WorstResult(Judged):
    """A worst case over all ordered adjacent pairs, with the verdict on what is claimed."""

    witness: Witness
    claim: Claim
    counts: Counts
    tier: str
    filter_left: int | None
    precision_bits: int

    def worst_case(self) -> list[Line]:
        """The lines that show the worst case."""
        raise NotImplementedError

    def value(self) -> tuple[str, Enclosure]:
        """The name and the enclosure of what is the largest."""
        raise NotImplementedError

    def headline(self) -> Headline:
        """The verdict on the claim, else the worst case."""
        name, value = self.value()
        return headline(self.judgement, self.claim, equated(name, short(value)))

    def bound(self) -> Fraction | None:
        """What the value is compared with: the claimed number, the nominal epsilon, or nothing."""
        return None

    def picture(self) -> str:
        """The value against what is claimed, above the two distributions of the worst pair."""
        return self.bar() + pair(self.subject.mechanism, self.witness)

    def draw(self, axes: Axes) -> None:
        """Draws the two output distributions of the worst pair."""
        draw_pair(axes, self.subject.mechanism, self.witness)

    def bar(self) -> str:
        """The value against what is claimed."""
        raise NotImplementedError

    def latex(self) -> str:
        """A sentence, the closed form and a table for a paper; bounds are rounded outward."""
        return latex.worst_case(self, *self.value(), pair_text(self.witness), text(self.witness.output))

    def page(self) -> Page:
        """What was audited, the worst case, the verdict and the effort."""
        tier = tier_text(self.tier, self.filter_left)
        effort = effort_rows(self.subject, self.counts, self.precision_bits, self.seconds, tier)
        checked: list[Line] = [("checked by", text) for text in self.checked_by]
        rows = [*self.worst_case(), *evidence_rows(self.claim, "epsilon"), *checked]
        return [self.headline(), answer_fields(self.subject, rows, self.command, effort)]


@dataclass(frozen=True, kw_only=True)
class EpsilonResult(WorstResult):
    """``epsilon`` contains the true epsilon; the loss at the witness is at least its lower end."""

    epsilon: Enclosure
    closed: ClosedLoss | LogOfOdds | Fraction | None = None
    """The true epsilon where it is known exactly: for every nominal epsilon, or at this one."""
    delta_instead: tuple[Fraction, Enclosure] | None = None
    """An epsilon and delta there, where the outputs are real numbers and the true epsilon is infinite."""

    def members(self) -> dict[str, Any]:
        """The fields for JSON, the closed form as text."""
        closed = {"closed_form": self.closed_form_text, "closed_form_symbolic": self.closed_form_symbolic}
        members = super().members()
        return {"epsilon": members.pop("epsilon"), **closed, **members}

    @property
    def closed_form(self) -> Any:
        """The true epsilon as a sympy expression, in the symbol epsilon where it is known for all; None if unknown."""
        if self.closed is None:
            return None
        return as_sympy(self.closed) if isinstance(self.closed, Fraction) else self.closed.sympy()

    @property
    def closed_form_text(self) -> str | None:
        """The true epsilon in closed form, as one writes it: "1/2 + ln(2 - e^(-1/2))"."""
        if self.closed is None:
            return None
        return str(self.closed) if isinstance(self.closed, Fraction) else self.closed.text()

    @property
    def closed_form_symbolic(self) -> str | None:
        """The same for every nominal epsilon, where that is known."""
        return (self.closed.symbolic() or None) if isinstance(self.closed, ClosedLoss) else None

    def value(self) -> tuple[str, Enclosure]:
        """The true epsilon, with more digits than requested if the verdict needed them."""
        found, bound = self.claim.evidence, self.claim.bound
        if found is None or found.quantity != "epsilon" or bound is None:
            return "true ε", self.epsilon
        return "true ε", found.value.up_to(bound) if self.claim.verdict is Verdict.PROVED else found.value

    def bound(self) -> Fraction | None:
        """The claimed epsilon, or the nominal one if nothing is claimed."""
        return self.subject.mechanism.epsilon if self.claim.epsilon is None else self.claim.epsilon

    def bar(self) -> str:
        """The true epsilon next to the claimed one, or the nominal one if nothing is claimed."""
        return bar(*self.value(), self.bound(), "nominal" if self.claim.epsilon is None else "claimed")

    def worst_case(self) -> list[Line]:
        """The true epsilon, its closed form, the worst pair and output."""
        rows: list[Line] = [("true ε", strong(Against(self.value()[1], self.bound()))), *open_rows(self.epsilon)]
        if self.delta_instead is not None:
            at, delta = self.delta_instead
            rows.append((f"δ({at})", Words(delta, "; at another ε: dpaudit delta --at, dpaudit profile")))
        if self.closed_form_symbolic:
            rows.append(("closed form", f"{self.closed_form_text}   ({self.closed_form_symbolic}, for every ε > 0)"))
        elif self.closed is not None:
            rows.append(("exactly", f"{self.closed_form_text}, by algebra"))
        return [*rows, ("worst pair", pair_text(self.witness)), ("worst output", self.witness.output)]


@dataclass(frozen=True, kw_only=True)
class DeltaResult(WorstResult):
    """``delta`` contains delta(at), the largest over all ordered pairs of neighbors; the witness is the worst pair."""

    at: Fraction
    delta: Enclosure

    def value(self) -> tuple[str, Enclosure]:
        """Delta at this epsilon."""
        return powers(f"δ({self.at})"), self.delta

    def bound(self) -> Fraction | None:
        """The claimed delta."""
        return self.claim.delta

    def bar(self) -> str:
        """Delta next to the claimed one, if the claim is about this epsilon."""
        return bar(*self.value(), self.bound() if self.claim.epsilon == self.at else None, "claimed")

    def worst_case(self) -> list[Line]:
        """Delta and the worst pair."""
        against = Against(self.delta, self.bound())
        return [(self.value()[0], strong(against)), ("worst pair", pair_text(self.witness))]


@dataclass(frozen=True, kw_only=True)
class GuaranteeResult(Judged):
    """The verdict on "the mechanism has this guarantee", over all ordered adjacent pairs, with what decides it."""

    claim: Claim
    counts: Counts
    precision_bits: int

    def picture(self) -> str:
        """The true epsilon against the claimed one, where it decided, above the pair's two distributions."""
        if self.evidence is None:
            return ""
        decides = self.evidence.quantity == "epsilon"
        above = bar("true ε", self.evidence.value, self.claim.epsilon, "claimed") if decides else ""
        return above + pair(self.subject.mechanism, self.evidence.witness)

    def draw(self, axes: Axes) -> None:
        """Draws the two output distributions of the pair that decides."""
        if self.witness is None:
            super().draw(axes)
        else:
            draw_pair(axes, self.subject.mechanism, self.witness)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict."""
        return self.claim.verdict

    @property
    def evidence(self) -> Evidence | None:
        """What decides it; None where nothing could be computed."""
        return self.claim.evidence

    @property
    def witness(self) -> Witness | None:
        """The worst pair."""
        return None if self.evidence is None else self.evidence.witness

    def page(self) -> Page:
        """What was judged, the verdict with what decides it, the effort."""
        effort = effort_rows(self.subject, self.counts, self.precision_bits, self.seconds)
        first = headline(self.judgement, self.claim, "")
        rows = [*evidence_rows(self.claim), *(("checked by", text) for text in self.checked_by)]
        return [first, answer_fields(self.subject, rows, self.command, effort)]


@dataclass(frozen=True, kw_only=True)
class PmfResult(SettingAnswer):
    """The output distribution of one data set: ``probabilities[i]`` contains P_x(outputs[i])."""

    x: Dataset
    outputs: tuple[Output, ...]
    released: tuple[Histogram, ...] | None
    probabilities: tuple[Enclosure, ...]
    precision_bits: int

    def members(self) -> dict[str, Any]:
        """The data set x, one row per output, and the bits."""
        rows = [self._row(i) for i in range(len(self.outputs))]
        return {"x": plain(self.x), "outputs": rows, "precision_bits": self.precision_bits}

    def page(self) -> Page:
        """The subject, the outputs with their probabilities, and the assumptions behind them."""
        named = {"output": self.outputs, "released Dir(prior + …)": self.released}
        known = {title: values for title, values in named.items() if values is not None}
        rows = list(zip(*known.values(), self.probabilities, strict=True))
        about = again([*subject_rows(self.subject), ("data x", text(self.x))], self.command)
        rests = caveat_rows(self.subject)
        return [Fields(about), Table([*known, "probability"], rows), *([Fields(rests)] if rests else [])]

    def draw(self, axes: Axes) -> None:
        """Draws a bar for the probability of every output."""
        from dpaudit.charts.draw import bars

        bars(axes, [text(output) for output in self.outputs], self.probabilities, "output", "probability")
        axes.set_title(f"{self.subject.label}: output distribution for x = {text(self.x)}", loc="left")

    def _row(self, i: int) -> dict[str, Any]:
        released = {} if self.released is None else {"released": plain(self.released[i])}
        return {"output": plain(self.outputs[i]), **released, "probability": self.probabilities[i].to_dict()}


@dataclass(frozen=True, kw_only=True)
class SensitivityResult(Answer):
    """GS(n, prior), and LS and S of every data set."""

    command: str
    model: Model
    gamma: Fraction
    score: str
    gs: Enclosure
    ls: tuple[Enclosure, ...]
    s: tuple[Enclosure, ...]
    precision_bits: int

    def about(self) -> dict[str, Any]:
        """The model."""
        return self.model.to_dict()

    def members(self) -> dict[str, Any]:
        """Gamma, the score, GS, and one row per data set."""
        rows = zip(self.model.histograms, self.ls, self.s, strict=True)
        return {
            "gamma": str(self.gamma),
            "score": self.score,
            "gs": self.gs.to_dict(),
            "datasets": [{"x": list(x), "ls": ls.to_dict(), "s": s.to_dict()} for x, ls, s in rows],
            "precision_bits": self.precision_bits,
        }

    def page(self) -> Page:
        """GS, the model, and the data sets with LS and S."""
        model = self.model
        place = f"n = {model.n}, k = {model.k}, prior {text(model.prior)}"
        rows = list(zip(model.histograms, self.ls, self.s, strict=True))
        about = again([("GS(n, prior)", self.gs), ("model", place)], self.command)
        return [Fields(about), Table(["data x", "LS(x)", f"S(x), γ = {self.gamma}"], rows)]

    def draw(self, axes: Axes) -> None:
        """Draws LS and S over the data sets, k = 2."""
        from dpaudit.charts.draw import Line, lines

        if self.model.k != 2:
            super().draw(axes)
        firsts = tuple(x[0] for x in self.model.histograms)
        series = [Line("LS(x)", firsts, self.ls), Line(f"S(x), γ = {self.gamma}", firsts, self.s)]
        lines(axes, series, x_label="first cell of x", y_label="sensitivity")
        axes.set_title(
            f"Sensitivity of the {self.score.replace('hellinger', 'Hellinger')} score, n = {self.model.n}", loc="left"
        )

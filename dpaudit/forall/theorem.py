"""The answers of the theorems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.audit import latex
from dpaudit.audit.judgement import EVERY_N, Extent, Judgement, Margin, Whose, judged
from dpaudit.audit.page import Fields, Line, Page, Words, strong
from dpaudit.audit.results import Answer
from dpaudit.audit.words import again, headline
from dpaudit.forall.ranged import Ranged
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee

if TYPE_CHECKING:
    from dpaudit.privacy.effort import Effort
    from dpaudit.privacy.pairs import Worst
    from dpaudit.privacy.protocols import Audited


@dataclass(frozen=True, kw_only=True)
class Theorem(Answer):
    """A statement about every value of what ranges in ``subject``, with the verdict on the claim."""

    subject: Ranged
    claim: Claim
    asked: bool = False
    """Whether the user stated the judged guarantee."""

    def about(self) -> dict[str, Any]:
        """The setting, spans as text."""
        return self.subject.describe()

    def lines(self) -> list[Line]:
        """The answer for people, row by row, without the setting and the verdict."""
        raise NotImplementedError

    @property
    def whose(self) -> Whose:
        """Who makes the statement: the user, the mechanism, or nobody."""
        claimed = Whose.NOMINAL if self.subject.mechanism.claimed_here() is None else Whose.CLAIMED
        return Whose.ASKED if self.asked else claimed

    @property
    def judgement(self) -> Judgement | None:
        """The verdict on the statement, for all that ranges."""
        judgement = judged(self.claim, self.subject.mechanism.name, self.whose, self.extent())
        measured = self.measured()
        if judgement is None or measured is None:
            return judgement
        name, value, bound = measured
        of = "the nominal ε" if self.whose is Whose.NOMINAL else "the claim"
        return replace(judgement, quantity=name, value=value, bound=bound, margin=Margin.between(value, bound, of=of))

    def extent(self) -> Extent | None:
        """The n that the verdict covers."""
        return Extent((self.subject.n,)) if isinstance(self.subject.n, int) else EVERY_N

    def measured(self) -> tuple[str, Enclosure, Fraction] | None:
        """The comparison behind the verdict: a name, the supremum, and the bound; None where there is none."""
        return None

    def page(self) -> Page:
        """The question, the answer, the verdict and the effort."""
        mechanism = self.subject.mechanism
        question = [
            ("mechanism", f"{mechanism.name}: {mechanism.formula_here()}"),
            ("setting", self.subject.setting_text()),
        ]
        rows = [*question, *self.lines(), ("effort", self.effort_text())]
        return [headline(self.judgement, self.claim, ""), Fields(again(rows, self.command))]

    def members(self) -> dict[str, Any]:
        """The fields for JSON; "claimed" is null without a claim."""
        members = {name: value for name, value in super().members().items() if name != "asked"}
        return members | ({"claimed": None} if self.whose is Whose.NOMINAL else {})

    @property
    def complete(self) -> bool:
        """Whether the question is decided; else the exit code is 3."""
        return self.claim.verdict is not Verdict.UNDECIDED

    def effort_text(self) -> str:
        """The effort in words."""
        return f"{self.seconds:.3f} s"


@dataclass(frozen=True, kw_only=True)
class Supremum(Theorem):
    """A theorem about the largest of some number."""

    @property
    def value(self) -> Enclosure:
        """An enclosure of the supremum."""
        raise NotImplementedError

    def where(self) -> str:
        """Where it is attained, for people."""
        raise NotImplementedError

    def measured(self) -> tuple[str, Enclosure, Fraction] | None:
        """The supremum against the bound: an epsilon, or the factor of an epsilon."""
        guarantee = self.claim.guarantee
        if isinstance(guarantee, EveryEpsilon):
            return "largest true ε / ε", self.value, guarantee.factor
        bound = self.claim.epsilon
        return None if bound is None else ("largest true ε", self.value, bound)

    def latex(self) -> str:
        """A sentence and a table for a paper; bounds are rounded outward."""
        name, setting = self.subject.mechanism.name, self.subject.setting_text()
        ratio = isinstance(self.claim.guarantee, EveryEpsilon)
        about, what = latex.escaped(f"{name} ({setting})"), "largest true ε / ε" if ratio else "largest true ε"
        where, largest = latex.escaped(self.where()), latex.escaped(what)
        said = [f"For {about}, the {largest}", f"{latex.with_verb(self.value)}, attained {where}."]
        rows = [("mechanism", about), (largest, latex.number(self.value)), ("attained", where)]
        rows += [] if self.judgement is None else [("verdict", latex.escaped(self.judgement.text()))]
        return latex.document(self.command, said, rows)


def stated_bound(ranged: Ranged, claim: Guarantee | None) -> Fraction:
    """The epsilon that is judged where epsilon does not range: of the user's claim, else of the mechanism's."""
    if claim is None:
        return claimed_factor(ranged) * ranged.mechanism.epsilon
    if not isinstance(claim, EpsilonDelta) or claim.delta:
        raise InputError("claim", claim.text(), "a theorem judges pure ε-DP: give an ε, or one n and one prior")
    return claim.epsilon


def by_algebra(value: Enclosure, known: Fraction | None) -> str:
    """The words after an enclosure of a known rational number: " = 1/2, by algebra"."""
    rational = "" if str(known) == str(value) else f" = {known}"
    return "" if known is None else f"{rational}, by algebra"


def bounded(value: Enclosure, open_: str | None, more: str = "") -> Words:
    """The words "at most ..." for a supremum; in few digits, and saying so, where it is wider than requested."""
    if open_ is None:
        return Words("at most ", strong(value), more)
    ends = value.shortened(6).to_dict()
    return Words(
        strong(f"at most {ends['upper']}"), f"{more}; at least {ends['lower']}: wider than requested, see open"
    )


@dataclass(frozen=True)
class EveryEpsilon(Guarantee):
    """(factor epsilon)-DP for every nominal epsilon > 0, or for every one of a range."""

    factor: Fraction
    span: str = "all"
    kind: ClassVar[str] = "every-epsilon"
    least: ClassVar[dict[str, int]] = {"factor": 0}

    @property
    def words(self) -> str:  # type: ignore[override]
        """The claim in words: "ε-DP for every ε > 0"."""
        multiple = "" if self.factor == 1 else f"{self.factor}·"
        where = "every ε > 0" if self.span == "all" else f"every ε in {self.span}"
        return f"{multiple}ε-DP for {where}"

    @property
    def form(self) -> str:  # type: ignore[override]
        """The factor: no option takes such a claim."""
        return "ratio={factor}"

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """Refuses: one audit covers one epsilon."""
        raise InputError("claim", self.text(), "covers every ε: use dpaudit epsilon --eps all")


@dataclass(frozen=True)
class EveryPrior(Guarantee):
    """epsilon-DP for every prior of a box."""

    epsilon: Fraction
    box: str
    kind: ClassVar[str] = "every-prior"
    words: ClassVar[str] = "{epsilon}-DP for every prior in {box}"
    form: ClassVar[str] = "eps={epsilon}"
    least: ClassVar[dict[str, int]] = {"epsilon": 0}

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """Refuses: one audit covers one prior."""
        raise InputError("claim", self.text(), "covers a box of priors: use dpaudit epsilon --prior a..b,c..d")


def claimed_factor(ranged: Ranged) -> Fraction:
    """c of the claimed guarantee c epsilon, or 1 without a claim: epsilon-DP is then the question.

    So an unclaimed mechanism is compared with its nominal epsilon, whatever ranges.
    """
    mechanism = ranged.mechanism
    claimed = mechanism.claimed_here()
    if claimed is None:
        return Fraction(1)
    if not isinstance(claimed, EpsilonDelta) or claimed.delta:
        rule = f"{mechanism.name} claims {claimed.text()}, not a multiple of ε: no theorem here is about that"
        raise InputError(ranged.ranging[0], ranged.option_text(ranged.ranging[0]), rule)
    return claimed.epsilon / mechanism.epsilon

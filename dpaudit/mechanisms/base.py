"""Mechanisms: finite families of output distributions. privacy.protocols says what an audit needs of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, Self, cast

from dpaudit.mechanisms.draw import Bits, ExactDraw
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.digits import powers
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.adjacency import REPLACE_ONE, Adjacency, parse_adjacency
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.protocols import Audited, Counts, Dataset, Output, text


@dataclass(frozen=True)
class Parameter:
    """An option of a mechanism, declared once: validation, help text and random tests come from here."""

    name: str
    default: str | None
    rule: str
    check: Callable[[str, Any], Any]
    examples: tuple[str, ...]
    choices: tuple[str, ...] = ()
    """The words that it accepts, if any: EHD/exact is EHD with the choice exact."""

    def read(self, mechanism: str, value: Exact | None) -> Any:
        """The checked value, or the default; a missing value without default is an error."""
        if value is None:
            value = self.default
        if value is None:
            raise InputError(self.name, "(missing)", f"{mechanism} needs it: {self.rule}")
        return self.check(self.name, value)

    def is_default(self, value: Any) -> bool:
        """Whether the checked value is the default."""
        return self.default is not None and bool(self.check(self.name, self.default) == value)


HISTOGRAM_BYTES = 600
"""A histogram with its index, links and sensitivities; rounded up."""


class HeavyRow(NamedTuple):
    """Outputs of one data set with balls of their probabilities; ``omitted`` contains the total of all others."""

    outputs: Sequence[Output]
    probabilities: Sequence[Ball]
    omitted: Ball


class ExactRows(NamedTuple):
    """Distributions as given: probabilities or unnormalized log-weights, JSON text entry by entry."""

    logarithmic: bool
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Exponent:
    """P_x(r) is proportional to e^(-e s(x, r) / (2 Delta(x))), e in proportion to epsilon and Delta the same at each.

    ``kind`` defines Delta at every n and prior: "constant" sqrt(1 - pi/4), "exact" GS(n, prior), "local" LS(x),
    "smooth" the gamma-smooth S(x). The theorems for every epsilon, n or prior are about this form.
    """

    e: Fraction
    score: str
    kind: str
    gamma: Fraction | None = None


Sparse = dict[int, Fraction]
"""A polynomial in q = e^(-epsilon/s): exponent -> coefficient, no zero coefficients."""


class Mechanism(Audited):
    """A finite mechanism: data sets, their adjacency, outputs, and a law at any precision."""

    formula: ClassVar[str]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    releases_posterior: ClassVar[bool] = False
    epsilon: Fraction | None
    """The nominal epsilon, where the mechanism has one."""
    adjacency: Adjacency
    """Which data sets are neighbors."""

    def point(self, x: Dataset, output: Output) -> Ball:
        """A ball that contains P_x(output), at the precision in force."""
        return self.law().probabilities(x)[list(self.outputs()).index(output)]

    def draws(self, x: Any) -> ExactDraw:
        """The exact sampler of P_x."""
        return ExactDraw(self, self.read_dataset("x", x))

    def draw(self, x: Any, source: Bits | None = None) -> Output:
        """One output drawn from P_x exactly, by default with the randomness of the operating system."""
        if source is None:
            from secrets import SystemRandom

            source = SystemRandom()
        return self.draws(x).draw(source)

    only_code: bool = False
    """Whether there is only a sampler's code, whose law would have to be found by following it."""

    def runs(self, x: Dataset) -> Callable[[], Output]:
        """A function that draws an output for x at each call: the real code if there is some, else the exact law."""
        from secrets import SystemRandom

        draws, system = self.draws(x), SystemRandom()
        return lambda: draws.draw(system)

    @abstractmethod
    def claimed(self) -> Guarantee | None:
        """The claimed guarantee, or None."""

    @abstractmethod
    def read_dataset(self, option: str, value: Any) -> Dataset:
        """The data set that the text or value denotes; an InputError if there is none."""

    def released_outputs(self) -> tuple[Histogram, ...] | None:
        """The posterior that each output stands for, if it does; else None."""
        return None

    def claimed_here(self) -> Guarantee | None:
        """The claimed guarantee, or None under an adjacency that the claim does not cover."""
        return self.claimed()

    def exact_rows(self, datasets: Sequence[Dataset]) -> ExactRows | None:
        """These distributions as given, if they were given entry by entry, else None."""
        return None

    def alone(self, x: Dataset) -> Self:
        """A mechanism that answers questions about this data set alone: the same one, unless the others are costly."""
        return self

    def with_adjacency(self, adjacency: str | Adjacency) -> Self:
        """The same mechanism under another adjacency: a value, a name or a file of pairs."""
        raise InputError("adjacency", adjacency, f"{self.name} has its own adjacency")

    def chosen(self) -> tuple[tuple[str, Any], ...]:
        """The parameters that differ from their defaults, in the order of the declaration."""
        values = [(p, getattr(self, p.name)) for p in self.parameters]
        return tuple((p.name, value) for p, value in values if not p.is_default(value))

    def caveats(self) -> dict[str, Any]:
        """The assumptions of an answer beyond arithmetic: "assumptions", "residual", "notes"; often empty."""
        return {}

    def covered(self) -> str:
        """The covered data sets in words; "" if these are all."""
        return ""

    def can_screen_priors(self) -> bool:
        """Whether a search may screen priors with ``float_sensitivity``."""
        return False

    # -------------------------------------------------------------- words

    def settings(self) -> dict[str, str]:
        """The mechanism's own parameters as exact text."""
        return {p.name: str(getattr(self, p.name)) for p in self.parameters}

    def describe(self) -> dict[str, Any]:
        """mechanism, nominal epsilon and parameters as exact text, for JSON."""
        return {
            "mechanism": self.name,
            "nominal_epsilon": None if self.epsilon is None else str(self.epsilon),
            "parameters": self.settings(),
        }

    def formula_here(self) -> str:
        """The formula with the choices of the parameters."""
        return self.formula

    def setting_text(self) -> str:
        """The setting in one line, for people."""
        nominal = [] if self.epsilon is None else [f"ε = {self.epsilon}"]
        return powers(", ".join(nominal + [f"{name} = {value}" for name, value in self.settings().items()]))


@dataclass(frozen=True)
class PosteriorMechanism(Mechanism):
    """A mechanism that releases Dir(prior + output) for data given by its histogram."""

    summary: ClassVar[str]
    """What it does, in a few words."""
    releases_posterior: ClassVar[bool] = True
    model: Model
    epsilon: Fraction
    adjacency: Adjacency = field(default=REPLACE_ONE, kw_only=True)

    def datasets(self) -> Sequence[Histogram]:
        """The histograms."""
        return self.model.histograms

    def neighbors(self, x: Histogram) -> Iterable[Histogram]:
        """The histograms adjacent to x: at Hamming distance 1, unless another adjacency is in force."""
        return self.adjacency.neighbors(x, self.model.index)

    def counts(self) -> Counts:
        """The number of histograms, ordered adjacent pairs and outputs, by formula."""
        model = self.model
        return Counts(model.size, self.adjacency.count(model.n, model.k), self.count_outputs())

    def with_adjacency(self, adjacency: str | Adjacency) -> Self:
        """The same mechanism under another adjacency; it must have pairs among the histograms of n records."""
        relation = parse_adjacency(adjacency, self.read_dataset)
        if not relation.count(self.model.n, self.model.k):
            rule = f"there is no such pair: the data sets of {self.name} all have the same number of records, as counts"
            raise InputError("adjacency", relation.option(), rule)
        return replace(self, adjacency=relation)

    @abstractmethod
    def count_outputs(self) -> int:
        """The number of outputs, by formula."""

    @abstractmethod
    def released(self, output: Output) -> Histogram:
        """The k counts that the output stands for: the release is Dir(prior + these)."""

    def read_dataset(self, option: str, value: Any) -> Histogram:
        """The histogram of this model."""
        return self.model.check(option, value)

    def released_outputs(self) -> tuple[Histogram, ...] | None:
        """The k counts that each output stands for."""
        return tuple(self.released(output) for output in self.outputs())

    def row(self, x: Histogram, tail: Fraction, most: int) -> HeavyRow:
        """The outputs with their probabilities; if there are more than ``most``, a total of ``tail`` may be omitted."""
        return HeavyRow(self.outputs(), self.law().probabilities(x), balls.zero())

    def row_size(self, tail: Fraction, most: int) -> int:
        """About how many outputs ``row`` lists, without listing them."""
        return self.count_outputs()

    def row_memory(self, tail: Fraction, most: int) -> int:
        """The least memory for one row of outputs, in bytes."""
        return self.memory()

    def exponent(self) -> Exponent | None:
        """The form of the law at every epsilon, n and prior, if it has that form, else None."""
        return None

    def exact_probability(self, x: Histogram, output: Output) -> Sparse | None:
        """P_x(output) as a polynomial in q, where the family has that form, else None."""
        return None

    def claimed(self) -> Guarantee | None:
        """epsilon-DP, the usual claim (N0, N4 Theorem 3.1), for one record replaced."""
        return EpsilonDelta(self.epsilon)

    def claimed_here(self) -> Guarantee | None:
        """The claimed guarantee; the documents replace one record."""
        return self.claimed() if self.adjacency == REPLACE_ONE else None

    def describe(self) -> dict[str, Any]:
        """mechanism, n, k, prior, nominal epsilon and parameters as exact text, for JSON."""
        relation = {} if self.adjacency == REPLACE_ONE else {"adjacency": self.adjacency.to_dict()}
        return {"mechanism": self.name, **self.model.to_dict(), **super().describe(), **relation}

    def setting_text(self) -> str:
        """n, k, prior, epsilon and the parameters in one line."""
        model = self.model
        relation = "" if self.adjacency == REPLACE_ONE else f", {self.adjacency.text()}"
        place = f"n = {model.n}, k = {model.k}, prior {text(model.prior)}"
        return f"{powers(place)}, {super().setting_text()}{relation}"


def posterior(mechanism: Mechanism) -> PosteriorMechanism | None:
    """The mechanism as one that releases a posterior, or None where it releases none."""
    return cast(PosteriorMechanism, mechanism) if mechanism.releases_posterior else None

"""What a mechanism is: a finite family of output distributions. It computes them and knows nothing of privacy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.posterior.model import Histogram, Model, count_pairs, neighbours

Dataset = Any
"""Any hashable value: a histogram, a name, a tuple of records."""
Output = Any
"""Any hashable value."""


def plain(value: Any) -> Any:
    """Returns a data set or output for JSON: a tuple of whole numbers as a list, anything else as text."""
    if isinstance(value, tuple) and all(type(entry) is int for entry in value):
        return list(value)
    return None if value is None else str(value)


def text(value: Any) -> str:
    """Returns a data set or output for people: "(4, 4)", or its own text."""
    return "(" + ", ".join(text(entry) for entry in value) + ")" if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class Parameter:
    """An option of a mechanism, declared once: validation, help text and random tests come from here."""

    name: str
    symbol: str
    default: str | None
    rule: str
    check: Callable[[str, Any], Any]
    examples: tuple[str, ...]
    choices: tuple[str, ...] = ()
    """The words that it takes, where it takes words: EHD/exact is EHD with the choice exact."""
    old_names: tuple[str, ...] = ()
    """Names under which it was known before and is still accepted."""

    def read(self, mechanism: str, value: Exact | None) -> Any:
        """Returns the checked value, or the default; a missing value without a default is an error."""
        if value is None:
            value = self.default
        if value is None:
            raise InputError(self.name, "(missing)", f"{mechanism} needs it: {self.rule}")
        return self.check(self.name, value)

    def is_default(self, value: Any) -> bool:
        """Returns whether the checked value is the default."""
        return self.default is not None and bool(self.check(self.name, self.default) == value)


@dataclass(frozen=True)
class Guarantee:
    """A claimed (epsilon, delta)-guarantee; delta = 0 is pure differential privacy."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)


@dataclass(frozen=True)
class Counts:
    """What a full audit looks at: data sets, ordered adjacent pairs, outputs."""

    datasets: int
    pairs: int
    outputs: int

    def to_dict(self) -> dict[str, int]:
        """Returns the three counts by name."""
        return {"datasets": self.datasets, "pairs": self.pairs, "outputs": self.outputs}


HISTOGRAM_BYTES = 600
"""A histogram with its index, links and sensitivities; rounded up."""


class Mass(NamedTuple):
    """P_x and P_y of a part of the outputs on which P_x/P_y is constant; ``loss`` is ln P_x/P_y if known exactly."""

    p: Ball
    p_prime: Ball
    loss: Fraction | None = None

    def swapped(self) -> Mass:
        """Returns the same for the pair in the other order."""
        return Mass(self.p_prime, self.p, None if self.loss is None else -self.loss)


class Row(NamedTuple):
    """Outputs of one data set and balls of their probabilities; ``omitted`` contains that of all others together."""

    outputs: Sequence[Output]
    probabilities: Sequence[Ball]
    omitted: Ball


Sparse = dict[int, Fraction]
"""A polynomial in q = e^(-epsilon/s): exponent -> coefficient, no zero coefficients."""


class Law(ABC):
    """The output distributions of one mechanism as balls, at the precision in force when it was made."""

    @abstractmethod
    def probabilities(self, x: Dataset) -> Sequence[Ball]:
        """Returns balls that contain P_x(r), output by output in the mechanism's order."""

    def log_probabilities(self, x: Dataset) -> Sequence[Ball]:
        """Returns balls that contain ln P_x(r), output by output."""
        return [p.log() for p in self.probabilities(x)]

    def masses(self, x: Dataset, y: Dataset) -> Sequence[Mass]:
        """Returns P_x and P_y on a partition of the outputs; outputs with the same ratio may be merged."""
        return list(map(Mass, self.probabilities(x), self.probabilities(y)))


class Mechanism(ABC):
    """A finite mechanism: data sets, their adjacency, outputs, and a law at any precision."""

    name: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    epsilon: Fraction | None
    """The nominal epsilon, where the mechanism has one."""
    refinable: bool = True
    """Whether more precision makes the law's balls as narrow as asked for."""
    has_exact_losses: bool = False
    """Whether the law's masses carry losses known by algebra, so that ties with a bound can be decided."""

    @abstractmethod
    def counts(self) -> Counts:
        """Returns the size of a full audit, without listing anything."""

    @abstractmethod
    def memory(self) -> int:
        """Returns the bytes that a full audit needs at the least."""

    @abstractmethod
    def datasets(self) -> Iterable[Dataset]:
        """Returns the data sets; one of each orbit is enough if ``pair_orbit`` merges the others."""

    @abstractmethod
    def neighbours(self, x: Dataset) -> Iterable[Dataset]:
        """Returns the data sets adjacent to x."""

    @abstractmethod
    def outputs(self) -> Sequence[Output]:
        """Returns the outputs, in the order of the law's rows."""

    @abstractmethod
    def law(self) -> Law:
        """Returns the law at the precision in force."""

    def count_masses(self) -> int:
        """Returns about how many masses the law gives for all ordered adjacent pairs together."""
        return self.counts().pairs * self.counts().outputs

    def point(self, x: Dataset, output: Output) -> Ball:
        """Returns a ball that contains P_x(output), at the precision in force."""
        return self.law().probabilities(x)[list(self.outputs()).index(output)]

    @abstractmethod
    def claimed(self) -> Guarantee | None:
        """Returns the guarantee that is claimed, or None where none is."""

    @abstractmethod
    def read_dataset(self, option: str, value: Any) -> Dataset:
        """Returns the data set that the text or value denotes, or says why there is none."""

    def released_outputs(self) -> tuple[Histogram, ...] | None:
        """Returns what each output stands for, where it stands for a posterior; else None."""
        return None

    def pair_orbit(self, x: Dataset, y: Dataset) -> Hashable:
        """Returns the same key for pairs whose distributions differ by a renaming of the outputs only."""
        return x, y

    def loss_by_algebra(self) -> Any:
        """Returns the worst-case loss in closed form (laplace.ClosedForm) if the mechanism has one, else None."""
        return None

    def infinite_loss(self) -> tuple[Dataset, Dataset, Output] | None:
        """Returns adjacent (x, x') and an output r with P_x(r) > 0 = P_x'(r) if there are any, else None.

        Where there are none, an output impossible for x is impossible for its neighbours too, and the law gives it
        the log-probability 0 in all these rows, so that it plays no part in the maximum of the losses.
        """
        return None

    def exact_loss(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """Returns ln P_x(output) - ln P_y(output) where it is a rational number known by algebra, else None."""
        return None

    def chosen(self) -> tuple[tuple[str, Any], ...]:
        """Returns the parameters that differ from their defaults, in the order of the declaration."""
        values = [(p, getattr(self, p.name)) for p in self.parameters]
        return tuple((p.name, value) for p, value in values if not p.is_default(value))

    def can_screen_priors(self) -> bool:
        """Returns whether a search may screen priors with ``float_sensitivity``."""
        return False

    def settings(self) -> dict[str, str]:
        """Returns the mechanism's own parameters as exact text."""
        return {p.name: str(getattr(self, p.name)) for p in self.parameters}

    def describe(self) -> dict[str, Any]:
        """Returns mechanism, nominal epsilon and parameters as exact text, for JSON."""
        return {
            "mechanism": self.name,
            "nominal_epsilon": None if self.epsilon is None else str(self.epsilon),
            "parameters": self.settings(),
        }

    def setting_text(self) -> str:
        """Returns the setting in one line, for people."""
        nominal = [] if self.epsilon is None else [f"ε = {self.epsilon}"]
        return ", ".join(nominal + [f"{name} = {value}" for name, value in self.settings().items()])


def claiming(mechanism: Mechanism, guarantee: Guarantee) -> Mechanism:
    """Returns a copy of the mechanism that claims this guarantee, so that the audits judge it, ties included."""
    twin = copy(mechanism)
    object.__setattr__(twin, "claimed", lambda: guarantee)
    return twin


@dataclass(frozen=True)
class PosteriorMechanism(Mechanism):
    """A mechanism that releases Dir(prior + output) for data given by its histogram."""

    model: Model
    epsilon: Fraction

    title: ClassVar[str] = ""

    def datasets(self) -> Iterable[Histogram]:
        """Returns one histogram of each orbit under permutations of cells with equal prior."""
        return (c for c in self.model.histograms if self.model.canonical(c) == (c,))

    def neighbours(self, x: Histogram) -> Iterable[Histogram]:
        """Returns the histograms at Hamming distance 1."""
        return neighbours(x)

    def counts(self) -> Counts:
        """Returns the number of histograms, ordered adjacent pairs and outputs, by formula."""
        model = self.model
        return Counts(model.size, count_pairs(model.n, model.k), self.count_outputs())

    @abstractmethod
    def count_outputs(self) -> int:
        """Returns the number of outputs, by formula."""

    @abstractmethod
    def released(self, output: Output) -> Histogram:
        """Returns the k counts that the output stands for: the release is Dir(prior + these)."""

    def read_dataset(self, option: str, value: Any) -> Histogram:
        """Returns the histogram of this model."""
        return self.model.check(option, value)

    def released_outputs(self) -> tuple[Histogram, ...] | None:
        """Returns for every output the k counts that it stands for."""
        return tuple(self.released(output) for output in self.outputs())

    def row(self, x: Histogram, tail: Fraction, most: int) -> Row:
        """Returns the outputs with their probabilities; beyond ``most`` outputs a total of ``tail`` may be omitted."""
        return Row(self.outputs(), self.law().probabilities(x), balls.zero())

    def row_size(self, tail: Fraction, most: int) -> int:
        """Returns about how many outputs ``row`` lists, without listing them."""
        return self.count_outputs()

    def row_memory(self, tail: Fraction, most: int) -> int:
        """Returns the bytes that one row of outputs needs at the least."""
        return self.memory()

    def exact_probability(self, x: Histogram, output: Output) -> Sparse | None:
        """Returns P_x(output) as a polynomial in q, where the family has that form, else None."""
        return None

    def claimed(self) -> Guarantee | None:
        """Returns epsilon-DP, the usual claim (N0, N4 Theorem 3.1)."""
        return Guarantee(self.epsilon)

    def describe(self) -> dict[str, Any]:
        """Returns mechanism, n, k, prior, nominal epsilon and parameters as exact text, for JSON."""
        model = self.model
        shape = {"n": model.n, "k": model.k, "prior": [str(alpha) for alpha in model.prior]}
        return {"mechanism": self.name, **shape, **super().describe()}

    def setting_text(self) -> str:
        """Returns n, k, prior, epsilon and the parameters in one line."""
        model = self.model
        return f"n = {model.n}, k = {model.k}, prior {text(model.prior)}, {super().setting_text()}"

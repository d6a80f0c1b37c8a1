"""Selection of a candidate by noisy scores; the scores come from a table, one row a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import Named, choice, optional
from dpaudit.noise.law import expression
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import ONE, Exponentials, product
from dpaudit.numbers.expressions import Value
from dpaudit.numbers.rationals import positive, rational

if TYPE_CHECKING:
    from dpaudit.noise.source import Noise

MOST_CANDIDATES = 1000
MOST_TERMS = 5000


@dataclass(frozen=True)
class Scores:
    """A table of scores: data sets, candidates, and one row of scores for each data set."""

    text: str
    datasets: tuple[str, ...]
    candidates: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def __str__(self) -> str:
        return self.text

    def of(self, x: str) -> tuple[Fraction, ...]:
        """The scores of the candidates for x."""
        return self.rows[self.datasets.index(x)]

    def change(self) -> Fraction:
        """The largest difference between two rows at one candidate."""
        return max(abs(a - b) for x, y in permutations(self.rows, 2) for a, b in zip(x, y, strict=True))


def read_scores(option: str, value: Any) -> Scores:
    """The table in a CSV file whose first row and column are names, or the rows "2,1,0;1,2,1"."""
    if isinstance(value, Scores):
        return value
    shown = str(value).strip()
    if shown.lower().endswith(".csv"):
        return _checked(option, shown, *_from_file(option, shown))
    rows = [[rational(option, cell.strip()) for cell in line.split(",")] for line in shown.split(";")]
    return _checked(option, shown, [f"x{i + 1}" for i in range(len(rows))], None, rows)


def _from_file(option: str, path: str) -> tuple[list[str], list[str], list[list[Fraction]]]:
    from dpaudit.files.sheets import csv_rows

    lines = csv_rows(option, path)
    if len(lines) < 3 or len(lines[0][1]) < 3:
        raise InputError(option, path, "needs a row of candidates and at least two rows of data sets")
    rows = []
    for number, line in lines[1:]:
        if len(line) != len(lines[0][1]):
            raise InputError(option, path, f"row {number} has {len(line)} cells, the first has {len(lines[0][1])}")
        rows.append([rational(option, cell) for cell in line[1:]])
    return [line[0] for _, line in lines[1:]], list(lines[0][1][1:]), rows


def _checked(
    option: str, shown: str, names: Sequence[str], candidates: Sequence[str] | None, rows: Sequence[Sequence[Fraction]]
) -> Scores:
    sizes = {len(row) for row in rows}
    if len(rows) < 2 or len(sizes) > 1 or not 2 <= min(sizes) <= MOST_CANDIDATES:
        rule = "must be at least two rows of equally many scores, at least two: 2,1,0;1,2,1, or a file scores.csv"
        raise InputError(option, shown, rule)
    known = candidates if candidates is not None else [str(i + 1) for i in range(min(sizes))]
    if len(set(names)) < len(names) or len(set(known)) < len(known):
        raise InputError(option, shown, "has two rows or two columns of one name")
    return Scores(shown, tuple(names), tuple(known), tuple(map(tuple, rows)))


SCORES = Parameter(
    "scores",
    "5,0,0;4,1,1",
    "the scores, one row per data set: 5,0,0;4,1,1, or scores.csv with names of candidates and data sets",
    read_scores,
    ("5,0,0;4,1,1", "2,1,0;1,2,1;1,1,0"),
)
CHANGE = optional(
    "sensitivity", "the most that one record changes a score; auto: the most in the table", ("1", "2"), positive
)


@dataclass(frozen=True)
class Selection(Named):
    """A mechanism on a table of scores. All pairs of its rows are audited, or those of --adjacency."""

    epsilon: Fraction = Fraction(1)
    scores: Scores = read_scores("scores", SCORES.default)  # noqa: RUF009 - a constant
    sensitivity: Fraction | None = None
    covers: ClassVar[str] = "the rows of this table of scores alone; other scores have other losses"
    parameters: ClassVar[tuple[Parameter, ...]] = (SCORES, CHANGE)

    def datasets(self) -> Sequence[str]:
        """The rows."""
        return self.scores.datasets

    def outputs(self) -> Sequence[str]:
        """The candidates."""
        return self.scores.candidates

    @property
    def rate(self) -> Fraction:
        """epsilon / (2 sensitivity)."""
        change = self.scores.change() if self.sensitivity is None else self.sensitivity
        return self.epsilon / (2 * change) if change else Fraction(0)

    def weights(self, x: str) -> list[Fraction]:
        """The exponents, at most 0."""
        found = self.scores.of(x)
        return [self.rate * (score - max(found)) for score in found]

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon


@dataclass(frozen=True)
class Exponential(Selection):
    """A candidate with probability proportional to e^(epsilon score / (2 sensitivity))."""

    name: ClassVar[str] = "exponential"
    summary: ClassVar[str] = "the exponential mechanism"
    formula: ClassVar[str] = "P(r) ∝ e^(ε s(x, r)/(2Δ))"
    source: ClassVar[str] = "McSherry, Talwar 2007; Dwork, Roth 2014, Definition 3.4"

    def log_weight(self, x: str, r: str) -> Fraction:
        """The exponent."""
        return self.weights(x)[self.scores.candidates.index(r)]


@dataclass(frozen=True)
class PermuteAndFlip(Selection):
    """Candidates in random order; each is taken with probability e^(epsilon (score - best) / (2 sensitivity)).

    With p_j these probabilities and U uniform, a candidate r comes at a random time in [0, 1] and is taken if its coin
    says so and no earlier one was: P(r) = p_r times the integral over t of prod over j != r of (1 - p_j t). The product
    is a polynomial in t with sums of exponentials as coefficients.
    """

    name: ClassVar[str] = "permute-and-flip"
    summary: ClassVar[str] = "the first candidate accepted"
    formula: ClassVar[str] = "candidates in random order; r is taken with probability e^(ε (s(x, r) − max s)/(2Δ))"
    source: ClassVar[str] = "McKenna, Sheldon 2020, Algorithm 1"

    def probabilities(self, x: str) -> list[Value]:
        """The integrals."""
        exponents = self.weights(x)
        known: dict[Fraction, Value] = {}
        for r, exponent in enumerate(exponents):
            if exponent not in known:
                known[exponent] = self._taken(exponent, exponents[:r] + exponents[r + 1 :])
        return [known[exponent] for exponent in exponents]

    def _taken(self, mine: Fraction, others: Sequence[Fraction]) -> Value:
        polynomial: list[Exponentials] = [ONE]
        for other in others:
            longer: list[Exponentials] = [dict(c) for c in polynomial] + [{}]
            for power, coefficients in enumerate(polynomial):
                for exponent, c in coefficients.items():
                    at = longer[power + 1]
                    at[exponent + other] = at.get(exponent + other, Fraction(0)) - c
            polynomial = longer
            if sum(map(len, polynomial)) > MOST_TERMS:
                rule = "too many candidates with different scores: the exact law has too many terms; use exponential"
                raise InputError("scores", self.scores.text[:40], rule)
        total: Exponentials = {}
        for power, coefficients in enumerate(polynomial):
            for exponent, c in coefficients.items():
                total[exponent] = total.get(exponent, Fraction(0)) + c / (power + 1)
        whole = product({e: c for e, c in total.items() if c}, {mine: Fraction(1)})
        return expression((whole, ONE))


@dataclass(frozen=True)
class ReportNoisyMax(Selection):
    """The candidate with the largest noisy score; noise of scale 2 sensitivity / epsilon.

    With Gumbel noise this is the exponential mechanism, with exponential noise permute-and-flip.
    """

    noise: str = "laplace"
    name: ClassVar[str] = "report-noisy-max"
    summary: ClassVar[str] = "the best noisy candidate"
    formula: ClassVar[str] = "argmax of s(x, r) + noise of scale 2Δ/ε: Laplace, exponential or Gumbel"
    source: ClassVar[str] = "Dwork, Roth 2014, Section 3.3; Ding, Kifer, Steinke and others 2021 (exponential)"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        SCORES,
        CHANGE,
        choice("noise", "laplace, exponential or gumbel", "laplace", "exponential", "gumbel"),
    )

    @classmethod
    def make(cls, **given: Any) -> Named:
        """The mechanism; Gumbel noise makes it the exponential mechanism."""
        return GumbelMax(**given) if given["noise"] == "gumbel" else cls(**given)

    def sample(self, x: str, noise: Noise) -> str:
        """The candidate with the largest noisy score."""
        scale = 1 / self.rate if self.rate else Fraction(1)
        draw = noise.laplace if self.noise == "laplace" else noise.exponential
        return self.scores.candidates[noise.argmax([score + draw(scale) for score in self.scores.of(x)])]


@dataclass(frozen=True)
class GumbelMax(ReportNoisyMax):
    """Report noisy max with Gumbel noise.

    Gumbel noise G has P(G <= t) = exp(-e^-t). P(r wins) = integral of the density at t of s_r + cG times the product
    over j != r of exp(-e^-((t - s_j)/c)), which is e^(s_r/c) over the sum of e^(s_j/c): the exponential mechanism.
    """

    sample = None  # type: ignore[assignment]

    def log_weight(self, x: str, r: str) -> Fraction:
        """The exponent of the exponential mechanism."""
        return self.weights(x)[self.scores.candidates.index(r)]

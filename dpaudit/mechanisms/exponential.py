"""The exponential family: P_x(r) proportional to exp(-rate(x) H(x, r)) over the histograms r.

H is the Hellinger distance, or another distance (``score``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import pi, sqrt
from typing import Any, ClassVar, cast

from dpaudit.mechanisms.base import HISTOGRAM_BYTES, Exponent, Parameter, PosteriorMechanism
from dpaudit.mechanisms.one_record import OneRecord
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.divergences import DIVERGENCES, choice
from dpaudit.posterior.ends import EndHellinger, Fixed, Following
from dpaudit.posterior.model import Histogram, make_model
from dpaudit.posterior.scores import Score, check_score, make_score
from dpaudit.posterior.sensitivity import global_, gs_constant, local, local_all, smooth_all
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.fast.law import HellingerLaw
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.protocols import Algebra, Law, Mass, Screen, Symmetry

Array = Any
"""A numpy array of floats."""
ClosureOf = Callable[[Array, float], Array]
BALL_BYTES = 120
"""A ball in a list, up to 128 bits: object, two limbs, pointer; rounded up."""
ROWS_BYTES = 1 << 29
"""Rows are kept for reuse up to about this many bytes."""


def rows_kept(size: int, bits: int, most: int = ROWS_BYTES) -> int:
    """The number of rows of ``size`` balls with this many bits that fit into the memory; at least 4."""
    return max(4, min(most, ROWS_BYTES) // (size * BALL_BYTES * max(1, bits // 128)))


class ExponentialLaw(Law):
    """Rows of the exponential family: one normalizer for each row; a bounded number of rows is kept."""

    def __init__(self, mechanism: Exponential) -> None:
        self.h = make_score(mechanism.score, mechanism.model)
        self._mechanism = mechanism
        self.rate = mechanism.rates(self.h)
        self._keep = rows_kept(mechanism.model.size, balls.working_bits())
        self._rows: OrderedDict[Histogram, tuple[list[Ball], Ball]] = OrderedDict()

    def keep(self, most: int) -> None:
        """Limits the kept rows to this many bytes, but at least four rows."""
        self._keep = rows_kept(self._mechanism.model.size, balls.working_bits(), most)

    def _row(self, x: Histogram) -> tuple[list[Ball], Ball]:
        """The log-weights -rate(x) H(x, .) and the log of their normalizer."""
        if x in self._rows:
            self._rows.move_to_end(x)
            return self._rows[x]
        rate = -self.rate(x)
        logs = [rate * h for h in self.h.row(x)]
        row = logs, balls.total([w.exp() for w in logs]).log()
        self._rows[x] = row
        if len(self._rows) > self._keep:
            self._rows.popitem(last=False)
        return row

    def log_probabilities(self, x: Histogram) -> list[Ball]:
        """Balls that contain ln P_x(r) = -rate(x) H(x,r) - ln NL(x)."""
        logs, normalizer = self._row(x)
        return [w - normalizer for w in logs]

    def probabilities(self, x: Histogram) -> list[Ball]:
        """Balls that contain P_x(r)."""
        return [w.exp() for w in self.log_probabilities(x)]

    def masses(self, x: Histogram, y: Histogram) -> list[Mass]:
        """P_x and P_y, output by output, with the loss where algebra knows it."""
        known = partial(self._mechanism.algebra().loss, x, y)
        rows = zip(self.probabilities(x), self.probabilities(y), self._mechanism.outputs(), strict=True)
        return [Mass(p, q, known(output)) for p, q, output in rows]


SYMBOLS = {"tv": "TV", "kl": "KL", "chi2": "χ²", "l1": "ℓ₁"}
"""The symbols of the other scores in a formula, instead of H for Hellinger's."""


@dataclass(frozen=True)
class Exponential(PosteriorMechanism):
    """P_x(r) proportional to exp(-rate(x) H(x,r)); a subclass gives the rate."""

    score: str = field(default=Hellinger.name, kw_only=True)

    def __post_init__(self) -> None:
        check_score(self.score, self.model)

    def settings(self) -> dict[str, str]:
        """The parameters as exact text; the score only where it is not the documents' own."""
        values = super().settings()
        if self.score == Hellinger.name:
            values.pop("score", None)
        return values

    def formula_here(self) -> str:
        """The formula with the score in force."""
        return self.formula.replace("H(x,r)", f"{SYMBOLS.get(self.score, 'H')}(x,r)")

    def bounded_score(self) -> bool:
        """Whether the score is at most 1, which the proofs for the smooth sensitivities use."""
        return DIVERGENCES[self.score].at_most_one

    def numerator(self) -> Fraction:
        """e of the rate e / (2 Delta(x)), exactly: epsilon unless the mechanism divides it further."""
        return self.epsilon

    def fits_one_record(self) -> bool:
        """Whether Delta(x) is H(x, x') at n = 1, k = 2: so it is for every sensitivity between LS and GS."""
        return True

    def algebra(self) -> Algebra:
        """The losses that algebra knows: those of one record in two categories."""
        one = self.model.n == 1 and self.model.k == 2 and self.score == Hellinger.name
        return OneRecord(self.numerator()) if one and self.fits_one_record() else Algebra()

    @abstractmethod
    def rates(self, h: Score) -> Rates:
        """The function x -> rate(x) as balls."""

    def smoothing(self) -> tuple[Callable[[Ball], Ball], Ball] | None:
        """(f, gamma) where f(Delta(x)) = min over x'' of f(LS(x'')) + gamma d(x, x''); None if not smoothed."""
        return None

    def end_sensitivity(self, near: EndHellinger, other: EndHellinger) -> Fixed | Following:
        """How Delta depends on LS, at the precision in force; ``near`` and ``other`` are the two ends, k = 2."""
        return Following()

    def float_sensitivity(self, ls: Array, closure: ClosureOf) -> Array | None:
        """Delta(x) of ``rates`` from LS(x), in floating point: it screens priors and decides nothing.

        ``closure(start, gamma)`` is min over x'' of start(x'') + gamma d(x, x''). None where there is no such twin.
        """
        return None

    def can_screen_priors(self) -> bool:
        """Whether there is a float twin of the sensitivity, for the Hellinger score."""
        return self.score == Hellinger.name and type(self).float_sensitivity is not Exponential.float_sensitivity

    def law(self) -> ExponentialLaw:
        """The law at the precision in force."""
        return ExponentialLaw(self)

    def outputs(self) -> Sequence[Histogram]:
        """The histograms."""
        return self.model.histograms

    def count_outputs(self) -> int:
        """|R|."""
        return self.model.size

    def memory(self) -> int:
        """The bytes for the model, its tables and four rows."""
        return self.model.size * (HISTOGRAM_BYTES + 8 * self.model.k + 4 * BALL_BYTES)

    def symmetry(self) -> Symmetry | None:
        """The permutations of cells with equal prior, if they map neighbors to neighbors."""
        if not self.adjacency.keeps_under_permutation:
            return None
        canonical = self.model.canonical
        return Symmetry(lambda: (c for c in self.model.histograms if canonical(c) == (c,)), canonical)

    def screen(self) -> Screen | None:
        """The fast tier, which supports the Hellinger score and one record replaced."""
        if self.score != Hellinger.name or self.adjacency != REPLACE_ONE:
            return None
        from dpaudit.privacy.fast.certify import FastTier
        from dpaudit.privacy.fast.ends import LEAST_N, EndTier, LargeTier

        usual = FastTier(self, self.hellinger_law, self.numerator())
        if self.model.k != 2 or self.model.n < LEAST_N:
            return usual
        return LargeTier(usual, EndTier(self.model, self.end_sensitivity, self.numerator()))

    def hellinger_law(self) -> HellingerLaw:
        """The law for the fast tier, at the precision in force; any other kind of law is refused."""
        law = self.law()
        if type(law) is not ExponentialLaw or not isinstance(law.h, Hellinger):
            raise TooCoarse("the fast tier knows the plain exponential law with the Hellinger score only")
        return HellingerLaw(law, law.h, law.rate)

    def released(self, output: Histogram) -> Histogram:
        """The output itself."""
        return output


def with_exponent(mechanism: PosteriorMechanism) -> tuple[Exponential, Exponent] | None:
    """The mechanism with the form of its law that holds at every epsilon, n and prior; None without one."""
    form = mechanism.exponent()
    return None if form is None else (cast(Exponential, mechanism), form)


class Rates:
    """x -> epsilon / (2 Delta(x)) as a ball."""

    def __init__(self, h: Score, numerator: Fraction, sensitivities: Sequence[Ball] | Ball | None) -> None:
        self._h = h
        self._numerator = ball(numerator / 2)
        self._sensitivities = sensitivities

    def __call__(self, x: Histogram) -> Ball:
        """A ball that contains the rate of data set x."""
        s = self._sensitivities
        if s is None:
            s = local(self._h, x)
        elif not isinstance(s, Ball):
            s = s[self._h.model.index[x]]
        return self._numerator / s


def one_of(*words: str) -> Callable[[str, object], str]:
    """The check of a parameter whose value is one of these words."""

    def check(option: str, value: object) -> str:
        if value not in words:
            raise InputError(option, value, f"must be {' or '.join(words)}")
        return str(value)

    return check


GS = Parameter(
    "gs",
    "constant",
    "the sensitivity: constant (√(1−π/4)) or exact (GS(n, prior))",
    one_of("constant", "exact"),
    ("constant", "exact"),
    ("constant", "exact"),
)
GAMMA = Parameter("gamma", "1", "γ of the smooth sensitivity, a rational > 0", positive, ("1/10", "1/2", "1", "3"))
SCORE = Parameter(
    "score",
    Hellinger.name,
    "the distance in the exponent: hellinger, tv (k = 2), kl, chi2 (prior entries > n), l1",
    choice,
    (Hellinger.name, Hellinger.name),
    tuple(DIVERGENCES),
)
"""The other scores need more than a name (gs = exact, k = 2, a large prior), so they are not random examples."""


@dataclass(frozen=True)
class EHD(Exponential):
    """The exponential mechanism with the global sensitivity (N4 Algorithm 3)."""

    gs: str = "constant"
    name: ClassVar[str] = "EHD"
    summary: ClassVar[str] = "exponential, global sensitivity"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2·GS)), GS = √(1−π/4) or the model's own"
    source: ClassVar[str] = "N4 Algorithm 3, P1 §4.1.1"
    parameters: ClassVar[tuple[Parameter, ...]] = (GS, SCORE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gs == "constant" and self.score != Hellinger.name:
            rule = f"sqrt(1-pi/4) is the Hellinger score's; with score {self.score} take exact"
            raise InputError("gs", self.gs, rule)

    def rates(self, h: Score) -> Rates:
        """epsilon / (2 GS), the same for every data set."""
        return Rates(h, self.numerator(), gs_constant() if self.gs == "constant" else global_(h))

    def exponent(self) -> Exponent:
        """The form with GS."""
        return Exponent(self.numerator(), self.score, self.gs)

    def fits_one_record(self) -> bool:
        """Whether GS is H(x, x') at n = 1: the constant is that of the prior (1, 1), compared by BC^2."""
        own = bc_squared(self.model, (0, 1), (1, 0))
        return self.gs == "exact" or own == bc_squared(make_model(1), (0, 1), (1, 0))

    def end_sensitivity(self, near: EndHellinger, other: EndHellinger) -> Fixed | Following:
        """GS; the model's own is LS at one of the ends, because LS is quasi-convex."""
        if self.gs == "constant":
            return Fixed(gs_constant())
        return Fixed(balls.maximum([near.locals()[0], other.locals()[0]]))

    def float_sensitivity(self, ls: Array, closure: ClosureOf) -> Array:
        """GS."""
        return 0 * ls + (sqrt(1 - pi / 4) if self.gs == "constant" else ls.max())


@dataclass(frozen=True)
class EHDL(Exponential):
    """The exponential mechanism with the local sensitivity (N4 Algorithm 4): no guarantee is claimed."""

    name: ClassVar[str] = "EHDL"
    summary: ClassVar[str] = "exponential, local sensitivity"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2·LS(x)))"
    source: ClassVar[str] = "N4 Algorithm 4, P1 §4.1.2"
    parameters: ClassVar[tuple[Parameter, ...]] = (SCORE,)

    def claimed(self) -> Guarantee | None:
        """None: the documents claim that it is not epsilon-DP."""
        return None

    def rates(self, h: Score) -> Rates:
        """epsilon / (2 LS(x))."""
        return Rates(h, self.numerator(), None)

    def exponent(self) -> Exponent:
        """The form with LS."""
        return Exponent(self.numerator(), self.score, "local")

    def float_sensitivity(self, ls: Array, closure: ClosureOf) -> Array:
        """LS."""
        return ls


@dataclass(frozen=True)
class Smooth(Exponential):
    """The common part of the mechanisms with the gamma-smooth sensitivity."""

    gamma: Fraction = Fraction(1)
    parameters: ClassVar[tuple[Parameter, ...]] = (GAMMA, SCORE)

    def rates(self, h: Score) -> Rates:
        """numerator / (2 S(x))."""
        return Rates(h, self.numerator(), smooth_all(self.model, local_all(h), self.gamma))

    def exponent(self) -> Exponent:
        """The form with S."""
        return Exponent(self.numerator(), self.score, "smooth", self.gamma)

    def smoothing(self) -> tuple[Callable[[Ball], Ball], Ball]:
        """1/LS and gamma."""
        return (lambda v: 1 / v), ball(self.gamma)

    def end_sensitivity(self, near: EndHellinger, other: EndHellinger) -> Fixed | Following:
        """The closure of 1/LS."""
        return Following(ball(self.gamma))

    def float_sensitivity(self, ls: Array, closure: ClosureOf) -> Array:
        """S."""
        return 1 / closure(1 / ls, float(self.gamma))


@dataclass(frozen=True)
class EHDS(Smooth):
    """The exponential mechanism with the gamma-smooth sensitivity (N0 Algorithm 6; N4 Algorithm 5 is gamma = 1)."""

    name: ClassVar[str] = "EHDS"
    summary: ClassVar[str] = "exponential, smooth sensitivity"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2(1+γ)·S(x)))"
    source: ClassVar[str] = "N0 Algorithm 6, N4 Algorithm 5"

    def claimed(self) -> Guarantee | None:
        """epsilon (N4 Theorem 3.1); None for an unbounded score, where its proof does not carry over."""
        return EpsilonDelta(self.epsilon) if self.bounded_score() else None

    def numerator(self) -> Fraction:
        """epsilon / (1 + gamma)."""
        return self.epsilon / (1 + self.gamma)


@dataclass(frozen=True)
class MH(Smooth):
    """A3's mechanism with the gamma-smooth sensitivity (A3 Definition 6)."""

    name: ClassVar[str] = "MH"
    summary: ClassVar[str] = "as EHDS, without 1 + γ"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2·S(x)))"
    source: ClassVar[str] = "A3 Definition 6"

    def claimed(self) -> Guarantee | None:
        """(1 + gamma) epsilon (A3 Lemma 5.6); None for an unbounded score."""
        return EpsilonDelta((1 + self.gamma) * self.epsilon) if self.bounded_score() else None

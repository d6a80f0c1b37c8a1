"""Guarantees of privacy: values that a mechanism claims, a user asks for, and the auditor judges.

A mechanism has one of them if every ordered pair (x, x') of adjacent data sets, with distributions P and Q, has it:
epsilon: P <= e^eps Q;  (eps, delta): P(S) <= e^eps Q(S) + delta;  (alpha, eps)-Renyi: D_alpha(P, Q) <= eps;
rho-zCDP: D_alpha(P, Q) <= rho alpha for all alpha > 1;  f: every test of P against Q has an error of the second kind
of at least f(its error of the first kind);  mu-Gaussian: the same with the f of N(0, 1) against N(mu, 1).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from dpaudit.numbers.digits import powers
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import nonnegative, rational
from dpaudit.privacy import judge

if TYPE_CHECKING:
    from dpaudit.privacy.claim import Claim
    from dpaudit.privacy.effort import Effort
    from dpaudit.privacy.pairs import Worst
    from dpaudit.privacy.protocols import Audited


class Guarantee(ABC):
    """A guarantee that is judged over all ordered adjacent pairs; its numbers fill ``words`` and ``form``."""

    kind: ClassVar[str]
    words: ClassVar[str]
    form: ClassVar[str]
    least: ClassVar[dict[str, int]]
    """The smallest value that each number may have."""

    def check(self) -> None:
        """Refuses numbers that make no guarantee; those of a proof for all values are not checked."""
        for name, least in self.least.items():
            if vars(self)[name] < least:
                raise InputError({"epsilon": "eps"}.get(name, name), vars(self)[name], f"must be >= {least}")

    @abstractmethod
    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict on "the mechanism has this guarantee", with what decides it.

        ``worst`` is the true epsilon, where it has been computed already.
        """

    def text(self) -> str:
        """The guarantee for people: "1/2-zCDP", "(1, 1e-8)-DP"."""
        return powers(self.words.format_map(vars(self)))

    def option(self) -> str:
        """The text from which ``parse_guarantee`` makes it again: "rho=1/2"."""
        return self.form.format_map(vars(self))

    def to_dict(self) -> dict[str, Any]:
        """kind, text and the numbers as exact text, for JSON."""
        numbers = {name: str(value) for name, value in vars(self).items()}
        return {"kind": self.kind, "text": self.text(), **numbers}

    def epsilon_delta(self) -> tuple[Fraction, Fraction] | None:
        """(epsilon, delta) where this is what the guarantee is, else None."""
        return None


@dataclass(frozen=True)
class EpsilonDelta(Guarantee):
    """(epsilon, delta)-differential privacy; delta = 0 is the pure one."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    least: ClassVar[dict[str, int]] = {"epsilon": 0, "delta": 0}

    def check(self) -> None:
        """Refuses numbers that make no guarantee."""
        super().check()
        if self.delta > 1:
            raise InputError("delta", self.delta, "must be <= 1: it is a probability")

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Either "epsilon" for pure privacy, else "epsilon-delta"."""
        return "epsilon-delta" if self.delta else "epsilon"

    @property
    def words(self) -> str:  # type: ignore[override]
        """In words: "1/2-DP" or "(1, 1/100000)-DP"."""
        return "({epsilon}, {delta})-DP" if self.delta else "{epsilon}-DP"

    @property
    def form(self) -> str:  # type: ignore[override]
        """As an option: "eps=1/2" or "eps=1,delta=1/100000"."""
        return "eps={epsilon}" + (",delta={delta}" if self.delta else "")

    def epsilon_delta(self) -> tuple[Fraction, Fraction]:
        """Both."""
        return self.epsilon, self.delta

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict, by the worst loss, and by delta(epsilon) where that is exceeded."""
        return judge.judge_epsilon(mechanism, self, effort, worst)


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """D_alpha <= epsilon, alpha >= 1; alpha = 1 is the Kullback-Leibler divergence."""

    alpha: Fraction
    epsilon: Fraction
    kind: ClassVar[str] = "renyi"
    words: ClassVar[str] = "({alpha}, {epsilon})-Rényi DP"
    form: ClassVar[str] = "alpha={alpha},eps={epsilon}"
    least: ClassVar[dict[str, int]] = {"alpha": 1, "epsilon": 0}

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict, by D_alpha of all pairs."""
        from dpaudit.privacy.judge_moments import judge_renyi

        return judge_renyi(mechanism, self, effort)


@dataclass(frozen=True)
class Zcdp(Guarantee):
    """rho-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction
    kind: ClassVar[str] = "zcdp"
    words: ClassVar[str] = "{rho}-zCDP"
    form: ClassVar[str] = "rho={rho}"
    least: ClassVar[dict[str, int]] = {"rho": 0}

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict, by sup D_alpha / alpha of all pairs."""
        from dpaudit.privacy.judge_moments import judge_zcdp

        return judge_zcdp(mechanism, self, effort)


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """Telling x from x' is at least as hard as N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022)."""

    mu: Fraction
    kind: ClassVar[str] = "gaussian"
    words: ClassVar[str] = "{mu}-GDP"
    form: ClassVar[str] = "mu={mu}"
    least: ClassVar[dict[str, int]] = {"mu": 0}

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict, by the most powerful tests of all pairs."""
        from dpaudit.privacy.judge_tests import judge_gaussian

        return judge_gaussian(mechanism, self, effort)


Points = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class TradeOff(Guarantee):
    """f-DP for the f through these points (error of the first kind, of the second kind), linear in between."""

    points: Points
    kind: ClassVar[str] = "trade-off"

    def check(self) -> None:
        """Refuses points that make no trade-off function."""
        points, shown = self.points, self.option()
        if len(points) < 2 or points[0][0] != 0 or points[-1][0] != 1:
            raise InputError("f", shown, "must go from alpha = 0 to alpha = 1")
        if any(b[0] <= a[0] for a, b in pairwise(points)):
            raise InputError("f", shown, "the alphas must increase")
        if points[0][1] > 1 or points[-1][1] != 0 or any(b[1] > a[1] for a, b in pairwise(points)):
            raise InputError("f", shown, "must decrease from f(0) <= 1 to f(1) = 0")
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        if any(right < left for left, right in pairwise(slopes)):
            raise InputError("f", shown, "must be convex, as every trade-off function is")

    def text(self) -> str:
        """In words: "f-DP through (0, 1), (1/4, 1/2), (1, 0)"."""
        return "f-DP through " + ", ".join(f"({alpha}, {beta})" for alpha, beta in self.points)

    def option(self) -> str:
        """As an option: "f=0:1;1/4:1/2;1:0"."""
        return "f=" + ";".join(f"{alpha}:{beta}" for alpha, beta in self.points)

    def to_dict(self) -> dict[str, Any]:
        """The points as exact text."""
        points = [[str(alpha), str(beta)] for alpha, beta in self.points]
        return {"kind": self.kind, "text": self.text(), "points": points}

    def judge(self, mechanism: Audited, effort: Effort, worst: Worst | None = None) -> Claim:
        """The verdict, by the most powerful tests of all pairs."""
        from dpaudit.privacy.judge_tests import judge_trade_off

        return judge_trade_off(mechanism, self, effort)


# ------------------------------------------------------------------ reading

G = TypeVar("G", bound=Guarantee)
FORMS = "1, eps=1, eps=1,delta=1e-5, rho=1/2, alpha=2,eps=1/2, mu=1 or f=0:1;1/4:1/2;1:0"
KINDS: dict[frozenset[str], type[Any]] = {
    frozenset({"epsilon"}): EpsilonDelta,
    frozenset({"epsilon", "delta"}): EpsilonDelta,
    frozenset({"rho"}): Zcdp,
    frozenset({"alpha", "epsilon"}): RenyiDP,
    frozenset({"mu"}): GaussianDP,
}


def parse_guarantee(option: str, value: Any) -> Guarantee:
    """The guarantee that a number, a pair (epsilon, delta), a text or a Guarantee denotes.

    >>> parse_guarantee("claim", "alpha=2,eps=1/2").text()
    '(2, 1/2)-Rényi DP'
    """
    found = value if isinstance(value, Guarantee) else _parse(option, value)
    return _checked(option, value if isinstance(value, str) else found.option(), found)


def _checked(option: str, shown: str, found: G) -> G:
    """The guarantee; of numbers that make none the error names the option, the whole text and the number."""
    try:
        found.check()
    except InputError as error:
        raise InputError(option, shown, f"{error.option} {error.rule}") from None
    return found


def _parse(option: str, value: Any) -> Guarantee:
    if isinstance(value, tuple | list):
        if not 1 <= len(value) <= 2:
            raise InputError(option, value, "must be epsilon, (epsilon, delta), or a text such as rho=1/2")
        return EpsilonDelta(*(nonnegative(option, part) for part in value))
    if isinstance(value, str) and "=" not in value:
        return _spoken(option, value)
    if not isinstance(value, str):
        return EpsilonDelta(nonnegative(option, value))
    if value.strip().lower().startswith("f="):
        return TradeOff(_points(option, value.strip()))
    numbers: dict[str, Fraction] = {}
    for part in value.split(","):
        name, _, number = part.partition("=")
        name = {"eps": "epsilon"}.get(name.strip().lower(), name.strip().lower())
        if name in numbers or not number:
            raise InputError(option, value, f"must be a guarantee such as {FORMS}")
        try:
            numbers[name] = rational(option, number)
        except InputError as error:
            raise InputError(option, value, f"{part.partition('=')[0].strip()} {error.rule}") from None
    if frozenset(numbers) not in KINDS:
        raise InputError(option, value, f"must be a guarantee such as {FORMS}")
    made: Guarantee = KINDS[frozenset(numbers)](**numbers)
    return made


SPOKEN: dict[str, type[Any]] = {
    "DP": EpsilonDelta,
    "": EpsilonDelta,
    "zCDP": Zcdp,
    "GDP": GaussianDP,
    "Rényi DP": RenyiDP,
}
"""The kind of a guarantee, by the suffix with which people write it."""


def _spoken(option: str, value: str) -> Guarantee:
    """A guarantee as it is printed: "1", "1-DP", "(1, 1e-5)", "(1, 1e-5)-DP", "1/2-zCDP", "1-GDP", "(2, 1/2)-Rényi DP".

    >>> _spoken("claim", "(1, 1e-5)-DP").option(), _spoken("claim", "1/2-zCDP").option()
    ('eps=1,delta=1/100000', 'rho=1/2')
    """
    read = re.fullmatch(r"\s*(\(.*\)|.*?)(?:-(DP|zCDP|GDP|Rényi DP))?\s*", value)
    numbers, kind = ("", "") if read is None else (read[1], read[2] or "")
    parts = numbers.strip("()").split(",") if numbers[:1] == "(" else [numbers]
    if kind in ("DP", "") and re.fullmatch(r"[^(),]+,[^(),]+", numbers):  # 0,5 may also be a half
        first, second = (part.strip() for part in numbers.split(","))
        raise InputError(option, value, f"an ε with a δ is written eps={first},delta={second}")
    fewest = len(fields(SPOKEN[kind]))
    if numbers.strip()[:2] in ("ln", "lo"):
        nonnegative(option, numbers)  # refused, with the reason
    if numbers.strip()[:1].isalpha() or len(parts) > fewest or (kind == "Rényi DP" and len(parts) < fewest):
        raise InputError(option, value, f"must be a guarantee such as {FORMS}")
    made: Guarantee = SPOKEN[kind](*(nonnegative(option, part) for part in parts))
    return made


def claimed_epsilon(guarantee: Guarantee | None) -> Fraction | None:
    """The epsilon of an (epsilon, delta)-guarantee; None of any other, or of none."""
    both = None if guarantee is None else guarantee.epsilon_delta()
    return None if both is None else both[0]


def trade_off(option: str, points: str | list[Any] | tuple[Any, ...]) -> TradeOff:
    """The trade-off function through "0:1;1/4:1/2;1:0", or through a list of pairs of exact numbers."""
    if isinstance(points, str):
        found = _points(option, points)
    else:
        pairs: list[Any] = [tuple(point) for point in points]
        if any(len(pair) != 2 for pair in pairs):
            raise InputError(option, points, "must be pairs (alpha, f(alpha))")
        found = tuple((rational(option, alpha), rational(option, beta)) for alpha, beta in pairs)
    made = TradeOff(found)
    return _checked(option, made.option(), made)


def _points(option: str, text: str) -> Points:
    pairs = [point.split(":") for point in text.strip().removeprefix("f=").removeprefix("F=").split(";")]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(option, text, "must be points alpha:beta, separated by semicolons: 0:1;1/4:1/2;1:0")
    return tuple((rational(option, alpha), rational(option, beta)) for alpha, beta in pairs)

"""The accuracy bounds that the documents state, once: `dpaudit accuracy` and the checks of the claims both use these.

A bound is a formula of numbers or of symbols: numbers give its value at one threshold, symbols the bound for every n,
kappa and epsilon. kappa is Theorem 4.5's step count: the largest number of steps to the right of x with H < t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from dpaudit.mechanisms.base import Sparse
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.sensitivity import gs_constant

HALF = fmpq(1, 2)


@dataclass(frozen=True)
class Threshold:
    """What a bound may depend on, at one threshold; ``squares`` contains the sum of P(r)^2 over H >= t.

    The weights of an exponential mechanism are w = P(r)/P(x) = exp(-rate H), rate = epsilon/(2 sensitivity).
    """

    n: int
    size: int
    epsilon: Ball
    t: Ball
    kappa: int
    local: Ball
    sensitivity: Ball
    at_truth: Ball
    squares: Ball
    tail: Ball

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Ball:
        """A ball that contains the sum of w^multiple over H >= t, multiple 1 or 2; or NL, that over all."""
        if all_outputs:
            return 1 / self.at_truth
        return self.tail / self.at_truth if multiple == 1 else self.squares / self.at_truth**2

    def edge(self, multiple: int) -> Ball:
        """A ball that contains |R| exp(-multiple rate t)."""
        return self.size * (-multiple * self.epsilon * self.t / (2 * self.sensitivity)).exp()


# ------------------------------------------------------------------ the three forms of a bound


@dataclass(frozen=True)
class InPowers:
    """of(q, K), q = e^(-epsilon/scale) and K = q^kappa: with symbols a polynomial in both."""

    of: Callable[[Any, Any], Any]
    scale: int = 1

    @cached_property
    def _terms(self) -> dict[tuple[int, int], Fraction]:
        q, k = fmpq_mpoly_ctx.get(("q", "K"), "degrevlex").gens()
        terms = (self.of(q, k) + 0 * q).to_dict().items()
        return {(int(i), int(j)): Fraction(int(c.p), int(c.q)) for (i, j), c in terms}

    def polynomial(self, kappa: int) -> Sparse:
        """The polynomial in q."""
        result: Sparse = {}
        for (i, j), c in self._terms.items():
            result[i + j * kappa] = result.get(i + j * kappa, Fraction(0)) + c
        return {exponent: c for exponent, c in result.items() if c}

    def value(self, at: Threshold) -> Ball:
        """A ball that contains the bound."""
        q = (-at.epsilon / self.scale).exp()
        value: Ball = ball(1) * self.of(q, q**at.kappa)
        return value


Factor = Callable[[Any], Ball]
"""Of something with ``epsilon`` and ``local``, balls that contain epsilon and LS(x): a Threshold, say."""


@dataclass(frozen=True)
class InSteps:
    """top(kappa, f) / bottom(n, f), f the factor of one step."""

    top: Callable[[Any, Any], Any]
    bottom: Callable[[Any, Any], Any]
    factor: Factor

    def of(self, kappa: int, n: int, at: Any) -> Ball:
        """A ball that contains the bound."""
        f = self.factor(at)
        value: Ball = ball(1) * self.top(kappa, f) / self.bottom(n, f)
        return value

    def value(self, at: Threshold) -> Ball:
        """A ball that contains the bound."""
        return self.of(at.kappa, at.n, at)


@dataclass(frozen=True)
class InTail:
    """top/bottom, of the weights w of the outputs with H >= t: ``total`` and ``edge`` of a Threshold, or of symbols."""

    top: Callable[[Any], Any]
    bottom: Callable[[Any], Any]

    def value(self, at: Any) -> Ball:
        """A ball that contains the bound."""
        value: Ball = ball(1) * self.top(at) / self.bottom(at)
        return value


def e_epsilon(at: Any) -> Ball:
    """A ball that contains e^-epsilon."""
    epsilon: Ball = at.epsilon
    return (-epsilon).exp()


def e_global(at: Any) -> Ball:
    """A ball that contains e^(-epsilon/(2 GS_0))."""
    epsilon: Ball = at.epsilon
    return (-epsilon / (2 * gs_constant())).exp()


def e_local(at: Any) -> Ball:
    """A ball that contains e^(-epsilon/(2 LS(x)))."""
    epsilon: Ball = at.epsilon
    local: Ball = at.local
    return (-epsilon / (2 * local)).exp()


def interval(q: Any, k: Any) -> Any:
    """1 - (q^kappa + q^(kappa+1)) / 2, k = q^kappa."""
    return 1 - HALF * k * (1 + q)


def above(q: Any, k: Any) -> Any:
    """1 - q^kappa."""
    return 1 - k


def first_interval(q: Any, _: Any) -> Any:
    """The interval law at kappa = 1."""
    return interval(q, q)


def lower(factor: Factor, more: int) -> InSteps:
    """(2 kappa f + 1) / (n + more)."""
    return InSteps(lambda kappa, f: 2 * kappa * f + 1, lambda n, f: n + more, factor)


def upper(factor: Factor, more: int) -> InSteps:
    """(2 kappa + 1) / ((n + more) f)."""
    return InSteps(lambda kappa, f: 2 * kappa + 1, lambda n, f: (n + more) * f, factor)


def tight(multiple: int) -> InTail:
    """The sum of w^multiple over the tail, divided by NL."""
    return InTail(lambda tail: tail.total(multiple), lambda tail: tail.total(all_outputs=True))


def second(multiple: int) -> InTail:
    """|R| exp(-multiple rate t) / NL."""
    return InTail(lambda tail: tail.edge(multiple), lambda tail: tail.total(all_outputs=True))


def loose(multiple: int) -> InTail:
    """|R| exp(-multiple rate t)."""
    return InTail(lambda tail: tail.edge(multiple), lambda tail: 1)


# ------------------------------------------------------------------ the bounds


@dataclass(frozen=True)
class Bound:
    """Pr[H < t] (or, in the tail, Pr[H >= t]) ``relation`` the form's value; ``words`` are its formula.

    ``threshold`` says at which t: at the user's (or at every one that separates two attained distances), or at
    LS(x), strictly below it or up to it. ``identity``: the form is the definition of the probability itself.
    ``gs`` is the global sensitivity that the bound is about: N0's constant, or the model's own.
    """

    claim: str
    mechanisms: tuple[str, ...]
    relation: str
    words: str
    source: str
    form: InPowers | InSteps | InTail
    threshold: str = "< t"
    data: str = "any"
    identity: bool = False
    gs: str = "constant"

    @property
    def of_tail(self) -> bool:
        """Whether it bounds Pr[H >= t]."""
        return isinstance(self.form, InTail)

    @property
    def statement(self) -> str:
        """The relation in words: "Pr[H < t] ≥ 1 − e^(−κε)"."""
        event = "H ≥ t" if self.of_tail else f"H {self.threshold}"
        rest = ": the definition itself" if self.identity else ""
        return f"Pr[{event}] {self.relation} {self.words}{rest}"


T42, T45, N0 = "N0, N4 Theorem 4.2", "N0, N4 Theorem 4.5", "N0 Theorem 4.5"
PROOF, TAIL, TAIL_GS = "proof of Theorem 4.5", "P1 §5.3, A3 §6.2", "P1 §5.2, A3 §6.1.1"
SMOOTH = ("MH", "MHdelta")
SQUARED_INTERVAL = InPowers(lambda q, k: interval(q, k) ** 2, 2)
SQUARED_ABOVE = InPowers(lambda q, k: above(q, k) ** 2, 2)
FIRST = "1 − ½(e^(−ε) + e^(−2ε))"


def _both(
    claim: str, mechanism: str, relation: str, words: str, form: InPowers | InSteps, source: str = T45
) -> list[Bound]:
    """The same bound for balanced data and for all others, which have ids of their own."""
    return [
        Bound(f"{claim}.{data}", (mechanism,), relation, words, source, form, data=data) for data in ("balanced", "all")
    ]


def _balanced(claim: str, mechanism: str, relation: str, words: str, source: str, form: InPowers | InSteps) -> Bound:
    return Bound(claim, (mechanism,), relation, words, source, form, data="balanced")


BOUNDS: tuple[Bound, ...] = (
    Bound("acc.4.2.strict", ("LSHist",), "≥", FIRST, T42, InPowers(first_interval), "< LS(x)"),
    Bound("acc.4.2.closed", ("LSHist",), "≥", FIRST, T42, InPowers(first_interval), "≤ LS(x)"),
    *_both("acc.4.5.lszhang-eq", "LSZhang", "=", "(1 − ½(e^(−κε/2) + e^(−(κ+1)ε/2)))²", SQUARED_INTERVAL, N0),
    *_both("acc.4.5.lszhang-lb", "LSZhang", "≥", "(1 − e^(−κε/2))²", SQUARED_ABOVE, N0),
    *_both("acc.4.5.lshist-eq", "LSHist", "=", "1 − ½(e^(−κε) + e^(−(κ+1)ε))", InPowers(interval)),
    *_both("acc.4.5.lshist-lb", "LSHist", "≥", "1 − e^(−κε)", InPowers(above)),
    Bound("acc.em-tail", ("EHD",), "≤", "|R|·exp(−εt/(2·GS₀))", TAIL_GS, loose(1)),
    Bound("acc.em-tail.model", ("EHD",), "≤", "|R|·exp(−εt/(2·GS(n, α)))", TAIL_GS, loose(1), gs="exact"),
    *_both("acc.4.5.ehd-lower", "EHD", ">", "(2κe^(−ε) + 1)/n", lower(e_epsilon, 0)),
    *_both("acc.4.5.ehd-upper", "EHD", "<", "(2κ+1)/(n·e^(−ε))", upper(e_epsilon, 0)),
    _balanced("acc.4.5.ehd-lower.repaired", "EHD", ">", "(2κe^(−ε/(2GS₀)) + 1)/(n+1)", PROOF, lower(e_global, 1)),
    _balanced("acc.4.5.ehd-upper.repaired", "EHD", "<", "(2κ+1)/((n+1)·e^(−ε/(2GS₀)))", PROOF, upper(e_global, 1)),
    *_both("acc.4.5.ehdl-lower", "EHDL", ">", "(2κe^(−ε/(2LS(x))) + 1)/n", lower(e_local, 0)),
    *_both("acc.4.5.ehdl-upper", "EHDL", "<", "(2κ+1)/(n·e^(−ε/(2LS(x))))", upper(e_local, 0)),
    Bound("acc.mh-tight.stated", SMOOTH, "=", "Σ_{H ≥ t} e^(−εH/S(x)) / NL(x)", TAIL, tight(2)),
    Bound("acc.mh-tight.corrected", SMOOTH, "=", "Σ_{H ≥ t} e^(−εH/(2S(x))) / NL(x)", TAIL, tight(1), identity=True),
    Bound("acc.mh-second.stated", SMOOTH, "≤", "|R|·e^(−εt/S(x)) / NL(x)", TAIL, second(2)),
    Bound("acc.mh-second.corrected", SMOOTH, "≤", "|R|·e^(−εt/(2S(x))) / NL(x)", TAIL, second(1)),
    Bound("acc.mh-loose", ("MH",), "≤", "|R|·exp(−εt/(2S(x)))", "A3 §6.2", loose(1)),
)


def bound_of(claim: str) -> Bound:
    """The bound of that claim."""
    return next(bound for bound in BOUNDS if bound.claim == claim)


def evaluate(poly: Sparse, step: Fraction) -> Ball:
    """A ball that contains the polynomial at q = e^(-step)."""
    value = ball(0)
    for exponent, c in poly.items():
        value = value + ball(c) * (-ball(step * exponent)).exp()
    return value


def leading(poly: Sparse, step: Fraction) -> Ball:
    """A ball that contains the polynomial at q = e^(-step) over its lowest power of q: it has the same sign."""
    lowest = min(poly, default=0)
    return evaluate({exponent - lowest: c for exponent, c in poly.items()}, step)

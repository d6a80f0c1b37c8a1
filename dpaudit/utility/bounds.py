"""The accuracy bounds that the documents state, as data: claim, mechanism, statement, and the bound as a function.

kappa is Theorem 4.5's step count: the largest number of steps to the right of x with H < t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.mechanisms.base import Sparse
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.sensitivity import gs_constant

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Setting:
    """What a bound may depend on, at one threshold; ``squares`` contains the sum of P(r)^2 over H >= t."""

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

    def tail_factor(self, factor: int) -> Ball:
        """Returns a ball that contains exp(-epsilon t / (factor S(x)))."""
        return (-self.epsilon * self.t / (factor * self.sensitivity)).exp()


@dataclass(frozen=True)
class Bound:
    """Pr[H < t] (or, if ``of_tail``, Pr[H >= t]) ``relation`` value.

    ``threshold`` says at which t: at the user's (or at every one that separates two attained distances), or at
    LS(x), strictly below it or up to it. Polynomial bounds are in q = e^(-epsilon/scale).
    """

    claim: str
    mechanisms: tuple[str, ...]
    statement: str
    source: str
    relation: str
    ball: Callable[[Setting], Ball] = lambda s: s.tail
    polynomial: Callable[[Setting], Sparse] | None = None
    of_tail: bool = False
    threshold: str = "t"
    data: str = "any"
    identity: bool = False
    scale: int = 1


def _times(a: Sparse, b: Sparse) -> Sparse:
    result: Sparse = {}
    for i, c in a.items():
        for j, d in b.items():
            result[i + j] = result.get(i + j, Fraction(0)) + c * d
    return {exponent: c for exponent, c in result.items() if c}


def _plus(*terms: tuple[int, Fraction | int]) -> Sparse:
    result: Sparse = {}
    for exponent, c in terms:
        result[exponent] = result.get(exponent, Fraction(0)) + c
    return {exponent: c for exponent, c in result.items() if c}


def _interval(kappa: int) -> Sparse:
    """1 - (q^kappa + q^(kappa+1)) / 2."""
    return _plus((0, 1), (kappa, -HALF), (kappa + 1, -HALF))


def _tail(kappa: int) -> Sparse:
    """1 - q^kappa."""
    return _plus((0, 1), (kappa, -1))


def _square(poly: Sparse) -> Sparse:
    return _times(poly, poly)


def _exp(s: Setting, scale: Ball | None = None) -> Ball:
    """e^-epsilon, or e^(-epsilon/(2 scale))."""
    return (-s.epsilon).exp() if scale is None else (-s.epsilon / (2 * scale)).exp()


def _lower(s: Setting, weight: Ball, n: int) -> Ball:
    return (2 * s.kappa * weight + 1) / n


def _upper(s: Setting, weight: Ball, n: int) -> Ball:
    return (2 * s.kappa + 1) / (n * weight)


T45 = "N0, N4 Theorem 4.5"


def _both(claim: str, mechanism: str, statement: str, relation: str, **value: object) -> list[Bound]:
    """The same bound for balanced data and for all others, which have ids of their own."""
    return [
        Bound(f"{claim}.{data}", (mechanism,), statement, T45, relation, data=data, **value)  # type: ignore[arg-type]
        for data in ("balanced", "all")
    ]


BOUNDS: tuple[Bound, ...] = (
    Bound(
        "acc.4.2.strict",
        ("LSHist",),
        "Pr[H < LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))",
        "N0, N4 Theorem 4.2",
        "≥",
        polynomial=lambda s: _interval(1),
        threshold="< LS(x)",
    ),
    Bound(
        "acc.4.2.closed",
        ("LSHist",),
        "Pr[H ≤ LS(x)] ≥ 1 − ½(e^(−ε) + e^(−2ε))",
        "N0, N4 Theorem 4.2",
        "≥",
        polynomial=lambda s: _interval(1),
        threshold="≤ LS(x)",
    ),
    Bound(
        "acc.4.5.lszhang-eq.balanced",
        ("LSZhang",),
        "Pr[H < t] = (1 − ½(e^(−κε/2) + e^(−(κ+1)ε/2)))²",
        "N0 Theorem 4.5",
        "=",
        polynomial=lambda s: _square(_interval(s.kappa)),
        scale=2,
        data="balanced",
    ),
    Bound(
        "acc.4.5.lszhang-lb.balanced",
        ("LSZhang",),
        "Pr[H < t] ≥ (1 − e^(−κε/2))²",
        "N0 Theorem 4.5",
        "≥",
        polynomial=lambda s: _square(_tail(s.kappa)),
        scale=2,
        data="balanced",
    ),
    *_both(
        "acc.4.5.lshist-eq",
        "LSHist",
        "Pr[H < t] = 1 − ½(e^(−κε) + e^(−(κ+1)ε))",
        "=",
        polynomial=lambda s: _interval(s.kappa),
    ),
    *_both("acc.4.5.lshist-lb", "LSHist", "Pr[H < t] ≥ 1 − e^(−κε)", "≥", polynomial=lambda s: _tail(s.kappa)),
    Bound(
        "acc.em-tail",
        ("EHD",),
        "Pr[H ≥ t] ≤ |R|·exp(−εt/(2·GS₀))",
        "P1 §5.2, A3 §6.1.1",
        "≤",
        ball=lambda s: s.size * (-s.epsilon * s.t / (2 * gs_constant())).exp(),
        of_tail=True,
    ),
    *_both("acc.4.5.ehd-lower", "EHD", "Pr[H < t] > (2κe^(−ε) + 1)/n", ">", ball=lambda s: _lower(s, _exp(s), s.n)),
    *_both("acc.4.5.ehd-upper", "EHD", "Pr[H < t] < (2κ+1)/(n·e^(−ε))", "<", ball=lambda s: _upper(s, _exp(s), s.n)),
    Bound(
        "acc.4.5.ehd-lower.repaired",
        ("EHD",),
        "Pr[H < t] > (2κe^(−ε/(2GS₀)) + 1)/(n+1)",
        "proof of Theorem 4.5",
        ">",
        ball=lambda s: _lower(s, _exp(s, gs_constant()), s.n + 1),
        data="balanced",
    ),
    Bound(
        "acc.4.5.ehd-upper.repaired",
        ("EHD",),
        "Pr[H < t] < (2κ+1)/((n+1)·e^(−ε/(2GS₀)))",
        "proof of Theorem 4.5",
        "<",
        ball=lambda s: _upper(s, _exp(s, gs_constant()), s.n + 1),
        data="balanced",
    ),
    *_both(
        "acc.4.5.ehdl-lower",
        "EHDL",
        "Pr[H < t] > (2κe^(−ε/(2LS(x))) + 1)/n",
        ">",
        ball=lambda s: _lower(s, _exp(s, s.local), s.n),
    ),
    *_both(
        "acc.4.5.ehdl-upper",
        "EHDL",
        "Pr[H < t] < (2κ+1)/(n·e^(−ε/(2LS(x))))",
        "<",
        ball=lambda s: _upper(s, _exp(s, s.local), s.n),
    ),
    Bound(
        "acc.mh-tight.stated",
        ("MH", "MHdelta"),
        "Pr[H ≥ t] = Σ_{H ≥ t} e^(−εH/S(x)) / NL(x)",
        "P1 §5.3, A3 §6.2",
        "=",
        ball=lambda s: s.squares / s.at_truth,
        of_tail=True,
    ),
    Bound(
        "acc.mh-tight.corrected",
        ("MH", "MHdelta"),
        "Pr[H ≥ t] = Σ_{H ≥ t} e^(−εH/(2S(x))) / NL(x): the definition itself",
        "P1 §5.3, A3 §6.2",
        "=",
        of_tail=True,
        identity=True,
    ),
    Bound(
        "acc.mh-second.stated",
        ("MH", "MHdelta"),
        "Pr[H ≥ t] ≤ |R|·e^(−εt/S(x)) / NL(x)",
        "P1 §5.3, A3 §6.2",
        "≤",
        ball=lambda s: s.size * s.tail_factor(1) * s.at_truth,
        of_tail=True,
    ),
    Bound(
        "acc.mh-second.corrected",
        ("MH", "MHdelta"),
        "Pr[H ≥ t] ≤ |R|·e^(−εt/(2S(x))) / NL(x)",
        "P1 §5.3, A3 §6.2",
        "≤",
        ball=lambda s: s.size * s.tail_factor(2) * s.at_truth,
        of_tail=True,
    ),
    Bound(
        "acc.mh-loose",
        ("MH",),
        "Pr[H ≥ t] ≤ |R|·exp(−εt/(2S(x)))",
        "A3 §6.2",
        "≤",
        ball=lambda s: s.size * s.tail_factor(2),
        of_tail=True,
    ),
)


def evaluate(poly: Sparse, step: Fraction) -> Ball:
    """Returns a ball that contains the polynomial at q = e^(-step)."""
    value = ball(0)
    for exponent, c in poly.items():
        value = value + ball(c) * (-ball(step * exponent)).exp()
    return value


def leading(poly: Sparse, step: Fraction) -> Ball:
    """Returns a ball that contains the polynomial at q = e^(-step) over its lowest power of q: it has the same sign."""
    lowest = min(poly, default=0)
    return evaluate({exponent - lowest: c for exponent, c in poly.items()}, step)

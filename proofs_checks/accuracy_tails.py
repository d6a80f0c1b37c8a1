"""Tail bounds of the exponential mechanisms: P1 sections 5.2 and 5.3, A3 sections 6.1.1 and 6.2. Any k.

With weights w_r = exp(-rate(x) H(x,r)) and c an attained distance, Pr[H >= c] = sum of w_r over H(x,r) >= c, divided
by NL(x), the sum over all r. The rate is eps/(2 GS_0) for EHD and eps/(2 S(x)) for MH.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace

from dpaudit import balls
from dpaudit.balls import Ball
from dpaudit.distances import Hellinger, bc_squared
from dpaudit.mechanisms.exponential import EHD, MH, Exponential
from dpaudit.model import Histogram, Model
from proofs_checks import Batch, Context, Grid, Outcome, Statement, Step, check, scan, step
from proofs_checks.accuracy_proofs import Proof, annotate
from proofs_checks.accuracy_rows import by_distance
from proofs_checks.algebra import variables

PRINTED, CORRECTED = 2, 1
"""The exponent of a printed bound as a multiple of the rate: −εH/S is twice −εH/(2S)."""

Kind = Callable[..., Exponential]
Levels = tuple[tuple[Histogram, ...], ...]


@dataclass(frozen=True)
class Tail:
    """One instance at the precision in force: the engine's law, the weights' logarithms, and which outputs count."""

    law: dict[Histogram, Ball]
    logs: dict[Histogram, Ball]
    counted: list[Histogram]

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Ball:
        """Returns the sum of w^multiple over the outputs that count, or over all."""
        return balls.total([(self.logs[r] * multiple).exp() for r in (self.logs if all_outputs else self.counted)])

    def edge(self, multiple: int) -> Ball:
        """Returns |R| exp(-multiple rate c)."""
        return len(self.logs) * (self.logs[self.counted[0]] * multiple).exp()

    def probability(self) -> Ball:
        """Returns Pr[H >= c] by the engine's law of the mechanism."""
        return balls.total([self.law[r] for r in self.counted])


Bound = Callable[[Tail], Ball]


def tight(multiple: int) -> Bound:
    """Returns the "tight" expression: the sum of exp(-multiple rate H) over the tail, divided by NL."""
    return lambda tail: tail.total(multiple) / tail.total(all_outputs=True)


def second(multiple: int) -> Bound:
    """Returns |R| exp(-multiple rate c) / NL."""
    return lambda tail: tail.edge(multiple) / tail.total(all_outputs=True)


def loose(multiple: int) -> Bound:
    """Returns |R| exp(-multiple rate c)."""
    return lambda tail: tail.edge(multiple)


@lru_cache(maxsize=1 << 12)
def levels(model: Model, x: Histogram) -> Levels:
    """Returns the outputs in groups of equal distance from x, the nearest first; ties decided by BC^2."""
    groups = by_distance(
        model.histograms,
        lambda: [Hellinger(model).bc(x, r) for r in model.histograms],
        lambda r, s: bc_squared(model, x, r) == bc_squared(model, x, s),
    )
    return tuple(tuple(group) for group in groups)


def mechanism(kind: Kind, point: SimpleNamespace) -> Exponential:
    """Returns the mechanism at a point of the grid."""
    model = Model(point.n, tuple(Fraction(alpha) for alpha in point.prior))
    gamma = {"gamma": Fraction(point.gamma)} if hasattr(point, "gamma") else {}
    return kind(model, Fraction(point.eps), **gamma)


def batches(kind: Kind, bound: Bound, grid: Grid, same: bool) -> Iterator[Batch]:
    """Yields one batch a point: every data set x and every attained distance c.

    ``same`` says that both sides are the same expression term by term: then a tie is exact.
    """
    for point in grid:
        yield _batch(mechanism(kind, point), bound, vars(point), same)


def _batch(subject: Exponential, bound: Bound, where: dict[str, object], same: bool) -> Batch:
    model = subject.model

    def tails(wanted: object = None) -> Iterator[tuple[tuple[Histogram, Histogram], Tail]]:
        h, law = Hellinger(model), subject.law()
        rates = subject.rates(h)
        for x in model.histograms:
            groups, rate = levels(model, x), -rates(x)
            logs = dict(zip(model.histograms, [rate * d for d in h.row(x)], strict=True))
            probabilities = dict(zip(model.histograms, law.probabilities(x), strict=True))
            for i, group in enumerate(groups):
                if wanted is None or wanted == (x, group[0]):
                    yield (x, group[0]), Tail(probabilities, logs, [r for farther in groups[i:] for r in farther])

    def steps(tag: tuple[Histogram, Histogram]) -> list[Step]:
        ((_, tail),) = tails(tag)
        c = Hellinger(model).between(*tag)
        return [
            step("c", f"H(x, r), r = {tag[1]}", c),
            step("rate", f"ε/(2Δ), Δ the sensitivity of {subject.name}", subject.rates(Hellinger(model))(tag[0])),
            step("outputs with H ≥ c", f"of |R| = {len(tail.logs)}", len(tail.counted)),
            step("their weights", "Σ exp(−rate·H) over H ≥ c", tail.total()),
            step("NL(x)", "Σ exp(−rate·H) over R", tail.total(all_outputs=True)),
            step("Pr[H ≥ c]", "their weights / NL(x), from the engine's law", tail.probability()),
            step("the bound", "", bound(tail)),
        ]

    return Batch(
        where,
        lambda: [(tag, tail.probability(), bound(tail)) for tag, tail in tails()],
        ("x", "r"),
        lambda tag: True if same else None,
        steps,
    )


def bound_proof(name: str, with_normaliser: bool) -> Proof:
    """Proves Pr[H >= c] <= |R| e^(-rate c) / NL, or without NL, for every n, k, prior, eps and sensitivity > 0."""
    v, n, m, e, w = variables("v", "N", "M", "E", "W")
    proof = Proof().says(
        f"{name}: weights w = exp(−rate·H), v = exp(−rate·c)",
        "N outputs have H ≥ c, so w ≤ v: they sum to v(N−E), E ≥ 0; M others: |R| = N+M; w = 1 at x: NL = 1+W, W ≥ 0",
    )
    if with_normaliser:
        return proof.nonnegative("|R|·v − Σ counted", "v(N+M) − v(N−E) = v(M+E) ≥ 0", v * (n + m) - v * (n - e))
    return proof.nonnegative(
        "(|R|·v·NL − Σ counted)",
        "v(N+M)(1+W) − v(N−E) has no negative term",
        v * (n + m) * (1 + w) - v * (n - e),
    )


PRIORS: list[tuple[Fraction, ...]] = [
    tuple(Fraction(a) for a in prior.split()) for prior in ("1 1", "1/2 1/2", "1/100 1/100", "1 2", "1 1 1", "1/2 1 2")
]
EPS = [Fraction(e) for e in ("1", "1/2", "2", "1/100", "16")]
ANY_S = "the proof uses only S > 0: it holds for P1's MHdelta as well"
WORDS = "every data set x, every attained c = H(x, r); ties by BC²"
FIRST = Grid(WORDS, n=range(1, 5), prior=PRIORS, eps=EPS)
SMOOTH = Grid(WORDS, n=range(1, 5), prior=PRIORS, eps=EPS, gamma=[Fraction(1)])
WIDE = Grid(WORDS, n=range(1, 8), prior=PRIORS, eps=EPS)
WIDE_SMOOTH = Grid(WORDS, n=range(1, 8), prior=PRIORS, eps=EPS, gamma=[Fraction(1), Fraction(1, 2), Fraction(3)])


@check("acc.em-tail", grid=FIRST, wide=WIDE)
def em_tail(context: Context) -> Outcome:
    """Decides the tail bound of the exponential mechanism for EHD."""
    statement = Statement("Pr[H ≥ c] of EHD", "<=", "|R|·exp(−εc/(2GS₀))", "ratio")
    scanned = scan(statement, batches(EHD, loose(CORRECTED), context.grid, False))
    return bound_proof("EHD", False).settle(scanned)


@check("acc.mh-tight.stated", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_tight_stated(context: Context) -> Outcome:
    """Decides the "tight" expression as printed."""
    statement = Statement("Pr[H ≥ c] of MH", "=", "Σ_{H≥c} exp(−εH/S)/NL")
    found = scan(statement, batches(MH, tight(PRINTED), context.grid, False))
    return found.having("the printed weights are the squares of the true ones")


@check("acc.mh-tight.corrected", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_tight_corrected(context: Context) -> Outcome:
    """Decides the "tight" expression with 2S; term by term it is the definition of MH."""
    same = CORRECTED == 1
    statement = Statement("Pr[H ≥ c] of MH", "=", "Σ_{H≥c} exp(−εH/(2S))/NL")
    proof = Proof().checks(
        "term by term",
        "P(r) = exp(−εH(x,r)/(2S(x)))/NL(x) is the definition (A3 Definition 6): both sides are the same sum",
        same,
    )
    return proof.settle(scan(statement, batches(MH, tight(CORRECTED), context.grid, same)))


@check("acc.mh-second.stated", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_second_stated(context: Context) -> Outcome:
    """Decides the second bound as printed."""
    statement = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/S)/NL", "ratio")
    found = scan(statement, batches(MH, second(PRINTED), context.grid, False))
    at = [Grid("", n=[n], prior=PRIORS[:1], eps=[Fraction(eps)], gamma=[1]) for n, eps in ((2, "1"), (9, "1/2"))]
    others = [(f"at {grid}", scan(statement, batches(MH, second(PRINTED), grid, False))) for grid in at]
    return annotate(found, *others)


@check("acc.mh-second.corrected", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_second_corrected(context: Context) -> Outcome:
    """Decides the second bound with 2S."""
    statement = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/(2S))/NL", "ratio")
    scanned = scan(statement, batches(MH, second(CORRECTED), context.grid, False))
    return bound_proof("MH", True).settle(scanned).having(ANY_S)


@check("acc.mh-loose", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_loose(context: Context) -> Outcome:
    """Decides the loose bound."""
    statement = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/(2S))", "ratio")
    scanned = scan(statement, batches(MH, loose(CORRECTED), context.grid, False))
    return bound_proof("MH", False).settle(scanned).having(ANY_S)

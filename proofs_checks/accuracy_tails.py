"""Tail bounds of the exponential mechanisms: P1 sections 5.2 and 5.3, A3 sections 6.1.1 and 6.2. Any k.

With weights w_r = exp(-rate(x) H(x,r)) and c an attained distance, Pr[H >= c] = sum of w_r over H(x,r) >= c, divided
by NL(x), the sum over all r. The rate is eps/(2 GS_0) for EHD and eps/(2 S(x)) for MH.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from types import SimpleNamespace
from typing import Any

from dpaudit.mechanisms.exponential import EHD, MH, Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Histogram, Model
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


@dataclass(frozen=True)
class Bound:
    """An expression top/bottom of a tail: of numbers in the scan, of symbols in the proof."""

    top: Callable[[Any], Any]
    bottom: Callable[[Any], Any]

    def __call__(self, tail: Tail) -> Ball:
        """Returns a ball that contains the expression."""
        value: Ball = ball(1) * self.top(tail) / self.bottom(tail)
        return value


def tight(multiple: int) -> Bound:
    """Returns the "tight" expression: the sum of exp(-multiple rate H) over the tail, divided by NL."""
    return Bound(lambda tail: tail.total(multiple), lambda tail: tail.total(all_outputs=True))


def second(multiple: int) -> Bound:
    """Returns |R| exp(-multiple rate c) / NL."""
    return Bound(lambda tail: tail.edge(multiple), lambda tail: tail.total(all_outputs=True))


def loose(multiple: int) -> Bound:
    """Returns |R| exp(-multiple rate c)."""
    return Bound(lambda tail: tail.edge(multiple), lambda tail: 1)


class SymbolicTail:
    """A tail of symbols: weights u, v of the outputs that count, 1 (at x) and w of the others."""

    def __init__(self) -> None:
        self.u, self.v, self.w = variables("u", "v", "w")

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Any:
        """Returns the sum of weight^multiple over the outputs that count, or over all."""
        counted = self.u**multiple + self.v**multiple
        return counted + 1 + self.w**multiple if all_outputs else counted


class SymbolicEdge:
    """A tail of symbols for bounds by the edge v = exp(-rate c): N outputs count, M do not, NL = 1 + W.

    The counted weights sum to v (N - E), E >= 0.
    """

    def __init__(self) -> None:
        self.v, self.n, self.m, self.e, self.w = variables("v", "N", "M", "E", "W")

    def edge(self, multiple: int) -> Any:
        """Returns |R| v^multiple."""
        return (self.n + self.m) * self.v**multiple

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Any:
        """Returns the counted weights' sum, or NL; only the weights themselves have one."""
        if multiple != 1:
            raise ValueError("only the sum of the weights themselves is known")
        return 1 + self.w if all_outputs else self.v * (self.n - self.e)


def is_definition(bound: Bound) -> bool:
    """Returns whether the expression is, term by term, (sum of the counted weights) / NL."""
    tail = SymbolicTail()
    return bool(bound.top(tail) * tail.total(all_outputs=True) == tail.total() * bound.bottom(tail))


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


Rows = Callable[[Model], Sequence[Histogram]]


def every_row(model: Model) -> Sequence[Histogram]:
    """Returns every data set."""
    return model.histograms


def two_rows(model: Model) -> Sequence[Histogram]:
    """Returns the first data set and the one in the middle of the list."""
    return model.histograms[0], model.histograms[len(model.histograms) // 2]


def _ties(bound: Bound) -> bool:
    """Returns whether a tie with the law is exact; an edge bound has none."""
    try:
        return is_definition(bound)
    except AttributeError:
        return False


def batches(kind: Kind, bound: Bound, grid: Grid, rows: Rows = every_row) -> Iterator[Batch]:
    """Yields one batch a point: every data set x and every attained distance c.

    If the bound is the definition itself, term by term, a tie is exact. ``rows`` picks the data sets.
    """
    for point in grid:
        yield _batch(mechanism(kind, point), bound, vars(point), rows)


def _batch(subject: Exponential, bound: Bound, where: dict[str, object], rows: Rows) -> Batch:
    model, same = subject.model, _ties(bound)

    def tails(wanted: object = None) -> Iterator[tuple[tuple[Histogram, Histogram], Tail]]:
        h, law = Hellinger(model), subject.law()
        rates = subject.rates(h)
        for x in rows(model):
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


def _states(statement: Statement, relation: str) -> Proof:
    return Proof().checks(
        "what is to be shown, taken from the statement",
        f"{statement.left} {statement.relation} {statement.right}",
        statement.relation == relation,
        "the relation is the statement's own",
    )


def bound_proof(statement: Statement, bound: Bound) -> Proof:
    """Proves Pr[H >= c] <= bound for every n, k, prior, eps and sensitivity > 0; ``bound`` is the statement's."""
    tail = SymbolicEdge()
    proof = _states(statement, "<=").says(
        "weights w = exp(−rate·H), v = exp(−rate·c)",
        "N outputs have H ≥ c, so w ≤ v: they sum to v(N−E), E ≥ 0; M others: |R| = N+M; w = 1 at x: NL = 1+W, W ≥ 0",
    )
    excess = bound.top(tail) * tail.total(all_outputs=True) - tail.total() * bound.bottom(tail)
    return proof.nonnegative("top·NL − Σ counted·bottom, the bound being top/bottom", f"{excess} ≥ 0", excess)


def tight_proof(statement: Statement, bound: Bound) -> Proof:
    """Proves that the expression of the statement is the definition of the mechanism's law."""
    proof = _states(statement, "=").says("P(r) = exp(−εH(x,r)/(2S(x)))/NL(x)", "is the definition (A3 Definition 6)")
    return proof.checks(
        "the statement's expression with weights u, v that count and 1, w that do not",
        "is (u+v)/(u+v+1+w), term by term; more outputs likewise",
        is_definition(bound),
        "identity, checked exactly",
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


FAR = Grid("", n=[100], prior=PRIORS[:1], eps=[Fraction(1, 1000), Fraction(64)])
FAR_K = Grid("", n=[2], prior=[(Fraction(1, 2),) * 8], eps=[Fraction(32)])
TAIL = Statement("Pr[H ≥ c] of EHD", "<=", "|R|·exp(−εc/(2GS₀))", "ratio")
TIGHT_PRINTED = Statement("Pr[H ≥ c] of MH", "=", "Σ_{H≥c} exp(−εH/S)/NL")
TIGHT = Statement("Pr[H ≥ c] of MH", "=", "Σ_{H≥c} exp(−εH/(2S))/NL")
SECOND_PRINTED = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/S)/NL", "ratio")
SECOND = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/(2S))/NL", "ratio")
LOOSE = Statement("Pr[H ≥ c] of MH", "<=", "|R|·exp(−εc/(2S))", "ratio")


def _settled(proof: Proof, statement: Statement, kind: Kind, bound: Bound, context: Context) -> Outcome:
    """Returns the proof's outcome after the scan of the grid and of a few rows far out."""
    scanned = scan(statement, batches(kind, bound, context.grid))
    far = scan(statement, chain.from_iterable(batches(kind, bound, grid, two_rows) for grid in (FAR, FAR_K)))
    return proof.settle(scanned, far)


@check("acc.em-tail", grid=FIRST, wide=WIDE)
def em_tail(context: Context) -> Outcome:
    """Decides the tail bound of the exponential mechanism for EHD."""
    bound = loose(CORRECTED)
    return _settled(bound_proof(TAIL, bound), TAIL, EHD, bound, context)


@check("acc.mh-tight.stated", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_tight_stated(context: Context) -> Outcome:
    """Decides the "tight" expression as printed."""
    found = scan(TIGHT_PRINTED, batches(MH, tight(PRINTED), context.grid))
    return found.having("the printed weights are the squares of the true ones")


@check("acc.mh-tight.corrected", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_tight_corrected(context: Context) -> Outcome:
    """Decides the "tight" expression with 2S; term by term it is the definition of MH."""
    bound = tight(CORRECTED)
    return _settled(tight_proof(TIGHT, bound), TIGHT, MH, bound, context)


@check("acc.mh-second.stated", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_second_stated(context: Context) -> Outcome:
    """Decides the second bound as printed."""
    found = scan(SECOND_PRINTED, batches(MH, second(PRINTED), context.grid))
    at = [Grid("", n=[n], prior=PRIORS[:1], eps=[Fraction(eps)], gamma=[1]) for n, eps in ((2, "1"), (9, "1/2"))]
    others = [(f"at {grid}", scan(SECOND_PRINTED, batches(MH, second(PRINTED), grid))) for grid in at]
    return annotate(found, *others)


@check("acc.mh-second.corrected", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_second_corrected(context: Context) -> Outcome:
    """Decides the second bound with 2S."""
    bound = second(CORRECTED)
    return _settled(bound_proof(SECOND, bound), SECOND, MH, bound, context).having(ANY_S)


@check("acc.mh-loose", grid=SMOOTH, wide=WIDE_SMOOTH)
def mh_loose(context: Context) -> Outcome:
    """Decides the loose bound."""
    bound = loose(CORRECTED)
    return _settled(bound_proof(LOOSE, bound), LOOSE, MH, bound, context).having(ANY_S)

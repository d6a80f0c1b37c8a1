"""Tail bounds of the exponential mechanisms: P1 sections 5.2 and 5.3, A3 sections 6.1.1 and 6.2. Any k.

With weights w_r = exp(-rate(x) H(x,r)) and t an attained distance, Pr[H >= t] = sum of w_r over H(x,r) >= t, divided
by NL(x), the sum over all r. The rate is eps/(2 GS_0) or eps/(2 GS(n, alpha)) for EHD and eps/(2 S(x)) for MH.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Proof, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.mechanisms.exponential import EHD, MH, Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from dpaudit.studies.accuracy.bounds import BOUNDS, Bound, InTail
from proofs_checks.accuracy.stated import RELATIONS
from proofs_checks.points import Pair, exponential_at, priors, rationals
from proofs_checks.privacy.tools import row_steps
from proofs_checks.setting.exact import levels

Maker = Callable[..., Exponential]


@dataclass(frozen=True)
class Tail:
    """One instance at the precision in force: the engine's law, the weights' logarithms, and which outputs count."""

    law: dict[Histogram, Ball]
    logs: dict[Histogram, Ball]
    counted: list[Histogram]

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Ball:
        """The sum of w^multiple over the outputs that count, or over all."""
        return balls.total([(self.logs[r] * multiple).exp() for r in (self.logs if all_outputs else self.counted)])

    def edge(self, multiple: int) -> Ball:
        """|R| exp(-multiple rate t)."""
        return len(self.logs) * (self.logs[self.counted[0]] * multiple).exp()

    def probability(self) -> Ball:
        """Pr[H >= t] by the engine's law of the mechanism."""
        return balls.total([self.law[r] for r in self.counted])


class SymbolicTail:
    """A tail of symbols: weights u, v of the outputs that count, 1 (at x) and w of the others."""

    def __init__(self) -> None:
        self.u, self.v, self.w = variables("u", "v", "w")

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Any:
        """The sum of weight^multiple over the outputs that count, or over all."""
        counted = self.u**multiple + self.v**multiple
        return counted + 1 + self.w**multiple if all_outputs else counted


class SymbolicEdge:
    """A tail of symbols for bounds by the edge v = exp(-rate t): N outputs count, M do not, NL = 1 + W.

    The counted weights sum to v (N - E), E >= 0.
    """

    def __init__(self) -> None:
        self.v, self.n, self.m, self.e, self.w = variables("v", "N", "M", "E", "W")

    def edge(self, multiple: int) -> Any:
        """|R| v^multiple."""
        return (self.n + self.m) * self.v**multiple

    def total(self, multiple: int = 1, all_outputs: bool = False) -> Any:
        """The counted weights' sum, or NL; only the weights themselves have one."""
        if multiple != 1:
            raise ValueError("only the sum of the weights themselves is known")
        return 1 + self.w if all_outputs else self.v * (self.n - self.e)


def is_definition(bound: InTail) -> bool:
    """Whether the expression is, term by term, (sum of the counted weights) / NL; an edge bound is not."""
    tail = SymbolicTail()
    try:
        return bool(bound.top(tail) * tail.total(all_outputs=True) == tail.total() * bound.bottom(tail))
    except AttributeError:
        return False


Chosen = Callable[[Model], Sequence[Histogram]]


def every_row(model: Model) -> Sequence[Histogram]:
    """Every data set."""
    return model.histograms


def two_rows(model: Model) -> Sequence[Histogram]:
    """The first data set and the one in the middle of the list."""
    return model.histograms[0], model.histograms[len(model.histograms) // 2]


def batches(kind: Maker, stated: Bound, grid: Grid, rows: Chosen = every_row) -> Batches:
    """Yields one batch a point: every data set x and every attained distance t.

    If the bound is the definition itself, term by term, a tie is exact. ``rows`` picks the data sets.
    """
    bound = form_of(stated)
    same = is_definition(bound)

    def sides(subject: Exponential) -> Sides:
        return [(tag, tail.probability(), bound.value(tail)) for tag, tail in tails(subject, rows(subject.model))]

    def steps(subject: Exponential, tag: Pair) -> list[Step]:
        tail = dict(tails(subject, [tag[0]]))[tag]
        return [
            step("t", f"H(x, r), r = {tag[1]}", Hellinger(subject.model).between(*tag)),
            *row_steps(subject, *tag, "x")[1:],
            step("outputs with H ≥ t", f"of |R| = {len(tail.logs)}", len(tail.counted)),
            step("their weights", "Σ e^(−w·H(x,r)) over H ≥ t", tail.total()),
            step("Pr[H ≥ t]", "their weights / NL(x), from the engine's law", tail.probability()),
            step("the bound", stated.words, bound.value(tail)),
        ]

    subject = partial(exponential_at, kind)
    return over(grid, subject, sides, ("x", "r"), lambda subject, tag: True if same else None, steps)


def tails(subject: Exponential, rows: Sequence[Histogram]) -> Iterator[tuple[Pair, Tail]]:
    """Yields for every attained distance t of the data sets (x, an output at t) and the tail."""
    model, h, law = subject.model, Hellinger(subject.model), subject.law()
    rates = subject.rates(h)
    for x in rows:
        groups, rate = [level.members for level in levels(model, x)], -rates(x)
        logs = dict(zip(model.histograms, [rate * d for d in h.row(x)], strict=True))
        probabilities = dict(zip(model.histograms, law.probabilities(x), strict=True))
        for i, group in enumerate(groups):
            yield (x, group[0]), Tail(probabilities, logs, [r for farther in groups[i:] for r in farther])


def bound_proof(bound: Bound) -> Proof:
    """Proves Pr[H >= t] <= the bound for every n, k, prior, eps and sensitivity > 0."""
    tail, form = SymbolicEdge(), form_of(bound)
    proof = Proof().concludes(statement_of(bound), "<=")
    proof.says(
        "weights w = exp(−rate·H), v = exp(−rate·t)",
        "N outputs have H ≥ t, so w ≤ v: they sum to v(N−E), E ≥ 0; M others: |R| = N+M; w = 1 at x: NL = 1+W",
    )
    excess = form.top(tail) * tail.total(all_outputs=True) - tail.total() * form.bottom(tail)
    return proof.nonnegative("top·NL − Σ counted·bottom, the bound being top/bottom", f"{excess} ≥ 0", excess)


def tight_proof(bound: Bound) -> Proof:
    """Proves that the expression of the statement is the definition of the mechanism's law."""
    proof = Proof().concludes(statement_of(bound), "=")
    proof.says("P(r) = exp(−εH(x,r)/(2S(x)))/NL(x)", "is the definition (A3 Definition 6)")
    return proof.holds(
        "the statement's expression with weights u, v that count and 1, w that do not",
        "is (u+v)/(u+v+1+w), term by term; more outputs likewise",
        is_definition(form_of(bound)),
        "identity",
    )


PRIORS = priors("1 1", "1/2 1/2", "1/100 1/100", "1 2", "1 1 1", "1/2 1 2")
EPS = rationals("1 1/2 2 1/100 16")
ANY_S = "the proof uses only S > 0: it holds for P1's MHdelta as well"
WORDS = "every data set x, every attained t = H(x, r); ties by BC²"
FIRST = Grid(WORDS, n=range(1, 5), prior=PRIORS, eps=EPS).wider(n=range(1, 8))
ONE_GAMMA = Grid(WORDS, n=range(1, 5), prior=PRIORS, eps=EPS, gamma=[1])
SMOOTH = ONE_GAMMA.wider(n=range(1, 8), gamma=rationals("1 1/2 3"))
FAR = Grid("", n=[100], prior=PRIORS[:1], eps=rationals("1/1000 64"))
FAR_K = Grid("", n=[2], prior=[rationals("1/2 " * 8)], eps=[32])
STATED = {bound.claim: bound for bound in BOUNDS if bound.of_tail}


def statement_of(bound: Bound) -> Statement:
    """The statement of the bound in words."""
    closeness = "ratio" if bound.relation == "≤" else "difference"
    name = f"Pr[H ≥ t] of {bound.mechanisms[0]}"
    return Statement(name, RELATIONS.get(bound.relation, bound.relation), bound.words, closeness)


def scanned(bound: Bound, *grids: Grid, rows: Chosen = every_row) -> Outcome:
    """The outcome of the bound on the grids."""
    kind = partial(EHD, gs=bound.gs) if bound.mechanisms[0] == EHD.name else MH
    return scan(statement_of(bound), chain.from_iterable(batches(kind, bound, grid, rows) for grid in grids))


def form_of(bound: Bound) -> InTail:
    """The form of a bound on the tail."""
    if not isinstance(bound.form, InTail):
        raise TypeError(f"{bound.claim} does not speak of the tail")
    return bound.form


def proved(claim: str, grid: Grid, proof: Callable[[Bound], Proof], finding: str = "") -> None:
    """Makes the check of a bound that is proved; it is scanned on the grid and on a few rows far out."""

    @check(claim, grid=grid)
    def decide(context: Context) -> Outcome:
        bound = STATED[claim]
        far = scanned(bound, FAR, FAR_K, rows=two_rows)
        settled = proof(bound).settle(("", scanned(bound, context.grid)), ("single rows far out", far))
        return settled.having("; ".join(filter(None, (finding, settled.finding))))


proved("acc.em-tail", FIRST, bound_proof)
proved("acc.em-tail.model", FIRST, bound_proof)
proved("acc.mh-tight.corrected", SMOOTH, tight_proof)
proved("acc.mh-second.corrected", SMOOTH, bound_proof, ANY_S)
proved("acc.mh-loose", SMOOTH, bound_proof, ANY_S)


@check("acc.mh-tight.stated", grid=SMOOTH)
def mh_tight_stated(context: Context) -> Outcome:
    """Decides the "tight" expression as printed."""
    found = scanned(STATED["acc.mh-tight.stated"], context.grid)
    return found.having("the printed weights are the squares of the true ones")


@check("acc.mh-second.stated", grid=SMOOTH)
def mh_second_stated(context: Context) -> Outcome:
    """Decides the second bound as printed."""
    bound = STATED["acc.mh-second.stated"]
    at = [Grid("", n=[n], prior=PRIORS[:1], eps=[Fraction(eps)], gamma=[1]) for n, eps in ((2, "1"), (9, "1/2"))]
    return annotate(scanned(bound, context.grid), *((f"at {grid}", scanned(bound, grid)) for grid in at))

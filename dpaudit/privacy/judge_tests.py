"""The verdict on trade-off functions (f-DP) and Gaussian privacy, by the most powerful tests of every pair.

A test of P against Q rejects for a set S of outputs: alpha = Q(S), beta = 1 - P(S). The most powerful ones take the
outputs of largest loss (Neyman-Pearson); the trade-off function T of the pair is linear between them and f is convex,
so T >= f if it holds at these tests. For N(0, 1) against N(mu, 1), f(alpha) = Phi(Phi^-1(1 - alpha) - mu), and the
smallest mu is the largest Phi^-1(1 - alpha) - Phi^-1(beta).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from math import ceil, floor, inf
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.normal import normal, quantile
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim, Evidence, narrowed
from dpaudit.privacy.curve import Group, PairCurve
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import settled
from dpaudit.privacy.judge_moments import unless_infinite
from dpaudit.privacy.left import Left, Sieve
from dpaudit.privacy.moments import InfiniteLoss
from dpaudit.privacy.pairs import Witness, Worst, pairs
from dpaudit.privacy.protocols import Audited, Mass
from dpaudit.privacy.sieve import make_sieve

if TYPE_CHECKING:
    from dpaudit.privacy.guarantee import GaussianDP, Points, TradeOff

SIEVE_BITS = 128
PROMISING = 12
"""Epsilons whose worst pairs set the limits that others must break."""
TANGENTS = 1024
"""The number of tangents that bound a Gaussian trade-off function: up to a share of about 4 · 10^-5."""
Edge = tuple[Ball | None, Ball | None]


class Rejection(NamedTuple):
    """alpha and beta of a test, each with its complement, so that small ones keep their digits.

    ``edge``: the losses just inside and just outside, None at the ends. No edge: no test, but a point on or below T.
    """

    alpha: Ball
    not_alpha: Ball
    beta: Ball
    not_beta: Ball
    edge: Edge | None


@dataclass(frozen=True)
class AtTest(Worst):
    """The worst case over all tests; ``threshold`` is that of the test, None for a trivial one."""

    threshold: Fraction | None = None

    def evidence(self, quantity: str, value: Enclosure) -> Evidence:
        """The evidence."""
        at = {} if self.threshold is None else {"threshold": str(self.threshold)}
        return Evidence(quantity, value, self.witness, at, self.bits)


def rejections(masses: Sequence[Mass], where: Witness) -> list[Rejection]:
    """The most powerful tests except the two trivial ones, and points below T where losses cannot be separated.

    Raises PrecisionExhausted where it is open whether an output is possible.
    """
    if any(not balls.is_zero(p) and not balls.certainly_less(balls.zero(), p) for m in masses for p in m[:2]):
        raise PrecisionExhausted(balls.working_bits())
    curve = PairCurve(masses, where)
    groups, impossible = curve.groups, balls.total([m.p_prime for m in masses if balls.is_zero(m.p)])
    alpha = list(accumulate((g.q for g in groups), initial=balls.zero()))
    power = list(accumulate((g.p for g in groups), initial=curve.infinite))
    beta = list(accumulate((g.p for g in reversed(groups)), initial=balls.zero()))[::-1]
    rest = list(accumulate((g.q for g in reversed(groups)), initial=impossible))[::-1]
    found = []
    for k in range(len(groups) + 1):
        trivial = (k == 0 and balls.is_zero(curve.infinite)) or (k == len(groups) and balls.is_zero(impossible))
        if not trivial:
            edge = None if k == 0 else groups[k - 1].loss, None if k == len(groups) else groups[k].loss
            found.append(Rejection(alpha[k], rest[k], beta[k], power[k], edge))
    for k, group in enumerate(groups):
        if not _one_ratio(group):
            found += _below(group, alpha[k], beta[k + 1])
    return found


def _one_ratio(group: Group) -> bool:
    return len(group.members) == 1 or (group.members[0].loss is not None and len({m.loss for m in group.members}) == 1)


def _below(group: Group, alpha: Ball, beta: Ball) -> Iterator[Rejection]:
    """Yields two points at the middle of the group, between which and the ends of the group T is not below the lines.

    T falls from the left end at most as fast as the largest loss says, and to the right end at least as fast as the
    smallest one says.
    """
    half, factor = group.q / 2, group.loss.exp()
    for value in (beta + group.p - balls.upper(factor) * half, beta - balls.upper(-factor) * half):
        yield Rejection(alpha + half, 1 - alpha - half, value, 1 - value, None)


def between(above: Ball | None, below: Ball | None) -> Fraction:
    """A short number less than ``above`` and more than ``below``, balls that are apart; None is infinite."""
    high = None if above is None else balls.ends(above)[0]
    low = None if below is None else balls.ends(below)[1]
    if high is None or low is None:
        return Fraction(0 if low is high else floor(high) - 1 if high is not None else ceil(low or 0) + 1)
    scale = 1
    while True:
        middle = Fraction(round((high + low) / 2 * scale), scale)
        if low < middle < high:
            return middle
        scale *= 10


def _refuse_infinite(masses: Sequence[Mass], there: Witness, back: Witness) -> None:
    for mass in masses:
        if balls.is_zero(mass.p_prime) and balls.certainly_less(balls.zero(), mass.p):
            raise InfiniteLoss(there)
        if balls.is_zero(mass.p) and balls.certainly_less(balls.zero(), mass.p_prime):
            raise InfiniteLoss(back)


Measure = Callable[[Rejection], Ball]


Limits = Callable[[Ball, Sieve], tuple[list[Ball], list[Ball]]]
"""(value of the measure, sieve) -> epsilons in ascending order, and a limit for delta at each of them: a pair that
keeps all limits has no test with a larger measure. No epsilons: nothing is known."""


@dataclass(frozen=True)
class Sought:
    """What is computed of a test, and what is known of it."""

    measure: Measure
    limits: Limits
    gaussian: bool = False
    """It is that of mu: a loss must be finite, and a test has the same value as its complement, the other way."""


def worst_test(mechanism: Audited, sought: Sought, effort: Effort) -> AtTest:
    """The largest value of the measure over all tests of all ordered pairs; 0 if there are trivial ones only.

    Raises InfiniteLoss where a loss is infinite, if all must be finite.
    """
    sieve = make_sieve(mechanism, effort, "claim")
    left = sieve.settle(lambda: _left(sieve, sought)) if sieve.discards else sieve.every()

    def attempt() -> tuple[Enclosure, Witness, Fraction | None] | None:
        found = _largest(sieve, left, sought)
        if found is None:
            return None
        value, where, edge = found
        narrow = narrowed(mechanism, value, effort.digits)
        return None if narrow is None else (narrow, where, None if edge is None else between(*edge))

    def careful() -> tuple[Enclosure, Witness, Fraction | None] | None:
        try:
            return attempt()
        except PrecisionExhausted:
            return None

    (value, where, threshold), bits = balls.refine(careful, *balls.bits_for(effort.digits, mechanism.counts().outputs))
    return AtTest(value, where, bits, threshold=threshold)


def _largest(sieve: Sieve, left: Left, sought: Sought) -> tuple[Ball, Witness, Edge | None] | None:
    """A ball that contains the largest value over the pairs left, where, and at which edge; None if it is no number.

    Its lower end is reached by a test.
    """
    champion: Champion[tuple[Witness, Edge | None]] = Champion()
    bounds, first = list[Ball](), None
    for x, y in left.pairs:
        masses, there, back = sieve.masses(x, y), Witness(x, y, None), Witness(y, x, None)
        first = first or there
        ways = [(there, masses)]
        if sought.gaussian:
            _refuse_infinite(masses, there, back)
        else:
            ways.append((back, [m.swapped() for m in masses]))
        for where, ordered in ways:
            for test in rejections(ordered, where):
                value = sought.measure(test)
                if not value.is_finite():
                    return None
                if test.edge is None:
                    bounds = [balls.maximum([*bounds, value])]
                elif not balls.is_zero(value):
                    champion.offer([value], lambda _, tag=(where, test.edge): tag)  # type: ignore[misc]
    if first is None:
        raise ValueError("there are no pairs")
    value, (where, edge) = champion.result() if champion.alive else (balls.zero(), (first, None))
    return value.union(balls.maximum([value, *bounds])), where, edge


def _left(sieve: Sieve, sought: Sought) -> Left:
    """The pairs that may have the worst test: those that break a limit that promising ones set."""
    with balls.precision(SIEVE_BITS):
        top = sieve.largest_loss() if sought.gaussian else 0.0
        if top == inf:
            return sieve.every()
        steps = [balls.dyadic(top) * i / PROMISING for i in range(PROMISING)]
        where = steps if sought.gaussian else sought.limits(balls.zero(), sieve)[0]
        if not where:
            return sieve.every()
        promising = sieve.promising(where)
        found = _largest(sieve, promising, sought)
        if found is None:
            return sieve.every()
        value = balls.ball(balls.cut(found[0], found[0], 0)[0])
        epsilons, allowed = sought.limits(value, sieve)
        return sieve.above(epsilons, allowed, promising) if epsilons else sieve.every()


# ------------------------------------------------------------------ mu


def judge_gaussian(mechanism: Audited, claim: GaussianDP, effort: Effort) -> Claim:
    """The verdict on mu-GDP, with an enclosure of the smallest mu; it is infinite where a loss is."""

    def decide() -> Claim:
        sought = Sought(_mu, _below_gaussian, gaussian=True)
        outcome, worst = settled(mechanism, claim.mu, effort, lambda e: worst_test(mechanism, sought, e))
        return Claim(claim, outcome, None if worst is None else worst.evidence("gdp_mu", worst.value))

    return unless_infinite(mechanism, claim, "gdp_mu", {}, effort, decide)


def _mu(test: Rejection) -> Ball:
    """A ball that contains Phi^-1(1 - alpha) - Phi^-1(beta).

    The complement of a most powerful test is one the other way, with alpha and beta exchanged: it has the same value,
    because Phi^-1(1 - p) = -Phi^-1(p).
    """
    return quantile(test.not_alpha, test.alpha) - quantile(test.beta, test.not_beta)


def _below_gaussian(mu: Ball, sieve: Sieve) -> tuple[list[Ball], list[Ball]]:
    """Limits below delta of N(0, 1) against N(mu, 1): the nodes of its tangents, which it is convex above.

    In t = e^epsilon the tangent at e is Phi(mu/2 - e/mu) - t Phi(-mu/2 - e/mu). delta of a pair is convex in t, so if
    it keeps below the tangents where they cross it does so everywhere between; from where the last one is 0 on there
    is no loss.
    """
    if not balls.certainly_less(balls.zero(), mu):
        return [], []
    top = balls.dyadic(sieve.largest_loss())
    places = [top * i / TANGENTS / mu for i in range(TANGENTS + 1)]
    lines = [(normal(mu / 2 - z), normal(-mu / 2 - z)) for z in places]
    crossings = [(p - q) / (a - b) for (p, a), (q, b) in pairwise(lines)]
    last, slope = lines[-1]
    epsilons = [balls.zero(), *(t.log() for t in (*crossings, last / slope))]
    limits = [
        lines[0][0] - lines[0][1],
        *(p - t * a for t, (p, a) in zip(crossings, lines, strict=False)),
        balls.zero(),
    ]
    known = all(value.is_finite() for value in (*epsilons, *limits))
    return (epsilons, limits) if known else ([], [])


# ------------------------------------------------------------------ f


def judge_trade_off(mechanism: Audited, claim: TradeOff, effort: Effort) -> Claim:
    """The verdict on T >= f for all pairs, with an enclosure of the smallest beta - f(alpha) of all tests.

    That margin is never above 0: it is 0 for the test that always rejects.
    """
    effort.check_floats(mechanism, "claim")
    if not mechanism.tabular:
        rule = f"{mechanism.name} has no table of probabilities; (ε, δ) can be judged: --claim eps=1,delta=1e-5"
        raise InputError("claim", claim.option(), rule)
    mechanism.algebra().infinite()  # says where it is open whether an output is possible

    def deficit(test: Rejection) -> Ball:
        f = balls.maximum([ball(slope) * test.alpha + ball(height) for slope, height in _lines(claim.points)])
        return balls.positive_part(f - test.beta)

    def limits(value: Ball, sieve: Sieve) -> tuple[list[Ball], list[Ball]]:
        return _below_lines(claim.points, value)

    sought = Sought(deficit, limits)
    outcome, worst = settled(mechanism, Fraction(0), effort, lambda e: worst_test(mechanism, sought, e))
    if outcome is Verdict.UNDECIDED:
        known = _exact_deficit(mechanism, claim.points, effort)
        if known is not None:
            value, where, threshold = known
            outcome = Verdict.PROVED if value <= 0 else Verdict.REFUTED
            worst = AtTest(exact(value, effort.digits), where, 0, threshold=threshold)
    if worst is None:
        return Claim(claim, outcome)
    margin = Enclosure(-worst.value.upper, -worst.value.lower, worst.value.places)
    return Claim(claim, outcome, worst.evidence("trade-off", margin))


def _lines(points: Points) -> list[tuple[Fraction, Fraction]]:
    """Slope and height of the lines of f, which is convex: it is the largest of them."""
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    return [(slope, b - slope * a) for slope, (a, b) in zip(slopes, points, strict=False)]


def _below_lines(points: Points, deficit: Ball) -> tuple[list[Ball], list[Ball]]:
    """Limits of delta where no test of either way of a pair has a larger deficit.

    The largest deficit of a pair from a line of slope -t and this height is height - 1 + delta(ln t), as 1 - delta is
    the least beta + t alpha of all tests; for t < 1 it is height - t + t delta'(-ln t), delta' that of the other way.
    """
    allowed: dict[Fraction, list[Ball]] = {}
    for slope, height in _lines(points):
        t = -slope
        if t >= 1:
            allowed.setdefault(t, []).append(1 - ball(height) + deficit)
        elif t > 0:
            allowed.setdefault(1 / t, []).append((deficit + ball(t - height)) / ball(t))
    factors = sorted(allowed)
    return [ball(t).log() for t in factors], [balls.minimum(allowed[t]) for t in factors]


def _exact_deficit(
    mechanism: Audited, points: Points, effort: Effort
) -> tuple[Fraction, Witness, Fraction | None] | None:
    """The largest f(alpha) - beta of all tests exactly, where all probabilities are rational; else None."""
    algebra, lines = mechanism.algebra(), _lines(points)
    best: tuple[Fraction, Witness, Fraction | None] | None = None
    for x, y in pairs(mechanism, effort):
        p, q = algebra.rational_row(x), algebra.rational_row(y)
        if p is None or q is None:
            return None
        for where, row, other in ((Witness(x, y, None), p, q), (Witness(y, x, None), q, p)):
            for alpha, beta, ratios in _exact_tests(row, other):
                value = max(slope * alpha + height for slope, height in lines) - beta
                best = best or (Fraction(0), where, None)
                if value > best[0]:
                    best = value, where, _exact_threshold(*ratios)
    return best


Quotient = Fraction | None
"""P/Q; None where Q = 0."""


def _exact_tests(
    p: Sequence[Fraction], q: Sequence[Fraction]
) -> Iterator[tuple[Fraction, Fraction, tuple[Quotient, Quotient]]]:
    """Yields alpha, beta and the ratios just inside and just outside, of the tests that are not trivial."""
    cells = [(a / b if b else None, a, b) for a, b in zip(p, q, strict=True) if a or b]
    cells.sort(key=lambda cell: (cell[0] is not None, -(cell[0] or 0)))
    groups = [(ratio, list(members)) for ratio, members in groupby(cells, key=lambda cell: cell[0])]
    alpha, beta = Fraction(0), Fraction(1)
    for (ratio, members), (following, _) in pairwise(groups):
        alpha += sum(b for _, _, b in members)
        beta -= sum(a for _, a, _ in members)
        yield alpha, beta, (ratio, following)


def _exact_threshold(inside: Quotient, outside: Quotient) -> Fraction:
    """A short number between the two losses."""
    bits = 128
    while True:
        with balls.precision(bits):
            above, below = (None if not ratio else ball(ratio).log() for ratio in (inside, outside))
            if above is None or below is None or balls.certainly_less(below, above):
                return between(above, below)
        bits *= 2

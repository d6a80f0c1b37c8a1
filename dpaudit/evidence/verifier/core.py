"""What ACCEPTED means: bounds of a privacy notion, established from enclosures of the probabilities.

Given a ``Law`` whose enclosures contain the probabilities (``table`` or ``family`` has established that they
do), ``establish`` returns only if

- every given row may sum to 1: the lower ends sum to at most 1, the upper ends to at least 1;
- the value of the notion at the witness reaches the stated bound;
- with ``full``, no pair of adjacent data sets exceeds the other stated bound.

The verdict on a claim is derived from what was checked.

All comparisons are between whole numbers times powers of two; e^epsilon is the only function (``arithmetic``). What
the enclosures leave open is decided only where both numbers are known exactly (``exact``), else it is Undecided. A
notion has a value for every ordered pair (x, x'), larger where privacy is worse; those with logarithms are in
``guarantees``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from .arithmetic import MAX_SIZE, Interval, Malformed, Undecided, total
from .exact import ZERO, Number, constant, exponential, sign
from .reading import brief, quoted


class Rejected(Exception):
    """The certificate is not accepted; the message says what fails first."""


class Unconfirmed(Rejected):
    """Nothing is wrong so far: enclosures are too wide, or stated numbers too close, to decide."""


@dataclass
class Law:
    """Rows of probabilities by data set, in the order of the outputs; ``pairs`` are the ordered adjacent ones."""

    rows: dict[Any, list[Number]]
    bits: int
    pairs: list[tuple[Any, Any]]

    def check_sums(self) -> None:
        """Only if 1 lies within the sum of the enclosures of every row."""
        for x, row in self.rows.items():
            if (total((p.value for p in row), self.bits) - 1).sign() not in (None, 0):
                raise Rejected(f"the enclosures of the row of {quoted(x)} do not sum to 1")


def enclosure(entry: Any) -> Interval:
    """The numbers from lo 2^e to (lo + width) 2^e, for an entry [lo, width, e] of a certificate."""
    if not isinstance(entry, list) or len(entry) != 3 or not all(type(v) is int for v in entry):
        raise Malformed("an enclosure is not [lo, width, e], three whole numbers")
    lo, width, e = entry
    if lo < 0 or width < 0 or e.bit_length() > MAX_SIZE:
        raise Malformed("an enclosure is not an interval of numbers >= 0, or its exponent is too large")
    return Interval(lo, lo + width, e, (lo + width).bit_length())


@dataclass
class Pair:
    """An ordered pair of data sets."""

    law: Law
    x: Any
    y: Any

    @cached_property
    def both(self) -> list[tuple[Number, Number]]:
        """The probabilities p of x and p' of x', output by output."""
        return list(zip(self.law.rows[self.x], self.law.rows[self.y], strict=True))

    def is_infinite(self) -> bool:
        """Whether an output is possible for x and impossible for x'."""
        return any(q.is_zero and not p.is_zero for p, q in self.both)

    def signs(self, factor: Fraction, loss: Fraction) -> Iterator[tuple[Number, Number, int | None]]:
        """p, -factor e^loss p' and the sign of their sum for each output; None where it is undecided."""
        rate = exponential(-factor, loss, self.law.bits)
        for p, q in self.both:
            other, found = q * rate, None
            with suppress(Undecided):
                found = sign([p, other])
            yield p, other, found

    def exceeds(self, loss: Fraction) -> Iterator[bool]:
        """Whether p > e^loss p', for each output."""
        for p, _, found in self.signs(Fraction(1), loss):
            if found is None:
                raise Undecided
            yield found > 0 and not p.is_zero

    def same(self) -> bool:
        """True only if both distributions are equal, by algebra."""
        return all(found == 0 for _, _, found in self.signs(Fraction(1), ZERO))

    def excess(self, factor: Fraction, loss: Fraction, rest: Fraction) -> int:
        """The sign of rest + the sum of max(0, p - factor e^loss p').

        A term whose sign is undecided lies between 0 and its upper end; the sum of the others may be 0 exactly.
        """
        parts = [constant(rest, self.law.bits)]
        for p, other, found in self.signs(factor, loss):
            if found is None:
                parts.append(Number((p.value + other.value).positive_part()))
            elif found > 0:
                parts += [p, other]
        return sign(parts)


class Notion:
    """One notion with its claimed bound; a subclass overrides what it needs."""

    quantity, guarantee = "", ""
    place: tuple[str, ...] = ()
    """The members of the witness besides the pair."""
    claimed: Fraction | None = None
    delta = ZERO
    """The claimed delta, where the notion is the loss: delta at the claimed epsilon then decides the claim."""
    proves = refutes = True
    """Whether a value that is at most the claimed bound proves the claim, and a larger one refutes it."""
    finite = False
    largest: Fraction | None = None
    """No value exceeds this."""

    def infinite(self, pair: Pair) -> bool:
        """Whether the value at the witness is infinite."""
        return not self.finite and pair.is_infinite()

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of the value at the witness minus the bound."""
        raise NotImplementedError

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Whether the value of the pair, at any place, exceeds the bound."""
        return self.reached(pair, bound) > 0

    def trivial(self, bound: Fraction) -> bool:
        """Whether no value can exceed the bound."""
        return self.largest is not None and bound >= self.largest


class Loss(Notion):
    """ln p - ln p' at an output; ``output`` is the place of the witness's output in the rows."""

    place, quantity = ("output",), "the true epsilon"

    def __init__(self, claimed: Fraction | None, delta: Fraction, output: int) -> None:
        self.claimed, self.delta, self.refutes, self.output = claimed, delta, not delta, output
        if claimed is not None:
            self.guarantee = f"({claimed}, {delta})-DP" if delta else f"{claimed}-DP"

    def infinite(self, pair: Pair) -> bool:
        """Whether the output is possible for x and impossible for x'."""
        p, q = pair.both[self.output]
        return q.is_zero and not p.is_zero

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of p - e^bound p'."""
        p, q = pair.both[self.output]
        return -1 if p.is_zero else sign([p, q * exponential(Fraction(-1), bound, pair.law.bits)])

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Whether p > e^bound p' for some output."""
        return any(pair.exceeds(bound))


class Delta(Notion):
    """The sum of max(0, p - e^at p'), 1 at most; it falls as ``at`` grows."""

    finite, largest = True, Fraction(1)

    def __init__(self, at: Fraction, claimed: Fraction | None, delta: Fraction) -> None:
        self.at, self.quantity = at, f"delta({brief(at)})"
        if claimed is not None:
            self.claimed, self.proves, self.refutes = delta, at <= claimed, at >= claimed
            self.guarantee = f"({claimed}, {delta})-DP"

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of delta - bound."""
        return pair.excess(Fraction(1), self.at, -bound)


class TradeOff(Notion):
    """beta >= f(alpha) for every test, f the largest of its lines height - slope alpha.

    A test rejects for some outputs: alpha is their probability under x', beta that of the others under x. The value is
    the largest f(alpha) - beta, at least 0, as the test that always rejects has 0; the guarantee holds if it is 0.
    """

    place, finite = ("threshold",), True

    def __init__(self, points: list[tuple[Fraction, Fraction]], threshold: Fraction | None) -> None:
        slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        self.lines = [(slope, b + slope * a) for slope, (a, b) in zip(slopes, points, strict=False)]
        self.claimed, self.quantity, self.threshold = ZERO, "the largest f(alpha) - beta", threshold
        self.guarantee = "f-DP through " + ", ".join(f"({alpha}, {beta})" for alpha, beta in points)

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of f(alpha) - beta - bound at the witness's test; the value of the trivial one is 0."""
        if self.threshold is None:
            return (bound < 0) - (bound > 0)
        bits, (alphas, betas) = pair.law.bits, threshold_test(pair, self.threshold)
        rest = [p * constant(-1, bits) for p in betas]
        return max(
            sign([constant(h - bound, bits), *rest, *(q * constant(-s, bits) for q in alphas)]) for s, h in self.lines
        )

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Whether height - slope alpha - beta > bound for some test and line.

        The largest such value is height - 1 + the sum of max(0, p - slope p'), which is also height - slope + the sum
        of max(0, slope p' - p): of a line to (1, 0) the latter, which begins at 0 exactly.
        """
        for s, h in self.lines:
            if s == h == 0:
                found = -bound > 0
            elif s == h:
                found = Pair(pair.law, pair.y, pair.x).excess(1 / s, ZERO, -bound / s) > 0
            else:
                found = pair.excess(s, ZERO, h - 1 - bound) > 0
            if found:
                return True
        return False


def threshold_test(pair: Pair, threshold: Fraction) -> tuple[list[Number], list[Number]]:
    """The summands of alpha and of beta for the test that rejects where the loss exceeds the threshold."""
    chosen = list(zip(pair.both, pair.exceeds(threshold), strict=True))
    return [q for (_, q), yes in chosen if yes], [p for (p, _), yes in chosen if not yes]


OPEN = "UNDECIDED", "what was checked leaves the claim open"


@dataclass
class Bounds:
    """least <= the largest value over all pairs <= most (both None: it is infinite)."""

    notion: Notion
    least: Fraction | None
    most: Fraction | None
    verdict: str | None = None
    """The verdict on the claim: PROVED, REFUTED or UNDECIDED; None where not everything was checked."""
    rest: str = "--full does"
    """The words where not everything is checked."""

    def establish(self, law: Law, x: Any, y: Any, full: bool) -> list[str]:
        """What was established, line by line (see above)."""
        law.check_sums()
        witness = Pair(law, x, y)
        lines = [self._at_witness(witness)]
        if not full:
            lines.append(f"upper bound: not checked ({self.rest})")
        elif self.most is not None:
            found = self._beyond(law, self.notion, self.most)
            if found is not None:
                raise Rejected(f"the value of x = {quoted(found[0])}, x' = {quoted(found[1])} exceeds the upper bound")
            lines.append("upper bound: no pair and output exceeds it")
        if self.notion.claimed is None:
            return lines
        self.verdict, why = OPEN
        with suppress(Undecided):
            self.verdict, why = self._judge(law, witness, self.notion.claimed, full)
        return [*lines, f"verdict{f' {self.verdict}' if self.verdict else ''}: {why}"]

    def _at_witness(self, pair: Pair) -> str:
        """Only if the value at the witness reaches the lower bound and is not above the upper one."""
        notion = self.notion
        if notion.infinite(pair) != (self.least is None):
            raise Rejected("the loss at the witness is infinite, or it is not, contrary to the bounds")
        if self.least is None or self.most is None:
            return "lower bound: an output is possible for x and impossible for x': the value is infinite"
        if (self.least > 0 or isinstance(notion, Loss)) and notion.reached(pair, self.least) < 0:
            raise Rejected("the value at the witness is below the stated lower bound")
        if self._is_above(pair, self.most):
            raise Rejected("the value at the witness is above the stated upper bound")
        return "lower bound: the value at the witness reaches it"

    def _is_above(self, witness: Pair, bound: Fraction) -> bool:
        """Whether the value at the witness exceeds the bound."""
        return not self.notion.trivial(bound) and self.notion.reached(witness, bound) > 0

    def _beyond(self, law: Law, notion: Notion, bound: Fraction) -> tuple[Any, Any] | None:
        """A pair whose value exceeds the bound, if there is one."""
        pairs = () if notion.trivial(bound) else law.pairs
        return next((pair for pair in pairs if notion.exceeded(Pair(law, *pair), bound)), None)

    def _judge(self, law: Law, witness: Pair, bound: Fraction, full: bool) -> tuple[str | None, str]:
        """The verdict on the claim, and by what; a claim with delta is decided by delta at the claimed epsilon."""
        notion, most = self.notion, self.most
        above = most is None or most > bound
        if notion.refutes and above and (self.least is None or self._is_above(witness, bound)):
            return "REFUTED", "the value at the witness exceeds the claimed bound"
        if not full:
            return None, f"not checked ({self.rest})"
        if notion.delta:
            notion, bound, above = Delta(bound, None, ZERO), notion.delta, True
        if above and self._beyond(law, notion, bound):
            return ("REFUTED", "a pair exceeds the claimed bound") if notion.refutes else OPEN
        return ("PROVED", "no pair and output exceeds the claimed bound") if notion.proves else OPEN

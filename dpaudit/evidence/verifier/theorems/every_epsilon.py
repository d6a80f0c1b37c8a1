"""Every epsilon: the largest true epsilon / epsilon of an exponential mechanism, by a cover of all pairs.

When ``Ratio.check`` returns, lower <= sup over epsilon of true epsilon / epsilon, by the witness, and with ``full`` it
is at most upper. P_x(r) = e^(-e A(x,r)) / Z_x(e), A = H / divisor >= 0, and 0 at r = x alone. With D(r) = A(y,r) -
A(x,r) the loss over e is D(r) + G(e), G = (ln Z_y - ln Z_x) / e. At every e: rows are ``matched``. On an interval of e:
ln Z is convex, so ln Z_y lies below its chord and ln Z_x above its tangents at both ends, each taken to the middle; a
line over e is monotone: its values at both ends of a half bound G.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided, common, rational, total
from ..core import Rejected
from ..exact import ZERO
from ..family import Cells
from ..reading import DIGITS, brief, number, shape
from ..special import largest, smallest
from .theorem import Supremum, excess

End = Fraction | None
"""An end of an interval of epsilon: 0, and None for infinity, stand for the limit."""


class Exponents:
    """A(x, r) of one data set, of all outputs or of some, x itself among them; ln Z, -E[A] and Z - 1 at any epsilon."""

    def __init__(self, values: list[Interval], bits: int) -> None:
        self.bits, self.all = bits, values
        self.others = [a.positive() for a in self.all if a.sign() != 0]
        if len(self.others) != len(self.all) - 1:
            raise Undecided
        self.most, self.least, size = largest(self.others), smallest(self.others), len(self.all)
        self.mean = total(self.others, self.bits) / size
        self.variance = total(((a - self.mean) * (a - self.mean) for a in self.all), self.bits) / size
        self._found: dict[Fraction, tuple[Interval, Interval, Interval]] = {}

    def at(self, epsilon: Fraction) -> tuple[Interval, Interval, Interval]:
        """ln Z, its slope, Z - 1."""
        if epsilon not in self._found:
            weights = [(a * -epsilon).exp() for a in self.others]
            more = total(weights, self.bits)
            moment = total((w * a for w, a in zip(weights, self.others, strict=True)), self.bits)
            self._found[epsilon] = (more + 1).log(), -(moment / (more + 1)), more
        return self._found[epsilon]


def exponents(law: Any, x: Cells) -> Exponents:
    """A(x, r) = H(x, r) / divisor(x) for all outputs."""
    divisor = law.divisor(x)
    return Exponents([law.hellinger(x, r) / divisor for r in law.datasets()], law.bits)


def read_cuts(entry: Any, low: Fraction, high: End) -> list[End]:
    """The ends of intervals of epsilon, which rise from the first epsilon to the last."""
    if not isinstance(entry, list):
        raise Malformed("cuts are no list")
    cuts = [low, *(number(cut, "a cut", DIGITS) for cut in entry)]
    known = [*cuts, *([] if high is None else [high])]
    if any(a >= b for a, b in pairwise(known)) or len(known) < 2:
        raise Malformed("the cuts of a pair do not rise within the range of epsilon")
    return [*cuts, high]


def gain(x: Exponents, y: Exponents, epsilon: End) -> Interval:
    """G; its limits are mean A(x, .) - mean A(y, .) at 0, and 0 at infinity, where Z tends to 1."""
    if epsilon is None:
        return rational(0, x.bits)
    return (y.at(epsilon)[0] - x.at(epsilon)[0]) / epsilon if epsilon else x.mean - y.mean


def gains(x: Exponents, y: Exponents, low: Fraction, high: End) -> list[Interval]:
    """Numbers whose maximum is above G on the interval.

    To infinity: ln Z_x >= 0, and ln Z_y / e falls; from low on Z_y - 1 falls at least like e^(-e least(y)), and
    Z_x - 1 >= e^(-e least(x)): where the first is below the second, at low and in its exponent, G <= 0. From 0: the
    variances of A, the second derivatives of ln Z, stay within e^(+-e most) of the plain ones; while that of y is the
    smaller one, G falls: e^2 G' is the integral of s (ln Z_y - ln Z_x)''(s). Else chord and tangent start in ln |R|.
    """
    (end_x, slope_x, _), (end_y, _, more) = x.at(high or low), y.at(high or low)
    if high is None:
        below = x.least <= y.least and more <= (x.least * -low).exp()
        return [gain(x, y, None) if below else end_y / low]
    if not low and ((x.most + y.most) * high).exp() * y.variance <= x.variance:
        return [gain(x, y, low)]
    if low:
        (start_x, slope, _), start_y, first = x.at(low), y.at(low)[0], gain(x, y, low)
    else:
        start_x = start_y = rational(len(x.all), x.bits).log()
        slope, first = -x.mean, (end_y - start_y) / high + x.mean
    half, middle, chord = (high - low) / 2, (high + low) / 2, (start_y + end_y) / 2
    tangents = start_x + slope * half, end_x - slope_x * half
    return [first, *((chord - line) / middle for line in tangents), gain(x, y, high)]


def on_intervals(x: Exponents, y: Exponents, cuts: list[End]) -> list[Interval]:
    """Numbers whose maximum is above G on all intervals with these ends."""
    return [g for low, high in pairwise(cuts) for g in gains(x, y, low or ZERO, high)]


def matched(p: list[Interval], q: list[Interval], far: int = 0) -> Interval:
    """The largest q - p plus the largest p_i - q_s(i), s the order of size but for the last ``far`` entries.

    At every epsilon ln Z_y - ln Z_x is at most e times the largest A(x,i) - A(y,s(i)) for any bijection s: the order of
    size is a good one, and need not be right.
    """
    near, e = len(p) - far, common(*p, *q)
    orders = [sorted(range(near), key=lambda i, row=row: row[i].units(e)[0]) for row in (p, q)]  # type: ignore[misc]
    pairs = [*zip(*orders, strict=True), *((i, i) for i in range(near, len(p)))]
    return largest(p[i] - q[j] for i, j in pairs) + largest(b - a for a, b in zip(p, q, strict=True))


def over_epsilon(x: Exponents, y: Exponents, cuts: list[End] | None) -> list[Interval]:
    """Numbers of which the largest bounds the losses of x against y at every epsilon, over it."""
    if cuts is None:
        return [matched(x.all, y.all)]
    top = largest(b - a for a, b in zip(x.all, y.all, strict=True))
    return [top + g for g in on_intervals(x, y, cuts)]


class Ratio(Supremum):
    """lower <= sup over epsilon of true epsilon / epsilon <= upper."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, list)
        shape(self.witness, "the witness", dict.fromkeys(("x", "x_prime", "output", "epsilon")))
        self.range = self.subject.get("nominal_epsilon")
        self.low, self.high = self._range()
        self.subject = {**self.subject, "nominal_epsilon": "1"}
        self.law = self.law_of()
        entries = list(map(self._entry, self.cover))
        self.cuts = dict(entries)
        if len(self.cuts) < len(entries) or not all(self.law.adjacent(*pair) for pair in self.cuts):
            raise Malformed("the cover has a pair twice, or one that is not adjacent")

    def _range(self) -> tuple[Fraction, End]:
        """The ends of the epsilons that the certificate is about."""
        if self.range == "all":
            return ZERO, None
        low, high, *more = (number(end, "epsilon", 100) for end in f"{self.range}..0..0".split("..")[:3])
        if more != [ZERO] or not 0 < low < high:
            raise Malformed("nominal_epsilon is neither all nor a range")
        return low, high

    def _entry(self, entry: Any) -> tuple[tuple[Cells, Cells], list[End]]:
        """An ordered pair and the ends of its intervals."""
        if not isinstance(entry, list) or len(entry) != 3:
            raise Malformed("an entry of the cover is not [x, x', cuts]")
        cuts = read_cuts(entry[2], self.low, self.high)
        return (self.law.place(entry[0], "x"), self.law.place(entry[1], "x_prime")), cuts

    def pair(self) -> tuple[Cells, Cells, End]:
        """The data sets and the epsilon of the witness."""
        x, y = (self.law.place(self.witness[name], name) for name in ("x", "x_prime"))
        text = self.witness["epsilon"]
        epsilon = None if text == "inf" else number(text, "epsilon", DIGITS)
        if not self.law.adjacent(x, y):
            raise Rejected("the witness is not a pair of adjacent data sets")
        beyond = self.high is not None and (epsilon is None or epsilon > self.high)
        if beyond or (epsilon is not None and epsilon < self.low):
            raise Rejected("the epsilon of the witness is outside the stated range")
        return x, y, epsilon

    def at_witness(self) -> None:
        """The ratio at the witness reaches the lower bound."""
        x, y, epsilon = self.pair()
        i, one, other = self.law.output(self.witness["output"]), exponents(self.law, x), exponents(self.law, y)
        if excess(other.all[i] - one.all[i] + gain(one, other, epsilon), self.least) < 0:
            raise Rejected("the value at the witness is below the stated lower bound")

    def everywhere(self) -> str:
        """No pair exceeds the upper bound at any epsilon."""
        law = self.law
        rows: dict[Cells, Exponents] = {c: exponents(law, c) for c in law.datasets()}
        for x, y in ((c, d) for c in rows for d in law.neighbors(c)):
            bounds = over_epsilon(rows[x], rows[y], self.cuts.get((x, y)))
            if any(excess(bound, self.most) > 0 for bound in bounds):
                raise Rejected(f"x = {brief(x)}, x' = {brief(y)} is not covered by the upper bound")
        return "every pair at every epsilon, by matched rows or by its intervals"

    def say(self) -> dict[str, Any]:
        """The sentence."""
        where = "every epsilon > 0" if self.high is None else f"every epsilon from {self.low} to {self.high}"
        words = self.law.says()[1].replace("nominal epsilon = 1", f"for {where}")
        return self.sentence(words, "", f"{self.claim()} for {where}", {"nominal_epsilon": self.range})

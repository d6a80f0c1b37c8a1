"""Every epsilon: the largest true epsilon / epsilon of an exponential mechanism, by a cover of all pairs.

When ``Ratio.check`` returns, lower <= sup over epsilon of true epsilon / epsilon, by the witness, and with ``full`` it
is at most upper. P_x(r) = e^(-e A(x,r)) / Z_x(e), A = H / divisor >= 0, and 0 at r = x alone. With D(r) = A(y,r) -
A(x,r) the loss over e is D(r) + G(e), G = (ln Z_y - ln Z_x) / e. Z_y / Z_x is an average of e^(-e D): the swing max D
- min D bounds the loss over e at every e. On an interval of e: ln Z is convex, so ln Z_y lies below its chord and ln
Z_x above its tangents at both ends, each taken to the middle; a line over e is monotone: its values at both ends of a
half bound G.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided, rational, total
from ..core import Rejected
from ..exact import ZERO
from ..family import Cells, read_family
from ..reading import DIGITS, brief, number, shape
from ..special import largest, smallest
from .theorem import Theorem, excess, multiple, read_theorem

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


class Ratio(Theorem):
    """lower <= sup over epsilon of true epsilon / epsilon <= upper."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        names = dict.fromkeys(("lower", "upper", "claimed"), str)
        found = read_theorem(document, {**names}, {"witness": dict, "cover": list})
        subject, self.counts, self.statement, self.witness, cover = found
        ends = [number(self.statement[name], name, DIGITS) for name in names]
        self.least, self.most, self.claimed, self.full = *ends, full
        self.factor = ends[2]
        if self.least > self.most:
            raise Malformed("lower and upper do not form an interval")
        shape(self.witness, "the witness", dict.fromkeys(("x", "x_prime", "output", "epsilon")))
        self.low, self.high = self._range(subject.get("nominal_epsilon"))
        self.subject = {**subject, "nominal_epsilon": "1"}
        self.bits = 128 + 4 * max(len(self.statement[end]) for end in ("lower", "upper"))
        self.law = read_family(self.subject, self.bits)
        entries = list(map(self._entry, cover))
        self.cuts = dict(entries)
        if len(self.cuts) < len(entries) or not all(self.law.adjacent(*pair) for pair in self.cuts):
            raise Malformed("the cover has a pair twice, or one that is not adjacent")
        if self.counts != list(self.law.counts()):
            raise Rejected("the counts are not as stated")

    @staticmethod
    def _range(text: Any) -> tuple[Fraction, End]:
        """The ends of the epsilons that the certificate is about."""
        if text == "all":
            return ZERO, None
        low, high, *more = (number(end, "epsilon", 100) for end in f"{text}..0..0".split("..")[:3])
        if more != [ZERO] or not 0 < low < high:
            raise Malformed("nominal_epsilon is neither all nor a range")
        return low, high

    def _entry(self, entry: Any) -> tuple[tuple[Cells, Cells], list[End]]:
        """An ordered pair and the ends of its intervals."""
        if not isinstance(entry, list) or len(entry) != 3:
            raise Malformed("an entry of the cover is not [x, x', cuts]")
        cuts = read_cuts(entry[2], self.low, self.high)
        return (self.law.place(entry[0], "x"), self.law.place(entry[1], "x_prime")), cuts

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established and the statement, with more bits if that is needed to decide."""
        for factor in (1, 2, 4):
            self.law = read_family(self.subject, factor * self.bits)
            with suppress(Undecided):
                return [*self.at_witness(), *self.everywhere(), *self.conclude()], self._say()
        raise Rejected(f"undecided with {4 * self.bits} bits: the stated bounds are too tight to be confirmed")

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

    def at_witness(self) -> list[str]:
        """Only if the ratio at the witness reaches the lower bound."""
        x, y, epsilon = self.pair()
        i, one, other = self.law.output(self.witness["output"]), exponents(self.law, x), exponents(self.law, y)
        if excess(other.all[i] - one.all[i] + gain(one, other, epsilon), self.least) < 0:
            raise Rejected("the ratio at the witness is below the stated lower bound")
        return ["lower bound: the ratio at the witness reaches it"]

    def everywhere(self) -> list[str]:
        """Only if no pair exceeds the upper bound at any epsilon; says if that is not checked."""
        if not self.full:
            return ["upper bound: not checked (--full does)"]
        law = self.law
        rows: dict[Cells, Exponents] = {c: exponents(law, c) for c in law.datasets()}
        for pair in ((x, y) for x in law.datasets() for y in law.neighbors(x)):
            x, y = (rows[c] for c in pair)
            differences = [b - a for a, b in zip(x.all, y.all, strict=True)]
            bounds = [largest(differences)]
            if pair in self.cuts:
                bounds = [bounds[0] + g for g in on_intervals(x, y, self.cuts[pair])]
            elif not self._alike(*pair):
                bounds = [bounds[0] - smallest(differences)]
            if any(excess(bound, self.most) > 0 for bound in bounds):
                raise Rejected(f"x = {brief(pair[0])}, x' = {brief(pair[1])} is not covered by the upper bound")
        words = "every pair at every epsilon, by its swing, by its intervals, or by equal exponents"
        return [f"{law.bits} bits", f"upper bound: {words}"]

    def _alike(self, x: Cells, y: Cells) -> bool:
        """Whether A(x, .) and A(y, .) are the same numbers in another order: then Z_x = Z_y and G = 0.

        So it is if they differ by an exchange of cells with the same prior; and if they are the only data sets: then
        A(x, y) = H / divisor(x), and divisor(x) = divisor(y), as LS(x) = LS(y) = H, so that S(x) = S(y) = H too.
        """
        one, other = (sorted(zip(self.law.prior, c, strict=True)) for c in (x, y))
        return bool(one == other or self.law.size == 2)

    def _say(self) -> dict[str, Any]:
        where = "every epsilon > 0" if self.high is None else f"every epsilon from {self.low} to {self.high}"
        words = self.law.says()[1].replace("nominal epsilon = 1", f"for {where}")
        claim = f"{multiple(self.factor)} for {where}"
        nominal = {"nominal_epsilon": "all" if self.high is None else f"{self.low}..{self.high}"}
        return self.sentence(words, "the largest true epsilon / epsilon", claim, nominal)

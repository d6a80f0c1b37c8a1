"""The verifier of theorems: every epsilon, every prior of a box, every n. Standard library and verify.py, nothing else.

It is used by verify.py, from the same folder. Beside each function stands why its interval contains the true value; the
theorems themselves are derived in dpaudit/forall (EVERY_EPSILON.md, PRIOR_BOXES.md, EVERY_N.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import accumulate, pairwise, product
from math import inf
from operator import add
from typing import Any

from dpaudit.evidence.verify import (
    COUNTS,
    DIGITS,
    ZERO,
    Cells,
    Interval,
    Malformed,
    Rejected,
    Undecided,
    Work,
    brief,
    distance,
    exp_of,
    function,
    hull,
    larger,
    log_gamma,
    number,
    pi,
    rational,
    read_law,
    replaced,
    shape,
    step,
    total,
    whole,
)

# ================================================================== theorems

EXPONENTIAL, LAPLACE = ("EHD", "EHDL", "EHDS", "MH"), ("LSZhang", "LSDim", "LSHist")


def theorem(document: dict[str, Any], statement: dict[str, type | None], more: dict[str, type | None]) -> list[Any]:
    """Returns the subject, the counts (of one n), the statement and the further members of a certificate."""
    parts: dict[str, type | None] = dict.fromkeys(("subject", "statement", "method", "versions"), dict)
    rest = dict.fromkeys(("kind", "format", "version", "sha256"))
    subject, stated, method, versions, *found = shape(document, "the certificate", {**parts, **more, **rest})
    shape(versions, "versions", dict.fromkeys(("dpaudit", "python-flint", "python")))
    one_n = document["kind"] != "every-n"  # there are counts where there is one n
    arithmetic: dict[str, type | None] = dict.fromkeys(("arithmetic", "precision_bits"))
    counts = shape(method, "the method", {**({"counts": dict} if one_n else {}), **arithmetic})[0]
    shape(stated, "the statement", {**statement, "verdict": str, "quantity": None})
    if stated["quantity"] != document["kind"]:
        raise Malformed("the statement is not about what the certificate is")
    known = EXPONENTIAL + (LAPLACE if document["kind"] == "every-epsilon" else ())
    if subject.get("mechanism") not in known:
        raise Malformed(f"the mechanism is not one of {', '.join(known)}")
    counted = [shape(counts, "the counts", dict.fromkeys(COUNTS, int))] if one_n else []
    return [subject, *counted, stated, *found[: len(more)]]


def stands(law: Any) -> str:
    """Returns what the bound that is judged is: EHDL claims nothing, nor does any mechanism of every two data sets."""
    return "asked" if law.mechanism == "EHDL" or law.every_pair else "claimed"


def multiple(factor: Fraction) -> str:
    """Returns "epsilon-DP" or "(3/2 epsilon)-DP"."""
    return "epsilon-DP" if factor == 1 else f"({factor} epsilon)-DP"


def excess(value: Interval, bound: Fraction) -> int:
    """Returns the sign of the number minus the bound."""
    found = (value - rational(bound, value.digits)).sign()
    if found is None:
        raise Undecided
    return found


# ================================================================== every epsilon
# P_x(r) = e^(-e A(x,r)) / Z_x(e), A = H / divisor >= 0, and 0 at r = x alone. With D(r) = A(y,r) - A(x,r) the loss over
# e is D(r) + G(e), G = (ln Z_y - ln Z_x) / e. Z_y / Z_x is an average of e^(-e D): the swing max D - min D bounds the
# loss over e at every e. On an interval of e: ln Z is convex, so ln Z_y lies below its chord and ln Z_x above its
# tangents at both ends, each taken to the middle; a line over e is monotone: its values at both ends of a half bound G.

End = Fraction | None
"""An end of an interval of epsilon: 0, and None for infinity, stand for the limit."""


class Exponents:
    """A(x, r) of one data set; ln Z, its slope -E[A] and Z - 1 at any epsilon."""

    def __init__(self, law: Any, x: Cells) -> None:
        self.digits, divisor = law.digits, law.divisor(x)
        self.all = [law.hellinger(x, r) / divisor for r in law.datasets()]
        self.others = [a.positive() for a in self.all if a.sign() != 0]
        if len(self.others) != len(self.all) - 1:
            raise Undecided
        self.most, self.least = reduce(larger, self.others), -reduce(larger, (-a for a in self.others))
        size = rational(len(self.all), self.digits)
        self.mean = total(self.others, self.digits) / size
        self.variance = total(((a - self.mean) * (a - self.mean) for a in self.all), self.digits) / size
        self._found: dict[Fraction, tuple[Interval, Interval, Interval]] = {}

    def at(self, epsilon: Fraction) -> tuple[Interval, Interval, Interval]:
        """Returns ln Z, its slope, Z - 1."""
        if epsilon not in self._found:
            weights = [(rational(-epsilon, self.digits) * a).exp() for a in self.others]
            excess = total(weights, self.digits)
            mass = excess + rational(1, self.digits)
            moment = total((w * a for w, a in zip(weights, self.others, strict=True)), self.digits)
            self._found[epsilon] = mass.log(), -(moment / mass), excess
        return self._found[epsilon]


def gain(x: Exponents, y: Exponents, epsilon: End) -> Interval:
    """Returns G; its limits are mean A(x, .) - mean A(y, .) at 0, and 0 at infinity, where Z tends to 1."""
    if epsilon is None:
        return rational(0, x.digits)
    return (y.at(epsilon)[0] - x.at(epsilon)[0]) / rational(epsilon, x.digits) if epsilon else x.mean - y.mean


def gains(x: Exponents, y: Exponents, low: Fraction, high: End) -> list[Interval]:
    """Returns numbers whose maximum is above G on the interval.

    To infinity: ln Z_x >= 0, and ln Z_y / e falls; from low on Z_y - 1 falls at least like e^(-e least(y)), and
    Z_x - 1 >= e^(-e least(x)): where the first is below the second, at low and in its exponent, G <= 0. From 0: the
    variances of A, the second derivatives of ln Z, stay within e^(+-e most) of the plain ones; while that of y is the
    smaller one, G falls: e^2 G' is the integral of s (ln Z_y - ln Z_x)''(s). Else chord and tangent start in ln |R|.
    """
    digits, (end_x, slope_x, _), (end_y, _, excess) = x.digits, x.at(high or low), y.at(high or low)
    if high is None:
        slowest = (rational(-low, digits) * x.least).exp()
        below = x.least <= y.least and excess <= slowest
        return [gain(x, y, None) if below else end_y / rational(low, digits)]
    spread = (rational(high, digits) * (x.most + y.most)).exp()
    if not low and spread * y.variance <= x.variance:
        return [gain(x, y, low)]
    if low:
        (start_x, slope, _), start_y, first = x.at(low), y.at(low)[0], gain(x, y, low)
    else:
        start_x = start_y = rational(len(x.all), digits).log()
        slope, first = -x.mean, (end_y - start_y) / rational(high, digits) + x.mean
    half, middle = rational((high - low) / 2, digits), rational((high + low) / 2, digits)
    chord = (start_y + end_y) / rational(2, digits)
    tangents = start_x + slope * half, end_x - slope_x * half
    return [first, *((chord - line) / middle for line in tangents), gain(x, y, high)]


class Ratio:
    """lower <= sup over epsilon of true epsilon / epsilon <= upper, by a cover of all pairs and every epsilon."""

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        names = dict.fromkeys(("lower", "upper", "claimed"), str)
        found = theorem(document, {**names}, {"witness": dict, "cover": list})
        subject, self.counts, self.statement, self.witness, cover = found
        self.least, self.most, self.claimed = (number(self.statement[name], name, DIGITS) for name in names)
        if self.least > self.most:
            raise Malformed("lower and upper are no interval")
        shape(self.witness, "the witness", dict.fromkeys(("x", "x_prime", "output", "epsilon")))
        self.verdict, self.full, self.work = self.statement["verdict"], full, work
        self.low, self.high = self._range(subject.get("nominal_epsilon"))
        self.subject = {**subject, "nominal_epsilon": "1"}
        self.digits = 40 + max(len(self.statement[end]) for end in ("lower", "upper"))
        self.law = read_law(self.subject, self.digits, work)
        entries = list(map(self._entry, cover))
        self.cuts = dict(entries)
        if len(self.cuts) < len(entries) or not all(self.law.adjacent(*pair) for pair in self.cuts):
            raise Malformed("the cover has a pair twice, or one that is not adjacent")

    @staticmethod
    def _range(text: Any) -> tuple[Fraction, End]:
        """Returns the ends of the epsilons that the certificate is about."""
        if text == "all":
            return ZERO, None
        low, high, *more = (number(end, "epsilon", 100) for end in f"{text}..0..0".split("..")[:3])
        if more != [ZERO] or not 0 < low < high:
            raise Malformed("nominal_epsilon is neither all nor a range")
        return low, high

    def _entry(self, entry: Any) -> tuple[tuple[Cells, Cells], list[End]]:
        """Returns an ordered pair and the ends of its intervals, which rise from the first epsilon to the last."""
        if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[2], list):
            raise Malformed("an entry of the cover is not [x, x', cuts]")
        cuts = [self.low, *(number(cut, "a cut", DIGITS) for cut in entry[2])]
        known = [*cuts, *([] if self.high is None else [self.high])]
        if any(a >= b for a, b in pairwise(known)) or len(known) < 2:
            raise Malformed("the cuts of a pair do not rise within the range of epsilon")
        return (self.law.place(entry[0], "x"), self.law.place(entry[1], "x_prime")), [*cuts, self.high]

    def refused(self) -> None:
        """Nothing more than its form can forbid it."""

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement, with more digits if that is needed to decide."""
        for factor in (1, 2, 4):
            law = self.law = read_law(self.subject, factor * self.digits, self.work)
            if self.counts != list(law.counts()):
                raise Rejected("the counts are not as stated")
            law.pay(law.size if self.full else 2)
            points = sum(map(len, self.cuts.values())) if self.full else 1
            self.work.spend(2 * points * law.size * (function(law.digits) + 4 * step(law.digits)))
            with suppress(Undecided):
                return [*self._at_witness(law), *self._everywhere(law), *self._conclude()], self._say(law)
        raise Rejected(f"undecided with {4 * self.digits} digits: the stated bounds are too tight to be confirmed")

    def _at_witness(self, law: Any) -> list[str]:
        x, y, output = (law.place(self.witness[name], name) for name in ("x", "x_prime", "output"))
        text = self.witness["epsilon"]
        epsilon = None if text == "inf" else number(text, "epsilon", DIGITS)
        if not law.adjacent(x, y):
            raise Rejected("the witness is not a pair of adjacent data sets")
        self._check_within(epsilon)
        i, one, other = list(law.datasets()).index(output), Exponents(law, x), Exponents(law, y)
        if excess(other.all[i] - one.all[i] + gain(one, other, epsilon), self.least) < 0:
            raise Rejected("the ratio at the witness is below the stated lower bound")
        return ["lower bound: the ratio at the witness reaches it"]

    def _check_within(self, epsilon: End) -> None:
        beyond = self.high is not None and (epsilon is None or epsilon > self.high)
        if beyond or (epsilon is not None and epsilon < self.low):
            raise Rejected("the epsilon of the witness is not one of those asked about")

    def _everywhere(self, law: Any) -> list[str]:
        if not self.full:
            return ["upper bound: not checked (--full does)"]
        rows: dict[Cells, Exponents] = {c: Exponents(law, c) for c in law.datasets()}
        for pair in ((x, y) for x in law.datasets() for y in law.neighbours(x)):
            x, y = (rows[c] for c in pair)
            differences = [b - a for a, b in zip(x.all, y.all, strict=True)]
            top = reduce(larger, differences)
            if pair in self.cuts:
                ends = pairwise(self.cuts[pair])
                bounds = [top + g for low, high in ends for g in gains(x, y, low or ZERO, high)]
            elif self._alike(law, *pair):
                bounds = [top]
            else:
                bounds = [top + reduce(larger, (-d for d in differences))]
            if any(excess(bound, self.most) > 0 for bound in bounds):
                raise Rejected(f"x = {brief(pair[0])}, x' = {brief(pair[1])} is not covered by the upper bound")
        return [
            f"{law.digits} digits",
            "upper bound: every pair at every epsilon, by its swing, by its intervals, or by equal exponents",
        ]

    @staticmethod
    def _alike(law: Any, x: Cells, y: Cells) -> bool:
        """Returns whether A(x, .) and A(y, .) are the same numbers in another order: then Z_x = Z_y and G = 0.

        So it is if they differ by an exchange of cells with the same prior; and if they are the only data sets: then
        A(x, y) = H / divisor(x), and divisor(x) = divisor(y), as LS(x) = LS(y) = H, so that S(x) = S(y) = H too.
        """
        one, other = (sorted(zip(law.prior, c, strict=True)) for c in (x, y))
        return one == other or law.size == 2

    def _conclude(self) -> list[str]:
        expected = "PROVED" if self.most <= self.claimed else "REFUTED" if self.least > self.claimed else "UNDECIDED"
        if self.verdict != expected:
            raise Rejected(f"the verdict {brief(self.verdict)} contradicts the bounds, by which it is {expected}")
        return [] if self._sure else [f"verdict: not checked ({self.verdict} is stated)"]

    @property
    def _sure(self) -> bool:
        return self.verdict == "REFUTED" or (self.full and self.verdict == "PROVED")

    def _say(self, law: Any) -> dict[str, Any]:
        """Returns the full sentence and its members."""
        subject, words, relation = law.says()
        where = "every epsilon > 0" if self.high is None else f"every epsilon from {self.low} to {self.high}"
        words = words.replace("nominal epsilon = 1", f"for {where}")
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        open_ = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        ends = f"lies between {lower} and {upper}" if self.full else open_
        claim = f"{multiple(self.claimed)} for {where}"
        verdict = self.verdict + ("" if self._sure or self.verdict == "UNDECIDED" else ", which is NOT CHECKED")
        checked = "full" if self.full else "witness only"
        return {
            "text": f"{words}; adjacent: {relation}: the largest true epsilon / epsilon {ends}; "
            f"{stands(law)}: {claim}; verdict: {verdict}; checked: {checked}",
            "subject": {**subject, "nominal_epsilon": "all" if self.high is None else f"{self.low}..{self.high}"},
            **{"quantity": self.statement["quantity"], "lower": lower, "upper": upper, "claim": claim},
            **{"verdict": self.verdict, "verdict_checked": self._sure, "checked": checked},
        }


# ------------------------------------------------------------------ every epsilon, the Laplace family
# With t = epsilon / s and q = e^-t the law of a cell is q^e times 1/2, (1-q)/2 or (2-q)/2. At epsilon = 1 this is an
# identity of sums of exponentials, which are equal only as polynomials in q: it holds for every epsilon. So the ratio
# of a pair at an output is q^a (2-q)^b, and the loss over epsilon is (b g(t) - a) / s with g(t) = ln(2 - e^-t) / t.
# ln(2 - e^-t) is concave and 0 at 0, so g falls, from 1 (t -> 0) to 0 (t -> infinity): the ends of a range bound it.

PLAIN, CORNER = ((0, Fraction(1, 2)),), ((0, Fraction(1)), (1, Fraction(-1, 2)))
Power = tuple[int, int]
"""(a, b) stands for q^a (2-q)^b."""


class LaplaceRatio(Ratio):
    """The same for floored, clipped Laplace noise: every ratio of probabilities, exactly, as q^a (2-q)^b."""

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        super().__init__(document, full, work)
        if document["cover"] or self.law.every_pair:
            raise Malformed("a theorem on Laplace noise has no cover, and is about one record replaced")
        self._cells: dict[tuple[int, int], tuple[int, Any]] = {}

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement, with more digits if that is needed to decide."""
        if self.counts != list(self.law.counts()):
            raise Rejected("the counts are not as stated")
        for factor in (1, 2, 4):
            with suppress(Undecided):
                self.precision = factor * self.digits
                return [*self._at_witness(self.law), *self._everywhere(self.law), *self._conclude()], self._say(
                    self.law
                )
        raise Rejected(f"undecided with {4 * self.digits} digits: the stated bounds are too tight to be confirmed")

    def _cell(self, c: int, o: int) -> tuple[int, Any]:
        """Returns (e, rest) where the law of the cell is q^e times one of the three."""
        if (c, o) not in self._cells:
            self.work.spend(20 * step(self.digits))
            terms = sorted((int(-power * self.law.scale), v) for power, v in self.law.cell(c, o).form[0].items())
            least = terms[0][0]
            self._cells[c, o] = least, tuple((power - least, v) for power, v in terms)
        return self._cells[c, o]

    def _power(self, c: int, d: int, o: int) -> Power:
        """Returns the ratio of the laws of counts c and d at the output o of a cell."""
        (e, top), (f, bottom) = self._cell(c, o), self._cell(d, o)
        if top != bottom and {top, bottom} != {PLAIN, CORNER}:
            raise Rejected("a ratio of probabilities is not of the form q^a (2-q)^b")
        return e - f, (top == CORNER) - (bottom == CORNER)

    def _over(self, power: Power, epsilon: End, bound: Fraction) -> int:
        """Returns the sign of the loss over epsilon minus the bound."""
        a, b = power
        g: Fraction | None = {None: ZERO, ZERO: Fraction(1)}.get(epsilon) if b else ZERO
        if g is not None:
            exactly = (b * g - a) / self.law.scale - bound
            return int(exactly > 0) - int(exactly < 0)
        assert epsilon is not None
        self.work.spend(4 * function(self.precision))
        t = epsilon / self.law.scale
        log = (rational(2, self.precision) - exp_of(-t, self.precision)).log() / rational(t, self.precision)
        return excess((rational(b, self.precision) * log - rational(a, self.precision)), bound * self.law.scale)

    def _at_witness(self, law: Any) -> list[str]:
        x, y = (law.place(self.witness[name], name) for name in ("x", "x_prime"))
        output, text = self.witness["output"], self.witness["epsilon"]
        epsilon = None if text == "inf" else number(text, "epsilon", DIGITS)
        if not law.adjacent(x, y) or not whole(output, law.noised, law.n):
            raise Rejected("the witness is not a pair of adjacent data sets with an output")
        self._check_within(epsilon)
        powers = [self._power(*cell) for cell in zip(x, y, output, strict=False) if cell[0] != cell[1]]
        if self._over((sum(a for a, _ in powers), sum(b for _, b in powers)), epsilon, self.least) < 0:
            raise Rejected("the ratio at the witness is below the stated lower bound")
        return ["lower bound: the ratio at the witness reaches it"]

    def _everywhere(self, law: Any) -> list[str]:
        if not self.full:
            return ["upper bound: not checked (--full does)"]
        for power in self._powers(law):
            if any(self._over(power, end, self.most) > 0 for end in (self.low, self.high)):
                raise Rejected("a ratio of probabilities is not covered by the upper bound")
        return ["upper bound: every pair and every output, as q^a (2-q)^b, at both ends of the range of epsilon"]

    def _powers(self, law: Any) -> set[Power]:
        """Returns all that occur: one record goes from a noised cell to another, or to or from the last, derived one.

        Two noised cells hold at most n records together, and exactly n where there is no third cell.
        """
        n, one, two = law.n, set[Power](), set[tuple[Any, Any]]()
        self.work.spend(4 * n * n)
        down, up = (
            [frozenset(self._power(c + i, c + 1 - i, o) for o in range(n + 1)) for c in range(n)] for i in (1, 0)
        )  # from c + 1 to c, and from c to c + 1
        if law.noised < law.k:
            one = set[Power]().union(*down, *up)
        if law.noised > 1:
            for c in range(n):
                two |= {(down[c], up[d]) for d in ([n - 1 - c] if law.k == 2 else range(n - c))}
        return one | {(a + e, b + f) for p, r in two for a, b in p for e, f in r}


def ratio(document: dict[str, Any], full: bool, work: Work) -> Ratio:
    """Returns the certificate of the largest ratio, by the family of its mechanism."""
    subject = document.get("subject")
    laplace = isinstance(subject, dict) and subject.get("mechanism") in LAPLACE
    return (LaplaceRatio if laplace else Ratio)(document, full, work)


# ================================================================== every prior of a box
# H falls and BC rises in every entry of the prior: dH/d alpha_i = -q_i BC / (2 H), q_i = psi(alpha_i + (c_i+d_i)/2)
# - psi(alpha_i + c_i)/2 - psi(alpha_i + d_i)/2 >= 0, as psi is concave, and q_i falls in alpha_i, as psi' is convex:
# all extremes lie at corners of the box. Numbers are carried with their values and slopes over the box (``Spread``)
# and their value at its centre; the mean value theorem cuts the first to centre +- sum |slope_i| (half of side i).


def digammas(alpha: Fraction, n: int, digits: int) -> tuple[list[Interval], list[Interval]]:
    """Returns psi(alpha + i) - psi(alpha) and psi(alpha + 1/2 + i) - psi(alpha), i = 0..n: psi(z+1) = psi(z) + 1/z.

    psi(alpha + 1/2) - psi(alpha) = 2 sum (-1)^k / (2 alpha + k). From k = m (even) on, with u = 2 alpha + m, it is the
    integral of 2 e^(-ut) / (1 + e^-t) = e^(-ut) (1 + tanh(t/2)), and t/2 - t^3/24 <= tanh(t/2) <= t/2: it lies between
    1/u + 1/(2u^2) - 1/(4u^4) and 1/u + 1/(2u^2).
    """
    m, one = 2 * digits, rational(1, digits)
    parts = [rational(Fraction(2 * (-1) ** k) / (2 * alpha + k), digits) for k in range(m)]
    u = 2 * alpha + m
    rest = hull(rational(1 / u + 1 / (2 * u * u) - 1 / (4 * u**4), digits), rational(1 / u + 1 / (2 * u * u), digits))
    starts = rational(0, digits), total(parts, digits) + rest
    found = []
    for start, base in zip(starts, (alpha, alpha + Fraction(1, 2)), strict=True):
        found.append(list(accumulate((one / rational(base + i, digits) for i in range(n)), initial=start)))
    return found[0], found[1]


class Spread:
    """A number that depends on the prior: an interval of its values on the box, and of each of its slopes."""

    def __init__(self, value: Interval, slopes: list[Interval]) -> None:
        self.value, self.slopes = value, slopes

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.value + other.value, list(map(add, self.slopes, other.slopes)))

    def __neg__(self) -> Spread:
        return self.through(-self.value, rational(-1, self.value.digits))

    def __sub__(self, other: Spread) -> Spread:
        return self + -other

    def __mul__(self, other: Spread) -> Spread:
        pairs = zip(self.slopes, other.slopes, strict=True)
        return Spread(self.value * other.value, [a * other.value + b * self.value for a, b in pairs])

    def through(self, value: Interval, slope: Interval) -> Spread:
        """Returns a function of the number, of this value and this derivative."""
        return Spread(value, [slope * a for a in self.slopes])

    def cut(self, centre: Interval, halves: list[Interval]) -> Spread:
        """Returns the number with the values that the mean value theorem leaves: |f - centre| <= sum |slope| half."""
        reach = total((larger(a, -a) * half for a, half in zip(self.slopes, halves, strict=True)), centre.digits)
        near, old = hull(centre - reach, centre + reach).plain(), self.value.plain()
        return Spread(Interval(max(near.lo, old.lo), min(near.hi, old.hi), centre.digits), self.slopes)


def least(spreads: list[Spread]) -> Spread:
    """The minimum: its slope is, almost everywhere on a segment, that of a member which is not above it throughout."""
    spreads = [Spread(s.value.plain(), s.slopes) for s in spreads]
    top = min(s.value.hi for s in spreads)
    active = [s for s in spreads if s.value.lo <= top]
    value = Interval(min(s.value.lo for s in active), top, active[0].value.digits)
    return Spread(value, [reduce(hull, parts) for parts in zip(*(s.slopes for s in active), strict=True)])


class Box:
    """The rows of a mechanism for all priors between two corners."""

    def __init__(
        self, subject: dict[str, Any], sides: list[tuple[Fraction, Fraction]], digits: int, work: Work
    ) -> None:
        corners = [[side[i] for side in sides] for i in (0, 1)]
        middle = [(low + high) / 2 for low, high in sides]
        self.low, self.high, self.law = (
            read_law({**subject, "prior": list(map(str, prior))}, digits, work) for prior in (*corners, middle)
        )
        self.digits, self.axes = digits, [i for i, (low, high) in enumerate(sides) if low < high]
        self.halves = [rational((sides[i][1] - sides[i][0]) / 2, digits) for i in self.axes]
        self._psi = {i: [digammas(end, self.law.n, digits) for end in sides[i]] for i in self.axes}
        self._rows: dict[Cells, tuple[list[tuple[Interval, Spread]], tuple[Interval, Spread]]] = {}
        self._kept: dict[Any, Spread] = {}

    def constant(self, value: Interval) -> Spread:
        """Returns a number that does not depend on the prior."""
        return Spread(value, [rational(0, self.digits)] * len(self.axes))

    def _q(self, i: int, end: int, c: int, d: int) -> Interval:
        even, odd = self._psi[i][end]
        m, rest = divmod(c + d, 2)
        return (odd if rest else even)[m] - (even[c] + even[d]) / rational(2, self.digits)

    def hellinger(self, c: Cells, d: Cells) -> Spread:
        """Returns H(c, d)."""
        if c == d:
            return self.constant(rational(0, self.digits))
        key = (min(c, d), max(c, d))
        if key not in self._kept:
            ends = [law.hellinger(c, d) for law in (self.low, self.high)]
            one, two = rational(1, self.digits), rational(2, self.digits)
            factors = [(one - end * end) / (two * end) for end in ends]
            q = [[self._q(i, end, c[i], d[i]) for end in (1, 0)] for i in self.axes]
            self._kept[key] = Spread(hull(*ends), [-hull(factors[0] * a, factors[1] * b) for a, b in q])
        return self._kept[key]

    def inverse(self, c: Cells) -> Spread:
        """Returns 1 / LS(c), the least 1 / H(c, d) of a neighbour d."""
        if c not in self._kept:
            one, found = rational(1, self.digits), [self.hellinger(c, d) for d in replaced(c)]
            self._kept[c] = least([h.through(one / h.value, -one / (h.value * h.value)) for h in found])
        return self._kept[c]

    def rate(self, c: Cells) -> Spread:
        """Returns epsilon / divisor(c)."""
        law, name = self.law, self.law.mechanism
        gamma, scale = law.parameters.get("gamma", ZERO), law.epsilon / 2
        if name == "EHD" and law.parameters["gs"] == "constant":
            return self.constant(rational(law.epsilon, self.digits) / law.divisor(c))
        if name == "EHDL":
            found = self.inverse(c)
        else:
            steps = ((d, rational(gamma * distance(c, d), self.digits)) for d in law.datasets())
            found = least([self.inverse(d) + self.constant(apart) for d, apart in steps])
        scale = scale / (1 + gamma) if name == "EHDS" else scale
        return found.through(rational(scale, self.digits) * found.value, rational(scale, self.digits))

    def row(self, x: Cells) -> Any:
        """Returns A(x, r) = rate(x) H(x, r), output by output, and ln Z_x; each at the centre and over the box."""
        if x not in self._rows:
            centre, rate, law = rational(self.law.epsilon, self.digits) / self.law.divisor(x), self.rate(x), self.law
            found = []
            for r in law.datasets():
                middle = centre * law.hellinger(x, r)
                found.append((middle, (rate * self.hellinger(x, r)).cut(middle, self.halves)))
            weights = [a.through(w := (-a.value).exp(), -w) for _, a in found]
            mass = reduce(add, weights)
            log = mass.through(mass.value.log(), rational(1, self.digits) / mass.value)
            middle = total(((-a).exp() for a, _ in found), self.digits).log()
            self._rows[x] = found, (middle, log.cut(middle, self.halves))
        return self._rows[x]

    def losses(self, x: Cells, y: Cells) -> Iterator[Interval]:
        """Yields the loss, output by output."""
        (rows_x, (log_x, logs_x)), (rows_y, (log_y, logs_y)) = self.row(x), self.row(y)
        for (a, over_a), (b, over_b) in zip(rows_x, rows_y, strict=True):
            yield (over_b - over_a + logs_y - logs_x).cut(b - a + log_y - log_x, self.halves).value


class Map:
    """Which priors of a box make the mechanism ``claimed``-DP: a tree of halves, every leaf with a verdict.

    A node [side, pairs, half, half] says that all pairs which came down to it are proved on its box but these, which
    go on to its halves; a leaf is "PROVED" (the pairs that came down), ["REFUTED", x, x', output] or "UNDECIDED".
    """

    SHARES = ("proved", "refuted", "undecided")

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        names = dict.fromkeys(("claimed", *self.SHARES), str)
        self.subject, self.counts, statement, self.tree = theorem(document, {**names}, {"cover": None})
        self.statement: dict[str, Any] = statement
        self.claimed, *self.shares = (number(statement[name], name, 5000) for name in ("claimed", *self.SHARES))
        prior = shape({"prior": self.subject.get("prior")}, "the subject", {"prior": list})[0]
        self.sides = [tuple(number(end, "prior", 100) for end in str(alpha).split("..")) * 2 for alpha in prior]
        if any(len(side) not in (2, 4) or side[0] > side[1] for side in self.sides) or self.claimed < 0:
            raise Malformed("the prior is no box, or the bound is negative")
        self.full, self.work, self.witnesses = full, work, 0
        self.law = read_law({**self.subject, "prior": [str(side[0]) for side in self.sides]}, DIGITS_OF_BOXES, work)

    def refused(self) -> None:
        """Nothing more than its form can forbid it."""

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement."""
        law, areas = self.law, dict.fromkeys(self.SHARES, ZERO)
        if self.counts != list(law.counts()):
            raise Rejected("the counts are not as stated")
        self.work.spend(4 * law.counts()[1] if self.full else 0)
        pairs = frozenset((x, y) for x in law.datasets() for y in law.neighbours(x)) if self.full else frozenset()
        try:
            self._walk(self.tree, [side[:2] for side in self.sides], pairs, Fraction(1), areas)
        except Undecided:
            raise Rejected("a box is not decided as stated") from None
        if list(areas.values()) != self.shares:
            raise Rejected("the shares of the box are not as stated")
        _, refuted, undecided = self.shares
        expected = "REFUTED" if refuted else "UNDECIDED" if undecided else "PROVED"
        if self.statement["verdict"] != expected:
            raise Rejected(f"the verdict contradicts the map, by which it is {expected}")
        if self.full:
            return ["the shares add up", "every box: all pairs and outputs, or its witness"], self._say()
        line = f"verdict: not checked ({expected} is stated)"
        if self._sure:
            line = "verdict REFUTED: the loss at a witness exceeds the claimed bound on its whole box"
        return ["the shares add up", line, "all other boxes: not checked (--full does)"], self._say()

    @property
    def _sure(self) -> bool:
        """Whether the verdict is checked: one refuted box refutes the claim for the whole."""
        return self.full or self.witnesses > 0

    def _walk(self, node: Any, sides: list[Any], pairs: Any, area: Fraction, areas: dict[str, Fraction]) -> None:
        """Checks a node on its box, and adds the shares of its leaves."""
        verdict = node if isinstance(node, str) else node[0]
        if verdict in ("PROVED", "REFUTED", "UNDECIDED"):
            areas[verdict.lower()] += area
            if verdict == "REFUTED":
                self._refuted(sides, *(self.law.place(cells, "a witness") for cells in node[1:]))
            elif verdict == "PROVED":
                self._proved(sides, pairs)
            return
        axis, listed, one, other = node
        left = frozenset(tuple(self.law.place(cells, "a pair") for cells in pair) for pair in listed)
        if type(axis) is not int or not 0 <= axis < len(sides) or sides[axis][0] == sides[axis][1]:
            raise Malformed("a node of the tree has no such side")
        self._proved(sides, pairs - left)
        low, high = sides[axis]
        for half, ends in ((one, (low, (low + high) / 2)), (other, ((low + high) / 2, high))):
            self._walk(half, [*sides[:axis], ends, *sides[axis + 1 :]], pairs & left, area / 2, areas)

    def _box(self, sides: list[Any], rows: int) -> Box:
        law = self.law
        for _ in range(4):
            law.pay(rows)
        self.work.spend(rows * law.size * 20 * (1 + len(sides)) * step(law.digits))
        return Box(self.subject, sides, law.digits, self.work)

    def _proved(self, sides: list[Any], pairs: Any) -> None:
        if not self.full or not pairs:
            return
        box = self._box(sides, len({x for pair in pairs for x in pair}))
        for x, y in pairs:
            if any(excess(loss, self.claimed) > 0 for loss in box.losses(x, y)):
                raise Rejected(f"x = {brief(x)}, x' = {brief(y)} exceeds the bound on a box that is PROVED")

    def _refuted(self, sides: list[Any], x: Cells, y: Cells, output: Cells) -> None:
        if not self.law.adjacent(x, y):
            raise Rejected("a witness is not a pair of adjacent data sets")
        if self.full or not self.witnesses:
            loss = list(self._box(sides, 2).losses(x, y))[list(self.law.datasets()).index(output)]
            if excess(loss, self.claimed) <= 0:
                raise Rejected("a witness does not exceed the bound on its whole box")
            self.witnesses += 1

    def _say(self) -> dict[str, Any]:
        """Returns the full sentence and its members."""
        subject, words, relation = self.law.says()
        prior = ", ".join(map(brief, self.subject["prior"]))
        words = words.replace(f"prior = {subject['prior']}", f"prior in {prior}")
        shares = ", ".join(f"{float(100 * s):.4g} % {name}" for name, s in zip(self.SHARES, self.shares, strict=True))
        claim, verdict = f"{self.claimed}-DP for every prior of the box", self.statement["verdict"]
        checked = "full" if self.full else "one witness" if self.witnesses else "NOTHING BUT THE SHARES"
        shares, shown = shares if self.full else f"{shares} (stated, NOT CHECKED)", verdict
        shown += "" if self._sure else ", which is NOT CHECKED"
        return {
            "text": f"{words}; adjacent: {relation}: {shares}; {stands(self.law)}: {claim}; verdict: {shown}; "
            f"checked: {checked}",
            "subject": {**subject, "prior": prior},
            **{name: self.statement[name] for name in self.SHARES},
            **{"claim": claim, "verdict": verdict, "verdict_checked": self._sure, "checked": checked},
        }


DIGITS_OF_BOXES = 30
"""Boxes are wide: more digits would not decide more."""


# ================================================================== every n
# k = 2, prior (a, b); seen from an end a data set is the count x of the cell with prior a, the other cell holds n - x.
# BC = u_a(x,r) u_b(n-x,n-r), u_c(s,t) = Gamma(c+(s+t)/2) / sqrt(Gamma(c+s) Gamma(c+t)); the second factor rises to 1
# with n, as psi is concave: H falls with n, and its values at both ends of a block of n bound it there. H grows with
# |x - r|. c_i = H(i,i+1) falls while 2i <= n+b-a-2, then rises: LS(0) = c_0, LS(x) = c_(x-1) for 2x <= n+b-a. Beyond
# the reach R the n - R outputs have H(x,R+1) <= H <= 1, and Z_x / Z_y is a Moebius function of n: its values at both
# ends of the block bound it. At every epsilon: ln Z_y - ln Z_x is at most e times the largest A(x,i) - A(y,s(i)) for
# any bijection s. Pairs in the middle: ``EveryN._middle``. Below N every n is looked at by itself.


class Block:
    """The rows of one end for every n from the first to the last of ``ends``, where None is infinity."""

    def __init__(
        self, law: Any, side: tuple[Fraction, Fraction], ends: list[int | None], top: int, reach: int | None = None
    ) -> None:
        self.law, self.side, self.ends, digits = law, side, list(dict.fromkeys(ends)), law.digits
        first = ends[0]
        most = top + 10**5 if first is None else first - 2
        goal, a = 3 * (digits - 28), side[0]
        enough = (r for r in range(top + 2, most) if (r - top) ** 2 >= goal * (8 * a + 4 * (top + r)))
        self.reach, self.one = next(enough, most) if reach is None else reach, rational(1, digits)
        price = 20 * step(digits) * len(ends) + function(digits)
        law.work.spend((top + 8) * (self.reach + 2) * price)
        self.tables = [self._table(a, 1), *(self._table(side[1] + n, -1) for n in self.ends if n is not None)]
        self.rates: list[Interval] = []
        self._rows: dict[int, tuple[list[Interval], Interval]] = {}

    def _table(self, z: Fraction, way: int) -> tuple[list[Interval], list[Interval]]:
        """g[m] = Gamma(z +- m/2) / Gamma(z), m = 0..2R+2, by Gamma(z + 1) = z Gamma(z); and 1 / sqrt(g[2i])."""
        digits, wide = self.law.digits, self.law.digits + 10 + len(str(z.numerator))
        half, full = (log_gamma(rational(v, wide), wide, self.law.work) for v in (z + Fraction(way, 2), z))
        g = [self.one, (half - full).exp().at(digits)]
        for m in range(2, 2 * self.reach + 3):
            factor = rational(z + Fraction(m, 2) - 1 if way > 0 else z - Fraction(m, 2), digits)
            g.append(g[-2] * factor if way > 0 else g[-2] / factor)
        return g, [self.one / v.sqrt() for v in g[::2]]

    def distance(self, x: int, r: int) -> Interval:
        """Returns H(x, r) for every n of the block."""
        if x == r:
            return self.one - self.one
        near, *far = (g[x + r] * root[x] * root[r] for g, root in self.tables)
        limit = [near] if None in self.ends else []
        return reduce(hull, ((self.one - bc).sqrt() for bc in [*limit, *(near * u for u in far)]))

    def row(self, x: int) -> tuple[list[Interval], Interval]:
        """Returns the exponents of the outputs up to the reach, and what those beyond have."""
        if x not in self._rows:
            *near, last = (self.distance(x, r) for r in range(self.reach + 2))
            self._rows[x] = [self.rates[x] * h for h in near], self.rates[x] * hull(last, self.one)
        return self._rows[x]

    def log_ratio(self, x: int, y: int) -> Interval:
        """Returns ln Z_x - ln Z_y."""
        (p, far_p), (q, far_q) = self.row(x), self.row(y)
        sums = [total(((-a).exp() for a in row), self.law.digits) for row in (p, q)]
        fars, found = [(-far).exp() for far in (far_p, far_q)], []
        for n in self.ends:
            if n is None:
                found.append(far_q - far_p)
            else:
                many = rational(n - self.reach, self.law.digits)
                z = [near + many * far for near, far in zip(sums, fars, strict=True)]
                found.append((z[0] / z[1]).log())
        return reduce(hull, found)

    def losses(self, x: int, y: int) -> list[Interval]:
        """Returns the losses of x against y at every output, for every n of the block."""
        (p, far_p), (q, far_q), gap = self.row(x), self.row(y), self.log_ratio(y, x)
        return [b - a + gap for a, b in zip([*p, far_p], [*q, far_q], strict=True)]

    def uppers(self, x: int, every_epsilon: bool) -> list[Interval]:
        """Returns numbers of which the largest bounds the losses of x and x+1, or these at every epsilon, over it."""
        if not every_epsilon:
            return [v for loss in self.losses(x, x + 1) for v in (loss, -loss)]
        (p, far_p), (q, far_q) = self.row(x), self.row(x + 1)
        rows = [*p, far_p], [*q, far_q]
        return matched(*rows, 1) + matched(*rows[::-1], 1)


class Sloped:
    """A block of n with two ends, by its centre and a slope: second order in its length.

    Let the far outputs of an n keep their place h, and n be real: the loss is then a Lipschitz function whose value at
    that n is the true one. It differs from the one at the centre by at most the largest slope times the distance.
    d ln BC / dn = g = psi(b+n-(x+r)/2) - psi(b+n-x)/2 - psi(b+n-r)/2 >= 0 falls with n, as psi' is convex: both ends
    bound it; dH/dn = -BC g / (2H). The rate is a minimum of smooth functions: its slope is one of theirs. Z is the
    near part plus (n - R) e^(-rate h), so dZ/dn = -sum A' e^(-A) - (n - R) rate' h e^(-rate h) + e^(-rate h).
    """

    def __init__(self, block: Block, centre: Block | None = None, half: int = 0) -> None:
        self.block, self.digits, self.reach = block, block.law.digits, block.reach
        self.centre, self.half = centre or block, rational(half, self.digits)
        block.law.work.spend(8 * (self.reach + 3 + self.digits) * step(self.digits))
        bottoms = [block.side[1] + n - self.reach - 1 for n in block.ends if n is not None]
        self._psi = [digammas(z, self.reach + 2, self.digits) for z in bottoms]
        self.slopes: list[Interval] = []
        self._rows: dict[int, Any] = {}

    def _digamma(self, end: int, m: int) -> Interval:
        """Returns psi(b + n - m/2) less a constant: m/2 below the reach's R + 1 steps up."""
        even, odd = self._psi[end]
        return odd[self.reach + 1 - (m + 1) // 2] if m % 2 else even[self.reach + 1 - m // 2]

    def distance(self, x: int, r: int) -> Interval:
        """Returns dH(x, r)/dn over the block."""
        two, h = rational(2, self.digits), self.block.distance(x, r)
        if x == r:
            return h
        grows = [
            self._digamma(i, x + r) - (self._digamma(i, 2 * x) + self._digamma(i, 2 * r)) / two
            for i in range(len(self._psi))
        ]
        return -((self.block.one - h * h) * reduce(hull, grows) / (two * h))

    def inverse(self, i: int) -> Interval:
        """Returns d(1/c_i)/dn over the block."""
        c = self.block.distance(i, i + 1)
        return -(self.distance(i, i + 1) / (c * c))

    def _row(self, x: int) -> Any:
        """Returns at the centre the exponents and ln Z, and the slopes of both over the block."""
        if x not in self._rows:
            block, digits, slope, rate = self.block, self.digits, self.slopes[x], self.block.rates[x]
            self.block.law.work.spend(4 * (self.reach + 2) * (function(digits) + 8 * step(digits)))
            near = [block.distance(x, r) for r in range(self.reach + 1)]
            h = hull(block.distance(x, self.reach + 1), block.one)
            turns = [slope * v + rate * self.distance(x, r) for r, v in enumerate(near)]
            many = reduce(hull, (rational(n - self.reach, digits) for n in block.ends if n is not None))
            weights, far = [(-(rate * v)).exp() for v in near], (-(rate * h)).exp()
            down = total((t * w for t, w in zip(turns, weights, strict=True)), digits) + many * slope * h * far - far
            mass = total(weights, digits) + many * far
            (here, _), own = self.centre.row(x), self.centre.rates[x] * h
            (middle,) = self.centre.ends
            assert middle is not None
            log = total(((-v).exp() for v in here), digits) + rational(middle - self.reach, digits) * (-own).exp()
            self._rows[x] = [*here, own], log.log(), [*turns, slope * h], -(down / mass)
        return self._rows[x]

    def uppers(self, x: int) -> list[Interval]:
        """Returns numbers of which the largest bounds the losses of x and x+1 for every n of the block."""
        (p, z, dp, dz), (q, y, dq, dy) = self._row(x), self._row(x + 1)
        found = []
        for a, b, da, db in zip(p, q, dp, dq, strict=True):
            loss, slope = b - a + y - z, db - da + dy - dz
            reach = self.half * larger(slope, -slope)
            found += [loss + reach, reach - loss]
        return found


def matched(p: list[Interval], q: list[Interval], far: int) -> list[Interval]:
    """Returns q - p plus the largest p_i - q_s(i), s the order of size but for the last ``far`` entries."""
    near = len(p) - far
    orders = [sorted(range(near), key=lambda i, row=row: row[i].lo) for row in (p, q)]  # type: ignore[misc]
    pairs = [*zip(*orders, strict=True), *((i, i) for i in range(near, len(p)))]
    fall = reduce(larger, (p[i] - q[j] for i, j in pairs))
    return [b - a + fall for a, b in zip(p, q, strict=True)]


class EveryN:
    """lower <= sup over n of true epsilon (or of true epsilon / epsilon over every epsilon too) <= upper."""

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        found = theorem(document, {"lower": str, "upper": str, "claimed": None}, {"witness": dict, "cover": dict})
        subject, self.statement, self.witness, cover = found
        self.least, self.most = (number(self.statement[name], name, DIGITS) for name in ("lower", "upper"))
        claimed = self.statement["claimed"]
        self.claimed = None if claimed is None else number(claimed, "claimed", DIGITS)
        self.m, self.first, self.blocks = shape(cover, "the cover", {"m": int, "first": int, "blocks": list})
        self.full, self.work, self.ratio = full, work, subject.get("nominal_epsilon") == "all"
        self.subject = {**subject, "nominal_epsilon": "1"} if self.ratio else subject
        self.digits = 30 + max(len(self.statement[end]) for end in ("lower", "upper"))
        if subject.get("n") != "all" or len(subject.get("prior", ())) != 2 or self.least > self.most:
            raise Malformed("not about every n and two cells, or lower and upper are no interval")
        self.law = self._law(1)
        if self.law.every_pair:
            raise Malformed("the theorem is about one record replaced")

    def _law(self, n: int) -> Any:
        return read_law({**self.subject, "n": n}, self.digits, self.work)

    def refused(self) -> None:
        """Nothing more than its form can forbid it."""

    @property
    def sides(self) -> list[tuple[Fraction, Fraction]]:
        """Returns the prior of the near and of the far cell for either end."""
        a, b = self.law.prior
        return [(a, b), (b, a)]

    def _number(self, value: Fraction | int) -> Interval:
        return rational(value, self.digits)

    def _block(self, side: int, ends: list[int | None], top: int, reach: int | None = None) -> Block:
        """Returns the block with the rates e / (2 Delta) of the rows up to top + 1."""
        law, block = self.law, Block(self.law, self.sides[side], ends, top, reach)
        half = self._number(law.epsilon / 2)
        if law.mechanism == "EHD":
            inverse = self._number(1) / self._gs(ends)
            block.rates = [half * inverse] * (top + 2)
            return block
        gamma = law.parameters.get("gamma")
        half = half / self._number(1 + gamma) if law.mechanism == "EHDS" else half
        inverses = [self._number(1) / block.distance(max(x - 1, 0), max(x, 1)) for x in range(top + 2)]
        for x in range(1, top + 2):
            if gamma is not None:
                inverses[x] = -larger(-inverses[x], -(inverses[x - 1] + self._number(gamma)))
        block.rates = [half * v for v in inverses]
        return block

    def _sloped(self, block: Block, side: int, top: int) -> Sloped:
        """Returns the same block with its centre and the slopes of the rates: e/2 times d(1/Delta)/dn."""
        law, (one, last) = self.law, block.ends
        assert one is not None
        assert last is not None
        centre = (one + last) // 2
        sloped = Sloped(block, self._block(side, [centre], top, block.reach), max(last - centre, centre - one))
        gamma, half = law.parameters.get("gamma"), self._number(law.epsilon / 2)
        if law.mechanism == "EHD":
            flat = law.parameters["gs"] == "constant"
            either = [self._number(0)] if flat else [Sloped(b).inverse(0) for b in self._steps(block.ends)]
            sloped.slopes = [half * reduce(hull, either)] * (top + 2)
            return sloped
        half = half / self._number(1 + gamma) if law.mechanism == "EHDS" else half
        found = [sloped.inverse(max(x - 1, 0)) for x in range(top + 2)]
        for x in range(1, top + 2 if gamma is not None else 0):
            found[x] = hull(found[x], found[x - 1])
        sloped.slopes = [half * v for v in found]
        return sloped

    def _steps(self, ends: list[int | None]) -> list[Block]:
        return [Block(self.law, side, ends, 0, 1) for side in dict.fromkeys(self.sides)]

    def _gs(self, ends: list[int | None]) -> Interval:
        if self.law.parameters["gs"] == "constant":
            return (self._number(1) - pi(self.digits) / self._number(4)).sqrt()
        return reduce(larger, (block.distance(0, 1) for block in self._steps(ends)))

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement."""
        try:
            lines = self._at_witness()
            lines += self._everywhere() if self.full else ["upper bound: not checked (--full does)"]
        except Undecided:
            raise Rejected("a number is not told from another with the digits stated") from None
        return [*lines, *self._conclude()], self._say()

    def _at_witness(self) -> list[str]:
        names = {"side": int, "x": int, "x_prime": int, "output": int}
        side, x, y, r, n = shape(self.witness, "the witness", {**names, "n": None})
        if n is not None and (type(n) is not int or not 1 <= n <= 10**30):
            raise Malformed("the n of the witness is no number, and not missing: in the limit")
        if side not in (0, 1) or abs(x - y) != 1 or min(x, y, r) < 0 or max(x, y, r) > (10**4 if n is None else n):
            raise Malformed("the witness is no pair of neighbours with an output")
        if n is not None and (self.ratio or n < self.first):
            loss = self._single(n, side, x, y, r)
        else:
            if n is not None:
                self._check_first(n, max(x, y, r))
            block = self._block(side, [n], max(x, y, r))
            loss = block.losses(x, y)[r]
        if loss.ends()[0] < self.least:
            raise Rejected("the loss at the witness is below the stated lower bound")
        return ["lower bound: the loss at the witness reaches it" + (", in the limit" if n is None else "")]

    def _single(self, n: int, side: int, x: int, y: int, r: int) -> Interval:
        law = self._law(n)
        law.pay(2)
        cells = [(v, n - v) if side == 0 else (n - v, v) for v in (x, y, r)]
        p, q = (law.at(c, list(cells[2])).value for c in cells[:2])
        return Interval.log(p / q)

    def _check_first(self, n: int, m: int) -> None:
        """What the rates near an end need: 2x <= n + b - a, and no better candidate for S beyond the peak of 1/LS."""
        a, b = self.law.prior
        gamma = self.law.parameters.get("gamma")
        room = Fraction(n) - abs(a - b) - 2 * m - 4
        if room < 0:
            raise Rejected("N is too small for the pairs near the ends")
        if gamma is None or self._touches(m):
            return
        for side in self.sides:
            step_ = Block(self.law, side, [None], m).distance(m, m + 1)
            if (self._number(1) / step_).ends()[1] > gamma * (room / 2 - 2):
                raise Rejected("N is too small for the smooth sensitivity near the ends")

    def _touches(self, m: int) -> bool:
        """Whether S = LS from m on in the limit, hence at every n: no step of 1/LS is longer at n than there."""
        gamma = self.law.parameters["gamma"]
        for side in self.sides:
            block = Block(self.law, side, [None], m)
            ls = [self._number(1) / block.distance(max(x - 1, 0), max(x, 1)) for x in range(m + 1)]
            if any((ls[m] - ls[x]).ends()[1] > gamma * (m - x) for x in range(m)):
                return False
            if self._rise(side[0] + m - 1).ends()[1] > gamma:
                return False
        return True

    def _rise(self, z: Fraction) -> Interval:
        """-ln BC of a step lies between 1/(8z+2) and 1/(8z), and 1/c rises by at most (8z+2)^(3/2) / (16 z^2)."""
        wide = self._number(8 * z + 2)
        return wide * wide.sqrt() / self._number(16 * z * z)

    def _middle(self) -> Interval:
        """Returns a bound of the losses of x and x+1, m <= x <= n-1-m, for every n from N on, over e.

        EHD: twice rate times the step. Else with s: r -> r+1, n -> 0: 1/2 + |1/Delta(x+1) - 1/Delta(x)| / 2 + w T,
        T the largest |H(x+1,s(r)) - H(x,r)|. A shift changes L = -ln BC by at most the share 4(z+1)/(4z^2-1) of it,
        L dH/dL <= sqrt(L) e^(-3L/4) / 2 <= 1/4, L(x,x-j) >= j^2 / (8(a+x+1)), w <= e^(1/(32z+8)) sqrt(8z+2) / 2.
        """
        law, m, found = self.law, self.m, []
        if law.mechanism == "EHD":
            steps = [Block(law, side, [self.first], m).distance(m, m + 1) for side in self.sides]
            return reduce(larger, steps) / self._gs([None])
        gamma = law.parameters.get("gamma")
        for a in law.prior:
            whole_, wide = 8 * (a + m + 1), [self._widest(z) for z in (a + m, a + max(Fraction(m), 2 * a))]
            square = Fraction(9 * m * m, 16)
            found.append(exp_of(-square / (8 * a + 5 * m + 8), self.digits) * wide[0])
            found.append(self._share(a + Fraction(m, 4)) * self._steep(square / whole_) * wide[1])
            for i in range(24):
                low, high = Fraction(i, 32), Fraction(i + 1, 32)
                found.append(self._share(a + m * (1 - high)) * self._steep((low * m) ** 2 / whole_) * wide[0])
        rises = [] if gamma is None else [self._number(gamma)]
        if gamma is None or self._touches(m):
            rises.append(reduce(larger, (self._rise(a + m - 1) for a in law.prior)))
        rise = -reduce(larger, (-v for v in rises))
        bound = self._number(Fraction(1, 2)) + rise / self._number(2) + reduce(larger, found)
        return bound / self._number(1 + gamma) if law.mechanism == "EHDS" else bound

    def _widest(self, z: Fraction) -> Interval:
        return exp_of(1 / (32 * z + 8), self.digits) * self._number(8 * z + 2).sqrt() / self._number(2)

    def _share(self, z: Fraction) -> Interval:
        return self._number(4 * (z + 1) / (4 * z * z - 1))

    def _steep(self, level: Fraction) -> Interval:
        """The bound falls from L = 2/3 on."""
        if level < 1:
            return self._number(Fraction(1, 4))
        return self._number(level).sqrt() * exp_of(-3 * level / 4, self.digits) / self._number(2)

    def _everywhere(self) -> list[str]:
        m, first = self.m, self.first
        if not (24 <= m <= 10**4 and m >= max(self.law.prior) and 3 * m <= first <= 10**4):
            raise Malformed("M or N is out of range")
        self._check_first(first, m)
        if (self._middle() * self._number(self.law.epsilon)).ends()[1] > self.most:
            raise Rejected("the bound of the middle exceeds the upper bound")
        self._check_cover()
        for one, last, side, pairs, *slope in self.blocks:
            block = self._block(side, [one, last], max(pairs))
            left = [x for x in pairs if any(v.ends()[1] > self.most for v in block.uppers(x, self.ratio))]
            if left and slope:
                sloped = self._sloped(block, side, max(left))
                left = [x for x in left if any(v.ends()[1] > self.most for v in sloped.uppers(x))]
            if left:
                raise Rejected(f"the block of n from {brief(one)} on is not covered by the upper bound")
        for n in range(1, first):
            self._check_below(n)
        rest = f"{len(self.blocks)} block{'s' * (len(self.blocks) != 1)} of n and the middle"
        return [f"{self.digits} digits", f"upper bound: n < {first} one by one, then {rest}"]

    def _check_cover(self) -> None:
        """Every pair x < m of either end is in blocks that join from N to infinity; equal priors need one end."""
        ends: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for entry in self.blocks:
            if (
                not isinstance(entry, list)
                or not 4 <= len(entry) <= 5
                or not isinstance(entry[3], list)
                or not entry[3]
            ):
                raise Malformed("a block is not [first, last, side, pairs]")
            one, last, side, pairs, *slope = entry
            if slope and (slope != ["slope"] or self.ratio or last is None or one == last):
                raise Malformed("a block with a slope has two ends, and one epsilon")
            ends_ = type(one) is int and one >= self.first and (last is None or (type(last) is int and last >= one))
            if not ends_ or type(side) is not int or side not in (0, 1):
                raise Malformed("a block has no such ends or side")
            if not whole(pairs, len(pairs), self.m - 1):
                raise Malformed("a block has no such pairs")
            for x in pairs:
                ends.setdefault((side, x), []).append((one, inf if last is None else last))
        a, b = self.law.prior
        for side, x in product((0,) if a == b else (0, 1), range(self.m)):
            covered: float = self.first - 1
            for one, last in sorted(ends.get((side, x), [])):
                covered = max(covered, last) if one <= covered + 1 else covered
            if covered != inf:
                raise Rejected(f"the blocks of the pair {x}, {x + 1} do not reach from N to infinity")

    def _check_below(self, n: int) -> None:
        """Looks at every pair of this n; with equal priors the other half is its mirror image."""
        law = self._law(n)
        a, b = law.prior
        rows = n // 2 + 2 if a == b else n + 1
        law.pay(min(rows, n + 1))
        bound, rows_ = exp_of(self.most, self.digits), dict[Cells, list[Interval]]()
        for x in range(min(rows, n + 1) if self.ratio else 0):
            divisor = law.divisor((x, n - x))
            rows_[x, n - x] = [law.hellinger((x, n - x), r) / divisor for r in law.datasets()]
        for x in range(min(rows, n + 1) - 1):
            cells = (x, n - x), (x + 1, n - x - 1)
            if self.ratio:
                p, q = (rows_[c] for c in cells)
                worst = [v.ends()[1] > self.most for v in (*matched(p, q, 0), *matched(q, p, 0))]
            else:
                both = [[v.value for v in law.row(c)] for c in cells]
                worst = [not u <= v * bound for p, q in (both, both[::-1]) for u, v in zip(p, q, strict=True)]
            if any(worst):
                raise Rejected(f"n = {n}: the pair {x}, {x + 1} is not covered by the upper bound")

    def _conclude(self) -> list[str]:
        if self.claimed is None:
            expected = "None"
        else:
            refuted = "REFUTED" if self.least > self.claimed else "UNDECIDED"
            expected = "PROVED" if self.most <= self.claimed else refuted
        if self.statement["verdict"] != expected:
            raise Rejected(f"the verdict contradicts the bounds, by which it is {expected}")
        return [] if self._sure else [f"verdict: not checked ({expected} is stated)"]

    @property
    def _sure(self) -> bool:
        return self.statement["verdict"] in ("REFUTED", "None") or (self.full and self.statement["verdict"] == "PROVED")

    def _say(self) -> dict[str, Any]:
        """Returns the full sentence and its members."""
        subject, words, relation = self.law.says()
        words = words.replace("n = 1,", "every n,", 1)
        what = "the largest true epsilon"
        if self.ratio:
            words, what = words.replace("nominal epsilon = 1", "for every epsilon > 0"), f"{what} / epsilon"
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        open_ = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        ends = f"lies between {lower} and {upper}" if self.full else open_
        claim = "nothing"
        if self.claimed is not None:
            claim = f"{multiple(self.claimed) if self.ratio else f'{self.claimed}-DP'} for every n"
        verdict, checked = self.statement["verdict"], "full" if self.full else "witness only"
        shown = verdict + ("" if self._sure or verdict == "UNDECIDED" else ", which is NOT CHECKED")
        return {
            "text": f"{words}; adjacent: {relation}: {what} over every n {ends}; "
            f"{stands(self.law)}: {claim}; verdict: {shown}; checked: {checked}",
            "subject": {**subject, "n": "all"} | ({"nominal_epsilon": "all"} if self.ratio else {}),
            **{"quantity": "every-n", "lower": lower, "upper": upper, "claim": claim},
            **{"verdict": verdict, "verdict_checked": self._sure, "checked": checked},
        }


KINDS: dict[str, Callable[..., Any]] = {"every-epsilon": ratio, "prior-map": Map, "every-n": EveryN}

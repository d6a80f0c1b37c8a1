"""The verifier's arithmetic beside FLINT balls: random numbers, operation by operation and nested to depth 4.

A case is an expression that both evaluate: the verifier at a few bits, so that every rounding matters, FLINT at many.
The true value lies in FLINT's ball; a ball that lies beyond an end of the verifier's interval is a fault.
"""

import random
from fractions import Fraction

from flint import arb, ctx, fmpq, fmpz

from dpaudit.evidence.verifier import arithmetic as v
from dpaudit.evidence.verifier import special

BITS = (4, 9, 24, 53, 80)
MANY = 1500
"""FLINT's bits where numbers are of ordinary size."""


def end(m, e):
    """m 2^e, exactly."""
    return arb((fmpz(m), fmpz(e))) if m else arb(0)


def misses(found, ball):
    """Whether the ball, which contains the true value, lies beyond an end of the interval."""
    return bool(end(found.lo, found.e) > ball) or bool(end(found.hi, found.e) < ball)


def exact(q):
    return arb(fmpq(q.numerator, q.denominator))


class Cases:
    """Draws expressions; ``faults`` are those whose interval misses the true value."""

    def __init__(self, seed, largest=60):
        self.rng, self.largest = random.Random(seed), largest
        self.faults, self.seen, self.operations, self.depths = [], 0, {}, {}

    def leaf(self, bits):
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            q = Fraction(rng.choice([0, 1, -1, 2, 4, 10, 1 << bits, (1 << bits) - 1]))
        elif kind == 1:
            q = 1 + Fraction(rng.randint(-9, 9), 2 ** rng.randint(1, 3 * bits))
        elif kind == 2:  # a number of any size, of either sign
            q = Fraction(rng.randint(-99, 99)) * Fraction(2) ** rng.randint(-self.largest, self.largest)
        else:
            q = Fraction(rng.randint(-(10 ** rng.randint(1, 9)), 10 ** rng.randint(1, 9)), rng.randint(1, 10**6))
        return v.rational(q, bits), exact(q), str(q)

    def huge(self, bits):
        """e^x of a large x: a number whose exponent is long, odd or even."""
        x = self.rng.choice([1, -1]) * self.rng.randint(1, 10 ** self.rng.randint(3, 30))
        return v.rational(x, bits).exp(), arb(x).exp(), f"exp({x})"

    def draw(self, depth, bits):
        """The verifier's interval, FLINT's ball and the text of a random expression."""
        if depth == 0:
            return self.huge(bits) if self.rng.random() < 0.15 else self.leaf(bits)
        name = self.rng.choice(list(OPERATIONS))
        count, interval, ball = OPERATIONS[name]
        parts = [self.draw(depth - 1 if i == 0 else self.rng.randrange(depth), bits) for i in range(count)]
        text = f"{name}({', '.join(part[2] for part in parts)})"
        try:
            found = interval(*(part[0] for part in parts))
        except (v.Undecided, v.Malformed):
            return parts[0]
        true = ball(*(part[1] for part in parts))
        self.seen += 1
        self.operations[name] = self.operations.get(name, 0) + 1
        self.depths[depth] = self.depths.get(depth, 0) + 1
        if not true.is_finite():
            return parts[0]
        if misses(found, true):
            self.faults.append(f"{bits} bits: {text}")
        return found, true, text

    def run(self, count, depths=(1, 2, 3, 4)):
        """Draws until so many operations were compared, or a few faults were found."""
        old, ctx.prec = ctx.prec, MANY
        try:
            while self.seen < count and len(self.faults) < 3:
                self.draw(self.rng.choice(depths), self.rng.choice(BITS))
        finally:
            ctx.prec = old
        return self


def crude_faults(halvings, terms):
    """The arguments at which e^r by so few bits, halvings and terms is missed: every wrong rounding is seen there."""
    found = []
    for w, i in ((w, i) for w in (1, 2, 4, 7, 12) for i in range(33)):
        q = Fraction(i, 32) * 2**halvings
        try:
            bound = v.exp_by_squares(v.rational(q, 40), w, halvings, terms)
        except v.Undecided:  # q / 2^halvings is rounded up above 1
            found += [(w, i)] if Fraction(i, 32) * 2**w <= 2**w - 1 else []
        else:
            found += [(w, i)] if misses(bound, exact(q).exp()) else []
    return found


def smaller(a, b):
    return a if bool(a <= b) else b if bool(b <= a) else a.min(b)


OPERATIONS = {
    "add": (2, lambda a, b: a + b, lambda a, b: a + b),
    "subtract": (2, lambda a, b: a - b, lambda a, b: a - b),
    "negative": (1, lambda a: -a, lambda a: -a),
    "multiply": (2, lambda a, b: a * b, lambda a, b: a * b),
    "divide": (2, lambda a, b: a / b, lambda a, b: a / b),
    "third less": (1, lambda a: Fraction(1, 3) - a, lambda a: arb(1) / 3 - a),
    "third over": (1, lambda a: Fraction(1, 3) / a, lambda a: arb(1) / 3 / a),
    "square root": (1, lambda a: a.sqrt(), lambda a: a.sqrt()),
    "root of a square": (1, lambda a: (a * a).sqrt(), lambda a: abs(a)),
    "exponential": (1, lambda a: a.exp(), lambda a: a.exp()),
    "logarithm": (1, lambda a: a.log(), lambda a: a.log()),
    "larger": (2, v.larger, lambda a, b: a.max(b)),
    "largest of three": (3, lambda *a: special.largest(a), lambda a, b, c: a.max(b).max(c)),
    "smallest of three": (3, lambda *a: special.smallest(a), lambda a, b, c: a.min(b).min(c)),
    "sum of three": (3, lambda *a: v.total(a, a[0].bits), lambda a, b, c: a + b + c),
    "in a hull": (2, v.hull, lambda a, b: a),
    "in a hull too": (2, v.hull, lambda a, b: b),
    "positive part": (1, lambda a: a.positive_part(), lambda a: a.max(arb(0))),
    "fewer bits": (1, lambda a: v.Interval(*a.at(3).units(a.at(3).e), a.at(3).e, a.bits), lambda a: a),
    "ln gamma": (1, lambda a: log_gamma(a), lambda a: a.lgamma()),
    "pi": (1, lambda a: special.pi(a.bits), lambda a: arb.pi()),
}
"""name: number of arguments, the verifier's operation, FLINT's."""


def log_gamma(a):
    """Of numbers of ordinary size: the verifier's cost grows with them."""
    if a.size() > 40 or a.e < -200:
        raise v.Undecided
    return special.log_gamma(a, a.bits)

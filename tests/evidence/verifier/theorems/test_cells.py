"""The verifier's bounds of theorems against plain floats: rows at many epsilons, blocks of n, the middle, boxes."""

import math
import random
from fractions import Fraction as F
from functools import partial

import pytest

from dpaudit.evidence.verifier.arithmetic import rational
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.family import histograms, read_family
from dpaudit.evidence.verifier.theorems.cells import Cell, Row
from dpaudit.evidence.verifier.theorems.ends import block
from dpaudit.evidence.verifier.theorems.every_epsilon_bounds import gains, matched, over_epsilon
from dpaudit.evidence.verifier.theorems.every_n_middle import check_first, middle, rise, share, steep, touches, widest

BITS, SLACK = 120, 1e-8
PRIORS = [F(1), F(1, 2), F(1, 10), F(1, 1000), F(3), F(7, 3), F(12)]
MECHANISMS = [("EHD", {"gs": "constant"}), ("EHD", {"gs": "exact"}), ("EHDL", {})]
MECHANISMS += [(name, {"gamma": gamma}) for name in ("EHDS", "MH") for gamma in ("1", "1/9", "2", "1/100")]


def upper(values):
    return max(float(value.ends()[1]) for value in values)


def log_sum(row, epsilon):
    return math.log(math.fsum(math.exp(-epsilon * a) for a in row))


def largest_loss(p, q, epsilon):
    return epsilon * max(b - a for a, b in zip(p, q, strict=True)) + log_sum(q, epsilon) - log_sum(p, epsilon)


class Plain:
    """The exponents at epsilon = 1 of every data set, by the definitions, in floats."""

    def __init__(self, name, more, n, prior):
        self.sets = list(histograms(n, len(prior)))
        distance = {(c, d): self._hellinger(prior, c, d) for c in self.sets for d in self.sets}
        steps = {pair: sum(abs(i - j) for i, j in zip(*pair, strict=True)) // 2 for pair in distance}
        local = {c: max(distance[c, d] for d in self.sets if steps[c, d] == 1) for c in self.sets}
        self.pairs, self.rows = [pair for pair, k in steps.items() if k == 1], {}
        for c in self.sets:
            divisor = local[c]
            if name == "EHD":
                divisor = math.sqrt(1 - math.pi / 4) if more["gs"] == "constant" else max(local.values())
            elif more:
                gamma = float(F(more["gamma"]))
                divisor = max(1 / (1 / local[d] + gamma * steps[c, d]) for d in self.sets)
                divisor *= 1 + gamma if name == "EHDS" else 1
            self.rows[c] = [distance[c, d] / (2 * divisor) for d in self.sets]

    @staticmethod
    def _hellinger(prior, c, d):
        if c == d:
            return 0.0
        found = 0.0
        for alpha, i, j in zip(map(float, prior), c, d, strict=True):
            found += (math.lgamma(alpha + i) + math.lgamma(alpha + j)) / 2 - math.lgamma(alpha + (i + j) / 2)
        return math.sqrt(-math.expm1(-found))

    def loss(self, x, y, epsilon):
        return largest_loss(self.rows[x], self.rows[y], epsilon)


def subject(name, more, n, prior, epsilon=1):
    made = {"mechanism": name, "n": n, "k": len(prior), "prior": [*map(str, prior)]}
    return {**made, "parameters": more, "nominal_epsilon": str(epsilon)}


def random_row(rng, size):
    known = [F(rng.randint(1, 60), rng.choice([2, 10, 30])) for _ in range(size - 1)]
    return [F(0), *known] if rng.random() < 0.5 else [*known, F(0)]


def test_rows_on_intervals_of_epsilon():
    """G = (ln Z_y - ln Z_x) / epsilon is below the numbers of every interval, also next to 0 and to infinity."""
    rng, tight = random.Random(26), 0
    for _ in range(400):
        size = rng.randint(2, 6)
        p, q = random_row(rng, size), random_row(rng, size)
        low, width = F(rng.randint(0, 8), 4), F(rng.randint(1, 40), 8)
        high = None if low and rng.random() < 0.4 else low + width
        x, y = (Row([rational(a, BITS) for a in row], [], BITS) for row in (p, q))
        found, seen = gains(x, y, low, high), -math.inf
        bound = upper(found)
        p, q = (list(map(float, row)) for row in (p, q))
        for i in range(1, 40):
            epsilon = float(low) + (float(width) * i / 39 if high is not None else 0.01 * 1.3**i)
            seen = max(seen, (log_sum(q, epsilon) - log_sum(p, epsilon)) / epsilon)
        assert seen <= bound + SLACK, (p, q, low, high)
        tight += bound - seen < 1e-3
        if len(found) == 4:  # chord and tangents: each of the two bounds the middle
            middle = float(low + width / 2)
            assert (log_sum(q, middle) - log_sum(p, middle)) / middle <= min(map(upper, zip(found[1:3]))) + SLACK
        assert max(largest_loss(p, q, e) / e for e in (0.01, 1, 50)) <= upper([matched(x, y)]) + SLACK
    assert tight > 40


def random_block(rng):
    """A block of n near an end: mechanism, parameters, prior, side, first and last n, and the number of pairs."""
    name, more = rng.choice(MECHANISMS)
    prior, m = [rng.choice(PRIORS), rng.choice(PRIORS)], rng.randint(1, 4)
    first = rng.randint(2 * m + 6, 40)
    return name, more, prior, rng.randint(0, 1), first, first + rng.choice([0, 1, 7, 20]), m


def test_blocks_of_n_bound_every_n_in_them():
    """The largest loss of the pairs near an end, at one epsilon and over every epsilon, for the first to the last n."""
    rng, seen = random.Random(27), 0
    while seen < 12:
        name, more, prior, side, first, last, m = random_block(rng)
        epsilon = rng.choice([F(1, 10), F(1), F(5)])
        made = subject(name, more, 1, prior, epsilon)
        try:
            check_first(read_family(made, BITS), first, m, partial(block, made, BITS))
        except Rejected:
            continue
        seen += 1
        ends = (first, None if rng.random() < 0.4 else last)
        cell, ratio = (
            block(one, BITS, side, ends, m - 1) for one in (made, subject(name, more, 1, prior))
        )  # at its epsilon, and at every one
        cuts = [F(0), F(rng.randint(1, 8), 4), F(3), None]
        for n in {first, last}:
            plain = Plain(name, more, n, prior)
            for x in range(m):
                for one, other in ((x, x + 1), (x + 1, x)):
                    there = [(v, n - v) if side == 0 else (n - v, v) for v in (one, other)]
                    assert plain.loss(*there, float(epsilon)) <= upper([cell.largest_loss(one, other)]) + SLACK
                    bound = min(upper(over_epsilon(ratio, one, other, way)) for way in (None, cuts))
                    assert max(plain.loss(*there, e) / e for e in (0.01, 0.5, 2, 20)) <= bound + 1e-6


def exponent(priors, n, x, r):
    """L = -ln BC of counts x and r of the first cell."""
    a, b = map(float, priors)
    halves = sum(math.lgamma(v) for v in (a + x, a + r, b + n - x, b + n - r)) / 2
    return halves - math.lgamma(a + (x + r) / 2) - math.lgamma(b + n - (x + r) / 2)


def test_the_lemmas_of_the_middle():
    """rise, widest, share and steep are what they say they bound, and not much more."""
    rng = random.Random(29)
    for i in range(1, 200):
        level = i / 8
        true = level * math.exp(-level) / (2 * math.sqrt(-math.expm1(-level)))
        assert true <= upper([steep(F(i, 8), BITS)]) <= true * (1.6 if level < 1 else math.exp(level / 4)) + SLACK
    for _ in range(300):
        priors = [rng.choice(PRIORS), rng.choice(PRIORS)]
        n = rng.randint(30, 400)
        x, r = rng.randint(10, n - 12), rng.randint(10, n - 12)
        one, other = exponent(priors, n, x, r), exponent(priors, n, x + 1, r + 1)
        at = max(share(priors[0] + min(x, r)), share(priors[1] + n - 1 - max(x, r)))
        assert abs(other - one) <= float(at) * min(one, other) + SLACK
        steps = [1 / math.sqrt(-math.expm1(-exponent(priors, n, x + i, x + 1 + i))) for i in (0, 1)]
        places = priors[0] + x, priors[1] + n - 2 - x
        assert max(steps) / 2 <= min(upper([widest(z + 1, BITS)]) for z in places) + SLACK
        assert abs(steps[1] - steps[0]) <= max(upper([rise(z, BITS)]) for z in places) + SLACK


@pytest.mark.parametrize(("prior", "name", "gamma", "m"), [
    ("11", "EHDL", None, 5), ("17", "EHD", None, 2), ("11", "EHDS", "1/100", 3), ("31", "MH", "1/20", 2),
    ("13", "MH", "1/20", 2),
])  # fmt: skip
def test_from_which_n_on_the_pairs_near_an_end_are_taken(prior, name, gamma, m):
    """2 (m + 2) records more than the priors differ by; and so many that S is found before the peak of 1/LS."""
    a, b = map(F, prior)
    least = abs(a - b) + 2 * m + 4
    if gamma is not None:
        worst = max(1 / math.sqrt(-math.expm1(-exponent((p, F(1)), 10**9, m, m + 1))) for p in (a, b))
        least += 2 * (math.ceil(worst / F(gamma)) + 2) - 1
    made = subject(name, {} if name == "EHDL" else {"gamma": gamma} if gamma else {"gs": "exact"}, 1, [a, b])
    for n, right in ((least - 2, False), (least + 2, True)):
        if right:
            check_first(read_family(made, BITS), n, m, partial(block, made, BITS))
        else:
            with pytest.raises(Rejected, match="N is too small"):
                check_first(read_family(made, BITS), n, m, partial(block, made, BITS))


@pytest.mark.parametrize(("prior", "m"), [("11", 1), ("13", 1), ("11", 6), ("13", 4), ("31", 4), ("22", 30)])
def test_from_which_gamma_on_s_is_ls(prior, m):
    """1 / LS(m) exceeds no earlier 1 / LS(x) by more than gamma (m - x), and rises by at most gamma from m on."""
    worst = 0.0
    for alpha in map(float, prior):
        z, near = alpha + m - 1, [math.lgamma(alpha + i / 2) for i in range(2 * m + 1)]
        steps = [(near[2 * x] + near[2 * x + 2]) / 2 - near[2 * x + 1] for x in range(m)]  # -ln BC in the limit
        rest = [1 / math.sqrt(-math.expm1(-step)) for step in steps]
        limit = [rest[0], *rest]  # 1 / LS(x) = 1 / H(x-1, x) from x = 1 on
        worst = max(worst, (8 * z + 2) ** 1.5 / (16 * z * z), *((limit[m] - limit[x]) / (m - x) for x in range(m)))
    for factor, right in ((1 + 1e-6, True), (1 - 1e-6, False)):
        made = subject("MH", {"gamma": str(F(worst * factor).limit_denominator(10**12))}, 1, [*prior])
        assert touches(read_family(made, BITS), m, partial(block, made, BITS)) == right


@pytest.mark.parametrize(("name", "more"), MECHANISMS[::2])
def test_the_middle_bounds_every_pair_far_from_the_ends(name, more):
    prior, m, n = [F(1, 2), F(3)], 24, 76
    made = subject(name, more, 1, prior)
    bound = upper([middle(read_family(made, BITS), m, n, partial(block, made, BITS))])
    plain = Plain(name, more, n, prior)
    for x in range(m, n - m):
        for pair in (((x, n - x), (x + 1, n - x - 1)), ((x + 1, n - x - 1), (x, n - x))):
            assert max(plain.loss(*pair, e) / e for e in (0.1, 1, 10)) <= bound + 1e-6


def test_boxes_of_priors_bound_every_prior_in_them():
    rng = random.Random(28)
    for _ in range(12):
        name, more = rng.choice(MECHANISMS)
        k = rng.choice([2, 2, 3])
        low = [rng.choice(PRIORS) for _ in range(k)]
        high = [alpha * (1 + rng.choice([F(0), F(1, 3), F(3)])) for alpha in low]
        n = rng.randint(1, 5 if k == 2 else 2)
        cell = Cell([read_family(subject(name, more, n, prior), BITS) for prior in (low, high)], [*histograms(n, k)])
        within = [a + (b - a) * F(rng.randint(0, 9), 9) for a, b in zip(low, high, strict=True)]
        for prior in (low, high, within):
            plain = Plain(name, more, n, prior)
            for x, y in plain.pairs:
                found, (least, most) = plain.loss(x, y, 1), cell.largest_loss(x, y).ends()
                assert float(least) - SLACK <= found <= float(most) + SLACK


def test_the_plain_moments_of_a_row():
    row = Row([rational(a, BITS) for a in (0, 1, 2, 5)], [], BITS)
    assert (row.mean.ends(), row.variance.ends()) == ((2, 2), (F(7, 2), F(7, 2)))

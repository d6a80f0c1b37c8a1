"""Every mechanism by name against a brute force of its definition in mpmath, which shares no code with the engine.

The brute force lists all outputs for all pairs of neighbors, or integrates; the engine reduces to classes. Each case
has a twin with a parameter that is wrong by a thousandth, which must not agree.
"""

from fractions import Fraction as F
from itertools import combinations, pairwise, permutations, product

import pytest
from mpmath import exp, linspace, log, mp, mpf, quad, sqrt

import dpaudit

SHARES = (F(0), F(1, 3), F(4, 5))
TABLE = [[5, 0, 0], [4, 1, 1], [3, 2, 1]]


@pytest.fixture(autouse=True)
def thirty_digits():
    with mp.workdps(30):
        yield


def real(value):
    return mpf(value.numerator) / value.denominator


def both(rows):
    """All ordered pairs of rows."""
    return list(permutations(rows, 2))


def normalised(weights):
    total = sum(weights)
    return [w / total for w in weights]


# ------------------------------------------------------------------ laws, one function a mechanism: pairs of rows


def randomized_response(eps, k):
    return both([normalised([exp(eps) if y == x else mpf(1) for y in range(k)]) for x in range(k)])


def bits(chances):
    return [
        mp.fprod(p if bit else 1 - p for p, bit in zip(chances, word, strict=True))
        for word in product((0, 1), repeat=len(chances))
    ]


def symmetric(eps, k):
    p = exp(eps / 2) / (1 + exp(eps / 2))
    return both([bits([p if j == x else 1 - p for j in range(k)]) for x in range(k)])


def optimized(eps, k):
    return both([bits([mpf(1) / 2 if j == x else 1 / (1 + exp(eps)) for j in range(k)]) for x in range(k)])


def rappor(eps, k, hashes):
    """All Bloom filters of that many bits, those that overlap too."""
    kept = exp(eps / (2 * hashes)) / (1 + exp(eps / (2 * hashes)))
    filters = combinations(range(k), hashes)
    return both([bits([kept if j in known else 1 - kept for j in range(k)]) for known in filters])


def rappor_reported(f, k, hashes, p, q):
    permanent = {True: 1 - mpf(f) / 2, False: mpf(f) / 2}
    once = {kept: one * q + (1 - one) * p for kept, one in permanent.items()}
    return both([bits([once[j in known] for j in range(k)]) for known in combinations(range(k), hashes)])


def subset(eps, k, size):
    subsets = list(combinations(range(k), size))
    return both([normalised([exp(eps) if x in s else mpf(1) for s in subsets]) for x in range(k)])


def hashing(eps, k, g):
    """All g^k functions as hashes, equally likely."""
    hashes = list(product(range(g), repeat=k))
    rows = [[mpf(exp(eps) if y == h[x] else 1) for h in hashes for y in range(g)] for x in range(k)]
    return both([normalised(row) for row in rows])


def hadamard(eps, k):
    size = 1
    matrix = [[1]]
    while size <= k:
        matrix = [row + row for row in matrix] + [row + [-v for v in row] for row in matrix]
        size *= 2
    return both([normalised([exp(eps) if v > 0 else mpf(1) for v in matrix[x + 1]]) for x in range(k)])


def discrete_laplace(eps, sensitivity):
    q, reach = exp(-mpf(eps) / sensitivity), range(-400, 401)
    rows = [normalised([q ** abs(z - x) for z in reach]) for x in range(sensitivity + 1)]
    return both(rows)


def truncated_geometric(eps, n):
    rows = []
    for x in range(n + 1):
        noise = normalised([exp(-eps * abs(z)) for z in range(-300, 301)])
        row = [mpf(0)] * (n + 1)
        for z, p in zip(range(-300, 301), noise, strict=True):
            row[min(n, max(0, x + z))] += p
        rows.append(row)
    return [pair for a, b in pairwise(rows) for pair in ((a, b), (b, a))]


def staircase(eps, sensitivity, gamma=None):
    """The density is constant between its steps and those of the neighbor: the masses of these pieces."""
    q, s = exp(-eps), mpf(sensitivity)
    g = 1 / (1 + exp(eps / 2)) if gamma is None else real(gamma)
    height = (1 - q) / (2 * s * (g + q * (1 - g)))

    def density(v):
        return height * q ** int(mp.floor(abs(v) / s - g + 1))

    found = []
    for shift in (s, s / 2, 2 * s / 3):
        steps = [sign * (g + j) * s for j in range(60) for sign in (1, -1)]
        cuts = sorted({*steps, *(step + shift for step in steps)})
        middles = [((a + b) / 2, b - a) for a, b in pairwise(cuts) if b - a > mpf(10) ** -20]
        found.append(([density(v) * w for v, w in middles], [density(v - shift) * w for v, w in middles]))
    return found


def exponential(eps, table, sensitivity=2):
    return both([normalised([exp(eps * s / (2 * sensitivity)) for s in row]) for row in table])


def permute_and_flip(eps, table, sensitivity=2):
    rows = []
    for scores in table:
        heads = [exp(eps * (s - max(scores)) / (2 * sensitivity)) for s in scores]
        row = [mpf(0)] * len(scores)
        orders = list(permutations(range(len(scores))))
        for order in orders:
            left = mpf(1) / len(orders)
            for r in order:
                row[r] += left * heads[r]
                left *= 1 - heads[r]
        rows.append(row)
    return both(rows)


def noisy_max(eps, table, noise, sensitivity=2):
    scale = mpf(2 * sensitivity) / eps

    def density(t):
        if noise == "laplace":
            return exp(-abs(t) / scale) / (2 * scale)
        if noise == "gumbel":
            return exp(-t / scale - exp(-t / scale)) / scale
        return exp(-t / scale) / scale if t >= 0 else mpf(0)

    def below(t):
        if noise == "laplace":
            return exp(t / scale) / 2 if t < 0 else 1 - exp(-t / scale) / 2
        if noise == "gumbel":
            return exp(-exp(-t / scale))
        return 1 - exp(-t / scale) if t >= 0 else mpf(0)

    rows = []
    for scores in table:
        kinks = sorted({*map(mpf, scores)})
        far = [kinks[0] - 60 * scale, kinks[0] - 10 * scale, *kinks, kinks[-1] + 10 * scale, kinks[-1] + 80 * scale]
        rows.append(
            [
                quad(
                    lambda t, r=r, s=scores: (
                        density(t - s[r]) * mp.fprod(below(t - u) for j, u in enumerate(s) if j != r)
                    ),
                    far,
                )
                for r in range(len(scores))
            ]
        )
    return both(rows)


def sparse_vector(eps, answers, c=1):
    """All patterns; one integral over the threshold each."""
    bar, noise = 2 / mpf(eps), 4 * c / mpf(eps)

    def above(q, t):
        gap = t - q
        return exp(-gap / noise) / 2 if gap > 0 else 1 - exp(gap / noise) / 2

    def patterns(length):
        for word in product((0, 1), repeat=length):
            stops = [i for i, bit in enumerate(word) if bit][c - 1 : c]
            yield word[: stops[0] + 1] if stops else word

    rows = []
    for queries in answers:
        kinks = sorted({mpf(0), *map(mpf, queries)})
        far = [kinks[0] - 60 * noise, kinks[0] - 9 * noise, *kinks, kinks[-1] + 9 * noise, kinks[-1] + 60 * noise]
        row = [
            quad(
                lambda t, w=word, x=queries: (
                    exp(-abs(t) / bar)
                    / (2 * bar)
                    * mp.fprod(above(q, t) if bit else 1 - above(q, t) for q, bit in zip(x, w, strict=False))
                ),
                far,
            )
            for word in dict.fromkeys(patterns(len(queries)))
        ]
        rows.append(row)
    return both(rows)


def discrete_gaussian(sigma, sensitivity):
    rows = [
        normalised([exp(-mpf((z - x) ** 2) / (2 * mpf(sigma) ** 2)) for z in range(-80, 90)])
        for x in range(sensitivity + 1)
    ]
    return both(rows)


TWO = [[5, 5, 0], [6, 6, -1]]
SCORES = ";".join(",".join(map(str, row)) for row in TABLE)
FINITE = [
    ("randomized-response", {"k": 2}, randomized_response),
    ("randomized-response", {"k": 5}, randomized_response),
    ("unary-encoding/symmetric", {"k": 4}, symmetric),
    ("unary-encoding/optimized", {"k": 5}, optimized),
    ("rappor", {"k": 5, "hashes": 2}, rappor),
    ("rappor", {"k": 4, "hashes": 1}, rappor),
    ("subset-selection", {"k": 5, "size": 2}, subset),
    ("subset-selection", {"k": 4, "size": 1}, subset),
    ("local-hashing", {"k": 3, "g": 3}, hashing),
    ("local-hashing/binary", {"k": 4, "g": 2}, hashing),
    ("hadamard-response", {"k": 3}, hadamard),
    ("hadamard-response", {"k": 5}, hadamard),
    ("discrete-laplace", {"sensitivity": 1}, discrete_laplace),
    ("discrete-laplace", {"sensitivity": 3}, discrete_laplace),
    ("truncated-geometric", {"n": 4}, truncated_geometric),
    ("staircase", {"sensitivity": 2}, staircase),
    ("staircase", {"sensitivity": 1, "gamma": F(1, 3)}, staircase),
    ("staircase", {"sensitivity": 1, "gamma": F(3, 4)}, staircase),
    ("exponential", {"scores": SCORES}, lambda eps, scores: exponential(eps, TABLE)),
    ("permute-and-flip", {"scores": SCORES}, lambda eps, scores: permute_and_flip(eps, TABLE)),
    ("report-noisy-max/laplace", {"scores": SCORES}, lambda eps, scores: noisy_max(eps, TABLE, "laplace")),
    ("report-noisy-max/exponential", {"scores": SCORES}, lambda eps, scores: noisy_max(eps, TABLE, "exponential")),
    ("report-noisy-max/gumbel", {"scores": SCORES}, lambda eps, scores: noisy_max(eps, TABLE, "gumbel")),
    ("sparse-vector", {}, lambda eps: sparse_vector(eps, TWO)),
    ("sparse-vector", {"c": 2}, lambda eps, c: sparse_vector(eps, TWO, c)),
]


def worst(pairs, at):
    factor = exp(real(at))
    return max(sum(max(p - factor * q, mpf(0)) for p, q in zip(*pair, strict=True)) for pair in pairs)


def epsilon_of(pairs):
    rare = mpf(10) ** -60
    return max(log(p / q) for pair in pairs for p, q in zip(*pair, strict=True) if max(p, q) > rare)


def near(value, enclosure, digits=12):
    slack = mpf(10) ** -digits
    return real(enclosure.lower) - slack <= value <= real(enclosure.upper) + slack


def agrees(name, given, law, eps, brute_eps):
    """Whether true epsilon and delta at three points are those of the brute force at another nominal epsilon."""
    mechanism = dpaudit.mechanism(name, eps=eps, **given)
    pairs = law(real(brute_eps), **given)
    points = [share * eps for share in SHARES]
    same = [near(worst(pairs, at), dpaudit.delta(mechanism, at).delta) for at in points]
    return near(epsilon_of(pairs), dpaudit.epsilon(mechanism).epsilon) and all(same)


def label(value):
    """The name of a case, the same in every process."""
    return getattr(value, "__name__", "law").strip("<>") if callable(value) else str(value)[:40]


@pytest.mark.parametrize(("name", "given", "law"), FINITE, ids=label)
@pytest.mark.parametrize("eps", [F(1), F(7, 3)])
def test_the_law_is_that_of_the_definition(name, given, law, eps):
    assert agrees(name, given, law, eps, eps)


@pytest.mark.parametrize(("name", "given", "law"), FINITE, ids=label)
def test_a_wrong_law_is_seen(name, given, law):
    assert not agrees(name, given, law, F(1), F(1001, 1000))


def test_rappor_with_a_second_randomization():
    given = {"k": 5, "hashes": 2, "f": F(1, 2), "p": F(1, 4), "q": F(3, 4)}
    mechanism = dpaudit.mechanism("rappor", **given)
    pairs = rappor_reported(mpf(1) / 2, 5, 2, mpf(1) / 4, mpf(3) / 4)
    assert near(epsilon_of(pairs), dpaudit.epsilon(mechanism).epsilon)
    assert near(worst(pairs, F(1, 2)), dpaudit.delta(mechanism, F(1, 2)).delta)


def test_rappor_has_no_nominal_epsilon_where_f_is_given():
    found = dpaudit.epsilon("rappor", f="1/2")
    assert found.judgement is None
    assert found.subject.mechanism.epsilon is None
    with pytest.raises(dpaudit.InputError, match="rappor with these parameters takes no epsilon"):
        dpaudit.epsilon("rappor", f="1/2", eps=2)


def test_rappor_with_a_second_randomization_has_the_closed_form_that_is_stated():
    f, p, q, h = F(1, 2), F(1, 4), F(3, 4), 2
    b, a = (1 - f / 2) * q + f / 2 * p, (1 - f / 2) * p + f / 2 * q
    found = dpaudit.epsilon("rappor", f=f, p=p, q=q, hashes=h)
    assert near(h * log(real(b * (1 - a) / (a * (1 - b)))), found.epsilon)


# ------------------------------------------------------------------ real outputs, and all whole numbers


def laplace_delta(at, eps):
    """The integral of (f - e^at g)+ for scale 1/eps and distance 1."""

    def excess(v):
        return max(mpf(0), eps / 2 * (exp(-eps * abs(v)) - exp(real(at)) * exp(-eps * abs(v - 1))))

    return quad(excess, [-60 / eps, -5, 0, (1 - real(at) / eps) / 2, 1, 60 / eps])


def gaussian_delta(at, sigma):
    def density(v):
        return exp(-(v**2) / (2 * sigma**2)) / (sigma * sqrt(2 * mp.pi))

    crossing = mpf(1) / 2 - real(at) * sigma**2
    return quad(lambda v: density(v) - exp(real(at)) * density(v - 1), [*linspace(crossing - 40 * sigma, crossing, 12)])


@pytest.mark.parametrize("eps", [F(1), F(5, 2)])
def test_laplace(eps):
    for share in SHARES:
        found = dpaudit.delta("laplace", share * eps, eps=eps).delta
        assert near(laplace_delta(share * eps, real(eps)), found)
        assert not near(laplace_delta(share * eps, real(eps) * mpf("1.001")), found)


@pytest.mark.parametrize("sigma", [F(1), F(3)])
def test_gaussian(sigma):
    for at in (F(0), F(1, 2), F(2)):
        found = dpaudit.delta("gaussian", at, sigma=sigma).delta
        assert near(gaussian_delta(at, real(sigma)), found)
        assert not near(gaussian_delta(at, real(sigma) * mpf("1.001")), found, 13)
    assert dpaudit.judge("gaussian", f"rho={1 / (2 * sigma**2)}", sigma=sigma).verdict.value == "PROVED"
    assert dpaudit.judge("gaussian", f"rho={F(99, 100) / (2 * sigma**2)}", sigma=sigma).verdict.value == "REFUTED"


@pytest.mark.parametrize(("sigma", "sensitivity"), [(F(1), 1), (F(2), 3)])
def test_discrete_gaussian(sigma, sensitivity):
    pairs = discrete_gaussian(real(sigma), sensitivity)
    for at in (F(0), F(1, 2), F(2)):
        found = dpaudit.delta("discrete-gaussian", at, sigma=sigma, sensitivity=sensitivity).delta
        assert near(worst(pairs, at), found)
        assert not near(worst(discrete_gaussian(real(sigma) * mpf("1.001"), sensitivity), at), found, 13)


@pytest.mark.parametrize("order", [2, 3])
def test_renyi_divergences_of_the_discrete_gaussian(order):
    p, *_, q = [discrete_gaussian(mpf(2), 3)[i][0] for i in (0, 3, 6, 9)]
    value = log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True) if a and b)) / (order - 1)
    bound = F(order) * 9 / 8
    assert abs(value - real(bound)) < mpf(10) ** -12
    found = dpaudit.judge("discrete-gaussian", f"alpha={order},eps={bound}", sigma=2, sensitivity=3)
    assert found.verdict.value == "PROVED"
    assert found.claim.evidence.value.lower == bound

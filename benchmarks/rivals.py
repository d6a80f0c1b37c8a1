"""What a user would do instead: plain numpy, plain mpmath, dp-accounting. None of it is certified."""

import math
from itertools import pairwise


def numpy_epsilon(mech, n, eps=1.0, gamma=1.0):
    """The worst-case epsilon at k = 2, prior (1,1), row by row in float64: log-gamma table, exp, sqrt, maximum."""
    import numpy as np

    worst, last = 0.0, None
    for row in numpy_rows(mech, n, eps, gamma):
        if last is not None:
            worst = max(worst, float(np.abs(row - last).max()))
        last = row
    return worst


def numpy_rows(mech, n, eps=1.0, gamma=1.0):
    """Yields ln P_x over all outputs, x after x."""
    import numpy as np

    half = np.array([math.lgamma(1 + m / 2) for m in range(2 * n + 1)])
    table = half + half[::-1]
    own = table[::2] / 2

    def distances(c):
        return np.sqrt(np.maximum(0.0, -np.expm1(table[c : c + n + 1] - own[c] - own)))

    steps = np.sqrt(-np.expm1(table[1::2] - own[:-1] - own[1:]))
    local = np.maximum(np.append(steps, 0.0), np.append(0.0, steps))
    rates = numpy_rates(mech, n, eps, gamma, local)
    for c in range(n + 1):
        row = -rates[c] * distances(c)
        yield row - math.log(np.exp(row).sum())


def numpy_pairs(mech, n):
    """Yields P and the loss ln P/Q of every ordered adjacent pair, row by row."""
    import numpy as np

    for x, y in pairwise(numpy_rows(mech, n)):
        yield np.exp(x), x - y
        yield np.exp(y), y - x


def numpy_renyi(mech, n, order):
    """The largest Rényi divergence of all pairs."""
    import numpy as np

    return max(math.log((p * np.exp((order - 1) * loss)).sum()) / (order - 1) for p, loss in numpy_pairs(mech, n))


GRID = [1 + 2.0**i for i in range(-8, 12, 2)]
"""Orders of which the largest D / order stands for the rho of zCDP."""


def numpy_rho(mech, n):
    """The largest D / order of all pairs, over a few orders: no bound for those between."""
    return max(numpy_renyi(mech, n, order) / order for order in GRID)


def numpy_tests(mech, n):
    """Yields alpha and beta of the most powerful tests of every ordered pair."""
    import numpy as np

    for p, loss in numpy_pairs(mech, n):
        order = np.argsort(-loss)
        p, q = p[order], (p * np.exp(-loss))[order]
        yield np.cumsum(q), 1 - np.cumsum(p)


def numpy_trade_off(mech, n, points):
    """The largest f(alpha) - beta of all tests, f linear between the points."""
    import numpy as np

    alphas, betas = zip(*points, strict=True)
    return max(float((np.interp(alpha, alphas, betas) - beta).max()) for alpha, beta in numpy_tests(mech, n))


def numpy_mu(mech, n):
    """The largest mu of all tests, by the quantiles of statistics.NormalDist of those that may be largest."""
    import numpy as np
    from scipy.special import ndtri

    with np.errstate(invalid="ignore"):
        return max(float(np.nanmax((-ndtri(a) - ndtri(b))[:-1])) for a, b in numpy_tests(mech, n))


def numpy_profile(mech, n, orders=(1.5, 2, 4, 8, 16, 32, 64)):
    """What ``dpaudit profile`` says: the vertices of the curve of all pairs, Rényi divergences and rho on a grid.

    The vertices are those of the upper hull of all tests (alpha, 1 - beta), from alpha = 0 to the slope 1.
    """
    import numpy as np

    alpha, power = (np.concatenate(both) for both in zip(*((a, 1 - b) for a, b in numpy_tests(mech, n)), strict=True))
    best = np.lexsort((-power, alpha))
    alpha, power = alpha[best], power[best]
    rising = np.append(True, np.maximum.accumulate(power - alpha)[:-1] < (power - alpha)[1:])
    hull = [(0.0, 0.0)]
    for a, p in zip(alpha[rising].tolist(), power[rising].tolist(), strict=True):
        while len(hull) > 1 and (p - hull[-1][1]) * (hull[-1][0] - hull[-2][0]) >= (hull[-1][1] - hull[-2][1]) * (
            a - hull[-1][0]
        ):
            hull.pop()
        hull.append((a, p))
    return hull, [numpy_renyi(mech, n, order) for order in orders], numpy_rho(mech, n)


def numpy_rates(mech, n, eps, gamma, local):
    import numpy as np

    if mech == "EHD":
        return np.full(n + 1, eps / 2 / math.sqrt(1 - math.pi / 4))
    if mech == "EHDL":
        return eps / 2 / local
    if mech == "MHdelta":
        gamma = math.log(1 - eps / (2 * math.log(1e-8 / (2 * (n + 1)))))
        return eps / 2 * np.exp(two_passes(-np.log(local), gamma))
    return (eps / (1 + gamma) if mech == "EHDS" else eps) / 2 * two_passes(1 / local, gamma)


def two_passes(values, gamma):
    """min over j of values[j] + gamma |i - j|."""
    values = values.copy()
    for i in range(1, len(values)):
        values[i] = min(values[i], values[i - 1] + gamma)
    for i in range(len(values) - 2, -1, -1):
        values[i] = min(values[i], values[i + 1] + gamma)
    return values


def numpy_epsilon_3(n):
    """The same for EHDS at k = 3, prior (1,1,1): every histogram against its six neighbors, over all outputs."""
    import numpy as np

    half = np.array([math.lgamma(1 + m / 2) for m in range(2 * n + 1)])
    first, second = np.array([(a, b) for a in range(n + 1) for b in range(n + 1 - a)]).T
    cells = np.stack([first, second, n - first - second])
    own = half[2 * cells].sum(axis=0) / 2
    place = np.full((n + 3, n + 3), -1)
    place[first + 1, second + 1] = np.arange(len(first))
    moves = [place[first + 1 + a, second + 1 + b] for a, b in ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))]

    def distances(x, others=slice(None)):
        both = half[cells[:, others] + cells[:, x][:, np.newaxis]].sum(axis=0)
        return np.sqrt(np.maximum(0.0, -np.expm1(both - own[x] - own[others])))

    near = [[int(move[x]) for move in moves if move[x] >= 0] for x in range(len(first))]
    rough = np.array([1 / distances(x, near[x]).max() for x in range(len(first))])
    while True:  # 1/S, the least of 1/LS + d
        better = rough
        for move in moves:
            better = np.minimum(better, np.where(move >= 0, rough[move] + 1, np.inf))
        if np.array_equal(better, rough):
            break
        rough = better
    rows, worst = {}, 0.0
    for x in range(len(first)):
        row = -rough[x] / 4 * distances(x)
        rows[x] = row - math.log(np.exp(row).sum())
        worst = max([worst, *(float(np.abs(rows[x] - rows[y]).max()) for y in near[x] if y < x)])
        rows.pop(int(place[first[x], second[x] + 1]), None)  # all neighbors of (a - 1, b) have come
    return worst


def mpmath_epsilon(n, digits):
    """The worst-case epsilon of EHDS (prior (1,1), gamma = 1, eps = 1) in mpmath, pair by pair, output by output."""
    from mpmath import mp

    with mp.workdps(digits + 10):
        gammas = [mp.loggamma(1 + mp.mpf(m) / 2) for m in range(2 * n + 1)]

        def distance(c, d):
            if c == d:
                return mp.mpf(0)
            both = gammas[c + d] + gammas[2 * n - c - d]
            own = (gammas[2 * c] + gammas[2 * (n - c)] + gammas[2 * d] + gammas[2 * (n - d)]) / 2
            return mp.sqrt(1 - mp.exp(both - own))

        local = [max(distance(c, d) for d in (c - 1, c + 1) if 0 <= d <= n) for c in range(n + 1)]
        rows = []
        for c in range(n + 1):
            smooth = max(1 / (1 / local[d] + abs(c - d)) for d in range(n + 1))
            row = [-distance(c, d) / (4 * smooth) for d in range(n + 1)]
            total = mp.log(mp.fsum(mp.exp(w) for w in row))
            rows.append([w - total for w in row])
        return str(max(abs(a - b) for one, two in pairwise(rows) for a, b in zip(one, two, strict=True)))


def accounting_delta(n, at):
    """delta(at) of EHDS over all ordered adjacent pairs by dp-accounting's discretised privacy loss distributions."""
    from dp_accounting.pld import privacy_loss_distribution

    import dpaudit

    mechanism = dpaudit.mechanism("EHDS", n=n)
    law = mechanism.law()
    rows = [{r: float(v) for r, v in enumerate(law.log_probabilities((c, n - c)))} for c in range(n + 1)]
    worst = 0.0
    for one, two in [pair for c in range(n) for pair in ((rows[c], rows[c + 1]), (rows[c + 1], rows[c]))]:
        found = privacy_loss_distribution.from_two_probability_mass_functions(
            two, one, value_discretization_interval=1e-4, symmetric=False
        )
        worst = max(worst, found.get_delta_for_epsilon(at))
    return worst


def sampled_svt(queries, samples):
    """The largest estimated loss of SVT6 over events that were seen 100 times, from samples of both inputs."""
    import numpy as np

    half = queries // 2
    x = np.array([1] * half + [0] * (queries - half))
    rng, counts = np.random.default_rng(1), []
    for answers in (x, 1 - x):
        found: dict[int, int] = {}
        for _ in range(10):
            size = samples // 10
            threshold = 1 + rng.laplace(0, 20, size=(size, 1))
            above = answers + rng.laplace(0, 20, size=(size, queries)) >= threshold
            groups = above[:, :half].sum(axis=1) * (queries + 1) + above[:, half:].sum(axis=1)
            for key, count in zip(*np.unique(groups, return_counts=True), strict=True):
                found[int(key)] = found.get(int(key), 0) + int(count)
        counts.append(found)
    shared = [key for key in counts[0] if min(counts[0][key], counts[1].get(key, 0)) >= 100]
    return float(max(abs(np.log(counts[0][key] / counts[1][key])) for key in shared))


def accounting_epsilon(event, delta, grid):
    """dp-accounting's pessimistic epsilon of a composition, on its grid; floats."""
    from dp_accounting import pld

    from dpaudit.accounting.dp_events import to_dp_event
    from dpaudit.accounting.reading import read

    accountant = pld.PLDAccountant(value_discretization_interval=grid)
    return float(accountant.compose(to_dp_event([read(event)])).get_epsilon(delta))


def prv_epsilon(event, delta):
    """prv_accountant's upper epsilon with an error of 1e-3 and the default grid for it; floats."""
    import prv_accountant

    from dpaudit.accounting.reading import read

    found = read(event)
    mechanism = prv_accountant.PoissonSubsampledGaussianMechanism(
        sampling_probability=float(found.rate), noise_multiplier=float(found.sigma)
    )
    accountant = prv_accountant.PRVAccountant(
        prvs=[mechanism], max_self_compositions=[found.times], eps_error=0.003, delta_error=delta / 1000
    )
    return float(accountant.compute_epsilon(delta, [found.times])[2])

"""Every loss of one n, in floats, and the priors and mechanisms that the tests of every n go through."""

from fractions import Fraction

import numpy as np
from scipy.special import gammaln

from dpaudit.forall.every_n import family_of
from dpaudit.forall.ranged import read

PRIORS = [(1, 1), (Fraction(1, 10), Fraction(1, 10)), (Fraction(1, 2), 3), (10, 10), (Fraction(1, 1000), 20), (24, 1)]
MECHS = [("EHD", {}), ("EHD/exact", {}), ("EHDL", {}), ("EHDS", {}), ("MH", {"gamma": "1/3"})]


def distances(n, a, b, rows=None):
    """All H(x, r) of one n, or those of some x."""
    r = np.arange(n + 1)
    x = r if rows is None else np.array(rows)

    def cell(alpha, xs, rs):
        return np.add.outer(gammaln(alpha + xs), gammaln(alpha + rs)) / 2 - gammaln(alpha + np.add.outer(xs, rs) / 2)

    found = cell(float(a), x, r) + cell(float(b), n - x, n - r)
    return np.sqrt(-np.expm1(-np.maximum(found, 0)))


def inverses(h, mech, gamma=1.0):
    """1 / Delta(x) of every x."""
    x, steps = np.arange(len(h)), np.diag(h, 1)
    ls = np.maximum(np.append(steps, 0), np.append(0, steps))
    if mech == "EHD":
        return np.full(len(h), 1 / np.sqrt(1 - np.pi / 4))
    if mech == "EHD/exact":
        return np.full(len(h), 1 / ls.max())
    return 1 / ls if mech == "EHDL" else (1 / ls + gamma * abs(np.subtract.outer(x, x))).min(axis=1)


def losses(n, prior, mech, eps, gamma=1.0):
    """losses[x, r] = ln P_x(r) - ln P_(x+1)(r) of one n."""
    h = distances(n, *prior)
    rates = eps / (1 + gamma if mech == "EHDS" else 1) / 2 * inverses(h, mech, gamma)
    exponents = rates[:, None] * h
    logs = -exponents - np.log(np.exp(-exponents).sum(axis=1))[:, None]
    return logs[:-1] - logs[1:]


def family(mech, prior, **more):
    return family_of(read(mech, n="all", prior=",".join(map(str, prior)), **more))


def log_step(z):
    """ln BC of one cell whose count grows by one, from the posterior parameter z on: f(z) of EVERY_N.md."""
    return gammaln(z + 0.5) - (gammaln(z) + gammaln(z + 1)) / 2

"""Certificates that state what the enclosures of their law say at a witness that need not be the worst one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from certificate_truth import mechanism
from mpmath import mp


def restate(rng, document):
    """States the value at some witness, often not the worst one, by the enclosures of the law.

    A verifier that overlooks a pair, or takes an entry for another number, accepts this.
    """
    subject, statement, law = document["subject"], document["statement"], document["law"]
    if "rows" in subject:
        datasets, outputs, pairs = subject["datasets"], subject["outputs"], subject.get("pairs")
        near = [[i, j] for i in range(len(datasets)) for j in range(i)] if pairs is None else pairs
    else:
        made = mechanism(subject)
        found = sorted(made.datasets())
        near = [[i, found.index(y)] for i, x in enumerate(found) for y in made.neighbors(x)]
        datasets, outputs = ([list(item) for item in items] for items in (found, sorted(made.outputs())))
    x, y = rng.sample(rng.choice(near), 2)
    with mp.workdps(60):
        p, q = ([mp.ldexp(2 * lo + width, e - 1) for lo, width, e in law["rows"][i]] for i in (x, y))
        value, place = value_of(rng, statement, p, q)
        least, most = (Fraction(int(mp.floor(value * 10**15)) + off, 10**15) for off in (-1, 2))
    place = {"output": outputs[place["output"]]} if "output" in place else place
    document["witness"] = {"x": datasets[x], "x_prime": datasets[y], **place}
    if rng.random() < 0.2:
        least, most = Fraction(0), most * rng.choice([1, Fraction(1, 2)])
    statement["lower"], statement["upper"] = str(least), str(most)


def value_of(rng, statement, p, q):
    """The value of the quantity for two rows at some place, and the place."""
    quantity, losses = statement["quantity"], [mp.log(a / b) for a, b in zip(p, q, strict=True) if a and b]
    if quantity == "epsilon":
        output = max((i for i in range(len(p)) if p[i]), key=lambda i: p[i] / q[i])
        return mp.log(p[output] / q[output]), {"output": output}
    if quantity == "delta":
        factor = mp.exp(mp.mpf(Fraction(statement["at"])))
        return mp.fsum(max(0, a - factor * b) for a, b in zip(p, q, strict=True)), {}
    if quantity in ("renyi", "zcdp_rho"):
        alpha = Fraction(statement["guarantee"].get("alpha") or rng.choice(["3/2", "2", "5"]))
        order = mp.mpf(alpha.numerator) / alpha.denominator
        found = mp.log(mp.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)
        return found / (order if quantity == "zcdp_rho" else 1), {"alpha": str(alpha)}
    threshold = Fraction(float(rng.choice(losses))).limit_denominator(1000) - Fraction(1, 100)
    chosen = [a > mp.exp(float(threshold)) * b for a, b in zip(p, q, strict=True)]
    alpha = mp.fsum(b for b, yes in zip(q, chosen, strict=True) if yes)
    beta = mp.fsum(a for a, yes in zip(p, chosen, strict=True) if not yes)
    if quantity == "gdp_mu":
        return mp.sqrt(2) * (mp.erfinv(1 - 2 * alpha) - mp.erfinv(2 * beta - 1)), {"threshold": str(threshold)}
    ends = [[float(Fraction(end)) for end in point] for point in statement["guarantee"]["points"]]
    f = max(b + (alpha - a) * (d - b) / (c - a) for (a, b), (c, d) in pairwise(ends))
    return f - beta, {"threshold": str(threshold)}

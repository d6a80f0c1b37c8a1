"""A fixed list of small audits for comparing the engine with reference.py.

Each case is (mech, n, prior, eps, gamma, delta, gs): prior a tuple of strings, eps a string, the rest a
string or None where the mechanism has no such parameter. Parameters cycle through the lists below with
strides, so that the list is deterministic and every value meets every mechanism.
"""

from fractions import Fraction

MECHANISMS = ("LSZhang", "LSDim", "LSHist", "EHD", "EHDL", "EHDS", "MH", "MHdelta")
PRIORS = {
    2: (
        ("1", "1"),
        ("1/2", "1/2"),
        ("1", "3"),
        ("0.01", "0.01"),
        ("5/4", "2"),
        ("1/3", "1/3"),
        ("2", "2"),
        ("7/2", "1/2"),
        ("0.01", "10"),
        ("1/3", "5/7"),
        ("40", "40"),
    ),
    3: (
        ("1", "1", "1"),
        ("1/2", "1/2", "1/2"),
        ("1", "2", "3"),
        ("0.01", "1", "7/2"),
        ("1/3", "1/3", "1/3"),
        ("5/4", "5/4", "1/2"),
        ("4", "4", "4"),
    ),
    4: (
        ("1", "1", "1", "1"),
        ("1/2", "1", "1/2", "1"),
        ("1/3", "5/4", "7/2", "0.01"),
        ("2", "2", "2", "2"),
        ("1", "2", "3", "4"),
    ),
}
EPSILONS = ("1", "1/100", "0.8", "8", "1/10", "2", "1/3", "5", "1/2")
GAMMAS = ("1", "1/10", "3", "1/2")
DELTAS = ("1e-8", "1/20")
GS = ("constant", "exact")
# (k, n, how many cases per mechanism): most are tiny
SHAPES = (
    (2, 1, 7),
    (2, 2, 6),
    (2, 3, 5),
    (2, 4, 4),
    (2, 5, 3),
    (2, 6, 2),
    (2, 8, 2),
    (2, 12, 1),
    (3, 1, 5),
    (3, 2, 4),
    (3, 3, 3),
    (3, 4, 1),
    (3, 5, 1),
    (4, 1, 3),
    (4, 2, 2),
    (4, 3, 1),
)
# Chosen by hand: the documents' settings and the ends of the parameter ranges.
EXTRA = (
    ("EHD", 1, ("1", "1"), "1", None, None, "constant"),
    ("EHD", 1, ("0.01", "0.01"), "8", None, None, "constant"),
    ("EHD", 2, ("0.01", "0.01", "0.01"), "1", None, None, "constant"),
    ("EHD", 2, ("0.01", "0.01", "0.01"), "1", None, None, "exact"),
    ("EHDL", 8, ("1", "1"), "0.8", None, None, None),
    ("EHDL", 10, ("1", "1"), "1", None, None, None),
    ("EHDL", 4, ("100", "100"), "1", None, None, None),
    ("EHDL", 40, ("1/1000", "1/1000"), "1/100", None, None, None),  # exceeds eps: 1.00507 eps
    ("EHDS", 10, ("1", "1"), "1", "1", None, None),
    ("EHDS", 12, ("1", "1"), "8", "1/10", None, None),
    ("MH", 10, ("1", "1"), "1", "1", None, None),
    ("MH", 12, ("1", "1"), "8", "1/10", None, None),
    ("MH", 5, ("1/2", "1/2"), "0.9", "3", None, None),
    ("MHdelta", 8, ("1", "1"), "0.8", None, "1e-8", None),
    ("MHdelta", 12, ("1", "1"), "8", None, "1/20", None),
    ("MHdelta", 5, ("1/3", "1/3"), "2", None, "1e-8", None),
    ("LSZhang", 12, ("1", "1"), "8", None, None, None),
    ("LSDim", 12, ("1", "1"), "8", None, None, None),
    ("LSHist", 12, ("1", "1"), "8", None, None, None),
)


def build():
    found = []
    for m, mech in enumerate(MECHANISMS):
        turn = {2: m, 3: m, 4: m}
        i = m
        for k, n, count in SHAPES:
            for _ in range(count):
                prior = PRIORS[k][turn[k] % len(PRIORS[k])]
                turn[k] += 1
                gamma = GAMMAS[(i + i // 4) % 4] if mech in ("EHDS", "MH") else None
                delta = DELTAS[i % 2] if mech == "MHdelta" else None
                gs = GS[i % 2] if mech == "EHD" else None
                found.append((mech, n, prior, EPSILONS[(2 * i + m) % len(EPSILONS)], gamma, delta, gs))
                i += 1
    return list(dict.fromkeys(found + list(EXTRA)))


CASES = build()


def arguments(case):
    """The case as exact keyword arguments of reference.epsilon."""
    mech, n, prior, eps, gamma, delta, gs = case
    return {
        "mech": mech,
        "n": n,
        "prior": tuple(Fraction(p) for p in prior),
        "eps": Fraction(eps),
        "gamma": None if gamma is None else Fraction(gamma),
        "delta": None if delta is None else Fraction(delta),
        "gs": gs,
    }


def claimed(case):
    """The epsilon the documents claim: None for EHDL; MHdelta claims it only together with its delta."""
    mech, _, _, eps, gamma, _, _ = case
    if mech == "EHDL":
        return None
    if mech == "MH":
        return (1 + Fraction(gamma or "1")) * Fraction(eps)
    return Fraction(eps)

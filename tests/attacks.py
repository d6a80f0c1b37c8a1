"""Certificates that are written to cost: of time, of memory, of trust. All of them have a right hash."""

from math import comb

from dpaudit.evidence.verifier.reading import FORMAT, VERSION, digest

ANYTHING = [0, 1, 0]
"""The enclosure of a number between 0 and 1."""

TOWER = "1/3"
for _ in range(3):
    TOWER = ["^", TOWER, "10000"]


def table(rows, logarithmic=False, pairs=None, name="rows", **statement):
    """A certificate that holds these rows, a list or a dict; it states nothing that is true unless one tells it to."""
    rows = rows if isinstance(rows, dict) else {f"x{i}": row for i, row in enumerate(rows)}
    names, outputs = list(rows), [f"o{i}" for i in range(len(next(iter(rows.values()))))]
    size = len(names)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "law",
        "subject": {"mechanism": name, "nominal_epsilon": None, "parameters": {}, "datasets": names,
                    "outputs": outputs, "pairs": pairs, "logarithmic": logarithmic, "rows": list(rows.values())},
        "law": {"covers": "all", "rows": [[ANYTHING] * len(outputs)] * size},
        "statement": {"quantity": "delta", "at": "0", "lower": "0", "upper": "1", "claimed": None,
                      "claimed_delta": None, **statement},
        "witness": {"x": names[0], "x_prime": names[1]},
        "made": "by hand",
    }  # fmt: skip
    return sealed(document)


def family(mechanism, n, k, counts, x, y, **statement):
    """A certificate of a mechanism of the family."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "law",
        "subject": {"mechanism": mechanism, "n": n, "k": k, "prior": ["1"] * k, "nominal_epsilon": "1",
                    "parameters": {}},
        "law": {"covers": "witness", "rows": [[ANYTHING] * min(counts[2], 10**5)] * 2},
        "statement": {"quantity": "delta", "at": "0", "lower": "0", "upper": "1", "claimed": None,
                      "claimed_delta": None, **statement},
        "witness": {"x": x, "x_prime": y},
        "made": "by hand",
    }  # fmt: skip
    return sealed(document)


def theorem(mechanism, n, x, y):
    """A certificate for every epsilon."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "kind": "every-epsilon",
        "subject": {"mechanism": mechanism, "n": n, "k": 2, "prior": ["1", "1"], "nominal_epsilon": "all",
                    "parameters": {}},
        "statement": {"lower": "0", "upper": "1", "claimed": "1"},
        "witness": {"x": x, "x_prime": y, "output": x, "epsilon": "0"},
        "cover": [],
        "made": "by hand",
    }  # fmt: skip
    return sealed(document)


def sealed(document):
    return {**document, "sha256": digest(document)}


def pair(entry, rest="1"):
    return table([[entry, rest], ["1/2", "1/2"]])


def long_sum(count, step="1/7"):
    return ["+", *(["exp", f"{i}/{7 + i}"] for i in range(count))]


def chain(length, terms):
    found = long_sum(terms)
    for i in range(length):
        found = ["/", found, ["+", long_sum(terms), str(i + 1)]]
    return found


def primes(count, digits):
    """Numbers of so many digits that share no factor worth speaking of."""
    return [str(10**digits + 2 * i * i + 4 * i + 1) for i in range(count)]


def order(alpha):
    document = table([["1/3", "2/3"], ["1/2", "1/2"]])
    guarantee = {"kind": "renyi", "alpha": alpha, "epsilon": "1"}
    bounds = {"quantity": "renyi", "lower": "0", "upper": "1", "guarantee": guarantee, "verdict": "PROVED"}
    return sealed({**document, "statement": bounds, "witness": {**document["witness"], "alpha": alpha}})


def large():
    """name -> a certificate whose check would take long, or much memory, if nobody counted."""
    counts = (comb(1005, 5), 30 * comb(1004, 5), 1001**6)
    hidden = ["^", ["exp", "1"], ["+", "9999", "1"]]
    return {
        "a tower of powers": pair(TOWER),
        "a power of a huge exponential": pair(["^", ["exp", "16000000"], "10000"]),
        "a power of a power of a sum": pair(["^", ["^", long_sum(60), "10000"], "10000"]),
        "an exponent hidden in a sum": pair(["^", hidden, ["+", "5000", "5000"]]),
        "a power of 1000 digits": pair(["^", "1/3", "9" * 1000]),
        "exp of exp of exp": pair(["exp", ["exp", ["exp", "1000000"]]]),
        "a chain of quotients of long sums": pair(chain(60, 300)),
        "delta of a huge family": family("LSZhang", 1000, 6, counts, [1000, 0, 0, 0, 0, 0], [999, 1, 0, 0, 0, 0]),
        "weights far apart": table([["16000000", "0"], ["0", "16000000"]], logarithmic=True),
        "weights of 1000 digits": table([["9" * 1000, "0"], ["0", "-" + "9" * 1000]], logarithmic=True),
        "thousands of long denominators": table([[f"1/{p}" for p in primes(4000, 999)]] * 2),
        "bounds of 4000 digits": table([["1/3", "2/3"], ["1/2", "1/2"]], lower="0", upper="0." + "2" * 2040),
        "an order of 1000 digits": order("9" * 1000),
        "ten thousand logarithms of gamma": table([[["log_gamma", f"{i}/7"] for i in range(1, 10_001)]] * 2, True),
        "a theorem on a thousand million records": theorem("EHDL", 10**9, [0, 10**9], [1, 10**9 - 1]),
        "a table of 4 million pairs": table({str(i): ["1/2", "1/2"] for i in range(2000)}),
    }

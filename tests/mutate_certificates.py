"""python -m tests.mutate_certificates --count 100000 [--seed 1]: changes certificates and looks for one that lies.

Every mutant gets hashes that fit, and most get enclosures that fit their changed rows. One that the verifier accepts
must state something true: the engine audits the changed subject and is compared with what the mutant states. Rows get
nested functions at huge exponents; every-n certificates change too, and are compared with the theorem's own bounds. The
last line counts mutants, accepted ones and lies.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from certificate_restated import restate
from certificate_truth import lie

import dpaudit
from dpaudit.evidence import certificate as engine
from dpaudit.evidence.verifier.arithmetic import Malformed, Undecided
from dpaudit.evidence.verifier.bounds import read_subject
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest

NUMBERS = ["0", "1", "-1", "1/2", "2", "100", "inf", "1e-90", "0.333", "7", "-3", "3/2", "1/3", "1e9"]
JUNK = [None, True, False, 0, 1, -1, [], {}, "", "EHDS", "x", 10**30]
SPINNER = "dpaudit.examples.randomized_response:SpinnerResponse"
GEOMETRIC = "dpaudit.examples.geometric:TruncatedGeometric"


@cache
def bases():
    """Small certificates of every kind."""
    epsilon, delta, judge = dpaudit.epsilon, dpaudit.delta, dpaudit.judge
    results = [
        epsilon("EHDS", n=3),
        epsilon("EHDL", n=2, eps="4/5"),
        epsilon("EHD", n=2, prior="1/3,1"),
        epsilon("MHdelta", n=2, delta="1/20", eps="2"),
        epsilon("LSZhang", n=1),
        epsilon("LSHist", n=2),
        delta("MH", "1/10", n=2),
        delta("LSDim", "1/2", n=2),
        delta("EHDS", "0", n=3),
        epsilon(SPINNER),
        epsilon(GEOMETRIC, n=2),
        delta(GEOMETRIC, "1/3", n=2),
        delta(SPINNER, "1/3"),
        judge(SPINNER, "rho=1"),
        judge(SPINNER, "alpha=2,eps=1/2"),
        judge(SPINNER, "mu=1"),
        judge(SPINNER, "f=0:1;1/2:1/10;1:0"),
        judge("EHD", "rho=1/100", n=2),
        judge("LSHist", "eps=1/2,delta=1/10", n=2, eps="1"),
    ]
    found = [engine.certificate(result) for result in results]
    return [*found, engine.bundle([results[9], results[12]]), *every_n()]


@cache
def every_n():
    """Certificates of theorems on every n; only their witness is looked at, which takes a moment."""
    return [engine.certificate(dpaudit.epsilon(mech, n="all", digits=2, prior=prior))
            for mech, prior in (("EHD", "1/2,3"), ("EHDL", "1/10,1/10"))]  # fmt: skip


# ------------------------------------------------------------------ changes


def places(document, path=()):
    """All paths into the document but those of the hashes."""
    if path and path[-1] != "sha256":
        yield path
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, value in items:
        yield from places(value, (*path, name))


def at(document, path):
    for name in path:
        document = document[name]
    return document


def nudged(rng, text):
    """Another number: a unit of the last place more or less, twice, half, negative, another one."""
    if rng.random() < 0.2:
        return rng.choice(NUMBERS)
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return rng.choice(NUMBERS)
    unit = Fraction(1, 10 ** rng.choice([1, 2, 5, 15, 17, 18]))
    return str(rng.choice([value + unit, value - unit, 2 * value, value / 2, -value, 1 / value if value else value]))


def is_number(value):
    return value == "inf" or (isinstance(value, str) and value[:1] in set("-0123456789"))


def change_number(rng, document):
    paths = [path for path in places(document) if is_number(at(document, path))]
    path = rng.choice(paths)
    at(document, path[:-1])[path[-1]] = nudged(rng, at(document, path))


def change_claim(rng, document):
    statement = document["statement"]
    if "guarantee" in statement:
        guarantee = statement["guarantee"]
        name = rng.choice([name for name in guarantee if name not in ("kind", "text")])
        if isinstance(guarantee[name], str):
            guarantee[name] = nudged(rng, guarantee[name])
        guarantee.pop("text", None)
    else:
        name = rng.choice(["claimed", "claimed_delta"])
        statement[name] = nudged(rng, statement[name] or "1")
        if statement["claimed_delta"] is None:
            statement["claimed_delta"] = "0"


def change_bounds(rng, document):
    statement = document["statement"]
    for name in rng.choice([("lower",), ("upper",), ("lower", "upper")]):
        statement[name] = nudged(rng, statement[name])
    if rng.random() < 0.3:
        factor = rng.choice([Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(3, 2)])
        for name in ("lower", "upper"):
            statement[name] = str(Fraction(document["statement"][name]) * factor)
    elif rng.random() < 0.3:
        statement["lower"], statement["upper"] = "0", rng.choice(["0", "1", "1/1000", "inf"])


def nested(rng, depth=4):
    """An entry that is 1, or not far from it, written with functions inside functions at huge exponents."""
    power = rng.choice([1, 7, 10**3, 10**9, 10**17, 10**17 + 1, 10**30, 3 * 10**40])
    found, scale = ["exp", str(power)], 1
    for _ in range(rng.randint(1, depth)):
        kind = rng.randrange(3)
        if kind == 0:
            found, scale = ["sqrt", found], 2 * scale
        elif kind == 1:
            found = ["exp", ["log", found]]
        else:
            found = ["/", "1", ["/", "1", found]]
    return ["*", found, ["exp", str(Fraction(-power, scale))]]


def change_nested(rng, document):
    """Replaces an entry by itself times a number that is 1 (or, sometimes, times another one that is not).

    Often another entry takes what the first may lose, so that the row sums to 1 even where that number is mistaken.
    """
    rows = document["subject"]["rows"]
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        i, j = rng.sample(range(len(row)), 2)
        if None not in (row[i], row[j]) and rng.random() < 0.5:
            new = ["*", row[i], nested(rng)]
            row[i], row[j] = new, ["+", row[j], row[i], ["*", "-1", new]]
            continue
        if row[i] is not None:
            row[i] = ["*", row[i], nested(rng)]
        if rng.random() < 0.2:
            row[i] = ["*", row[i], ["sqrt", rng.choice(["1", "10", "1/10", "2"])]]


def change_enclosures(rng, document):
    entry = rng.choice(rng.choice(document["law"]["rows"]))
    i = rng.randrange(3)
    entry[i] = rng.choice([entry[i] + 1, max(entry[i] - 1, 0), 2 * entry[i], 0, entry[i] // 2, entry[i] + 2**20])


def change_rows(rng, document):
    subject = document["subject"]
    if "rows" not in subject:
        subject["n"] += rng.choice([-1, 1])
        return
    rows = subject["rows"]
    x = rng.randrange(len(rows))
    row, i = rows[x], rng.randrange(len(rows[x]))
    kind = rng.randrange(6)
    if kind == 0:
        row[i], row[0] = row[0], row[i]
    elif kind == 1:
        row[i] = rng.choice(
            [["exp", "-2000"], ["sqrt", "-1"], ["sqrt", ["+", ["exp", "1"], "-3"]], ["between", "0", "1"]]
        )
    elif kind == 2:
        rows[x] = copy.deepcopy(rng.choice(rows))
    elif kind == 3:
        row[i] = rng.choice([["*", row[i], "1"], ["+", row[i], "0"], ["^", row[i], "1"], ["/", row[i], "2"]])
    elif kind == 4:
        subject["logarithmic"] = not subject["logarithmic"]
    else:
        rows.append(rows.pop(0))


def fit_enclosures(document):
    """Gives the law the enclosures of the changed subject, where it has a law: the verifier's own, widened."""
    law, witness = document["law"], document["witness"]
    subject = read_subject(document)
    if subject.counts()[0] * subject.counts()[2] > 2000:
        return
    held = subject.held(law["covers"], *(subject.place(witness[name], name) for name in ("x", "x_prime")))
    rows = []
    for x in held:
        numbers = subject.row(x, 600)
        rows.append([[0, 0, 0] if n.value.lo == n.value.hi == 0 else widened(n.value.at(250)) for n in numbers])
    law["rows"] = rows


def widened(value):
    low = max(value.lo - 1, 0)
    return [low, value.hi + 1 - low, value.e]


def change_pairs(rng, document):
    subject = document["subject"]
    if "rows" not in subject:
        subject["adjacency"] = rng.choice([None, {"kind": "all"}])
        return
    size = len(subject["datasets"])
    every = [[i, j] for i in range(size) for j in range(i)]
    subject["pairs"] = rng.choice([None, rng.sample(every, rng.randint(1, len(every)))])


def change_witness(rng, document):
    witness = document["witness"]
    kind = rng.randrange(4)
    if kind == 0:
        witness["x"], witness["x_prime"] = witness["x_prime"], witness["x"]
    elif "rows" in document["subject"] and kind == 1:
        witness["output"] = rng.choice(document["subject"]["outputs"])
    elif "rows" in document["subject"]:
        witness["x"], witness["x_prime"] = rng.sample(document["subject"]["datasets"], 2)
    elif document["kind"] == "every-n":
        name = rng.choice(["x", "x_prime", "output", "side", "n"])
        witness[name] = rng.choice([0, 1, 2, 3, 20, 10**4, None])


def change_anything(rng, document):
    path = rng.choice(list(places(document)))
    place = at(document, path[:-1])
    kind = rng.randrange(3)
    if kind == 0:
        place[path[-1]] = copy.deepcopy(rng.choice([*JUNK, *NUMBERS]))
    elif kind == 1:
        del place[path[-1]]
    else:
        place[path[-1]] = copy.deepcopy(at(document, rng.choice(list(places(document)))))


CHANGES = [change_number, change_number, change_claim, change_bounds, change_rows, change_pairs,
           change_witness, change_nested, change_nested, change_enclosures, change_anything]  # fmt: skip
FITTED = ("change_rows", "change_nested", "change_pairs", "change_number")


def mutant(rng):
    """A base with one to three changes and hashes that fit; and the names of the changes."""
    document = copy.deepcopy(rng.choice(bases()))
    part = rng.choice(document["parts"]) if "parts" in document else document
    names = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        change = rng.choice(CHANGES)
        names.append(change.__name__)
        with suppress(
            LookupError, TypeError, ValueError, AttributeError
        ):  # an earlier change took away what this one needs
            change(rng, part)
    if set(names) & set(FITTED) and rng.random() < 0.9:
        with suppress(LookupError, TypeError, ValueError, AttributeError, ArithmeticError, Malformed, Undecided,
                      RecursionError):  # fmt: skip
            fit_enclosures(part)
    if rng.random() < 0.4:
        names.append("restate")
        with suppress(LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            restate(rng, part)
    document = json.loads(json.dumps(document))  # what a file could hold: every name is text
    for inner in (*(document.get("parts") or ()), document):
        inner["sha256"] = digest(inner)
    return document, names


# ------------------------------------------------------------------ the run


@dataclass
class Tally:
    """What became of the mutants."""

    mutants: int = 0
    accepted: int = 0
    lies: list[str] = field(default_factory=list)
    slowest: float = 0.0
    by: Counter = field(default_factory=Counter)

    def __str__(self):
        return (f"{self.mutants} mutants, {self.accepted} accepted, {len(self.lies)} of these state something false; "
                f"the slowest took {self.slowest:.2f} s")  # fmt: skip


def look(rng, tally):
    """Makes one mutant and looks what becomes of it."""
    document, names = mutant(rng)
    full = rng.random() < 0.6 and document.get("kind") != "every-n"
    begin = time.process_time()
    accepted, said = True, None
    try:
        _, said = verify(document, full)
    except Rejected:
        accepted = False
    tally.mutants += 1
    tally.slowest = max(tally.slowest, time.process_time() - begin)
    if accepted:
        tally.accepted += 1
        tally.by.update(names)
        wrong = lie(document, full, said)
        if wrong is not None:
            tally.lies.append(
                f"{'full' if full else 'witness only'}, {' '.join(names)}: {wrong}\n{json.dumps(document)}"
            )


def run(count, seed, seconds=None):
    """Returns the tally of so many mutants, or of as many as the seconds allow."""
    rng, tally, begin = random.Random(seed), Tally(), time.monotonic()
    while tally.mutants < count and (seconds is None or time.monotonic() - begin < seconds):
        look(rng, tally)
    return tally


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutate_certificates", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    options = parser.parse_args()
    tally = run(options.count, options.seed, options.seconds)
    for found in tally.lies:
        print(found)
    print(dict(tally.by))
    print(tally)
    return 1 if tally.lies else 0


if __name__ == "__main__":
    sys.exit(main())

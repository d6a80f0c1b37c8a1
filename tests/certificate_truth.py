"""What is true of a certificate's subject, by the engine: ``lie`` says what an accepted certificate states wrongly."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import dpaudit
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted

OPERATIONS = {"exp": dpaudit.exp, "log": dpaudit.log, "sqrt": dpaudit.sqrt, "log_gamma": dpaudit.log_gamma}


def expression(entry):
    """The engine's number for an entry of the certificate."""
    if entry is None or isinstance(entry, str):
        return entry
    name, arguments = entry[0], [expression(argument) for argument in entry[1:]]
    if name == "between":
        return tuple(arguments)
    numbers = [Fraction(a) if isinstance(a, str) else a for a in arguments]
    if name in OPERATIONS:
        return OPERATIONS[name](numbers[0])
    if name == "pi":
        return dpaudit.PI
    found = numbers[0]
    for number in numbers[1:]:
        found = (found + number if name == "+" else found * number if name == "*" else found / number if name == "/"
                 else found ** int(number))  # fmt: skip
    return found


class Rows:
    """The table of a certificate, for the engine."""

    def __init__(self, subject):
        names = subject["datasets"]
        held = names
        self.datasets, self.outputs = (lambda: held), (lambda: subject["outputs"])
        rows = {x: [expression(entry) for entry in row] for x, row in zip(names, subject["rows"], strict=True)}
        if subject["logarithmic"]:
            self.log_weight = lambda x, r: rows[x][subject["outputs"].index(r)]
        else:
            self.probabilities = lambda x: rows[x]
        if subject.get("pairs") is not None:
            links = {x: [names[b] for a, b in pairs_of(subject) if names[a] == x and names[b] in held] for x in held}
            self.neighbors = links.__getitem__


def pairs_of(subject):
    return [(a, b) for i, j in subject["pairs"] for a, b in ((i, j), (j, i))]


def mechanism(subject):
    if "rows" in subject:
        return dpaudit.mechanism(Rows(subject))
    made = dpaudit.mechanism(subject["mechanism"], n=subject["n"], prior=subject["prior"],
                             eps=subject["nominal_epsilon"], **subject["parameters"])  # fmt: skip
    return made.with_adjacency("all") if subject.get("adjacency") else made


GUARANTEES = {"renyi": "alpha={alpha},eps={epsilon}", "zcdp": "rho={rho}", "gaussian": "mu={mu}"}


def judged(subject, statement):
    """What the engine finds: the value in an enclosure, and the verdict on what is claimed."""
    made, quantity = mechanism(subject), statement["quantity"]
    if quantity in ("epsilon", "delta"):
        found = dpaudit.epsilon(made, digits=20).epsilon if quantity == "epsilon" else dpaudit.delta(
            made, statement["at"], digits=20).delta  # fmt: skip
        claim = statement.get("claimed")
        if claim is None:
            return found, None
        return found, dpaudit.judge(made, f"eps={claim},delta={statement['claimed_delta']}").verdict.value
    guarantee = statement["guarantee"]
    if guarantee["kind"] == "trade-off":
        text = "f=" + ";".join(f"{a}:{b}" for a, b in guarantee["points"])
    else:
        text = GUARANTEES[guarantee["kind"]].format(**guarantee)
    result = dpaudit.judge(made, text, digits=20)
    return result.evidence.value, result.verdict.value


def lie_of_law(part, full):
    """None if every enclosure that was looked at meets the engine's own enclosure of the probability."""
    subject, law, witness = part["subject"], part["law"], part["witness"]
    made, own = mechanism(subject), "rows" in subject
    order = (lambda items: list(items)) if own else sorted
    datasets, outputs = order(made.datasets()), list(made.outputs())
    ends = [datasets[subject["datasets"].index(x)] if own else tuple(x) for x in (witness["x"], witness["x_prime"])]
    held = datasets if law["covers"] == "all" else ends
    for x, row in zip(held, law["rows"], strict=True):
        if full or own or x in ends:
            with balls.precision(200):
                found = dict(zip(outputs, map(balls.dyadic_ends, made.law().probabilities(x)), strict=True))
            for output, (lo, width, e) in zip(order(outputs), row, strict=True):
                low, high, f = found[output]
                scale = min(e, f)
                if (lo + width) << (e - scale) < low << (f - scale) or high << (f - scale) < lo << (e - scale):
                    return f"an enclosure in the row of {x} does not contain the probability"
    return None


def lie(document, full, said=None):
    """None if what the accepted certificate states is true, or the engine cannot tell; else what is wrong.

    ``said``: the verifier's own statement, with the verdict that it derived.

    Rows that are not there are left out: the witness alone speaks of two of them.
    """
    parts = document.get("parts") or [document]
    verdicts = [found["verdict"] for found in said.get("parts", [said])] if said else [None] * len(parts)
    for part, derived in zip(parts, verdicts, strict=True):
        subject, statement = part["subject"], part["statement"]
        if part["kind"] == "every-n":
            wrong = lie_of_every_n(subject, statement)
            if wrong is not None:
                return wrong
            continue
        if "rows" in subject and len(subject["rows"]) != len(subject["datasets"]):
            return "a row is missing"
        try:
            value, verdict = judged(subject, statement)
            wrong = lie_of_law(part, full)
            if wrong is not None:
                return wrong
        except dpaudit.InputError as error:
            if "at most 100 digits" in error.rule or "too wide for an answer" in error.rule:
                continue
            return f"the engine refuses it: {error}"
        except PrecisionExhausted:
            continue
        if derived in ("PROVED", "REFUTED") and verdict not in (derived, "UNDECIDED", None):
            return f"the verdict is {verdict}"
        if value.is_infinite or "inf" in (statement["lower"], statement["upper"]):
            if value.is_infinite != (statement["lower"] == "inf") and (full or statement["lower"] == "inf"):
                return "one is infinite, the other is not"
            continue
        lower, upper = Fraction(statement["lower"]), Fraction(statement["upper"])
        ends = value.lower, value.upper
        low, high = (-ends[1], -ends[0]) if statement["quantity"] == "trade-off" else ends
        below, above = high < lower, low > upper
        if (below or above) and (full or below):
            return f"the value lies in [{value.lower}, {value.upper}]"
    return None


@cache
def supremum(mech, prior, eps, parameters):
    return dpaudit.epsilon(mech, n="all", digits=2, prior=prior, eps=eps, **dict(parameters))


def lie_of_every_n(subject, statement):
    """None if the stated lower bound, which the witness shows, is not above the theorem's upper bound."""
    if subject.get("nominal_epsilon") == "all":
        return None
    try:
        found = supremum(subject["mechanism"], ",".join(subject["prior"]), subject["nominal_epsilon"],
                         tuple(subject["parameters"].items()))  # fmt: skip
    except (dpaudit.InputError, PrecisionExhausted):
        return None
    if Fraction(statement["lower"]) > found.epsilon.upper:
        return f"the supremum is at most {found.epsilon.upper}"
    return None

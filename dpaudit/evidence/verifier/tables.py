"""A mechanism given in the certificate itself: rows of probabilities or log-weights, as numbers or expressions.

An entry is a rational ("1/3"), null for an impossible output (log-weights only), or a list: an operation and its
arguments, ["/", ["exp", "-1/2"], "3"]. Operations: + * / ^ exp log sqrt log_gamma pi between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, hull, log_gamma, pi, rational, total
from dpaudit.evidence.verifier.laws import ONE, Law, Probability, Sum, log_sum, of_exact, plus, times

MAX_DEPTH = 60
MAX_TERMS = 400
MAX_POWER = 10**4
SUM_BITS = 512
"""At least with this many bits a row that is not rational must sum to 1."""


class Malformed(Exception):
    """The certificate does not have the form that it should have."""


def number(value: Any, what: str, most: int = 1000) -> Fraction:
    """Returns the exact number that text such as "-3", "2/7", "0.25" or "1e-8" denotes; its size is bounded."""
    if not isinstance(value, str) or len(value) > 2 * most + 40:
        raise Malformed(f"{what} is not a number in text of at most {2 * most + 40} characters")
    match = re.fullmatch(r"-?(\d+/\d+|\d+(\.\d+)?(e[+-]?\d{1,6})?)", value, re.ASCII)
    if match is None or abs(int((match[3] or "e0")[1:])) > most:
        raise Malformed(f"{what} = {value[:40]!r} is not an exact number of reasonable size")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise Malformed(f"{what} = {value[:40]!r} is not an exact number") from None


@dataclass(frozen=True)
class Number:
    """A value in an interval; and exactly, as a quotient of sums of exponentials, where that is possible."""

    interval: Interval
    exact: tuple[Sum, Sum] | None

    def rational(self) -> Fraction | None:
        """Returns the value if it is plainly a rational number."""
        if self.exact is None or self.exact[1] != ONE or not set(self.exact[0]) <= {Fraction(0)}:
            return None
        return self.exact[0].get(Fraction(0), Fraction(0))


def evaluate(entry: Any, bits: int, depth: int = 0) -> Number:
    """Returns the value of an entry."""
    if isinstance(entry, str):
        value = number(entry, "an entry")
        return Number(rational(value, bits), ({Fraction(0): value} if value else {}, ONE))
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str) or depth > MAX_DEPTH:
        raise Malformed("an entry is neither a number nor an operation with arguments")
    if entry == ["pi"]:
        return Number(pi(bits), None)
    if entry[0] == "between" and len(entry) == 3:
        ends = [evaluate(end, bits, MAX_DEPTH) for end in entry[1:]]
        low, high = (end.rational() for end in ends)
        if low is None or high is None or low > high:
            raise Malformed("between wants two numbers, the lower one first")
        return Number(hull(ends[0].interval, ends[1].interval), None)
    parts = [evaluate(argument, bits, depth + 1) for argument in entry[1:]]
    if entry[0] in ("+", "*") and len(parts) > 1:
        return _fold(entry[0], parts, bits)
    if entry[0] in ("/", "^") and len(parts) == 2:
        return _divide(*parts) if entry[0] == "/" else _power(parts[0], parts[1].rational(), bits)
    if entry[0] in ("exp", "log", "sqrt", "log_gamma") and len(parts) == 1:
        return _function(entry[0], parts[0], bits)
    raise Malformed(f"there is no operation {entry[0][:20]!r} of {len(parts)} arguments")


def _fold(operation: str, parts: list[Number], bits: int) -> Number:
    found = parts[0]
    for part in parts[1:]:
        exact = None
        if found.exact and part.exact and len(found.exact[0]) * len(part.exact[0]) <= MAX_TERMS**2:
            (a, b), (c, d) = found.exact, part.exact
            if operation == "*":
                exact = times(a, c), times(b, d)
            elif b == d:
                exact = plus(a, c), b
            else:
                exact = plus(times(a, d), times(c, b)), times(b, d)
            if max(len(exact[0]), len(exact[1])) > MAX_TERMS:
                exact = None
        interval = found.interval * part.interval if operation == "*" else found.interval + part.interval
        found = Number(interval, exact)
    return found


def _divide(a: Number, b: Number) -> Number:
    exact = None
    if a.exact and b.exact:
        if not b.exact[0]:
            raise Malformed("an entry divides by zero")
        exact = times(a.exact[0], b.exact[1]), times(a.exact[1], b.exact[0])
    return Number(a.interval / b.interval, exact)


def _power(base: Number, exponent: Fraction | None, bits: int) -> Number:
    if exponent is None or exponent.denominator != 1 or not 0 < abs(exponent) <= MAX_POWER:
        raise Malformed("an exponent is not a whole number of reasonable size")
    found = _fold("*", [base] * abs(int(exponent)), bits)
    return found if exponent > 0 else _divide(Number(rational(1, bits), (ONE, ONE)), found)


def _function(name: str, argument: Number, bits: int) -> Number:
    value = argument.rational()
    if name == "exp":
        return Number(argument.interval.exp(), None if value is None else ({value: Fraction(1)}, ONE))
    if name == "log_gamma":
        if value is None or not 0 < value < 10**6:
            raise Malformed("log_gamma wants a rational number > 0 of reasonable size")
        return Number(log_gamma(value, bits), None)
    if value is not None and (value < 0 or (value == 0 and name == "log")):
        raise Malformed(f"{name} of {value}")
    return Number(argument.interval.log() if name == "log" else argument.interval.sqrt(), None)


@dataclass
class TableLaw(Law):
    """The rows of the certificate; adjacency is a list of pairs of positions, or every pair."""

    names: list[object]
    columns: list[object]
    pairs: list[tuple[int, int]] | None
    logarithmic: bool
    entries: dict[str, list[Any]]
    bits: int

    def __post_init__(self) -> None:
        self._rows: dict[object, list[Probability]] = {}
        self._links: dict[object, list[object]] = {x: [] for x in self.names}
        for i, j in self.pairs or []:
            self._links[self.names[i]].append(self.names[j])
            self._links[self.names[j]].append(self.names[i])

    def datasets(self) -> list[object]:
        """Returns the names of the data sets."""
        return self.names

    def neighbours(self, x: object) -> list[object]:
        """Returns the data sets paired with x, in either order."""
        return [y for y in self.names if y != x] if self.pairs is None else self._links[x]

    def outputs(self) -> list[object]:
        """Returns the names of the outputs."""
        return self.columns

    def row(self, x: object) -> list[Probability]:
        """Returns the distribution of x; a row that is none is malformed."""
        if x not in self._rows:
            if x not in self.entries:
                raise Malformed(f"the certificate does not hold the row of {str(x)[:40]}")
            entries = self.entries[str(x)]
            found = self._from_weights(entries) if self.logarithmic else self._from_probabilities(entries, str(x))
            self._rows[x] = found
        return self._rows[x]

    def _from_probabilities(self, entries: list[Any], x: str) -> list[Probability]:
        numbers = [evaluate(entry, self.bits) for entry in entries]
        rationals = [value for value in (n.rational() for n in numbers) if value is not None]
        bits = self.bits if len(rationals) == len(numbers) else max(self.bits, SUM_BITS)
        parts = numbers if bits == self.bits else [evaluate(entry, bits) for entry in entries]
        sums_to_one = total([n.interval for n in parts], bits) - rational(1, bits)
        if any(n.interval.hi < 0 for n in numbers):
            raise Malformed(f"the row of {x[:40]} has a negative entry")
        if sums_to_one.sign() is not None and sums_to_one.sign() != 0:
            raise Malformed(f"the row of {x[:40]} does not sum to 1")
        exact = _fold("+", numbers, self.bits).exact
        if exact is not None and exact[0] != exact[1]:
            raise Malformed(f"the row of {x[:40]} does not sum to 1")
        return [self._probability(n) for n in numbers]

    def _probability(self, value: Number) -> Probability:
        if value.exact is not None:
            return of_exact(*value.exact, self.bits)
        return Probability(value.interval.log())

    def _from_weights(self, entries: list[Any]) -> list[Probability]:
        numbers = [None if entry is None else evaluate(entry, self.bits) for entry in entries]
        possible = [n for n in numbers if n is not None]
        rationals = [value for value in (n.rational() for n in possible) if value is not None]
        if not possible:
            raise Malformed("a row makes every output impossible")
        if len(rationals) == len(possible):
            return self._from_rational_weights([None if n is None else n.rational() for n in numbers])
        shift = possible[0].interval
        log_total = total([(n.interval - shift).exp() for n in possible], self.bits).log() + shift
        return [Probability(None) if n is None else Probability(n.interval - log_total) for n in numbers]

    def _from_rational_weights(self, weights: list[Fraction | None]) -> list[Probability]:
        """Returns e^w / sum of e^w, exactly."""
        normaliser: Sum = {}
        for w in weights:
            if w is not None:
                normaliser[w] = normaliser.get(w, Fraction(0)) + 1
        log_total = log_sum(normaliser, self.bits)
        return [
            Probability(None, ({}, ONE))
            if w is None
            else Probability(rational(w, self.bits) - log_total, ({w: Fraction(1)}, normaliser))
            for w in weights
        ]

    def work(self, full: bool) -> int:
        """Returns the size of the entries that are evaluated."""
        chosen = list(self.entries.values()) if full else list(self.entries.values())[:2]
        return sum(_size(entry) for row in chosen for entry in row)


def _size(entry: Any) -> int:
    """Returns the number of evaluations in an entry; a power counts as often as it multiplies."""
    stack, found = [entry], 0
    while stack:
        item = stack.pop()
        found += 3
        if isinstance(item, list):
            stack += item[1:]
            if item[:1] == ["^"] and isinstance(item[-1], str):
                found += abs(int(number(item[-1], "an exponent")))
    return found

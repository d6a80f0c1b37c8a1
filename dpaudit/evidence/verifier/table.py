"""Tables and own mechanisms: rows of expressions, evaluated in intervals, and exactly where that is possible.

When ``Table.row`` returns, its numbers contain the probabilities that the row's entries denote, none is negative, and
they sum to 1: exactly where algebra decides, else to SUM_BITS, and then ``says`` mentions it. An entry is a rational
("1/3"), null for an impossible output (log-weights only), or a list: an operation and its arguments, ["/", ["exp",
"-1/2"], "3"]. Operations: + * / ^ exp log sqrt log_gamma pi; and between two numbers. Nothing is executed.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import Any

from .arithmetic import Malformed, hull, rational, total
from .exact import ONE, ZERO, Number, constant, exponential, form_sum, sign
from .reading import are_counts, number, quoted, shape
from .special import log_gamma, pi
from .subject import ALL, FAMILY, Subject

MAX_DEPTH = 200
ARGUMENTS = {"+": 0, "*": 0, "/": 2, "^": 2, "exp": 1, "log": 1, "sqrt": 1, "log_gamma": 1, "pi": 0}
SUM_BITS, SUM_DIGITS = 515, 155
"""The precision to which a row must sum to 1 where algebra cannot decide."""
SAID = ("nominal_epsilon", "parameters", "source", "source_sha256")
"""What a table says about itself: it is quoted, and nothing depends on it."""


def evaluate(entry: Any, bits: int, depth: int = 0) -> Number:
    """The value of an entry."""
    if isinstance(entry, str):
        return constant(number(entry, "an entry"), bits)
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str) or depth > MAX_DEPTH:
        raise Malformed("an entry is neither a number nor an operation with arguments, or nested too deeply")
    name, count = entry[0], len(entry) - 1
    if name not in ARGUMENTS or (count < 2 if name in "+*" else count != ARGUMENTS[name]):
        raise Malformed(f"there is no operation {quoted(name)} of {count} arguments")
    parts = [evaluate(argument, bits, depth + 1) for argument in entry[1:]]
    if name == "+":
        return Number(total((part.value for part in parts), bits), form_sum(part.form for part in parts))
    if name in "*/":
        return reduce(_product, parts if name == "*" else (parts[0], parts[1].inverse()))
    if name == "^":
        return _power(parts[0], parts[1].rational(), bits)
    return _function(name, parts[0] if parts else constant(ZERO, bits), bits)


def _product(a: Number, b: Number) -> Number:
    """a b, with its form now: nothing deep is left to be found later."""
    found = a * b
    return Number(found.value, found.form)


def _power(base: Number, exponent: Fraction | None, bits: int) -> Number:
    """By squares: a product of n factors that lie in the interval lies in the product of n intervals."""
    if exponent is None or exponent.denominator != 1 or not exponent:
        raise Malformed("an exponent is not a whole number")
    n, square, found = abs(int(exponent)), base if exponent > 0 else base.inverse(), constant(1, bits)
    while n:
        found = _product(found, square) if n & 1 else found
        n >>= 1
        square = _product(square, square) if n else square
    return found


def _function(name: str, argument: Number, bits: int) -> Number:
    value, exact = argument.value, argument.rational()
    if name == "pi":
        return Number(pi(bits))
    if name == "exp":
        return Number(value.exp()) if exact is None else exponential(Fraction(1), exact, bits)
    if name == "log":
        return Number(value.log(), ({}, ONE) if exact == 1 else None)
    if name == "sqrt":
        return constant(ZERO, bits) if argument.is_exactly_zero else Number(value.sqrt())
    return Number(log_gamma(value, bits))


def is_family_name(name: str) -> bool:
    """Whether the text looks like the name of a mechanism of the documents, whatever its case, width and marks."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
    return bare in {known.casefold() for known in FAMILY}


class Table(Subject):
    """The rows of the certificate itself; adjacency is a list of pairs of positions, or every pair."""

    every_row = True

    def __init__(self, subject: dict[str, Any], covers: Any) -> None:
        kinds = {"datasets": list, "outputs": list, "rows": list, "logarithmic": bool, "mechanism": str}
        found = shape(subject, "the subject", {**kinds, **dict.fromkeys(("pairs", *SAID))})
        self.names, self.columns, self.entries, self.logarithmic, self.name, pairs, *self.extra = found
        self.covers = covers
        if is_family_name(self.name):
            raise Malformed(f"a table may not be called {quoted(self.name)}, a mechanism of the family")
        for items in (self.names, self.columns):
            if not all(isinstance(item, str) for item in items) or len(set(items)) < len(items):
                raise Malformed("the names of data sets or outputs are not distinct texts")
        if len(self.entries) != (len(self.names) if covers == ALL else 2):
            raise Malformed("there is not one row for each that is covered")
        if not all(isinstance(row, list) and len(row) == len(self.columns) for row in self.entries):
            raise Malformed("a row has not one entry for each output")
        self.every_pair, self._exact = pairs is None, dict[str, bool]()
        self._links: dict[str, dict[str, None]] = {x: {} for x in self.names}
        pairs = [] if pairs is None else pairs
        if not isinstance(pairs, list) or not all(are_counts(pair, 2, len(self.names) - 1) for pair in pairs):
            raise Malformed("pairs is not a list of pairs of positions of data sets")
        for x, y in ((self.names[i], self.names[j]) for i, j in pairs):
            if x == y or y in self._links[x]:
                raise Malformed("a pair occurs twice, or is none")
            self._links[x][y] = self._links[y][x] = None
        self._given: dict[str, list[Any]] = dict(zip(self.names, self.entries, strict=False)) if covers == ALL else {}

    def counts(self) -> tuple[int, int, int]:
        """Each pair counts in both orders."""
        size, linked = len(self.names), sum(map(len, self._links.values()))
        return size, size * (size - 1) if self.every_pair else linked, len(self.columns)

    def datasets(self) -> Iterable[str]:
        """The names."""
        return list(self.names)

    def links(self, x: str) -> Iterable[str]:
        """The names paired with this one."""
        return self._links[x]

    def held(self, covers: str, x: str, y: str) -> list[str]:
        """The names whose rows are given; it records which row belongs to which."""
        if covers != ALL:
            self._given = dict(zip((x, y), self.entries, strict=True))
        return super().held(covers, x, y)

    def output(self, value: Any) -> int:
        """The position of the output's name."""
        if not isinstance(value, str) or value not in self.columns:
            raise Malformed("output is none of the outputs")
        return int(self.columns.index(value))

    def place(self, value: Any, name: str) -> str:
        """The name of a data set."""
        if not isinstance(value, str) or value not in self.names:
            raise Malformed(f"{name} is not a data set")
        return value

    def row(self, x: str, bits: int) -> list[Number]:
        """The probabilities of x."""
        return (self._from_weights if self.logarithmic else self._from_entries)(x, bits)

    def _entry(self, entry: Any, bits: int) -> Number:
        """The probability: some number between two, or one whose sign is known."""
        if isinstance(entry, list) and entry[:1] == ["between"] and len(entry) == 3:
            low, high = (number(end, "an entry") for end in entry[1:])
            if not 0 <= low <= high:
                raise Malformed("between wants two numbers >= 0, the lower one first")
            return Number(hull(rational(low, bits), rational(high, bits)))
        found = evaluate(entry, bits)
        return found if sign([found]) else constant(ZERO, bits)

    def _from_entries(self, x: str, bits: int) -> list[Number]:
        entries = self._given[x]
        numbers = [self._entry(entry, bits) for entry in entries]
        if any(n.value.hi < 0 for n in numbers):
            raise Malformed(f"the row of {quoted(x)} has a negative entry")
        form = form_sum(n.form for n in numbers if n.form is not None) or ({}, ONE)
        settled = form[0] == form[1]  # those that are known exactly add up to 1, so the others are 0
        if all(n.form is not None for n in numbers) and (settled or form[0] != {}):
            one = self._exact[x] = settled
        else:
            wide, self._exact[x] = max(bits, SUM_BITS), False
            again = [self._entry(entry, wide).value for entry in entries]
            rest = (value for value, n in zip(again, numbers, strict=True) if n.form is None or not settled)
            one = (total(rest, wide) - (not settled)).sign() in (None, 0)
        if not one:
            raise Malformed(f"the row of {quoted(x)} does not sum to 1")
        return numbers

    def _from_weights(self, x: str, bits: int) -> list[Number]:
        """e^w / sum of e^w, also exactly where all w are rational."""
        given = [None if entry is None else evaluate(entry, bits) for entry in self._given[x]]
        weights = [_function("exp", n, bits) for n in given if n is not None]
        if not weights:
            raise Malformed(f"the row of {quoted(x)} makes every output impossible")
        rate = Number(total((w.value for w in weights), bits), form_sum(w.form for w in weights)).inverse()
        self._exact[x], found = True, (w * rate for w in weights)
        return [constant(ZERO, bits) if n is None else next(found) for n in given]

    def says(self) -> tuple[dict[str, Any], str, str]:
        """The words of the table are quoted; missing rows, and rows whose sum algebra cannot verify, are counted."""
        extra = {name: value for name, value in zip(SAID, self.extra, strict=True) if value not in (None, {})}
        held, exact = len(self.entries), sum(self._exact.values())
        apart = len(self._exact) - exact
        members = {"kind": "table", "mechanism": self.name, **extra, "rows": held, "exact": exact}
        words = f"the table in this certificate, which calls itself {quoted(self.name)}"
        for name, value in extra.items():
            words += f", {name.replace('_', ' ')} {quoted(value if isinstance(value, str) else json.dumps(value))}"
        words += f"; it HOLDS ONLY {held} of {len(self.names)} rows" if held < len(self.names) else ""
        words += f"; {apart} of its {held} rows add up to 1 only AS FAR AS {SUM_DIGITS} DIGITS TELL" if apart else ""
        return members, words, "every pair" if self.every_pair else "EXPLICIT LIST"

"""Tables and own mechanisms in mpmath: rows of expressions as their author gave them, epsilon and delta by definition.

It imports the standard library and mpmath only. An entry is the text of a rational, None (a log-weight of an impossible
output), or a list: an operation and its arguments, as in certificates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from mpmath import inf, mp, mpf

Mpf = Any
Row = Sequence[Mpf]
GUARD = 20
FUNCTIONS = {"exp": mp.exp, "log": mp.log, "sqrt": mp.sqrt, "log_gamma": mp.loggamma}


class Unknown(Exception):
    """The reference cannot tell: an entry is no single number, or cancels too far."""


def rational(value: Fraction) -> Mpf:
    """The rational, rounded."""
    return mpf(value.numerator) / value.denominator


def evaluate(entry: Any) -> Mpf:
    """The value of an entry at the precision in force."""
    if isinstance(entry, str):
        return rational(Fraction(entry))
    name, *arguments = entry
    if name == "between":
        raise Unknown("an entry is given as an interval")
    if name == "^":
        return evaluate(arguments[0]) ** int(Fraction(mp.nstr(evaluate(arguments[1]), 30)))
    values = [evaluate(argument) for argument in arguments]
    if name == "pi":
        return +mp.pi
    if name in FUNCTIONS:
        return FUNCTIONS[name](values[0])
    found = values[0]
    for value in values[1:]:
        found = found + value if name == "+" else found * value if name == "*" else found / value
    return found


def _numbers(entries: Sequence[Any], logarithmic: bool) -> list[Mpf]:
    if not logarithmic:
        return [evaluate(entry) for entry in entries]
    weights = [mpf(0) if entry is None else mp.exp(evaluate(entry)) for entry in entries]
    return [weight / mp.fsum(weights) for weight in weights]


def row(entries: Sequence[Any], logarithmic: bool, dps: int) -> Row:
    """The probabilities, right to ``dps`` digits each: two precisions agree; one that vanishes with them is 0."""
    with mp.workdps(dps + GUARD):
        coarse = _numbers(entries, logarithmic)
    with mp.workdps(2 * dps + 2 * GUARD):
        found = []
        for a, b in zip(coarse, _numbers(entries, logarithmic), strict=True):
            if abs(a - b) <= abs(b) * mpf(10) ** -dps:
                found.append(b)
            elif abs(b) < mpf(10) ** -(dps + GUARD):
                found.append(mpf(0))
            else:
                raise Unknown("an entry cancels too far for this many digits")
        if abs(mp.fsum(found) - 1) > mpf(10) ** (3 - dps):
            raise Unknown("a row does not sum to 1")
        return found


def epsilon(rows: dict[Any, Row], pairs: Iterable[tuple[Any, Any]], dps: int) -> Mpf:
    """The largest ln p - ln p' over the ordered pairs and the outputs; inf where p' alone is 0."""
    with mp.workdps(dps + GUARD):
        worst = -inf
        for x, y in pairs:
            for p, q in zip(rows[x], rows[y], strict=True):
                if p and not q:
                    return inf
                if p:
                    worst = max(worst, mp.log(p) - mp.log(q))
        return worst


def delta(rows: dict[Any, Row], pairs: Iterable[tuple[Any, Any]], at: Fraction, dps: int) -> Mpf:
    """The largest sum of max(0, p - e^at p') over the ordered pairs."""
    with mp.workdps(dps + GUARD):
        factor = mp.exp(rational(at))
        sums = (mp.fsum(max(mpf(0), p - factor * q) for p, q in zip(rows[x], rows[y], strict=True)) for x, y in pairs)
        return max(sums, default=mpf(0))

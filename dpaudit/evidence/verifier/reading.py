"""The mechanism, data sets and output of a certificate, taken from its JSON; every size is bounded."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.laws import FAMILY, Law
from dpaudit.evidence.verifier.tables import Malformed, TableLaw, number


def take(document: Any, name: str, kind: type) -> Any:
    """Returns the member of that name, which is of that kind."""
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise Malformed(f"{name} is not a {kind.__name__}")
    return value


def only(document: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    """Refuses a member that is none of the names."""
    unknown = [name for name in document if name not in names]
    if unknown:
        raise Malformed(f"{what} has the unknown member {unknown[0][:40]!r}")


SETTING = ("mechanism", "nominal_epsilon", "parameters")


def read_law(subject: dict[str, Any], bits: int) -> Law:
    """Returns the mechanism that the certificate names, or holds."""
    if "rows" in subject:
        return _read_table(subject, bits)
    name = subject.get("mechanism")
    if not isinstance(name, str) or name not in FAMILY:
        raise Malformed("the mechanism is not one of " + ", ".join(FAMILY))
    kind, names = FAMILY[name]
    only(subject, (*SETTING, "n", "k", "prior", "adjacency"), "the subject")
    if subject.get("adjacency") not in (None, {"kind": "all"}):
        raise Malformed("the adjacency is not known")
    n, prior = take(subject, "n", int), take(subject, "prior", list)
    if not 1 <= n <= 10**6 or not 2 <= len(prior) <= 100 or subject.get("k") != len(prior):
        raise Malformed("n, k and prior do not fit, or are too large")
    alphas = tuple(number(alpha, "prior", 100) for alpha in prior)
    epsilon = number(subject.get("nominal_epsilon"), "nominal_epsilon", 100)
    given = take(subject, "parameters", dict)
    if set(given) != set(names):
        raise Malformed(f"the parameters of {name} are not {', '.join(names) or 'none'}")
    parameters = {p: given[p] if p == "gs" else number(given[p], p, 100) for p in names}
    positive = [*alphas, epsilon, *(value for value in parameters.values() if isinstance(value, Fraction))]
    if min(positive) <= 0 or max(positive) > 10**6 or parameters.get("gs", "exact") not in ("exact", "constant"):
        raise Malformed("prior, epsilon or a parameter is out of range")
    if "delta" in parameters and Fraction(parameters["delta"]) >= 1:
        raise Malformed("delta is not below 1")
    return kind(name, n, alphas, epsilon, parameters, bits, subject.get("adjacency") is not None)


def _read_table(subject: dict[str, Any], bits: int) -> Law:
    only(subject, (*SETTING, "source", "datasets", "outputs", "pairs", "logarithmic", "rows"), "the subject")
    names, columns, rows = (
        take(subject, "datasets", list),
        take(subject, "outputs", list),
        take(subject, "rows", dict),
    )
    for items in (names, columns):
        if not all(isinstance(item, str) for item in items) or len(set(items)) < len(items):
            raise Malformed("the names of data sets or outputs are not distinct texts")
    if len(names) < 2 or not set(rows) <= set(names):
        raise Malformed("there are too few data sets, or rows of unknown ones")
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows.values()):
        raise Malformed("a row has not one entry for each output")
    pairs = subject.get("pairs")
    if pairs is not None:
        if not isinstance(pairs, list) or not all(_is_pair(pair, len(names)) for pair in pairs):
            raise Malformed("pairs is not a list of pairs of positions of data sets")
        if len({frozenset(pair) for pair in pairs}) < len(pairs):
            raise Malformed("a pair occurs twice")
    return TableLaw(names, columns, pairs, take(subject, "logarithmic", bool), rows, bits)


def _is_pair(pair: Any, size: int) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(i) is int and 0 <= i < size for i in pair)
        and pair[0] != pair[1]
    )


def read_dataset(law: Law, value: Any, name: str) -> object:
    """Returns the data set of the mechanism."""
    if isinstance(law, TableLaw):
        if not isinstance(value, str) or value not in law.names:
            raise Malformed(f"{name} is no data set")
        return value
    n, k = law.n, law.k  # type: ignore[attr-defined]
    if not isinstance(value, list) or not all(type(c) is int and c >= 0 for c in value):
        raise Malformed(f"{name} is no histogram")
    if len(value) != k or sum(value) != n:
        raise Malformed(f"{name} is no histogram of {n} records in {k} cells")
    return tuple(value)


def read_output(law: Law, value: Any) -> object:
    """Returns the output of the mechanism."""
    if isinstance(law, TableLaw):
        if not isinstance(value, str) or value not in law.columns:
            raise Malformed("output is none of the outputs")
        return value
    return _output_cells(law, value)


def _output_cells(law: Any, value: Any) -> object:
    cells = law.noised if hasattr(law, "noised") else law.k
    if not isinstance(value, list) or len(value) != cells:
        raise Malformed(f"output is not a list of {cells} counts")
    if not all(type(c) is int and 0 <= c <= law.n for c in value):
        raise Malformed("output is not a list of counts from 0 to n")
    if not hasattr(law, "noised") and sum(value) != law.n:
        raise Malformed("output is no histogram")
    return tuple(value)

"""Does the code have the law that it should have? Exact binomial tests, output by output, with the error shared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.audit.display import Members
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.digits import at_least, at_most
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.names import Names
from dpaudit.privacy.protocols import text
from dpaudit.studies.samples.binomial import lower_bound, upper_bound


@dataclass(frozen=True)
class Fit(Members):
    """ "These counts come from P_x": REFUTED where an output's probability lies outside its bounds, else UNDECIDED.

    The chance to refute the right law, in any row, is at most the level. It is never proved: no number of samples can.
    """

    x: str
    verdict: Verdict
    output: str | None
    count: int | None
    of: int
    why: str

    def to_dict(self) -> dict[str, object]:
        """The members, the verdict as text."""
        return {**super().to_dict(), "verdict": self.verdict.value}


def goodness_of_fit(mechanism: Mechanism, counts: Mapping[str, Mapping[str, int]], level: Fraction) -> tuple[Fit, ...]:
    """For each row, whether its counts refute the mechanism's law; errors of all rows together <= level."""
    outputs = list(mechanism.outputs())
    datasets = rows(mechanism, counts)
    columns = denoted(mechanism, "column", next(iter(counts.values())), outputs)
    place, found = {output: i for i, output in enumerate(outputs)}, []
    for x, row in counts.items():
        share = level / (2 * len(counts) * max(1, len(row)))
        with balls.precision(256):
            law = mechanism.law().probabilities(datasets[x])
        found.append(_row(x, row, {name: balls.ends(law[place[output]]) for name, output in columns.items()}, share))
    return tuple(found)


def rows(mechanism: Mechanism, names: Iterable[str], option: str = "COUNTS") -> dict[str, Any]:
    """The data set that each name denotes; a name of none is refused."""
    denoted_rows = denoted(mechanism, "row", names, mechanism.datasets(), option)
    for x in names:
        if x not in denoted_rows:
            raise InputError(option, x, f"is not a data set of {mechanism.name}, the mechanism of --mech")
    return denoted_rows


def denoted(
    mechanism: Mechanism, kind: str, names: Iterable[str], values: Iterable[Any], option: str = "COUNTS"
) -> dict[str, Any]:
    """The data set or output that each name denotes, where it denotes one; two names of one are refused."""
    known = Names(values)
    found = {name: value for name in names for value in known.find(option, name)}
    first: dict[Any, str] = {}
    for name, value in found.items():
        if first.setdefault(value, name) != name:
            rule = f"is the same {kind} of {mechanism.name} as {first[value]}: {text(value)}"
            raise InputError(option, name, rule)
    return found


def _row(x: str, row: Mapping[str, int], law: Mapping[str, tuple[Fraction, Fraction]], level: Fraction) -> Fit:
    total = sum(row.values())
    for output, count in row.items():
        known = law.get(output)
        if known is None and not count:
            continue
        if known is None:
            raise InputError("COUNTS", output, "is not an output of the mechanism of --mech")
        least, most = known
        if count and most == 0:
            return Fit(x, Verdict.REFUTED, output, count, total, "impossible by the law, and seen")
        if most < lower_bound(count, total, level):
            return Fit(x, Verdict.REFUTED, output, count, total, f"too often: at most {at_most(most, 4)} by the law")
        if least > upper_bound(count, total, level):
            return Fit(
                x, Verdict.REFUTED, output, count, total, f"too rarely: at least {at_least(least, 4)} by the law"
            )
    return Fit(x, Verdict.UNDECIDED, None, None, total, "nothing in these counts contradicts the law")

"""The result of a check: a verdict with its evidence, frozen and picklable; without evidence it is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpaudit.audit.display import Members
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict

FOR_ALL = "for all"
THERE_IS = "there is"
ORDER = "O(.)"
QUANTIFIERS = (FOR_ALL, THERE_IS, ORDER)

BY_ALGEBRA = "for all n, by algebra"
COMPUTER_ASSISTED = "for all n, computer-assisted"
"""A proof for all values that contains inequalities which only balls decide: interval arithmetic, not algebra."""
EVERYWHERE = (BY_ALGEBRA, COMPUTER_ASSISTED)
"""What a theorem establishes."""
PARTS_EVERYWHERE = {BY_ALGEBRA: "by algebra", COMPUTER_ASSISTED: "computer-assisted"}
"""The words for a part that itself says for which values it is proved: every n, one n, or no n at all."""
ON_GRID = "exhaustive on the grid"
BY_COUNTEREXAMPLE = "by counterexample"
BY_WITNESS = "by witness"
NO_WITNESS = "no witness on the grid"
MEASURED = "measured"
NOTHING = "nothing"
ESTABLISHES = (*EVERYWHERE, ON_GRID, BY_COUNTEREXAMPLE, BY_WITNESS, NO_WITNESS, MEASURED, NOTHING)


class Evidence(Members):
    """A dataclass whose JSON has only what it has: no member is null or empty."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON; numbers are decimal strings, rounded outward."""
        return {name: value for name, value in super().to_dict().items() if value not in (None, [], "")}


@dataclass(frozen=True)
class Step(Members):
    """One line of a worked example: a label, the formula with its numbers, the value."""

    label: str
    formula: str
    value: str


@dataclass(frozen=True)
class Quantity:
    """A number with its meaning; the true value lies in ``value``."""

    meaning: str
    value: Enclosure

    def to_dict(self) -> dict[str, str]:
        """The meaning and both ends."""
        return {"meaning": self.meaning, **self.value.to_dict()}


@dataclass(frozen=True)
class Instance(Members):
    """One instance of the statement with its values: counterexample, witness or tightest case.

    ``margin`` contains right - left (left - right for > and >=): negative where an inequality fails, exactly 0 at a
    tie. ``parameters`` are exact text.
    """

    parameters: Mapping[str, str]
    left: Quantity
    relation: str
    right: Quantity
    margin: Enclosure
    steps: tuple[Step, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Table(Members):
    """What was measured: a heading and rows of exact text or of enclosures as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Part(Evidence):
    """A sub-statement with its own verdict: a half that holds, a repaired form, a second definition that was tried."""

    statement: str
    verdict: Verdict
    establishes: str
    instance: Instance | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Outcome(Evidence):
    """The verdict on one claim with the evidence that this verdict requires."""

    verdict: Verdict
    establishes: str
    counterexample: Instance | None = None
    witness: Instance | None = None
    tightest: Instance | None = None
    table: Table | None = None
    steps: tuple[Step, ...] = ()
    finding: str = ""
    parts: tuple[Part, ...] = ()
    grid: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.establishes not in ESTABLISHES:
            raise ValueError(f"establishes must be one of {ESTABLISHES}, not {self.establishes!r}")
        missing = self._missing()
        if missing:
            raise ValueError(f"{self.verdict.value} ({self.establishes}) must carry {missing}")

    def _missing(self) -> str:
        """The evidence that is owed and not there."""
        if self.verdict is Verdict.REFUTED and self.counterexample is None:
            return "a counterexample"
        if self.verdict is Verdict.MEASURED and self.table is None:
            return "a table"
        if self.establishes == ON_GRID and self.tightest is None:
            return "the tightest instance"
        if self.establishes == BY_WITNESS and self.witness is None:
            return "a witness"
        if (self.establishes in EVERYWHERE or self.verdict is Verdict.IMPOSSIBLE) and not self.steps:
            return "the steps of the proof"
        return ""

    @property
    def instance(self) -> tuple[str, Instance] | None:
        """The instance that matters most, with its role."""
        for role in ("counterexample", "witness", "tightest"):
            found = getattr(self, role)
            if found is not None:
                return role, found
        return None

    def part(self, statement: str) -> Part:
        """This outcome as a part of a larger one; ``statement`` names it, with its grid."""
        instance = self.instance
        strength = PARTS_EVERYWHERE.get(self.establishes, self.establishes)
        return Part(statement, self.verdict, strength, instance[1] if instance else None, self.steps)

    def having(self, finding: str = "", parts: Sequence[Part] = ()) -> Outcome:
        """The same outcome with a one-line summary and its parts."""
        return replace(self, finding=finding or self.finding, parts=(*self.parts, *parts))

    def with_table(self, table: Table) -> Outcome:
        """The same outcome with a table of numbers beside it."""
        return replace(self, table=table)

    def on(self, grid: str) -> Outcome:
        """The same outcome with the words for its grid."""
        return replace(self, grid=grid)

    def to_dict(self) -> dict[str, Any]:
        """establishes, grid, verdict and the evidence that there is."""
        return {"establishes": self.establishes, "grid": self.grid, **super().to_dict()}


def measured(table: Table, finding: str) -> Outcome:
    """MEASURED with its table; ``finding`` is the one line that sums it up."""
    return Outcome(Verdict.MEASURED, MEASURED, table=table, finding=finding)

"""Outcomes in words: the one line of the table and the page, the worked example of --explain."""

from __future__ import annotations

from collections.abc import Iterator

from dpaudit.claims.outcome import (
    COMPUTER_ASSISTED,
    EVERYWHERE,
    MEASURED,
    ON_GRID,
    PARTS_EVERYWHERE,
    Instance,
    Outcome,
    Part,
    Step,
)
from dpaudit.claims.proof import Proof
from dpaudit.claims.shown import brief, symbol
from dpaudit.numbers.digits import equated, powers
from dpaudit.numbers.verdict import Verdict

SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠"}


def on_its_grid(verdict: Verdict, establishes: str) -> str:
    """The words " on its grid" of a "for all" that was proved on a grid only: they belong right behind the verdict."""
    return " on its grid" if verdict is Verdict.PROVED and establishes == ON_GRID else ""


def extent(outcome: Outcome) -> str:
    """How far the verdict reaches, in words that cannot be misread as a theorem."""
    if outcome.establishes in EVERYWHERE:
        return outcome.establishes
    grid = powers(outcome.grid or "")
    if outcome.establishes == ON_GRID:
        return f"ON THE GRID ONLY: {grid}"
    if outcome.verdict is Verdict.REFUTED:
        return f"{outcome.establishes} (search in order: {grid})"
    if outcome.establishes == MEASURED:
        return f"measured on: {grid}"
    return f"{outcome.establishes}: {grid}"


def setting(instance: Instance) -> str:
    """The parameters: "n = 2, x = (1, 1), ε = 1"."""
    return ", ".join(f"{symbol(name)} = {value}" for name, value in instance.parameters.items())


def line(instance: Instance) -> str:
    """The instance in one line: its parameters and both sides."""
    left, right = instance.left, instance.right
    bound = brief(right.value)
    sides = equated(left.meaning, brief(left.value))
    sides += f" (claimed {_sign(instance)} {bound})" if right.meaning == bound else f", {equated(right.meaning, bound)}"
    tie = " (tie)" if instance.margin.is_exact and instance.margin.contains(0) else ""
    where = setting(instance)
    return f"{where}: {sides}{tie}" if where else f"{sides}{tie}"


def _sign(instance: Instance) -> str:
    return SIGNS.get(instance.relation, instance.relation)


def summary(outcome: Outcome) -> str:
    """One line: the finding if there is one, and the counterexample, witness or tightest instance."""
    found = outcome.instance
    parts = [outcome.finding] if outcome.finding else []
    if found is not None:
        role, instance = found
        parts.append(f"{role}: {line(instance)}")
    return powers("; ".join(parts))


def explain(outcome: Outcome) -> Iterator[str]:
    """Yields the worked example, line by line, in numbers that a reader can check by hand."""
    found = outcome.instance
    if found is not None:
        role, instance = found
        yield f"{role}: {powers(setting(instance))}"
        yield from _steps(instance.steps)
        yield from _verdict(instance)
    if outcome.steps:
        yield "proof:" if outcome.establishes in EVERYWHERE else "steps:"
        yield from _steps(outcome.steps)
    for part in outcome.parts:
        yield f"part: {part.statement}: {part.verdict.value} ({part.establishes})"
        if part.instance is not None:
            yield f"  {powers(line(part.instance))}"
        yield from _steps(part.steps)


def _steps(steps: tuple[Step, ...]) -> Iterator[str]:
    for number, step in enumerate(steps, 1):
        formula = f"{step.formula} = " if step.formula else ""
        yield f"  {number}. {step.label}: {formula}{step.value}"


def _verdict(instance: Instance) -> Iterator[str]:
    yield f"  claimed: {instance.left.meaning} {_sign(instance)} {instance.right.meaning}"
    yield f"  left     {instance.left.value}"
    yield f"  right    {instance.right.value}"
    difference = "left − right" if instance.relation in (">", ">=") else "right − left"
    note = f"; {instance.note}" if instance.note else ""
    yield f"  margin   {instance.margin}   ({difference}{note})"


# ------------------------------------------------------------------ parts


def annotate(outcome: Outcome, *entries: tuple[str, Outcome | Proof] | Part) -> Outcome:
    """The outcome with further statements as its parts, each with the verdict that was computed for it.

    The finding, the one line that a reader sees first, lists them; the lines of a proof are the steps of its part.
    """
    parts = [entry if isinstance(entry, Part) else entry[1].part(entry[0]) for entry in entries]
    remarks = [f"{part.statement}: {part.verdict.value}{_reach(part)}" for part in parts]
    return outcome.having("; ".join(filter(None, (outcome.finding, *remarks))), parts)


def _reach(found: Part) -> str:
    """Where a part fails, or how far it reaches, in few words."""
    if found.verdict is Verdict.REFUTED and found.instance is not None:
        return f" at {setting(found.instance)}"
    if found.establishes == ON_GRID:
        return " on its grid only" if found.instance else ", certified row by row"
    if found.establishes == PARTS_EVERYWHERE[COMPUTER_ASSISTED]:
        return f", {found.establishes}"
    return f" {found.establishes}" if found.establishes in PARTS_EVERYWHERE.values() else ""

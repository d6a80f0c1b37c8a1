"""dpaudit explain."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit import explanation
from dpaudit.commands.options import MECH, Given, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.errors import InputError


def explain(
    setting: Given,
    effort: Annotated[dict[str, Any], "digits=6", "memory", "progress", "tier"],
    value: Annotated[
        str | None, typer.Argument(metavar="[EPSILON]", help="The ε to be explained; --epsilon says the same.")
    ] = None,
    epsilon: Annotated[
        str | None, option("--epsilon", "RATIONAL", "The ε to be explained, >= 0; without --mech --eps is the same.")
    ] = None,
    delta: Annotated[
        str | None, option("--delta", "RATIONAL", "The δ that goes with it; with --mech a parameter of the mechanism.")
    ] = None,
    mech: Annotated[str | None, MECH] = None,
    beliefs: Annotated[
        str, option("--beliefs", "P,…", "What was believed before: probabilities that the record is what it is.")
    ] = explanation.BELIEFS,
    rates: Annotated[
        str, option("--rates", "P,…", "False positive rates of tests for one record.")
    ] = explanation.RATES,
    people: Annotated[str, option("--people", "N,…", "Sizes of groups.")] = explanation.PEOPLE,
    releases: Annotated[
        str, option("--releases", "N,…", "Numbers of releases of the same data.")
    ] = explanation.RELEASES,
) -> Shown:
    """What ε means for a person: the best guess, tests, beliefs, groups, several releases. All bounds are certified.

    With --mech the true ε is audited first, and the best guess from this mechanism itself is shown too.

    Examples:

    dpaudit explain 0.4

    dpaudit explain --epsilon 1 --delta 1e-5 --beliefs 1/1000

    dpaudit explain --mech EHDS --n 100
    """
    if value is not None and (epsilon is not None or mech is not None):
        rule = "is said twice" if mech is None else "is audited where a mechanism is given; its nominal one is --eps"
        raise InputError("epsilon", value, rule)
    epsilon = value if epsilon is None else epsilon
    asked: dict[str, Any] = {"beliefs": beliefs, "rates": rates, "people": people, "releases": releases}
    return Reply(explanation.explain(epsilon, delta=delta, mech=mech, **asked, **effort, **setting))

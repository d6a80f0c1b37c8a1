"""dpaudit explain."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit import explanation
from dpaudit.commands.options import MECH, Given, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.mechanisms import REGISTRY
from dpaudit.mechanisms.source import is_own
from dpaudit.numbers.errors import InputError


def explain(
    setting: Given,
    effort: Annotated[dict[str, Any], "digits=6", "memory", "progress", "tier"],
    value: Annotated[
        str | None,
        typer.Argument(metavar="[EPSILON]", help="The ε to explain; same as --epsilon. Or a mechanism, as --mech."),
    ] = None,
    epsilon: Annotated[
        str | None, option("--epsilon", "RATIONAL", "The ε to explain, >= 0; without --mech, --eps means the same.")
    ] = None,
    delta: Annotated[
        str | None,
        option("--delta", "RATIONAL", "The δ to explain with it; with --mech, a parameter of the mechanism."),
    ] = None,
    mech: Annotated[str | None, MECH] = None,
    event: Annotated[
        list[str] | None,
        typer.Option("--event", metavar="EVENT", help="A release of a pipeline, as in `dpaudit account`; repeatable."),
    ] = None,
    beliefs: Annotated[
        str, option("--beliefs", "P,…", "Beliefs before the release: probabilities of the true record.")
    ] = explanation.BELIEFS,
    rates: Annotated[
        str, option("--rates", "P,…", "False positive rates of tests for one record.")
    ] = explanation.RATES,
    people: Annotated[str, option("--people", "N,…", "Sizes of groups.")] = explanation.PEOPLE,
    releases: Annotated[
        str, option("--releases", "N,…", "Numbers of releases of the same data.")
    ] = explanation.RELEASES,
) -> Shown:
    """What ε means for a person: best guess, tests, beliefs, groups, several releases. All bounds are certified.

    With --mech: audit the true ε first, and also compute the best guess from this mechanism itself.

    With --event and --delta: bound the ε of the whole composition first, and the best guess from all its releases.

    Examples:

    dpaudit explain 0.4

    dpaudit explain --epsilon 1 --delta 1e-5 --beliefs 1/1000

    dpaudit explain --mech EHDS --n 100

    dpaudit explain --event "gaussian:sigma=10 x 100" --delta 1e-6
    """
    if value is not None and epsilon is None and mech is None and is_known(value):
        value, mech = None, value
    if value is not None and (epsilon is not None or mech is not None):
        rule = "is given twice" if mech is None else "with --mech the true ε is audited; --eps is the nominal ε"
        raise InputError("epsilon", value, rule)
    epsilon = value if epsilon is None else epsilon
    asked: dict[str, Any] = {"beliefs": beliefs, "rates": rates, "people": people, "releases": releases}
    if event:
        if mech is not None or epsilon is not None or setting:
            raise InputError("event", event[0], "its ε is computed: give --delta, and neither --mech nor an ε")
        from dpaudit.audit.explained_account import explain_account

        return Reply(explain_account(event, delta=delta, digits=effort["digits"], progress=effort["progress"], **asked))
    return Reply(explanation.explain(epsilon, delta=delta, mech=mech, **asked, **effort, **setting))


def is_known(text: str) -> bool:
    """Whether the text is a mechanism's name, or refers to a user's own."""
    return text.strip().lower() in (name.lower() for name in REGISTRY) or is_own(text)

"""dpaudit samples: a lower bound on ε from counts of outputs."""

from __future__ import annotations

from typing import Annotated

import typer

from dpaudit.audit.setting import settled
from dpaudit.commands.options import Given, Shown, Watched, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.errors import InputError


def samples(
    setting: Given,
    effort: Watched,
    file: Annotated[
        str | None, typer.Argument(metavar="COUNTS", help="counts.csv: one row per data set, one column per output.")
    ] = None,
    mech: Annotated[
        str | None, option("--mech", "NAME", "The law that the code should have, with its setting.")
    ] = None,
    draw: Annotated[
        str | None, option("--draw", "N", "Run --mech N times on each data set; COUNTS, if named, is written.")
    ] = None,
    event: Annotated[str | None, option("--event", "R,S,…", "The event named in advance: a set of outputs.")] = None,
    pair: Annotated[str | None, option("--pair", "X,X′", "The two data sets named in advance.")] = None,
    confidence: Annotated[
        str, option("--confidence", "C", "All statements hold together with this confidence.")
    ] = "999/1000",
    claim: Annotated[
        str | None, option("--claim", "GUARANTEE", "The guarantee to refute: 1, eps=1 or eps=1,delta=1e-5.")
    ] = None,
    at: Annotated[str | None, option("--at", "C,…", "Print the most that events of this probability can show.")] = None,
) -> Shown:
    """A lower bound on ε from samples, for code that cannot be followed: "ε ≥ … with confidence 0.999".

    Certified Clopper–Pearson bounds. Sampling can refute privacy but never prove it. Name the event and the pair before
    you sample; without them every output and every ordered pair counts as a test.

    Examples:

    dpaudit samples counts.csv --event yes --pair no,yes --claim 1

    dpaudit samples counts.csv --mech dpaudit.examples.randomized_response:RandomizedResponse --at 1/100

    dpaudit samples --draw 10000 --mech mine.py:Mine   # draw(x) or sample(x, rng) is run, not followed
    """
    from dpaudit.studies.samples.samples import samples as compute

    if mech is None and setting:
        name = next(iter(setting))
        raise InputError(name, setting[name], "needs --mech, the law that the code should have")
    law = None if mech is None else settled(mech, **setting)
    result = compute(
        file, event=event, pair=pair, confidence=confidence, claim=claim, at=at or (), law=law, draw=draw, **effort
    )
    return Reply(result)

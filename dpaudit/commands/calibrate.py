"""dpaudit calibrate."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.commands.audits import theorem
from dpaudit.commands.options import MECH, Certified, Effort, Given, Wanted, option
from dpaudit.commands.reply import Reply
from dpaudit.forall.theorem import Theorem
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.guarantee import EpsilonDelta

EVENT = typer.Option(
    "--event",
    metavar="EVENT",
    help="Instead of --mech: a release as in `dpaudit account`, with ? for the unknown: gaussian:sigma=?, "
    "laplace:scale=?, rate=?, x ?. Repeatable; there is one ? in all.",
)


def calibrate(
    setting: Given,
    effort: Effort,
    wanted: Wanted,
    target: Annotated[
        str, option("--target", "RATIONAL", "The largest true ε allowed; with --event also eps=1,delta=1e-5.")
    ] = "1",
    mech: Annotated[str | None, MECH] = None,
    event: Annotated[list[str] | None, EVENT] = None,
    over: Annotated[str, option("--over", "eps|gamma", "Search the nominal ε, or also the best γ (EHDS, MH).")] = "eps",
    x: Annotated[
        str | None,
        option("--x", "A,B,…", "With --over gamma: the data on which to compare mean errors. Default: balanced."),
    ] = None,
    gammas: Annotated[str | None, option("--gammas", "G,…", "With --over gamma: try these γ only.")] = None,
) -> Certified:
    """The largest nominal ε whose true ε is certified to be at most the target.

    With --event: the smallest σ (or scale; the largest ε, rate or number of times) with which a whole pipeline is
    certified to keep (ε, δ).

    Examples:

    dpaudit calibrate --mech EHDS --n 100 --target 1

    dpaudit calibrate --mech EHDS --n all --target 1   # safe for every n

    dpaudit calibrate --mech MH --n 40 --target 1/2 --over gamma

    dpaudit calibrate --mech EHDS --n 20 --target 1 --certificate safe.json

    dpaudit calibrate --event "gaussian:sigma=?,rate=1/100 x 1000" --target eps=1,delta=1e-5
    """
    from dpaudit.studies.calibrate.dispatch import calibrate as calibrate_epsilon
    from dpaudit.studies.calibrate.every_n import statements
    from dpaudit.studies.calibrate.gammas import calibrate_gamma

    if event:
        alone({"mech": mech, **setting, "x": x, "gammas": gammas, **wanted}, over)
        from dpaudit.studies.calibrate.releases import calibrate_releases

        return Reply(calibrate_releases(event, target, progress=effort["progress"]))
    if mech is None:
        rule = "name a mechanism, or a pipeline with ? for one parameter: --event gaussian:sigma=?"
        raise InputError("mech", "(missing)", rule)
    setting["mech"] = mech
    refuse(over, {"x": x, "gammas": gammas}, {"gamma": setting.get("gamma"), **wanted})
    if "eps" in setting:
        raise InputError("eps", setting["eps"], "calibrate computes it: leave it out")
    if over == "gamma":
        many = calibrate_gamma(target=target, x=x, gammas=gammas, **effort, **setting)
        return Reply(many)
    result = calibrate_epsilon(target=target, **effort, **setting)
    if isinstance(result, Theorem):
        return replace(theorem(result), certified=lambda: statements(result))
    return Reply(result, certified=lambda: bounded(result, effort))


def alone(others: dict[str, Any], over: str) -> None:
    """Refuses options that do not go with --event."""
    for name, value in {**others, "over": None if over == "eps" else over}.items():
        if value is not None:
            certify = "; `dpaudit account --certificate` writes one" if name == "certificate" else ""
            raise InputError(name, value, f"cannot be used with --event{certify}")


def bounded(result: Any, effort: dict[str, Any]) -> list[Any]:
    """The audits at the nominal epsilon found and at the next one up, judged by the target."""
    limit = EpsilonDelta(result.target)
    beyond = [result.subject.at(eps=result.beyond.nominal)] if result.beyond else []
    chosen = (result.subject, *beyond)
    return [audit.epsilon(setting, **{**effort, "progress": None}, claim=limit) for setting in chosen]


def refuse(over: str, only_gamma: dict[str, str | None], never: dict[str, str | None]) -> None:
    """Refuses an unknown --over, and options that do not go with it."""
    if over not in ("eps", "gamma"):
        raise InputError("over", over, "must be eps or gamma")
    for name, value in (never if over == "gamma" else only_gamma).items():
        if value is not None:
            raise InputError(name, value, f"cannot be used with --over {over}")

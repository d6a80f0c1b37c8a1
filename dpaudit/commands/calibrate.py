"""dpaudit calibrate."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from dpaudit.audit import questions as audit
from dpaudit.commands.audits import theorem
from dpaudit.commands.drawing import Line, cells, fields, listing, subject_rows
from dpaudit.commands.options import Certified, Effort, Given, Wanted, option
from dpaudit.commands.reply import Reply
from dpaudit.forall.theorem import Theorem
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.guarantee import EpsilonDelta


def calibrate(
    setting: Given,
    effort: Effort,
    wanted: Wanted,
    target: Annotated[str, option("--target", "RATIONAL", "The true ε that must not be exceeded.")] = "1",
    over: Annotated[str, option("--over", "eps|gamma", "Search the nominal ε, or also the best γ (EHDS, MH).")] = "eps",
    x: Annotated[
        str | None, option("--x", "A,B,…", "With --over gamma: the data whose mean error decides; balanced.")
    ] = None,
    gammas: Annotated[str | None, option("--gammas", "G,…", "With --over gamma: try these γ only.")] = None,
) -> Certified:
    """The largest nominal ε whose true ε is certified to be at most the target.

    Examples:

    dpaudit calibrate --mech EHDS --n 100 --target 1

    dpaudit calibrate --mech EHDS --n all --target 1   # safe for every n

    dpaudit calibrate --mech MH --n 40 --target 1/2 --over gamma

    dpaudit calibrate --mech EHDS --n 20 --target 1 --certificate safe.json
    """
    from dpaudit.calibration.dispatch import calibrate as calibrate_epsilon
    from dpaudit.calibration.gammas import calibrate_gamma

    refuse(over, {"x": x, "gammas": gammas}, {"gamma": setting.get("gamma"), **wanted})
    if "eps" in setting:
        raise InputError("eps", setting["eps"], "is what is calibrated: leave it out")
    if over == "gamma":
        many = calibrate_gamma(target=target, x=x, gammas=gammas, **effort, **setting)
        return Reply(many, lambda console: draw_gammas(console, many))
    result = calibrate_epsilon(target=target, **effort, **setting)
    if isinstance(result, Theorem):
        return replace(theorem(result), certified=lambda: result.theorem)
    return Reply(result, lambda console: draw(console, result), certified=lambda: bounded(result, effort))


def bounded(result: Any, effort: dict[str, Any]) -> list[Any]:
    """Returns the audits at the nominal epsilon found and at the next one up, judged by the target."""
    limit = EpsilonDelta(result.target)
    beyond = [result.subject.at(eps=result.beyond.nominal)] if result.beyond else []
    chosen = (result.subject, *beyond)
    return [audit.epsilon(setting, **{**effort, "progress": None}, guarantee=limit) for setting in chosen]


def refuse(over: str, only_gamma: dict[str, str | None], never: dict[str, str | None]) -> None:
    """Refuses an unknown --over, and options that do not go with it."""
    if over not in ("eps", "gamma"):
        raise InputError("over", over, "must be eps or gamma")
    for name, value in (never if over == "gamma" else only_gamma).items():
        if value is not None:
            raise InputError(name, value, f"does not go with --over {over}")


def draw(console: Any, result: Any) -> None:
    """Draws the result."""
    rows: list[Line] = [
        *subject_rows(result.subject),
        ("target", f"true ε ≤ {result.target}"),
        ("nominal ε", f"[bold]{result.nominal}[/] = {float(result.nominal):.8g}, {gain(result)} × the target"),
        ("true ε", f"{result.true_epsilon}"),
    ]
    if result.beyond:
        rows.append(("next up", f"{result.beyond.nominal}: true ε = {result.beyond.true}"))
    if result.closed_form:
        rows.append(("closed form", f"true ε = {result.closed_form}, for every ε > 0"))
    else:
        rising = "rise strictly" if result.monotone else "do not rise strictly"
        rows.append(("evaluated", f"{len(result.points)} certified points, whose true ε {rising}"))
    fields(console, [*rows, ("assumes", result.assumption), ("effort", f"{result.seconds:.3f} s")], result)


def gain(result: Any) -> str:
    """Returns nominal over target to 4 digits."""
    return f"{float(result.nominal / result.target):.4g}"


def draw_gammas(console: Any, result: Any) -> None:
    """Draws the table of gammas with the best one marked."""
    best = result.best
    rows = [
        ("mechanism", result.subject.mechanism.name),
        ("target", f"true ε ≤ {result.target}"),
        ("data x", cells(result.x)),
        ("best γ", f"[bold]{best.gamma}[/], nominal ε {best.calibrated.nominal}, mean error {best.mean}"),
    ]
    if len(result.equal) > 1:
        rows.append(("equal to 6 digits", ", ".join(str(gamma) for gamma in result.equal)))
    fields(console, rows, result)
    tried = [(row.gamma, row.calibrated.nominal, row.calibrated.true_epsilon, row.mean) for row in result.tried]
    listing(console, ["γ", "nominal ε", "true ε", "mean error"], tried, bold=result.tried.index(best))

"""dpaudit calibrate."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.commands import common
from dpaudit.commands.audits import escape_brackets, subject_rows
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.guarantee import EpsilonDelta

Target = Annotated[str, typer.Option("--target", metavar="RATIONAL", help="The true ε that must not be exceeded.")]


def calibrate(
    mech: common.Mech,
    n: common.N = None,
    k: common.K = None,
    prior: common.Prior = None,
    target: Target = "1",
    over: Annotated[
        str, typer.Option("--over", metavar="eps|gamma", help="Search the nominal ε, or also the best γ (EHDS, MH).")
    ] = "eps",
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="A,B,…", help="With --over gamma: the data whose mean error decides; balanced."),
    ] = None,
    gammas: Annotated[
        str | None, typer.Option("--gammas", metavar="G,…", help="With --over gamma: try these γ only.")
    ] = None,
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    gs: common.Gs = None,
    score: common.Score = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    set_: common.Set = None,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """The largest nominal ε whose true ε is certified to be at most the target.

    Examples:

    dpaudit calibrate --mech EHDS --n 100 --target 1

    dpaudit calibrate --mech MH --n 40 --target 1/2 --over gamma

    dpaudit calibrate --mech EHDS --n 20 --target 1 --certificate safe.json
    """
    from dpaudit.calibration import gammas as by_gamma
    from dpaudit.calibration import nominal as calibration

    never = {"gamma": gamma, "delta-param": delta_param, "gs": gs, "score": score, "certificate": certificate}
    refuse(over, {"x": x, "gammas": gammas}, never)
    with common.progress_bar(f"{mech}: data sets") as progress:
        bytes_ = memory_bytes(memory)
        if over == "gamma":
            many = by_gamma.calibrate_gamma(
                mech, "(missing)" if n is None else n, k, prior, target, x, gammas, digits, progress, bytes_
            )
            emit(many.to_dict(), lambda console: draw_gammas(console, many), as_json, out)
            return
        result = calibration.calibrate(
            mech,
            n,
            k,
            prior,
            target,
            gamma,
            delta_param,
            gs,
            score,
            digits,
            progress,
            bytes_,
            common.settings(set_),
        )
    emit(result.to_dict(), lambda console: draw(console, result), as_json, out)
    if certificate is not None:
        options = (gamma, delta_param, gs, score, common.settings(set_))
        next_up = result.beyond
        beyond = audit.mechanism(mech, n, k, prior, str(next_up.nominal), *options) if next_up else None
        common.certify(bounded(result, beyond, digits, bytes_), certificate)


def bounded(result: Any, beyond: Any, digits: str, memory: int) -> list[Any]:
    """Returns the audits at the nominal epsilon found and at the next one up, judged by the target."""
    limit = EpsilonDelta(result.target)
    chosen = [mechanism for mechanism in (result.subject.mechanism, beyond) if mechanism is not None]
    return [audit.epsilon(mechanism, digits=digits, memory=memory, guarantee=limit) for mechanism in chosen]


def refuse(over: str, only_gamma: dict[str, str | None], never: dict[str, str | None]) -> None:
    """Refuses an unknown --over, and options that do not go with it."""
    if over not in ("eps", "gamma"):
        raise InputError("over", over, "must be eps or gamma")
    for name, value in (never if over == "gamma" else only_gamma).items():
        if value is not None:
            raise InputError(name, value, f"does not go with --over {over}")


def draw(console: Any, result: Any) -> None:
    """Draws the result."""
    rows = [
        *subject_rows(result.subject.mechanism),
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
    rows += [("assumes", result.assumption), ("effort", f"{result.seconds:.3f} s")]
    fields(console, escape_brackets(rows))


def gain(result: Any) -> str:
    """Returns nominal over target to 4 digits."""
    return f"{float(result.nominal / result.target):.4g}"


def draw_gammas(console: Any, result: Any) -> None:
    """Draws the table of gammas with the best one marked."""
    from rich.markup import escape
    from rich.table import Table

    best = result.best
    rows = [
        ("mechanism", result.mechanism),
        ("target", f"true ε ≤ {result.target}"),
        ("data x", cells(result.x)),
        ("best γ", f"[bold]{best.gamma}[/], nominal ε {best.calibrated.nominal}, mean error {best.mean}"),
    ]
    if len(result.equal) > 1:
        rows.append(("equal to 6 digits", ", ".join(str(gamma) for gamma in result.equal)))
    fields(console, escape_brackets(rows))
    table = Table("γ", "nominal ε", "true ε", "mean error")
    for row in result.tried:
        values = (row.gamma, row.calibrated.nominal, row.calibrated.true_epsilon, row.mean)
        table.add_row(*(escape(str(value)) for value in values), style="bold" if row is best else None)
    console.print(table)

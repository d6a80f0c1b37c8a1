"""Calibrations as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.page import Fields, Line, Page, Table, Words, strong
from dpaudit.audit.words import again, answered
from dpaudit.numbers.digits import at_least, rough

if TYPE_CHECKING:
    from dpaudit.calibration.gammas import GammaResult
    from dpaudit.calibration.nominal import CalibrateResult


def page(result: CalibrateResult) -> Page:
    """Returns the nominal epsilon found, and what it rests on."""
    gain = rough(result.nominal / result.target, 4)
    nominal = Words(strong(result.nominal), f" = {at_least(result.nominal, 8)}, {gain} × the target")
    rows: list[Line] = [
        ("target", f"true ε ≤ {result.target}"),
        ("nominal ε", nominal),
        ("true ε", result.true_epsilon),
    ]
    if result.beyond:
        rows.append(("next up", Words(f"{result.beyond.nominal}: true ε = ", result.beyond.true)))
    if result.closed_form:
        rows.append(("closed form", f"true ε = {result.closed_form}, for every ε > 0"))
    else:
        rising = "rise strictly" if result.monotone else "do not rise strictly"
        rows.append(("evaluated", f"{len(result.points)} certified points, whose true ε {rising}"))
    rows.append(("assumes", result.assumption))
    return [answered(result.subject, rows, result.command, [("effort", f"{result.seconds:.3f} s")])]


def gammas_page(result: GammaResult) -> Page:
    """Returns the best gamma, and the table of those tried."""
    best = result.best
    found = Words(strong(best.gamma), f", nominal ε {best.calibrated.nominal}, mean error ", best.mean)
    rows: list[Line] = [
        ("mechanism", result.subject.mechanism.name),
        ("target", f"true ε ≤ {result.target}"),
        ("data x", result.x),
        ("best γ", found),
    ]
    if len(result.equal) > 1:
        rows.append(("equal to 6 digits", ", ".join(str(gamma) for gamma in result.equal)))
    tried = [(row.gamma, row.calibrated.nominal, row.calibrated.true_epsilon, row.mean) for row in result.tried]
    columns = ["γ", "nominal ε", "true ε", "mean error"]
    return [Fields(again(rows, result.command)), Table(columns, tried, bold=result.tried.index(best))]

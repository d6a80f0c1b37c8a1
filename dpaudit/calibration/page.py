"""Calibrations as people read them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.audit.judgement import Margin, Whose, judged
from dpaudit.audit.page import Against, Fields, Headline, Line, Page, Table, Words, strong
from dpaudit.audit.words import again, answered, extent_of
from dpaudit.numbers.digits import rough
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.guarantee import EpsilonDelta

if TYPE_CHECKING:
    from dpaudit.calibration.gammas import GammaResult
    from dpaudit.calibration.nominal import CalibrateResult


def page(result: CalibrateResult) -> Page:
    """Returns the nominal epsilon found, and what it rests on."""
    gain = rough(result.nominal / result.target, 4)
    nominal = Words(strong(result.nominal), f" = {rough(result.nominal, 8)}, {gain} × the target")
    rows: list[Line] = [
        ("target", f"true ε ≤ {result.target}"),
        ("nominal ε", nominal),
        ("true ε", Against(result.true_epsilon, result.target)),
    ]
    if result.beyond:
        rows.append(
            ("next up", Words(f"{result.beyond.nominal}: true ε = ", Against(result.beyond.true, result.target)))
        )
    if result.closed_form:
        rows.append(("closed form", f"true ε = {result.closed_form}, for every ε > 0"))
    else:
        rising = "rise strictly" if result.monotone else "do not rise strictly"
        rows.append(("evaluated", f"{len(result.points)} certified points, whose true ε {rising}"))
    rows.append(("assumes", result.assumption))
    return [_headline(result), answered(result.subject, rows, result.command, [("effort", f"{result.seconds:.3f} s")])]


def _headline(result: CalibrateResult) -> Headline:
    """The target, proved at the nominal epsilon that was found."""
    stated = Claim(EpsilonDelta(result.target), Verdict.PROVED)
    found = judged(stated, result.subject.label, Whose.ASKED, extent_of(result.subject))
    assert found is not None
    used = Margin.between(result.true_epsilon, result.target, of="the target").text(Verdict.PROVED)
    first = Headline.of(found)
    return replace(first, sentence=f"{first.sentence} with nominal ε = {rough(result.nominal, 8)}", more=used)


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

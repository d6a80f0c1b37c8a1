"""The sections on somebody's own mechanism: the audit, delta(epsilon) with its breakpoints, Renyi divergences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.profile import ProfileResult, profile
from dpaudit.audit.setting import Setting
from dpaudit.privacy.protocols import text
from dpaudit.reports.document import Section

Progress = Callable[[str], None]
STEPS = 25
LARGEST = 200_000
"""Ordered pairs times outputs up to which the whole curve is computed."""


def own_sections(setting: Setting, progress: Progress) -> Iterator[Section]:
    """Yields the sections of one mechanism."""
    mechanism = setting.mechanism
    progress(f"{mechanism.name}: true ε")
    found = audit.epsilon(setting)
    counts = mechanism.counts()
    whole_curve = counts.pairs * counts.outputs <= LARGEST
    progress(f"{mechanism.name}: δ(ε)")
    points = _points(found.epsilon.upper if not found.epsilon.is_infinite else Fraction(2))
    curve = profile(setting, at=points) if whole_curve else None
    yield _audit(setting, found, curve)
    if curve is not None:
        yield _deltas(setting, curve)
        yield _segments(setting, curve)
        yield _renyi(setting, curve)


def _points(top: Fraction) -> list[Fraction]:
    return [Fraction(round(top * step * 1000 / STEPS), 1000) for step in range(STEPS + 1)]


def _section(kind: str, title: str, question: str, command: str, rows: list[dict[str, Any]], **more: Any) -> Section:
    return {"kind": kind, "title": title, "question": question, "command": command, "setting": {}, "rows": rows, **more}


def _audit(setting: Setting, found: Any, curve: ProfileResult | None) -> Section:
    mechanism, worst, claim = setting.mechanism, found.witness, found.claim
    facts: list[tuple[str, Any]] = [
        ("mechanism", f"{mechanism.name}: {mechanism.formula}"),
        ("setting", mechanism.setting_text()),
        ("true ε", found.epsilon.to_dict()),
        ("exactly, by algebra", found.closed_form),
        ("claimed", None if claim.epsilon is None else f"ε = {claim.epsilon}, δ = {claim.delta}"),
        ("verdict", None if claim.verdict is None else claim.verdict.value),
        ("worst pair", f"x = {text(worst.x)}, x′ = {text(worst.x_prime)}"),
        ("worst output", text(worst.output)),
    ]
    if curve is not None:
        facts += [("total variation", curve.total_variation.to_dict()), ("zCDP ρ", curve.rho.to_dict())]
    counts = found.counts
    looked = f"{counts.datasets} data sets, {counts.pairs} ordered pairs, {counts.outputs} outputs"
    facts += [("covers", looked), ("working precision", f"{found.precision_bits} bits")]
    rows = [{"quantity": name, "value": value} for name, value in facts if value not in (None, "")]
    question = "How much privacy is really spent, and does it stay below the claim?"
    finding = f"true ε = {found.epsilon}" + ("" if claim.verdict is None else f"; the claim is {claim.verdict.value}")
    command = setting.command_line("epsilon") or ""
    return _section("own-audit", f"Audit of {mechanism.name}", question, command, rows, finding=finding)


def _deltas(setting: Setting, curve: ProfileResult) -> Section:
    name = setting.mechanism.name
    rows = [{"mechanism": name, "at": str(at), "delta": delta.to_dict()} for at, delta in curve.deltas]
    command = setting.command_line("profile") or ""
    return _section("delta-curves", "δ(ε)", "What δ is left over at each ε?", command, rows)


def _segments(setting: Setting, curve: ProfileResult) -> Section:
    rows = []
    for part in curve.segments:
        row = part.to_dict()
        rows.append({**row, "to": row["to"] or "∞", "x": text(part.pair.x), "x_prime": text(part.pair.x_prime)})
    question = "Where does δ(ε) = power − e^ε·α change? (α, 1 − power) are the errors of the best test: f-DP."
    return _section("own-curve", "Breakpoints and best tests", question, setting.command_line("profile") or "", rows)


def _renyi(setting: Setting, curve: ProfileResult) -> Section:
    rows = [{"order": str(order), "divergence": value.to_dict()} for order, value in curve.renyi]
    question = "How does the loss look to accountants that compose Rényi divergences?"
    return _section("own-renyi", "Rényi divergences", question, setting.command_line("profile") or "", rows)

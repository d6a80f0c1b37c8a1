"""The privacy curve as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.page import Note, Page, Part, Table, Words, strong
from dpaudit.audit.words import answer_fields, precision_words
from dpaudit.numbers.digits import rough
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from dpaudit.audit.profile import Composition, ProfileResult, Segment

SHOWN = 12
"""Segments of the curve in the text; JSON has all."""


def page(result: ProfileResult) -> Page:
    """The numbers, the curve, delta, the divergences and the composition."""
    curve = f"{len(result.segments)} segments; nothing rises above by more than "
    real = not result.subject.mechanism.tabular
    unknown = result.epsilon.is_open or real
    why = "the outputs are real numbers" if real else "a part of the law is not known"
    rows = [
        ("true ε", strong(result.epsilon)),
        ("total variation", Words(result.total_variation, "   (the adversary's best advantage)")),
        ("zCDP ρ", result.rho),
        ("curve", f"δ at the points only: {why}" if unknown else Words(curve, result.slack)),
    ]
    effort = ("effort", f"{precision_words(result.precision_bits)}, {result.seconds:.3f} s")
    return [
        answer_fields(result.subject, rows, result.command, [effort]),
        *([_curve(result.segments)] if result.segments else []),
        Table(["ε", "δ"], result.deltas, title="δ(ε)"),
        Table(["order", "divergence"], result.renyi, title="Rényi divergences"),
        *([] if result.composition is None else _composition(result.composition)),
    ]


def _curve(segments: tuple[Segment, ...]) -> Table:
    rows = []
    for part in segments:
        ends = [part.start, "∞" if part.end is None else part.end]
        rows.append([*ends, part.alpha, part.power, text(part.pair.x), text(part.pair.x_prime)])
    if len(rows) > SHOWN:
        half = SHOWN // 2
        rows = [*rows[:half], [f"… {len(rows) - SHOWN} more", *[""] * 5], *rows[-half:]]
    return Table(["from ε", "to ε", "α", "power", "x", "x′"], rows, title="δ(ε) = power − e^ε·α")


def _composition(found: Composition) -> list[Part]:
    rows = []
    for i, at in enumerate(found.points):
        rows.append(
            [
                str(at),
                found.certified[i],
                "not installed" if found.accounting is None else rough(found.accounting[i], 6),
            ]
        )
    columns = ["ε", "δ, certified", "δ, dp-accounting (float, not certified)"]
    notes = list[str]()
    if found.accounting is None:
        notes.append('dp-accounting is not installed: pip install "dpaudit[accounting]"')
    return [Table(columns, rows, title=f"{found.times} releases"), *map(Note, notes)]

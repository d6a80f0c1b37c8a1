"""dpaudit release: one output of the audited law, drawn exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dpaudit.commands.drawing import Line, cells, claim_rows, fields, listing, subject_rows
from dpaudit.commands.options import Effort, Given, Shown, option
from dpaudit.commands.reply import Reply
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.releases.release import ReleaseResult

MOST_SHOWN = 40
"""More releases than this are listed in the JSON only."""


def release(
    setting: Given,
    effort: Effort,
    wanted: Annotated[dict[str, Any], "require"],
    x: Annotated[
        str, option("--x", "A,B,…", "The data: a histogram (n is its sum), or a data set of your own mechanism.")
    ],
    times: Annotated[str, option("--times", "T", "So many independent releases; each costs its ε.")] = "1",
    seed: Annotated[
        str | None, option("--seed", "S", "Draw from this seed, for simulations: not private. Default: the system.")
    ] = None,
) -> Shown:
    """Draw one output of the audited law, exactly: no floating point between the proof and the release.

    Bits of the operating system are drawn until they decide the output; probabilities are refined as needed. The answer
    holds the release and what the audit of this very setting says, never the data: it may be handed on.

    Examples:

    dpaudit release --mech EHDS --x 20,20

    dpaudit release --mech LSHist --x 7,3,2 --eps 1/2 --require --json

    dpaudit release --mech EHDS --x 20,20 --times 1000 --seed 1 --json      # a simulation
    """
    from dpaudit.releases.release import release as compute

    result = compute(x=x, times=times, seed=seed, **wanted, **effort, **setting)
    many = len(result.released)
    code = 0 if many else 1 if result.claim.verdict is Verdict.REFUTED else 3

    def draw(console: Any) -> None:
        rows: list[Line] = [*subject_rows(result.subject), ("true ε", f"[bold]{result.epsilon}[/] of one release")]
        rows += claim_rows(result.claim, "epsilon")
        if not many:
            rows = [("released", "[bold red]nothing[/]: what is claimed is not proved"), *rows]
        elif many == 1:
            first = result.released[0]
            told: list[Line] = [("released", f"[bold]{cells(first.output)}[/]")]
            if first.parameters is not None:
                told = [
                    ("released", f"[bold]Dir({', '.join(first.parameters)})[/]: prior + counts {cells(first.counts)}"),
                    ("output", cells(first.output)),
                ]
            rows = [*told, *rows]
        if many:
            rows += _cost(result, many)
        if result.audit:
            rows.append(("audit", cells(result.audit)))
        fields(console, rows, result)
        if many > 1:
            shown = result.released[:MOST_SHOWN]
            listing(console, ["output", "released Dir(…)"], [(r.output, ", ".join(r.parameters or ())) for r in shown])
            if many > MOST_SHOWN:
                console.print(f"{many - MOST_SHOWN} more: --json")

    return Reply(result, draw, code=code)


def _cost(result: ReleaseResult, many: int) -> list[Line]:
    """Returns where the bits came from, what was spent and what one more release would make of it."""
    kind = "release" if many == 1 else "releases"
    return [
        ("randomness", cells(result.randomness)),
        ("spent", f"{result.spent} by {many} {kind} of these data"),
        ("one more", f"{result.after_one_more} in all"),
    ]

"""dpaudit search."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.audits import escape_brackets
from dpaudit.commands.common import cells, emit, fields, memory_bytes


def search(
    mech: common.Mech,
    n: Annotated[
        str | None,
        typer.Option("--n", metavar="A..B", help="Default: 1..200 for k = 2, 1..12 for k = 3, 1..6 for k = 4."),
    ] = None,
    k: common.K = None,
    eps: Annotated[
        str | None, typer.Option("--eps", metavar="E,…", help="Only these nominal ε. Default: free in 1/100..16.")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior", metavar="A,B,…", help="Only this prior; then every n up to the minimal one is certified."
        ),
    ] = None,
    prior_box: Annotated[
        str | None, typer.Option("--prior-box", metavar="A..B", help="Where a free prior's entries may lie.")
    ] = None,
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    gs: common.Gs = None,
    memory: common.Memory = "2",
    require: Annotated[bool, typer.Option("--require", help="Exit with 1 if a violation is found (for CI).")] = False,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Looks for a counterexample: the largest certified ratio true ε / claimed ε, the smallest violating n.

    Examples:

    dpaudit search --mech EHDL

    dpaudit search --mech EHDL --prior 1/100,1/100 --eps 1/100

    dpaudit search --mech EHDS --n 201..400        # go on where another search ended
    """
    from dpaudit import counterexamples

    with common.progress_bar(f"{mech}: n") as progress:
        result = counterexamples.search(
            mech, n, k, eps, prior, prior_box, gamma, delta_param, gs, progress, memory_bytes(memory)
        )
    emit(result.to_dict(), lambda console: draw(console, result), as_json, out)
    if require and result.found:
        raise typer.Exit(1)


def draw(console: Any, result: Any) -> None:
    """Draws the finding."""
    region = result.to_dict()["region"]
    where = [f"n = {region['n']}", f"k = {region['k']}", f"ε = {region['eps_between'] or region['eps']}"]
    where.append(f"prior {region['prior']}" if region["prior"] else f"prior entries in {region['prior_box']}")
    if result.found:
        least = "the smallest n" if result.exhaustive else "the smallest n found"
        finding = f"[bold red]violated[/]; {least} is {result.minimal_n}"
    else:
        finding = "[bold]no violation found[/]"
    rows = [
        ("mechanism", result.name + "".join(f", {name} = {value}" for name, value in result.parameters.items())),
        ("region", "; ".join(where)),
        ("finding", finding),
    ]
    if result.minimal:
        rows += witness_rows("smallest n", result.minimal)
    rows += witness_rows("largest ratio", result.largest)
    if result.exhaustive:
        rows.append(("certified", result.exhaustive))
    rows += [("screened", result.screened), ("effort", f"{result.seconds:.1f} s")]
    fields(console, escape_brackets(rows))


def witness_rows(title: str, found: Any) -> list[tuple[str, str]]:
    """Returns one certified place as two rows."""
    mechanism, witness = found.mechanism, found.witness
    bound = "claimed" if mechanism.claimed() else "nominal"
    setting = f"n = {mechanism.model.n}, prior {cells(mechanism.model.prior)}, ε = {mechanism.epsilon}"
    pair = f"x = {cells(witness.x)}, x′ = {cells(witness.x_prime)}, output {cells(witness.output)}"
    return [(title, f"true ε / {bound} ε = {found.ratio}"), ("", f"{setting}; {pair}")]

"""dpaudit search."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.audits import escape_brackets
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.mechanisms import in_family


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
    set_: common.Set = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Looks for a counterexample: the largest certified ratio true ε / claimed ε, the smallest violating n.

    Examples:

    dpaudit search --mech EHDL

    dpaudit search --mech EHDL --prior 1/100,1/100 --eps 1/100

    dpaudit search --mech EHDS --n 201..400        # go on where another search ended

    dpaudit search --mech mine.py:Mine --n 1..10 --eps 1/10,1
    """
    from dpaudit import counterexamples

    if not in_family(mech):
        parameters = {"k": k, "prior": prior, "gamma": gamma, "delta_param": delta_param, "gs": gs}
        search_own(mech, n, eps, {**parameters, "settings": common.settings(set_)}, memory, require, as_json, out)
        return
    with common.progress_bar(f"{mech}: n") as progress:
        result = counterexamples.search(
            mech, n, k, eps, prior, prior_box, gamma, delta_param, gs, progress, memory_bytes(memory)
        )
    emit(result.to_dict(), lambda console: draw(console, result), as_json, out)
    if require and result.found:
        raise typer.Exit(1)


def search_own(
    mech: str,
    n: str | None,
    eps: str | None,
    given: dict[str, Any],
    memory: str,
    require: bool,
    as_json: bool,
    out: str | None,
) -> None:
    """Certifies every listed setting of somebody's own mechanism."""
    from dpaudit.counterexamples.own import search_own as compute

    with common.progress_bar(f"{mech}: n") as progress:
        result = compute(mech, n, eps, given, progress, memory_bytes(memory))

    def render(console: Any) -> None:
        rows = [("mechanism", cells(result.name)), ("region", result.region_text())]
        least = result.minimal.n if result.minimal else None
        where = "" if least is None else f"; the smallest n in {result.region['n']} is {least}"
        rows.append(("finding", f"[bold red]violated[/]{where}" if result.found else "[bold]no violation[/]"))
        for title, place in (("smallest n", result.minimal), ("largest ratio", result.largest)):
            if place is not None:
                worst = place.result.witness
                pair = f"x = {cells(worst.x)}, x′ = {cells(worst.x_prime)}, output {cells(worst.output)}"
                bound = "nominal" if place.result.claim.epsilon is None else "claimed"
                rows.append((title, f"true ε / {bound} ε = {place.ratio}"))
                rows.append(("", f"{cells(place.result.subject.mechanism.setting_text())}; {pair}"))
        rows += [("certified", f"{result.places} settings, each of them"), ("effort", f"{result.seconds:.1f} s")]
        fields(console, escape_brackets(rows))

    emit(result.to_dict(), render, as_json, out)
    if require and result.found:
        raise typer.Exit(1)


def draw(console: Any, result: Any) -> None:
    """Draws the finding."""
    region = result.to_dict()["region"]
    where = [f"n = {region['n']}", f"k = {region['k']}", f"ε = {region['eps_between'] or region['eps']}"]
    where.append(f"prior {region['prior']}" if region["prior"] else f"prior entries in {region['prior_box']}")
    if result.found:
        least = "the smallest n" if result.exhaustive else "the smallest n found"
        finding = f"[bold red]violated[/]; {least} in {region['n']} is {result.minimal_n}"
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

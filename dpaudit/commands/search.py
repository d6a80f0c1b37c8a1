"""dpaudit search."""

from __future__ import annotations

from typing import Annotated, Any

from dpaudit.commands.drawing import cells, claim_rows, fields, pair_text
from dpaudit.commands.options import Given, Shown, flag, option
from dpaudit.commands.reply import Reply, claiming, undecided


def search(
    setting: Given,
    effort: Annotated[dict[str, Any], "memory", "progress"],
    n: Annotated[
        str | None, option("--n", "A..B", "Default: 1..200 for k = 2, 1..12 for k = 3, 1..6 for k = 4.")
    ] = None,
    eps: Annotated[str | None, option("--eps", "E,…", "Only these nominal ε. Default: free in 1/100..16.")] = None,
    prior: Annotated[
        str | None, option("--prior", "A,B,…", "Only this prior; then every n up to the minimal one is certified.")
    ] = None,
    prior_box: Annotated[str | None, option("--prior-box", "A..B", "Where a free prior's entries may lie.")] = None,
    require: Annotated[
        bool, flag("--require", "Exit with 0 only if the claim is proved wherever it was certified.")
    ] = False,
) -> Shown:
    """Looks for a counterexample: the largest certified ratio true ε / claimed ε, the smallest violating n.

    Examples:

    dpaudit search --mech EHDL

    dpaudit search --mech EHDL --prior 1/100,1/100 --eps 1/100

    dpaudit search --mech EHDS --n 201..400        # go on where another search ended

    dpaudit search --mech mine.py:Mine --n 1..10 --eps 1/10,1
    """
    from dpaudit.counterexamples.search import search as compute

    result = compute(n=n, eps=eps, prior=prior, prior_box=prior_box, **effort, **setting)

    def after() -> None:
        if require and not result.found:
            claiming(result.largest.result.subject.mechanism)
            if result.undecided:
                undecided(f"the claim is neither proved nor refuted at {result.undecided} of the places certified")

    return Reply(result, lambda console: draw(console, result), after=after, code=int(require and result.found))


def draw(console: Any, result: Any) -> None:
    """Draws the finding."""
    region, subject = result.to_dict()["region"], result.subject.mechanism
    shown = {"n": region["n"], "k": region["k"], "ε": region["eps_between"] or region["eps"], "prior": region["prior"]}
    where = [f"{name} = {value}" for name, value in shown.items() if value is not None]
    where += [f"prior entries in {region['prior_box']}"] if region["prior_box"] else []
    if result.found:
        least = "the smallest n" if result.exhaustive else "the smallest n found"
        place = "" if result.minimal_n is None else f"; {least} in {region['n']} is {result.minimal_n}"
        finding = f"[bold red]violated[/]{place}"
    else:
        finding = "[bold]no violation found[/]"
    parameters = "".join(f", {name} = {value}" for name, value in subject.settings().items() if name != "n")
    rows = [("mechanism", cells(subject.name + parameters)), ("region", "; ".join(where)), ("finding", finding)]
    if result.minimal:
        rows += place_rows("smallest n", result.minimal)
    rows += place_rows("largest ratio", result.largest)
    if not result.exhaustive:
        rows.append(("", "a free optimum: where the optimiser stopped; certified there, larger ones may exist"))
    if result.exhaustive:
        rows.append(("certified", f"{result.places} settings: {result.exhaustive}"))
    fields(console, [*rows, ("screened", result.screened), ("effort", f"{result.seconds:.1f} s")], result)


def place_rows(title: str, found: Any) -> list[tuple[str, str]]:
    """Returns one certified place as rows: the ratio, the setting with its witness, what else decided the claim."""
    result, witness = found.result, found.result.witness
    bound = "nominal" if result.claim.epsilon is None else "claimed"
    pair = f"{pair_text(witness)}, output {cells(witness.output)}"
    place = f"{cells(result.subject.mechanism.setting_text())}; {pair}"
    rows = [(title, f"true ε / {bound} ε = {found.ratio}"), ("", place)]
    if result.claim.guarantee is None or (result.claim.epsilon is not None and not result.claim.delta):
        return rows
    return [*rows, ("", "claimed " + "; ".join(value for _, value in claim_rows(result.claim)))]

"""dpaudit epsilon, delta, judge, table, pmf, sensitivity, mechanisms."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.commands.options import (
    SHAPE,
    Checked,
    CheckedTable,
    Claimed,
    Drawn,
    Given,
    Listing,
    Plotted,
    Ranging,
    Subject,
    option,
)
from dpaudit.commands.reply import Reply
from dpaudit.forall.dispatch import epsilon as ask
from dpaudit.forall.theorem import Theorem
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import WORK


def epsilon(
    setting: Ranging,
    effort: Checked,
    claim: Claimed = None,
    rest: Annotated[
        str | None, option("--rest", "SHARE", "Share of a box of priors that may stay undecided. Default: 1/100.")
    ] = None,
) -> Drawn:
    """The true ε: certified enclosure, worst pair and output, verdict on the claim.

    With --eps all (or 1/100..16): the largest true ε / ε over all of them. With --n all: the largest true ε over
    every n. With a box of priors: a map of where the claim is true.

    Examples:

    dpaudit epsilon --mech EHDS --n 100

    dpaudit epsilon --mech EHD --n 30 --prior 1/100,1/100 --eps 0.5 --digits 40 --json

    dpaudit epsilon --mech LSDim --n 1000 --k 3        # in closed form

    dpaudit epsilon --mech EHDL --n 100 --claim 1

    dpaudit epsilon --mech EHDL --n 100 --eps all

    dpaudit epsilon --mech EHDS --n all
    """
    result = ask(setting, claim=claim, rest=rest, **effort)
    return theorem(result) if isinstance(result, Theorem) else judged(result)


def judged(result: Any, certified: Any = None) -> Reply:
    """The reply for a result with a verdict; exit code 1 where a second path disagrees."""
    return Reply(result, None, result.claim, lambda: certified or result, code=disagrees(result))


def disagrees(*results: Any) -> int:
    """1 if a cross-check was asked for and does not agree, else 0."""
    checks = (getattr(result, "cross_check", None) for result in results)
    return int(any(check is not None and not check.agrees for check in checks))


def theorem(result: Theorem) -> Reply:
    """The reply for a theorem; undecided is an answer, with exit code 3."""
    return Reply(result, None, result.claim, lambda: result, code=0 if result.complete else 3)


def delta(
    setting: Subject,
    at: Annotated[str, option("--at", "RATIONAL", "The ε at which to compute δ, >= 0.")],
    effort: Checked,
    claim: Claimed = None,
) -> Drawn:
    """δ at a given ε: the largest Σ max(0, P_x − e^ε·P_x′) over all ordered pairs of neighbors.

    Examples:

    dpaudit delta --mech EHDL --n 100 --at 0.4

    dpaudit delta --mech MHdelta --delta 1e-8 --n 100 --eps 0.8 --at 0.8
    """
    return judged(audit.delta(setting, at, claim=claim, **effort))


def judge(
    setting: Subject,
    effort: Checked,
    claim: Claimed = None,
) -> Drawn:
    """Is this guarantee true? ε, (ε, δ), ρ-zCDP, Rényi, Gaussian DP or a trade-off function, over all pairs.

    Examples:

    dpaudit judge --mech EHDS --n 20 --claim rho=1/8

    dpaudit judge --mech LSHist --n 10 --claim mu=1

    dpaudit judge --mech dpaudit.examples.randomized_response:RandomizedResponse --claim alpha=2,eps=1/2
    """
    from dpaudit.audit.guarantees import judge as compute

    return judged(compute(setting, claim, **effort))


def table(
    effort: CheckedTable,
    wanted: Annotated[dict[str, Any], "require"],
    file: Annotated[
        str, typer.Argument(metavar="TABLE", help="pmf.csv, pmf.json or pmf.parquet: one row per data set.")
    ],
    adjacency: Annotated[
        str | None, option("--adjacency", "FILE", "Pairs of data sets (csv, json, parquet). Default: every pair.")
    ] = None,
    claim: Claimed = None,
    at: Annotated[str | None, option("--at", "A,B,…", "Print δ at these ε too; 0 is the total variation.")] = None,
    work: Annotated[str, option("--work", "N", "Refuse a table that needs more steps than this.")] = str(WORK),
) -> Drawn:
    """Audit a table of exact probabilities (rationals or decimals): one row per data set, one column per output.

    Examples:

    dpaudit table pmf.csv --claim 1.1

    dpaudit table pmf.parquet --adjacency pairs.csv --at 0,1/2,1 --json

    pmf.csv may read:  ",no,yes" / "no,3/4,1/4" / "yes,0.25,0.75"
    """
    from dpaudit.audit.tables import table as audit_table

    if wanted["require"] and claim is None:
        raise InputError("require", "yes", "nothing is claimed: state a guarantee with --claim")
    asked: dict[str, Any] = {"adjacency": adjacency, "claim": claim, "at": at or ()}
    found = audit_table(file, **asked, work=work, **effort)
    code = disagrees(found, *found.deltas)
    return Reply(found, None, found.claim, lambda: [found, *found.deltas] if found.deltas else found, code=code)


def pmf(
    setting: Given,
    x: Annotated[str, option("--x", "A,B,…", "The histogram of the data, k counts that sum to n.")],
    effort: Listing,
) -> Plotted:
    """The full output distribution of one data set.

    Example:

    dpaudit pmf --mech LSHist --n 8 --x 4,4
    """
    return Reply(audit.pmf(x=x, **effort, **setting))


def sensitivity(
    effort: Listing,
    n: Annotated[str | None, option("--n", "N", SHAPE["n"][1])] = None,
    k: Annotated[str | None, option("--k", "K", SHAPE["k"][1])] = None,
    prior: Annotated[str | None, option("--prior", "A,B,…", SHAPE["prior"][1])] = None,
    gamma: Annotated[str | None, option("--gamma", "RATIONAL", "γ of S(x). Default: 1.")] = None,
    score: Annotated[str | None, option("--score", "NAME", "hellinger (default), tv (k = 2), kl, l1, chi2.")] = None,
) -> Plotted:
    """LS(x) and S(x) of every data set, and GS(n, prior), for the Hellinger score or another.

    Example:

    dpaudit sensitivity --n 20 --gamma 1
    """
    return Reply(audit.sensitivity(n, k=k, prior=prior, gamma=gamma, score=score, **effort))

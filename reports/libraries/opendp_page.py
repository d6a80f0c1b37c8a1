"""OpenDP's part of the page: what its map reports, what the documented law gives, and what real outputs say."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.audit.judgement import Judgement
from dpaudit.numbers.digits import at_most, rough
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta, Zcdp
from dpaudit.reports.codec import decode
from dpaudit.reports.document import Finding, Proof, Section
from dpaudit.reports.judge import person
from dpaudit.reports.table import Cell, Column, Kind, Table

HERE = Path(__file__).parent
Row = dict[str, Any]
NAME = "OpenDP"
COLUMNS = (
    *(Column("constructor"), Column("reported"), Column("quantity"), Column("by the documented law", Kind.NUMBER)),
    *(Column("verdict", Kind.VERDICT), Column("margin"), Column("real outputs")),
)
MEANING = (
    "OpenDP is compiled: its code was not followed. A row compares what `map` reports for neighbors at the stated "
    "distance with the law that the documentation states, computed by dpaudit (PROVED, REFUTED), and that law with "
    "{draws} real outputs of the compiled code for each of two data sets (“fit”: nothing in the counts contradicts "
    "the law; “contradict”: something does, with confidence 0.999). Unbounded noise is cut off far out, which loses "
    "nothing for Laplace noise: beyond the last cell the privacy loss is constant."
)
NOTES = (
    "make_laplace_threshold: a count equal to the threshold is released, but the δ that `map` reports leaves it out "
    "(opendp#2922). For scale 1 and threshold 5 the exact δ is e⁻⁴/(1 + e⁻¹) = 0.01339, and `map` reports "
    "e⁻⁵/(1 + e⁻¹) = 0.00493. With floats and the usual k = −1074 the difference is far below any δ; with a "
    "coarse k, such as −3 or 0, it is not.",
    "make_report_noisy_max_gumbel (deprecated): the name says Gumbel noise, but the outputs contradict that; they fit "
    "exponential noise, as in make_noisy_max. Both are as private as reported, but they are two mechanisms.",
    "make_noisy_top_k and make_private_quantile: the documentation does not spell out the law. The law used here fits "
    "the outputs; the two largest of one set of noisy scores, for instance, do not.",
    "make_zCDP_to_approxDP and make_pureDP_to_zCDP: valid, as conversions for any mechanism; the noise that they are "
    "applied to here loses less than they state.",
    "make_laplace for floats adds 2^k to the distance for rounding: for k = −3, 9/8 instead of 1.",
    "Not judged: make_gaussian_threshold, make_alp_queryable, make_private_expr and make_private_lazyframe.",
)


def load() -> tuple[str, list[Row]]:
    """The version and the rows of opendp.json."""
    found = json.loads((HERE / "opendp.json").read_text())
    return found["version"], found["rows"]


def judgement(row: Row) -> Judgement:
    """The verdict on what is reported."""
    found: Judgement = decode(Judgement, row["judgement"])
    return found


def reported(row: Row) -> str:
    """What map reports, to six digits; the exact float is in opendp.json."""
    stated = judgement(row).guarantee
    if isinstance(stated, Zcdp):
        return f"ρ = {rough(stated.rho, 6)}"
    if not isinstance(stated, EpsilonDelta):
        return stated.text()
    shown = f"ε = {rough(stated.epsilon, 6)}"
    return f"{shown}, δ = {rough(stated.delta, 6)}" if stated.delta else shown


def quantity(row: Row) -> tuple[str, Enclosure | None]:
    """The number that stands beside what is reported: the ε at that δ where a profile is asked for ε."""
    found = judgement(row)
    if row["about"].startswith("epsilon") or "make_fix_delta" in row["code"]:
        return "ε at that δ", decode(Enclosure, row["true_epsilon"])
    stated = found.guarantee
    if isinstance(stated, EpsilonDelta) and stated.delta:
        return f"δ({rough(stated.epsilon, 6)})", found.value
    return found.quantity, found.value


def margin(row: Row) -> str:
    """By how much: of ε where ε is asked for, else as everywhere."""
    name, value = quantity(row)
    found = judgement(row)
    if name == "ε at that δ" and isinstance(found.guarantee, EpsilonDelta) and value is not None:
        above = found.guarantee.epsilon / value.upper - 1
        return f"valid, at least {rough(100 * above // Fraction(1, 10) / 10, 3)} % above"
    return found.margin_text()


def outputs(row: Row) -> str:
    """What the real outputs say, in a word."""
    if "fit" not in row:
        return "–"
    wrong = [fit for fit in row["fit"] if fit["verdict"] == Verdict.REFUTED]
    alone = "; refute the reported guarantee by themselves" if row["counts_verdict"] == Verdict.REFUTED else ""
    return ("contradict the law" if wrong else "fit") + alone


def cells(row: Row) -> tuple[Cell, ...]:
    """A row of the table."""
    name, value = quantity(row)
    return call(row), reported(row), name, value, judgement(row).verdict, margin(row), outputs(row)


def call(row: Row) -> str:
    """The constructor as it was called, without the domains that the class has in full."""
    whole = ast.parse(row["code"], mode="eval").body
    if not row["class"] or not isinstance(whole, ast.Call):
        code = str(row["code"]).replace("G.map", "make_gaussian(scale=1.0).map")
        return code.replace("dp.m.", "").replace("dp.c.", "").replace("dp.", "")
    name = ast.unparse(whole.func).rpartition(".")[2]
    words = ", ".join(f"{word.arg}={ast.unparse(word.value)}" for word in whole.keywords)
    kinds = {"T=float": "floats", "dp.vector_domain(dp.atom_domain(T=int)), dp.l1": "vector", "zero_conc": "zCDP"}
    kinds |= {"monotonic=True": "monotonic"}
    more = "".join(f", {kind}" for part, kind in kinds.items() if part in row["code"])
    return f"{name}({words}){more}, distance {row['d_in']}"


def findings(version: str, rows: list[Row]) -> list[Finding]:
    """What is reported and false, by the documented law."""
    found = []
    for row in rows:
        judged = judgement(row)
        if judged.verdict is not Verdict.REFUTED:
            continue
        pair = row["witness"]
        value = judged.value or Enclosure(Fraction(0))
        found.append(
            Finding(
                name=f"{row['class']} ({NAME} {version})",
                formula=f"{row['law']}: {outputs(row)}",
                setting=call(row),
                judgement=judged,
                epsilon=None,
                proof=Proof(pair["x"], pair["x_prime"], judged.quantity, value),
                person=person(judged, None),
                rests_on=("the documented law, which the compiled code was not followed to confirm",),
                command=row["commands"][0],
            )
        )
    return found


def found_how(version: str, rows: list[Row]) -> list[tuple[Cell, ...]]:
    """How each false report was found: by the documented law, and, if they suffice, by counts of real outputs."""
    return [
        (f"{NAME} {version}", row["class"], f"the documented law; real outputs {outputs(row)}", row["commands"][0])
        for row in rows
        if judgement(row).verdict is Verdict.REFUTED
    ]


def summary(version: str, rows: list[Row]) -> str:
    """How many of the constructors report too little, in one sentence."""
    made = [row for row in rows if row["class"]]
    names = {call(row).partition("(")[0] for row in made if judgement(row).verdict is Verdict.REFUTED}
    most = max(
        (
            judged.margin.share.upper
            for row in made
            if (judged := judgement(row)).verdict is Verdict.REFUTED and judged.margin and judged.margin.share
        ),
        default=Fraction(1),
    )
    said = f"{' and '.join(sorted(names))}: a δ up to {at_most(Fraction(most), 2)} times too small"
    whole = len({call(row).partition("(")[0] for row in rows})
    return (
        f"Of {whole} constructors of {NAME} {version}, one reports too little ({said})."
        if len(names) == 1
        else (f"{len(names)} of {whole} constructors of {NAME} {version} report too little.")
    )


def sections(version: str, rows: list[Row]) -> tuple[Section, ...]:
    """The table of constructors, and how to see each."""
    drawn = max(row.get("draws", 0) for row in rows)
    commands = tuple(dict.fromkeys(command for row in rows for command in row["commands"]))
    meaning = MEANING.format(draws=drawn)
    table = Table(COLUMNS, tuple(map(cells, rows)))
    how = f"With pip install opendp=={version}; the counts: dpaudit samples --draw {drawn} --mech FILE:CLASS."
    return (
        Section("opendp", f"{NAME} {version}: what map reports", notes=(meaning, *NOTES), table=table),
        Section("opendp-commands", f"Commands for {NAME}", notes=(how,), commands=commands),
    )

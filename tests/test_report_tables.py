"""Tables that show some of many rows show those that decide, and mark them."""

import pytest

from dpaudit.reports import plan
from dpaudit.reports.charts import figures
from dpaudit.reports.report import build
from dpaudit.reports.tables import caption, table


def audited(**given):
    block = plan.block(given)
    sections = build(plan.Plan("t", "c", (block,)), lambda text: None)["sections"]
    return {section["kind"]: section for section in sections}


@pytest.fixture(scope="module")
def failing():
    return audited(mechs="EHDL,EHDS", n="20..160..20", prior="1/10,1/10")


def test_the_smallest_n_that_fails_has_a_row_though_it_was_not_asked_for(failing):
    section = failing["epsilon-by-n"]
    own = [row for row in section["rows"] if row["mechanism"] == "EHDL"]
    assert [row["n"] for row in own] == [20, 40, 60, 80, 100, 120, 137, 140, 160]
    assert [row["nominal_verdict"] for row in own if row["n"] == 137] == ["REFUTED"]
    columns, rows = table(section)
    (row,) = [row for row in rows if row[0] == "137"]
    assert (columns[-1], row[-1]) == ("of note", "EHDL: the first above the nominal ε")
    assert row[2] == "", "EHDS was not looked at there"
    assert "n = 137" in figures(section, list(failing.values()))[0].caption


def row_at(n, epsilon, verdict):
    value = {"lower": epsilon, "upper": epsilon}
    told = {"verdict": verdict, "nominal": None, "nominal_verdict": None, "evidence": None, "claimed": "1"}
    return {"mechanism": "M", "n": n, "epsilon": value, "guarantee": {"kind": "epsilon", "epsilon": "1"}, **told}


@pytest.mark.parametrize("at", [2, 17, 41, 99])
def test_the_n_that_decide_are_shown_and_marked(at):
    rows = [row_at(n, "0.5", "PROVED") for n in range(1, 101)]
    for epsilon, verdict, words in (
        ("0.9", "PROVED", "the largest"),
        ("1.5", "REFUTED", "the largest, the first that fails"),
        ("0.4", "UNDECIDED", "the first that is open"),
    ):
        changed = [row_at(at, epsilon, verdict) if row["n"] == at else row for row in rows]
        shown = {row[0]: row[-1] for row in table({"kind": "epsilon-by-n", "rows": changed})[1]}
        assert shown[str(at)] == words
        assert len(shown) <= 16


def enclosed(value):
    return {"lower": str(value), "upper": str(value)}


def test_the_largest_sensitivities_and_a_bound_that_fails_are_among_the_rows():
    rows = [{"x": [i, 90 - i], "ls": enclosed(int(i == 37)), "s": enclosed(int(i == 52))} for i in range(91)]
    shown = [row[0] for row in table({"kind": "sensitivity", "gs": enclosed(1), "rows": rows})[1]]
    assert {"(37, 53), largest LS", "(52, 38), largest S"} <= set(shown)
    told = {13: "REFUTED", 22: "UNDECIDED"}
    line = [
        {"mechanism": "M", "bound": "b", "t": enclosed(i), "value": enclosed(1), "outcome": told.get(i, "PROVED")}
        for i in range(40)
    ]
    outcomes = [row[-1] for row in table({"kind": "distances", "rows": line})[1]]
    assert {"REFUTED", "UNDECIDED"} <= set(outcomes)


def test_the_nominal_epsilon_is_among_the_points_of_a_curve_and_its_segments(failing):
    columns, _ = table(failing["delta-curves"])
    assert "δ(1), nominal, claimed by EHDS" in columns
    assert caption(failing["delta-curves"]) == "δ at some ε, and the nominal and the claimed one"
    named = {**failing["delta-curves"], "claimed": {"EHDL": "11/20", "EHDS": "1"}}
    assert {"δ(11/20), claimed by EHDL", "δ(1), nominal, claimed by EHDS"} <= set(table(named)[0])
    assert {"δ(1), nominal"} < set(table({**named, "claimed": {}})[0])
    columns, rows = table(failing["breakpoints"])
    assert {row[0] for row in rows if "nominal" in row[-1]} == {"EHDL", "EHDS"}

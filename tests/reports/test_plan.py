"""Plans of reports: everything at once, names that tell audits apart, and faults before the first audit."""

import re
import tomllib
from textwrap import dedent

import pytest

from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.reports.document import load
from dpaudit.reports.page import grid
from dpaudit.reports.plan import read_plan
from dpaudit.reports.report import build, wanted_jobs
from dpaudit.reports.steps import Steps

BLOCK = '[[audit]]\nmechs = ["LSDim"]\nn = "2"\n'
STUDIES = """
[[study]]
kind = "accuracy"
mechs = ["LSHist", "LSDim"]
n = "2..4"

[[study]]
kind = "accuracy"
mechs = ["LSHist"]
x = "2,2"
priors = "1,2"

[[study]]
kind = "accuracy"
title = "Bounds"
mechs = ["LSHist", "EHD"]
x = "2,2"
"""


def test_a_plan_of_everything(tmp_path):
    file, out = tmp_path / "plan.toml", tmp_path / "out"
    file.write_text(f'title = "All"\nclaims = ["gs.*"]\n{BLOCK}{STUDIES}')
    assert main(["report", "--plan", str(file), "--out", str(out)]) == 0
    found = load(str(out / "result.json"))
    kinds = {section.kind for section in found.sections}
    (bounds,) = [section for section in found.sections if section.kind == "distances" and section.title[:6] == "Bounds"]
    assert re.fullmatch(r"At x = \(2, 2\) half of the releases lie within \S+ of the truth .*", bounds.figure.title)
    assert {"mean-error", "distances", "epsilon-by-n", "documents"} <= kinds
    assert sum(section.main for section in found.sections) == 1
    assert {bound.mechanism for bound in found.bounds} >= {"LSHist", "EHD"}
    assert found.claims
    assert found.plan == file.read_text()
    assert tomllib.loads(found.plan)["title"] == "All"
    shown = (out / "report.md").read_text().split("## The plan of this report\n\n")[1]
    assert tomllib.loads(dedent(shown)) == tomllib.loads(found.plan)


def test_names_that_two_audits_share_say_what_tells_them_apart(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(BLOCK + BLOCK.replace('"2"', '"2"\neps = "2"'))
    plan = read_plan(str(file))
    found, _ = build(plan, Steps.of(None))
    assert {finding.name for finding in found.findings} == {f"LSDim, ε = {eps}, prior (1, 1)" for eps in (1, 2)}


def test_several_priors_are_several_mechanisms_of_one_picture(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(BLOCK.replace('"2"', '"2..4"\nprior = ["1,1", "1/2,1/2"]'))
    found, _ = build(read_plan(str(file)), Steps.of(None))
    assert sorted(one.name for one in found.findings) == [
        "LSDim, ε = 1, prior (1, 1)",
        "LSDim, ε = 1, prior (1/2, 1/2)",
    ]
    (main,) = [section for section in found.sections if section.main]
    assert main.figure.ordered
    assert grid(main.table, main.figure).heads == ["n", "prior (1, 1)", "prior (1/2, 1/2)"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "unknown table"),
        ("title = 1\n" + BLOCK, "must be text"),
        ("[audit]\nn = 1", "must be written as"),
        (BLOCK + BLOCK, "is the same as number 1"),
        (BLOCK + 'nn = "2"', "unknown key"),
        ('[[study]]\nkind = "other"\n', "must be one of accuracy"),
        ('[[study]]\nkind = "accuracy"\nx = "2,2"\nn = "3"\n', "x is the data itself"),
        ("title = 'x'", "says nothing to report"),
        ("[[audit]]\nmechs = [1]\nn = 2", "must be a name or a list of names"),
        ("title =", "is not TOML"),
    ],
)
def test_a_fault_of_a_plan_is_said_before_the_first_audit(text, said, tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        list(wanted_jobs(read_plan(str(file))))

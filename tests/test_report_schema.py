"""The shape of a result file is written down: a JSON Schema, shipped, which fresh and committed files meet."""

import copy
import json
from importlib.resources import files
from pathlib import Path

import pytest

from dpaudit.reports import document, plan
from dpaudit.reports.block import Block
from dpaudit.reports.report import build

jsonschema = pytest.importorskip("jsonschema", reason="the schema is tested with jsonschema (extra: test)")
SCHEMA = json.loads((files("dpaudit.reports") / "schema.json").read_text())
COMMITTED = sorted((Path(__file__).parent.parent / "reports").glob("*/plan.toml"))
STUDIES = """
claims = ["gs.supremum"]
[[study]]
kind = "priors"
n = "2,4"
priors = ["1/100", "1"]
[[study]]
kind = "accuracy"
x = "2,2"
[[study]]
kind = "accuracy"
mechs = ["LSHist", "EHDS"]
n = "2,4"
"""


def refused(result):
    """What the schema says against the file, as text."""
    checker = jsonschema.Draft202012Validator(SCHEMA)
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in checker.iter_errors(result)]


def made(*blocks):
    result = build(plan.Plan("t", "c", blocks), lambda text: None)
    return json.loads(document.dumps(result))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"]["const"] == document.SCHEMA


def test_fresh_files_meet_it(tmp_path):
    (tmp_path / "t.csv").write_text(",a,b,c\nx,1/2,1/2,0\ny,0,1/2,1/2\n")
    (tmp_path / "plan.toml").write_text(STUDIES)
    own = "dpaudit.examples.geometric:WrongSensitivity,dpaudit.examples.randomised_response:RandomisedResponse"
    blocks = [
        Block.read("all", n="1..3", delta="1e-3"),
        Block.read("EHDS,EHDL", n="2,3", k=3),
        Block.read(own, n="1..2"),
        Block.read(str(tmp_path / "t.csv")),
    ]
    assert refused(made(*blocks)) == []
    studies = build(plan.read_plan(str(tmp_path / "plan.toml")), lambda text: None)
    assert refused(json.loads(document.dumps(studies))) == []


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.parent.name)
def test_committed_files_meet_it(path):
    assert refused(json.loads((path.parent / "result.json").read_text())) == []
    assert refused(document.load(str(path.parent / "result.json"))) == []


def test_it_refuses_what_is_no_result():
    right = made(Block.read("EHDS", n="1..2"))
    assert refused(right) == []
    for change in (
        lambda d: d.pop("verdict"),
        lambda d: d["verdict"].update(word="PRIVATE"),
        lambda d: d["verdict"].pop("not_covered"),
        lambda d: d["verdict"]["epsilon"].update(lower=0.5),
        lambda d: d["verdict"]["epsilon"].update(lower="about 1"),
        lambda d: d["sections"][0]["rows"][0].pop("strength"),
        lambda d: d["sections"][2]["rows"][0].update(verdict="MEASURED"),
        lambda d: d["sections"][2]["rows"][0].pop("witness"),
        lambda d: d.update(schema="dpaudit-report/1"),
        lambda d: d.update(content_hash="x"),
    ):
        wrong = copy.deepcopy(right)
        change(wrong)
        assert refused(wrong)

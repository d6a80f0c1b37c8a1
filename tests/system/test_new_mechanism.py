"""A mechanism with a new parameter is one file and one registry line: every command takes it from there."""

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE = '''
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.mechanisms.base import Exponent, Parameter
from dpaudit.mechanisms.exponential import Exponential, Rates
from dpaudit.numbers.rationals import positive
from dpaudit.privacy.guarantee import EpsilonDelta


@dataclass(frozen=True)
class Tempered(Exponential):
    """The exponential mechanism with the local sensitivity, at a temperature."""

    temperature: Fraction = Fraction(1)
    name: ClassVar[str] = "Tempered"
    summary: ClassVar[str] = "exponential, at a temperature"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2·T·LS(x)))"
    source: ClassVar[str] = "made up"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("temperature", "1", "T, a rational > 0", positive, ("1/2", "1", "2")),
    )

    def claimed(self):
        return EpsilonDelta(3 * self.epsilon)

    def numerator(self):
        return self.epsilon / self.temperature

    def rates(self, h):
        return Rates(h, self.numerator(), None)

    def exponent(self):
        return Exponent(self.numerator(), self.score, "local")
'''
REGISTRY_LINE = """
import dpaudit.mechanisms
from tempered import Tempered
dpaudit.mechanisms.REGISTRY["Tempered"] = Tempered
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tempered")
    (folder / "tempered.py").write_text(FILE)
    (folder / "sitecustomize.py").write_text(REGISTRY_LINE)
    return folder


@pytest.fixture(scope="module")
def environment(place):
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), str(ROOT)])}


@pytest.fixture(scope="module")
def run(place, environment):
    def call(*words, code=0):
        command = [sys.executable, "-m", "dpaudit", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=place, timeout=120)
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return call


GENERAL = """
tests/mechanisms/test_base.py
tests/forall/test_ranged.py::test_a_form_offered_for_every_epsilon_is_that_of_the_law
tests/system/test_against_reference.py::test_there_are_enough_cases_of_every_kind
tests/system/test_committed_reports.py::test_the_json_belongs_to_the_plan
tests/system/test_docs_promises.py::test_every_mechanism_is_introduced
tests/system/test_docs_promises.py::test_the_picture_of_the_readme_is_what_is_audited
"""
"""Tests that are about every mechanism of the registry, or about those of the documents alone."""


def test_the_general_tests_pass_with_it(environment):
    command = [sys.executable, "-m", "pytest", "-n0", "-k", "not digits", "-p", "no:cacheprovider", *GENERAL.split()]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stdout


SETTING = ("--mech", "Tempered", "--temperature", "2")
QUESTIONS = {
    "epsilon": ("--n", 4),
    "delta": ("--n", 4, "--at", "1/10"),
    "pmf": ("--x", "2,2"),
    "accuracy": ("--x", "2,2"),
    "calibrate": ("--n", 4),
    "profile": ("--n", 4),
    "search": ("--n", "1..3", "--eps", 1),
    "compare": ("--x", "2,2"),
}


def timeless(text):
    """Returns the JSON without what differs from run to run."""
    return {name: value for name, value in json.loads(text).items() if name != "seconds"}


@pytest.mark.parametrize("command", QUESTIONS)
@pytest.mark.thin(2)
def test_every_question_takes_the_parameter_and_prints_its_command(run, command):
    found = timeless(run(command, *SETTING, *QUESTIONS[command], "--json"))
    assert "--temperature 2" in found["command"]
    again = shlex.split(found["command"])
    assert again[:2] == ["dpaudit", command]
    assert timeless(run(*again[1:], "--json")) == found


def test_the_parameter_matters_and_is_checked(run):
    cold, warm = (
        json.loads(run("epsilon", "--mech", "Tempered", "--n", 4, "--temperature", t, "--json")) for t in (1, 2)
    )
    assert float(warm["epsilon"]["upper"]) < float(cold["epsilon"]["lower"])
    assert warm["parameters"]["temperature"] == "2"
    message = run("epsilon", "--mech", "Tempered", "--n", 4, "--temperature", 0, code=2)
    assert "--temperature = 0: must be > 0" in message
    assert "EHDL has no such parameter" in run("epsilon", "--mech", "EHDL", "--n", 4, "--temperature", 2, code=2)
    assert "--temperature" not in run("epsilon", "--help")
    assert "--temperature" in run("mechanisms", "Tempered")


def test_theorems_are_about_it_by_the_form_that_it_offers(run):
    """At temperature 2 its rates are half of EHDL's, so the largest ratio over every epsilon is half as large."""
    warm, plain = (
        json.loads(run("epsilon", *words, "--n", 4, "--eps", "all", "--json"))
        for words in (SETTING, ("--mech", "EHDL"))
    )
    assert abs(2 * float(warm["ratio"]["lower"]) - float(plain["ratio"]["lower"])) < 1e-12
    assert (warm["guarantee"]["factor"], warm["verdict"]["word"]) == ("3", "PROVED")


def test_the_listing_computes_what_is_claimed(run):
    rows = {row["name"]: row for row in json.loads(run("mechanisms", "--json"))}
    assert rows["Tempered"]["claimed"] == "3ε-DP"
    assert rows["Tempered"]["parameters"]["temperature"]["default"] == "1"


def test_a_search_never_screens_it_as_something_else(run):
    region = json.loads(run("search", *SETTING, "--n", "1..3", "--json"))["region"]
    assert "offers no float screening" in region["screened"]
    assert region["exhaustive"].startswith("n = 1..3")


def test_a_sweep_has_a_column_for_it(run, place):
    (place / "plan.toml").write_text(
        'mech = "Tempered"\nn = [3, 4]\ntemperature = ["1/2", 2]\nquantities = ["epsilon", "mean error"]\n'
    )
    run("sweep", "plan.toml", "--out", "s.db", "--workers", 1, "--export", "t.csv")
    with (place / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert {row["temperature"] for row in rows} == {"1/2", "2"}
    assert {row["state"] for row in rows} == {"done"}


def test_a_certificate_is_refused_at_the_door(run, place):
    message = run("epsilon", *SETTING, "--n", 4, "--certificate", "c.json", code=2)
    assert "Tempered" in message
    assert "verifier" in message
    assert not (place / "c.json").exists()


def test_a_report_is_about_it(run, place):
    run("report", *SETTING, "--n", "1..3", "--out", "r")
    document = json.loads((place / "r" / "result.json").read_text())
    assert any("Tempered" in json.dumps(section) for section in document["sections"])
    assert "--temperature 2" in document["command"]

"""The page on JSON: every member that it names is in an answer, every command has a section."""

import json
import re

import pytest
from pages import COMMAND_NAMES, ROOT, options_of

from dpaudit.cli import main

PAGE = (ROOT / "docs/json.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE))
COIN = "class Coin:\n    def datasets(self):\n        return [0, 1]\n\n    def outputs(self):\n        return [0, 1]\n"
FILES = {
    "pmf.csv": ",no,yes\nno,3/4,1/4\nyes,1/4,3/4\n",
    "counts.csv": ",yes,no\nyes,75000,25000\nno,24988,75012\n",
    "plan.toml": 'mech = "EHDS"\nn = 3\n',
    "code.py": f"{COIN}\n    def sample(self, x, rng):\n        return x if rng.random() < 0.75 else 1 - x\n",
    "open.py": f"{COIN}\n    def probabilities(self, x):\n        return [('0', '1/2'), ('1/2', '1')]\n",
}
ASKED = {
    "Mechanism, witness and verdict": [
        *("epsilon --mech EHDS --n 3", "epsilon --mech code.py:Coin", "epsilon --mech gaussian --sigma 1"),
        "epsilon --mech open.py:Coin",
    ],
    "epsilon, delta, judge, table": [
        *("epsilon --mech EHDS --n 3 --cross-check", "delta --mech EHDS --n 3 --at 1/5"),
        *("judge --mech EHDS --n 3 --claim rho=1/8", "table pmf.csv --at 0,1/2"),
    ],
    "epsilon for every n, every ε, a box of priors": [
        *("epsilon --mech EHD --n all --digits 10", "epsilon --mech LSDim --n 5 --eps all"),
        "epsilon --mech EHD --n 1 --prior 1/100..1/4,1/100..1/4 --rest 1/4",
    ],
    "pmf, sensitivity": ["pmf --mech LSHist --x 2,2", "sensitivity --n 2"],
    "profile": ["profile --mech EHDS --n 3"],
    "explain": [
        "explain 1 --delta 1e-5",
        "explain --mech EHDS --n 3",
        "explain --event gaussian:sigma=10 --delta 1e-6",
    ],
    "account": ["account --event gaussian:sigma=9 --claim eps=2,delta=1e-6 --at 1 --delta 1e-6 --each --compare"],
    "shuffle": ["shuffle --eps 1 --n 100 --delta 1e-6"],
    "accuracy": ["accuracy --mech LSHist --x 3,3 --t 0.2"],
    "calibrate": [
        *("calibrate --mech EHDS --n 4 --target 1", "calibrate --mech MH --n 4 --over gamma --gammas 1,2 --target 1/2"),
        "calibrate --event gaussian:sigma=? --target eps=1,delta=1e-5",
    ],
    "compare": ["compare --x 3,3 --mech LSHist,EHDS", "compare --n 2..4 --mech LSHist,EHDS"],
    "search": ["search --mech EHDL --prior 1,1 --eps 1 --n 1..3"],
    "release": ["release --mech EHDS --x 2,2"],
    "samples": ["samples counts.csv --mech pmf.csv --at 1/10"],
    "suite": ["suite Laplace"],
    "mechanisms": ["mechanisms laplace"],
    "claims, check": [
        "claims l1.proportional",
        "check candidates.beta candidates.dirichlet ehdl.premise.dirichlet acc.4.3 l1.proportional --jobs 1",
    ],
    "verify, export": [
        *("verify c.json", "export c.json --coq c.v", "export --mech pmf.csv --table again.csv"),
    ],
    "sweep": ["sweep plan.toml --out sweep.db --workers 1"],
}
"""The sections, and commands whose answers have all members named there."""


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """A function that returns the JSON of a command, run in a folder with the files above."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert main(["epsilon", "--mech", "EHDS", "--n", "3", "--certificate", "c.json"]) == 0
    capsys.readouterr()

    def answer(words):
        assert main([*words.split(), "--json"]) in (0, 3), words
        return json.loads(capsys.readouterr().out)

    return answer


def keys(value):
    """Returns all names of members, however deep."""
    if isinstance(value, dict):
        return set(value) | {name for member in value.values() for name in keys(member)}
    return {name for member in value for name in keys(member)} if isinstance(value, list | tuple) else set()


def members(section):
    """Returns the names in a section that are not the value of one."""
    return set(re.findall(r'"([a-z_]+)"', re.sub(r':\s*"[^"]*"(?: \| "[^"]*")*', "", SECTIONS[section])))


@pytest.mark.parametrize("section", ASKED)
def test_members_of_json_are_those_of_the_answers(section, said):
    known = {name for words in ASKED[section] for name in keys(said(words))}
    assert members(section)
    assert members(section) <= known


def test_every_command_with_json_has_a_section():
    named = {name for section in SECTIONS for name in re.split(r", | for ", section)}
    assert {name for name in COMMAND_NAMES if "--json" in options_of(name)} <= named
    assert set(SECTIONS) - set(ASKED) == {"Certificates", "Reports"}


def test_the_members_of_a_certificate_are_those_of_the_files(said, tmp_path):
    """Of a law, of a theorem, of a composition, and of several in one."""
    for words in (
        "epsilon --mech EHDS --n 3",
        "epsilon --mech EHDS --n 3 --eps all",
        "account --event randomized-response:eps=1 --delta 1e-6",
        "calibrate --mech EHDS --n 3 --target 1",
    ):
        said(f"{words} --certificate {len(list(tmp_path.iterdir()))}.json")
    found = {name for path in tmp_path.glob("*.json") for name in json.loads(path.read_text())}
    rows = re.findall(r"^\| (`.*?) \|", SECTIONS["Certificates"], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == found

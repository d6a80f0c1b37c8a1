"""One table of bad inputs: each is one line that names the option, the value and the rule, with exit code 2."""

import shlex

import pytest

from dpaudit.cli import main

RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"
OWN = """
from dpaudit import exp
class Fine:
    def __init__(self, q="1/4"): self.q = q
    def datasets(self): return [0, 1]
    def outputs(self): return [0, 1]
    def probability(self, x, r): return "1/2"
class Near(Fine):
    def probability(self, x, r): return exp(-1) * exp("1/1000000000000") if r else 1 - exp(-1)
"""
NINES, ONES = "9" * 300, ",".join("1" * 1001)
BAD = [
    ("epsilon --mech EHDS --n 0", "--n = 0", ">= 1"),
    ("epsilon --mech EHDS --n -3", "--n = -3", ">= 1"),
    ("epsilon --mech EHDS --n 2.5", "--n = 2.5", "whole number"),
    ("epsilon --mech EHDS --n nan", "--n = nan", "whole number"),
    ("epsilon --mech EHDS --n ''", "--n = (empty)", "whole number"),
    ("epsilon --mech EHDS --n 1e3", "--n = 1e3", "whole number"),
    ("epsilon --mech zzzzzz --n 4", "--mech = zzzzzz", "`dpaudit mechanisms` lists all"),
    ("epsilon --mech '' --n 4", "--mech = (empty)", "unknown mechanism"),
    ("epsilon --mech EHDS --n 4 --eps -1", "--eps = -1", "> 0"),
    ("epsilon --mech EHDS --n 4 --eps nan", "--eps = nan", "exact number"),
    ("epsilon --mech EHDS --n 4 --eps inf", "--eps = inf", "exact number"),
    ("epsilon --mech EHDS --n 4 --eps 1e400", "--eps = 1e400", "at most 100 digits"),
    ("epsilon --mech EHDS --n 4 --eps 1e-400", "--eps = 1e-400", "at most 100 digits"),
    (f"epsilon --mech EHDS --n 4 --eps {NINES}", "--eps = 999", "at most 100 digits"),
    ("epsilon --mech EHDS --n 4 --eps 1/0", "--eps = 1/0", "denominator"),
    ("epsilon --mech EHDS --n 4 --eps ''", "--eps = (empty)", "exact number"),
    ("epsilon --mech EHDS --n 4 --eps '1 2'", "--eps = 1 2", "exact number"),
    ("epsilon --mech EHDS --n 4 --eps ١", "--eps", "exact number"),
    ("epsilon --mech EHDS --n 4 --gamma 0", "--gamma = 0", "> 0"),
    ("epsilon --mech EHDS --n 4 --prior 1,2,,3", "--prior = 1,2,,3", "without empty entries"),
    ("epsilon --mech EHDS --n 4 --prior ''", "--prior = (empty)", "without empty entries"),
    ("epsilon --mech EHDS --n 4 --prior 1", "--prior = 1", "at least 2"),
    ("epsilon --mech EHDS --n 4 --prior 1,x", "--prior = x", "exact number"),
    ("epsilon --mech EHDS --n 4 --k 1", "--k = 1", ">= 2"),
    ("epsilon --mech EHDS --n 4 --digits 0", "--digits = 0", ">= 1"),
    ("epsilon --mech EHDS --n 4 --digits 99999", "--digits = 99999", "<= 2000"),
    ("epsilon --mech EHDS --n 4 --memory 0", "--memory = 0", "> 0"),
    (
        "epsilon --mech EHDS --n 4 --memory 1/1000000",
        "--memory = 9.99e-7 GiB",
        "5 data sets, 8 ordered pairs, 5 outputs",
    ),
    ("epsilon --mech EHDS --n 100000 --k 6", "--memory = 2 GiB", "data sets"),
    ("epsilon --mech EHD --n 4 --gs best", "--gs = best", "constant or exact"),
    ("epsilon --mech MHdelta --n 4 --delta 1", "--delta = 1", "< 1"),
    ("pmf --mech EHDS --n 4 --k 2 --x 1,2,1", "--x = 1,2,1", "must have k = 2 cells"),
    ("pmf --mech EHDS --n 4 --x 5,-1", "--x = -1", ">= 0"),
    ("pmf --mech EHDS --n 4 --x 2,,2", "--x = 2,,2", "without empty entries"),
    ("pmf --mech LSZhang --x 500,500,500", "--memory = 2 GiB", "outputs: needs"),
    ("epsilon --mech EHDS --n 1000000000 --k 1000", "--memory = 2 GiB", "about 1e"),
    ("sensitivity --n 1000000000 --k 1000", "--memory = 2 GiB", "about 1e"),
    ("epsilon --mech EHDS --n 4 --k 1001", "--k = 1001", "<= 1000"),
    (f"epsilon --mech EHDS --n 4 --prior {ONES}", "--prior = 1001 entries", "at most 1000"),
    ("epsilon --mech '\u001b[31mx' --n 4", "--mech = \\x1b[31mx", "unknown mechanism"),
    (f"pmf --mech EHDS --x {NINES * 17}", "--x = 999", "18 digits"),
    ("sensitivity", "--n = (missing)", "whole number"),
    ("sensitivity --n 4 --gamma -1", "--gamma = -1", "> 0"),
    ("sensitivity --n 1000 --k 5", "--memory = 2 GiB", "data sets: needs"),
    ("frobnicate", "frobnicate", "No such command"),
    ("epsilon --mech own.py:Near", "own.py:Near", "Near probability(0) sums to 1 + 3.68e-13, not to 1"),
    ("epsilon --mech own.py:Fine --set r=3", "--set = r=3", "Fine of own.py:Fine has no such parameter (it has: q)"),
    ("epsilon --mech EHDS --n 3 --set a=1", "--set = a=1", "EHDS has no such parameter"),
    ("search --mech own.py:Fine --set r=3", "--set = r=3", "Fine of own.py:Fine has no such parameter"),
    ("pmf --mech EHDS --x 4", "--x = 4", "must have at least 2 cells"),
    ("accuracy --mech own.py:Fine --x 4,4", "--mech = Fine", "accuracy is for the posterior family"),
    ("check nosuch", "nosuch", "no claim has this id; `dpaudit claims` lists them all"),
    ("report --mech nope --out r", "--mech = nope", "unknown mechanism"),
    (f"epsilon --mech {RESPONSE} --set epsilon=2", "--set = epsilon=2: is the nominal ε", "give it as --eps"),
]


@pytest.mark.parametrize(("words", "named", "rule"), BAD, ids=[words[:60] for words, *_ in BAD])
def test_bad_input_is_one_line_and_exit_code_two(words, named, rule, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    assert main(shlex.split(words)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dpaudit: ")
    assert named in captured.err
    assert rule in captured.err

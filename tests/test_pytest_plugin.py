"""The pytest fixture, run in a pytest of its own: exit codes, messages, JUnit."""

import subprocess
import sys
import xml.etree.ElementTree as tree
from importlib.metadata import entry_points

TESTS = """
from fractions import Fraction

class Mine:
    def __init__(self, epsilon): self.epsilon = epsilon
    def datasets(self): return ["no", "yes"]
    def outputs(self): return ["no", "yes"]
    def log_weight(self, x, r): return self.epsilon if x == r else 0
    def claimed(self): return self.epsilon / 2

def test_good(dp_audit):
    dp_audit(Mine, eps="1/2").epsilon_at_most("1/2")
    dp_audit(Mine, eps="1/2").delta_at_most("0", at="1/2")
    dp_audit("EHDS", n=10).as_claimed()
    dp_audit("EHDL", n=4).epsilon_at_most(1)
    dp_audit("MHdelta", n=4, delta_param="1/20").delta_at_most("1/20", at=1)

def test_bad(dp_audit):
    dp_audit(Mine, eps="1/2").epsilon_at_most("0.4999999999999999999999")

def test_bad_delta(dp_audit):
    dp_audit(Mine, eps="1/2").delta_at_most("1e-9", at="1/4")

def test_bad_claim(dp_audit):
    dp_audit(Mine(Fraction(1))).as_claimed()

def test_nothing_claimed(dp_audit):
    dp_audit("EHDL", n=4).as_claimed()
"""


def test_in_a_pytest_of_its_own(tmp_path):
    (tmp_path / "test_mine.py").write_text(TESTS)
    installed = any(point.value == "dpaudit_pytest" for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "dpaudit_pytest"]  # an editable install older than the entry point
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "--junitxml", "junit.xml", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "4 failed, 1 passed" in done.stdout
    assert (
        "Mine: epsilon <= 4999999999999999999999/10000000000000000000000 is REFUTED: the true epsilon is 0.5"
        in done.stdout
    )
    assert "Mine: delta(1/4) <= 1/1000000000 is REFUTED" in done.stdout
    assert "the claimed epsilon 1/2 is REFUTED: the true epsilon is 1" in done.stdout
    assert "EHDL claims nothing" in done.stdout
    assert "Traceback" not in done.stdout
    cases = {case.get("name"): case for case in tree.parse(tmp_path / "junit.xml").iter("testcase")}
    properties = {p.get("name"): p.get("value") for p in cases["test_bad"].iter("property")}
    assert properties == {"dpaudit_epsilon": "0.5"}
    assert cases["test_bad_delta"].find("failure") is not None


def test_the_plugin_is_declared_and_light():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"]["dpaudit"] == "dpaudit_pytest"
    loaded = "import dpaudit_pytest, sys; print(any(m.split('.')[0] in ('dpaudit', 'flint') for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

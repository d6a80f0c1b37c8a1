"""The pytest fixture, run in a pytest of its own: exit codes, messages, JUnit."""

import subprocess
import sys
import xml.etree.ElementTree as tree
from importlib.metadata import entry_points

import pytest

import dpaudit

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
    dp_audit("MHdelta", n=4, delta="1/20").delta_at_most("1/20", at=1)
    assert dp_audit(Mine, eps="1/2").zcdp_at_most("1/8").evidence.value.lower > Fraction(12, 100)
    dp_audit(Mine, eps="1/2").renyi_at_most("1/4", alpha=2)
    dp_audit(Mine, eps="1/2").gdp_at_most("2/3")
    dp_audit(Mine, eps="1/2").trade_off_at_least([(0, 1), ("1/3", "1/3"), (1, 0)])

class Leaky(Mine):
    def claimed(self): return (self.epsilon / 2, "1/1000")

def test_bad_delta_claim(dp_audit):
    dp_audit(Leaky, eps="1/2").as_claimed()

def test_a_file_beside_the_test(dp_audit):
    dp_audit("beside.py:Mine", eps="1/2").epsilon_at_most("1/2")
    dp_audit("pmf.csv").epsilon_at_most("2")
    dp_audit("MHdelta", n=4, delta="1/20", epsilon=1).as_claimed()

class Concentrated(Mine):
    def claimed(self): return "rho=1/8"

def test_claims_zcdp(dp_audit):
    dp_audit(Concentrated, eps="1/2").as_claimed()

def test_bad_zcdp(dp_audit):
    dp_audit(Mine, eps="1/2").zcdp_at_most("12/100")

def test_bad_zcdp_claim(dp_audit):
    dp_audit(Concentrated, eps="2").as_claimed()

def test_bad_renyi(dp_audit):
    dp_audit(Mine, eps="1/2").renyi_at_most("1/5", alpha=2)

def test_bad_gdp(dp_audit):
    dp_audit(Mine, eps="1/2").gdp_at_most("3/5")

def test_bad_trade_off(dp_audit):
    dp_audit(Mine, eps="1/2").trade_off_at_least("0:1;2/5:2/5;1:0")

def test_bad(dp_audit):
    dp_audit(Mine, eps="1/2").epsilon_at_most("0.4999999999999999999999")

def test_bad_delta(dp_audit):
    dp_audit(Mine, eps="1/2").delta_at_most("1e-9", at="1/4")

def test_bad_claim(dp_audit):
    dp_audit(Mine(Fraction(1))).as_claimed()

def test_no_such_class(dp_audit):
    dp_audit("beside.py:Mien", eps="1/2").as_claimed()

def test_nothing_claimed(dp_audit):
    dp_audit("EHDL", n=4).as_claimed()

def test_nothing_asserted(dp_audit):
    dp_audit(Mine, eps="1/2").epsilon_at_most("1/2")
    dp_audit(Mine, eps="1/2")

def test_nothing_asserted_of_a_pipeline(dp_account):
    dp_account("gaussian:sigma=1")

def test_a_pipeline(dp_account):
    dp_account("laplace:eps=1/10").at_most(eps=1, delta="1e-6")
"""


def test_in_a_pytest_of_its_own(tmp_path):
    folder = tmp_path / "below"
    folder.mkdir()
    (folder / "test_mine.py").write_text(TESTS)
    (folder / "beside.py").write_text(TESTS[: TESTS.index("def test_good")])
    (folder / "pmf.csv").write_text(",no,yes\nno,3/4,1/4\nyes,1/4,3/4\n")
    installed = any(point.value == "dpaudit.pytest_plugin" for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "dpaudit.pytest_plugin"]  # an editable install older than the entry point
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", "--junitxml", "junit.xml", "-q"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "13 failed, 4 passed" in done.stdout
    pair = "at x = no, x' = yes"
    assert "Leaky: (1/4, 1/1000)-DP: REFUTED, δ(1/4) = 0.137" in done.stdout
    assert "Mine: 3/25-zCDP: REFUTED, zCDP ρ = 0.1225; exceeds by 2 %" in done.stdout
    assert "Concentrated: 1/8-zCDP: REFUTED, zCDP ρ = 1.52" in done.stdout
    assert "Mine: (2, 1/5)-Rényi DP: REFUTED, D at order 2 = 0.227" in done.stdout
    assert "Mine: 3/5-GDP: REFUTED, GDP μ = 0.623" in done.stdout
    assert (
        "Mine: f-DP through (0, 1), (2/5, 2/5), (1, 0): REFUTED, least margin over the trade-off function ="
        in done.stdout
    )
    assert done.stdout.count(pair) >= 5
    assert "Mine: 0.4999999999999999999999-DP: REFUTED, true ε = 0.5; exceeds by 1e-22 (δ = " in done.stdout
    assert "Mine: (1/4, 1e-9)-DP: REFUTED, δ(1/4) = " in done.stdout
    assert "Mine: 1/2-DP: REFUTED, true ε = 1; exceeds by 100 %" in done.stdout
    assert "EHDL claims nothing" in done.stdout
    assert "dp_audit of Mine asserts nothing: add .as_claimed(), or .epsilon_at_most(1)" in done.stdout
    assert 'dp_account asserts nothing: add .at_most(eps=1, delta="1e-6")' in done.stdout
    assert "During handling" not in done.stdout
    assert "there is no class Mien in " in done.stdout
    assert "Traceback" not in done.stdout
    assert "dpaudit/mechanisms/" not in done.stdout
    cases = {case.get("name"): case for case in tree.parse(tmp_path / "junit.xml").iter("testcase")}
    properties = {p.get("name"): p.get("value") for p in cases["test_bad"].iter("property")}
    assert properties == {"dpaudit_epsilon": "0.5"}
    assert cases["test_bad_delta"].find("failure") is not None


def test_the_plugin_is_declared_and_light():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"]["dpaudit"] == "dpaudit.pytest_plugin"
    loaded = "import dpaudit.pytest_plugin, sys; print('flint' in sys.modules or 'dpaudit.audit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_pytest_fixture_passes_and_fails(dp_account, request):
    dp_account("gaussian:sigma=10 x 100").at_most(eps=5, delta="1e-6")
    assert request.node.user_properties[0][0] == "dpaudit_account_delta(5)"
    with pytest.raises(pytest.fail.Exception, match=r"\(4, 1e-6\)-DP: REFUTED; δ\(4\) is at least 4.712e-5"):
        dp_account(dpaudit.Gaussian(sigma=10) * 100).at_most(eps=4, delta="1e-6")


def test_the_fixture_has_no_warning_for_junit(tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(dp_audit):\n    dp_audit('EHDL', n=3).epsilon_at_most(1)\n")
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "--junitxml", "j.xml", "-p", "no:cacheprovider"]
    command += ["-o", "junit_family=xunit2"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "dpaudit_epsilon" in (tmp_path / "j.xml").read_text()

"""What the benchmarks compare with computes the same thing; no time is asserted anywhere."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit

sys.path.insert(0, str(Path(__file__).parents[2]))
from benchmarks import own, rivals, tables, task

ROOT = Path(__file__).parents[2]


def near(value, enclosure, tolerance=Fraction(1, 10**10)):
    return enclosure.lower - tolerance <= Fraction(value) <= enclosure.upper + tolerance


@pytest.mark.parametrize("mech", ["EHD", "EHDL", "EHDS", "MH", "MHdelta"])
def test_the_numpy_brute_force_is_the_same_audit(mech):
    delta = "1e-8" if mech == "MHdelta" else None
    assert near(rivals.numpy_epsilon(mech, 60), dpaudit.epsilon(mech, n=60, delta=delta).epsilon)


def test_the_mpmath_brute_force_is_the_same_audit():
    assert near(rivals.mpmath_epsilon(9, 30), dpaudit.epsilon("EHDS", n=9, digits=30).epsilon, Fraction(1, 10**30))


def test_dp_accounting_bounds_the_same_delta():
    """Its discretisation is pessimistic: at least our delta, and not much more."""
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed: pip install dpaudit[accounting]")
    ours, theirs = dpaudit.delta("EHDS", "1/5", n=12).delta, rivals.accounting_delta(12, 0.2)
    assert ours.lower - Fraction(1, 10**10) <= Fraction(theirs) <= ours.upper + Fraction(1, 1000)


def test_the_time_of_workers_counts():
    """A process that has ended counts with its processor time: an audit on all cores is not cheaper than on one."""
    before = task.used()[0]
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True)
    assert task.used()[0] - before >= 0.2


@pytest.mark.parametrize("kind", sorted(own.KINDS))
def test_the_own_mechanisms_are_the_same_in_floats(kind):
    found = dpaudit.epsilon(own.KINDS[kind](4, dpaudit.exp))
    assert found.closed_form_text == "1"
    assert near(own.float_epsilon(kind, 4), found.epsilon)


def test_the_numpy_brute_force_at_k_3_is_the_same_audit():
    assert near(rivals.numpy_epsilon_3(9), dpaudit.epsilon("EHDS", n=9, k=3).epsilon)


def test_the_plain_curves_are_those_of_the_profile():
    """The same vertices, but for one that floats do not tell from a line; rho of a few orders is no more than rho."""
    found, (hull, divergences, rho) = dpaudit.profile("EHDS", n=30), rivals.numpy_profile("EHDS", 30)
    vertices = [(s.alpha, s.power) for s in found.segments][::-1]
    assert 0 <= len(hull) - len(vertices) <= 1
    assert all(any(near(alpha, a) and near(power, p) for alpha, power in hull) for a, p in vertices)
    for value, (_, enclosure) in zip(divergences, found.renyi[1:], strict=True):
        assert near(value, enclosure)
    assert found.rho.lower * Fraction(9, 10) <= Fraction(rho) <= found.rho.upper


@pytest.mark.parametrize("what", ["renyi", "trade-off", "mu"])
def test_the_plain_tests_and_divergences_are_the_same(what):
    pytest.importorskip("scipy", reason="the quantiles are scipy's")
    found = dpaudit.judge("EHDS", task.CLAIMS[what], n=30).claim.evidence.value
    sign = -1 if what == "trade-off" else 1  # a deficit of f is a margin below 0
    assert near(sign * Fraction(task.whole_curve_numpy(what, 30)["value"]), found)


def test_the_plain_computations_of_tables_are_the_same_audit(tmp_path):
    tables.write_rationals(tmp_path / "pmf.csv", 12, 15)
    plain = tables.fractions_epsilon(tmp_path / "pmf.csv")
    assert near(plain, dpaudit.table(str(tmp_path / "pmf.csv")).epsilon)
    assert near(tables.numpy_epsilon(9, 30), dpaudit.epsilon(tables.Weights(9, 30)).epsilon)
    assert near(tables.numpy_response(9, 30), dpaudit.epsilon(tables.Response(9, 30, dpaudit.exp)).epsilon)
    assert dpaudit.epsilon(tables.Response(9, 30, dpaudit.exp)).closed_form == 1


def test_a_missing_rival_is_said_before_anything_is_measured(monkeypatch):
    from benchmarks import __main__ as script

    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    monkeypatch.setattr(script, "find_spec", lambda name: None if name == "dp_accounting" else name)
    with pytest.raises(SystemExit, match="not installed: dp_accounting; pip install"):
        script.main()


def test_a_task_prints_json():
    command = [sys.executable, "-m", "benchmarks.task", "certified", "EHDS", "30", "2", "fast"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)
    assert found["tier"] == "fast"
    assert found["value"] == str(dpaudit.epsilon("EHDS", n=30).epsilon)
    assert found["seconds"] > 0 < found["peak_mib"]


def test_the_committed_results_are_complete():
    found = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    rivals_named = " ".join(row["rival"] for row in found["ratios"])
    for name in ("numpy", "mpmath", "dp-accounting", "all-arb", "the same code in floats"):
        assert name in rivals_named
    assert {"ratios", "growth", "peaks", "start_up_seconds", "machine"} <= set(found)
    assert any("100000" in row["what"] for row in found["growth"])
    assert any("n = 60 to 200" in row["what"] for row in found["growth"])

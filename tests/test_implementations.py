"""Mechanisms of installed libraries: the published page, and, where diffprivlib is installed, its numbers anew.

The lane of the library: pip install "dpaudit[implementations]", then python -m pytest -m implementations. Elsewhere its
tests are skipped, visibly.
"""

import json
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from random import SystemRandom

import pytest

import dpaudit
from reports.implementations.page import page, short, true_epsilon

FOLDER = Path(__file__).parent.parent / "reports" / "implementations"
ROWS = json.loads((FOLDER / "result.json").read_text())["rows"]
UNITS = 1 << 53


def test_the_page_is_that_of_the_numbers():
    assert (FOLDER / "README.md").read_text() == page(ROWS)


def test_every_row_has_its_commands():
    assert {(row["class"], row["nominal_epsilon"]) for row in ROWS} >= {
        (name, eps)
        for name in (
            "Binary",
            "Geometric",
            "GeometricTruncated",
            "GeometricFolded",
            "Exponential",
            "PermuteAndFlip",
            "GaussianDiscrete",
        )
        for eps in ("1", "1/10")
    }
    for row in ROWS:
        assert all(row["class"] in command and (FOLDER / f"{row['file']}.py").exists() for command in row["commands"])


def test_numbers_are_shown_as_they_are():
    row = {"nominal_epsilon": "1/10", "epsilon": {"lower": "0.1000000000000005", "upper": "0.1000000000000006"}}
    assert true_epsilon(row) == "1/10 + 5e-16"
    assert true_epsilon({**row, "epsilon": {"lower": "inf", "upper": "inf"}}) == "∞"
    assert true_epsilon({**row, "epsilon": {"lower": "35.1260", "upper": "inf"}}) == "≥ 35.126"
    assert true_epsilon({**row, "epsilon": {"lower": "0.99999999", "upper": "inf"}}) == "≥ 0.999999", "not rounded up"
    assert short("6.341e-16") == "6.35e-16"


installed = pytest.mark.skipif(find_spec("diffprivlib") is None, reason="diffprivlib is not installed")


class Fixed(SystemRandom):
    """A source whose floats are all m / 2^53."""

    m = 0

    def random(self):
        return self.m / UNITS


def first(answers, lo, hi):
    """The first m of lo .. hi - 1 for which ``answers`` says yes, by bisection; hi if there is none."""
    while lo < hi:
        middle = (lo + hi) // 2
        lo, hi = (lo, middle) if answers(middle) else (middle + 1, hi)
    return lo


def load(name, eps="1"):
    return dpaudit.mechanism(f"{FOLDER / 'mechanisms.py'}:{name}", eps=eps)


def by_the_library(target, x, pieces):
    """The law of an output that is monotone in the one float on each piece, by calls of the library alone."""
    rng, law = Fixed(), {}

    def output(m):
        rng.m = m
        try:
            return target.sample(x, rng)
        except OverflowError:
            return "raises OverflowError"

    for lo, hi in pieces:
        while lo < hi:
            here = output(lo)
            end = first(lambda m, here=here: output(m) != here, lo, hi)
            law[str(here)] = law.get(str(here), 0) + Fraction(end - lo, UNITS)
            lo = end
    return law


@installed
@pytest.mark.implementations
@pytest.mark.parametrize(
    ("name", "x", "pieces"),
    [
        ("Binary", 1, [(0, UNITS)]),
        ("Exponential", (0, 2, 1), [(0, UNITS)]),
        ("Geometric", 1, [(0, UNITS // 2), (UNITS // 2, UNITS // 2 + 1), (UNITS // 2 + 1, UNITS)]),
        ("GeometricTruncated", 4, [(0, UNITS // 2), (UNITS // 2, UNITS // 2 + 1), (UNITS // 2 + 1, UNITS)]),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_law_is_that_of_the_library_called_with_plain_floats(name, x, pieces):
    from reports.implementations import mechanisms

    mechanism = load(name)
    found = dpaudit.pmf(mechanism, x)
    assert found.to_dict()["residual"] == "0"
    law = by_the_library(getattr(mechanisms, name)(Fraction(1)), x, pieces)
    assert sum(law.values()) == 1
    for output, p in zip(found.outputs, found.probabilities, strict=True):
        assert p.contains(law.pop(str(output), Fraction(0))), output
    assert not law


@installed
@pytest.mark.implementations
@pytest.mark.parametrize(
    ("name", "eps"),
    [
        ("Binary", "1"),
        ("Binary", "1/10"),
        ("Binary", "40"),
        ("Geometric", "1"),
        ("Exponential", "1"),
        ("PermuteAndFlip", "1"),
    ],
)
def test_the_published_numbers_come_out_again(name, eps):
    (row,) = [r for r in ROWS if (r["class"], r["nominal_epsilon"]) == (name, eps)]
    mechanism = load(name, eps)
    true = dpaudit.epsilon(mechanism).to_dict()
    assert (true["epsilon"], true["verdict"]) == (row["epsilon"], row["verdict"])
    assert dpaudit.delta(mechanism, at=eps).to_dict()["delta"] == row["delta"]
    raised = [str(output) for output in mechanism.outputs() if str(output).startswith("raises")]
    assert raised == list(row["crashes"])


@installed
@pytest.mark.implementations
def test_folding_far_reaches_the_limit_of_recursion():
    from diffprivlib.mechanisms import GeometricFolded

    with pytest.raises(RecursionError):
        GeometricFolded(epsilon=0.01, lower=0, upper=1)._fold(1000)

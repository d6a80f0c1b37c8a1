"""Mechanisms of installed libraries: the published page, and, where a library is installed, its numbers anew.

The lane of the libraries: pip install ".[libraries]", then python -m pytest -m libraries. Elsewhere its
tests are skipped, visibly.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from importlib.util import find_spec
from math import e, exp, inf, log
from pathlib import Path
from random import SystemRandom

import pytest

import dpaudit
from dpaudit.mechanisms.load import find_class
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from reports.libraries import __main__ as runner
from reports.libraries import opendp_page, opendp_rows
from reports.libraries.page import FAILS, MILD, OPEN, PROVED, commands, document, judged, judgement, summary, texts

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "libraries"
ROWS = json.loads((FOLDER / "result.json").read_text())["rows"]
OPENDP = opendp_page.load()[1]
UNITS = 1 << 53


def published(name, eps, library=""):
    (row,) = [r for r in ROWS if (r["class"], r["nominal_epsilon"]) == (name, eps) and r["library"].startswith(library)]
    return row


def test_the_page_is_that_of_the_numbers():
    for name, text in texts(ROWS).items():
        assert (FOLDER / name).read_text() == text


def test_every_row_of_the_plan_is_there_with_its_commands():
    found = [runner.Row(r["library"], r["file"], r["class"], r["nominal_epsilon"]) for r in ROWS]
    assert found == runner.ROWS
    for row in ROWS:
        assert all(row["class"] in command and (FOLDER / f"{row['file']}.py").exists() for command in commands(row))
        assert row["versions"].keys() == {"python", "numpy"}


def test_a_row_is_a_judged_statement():
    found = judgement(published("Binary", "1"))
    assert found.text().startswith("1-DP: REFUTED, true ε = 1.000000000000001; exceeds by")
    assert found.margin_text() == "exceeds by 6.5e-16 (δ = 4.8e-16 would repair it)"


@pytest.mark.parametrize(
    ("verdict", "nominal", "lower", "upper", "word"),
    [
        ("PROVED", "0", "0", "0", PROVED),
        ("REFUTED", "0", "9e-13", "1e-12", MILD),
        ("REFUTED", "0", "9e-13", "1.1e-12", OPEN),
        ("REFUTED", "0", "1.1e-12", "1.2e-12", FAILS),
        ("UNDECIDED", "1e-6", "9.9e-7", "1.00001e-6", MILD),
        ("UNDECIDED", "1e-6", "9.9e-7", "1.00002e-6", OPEN),
        ("REFUTED", "1e-6", "1.000001e-6", "1.00002e-6", OPEN),
        ("REFUTED", "1e-6", "1.00002e-6", "1.00003e-6", FAILS),
        ("UNDECIDED", "0", "0", "1", OPEN),
    ],
)
def test_what_is_not_known_is_called_neither_harmless_nor_not(verdict, nominal, lower, upper, word):
    row = {"verdict": verdict, "nominal_delta": nominal, "delta": {"lower": lower, "upper": upper}}
    assert judged(row) == word


def test_every_class_that_fails_or_is_open_has_a_row_and_a_reason():
    found = document(ROWS)
    bad = [row for row in ROWS if judged(row) in (FAILS, OPEN)]
    false = [row for row in OPENDP if opendp_page.judgement(row).verdict is Verdict.REFUTED]
    assert len(found.findings) == len(bad) + len(false) > len(bad) > 0
    assert all(finding.formula for finding in found.findings), "each has its reason"
    numbers = next(section for section in found.sections if section.kind == "numbers")
    assert len(numbers.table.rows) == len(ROWS)
    failing = {(r["library"], r["class"]) for r in bad if judged(r) == FAILS and r["nominal_epsilon"] != "40"}
    assert summary(ROWS).startswith(f"{len(failing) - 2} of 39 audited classes"), "two are of an old version"


def unary(p, q):
    """The ε of unary encoding whose true bit is 1 with probability p, the others with q."""
    return log(p * (1 - q) / ((1 - p) * q))


@pytest.mark.parametrize("eps", ["1", "1/10"])
def test_what_fails_has_the_size_that_a_formula_gives(eps):
    e = exp(Fraction(eps))
    kept = round(1 / (0.5 * e**0.5 + 0.5), 2)
    for row, delta in [
        (published("RAPPORClient", eps), 1 - kept / 2),
        (published("RSpFD_GRR_Client", eps), (e - 1) / (4 * e)),
    ]:
        assert float(row["delta"]["lower"]) == pytest.approx(delta, abs=1e-12), row["class"]
    for name, p, q in [
        ("UEClient", e**0.5 / (e**0.5 + 1), 1 / (e**0.5 + 1)),
        ("UEClientOptimised", 1 / 2, 1 / (e + 1)),
    ]:
        mended, old = published(name, eps, "pure-ldp 1.2"), published(name, eps, "pure-ldp 1.1")
        assert float(mended["epsilon"]["lower"]) == pytest.approx(unary(p, q), abs=1e-12)
        assert float(old["epsilon"]["lower"]) == pytest.approx(unary(p + (1 - p) * q, q), abs=1e-12)
    for name in ("RSpFD_GRR_Client", "RSpFD_UE_zero_Client", "RSpFD_UE_rnd_Client"):
        assert float(published(name, eps)["epsilon"]["lower"]) == pytest.approx(log(2 * e - 1), abs=1e-12)
    assert published("SS_Client", eps)["epsilon"]["lower"] == "inf"


# ------------------------------------------------------------------ OpenDP


def test_every_constructor_of_the_plan_has_its_row():
    assert [row["class"] for row in OPENDP if row["class"]] == list(opendp_rows.CLASSES)
    asked = sum(len(many) for _, _, many in opendp_rows.PIPELINES)
    assert sum(not row["class"] for row in OPENDP) == asked + len(opendp_rows.RHOS)


@pytest.mark.parametrize("name", [name for name in opendp_rows.CLASSES if name != "Amplified"])
def test_the_documented_law_gives_what_the_page_says(name):
    (row,) = [row for row in OPENDP if row["class"] == name]
    told = opendp_page.judgement(row)

    class Law(
        find_class(str(ROOT / opendp_rows.reference_of(name)))
    ):  # without the library: what map reports is in the row
        def claimed(self):
            return told.guarantee.option() if not isinstance(told.guarantee, EpsilonDelta) else told.guarantee

    found = dpaudit.judge(dpaudit.Setting.read(Law)).judgement
    assert (found.verdict, found.bound) == (told.verdict, told.bound)
    assert found.value.to_dict() == told.value.to_dict()


def test_the_threshold_of_opendp_is_off_by_the_counts_that_equal_it():
    (row,) = [row for row in OPENDP if row["class"] == "LaplaceThreshold"]
    told = opendp_page.judgement(row)
    share = exp(-4) / (1 + exp(-1))
    assert float(told.value.lower) == pytest.approx(share, abs=1e-15)
    assert float(told.bound) == pytest.approx(share / e, abs=1e-15), "the share of the counts above the threshold"
    assert row["counts_verdict"] == "REFUTED", "the real outputs alone show it"


def needs(*libraries):
    missing = [name for name in libraries if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)}: not installed")


installed = needs("diffprivlib")


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
@pytest.mark.libraries
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
    from reports.libraries import mechanisms

    mechanism = load(name)
    found = dpaudit.pmf(mechanism, x)
    assert found.to_dict()["residual"] == "0"
    law = by_the_library(getattr(mechanisms, name)(Fraction(1)), x, pieces)
    assert sum(law.values()) == 1
    for output, p in zip(found.outputs, found.probabilities, strict=True):
        assert p.contains(law.pop(str(output), Fraction(0))), output
    assert not law


@installed
@pytest.mark.libraries
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
    row, mechanism = published(name, eps), load(name, eps)
    true = dpaudit.epsilon(mechanism).to_dict()
    assert (true["epsilon"], true["verdict"]["word"]) == (row["epsilon"], row["verdict"])
    assert dpaudit.delta(mechanism, at=eps).to_dict()["delta"] == row["delta"]
    raised = [str(output) for output in mechanism.outputs() if str(output).startswith("raises")]
    assert raised == list(row["crashes"])


@installed
@pytest.mark.libraries
def test_folding_far_reaches_the_limit_of_recursion():
    from diffprivlib.mechanisms import GeometricFolded

    with pytest.raises(RecursionError):
        GeometricFolded(epsilon=0.01, lower=0, upper=1)._fold(1000)


def interval(text):
    """The least and the largest value that a line of an answer allows: 1.00[4, 5]e-7, [a, b], ≥ a, ≤ b, ∞."""
    digits = re.fullmatch(r"(\d[\d.]*)\[(\d+), (\d+)\](e-?\d+)?", text)
    if digits:
        start, lower, upper, power = digits.groups()
        return tuple(Fraction(f"{start}{end}{power or ''}") for end in (lower, upper))
    sign, ends = text[:1], [inf if end == "∞" else Fraction(end) for end in re.findall(r"∞|\d[\d.]*(?:e-?\d+)?", text)]
    return (ends[0], inf) if sign == "≥" else (0, ends[0]) if sign == "≤" else (ends[0], ends[-1])


def test_an_answer_is_read_as_it_is_shown():
    assert interval("2.3[1, 2]e-15") == (Fraction("2.31e-15"), Fraction("2.32e-15"))
    assert interval("[0.61, 0.62]") == (Fraction("0.61"), Fraction("0.62"))
    assert (interval("≥ 0.5"), interval("≤ 3e-17")) == ((Fraction(1, 2), inf), (0, Fraction("3e-17")))
    assert (interval("∞"), interval("0")) == ((inf, inf), (0, 0))


QUICK = [
    *(("mechanisms", name, "1") for name in ("Binary", "Geometric", "ExponentialHierarchical", "PermuteAndFlip")),
    *(("mechanisms", name, "40") for name in ("Binary", "Geometric")),
    *(("pure", name, "1/10") for name in ("DEClient", "HadamardResponseClient", "CMSClient", "RAPPORClient")),
    *(("multi", name, "1") for name in ("GRR_Client", "SS_Client", "SS_ClientSorted", "RSpFD_GRR_Client")),
]
NEEDED = {"mechanisms": "diffprivlib", "pure": "pure_ldp", "multi": "multi_freq_ldpy"}


def agrees(text, row):
    """Whether a printed answer has the verdict and the number of the row."""
    shown = dict(re.findall(r"^(true ε|δ\(.*?\)) +(.*)$", text, re.MULTILINE))
    verdict = re.match(r"[✓✗?] .*?: (\w+)", text)[1]
    ((name, value),) = shown.items()
    least, most = interval(value)
    known = row["epsilon" if name == "true ε" else "delta"]
    lower, upper = (inf if known[end] == "inf" else Fraction(known[end]) for end in ("lower", "upper"))
    return verdict == row["verdict"] and least <= upper and lower <= most


def test_another_answer_does_not_agree():
    row = {"verdict": "REFUTED", "epsilon": {"lower": "1.0000000000000006", "upper": "1.0000000000000007"}}
    assert agrees("✗ 1-DP: REFUTED\ntrue ε   1.000000000000000[6, 7]", row)
    assert not agrees("✗ 1-DP: REFUTED\ntrue ε   1.000000000000000[4, 5]", row)
    assert not agrees("✓ 1-DP: PROVED; uses 1 %\ntrue ε   1.000000000000000[6, 7]", row)


@pytest.mark.libraries
@pytest.mark.parametrize(
    ("file", "name", "eps"), [pytest.param(*row, marks=needs(NEEDED[row[0]])) for row in QUICK], ids="-".join
)
def test_the_printed_commands_give_what_the_page_says(file, name, eps):
    row = published(name, eps, "" if file != "pure" else "pure-ldp 1.2")
    text, path = (FOLDER / "README.md").read_text(), f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands(row):
        assert f"    {command}\n" in text
        environment = {**os.environ, "PATH": path, "COLUMNS": "200"}
        run = subprocess.run(
            shlex.split(command), cwd=ROOT, capture_output=True, text=True, env=environment, check=True
        )
        assert agrees(run.stdout, row)


@pytest.mark.libraries
@pytest.mark.parametrize("name", opendp_rows.CLASSES)
@needs("opendp")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_opendp_reports_what_the_page_says(name):
    (row,) = [row for row in OPENDP if row["class"] == name]
    made = dpaudit.mechanism(str(ROOT / opendp_rows.reference_of(name)))
    assert made.claimed().option() == opendp_page.judgement(row).guarantee.option()
    if row.get("fit"):
        found = dpaudit.samples(law=dpaudit.Setting.read(made), draw=500, pair=[fit["x"] for fit in row["fit"]])
        assert {fit.verdict.value for fit in found.fit} <= {"UNDECIDED", *(fit["verdict"] for fit in row["fit"])}

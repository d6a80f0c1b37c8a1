"""dpaudit claims and dpaudit check: JSON, text, regression, own checks, wrong inputs."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dpaudit.claims import expectations, runner
from dpaudit.cli import main
from tests.proofs_checks.documents import CLAIMS, run_one

ROOT = Path(__file__).parents[2]
QUICK = "fig.table-1.stated"


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr()


@pytest.fixture
def own(tmp_path):
    """The example of the documentation, as a file."""
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    file = tmp_path / "mychecks.py"
    file.write_text(re.search(r"```python\n(.*?)```", text, re.S).group(1), encoding="utf-8")
    return file


def test_claims_lists_every_claim(capsys):
    rows = json.loads(run(capsys, "claims", "--json").out)
    assert [row["id"] for row in rows] == [claim.id for claim in CLAIMS]
    assert {"id", "document", "item", "statement", "quantifier", "verdict", "establishes", "line", "command"} == set(
        rows[0]
    )
    text = run(capsys, "claims", "fig.*").out
    assert "fig.table-1.stated" in text
    assert "REFUTED" in text
    assert "sliding" not in text


def test_check_json_has_the_contract(capsys):
    (entry,) = json.loads(run(capsys, "check", QUICK, "--json").out)
    wanted = {"id", "document", "item", "statement", "quantifier", "establishes", "grid", "verdict", "seconds"}
    assert wanted <= set(entry)
    example = entry["counterexample"]
    assert set(example) == {"parameters", "left", "relation", "right", "margin", "steps", "note"}
    assert set(example["left"]) == {"meaning", "lower", "upper"}
    assert float(example["margin"]["upper"]) < 0
    assert example["steps"]


FALSE_BEYOND = """
from dpaudit.claims import Claim, Grid, Statement, check, each, scan, variables

SMALL = Statement("n", "<=", "10")

@check("mine.small", claim=Claim("mine.small", "notes", "1", "n is at most 10"), grid="for all n; listed")
def small(ctx):
    (n,) = variables("n")
    proof = ctx.proof().says("so", "every n is at most 10").equal("sum", "n + n = 2n", n + n, 2 * n)
    numbers = each(Grid(n=range(1, {end})), lambda at: at.n, lambda n: (n, 10))
    return proof.concludes(SMALL, "<=").settle(("", scan(SMALL, numbers)))
"""


@pytest.mark.parametrize(("end", "verdict", "warned"), [(11, "PROVED", True), (12, "REFUTED", False)])
def test_a_theorem_is_shown_with_what_lines_by_hand_are_worth(tmp_path, capsys, end, verdict, warned):
    file = tmp_path / "small.py"
    file.write_text(FALSE_BEYOND.replace("{end}", str(end)), encoding="utf-8")
    text = run(capsys, "check", "--from", str(file)).out
    assert verdict in text
    assert ("by hand: no machine checks those" in " ".join(text.split())) == warned


def test_explain_works_the_example_out(capsys):
    text = run(capsys, "check", QUICK, "--explain").out
    for part in ("REFUTED", "counterexample", "LS(x)", "printed", "left", "right", "margin", "0.37924298484"):
        assert part in text


def test_results_come_in_the_catalogues_order_and_do_not_depend_on_the_processes(capsys):
    names = ["fig.table-2.stated", "fig.table-1.found", QUICK]

    def entries(jobs):
        rows = json.loads(run(capsys, "check", *names, "--json", "--jobs", jobs).out)
        return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]

    found = entries("2")
    assert [row["id"] for row in found] == [QUICK, "fig.table-1.found", "fig.table-2.stated"]
    assert found == entries("1")


def test_expect_and_junit(capsys, tmp_path):
    junit = tmp_path / "report.xml"
    good = ["--expect", str(ROOT / "proofs_checks" / "expected.json"), "--junit", str(junit)]
    run(capsys, "check", QUICK, *good)
    assert ElementTree.parse(junit).getroot().attrib["failures"] == "0"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({QUICK: "PROVED"}))
    captured = run(capsys, "check", QUICK, "--expect", str(wrong), "--junit", str(junit), code=1)
    assert f"{QUICK}: expected PROVED, found REFUTED" in captured.err
    suite = ElementTree.parse(junit).getroot()
    assert [case.get("name") for case in suite] == [QUICK]
    assert "expected PROVED" in suite.find("testcase/failure").get("message")


def test_own_checks_from_the_documentation(capsys, own):
    (entry,) = json.loads(run(capsys, "check", "--from", str(own), "--json").out)
    assert (entry["id"], entry["verdict"], entry["establishes"]) == ("mine.corners", "PROVED", "exhaustive on the grid")
    both = json.loads(run(capsys, "check", "--from", str(own), "mine.*", QUICK, "--json").out)
    assert [row["id"] for row in both] == [QUICK, "mine.corners"]


@pytest.mark.parametrize(
    ("number", "establishes", "note"),
    [(1, "exhaustive on the grid", "a tie, decided by algebra"), (2, "for all n, by algebra", "")],
)
def test_the_tie_and_the_proof_of_the_documentation(number, establishes, note, capsys, own):
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    own.write_text(re.findall(r"```python\n(.*?)```", text, re.S)[number])
    (entry,) = json.loads(run(capsys, "check", "--from", str(own), "--json").out)
    found = entry["verdict"], entry["establishes"], entry["tightest"]["note"]
    assert found == ("PROVED", establishes, note)


def test_a_check_that_breaks_is_an_error_not_a_verdict(capsys, own):
    own.write_text(own.read_text().replace("return scan(FAR, each(ctx.grid, model, sides))", "return 1 / 0"))
    captured = run(capsys, "check", "--from", str(own), "--json", code=1)
    assert json.loads(captured.out)[0]["verdict"] == "UNDECIDED"
    assert "ZeroDivisionError" in captured.err


BROKEN = """
import os, sys
from dpaudit.claims import Claim, check
from beside import GRID

def broken(name, does):
    @check(name, claim=Claim(name, "mine", "", "breaks"), grid=GRID)
    def run(ctx):
        return does()

def lines():
    raise ValueError("one\\ntwo")

broken("b.bool", lambda: True)
broken("b.exit", lambda: sys.exit(4))
broken("b.kill", lambda: os.kill(os.getpid(), 9))
broken("b.lines", lines)
"""


def test_checks_that_break_in_any_way_are_errors_in_one_line_each(capsys, own):
    own.write_text(BROKEN)
    own.with_name("beside.py").write_text("GRID = 'none'")
    captured = run(capsys, "check", "--from", str(own), "--json", code=1)
    rows = json.loads(captured.out)
    assert [(row["id"], row["verdict"]) for row in rows] == [
        (key, "UNDECIDED") for key in ("b.bool", "b.exit", "b.kill", "b.lines")
    ]
    errors = captured.err.splitlines()
    assert len(errors) == 4
    for text, part in zip(errors, ("returns an Outcome", "SystemExit: 4", "ended abruptly", "one two"), strict=True):
        assert part in text


def test_expect_compares_what_is_established_and_names_what_did_not_run(capsys, tmp_path):
    file, junit = tmp_path / "e.json", tmp_path / "j.xml"
    rows = {
        QUICK: {"verdict": "REFUTED", "establishes": "for all n, by algebra"},
        "no.such": "PROVED",
        "fig.table-1.found": "PROVED",
    }
    file.write_text(json.dumps(rows))
    captured = run(capsys, "check", QUICK, "--expect", str(file), "--junit", str(junit), code=1)
    assert captured.err.splitlines()[1:] == ["changed: no.such: expected PROVED, but no claim has this id"]
    assert "expected REFUTED, for all n, by algebra, found REFUTED, by counterexample" in captured.err
    assert ElementTree.parse(junit).getroot().attrib["failures"] == "2"
    decided = runner.Decided((run_one(QUICK),), ("fig.*",), frozenset(claim.id for claim in CLAIMS))
    lines = expectations.differences(expectations.read(file), decided)
    assert lines[-1] == "fig.table-1.found: expected PROVED, but it did not run"


def test_a_part_by_algebra_shows_its_proof(capsys):
    (entry,) = json.loads(run(capsys, "check", "acc.4.2.strict", "--json").out)
    proved = [part for part in entry["parts"] if part["establishes"] == "by algebra"]
    assert proved
    assert all(part["steps"] for part in proved)
    assert proved[0]["steps"][-1]["label"] in run(capsys, "check", "acc.4.2.strict", "--explain").out


WRONG = [
    (["check", "sliding.statd"], "IDS = sliding.statd: no claim has this id; did you mean sliding.stated"),
    (["claims", "zzz*"], "IDS = zzz*: no claim has this id"),
    (["check", QUICK, "--jobs", "0"], "--jobs = 0: must be a whole number >= 1"),
    (["check", QUICK, "--expect", "no.json"], "--expect = no.json: cannot be read"),
    (["check", QUICK, "--from", "no.py"], "--from = no.py: is not a file"),
    (["check", QUICK, "--junit", "no/such/dir.xml"], "--junit = no/such/dir.xml: cannot be written"),
    (["check", QUICK, "--junit", "."], "--junit = .: cannot be written"),
    (["check", QUICK, "--certificate", "no/such/c.json"], "--certificate = no/such/c.json: cannot be written"),
    (["check", QUICK, "--out", "no/such/dir.txt"], "--out = no/such/dir.txt: cannot be written"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_is_one_line(arguments, message, capsys):
    captured = run(capsys, *arguments, code=74 if "cannot be written" in message else 2)
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "is not JSON"),
        ("3", "must be what"),
        ('{"a": "MAYBE"}', "a has no verdict"),
        ("[1]", "must be what"),
    ],
)
def test_wrong_expectations_are_one_line(content, message, capsys, tmp_path):
    file = tmp_path / "e.json"
    file.write_text(content)
    captured = run(capsys, "check", QUICK, "--expect", str(file), code=2)
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("x = 1", "registers no check"),
        ("def broken(:", "cannot be loaded: SyntaxError"),
        ("import sys\nsys.exit(3)", "cannot be loaded: SystemExit: 3"),
        ("raise ValueError('one\\ntwo')", "cannot be loaded: ValueError: one two"),
        (
            "from dpaudit.claims import check\n@check('mine.x', grid='')\ndef f(ctx): pass",
            "mine.x is not in the catalogue",
        ),
        (
            "from dpaudit.claims import check\n@check('fig.table-1.stated', grid='')\ndef f(ctx): pass",
            "already has a check",
        ),
    ],
)
def test_wrong_modules_are_one_line(content, message, capsys, own):
    own.write_text(content)
    captured = run(capsys, "check", "--from", str(own), code=2)
    assert message in captured.err
    assert captured.err.count("\n") == 1


SLEEPERS = """
import os, time
from pathlib import Path
from dpaudit.claims import Claim, check

def sleeper(name):
    @check(name, claim=Claim(name, "mine", "", "sleeps"), grid="none")
    def run(ctx):
        Path(__file__).with_name(name).write_text(str(os.getpid()))
        time.sleep(120)

sleeper("a")
sleeper("b")
"""


def wait_for(condition):
    """Waits until the condition holds, at most a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_ends_cleanly_with_all_workers(tmp_path):
    (tmp_path / "sleepers.py").write_text(SLEEPERS)
    command = [sys.executable, "-m", "dpaudit", "check", "--from", str(tmp_path / "sleepers.py")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    files = [tmp_path / "a", tmp_path / "b"]
    assert wait_for(lambda: all(file.exists() and file.read_text() for file in files))
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == ("", "dpaudit: interrupted\n")
    assert wait_for(lambda: not any(alive(int(file.read_text())) for file in files))

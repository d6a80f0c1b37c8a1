"""The documentation tells the truth: what is shown runs, prints what is shown, and links lead somewhere."""

import doctest
import inspect
import os
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache

import pytest
import typer
from shown import PAGES, ROOT, Command, File, inline, parts, session
from typer.exceptions import TyperException

import dpaudit
from dpaudit.cli import COMMANDS, main, make_app
from dpaudit.reports.plan import read_plan
from dpaudit.reports.report import jobs

LONG = {
    "dpaudit check": "two minutes; proofs_checks/ is held by tests of its own",
    "dpaudit check 'sliding.*' 'fig.table-*'": "ten seconds",
    "dpaudit check --from mychecks.py 'fig.*' 'mine.*' --explain": "half a minute",
    "dpaudit check --wide": "minutes",
    "dpaudit check --json": "two minutes",
    "dpaudit check --expect proofs_checks/expected.json --junit report.xml": "two minutes; tests/claims holds it",
    "dpaudit check dp.ehds --explain": "needs the proof assistant; tests/test_coq.py holds the page",
    "dpaudit verify ehds.json --coq": "needs the proof assistant",
    "dpaudit compare --dataset cryotherapy --k 3": "a minute",
    "dpaudit compare --n 2..320 --step 2 --mech MH,LSDim,LSHist": "a minute",
    "dpaudit compare --n 10..2000 --step 10 --share 1/10,9/10 --target 4/5 --mech MHdelta,LSDim,LSHist": "a minute",
    "dpaudit epsilon --mech EHDL --n 200 --prior 1/100..2,1/100..2 --picture map.svg": "a minute",
    "dpaudit report --mech all --n 1..60 --k 2 --eps 1 --out my-report": "ten seconds",
    "dpaudit report --claims --out claims": "two minutes",
    "dpaudit report --refresh reports": "minutes; tests/test_committed_reports.py holds the reports",
}
"""What runs with --long only, and why; without it the words are read as the command line reads them."""
ELSEWHERE = ("--scheduler", "--coq", "proofs_checks/", "--refresh reports", "--plan plan.toml", "my-report/result.json")
"""What cannot run in an empty folder: a cluster, a proof assistant, a clone; of plans see below."""


def named(path):
    return str(path.relative_to(ROOT))


@cache
def command_line():
    return typer.main.get_command(make_app())


def read(words):
    """Reads the words as the command line does, without running them: an option that is not there is an error."""
    name, *rest = words[1:]
    try:
        command_line().commands[name].make_context(name, rest)
    except TyperException as error:
        if type(error).__name__ not in ("MissingParameter", "BadOptionUsage"):  # prose may name an option alone
            raise


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_python_examples_run(path):
    assert doctest.testfile(str(path), module_relative=False).failed == 0


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{named(path)} links to {target}"


def plain(line):
    """Returns the line without frames and without what differs from run to run: the time that it took."""
    line = re.sub(r"[│┃]", " ", line)
    return " ".join(re.sub(r"\b[\d.]+ ?s$", "… s", line.rstrip()).split())


def compare(where, printed, lines):
    """Every line is printed, in this order."""
    printed = [plain(line) for line in printed]
    for line in lines:
        wanted = plain(line)
        if wanted in ("...", "…"):
            continue
        form = ".*".join(re.escape(part) for part in wanted.split("…"))
        at = next((i for i, found in enumerate(printed) if re.fullmatch(form, found)), None)
        assert at is not None, f"{where} does not print, or not in this place: {wanted}"
        printed = printed[at + 1 :]


def call(words, capsys):
    """Runs a program and returns its exit code and what it printed; dpaudit itself runs in this process."""
    if words[0] == "dpaudit":
        code = main(words[1:])
        return code, capsys.readouterr().out
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", *words, "-p", "no:cacheprovider"]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("path", [path for path in PAGES if session(path)], ids=named)
def test_what_is_shown_runs_and_prints_what_is_shown(path, tmp_path, monkeypatch, capsys, long):
    """The page from top to bottom in one folder: its files are written, its commands run one after the other."""
    monkeypatch.chdir(tmp_path)
    for item in session(path):
        if isinstance(item, File):
            file = tmp_path / item.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(item.text)
            if file.suffix == ".py":
                compile(item.text, item.name, "exec")
        else:
            run(path, item, capsys, long)


def run(path, command, capsys, long):
    """Runs what a command calls; each call but the last must succeed, and the last too unless the code is shown."""
    words = command.words.partition("  #")[0].partition(" # ")[0].strip()
    if any(part in words for part in ELSEWHERE) or (words in LONG and not long):
        for called in command.calls():
            read(called)
        return
    codes, printed = [], ""
    for called in command.calls():
        code, out = call(called, capsys)
        codes, printed = [*codes, code], printed + out
    if command.asks_for_the_code:
        printed += f"{codes[-1]}\n"
    else:
        assert set(codes) == {0}, f"{named(path)}: {command.words} ends with {codes}"
    compare(f"{named(path)}: {command.words}", printed.splitlines(), command.lines)


def test_the_shown_plan_of_a_report_runs(tmp_path, long):
    """All that it says is checked against the mechanisms, as before the first audit; with --long it is computed."""
    (shown,) = [item for item in session(ROOT / "docs/reports.md") if isinstance(item, File)]
    file = tmp_path / shown.name
    file.write_text(shown.text)
    plan = read_plan(str(file))
    assert plan.claims
    assert len(plan.studies) == 3
    assert [len(block.cases) for block in plan.audits] == [2, 1]
    assert list(jobs(plan))
    if long:
        assert main(["report", "--plan", str(file), "--out", str(tmp_path / "out")]) == 0


def test_every_exception_is_still_shown():
    shown = {
        item.words.partition(" # ")[0].strip() for path in PAGES for item in session(path) if hasattr(item, "words")
    }
    assert set(LONG) <= shown


@pytest.mark.parametrize("path", [path for path in PAGES if inline(path)], ids=named)
def test_commands_in_the_text_are_read(path):
    for command in inline(path):
        for called in Command(command).calls():
            read(called)


EXAMPLES = [
    line
    for group in COMMANDS.values()
    for command in group
    for line in inspect.getdoc(command).splitlines()
    if line.startswith("dpaudit ")
]
SHORT = ("epsilon", "delta", "judge", "pmf", "sensitivity", "mechanisms", "explain")
"""Commands whose examples run here; those of the others are read, and run on their pages."""


@pytest.mark.parametrize("words", EXAMPLES)
def test_examples_of_the_help_run(words, tmp_path, monkeypatch, capsys):
    """They are the examples of the reference of commands, too."""
    (called,) = Command(words).calls()
    if called[1] not in SHORT:
        read(called)
        return
    monkeypatch.chdir(tmp_path)
    assert call(called, capsys)[0] == 0


CHECKS = [(path, block) for path in PAGES for block, module in parts(path.read_text()) if module and "@check(" in block]


@pytest.mark.parametrize("number", range(len(CHECKS)))
def test_shown_checks_are_decided(number, tmp_path, capsys):
    file = tmp_path / "mychecks.py"
    file.write_text(CHECKS[number][1])
    assert main(["check", "--from", str(file), "--require"]) == 0


def test_modules_that_are_shown_are_run():
    """A block in Python is a file of its page's session, or a module of checks: nothing is shown that no test reads."""
    for path in PAGES:
        for block, module in parts(path.read_text()):
            assert not module or "@check(" in block, f"{named(path)} shows {block[:60]}"


def test_there_are_shown_commands():
    pages = {path.stem for path in PAGES if any(isinstance(i, Command) and i.lines for i in session(path))}
    assert pages >= {
        "README",
        "search",
        "profile",
        "own-mechanism",
        "fast",
        "1-audit",
        "2-refute",
        "3-your-own",
        "4-ci",
    }


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_can_be_pasted(path):
    """No command shows what may be left out in brackets, or stands for several."""
    for item in session(path):
        if isinstance(item, Command):
            assert not re.search(r"[\[\]…]|\.\.\.", item.words.split(" # ")[0]), f"{named(path)}: {item.words}"


def test_the_picture_of_the_readme_is_what_is_audited():
    """It is the chart of reports/uniform-k2; a label is "NAME ≈ the limit of the true ε", and "=" is exact."""
    picture = (ROOT / "docs/pictures/true-epsilon.svg").read_text()
    assert picture == (ROOT / "reports/uniform-k2/charts/02-epsilon-by-n.svg").read_text()
    labels = re.findall(r">(\w+) ([=≈]) ([\d.]+),", picture)
    assert {name for name, _, _ in labels} == set(dpaudit.MECHANISMS)
    for name, sign, shown in labels:
        if sign == "=":
            assert dpaudit.epsilon(name, n=100).closed_form == str(Fraction(shown))
    limit = dpaudit.epsilon("EHDS", n="all").limit
    assert ("EHDS", "≈", f"{float(limit.lower):.3f}") in labels


def test_the_readme_tries_before_it_explains():
    text = (ROOT / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Try it"

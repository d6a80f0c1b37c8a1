"""The documentation tells the truth: what it shows runs and prints what is shown, and links lead somewhere."""

import doctest
import inspect
import os
import re
import subprocess
import sys
import tomllib

import pytest
from pages import (
    PAGES,
    ROOT,
    Command,
    File,
    differs,
    files,
    followed,
    inline,
    met,
    named,
    parts,
    read,
    session,
)

from dpaudit.cli import COMMANDS, function_of, main
from dpaudit.evidence.pack import pack
from dpaudit.reports.plan import read_plan
from dpaudit.reports.report import wanted_jobs

LONG = {
    "dpaudit check": "two minutes; proofs_checks/ is held by tests of its own",
    "dpaudit check 'sliding.*' 'fig.table-*'": "ten seconds",
    "dpaudit check --from mychecks.py 'fig.*' 'mine.*' --explain": "half a minute",
    "dpaudit check --wide": "minutes",
    "dpaudit check --json": "two minutes",
    "dpaudit check --expect proofs_checks/expected.json --junit report.xml": "two minutes; tests/claims holds it",
    "dpaudit check dp.ehds --explain": "needs the proof assistant; tests/claims/test_formal.py holds the page",
    "dpaudit verify ehds.json --coq": "needs the proof assistant",
    "dpaudit compare --dataset cryotherapy --k 3": "a minute",
    "dpaudit compare --n 2..320 --step 2 --mech MH,LSDim,LSHist": "a minute",
    "dpaudit compare --n 10..2000 --step 10 --share 1/10,9/10 --target 4/5 --mech MHdelta,LSDim,LSHist": "a minute",
    "dpaudit epsilon --mech EHDL --n 200 --prior 1/100..2,1/100..2 --plot map.svg": "a minute",
    "dpaudit report --mech all --n 1..60 --k 2 --eps 1 --out my-report": "ten seconds",
    "dpaudit report --claims --out claims": "two minutes",
    "dpaudit report --mech EHDS --n all --certificate --out ehds": "a minute: the verifier recomputes the theorem",
    "dpaudit report --refresh reports": "minutes; tests/system/test_committed_reports.py holds the reports",
}
"""What runs with --long only, and why; without it the words are read as the command line reads them."""
ELSEWHERE = (
    *("--scheduler", "--coq", "proofs_checks/", "--refresh reports", "--plan plan.toml", "my-report/result.json"),
    *("python -m", "python3 -m venv"),
)
"""What cannot run in an empty folder: a cluster, a proof assistant, a clone; of plans and modules see below."""


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_python_examples_run(path):
    assert doctest.testfile(str(path), module_relative=False).failed == 0


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{named(path)} links to {target}"


def call(words, capsys):
    """Runs a program and returns its exit code and what it printed; dpaudit itself runs in this process."""
    if words[0] == "dpaudit":
        code = main(words[1:])
        return code, capsys.readouterr().out
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    pytest_too = ["-m", *words, "-p", "no:cacheprovider"] if words[0] == "pytest" else words[1:]
    words = [sys.executable, *pytest_too]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("path", [path for path in PAGES if session(path)], ids=named)
def test_what_is_shown_runs_and_prints_what_is_shown(path, tmp_path, monkeypatch, capsys, long):
    """The page from top to bottom in one folder: its files are written, its commands run one after the other."""
    monkeypatch.chdir(tmp_path)
    pack(tmp_path / "dpaudit-verify.pyz")  # one page does so with python -m
    for item in session(path):
        if isinstance(item, File):
            write(item, tmp_path)
        else:
            run(path, item, capsys, long)


def write(item, folder):
    """Writes the file as it is shown, and reads it as its language is read."""
    file = folder / item.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(item.text)
    if file.suffix == ".py":
        compile(item.text, item.name, "exec")
    elif file.suffix == ".toml":
        groups = tomllib.loads(item.text).get("project", {}).get("entry-points", {})
        assert set(groups) <= {"dpaudit.claims", "dpaudit.mechanisms"}


def run(path, command, capsys, long):
    """Runs what a command calls; each call but the last must succeed, and the last too unless the code is shown."""
    words = command.called
    if any(part in words for part in ELSEWHERE) or (words in LONG and not long):
        for called in command.calls():
            if called[0] == "dpaudit":
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
    wrong = differs(printed.splitlines(), command.lines)
    assert wrong is None, f"{named(path)}: {command.words} does not print, or not in this place: {wrong}"


def test_what_is_left_out_is_marked():
    """A line that is missing is noticed, wherever it stands, and so is a mark where nothing is missing."""
    printed = ["a  1", "━━", "b  2.0 s", "c"]
    assert differs(printed, ["a 1", "b 3.5 s", "c"]) is None
    assert differs(printed, ["a …", "…", "c"]) is None
    assert differs(printed, ["a 1", "c"]) == "c"
    assert differs(printed, ["b 2.0 s", "c"]) == "b … s"
    assert differs(printed, ["a 1", "b 2.0 s"]).startswith("(more is printed")
    assert differs(printed, ["a 1", "…", "b 2.0 s", "c"]) == "b … s"
    assert differs(printed, ["a 1", "b 2.0 s", "c", "…"]) == "…"
    assert differs(printed, []) is None


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_there_is_one_mark_for_what_is_left_out(path):
    """Three dots are Python's, within a doctest; everywhere else it is "…"."""
    text = re.sub(r"^ *(?:>>>|\.\.\.|Traceback).*$", "", path.read_text(), flags=re.MULTILINE)
    assert not re.search(r"(?<![.\d])\.\.\.(?!\.)", re.sub(r"`[^`]*`", "", text))


def test_a_file_is_written_as_it_is_shown():
    """With the line that names it: a reader pastes that too, and a table has no comments."""
    (file,) = [item for item in met("# a.toml\nn = 1\n\n$ dpaudit x\n") if isinstance(item, File)]
    assert (file.name, file.text) == ("a.toml", "# a.toml\nn = 1\n\n")
    assert not [item for item in met("# pmf.csv\n,no,yes\nno,1,0\nyes,0,1\n") if isinstance(item, File)]


def test_the_shown_plan_of_a_report_runs(tmp_path, long):
    """All that it says is checked against the mechanisms, as before the first audit; with --long it is computed."""
    (shown,) = [item for item in session(ROOT / "docs/reports.md") if isinstance(item, File)]
    file = tmp_path / shown.name
    file.write_text(shown.text)
    plan = read_plan(str(file))
    assert plan.claims
    assert len(plan.studies) == 2
    assert [len(block.cases) for block in plan.audits] == [2, 1, 2]
    assert list(wanted_jobs(plan))
    if long:
        assert main(["report", "--plan", str(file), "--out", str(tmp_path / "out")]) == 0


def test_every_exception_is_still_shown():
    shown = {item.called for path in PAGES for item in session(path) if isinstance(item, Command)}
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
    for line in inspect.getdoc(function_of(command)).splitlines()
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


HELD = (
    '"',
    "python3 -m venv",
    "apt-get install",
    "# .pre-commit-config.yaml",
    "$ timeout -s KILL",
    "dpaudit: EHDS: ",
)
"""Blocks that are not run: members of JSON, which test_docs_json.py holds, what installs something, test_actions,
a kill in the middle of a sweep, which tests/sweeps/test_sweep.py holds, and a line of progress (test_progress.py).
"""


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_block_is_run(path):
    """It is a doctest, a module of checks, or has files and commands of the page's session."""
    for block, module, after in followed(path.read_text()):
        run = "@check(" in block if module else block.lstrip().startswith(">>>") or met(block, after)
        assert run or block.startswith(HELD), f"{named(path)} shows {block[:60]!r}, which no test runs"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_a_file_is_a_block_by_itself(path):
    """In Markdown an empty line does not end an indented block: what is copied would be the file and the command."""
    for block, _, after in followed(path.read_text()):
        shown = list(files(block, after))
        assert len(shown) + bool(re.search(r"^\$ ", block, re.MULTILINE)) <= 1, f"{named(path)}: {block[:60]}"
        assert not re.match(r"(?:[^\s$]*,[^\s$]*\n){3}\n*\$ ", block), f"{named(path)}: {block[:60]}"


@pytest.mark.parametrize("path", [path for path in PAGES if session(path)], ids=named)
def test_every_file_is_used(path):
    """By a command of its page, or by another of its files; of packages and plans see the tests beside this one."""
    items = session(path)
    said = " ".join(item.words for item in items if isinstance(item, Command))
    for item in items:
        if isinstance(item, File) and item.name.endswith((".py", ".csv")) and "/" not in item.name:
            assert item.name in said, f"{named(path)} shows {item.name} and never uses it"

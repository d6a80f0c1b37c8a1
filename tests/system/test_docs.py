"""The documentation tells the truth: what is shown runs, prints what is shown, and links lead somewhere."""

import ast
import doctest
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache, reduce
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
import typer
from shown import (
    PAGES,
    ROOT,
    STAND_IN,
    Command,
    File,
    differs,
    files,
    followed,
    inline,
    met,
    parts,
    prose,
    session,
    spans,
)
from typer.exceptions import TyperException

import dpaudit
from dpaudit.cli import COMMANDS, function_of, main, make_app
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
    "dpaudit check dp.ehds --explain": "needs the proof assistant; tests/evidence/test_coq.py holds the page",
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
    assert len(plan.studies) == 3
    assert [len(block.cases) for block in plan.audits] == [2, 1]
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


HELD = ('{"id", "document", "item",', "python3 -m venv", "apt-get install")
"""Blocks that are not run: members of JSON, which a test below holds, and what installs something."""


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


# ------------------------------------------------------------------ what stands within the text


def options_of(name=None):
    """Returns the options of a command, or of all of them."""
    commands = command_line().commands
    chosen = commands.values() if name is None else [commands[name]]
    return {option for command in chosen for parameter in command.params for option in parameter.opts}


OTHERS = {
    "--help": "every command",
    "--version": "dpaudit itself",
    "--install-completion": "dpaudit itself",
    "--junitxml": "pytest",
    "--long": "the tests",
}
"""Options that are not a command's."""


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_options_in_the_text_exist(path):
    known = options_of() | set(OTHERS)
    for words in spans(path):
        if not words.startswith("python -m"):
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", words):
                assert option in known, f"{named(path)}: {words}"


MODULES = sorted({match[1] for path in PAGES for match in re.finditer(r"python -m ([\w.]+)", path.read_text())})


@pytest.mark.parametrize("module", [name for name in MODULES if name not in ("venv", "pytest")])
def test_modules_in_the_text_exist_with_their_options(module):
    assert find_spec(module) is not None
    said = {
        option
        for path in PAGES
        for line in re.findall(rf"python -m {re.escape(module)} ([^`#\n]*)", path.read_text())
        for option in re.findall(r"--[a-z][\w-]*", line)
    }
    place = find_spec(f"{module}.__main__") if find_spec(module).submodule_search_locations else find_spec(module)
    source = Path(place.origin).read_text()
    assert all(f'"{option}"' in source for option in said)


PATH = re.compile(r"(?:dpaudit|tests|docs|benchmarks|reports|proofs_checks)/[\w./*-]*")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_files_in_the_text_exist(path):
    for words in [*spans(path), *(line for block, _ in parts(path.read_text()) for line in block.splitlines())]:
        for found in PATH.findall(words):
            module = f"{found.rpartition('.')[0]}.py"  # where a function of it is named
            assert list(ROOT.glob(found.rstrip("/"))) or (ROOT / module).exists(), f"{named(path)}: {words}"


NAMED = re.compile(r"dpaudit(?:\.[A-Za-z_]\w*)+")
GROUPS = {"dpaudit.claims", "dpaudit.mechanisms"}
"""Entry-point groups, which are spelt like modules."""


def found(dotted):
    """Returns what a dotted name of the package stands for."""
    names = dotted.split(".")
    for cut in range(len(names), 0, -1):
        try:
            module = import_module(".".join(names[:cut]))
        except ImportError:
            continue
        return reduce(getattr, names[cut:], module)
    raise AttributeError(dotted)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_python_names_in_the_text_exist(path):
    for words in spans(path):
        if not words.startswith(("dpaudit ", "--", "python")):
            for dotted in NAMED.findall(words):
                assert dotted in GROUPS or found(dotted) is not None, f"{named(path)}: {words}"


def expressions(path):
    """Yields the calls of dpaudit within the text that stand there whole."""
    for words in spans(path):
        if words.startswith("dpaudit.") and "(" in words and not STAND_IN.search(words.replace("[0, 1, 2]", "")):
            yield words


def kinds(hint):
    """Returns the classes that an annotation stands for."""
    return [kind for part in get_args(hint) for kind in kinds(part)] if get_args(hint) else [hint]


@pytest.mark.parametrize("path", [path for path in PAGES if list(expressions(path))], ids=named)
def test_calls_in_the_text_can_be_made(path):
    """Their keywords are those of the function, and what is asked of the result is one of its attributes."""
    for words in expressions(path):
        tree = ast.parse(words, mode="eval").body
        asked = tree.attr if isinstance(tree, ast.Attribute) else None
        call = tree.value if isinstance(tree, ast.Attribute) else tree
        assert isinstance(call, ast.Call), f"{named(path)}: {words}"
        function = found(ast.unparse(call.func))
        keywords = {keyword.arg: None for keyword in call.keywords}
        inspect.signature(function).bind(*call.args, **keywords)
        if asked:
            results = kinds(get_type_hints(function)["return"])
            assert any(
                asked in vars(kind).get("__dataclass_fields__", {}) or hasattr(kind, asked) for kind in results
            ), f"{named(path)}: {words}"


ATTRIBUTES = (
    *("dpaudit.pytest_plugin:PrivacyAssertions", "dpaudit.numbers.balls:Ball", "dpaudit.audit.results:Answer"),
    *("dpaudit.claims:Grid", "dpaudit.mechanisms.base:Mechanism", "dpaudit.mechanisms.closed_form:Ratio"),
)
"""Whose methods the text names without their owner."""


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_methods_in_the_text_exist(path):
    known = set()
    for place in ATTRIBUTES:
        module, _, name = place.partition(":")
        known |= set(dir(getattr(import_module(module), name, None) or object))
    known |= {"algebra", "worst", "sympy"}  # what an algebra offers: tests/posterior/test_exact.py
    for words in spans(path):
        if re.match(r"\.[a-z]\w*\(", words):
            for name in re.findall(r"\.([a-z]\w*)\(", words):
                assert name in known, f"{named(path)}: {words}"


@pytest.mark.parametrize(("page", "command", "least"), [("audit", "epsilon", 5), ("certificates", "verify", 2)])
def test_defaults_are_those_of_the_command_line(page, command, least):
    """Tables of options with a column "default", where a value stands in it and no words."""
    head, body = re.search(
        r"^(\| option.*\bdefault\b.*\|)\n\|[-|]+\|\n((?:\|.*\n)+)", prose(ROOT / f"docs/{page}.md"), re.MULTILINE
    ).groups()
    column = [cell.strip() for cell in head.strip("|").split("|")].index("default")
    looked_at = 0
    for row in body.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
        options = re.findall(r"(?<![\w-])--[a-z][\w-]*", cells[0])
        for option, told in zip(options, cells[column].split(","), strict=False):
            value = re.sub(r"(?<=\d) (?=\d)", "", told.strip())
            if re.fullmatch(r"\w+", value) and value != "required":
                assert default_of(command, option) == value, row
                looked_at += 1
    assert looked_at >= least


def test_other_defaults_of_digits_are_told():
    (row,) = re.findall(r"^\| `--digits D` .*$", (ROOT / "docs/audit.md").read_text(), re.MULTILINE)
    having = {name for name in command_line().commands if "--digits" in options_of(name)}
    for name in having:
        value = default_of(name, "--digits")
        assert (f"`{name}`" in row) == (value != "15"), name
        assert value == "15" or re.search(rf"`{name}` (?:has )?{value}\b", row), name


def test_every_command_that_can_require_is_listed():
    (listed,) = re.findall(r"^- `--require` \(([^)]*)\)", (ROOT / "docs/guarantees.md").read_text(), re.MULTILINE)
    having = {name for name in command_line().commands if "--require" in options_of(name)}
    assert set(re.findall(r"\w+", listed)) == having


def test_what_a_command_asks_is_a_call_of_python():
    """All but those that list what is there."""
    commands = command_line().commands
    assert {name for name in commands if not callable(getattr(dpaudit, name, None))} == {"mechanisms", "claims"}


def default_of(command, option):
    """Returns the default of an option as the command line has it, or as its help says."""
    (parameter,) = [parameter for parameter in command_line().commands[command].params if option in parameter.opts]
    said = re.search(r"Default: (\w+)\.", parameter.help or "")
    return said[1] if said else str(parameter.default)


def keys(value):
    """Returns all names of members, however deep."""
    if isinstance(value, dict):
        return set(value) | {name for member in value.values() for name in keys(member)}
    return {name for member in value for name in keys(member)} if isinstance(value, list | tuple) else set()


ANSWERS = {
    "explain": lambda: [dpaudit.explain("1", delta="1e-5"), dpaudit.explain(mech="EHDS", n=3)],
    "accuracy": lambda: [dpaudit.accuracy("LSHist", "3,3", t="0.2")],
    "calibrate": lambda: [
        dpaudit.calibrate("EHDS", n=4),
        dpaudit.calibrate_gamma("MH", n=4, target="1/2", gammas="1,2"),
    ],
    "compare": lambda: [
        dpaudit.compare("3,3", mechs="LSHist,EHDS"),
        dpaudit.compare_over_n(range(2, 5), mechs="LSHist,EHDS"),
    ],
    "pmf, sensitivity": lambda: [dpaudit.pmf("LSHist", "2,2"), dpaudit.sensitivity(2)],
    "search": lambda: [dpaudit.search("EHDL", n="1..3", prior="1,1", eps="1")],
}
"""Sections of the page on JSON, and answers that have all members named there."""


@pytest.mark.parametrize("command", ANSWERS)
def test_members_of_json_are_those_of_the_answers(command):
    """A member that the page names is one of them."""
    page = (ROOT / "docs/json.md").read_text()
    section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]
    named = set(re.findall(r'"([a-z_]+)"', section))
    known = {name for answer in ANSWERS[command]() for name in keys(answer.to_dict())}
    assert named
    assert named - known <= {"inf"}


def test_members_of_json_of_a_check(capsys):
    block = next(block for block, _ in parts((ROOT / "docs/claims.md").read_text()) if block.startswith('{"id"'))
    assert main(["check", "candidates.beta", "sliding.stated", "--json", "--jobs", "1"]) == 0
    known = keys(json.loads(capsys.readouterr().out))
    assert set(re.findall(r'"([a-z_]+)"', block)) <= known | {"table", "witness"}


# ------------------------------------------------------------------ what else is promised


def test_the_page_of_claims_names_the_printed_words():
    """A verdict on a grid is printed in other words than those of its JSON; the page has both."""
    from dpaudit.claims.outcome import ON_GRID
    from dpaudit.claims.words import extent

    (row,) = re.findall(rf"^\| PROVED on its grid \| {ON_GRID}.*$", (ROOT / "docs/claims.md").read_text(), re.MULTILINE)
    assert "printed as ON THE GRID ONLY |" in row
    assert '"ON THE GRID ONLY: {grid}"' in inspect.getsource(extent)


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
    """It is the main picture of reports/uniform-k2; a label is "NAME → the limit of the true ε"."""
    picture = (ROOT / "docs/pictures/true-epsilon.svg").read_text()
    assert picture == (ROOT / "reports/uniform-k2/charts/01-epsilon-by-n.svg").read_text()
    labels = dict(re.findall(r">(\w+)(?: → ([\d.]+))?</text>", picture))
    assert set(dpaudit.MECHANISMS) <= set(labels)
    limit = dpaudit.epsilon("EHDS", n="all").limit
    assert labels["EHDS"] == f"{float(limit.lower):.3f}"


def test_the_setting_of_the_picture_is_told():
    """Beside it, and for who does not see it, as the plan of its report has it."""
    (asked,) = tomllib.loads((ROOT / "reports/uniform-k2/plan.toml").read_text())["audit"]
    assert asked == {"mechs": "all", "n": "1..100", "prior": "1,1", "eps": "1"}
    assert default_of("epsilon", "--gamma") == "1"
    for page in ("README.md", "docs/README.md"):
        words, told = re.search(
            r"!\[([^\]]*)\]\(\S*true-epsilon.svg\)\n\n(The picture .*)", (ROOT / page).read_text()
        ).groups()
        for part in ("ε = 1", "k = 2", "prior (1, 1)", "γ = 1"):
            assert part in words
            assert part in told


def test_the_readme_tries_before_it_explains():
    text = (ROOT / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Try it"


def test_the_help_stands_by_itself():
    """It is installed without these pages: no path of them stands in it."""
    for command in command_line().commands.values():
        words = [command.help or "", *(parameter.help or "" for parameter in command.params)]
        assert not [line for line in words if "docs/" in line or ".md" in line], command.name


def test_every_exit_code_is_listed():
    """In the help, on the page of commands and on that of pipelines."""
    from dpaudit import cli

    codes = {0, 1, 2, 3, cli.FAULT, cli.NOT_WRITTEN, cli.INTERRUPTED, cli.CLOSED_PIPE, 143}
    for text in (cli.options.__doc__, (ROOT / "docs/audit.md").read_text()):
        listed = " ".join(text.partition("Exit codes: ")[2].split()).partition(".")[0].split("; ")
        assert {int(words.split()[0]) for words in listed} == codes
    table = (ROOT / "docs/ci.md").read_text()
    assert all(f"| {code} |" in table for code in codes if code > 3)
    for command in ("epsilon", "search", "report", "release", "check", "verify", "sweep"):
        assert f"`dpaudit {command}" in table


def test_every_mechanism_is_introduced():
    """With its name, where it is defined, and what it claims; the documents by their keys."""
    page = (ROOT / "docs/mechanisms.md").read_text()
    for name, kind in dpaudit.MECHANISMS.items():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", page, re.MULTILINE)
        assert row.endswith(f"| {kind.source} |")
    assert re.findall(r"^\| ([A-Z]\d) \|", page, re.MULTILINE) == ["N0", "P1", "D2", "A3", "N4"]


def test_the_column_of_an_extra_is_announced():
    """Before the example that shows it: without the extra a reader sees other words there."""
    text = (ROOT / "docs/profile.md").read_text()
    assert text.index('pip install "dpaudit[accounting]"') < text.index("--compose 3\n")


def test_words_of_the_theorems_are_defined_where_they_are_used():
    text = (ROOT / "docs/forall.md").read_text()
    assert re.search(r"g\(\\alpha_1\)\\, g\(\\alpha_2\) = \\pi - 3, \\qquad g\(\\alpha\) = ", text)
    for word in ("oscillation", "plateau", "matched rows"):
        assert f"*{word}*" in text


def test_the_ways_in_say_how_to_install_it():
    (install,) = re.findall(r"python3 -m venv .*? -q \. ", (ROOT / "README.md").read_text())
    for page in ("README.md", "tutorial/1-audit.md"):
        assert install in (ROOT / "docs" / page).read_text()
    named_there = ("audit", "claims", "compare", "accuracy", "coq", "calibrate", "reports")
    for page in ("README.md", "tutorial/1-audit.md", *(f"{name}.md" for name in named_there)):
        assert "mechanisms.md" in (ROOT / "docs" / page).read_text()


def test_a_step_of_the_tutorial_leaves_the_files_of_the_one_before():
    names = [
        item.name
        for path in PAGES
        if path.parent.name == "tutorial"
        for item in session(path)
        if isinstance(item, File)
    ]
    assert len(names) == len(set(names)) > 3


def test_links_have_words_and_not_files():
    for path in PAGES:
        for text in re.findall(r"(?<!!)\[([^\]]*)\]\([^)]*\)", path.read_text()):
            assert not re.fullmatch(r"[\w./-]+\.(?:md|ipynb)", text), f"{named(path)}: [{text}]"

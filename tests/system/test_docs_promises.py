"""What the documentation promises besides: pictures, exit codes, every mechanism, the order of the pages."""

import inspect
import re
import tomllib

import pytest
from pages import (
    COMMAND_NAMES,
    PAGES,
    ROOT,
    Command,
    File,
    command,
    named,
    session,
)

import dpaudit
from dpaudit.mechanisms import named as known
from dpaudit.reference import definitions as documented


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
        "4-refute",
        "2-your-own",
        "5-ci",
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
    assert set(documented.MECHANISMS) <= set(labels)
    limit = dpaudit.epsilon("EHDS", n="all").limit
    assert labels["EHDS"] == f"{float(limit.lower):.3f}"


def test_the_setting_of_the_picture_is_told():
    """Beside it, and for who does not see it, as the plan of its report has it."""
    (asked,) = tomllib.loads((ROOT / "reports/uniform-k2/plan.toml").read_text())["audit"]
    assert asked == {"mechs": "all", "n": "1..100", "prior": "1,1", "eps": "1"}
    assert dpaudit.mechanism("EHDS", n=2).settings()["gamma"] == "1"
    for page in ("README.md", "docs/mechanisms.md"):
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
    for name in COMMAND_NAMES:
        words = [command(name).help or "", *(parameter.help or "" for parameter in command(name).params)]
        assert not [line for line in words if "docs/" in line or ".md" in line], name


def test_every_exit_code_is_listed():
    """In the help, and on the page of pipelines."""
    from dpaudit import cli

    codes = {0, 1, 2, 3, cli.FAULT, cli.NOT_WRITTEN, cli.INTERRUPTED, cli.CLOSED_PIPE, 143}
    listed = " ".join(cli.options.__doc__.partition("Exit codes: ")[2].split()).partition(".")[0].split("; ")
    assert {int(words.split()[0]) for words in listed} == codes
    table = (ROOT / "docs/ci.md").read_text()
    assert all(f"| {code} |" in table for code in codes if code > 3)
    for name in ("epsilon", "search", "report", "release", "check", "verify", "sweep"):
        assert f"`dpaudit {name}" in table


def test_the_promise_for_later_versions_names_the_protocol_and_the_format():
    """As the page on your own mechanism and the code have them; test_docs_json.py holds the members of the JSON."""
    from dpaudit import version
    from dpaudit.evidence.verifier.reading import VERSION
    from dpaudit.mechanisms.own.mechanism import METHODS

    promise = " ".join(version.__doc__.split())
    page = (ROOT / "docs/own-mechanism.md").read_text()
    rows = re.findall(r"^\| (.*?) \|", page.partition("## The protocol")[2].partition("A **number**")[0], re.MULTILINE)
    members = {name for row in rows for name in re.findall(r"`(\w+)[(`]", row)}
    assert members > {"datasets", *METHODS}
    assert set(re.findall(r"``(\w+)``", promise)) == members
    assert f'``"version": {VERSION}``' in promise
    assert all(hasattr(dpaudit, name) for name in re.findall(r"``dpaudit\.(\w+)``", promise))
    assert [name for name in re.findall(r"``(docs/.*?)``", promise) if not (ROOT / name).is_file()] == []


def test_every_mechanism_is_introduced():
    """With its name, where it is defined, and what it claims; the documents by their keys.

    A new mechanism needs no row, since ``dpaudit mechanisms`` has one; a row that is there is right.
    """
    page = (ROOT / "docs/mechanisms.md").read_text()
    for name in documented.MECHANISMS:
        (row,) = re.findall(rf"^\| `{name}` \|.*$", page, re.MULTILINE)
        assert row.endswith(f"| {dpaudit.MECHANISMS[name].source} |")
    rows = dict(
        re.findall(r"^\| `([a-z-]+)`[,| ].*\| (.*) \|$", page.partition("## What an answer is about")[0], re.MULTILINE)
    )
    assert len(rows) > 15
    for name, source in rows.items():
        assert source == known.kind_of(name).source
    assert re.findall(r"^\| ([A-Z]\d) \|", page, re.MULTILINE) == ["N0", "P1", "D2", "A3", "N4"]


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

"""The documentation tells the truth: examples run, the first output is what is printed, links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

from dpaudit.cli import main, make_app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def named(path):
    return path.name


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_python_examples_run(path):
    assert doctest.testfile(str(path), module_relative=False).failed == 0


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_that_are_shown_exist(path):
    import typer

    known = set(typer.main.get_command(make_app()).commands)
    for command in re.findall(r"^ {4}(?:\$ )?dpaudit ([a-z]+)", path.read_text(), re.MULTILINE):
        assert command in known, f"{path.name} shows dpaudit {command}"


def test_the_readme_opens_with_the_true_output(capsys):
    """The README's first block is the output of its command, but for the time it took."""
    block = re.search(r"    \$ dpaudit epsilon --mech EHDS --n 100\n((?:    .*\n)+)", (ROOT / "README.md").read_text())
    shown = [line.strip() for line in block[1].splitlines()]
    assert main(["epsilon", "--mech", "EHDS", "--n", "100"]) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    took = next(i for i, line in enumerate(printed) if line.startswith("effort"))
    assert printed[:took] + printed[took + 1 :] == shown[:took] + shown[took + 1 :]
    assert shown[took].split(",")[:2] == printed[took].split(",")[:2]


def test_the_readme_tries_before_it_explains():
    text = (ROOT / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Try it"

"""The documentation tells the truth: examples run, outputs are what is printed, links lead somewhere."""

import doctest
import re
import shlex
import textwrap
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


BLOCK = re.compile(r"^(?: {4}.*\n|\n(?= {4}))+", re.MULTILINE)
CODE, TABLE = re.compile(r" {4}# mine\.py\n(?:(?! {4}\$).*\n)+"), re.compile(r"(?: {4}[^\s$]*,[^\s$]*\n){3}")
FILES = {"mine.py": CODE, "pmf.csv": TABLE, "counts.csv": TABLE}
"""What a page shows of a file that its commands use."""


def shown_commands():
    """Yields every command with an output below it: page, command, lines."""
    for path in PAGES:
        for block in BLOCK.findall(path.read_text()):
            for part in re.split(r"^ {4}\$ ", block, flags=re.MULTILINE)[1:]:
                command, *lines = part.splitlines()
                shown = [line for line in lines if line.strip()]
                if command.startswith("dpaudit ") and shown:
                    yield pytest.param(path, command, shown, id=f"{path.stem}: {command}")


def words(line):
    """Returns the line without frames and without what differs from run to run: the time that it took."""
    line = re.sub(r"[│┃]", " ", line)
    return " ".join(re.sub(r"\b[\d.]+ s$", "… s", line.rstrip()).split())


@pytest.mark.parametrize(("path", "command", "lines"), list(shown_commands()))
def test_what_is_shown_below_a_command_is_what_it_prints(path, command, lines, tmp_path, monkeypatch, capsys):
    """Every line is printed, in this order; "…" (or a line "...") stands for whatever is left out."""
    monkeypatch.chdir(tmp_path)
    for name, form in FILES.items():
        if name in command:
            (tmp_path / name).write_text(textwrap.dedent(form.search(path.read_text())[0]))
    assert main(shlex.split(command, comments=True)[1:]) == 0
    printed = [words(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        wanted = words(line)
        if wanted in ("...", "…"):
            continue
        form = ".*".join(re.escape(part) for part in wanted.split("…"))
        at = next((i for i, found in enumerate(printed) if re.fullmatch(form, found)), None)
        assert at is not None, f"{path.name}: {command} does not print, or not in this place: {wanted}"
        printed = printed[at + 1 :]


def test_there_are_shown_commands():
    assert {param.values[0].stem for param in shown_commands()} >= {
        "README",
        "search",
        "profile",
        "own-mechanism",
        "fast",
    }


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_can_be_pasted(path):
    """No command shows what may be left out in brackets, or stands for several."""
    for command in re.findall(r"^ {4}(?:\$ )?(dpaudit .*)$", path.read_text(), re.MULTILINE):
        assert not re.search(r"[\[\]…]|\.\.\.", command.split(" # ")[0]), f"{path.name}: {command}"


def test_the_readme_tries_before_it_explains():
    text = (ROOT / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Try it"

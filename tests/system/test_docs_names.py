"""The names in the documentation's text exist: options, modules, files, calls, defaults."""

import ast
import inspect
import re
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from pages import (
    COMMAND_NAMES,
    PAGES,
    ROOT,
    STAND_IN,
    default_of,
    named,
    options_of,
    parts,
    prose,
    spans,
)

import dpaudit

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


def resolve(dotted):
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
                assert dotted in GROUPS or resolve(dotted) is not None, f"{named(path)}: {words}"


def sources():
    """The source of every module, by its path without the suffix; a package under its own path, too."""
    found = {}
    for path in (path for top in ("dpaudit", "proofs_checks", "tests") for path in ROOT.glob(f"{top}/**/*.py")):
        found[str(path.with_suffix(""))] = path.read_text()
        if path.stem == "__init__":
            found[str(path.parent)] = path.read_text()
    return found


def test_names_of_the_walks_exist():
    """`room/module.function`, `module.Class.method` and `Class.method` on the page of the architecture."""
    walked, known = set(), sources()
    for words in spans(ROOT / "docs/architecture.md"):
        place, _, name = words.rpartition(".")
        elsewhere = place.startswith("dpaudit") or name == "md" or f'"{words}"' in CLAIMS
        if re.fullmatch(r"[\w/.]+", place) and not elsewhere:
            room, _, kind = place.rpartition(".")
            said = "" if name == "py" else rf"\b{name}\b"
            home = room or place
            found = [
                source for module, source in known.items() if module.endswith(f"/{home}") or f"class {home}" in source
            ]
            assert any((not room or f"class {kind}" in source) and re.search(said, source) for source in found), words
            walked.add(words)
    assert len(walked) > 50


CLAIMS = "".join(path.read_text() for path in ROOT.glob("proofs_checks/**/catalogue.py"))
"""Where the claims are named, whose names look like those of functions."""


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
        function = resolve(ast.unparse(call.func))
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
    known |= {"algebra", "worst", "sympy"}  # what an algebra offers: tests/mechanisms/test_closed_form.py
    for words in spans(path):
        if re.match(r"\.[a-z]\w*\(", words):
            for name in re.findall(r"\.([a-z]\w*)\(", words):
                assert name in known, f"{named(path)}: {words}"


@pytest.mark.parametrize(("page", "command", "least"), [("audit", "epsilon", 4), ("certificates", "verify", 2)])
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
    having = {name for name in COMMAND_NAMES if "--digits" in options_of(name)}
    for name in having:
        value = default_of(name, "--digits")
        assert (f"`{name}`" in row) == (value != "15"), name
        assert value == "15" or re.search(rf"`{name}` (?:has )?{value}\b", row), name


def test_every_command_that_can_require_is_listed():
    (listed,) = re.findall(r"^- `--require` \(([^)]*)\)", (ROOT / "docs/guarantees.md").read_text(), re.MULTILINE)
    having = {name for name in COMMAND_NAMES if "--require" in options_of(name)}
    assert set(re.findall(r"\w+", listed)) == having


def test_what_a_command_asks_is_a_call_of_python():
    """All but those that list what is there."""
    assert {name for name in COMMAND_NAMES if not callable(getattr(dpaudit, name, None))} == {"mechanisms", "claims"}

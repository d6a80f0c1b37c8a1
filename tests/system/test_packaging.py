"""What is installed: light to start, complete without extras, typed, and without the tests."""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from dpaudit.cli import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
PACKAGES = ("dpaudit", "proofs_checks")
OPTIONAL = {
    "distributed": "cluster",
    "pyarrow": "parquet",
    "dp_accounting": "accounting",
    "prv_accountant": None,
    "opacus": None,
    "sympy": None,
    "pytest": None,
}
"""What may be missing, and the extra that brings it; those without one are there for people who already use them."""
CALLED = {"flint": "python-flint"}
"""What is not installed by the name that it is imported by."""


def names(requirements):
    return {re.split(r"[<>=\[ ]", text)[0] for text in requirements}


def modules():
    return [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:  # a relative one stays in its package
            yield node.module.split(".")[0]


def pinned(name):
    lines = (ROOT / ".ci" / "constraints" / f"{name}.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


REQUIRED = [Requirement(text) for text in PROJECT["dependencies"]]
EVERYTHING = [
    requirement
    for extra in ("cluster", "parquet", "accounting", "test", "docs")
    for requirement in map(Requirement, EXTRAS[extra])
    if requirement.name != "dpaudit"
]


def test_the_lowest_versions_are_the_bounds_of_the_project():
    lowest = pinned("lowest")
    assert set(lowest) == {requirement.name for requirement in REQUIRED}
    for requirement in REQUIRED:
        (bound,) = [spec.version for spec in requirement.specifier if spec.operator == ">="]
        assert requirement.specifier.contains(lowest[requirement.name]), requirement
        assert Version(lowest[requirement.name]).release[: len(Version(bound).release)] == Version(bound).release


def test_the_newest_versions_are_allowed_and_complete():
    newest = pinned("newest")
    assert set(newest) == {requirement.name for requirement in (*REQUIRED, *EVERYTHING)}
    for requirement in (*REQUIRED, *EVERYTHING):
        assert requirement.specifier.contains(newest[requirement.name]), requirement
    for name, version in pinned("lowest").items():
        assert Version(version) <= Version(newest[name])


def test_continuous_integration_runs_with_the_newest():
    run = (ROOT / ".ci" / "run").read_text()
    (path,) = re.findall(r'export PIP_CONSTRAINT="\$PWD/(.*)"', run.partition("unset PIP_CONSTRAINT")[0])
    assert (ROOT / path) == ROOT / ".ci/constraints/newest.txt"
    assert (ROOT / path).is_file()


def test_the_license_is_an_spdx_expression():
    assert PROJECT["license"] == "Apache-2.0"
    assert all((ROOT / name).exists() for name in PROJECT["license-files"])


@pytest.mark.parametrize(
    "code", ["import dpaudit", "from dpaudit.cli import main; main('epsilon --mech EHDS --n 5'.split())"]
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    heavy = "pydantic rich sympy numpy scipy mpmath proofs_checks pyarrow matplotlib jinja2 distributed"
    code = f"import sys; {code}; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_what_is_imported_is_installed_or_an_extra():
    found = {name for path in modules() for name in imported(path)} - set(sys.stdlib_module_names) - set(PACKAGES)
    core = {name for name in found if CALLED.get(name, name) in names(PROJECT["dependencies"])}
    assert found - core <= set(OPTIONAL)
    assert {"numpy", "scipy", "matplotlib", "jinja2"} <= core


def test_the_extras():
    assert set(EXTRAS) == {"cluster", "parquet", "accounting", "libraries", "all", "test", "docs"}
    for extra in filter(None, OPTIONAL.values()):
        assert extra in EXTRAS["all"][0]
    assert EXTRAS["test"][0] == "dpaudit[all]"


def test_the_packages_are_typed_and_hold_no_tests():
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").exists()
    assert not [path for path in modules() if path.name.startswith(("test_", "conftest"))]


PLAN = "[[audit]]\nmech = 'EHDS'\nn = 3\n"


@pytest.mark.parametrize(
    ("module", "extra", "arguments", "code"),
    [
        ("pyarrow", "parquet", ["sweep", "plan.toml", "--out", "s.db", "--workers", "1", "--export", "t.parquet"], 2),
        ("pyarrow", "parquet", ["table", "pmf.parquet"], 2),
        ("distributed", "cluster", ["sweep", "plan.toml", "--out", "s.db", "--scheduler", "tcp://localhost:8786"], 2),
    ],
)
def test_a_missing_extra_is_one_line_with_the_command(module, extra, arguments, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    Path("pmf.parquet").write_text("")
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(arguments) == code
    shown = capsys.readouterr()
    (line,) = [line for line in (shown.out + shown.err).splitlines() if "pip install" in line]
    assert line.endswith(f'pip install "dpaudit[{extra}]"')


def test_the_readme_asks_for_no_extra():
    """The commands of "Five questions" run on the default install."""
    text = (ROOT / "README.md").read_text()
    answers = text.split("## Five questions")[1].split("\n## ")[0]
    assert "dpaudit[" not in answers


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The source distribution, unpacked, and what a wheel holds, both made from a copy of the sources."""
    pytest.importorskip("setuptools")
    source, made = tmp_path_factory.mktemp("source") / "dpaudit", tmp_path_factory.mktemp("made")
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.egg-info", "build", "dist", ".*_cache")
    shutil.copytree(ROOT, source, ignore=left_out)
    sdist = "from setuptools import build_meta; build_meta.build_sdist({!r})"
    wheel = "import setuptools; setuptools.setup(script_args=['-q', 'build_py', '--build-lib', {!r}])"
    for code, folder in ((sdist, made / "sdist"), (wheel, made / "wheel")):
        folder.mkdir()
        subprocess.run([sys.executable, "-c", code.format(str(folder))], cwd=source, capture_output=True, check=True)
    (archive,) = (made / "sdist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(made / "sdist", filter="data")
    (unpacked,) = (path for path in (made / "sdist").iterdir() if path.is_dir())
    return unpacked, made / "wheel"


def files_of(folder):
    return {path.relative_to(folder).as_posix() for name in PACKAGES for path in (folder / name).rglob("*.*")}


def test_the_source_distribution_holds_all_that_a_wheel_needs(built):
    unpacked, wheel = built
    assert files_of(unpacked) == files_of(wheel)
    assert {"LICENSE", "README.md", "pyproject.toml"} <= {path.name for path in unpacked.iterdir()}


def test_a_wheel_holds_the_packages_and_their_data_and_no_test(built):
    _, wheel = built
    assert {path.name for path in wheel.iterdir()} == set(PACKAGES)
    assert not [
        path for path in wheel.rglob("*") if path.name.startswith(("test_", "conftest")) or path.name == "tests"
    ]
    for package in PACKAGES:
        assert (wheel / package / "py.typed").exists()
    for path in ("dpaudit/__init__.pyi", "dpaudit/posterior/data/real_counts.csv", "proofs_checks/expected.json"):
        assert (wheel / path).read_bytes() == (ROOT / path).read_bytes()
    assert {p.name for p in (wheel / "dpaudit/reports/templates").iterdir()} >= {"report.html.jinja", "style.css"}


def test_the_license_is_there_in_full():
    text = (ROOT / "LICENSE").read_text()
    for part in ("Version 2.0, January 2004", "3. Grant of Patent License.", "9. Accepting Warranty", "END OF TERMS"):
        assert part in text
    assert len(text) > 11_000

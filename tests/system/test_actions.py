"""The GitHub action and the pre-commit hook of the repository: their steps are run as they are written."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / ".github" / "actions" / "dpaudit" / "action.yml").read_text()
HOOK = (ROOT / ".pre-commit-hooks.yaml").read_text()
PAGE = (ROOT / "docs" / "ci.md").read_text()
MINE = re.search(r"    # mine\.py\n((?:    .*\n|\n)+)", PAGE)[1]


def steps():
    """Name, script, and the inputs of its variables, of each step."""
    parts = ACTION.split("    - name: ")[1:]
    for part in parts:
        name, script = part.splitlines()[0], re.search(r"      run: (.*)", part)[1]
        yield name, script, dict(re.findall(r"        (\w+): \$\{\{ inputs\.(\w+) \}\}", part))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("\n".join(line[4:] for line in MINE.splitlines()) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def run(words, **variables):
    return subprocess.run(words, env={**os.environ, **variables}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("options", "code"), [("--eps 1/2 --n 10", 0), ("--eps 1/2 --n 10 --claim 1/100", 1)])
def test_the_action_audits_and_verifies(folder, options, code):
    inputs = {"mech": "mine.py:Subsampled", "options": options, "certificate": "privacy.json"}
    names = []
    for name, script, variables in steps():
        names.append(name)
        if name != "Install":  # the installed dpaudit is this one
            found = run(["bash", "-ec", script], **{key: inputs[given] for key, given in variables.items()})
            if name == "Audit":
                assert found.returncode == code, found.stderr
                if code:
                    return
            assert found.returncode == 0, found.stdout + found.stderr
    assert names == ["Install", "Audit", "Verify"]
    assert "ACCEPTED" in found.stdout


def test_every_input_of_the_action_is_used_and_the_page_gives_what_it_takes():
    declared = set(re.findall(r"^  (\w+):\n    description", ACTION, re.MULTILINE))
    assert {given for _, _, variables in steps() for given in variables.values()} == declared
    shown = re.search(r"dpaudit@main\n            with:\n((?:              .*\n)+)", PAGE)[1]
    assert {line.split(":")[0].strip() for line in shown.splitlines()} <= declared


@pytest.mark.parametrize(("claim", "code"), [((), 0), (("--claim", "1/100"), 1)])
@pytest.mark.usefixtures("folder")
def test_the_hook_fails_where_the_claim_does(claim, code):
    entry = shlex.split(re.search(r"entry: (.*)", HOOK)[1])
    args = re.search(r"args: \[(.*)\]", PAGE)[1].replace('"', "").split(", ")
    assert run([*entry, *args, *claim]).returncode == code

"""What the shell completes, asked as a shell asks."""

import os
import subprocess
import sys

import pytest

import dpaudit
from dpaudit.commands import completion


def test_mechanisms_files_and_their_classes(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("raise SystemExit('never run')\nclass One: ...\nclass Other: ...\n")
    (tmp_path / "plain.py").write_text("x = 1\n")
    (tmp_path / "pmf.csv").write_text(",a\nb,1\n")
    monkeypatch.chdir(tmp_path)
    assert completion.mechanisms("EHD") == ["EHD", "EHDL", "EHDS"]
    assert completion.mechanisms("mi") == ["mine.py:One", "mine.py:Other"]
    assert completion.mechanisms("pm") == ["pmf.csv"]
    assert completion.mechanisms("mine.py:O") == ["mine.py:One", "mine.py:Other"]
    assert completion.mechanisms("mine.py:On") == ["mine.py:One"]
    assert completion.mechanisms("EHD,lap") == ["EHD,laplace"]
    assert completion.tiers("f") == ["fast"]
    assert "dp.ehds" in completion.claims("dp.eh")


@pytest.mark.parametrize(
    ("words", "found"),
    [("dpaudit epsilon --mech EHDL", "EHDL"), ("dpaudit check dp.ehds", "dp.ehds"), ("dpaudit eps", "epsilon")],
)
def test_the_shell_is_answered(words, found):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_DPAUDIT_COMPLETE": "complete_bash"}
    call = [sys.executable, "-c", "from dpaudit.cli import make_app; make_app()(prog_name='dpaudit')"]
    run = subprocess.run(call, env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert run.stdout.split() == [found]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["epsilon", "--mech", "mine.py", ":", "Ot"], ["Other"]),
        (["epsilon", "--mech", "mine.py", ":"], ["One", "Other"]),
        (["mechanisms", "lap"], ["laplace"]),
        (["epsilon", "--mech", "mi"], ["mine.py:One", "mine.py:Other"]),
        (["epsilon", "--mech", "=", "lap"], ["laplace"]),
        (["epsilon", "--mech", "mine.py", ":", "One", "--ti"], ["--tier"]),
        (["epsilon", "--mech", "mine.py", ":", "One", "--tier", ""], ["auto", "exact", "fast"]),
    ],
)
def test_bash_ends_words_at_colons(words, found, tmp_path):
    (tmp_path / "mine.py").write_text("class One: ...\nclass Other: ...\n")
    asked = {"COMP_WORDS": "\n".join(["dpaudit", *words]), "COMP_CWORD": str(len(words))}
    call = [sys.executable, "-c", "from dpaudit.cli import run; run()"]
    env = {**os.environ, **asked, "_DPAUDIT_COMPLETE": "complete_bash"}
    run = subprocess.run(call, env=env, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (run.stdout.split(), run.stderr) == (found, "")


def test_dir_shows_what_there_is():
    assert dir(dpaudit) == sorted(dpaudit.__all__)
    assert {"__version__", "check", "epsilon", "shuffle"} < set(dpaudit.__all__)
    assert all(getattr(dpaudit, name) is not None for name in dpaudit.__all__)

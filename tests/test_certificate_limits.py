"""Any file ends within its limits of time and memory, with a verdict or one line."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import attacks
import pytest
from certificates import changed, make, outcome

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence import verify as verifier
from dpaudit.evidence.verify import run
from dpaudit.files.strict_json import read_json
from dpaudit.numbers.errors import InputError

OLD = sorted((Path(__file__).parent / "old_certificates").glob("*.json"))
LARGE = attacks.large()
SECONDS, MEMORY = 5, 512


def alone(*arguments, folder):
    """The verifier copied to a folder of its own, run by a Python that sees no package."""
    (folder / "verify.py").write_text(Path(verifier.__file__).read_text())
    command = [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, check=False)


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_certificates_of_the_first_version_are_accepted(path):
    document = verifier.read(path.read_bytes())
    assert {part["versions"]["dpaudit"] for part in document.get("parts", [document])} == {"0.1.0"}
    for full in (False, True):
        assert outcome(document, full) is None


def test_a_theorem_wants_its_file_beside_it(tmp_path):
    path = tmp_path / "theorem.json"
    assert main(["epsilon", "--mech", "EHDL", "--n", "5", "--eps", "all", "--certificate", str(path)]) == 0
    done = alone(str(path), "--full", folder=tmp_path)
    assert done.returncode == 1
    assert "verify_theorems.py" in done.stdout + done.stderr
    beside = Path(verifier.__file__).with_name("verify_theorems.py")
    (tmp_path / beside.name).write_text(beside.read_text())
    done = alone(str(path), "--full", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ACCEPTED" in done.stdout


def test_it_runs_alone(tmp_path):
    path = str(OLD[0])
    done = alone(path, "--full", folder=tmp_path)
    assert done.returncode == 0
    assert "ACCEPTED (full): part 1: EHDL with n = 4" in done.stdout
    found = json.loads(alone(path, "--json", folder=tmp_path).stdout)
    assert (found["result"], found["statement"]["parts"][0]["checked"]) == ("ACCEPTED", "witness only")
    wrong = tmp_path / "wrong.json"
    wrong.write_text(OLD[0].read_text().replace('"verdict": "PROVED"', '"verdict": "REFUTED"'))
    done = alone(str(wrong), folder=tmp_path)
    assert (done.returncode, done.stdout) == (
        1,
        "REJECTED: the hash does not fit the content: the file was changed or damaged\n",
    )
    done = alone(str(tmp_path / "none.json"), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("full", [False, True])
def test_what_is_made_to_cost_ends(tmp_path, name, full):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(LARGE[name]))
    begin = time.monotonic()
    found = run(str(path), full, seconds=SECONDS, memory=MEMORY)
    assert time.monotonic() - begin < SECONDS + 5
    assert found["unreadable"] is None
    if found["reason"] is None:
        assert found["statement"]["text"].endswith("full" if full else "witness only")
    else:
        assert "\n" not in found["reason"]


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("tower", attacks.TOWER),
        ("exp", ["^", ["exp", "16000000"], "10000"]),
        ("sum", ["^", attacks.long_sum(9), "9999"]),
    ],
)
def test_powers_are_paid_for_by_the_size_of_what_is_computed(name, entry):
    """In a moment, where the same numbers written out would have millions of digits."""
    begin = time.process_time()
    assert outcome(attacks.pair(entry)) is not None
    assert time.process_time() - begin < 5


def test_rows_are_paid_for_before_they_are_listed():
    huge = LARGE["delta of a huge family"]
    begin = time.process_time()
    assert "too large to be checked: about 8048120160122210168 steps" in outcome(huge)
    assert time.process_time() - begin < 1


def test_names_twice_cost_no_square(tmp_path):
    text = "{" + ",".join(f'"{i}":0' for i in range(200_000)) + ',"0":1}'
    (tmp_path / "c.json").write_text(text)
    begin = time.process_time()
    with pytest.raises(InputError, match="has the name '0' twice"):
        read_json("X", str(tmp_path / "c.json"), 1 << 25)
    assert time.process_time() - begin < 5
    assert "a name twice" in run(str(tmp_path / "c.json"))["reason"]


@pytest.mark.parametrize(
    "content",
    ["[" + "{}," * 3_000_000 + "{}]", "[" * 10**6, '"' + "x" * 10**7 + '"', "9" * 10**6],
    ids=["objects", "brackets", "text", "digits"],
)
def test_memory_is_bounded(tmp_path, content):
    (tmp_path / "c.json").write_text(content)
    found = run(str(tmp_path / "c.json"), memory=200)
    assert found["reason"]
    assert found["reason"].count("\n") == 0


def test_too_little_memory_is_said_with_the_option(tmp_path):
    (tmp_path / "c.json").write_text("[" + "{}," * 3_000_000 + "{}]")
    assert run(str(tmp_path / "c.json"), memory=100)["reason"] == (
        "too large to be checked: needs more than 100 MiB of memory (--memory)"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_is_no_file_is_refused_at_once(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    for name in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path)):
        assert main(["verify", name]) == 2
        assert capsys.readouterr().err.count("\n") == 1
        done = alone(name, folder=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_the_limits_are_options_and_are_said(tmp_path, capsys):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(make(("EHDS", {"n": 3}))))
    assert dpaudit.verify(str(path), full=True).accepted
    assert "--work" in dpaudit.verify(str(path), work=10).reason
    for name, value in (("seconds", "0"), ("memory", "1"), ("work", "x")):
        assert main(["verify", str(path), f"--{name}", value]) == 2
        assert capsys.readouterr().err.startswith(f"dpaudit: --{name} = {value}")
    assert main(["verify", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(str(limit) in text for limit in (verifier.WORK, verifier.SECONDS, verifier.MEMORY))


def test_a_file_name_that_is_none(capsys):
    for name in ("\0", "x" * 5000):
        assert main(["verify", name]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_many_digits_are_honest_work():
    """500 digits in the suite; 2000 take about ten seconds, see docs/certificates.md."""
    document = make(("EHDS", {"n": 8}), digits=500)
    begin = time.process_time()
    assert outcome(document, full=True) is None
    assert time.process_time() - begin < 20
    close = changed(document, ("statement", "upper"), document["statement"]["lower"])
    assert outcome(close, full=True) is not None

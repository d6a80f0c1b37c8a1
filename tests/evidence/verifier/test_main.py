"""Any file ends within its limits of time and memory, with a verdict or one line."""

import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import attacks
import pytest
from certificates import changed, make, outcome
from mutate_certificates import fit_enclosures

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence import certificate
from dpaudit.evidence.pack import pack
from dpaudit.evidence.verifier import main as program
from dpaudit.evidence.verifier.family import read_family
from dpaudit.evidence.verifier.main import MEMORY as LIMIT
from dpaudit.evidence.verifier.main import SECONDS as TIME
from dpaudit.evidence.verifier.main import run
from dpaudit.files.strict_json import read_json
from dpaudit.numbers.errors import InputError

LARGE = attacks.large()
SECONDS, MEMORY = 5, 512


def alone(*arguments, folder):
    """The verifier packed as one file in a folder of its own, run by a Python that sees no package."""
    archive = folder / "dpaudit-verify.pyz"
    if not archive.exists():
        pack(archive)
    command = [sys.executable, "-I", "-S", str(archive), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, check=False)


def test_it_runs_alone_as_one_file(tmp_path):
    path = tmp_path / "theorem.json"
    assert main(["epsilon", "--mech", "EHDL", "--n", "5", "--eps", "all", "--certificate", str(path)]) == 0
    done = alone(str(path), "--full", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "ACCEPTED (full)" in done.stdout
    path, written = (
        tmp_path / "c.json",
        certificate.bundle([dpaudit.epsilon("EHDS", n=4), dpaudit.delta("EHDS", "0", n=4)]),
    )
    path.write_text(certificate.layout(written))
    done = alone(str(path), "--full", folder=tmp_path)
    assert done.returncode == 0
    assert "ACCEPTED (full): part 1: EHDS with n = 4" in done.stdout
    found = json.loads(alone(str(path), "--json", folder=tmp_path).stdout)
    assert (found["result"], found["statement"]["parts"][0]["checked"]) == ("ACCEPTED", "witness only")
    wrong = tmp_path / "wrong.json"
    wrong.write_text(path.read_text().replace('"claimed": "1"', '"claimed": "2"'))
    done = alone(str(wrong), folder=tmp_path)
    assert (done.returncode, done.stdout) == (
        1,
        "REJECTED: the hash does not match the content: the file was changed or damaged\n",
    )
    done = alone(str(tmp_path / "none.json"), folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def of_its_witness(document):
    """The same certificate with two of its rows."""
    x, y = (read_family(document["subject"], 64).place(document["witness"][name], name) for name in ("x", "x_prime"))
    held = dict(zip(read_family(document["subject"], 64).datasets(), document["law"]["rows"], strict=True))
    return changed(document, ("law",), {"covers": "witness", "rows": [held[x], held[y]]})


def of_three_rows(upper):
    """The delta(0) of the witness is 1/100, that of another pair 2/5."""
    document = attacks.table([["1/2", "1/2"], ["51/100", "49/100"], ["9/10", "1/10"]], upper=upper)
    fit_enclosures(document)
    return attacks.sealed(document)


@pytest.fixture
def here(monkeypatch, capsys, tmp_path):
    """The exit code and what is printed about a certificate, without a process of its own."""

    def child(path, full, seconds, memory):
        return program._child(Namespace(certificate=path, full=full, seconds=seconds, memory=memory))

    def verifier(document, *options):
        path = tmp_path / "c.json"
        path.write_text(json.dumps(document))
        monkeypatch.setattr(sys, "argv", ["dpaudit-verify", str(path), *options])
        return program.main(), capsys.readouterr().out

    monkeypatch.setattr(program, "_confine", lambda *_: None)
    monkeypatch.setattr(program, "run", child)
    monkeypatch.setattr(program.signal, "signal", lambda *_: None)
    return verifier


@pytest.mark.parametrize(
    ("made", "options", "code", "result", "words"),
    [
        (lambda: make(("EHDS", {"n": 4})), [], 0, "ACCEPTED", "ACCEPTED (witness only): EHDS with n = 4"),
        (lambda: make(("EHDS", {"n": 4})), ["--full"], 0, "ACCEPTED", "ACCEPTED (full): EHDS with n = 4"),
        (lambda: of_its_witness(make(("EHDS", {"n": 4}))), [], 0, "ACCEPTED", "ACCEPTED (witness only): "),
        (lambda: of_its_witness(make(("EHDS", {"n": 4}))), ["--full"], 3, "WITNESS CHECKED",
         "WITNESS CHECKED: the lower bound holds; the upper bound is not covered: "),
        (lambda: of_three_rows("2/5"), ["--full"], 0, "ACCEPTED", "ACCEPTED (full): "),
        (lambda: of_three_rows("39/100"), [], 0, "ACCEPTED", "ACCEPTED (witness only): "),
        (lambda: of_three_rows("39/100"), ["--full"], 1, "REJECTED", "REJECTED: the value of "),
        (lambda: {**of_three_rows("2/5"), "made": "later"}, ["--full"], 1, "REJECTED", "REJECTED: the hash does not"),
    ],
)  # fmt: skip
def test_the_result_is_printed_and_is_the_exit_code(here, made, options, code, result, words):
    document = made()
    found, printed = here(document, *options)
    assert found == code
    assert printed.splitlines()[-1].startswith(words)
    assert ("not checked (--full does)" in printed) == ("(witness only)" in words)
    assert ("not checked (the certificate covers its witness only)" in printed) == (code == 3)
    assert ("rows: the enclosures contain the subject's probabilities" in printed) == (code != 1)
    found, printed = here(document, "--json", *options)
    assert (found, json.loads(printed)["result"]) == (code, result)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"format": "dpaudit certificate"}', b"\xff"])
def test_a_file_that_cannot_be_read_as_a_certificate_is_rejected(here, tmp_path, content):
    (tmp_path / "odd.json").write_bytes(content)
    found = program.run(str(tmp_path / "odd.json"), True, 1, 1)
    assert (found["established"], found["statement"], found["unreadable"]) == ([], None, None)
    assert found["reason"].startswith("malformed: ")
    assert ("this is no certificate" in found["reason"]) == (b"dpaudit" not in content)


def test_the_archive_is_always_the_same(tmp_path):
    pack(tmp_path / "a.pyz")
    pack(tmp_path / "b.pyz")
    assert (tmp_path / "a.pyz").read_bytes() == (tmp_path / "b.pyz").read_bytes()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_child_ends_with_the_verifier(tmp_path, number, code):
    """Also where the parent is killed, and cannot end it."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps(LARGE["ten thousand logarithms of gamma"]))
    pack(tmp_path / "v.pyz")
    parent = subprocess.Popen([sys.executable, "-I", str(tmp_path / "v.pyz"), str(path), "--full"])
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    end = time.monotonic() + 90
    while not children.read_text().split() and time.monotonic() < end:
        time.sleep(0.05)
    (child,) = children.read_text().split()
    time.sleep(0.5)
    parent.send_signal(number)
    assert parent.wait(timeout=60) == code
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.thin(3)
def test_what_is_made_to_cost_ends(tmp_path, name, full):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(LARGE[name]))
    begin = time.monotonic()
    found = run(str(path), full, seconds=SECONDS, memory=MEMORY)
    assert time.monotonic() - begin < SECONDS + 5
    assert found["unreadable"] is None
    if found["reason"] is None:
        assert "checked: " in found["statement"]["text"]
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


def test_a_huge_family_is_refused_by_its_size():
    begin = time.process_time()
    assert "not one row for each data set" in outcome(LARGE["delta of a huge family"])
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
    for name, value in (("seconds", "0"), ("memory", "1"), ("seconds", "x")):
        assert main(["verify", str(path), f"--{name}", value]) == 2
        assert capsys.readouterr().err.startswith(f"dpaudit: --{name} = {value}")
    assert main(["verify", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(str(limit) in text for limit in (TIME, LIMIT))


def test_too_little_time_is_said_with_the_option(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(make(("EHDS", {"n": 150}))))
    assert run(str(path), full=True, seconds=1)["reason"] == (
        "too large to be checked within 1 second, and neither right nor wrong so far; more: --seconds 5"
    )


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


@pytest.mark.parametrize(
    "content", ['{"schema": "dpaudit-report/3", "seconds": 1.5}', "<html>", '{"verdict": null}', ""]
)
def test_a_file_that_is_no_certificate_is_told_from_a_wrong_one(tmp_path, content):
    other, wrong = tmp_path / "result.json", tmp_path / "wrong.json"
    other.write_text(content)
    assert "this is no certificate, so nothing is said against it" in run(str(other))["reason"]
    document = make(("EHDS", {"n": 3}))
    wrong.write_text(json.dumps({**document, "made": "elsewhere"}))
    assert run(str(wrong))["reason"] == "the hash does not match the content: the file was changed or damaged"

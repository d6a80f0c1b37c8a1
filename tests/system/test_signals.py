"""SIGTERM ends a command and every process that it has started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LINUX = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
SLOW = """
import time
class Slow:
    def datasets(self): return ["a", "b"]
    def outputs(self): return [0, 1]
    def probability(self, x, r):
        open("started", "w").close()
        time.sleep(60)
"""


def children(process):
    """The processes that this one has started and not waited for."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in listed.read_text().split()] if listed.exists() else []


def alive(process):
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def until(condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    return condition()


@LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_verifiers_child_ends_with_the_command(tmp_path, number):
    """The child reads a certificate of millions of steps; it must not go on when nobody waits for it."""
    words = ["epsilon", "--mech", "EHD", "--n", "200", "--certificate", "c.json", "--tier", "fast"]
    subprocess.run([sys.executable, "-m", "dpaudit", *words], check=True, cwd=tmp_path, capture_output=True)
    command = [sys.executable, "-m", "dpaudit", "verify", "c.json", "--full", "--seconds", "600"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        started = until(lambda: children(process.pid))
        assert started
        time.sleep(0.5)  # it is at work, not only starting
        assert any(map(alive, started)), "the certificate is checked too soon for this test"
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[number], said
    assert said.decode().strip().splitlines()[-1].startswith("dpaudit: ")
    assert until(lambda: not any(map(alive, started)), 10)


@LINUX
def test_sigterm_ends_code_that_waits(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, "-m", "dpaudit", "epsilon", "--mech", "slow.py:Slow"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert until((tmp_path / "started").exists)
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said.decode().strip().splitlines()[-1]) == (143, "dpaudit: terminated")


FOLLOWED = """
class Slow:
    def datasets(self): return [0, 1]
    def sample(self, x, rng):
        seen = []
        while rng.random() < 0.99:
            try:
                seen.append(rng.randrange(6))
            except BaseException:
                pass
        return sum(seen) % 7
"""


def test_sigterm_ends_code_that_is_followed(tmp_path):
    """Whatever that code catches: the signal is no exception of its own."""
    (tmp_path / "slow.py").write_text(FOLLOWED)
    command = [sys.executable, "-m", "dpaudit", "epsilon", "--mech", "slow.py:Slow"]
    outside = {**os.environ, "DPAUDIT_PROGRESS": "on"}
    with subprocess.Popen(command, cwd=tmp_path, env=outside, stderr=subprocess.PIPE) as process:
        assert b"following code on 2 data sets, up to 60 s of processor time each" in process.stderr.readline()
        os.kill(process.pid, signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said.decode().strip().splitlines()[-1]) == (143, "dpaudit: terminated")

"""Calls in another process: what it prints, how it dies, and what it does not import."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from dpaudit.files.lane import Died, Lane, Lanes


@pytest.fixture
def lane():
    made = Lane()
    yield made
    made.end()


def test_a_call_is_computed_in_one_other_process(lane):
    first = lane.call(eval, "__import__('os').getpid()")
    assert first != os.getpid()
    assert lane.call(eval, "__import__('os').getpid()") == first
    assert lane.call(sum, range(10**6)) == sum(range(10**6))
    assert len(lane.call(bytes, 10**7)) == 10**7


def test_what_is_printed_is_no_answer(lane, capfd):
    assert lane.call(print, "noise") is None
    lane.call(eval, "__import__('os').system('echo louder')")
    assert lane.call(eval, "__import__('sys').stdin.read()") == ""
    out, err = capfd.readouterr()
    assert (out, sorted(err.split())) == ("", ["louder", "noise"])


@pytest.mark.parametrize(
    ("function", "argument", "words"),
    [
        (os._exit, 3, "it ended with exit code 3"),
        (signal.raise_signal, signal.SIGKILL, r"killed by signal 9 \(Killed; out of memory\?\)"),
        (signal.raise_signal, signal.SIGSEGV, r"killed by signal 11 \(Segmentation fault\)"),
        (len, 3, "it ended with exit code 1"),
    ],
)
def test_how_it_died_is_told_and_the_next_call_starts_another(lane, function, argument, words):
    with pytest.raises(Died, match=words):
        lane.call(function, argument)
    assert lane.call(abs, -1) == 1


def test_what_cannot_be_sent_is_an_error_here(lane):
    with pytest.raises((AttributeError, TypeError)):
        lane.call(abs, lambda: 1)
    assert lane.call(abs, -1) == 1


def test_another_thread_ends_it_whatever_it_does(lane):
    assert lane.call(abs, -1) == 1
    threading.Timer(0.2, lane.end).start()
    with pytest.raises(Died, match="it was ended"):
        lane.call(time.sleep, 1000)
    with pytest.raises(Died, match="it was ended"):
        lane.call(abs, -1)


def test_it_imports_from_where_this_process_does(lane, tmp_path, monkeypatch):
    (tmp_path / "found_here.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    from found_here import double

    assert lane.call(double, 4) == 8


def test_a_script_that_checks_claims_is_not_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import dpaudit\nprint(len(dpaudit.check(['candidates.beta', 'candidates.dirichlet'])))\n")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "2\n", "")


def test_a_lane_that_dies_takes_no_other_call_with_it():
    lanes = Lanes(2)
    try:
        deadly = lanes.submit(os._exit, 3)
        assert [lanes.submit(abs, -i).result() for i in range(9)] == list(range(9))
        with pytest.raises(Died, match="exit code 3"):
            deadly.result()
        lanes.tell(exec, "import sys; sys.known = 7")
        assert [lanes.submit(eval, "__import__('sys').known").result() for _ in range(4)] == [7] * 4
    finally:
        lanes.close(at_once=False)


def test_what_still_runs_is_abandoned_at_once():
    lanes = Lanes(1)
    running, waiting = lanes.submit(time.sleep, 1000), lanes.submit(abs, -1)
    time.sleep(0.2)
    lanes.close(at_once=True)
    assert waiting.cancelled()
    assert isinstance(running.exception(), Died)

"""How far a job is: a line now and then in a log, a bar that never stands at its end while work goes on."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from fractions import Fraction
from types import SimpleNamespace

import pytest
from rich.console import Console

import dpaudit
from dpaudit.cli import main
from dpaudit.commands import options, progress, sweep
from dpaudit.commands.progress import EVERY, FIRST, Meter
from dpaudit.reports.document import Document
from dpaudit.reports.report import Report


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_the_lines_come_when_they_are_due():
    clock = Clock()
    meter = Meter("EHDS", clock)
    meter.tell(1, 100)
    clock.now += FIRST - 0.1
    assert meter.due() is None
    meter.tell(20, 100)
    clock.now += 0.1
    assert meter.due() == "dpaudit: EHDS: 20 of 100, 20 %, about 20 s left, 5 s so far"
    clock.now += EVERY - 0.1
    assert meter.due() is None
    clock.now += 0.1
    meter.tell(40, 100)
    assert meter.due() == "dpaudit: EHDS: 40 of 100, 40 %, about 30 s left, 20 s so far"


def test_a_phase_that_is_over_is_not_the_end():
    clock = Clock()
    meter = Meter("EHDS", clock)
    meter.tell(100, 100)
    clock.now += FIRST
    assert meter.due() == "dpaudit: EHDS: 5 s so far"
    meter.tell(0, 100)
    clock.now += EVERY
    meter.tell(50, 100)
    assert meter.due() == "dpaudit: EHDS: 50 of 100, 50 %, about 15 s left, 20 s so far"


def test_a_count_that_stands_tells_no_time_left():
    clock = Clock()
    meter = Meter("EHDS", clock)
    for done in range(0, 601, 100):
        meter.tell(done, 1000)
        clock.now += 1
    assert meter.due() == "dpaudit: EHDS: 600 of 1000, 60 %, about 4 s left, 7 s so far"
    clock.now += EVERY
    meter.tell(600, 1000)
    assert meter.due() == "dpaudit: EHDS: 600 of 1000, 60 %, 22 s so far"
    meter.tell(700, 1000)
    clock.now += EVERY - 1
    meter.tell(701, 1000)
    clock.now += 1
    assert meter.due() == "dpaudit: EHDS: 701 of 1000, 70 %, about 15 s left, 37 s so far"


def test_a_long_step_is_not_a_count_that_stands():
    clock = Clock()
    meter = Meter("EHDS", clock)
    meter.tell(0, 10)
    clock.now += 180
    meter.tell(2, 10)
    clock.now += 2 * EVERY
    assert "about 14 min 0 s left" in meter.due()
    clock.now += 300
    assert "left" not in meter.due()


def test_words_are_said_and_cannot_act():
    clock = Clock()
    meter = Meter("report\x1b[31m", clock)
    meter.say("EHDS: loss map")
    clock.now += 100
    line = meter.due()
    assert line.endswith(": EHDS: loss map, 1 min 40 s so far")
    assert "\x1b" not in line


def test_a_budget_is_announced_once_within_a_second():
    clock = Clock()
    meter = Meter("m.py:Mine", clock)
    meter.announce("up to 60 s")
    meter.tell(0, 3)
    clock.now += progress.SOON
    assert meter.due() == "dpaudit: m.py:Mine: up to 60 s"
    clock.now += FIRST - progress.SOON
    assert meter.due() == "dpaudit: m.py:Mine: 5 s so far"
    meter.announce("up to 60 s")
    meter.tell(1, 3)
    clock.now += EVERY
    assert meter.due() == "dpaudit: m.py:Mine: 1 of 3, 33 %, 20 s so far"


CODE = """
class Mine:
    budget = {"seconds": 20}
    def datasets(self): return [0, 1, 2]
    def sample(self, x, rng): return rng.randrange(2) ^ x % 2
"""


def test_the_budget_of_followed_code_is_told_before_each_data_set(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    heard = []
    real = progress.heard_by

    def listening(listener):
        return real(lambda *told: (heard.append(told), listener(*told)))

    monkeypatch.setattr(progress, "heard_by", listening)
    assert main(["epsilon", "--mech", "mine.py:Mine"]) == 0
    assert heard == [(0, 3, 20), (1, 3, 20), (2, 3, 20)]


def test_the_budget_of_long_code_is_a_line_on_stderr(tmp_path, talkative, monkeypatch, capsys):
    monkeypatch.setattr(progress, "SOON", 0.0)
    (tmp_path / "mine.py").write_text(CODE.replace("return rng", "import time; time.sleep(0.01); return rng"))
    monkeypatch.chdir(tmp_path)
    assert main(["epsilon", "--mech", "mine.py:Mine"]) == 0
    said = 'following code on 3 data sets, up to 20 s of processor time each; budget = {"seconds": 2} makes it 2 s each'
    assert capsys.readouterr().err.count(f"dpaudit: mine.py:Mine: {said}\n") == 1


@pytest.fixture
def talkative(monkeypatch):
    monkeypatch.delenv(progress.SWITCH)
    monkeypatch.setattr(progress, "TICK", 0.001)
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)


def test_a_piped_job_speaks_on_stderr_and_the_answer_is_alone_on_stdout(talkative, capsys):
    assert main(["epsilon", "--mech", "EHDS", "--n", "150", "--tier", "exact", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"]["word"] == "PROVED"
    assert err.startswith("dpaudit: EHDS: ")
    assert all(line.startswith("dpaudit: ") for line in err.splitlines())


def test_a_job_that_tells_nothing_is_seen_to_live(talkative, capsys):
    err = ""
    with progress.shown("pmf"):
        while not err:
            time.sleep(0.01)
            err = capsys.readouterr().err
    assert re.match(r"dpaudit: pmf: \d+ s so far\n", err)


def test_a_report_says_what_it_does(talkative, capsys, monkeypatch):
    monkeypatch.setattr(progress, "SOON", 0.0)

    def make(_plan, _out, progress, _certify, _full):
        progress.expect(7.0)
        for words in ("LSHist: true ε", "LSHist: worst pair"):
            progress(words)
        time.sleep(0.05)
        return Report(Document("t", "c"), [])

    monkeypatch.setattr("dpaudit.reports.report.make", make)
    assert main(["report", "--mech", "LSHist", "--n", "2..3"]) == 0
    found = capsys.readouterr().err
    assert "dpaudit: report: LSHist: worst pair, 25 %, 0 s so far" in found


def test_a_report_is_heard_from_the_first_second_on():
    clock = Clock()
    meter = Meter("report", clock, first=progress.SOON)
    meter.say("reading the options", 0.0)
    clock.now += 1
    assert meter.due() == "dpaudit: report: reading the options, 1 s so far"


def test_a_report_tells_no_time_left_until_it_can_be_told():
    clock = Clock()
    meter = Meter("report", clock, first=0.0)
    meter.say("checking 112 claims", 0.0)
    clock.now += 2
    assert meter.due() == "dpaudit: report: checking 112 claims, 2 s so far"
    meter.say("claim checked: gs.a", 0.05)
    clock.now += 18
    assert meter.due() == "dpaudit: report: claim checked: gs.a, 5 %, 20 s so far"
    meter.say("claim checked: gs.b", 0.5)
    assert meter.left() == "about 20 s left"
    clock.now += 20
    assert meter.due().endswith(", 50 %, about 40 s left, 40 s so far")
    meter.say("claim checked: gs.c", 0.4)  # more steps were found: the time that was spent stays the same
    assert meter.left() == "about 1 min 0 s left"


def test_a_sweep_says_how_far_it_is():
    clock = Clock()
    meter = Meter("sweep", clock)
    tell = sweep._teller(meter)
    tell(SimpleNamespace(done=1, failed=0, total=9, cost_done=1, cost_total=9))
    clock.now += FIRST
    assert meter.due() == "dpaudit: sweep: 1 of 9 jobs, 5 s so far"
    tell(SimpleNamespace(done=4, failed=1, total=9, cost_done=5, cost_total=9))
    clock.now += EVERY
    assert meter.due() == "dpaudit: sweep: 5 of 9 jobs, 1 failed, 50 %, about 20 s left, 20 s so far"


def test_a_short_job_says_nothing(monkeypatch, capsys):
    monkeypatch.delenv(progress.SWITCH)
    assert main(["epsilon", "--mech", "EHDS", "--n", "4"]) == 0
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self):
        return True


def drawn(meter):
    """The lines on a terminal."""
    console = Console(file=io.StringIO(), width=120)
    console.print(meter)
    return console.file.getvalue().splitlines()


def test_the_bar_of_a_finished_phase_shows_no_share():
    meter = Meter("EHDS", Clock())
    assert meter.share() is None
    meter.tell(3, 10)
    assert meter.share() == 0.3
    assert drawn(meter)[0].endswith("3 of 10, 30 %, about 0 s left, 0 s so far")
    meter.tell(10, 10)
    assert meter.share() is None
    meter.tell(2, 7)
    assert meter.share() == 2 / 7


def test_the_bar_has_the_words_of_a_report_and_the_budget_of_code():
    meter = Meter("report", Clock())
    meter.say("EHDS: true ε, n = 3\x1b[31m", 0.25)
    meter.announce("up to 60 s")
    budget, line = drawn(meter)
    assert budget.strip() == "up to 60 s"
    assert line.startswith("report ━")
    assert "EHDS: true ε, n = 3" in line
    assert "\x1b" not in line
    assert meter.share() == 0.25


@pytest.mark.parametrize("talks", [True, False])
def test_a_terminal_gets_a_bar(talks, talkative, monkeypatch):
    if not talks:
        monkeypatch.setenv(progress.SWITCH, "off")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.watched("EHDS") as tell:
        tell(3, 10)
        time.sleep(0.6)
    assert ("EHDS" in screen.getvalue()) == talks
    assert ("3 of 10" in screen.getvalue()) == talks


class Response:
    """Randomized response among k."""

    def datasets(self):
        return list(range(12))

    outputs = datasets

    def probability(self, x, r):
        e = dpaudit.exp(1)
        return (e if x == r else 1) / (e + 11)

    def claimed(self):
        return 1


def phases(told):
    """The numbers of steps of the phases that were told."""
    starts = [i for i, (done, _) in enumerate(told) if done == 0]
    return [told[i][1] for i in starts]


class Pairs(Response):
    """The same, with neighbors that are walked pair by pair: not every two of them are."""

    def neighbors(self, x):
        return [y for y in self.datasets() if abs(x - y) in (1, 2)]


def test_the_work_of_algebra_is_told():
    told = []
    found = dpaudit.epsilon(Pairs(), progress=lambda *now: told.append(now))
    assert found.closed_form_text == "1"
    assert phases(told) == [12, 12]
    assert all(0 <= done <= total for done, total in told)


def test_the_exact_trade_off_is_told(monkeypatch):
    class Table(Response):
        def probability(self, x, r):
            return Fraction(2 if x == r else 1, 13)

    def told():
        found = []
        dpaudit.judge(Table(), "f=0:1;1/13:11/13;11/13:1/13;1:0", progress=lambda *now: found.append(now))
        return phases(found)

    everything = told()
    monkeypatch.setattr("dpaudit.privacy.judge_tests._exact_deficit", lambda *_: None)
    assert everything == [*told(), 12]


@pytest.mark.parametrize("command", ["pmf", "sensitivity", "accuracy", "epsilon", "profile", "compare", "check"])
def test_every_long_command_is_watched(command, monkeypatch, capsys):
    labels = []

    @contextmanager
    def watched(label):
        labels.append(label)
        yield lambda done, total: None

    monkeypatch.setattr(options, "watched", watched)
    words = {
        "sensitivity": ["--n", "2"],
        "check": ["candidates.beta", "--jobs", "1"],
        "compare": ["--x", "1,1", "--mech", "LSHist"],
        "pmf": ["--mech", "LSHist", "--x", "1,1"],
        "accuracy": ["--mech", "LSHist", "--x", "1,1"],
    }
    assert main([command, *words.get(command, ["--mech", "LSHist", "--n", "2"])]) == 0
    assert len(labels) == 1


def test_ctrl_c_ends_the_lines_cleanly():
    soon = "from dpaudit import cli; from dpaudit.commands import progress; progress.FIRST = 0; cli.run()"
    command = [sys.executable, "-c", soon, "epsilon", "--mech", "EHDS", "--n", "900", "--tier", "exact"]
    environment = {name: value for name, value in os.environ.items() if name != progress.SWITCH}
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert job.stderr.readline().startswith("dpaudit: EHDS: ")
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=60)
    assert (job.returncode, out, err.splitlines()[-1]) == (130, "", "dpaudit: interrupted")
    assert "Traceback" not in err


@pytest.mark.parametrize(("k", "least", "most"), [(2, 3.8, 4), (3, 14, 16)])
def test_half_the_n_is_the_share_of_the_work_that_the_page_tells(k, least, most):
    """docs/fast.md: a quarter for two cells, a sixteenth for three, up to what is small beside n."""

    def work(n):
        counts = dpaudit.Setting.read("EHDS", n=n, k=k).mechanism.counts()
        return counts.pairs * counts.outputs

    assert least < work(120) / work(60) < most

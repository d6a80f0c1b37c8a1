"""Sweeps: interruption, failing and deadly jobs, full disks. The table is the same however the work was disturbed."""

import csv
import json
import os
import random
import resource
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import Future
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.sweeps.export import table
from dpaudit.sweeps.plan import Job, expand
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.sweep import BATCH_JOBS, Loop
from tests.sweeps.sweeping import COUNT, Here, command, exported, rows, rows_of, swept, wait_until


@pytest.fixture(scope="module")
def undisturbed(plan):
    """The rows of the plan, computed without any disturbance."""
    with closing(swept(plan.with_name("undisturbed.db"), plan)) as store:
        assert store.status()[:3] == (COUNT, COUNT, 0)
        return rows(store)


@pytest.fixture
def new_store(tmp_path):
    """Makes stores, which are closed at the end."""
    made = []

    def make():
        made.append(Store(str(tmp_path / f"{len(made)}.db")))
        return made[-1]

    yield make
    for store in made:
        store.close()


def test_the_table_holds_what_the_audits_say(undisturbed):
    assert len(undisturbed) == COUNT - 2 * 3
    for row in undisturbed[::17]:
        settings = {"gamma": row["gamma"]} if row["gamma"] else {}
        where = {"n": row["n"], "prior": row["prior"], "eps": row["eps"], "digits": 12, **settings}
        if row["quantity"] == "epsilon":
            found = dpaudit.epsilon(row["mechanism"], **where).epsilon
        elif row["quantity"] == "delta":
            found = dpaudit.delta(row["mechanism"], row["at"], **where).delta
        else:
            continue
        assert (row["lower"], row["upper"]) == tuple(found.to_dict().values())
        assert abs(Fraction(row["midpoint"]) - Fraction(row["lower"])) < Fraction(1, 10**11)
    tiled = [row for row in undisturbed if row["mechanism"] == "EHDL"]
    assert [row["lower"] for row in tiled] == [
        dpaudit.epsilon("EHDL", n=9, k=3, digits=12).epsilon.to_dict()["lower"],
        dpaudit.delta("EHDL", "0.3", n=9, k=3, digits=12).delta.to_dict()["lower"],
    ]
    assert all(Fraction(row["upper"]) - Fraction(row["lower"]) <= Fraction(1, 10**12) for row in undisturbed)
    error = next(row for row in undisturbed if row["quantity"] == "mean error" and row["n"] == 20)
    assert error["data"] == "10,10"


def done_jobs(store):
    """The number of finished jobs in a store that may not exist yet."""
    if not store.exists():
        return 0
    with closing(sqlite3.connect(store)) as db:
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return db.execute("SELECT count(*) FROM jobs WHERE state = 'done'").fetchone()[0] if tables else 0


GATE = """
import time
from pathlib import Path
class Gate:
    def __init__(self, epsilon, number=0): self.weight, self.gate = epsilon, Path(__file__).with_name(f"gate{number}")
    def datasets(self): return ["a", "b"]
    def outputs(self): return [0, 1]
    def log_weight(self, x, r):
        while self.gate.exists():
            self.gate.with_suffix(".reached").touch()
            time.sleep(0.02)
        return self.weight if (x == "a") == (r == 0) else 0
"""
"""A mechanism whose audit waits until a file is removed."""
BLOCK = 5 * 2 * 2 * 2
"""The jobs of one mechanism in the gated plan: more than a batch holds."""


def gated_plan(folder):
    """A plan of 128 jobs, and the files that three of its jobs wait for."""
    (folder / "own.py").write_text(GATE)
    text, gates = 'digits = 12\nquantities = ["epsilon", "delta at 1/5"]\n', []
    for number, mech in enumerate(("EHDS", "MH", "LSDim")):
        gates.append(folder / f"gate{number}")
        gated = f'mech = "{folder}/own.py:Gate"\nset = {{number = {number}}}\nquantities = ["epsilon"]'
        block = f'mech = "{mech}"\nn = {{from = 4, to = 36, step = 8}}\nprior = ["1", "1/2"]\neps = [0.5, 2]'
        text += f"[[audit]]\n{block}\n[[audit]]\n{gated}\n"
    plan = folder / "plan.toml"
    plan.write_text(text + '[[audit]]\nmech = "EHDL"\nn = 9\nk = 3\ntiles = 4\nquantities = ["epsilon"]\n')
    return plan, gates


def kill_when(ready, plan, store):
    """Starts the sweep, kills it once ``ready()`` returns, and returns the number of finished jobs."""
    quiet = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(command(plan, store, "--workers", 1), **quiet) as process:
        try:
            ready()
            assert process.poll() is None, "it ended although a gate was closed"
        finally:
            process.kill()
    return done_jobs(store)


def test_killed_again_and_again_it_ends_with_the_same_table(tmp_path_factory, tmp_path, long):
    """Killed at any moment, and at each gate, before which all batches but the last are done; 21 kills with --long."""
    rng = random.Random(20)
    plan, gates = gated_plan(tmp_path_factory.mktemp("gates"))
    with closing(swept(plan.with_name("undisturbed.db"), plan)) as undisturbed:
        wanted = rows(undisturbed)
    for gate in gates:
        gate.touch()
    store, seen = tmp_path / "killed.db", []
    for number, gate in enumerate(gates):
        position, reached = number * (BLOCK + 1) + BLOCK, gate.with_suffix(".reached")

        def at_the_gate(position=position, reached=reached):
            assert wait_until(lambda: reached.exists() and done_jobs(store) > position - BATCH_JOBS)

        for _ in range(6 if long else not number):
            seen.append(kill_when(lambda: time.sleep(rng.uniform(0, 1.0)), plan, store))
        seen.append(kill_when(at_the_gate, plan, store))
        assert seen[-1] <= position, "a job that waits was recorded"
        gate.unlink()
    assert seen == sorted(seen), "finished work was lost"
    subprocess.run(command(plan, store, "--workers", 1), check=True, capture_output=True)
    assert rows_of(store) == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed.db"], "the lock and the log are gone"


def test_a_failed_job_is_recorded_and_stops_nothing(new_store):
    good, bad = expand({"mech": "EHDS", "n": [4, 5]})
    broken = Job({**bad.spec, "mech": "EHDQ"}, 0.1)
    store = new_store()
    store.add([broken, good])
    assert Loop(store, Here()).run()[:3] == (2, 1, 1)
    ((entry, error, count),) = store.errors(5)
    assert (entry, count) == (broken.entry, 1)
    assert "unknown mechanism; did you mean EHD" in error
    states = {row["n"]: (row["state"], row["error"], row["lower"]) for row in table(store)}
    assert states[5] == ("failed", error, None)
    assert states[4][0] == "done"
    assert Loop(store, Here()).run().failed == 1, "failed jobs are left alone"
    store.add([], retry=True)
    assert store.status().failed == 0


def test_the_failed_parts_of_one_audit_are_one_line(new_store, capsys):
    (job,) = expand({"mech": "EHDS", "n": 4})
    store = new_store()
    store.add([Job({**job.spec, "mech": "EHDQ", "part": [i, 12]}, 0.1) for i in range(12)])
    assert Loop(store, Here()).run().failed == 12
    store.close()
    assert main(["sweep", "--out", store.path, "--status"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("unknown mechanism") == 1
    assert "(12 parts)" in text
    assert "more: --export" not in text


class Dying(Here):
    """Workers whose first batches are lost."""

    def __init__(self, lost, culprit=None):
        self.lost, self.culprit = lost, culprit

    def submit(self, function, batch):
        if self.lost or any(key == self.culprit for key, _ in batch):
            self.lost -= bool(self.lost)
            future = Future()
            future.set_exception(RuntimeError("terminated abruptly"))
            return future
        return super().submit(function, batch)


def test_a_lost_batch_is_done_again_and_a_deadly_job_is_given_up(new_store):
    jobs = expand({"mech": "EHDS", "n": {"from": 2, "to": 9}})
    store = new_store()
    store.add(jobs)
    assert Loop(store, Dying(1)).run()[:3] == (8, 8, 0)
    store = new_store()
    store.add(jobs)
    assert Loop(store, Dying(0, jobs[3].key)).run()[:3] == (8, 7, 1)
    lost = "its worker died twice, the second time with nothing else running: terminated abruptly"
    assert store.errors(1) == [(jobs[3].entry, lost, 1)]


class Early(Here):
    """Workers that return after one job of a batch, as they do when a batch takes long."""

    def submit(self, function, batch):
        return super().submit(function, batch[:1])


class Late(Dying):
    """Workers whose second batch takes a while; ``seen`` says whether it was done when each batch came."""

    def __init__(self):
        super().__init__(1)
        self.slow, self.seen = None, []

    def submit(self, function, batch):
        self.seen.append((len(batch), self.slow is None or self.slow.done()))
        future = super().submit(function, batch)
        if len(self.seen) == 2:
            self.slow = Future()
            threading.Timer(0.2, self.slow.set_result, [future.result()]).start()
        return self.slow if len(self.seen) == 2 else future


def test_the_rest_of_a_batch_goes_on_and_suspects_run_alone(new_store):
    store = new_store()
    store.add(expand({"mech": "EHDS", "n": {"from": 2, "to": 5}}))
    assert Loop(store, Early()).run()[:3] == (4, 4, 0)
    store, late = new_store(), Late()
    store.add(expand({"mech": "EHDS", "n": {"from": 2, "to": 35}}))
    assert Loop(store, late).run()[:3] == (34, 34, 0)
    assert len(late.seen) > 2
    assert all(done for _, done in late.seen[2:]), "a suspect ran beside another batch"


def test_only_the_killers_fail(here):
    """Of 16 jobs one is killed when it is constructed, one by a fault of memory, and one asks to exit."""
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = {from = 0, to = 15}}')
    arguments = command("plan.toml", "s.db", "--workers", 2, "--json", "--export", "t.csv")
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["done"], found["failed"], found["open"]) == (13, 3, 0)
    with open("t.csv", newline="") as file:
        errors = {row["own"]: row["error"] for row in csv.DictReader(file) if row["state"] == "failed"}
    assert errors.keys() == {"w=7", "w=11", "w=13"}
    assert "killed by signal 9 (Killed; out of memory?)" in errors["w=7"]
    assert "killed by signal 11 (Segmentation fault)" in errors["w=11"]
    assert "it calls os._exit" in errors["w=13"]


def full_disk_run(folder, **more):
    arguments = command("large.toml", folder / "s.db", "--workers", 1)
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False, **more)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (74, "", 1), done.stderr
    assert "cannot be written" in done.stderr


def then_it_goes_on(store):
    assert main(["sweep", "large.toml", "--out", str(store), "--workers", "1"]) == 0
    assert len(exported(store)) == 58 * 3


def test_a_full_disk_loses_nothing(here):
    """First files may not grow beyond a size, then they may: the sweep goes on."""

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    full_disk_run(here, preexec_fn=small)
    then_it_goes_on("s.db")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs the right to mount a file system")
def test_a_full_file_system_loses_nothing(here, long):
    if not long:
        pytest.skip("the size of files is limited instead; with --long a file system is")
    small = here / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", small]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        full_disk_run(small)
        subprocess.run(["mount", "-o", "remount,size=8m", small], check=True)
        then_it_goes_on(small / "s.db")
    finally:
        subprocess.run(["umount", small], check=True)


def test_command_line(plan, tmp_path, capsys):
    store = str(tmp_path / "s.db")
    for arguments, message in (
        ([str(plan)], "--out = (missing)"),
        (["--out", store], "PLAN = (missing)"),
        (["--out", store, "--status"], "there is no such store"),
        ([str(tmp_path / "none.toml"), "--out", store], "cannot be read"),
        ([str(plan), "--out", store, "--workers", "0"], "must be a whole number >= 1"),
        ([str(plan), "--out", store, "--workers", "2", "--scheduler", "tcp://x:1"], "together with --scheduler"),
        ([str(plan), "--out", str(plan)], "is also an input"),
        ([str(plan), "--out", store, "--export", "t.xls"], "must end in .csv or .parquet"),
        ([str(plan), "--out", store, "--scheduler", "nonsense"], "must be an address such as tcp://host:8786"),
    ):
        assert main(["sweep", *arguments]) == 2
        errors = capsys.readouterr().err
        assert message in errors
        assert errors.count("\n") == 1
    assert main(["sweep", str(plan), "--out", str(tmp_path / "no" / "s.db")]) == 74
    assert "cannot be written" in capsys.readouterr().err
    small = tmp_path / "small.toml"
    small.write_text('mech = "EHDS"\nn = [3, 4]')
    assert main(["sweep", str(small), "--out", store, "--workers", "1", "--export", str(tmp_path / "t.csv")]) == 0
    assert "2: 2 done, 0 failed" in capsys.readouterr().out
    assert main(["sweep", "--out", store, "--status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] == 2


def test_a_sweep_is_as_exact_as_an_audit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    response = "dpaudit.examples.randomized_response:RandomizedResponse"
    (tmp_path / "exact.toml").write_text(f'mech = "{response}"\neps = "1/2"\nquantities = ["epsilon", "delta at 0"]\n')
    assert main(["sweep", "exact.toml", "--out", "s.db", "--workers", "1", "--export", "t.csv"]) == 0
    result = dpaudit.sweep(out="s.db").rows()[0]
    wanted = dpaudit.epsilon(response, eps="1/2").epsilon.to_dict()
    assert (result["lower"], result["upper"]) == (wanted["lower"], wanted["upper"]) == ("0.5", "0.5")

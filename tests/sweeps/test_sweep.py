"""Sweeps: plans, the store, interruption, other executors. The table is the same however the work was disturbed."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.executors import LocalWorkers, open_workers
from dpaudit.sweeps.export import columns, combine, export, table
from dpaudit.sweeps.lane import WorkerDied
from dpaudit.sweeps.plan import Job, expand, read_plan
from dpaudit.sweeps.run import Loop
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.work import run_batch

PLAN = """
digits = 12
quantities = ["epsilon", "delta at 1/5", "mean error"]

[[audit]]
mech = ["EHDS", "MH", "EHD", "LSDim"]
n = {from = 4, to = 60, step = 8}
prior = ["1", "1/2"]
eps = [0.5, 2]

[[audit]]
mech = "EHDL"
n = 9
k = 3
tiles = 4
quantities = ["epsilon", "delta at 0.3"]
"""
COUNT = 4 * 8 * 2 * 2 * 3 + 2 * 4


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


class Here:
    """Workers without processes: every batch runs when it is submitted."""

    capacity = 1

    def submit(self, batch):
        from concurrent.futures import Future

        future = Future()
        future.set_result(run_batch(batch))
        return future

    def close(self, at_once):
        pass


def rows(store):
    """The table without what depends on the clock."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in table(store)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "plan.toml").write_text(PLAN)
    store = Store(str(folder / "sweep.db"))
    store.add(read_plan(str(folder / "plan.toml")))
    assert Loop(store, Here()).run()[:3] == (COUNT, COUNT, 0)
    return rows(store)


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
    error = next(row for row in undisturbed if row["quantity"] == "mean error" and row["n"] == 12)
    assert error["data"] == "6,6"


def command(plan, store, *more):
    return [sys.executable, "-m", "dpaudit", "sweep", str(plan), "--out", str(store), "--workers", "2", *more]


def done_jobs(store):
    """The number of finished jobs in a store that may not exist yet; the file must be sound."""
    if not store.exists():
        return 0
    with sqlite3.connect(store) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return 0
        return db.execute("SELECT count(*) FROM jobs WHERE state = 'done'").fetchone()[0]


def test_killed_again_and_again_it_ends_with_the_same_table(plan, tmp_path, undisturbed, long):
    """Half of the kills come at any moment, half a moment after some work was finished; twenty kills with --long."""
    rng = random.Random(20)
    store = tmp_path / "killed.db"
    seen = [0]
    for turn in range(20 if long else 5):
        process = subprocess.Popen(command(plan, store), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if turn % 2:
            while process.poll() is None and done_jobs(store) == seen[-1]:
                time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.1 if turn % 2 else 1.0))
        process.kill()
        process.wait()
        seen.append(done_jobs(store))
    assert seen == sorted(seen), "finished work was lost"
    assert len(set(seen)) >= 3, "it was never killed midway"
    subprocess.run(command(plan, store), check=True, capture_output=True)
    assert rows(Store(str(store), create=False)) == undisturbed


def test_finished_work_is_not_repeated(plan, tmp_path):
    store = Store(str(tmp_path / "s.db"))
    jobs = read_plan(str(plan))
    assert store.add(jobs[:10]) == 10
    Loop(store, Here()).run()
    stamps = list(store._db.execute("SELECT key, finished FROM jobs ORDER BY key"))
    assert store.add(jobs[:14]) == 4, "a changed plan adds jobs"
    Loop(store, Here()).run()
    after = dict(store._db.execute("SELECT key, finished FROM jobs"))
    assert all(after[key] == stamp for key, stamp in stamps)
    assert len(after) == 14


def test_a_job_finished_twice_stays_as_it_was(tmp_path):
    store = Store(str(tmp_path / "s.db"))
    (job,) = expand({"mech": "EHDS", "n": 4})
    store.add([job])
    (first,) = run_batch([(job.key, job.spec)])
    store.finish([first])
    store.finish([{"key": job.key, "seconds": 1.0, "error": "too late"}])
    assert store.status()[:3] == (1, 1, 0)


def test_parts_combine_by_maximum_of_both_bounds():
    def part(i, lower, upper):
        spec = {**expand({"mech": "EHDS", "n": 4})[0].spec, "part": [i, 3]}
        return spec, "done", {"lower": lower, "upper": upper, "bits": 128, "x": [i, 4 - i]}, None, 1.0

    row = combine([part(0, "0.1", "0.3"), part(1, "0.2", "0.25"), part(2, "0.01", "0.02")])
    assert (row["lower"], row["upper"], row["x"], row["seconds"]) == ("0.2", "0.3", "1,3", 3.0)


def test_two_processes_on_one_store(plan, tmp_path, undisturbed):
    store = tmp_path / "two.db"
    both = [subprocess.Popen(command(plan, store), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, b"")
    assert rows(Store(str(store), create=False)) == undisturbed


def test_a_failed_job_is_recorded_and_stops_nothing(tmp_path):
    good, bad = expand({"mech": "EHDS", "n": [4, 5]})
    broken = Job({**bad.spec, "mech": "EHDQ"}, 0.1)
    store = Store(str(tmp_path / "s.db"))
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


def test_the_failed_parts_of_one_audit_are_one_line(tmp_path, capsys):
    (job,) = expand({"mech": "EHDS", "n": 4})
    name = str(tmp_path / "s.db")
    store = Store(name)
    store.add([Job({**job.spec, "mech": "EHDQ", "part": [i, 12]}, 0.1) for i in range(12)])
    assert Loop(store, Here()).run().failed == 12
    store.close()
    assert main(["sweep", "--out", name, "--status"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("unknown mechanism") == 1
    assert "(12 parts)" in text
    assert "more: --export" not in text


class Dying(Here):
    """Workers whose first batches are lost."""

    def __init__(self, lost, culprit=None):
        self.lost, self.culprit = lost, culprit

    def submit(self, batch):
        from concurrent.futures import Future

        if self.lost or any(key == self.culprit for key, _ in batch):
            self.lost -= bool(self.lost)
            future = Future()
            future.set_exception(RuntimeError("terminated abruptly"))
            return future
        return super().submit(batch)


def test_a_lost_batch_is_done_again_and_a_deadly_job_is_given_up(tmp_path):
    jobs = expand({"mech": "EHDS", "n": {"from": 2, "to": 9}})
    store = Store(str(tmp_path / "lost.db"))
    store.add(jobs)
    assert Loop(store, Dying(1)).run()[:3] == (8, 8, 0)
    store = Store(str(tmp_path / "deadly.db"))
    store.add(jobs)
    assert Loop(store, Dying(0, jobs[3].key)).run()[:3] == (8, 7, 1)
    lost = "its worker died twice, the second time with nothing else running: terminated abruptly"
    assert store.errors(1) == [(jobs[3].entry, lost, 1)]


def test_a_worker_process_that_dies_is_replaced():
    workers = LocalWorkers(1)
    try:
        (job,) = expand({"mech": "EHDS", "n": 4})
        batch = [(job.key, job.spec)]
        first = workers.submit(batch).result()
        os.kill(workers._lanes[0]._process.pid, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="killed by signal 9"):
            workers.submit(batch).result()
        again = workers.submit(batch).result()
        assert first[0]["result"] == again[0]["result"]
    finally:
        workers.close(at_once=False)


def test_claims_are_exclusive_and_lapse(tmp_path, monkeypatch):
    one, two = (Store(str(tmp_path / "s.db")) for _ in range(2))
    one.add(expand({"mech": "EHDS", "n": {"from": 2, "to": 9}}))
    mine = one.claim(3, 1e9)
    assert len(mine) == 3
    assert not {job.key for job in mine} & {job.key for job in two.claim(99, 1e9)}
    assert two.claim(99, 1e9) == []
    two.release()
    assert len(two.claim(99, 1e9)) == 5
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert len(one.claim(99, 1e9)) == 8


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install dpaudit[cluster]")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


def test_a_cluster_gives_the_same_table_even_if_a_worker_dies(plan, tmp_path, undisturbed, cluster):
    store = Store(str(tmp_path / "dask.db"))
    store.add(read_plan(str(plan)))
    victims = [cluster.workers[0].pid]

    def kill_midway(status):
        if victims and status.done >= COUNT // 4:
            os.kill(victims.pop(), signal.SIGKILL)

    status = Loop(store, open_workers(None, cluster.scheduler_address), kill_midway).run()
    assert not victims
    assert status[:3] == (COUNT, COUNT, 0)
    assert rows(store) == undisturbed


def test_export(plan, tmp_path, undisturbed):
    import csv

    pyarrow = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install dpaudit[parquet]")
    store = Store(str(tmp_path / "s.db"))
    store.add(read_plan(str(plan))[:30])
    Loop(store, Here()).run()
    assert export(store, str(tmp_path / "t.csv")) == export(store, str(tmp_path / "t.parquet")) == 30
    with (tmp_path / "t.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    parquet = pyarrow.read_table(tmp_path / "t.parquet").to_pylist()
    assert list(found[0]) == list(parquet[0]) == list(columns())
    assert [row["lower"] for row in found] == [row["lower"] for row in parquet]
    assert [row["lower"] for row in found] == [row["lower"] for row in undisturbed[:30]]
    assert isinstance(parquet[0]["midpoint"], float)
    with pytest.raises(InputError, match=r"must end in \.csv or \.parquet"):
        export(store, "t.xlsx")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mech = ", "is not TOML"),
        ("n = 5", "every block needs mech"),
        ('mech = "EHDS"', "every block needs n"),
        ('mech = "EHDX"\nn = 5', "did you mean"),
        ('mech = "EHDS"\nn = 5\nepsilon = 1', "unknown key; known: mech, n"),
        ('mech = "EHDS"\nn = 0', "must be a whole number >= 1"),
        ('mech = "EHDS"\nn = 5\neps = -0.5', "must be > 0"),
        ('mech = "EHDS"\nn = 5\nquantities = "variance"', "must be one of epsilon, delta at E, mean error"),
        ('mech = "EHDS"\nn = {from = 5, to = 9, step = 0}', "a range must rise"),
        ('mech = "EHDS"\nn = {from = 9, to = 5}', "the range is empty"),
        ('mech = "EHDS"\nn = {first = 9}', "a range is"),
        ('mech = "EHDS"\nn = 5\nprior = "1,,1"', "single commas"),
        ('mech = "EHDS"\nn = 5\nx = "1,1"\nquantities = "mean error"', "must sum to n = 5"),
        ('mech = "EHDS"\nn = 5\ntiles = 0', "must be a whole number >= 1"),
        ('audit = 3\nmech = "EHDS"\nn = 5', r"write each block as \[\[audit\]\]"),
        ("audit = []", "it has no job"),
    ],
)
def test_bad_plans_are_refused_in_one_line(tmp_path, capsys, text, message):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_plan(str(path))
    assert main(["sweep", str(path), "--out", str(tmp_path / "s.db")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "s.db").exists()


def test_ranges_and_floats_are_exact():
    jobs = expand({"mech": "EHDS", "n": {"from": 1, "to": 1000, "factor": 10}, "eps": ["0.1", "1/3"]})
    assert [job.spec["n"] for job in jobs[::2]] == [1, 10, 100, 1000]
    assert jobs[0].spec["eps"] == "1/10"
    assert [job.spec["parameters"] for job in expand({"mech": ["EHD", "MH"], "n": 3, "gamma": [1, 2]})] == [
        {"gs": "constant"},
        {"gamma": "1"},
        {"gamma": "2"},
    ]


def test_a_large_audit_is_split_into_tiles():
    jobs = expand({"mech": "EHDS", "n": 200_000})
    assert len(jobs) > 1
    assert [job.spec["part"] for job in jobs] == [[i, len(jobs)] for i in range(len(jobs))]
    assert len({job.entry for job in jobs}) == 1
    assert len(expand({"mech": "LSDim", "n": 200_000})) == 1


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


def test_parameters_of_an_own_mechanism_in_a_plan(tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def __init__(self, epsilon, w): self.weight = epsilon * int(w)\n"
        "    def datasets(self): return [0, 1]\n"
        "    def outputs(self): return [0, 1]\n"
        "    def log_weight(self, x, r): return self.weight if x == r else 0\n"
    )
    (tmp_path / "plan.toml").write_text(f'mech = "{tmp_path}/mine.py:Mine"\nset = {{w = [2, 3]}}\n')
    jobs = read_plan(str(tmp_path / "plan.toml"))
    assert [job.spec["own"] for job in jobs] == [{"w": "2"}, {"w": "3"}]
    done = run_batch([(job.key, job.spec) for job in jobs])
    rows = [combine([(job.spec, "done", out["result"], None, 0.0)]) for job, out in zip(jobs, done, strict=True)]
    assert [row["own"] for row in rows] == ["w=2", "w=3"]
    for w, row in zip((2, 3), rows, strict=True):
        assert w - Fraction(1, 10**9) < Fraction(row["lower"]) <= w <= Fraction(row["upper"])
    for given, rule in (("w = 2", "must be a table"), ({"n": 3}, "key of its own"), ({"w": 2}, "your own mechanism")):
        with pytest.raises(InputError, match=rule):
            expand({"mech": "EHDS", "n": 3, "set": given})

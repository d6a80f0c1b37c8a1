"""Workers: processes and a cluster, that die, are replaced, and end with the command."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dpaudit.cli import main
from dpaudit.sweeps.plan import expand, read_plan
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.sweep import Loop
from dpaudit.sweeps.work import run_batch
from dpaudit.sweeps.workers import LocalWorkers, WorkerDied, open_workers
from tests.sweeps.sweeping import COUNT, begun, rows, swept, wait_until


def test_a_worker_process_that_dies_is_replaced():
    workers = LocalWorkers(1)
    try:
        (job,) = expand({"mech": "EHDS", "n": 4})
        batch = [(job.key, job.spec)]
        first = workers.submit(run_batch, batch).result()
        os.kill(workers._lanes[0]._process.pid, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="killed by signal 9"):
            workers.submit(run_batch, batch).result()
        again = workers.submit(run_batch, batch).result()
        assert first[0]["result"] == again[0]["result"]
    finally:
        workers.close(at_once=False)


def alive(group):
    """The processes of the group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(pgrp) == group and state != "Z":
            found.append(path.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.thin(2)
@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("sweep", signal.SIGTERM),
        ("sweep", signal.SIGINT),
        ("sweep", signal.SIGKILL),
        ("check", signal.SIGTERM),
        ("check", signal.SIGKILL),
        ("check", signal.SIGINT),
    ],
)
def test_no_worker_outlives_the_command(here, capsys, command, number):
    """The signal goes to the command alone; its workers are in the midst of something long."""
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 1000, 1001]}')
    sweep = ["sweep", "plan.toml", "--out", "s.db", "--workers", "2"]
    arguments = sweep if command == "sweep" else ["check", "--wide", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dpaudit", *arguments],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert wait_until(lambda: len(alive(process.pid)) >= 3 and (command == "check" or begun())), "no workers"
        if command == "sweep":
            assert main(sweep) == 2
            assert "another process works on this store" in capsys.readouterr().err
            assert main(["sweep", "--out", "s.db", "--status"]) == 0, "it can be read meanwhile"
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        code, line = {15: (143, "dpaudit: terminated"), 2: (130, "dpaudit: interrupted"), 9: (-9, None)}[number]
        assert process.returncode == code
        assert line is None or errors.replace("noise", "").strip() == line
        assert wait_until(lambda: not alive(process.pid), 5.0), "a worker is left"
    finally:
        if alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
    if command == "sweep":
        with closing(Store("s.db")) as store:
            assert store.status().total == 3


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install dpaudit[cluster]")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


def test_a_cluster_gives_the_same_table_even_if_a_worker_dies(plan, tmp_path, cluster):
    with closing(swept(tmp_path / "here.db", plan)) as store:
        undisturbed = rows(store)
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
    store.close()


def test_a_scheduler_that_is_killed(here):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install dpaudit[cluster]")
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 1000, 1001]}')
    module = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    scheduler = subprocess.Popen(
        [*module, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", "where.json"],
        **quiet,
    )
    started = [scheduler]
    try:
        assert wait_until(lambda: Path("where.json").exists() and Path("where.json").read_text().endswith("}"))
        address = json.loads(Path("where.json").read_text())["address"]
        worker = [*module, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
        started.append(subprocess.Popen(worker, **quiet))
        sweep = [*module, "dpaudit", "sweep", "plan.toml", "--out", "s.db", "--scheduler", address]
        started.append(subprocess.Popen(sweep, **quiet))
        assert wait_until(lambda: begun())
        scheduler.kill()
        _, errors = started[-1].communicate(timeout=60)
        assert started[-1].returncode == 2, errors
        assert errors.count("\n") == 1
        assert "was lost; what is finished is kept: run the command again" in errors
    finally:
        for process in started:
            if alive(process.pid):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    with closing(Store("s.db")) as store:
        assert store.status()[0] == 3

"""Workers: processes and a cluster, that die, are replaced, and end with the command."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.plan import read_plan
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.sweep import Loop
from dpaudit.sweeps.workers import open_workers
from tests.sweeps.sweeping import begun, rows, swept, wait_until


def running():
    """The parent of every process that runs."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(path.parent.name)] = int(parent)
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
        workers = set()

        def at_work():
            workers.update(child for child, parent in running().items() if parent == process.pid)
            return len(workers) >= 2 and (command == "check" or begun())

        assert wait_until(at_work), "no workers"
        if command == "sweep":
            assert main(sweep) == 2
            assert "another process is working on this store" in capsys.readouterr().err
            assert main(["sweep", "--out", "s.db", "--status"]) == 0, "it can be read meanwhile"
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        code, line = {15: (143, "dpaudit: terminated"), 2: (130, "dpaudit: interrupted"), 9: (-9, None)}[number]
        assert process.returncode == code
        assert line is None or errors.replace("noise", "").strip() == line
        assert wait_until(lambda: not workers & running().keys(), 5.0), "a worker is left"
    finally:
        for left in {process.pid, *workers} & running().keys():
            os.kill(left, signal.SIGKILL)
    if command == "sweep":
        with closing(Store("s.db")) as store:
            assert store.status().total == 3


class Cluster:
    """A Dask scheduler and workers, each a process of its own; started as docs/sweep.md says."""

    def __init__(self):
        self.started = []

    def start(self, name, *arguments):
        words = [sys.executable, "-m", f"distributed.cli.{name}", *arguments, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.started.append(subprocess.Popen(words, start_new_session=True, **quiet))
        return self.started[-1]

    def scheduler(self):
        """The address of a new scheduler, and its process."""
        where = Path(f"where-{len(self.started)}.json")
        process = self.start("dask_scheduler", "--port", "0", "--scheduler-file", str(where))
        assert wait_until(lambda: where.exists() and where.read_text().endswith("}"))
        return json.loads(where.read_text())["address"], process

    def worker(self, address):
        return self.start("dask_worker", address, "--nthreads", "1", "--no-nanny")

    def end(self):
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(here):
    """Nothing runs yet; whatever the test starts is ended after it."""
    pytest.importorskip("distributed", reason="Dask is not installed: pip install dpaudit[cluster]")
    made = Cluster()
    yield made
    made.end()


def finished(store):
    """When each finished job was finished: one that is repeated has another time."""
    return dict(store._db.execute("SELECT key, finished FROM jobs WHERE state = 'done'"))


def test_a_cluster_loses_a_worker_and_then_its_scheduler(cluster, capsys):
    """Without the worker the table is the same; without the scheduler there is one line, and the store is kept."""
    address, scheduler = cluster.scheduler()
    victims = [cluster.worker(address) for _ in range(2)]
    with closing(swept("here.db", "large.toml")) as store:
        undisturbed = rows(store)

    def kill_midway(status):
        if len(victims) == 2 and status.done:
            victims.pop().kill()

    with closing(Store("dask.db")) as store:
        store.add(read_plan("large.toml"))
        status = Loop(store, open_workers(None, address), kill_midway).run()
        assert status[:3] == (len(undisturbed), len(undisturbed), 0)
        assert len(victims) == 1
        assert rows(store) == undisturbed

    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 1000, 1001]}')
    killer = threading.Thread(target=lambda: (wait_until(begun), scheduler.kill()))
    killer.start()
    assert main(["sweep", "plan.toml", "--out", "s.db", "--scheduler", address]) == 2
    killer.join()
    errors = capsys.readouterr().err
    assert "was lost; finished jobs are kept: run the command again" in errors
    assert errors.count("\n") == 1
    with closing(Store("s.db")) as store:
        assert store.status()[0] == 3


def test_nothing_is_lost_with_a_scheduler_and_a_new_one_goes_on(cluster):
    """What was done before is not done again, all workers may go before another comes, and the table is the same."""
    with closing(swept("here.db", "large.toml")) as store:
        undisturbed = rows(store)
    address, scheduler = cluster.scheduler()
    cluster.worker(address)

    def kill_scheduler(status):
        if status.done and scheduler.poll() is None:
            scheduler.kill()
            scheduler.wait()

    with closing(Store("s.db")) as store:
        store.add(read_plan("large.toml"))
        with pytest.raises(InputError, match="was lost; finished jobs are kept: run the command again"):
            Loop(store, open_workers(None, address), kill_scheduler).run()
        before = finished(store)
        assert 0 < len(before) < len(undisturbed)
        assert store.status().failed == 0

    address, _ = cluster.scheduler()
    only = [cluster.worker(address)]
    replaced = []

    def replace_worker(status):
        if status.done > len(before) and not replaced:
            only[0].kill()
            only[0].wait()
            replaced.append(cluster.worker(address))

    with closing(Store("s.db")) as store:
        status = Loop(store, open_workers(None, address), replace_worker).run()
        assert status[:3] == (len(undisturbed), len(undisturbed), 0)
        assert replaced
        assert {key: when for key, when in finished(store).items() if key in before} == before
        assert rows(store) == undisturbed

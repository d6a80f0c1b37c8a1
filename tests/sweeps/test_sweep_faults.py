"""Faults around a sweep: deadly jobs, edited sources, damaged stores, full disks, signals: one line, nothing lost."""

import csv
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.sweeps import executors, layout
from dpaudit.sweeps import store as stores
from dpaudit.sweeps.plan import expand
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.work import run_batch

OWN = """
import ctypes, os, signal, sys, time
class Mine:
    def __init__(self, epsilon, w=0):
        self.w, self.weight = int(w), epsilon * FACTOR
        if self.w == 7: os.kill(os.getpid(), signal.SIGKILL)
        if self.w == 500: raise ValueError("=cmd()\\nACCEPTED \\ud800")
    def datasets(self): return ["=x", "-y"]
    def outputs(self): return ["+a", "@b"]
    def log_weight(self, x, r):
        print("noise")
        if self.w >= 1000: time.sleep(1000)
        if self.w == 59: os._exit(0)
        if self.w % 12 == 7: os.kill(os.getpid(), signal.SIGKILL)
        if self.w % 12 == 11: ctypes.string_at(0)
        return self.weight if (x == "=x") == (r == "+a") else 0
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a mechanism and a plan, and in it."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN.replace("FACTOR", "1"))
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 2, 3]}')
    Path("family.toml").write_text('mech = "EHDS"\nn = {from = 3, to = 12}')
    return tmp_path


def run(*arguments, **more):
    """The command in a process of its own: exit code, output, errors."""
    command = [sys.executable, "-m", "dpaudit", "sweep", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def table(store, name="t.csv"):
    main(["sweep", "--out", str(store), "--export", name])
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------ jobs that kill their worker


def test_only_the_killers_fail(here):
    """Of 60 jobs ten end their process by a signal, a fault or an exit, one already when it is constructed."""
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = {from = 0, to = 59}}')
    code, out, _ = run("plan.toml", "--out", "s.db", "--workers", 2, "--json", "--export", "t.csv")
    assert code == 1
    found = json.loads(out)
    assert (found["done"], found["failed"]) == (50, 10)
    with open("t.csv", newline="") as file:
        rows = {row["own"]: (row["state"], row["error"]) for row in csv.DictReader(file)}
    for w in range(60):
        state, error = rows[f"w={w}"]
        assert state == ("failed" if w % 12 in (7, 11) else "done")
        assert w % 12 != 7 or "killed by signal 9 (Killed; out of memory?)" in error
        assert w % 12 != 11 or "killed by signal 11 (Segmentation fault)" in error or w == 59


# ------------------------------------------------------------------ sources and versions


def test_an_edited_mechanism_is_computed_anew_and_no_table_mixes(here, capsys):
    assert main(["sweep", "plan.toml", "--out", "s.db"]) == 0
    assert [round(float(row["midpoint"]), 9) for row in table("s.db")] == [1, 1, 1]
    Path("own.py").write_text(OWN.replace("FACTOR", "2"))
    capsys.readouterr()
    assert main(["sweep", "--out", "s.db", "--status"]) == 0
    assert "own.py:Mine is not what it was: run the plan again" in capsys.readouterr().out
    Path("small.toml").write_text('mech = "own.py:Mine"\nset = {w = [2, 4]}')
    assert main(["sweep", "small.toml", "--out", "s.db"]) == 0
    assert "3 rows of another version of dpaudit or another source are kept, not shown" in capsys.readouterr().out
    rows = table("s.db")
    assert [(row["own"], round(float(row["midpoint"]), 9)) for row in rows] == [("w=2", 2), ("w=4", 2)]
    assert len({row["source"] for row in rows}) == 1
    Path("own.py").write_text(OWN.replace("FACTOR", "1"))
    before = time.time()
    assert main(["sweep", "plan.toml", "--out", "s.db"]) == 0
    assert [row["own"] for row in table("s.db")] == ["w=1", "w=2", "w=3"]
    with sqlite3.connect("s.db") as db:
        assert db.execute("SELECT count(*) FROM jobs WHERE finished > ?", (before,)).fetchone() == (0,)


def test_a_file_that_changes_under_a_sweep_is_refused_by_the_job(here):
    (job, *_) = expand({"mech": "own.py:Mine", "set": {"w": 1}})
    Path("own.py").write_text(OWN.replace("FACTOR", "2"))
    assert "has changed since the plan was read" in run_batch([(job.key, job.spec)])[0]["error"]
    (job,) = expand({"mech": "EHDS", "n": 3})
    assert "was read by dpaudit 0.0.1" in run_batch([("k", {**job.spec, "version": "0.0.1"})])[0]["error"]


def test_pairs_of_data_sets_are_a_source_too(here):
    Path("pairs.csv").write_text('"0,3","3,0"\n')
    plan = {"mech": "EHDS", "n": 3, "adjacency": ["pairs.csv", "replace-one"]}
    one, other = expand(plan)
    assert one.spec["pairs"]
    assert "pairs" not in other.spec
    result, single = (run_batch([(job.key, job.spec)])[0]["result"]["lower"] for job in (one, other))
    assert result == dpaudit.epsilon("EHDS", n=3, adjacency="pairs.csv").epsilon.to_dict()["lower"] != single
    store = Store("s.db")
    store.add([one, other])
    Path("pairs.csv").write_text('"0,3","1,2"\n')
    store.add(expand(plan))
    assert store.status().total == 2
    assert store.aside(9).stale == 1


def old_store(path):
    """A store as dpaudit 0.1.0 wrote it."""
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA application_id = {layout.APPLICATION}")
        db.execute(layout.TABLE)
        db.execute("CREATE INDEX by_state ON jobs (state, position)")
        for i, job in enumerate(expand({"mech": "EHDS", "n": [3, 4]})):
            spec = {name: value for name, value in job.spec.items() if name not in ("version", "source")}
            key = json.dumps(spec, sort_keys=True, separators=(",", ":"))
            result = json.dumps({"lower": "0.5", "upper": "0.6", "bits": 128})
            values = (key, key, json.dumps(spec), i, 0.1, "done", result, 0.25)
            columns = "key, entry, spec, position, cost, state, result, seconds"
            db.execute(f"INSERT INTO jobs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


def test_a_store_without_versions_is_read_and_computed_anew(here, capsys):
    old_store("old.db")
    assert [(row["n"], row["lower"], row["version"]) for row in table("old.db")] == [("3", "0.5", ""), ("4", "0.5", "")]
    assert "rows of dpaudit 0.1.0 have no version; a run of their plan computes them anew" in capsys.readouterr().out
    Path("p.toml").write_text('mech = "EHDS"\nn = 3')
    assert main(["sweep", "p.toml", "--out", "old.db"]) == 0
    assert "2 rows of another version" in capsys.readouterr().out
    assert [(row["n"], row["version"]) for row in table("old.db")] == [("3", dpaudit.__version__)]


# ------------------------------------------------------------------ damaged rows


@pytest.mark.parametrize(
    "damage",
    [
        "result = replace(result, '0.', '1.')",
        "result = NULL",
        "result = CAST(x'ff00ff' AS TEXT)",
        "seconds = 'long'",
        "error = 'none'",
        "state = 'failed'",
        "state = 'open'",
        "position = position + 100",
        "entry = 'another'",
        "made = '{'",
        "checksum = NULL",
        "key = replace(key, '\"n\":5', '\"n\":6000')",
        "key = CAST(x'ff00ff' AS TEXT)",
    ],
)
def test_a_damaged_row_is_told_not_exported_and_computed_anew(finished, tmp_path, capsys, monkeypatch, damage):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    good = table("s.db")
    with sqlite3.connect("s.db") as db:
        assert db.execute(f"UPDATE jobs SET {damage} WHERE key LIKE '%\"n\":5,%'").rowcount == 1
        ((key,),) = db.execute("SELECT CAST(key AS BLOB) FROM jobs WHERE position = 2 OR position = 102")
    capsys.readouterr()
    assert main(["sweep", "--out", "s.db", "--export", "t.csv"]) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if "damaged:" in line]
    assert len(told) == 1
    assert key.startswith(b"\xff") or key.decode() in told[0]
    with open("t.csv", newline="") as file:
        assert list(csv.DictReader(file)) == [row for row in good if row["n"] != "5"]
    again = main(["sweep", "family.toml", "--out", "s.db"])
    assert again == (1 if damage.startswith("key") else 0), "a row whose key is damaged stays, and is told"

    def timeless(rows):
        return sorted(sorted((k, v) for k, v in row.items() if k != "seconds") for row in rows)

    assert timeless(table("s.db")) == timeless(good)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a finished sweep of ten jobs."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "family.toml").write_text('mech = "EHDS"\nn = {from = 3, to = 12}')
    assert main(["sweep", str(folder / "family.toml"), "--out", str(folder / "s.db"), "--workers", "1"]) == 0
    assert not (folder / "s.db-wal").exists()
    return folder


# ------------------------------------------------------------------ one line and the right exit code


def truncated(size):
    def spoil():
        with open("s.db", "r+b") as file:
            file.truncate(size)

    return spoil


def overwritten(offset, count=400):
    def spoil():
        with open("s.db", "r+b") as file:
            file.seek(offset)
            file.write(b"\xa5" * count)

    return spoil


def locked():
    db = sqlite3.connect("s.db", isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    return db


def written(name, text):
    def spoil():
        Path(name).write_text(text)

    return spoil


def plan_of(text):
    return written("p.toml", text)


def nothing():
    """No preparation."""


STATUS, RUN, EXPORT = ["--status"], ["family.toml"], ["--export", "t.csv"]
FAULTS = {
    "truncated to a page": (truncated(4096), STATUS, 2, "cannot be used as a store"),
    "truncated to half a page": (truncated(6000), RUN, 2, "cannot be used as a store"),
    "truncated to a header": (truncated(50), EXPORT, 2, "cannot be used as a store"),
    "truncated to nothing": (truncated(0), STATUS, 2, "it is empty"),
    "a page overwritten": (overwritten(4096), STATUS, 2, "cannot be used as a store"),
    "a page overwritten, run": (overwritten(4096), RUN, 2, "cannot be used as a store"),
    "a later page overwritten": (overwritten(8192, 4096), EXPORT, 2, "cannot be used as a store"),
    "the header overwritten": (overwritten(0), RUN, 2, "cannot be used as a store"),
    "the schema overwritten": (overwritten(2000, 2096), STATUS, 2, "cannot be used as a store"),
    "locked, run": (locked, RUN, 2, "locked"),
    "locked, status": (locked, STATUS, 2, "locked"),
    "the store is a folder": (lambda: (os.remove("s.db"), os.mkdir("s.db")), RUN, 2, "cannot be used as a store"),
    "n overflows": (plan_of(f'mech = "EHDS"\nn = {10**30}'), ["p.toml"], 2, "must be a whole number"),
    "n is too long": (plan_of(f'mech = "EHDS"\nn = {"9" * 200_000}'), ["p.toml"], 2, "is not TOML"),
    "k overflows": (plan_of(f'mech = "EHDS"\nn = 3\nk = {10**30}'), ["p.toml"], 2, "must be a whole number"),
    "digits are huge": (plan_of(f'mech = "EHDS"\nn = 3\ndigits = {10**12}'), ["p.toml"], 2, "dpaudit: digits = "),
    "memory is huge": (plan_of('mech = "EHDS"\nn = 3\nmemory = 1e999'), ["p.toml"], 2, "at most 100 digits"),
    "a long range": (plan_of('mech = "EHDS"\nn = {from = 1, to = 1e12}'), ["p.toml"], 2, "at most 1000000 are allowed"),
    "a dense range": (plan_of('mech = "EHDS"\nn = {from = 1, to = 2, step = 1e-9}'), ["p.toml"], 2, "at most"),
    "many combinations": (
        plan_of('mech = "EHDS"\nn = {from = 1, to = 2000}\neps = {from = 1, to = 2000}'), ["p.toml"], 2, "more than"
    ),
    "deep nesting": (plan_of("mech = " + "[" * 100_000), ["p.toml"], 2, "nested too deeply"),
    "own n is a word": (plan_of('mech = "own.py:Mine"\nn = "many"'), ["p.toml"], 2, "must be a whole number"),
    "own n overflows": (plan_of(f'mech = "own.py:Mine"\nn = {10**40}'), ["p.toml"], 2, "must be a whole number"),
    "the plan is binary": (lambda: Path("p.toml").write_bytes(b"\xff\x00"), ["p.toml"], 2, "is not UTF-8"),
    "the plan is endless": (nothing, ["/dev/zero"], 2, "is no file"),
    "no own file": (plan_of('mech = "gone.py:Mine"'), ["p.toml"], 2, "there is no file gone.py"),
    "the own file is a folder": (lambda: (os.mkdir("f.py"), plan_of('mech = "f.py:M"')()), ["p.toml"], 2, "no file"),
    "no class in it": (plan_of('mech = "own.py:Yours"'), ["p.toml"], 2, "there is no class Yours"),
    "no table": (plan_of('mech = "gone.csv"'), ["p.toml"], 2, "there is no file gone.csv"),
    "own file with an error": (
        lambda: (written("bad.py", "def")(), plan_of('mech = "bad.py:Mine"')()), ["p.toml"], 2, "SyntaxError"
    ),
    "own constructor raises": (plan_of('mech = "own.py:Mine"\nset = {w = 500}'), ["p.toml"], 2, "ValueError"),
    "no adjacency": (plan_of('mech = "EHDS"\nn = 3\nadjacency = "near"'), ["p.toml"], 2, "must be replace-one"),
    "no file of pairs": (plan_of('mech = "EHDS"\nn = 3\nadjacency = "gone.csv"'), ["p.toml"], 2, "there is no file"),
    "export is the store": (lambda: os.rename("s.db", "s.csv"), ["--out", "s.csv", "--export", "s.csv"], 2, "is also"),
    "export is the plan": (lambda: os.rename("family.toml", "f.csv"), ["f.csv", "--export", "f.csv"], 2, "is also"),
    "export is a link to the store": (lambda: os.symlink("s.db", "l.csv"), ["--export", "l.csv"], 2, "is also"),
    "export is the mechanism": (
        lambda: (written("m.csv", ",a,b\nx,1/2,1/2\ny,0,1\n")(), plan_of('mech = "m.csv"')()),
        ["p.toml", "--export", "m.csv"], 2, "is also",
    ),
    "export into nowhere": (nothing, ["--export", "no/t.csv"], 74, "cannot be written"),
    "the scheduler is away": (nothing, [*RUN, "--out", "n.db", "--scheduler", "tcp://127.0.0.1:9"], 2, "be reached"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_one_line_with_the_right_code(finished, here, capsys, monkeypatch, fault):
    """Whatever is wrong, the files that were there stay byte for byte."""
    prepare, arguments, code, message = FAULTS[fault]
    if "--scheduler" in arguments:
        pytest.importorskip("distributed", reason="Dask is not installed: pip install dpaudit[cluster]")
    monkeypatch.setattr(stores, "PATIENCE", 0.2)
    monkeypatch.setattr(executors, "PATIENCE", 0.5)
    shutil.copytree(finished, here, dirs_exist_ok=True)
    held = prepare()
    files = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    where = [] if "--out" in arguments else ["--out", "s.db"]
    assert main(["sweep", *arguments, *where]) == code
    told = capsys.readouterr()
    assert message in told.err
    assert (told.err.count("\n"), told.out) == (1, "")
    if isinstance(held, sqlite3.Connection):
        held.close()
    changed = [path.name for path, content in files.items() if path.exists() and path.read_bytes() != content]
    assert [name for name in changed if not name.endswith(("-wal", "-shm"))] == []


OPENING = """
import sys, time
from dpaudit.sweeps.store import Store
for i in range(20):
    while time.time() < float(sys.argv[1]) + i / 20: pass
    Store(f"{i}.db").close()
"""


def test_two_processes_make_one_store_at_the_same_moment(here):
    command = [sys.executable, "-c", OPENING, str(time.time() + 2)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[1] for process in both] == ["", ""]


def test_a_store_that_is_locked_while_it_runs(here, monkeypatch, capsys):
    monkeypatch.setattr(stores, "PATIENCE", 0.2)
    store = Store("s.db")
    other = sqlite3.connect("s.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert main(["sweep", "family.toml", "--out", "s.db"]) == 74
    error = capsys.readouterr().err
    assert "cannot be written: database is locked; what is finished is kept" in error
    assert error.count("\n") == 1
    other.execute("ROLLBACK")
    assert main(["sweep", "family.toml", "--out", "s.db", "--workers", "1"]) == 0
    assert store.status()[:2] == (10, 10)


LARGE = 'mech = "EHDS"\nn = {from = 3, to = 60}\neps = [1, 2, 3]'


def full_disk_run(folder, **more):
    code, out, errors = run("large.toml", "--out", folder / "s.db", "--workers", 1, **more)
    assert (code, out, errors.count("\n")) == (74, "", 1), errors
    assert "cannot be written" in errors


def test_a_full_disk_loses_nothing(here):
    """First files may not grow beyond a size, then they may: the sweep goes on."""
    Path("large.toml").write_text(LARGE)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    full_disk_run(here, preexec_fn=small)
    with sqlite3.connect("s.db") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert main(["sweep", "large.toml", "--out", "s.db", "--workers", "1"]) == 0
    assert len(table("s.db")) == 58 * 3


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs the right to mount a file system")
def test_a_full_file_system_loses_nothing(here):
    Path("large.toml").write_text(LARGE)
    small = here / "small"
    small.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", small], capture_output=True, check=False
    ).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        full_disk_run(small)
        subprocess.run(["mount", "-o", "remount,size=8m", small], check=True)
        assert main(["sweep", "large.toml", "--out", str(small / "s.db"), "--workers", "1"]) == 0
        assert len(table(small / "s.db")) == 58 * 3
    finally:
        subprocess.run(["umount", small], check=True)


def test_text_from_others_is_harmless_in_the_table(here):
    assert main(["sweep", "plan.toml", "--out", "s.db", "--workers", "1"]) == 0
    (job,) = expand({"mech": "EHDS", "n": 3})
    store = Store("s.db")
    store.add([job])
    store.finish([{"key": job.key, "seconds": 0.0, "error": "-2+3 cmd"}])
    row, *_, failed = table("s.db")
    assert {row["x"], row["x_prime"]} == {"'=x", "'-y"}
    assert row["output"] in ("'+a", "'@b")
    assert failed["error"] == "'-2+3 cmd"
    assert Store("s.db").status().failed == 1


# ------------------------------------------------------------------ the end comes by a signal


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


def wait_until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def claimed():
    """The number of jobs in work."""
    return Path("s.db").exists() and Store("s.db").status().running


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("command", ["sweep", "check"])
def test_no_worker_outlives_the_command(here, command, number):
    """The signal goes to the command alone; its workers are in the midst of something long."""
    Path("plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 1000, 1001]}')
    arguments = ["sweep", "plan.toml", "--out", "s.db"] if command == "sweep" else ["check", "--wide", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dpaudit", *arguments],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert wait_until(lambda: len(alive(process.pid)) >= 3 and (command == "check" or claimed() >= 2)), "no workers"
        time.sleep(0.7)
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
        with sqlite3.connect("s.db") as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert db.execute("SELECT count(*) FROM jobs").fetchone() == (3,)


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
        assert wait_until(lambda: claimed() == 3)
        scheduler.kill()
        _, errors = started[-1].communicate(timeout=60)
        assert started[-1].returncode == 2
        assert errors.count("\n") == 1
        assert "was lost; what is finished is kept: run the command again" in errors
    finally:
        for process in started:
            if alive(process.pid):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert Store("s.db").status()[:4] == (3, 0, 0, 0)

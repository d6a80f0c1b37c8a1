"""The store: one process at a time, sources and versions, and every fault in one line with nothing lost."""

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps import store as stores
from dpaudit.sweeps import workers
from dpaudit.sweeps.plan import expand, read_plan
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.sweep import Loop
from dpaudit.sweeps.work import run_batch
from tests.sweeps.sweeping import Here, exported, furnish


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


def test_the_time_left_goes_by_the_pace_of_the_last_minute(tmp_path, monkeypatch):
    store = Store(str(tmp_path / "s.db"))
    jobs = expand({"mech": "EHDS", "n": [4, 5, 6, 7]})
    store.add(jobs)
    assert store.status().left() is None
    now = time.time()
    for number, job in enumerate(jobs[:2]):
        (found,) = run_batch([(job.key, job.spec)])
        monkeypatch.setattr(stores.time, "time", lambda number=number: now + 10 * number)
        store.finish([found])
    monkeypatch.setattr(stores.time, "time", lambda: now + 10)
    state = store.status()
    assert state.lately == 2
    rest = state.cost_total - state.cost_done
    assert state.left() == pytest.approx(10 * rest / state.cost_done)
    monkeypatch.setattr(stores.time, "time", lambda: now + 100)
    assert store.status().left() is None, "nothing ended in the last minute"


def test_one_process_works_on_a_store_and_others_read(here):
    Path("link.db").symlink_to("s.db")
    with closing(Store("s.db")) as store:
        store.add(expand({"mech": "EHDS", "n": [4, 5]}))
        for name in ("s.db", "./s.db", "link.db"):
            with pytest.raises(InputError, match="another process is working on this store"):
                Store(name)
            with closing(Store(name, create=False)) as other:
                assert other.status()[:3] == (2, 0, 0)
        assert Path("s.db-lock").exists()
    Store("s.db").close()
    assert not Path("s.db-lock").exists()


def test_a_lock_file_that_was_removed_is_no_lock(here, monkeypatch):
    """The owner ends between our open and our lock: the file that we have locked has no name any more."""
    real, done = stores.fcntl.flock, []

    def flock(held, how):
        if not done:
            done.append(os.unlink("s.db-lock"))
        real(held, how)

    monkeypatch.setattr(stores.fcntl, "flock", flock)
    with closing(Store("s.db")), pytest.raises(InputError, match="another process"):
        Store("s.db")


def test_an_edited_mechanism_is_computed_anew_and_no_table_mixes(here, capsys):
    assert main(["sweep", "plan.toml", "--out", "s.db", "--workers", "1"]) == 0
    assert [round(float(row["midpoint"]), 9) for row in exported("s.db")] == [1, 1, 1]
    furnish(here, factor=2)
    capsys.readouterr()
    assert main(["sweep", "--out", "s.db", "--status"]) == 0
    assert "own.py:Mine has changed: run the plan again" in capsys.readouterr().out
    Path("small.toml").write_text('mech = "own.py:Mine"\nset = {w = [2, 4]}')
    assert main(["sweep", "small.toml", "--out", "s.db", "--workers", "1"]) == 0
    assert "3 rows of another version of dpaudit or another source are kept, not shown" in capsys.readouterr().out
    rows = exported("s.db")
    assert [(row["own"], round(float(row["midpoint"]), 9)) for row in rows] == [("w=2", 2), ("w=4", 2)]
    assert len({row["source"] for row in rows}) == 1
    furnish(here)
    before = time.time()
    assert main(["sweep", "plan.toml", "--out", "s.db", "--workers", "1"]) == 0
    assert [row["own"] for row in exported("s.db")] == ["w=1", "w=2", "w=3"]
    with sqlite3.connect("s.db") as db:
        assert db.execute("SELECT count(*) FROM jobs WHERE finished > ?", (before,)).fetchone() == (0,)


def test_a_file_that_changes_under_a_sweep_is_refused_by_the_job(here):
    (job, *_) = expand({"mech": "own.py:Mine", "set": {"w": 1}})
    furnish(here, factor=2)
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
    with closing(Store("s.db")) as store:
        store.add([one, other])
        Path("pairs.csv").write_text('"0,3","1,2"\n')
        store.add(expand(plan))
        assert (store.status().total, store.stale()) == (2, 1)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a finished sweep of ten jobs."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "family.toml").write_text('mech = "EHDS"\nn = {from = 3, to = 12}')
    assert main(["sweep", str(folder / "family.toml"), "--out", str(folder / "s.db"), "--workers", "1"]) == 0
    assert not (folder / "s.db-wal").exists()
    return folder


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


def index_emptied():
    """Every page can be read, but the index lacks the rows."""
    with closing(sqlite3.connect("s.db")) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'by_state'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with open("s.db", "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x0a\0\0\0\0" + size.to_bytes(2, "big") + b"\0")


def locked():
    db = sqlite3.connect("s.db", isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    return db


def sql(statement):
    def spoil():
        with closing(sqlite3.connect("s.db")) as db:
            db.execute(statement)
            db.commit()

    return spoil


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
    "truncated to a header": (truncated(50), EXPORT, 2, "cannot be used as a store"),
    "truncated to nothing": (truncated(0), STATUS, 2, "it is empty"),
    "a page overwritten": (overwritten(4096), STATUS, 2, "cannot be used as a store"),
    "a page overwritten, run": (overwritten(4096), RUN, 2, "cannot be used as a store"),
    "a later page overwritten": (overwritten(8192, 4096), EXPORT, 2, "cannot be used as a store"),
    "the header overwritten": (overwritten(0), RUN, 2, "cannot be used as a store"),
    "the schema overwritten": (overwritten(2000, 2096), STATUS, 2, "cannot be used as a store"),
    "the index lacks rows": (index_emptied, STATUS, 2, "the file is damaged"),
    "a row is no JSON": (sql("UPDATE jobs SET key = 'x' || key WHERE position = 2"), EXPORT, 2, "damaged: no JSON"),
    "a row is no text": (sql("UPDATE jobs SET made = x'ff00ff'"), STATUS, 2, "cannot be used as a store"),
    "another program's": (sql("PRAGMA application_id = 7"), RUN, 2, "of another program"),
    "another layout": (sql("PRAGMA user_version = 1"), STATUS, 2, "it was written by another version of dpaudit"),
    "another process works on it": (lambda: Store("s.db"), RUN, 2, "another process is working on this store"),
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
    "the plan is endless": (nothing, ["/dev/zero"], 2, "not a file"),
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
    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    shutil.copytree(finished, here, dirs_exist_ok=True)
    held = prepare()
    files = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    where = [] if "--out" in arguments else ["--out", "s.db"]
    assert main(["sweep", *arguments, *where]) == code
    told = capsys.readouterr()
    assert message in told.err
    assert (told.err.count("\n"), told.out) == (1, "")
    if isinstance(held, sqlite3.Connection | Store):
        held.close()
    changed = [path.name for path, content in files.items() if path.exists() and path.read_bytes() != content]
    assert [name for name in changed if not name.endswith(("-wal", "-shm", "-lock"))] == []


def test_a_store_that_is_locked_while_it_runs(here, monkeypatch, capsys):
    monkeypatch.setattr(stores, "PATIENCE", 0.2)
    Store("s.db").close()
    other = sqlite3.connect("s.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert main(["sweep", "family.toml", "--out", "s.db"]) == 74
    error = capsys.readouterr().err
    assert "database is locked" in error
    assert error.count("\n") == 1
    other.close()
    assert main(["sweep", "family.toml", "--out", "s.db", "--workers", "1"]) == 0

"""What the tests of sweeps share: a plan, workers without processes, a mechanism that kills and sleeps."""

import csv
import sys
import time
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

from dpaudit.cli import main
from dpaudit.sweeps.export import table
from dpaudit.sweeps.plan import read_plan
from dpaudit.sweeps.store import Store
from dpaudit.sweeps.sweep import Loop

PLAN = """
digits = 12
quantities = ["epsilon", "delta at 1/5", "mean error"]

[[audit]]
mech = ["EHDS", "MH", "EHD", "LSDim"]
n = {from = 4, to = 36, step = 16}
prior = ["1", "1/2"]
eps = [0.5, 2]

[[audit]]
mech = "EHDL"
n = 9
k = 3
tiles = 4
quantities = ["epsilon", "delta at 0.3"]
"""
COUNT = 4 * 3 * 2 * 2 * 3 + 2 * 4
FAMILY = 'mech = "EHDS"\nn = {from = 3, to = 12}'
LARGE = 'mech = "EHDS"\nn = {from = 3, to = 60}\neps = [1, 2, 3]'
"""58 * 3 jobs."""
OWN = """
import ctypes, os, signal, time
class Mine:
    def __init__(self, epsilon, w=0):
        self.w, self.weight = int(w), epsilon * FACTOR
        if self.w == 7: os.kill(os.getpid(), signal.SIGKILL)
        if self.w == 500: raise ValueError("=cmd()\\nACCEPTED \\ud800")
    def datasets(self): return ["=x", "-y"]
    def outputs(self): return ["+a", "@b"]
    def log_weight(self, x, r):
        print("noise")
        if self.w >= 1000:
            open(f"{self.w}.begun", "w").close()
            time.sleep(1000)
        if self.w == 11: ctypes.string_at(0)
        if self.w == 13: os._exit(0)
        return self.weight if (x == "=x") == (r == "+a") else 0
"""


class Here:
    """Workers without processes: every batch runs when it is submitted."""

    capacity = 1

    def submit(self, function, argument):
        future = Future()
        future.set_result(function(argument))
        return future

    def close(self, at_once):
        pass


def rows(store):
    """The table without what depends on the clock."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in table(store)]


def rows_of(path):
    with closing(Store(str(path), create=False)) as store:
        return rows(store)


def swept(path, plan, jobs=slice(None)):
    """The store with the plan's jobs done in this process; to be closed."""
    store = Store(str(path))
    store.add(read_plan(str(plan))[jobs])
    Loop(store, Here()).run()
    return store


def exported(store, name="t.csv"):
    main(["sweep", "--out", str(store), "--export", name])
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def furnish(folder, factor=1):
    """A folder with a mechanism and plans."""
    (folder / "own.py").write_text(OWN.replace("FACTOR", str(factor)))
    (folder / "plan.toml").write_text('mech = "own.py:Mine"\nset = {w = [1, 2, 3]}')
    (folder / "family.toml").write_text(FAMILY)
    (folder / "large.toml").write_text(LARGE)


def command(plan, store, *more):
    return [sys.executable, "-m", "dpaudit", "sweep", str(plan), "--out", str(store), *map(str, more)]


def wait_until(true, seconds=120.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.1)
    return true()


def begun():
    """The number of jobs that sleep."""
    return len(list(Path().glob("*.begun")))

"""How checks are shared out among workers."""

from concurrent.futures import Future
from types import SimpleNamespace

from dpaudit.claims import runner


def submit(lane, key):
    """Has the task done at once; the lane is the list of its tasks."""
    lane.append(key)
    future = Future()
    future.set_result(key)
    return future


def check(identifier, package, weight):
    run = SimpleNamespace(__module__=f"{package}.module")
    return SimpleNamespace(identifier=identifier, run=run, weight=weight)


CHECKS = [check(f"{package}{i}", package, i) for package, size in (("a", 3), ("b", 9), ("c", 7)) for i in range(size)]


def shared_out(number):
    library = SimpleNamespace(checks={check.identifier: check for check in CHECKS})
    lanes = [[] for _ in range(number)]
    waiting = runner._by_home(library, list(library.checks))
    found = list(runner._shared_out(lanes, [""] * number, waiting, submit))
    assert sorted(found) == sorted(library.checks)
    return lanes


def test_a_worker_stays_with_one_package_heavy_checks_first():
    first, second = shared_out(2)
    assert first[:9] == [f"b{i}" for i in reversed(range(9))]
    assert second[:7] == [f"c{i}" for i in reversed(range(7))]


def test_more_workers_than_packages_share_one():
    packages = [{key[0] for key in tasks} for tasks in shared_out(5)]
    assert all(packages)
    assert {"a", "b", "c"} == set().union(*packages)

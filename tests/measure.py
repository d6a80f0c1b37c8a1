"""A pytest plugin, ``python -m pytest -p tests.measure``: measures the tests and writes ``slow.txt``.

CPU time counts, also that of processes that a test has started and waited for: it is nearly the same on a busy machine.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

SLOW = Path(__file__).with_name("slow.txt")
SECONDS = 0.1
"""A test function whose cases take more on average is not quick."""
BROWSER = {"tests/reports/test_page_browser.py": 0.3}
"""Seconds of a test whose work is done by a process that nobody waits for."""
STARTED = pytest.StashKey[float]()
measured: Counter[str] = Counter()
cases: Counter[str] = Counter()


def cpu():
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    item.stash[STARTED] = cpu()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    if call.when == "teardown":
        waiting = BROWSER.get(item.nodeid.split("::")[0], 0.0)
        item.user_properties.append(("cpu", cpu() - item.stash[STARTED] + waiting))
    return (yield)


def pytest_runtest_logreport(report):
    if report.when == "teardown":
        name = report.nodeid.split("[")[0]
        measured[name] += dict(report.user_properties)["cpu"]
        cases[name] += 1


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        slow = sorted((name, seconds) for name, seconds in measured.items() if seconds > SECONDS * cases[name])
        SLOW.write_text("".join(f"{name} {seconds:.1f}\n" for name, seconds in slow))
        print(
            f"\n{sum(measured.values()):.0f} CPU seconds, {sum(measured.values()) - sum(s for _, s in slow):.0f} quick"
        )

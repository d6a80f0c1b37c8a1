"""The lanes of the tests (tests/README.md); Hypothesis is deterministic and has no deadline, as machines are shared."""

import gc
import os
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

from dpaudit.files import coqc

SLOW = Path(__file__).with_name("slow.txt")
"""The test functions that are not quick, with their CPU seconds, as tests/measure.py has found them."""
BETWEEN_FREEZES = 50
"""Tests after which the objects that they left are frozen."""
FINISHED = count(1)

settings.register_profile("dpaudit", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("dpaudit")
os.environ["DPAUDIT_PROGRESS"] = "off"  # a slow machine must not change what the tests see on stderr


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="the long versions of tests that also have a short one")


@pytest.fixture
def long(pytestconfig):
    """Whether the long version of the test is wanted."""
    return pytestconfig.getoption("--long")


@pytest.fixture(autouse=True)
def _forgets(tmp_path_factory):
    """A module that a test wrote into a folder of its own and imported is not the one of the next test."""
    before = set(sys.modules)
    yield
    folder = str(tmp_path_factory.getbasetemp())
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
            del sys.modules[name]


@pytest.fixture(autouse=True, scope="session")
def _compiled_once(tmp_path_factory):
    """The workers share what coqc has compiled."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "coq"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coqc, "_compiled", lambda: SimpleNamespace(name=str(folder)))
        yield


def pytest_collection_finish():
    freeze()


def freeze():
    """Takes what is there, the collected tests above all, away from the collector and from searches through it.

    The audit of a sampler's code searches all objects for random generators: in a process that has run thousands of
    tests, this was most of the time of each.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish():
    if next(FINISHED) % BETWEEN_FREEZES == 0:
        freeze()


def pytest_configure(config):
    config.addinivalue_line("markers", "thin(every): of these cases one in so many runs, all of them with --long")


def _thinned(items):
    """Splits the items into those that run without --long and the rest; a function keeps its first case."""
    seen: Counter[str] = Counter()
    for item in items:
        every = item.get_closest_marker("thin")
        name = item.nodeid.split("[")[0]
        yield item, every is None or seen[name] % every.args[0] == 0
        seen[name] += 1


def pytest_collection_modifyitems(config, items):
    """Marks what is quick; the modules that take longest come first, so that no core waits for them at the end."""
    if not config.getoption("--long"):
        split = list(_thinned(items))
        config.hook.pytest_deselected(items=[item for item, runs in split if not runs])
        items[:] = [item for item, runs in split if runs]
    slow = dict(line.rsplit(" ", 1) for line in SLOW.read_text().splitlines())
    cost: Counter[str] = Counter()
    for name, seconds in slow.items():
        cost[name.split("::")[0]] += float(seconds)
    for item in items:
        if item.nodeid.split("[")[0] not in slow:
            item.add_marker("quick")
    items.sort(key=lambda item: -cost[item.nodeid.split("::")[0]])

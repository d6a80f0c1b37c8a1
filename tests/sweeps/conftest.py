"""Fixtures of the tests of sweeps."""

import pytest

from tests.sweeps import sweeping


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a mechanism and plans; the test is in it."""
    monkeypatch.chdir(tmp_path)
    sweeping.furnish(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "plan.toml"
    path.write_text(sweeping.PLAN)
    return path

"""A budget counts the work that was done, not what other programs of the machine took."""

import pytest

from dpaudit.code import watch


@pytest.mark.parametrize(
    ("processor", "wall", "seconds"),
    [(0, 0, 0), (3, 3, 3), (3, 14, 3), (0, 10, 2), (1, 100, 20)],
    ids=["nothing", "idle machine", "busy machine", "code that waits", "code that waits long"],
)
def test_the_seconds_of_a_budget(processor, wall, seconds, monkeypatch):
    clock = {"processor": 100.0, "wall": 5000.0}
    monkeypatch.setattr(watch, "thread_time", lambda: clock["processor"])
    monkeypatch.setattr(watch, "monotonic", lambda: clock["wall"])
    started = watch.Watch()
    clock["processor"] += processor
    clock["wall"] += wall
    assert started.seconds == seconds

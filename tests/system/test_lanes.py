"""The quick lane is useful: it has a test of every room, and what is named as slow is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = sorted(path.parent.name for path in (ROOT / "dpaudit").glob("*/__init__.py"))
NAMES = [line.rsplit(" ", 1)[0] for line in (ROOT / "tests" / "slow.txt").read_text().splitlines()]


FILES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}


def functions(path):
    return re.findall(r"^def (test_\w+)", FILES[path], re.MULTILINE)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_a_quick_test(room):
    for path, text in FILES.items():
        quick = [name for name in functions(path) if f"{path}::{name}" not in NAMES]
        if quick and re.search(rf"(from|import) dpaudit\.{room}\b", text):
            return
    pytest.fail(f"no quick test imports dpaudit.{room}")


def test_what_is_named_as_slow_is_there():
    for name in NAMES:
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), name
        assert path not in FILES or function in functions(path), name


def test_this_is_quick(request):
    assert request.node.get_closest_marker("quick")

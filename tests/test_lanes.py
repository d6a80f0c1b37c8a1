"""The quick lane is useful: it has a test of every room, and what is named as slow is there."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = sorted(path.parent.name for path in (ROOT / "dpaudit").glob("*/__init__.py"))
NAMES = [line.rsplit(" ", 1)[0] for line in (ROOT / "tests" / "slow.txt").read_text().splitlines()]


def functions(path):
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


def quick(path):
    """The test functions of the file that are in the quick lane."""
    here = path.relative_to(ROOT).as_posix()
    return {name for name in functions(path) if name.startswith("test_") and f"{here}::{name}" not in NAMES}


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_a_quick_test(room):
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text()
        if quick(path) and (f"from dpaudit.{room}" in text or f"import dpaudit.{room}" in text):
            return
    pytest.fail(f"no quick test imports dpaudit.{room}")


def test_what_is_named_as_slow_is_there():
    for name in NAMES:
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), name
        if path.startswith("tests/"):
            assert function in functions(ROOT / path), name


def test_this_is_quick(request):
    assert request.node.get_closest_marker("quick")

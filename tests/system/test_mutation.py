"""The mutation runner: what it changes and leaves alone, and what it says of planted mutants."""

import ast
import subprocess
import sys

from mutation.operators import mutants

from tests.mutation.__main__ import ROOT, sources

SOURCE = '''
def f(a: int = 3, *, b: bool = True) -> int | None:
    """Returns 1 + 1."""
    if a < 2 and not b:
        raise ValueError(f"{a + 1} is too little")
    a += 1
    return max(a - 1, g(a, b).sqrt())
'''
TOY = """
from functools import cached_property, lru_cache

LIMIT = 10
UNREAD = 11

class Box:
    side = 12

    def __init__(self, width=13, *, depth=14):
        self.width, self.depth = width, depth

    @cached_property
    def area(self):
        return self.width * self.depth + 15

@lru_cache
def seen(a):
    return [b + 16 for b in range(a) if b < LIMIT]

def blind(a):
    return a + 17

def endless(a):
    while a > 0:
        a -= 18
    return a

def elsewhere(a):
    return a + 19
"""
TOY_TESTS = """
import subprocess, sys
from toy.room import LIMIT, Box, blind, elsewhere, endless, seen

def test_seen():
    assert seen(20) == list(range(16, 26)) and LIMIT

def test_box():
    assert (Box().width, Box().depth, Box().area, Box.side) == (13, 14, 197, 12)

def test_blind():
    assert blind(1)

def test_endless():
    assert endless(36) == 0

def test_elsewhere():
    assert elsewhere(1) == 20
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
"""
RUN = """
import sys
from pathlib import Path
from tests.mutation.operators import mutants
from tests.mutation.reach import try_room

folder = Path(sys.argv[1]) / "toy"

def visit(room):
    file = folder / "room.py"
    for mutant in mutants(file.read_text(), "room"):
        print(room.try_mutant(mutant, file).kind, "|", mutant.text, file=sys.__stdout__, flush=True)

try_room(folder, [folder.parent / "test_toy.py"], set(), 5, visit)
"""


def test_every_kind_of_change():
    found = [m.text.removeprefix("m.f: ") for m in mutants(SOURCE, "m")]
    for expected in (
        "if a < 2 and (not b): → if a < 2 or not b:",
        "a < 2 and (not b) → a <= 2 and (not b)",
        "a < 2 → a < 3",
        "a < 2 → a < 1",
        "a < 2 and (not b) → a < 2 and b",
        "raise ValueError(f'{a + 1} is too little') → pass",
        "a += 1 → a -= 1",
        "a += 1 → pass",
        "return max(a - 1, g(a, b).sqrt()) → return None",
        "return max(a - 1, g(a, b).sqrt()) → return min(a - 1, g(a, b).sqrt())",
        "max(a - 1, g(a, b).sqrt()) → max(a + 1, g(a, b).sqrt())",
        "max(a - 1, g(a, b).sqrt()) → max(a - 1, g(a, b))",
        "g(a, b).sqrt → g(b, a).sqrt",
    ):
        assert expected in found
    assert len(found) == len(set(found))


def test_texts_and_annotations_stay():
    for mutant in mutants(SOURCE, "m"):
        changed = ast.unparse(mutant.tree)
        assert "-> int | None" in changed
        assert "Returns 1 + 1." in changed
        assert changed != ast.unparse(ast.parse(SOURCE))
        compile(mutant.tree, "m", "exec")


def test_what_becomes_of_planted_mutants(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "__init__.py").write_text('"""A room."""')
    (tmp_path / "toy" / "room.py").write_text(TOY)
    (tmp_path / "test_toy.py").write_text(TOY_TESTS)
    (tmp_path / "conftest.py").write_text(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n")
    run = subprocess.run([sys.executable, "-c", RUN, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    kinds = dict(reversed(line.split(" | ")) for line in run.stdout.splitlines())
    head = "def __init__(self, width=13, *, depth=14):"
    expected = {
        "room: LIMIT = 10 → LIMIT = 11": "killed",  # also where it is imported by name
        "room: UNREAD = 11 → UNREAD = 12": "unreached",
        "room.Box: side = 12 → side = 13": "not tried",
        f"room.Box.__init__: {head} → {head.replace('13', '14')}": "killed",
        f"room.Box.__init__: {head} → {head.replace('14', '15')}": "killed",
        "room.Box.area: self.width * self.depth + 15 → self.width * self.depth + 16": "killed",
        "room.seen: b + 16 → b + 17": "killed",
        "room.blind: return a + 17 → return a - 17": "survived",
        "room.blind: return a + 17 → return None": "killed",
        "room.endless: a -= 18 → pass": "timeout",
        "room.elsewhere: return a + 19 → return a - 19": "unreached",  # its test starts a process
    }
    assert {text: kinds.get(text) for text in expected} == expected, run.stdout


def test_the_modules_that_a_name_means():
    assert sources(["numbers.balls"]) == {"numbers.balls": ROOT / "dpaudit" / "numbers" / "balls.py"}
    assert {"evidence.verifier", "evidence.verifier.theorems.ends"} <= set(sources(["evidence.verifier"]))
    assert not sources(["evidence.verif"])

"""The tree reads like the way of the data: a module imports only what lies upstream of it.

The rooms are the packages on disk: a new one fails here until it has its place in ``ORDER``.
"""

import ast
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ORDER = (
    *("version", "reference", "numbers", "files", "charts", "posterior", "privacy", "code", "noise", "mechanisms"),
    *("accounting", "audit", "forall", "studies"),
    *("claims", "evidence", "sweeps", "reports"),
    *("commands", "cli", "__main__", "pytest_plugin"),
)
"""The rooms of dpaudit/, upstream first. The front door ``dpaudit`` opens on all of them."""
OUTSIDE = ("commands", "cli", "__main__", "pytest_plugin")
"""Who may come in by the front door."""
EXAMPLES = "examples"
"""What people write: it uses the front door and the expressions, and no room uses it."""
ALONE = "dpaudit.evidence.verifier."
"""Shares nothing with the engine, so that a mistake there is not repeated here; it also runs alone."""
STRANGERS = ("proofs_checks", "tests", "benchmarks", "docs")
"""What uses dpaudit, and what dpaudit does not know."""


def dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {dotted(path): path for path in sorted((ROOT / "dpaudit").rglob("*.py"))}


def room(module):
    """The part of dpaudit that a module stands in; "dpaudit" is the front door itself."""
    parts = module.split(".")
    return parts[1] if parts[0] == "dpaudit" and len(parts) > 1 else parts[0]


def without_types(tree):
    """The tree without what only a type checker reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return tree


@cache
def imports(module, types=True):
    """The modules that this one imports, also inside functions: of dpaudit by their full name, others by their top."""
    found = set()
    tree = ast.parse(MODULES[module].read_text())
    for node in ast.walk(tree if types else without_types(tree)):
        if isinstance(node, ast.ImportFrom):
            if node.level and module.startswith(ALONE):
                found.add(".".join([*module.split(".")[: -node.level], node.module]))
                continue
            assert node.level == 0, f"{module}: a relative import hides the room"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(name if name in MODULES else name.split(".")[0] for name in found)


def against_the_order(module):
    """The (room, room) pairs of this module's imports that lead downstream, out of the order, or to a paper."""
    here = room(module)
    for name in imports(module):
        there = room(name)
        if name in MODULES and there not in (here, "dpaudit") and there not in ORDER[: ORDER.index(here)]:
            yield here, there
        if there in STRANGERS or (there == "dpaudit" and here not in OUTSIDE):
            yield here, there


def test_every_room_on_disk_has_its_place():
    assert {room(module) for module in MODULES} <= {*ORDER, EXAMPLES, "dpaudit"}


@pytest.mark.parametrize("module", [name for name in MODULES if room(name) in ORDER])
def test_a_module_imports_only_what_lies_upstream(module):
    assert not set(against_the_order(module))


LONGEST = 400
"""Lines of a file that one still reads as a whole."""


def test_no_file_is_too_long_to_be_read():
    files = [path for part in ("dpaudit", *STRANGERS, "reports") for path in (ROOT / part).rglob("*.py")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert len(lengths) > 500
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def elsewhere(root):
    """The tests/<room>/test_<name>.py of which no module of the room is the name, or its beginning before a "_"."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        room = path.parent.relative_to(root / "tests")
        home = (root if "proofs_checks" in room.parts else root / "dpaudit") / room
        modules = {file.stem for file in home.glob("*.py")} | {file.parent.name for file in home.glob("*/__init__.py")}
        if "system" not in room.parts and not any(f"{path.stem}_".startswith(f"test_{name}_") for name in modules):
            yield path.relative_to(root / "tests").as_posix()


def test_a_test_is_where_one_looks():
    assert list(elsewhere(ROOT)) == []


def test_a_test_elsewhere_is_seen(tmp_path):
    modules = ["dpaudit/files/text.py", "dpaudit/files/coq/__init__.py", "dpaudit/files/coq/sums.py"]
    right = ["files/test_text.py", "files/test_text_odd.py", "files/test_coq.py", "files/coq/test_sums.py"]
    wrong = ["files/coq/test_text.py", "files/test_sums.py", "files/test_texts.py", "other/test_text.py"]
    for name in (*modules, *(f"tests/{name}" for name in (*right, *wrong, "system/test_all.py"))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert list(elsewhere(tmp_path)) == wrong


def test_an_import_against_the_order_is_seen(monkeypatch, tmp_path):
    path = tmp_path / "balls.py"
    path.write_text("def f():\n    from dpaudit.commands import common\n    import proofs_checks.core\n")
    monkeypatch.setitem(MODULES, "dpaudit.numbers.wrong", path)
    assert set(against_the_order("dpaudit.numbers.wrong")) == {("numbers", "commands"), ("numbers", "proofs_checks")}


def test_no_circle_within_a_room():
    inside = set(MODULES) - {"dpaudit"}
    graph = {module: imports(module, types=False) & inside for module in inside}
    within = {module: {name for name in needs if room(name) == room(module)} for module, needs in graph.items()}
    try:
        TopologicalSorter(within).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' → '.join(error.args[1])}")


@pytest.mark.parametrize("module", [name for name in MODULES if room(name) == EXAMPLES])
def test_an_example_uses_what_is_public(module):
    inside = {name for name in imports(module) if name in MODULES and room(name) != EXAMPLES}
    assert inside <= {"dpaudit", "dpaudit.numbers.expressions"}


def test_the_verifier_shares_nothing_with_the_engine():
    own = {module for module in MODULES if module.startswith(ALONE)}
    for module in own:
        assert imports(module) <= sys.stdlib_module_names | own | ({"verifier"} if "__main__" in module else set())


def test_only_one_module_sets_precision():
    for path in MODULES.values():
        text = path.read_text()
        if path.name != "precision.py":
            assert "ctx" not in text.split(), f"{path} sets precision"
            assert "import ctx" not in text


def test_what_is_frozen_stays_so():
    assert [module for module, path in MODULES.items() if "object.__setattr__" in path.read_text()] == []


def test_the_reference_shares_no_code_with_the_engine():
    own = {module for module in MODULES if room(module) == "reference"}
    assert own
    for module in own:
        assert imports(module) <= sys.stdlib_module_names | own | {"mpmath"}

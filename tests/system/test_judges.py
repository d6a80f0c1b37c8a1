"""Enclosures are compared in one room, verdicts are no text, numbers are printed by one module: the source is read."""

import ast
import re
from pathlib import Path

import pytest

from dpaudit.numbers.enclosure import INFINITY
from dpaudit.numbers.verdict import Verdict

ROOT = Path(__file__).parents[2]
FILES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text())
    for part in ("dpaudit", "proofs_checks")
    for path in sorted((ROOT / part).rglob("*.py"))
}
OWN_WORDS = ("dpaudit/numbers/", "dpaudit/reference/", "dpaudit/evidence/verifier/")
"""The room that compares; and what is independent of the engine on purpose, and has its own arithmetic."""
READ = [name for name in FILES if not name.startswith(OWN_WORDS)]


def called(node):
    """The name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def assigned(tree):
    """(target, value) of every assignment and loop, a tuple entry by entry where both sides have them."""
    for node in ast.walk(tree):
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            value = getattr(node, "value", getattr(node, "iter", None))
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                yield from zip(target.elts, value.elts, strict=True)
            elif isinstance(target, ast.expr) and isinstance(value, ast.expr):
                yield target, value


def sides(tree):
    """The line and the sides of every comparison by size or value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and not all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            yield node.lineno, [node.left, *node.comparators]


# ------------------------------------------------------------------ ends of enclosures

DECIDES_NOTHING = {
    "dpaudit/audit/picture.py": "what is worth a mark",
    "dpaudit/charts/draw.py": "what is worth a mark",
    "dpaudit/forall/every_n_finite.py": "rational bounds of a branch and bound, each from the end that is its own",
    "dpaudit/forall/every_n_proof.py": "the same",
    "dpaudit/forall/every_n_search.py": "the same",
    "dpaudit/forall/every_n_sums.py": "the same",
    "dpaudit/studies/calibrate/gammas.py": "where to try next; what is found is certified there",
    "dpaudit/studies/calibrate/nominal.py": "the same",
}
"""The files that may compare ends, and why."""


def is_end(node, names, calls):
    """Whether the expression is made of an end: .lower, .upper (but of no text.lower()), ends(), or such a name."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr in ("lower", "upper") and id(part) not in calls)
        or (isinstance(part, ast.Name) and part.id in names)
        or called(part) == "ends"
        for part in ast.walk(node)
    )


def comparisons_of_ends(tree):
    """The lines on which ends of enclosures are compared, also by a name that they were given, or as a sorting key."""
    calls = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for scope in (tree, *functions(tree)):
        names = set[str]()
        for target, value in assigned(scope) if scope is not tree else ():
            core = value.value if isinstance(value, ast.Subscript) else value
            if called(core) in ("ends", "cut") or getattr(core, "attr", "") in ("lower", "upper"):
                names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        yield from {line for line, parts in sides(scope) if any(is_end(part, names, calls) for part in parts)}
        keys = [word.value for node in ast.walk(scope) if isinstance(node, ast.Call) for word in node.keywords]
        yield from {key.lineno for key in keys if isinstance(key, ast.Lambda) and is_end(key, names, calls)}


@pytest.mark.parametrize("file", [name for name in READ if name not in DECIDES_NOTHING])
def test_ends_are_compared_in_one_room(file):
    assert set(comparisons_of_ends(FILES[file])) == set()


def test_the_files_that_may_compare_ends_do():
    assert [file for file in DECIDES_NOTHING if not list(comparisons_of_ends(FILES[file]))] == []


@pytest.mark.parametrize(
    "line",
    [
        "if value.upper - a <= bound: pass",
        "found = float(value.lower) == 0",
        "low, high = balls.ends(value)\n if low > 0: pass",
        "low, _ = value.lower, value.upper\n if low > 0: pass",
        "low = balls.ends(value)[0]\n if low > 0: pass",
        "best = max(values, key=lambda v: v.lower)",
        "best = sorted(values, key=lambda v: -balls.ends(v)[0])",
    ],
)
def test_a_comparison_of_ends_is_seen(line):
    assert list(comparisons_of_ends(ast.parse(f"def f():\n {line}")))
    assert not list(comparisons_of_ends(ast.parse("low = text.lower() == 'a'\nif low is None: pass")))


# ------------------------------------------------------------------ balls

FLOATS_OR_POLYNOMIALS = {
    "dpaudit/privacy/fast/orders.py": "arrays of floats",
    "dpaudit/privacy/fast/ways.py": "arrays of floats",
    "proofs_checks/accuracy/tails.py": "polynomials",
}
"""Files in which names and functions that mean balls elsewhere are something else."""
TYPES: dict[str, set[str]] = {}
for _tree in FILES.values():
    for _function in functions(_tree):
        TYPES.setdefault(_function.name, set()).add("" if _function.returns is None else ast.unparse(_function.returns))
MAKE_BALLS = {name for name, found in TYPES.items() if found <= {"Ball", "arb"}} | {"arb"}
"""Functions that return a ball, wherever there is one of this name."""
IN_BALLS = {f.name for f in functions(FILES["dpaudit/numbers/balls.py"]) if ast.unparse(f.returns) == "Ball"}
HOLD_BALLS = ("Ball", "arb", "list[Ball]", "Sequence[Ball]")


def is_ball(node, names):
    """Whether the expression is a ball, as far as that is seen without types."""
    match node:
        case ast.Name():
            return node.id in names
        case ast.Call():
            of = getattr(node.func, "value", None)
            own = isinstance(of, ast.Name) and of.id == "balls" and called(node) in IN_BALLS
            return own or called(node) in MAKE_BALLS or is_ball(of, names)
        case ast.BinOp():
            return is_ball(node.left, names) or is_ball(node.right, names)
        case ast.UnaryOp():
            return is_ball(node.operand, names)
        case ast.Subscript():
            return is_ball(node.value, names)
    return False


def comparisons_of_balls(tree):
    """The lines on which a ball is compared by < or ==, of which only "certainly" is true: not (a < b) says nothing."""
    for scope in functions(tree):
        arguments = [*scope.args.args, *scope.args.kwonlyargs]
        names = {a.arg for a in arguments if a.annotation is not None and ast.unparse(a.annotation) in HOLD_BALLS}
        for target, value in assigned(scope):
            names |= {target.id} if isinstance(target, ast.Name) and is_ball(value, names) else set()
        yield from (line for line, parts in sides(scope) if any(is_ball(part, names) for part in parts))


@pytest.mark.parametrize("file", [name for name in READ if name not in FLOATS_OR_POLYNOMIALS])
def test_balls_are_compared_in_one_room(file):
    assert set(comparisons_of_balls(FILES[file])) == set()


@pytest.mark.parametrize(
    "lines",
    [
        "def f(a: Ball, b):\n return not a < b",
        "def f(a):\n b = ball(a) + 1\n return -b.exp() >= 0",
        "def f(values: Sequence[Ball]):\n for v in values:\n  if v > 0: return v",
        "def f(a):\n return balls.maximum(a) == 0",
    ],
)
def test_a_comparison_of_balls_is_seen(lines):
    assert list(comparisons_of_balls(ast.parse(lines)))


# ------------------------------------------------------------------ verdicts

WORDS = {verdict.value for verdict in Verdict} | {INFINITY, "-inf", "∞"}


def comparisons_of_words(tree):
    """The lines on which a verdict or infinity is compared as text."""
    for line, parts in sides(tree):
        inside = (part for side in parts for part in ast.walk(side))
        if any(isinstance(part, ast.Constant) and part.value in WORDS for part in inside):
            yield line


@pytest.mark.parametrize("file", READ)
def test_verdicts_and_infinity_are_no_text_until_they_are_written(file):
    assert list(comparisons_of_words(FILES[file])) == []


def test_a_comparison_of_words_is_seen():
    lines = 'a = "PROVED"', 'a == "PROVED"', 'if {a, b} == {"REFUTED"}: pass', '"inf" in (a.lower, b)', 'a != "inf"'
    assert [bool([*comparisons_of_words(ast.parse(line))]) for line in lines] == [False, True, True, True, True]


# ------------------------------------------------------------------ printed numbers

PRINT = {
    "dpaudit/audit/picture.py": "coordinates of a drawing",
    "dpaudit/commands/progress.py": "how much of the work is done",
    "dpaudit/sweeps/sweep.py": "how much of the work is done",
}
"""The files that print floats, and why; seconds may be printed anywhere."""
ROUNDED = re.compile(r"\.\d+[efg%]", re.IGNORECASE)


def printed_by_hand(tree):
    """The lines on which a number is rounded by a format, or as FLINT prints it, unless it is one of seconds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            if ROUNDED.search(ast.unparse(node.format_spec)) and "seconds" not in ast.unparse(node.value):
                yield node.lineno
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            if isinstance(node.left.value, str) and ROUNDED.search(node.left.value):
                yield node.lineno
        elif called(node) == "str" and isinstance(node.func, ast.Attribute):
            yield node.lineno
        elif called(node) == "format":
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            if any(isinstance(text, str) and ROUNDED.search(text) for text in texts):
                yield node.lineno


@pytest.mark.parametrize("file", [name for name in READ if name not in PRINT])
def test_numbers_are_printed_by_one_module(file):
    assert list(printed_by_hand(FILES[file])) == []


def test_the_files_that_may_print_floats_do():
    assert [file for file in PRINT if not list(printed_by_hand(FILES[file]))] == []


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ('f"{float(value.mid()):.7f}"', True),
        ('f"{x:8.3g}"', True),
        ('f"{share:.0%}"', True),
        ('"%.3f" % x', True),
        ('"{:.2e}".format(x)', True),
        ('format(x, ".3g")', True),
        ("value.str(10)", True),
        ('f"{self.seconds:.3f} s"', False),
        ('f"{at_most(x, 4)} of {name:>8}"', False),
        ("str(x)", False),
    ],
)
def test_a_number_that_is_printed_by_hand_is_seen(line, seen):
    assert bool(list(printed_by_hand(ast.parse(line)))) is seen

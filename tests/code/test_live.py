"""A variable that is called dead is dead: whatever stands in it at the head of the loop, the outcome is the same."""

import ast
import random
import re
import textwrap

import pytest

from dpaudit.code.live import dead
from tests.code.snippets import law, made, sampler, texts

TABLE = [
    # body of f(rng, a, b), C for a coin; names that are live at its first loop; all that are called dead there
    ("while C:\n    pass\nreturn a", "a", ""),
    ("while C:\n    a = 1\n    b = a\nreturn b", "b", "a"),
    ("while C:\n    b = a\n    a = 1\nreturn 0", "a", "b"),
    ("while a:\n    a = C\nreturn b", "a b", ""),
    ("while C:\n    if C:\n        a = 1\nreturn a", "a", ""),
    ("while C:\n    if C:\n        a = 1\n    else:\n        a = 2\n    b = a\nreturn b", "b", ""),
    ("while C:\n    a += 1\nreturn 0", "a", ""),
    ("while C:\n    (a, b) = (b, a)\nreturn a", "a b", ""),
    ("while C:\n    a, b = 1, 2\nreturn a + b", "a b", ""),
    ("while True:\n    a, *b = 1, 2\n    if C:\n        return a, b", "", "a"),
    ("while True:\n    a = rng.randrange(3)\n    if a:\n        break\nreturn a, b", "b", "a"),
    ("while True:\n    if C:\n        break\n    a = 5\nreturn a", "a", ""),
    ("while True:\n    if C:\n        continue\n    return a", "a", ""),
    ("while C:\n    if C:\n        continue\n    b = 1\nelse:\n    return a\nreturn b", "a", ""),
    ("for a in range(2):\n    C\nreturn b", "b", "a"),
    ("for a in range(2):\n    pass\nreturn a", "a", ""),
    ("for a in range(2):\n    b = a\nreturn 0", "a", "b"),
    ("for a[0] in range(2):\n    pass\nreturn 0", "a", ""),
    ("for i in range(a):\n    C\nreturn 0", "", "i"),
    ("for i in range(2):\n    while C:\n        b = a\n    a = 1\nreturn 0", "a", "b i"),
    ("while C:\n    while C:\n        a = 0\n    b = a\nreturn b", "a b", ""),
    ("while C:\n    for i in range(2):\n        a = i\n    b = 1\nreturn a", "a", "b"),
    ("while C:\n    try:\n        a = failing(rng)\n    except ValueError:\n        pass\nreturn a", "a", ""),
    ("while C:\n    try:\n        a = 1\n        return failing(rng)\n    finally:\n        b = a\nreturn 0", "a", "b"),
    ("try:\n    while C:\n        a = failing(rng)\n    return 1\nexcept ValueError:\n    return a", "a", ""),
    ("try:\n    while C:\n        b = failing(rng)\nfinally:\n    print(a, end='')\nreturn 1", "a", "b"),
    ("get = lambda: a\nwhile True:\n    b = get()\n    a = 1\n    if C:\n        return b", "a get", "b"),
    ("get = lambda: a\nwhile C:\n    a = 1\nreturn get()", "a get", ""),
    ("def get():\n    return a\nwhile C:\n    b = 1\nreturn get()", "a get", "b"),
    ("while C:\n    b = [a for _ in range(2)]\nreturn 0", "a", "_ b"),
    ("while C:\n    b = sum(a for _ in range(2))\nreturn 0", "a", "b"),
    ("while C:\n    if (a := C) and b:\n        return a\nreturn 0", "b", ""),
    ("while C or (b := 3):\n    if C: return b\nreturn 0", "b", ""),
    ("while C:\n    del a\n    a = 1\nreturn 0", "a", ""),
    ("while C:\n    a: int = 3\n    b = a\nreturn 0", "", "b"),
    ("while C:\n    with held(a) as b:\n        pass\nreturn b", "a b", ""),
    ("while C:\n    b = a = 1\nreturn a", "a", "b"),
    ("while C:\n    return locals()['a']\nreturn 0", "", ""),
]
TABLE = [(re.sub(r"\bC\b", "rng.randrange(2)", body), *names) for body, *names in TABLE]
HEAD = """
from contextlib import nullcontext as held
def failing(rng):
    if rng.randrange(2): raise ValueError
    return 1
"""


def dead_names(body):
    """The names that are called dead at the first loop of f."""
    tree = ast.parse(f"def f(rng, a, b):\n{textwrap.indent(body, '    ')}").body[0]
    return dead(tree, next(node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For)))


@pytest.mark.parametrize(("body", "live", "gone"), TABLE)
def test_what_is_read_is_live_and_what_is_written_first_is_not(body, live, gone):
    assert dead_names(body) == {*gone.split()}
    assert not {*live.split()} & {*gone.split()}


@pytest.mark.parametrize("body", [row[0] for row in TABLE if "locals()" not in row[0]])
def test_other_values_in_dead_variables_change_nothing(body):
    """Junk is written into every variable that is called dead where runs are compared: at the beginning of a turn."""
    lines = body.split("\n")
    at = next(i for i, line in enumerate(lines) if line.strip().startswith(("while", "for"))) + 1
    space = " " * (len(lines[at]) - len(lines[at].lstrip()))
    junk = [f"{space}{name} = 'junk'" for name in dead_names(body)]
    results = []
    for part in (lines, [*lines[:at], *junk, *lines[at:]]):
        function = made(f"{HEAD}def f(rng, a, b):\n{textwrap.indent(chr(10).join(part), '    ')}\n", "f")
        for seed in range(40):
            try:
                results.append(repr(function(random.Random(seed), [3], [4])))
            except Exception as error:
                results.append(type(error).__name__)
    assert results[:40] == results[40:]


MERGED = [
    # a dead counter does not keep runs apart; a live one does
    ("k = 0\nwhile rng.randrange(2):\n    k = rng.randrange(100)\nreturn 1", {"1"}),
    ("k = 0\nwhile True:\n    k = rng.getrandbits(3)\n    if k < 6: return k", {*"012345"}),
    ("k = 0\nwhile rng.randrange(2):\n    k += 1\n    k %= 3\nreturn k", {*"012"}),
]


@pytest.mark.parametrize(("body", "outputs"), MERGED)
def test_a_dead_variable_is_no_part_of_a_state(body, outputs):
    found = law(sampler(body))
    assert set(texts(found)) == outputs
    assert found.states <= 4

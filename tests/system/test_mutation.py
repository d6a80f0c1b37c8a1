"""The mutation runner's own arithmetic: what it changes, and what it leaves alone."""

import ast

from mutation.operators import mutants

from tests.mutation.__main__ import FIRST, GENERAL, OWN, ROOT, source_path

SOURCE = '''
def f(a: int = 3, *, b: bool = True) -> int | None:
    """Returns 1 + 1."""
    if a < 2 and not b:
        raise ValueError(f"{a + 1} is too little")
    a += 1
    return max(a - 1, g(a, b).sqrt())
'''


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


def test_what_is_mutated_and_the_tests_that_come_first_are_there():
    for module, tests in {**FIRST, **OWN}.items():
        assert source_path(module).exists()
        for name in (*tests, *GENERAL):
            assert (ROOT / "tests" / f"{name}.py").exists(), f"{module}: {name}"

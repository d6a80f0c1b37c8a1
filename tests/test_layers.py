"""The tree reads like the way of the data: a module imports only what lies upstream of it."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dpaudit"
ORDER = [
    "errors",
    "verdict",
    "version",
    "rationals",
    "strict_json",
    "enclosure",
    "balls",
    "exponentials",
    "expressions",
    "model",
    "distances",
    "crossing",
    "divergences",
    "scores",
    "sensitivity",
    "mechanisms.base",
    "mechanisms.closed_form",
    "mechanisms.laplace",
    "mechanisms.exponential",
    "mechanisms.user_code",
    "mechanisms.own_entry",
    "mechanisms.own_law",
    "mechanisms.own",
    "table",
    "mechanisms.load",
    "mechanisms",
    "pairs",
    "fast.refusal",
    "fast.law",
    "fast.exponential_table",
    "fast.log_table",
    "fast.rows",
    "fast.band",
    "fast.uppers",
    "fast.survivors",
    "fast.certify",
    "fast",
    "privacy_loss",
    "display",
    "results",
    "judge",
    "audit",
    "curves",
    "renyi",
    "composition",
    "profiles",
    "utility.staircase",
    "utility.threshold",
    "utility.mean",
    "utility.bounds",
    "utility.checks",
    "utility",
    "calibration",
    "gammas",
    "data",
    "comparison",
    "ranges",
    "sweep",
    "sweep.plan",
    "sweep.work",
    "sweep.store",
    "sweep.executors",
    "sweep.run",
    "sweep.export",
    "counterexamples.surrogate",
    "counterexamples.region",
    "counterexamples.optimise",
    "counterexamples",
]
"""Upstream first."""


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dpaudit"):
            module = node.module.removeprefix("dpaudit").removeprefix(".")
            for alias in node.names:
                longer = f"{module}.{alias.name}".removeprefix(".")
                yield longer if longer in ORDER else module


@pytest.mark.parametrize("module", ORDER)
def test_a_module_imports_only_what_lies_upstream(module):
    path = PACKAGE / (module.replace(".", "/") + ".py")
    if not path.exists():
        path = PACKAGE / module.replace(".", "/") / "__init__.py"
    upstream = ORDER[: ORDER.index(module)]
    assert set(imports(path)) <= set(upstream)


def test_only_balls_sets_precision_and_compares():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if path.name != "balls.py":
            assert "ctx" not in text.split(), f"{path} sets precision"
            assert "import ctx" not in text


def test_the_reference_shares_no_code_with_the_engine():
    text = (Path(__file__).parent / "reference.py").read_text()
    assert "import dpaudit" not in text
    assert "from dpaudit" not in text
    assert "flint" not in text

"""Variables that do not belong to a state at the head of a loop, as each iteration assigns them before reading them.

It errs on one side only: a variable that is called dead is assigned on every path before it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

Names = frozenset[str]
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)
HANDLED = (ast.Try, ast.TryStar, ast.With)


def dead(function: Any, loop: Any) -> Names:
    """The variables that no path from the head of the loop reads before assigning them.

    Either nothing reads them at all; or a statement of the body itself assigns them in every iteration that gets
    there, no statement before it reads them, and outside the body nothing does, except after a ``break`` behind that
    statement.
    """
    inner = {name for one in ast.walk(function) if one is not function and isinstance(one, INNER) for name in _all(one)}
    body = {id(one) for statement in loop.body for one in ast.walk(statement)}
    outside = _reads(one for one in ast.walk(function) if id(one) not in body)
    always = isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    leaves = any(isinstance(one, HANDLED) for one in ast.walk(function)) or not always
    seen, found = inner, set[str]()
    for statement in loop.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        written = {name for target in targets for name in _written(target)}
        seen = seen | _reads(ast.walk(statement))
        leaves = leaves or any(isinstance(one, ast.Break) for one in ast.walk(statement))
        found |= {name for name in written if name not in seen and not (leaves and name in outside)}
    return frozenset(found | (_all(function) - inner - _reads(ast.walk(function))))


def _written(target: Any) -> set[str]:
    """The variables that a target assigns for certain."""
    if isinstance(target, ast.Tuple | ast.List):
        return {name for part in target.elts for name in _written(part)}
    return {target.id} if isinstance(target, ast.Name) else set()


def _reads(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are read; also those of ``x += 1`` and ``del x``."""
    found = set()
    for one in nodes:
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store):
            found.add(one.id)
        if isinstance(one, ast.AugAssign):
            found |= _all(one.target)
    return found


def _all(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}

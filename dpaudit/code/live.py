"""Which variables of a function may still be read at the head of each of its loops; the others are no part of a state.

It errs on one side only: a variable that is called dead is assigned on every way before it is read.
"""

from __future__ import annotations

import ast
from typing import Any

Names = frozenset[str]


class Liveness:
    """The live variables of one function, by loop."""

    def __init__(self, function: Any) -> None:
        self._live: dict[int, Names] = {}
        self._always = _captured(function)
        self._after_loop: list[tuple[Names, Names]] = []
        """Behind the loops around: what is live after ``break``, and at ``continue``."""
        self._around: Names = frozenset()
        """What may be read in the ``try`` and ``with`` statements around: an exception may lead there at any time."""
        self._block(function.body, frozenset())

    def at(self, loop: ast.AST) -> Names:
        """The variables that may be read from the head of the loop on."""
        return self._live[id(loop)] | self._always

    def add(self, loop: ast.AST, names: Names) -> None:
        """Makes variables live at a loop and at all loops inside it: the cursor of a ``for``."""
        for inner in ast.walk(loop):
            if id(inner) in self._live:
                self._live[id(inner)] |= names

    def _block(self, body: list[Any], after: Names) -> Names:
        for statement in reversed(body):
            after = self._statement(statement, after) | self._around
        return after | self._around

    def _statement(self, node: Any, after: Names) -> Names:
        """The live variables before a statement, given those after it."""
        if isinstance(node, ast.Return | ast.Raise):
            return _read(node)
        if isinstance(node, ast.Break | ast.Continue):
            return self._after_loop[-1][isinstance(node, ast.Continue)]
        if isinstance(node, ast.If):
            return _read(node.test) | self._block(node.body, after) | self._block(node.orelse, after)
        if isinstance(node, ast.While | ast.For):
            return self._loop(node, after)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is None:
                return after
            written = {name for target in targets for name in _written(target)}
            return (after - written) | _read(node)
        if isinstance(node, ast.Expr | ast.Assert | ast.AugAssign | ast.Pass | ast.Delete):
            return after | _read(node) | (frozenset(_names(node)) if not isinstance(node, ast.Expr) else frozenset())
        return self._other(node, after)

    def _other(self, node: Any, after: Names) -> Names:
        """A statement in which anything may be read, in any order: try, with, def, import ..."""
        inside, before = after | frozenset(_names(node)), self._around
        self._around = before | inside
        for part in ("body", "orelse", "finalbody"):
            self._block([one for one in getattr(node, part, []) if isinstance(one, ast.stmt)], inside)
        for handler in getattr(node, "handlers", []):
            self._block(handler.body, inside)
        self._around = before
        return inside

    def _loop(self, node: Any, after: Names) -> Names:
        """Grows from below until it no longer changes."""
        behind = self._block(node.orelse, after)
        test = _read(node.test) if isinstance(node, ast.While) else frozenset[str]()
        written = frozenset[str]() if isinstance(node, ast.While) else frozenset(_written(node.target))
        reads = frozenset[str]() if isinstance(node, ast.While) else _read(node.target)
        head = test | behind
        while True:
            self._after_loop.append((after, head))
            body = (self._block(node.body, head) - written) | reads
            self._after_loop.pop()
            if body <= head:
                break
            head |= body
        self._live[id(node)] = self._live.get(id(node), frozenset()) | head
        return head | (_read(node.iter) if isinstance(node, ast.For) else frozenset())


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _read(node: ast.AST) -> Names:
    """The variables that an expression or statement reads."""
    return frozenset(
        one.id for one in ast.walk(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    )


def _written(target: Any) -> set[str]:
    """The variables that a target assigns for certain."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Tuple | ast.List):
        return {name for part in target.elts for name in _written(part)}
    return _written(target.value) if isinstance(target, ast.Starred) else set()


def _captured(function: Any) -> Names:
    """The variables that functions inside this one name: they may be read whenever one of these is called."""
    inner = [
        one
        for one in ast.walk(function)
        if one is not function
        and isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.GeneratorExp)
    ]
    return frozenset(name for one in inner for name in _names(one))

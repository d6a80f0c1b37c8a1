"""The mutations: one small change to the syntax tree each. Annotations, docstrings and texts are left alone."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BINARY = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
}
COMPARE = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
BOOLEAN = {ast.And: ast.Or, ast.Or: ast.And}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum"}
Path = tuple[tuple[str, int | None], ...]
"""The way from the module to a node: fields, and positions in lists."""
SKIPPED_FIELDS = {"annotation", "returns", "decorator_list", "format_spec", "type_ignores"}


@dataclass(frozen=True)
class Mutant:
    """One change: its function and line, the code before and after, the new tree of the module, the way to the node."""

    place: str
    line: int
    old: str
    new: str
    tree: ast.Module
    path: Path

    @property
    def text(self) -> str:
        """Place and change on one line."""
        return f"{self.place}: {self.old} → {self.new}"


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the replacements of this node, each with one change; its children otherwise stay as they are."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in BINARY:
            yield _with(node, op=BINARY[type(op)]())
        case ast.BoolOp(op=op):
            yield _with(node, op=BOOLEAN[type(op)]())
        case ast.Compare(ops=ops):
            for i, comparison in enumerate(ops):
                yield _with(node, ops=[*ops[:i], COMPARE[type(comparison)](), *ops[i + 1 :]])
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield _with(node, body=orelse, orelse=body)
        case ast.Call():
            yield from _calls(node)
    match node:
        case ast.Return(value=ast.expr() as returned) if not _is_none(returned):
            yield ast.Return(ast.Constant(None))
        case ast.If(test=test) | ast.While(test=test) if isinstance(test, ast.Name | ast.Call | ast.Attribute):
            yield _with(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Yields: the other extreme; else the first two arguments swapped; a method without arguments left out."""
    function = node.func
    if isinstance(function, ast.Name) and function.id in NAMES:
        yield _with(node, func=ast.Name(NAMES[function.id], ast.Load()))
        return
    if isinstance(function, ast.Attribute):
        if function.attr in NAMES:
            yield _with(node, func=_with(function, attr=NAMES[function.attr]))
        if not node.args and not node.keywords:
            yield function.value
    if len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
        yield _with(node, args=[node.args[1], node.args[0], *node.args[2:]])


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutants(source: str, module: str) -> list[Mutant]:
    """Returns every mutant of the source, in the order of the text; equal texts get a running number."""
    found: list[Mutant] = []
    seen: dict[str, int] = {}
    tree = ast.parse(source)
    for path, place in _positions(tree, (), module):
        for new in changes(at(tree, path)):
            mutated = _replaced(tree, path, new)
            ast.fix_missing_locations(mutated)
            context = path[:-1] if isinstance(at(tree, path), ast.expr) and len(path) > 1 else path
            while not isinstance(at(tree, context), ast.expr | ast.stmt):
                context = context[:-1]
            old, shown = (_show(at(t, context)) for t in (tree, mutated))
            if old == shown:  # two equal arguments swapped
                continue
            text = f"{place}: {old} → {shown}"
            seen[text] = seen.get(text, 0) + 1
            place_ = place if seen[text] == 1 else f"{place} ({seen[text]})"
            found.append(Mutant(place_, at(tree, path).lineno, old, shown, mutated, path))
    return found


def _positions(node: ast.AST, path: Path, place: str) -> Iterator[tuple[Path, str]]:
    """Yields the way to every node that may be changed, and the dotted name of the scope around it."""
    for name, value in ast.iter_fields(node):
        if name in SKIPPED_FIELDS:
            continue
        for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr | ast.expr_context):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":  # zip's own check of what cannot happen
                continue
            inner = f"{place}.{child.name}" if isinstance(child, ast.FunctionDef | ast.ClassDef) else place
            if hasattr(child, "lineno"):
                yield (*path, (name, i)), inner
            yield from _positions(child, (*path, (name, i)), inner)


def at(tree: Any, path: Path) -> Any:
    """The node at the end of the path."""
    for name, i in path:
        value = getattr(tree, name)
        tree = value if i is None else value[i]
    return tree


def _replaced(tree: Any, path: Path, new: ast.AST) -> Any:
    """Returns the tree with the node at the path replaced; everything off the path is shared."""
    if not path:
        return new
    (name, i), rest = path[0], path[1:]
    value = getattr(tree, name)
    if i is None:
        return _with(tree, **{name: _replaced(value, rest, new)})
    return _with(tree, **{name: [*value[:i], _replaced(value[i], rest, new), *value[i + 1 :]]})


def _show(node: ast.AST) -> str:
    """Returns the source of the node on one line; of a compound statement its first line."""
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).split("\n")[0]

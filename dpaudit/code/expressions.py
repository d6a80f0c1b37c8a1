"""Expressions rewritten with hooks, through which everything they do passes; see SOUND.md.

Any other expression is left unchanged, behind a note that it is outside the closed list.
"""

from __future__ import annotations

import ast
from typing import Any

HOOK, TOP, TEMPORARY = "__dpaudit__", "_dpaudit_top", "_dpaudit_"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
CLOSED = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)
"""Expressions whose value is of a closed type if their operands are."""


class Unknown(Exception):
    """The function contains something that cannot be rewritten."""


def hook(name: str, *given: ast.expr | str | int, at: ast.AST) -> ast.Call:
    """A call of a hook."""
    parts = [part if isinstance(part, ast.expr) else ast.Constant(part) for part in given]
    found = ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), name, ast.Load()), parts, [])
    return ast.fix_missing_locations(ast.copy_location(found, at))


class Expressions(ast.NodeTransformer):
    """Puts hooks into expressions."""

    PLAIN: tuple[type[ast.AST], ...] = (
        ast.Constant,
        ast.Name,
        ast.NamedExpr,
        ast.expr_context,
        ast.keyword,
        ast.arguments,
    )
    """Nodes that do nothing themselves: only their children are rewritten."""

    def __init__(self, filename: str, owner: str | None) -> None:
        self.filename, self.owner, self.count = filename, owner, 0

    def visit(self, node: Any) -> Any:
        """The node with hooks."""
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is not None:
            return method(node)
        return self.generic_visit(node) if isinstance(node, self.PLAIN) else self.left(node)

    def left(self, node: Any) -> Any:
        """The unchanged expression, behind a note that it is outside the list."""
        both = ast.Tuple([hook("outside", f"an expression {type(node).__name__}", at=node), node], ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Subscript(both, ast.Constant(1), ast.Load()), node))

    def temporary(self) -> str:
        """A name for a temporary variable."""
        self.count += 1
        return f"{TEMPORARY}{self.count}"

    def operand(self, node: Any, name: str = "c") -> Any:
        """An expression whose value is inspected."""
        new = self.visit(node)
        return new if isinstance(node, CLOSED) else hook(name, new, at=node)

    def truth(self, node: Any) -> Any:
        """An expression whose truth value is needed."""
        return self.operand(node, "t")

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        makes = isinstance(node.op, ast.Add | ast.Mult)
        node.left, node.right = self.operand(node.left), self.operand(node.right)
        return hook("new", node, at=node) if makes else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self.truth(node.operand)  # of a list, a tuple or a dict, - and ~ raise a TypeError
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [*map(self.truth, node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            node.left, node.comparators = self.operand(node.left), [*map(self.operand, node.comparators)]
            return node
        if len(node.ops) > 1:
            return self.left(node)
        same = hook("same", self.visit(node.left), self.visit(node.comparators[0]), at=node)
        return same if isinstance(node.ops[0], ast.Is) else ast.copy_location(ast.UnaryOp(ast.Not(), same), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test, node.body, node.orelse = self.truth(node.test), self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        value: Any = node.value
        if is_super(value):  # it looks at its caller, which must call it
            value.func = hook("zero", value.func, at=value)
        else:
            value = self.visit(value)
        return hook("a", value, self.mangled(node), at=node)

    def mangled(self, node: ast.Attribute) -> str:
        """The name of the attribute as Python knows it inside a class."""
        private = self.owner is not None and node.attr.startswith("__") and not node.attr.endswith("__")
        return f"_{str(self.owner).lstrip('_')}{node.attr}" if private else node.attr

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        makes = isinstance(node.slice, ast.Slice)
        taken = hook("part" if makes else "s", self.visit(node.value), at=node)
        node.value, node.slice = taken, self.operand(node.slice)
        return hook("new", node, at=node) if makes else node

    def visit_Slice(self, node: ast.Slice) -> Any:
        """A slice as slice(a, b, c)."""
        parts = [self.visit(part) if part else ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return hook("slice", *parts, at=node)

    def visit_Call(self, node: ast.Call) -> Any:
        if is_super(node) or any(one.arg is None for one in node.keywords):
            return self.left(node)
        plain = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
        node.func = hook("f", self.visit(node.func), len(node.args) if plain else -1, at=node.func)
        node.args = [*map(self.visit, node.args)]
        for one in node.keywords:
            one.value = self.visit(one.value)
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        node.value = hook("it", self.visit(node.value), at=node)
        return node

    def visit_Tuple(self, node: Any) -> Any:
        node.elts = [*map(self.visit, node.elts)]
        return node

    def visit_List(self, node: Any) -> Any:
        return hook("new", self.visit_Tuple(node), at=node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        if node.args.kwarg:
            return self.left(node)
        node.args, node.body = self.arguments(node), self.visit(node.body)
        return node

    def arguments(self, node: Any) -> ast.arguments:
        """The arguments of a function, and an additional one: whether it is the outermost function of its run."""
        found: ast.arguments = self.visit(node.args)
        found.kwonlyargs.append(ast.copy_location(ast.arg(TOP), node))
        found.kw_defaults.append(ast.copy_location(ast.Constant(False), node))
        return found

    def visit_arg(self, node: ast.arg) -> Any:
        node.annotation = node.annotation and self.visit(node.annotation)
        return node

    def visit_ListComp(self, node: Any) -> Any:
        node.elt = self.visit(node.elt)
        for part in node.generators:
            names = part.target.elts if isinstance(part.target, ast.Tuple | ast.List) else [part.target]
            if part.is_async or not all(isinstance(name, ast.Name) for name in names):
                raise Unknown("has an async comprehension, or one that stores more than names")
            name = "it" if isinstance(part.target, ast.Name) else "rows"
            part.iter, part.ifs = hook(name, self.visit(part.iter), at=part.iter), [*map(self.truth, part.ifs)]
        return hook("new", node, at=node)

    visit_GeneratorExp = visit_ListComp

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.operand(part.value)
                part.format_spec = part.format_spec and self.visit(part.format_spec)
        return node


def is_super(node: Any) -> bool:
    """Whether super() is called, which inspects its caller."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
        and not node.keywords
    )

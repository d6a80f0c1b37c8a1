"""Expressions with hooks, so that whatever they do passes through them; see SOUND.md.

Only what has a method here is rewritten. A function with anything else is left as it is.
"""

from __future__ import annotations

import ast
from typing import Any

HOOK, TOP, TEMPORARY = "__dpaudit__", "_dpaudit_top", "_dpaudit_"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LEAVES = (ast.Constant, ast.Name, ast.Pass, ast.Break, ast.Continue)
CLOSED = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)
"""Expressions that give a value of a closed type, if their operands are of one."""


class Unknown(Exception):
    """The function has something that is not on the list."""


def hook(name: str, *given: ast.expr | str | int, at: ast.AST) -> ast.Call:
    """A call of a hook."""
    parts = [part if isinstance(part, ast.expr) else ast.Constant(part) for part in given]
    found = ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), name, ast.Load()), parts, [])
    return ast.fix_missing_locations(ast.copy_location(found, at))


class Expressions:
    """Puts hooks into expressions. A node that has no method here is not known."""

    def __init__(self, filename: str, owner: str | None) -> None:
        self.filename, self.owner, self.count = filename, owner, 0

    def visit(self, node: Any) -> Any:
        """The node with hooks."""
        if isinstance(node, LEAVES):
            if isinstance(node, ast.Name) and node.id.startswith("__") and not node.id.endswith("__"):
                raise Unknown(f"has the private name {node.id}")
            return node
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            raise Unknown(f"has a statement that is not known here ({type(node).__name__})")
        return method(node)

    def _temporary(self) -> str:
        self.count += 1
        return f"{TEMPORARY}{self.count}"

    # -------------------------------------------------------------- expressions

    def _operand(self, node: Any, name: str = "c") -> Any:
        new = self.visit(node)
        return new if isinstance(node, CLOSED) else hook(name, new, at=node)

    def _truth(self, node: Any) -> Any:
        return self._operand(node, "t")

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        made = isinstance(node.op, ast.Add | ast.Mult) and not (
            isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant)
        )
        made = made or any(isinstance(side, ast.List | ast.ListComp) for side in (node.left, node.right))
        node.left, node.right = self._operand(node.left), self._operand(node.right)
        return hook("new", node, at=node) if made else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self._operand(node.operand, "t" if isinstance(node.op, ast.Not) else "c")
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        node.values = [*map(self._truth, node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        if not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            node.left = self._operand(node.left)
            hooks = ["m" if isinstance(op, ast.In | ast.NotIn) else "c" for op in node.ops]
            node.comparators = [*map(self._operand, node.comparators, hooks)]
            return node
        if len(node.ops) > 1:
            raise Unknown("has 'is' in a chain of comparisons")
        same = hook("same", self.visit(node.left), self.visit(node.comparators[0]), at=node)
        return same if isinstance(node.ops[0], ast.Is) else ast.copy_location(ast.UnaryOp(ast.Not(), same), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        node.test, node.body, node.orelse = self._truth(node.test), self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return hook("a", self.visit(node.value), self._mangled(node), at=node)

    def _mangled(self, node: ast.Attribute) -> str:
        """The name of the attribute as Python knows it inside a class."""
        private = self.owner is not None and node.attr.startswith("__") and not node.attr.endswith("__")
        return f"_{str(self.owner).lstrip('_')}{node.attr}" if private else node.attr

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        made = isinstance(node.slice, ast.Slice)
        node.value, node.slice = hook("s", self.visit(node.value), at=node), self._index(node.slice)
        return hook("new", node, at=node) if made else node

    def _index(self, node: Any) -> Any:
        if isinstance(node, ast.Slice):
            for part in ("lower", "upper", "step"):
                if getattr(node, part) is not None:
                    setattr(node, part, self._operand(getattr(node, part)))
            return node
        if isinstance(node, ast.Tuple):
            node.elts = [self._index(one) for one in node.elts]
            return node
        return self._operand(node)

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            check = hook("plain_super", ast.Name("super", ast.Load()), at=node)
            both = ast.Tuple([check, node], ast.Load())  # it looks at the function that calls it
            return ast.fix_missing_locations(ast.copy_location(ast.Subscript(both, ast.Constant(1), ast.Load()), node))
        return self._call(node, hook("f", self.visit(node.func), at=node.func))

    def _call(self, node: ast.Call, function: ast.expr) -> ast.Call:
        node.func = function
        node.args = [self._entry(one) for one in node.args]
        for one in node.keywords:
            value = self.visit(one.value)
            one.value = value if one.arg is not None else hook("named", value, at=one.value)
        return node

    def _entry(self, node: Any, name: str = "it") -> Any:
        if isinstance(node, ast.Starred):
            node.value = hook(name, self.visit(node.value), at=node)
            return node
        return self.visit(node)

    def visit_Tuple(self, node: Any) -> Any:
        node.elts = [self._entry(one) for one in node.elts]
        return node

    def visit_List(self, node: Any) -> Any:
        return hook("new", self.visit_Tuple(node), at=node)

    def visit_Set(self, node: Any) -> Any:
        node.elts = [
            self._entry(one, "cs") if isinstance(one, ast.Starred) else self._operand(one) for one in node.elts
        ]
        return hook("new", node, at=node)

    def visit_Dict(self, node: ast.Dict) -> Any:
        for i, (name, value) in enumerate(zip(node.keys, node.values, strict=True)):
            node.keys[i] = None if name is None else self._operand(name)
            node.values[i] = self.visit(value) if name is not None else hook("named", self.visit(value), at=value)
        return hook("new", node, at=node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [None if one is None else self.visit(one) for one in node.args.kw_defaults]
        node.body = self.visit(node.body)
        return node

    def _comprehension(self, node: Any) -> Any:
        for part in node.generators:
            if part.is_async:
                raise Unknown("has an async comprehension")
            name = "each" if isinstance(part.target, ast.Name) else "rows"
            _names_only(part.target)
            part.iter, part.ifs = hook(name, self.visit(part.iter), at=part.iter), [*map(self._truth, part.ifs)]
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        node.elt = self.visit(node.elt)
        return hook("new", self._comprehension(node), at=node)

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        node.elt = self.visit(node.elt)
        return hook("new", self._comprehension(node), at=node)

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        node.elt = self._operand(node.elt)
        return hook("new", self._comprehension(node), at=node)

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        node.key, node.value = self._operand(node.key), self.visit(node.value)
        return hook("new", self._comprehension(node), at=node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self._operand(part.value)
                if part.format_spec is not None:
                    part.format_spec = self.visit(part.format_spec)
        return node


def is_super(node: ast.Call) -> bool:
    """Whether super() is called, which looks at its caller."""
    return isinstance(node.func, ast.Name) and node.func.id == "super"


def _names_only(target: Any) -> None:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    if not all(isinstance(part, ast.Name) for part in parts):
        raise Unknown("has a comprehension that stores more than names")

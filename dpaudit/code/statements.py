"""Functions and statements with hooks: the tree of a whole function; see SOUND.md."""

from __future__ import annotations

import ast
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.code.expressions import FUNCTIONS, HOOK, TEMPORARY, TOP, Expressions, Unknown, hook
from dpaudit.code.live import dead


class Site(NamedTuple):
    """The head of a loop."""

    line: str
    dead: frozenset[str]
    """The variables that do not belong to a state here."""
    cursors: tuple[str, ...]
    """Our own variables that do: the positions of the enclosing loops."""
    reason: str
    """Why runs cannot be merged here; "" where they can."""


SITES: list[Site] = []
LOOKING = frozenset(("locals", "vars", "dir", "eval", "exec"))
"""Functions that see the variables of their caller, and so would see ours."""


class Rewriter(Expressions):
    """Puts hooks into one function."""

    PLAIN = (*Expressions.PLAIN, ast.Expr, ast.Return, ast.Pass, ast.Break, ast.Continue)

    def __init__(self, filename: str, owner: str | None) -> None:
        super().__init__(filename, owner)
        self.dead: dict[int, frozenset[str]] = {}
        self.shared: list[ast.expr] = []
        """The names that inner functions share; the cells are among them."""
        self.cursors: tuple[str, ...] = ()
        self.handling = 0
        """The number of enclosing except and finally blocks: their exceptions in progress are not variables."""

    def outermost(self, node: Any) -> ast.stmt:
        """The function without its decorators, defaults and annotations, which have been evaluated already."""
        node = deepcopy(node)
        if getattr(node, "type_params", None):
            raise Unknown("has type parameters")
        looking = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} & LOOKING
        if looking:
            raise Unknown(f"has the name {min(looking)}")
        node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
        node.args.kw_defaults = [one and ast.Constant(None) for one in node.args.kw_defaults]
        for one in (*ast.iter_child_nodes(node.args), node):
            one.annotation = one.returns = None
        if isinstance(node, ast.Lambda):
            return ast.copy_location(ast.Expr(self.visit(node)), node)
        node.decorator_list, node.name = [], f"{TEMPORARY}function"  # a name of its own: it hides no other
        found: ast.stmt = self.visit(node)
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.decorator_list or getattr(node, "type_params", None) or _has(node, (ast.Yield, ast.YieldFrom)):
            return self.left(node)
        before = self.dead, self.shared, self.cursors, self.handling
        inside = [one for one in ast.walk(node) if one is not node and isinstance(one, FUNCTIONS)]
        names = {one.id for part in inside for one in ast.walk(part) if isinstance(one, ast.Name)}
        self.shared = [ast.Name(name, ast.Load()) for name in sorted(names)]
        loops = [one for one in ast.walk(node) if isinstance(one, ast.While | ast.For)]
        self.dead, self.cursors, self.handling = {id(one): dead(node, one) for one in loops}, (), 0
        node.args, node.returns = self.arguments(node), node.returns and self.visit(node.returns)
        start, begin = node.body[0], list[Any]()
        if node.args.kwarg:
            begin = self._note("a dict of named arguments", start)
        if _has(node, (ast.Global, ast.Nonlocal)):  # its stores are no local variables, wherever the statement is
            begin = self._note("a global or nonlocal statement", start)
        node.body = [*begin, *self._block(node.body)]
        self.dead, self.shared, self.cursors, self.handling = before
        return ast.fix_missing_locations(node)

    def left(self, node: Any) -> Any:
        if isinstance(node, ast.expr):
            return super().left(node)
        if not isinstance(node, ast.stmt):
            raise Unknown(f"contains an unsupported construct ({type(node).__name__})")
        return [*self._note(f"a statement {type(node).__name__}", node), node]

    @staticmethod
    def _note(what: str, at: Any) -> list[Any]:
        return [ast.copy_location(ast.Expr(hook("outside", what, at=at)), at)]

    def _block(self, body: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in body:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return [ast.fix_missing_locations(one) for one in found]

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test, node.msg = self.truth(node.test), node.msg and self.visit(node.msg)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        if node.exc is None and not self.handling:
            return self.left(node)
        for part in ("exc", "cause"):
            if getattr(node, part) is not None:
                setattr(node, part, hook("raised", self.visit(getattr(node, part)), part, at=node))
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._store(node.targets[0], value, node)
        kept, load = self._kept(value, node)
        return [kept, *(one for target in node.targets for one in self._store(target, load, node))]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return [] if isinstance(node.target, ast.Name) else self.left(node)
        return self._store(node.target, self.visit(node.value), node)

    def _kept(self, value: ast.expr, at: ast.AST) -> tuple[ast.stmt, ast.expr]:
        """A statement that puts the value into a variable of ours, and that variable."""
        name = self.temporary()
        return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), at), ast.Name(name, ast.Load())

    def _store(self, target: Any, value: ast.expr, at: ast.AST) -> list[Any]:
        """The statements that store a value."""
        if isinstance(target, ast.Name):
            return [ast.copy_location(ast.Assign([target], value), at)]
        if isinstance(target, ast.Attribute):
            new = hook("set_a", value, self.visit(target.value), self.mangled(target), at=at)
            return [ast.copy_location(ast.Expr(new), at)]
        if isinstance(target, ast.Subscript):
            new = hook("set_s", value, self.visit(target.value), self.operand(target.slice), at=at)
            return [ast.copy_location(ast.Expr(new), at)]
        found, names = [], []
        for one in target.elts:
            inner = one.value if isinstance(one, ast.Starred) else one
            name = inner.id if isinstance(inner, ast.Name) else self.temporary()
            stored: Any = ast.Name(name, ast.Store())
            names.append(ast.Starred(stored, ast.Store()) if isinstance(one, ast.Starred) else stored)
            if inner is not one:
                found += self._store(inner, hook("new", ast.Name(name, ast.Load()), at=at), at)
            elif not isinstance(inner, ast.Name):
                found += self._store(inner, ast.Name(name, ast.Load()), at)
        unpacked = hook("s", value, at=at)
        return [ast.copy_location(ast.Assign([ast.Tuple(names, ast.Store())], unpacked), at), *found]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        op, target, value = type(node.op).__name__, node.target, node.value
        if isinstance(target, ast.Name):
            before: ast.expr = ast.Name(target.id, ast.Load())
            return self._store(target, hook("aug", op, before, self.visit(value), at=node), node)
        kept, base = self._kept(self.visit(target.value), node)
        if isinstance(target, ast.Attribute):
            name = self.mangled(target)
            new = hook("aug", op, hook("a", base, name, at=node), self.visit(value), at=node)
            return [kept, ast.copy_location(ast.Expr(hook("set_a", new, base, name, at=node)), node)]
        place, at = self._kept(self.operand(target.slice), node)
        before = ast.copy_location(ast.Subscript(hook("s", base, at=node), at, ast.Load()), node)
        new = hook("set_s", hook("aug", op, before, self.visit(value), at=node), base, at, at=node)
        return [kept, place, ast.copy_location(ast.Expr(new), node)]

    def visit_Delete(self, node: ast.Delete) -> Any:
        return node if all(isinstance(target, ast.Name) for target in node.targets) else self.left(node)

    def visit_If(self, node: ast.If) -> Any:
        node.test, node.body, node.orelse = self.truth(node.test), self._block(node.body), self._block(node.orelse)
        return node

    def _turn(self, node: Any) -> list[Any]:
        """The body of a loop, which begins with the place where runs are compared."""
        reason = "a loop in an except or finally part" if self.handling else ""
        SITES.append(Site(f"{Path(self.filename).name} line {node.lineno}", self.dead[id(node)], self.cursors, reason))
        variables = ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), "locals", ast.Load()), [], [])
        none = ast.arguments([], [], None, [], [], None, [])
        holder = ast.Lambda(none, ast.Tuple([*self.shared], ast.Load()))
        head = hook("head", len(SITES) - 1, ast.Name(TOP, ast.Load()), variables, holder, at=node)
        return [ast.copy_location(ast.Expr(head), node), *self._block(node.body)]

    def visit_While(self, node: ast.While) -> Any:
        node.test, node.body, node.orelse = self.truth(node.test), self._turn(node), self._block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> Any:
        """The same loop over an iterator held in a variable, so that it belongs to the state."""
        kept, over = self._kept(hook("over", self.visit(node.iter), at=node), node)
        before, self.cursors = self.cursors, (*self.cursors, over.id)  # type: ignore[attr-defined]
        entry = self.temporary()
        stored = self._store(node.target, ast.Name(entry, ast.Load()), node)
        node.iter, node.target = over, ast.Name(entry, ast.Store())
        node.body, node.orelse = [*stored, *self._turn(node)], self._block(node.orelse)
        self.cursors = before
        return [kept, node]

    def visit_Try(self, node: ast.Try) -> Any:
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        self.handling += 1
        for handler in node.handlers:
            guard = ast.copy_location(ast.Expr(hook("guard", at=handler)), handler)
            handler.type = handler.type and self.visit(handler.type)
            handler.body = [guard, *self._block(handler.body)]
        node.finalbody = self._block(node.finalbody)
        self.handling -= 1
        return node


def _has(node: ast.AST, kinds: tuple[type[ast.AST], ...]) -> bool:
    """Whether the function itself, without the functions and classes inside it, has such a part."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, kinds):
            return True
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef)) and _has(child, kinds):
            return True
    return False

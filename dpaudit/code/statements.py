"""Functions and statements with hooks: the tree of a whole function; see SOUND.md."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.code.expressions import FUNCTIONS, HOOK, TEMPORARY, TOP, Expressions, Unknown, hook, is_super
from dpaudit.code.live import Liveness


class Site(NamedTuple):
    """The head of a loop."""

    line: str
    live: frozenset[str]
    reason: str
    """Why no runs can be merged here; nothing where they can."""


SITES: list[Site] = []


class Rewriter(Expressions):
    """Puts hooks into one function."""

    def __init__(self, filename: str, owner: str | None) -> None:
        super().__init__(filename, owner)
        self.live: Liveness | None = None
        self.handling = 0
        """How many handlers and last parts of ``try`` there are around: what is under way there is no variable."""
        self.tries = 0

    def outermost(self, node: Any) -> ast.stmt:
        """The function itself, without its decorators and defaults: those were evaluated long ago."""
        node = _copied(node)
        _unannotated(node)
        node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
        node.args.kw_defaults = [None if one is None else ast.Constant(None) for one in node.args.kw_defaults]
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return ast.copy_location(ast.Expr(ast.copy_location(node, node.body)), node)
        node.decorator_list, node.name = [], f"{TEMPORARY}function"  # a name of its own: it hides no other
        if getattr(node, "type_params", None):
            raise Unknown("has type parameters")
        found: ast.stmt = self._function(node)
        return found

    def _function(self, node: Any) -> Any:
        before = self.live, self.handling, self.tries
        self.live, self.handling, self.tries = Liveness(node), 0, 0
        start = hook("enter", at=node.body[0])
        top = ast.copy_location(ast.Assign([ast.Name(TOP, ast.Store())], start), node.body[0])
        node.body = [top, *self._block(node.body)]
        self.live, self.handling, self.tries = before
        return ast.fix_missing_locations(node)

    def _site(self, node: ast.AST, live: frozenset[str]) -> int:
        reason = "a loop in an except or finally part" if self.handling else ""
        SITES.append(Site(f"{Path(self.filename).name} line {node.lineno}", live, reason))  # type: ignore[attr-defined]
        return len(SITES) - 1

    def _block(self, body: list[Any]) -> list[Any]:
        found: list[Any] = []
        for statement in body:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return [ast.fix_missing_locations(one) for one in found]

    def visit_Expr(self, node: ast.Expr) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        node.test, node.msg = self._truth(node.test), node.msg and self.visit(node.msg)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        if node.exc is None and not self.handling:
            return self._left(node, "a raise that takes the exception of a caller")
        for part in ("exc", "cause"):
            if getattr(node, part) is not None:
                setattr(node, part, hook("raised", self.visit(getattr(node, part)), at=node))
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and not self.tries and not is_super(call):
            function = self.visit(call.func)
            tail = hook("tail", ast.Name(TOP, ast.Load()), function, at=call.func)
            node.value = self._call(call, tail)
        elif call is not None:
            node.value = self.visit(call)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._store(node.targets[0], value, node)
        name = self._temporary()
        found = [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)]
        return found + [one for t in node.targets for one in self._store(t, ast.Name(name, ast.Load()), node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return [] if node.value is None else self._store(node.target, self.visit(node.value), node)

    def _store(self, target: Any, value: ast.expr, at: ast.AST) -> list[Any]:
        """The statements that store a value."""
        if isinstance(target, ast.Name):
            return [ast.copy_location(ast.Assign([target], value), at)]
        if isinstance(target, ast.Attribute):
            new = hook("set_a", value, self.visit(target.value), self._mangled(target), at=at)
            return [ast.copy_location(ast.Expr(new), at)]
        if isinstance(target, ast.Subscript):
            base = self.visit(target.value)
            new = hook("set_s", value, base, _as_index(self._index(target.slice)), at=at)
            return [ast.copy_location(ast.Expr(new), at)]
        found, names = [], []
        for one in target.elts:
            inner = one.value if isinstance(one, ast.Starred) else one
            name = inner.id if isinstance(inner, ast.Name) else self._temporary()
            stored: Any = ast.Name(name, ast.Store())
            names.append(ast.Starred(stored, ast.Store()) if isinstance(one, ast.Starred) else stored)
            if not isinstance(inner, ast.Name):
                found += self._store(inner, ast.Name(name, ast.Load()), at)
            elif isinstance(one, ast.Starred):
                found += self._store(inner, hook("new", ast.Name(name, ast.Load()), at=at), at)
        unpacked = hook("u", value, at=at)
        return [ast.copy_location(ast.Assign([ast.Tuple(names, ast.Store())], unpacked), at), *found]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        op, target, value = type(node.op).__name__, node.target, node.value
        if isinstance(target, ast.Name):
            new = hook("aug", op, ast.Name(target.id, ast.Load()), self.visit(value), at=node)
            return self._store(target, new, node)
        held = self._temporary()
        found = [ast.copy_location(ast.Assign([ast.Name(held, ast.Store())], self.visit(target.value)), node)]
        base: ast.expr = ast.Name(held, ast.Load())
        if isinstance(target, ast.Attribute):
            before, name = hook("a", base, self._mangled(target), at=node), self._mangled(target)
            new = hook("set_a", hook("aug", op, before, self.visit(value), at=node), base, name, at=node)
        else:
            index = self._temporary()
            place = _as_index(self._index(target.slice))
            found.append(ast.copy_location(ast.Assign([ast.Name(index, ast.Store())], place), node))
            at: ast.expr = ast.Name(index, ast.Load())
            before = ast.copy_location(ast.Subscript(hook("s", base, at=node), at, ast.Load()), node)  # type: ignore[assignment]
            new = hook("set_s", hook("aug", op, before, self.visit(value), at=node), base, at, at=node)
        return [*found, ast.copy_location(ast.Expr(new), node)]

    def visit_Delete(self, node: ast.Delete) -> Any:
        found: list[Any] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                found.append(ast.copy_location(ast.Delete([target]), node))
            elif isinstance(target, ast.Subscript):
                new = hook("del_s", self.visit(target.value), _as_index(self._index(target.slice)), at=node)
                found.append(ast.copy_location(ast.Expr(new), node))
            else:
                raise Unknown("deletes an attribute")
        return found

    def visit_If(self, node: ast.If) -> Any:
        node.test, node.body, node.orelse = self._truth(node.test), self._block(node.body), self._block(node.orelse)
        return node

    def _head(self, node: Any) -> ast.expr:
        assert self.live is not None
        variables = ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), "locals", ast.Load()), [], [])
        site = self._site(node, self.live.at(node))
        return hook("head", site, ast.Name(TOP, ast.Load()), ast.copy_location(variables, node), at=node)

    def visit_While(self, node: ast.While) -> Any:
        head = self._head(node)
        always = isinstance(node.test, ast.Constant) and node.test.value
        node.test = head if always else ast.copy_location(ast.BoolOp(ast.And(), [head, self._truth(node.test)]), node)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> Any:
        """A ``while`` whose cursor is a variable: entry number i of what is gone over."""
        over, place = self._temporary(), self._temporary()
        load_over, load_place = ast.Name(over, ast.Load()), ast.Name(place, ast.Load())
        assert self.live is not None
        self.live.add(node, {over, place})
        start = self._over(node.iter)
        more = hook("more", load_over, load_place, at=node)
        test = ast.copy_location(ast.BoolOp(ast.And(), [self._head(node), more]), node)
        entry = self._store(node.target, hook("entry", load_over, load_place, at=node), node)
        on = ast.Assign([ast.Name(place, ast.Store())], ast.BinOp(load_place, ast.Add(), ast.Constant(1)))
        body = [*entry, ast.copy_location(on, node), *self._block(node.body)]
        return [
            ast.copy_location(ast.Assign([ast.Name(over, ast.Store())], start), node),
            ast.copy_location(ast.Assign([ast.Name(place, ast.Store())], ast.Constant(0)), node),
            ast.copy_location(ast.While(test, body, self._block(node.orelse)), node),
        ]

    def _over(self, node: Any) -> ast.expr:
        """What a ``for`` goes over: zip(a, b) or d.items() is not made, its entries are taken by number."""
        if isinstance(node, ast.Call) and not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args):
            if isinstance(node.func, ast.Name):
                return hook("over_call", self.visit(node.func), *map(self.visit, node.args), at=node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "keys", "values") and not node.args:
                return hook("over_view", self.visit(node.func.value), node.func.attr, at=node)
        return hook("over", self.visit(node), at=node)

    def visit_Try(self, node: ast.Try) -> Any:
        self.tries += 1
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        self.handling += 1
        for handler in node.handlers:
            guard = ast.copy_location(ast.Expr(hook("guard", at=handler)), handler)
            handler.type = handler.type and self.visit(handler.type)
            handler.body = [guard, *self._block(handler.body)]
        node.finalbody = self._block(node.finalbody)
        self.handling -= 1
        self.tries -= 1
        return node

    def visit_With(self, node: ast.With) -> Any:
        self.tries += 1
        for item in node.items:
            item.context_expr = hook("manager", self.visit(item.context_expr), at=node)
        node.body = self._block(node.body)
        self.tries -= 1
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if node.decorator_list or getattr(node, "type_params", None) or _yields(node):
            return self._left(node, f"the inner function {node.name} is decorated or a generator")
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [None if one is None else self.visit(one) for one in node.args.kw_defaults]
        _unannotated(node)
        return self._function(node)

    def _left(self, node: Any, what: str) -> list[Any]:
        """The statement as it is, behind a note that it is outside the list."""
        return [ast.copy_location(ast.Expr(hook("outside", what, at=node)), node), node]

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return self._left(node, f"a class statement ({node.name})")

    def visit_Global(self, node: ast.Global) -> Any:
        return self._left(node, f"global {', '.join(node.names)}")[::-1]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        return self._left(node, f"nonlocal {', '.join(node.names)}")[::-1]

    def visit_Import(self, node: ast.Import) -> Any:
        notes = [hook("imports", one.name, "", at=node) for one in node.names]
        return [*(ast.copy_location(ast.Expr(one), node) for one in notes), node]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.level or not node.module:
            return self._left(node, "a relative import")
        names = " ".join(one.name for one in node.names)
        return [ast.copy_location(ast.Expr(hook("imports", node.module, names, at=node)), node), node]


def _copied(node: Any) -> Any:
    """A copy of the tree, to be changed."""
    if isinstance(node, ast.AST):
        parts = {name: _copied(part) for name, part in ast.iter_fields(node)}
        places = {name: getattr(node, name) for name in node._attributes if hasattr(node, name)}
        return type(node)(**parts, **places)
    return [_copied(one) for one in node] if isinstance(node, list) else node


def _unannotated(node: Any) -> None:
    """Takes the annotations from an inner function: they are evaluated when it is made."""
    given = node.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if one is not None:
            one.annotation = None
    if not isinstance(node, ast.Lambda):
        node.returns = None


def _yields(node: ast.AST) -> bool:
    """Whether the function is a generator; functions inside it do not count."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if not isinstance(child, FUNCTIONS) and _yields(child):
            return True
    return False


def _as_index(node: Any) -> Any:
    """An index as an expression: a slice as slice(a, b, c)."""
    if isinstance(node, ast.Slice):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        new = ast.Call(ast.Attribute(ast.Name(HOOK, ast.Load()), "slice", ast.Load()), parts, [])
        return ast.fix_missing_locations(ast.copy_location(new, node))
    if isinstance(node, ast.Tuple):
        return ast.copy_location(ast.Tuple([_as_index(one) for one in node.elts], ast.Load()), node)
    return node

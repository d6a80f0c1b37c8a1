"""Functions rewritten from their source: it is located, checked against the running code, rewritten and compiled."""

from __future__ import annotations
import __future__

import ast
import builtins
import importlib
import linecache
from collections.abc import Iterator
from contextlib import suppress
from types import CellType, CodeType, FunctionType
from typing import Any, cast

from dpaudit.code.expressions import FUNCTIONS, HOOK, TOP, Unknown
from dpaudit.code.run import is_theirs
from dpaudit.code.statements import SITES, Rewriter

INHERITED = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
"""The code flags of ``from __future__`` statements."""
GENERATOR = 0x20 | 0x80 | 0x100 | 0x200

_CODES: dict[int, tuple[CodeType, CodeType | str]] = {}
_SAME: dict[int, tuple[FunctionType, CodeType, FunctionType]] = {}
"""Functions that hold no values, with their code and what became of them, by address."""
_MADE: dict[int, CodeType] = {}
"""All rewritten code objects, by address."""
_LOOPING: dict[int, CodeType] = {}
_FILES: dict[tuple[str, str], tuple[ast.Module, list[CodeType]]] = {}
CELL = CellType()
"""The name under which rewritten code finds the hooks."""


def is_rewritten(code: CodeType) -> bool:
    """Whether this code was rewritten."""
    return id(code) in _MADE


def followed(function: FunctionType) -> FunctionType | str:
    """The function with hooks, if it is user code; else the reason why there is none."""
    code = function.__code__
    return rewritten(function) if is_rewritten(code) or is_theirs(code.co_filename) else ""


def rewritten(function: FunctionType) -> FunctionType | str:
    """The function with hooks, or the reason why there is none."""
    code, theirs = function.__code__, cast(Any, function)
    if is_rewritten(code):
        return function
    holds = function.__closure__ or function.__defaults__ or function.__kwdefaults__
    if not holds and (again := _SAME.get(id(function))) and again[1] is code:
        return again[2]
    known = _CODES.get(id(code))
    if known is None:
        known = _CODES[id(code)] = code, _rewrite(code, function.__globals__)
    if isinstance(known[1], str):
        return known[1]
    cells = {**dict(zip(code.co_freevars, function.__closure__ or (), strict=True)), HOOK: CELL}
    closure = tuple(cells[name] for name in known[1].co_freevars)
    found: Any = FunctionType(known[1], function.__globals__, function.__name__, function.__defaults__, closure)
    if not (type(function.__globals__) is dict and found.__builtins__ is theirs.__builtins__ is vars(builtins)):
        return f"{code.co_name} looks up its names elsewhere"
    found.__kwdefaults__ = {**(function.__kwdefaults__ or {}), TOP: False}
    if not holds:
        _SAME[id(function)] = function, code, found
    return cast(FunctionType, found)


def _rewrite(code: CodeType, names: dict[str, Any]) -> CodeType | str:
    if code.co_flags & GENERATOR:
        return f"{code.co_name} is a generator or a coroutine"
    text = "".join(linecache.getlines(code.co_filename, names))
    try:
        tree, codes = _parsed(code.co_filename, text)
    except (SyntaxError, ValueError):
        return f"the source of {code.co_name} cannot be read"
    if code not in codes:
        return f"the source of {code.co_name} is not available, or differs from the running code"
    try:
        owner, node = next(found for found in _functions(tree, None) if _is_at(found[1], code))
        return _compiled(code, owner, node)
    except StopIteration:
        return f"{code.co_name} cannot be found in its source"
    except Unknown as reason:
        return f"{code.co_name} {reason}"


def _parsed(filename: str, text: str) -> tuple[ast.Module, list[CodeType]]:
    """The tree of a file, and all code that is compiled from it."""
    if (filename, text) not in _FILES:
        whole = compile(text, filename, "exec", dont_inherit=True)
        _FILES[filename, text] = ast.parse(text), [*_inside(whole)]
    return _FILES[filename, text]


def _inside(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _inside(part)


def _functions(node: ast.AST, owner: str | None) -> Iterator[tuple[str | None, Any]]:
    """All functions of a tree, each with the class that it belongs to, the innermost first."""
    inside = node.name if isinstance(node, ast.ClassDef) else owner
    for child in ast.iter_child_nodes(node):
        yield from _functions(child, inside)
    if isinstance(node, FUNCTIONS):
        yield owner, node


def _is_at(node: Any, code: CodeType) -> bool:
    """Whether the code is that of this function: its name, its first line, and for a lambda all its places."""
    if not isinstance(node, ast.Lambda):
        first = min([node.lineno, *(found.lineno for found in node.decorator_list)])
        return (node.name, first) == (code.co_name, code.co_firstlineno)
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    places = [p for p in code.co_positions() if None not in p and p[3]]
    return code.co_name == "<lambda>" and all(start <= (p[0], p[2]) and (p[1], p[3]) <= end for p in places)


def _compiled(code: CodeType, owner: str | None, node: Any) -> CodeType:
    """The code of the function with hooks, made inside a function that has its outer variables."""
    inner: ast.stmt = Rewriter(code.co_filename, owner).outermost(node)
    factory: Any = ast.parse(f"def factory({', '.join([*code.co_freevars, HOOK])}): pass")
    if owner is not None:  # for private names; leading underscores do not count there, and hide no other name
        inner = ast.ClassDef(f"{'_' * 9}{owner}", [], [], [inner], [])
    factory.body[0].body = [inner]
    ast.fix_missing_locations(factory)
    flags = code.co_flags & INHERITED
    found: CodeType = compile(factory, code.co_filename, "exec", flags=flags, dont_inherit=True)
    for _ in range(2 if owner is None else 3):
        found = next(part for part in found.co_consts if isinstance(part, CodeType))
    found = _renamed(found.replace(co_name=code.co_name), found.co_qualname, code.co_qualname)
    if TOP not in found.co_varnames:
        raise Unknown("is created in an unsupported way")
    for part in (found, *_inside(found)):
        if TOP in part.co_varnames:  # else it was left as it is
            _MADE[id(part)] = part
    if any(isinstance(one, ast.While | ast.For) for one in ast.walk(node)):
        _LOOPING[id(code)] = code
    return found


def _renamed(code: CodeType, before: str, after: str) -> CodeType:
    """The code, and all inside it, under the name that the function has for its author."""
    parts: list[Any] = []
    for part in code.co_consts:
        if isinstance(part, CodeType):
            part = _renamed(part, before, after)
        elif isinstance(part, str) and part.startswith(f"{before}."):
            part = after + part.removeprefix(before)
        parts.append(part)
    return code.replace(co_qualname=after + code.co_qualname.removeprefix(before), co_consts=tuple(parts))


def has_loop(function: Any) -> bool:
    """Whether the function contains a loop."""
    return id(function.__code__) in _LOOPING


def import_first(function: Any) -> None:
    """Imports in advance what the function imports: during a run, a module would be loaded among stand-ins."""
    code: Any = getattr(getattr(function, "__func__", function), "__code__", None)
    try:
        tree, _ = _parsed(code.co_filename, "".join(linecache.getlines(code.co_filename)))
        node = next(found for _, found in _functions(tree, None) if _is_at(found, code))
    except (AttributeError, StopIteration, SyntaxError, ValueError):
        return
    for one in ast.walk(node):
        names = [one.module] if isinstance(one, ast.ImportFrom) and not one.level else []
        names += [found.name for found in one.names] if isinstance(one, ast.Import) else []
        for name in filter(None, names):
            with suppress(Exception):  # then it fails there too, where that is an output
                importlib.import_module(name)


__all__ = ["SITES", "followed", "has_loop", "import_first", "is_rewritten", "rewritten"]

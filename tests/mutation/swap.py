"""Mutants of one module without importing anything again: the tests are collected once, and a fork swaps one function.

Most mutants change the code of one function. ``find_swap`` gives the function as it is loaded and its new code;
whoever has imported the function then has the mutant. Others (constants, default values, bodies of classes) have none.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

SLOW = Path(__file__).parents[1] / "slow.txt"

Swap = tuple[FunctionType, CodeType]


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yields the functions and methods that the module defines, without what decorates them."""
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    for owner in (module, *classes):
        for value in vars(owner).values():
            bare = value.fget if isinstance(value, property) else value
            bare = bare.func if isinstance(bare, cached_property) else bare
            bare = getattr(bare, "__wrapped__", getattr(bare, "__func__", bare))
            if isinstance(bare, FunctionType) and bare.__module__ == module.__name__:
                yield bare


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yields the codes of functions in this one, but not of those inside of other functions."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 1:  # a function's; a class body has no fast locals
                yield inner
            else:
                yield from codes(inner)


def find_swap(module: ModuleType, old: ast.Module, new: ast.Module) -> Swap | None:
    """The one function that the mutant changes, and its new code; None if there is no such function."""
    path = str(module.__file__)
    before, after = (list(codes(compile(tree, path, "exec"))) for tree in (old, new))
    changed = [code for code, was in zip(after, before, strict=True) if code != was]
    if len(changed) != 1:
        return None
    name, free = changed[0].co_qualname, changed[0].co_freevars
    live = [f for f in functions(module) if f.__code__.co_qualname == name and f.__code__.co_freevars == free]
    return (live[0], changed[0]) if len(live) == 1 else None


def forget_results() -> None:
    """Empties the caches of the functions of dpaudit."""
    for name, module in list(sys.modules.items()):
        if name.startswith("dpaudit"):
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", lambda: None)()


class Swapper:
    """A pytest plugin: instead of the tests it runs ``visit`` with a function that runs them until one fails."""

    def __init__(self, visit: Callable[[Callable[[Swap | None], str]], None]) -> None:
        self.visit, self.items, self.failed = visit, list[Any](), ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """The quick ones first."""
        cost = {name: float(cpu) for name, cpu in (line.rsplit(" ", 1) for line in SLOW.read_text().splitlines())}
        items.sort(key=lambda item: (cost.get(item.nodeid.split("[")[0], 0.0), hasattr(item.obj, "hypothesis")))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = session.items
        self.visit(self.run)
        return True

    def run(self, swap: Swap | None) -> str:
        """The first test that fails with this function swapped, or an empty text; to be called in a fork."""
        forget_results()
        if swap:
            swap[0].__code__ = swap[1]
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        return self.failed

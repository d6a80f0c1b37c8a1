"""Records which functions of a room each test enters, and tries a mutant on the tests that enter its function.

The tests are collected once. A fork runs them all under a recorder; then every mutant gets a fork of its own, which
puts the mutant in place and runs the tests that enter the function, the cheap and direct ones first, until one fails.
"""

from __future__ import annotations

import ast
import gc
import io
import json
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import hypothesis
import pytest

from tests.mutation.operators import Mutant, at

MEMORY, PATIENCE = 4 << 30, 300
"""The bytes that a mutant may use, and the seconds of silence after which a fork is killed."""
OPTIONS = ("-o", "addopts=", "--doctest-modules", "--import-mode=importlib", "--capture=sys", "--tb=native",
           "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-profile=mutation")  # fmt: skip
hypothesis.settings.register_profile(
    "mutation",
    deadline=None,
    derandomize=True,
    max_examples=60,
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    suppress_health_check=list(hypothesis.HealthCheck),
)
Name = tuple[str, str]
"""A function of a room: its file and its qualified name."""
Say = Callable[[str], object]


@dataclass
class Test:
    """A test that passed under the recorder: its CPU seconds, the functions it enters, the mutants it has killed."""

    item: Any
    seconds: float
    enters: set[Name]
    kills: int = 0

    @property
    def rank(self) -> float:
        """Small for a cheap test of few functions."""
        return self.seconds * len(self.enters)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: killed, a timeout or a crash by a test; or survived, unreached or not tried."""

    kind: str
    by: str = ""
    ran: int = 0
    reaching: int = 0


def in_fork(action: Callable[[Say], object]) -> tuple[list[str], int]:
    """The lines that the action says in a fork, and the signal that ended it, or 0."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            action(lambda line: _write(writer, f"{line}\n".encode()))
        except BaseException as error:
            _write(writer, f"{type(error).__name__} outside the tests".encode())
        finally:
            os._exit(0)
    os.close(writer)
    said = b""
    while select.select([reader], [], [], PATIENCE)[0]:
        piece = os.read(reader, 1 << 16)
        said += piece
        if not piece:
            break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    return said.decode().splitlines(), os.waitpid(child, 0)[1] & 127


def _write(writer: int, text: bytes) -> None:
    while text:
        text = text[os.write(writer, text) :]


def try_room(folder: Path, tests: list[Path], slow: set[str], seconds: float, visit: Callable[[Room], None]) -> None:
    """Collects these tests, but for the slow ones, and the folder's doctests, records them and calls ``visit``."""
    plugin = Room(folder, seconds, slow, visit)
    with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
        code = pytest.main([*OPTIONS, str(folder), *map(str, tests)], plugins=[plugin])
    if code:
        sys.exit(said.getvalue())


def forget_results() -> None:
    """Empties the caches of functions, so that a test enters all that it needs."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("dpaudit"):
            for value in list(vars(module).values()):
                getattr(value, "cache_clear", lambda: None)()


class Room:
    """A pytest plugin: instead of running the tests it records them and then calls ``visit``, which tries mutants."""

    def __init__(self, folder: Path, seconds: float, slow: set[str], visit: Callable[[Room], None]) -> None:
        self.folder, self.seconds, self.slow, self.visit = f"{folder}{os.sep}", seconds, slow, visit
        self.failed, self.tests, self.left_out = "", list[Test](), list[str]()
        self.live: dict[Name, list[FunctionType]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid.split("[")[0] not in self.slow]

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed = self.failed or (report.nodeid if report.failed else "")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename.startswith(self.folder):
                self.live.setdefault(_name(value.__code__), []).append(value)
        gc.freeze()
        lines, signalled = in_fork(lambda say: [say(self._record(item)) for item in session.items])
        if len(lines) < len(session.items) or signalled:
            raise RuntimeError(f"recording ended after {len(lines)} of {len(session.items)} tests")
        for item, line in zip(session.items, lines, strict=True):
            seconds, passed, enters = json.loads(line)
            if passed:
                self.tests.append(Test(item, seconds, {(file, name) for file, name in enters}))
            else:
                self.left_out.append(item.nodeid)
        self.visit(self)
        return True

    def _record(self, item: Any) -> str:
        """Runs a test with its own fixtures. One that starts processes fails: they would lack the mutant."""
        entered: dict[int, CodeType] = {}

        def note(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                entered[id(frame.f_code)] = frame.f_code

        forget_results()
        self.failed = ""
        start, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        threading.setprofile(note)
        sys.setprofile(note)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        sys.setprofile(None)
        seconds = time.process_time() - start
        alone = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == children
        names = {_name(code) for code in entered.values() if code.co_filename.startswith(self.folder)}
        return json.dumps([seconds, alone and not self.failed, sorted(names)])

    def try_mutant(self, mutant: Mutant, file: Path) -> Outcome:
        """Runs the tests that enter what the mutant changes."""
        module = next((m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == str(file)), None)
        change = module and (self._constant(mutant, module) or self._function(mutant, module))
        if not change:
            return Outcome("not tried")
        names, apply = change
        reaching = sorted((test for test in self.tests if test.enters & names), key=lambda test: test.rank)
        if not reaching:
            return Outcome("unreached")
        spent, tests = 0.0, list[Test]()
        for test in reaching:
            if not tests or spent + test.seconds <= self.seconds:
                tests.append(test)
                spent += test.seconds
        tests.sort(key=lambda test: test.rank / (1 + test.kills))
        lines, signalled = in_fork(lambda say: self._run(tests, apply, say))
        started = [int(line) for line in lines if line.isdecimal()]
        last = tests[started[-1]] if started else None
        by = last.item.nodeid if last else ""
        if signalled:
            kind = "timeout" if signalled in (signal.SIGPROF, signal.SIGKILL) else "crash"
        elif lines[-1] == "survived":
            kind, by = "survived", ""
        else:
            kind, by = "killed", by if lines[-1] == "killed" else f"{lines[-1]} {by}"
        if last and by:
            last.kills += 1
        return Outcome(kind, by, len(started), len(reaching))

    def _run(self, tests: list[Test], apply: Callable[[], None], say: Say) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        forget_results()
        apply()
        self.failed = ""
        for i, (test, following) in enumerate(zip(tests, [*tests[1:], None], strict=True)):
            say(str(i))
            signal.setitimer(signal.ITIMER_PROF, 2 + 3 * test.seconds)  # ends the process
            hook = test.item.config.hook
            hook.pytest_runtest_protocol(item=test.item, nextitem=following and following.item)
            if self.failed:
                say("killed")
                return
        say("survived")

    def _function(self, mutant: Mutant, module: ModuleType) -> tuple[set[Name], Callable[[], None]] | None:
        """The function that contains the mutant, and a way to give it the new code or the new default values."""
        nodes = [(i, at(mutant.tree, mutant.path[:i])) for i in range(1, len(mutant.path) + 1)]
        depth, node = next(((i, n) for i, n in nodes if isinstance(n, ast.FunctionDef)), (0, None))
        if node is None:
            return None
        if mutant.path[depth][0] == "args":
            bare = ast.FunctionDef(**{**vars(node), "decorator_list": [], "body": [ast.Pass()]})
            names = [n.name for _, n in nodes[:depth] if isinstance(n, ast.ClassDef | ast.FunctionDef)]
            name = (str(module.__file__), ".".join(names))

            def apply() -> None:
                space = dict(vars(module))
                exec(compile(ast.Module([bare], []), name[0], "exec"), space)
                for function in self.live[name]:
                    function.__defaults__ = space[names[-1]].__defaults__
                    function.__kwdefaults__ = space[names[-1]].__kwdefaults__

            return ({name}, apply) if name in self.live else None
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        statement = compile(ast.Module([at(mutant.tree, mutant.path[:1])], []), str(module.__file__), "exec")
        code = next(c for c in _codes(statement) if (c.co_name, c.co_firstlineno) == (node.name, line))
        live = [f for f in self.live.get(_name(code), []) if f.__code__.co_firstlineno == line]
        if not live or any(f.__code__.co_freevars != code.co_freevars or f.__code__ == code for f in live):
            return None

        def swap() -> None:
            for function in live:
                function.__code__ = code

        return {_name(code)}, swap

    def _constant(self, mutant: Mutant, module: ModuleType) -> tuple[set[Name], Callable[[], None]] | None:
        """The functions that mention the constant of the module, and a way to change it wherever it was imported."""
        match at(mutant.tree, mutant.path[:1]):
            case (
                ast.Assign(targets=[ast.Name(name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value)
            ):
                pass
            case _:
                return None
        old = vars(module).get(name)

        def apply() -> None:
            new = eval(compile(ast.Expression(value), str(module.__file__), "eval"), vars(module))
            for other in list(sys.modules.values()):
                if getattr(other, "__dict__", {}).get(name) is old:
                    setattr(other, name, new)

        live = ((key, code) for key, functions in self.live.items() for f in functions for code in _codes(f.__code__))
        return {key for key, code in live if name in code.co_names}, apply


def _name(code: CodeType) -> Name:
    return code.co_filename, code.co_qualname.split(".<locals>")[0]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """This code and all within."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)

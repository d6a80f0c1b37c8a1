"""python -m tests.mutation [MODULE ...]: mutate the engine, run the tests on every mutant, list the survivors.

The tests run once on the code as it is; that warms the slow reference's caches. Then every mutant is tried in a fork
of this process, with the tests of its own module first, until one fails. In a room of its own (OWN) the tests are
imported once, and the fork swaps the code of one function (``swap``); the quick tests come first. The limits on CPU
seconds and memory may also kill a mutant. Exit code 1 if a survivor is not listed in tests/README.md.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import io
import json
import os
import resource
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.mutation.operators import Mutant, mutants
from tests.mutation.swap import Swap, Swapper, find_swap

ROOT = Path(__file__).parent.parent.parent
GENERAL = ("mechanisms/test_closed_form", "mechanisms/test_base", "privacy/test_pairs", "system/test_against_reference")
FIRST = {
    "posterior.model": ("commands/test_inputs", "privacy/test_pairs", "posterior/test_sensitivity"),
    "posterior.distances": ("posterior/test_distances",),
    "posterior.sensitivity": ("posterior/test_sensitivity",),
    "privacy.pairs": ("privacy/test_loss", "privacy/test_pairs", "system/test_cli"),
    "privacy.loss": ("privacy/test_loss", "privacy/test_pairs", "commands/test_inputs", "privacy/test_fast"),
    "privacy.judge": (
        "privacy/test_judge",
        "privacy/test_guarantee",
        "mechanisms/own/test_mechanism",
        "system/test_cli",
    ),
    "audit.questions": (
        "privacy/test_judge",
        "system/test_cli",
        "commands/test_inputs",
        "mechanisms/own/test_mechanism",
    ),
    "mechanisms.base": (
        "privacy/test_loss",
        "mechanisms/test_base",
        "mechanisms/own/test_mechanism",
        "commands/test_inputs",
        "system/test_cli",
    ),
    "mechanisms.laplace": ("mechanisms/test_laplace", "privacy/test_loss"),
    "mechanisms.closed_form": ("mechanisms/test_closed_form",),
    "mechanisms.exponential": (
        "privacy/test_loss",
        "mechanisms/test_base",
        "posterior/test_scores",
        "commands/test_inputs",
        "system/test_cli",
    ),
    "mechanisms": ("commands/test_inputs", "system/test_cli", "mechanisms/own/test_mechanism"),
}
"""The modules that are mutated, each with the tests that come first."""
_CERTIFICATES = ("evidence/test_verifier_verdicts", "evidence/test_verifier_statement", "evidence/test_certificate")
_GUARANTEES = ("evidence/verifier/test_guarantees", *_CERTIFICATES)
_THEOREMS = ("evidence/verifier/theorems/test_cells", "evidence/verifier/theorems/test_theorem")
_EVERY_N = ("evidence/verifier/theorems/test_cells", "evidence/verifier/theorems/test_every_n")
_SAMPLERS = ("code/test_explore", "code/test_law")
_COMPOSE = ("accounting/test_compose", "accounting/test_bounds", "accounting/test_solve")
OWN = {
    "accounting.bounds": ("accounting/test_bounds", "accounting/test_solve"),
    "accounting.cells": _COMPOSE,
    "accounting.compose": _COMPOSE,
    "accounting.floats": ("accounting/test_floats", "accounting/test_compose"),
    "accounting.lattice": ("accounting/test_solve", "accounting/test_compose"),
    "evidence.verifier.arithmetic": (
        "evidence/verifier/test_arithmetic_intervals",
        "evidence/verifier/test_arithmetic",
    ),
    "evidence.verifier.bounds": _GUARANTEES,
    "evidence.verifier.composition": ("evidence/verifier/test_composition",),
    "evidence.verifier.core": ("evidence/verifier/test_core", "evidence/test_verifier_verdicts"),
    "evidence.verifier.exact": ("evidence/verifier/test_arithmetic", *_CERTIFICATES),
    "evidence.verifier.family": _CERTIFICATES,
    "evidence.verifier.guarantees": ("evidence/verifier/test_guarantees",),
    "evidence.verifier.reading": (*_CERTIFICATES, "evidence/test_verifier_fuzz"),
    "evidence.verifier.special": ("evidence/verifier/test_arithmetic", "evidence/verifier/test_guarantees"),
    "evidence.verifier.subject": _CERTIFICATES,
    "evidence.verifier.table": _CERTIFICATES,
    "evidence.verifier.theorems.every_epsilon": _THEOREMS,
    "evidence.verifier.theorems.every_epsilon_laplace": _THEOREMS,
    "evidence.verifier.theorems.every_epsilon_bounds": (*_THEOREMS, *_EVERY_N[1:]),
    "evidence.verifier.theorems.every_n": _EVERY_N,
    "evidence.verifier.theorems.every_n_middle": _EVERY_N,
    "evidence.verifier.theorems.ends": _EVERY_N,
    "evidence.verifier.theorems.prior_map": _THEOREMS,
    "evidence.verifier.theorems.cells": (*_THEOREMS, *_EVERY_N[1:]),
    "evidence.verifier.theorems.theorem": (*_THEOREMS, *_EVERY_N[1:]),
    "code.chain": ("code/test_chain",),
    "code.closed": ("code/test_closed", "code/test_law_faults", *_SAMPLERS),
    "code.keys": ("code/test_keys", "code/test_closed"),
    "code.monotone": ("code/test_monotone", *_SAMPLERS),
    "code.lazy": ("code/test_steps", "code/test_outputs", *_SAMPLERS),
    "code.steps": ("code/test_steps", *_SAMPLERS),
    "code.values": (
        "code/test_closed",
        "code/test_rewrite",
        "code/test_law_faults",
        "code/test_closed_state",
        *_SAMPLERS,
    ),
    "code.hooks": ("code/test_closed", "code/test_law_faults", "code/test_closed_state", "code/test_subs", *_SAMPLERS),
    "code.subs": ("code/test_subs", "code/test_law_faults", *_SAMPLERS),
    "noise.gaussian": ("noise/test_law", "noise/test_losses"),
    "noise.pieces": ("noise/test_pieces", "noise/test_law"),
    "numbers.balls": (
        "numbers/test_balls",
        "numbers/test_balls_ends",
        "numbers/test_champion",
        "numbers/test_enclosure",
    ),
    "numbers.bounds": ("numbers/test_bounds",),
    "numbers.champion": ("numbers/test_champion", "numbers/test_balls"),
    "numbers.digits": ("numbers/test_digits", "numbers/test_enclosure"),
    "numbers.enclosure": ("numbers/test_enclosure", "numbers/test_balls"),
    "numbers.exponentials": ("numbers/test_exponentials", "numbers/test_expressions"),
    "numbers.expressions": ("numbers/test_expressions_values", "numbers/test_expressions", "numbers/test_exponentials"),
    "numbers.ranges": ("numbers/test_ranges", "commands/test_inputs"),
    "numbers.rationals": ("commands/test_inputs",),
}
"""Rooms of their own: no tests but these and the doctests of the module."""
_SKIPPED = ("nothing_heavy", "ci_runs", "extreme_settings", "sabotage", "broken_operation", "what_the_engine_judges",
            "whatever_is_put", "is_no_certificate_is_one_line", "large_law_is_held")  # fmt: skip
BLIND = " and ".join(f"not {name}" for name in _SKIPPED)
"""Tests that do not look at the code in this process, or are slow."""
KEPT = ("cases", "dpaudit.reference", "dpaudit.reference.definitions")
"""Modules that import nothing of the engine: they stay loaded, with what they have computed."""
OPTIONS = (
    "-q",
    "--capture=sys",
    "-o",
    "addopts=",
    "-p",
    "no:cacheprovider",
    "--hypothesis-profile=mutation",
    "-k",
    BLIND,
)
MEMORY, SECONDS = 4 << 30, 600
"""Bytes of a mutant at most; CPU seconds of the tests on the code as it is."""


class Watcher:
    """A pytest plugin that remembers the first failure, and thins out the many cases of one test."""

    def __init__(self, thin: int) -> None:
        self.failed, self.thin = "", thin

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        seen: Counter[str] = Counter()
        kept = []
        for item in items:
            name = item.nodeid.split("[")[0]
            if seen[name] % self.thin == 0:
                kept.append(item)
            seen[name] += 1
        items[:] = sorted(kept, key=lambda item: hasattr(item.obj, "hypothesis"))  # the quick ones first

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (import)"


def run_tests(module: str, thin: int) -> str:
    """Returns the first test that fails, or an empty text: the module's own tests, the general ones, then the rest.

    ``thin`` > 1: of the general ones every so many cases, and not the rest.
    """
    if module in OWN:
        return run_files(list(OWN[module]), 1)
    rest = [name for first in FIRST.values() for name in first] if thin == 1 else []
    done: set[str] = set()
    for names in (FIRST[module], GENERAL, rest):
        fresh = [name for name in dict.fromkeys(names) if name not in done]
        done.update(fresh)
        failed = run_files(fresh, thin if names is GENERAL else 1)
        if failed:
            return failed
    return ""


def run_files(names: list[str], thin: int) -> str:
    """Returns the first failure in these files of tests."""
    files = [str(path) for name in names if (path := ROOT / "tests" / f"{name}.py").exists()]
    if not files:
        return ""
    watcher = Watcher(thin)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        code = pytest.main(["-x", *OPTIONS, "--rootdir", str(ROOT), *files], plugins=[watcher])
    return watcher.failed or ("" if code == 0 else f"pytest exit code {int(code)}")


def source_path(module: str) -> Path:
    """Returns the file of a module of dpaudit."""
    path = ROOT / "dpaudit" / (module.replace(".", "/") + ".py")
    return path if path.exists() else ROOT / "dpaudit" / module.replace(".", "/") / "__init__.py"


class Loader(importlib.machinery.SourceFileLoader):
    """Loads the mutant's tree in place of the file."""

    tree: Any = None

    def get_code(self, fullname: str) -> Any:
        return compile(self.tree, self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module: the mutated one."""

    def __init__(self, name: str, path: Path, tree: Any) -> None:
        self.name, self.path = name, path
        self.loader = Loader(name, str(path))
        self.loader.tree = tree

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self.name:
            return None
        inside = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self.loader, submodule_search_locations=inside
        )


def forget() -> None:
    """Unloads the engine and the tests, not the reference."""
    tests = str(ROOT / "tests")
    for name, module in list(sys.modules.items()):
        here = getattr(module, "__file__", None) or ""
        ours = name == "dpaudit" or name.startswith("dpaudit.")
        theirs = here.startswith(tests) and not name.startswith("tests.mutation")
        if (ours or theirs) and name not in KEPT:
            del sys.modules[name]


def in_fork(action: Callable[[], str], seconds: int) -> tuple[str, str]:
    """Runs it in a fork. Returns ("killed", test), ("timeout", ""), ("crash", signal) or ("survived", "")."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.setrecursionlimit(1000)
        try:
            failed = action()
        except BaseException as error:
            failed = f"{type(error).__name__} outside the tests"
        os.write(writer, (failed or "-").encode()[:4000])
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 50 * seconds)
    if not ready:
        os.kill(child, signal.SIGKILL)
    answer = os.read(reader, 4000).decode() if ready else ""
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if answer:
        return ("survived", "") if answer == "-" else ("killed", answer)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return ("timeout", "") if number in (0, signal.SIGXCPU, signal.SIGKILL) else ("crash", str(number))


def try_mutant(module: str, mutant: Mutant, seconds: int, thin: int) -> tuple[str, str]:
    """Imports everything again, with the mutant, and runs the tests."""

    def action() -> str:
        forget()
        sys.meta_path.insert(0, Finder(f"dpaudit.{module}", source_path(module), mutant.tree))
        return run_tests(module, thin)

    return in_fork(action, seconds)


def try_swaps(module: str, work: list[Mutant], tell: Callable[[Mutant, str, str, float], None]) -> list[Mutant]:
    """Tries the mutants of a room of its own that change one function; returns the others."""
    loaded, tree, others = importlib.import_module(f"dpaudit.{module}"), ast.parse(source_path(module).read_text()), []

    def visit(run: Callable[[Swap | None], str]) -> None:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        outcome, by = in_fork(lambda: run(None), SECONDS)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if outcome != "survived":
            raise RuntimeError(f"the tests fail on the code as it is: {outcome} {by}")
        print(f"{module}: the tests took {spent:.1f} CPU seconds", file=sys.__stdout__, flush=True)
        for mutant in work:
            swap, begin = find_swap(loaded, tree, mutant.tree), time.monotonic()
            if swap is None:
                others.append(mutant)
            else:
                tell(mutant, *in_fork(partial(run, swap), 5 + 3 * int(spent)), time.monotonic() - begin)

    files = [str(source_path(module)), *(str(ROOT / "tests" / f"{name}.py") for name in OWN[module])]
    with redirect_stdout(io.StringIO()) as said, redirect_stderr(io.StringIO()):
        code = pytest.main([*OPTIONS, "--doctest-modules", "--rootdir", str(ROOT), *files], plugins=[Swapper(visit)])
    if code:
        sys.exit(said.getvalue())
    return others


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join([*FIRST, *OWN])}; default all")
    parser.add_argument("--only", default="", help="mutants whose text contains this")
    parser.add_argument("--list", action="store_true", help="list the mutants and run nothing")
    parser.add_argument(
        "--quick", action="store_true", help="after a module's own tests every tenth case of the general ones only"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="a sample: every N-th mutant of each module")
    parser.add_argument("--log", type=Path, help="append a JSON line a mutant to this file; only survivors are rerun")
    return parser.parse_args()


def main() -> int:
    """Runs what the command line asks for."""
    options = arguments()
    wanted = options.modules or [*FIRST, *OWN]
    work = [(m, mutant) for m in wanted for mutant in mutants(source_path(m).read_text(), m)[:: options.every]]
    work = [(m, mutant) for m, mutant in work if options.only in mutant.text]
    if options.list:
        print("\n".join(mutant.text for _, mutant in work))
        return 0
    known = {}
    if options.log and options.log.exists():
        known = {entry["mutant"]: entry for entry in map(json.loads, options.log.read_text().splitlines())}
    listed = (ROOT / "tests" / "README.md").read_text()
    tallies: dict[str, Counter[str]] = {m: Counter() for m in wanted}
    news: list[str] = []

    def tell(mutant: Mutant, outcome: str, by: str, seconds: float) -> None:
        if options.log:
            entry = {"mutant": mutant.text, "line": mutant.line, "outcome": outcome, "by": by}
            with options.log.open("a") as log:
                log.write(json.dumps({**entry, "seconds": round(seconds, 2)}) + "\n")
        tallies[max((m for m in wanted if mutant.place.startswith(m)), key=len)][outcome] += 1
        if outcome == "survived":
            new = mutant.text not in listed
            news.extend([mutant.text] * new)
            said = f"{'SURVIVED' if new else 'listed  '} line {mutant.line} {mutant.text}"
            print(said, file=sys.__stdout__, flush=True)

    for module in wanted:
        todo = []
        for _, mutant in (item for item in work if item[0] == module):
            if known.get(mutant.text, {"outcome": "survived"})["outcome"] != "survived":
                tallies[module][known[mutant.text]["outcome"]] += 1
            else:
                todo.append(mutant)
        if module in OWN:
            todo = try_swaps(module, todo, tell)
        if not todo:
            continue
        start = time.process_time()
        failed = run_tests(module, thin=1)
        if failed:
            print(f"the tests fail on the code as it is: {failed}")
            return 2
        seconds = int(time.process_time() - start) + 20
        for mutant in todo:
            begin = time.monotonic()
            tell(mutant, *try_mutant(module, mutant, seconds, 10 if options.quick else 1), time.monotonic() - begin)
    report(tallies)
    return 1 if news else 0


def report(tallies: dict[str, Counter[str]]) -> None:
    """Prints the table of tests/README.md."""
    columns = ("killed", "crash", "timeout", "survived")
    print(f"| module | mutants | {' | '.join(columns)} |\n|---|---|---|---|---|---|")
    for module, tally in [*tallies.items(), ("all", sum(tallies.values(), Counter()))]:
        print(f"| {module} | {tally.total()} | {' | '.join(str(tally[c]) for c in columns)} |")


if __name__ == "__main__":
    sys.exit(main())

"""Which variables may still be read from a place of the code on: the others do not belong to its state."""

from __future__ import annotations

import dis
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import CodeType
from typing import Any

import numpy as np

from dpaudit.code.lazy import Lazy
from dpaudit.code.stack import instructions, successors
from dpaudit.code.watch import is_fixed

Steps = tuple[dis.Instruction, ...]

HIDDEN = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines, which are entered and left many times."""
OPTIMIZED = 0x1
"""The flag of functions; the variables of a class body and of a module are entries of a dict."""
LOOKS_AROUND = {"locals", "vars", "eval", "exec", "dir", "super"}
"""Functions with which code reads variables without naming them."""
LOOKS_AT_CALLERS = {
    *("_getframe", "currentframe", "f_locals", "f_back", "tb_frame", "getargvalues", "getouterframes", "walk_stack"),
    *("getinnerframes", "TracebackException", "StackSummary"),
}
"""With these it reads variables of functions further out."""


def looks_at_callers(names: set[str]) -> bool:
    """Returns whether code with these names may read variables of other functions."""
    return bool(LOOKS_AT_CALLERS & names) or ("inspect" in names and bool({"stack", "trace"} & names))


MOST_INERT = 1000


def is_inert(value: Any) -> bool:
    """Returns whether the value is made of numbers and texts alone: nothing happens when it goes."""
    todo = [value]
    for count, entry in enumerate(todo):
        if count > MOST_INERT:
            return False
        if type(entry) in (list, tuple, set, frozenset):
            todo += entry
        elif type(entry) is dict:
            todo += [*entry.keys(), *entry.values()]
        elif type(entry) is np.ndarray and entry.base is None and entry.dtype != object:
            continue
        elif not (type(entry) is Lazy or is_fixed(entry)):
            return False
    return True


@dataclass(frozen=True)
class Places:
    """What is known of some code by its instructions."""

    live: dict[int, frozenset[str]]
    """By offset, where a state can be read off: the variables that may still be read from there on."""
    still: frozenset[int] = frozenset()
    """The jumps of loops that do nothing, ``while True: pass``: they come to no new line."""


@lru_cache(maxsize=1024)
def places(code: CodeType) -> Places:
    """Returns where states of this code can be read off; nowhere in generators."""
    steps = instructions(code)
    still = frozenset(step.offset for i, step in enumerate(steps) if _is_still(steps, i))
    if code.co_flags & HIDDEN or not code.co_flags & OPTIMIZED:
        return Places({}, still)
    given = _given(code, steps)
    return Places({offset: names | given for offset, names in _live(code, steps, successors(code)).items()}, still)


def _given(code: CodeType, steps: Steps) -> frozenset[str]:
    """Returns the arguments that are never assigned to: what they are may be changed, and the caller may look at it."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    written = [step.argval for step in steps if step.opname.startswith(("STORE_FAST", "DELETE_FAST"))]
    names = {name for found in written for name in (found if isinstance(found, tuple) else (found,))}
    return frozenset(code.co_varnames[:count]) - names


def _is_still(steps: Steps, at: int) -> bool:
    """Returns whether the instruction jumps back to itself, over nothing."""
    if steps[at].opname != "JUMP_BACKWARD":
        return False
    between = [step.opname for step in steps[:at] if step.offset >= steps[at].argval]
    return all(name in ("NOP", "CACHE", "EXTENDED_ARG") for name in between)


def _live(code: CodeType, steps: Steps, after: dict[int, list[tuple[int, bool]]]) -> dict[int, frozenset[str]]:
    """Returns by offset the local variables whose value may still be read; all where the code reads them by name."""
    everything = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    cells = everything - frozenset(code.co_varnames) | frozenset(code.co_cellvars)
    named = [(s, then) for s, then in pairwise(steps) if s.opcode in dis.hasname and s.argval in LOOKS_AROUND]
    looks = {s.offset: _is_call_of_locals(s, then) for s, then in named}
    if not all(looks.values()):
        return {step.offset: everything for step in steps}
    handlers = [(e.start, e.end, e.target) for e in dis.Bytecode(code).exception_entries]  # type: ignore[attr-defined]
    following = {
        s.offset: [t for t, _ in after[s.offset]] + [h for a, b, h in handlers if a <= s.offset < b] for s in steps
    }
    effects = {step.offset: _touched(step, everything) for step in steps}
    effects |= {offset: (everything, frozenset()) for offset in looks}
    live: dict[int, frozenset[str]] = {step.offset: cells for step in steps}
    changed = True
    while changed:
        changed = False
        for step in reversed(steps):
            reads, writes = effects[step.offset]
            later = frozenset[str]().union(cells, *(live.get(t, everything) for t in following[step.offset]))
            found = cells | reads | (later - writes)
            if found != live[step.offset]:
                live[step.offset], changed = found, True
    return live


def _is_call_of_locals(step: dis.Instruction, then: dis.Instruction) -> bool:
    """Returns whether the two instructions call locals(): what it gives is a value as any other, read there once."""
    return (step.opname, step.argval, then.arg) == ("LOAD_GLOBAL", "locals", 0) and then.opname in ("PRECALL", "CALL")


def _touched(step: dis.Instruction, everything: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the variables that an instruction reads, and those that it writes without having read them."""
    if "_FAST" not in step.opname:
        return frozenset(), frozenset()
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    if step.opname in ("STORE_FAST", "STORE_FAST_STORE_FAST"):
        return frozenset(), frozenset(names)
    if step.opname.startswith(("LOAD_FAST", "DELETE_FAST")) and all(isinstance(name, str) for name in names):
        return frozenset(names), frozenset()
    return everything, frozenset()

"""Where a state of the code can be read off: starts of statements at which nothing is hidden on the value stack.

A frame of Python holds its local variables, which can be read, and a stack of intermediate values, which cannot. At
the start of a statement the stack is empty, but for loops over an iterator and with-blocks keep theirs on it. So the
depth of the stack is computed for every instruction, and which variables are still read from there on.
"""

from __future__ import annotations

import dis
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any

import numpy as np

from dpaudit.code.lazy import Lazy
from dpaudit.code.watch import Watch, is_fixed

HIDDEN = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines, which are entered and left many times."""
OPTIMIZED = 0x1
"""The flag of functions; the variables of a class body and of a module are entries of a dict."""
LOOKS_AROUND = {"locals", "vars", "eval", "exec", "dir", "super"}
"""Functions with which code reads variables without naming them."""
LOOKS_AT_CALLERS = {"_getframe", "currentframe", "f_locals", "f_back"}
"""With these it reads variables of functions further out."""


SEQUENCES = (list, tuple, str, dict, set, frozenset, range, int, bool, float, Fraction, type(None), np.ndarray, Lazy)
"""Values of exactly these types are iterated over as the number of steps says."""
PURE = {*("range", "enumerate", "zip", "reversed", "len", "sorted", "list", "tuple", "min", "max", "abs", "sum", "int")}
METHODS = {"items", "keys", "values", "tolist", "copy"}
COPYING = {"sorted", "list", "tuple", "copy", "tolist"}
"""Functions and methods whose iterators go on as the number of their steps says, over what can be read."""


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


def _never_changes(value: Any) -> bool:
    """Returns whether the entries of the value, or itself, can never change."""
    if type(value) is np.ndarray:
        return value.dtype != object and value.ndim == 1
    entries = value if type(value) in (list, tuple, set, frozenset) else [value]
    entries = [*value.keys(), *value.values()] if type(value) is dict else entries
    return all(type(entry) is Lazy or is_fixed(entry) for entry in entries)


@dataclass(frozen=True)
class Loop:
    """A for-loop over what is made of names that can be read; its iterator is known by the number of its steps."""

    start: int
    end: int
    entry: int
    names: frozenset[str]
    """The local variables that it is made of, ``values`` those that are themselves iterated over, or counted."""
    values: frozenset[str] = frozenset()
    globals: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    copies: bool = False
    """Whether it goes over a copy, of what then lies in no variable."""

    def is_plain(self, frame: FrameType, watch: Watch) -> bool:
        """Returns whether the names are now what they seem: builtins, and plain values whose iterators are known.

        What is no local variable must be what it was when the loop began: no code that has run puts a thing there.
        """
        outside = frame.f_globals
        others = {*(name for name in self.globals if name in outside), *(attribute for _, attribute in self.attributes)}
        if others and (watch.by_name or others & watch.stored):
            return False
        if any(name not in outside and name not in PURE for name in self.globals):
            return False
        found = self._found(frame)
        if watch.deletes and any(type(value) in (dict, set) for value in found):
            return False  # an entry that goes and comes again has another place
        return all(type(value) in SEQUENCES or isinstance(value, np.generic) for value in found)

    def _found(self, frame: FrameType) -> list[Any]:
        """Returns what its names stand for now."""
        here, outside = frame.f_locals, frame.f_globals
        found = [here.get(name) for name in self.values]
        found += [outside[name] for name in self.globals if name in outside]
        attributes = (
            getattr(here.get(name), "__dict__", {}).get(attribute, self) for name, attribute in self.attributes
        )
        return [*found, *attributes]

    def is_settled(self, frame: FrameType) -> bool:
        """Returns, where the loop begins, whether what it goes over is known by its names, or can never change."""
        return not self.copies or all(map(_never_changes, self._found(frame)))


@dataclass(frozen=True)
class Place:
    """Where a state can be read off: the variables that may be read from there on, and the for-loops around it."""

    live: frozenset[str]
    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Places:
    """By offset of an instruction where nothing is hidden on the stack but iterators that are known."""

    at: dict[int, Place]
    loops: dict[int, Loop]
    still: frozenset[int] = frozenset()
    """The jumps of loops that do nothing, ``while True: pass``: they come to no new line."""

    @property
    def by_step(self) -> bool:
        """Returns whether the code is to be watched instruction by instruction."""
        return bool(self.loops or self.still)


@lru_cache(maxsize=1024)
def places(code: CodeType) -> Places:
    """Returns where states of this code can be read off; nowhere in generators."""
    steps = list(dis.get_instructions(code))
    still = frozenset(step.offset for i, step in enumerate(steps) if _is_still(steps, i))
    if code.co_flags & HIDDEN or not code.co_flags & OPTIMIZED:
        return Places({}, {}, still)
    after = _successors(code, steps)
    stacks = _stacks(steps, after)
    depth = {offset: -1 if stack is None else len(stack) for offset, stack in stacks.items()}
    loops = {step.offset: _loop(steps, i, depth) for i, step in enumerate(steps) if step.opname.startswith("FOR_ITER")}
    live = _live(code, steps, after)
    given = _given(code, steps)
    found: dict[int, Place] = {}
    for step in steps:
        around = [loop for loop in loops.values() if loop.start <= step.offset < loop.end]
        iterators = [loop.start for loop in around]
        if stacks.get(step.offset) == tuple(iterators) and all(loop.entry >= 0 for loop in around):
            kept = given.union(live[step.offset], *(loop.names for loop in around))
            found[step.offset] = Place(kept, tuple(around))
    return Places(found, loops, still)


def _given(code: CodeType, steps: list[dis.Instruction]) -> frozenset[str]:
    """Returns the arguments that are never assigned to: what they are may be changed, and the caller may look at it."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    written = [step.argval for step in steps if step.opname.startswith(("STORE_FAST", "DELETE_FAST"))]
    names = {name for found in written for name in (found if isinstance(found, tuple) else (found,))}
    return frozenset(code.co_varnames[:count]) - names


def _is_still(steps: list[dis.Instruction], at: int) -> bool:
    """Returns whether the instruction jumps back to itself, over nothing."""
    if steps[at].opname != "JUMP_BACKWARD":
        return False
    between = [step.opname for step in steps[:at] if step.offset >= steps[at].argval]
    return all(name in ("NOP", "CACHE", "EXTENDED_ARG") for name in between)


ALLOWED = (
    *("LOAD_CONST", "PUSH_NULL", "PRECALL", "CALL", "CALL_KW", "KW_NAMES", "BINARY_OP", "BUILD_TUPLE", "BUILD_LIST"),
    *("LIST_EXTEND", "UNARY_NEGATIVE", "RESUME", "NOP", "EXTENDED_ARG", "CACHE"),
)
"""Instructions that make an iterable of names and constants."""


def _loop(steps: list[dis.Instruction], at: int, depth: dict[int, int]) -> Loop:
    """Returns the for-loop of the instruction at this place; ``entry`` is -1 where its iterator is not known."""
    start, end = steps[at].offset, steps[at].argval
    unknown = Loop(start, end, -1, frozenset())
    if not at or steps[at - 1].opname != "GET_ITER":
        return unknown
    first = at - 1
    while first > 0 and depth.get(steps[first].offset) != depth.get(start, 0) - 1:
        first -= 1
    if any(step.is_jump_target for step in steps[first + 1 : at]):
        return unknown
    names, values, outside, attributes = set(), set(), [], []
    for i in range(first, at - 1):
        before, step = steps[i - 1], steps[i]
        if step.opname.startswith("LOAD_FAST"):
            loaded = set(step.argval if isinstance(step.argval, tuple) else (step.argval,))
            following = steps[i + 1]
            names |= loaded
            values |= set() if following.opname == "LOAD_ATTR" and following.argval not in METHODS else loaded
        elif step.opname == "LOAD_GLOBAL":
            outside.append(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if step.argval not in METHODS:
                if not before.opname.startswith("LOAD_FAST") or not isinstance(before.argval, str):
                    return unknown
                attributes.append((before.argval, step.argval))
        elif step.opname not in ALLOWED:
            return unknown
    inside = [s for s in steps if start <= s.offset < end and s.opname.startswith(("STORE_FAST", "DELETE_FAST"))]
    if any(names & set(s.argval if isinstance(s.argval, tuple) else (s.argval,)) for s in inside):
        return unknown
    made = steps[first : at - 1]
    built = [step.opname for step in made if step.opname in ("BUILD_LIST", "BUILD_TUPLE")]
    if len(built) > 1:
        return unknown
    copies = bool(built) or any(step.argval in COPYING for step in made if step.opcode in dis.hasname)
    made_of = frozenset(names), frozenset(values), tuple(outside), tuple(attributes)
    return Loop(start, end, steps[at - 1].offset, *made_of, copies)


Edges = dict[int, list[tuple[int, bool]]]
"""By offset: the offsets that may follow, and whether by a jump."""
JUMPS = set(dis.hasjrel) | set(dis.hasjabs)
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}


def _successors(code: CodeType, steps: list[dis.Instruction]) -> Edges:
    edges: Edges = {}
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        found: list[tuple[int, bool]] = []
        if step.opcode in JUMPS:
            found.append((step.argval, True))
        plain = step.opname not in ENDS and not step.opname.startswith(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABS"))
        if plain and following is not None:
            found.append((following.offset, False))
        edges[step.offset] = found
    return edges


Stack = tuple[int | None, ...]
"""What lies on a value stack, lowest first: the iterator of the for-loop at this offset, or None for any value."""


def _stacks(steps: list[dis.Instruction], after: Edges) -> dict[int, Stack | None]:
    """Returns the stack before every instruction that is reached without an exception; None where it is unclear."""
    by_offset = {step.offset: step for step in steps}
    found: dict[int, Stack | None] = {steps[0].offset: ()}
    todo = [steps[0].offset]
    while todo:
        offset = todo.pop()
        for target, jump in after[offset]:
            new, known = _after(by_offset[offset], found[offset], jump), found.get(target)
            if target in found:
                same = known is not None and new is not None and len(known) == len(new)
                new = tuple(a if a == b else None for a, b in zip(known, new, strict=True)) if same else None  # type: ignore[arg-type]
            if target not in found or new != known:
                found[target] = new
                todo.append(target)
    return found


def _after(step: dis.Instruction, stack: Stack | None, jump: bool) -> Stack | None:
    """Returns the stack after the instruction."""
    if stack is None:
        return None
    try:
        effect = dis.stack_effect(step.opcode, step.arg, jump=jump)
    except ValueError:
        return None
    if step.opname == "SWAP":
        moved = list(stack)
        moved[-1], moved[-(step.arg or 1)] = moved[-(step.arg or 1)], moved[-1]
        return tuple(moved)
    if step.opname.startswith("FOR_ITER") and stack:
        stack = (*stack[:-1], step.offset)
    return (*stack, *[None] * effect) if effect >= 0 else stack[:effect]


def _live(code: CodeType, steps: list[dis.Instruction], after: Edges) -> dict[int, frozenset[str]]:
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

"""What lies on the value stack of a function under way: iterators of loops, with-blocks, values of an expression.

Python shows the variables of a frame and not its stack, so this is read from the memory of the frame, as CPython
lays it out; where that is not as expected there is no answer. While an instruction calls into C, CPython does not say
how high the stack is; then the bytecode says it.
"""

from __future__ import annotations

import ctypes
import dis
import functools
import sys
import weakref
from bisect import bisect_right
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

WORD = ctypes.sizeof(ctypes.c_void_p)
FRAME = object.__basicsize__ + WORD
"""Where a frame object keeps the address of what is under way: behind its caller."""
TOP, VALUES = 8 * WORD, 9 * WORD
"""Where that keeps the height of its stack, -1 where it is not said, and its values: variables, then the stack."""
OPERANDS = {
    **dict.fromkeys(("FOR_ITER", "LOAD_ATTR", "LOAD_METHOD", "GET_ITER", "BEFORE_WITH", "LIST_EXTEND", "TO_BOOL"), 1),
    **{"UNARY_NEGATIVE": 1, "UNARY_POSITIVE": 1, "UNARY_NOT": 1, "UNARY_INVERT": 1, "SET_UPDATE": 1, "DICT_MERGE": 1},
    **{"BINARY_OP": 2, "COMPARE_OP": 2, "CONTAINS_OP": 2, "BINARY_SUBSCR": 2, "STORE_ATTR": 2, "DELETE_SUBSCR": 2},
    **{"SEND": 2, "STORE_SUBSCR": 3, "BINARY_SLICE": 3, "WITH_EXCEPT_START": 5},
    **{name: 1 for name in dis.opmap if name.startswith("POP_JUMP_")},
}
"""Instructions that call into C, with the number of values that they work on; with those of calls, see _operands."""
UNPACKING = "CALL_FUNCTION_EX"
"""Calls with * and **: their arguments, which the called function has, are not read."""
GENERATOR = 0x20 | 0x80 | 0x200
"""Flags of generators and coroutines."""
NOTHING = object()
"""Stands for an empty place of a stack."""


class Unknown(Exception):
    """The stack cannot be read."""


Find = Callable[[int], Any]
"""Returns the object at an address; raises an exception where it is not sure that there is one."""


def stack(frame: FrameType, find: Find) -> list[Any]:
    """Returns what lies on the value stack of the frame, lowest first; raises Unknown.

    What an instruction that has called into C works on may be gone by then, if it is code that runs because something
    goes: such a value is read only if ``find`` knows it. What lies below is held by the stack.
    """
    if not _as_expected():
        raise Unknown
    return _read(frame, find)


def _read(frame: FrameType, find: Find) -> list[Any]:
    code, address = frame.f_code, ctypes.c_void_p.from_address(id(frame) + FRAME).value
    if not address:
        raise Unknown
    variables, top = _variables(code), ctypes.c_int.from_address(address + TOP).value
    held, unsure = (top - variables, 0) if top >= 0 else _height(code, frame.f_lasti)
    if not 0 <= held <= held + unsure <= code.co_stacksize:
        raise Unknown
    first = address + VALUES + variables * WORD
    found = [_object(first + i * WORD) for i in range(held)]
    return found + [_found(first + i * WORD, find) for i in range(held, held + unsure)]


def _found(place: int, find: Find) -> Any:
    address = ctypes.c_void_p.from_address(place).value
    return find(address) if address else NOTHING


def _object(place: int) -> Any:
    return ctypes.py_object.from_address(place).value if ctypes.c_void_p.from_address(place).value else NOTHING


@functools.lru_cache(maxsize=4096)
def _variables(code: CodeType) -> int:
    """Returns how many variables come before the stack; an argument that is shared with inner functions is one."""
    return len({*code.co_varnames, *code.co_cellvars}) + len(code.co_freevars)


def _height(code: CodeType, at: int) -> tuple[int, int]:
    """Returns how many values the stack holds while this instruction calls into C, and how many it works on above."""
    step = _step(code, at)
    height, operands = heights(code).get(step.offset, -1), _operands(step)
    if operands is None or height < operands:
        raise Unknown
    return height - operands, 0 if step.opname == UNPACKING else operands


def _operands(step: dis.Instruction) -> int | None:
    """Returns how many values the instruction works on; None where it is not one that is known."""
    given = step.arg or 0
    if step.opname in ("PRECALL", "CALL"):
        return given + 2
    if step.opname == "CALL_KW":
        return given + 3
    return 3 + (given & 1) if step.opname == UNPACKING else OPERANDS.get(step.opname)


def _step(code: CodeType, at: int) -> dis.Instruction:
    """Returns the instruction under way; the frame may stand in the cache behind it."""
    steps = instructions(code)
    return steps[max(0, bisect_right(steps, at, key=lambda step: step.offset) - 1)]


def is_clearing(frame: FrameType) -> bool:
    """Returns whether the function seems to run because something goes: then what its callers work on may be gone."""
    code, here = frame.f_code, frame.f_locals
    given = [here.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_name == "__del__" or any(isinstance(part, weakref.ref) and part() is None for part in given):
        return True
    if code.co_flags & GENERATOR and _step(code, frame.f_lasti).offset not in heights(code, by_exceptions=False):
        return True  # a generator that is closed
    clearing = getattr(type(given[0]), "__del__", None) if given else None
    return getattr(clearing, "__code__", None) is code


# ------------------------------------------------------------------ the height of the stack, by the bytecode


@functools.lru_cache(maxsize=1024)
def instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    """Returns the instructions of the code."""
    return tuple(dis.get_instructions(code))


JUMPS = set(dis.hasjrel) | set(dis.hasjabs)
ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}


@functools.lru_cache(maxsize=1024)
def successors(code: CodeType) -> dict[int, list[tuple[int, bool]]]:
    """Returns by offset the offsets that may follow, and whether by a jump."""
    steps = instructions(code)
    edges: dict[int, list[tuple[int, bool]]] = {}
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        found: list[tuple[int, bool]] = []
        if step.opcode in JUMPS:
            found.append((step.argval, True))
        plain = step.opname not in ENDS and not step.opname.startswith(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABS"))
        if plain and following is not None:
            found.append((following.offset, False))
        edges[step.offset] = found
    return edges


@functools.lru_cache(maxsize=1024)
def heights(code: CodeType, by_exceptions: bool = True) -> dict[int, int]:
    """Returns the height of the stack before every instruction that is reached; -1 where it is unclear."""
    steps = {step.offset: step for step in instructions(code)}
    after, first = successors(code), next(iter(steps))
    found, todo = {first: 0}, [first]
    if by_exceptions:
        for entry in dis.Bytecode(code).exception_entries:  # type: ignore[attr-defined]
            found[entry.target] = entry.depth + entry.lasti + 1
            todo.append(entry.target)
    while todo:
        offset = todo.pop()
        for target, jump in after[offset]:
            new = found[offset] + _effect(steps[offset], jump)
            new = new if found[offset] >= 0 and found.get(target, new) == new else -1
            if found.get(target) != new:
                found[target] = new
                todo.append(target)
    return found


def _effect(step: dis.Instruction, jump: bool) -> int:
    """Returns by how much the instruction raises the stack; in Python 3.11 the arguments of a call go with CALL."""
    if step.opname == "RETURN_GENERATOR":
        return 1  # what is sent into it
    if step.opname == "PRECALL":
        return 0
    if step.opname == "CALL" and sys.version_info < (3, 12):
        return -(step.arg or 0) - 1
    try:
        return dis.stack_effect(step.opcode, step.arg, jump=jump)
    except ValueError:
        return -(1 << 20)


# ------------------------------------------------------------------ is the memory as it should be?


class _Probe:
    """Looks at the stack of its caller, which it is called from by Python, and by C as an operator."""

    def __init__(self, *values: Any) -> None:
        self.seen: list[list[Any]] = []
        self._known = {id(value): value for value in (self, hex, *values)}

    def look(self, depth: int = 1) -> int:
        self.seen.append(_read(sys._getframe(depth), self._known.__getitem__))
        return 0

    def __index__(self) -> int:
        return self.look(2)

    def __radd__(self, other: Any) -> list[Any]:
        return [self.look(2)]


def _known(first: Any, second: Any, probe: _Probe) -> Any:
    """Has known values on its stack while the probe looks."""
    shared = [first]
    for entry in shared:
        (entry, second, probe.look())
        [first, (second + probe)]
        [first, hex(probe)]
    return lambda: shared


@functools.cache
def _as_expected() -> bool:
    """Returns whether frames lie in memory as this file says, seen on a function whose stack is known."""
    if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info < (3, 14):
        return False
    first, second = object(), [object()]
    probe = _Probe(first, second)
    before = sys.gettrace()
    sys.settrace(None)
    try:
        _known(first, second, probe)
    except Exception:
        return False
    finally:
        sys.settrace(before)
    by_python, by_operator, by_function = probe.seen
    return (
        _is(by_python[1:3], [first, second])
        and _is(by_operator[1:4], [first, second, probe])
        and len(by_operator) == 4
        and by_function[1] is first
        and any(part is hex for part in by_function)
        and by_function[-1] is probe
        and all(type(found[0]).__name__ == "list_iterator" for found in probe.seen)
    )


def _is(found: list[Any], expected: list[Any]) -> bool:
    return len(found) == len(expected) and all(a is b for a, b in zip(found, expected, strict=True))

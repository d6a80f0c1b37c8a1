"""The value stack of a function under way, read from memory and from the bytecode: two ways that must agree."""

import ast
import contextlib
import ctypes
import json
import statistics
import sys
import textwrap
import weakref

import pytest

from dpaudit.code import stack as stacks
from dpaudit.code.stack import Unknown, heights, is_clearing, stack

BY_STEP = sys.version_info < (3, 12)
"""From Python 3.12 on the height of the stack is said at lines, not at every instruction."""


def ordinary():
    """Ordinary code of many kinds: loops, handlers, generators, with-blocks, comprehensions, calls of all forms."""
    json.loads(json.dumps({"a": [1, 2, {"b": None}]}, indent=2))
    statistics.stdev([1, 2, 3.5])
    textwrap.fill("a b c " * 50)
    ast.unparse(ast.parse("try:\n  with a as b:\n    for i in x: yield i\nexcept E as e:\n  raise\nfinally:\n  pass"))
    with contextlib.suppress(ZeroDivisionError):
        try:
            1 / 0  # noqa: B018
        except ZeroDivisionError as error:
            raise ValueError from error
        finally:
            sum(k for k in range(3))


def test_the_height_by_the_bytecode_is_that_of_the_memory():
    compared, wrong = 0, []

    def look(frame):
        nonlocal compared
        code, address = frame.f_code, ctypes.c_void_p.from_address(id(frame) + stacks.FRAME).value
        height = ctypes.c_int.from_address(address + stacks.TOP).value - stacks._variables(code)
        compared += 1
        if heights(code).get(frame.f_lasti) != height:
            wrong.append((code.co_name, frame.f_lasti, height))

    def trace(frame, event, _):
        if event == "call":
            frame.f_trace_opcodes = BY_STEP
        elif event == "line" or (event == "opcode" and BY_STEP):
            sys.settrace(None)
            look(frame)
            sys.settrace(trace)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with contextlib.suppress(ValueError):
            ordinary()
    finally:
        sys.settrace(before)
    assert wrong == []
    assert compared > (10_000 if BY_STEP else 1_000)


class Looks:
    """Reads the stack of the function that uses it, in many ways."""

    found = None

    def find(self, address):
        """Trusts every address; nothing is gone here."""
        return ctypes.cast(address, ctypes.py_object).value

    def look(self, depth=1):
        self.found = stack(sys._getframe(depth), self.find)
        return 0

    def __radd__(self, other):
        return self.look(2)

    def __getitem__(self, index):
        return self.look(2)

    def __bool__(self):
        return not self.look(2)

    def __enter__(self):
        return self.look(2)

    def __exit__(self, *error):
        return None

    def __call__(self, *given, **named):
        return self.look(2)

    def __format__(self, form):
        self.look(2)
        return ""

    @property
    def here(self):
        return self.look(2)


MARK = object()
USES = {
    "called": lambda it: (MARK, it.look()),
    "an operator": lambda it: (MARK, [] + it),  # noqa: RUF005
    "an index": lambda it: (MARK, it[0]),
    "a property": lambda it: (MARK, it.here),
    "an object that is called": lambda it: (MARK, it(1, 2)),
    "with names": lambda it: (MARK, it(1, a=2)),
    "unpacked": lambda it: (MARK, it(*[1], **{"a": 2})),
    "a condition": lambda it: (MARK, 1 if it else 2),
    "by map": lambda it: (MARK, list(map(it, [1]))),
    "an index in C": lambda it: (MARK, [0][it.look()]),
}


@pytest.mark.parametrize("use", USES)
def test_what_lies_below_is_read_however_the_call_is_made(use):
    it = Looks()
    USES[use](it)
    assert it.found[0] is MARK


def test_iterators_and_with_blocks_lie_there():
    it, entries = Looks(), [1]
    for _ in entries:
        with contextlib.nullcontext():
            it.look()
    assert type(it.found[0]) is type(iter(entries))
    assert it.found[1].__name__ == "__exit__"
    assert len(it.found) == 2


def test_where_operands_may_have_gone_the_stack_is_not_read():
    with pytest.raises(Unknown):
        f"{MARK}{Looks():x}"


def test_a_frame_that_does_not_lie_as_expected_is_not_read(monkeypatch):
    monkeypatch.setattr(stacks, "_as_expected", lambda: False)
    with pytest.raises(Unknown):
        stack(sys._getframe(), None)


def test_a_layout_that_is_not_the_expected_one_is_noticed(monkeypatch):
    for name, value in (("VALUES", stacks.VALUES - stacks.WORD), ("VALUES", stacks.VALUES + stacks.WORD)):
        with monkeypatch.context() as changed:
            changed.setattr(stacks, name, value)
            assert not stacks._as_expected.__wrapped__()
    assert stacks._as_expected.__wrapped__()


def test_code_that_runs_because_something_goes_is_known():
    seen = []

    class Going:
        """Looks when it goes, under another name."""

        def last(self):
            seen.append(is_clearing(sys._getframe()))

        __del__ = last

    def told(reference):
        seen.append(is_clearing(sys._getframe()))

    def generated():
        try:
            yield 1
        finally:
            seen.append(is_clearing(sys._getframe()))

    going = Going()
    reference = weakref.ref(going, told)
    del going
    assert reference() is None
    waits = generated()
    next(waits)
    del waits
    assert seen == [True, True, True]
    list(generated())
    assert seen[3:] == [False]

"""What somebody's code can change outside its variables: globals, attributes of modules, classes and functions.

Only code that runs changes anything. So every function of theirs that is called is noted, and with it the global names
that it reads or assigns; what lies there belongs to every state from then on.
"""

from __future__ import annotations

import builtins
import dis
import functools
import gc
import logging
import os
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code.run import is_theirs

PLAIN = (type(None), bool, int, str, bytes, Fraction, type(Ellipsis))
FIXED = (float, complex, Decimal, range, np.generic)
"""Values that never change, or whose parts are looked at by name."""
CACHED = type(functools.lru_cache(abs))
NUMPY_FUNCTION = type(np.max)
KNOWN_BY_IDENTITY = (
    *(np.ufunc, np.dtype, NUMPY_FUNCTION),
    *(CodeType, Enum, re.Pattern, logging.Logger, CACHED),
)
"""Values that are known by what they are, and by little else."""
BUILTINS = frozenset(vars(builtins))
HASHING = {"hash", "set", "frozenset"}
DELETING = {
    *("pop", "popitem", "clear", "remove", "discard", "delitem", "__delitem__", "move_to_end", "difference_update"),
    *("intersection_update", "symmetric_difference_update", "isub", "iand", "ixor", "__isub__", "__iand__", "__ixor__"),
}
SUBTRACTING = {"-=", "&=", "^="}
"""Operators that take entries out of a set."""
BY_NAME = {"globals", "setattr", "delattr", "exec", "eval", "vars", "__dict__", "__setattr__", "patch"}
"""Functions with which code changes names that do not stand in it."""
CLEARING = {
    *("__del__", "weakref", "ref", "finalize", "proxy", "WeakMethod", "WeakSet", "WeakKeyDictionary"),
    *("WeakValueDictionary", "ReferenceType"),
}
"""Names of code that may run because an object goes."""
COROUTINE = 0x80 | 0x100 | 0x200
LATE = {"cache_info", "__annotations__"}
"""What is not read as long as no code names it; where code does so later, everything is followed anew."""
LOGGING = {"getLogger", "disable", "setLevel"}
"""Where code names one of these, every logger is watched."""
OF_A_MODULE = {
    *("__name__", "__doc__", "__package__", "__loader__", "__spec__", "__file__", "__cached__", "__builtins__"),
    *("__path__", "__annotations__", "__annotate__", "__conditional_annotations__", "__warningregistry__"),
}
"""What Python itself keeps in a module."""
CHANGEABLE, IMMUTABLE = 1 << 9, 1 << 8
"""Flags of types that are made while Python runs, and of those among them whose attributes cannot be set."""


class Watch:
    """The places that the code of an audit reads or assigns by name, in the order in which they were found."""

    def __init__(self) -> None:
        self.places: list[tuple[dict[str, Any], str]] = []
        self.spaces: list[dict[str, Any]] = []
        """The globals of code that changes names which do not stand in it; all of them are watched."""
        self.hashes: str | None = None
        """The first line that makes a set or calls hash(), "file.py line 12: "."""
        self.named: set[str] = set()
        """All names in the code that has run, and ``stored`` those under which it puts what is not local."""
        self.stored: set[str] = set()
        self.deletes = False
        """Whether some of it takes entries out of something, and whether some of it has an operator that may."""
        self.subtracts = False
        self.by_name = False
        """Whether some of it changes names that do not stand in it."""
        self._known: set[tuple[int, str]] = set()
        self._imports: list[tuple[str, CodeType]] = []
        """Modules that code imports as it runs, and that are not there yet."""
        self._open: dict[int, Any] = {}
        """What lies in modules, classes and functions that are not theirs, where code can put things."""
        self.suspect = False
        """Whether something came under watch that code may have changed before: states so far may lack it."""
        self.clears = False
        """Whether some of it may run because an object goes: ``__del__``, weak references, coroutines."""
        self.looks = False
        """Whether some of it reads variables without naming them, under any name of ``locals``."""
        self._seen: dict[tuple[int, int], tuple[CodeType, dict[str, Any]]] = {}

    def note(self, code: CodeType, names: dict[str, Any]) -> None:
        """Notes that this code runs, with these globals."""
        if (id(code), id(names)) in self._seen:
            return
        self._seen[id(code), id(names)] = code, names
        self.hashes = self.hashes or _hashing(code)
        assigned, read = _global_names(code)
        self.suspect = self.suspect or bool(LATE & set(code.co_names) - self.named)
        self.named |= set(code.co_names)
        self.stored.update(assigned, _assigned_attributes(code))
        self.deletes = self.deletes or bool(DELETING & set(code.co_names)) or _deletes(code)
        self.subtracts = self.subtracts or _subtracts(code)
        self.clears = self.clears or _clears(code) or any(map(_has_del, names.values()))
        self.by_name = self.by_name or bool(BY_NAME & set(code.co_names))
        for name in assigned:
            self._add(names, name)
        if BY_NAME & set(code.co_names):
            self._add_spaces(names)
        if LOGGING & set(code.co_names):
            self._add(LOGGERS, "getLogger")
        self._imports += [(name, code) for name in _imported(code, str(names.get("__package__") or ""))]
        for name in read:
            if name in names:
                self._look(names, name, code)

    def _add_spaces(self, names: dict[str, Any]) -> None:
        """Watches all of these globals, and those of the modules of theirs among them."""
        modules = [value for value in names.values() if isinstance(value, ModuleType)]
        for found in (names, *(vars(value) for value in modules if is_theirs(getattr(value, "__file__", None) or ""))):
            if not any(space is found for space in self.spaces):
                self.spaces.append(found)

    def _look(self, names: dict[str, Any], name: str, code: CodeType, depth: int = 4) -> None:
        value = names[name]
        if isinstance(value, ModuleType) and depth:
            parts = vars(value)
            self._open_up(parts)
            for attribute in set(code.co_names) & parts.keys():
                self._look(parts, attribute, code, depth - 1)
        elif is_by_name(value):
            self.by_name = True
            self._add_spaces(names)
        elif value is locals or value is dir:
            self.looks = True
        elif not is_fixed(value):
            self._add(names, name)
            self.note_made(value)
        elif is_open_class(value) or isinstance(value, FunctionType):
            self._open_up(vars(value))

    def _open_up(self, parts: Any) -> None:
        """Watches what code puts there; if it may have done so before, states that are known lack it."""
        if id(parts) not in self._open:
            self._open[id(parts)] = parts
            self.suspect = self.suspect or bool(self.stored & parts.keys())

    def note_made(self, value: Any) -> None:
        """Notes a function that was made with exec: its calls are not told from those of named tuples."""
        if isinstance(value, FunctionType) and value.__code__.co_filename.startswith("<string"):
            self.note(value.__code__, value.__globals__)

    def _look_at_imports(self) -> None:
        """Looks at the modules that are there now."""
        there = [found for found in self._imports if found[0] in sys.modules]
        if there:
            self._imports = [found for found in self._imports if found not in there]
            for name, code in there:
                self._look(sys.modules, name, code)

    def values(self) -> list[Any]:
        """Returns what lies at these places now."""
        self._look_at_imports()
        found = [names.get(name) for names, name in self.places]
        for parts in self._open.values():
            found += [part for name in sorted(self.stored & parts.keys()) for part in (name, parts[name])]
        for names in self.spaces:
            found += data_in(names)
        if self.by_name:
            found += [(name, vars(builtins)[name]) for name in sorted(vars(builtins).keys() - BUILTINS - {"_"})]
        return found

    def _add(self, names: dict[str, Any], name: str) -> None:
        if (id(names), name) not in self._known:
            self._known.add((id(names), name))
            self.places.append((names, name))


def data_in(names: dict[str, Any]) -> list[Any]:
    """Returns what lies in a module, but for code."""
    code = ModuleType | FunctionType | type
    return [(name, value) for name, value in names.items() if name not in OF_A_MODULE and not isinstance(value, code)]


def is_fixed(value: Any) -> bool:
    """Returns whether the value cannot change: a number, text, a function or class that is not theirs."""
    if type(value) in PLAIN:
        return True
    if is_of_theirs(value):
        return False
    kind: Any = type(value)  # not what an object says that its class is
    if issubclass(kind, np.ufunc):
        return not is_made_of_python(value)
    if issubclass(kind, np.dtype):
        return not has_metadata(value) and value.names is None
    if issubclass(kind, (*FIXED, *KNOWN_BY_IDENTITY, ModuleType)):
        return not issubclass(kind, logging.Logger | CACHED)
    if isinstance(value, BuiltinFunctionType):
        return isinstance(value.__self__, ModuleType | type | None)
    if isinstance(value, FunctionType):
        return not is_theirs(value.__code__.co_filename) and not _holds_theirs(value)
    if isinstance(value, type):
        return not is_their_class(value)
    if type(value) in (tuple, frozenset):
        return all(map(is_fixed, value))
    return type(value).__module__ == "typing"


def _holds_theirs(function: FunctionType) -> bool:
    """Returns whether a function of a library holds what can change: it wraps one of theirs, or was made by exec."""
    if function.__code__.co_filename.startswith("<string"):
        return True
    held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *vars(function).values()]
    if not function.__closure__:
        return any(isinstance(part, FunctionType) and not is_fixed(part) for part in held)
    return not all(is_fixed(part) for part in (*held, *_contents(function)))


def _contents(function: FunctionType) -> list[Any]:
    """Returns what lies in the closure of a function; not the function itself."""
    found = [part for cell in function.__closure__ or () for part in gc.get_referents(cell)]
    return [part for part in found if part is not function]


def is_made_of_python(value: Any) -> bool:
    """Returns whether a ufunc calls a function of Python, as numpy.frompyfunc makes it."""
    return all(set(form) <= set("O->") for form in value.types)


def has_metadata(kind: Any) -> bool:
    """Returns whether values of this type of numpy carry more than it says: metadata may be anything."""
    if kind.metadata is not None or (kind.subdtype and has_metadata(kind.subdtype[0])):
        return True
    return any(has_metadata(field[0]) for field in (kind.fields or {}).values())


def is_by_name(value: Any) -> bool:
    """Returns whether it is a builtin with which code changes names that do not stand in it, under any name."""
    if not isinstance(value, BuiltinFunctionType):
        return False
    return value.__name__ in BY_NAME and vars(builtins).get(value.__name__) is value


def is_open_class(value: Any) -> bool:
    """Returns whether it is a class whose attributes code can set."""
    return isinstance(value, type) and value.__flags__ & (CHANGEABLE | IMMUTABLE) == CHANGEABLE


@functools.lru_cache(maxsize=4096)
def is_their_class(kind: type) -> bool:
    """Returns whether the class is written in somebody's own code; the file of its module says it, not the name."""
    if kind.__module__ == "builtins" and kind.__flags__ & CHANGEABLE and vars(builtins).get(kind.__name__) is not kind:
        return True  # made by exec, with no name of a module
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None and kind.__module__.partition(".")[0] in sys.stdlib_module_names | {"builtins"}:
        return kind.__module__ == "__main__"
    return kind.__module__ == "__main__" or is_theirs(file or "theirs")


def is_of_theirs(value: Any) -> bool:
    """Returns whether the class of the value is written in somebody's own code."""
    kind: Any = type(value)
    return is_their_class(kind)


class _Loggers(dict[str, Any]):
    """A place where all loggers lie."""

    def get(self, name: str, default: Any = None) -> Any:
        """Returns the loggers that there are, and below which level nothing is logged."""
        manager = logging.root.manager
        found = {name: one for name, one in manager.loggerDict.items() if isinstance(one, logging.Logger)}
        return manager.disable, logging.root, [found[name] for name in sorted(found)]


LOGGERS = _Loggers()


def has_fixed_hashes() -> bool:
    """Returns whether hash() of text is the same at every start of Python."""
    return not sys.flags.hash_randomization or os.environ.get("PYTHONHASHSEED", "").isdigit()


def _hashing(code: CodeType) -> str | None:
    """Returns the first line of the code that makes a set or calls hash()."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.starts_line if type(step.starts_line) is int else getattr(step, "line_number", None) or line
        if step.opname in ("BUILD_SET", "SET_ADD") or (step.opname == "LOAD_GLOBAL" and step.argval in HASHING):
            return f"{Path(code.co_filename).name} line {line}: "
    return None


@functools.lru_cache(maxsize=4096)
def _global_names(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the global names that the code assigns, and those that it reads."""
    steps = list(dis.get_instructions(code))

    def named(test: Callable[[str], bool]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(s.argval) for s in steps if test(s.opname)))

    return (
        named(lambda op: op in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME")),
        named(lambda op: op.startswith(("LOAD_GLOBAL", "LOAD_NAME"))),
    )


@functools.lru_cache(maxsize=4096)
def _assigned_attributes(code: CodeType) -> frozenset[str]:
    return frozenset(str(s.argval) for s in dis.get_instructions(code) if s.opname in ("STORE_ATTR", "DELETE_ATTR"))


@functools.lru_cache(maxsize=4096)
def _imported(code: CodeType, package: str) -> tuple[str, ...]:
    """Returns the names of the modules that the code may import; of a relative import all that it may mean."""
    names = [str(s.argval) for s in dis.get_instructions(code) if s.opname == "IMPORT_NAME"]
    parts = package.split(".") if package else []
    around = [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
    relative = [f"{outer}.{name}" if name else outer for outer in around for name in names]
    tops = [name.partition(".")[0] for name in names]
    return tuple(name for name in dict.fromkeys((*names, *tops, *relative)) if name)


@functools.lru_cache(maxsize=4096)
def _deletes(code: CodeType) -> bool:
    return any(step.opname == "DELETE_SUBSCR" for step in dis.get_instructions(code))


@functools.lru_cache(maxsize=4096)
def _subtracts(code: CodeType) -> bool:
    return any(step.opname == "BINARY_OP" and step.argrepr in SUBTRACTING for step in dis.get_instructions(code))


def _has_del(value: Any) -> bool:
    return isinstance(value, type) and hasattr(value, "__del__")


@functools.lru_cache(maxsize=4096)
def _clears(code: CodeType) -> bool:
    """Returns whether the code, or code inside it, names what runs because an object goes, or is a coroutine."""
    if code.co_flags & COROUTINE or CLEARING & {code.co_name, *code.co_names}:
        return True
    return any(_clears(inner) for inner in code.co_consts if isinstance(inner, CodeType))

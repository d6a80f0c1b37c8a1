"""Finding a user's own mechanism: file.py:Class, package.module:Class, an entry point, a table, an object.

Loading a Python file or module runs its code: this is the only place in dpaudit where a user's file is imported.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.named import canonical, is_named, kind_of
from dpaudit.mechanisms.own.mechanism import OwnMechanism
from dpaudit.mechanisms.own.user_code import OWN, describe, guarded
from dpaudit.mechanisms.source import TABLES, entry_points, sha256_of
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.rationals import Exact, positive, rational, sequence, whole
from dpaudit.posterior.model import show

NOMINAL = ("epsilon", "eps")
"""The names that a constructor may use for the nominal epsilon."""


def load_mechanism(mech: Any, eps: Exact, given: dict[str, Any]) -> Mechanism:
    """The mechanism, constructed with the nominal epsilon and the given parameters."""
    if isinstance(mech, str) and mech.lower().endswith(TABLES):
        from dpaudit.mechanisms.own.table import read_table

        _only({"adjacency"}, given, "a table of probabilities")
        _no_epsilon(eps, "a table of probabilities")
        return read_table(mech, given.get("adjacency"))
    if is_named(mech):
        return _by_name(mech, eps, given)
    target, reference = (find_class(mech), mech) if isinstance(mech, str) else (mech, _reference(mech))
    if isinstance(target, Mechanism):
        return target
    if _is_function(target):
        return _sampler(target, mech, reference, eps, given)
    if not isinstance(target, type):
        _only(set(), given, "an object that is made already")
        _no_epsilon(eps, "an object that is made already")
        settings = guarded(reference, _attributes, target)
        return _own(
            OwnMechanism(target, reference, _nominal(target, reference), settings, sha256=sha256_of("mech", mech))
        )
    arguments, settings = _arguments(target, reference, eps, given)
    made = guarded(reference, target, **arguments)
    if isinstance(made, Mechanism):
        return made
    return _own(OwnMechanism(made, reference, _nominal(made, reference), settings, sha256=sha256_of("mech", mech)))


def _by_name(mech: str, eps: Exact, given: dict[str, Any]) -> Mechanism:
    """The well-known mechanism of that name, with its declared parameters."""
    name, variants = canonical(mech)
    kind = kind_of(name)
    for key, value in variants.items():
        if given.get(key, value) != value:
            raise InputError(key, given[key], f"contradicts {mech}")
    _only({p.name for p in kind.parameters}, given, name)
    if not kind.takes_epsilon:
        _no_epsilon(eps, f"{name} (parameters: {', '.join(p.name for p in kind.parameters)})")
    values = {p.name: p.read(name, {**variants, **given}.get(p.name)) for p in kind.parameters}
    made = kind.make(**values, **({"epsilon": positive("eps", eps)} if kind.takes_epsilon else {}))
    if not made.uses_epsilon and kind.takes_epsilon:
        _no_epsilon(eps, f"{name} with these parameters")
    shown = {p.name: "auto" if values[p.name] is None else show(values[p.name]) for p in kind.parameters}
    form = OwnMechanism
    if hasattr(made, "curve"):
        from dpaudit.mechanisms.own.curve import CurveMechanism as form
    found = _own(form(made, name, positive("eps", eps) if made.uses_epsilon else None, shown))
    found.event = None if kind.event is None else kind.event.format_map(vars(made))
    return found


def _own(mechanism: OwnMechanism) -> OwnMechanism:
    """The mechanism in the form in which its law is known.

    Code that draws ideal noise and returns real numbers has densities, independent coordinates a table of their own.
    """
    if mechanism.method == "coordinates":
        from dpaudit.mechanisms.own.product import ProductMechanism

        return ProductMechanism(mechanism)
    if mechanism.method != "sample":
        return mechanism
    from dpaudit.mechanisms.own.real import with_densities

    return with_densities(mechanism)


def _is_function(target: Any) -> bool:
    """Whether this is a sampler alone, not an object with the protocol of a mechanism."""
    return callable(target) and not isinstance(target, type) and not hasattr(target, "datasets")


def _sampler(function: Any, mech: Any, reference: str, eps: Exact, given: dict[str, Any]) -> Mechanism:
    """The mechanism of a function sample(x, rng), with the data sets that were given as ``data``."""
    from dpaudit.mechanisms.own.sample import FunctionSampler  # brings numpy

    data = given.get("data")
    if data is None:
        rule = f"{reference} is a function: say for which data sets, --set data=0,1,2"
        raise InputError("set", "(missing)", rule)
    if len(_taken(function)) == 1:
        name = getattr(function, "__name__", "sample")
        rule = f"takes only the data; a sampler also takes its random source: def {name}(x, rng)"
        raise InputError("mech", reference, rule)
    more = {name: value for name, value in given.items() if name != "data"}
    arguments, settings = _arguments(function, reference, eps, more, list(_named(function).items())[2:])
    listed = _setting("data", data)
    if isinstance(listed, str | int | Fraction):
        raise InputError("data", show(data), "give at least two data sets, separated by commas: data=0,1")
    made = FunctionSampler(function, listed if isinstance(listed, tuple) else list(listed), arguments)
    settings = {"data": show(data), **settings}
    return _own(OwnMechanism(made, reference, _nominal(made, reference), settings, sha256=sha256_of("mech", mech)))


def takes(mech: Any) -> set[str]:
    """The parameters of a user's own mechanism: those of its constructor; its nominal epsilon is "eps"."""
    table = isinstance(mech, str) and mech.lower().endswith(TABLES)
    if is_named(mech):
        kind = kind_of(mech)
        return {p.name for p in kind.parameters} | ({"eps", "epsilon"} if kind.takes_epsilon else set())
    target = find_class(mech) if isinstance(mech, str) and not table else mech
    named = list(_named(target)) if isinstance(target, type) else []
    if _is_function(target):
        named = ["data", *list(_named(target))[2:]]
    return {"eps" if name in NOMINAL else name for name in named}


def _reference(mech: Any) -> str:
    kind = mech if isinstance(mech, type) or hasattr(mech, "__qualname__") else type(mech)
    return f"{kind.__module__}:{kind.__qualname__}"


def _nominal(target: Any, reference: str) -> Fraction | None:
    def find() -> Any:
        return next((getattr(target, name) for name in NOMINAL if hasattr(target, name)), None)

    value = guarded(reference, find)
    if isinstance(value, float) and hasattr(target, "datasets"):
        name = next(name for name in NOMINAL if hasattr(target, name))
        place = _line_of(type(target), rf"self\.{name}\s*=")
        rule = f"{place}self.{name} is a float, {value}; keep the exact number that it receives: self.{name} = {name}"
        raise InputError("mech", reference, rule)
    return None if value is None or isinstance(value, float) else rational("eps", value)


def _line_of(kind: type, pattern: str) -> str:
    """The place, "file.py line 3: ", where the pattern first occurs in the class; "" where it does not."""
    try:
        lines, first = inspect.getsourcelines(kind)
        where = Path(inspect.getsourcefile(kind) or "").name
    except (OSError, TypeError):
        return ""
    return next((f"{where} line {first + i}: " for i, line in enumerate(lines) if re.search(pattern, line)), "")


def find_class(reference: str) -> Any:
    """The class that "file.py:Class", "package.module:Class" or the name of an entry point refers to."""
    name = reference.strip()
    if name in entry_points():
        return guarded(reference, entry_points()[name].load)
    where, _, attribute = name.rpartition(":")
    if not where or not attribute:
        raise InputError("mech", reference, f"must be file.py:Class or package.module:Class{_classes_in(name)}")
    module = _load_file(reference, Path(where)) if where.endswith(".py") else _import(reference, where)
    found = getattr(module, attribute, None)
    if found is None:
        own = [n for n, v in vars(module).items() if isinstance(v, type) and v.__module__ == module.__name__]
        hint = f"; it has {', '.join(own)}" if own else ""
        raise InputError("mech", reference, f"there is no class {attribute} in {where}{hint}")
    return found


def classes_in(path: str) -> list[str]:
    """The names of the classes at the top level of a file, which is read but not run; none if it cannot be read."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return []
    return [step.name for step in tree.body if isinstance(step, ast.ClassDef)]


def _classes_in(path: str) -> str:
    found = classes_in(path) if path.endswith(".py") else []
    return f"; {path} has {', '.join(found)}: --mech {path}:{found[0]}" if found else ""


def _load_file(reference: str, path: Path) -> Any:
    import importlib.util

    if not path.is_file():
        several = "; one mechanism here, dpaudit report --mech takes several" if reference.count(".py:") > 1 else ""
        raise InputError("mech", reference, f"there is no file {path}{several}")
    name = f"{OWN}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("mech", reference, f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    guarded(reference, spec.loader.exec_module, module)
    return module


def _import(reference: str, name: str) -> Any:
    import importlib

    def load() -> Any:
        try:
            return importlib.import_module(name)
        except ImportError as error:
            beside = f"; for the file {name}.py: --mech {reference.replace(':', '.py:', 1)}"
            hint = beside if Path(f"{name}.py").is_file() else ""
            raise InputError("mech", reference, f"cannot be imported: {describe(error)}{hint}") from None

    return guarded(reference, load)


# ------------------------------------------------------------------ constructor parameters


def _taken(target: Any) -> dict[str, inspect.Parameter]:
    """The parameters of the constructor or function; none where they are not known."""
    try:
        return dict(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return {}


def _named(target: Any) -> dict[str, inspect.Parameter]:
    """The parameters of the constructor that can be given by name."""
    unnamed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    return {name: p for name, p in _taken(target).items() if p.kind not in unnamed}


def _arguments(
    target: Any,
    reference: str,
    eps: Exact,
    given: dict[str, Any],
    parameters: Iterable[tuple[str, inspect.Parameter]] | None = None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """The constructor's arguments; and as text all that are in force other than epsilon, the defaults too."""
    named = _named(target) if parameters is None else dict(parameters)
    nominal = next((name for name in NOMINAL if name in named), None)
    label = f"{getattr(target, '__name__', 'the function')} of {reference}"
    for name in NOMINAL:
        if given.get(name) is not None and nominal is not None:
            raise InputError(name, given[name], f"is the nominal ε of {label}: give it as --eps, in Python as eps=")
    _only(set(named) - set(NOMINAL), given, label)
    settings = {name: value for name, value in given.items() if value is not None}
    texts = {name: p.default for name, p in named.items() if isinstance(p.default, str) and name not in NOMINAL}
    arguments = {name: _setting(name, value) for name, value in {**texts, **settings}.items()}
    if nominal is None:
        _no_epsilon(eps, label)
    else:
        arguments[nominal] = positive("eps", eps)
    for name, parameter in named.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise InputError("set", "(missing)", f"{label} needs a value for {name}: --set {name}=…")
    force = {name: arguments.get(name, parameter.default) for name, parameter in named.items() if name not in NOMINAL}
    return arguments, guarded(reference, lambda: {name: _parameter_text(value) for name, value in force.items()})


def _attributes(target: Any) -> dict[str, str]:
    """The parameters of an object that exists already, as text: its attributes that its constructor names."""
    names = [name for name in _named(type(target)) if name not in NOMINAL]
    return {name: _parameter_text(getattr(target, name)) for name in names if hasattr(target, name)}


def _parameter_text(value: Any) -> str:
    """The text of a parameter; of a function, a class or an object without a text of its own, its name."""
    shown, named = show(value), value if hasattr(value, "__qualname__") else type(value)
    if named is not value and " at 0x" not in shown:
        return visible(shown)
    return visible(f"{named.__module__}:{named.__qualname__}")


DELTA = "; to claim (ε, δ): --claim eps=1,delta=1e-6; for the ε at a δ: dpaudit account --event mech:NAME --delta 1e-6"


def _only(known: set[str], given: dict[str, Any], label: str) -> None:
    for name, value in given.items():
        if value is not None and name not in known:
            has = ", ".join(sorted(known)) or "none"
            raise InputError(
                name, value, f"{label} has no such parameter (it has: {has}){DELTA if name == 'delta' else ''}"
            )


def _no_epsilon(eps: Exact, label: str) -> None:
    if eps not in (1, "1"):
        raise InputError("eps", eps, f"{label} takes no epsilon")


def _setting(name: str, value: Any) -> Any:
    """The value of a text: 3, a Fraction for "1/3", a tuple for "1,2", else the text; n and k are whole numbers."""
    if name in ("n", "k"):
        return whole(name, value, 0)
    if not isinstance(value, str):
        return value
    if "," in value:
        return tuple(_setting("", part) for part in sequence(name, value))
    try:
        number = rational(name, value)
    except InputError:
        return value
    return int(number) if number.denominator == 1 else number

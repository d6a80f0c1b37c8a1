"""Which random source a sampler asks for, by the annotation of its second parameter."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import partial
from typing import Any

from dpaudit.code.run import Refused
from dpaudit.code.source import NUMPY_STATE, REAL_GENERATOR, REAL_STATE, Source, numpy_generator

BY_NAME: dict[str, Callable[[], Any]] = {"RandomState": NUMPY_STATE, "Generator": numpy_generator, "Random": Source}
"""The sources by a part of the text of an annotation that cannot be evaluated."""
PARTS = ("__value__", "__supertype__", "__bound__", "__origin__")
"""Where an alias, a new type, a type variable and Annotated hold what they stand for."""


def source_for(sampler: Any) -> Any:
    """Returns the source for sampler(x, rng): of the kind that is annotated, or of the default; else one for most."""
    parameter = _second(sampler)
    if parameter is None:
        return Source()
    made = _named(parameter.annotation)
    if made is None and isinstance(parameter.annotation, str):
        raise Refused(
            f'the annotation "{parameter.annotation}" of {parameter.name} names nothing that can be looked up: '
            "write np.random.Generator, np.random.RandomState or random.Random"
        )
    return (made or _of_class(type(parameter.default)) or Source)()


def _second(sampler: Any) -> inspect.Parameter | None:
    """Returns the second parameter, its annotation evaluated where it is text and can be; None if there is none."""
    for evaluated in (True, False):
        try:
            parameters = list(inspect.signature(sampler, eval_str=evaluated).parameters.values())
        except Exception:  # a signature that cannot be told, or an annotation that names nothing
            continue
        return _evaluated(parameters[1], sampler) if len(parameters) > 1 else None
    return None


def _evaluated(parameter: inspect.Parameter, sampler: Any) -> inspect.Parameter:
    """Returns the parameter; an annotation that is text, and names something where the function stands, is that."""
    if not isinstance(parameter.annotation, str):
        return parameter
    function = inspect.unwrap(sampler.func if isinstance(sampler, partial) else sampler)
    try:
        return parameter.replace(annotation=eval(parameter.annotation, getattr(function, "__globals__", {})))
    except Exception:
        return parameter


def _named(annotation: Any) -> Callable[[], Any] | None:
    """Returns what makes the source that an annotation names; the first, if it names several."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return next((make for name, make in BY_NAME.items() if name in annotation), None)
    if isinstance(annotation, type) and annotation is not inspect.Parameter.empty:
        return _of_class(annotation)
    parts = [*typing.get_args(annotation), *(getattr(annotation, part, None) for part in PARTS)]
    return next((made for made in map(_named, parts) if made is not None), None) if annotation is not None else None


def _of_class(kind: type) -> Callable[[], Any] | None:
    if issubclass(kind, REAL_STATE):
        return NUMPY_STATE  # type: ignore[no-any-return]
    return numpy_generator if issubclass(kind, REAL_GENERATOR) else None

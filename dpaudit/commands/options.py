"""The options that describe a setting, the same in every command; those of a mechanism come from its declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from dpaudit.commands.common import refuse_overwriting
from dpaudit.commands.streams import kept_for_results
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.errors import InputError

Given = dict[str, Any]
"""What the command line says of the setting: the keywords of ``Setting.read``, without what is not given."""

PANEL = "Setting"
MECH = typer.Option(
    "--mech",
    metavar="NAME",
    rich_help_panel=PANEL,
    help="The mechanism; `dpaudit mechanisms` lists them; EHD/exact is a variant. Your own: file.py:Class or "
    "package.module:Class (its code runs), or a table of probabilities: pmf.csv, pmf.json, pmf.parquet.",
)
SHAPE = {
    "n": ("N", "Number of records, a whole number >= 1."),
    "k": ("K", "Number of categories >= 2. Default: the length of the prior, else 2."),
    "prior": ("A,B,…", "Dirichlet prior, positive rationals: 1,1 or 1/2,0.3. Default: all 1."),
    "eps": ("RATIONAL", "Nominal ε, exact: 1, 4/5, 0.8, 1e-2. Default: 1."),
    "adjacency": (
        "RELATION",
        "Adjacent data sets: replace-one, add-remove-one, all, or a file of pairs. Default: the mechanism's own.",
    ),
}
SET = typer.Option(
    "--set",
    metavar="NAME=VALUE",
    rich_help_panel=PANEL,
    help="A parameter of your own mechanism; may be given repeatedly.",
)


def setting_options() -> dict[str, inspect.Parameter]:
    """Returns the options by name: --mech, the shape of the model, the parameters of the registry, --set."""
    found: dict[str, Any] = {"mech": Annotated[str, MECH]}
    for name, (metavar, words) in SHAPE.items():
        found[name] = _text(f"--{name}", metavar=metavar, help=words)
    for parameter in {p.name: p for kind in REGISTRY.values() for p in kind.parameters}.values():
        having = [kind.name for kind in REGISTRY.values() if parameter.name in {p.name for p in kind.parameters}]
        names = [f"--{name.replace('_', '-')}" for name in (parameter.name, *parameter.old_names)]
        default = "" if parameter.default is None else f" Default: {parameter.default}."
        words = f"{', '.join(having)}: {parameter.rule}.{default}"
        metavar = "|".join(parameter.choices) if parameter.choices else "VALUE"
        found[parameter.name] = _text(*names, metavar=metavar, help=words)
    found["set_"] = Annotated[list[str] | None, SET]
    return {name: _parameter(name, annotation) for name, annotation in found.items()}


def _text(*names: str, **more: Any) -> Any:
    return Annotated[str | None, typer.Option(*names, rich_help_panel=PANEL, **more)]


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if name == "mech" else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def expose(command: Callable[..., None]) -> Callable[..., None]:
    """Returns the command with the options of a setting in place of its parameter ``setting``, if it has one.

    An option that the command declares itself (a range of n, say) keeps its own meaning. No output may be an input,
    and the standard output is kept for results.
    """
    hints, signature = get_type_hints(command, include_extras=True), inspect.signature(command)
    own = {
        name: p.replace(annotation=hints[name], kind=p.KEYWORD_ONLY)
        for name, p in signature.parameters.items()
        if name != "setting"
    }
    needed = setting_options() if "setting" in signature.parameters else {}
    options = {name: option for name, option in needed.items() if name not in own}

    def exposed(**given: Any) -> None:
        refuse_overwriting(given)
        with kept_for_results():
            if not options:
                return command(**given)
            return with_setting(given)

    def with_setting(given: dict[str, Any]) -> None:
        setting = {name: given.pop(name) for name in options}
        settings = parse_settings(setting.pop("set_", None))
        named = {name: value for name, value in setting.items() if value is not None}
        command(**given, setting={**named, "settings": settings} if settings else named)

    merged = {**options, **own}
    exposed.__name__, exposed.__doc__ = command.__name__, command.__doc__
    exposed.__signature__ = signature.replace(parameters=list(merged.values()))  # type: ignore[attr-defined]
    exposed.__annotations__ = {name: p.annotation for name, p in merged.items()}
    return exposed


def parse_settings(given: list[str] | None) -> dict[str, str]:
    """Returns the parameters of --set by name."""
    found: dict[str, str] = {}
    for pair in given or []:
        name, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or not name.isidentifier() or not value:
            raise InputError("set", pair, "must be NAME=VALUE")
        if name in found:
            raise InputError("set", pair, f"{name} is given twice")
        found[name] = value
    return found

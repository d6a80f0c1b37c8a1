"""The options that commands share, each declared once.

A command is a function that returns a ``Reply``. A parameter annotated with one of the groups below receives the
options of that group, and the return annotation adds the output options; a command declares its other options itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

import typer

from dpaudit.audit.page import FEW
from dpaudit.audit.setting import Setting
from dpaudit.commands import completion
from dpaudit.commands.progress import watched
from dpaudit.commands.reply import (
    Reply,
    check_outputs,
    claiming,
    emit_json,
    refuse_overwriting,
    send,
    terminable,
    writable,
)
from dpaudit.commands.streams import kept_for_results
from dpaudit.files.text import paragraphs
from dpaudit.forall.ranged import Ranged
from dpaudit.forall.ranged import read as read_ranged
from dpaudit.mechanisms import REGISTRY
from dpaudit.mechanisms.named import is_named, kind_of
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive
from dpaudit.numbers.verdict import Verdict

Given = Annotated[dict[str, Any], "setting"]
"""The setting options given on the command line: keywords for ``Setting.read``."""
Subject = Annotated[Setting, "setting", "read"]
"""The setting, read."""
Ranging = Annotated[Setting | Ranged, "setting", "read", "ranged"]
"""The setting, or one in which n, eps or the prior is "all" or a range."""
Watched = Annotated[dict[str, Any], "progress"]
"""Progress alone."""
Listing = Annotated[dict[str, Any], "digits", "memory"]
Effort = Annotated[dict[str, Any], "digits", "memory", "progress"]
Checked = Annotated[dict[str, Any], "digits", "memory", "progress", "tier", "cross_check"]
CheckedTable = Annotated[dict[str, Any], "digits", "memory", "progress", "cross_check"]
"""The effort: keywords for the API."""
Shown = Annotated[Reply, "as_json", "out"]
Certified = Annotated[Reply, "certificate", "as_json", "out"]
Judged = Annotated[Reply, "require", "certificate", "as_json", "out"]
Plotted = Annotated[Reply, "plot", "as_json", "out"]
Drawn = Annotated[Reply, "require", "certificate", "plot", "latex", "as_json", "out"]
"""The output options; the last two are for results with a picture."""
Wanted = Annotated[dict[str, Any], "certificate"]
"""For a command that must know whether a certificate is wanted."""


def option(
    name: str, metavar: str, words: str, panel: str | None = None, completed: Callable[[str], list[str]] | None = None
) -> Any:
    """An option that takes a value; ``panel`` is its kind, None for a command's own."""
    return typer.Option(name, metavar=metavar, help=words, rich_help_panel=panel, autocompletion=completed)


def flag(name: str, words: str, panel: str | None = None) -> Any:
    """An option that takes none."""
    return typer.Option(name, metavar="", help=words, rich_help_panel=panel)


SETTING = "Setting"
FAMILY = "Parameters"
PRECISION = "Precision"
OUTPUT = "Output"
"""The kinds of the shared options, as the help groups them; a command's own come first."""
MECH = typer.Option(
    "--mech",
    metavar="NAME",
    autocompletion=completion.mechanisms,
    rich_help_panel=SETTING,
    help="The mechanism: laplace, randomized-response, EHDS, …; `dpaudit mechanisms` lists them. Your own: "
    "file.py:Class or package.module:Class (its code runs), or a table of probabilities: pmf.csv, .json, .parquet.",
)
SHAPE = {
    "eps": ("RATIONAL", "Nominal ε, exact: 1, 4/5, 0.8, 1e-2. Default: 1. epsilon also takes all or 1/100..16."),
    "adjacency": (
        "RELATION",
        "Neighboring data sets: replace-one, add-remove-one (each with :counts or :records), all, a file of pairs. "
        "Default: the mechanism's own.",
    ),
    "n": ("N", "Number of records, a whole number >= 1; epsilon and calibrate also take all."),
    "k": ("K", "Number of categories >= 2. Default: the length of the prior, else 2."),
    "prior": (
        "A,B,…",
        "Dirichlet prior, positive rationals: 1,1 or 1/2,0.3. Default: all 1. epsilon also takes a box: 1/9..2,1/9..2.",
    ),
}


def text_option(panel: str, name: str, metavar: str, words: str) -> Any:
    """An option of the setting, with its panel, name, metavar and help."""
    return Annotated[str | None, typer.Option(name, metavar=metavar, help=words, rich_help_panel=panel)]


SET = typer.Option(
    "--set",
    metavar="NAME=VALUE",
    rich_help_panel=FAMILY,
    help="Any other parameter: sigma=2; repeatable. `dpaudit mechanisms NAME` lists those of a mechanism, and "
    "--sigma 2 means the same; your own mechanism: those of its constructor.",
)
TIER = (
    "exact: balls for every pair. fast: floats with a proven error bound discard pairs, balls decide the rest. "
    "Both are certified; auto chooses by size."
)


class Explicit(str):
    """The value of an option that was given, not its default."""

    __slots__ = ()


def mark_explicit(context: typer.Context, parameter: typer.CallbackParam, value: str) -> str:
    """The value, marked where the command line gives it."""
    source = context.get_parameter_source(str(parameter.name))
    return Explicit(value) if source is not None and source.name == "COMMANDLINE" else value


DIGITS = typer.Option(
    "--digits",
    metavar="D",
    callback=mark_explicit,
    help="Every enclosure has width at most 10^−D; print all its digits instead of six.",
    rich_help_panel=PRECISION,
)
CLAIM = option(
    "--claim",
    "GUARANTEE",
    "Judge this guarantee instead of the mechanism's own claim: 1 or eps=1, eps=1,delta=1e-5, rho=1/2 (zCDP), "
    "alpha=2,eps=1/2 (Rényi), mu=1 (Gaussian DP), f=0:1;1/4:1/2;1:0 (trade-off function).",
)
Claimed = Annotated[str | None, CLAIM]
"""The guarantee to judge; every command with a verdict takes it under this name."""


def file_option(name: str, words: str) -> Any:
    """The option for a file to be written; one that cannot be written is refused before any work is done."""
    option = typer.Option(name, metavar="FILE", callback=writable, help=words, rich_help_panel=OUTPUT)
    return Annotated[str | None, option]


SHARED: dict[str, tuple[Any, Any]] = {
    "digits": (Annotated[str, DIGITS], "15"),
    "memory": (
        Annotated[str, option("--memory", "GIB", "Refuse a job that needs more memory than this, in GiB.", PRECISION)],
        "2",
    ),
    "tier": (Annotated[str, option("--tier", "auto|exact|fast", TIER, PRECISION, completion.tiers)], "auto"),
    "cross_check": (
        Annotated[
            bool,
            flag(
                "--cross-check",
                "Compute the answer again in mpmath with independent code; slow, for small cases.",
                PRECISION,
            ),
        ],
        False,
    ),
    "require": (
        Annotated[bool, flag("--require", "Exit with 0 only if the claimed guarantee is proved (for CI).", OUTPUT)],
        False,
    ),
    "certificate": (file_option("--certificate", "Write a certificate that `dpaudit verify` checks."), None),
    "plot": (file_option("--plot", "Draw the result: figure.pdf, figure.svg or figure.png."), None),
    "latex": (
        Annotated[bool, flag("--latex", "For a paper: a sentence, the closed form and a table in LaTeX.", OUTPUT)],
        False,
    ),
    "as_json": (
        Annotated[bool, flag("--json", "JSON for programs: numbers as decimal strings, rounded outward.", OUTPUT)],
        False,
    ),
    "out": (file_option("--out", "Write the result to this file instead of the terminal."), None),
}
"""Annotation and default of the options that several commands have."""


def setting_options(arguments: Sequence[str]) -> dict[str, inspect.Parameter]:
    """The options by name: --mech, the shape of the model, --set; and without help the parameters of mechanisms.

    ``dpaudit mechanisms NAME`` lists those.
    """
    found: dict[str, Any] = {"mech": Annotated[str, MECH]}
    for name, (metavar, words) in SHAPE.items():
        found[name] = text_option(FAMILY if name in ("n", "k", "prior") else SETTING, f"--{name}", metavar, words)
    for name in _parameters_of(arguments):
        found.setdefault(name, Annotated[str | None, typer.Option(f"--{name.replace('_', '-')}", hidden=True)])
    found["set_"] = Annotated[list[str] | None, SET]
    return {name: _parameter(name, kind, ... if name == "mech" else None) for name, kind in found.items()}


def _parameters_of(arguments: Sequence[str]) -> Iterator[str]:
    """The parameters of the family, and those of the mechanisms that the arguments name."""
    mechs = [b for a, b in pairwise(arguments) if a == "--mech"]
    mechs += [word.removeprefix("--mech=") for word in arguments if word.startswith("--mech=")]
    kinds: list[Any] = list(REGISTRY.values())
    for name in ",".join(mechs).split(","):
        with suppress(InputError):  # an unknown variant: the setting says so
            kinds += [kind_of(name)] if is_named(name) else []
    for kind in kinds:
        yield from (p.name for p in kind.parameters)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _group(hint: Any) -> dict[str, Any]:
    """The names of the group that an annotation stands for, with defaults; none if it is an option itself."""
    words = [word.partition("=") for word in getattr(hint, "__metadata__", ()) if isinstance(word, str)]
    return {name: default or SHARED.get(name, (None, None))[1] for name, _, default in words}


def expose(command: Callable[..., Reply | None], arguments: Sequence[str] = ()) -> Callable[..., None]:
    """The command as typer takes it: the options of its groups in their place, the reply sent.

    The parameters of the mechanisms that the ``arguments`` name are options too.

    An option that the command declares itself (a range of n, say) keeps its own meaning. No output may be an input,
    and the standard output is kept for results.
    """
    hints, signature = get_type_hints(command, include_extras=True), inspect.signature(command)
    groups = {name: _group(hint) for name, hint in hints.items()}
    own = {
        name: p.replace(annotation=hints[name], kind=p.KEYWORD_ONLY)
        for name, p in signature.parameters.items()
        if not groups[name]
    }
    options = setting_options(arguments) if groups.get("setting") else {}
    shared = {name: default for words in groups.values() for name, default in words.items() if name in SHARED}
    last = {name: _parameter(name, SHARED[name][0], default) for name, default in shared.items()}
    merged = {**{name: option for name, option in options.items() if name not in own}, **own, **last}

    def exposed(**given: Any) -> None:
        refuse_overwriting(given)
        set_, as_json, out = (given.get(name) for name in ("set_", "as_json", "out"))
        with kept_for_results(), terminable():
            try:
                run(given)
            except InputError as error:
                if type(error) is InputError and error.option in _names(set_):
                    raise InputError("set", f"{error.option}={error.value}", error.rule) from None
                raise
            except PrecisionExhausted as error:
                if as_json:
                    emit_json({"verdict": {"word": Verdict.UNDECIDED.value}, "reason": str(error)}, out)
                raise

    def run(given: dict[str, Any]) -> None:
        own_options = {name: given.pop(name) for name in merged if name not in own}
        if groups.get("setting"):
            given["setting"] = _setting({name: own_options[name] for name in options if name in own_options})
        label = own_options.get("mech") or command.__name__
        if own_options.get("plot") is not None:
            from dpaudit.charts.style import check_format

            check_format("plot", own_options["plot"])
        digits = None if isinstance(own_options.get("digits"), Explicit) else FEW
        with watched(label) if groups.get("effort") else nullcontext() as progress:
            if "read" in groups.get("setting", ()):
                reader = read_ranged if "ranged" in groups["setting"] else Setting.read
                given["setting"] = reader(**given["setting"])
                check_outputs(given["setting"], own_options.get("certificate"), own_options.get("plot"))
                if own_options.get("require") and given.get("claim") is None:
                    claiming(given["setting"].mechanism)
            if groups.get("effort"):
                given["effort"] = _effort({**own_options, "progress": progress}, groups["effort"])
            if groups.get("wanted"):
                given["wanted"] = {name: own_options[name] for name in groups["wanted"]}
            reply = command(**given)
        if reply is not None:
            send(reply, **{name: own_options[name] for name in groups["return"]}, digits=digits)

    exposed.__name__, exposed.__doc__ = command.__name__, paragraphs(command.__doc__)
    exposed.__signature__ = signature.replace(parameters=list(merged.values()))  # type: ignore[attr-defined]
    exposed.__annotations__ = {name: p.annotation for name, p in merged.items()}
    return exposed


def _names(pairs: list[str] | None) -> set[str]:
    """The names that --set gives."""
    return {pair.partition("=")[0].strip() for pair in pairs or ()}


def _setting(given: dict[str, Any]) -> dict[str, Any]:
    settings = parse_settings(given.pop("set_", None))
    named = {name: value for name, value in given.items() if value is not None}
    return {**named, "settings": settings} if settings else named


def _effort(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The keywords of that group; the memory, given in GiB, in bytes."""
    return {name: int(positive(name, given[name]) * 2**30) if name == "memory" else given[name] for name in names}


def parse_settings(given: list[str] | None) -> dict[str, str]:
    """The parameters of --set by name."""
    found: dict[str, str] = {}
    for pair in given or []:
        name, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or not name.isidentifier() or not value:
            raise InputError("set", pair, "must be NAME=VALUE")
        if name in found:
            raise InputError("set", pair, f"{name} is given twice")
        found[name] = value
    return found

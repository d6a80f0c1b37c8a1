"""The entry point ``dpaudit``: commands, one-line errors, clean Ctrl-C."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from dpaudit.files.text import paragraphs
from dpaudit.files.writing import NotWritten
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.version import __version__

COMMANDS: dict[str, dict[str, str]] = {
    "Audit": {
        **dict.fromkeys(("epsilon", "delta", "judge"), "audits"),
        "profile": "profile",
        "account": "account",
        **dict.fromkeys(("table", "pmf"), "audits"),
        "explain": "explain",
    },
    "Use": {
        "mechanisms": "mechanisms",
        "accuracy": "accuracy",
        "calibrate": "calibrate",
        "compare": "compare",
        "release": "release",
        "shuffle": "shuffle",
        "sensitivity": "audits",
    },
    "Prove": {"search": "search", "samples": "samples", "suite": "suite", "claims": "claims", "check": "claims"},
    "Evidence": {"verify": "verify", "export": "export", "report": "report", "render": "report"},
    "Many": {"sweep": "sweep"},
}
"""The commands by group of the help, each with its module in dpaudit/commands; loaded when it is called."""


def function_of(name: str) -> Callable[..., Any]:
    """The function behind a command."""
    module = next(group[name] for group in COMMANDS.values() if name in group)
    found: Callable[..., Any] = getattr(import_module(f"dpaudit.commands.{module}"), name)
    return found


class AsWritten:
    """In place of typer's conversion by pydantic, whose import takes longer than a small audit: nothing is converted.

    For text, lists of texts and flags alone: typer converts any other type.
    """

    TYPES = (str, list[str], bool)

    def coerce(self, value: Any, param: Any, **_: Any) -> Any:
        """The value as it was written; those of a parameter that may be repeated in a list."""
        return list(value or ()) if param.multiple or param.nargs == -1 else value


class Plain:
    """A command whose parameters are taken as written, and whose help names no type for a flag."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, with --help."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            described = getattr(parameter, "type_descriptor", None)  # typer before 0.29 has none, and asks no pydantic
            if described is not None and described.annotation in AsWritten.TYPES:
                parameter._runtime_param = AsWritten()
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return found


class Command(Plain, TyperCommand):
    """A command of ``dpaudit``."""


def built(name: str, arguments: Sequence[str] = ()) -> Any:
    """The command as typer has it; the mechanism that the arguments name has options of its own."""
    from dpaudit.commands.options import expose

    app = typer.Typer(rich_markup_mode="rich", add_completion=False, pretty_exceptions_enable=False)
    kind = next(kind for kind, group in COMMANDS.items() if name in group)
    app.command(name, cls=Command, rich_help_panel=kind)(expose(function_of(name), arguments))
    return get_command(app)


def plainly(words: list[str]) -> list[str]:
    """The words of a command line with what is meant by "help epsilon" and by "epsilon EHDS"."""
    if words[:1] == ["help"]:
        return [*words[1:2], "--help"]
    commands = {name for group in COMMANDS.values() for name in group}
    if len(words) < 2 or words[0] not in commands or words[1].startswith("-") or "--mech" in words:
        return words
    hints = get_type_hints(function_of(words[0]), include_extras=True)
    said = [mark for hint in hints.values() for mark in getattr(hint, "__metadata__", ())]
    takes_words = any(isinstance(mark, typer.models.ArgumentInfo) for mark in said)
    return words if takes_words or "setting" not in said else [words[0], "--mech", *words[1:]]


class Group(Plain, TyperGroup):
    """``dpaudit`` itself, whose commands are built when they are called, or listed in its help."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given | {"commands": {name: None for group in COMMANDS.values() for name in group}})
        self.chosen: Any = None
        self.arguments: list[str] = []

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments, and keeps them for the command that is built."""
        self.arguments = plainly(args)
        found: list[str] = super().parse_args(ctx, self.arguments)
        return found

    def get_command(self, ctx: Any, name: str) -> Any:
        """The command of this name, built once; None of an unknown one."""
        if name not in self.commands:
            return None
        self.chosen = self.commands[name] = self.commands[name] or built(name, self.arguments)
        return self.chosen


def make_app() -> typer.Typer:
    """The command line; its options follow the registry as it is now."""
    app = typer.Typer(
        name="dpaudit",
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(help=paragraphs(options.__doc__))(options)
    return app


def _version(value: bool) -> None:
    if value:
        print(f"dpaudit {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """An exact auditor for differential privacy: true ε and δ in certified arithmetic.

    Exit codes: 0 done; 1 the answer is no: --require was given and a claim is refuted, a certificate is REJECTED, a
    verdict differs from --expect, jobs of a sweep failed; 2 bad input, or --require was given and nothing is claimed;
    3 undecided; 70 an internal error of dpaudit; 74 the output could not be written; 130 interrupted; 141 the reader
    of a pipe went away; 143 ended by SIGTERM.
    """


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code; bad input is one line on stderr, never a traceback."""
    _prepare_streams()
    app: Any = get_command(make_app())
    try:
        code = int(app(arguments, prog_name="dpaudit", standalone_mode=False) or 0)
        sys.stdout.flush()
        return _fail("interrupted", INTERRUPTED) if code == INTERRUPTED else code
    except InputError as error:
        line = error.line(_spelt(error.option, app.chosen))
        return _fail(line, NOT_WRITTEN if isinstance(error, NotWritten) else 2)
    except TyperException as error:
        text = " ".join(error.format_message().split())
        asked = f"{getattr(app.chosen, 'name', '')}: {text}"
        hints = [hint for start, hint in HINTS.items() if text.startswith(start) or asked.startswith(start)]
        text += hints[0] if hints else _help(text, app)
        return _fail(text, 2) if text else 2
    except PrecisionExhausted as error:
        return _fail(str(error), 3)
    except MemoryError:
        return _fail("out of memory: take a smaller n or k", 2)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except SystemExit:  # typer's answer to a closed pipe
        return _output_failed(BrokenPipeError())
    except OSError as error:
        return _output_failed(error)
    except BaseException:  # no verdict: the exit code must not look like one
        traceback.print_exc()
        return _fail("this is an internal error of dpaudit; nothing is decided", FAULT)


def _spelt(option: str, command: Any) -> str:
    """As "--option" where the command has such an option, else the bare name of what is wrong."""
    names = set() if command is None else {name for p in command.params for name in p.opts}
    spelt = f"--{option.replace('_', '-')}"
    return spelt if spelt in names else option


def _help(text: str, app: Any) -> str:
    """Where the commands or options are, if the text says that one is unknown; -n is meant as --n."""
    chosen = app.chosen
    if text.startswith("No such command") and "Did you mean" not in text:
        return " `dpaudit help` lists them; to audit a mechanism: dpaudit epsilon NAME"
    if chosen is None or not text.startswith(("No such option", "Got unexpected")) or "(Possible" in text:
        return ""
    short = re.fullmatch(r"No such option: -([a-z])", text)
    if short is not None and _spelt(short[1], chosen) != short[1]:
        return f". Did you mean --{short[1]}?"
    return f"; see dpaudit {chosen.name} --help"


HINTS = {
    "Missing option '--mech'": " `dpaudit mechanisms` lists them; your own: --mech file.py:Class",
    "Missing option '--at'": " Say at which ε: --at 1",
    "Missing option '--x'": " Say for which data set: --x 3,7 (counts), or its name",
    "Missing option '--event'": ' Say which releases: --event "gaussian:sigma=4 x 1000"',
    "No such command 'audit'": " To audit a mechanism: dpaudit epsilon NAME",
    "No such command 'compose'": " Releases are added up by `dpaudit account --event …`",
    "No such option: --scale": "; Laplace noise of scale b at sensitivity Δ is --eps Δ/b, Gaussian noise takes --sigma",
    "account: No such option: --eps": "; δ at an ε: --at 1",
    "shuffle: No such option: --mech": "; it is about randomized response: --eps 1 --k 2 --n 1000 --delta 1e-6",
    "epsilon: No such option: --shuffle": "; `dpaudit shuffle` has the ε of shuffled reports",
    "search: No such option: --plot": "; `dpaudit report` draws the true ε by n",
    "search: No such option: --latex": "; `dpaudit epsilon --latex` is for one n",
}
"""What may be given instead, by the start of the message, with the command before it where only that means it."""

INTERRUPTED = 130
CLOSED_PIPE = 141
NOT_WRITTEN = 74
FAULT = 70


def _prepare_streams() -> None:
    """A sign that the terminal cannot show becomes a question mark; a stream that is closed stays unwritable.

    Its number is taken, so that no file gets it. What is said on a closed stderr is lost; a result that cannot go to a
    closed standard output is an error.
    """
    sys.set_int_max_str_digits(10**5)
    for number, name, how in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        stream = getattr(sys, name)
        if stream is None:
            taken = os.open(os.devnull, how)
            if taken != number:
                os.dup2(taken, number)
                os.close(taken)
            setattr(sys, name, open(number, "r" if not number else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
        elif number and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _output_failed(error: OSError) -> int:
    """The code for an output that went nowhere; what is still buffered is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    return _fail(f"the output could not be written: {error.strerror or error}", NOT_WRITTEN)


def _fail(message: str, code: int) -> int:
    with suppress(OSError, ValueError):  # there may be no stderr any more
        print(f"dpaudit: {visible(message)}", file=sys.stderr)
    return code


def run() -> None:
    """The console script."""
    if os.environ.get("_DPAUDIT_COMPLETE") == "complete_bash":
        from dpaudit.commands.completion import in_bash

        in_bash(lambda: get_command(make_app())(prog_name="dpaudit"))
    else:
        sys.exit(main())


if __name__ == "__main__":
    run()

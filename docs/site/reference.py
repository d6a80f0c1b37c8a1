"""The reference page of the commands, as the command line declares them."""

import re
from typing import Any

from typer.main import get_command

from dpaudit.cli import COMMANDS, built, make_app

OPTION, CODE = re.compile(r"(?<![\w-])(--[a-z][\w-]*)"), re.compile(r"(`[^`]*`)")
"""An option in a text, and a piece of code in backticks."""


def commands() -> str:
    """Returns the page of all commands, by the groups of ``dpaudit --help``."""
    app: Any = get_command(make_app())
    parts = ["# Commands\n\nMade from the command line itself; `dpaudit COMMAND --help` says the same.\n\n"]
    parts += [f"{_summary(app)}\n"]
    for group, names in COMMANDS.items():
        parts.append(f"## {group}\n")
        parts += [_command(built(name)) for name in names]
    return "\n".join(parts)


def _summary(app: Any) -> str:
    return escaped(str(app.help))


def _command(command: Any) -> str:
    """Returns the section of a command: what it says of itself, its examples, its options by their kind."""
    words, _, examples = (command.help or "").partition("Example")
    shown = [line.strip() for line in examples.partition("\n")[2].splitlines() if line.strip()]
    commands = [line for line in shown if line.startswith("dpaudit ")]
    notes = [line for line in shown if line not in commands]
    parts = [f"### dpaudit {command.name}\n", escaped(words.strip()) + "\n"]
    parts += ["```bash\n" + "\n".join(commands) + "\n```\n"] if commands else []
    parts += [escaped(note) + "\n" for note in notes]
    kinds: dict[str, list[Any]] = {}
    for parameter in command.params:
        if parameter.name != "help" and not getattr(parameter, "hidden", False):
            kinds.setdefault(getattr(parameter, "rich_help_panel", None) or "Options", []).append(parameter)
    return "\n".join([*parts, *(_options(kind, found) for kind, found in kinds.items())])


def _options(kind: str, parameters: list[Any]) -> str:
    rows = [f"| {_names(parameter)} | {cell(parameter.help or '')}{_default(parameter)} |" for parameter in parameters]
    return "\n".join([f"| {cell(kind)} | |", "|---|---|", *rows]) + "\n"


def _names(parameter: Any) -> str:
    """Returns the names of an option with the word for its value, or the word of an argument."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
    return ", ".join(f"`{name}{value}`" for name in parameter.opts).replace("|", "\\|")


def _default(parameter: Any) -> str:
    if parameter.required:
        return " *Required.*"
    known = parameter.default
    return f" Default: `{known}`." if isinstance(known, str) and "Default" not in (parameter.help or "") else ""


def cell(words: str) -> str:
    """Returns the words as a cell of a table takes them."""
    return escaped(words).replace("|", "\\|").replace("\n", " ")


def escaped(words: str) -> str:
    """Returns the words as Markdown takes them: nothing but code in backticks is markup."""
    said = [piece if piece.startswith("`") else OPTION.sub(r"`\1`", piece) for piece in CODE.split(words)]
    pieces = CODE.split("".join(said))
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", piece) for piece in pieces)

"""What the pages show, in order: files, commands with the lines below them, modules. A page is one session."""

import json
import re
import shlex
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from typer.exceptions import TyperException

from dpaudit.cli import COMMANDS, built
from dpaudit.mechanisms import named as mechanisms

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"(?<=\n)(?: {4}.*\n|\n(?= {4}))+")
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"# ([\w./-]+\.(?:py|toml|yml))(?:,.*)?\n")
"""The first line of a file that is shown: a comment in its own language, so that it may be pasted as it is."""
PROGRAMS = ("dpaudit", "pytest", "python")
"""What is run; what installs something (pip, apt-get) is not."""
COMMAND = re.compile(rf"(?:\$ )?((?:{'|'.join(PROGRAMS)}) .*)")
TABLE = re.compile(r"(?:[^\s$]*,[^\s$]*\n){3}")
LEFT_OUT = "…"


@dataclass
class Command:
    """A command as it may be pasted, and what is shown below it; "…" stands for what is left out."""

    words: str
    lines: list[str] = field(default_factory=list)

    @property
    def called(self):
        """Returns the words without a remark behind them."""
        return re.split(r"\s+# ", self.words, maxsplit=1)[0].strip()

    def calls(self):
        """Returns the words of each program that it calls; an "echo $?" at the end asks for the exit code."""
        return [shlex.split(call) for call in self.called.removesuffix("; echo $?").split(" && ")]

    @property
    def asks_for_the_code(self):
        return self.called.endswith("; echo $?")


@dataclass
class File:
    """A file that the reader makes, with all that is shown of it."""

    name: str
    text: str

    def steps(self):
        """Returns the commands that a workflow runs."""
        found = re.findall(r"^ *- run: (.*)$", self.text, re.MULTILINE) if self.name.endswith(".yml") else ()
        return [Command(words) for words in found if words.startswith(PROGRAMS)]


def outdented(block):
    return re.sub(r"^ {4}", "", block, flags=re.MULTILINE).lstrip("\n")


def parts(text):
    """Yields the blocks of code, in the order of the page: (text, whether it is a module in Python)."""
    open_text = FENCE.sub(lambda m: re.sub(r"[^\n]", "-", m[0]), text)
    found = [(m.start(), outdented(m[0]), False) for m in BLOCK.finditer(open_text)]
    found += [(m.start(), m[1], True) for m in FENCE.finditer(text)]
    for _, block, module in sorted(found):
        yield block, module


def session(path):
    """Returns the files and commands of a page in the order in which the reader meets them."""
    return [item for block, _, after in followed(path.read_text()) for item in met(block, after)]


def followed(text):
    """Yields the blocks of code as ``parts`` does, each with the text of the one after it."""
    for (block, module), (after, _) in pairwise([*parts(text), ("", False)]):
        yield block, module, after


def met(block, after=""):
    """Returns the files of a block, the commands of a workflow among them, and its commands."""
    found = []
    for file in files(block, after):
        found += [file, *file.steps()]
    return found + list(commands(block))


def files(block, after=""):
    """Yields the files of a block: each begins with its name in a comment; a bare table is the next block's."""
    shown = re.split(r"^\$ ", block, maxsplit=1, flags=re.MULTILINE)[0]
    starts = [m for m in NAME.finditer(shown) if m.start() == 0 or shown[m.start() - 1] == "\n"]
    ends = [m.start() for m in starts[1:]] + [len(shown)]
    yield from (File(m[1], shown[m.start() : end]) for m, end in zip(starts, ends, strict=False))
    table, used = TABLE.match(shown), re.match(r"\$ dpaudit \w+ (\w+\.csv)\b", after)
    if table and used:
        yield File(used[1], table[0])


def commands(block):
    """Yields the commands of a block; only those after a "$" have lines below them."""
    with_prompt = bool(re.search(r"^\$ ", block, re.MULTILINE))
    current = None
    for line in block.splitlines():
        match = COMMAND.match(line)
        if match and line.startswith("$ ") == with_prompt:
            current = Command(match[1].strip())
            yield current
        elif current is not None and with_prompt and line.strip():
            current.lines.append(line)


STAND_IN = re.compile(r"(?<![\w-])(?:FILE|ID|NAME|COMMAND|FOLDER|MODULE)\b|…|\.\.\.|\[")


def prose(path):
    """Returns the text of a page, or the words of a notebook, without blocks of code."""
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text())["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.sub(
        r"^ *(?:>>>|\.\.\. ).*\n(?: {6}.*\n)?", "", BLOCK.sub("\n", FENCE.sub("", path.read_text())), flags=re.M
    )


def spans(path):
    """Returns the pieces of code within the text."""
    return [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", prose(path))]


def inline(path):
    """Returns the commands within the text that could be pasted: without stand-ins for values."""
    return [words for words in spans(path) if re.match(r"dpaudit [a-z]", words) and not STAND_IN.search(words)]


BORDER = re.compile(r"[\s━─┏┓┗┛┳┻╇╈┡┩└┘├┤┬┴┼╋]*")


def plain(line):
    """Returns the line without frames and without what differs from run to run: the time that it took."""
    line = re.sub(r"[│┃]", " ", line)
    return " ".join(re.sub(r"\b[\d.]+ ?s$", "… s", line.rstrip()).split())


def comparable(lines):
    """Returns the lines as they are compared: no frames, no empty lines."""
    return [plain(line) for line in lines if not BORDER.fullmatch(line)]


def differs(printed, lines):
    """Returns the first line that is not printed in its place, or None where what is shown is what is printed.

    The lines are all that is printed, one below the other; a line "…" stands for at least one that is left out, a "…"
    in a line for some of its signs.
    """
    found, form = "".join(f"{line}\n" for line in comparable(printed)), ""
    for wanted in comparable(lines):
        inside = ".*".join(re.escape(part) for part in wanted.split(LEFT_OUT))
        form += r"(?:.*\n)+?" if wanted == LEFT_OUT else f"{inside}\n"
        if not re.match(form, found):
            return wanted
    return None if not lines or re.fullmatch(form, found) else "(more is printed: mark what is left out with …)"


# ------------------------------------------------------------------ the command line


def named(path):
    return str(path.relative_to(ROOT))


COMMAND_NAMES = [name for group in COMMANDS.values() for name in group]
command = cache(built)


def read(words):
    """Reads the words as the command line does, without running them: an option that is not there is an error."""
    name, *rest = words[1:]
    try:
        command(name).make_context(name, rest)
    except TyperException as error:
        if type(error).__name__ not in ("MissingParameter", "BadOptionUsage"):  # prose may name an option alone
            raise


def options_of(name=None):
    """Returns the options of a command, or of all of them, with the parameters of the mechanisms by name."""
    chosen = COMMAND_NAMES if name is None else [name]
    found = {option for each in chosen for parameter in command(each).params for option in parameter.opts}
    declared = (
        (p.name for row in mechanisms.names() for p in mechanisms.kind_of(row).parameters) if name is None else ()
    )
    return found | {f"--{own}" for own in declared}


def default_of(name, option):
    """Returns the default of an option as the command line has it, or as its help says."""
    (parameter,) = [parameter for parameter in command(name).params if option in parameter.opts]
    said = re.search(r"Default: (\w+)\.", parameter.help or "")
    return said[1] if said else str(parameter.default)

"""What the pages show, in order: files, commands with the lines below them, modules. A page is one session."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(?: {4}.*\n|\n(?= {4}))+", re.MULTILINE)
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"# ([\w./-]+\.(?:py|toml|yml|csv))(?:,.*)?\n")
"""The first line of a file that is shown."""
COMMAND = re.compile(r"(?:\$ )?((?:dpaudit|pytest) .*)")
TABLE = re.compile(r"(?:[^\s$]*,[^\s$]*\n){3}")


@dataclass
class Command:
    """A command as it may be pasted, and what is shown below it; "…" (or a line "...") stands for what is left out."""

    words: str
    lines: list[str] = field(default_factory=list)

    def calls(self):
        """Returns the words of each program that it calls; an "echo $?" at the end asks for the exit code."""
        calls = self.words.removesuffix("; echo $?").split(" && ")
        return [shlex.split(call, comments=True) for call in calls]

    @property
    def asks_for_the_code(self):
        return self.words.endswith("; echo $?")


@dataclass
class File:
    """A file that the reader makes."""

    name: str
    text: str


def outdented(block):
    return re.sub(r"^ {4}", "", block, flags=re.MULTILINE).lstrip("\n")


def parts(text):
    """Yields the blocks of code, in the order of the page: (text, whether it is a module in Python)."""
    found = [(m.start(), outdented(m[0]), False) for m in BLOCK.finditer(text)]
    found += [(m.start(), m[1], True) for m in FENCE.finditer(text)]
    for _, block, module in sorted(found):
        yield block, module


def session(path):
    """Returns the files and commands of a page in the order in which the reader meets them."""
    found, text = [], path.read_text()
    for block, _ in parts(text):
        found += files(block)
        found += commands(block)
    return found


def files(block):
    """Yields the files of a block: each begins with its name in a comment; a bare table is the next command's."""
    shown = re.split(r"^\$ ", block, maxsplit=1, flags=re.MULTILINE)[0]
    starts = [m for m in NAME.finditer(shown) if m.start() == 0 or shown[m.start() - 1] == "\n"]
    ends = [m.start() for m in starts[1:]] + [len(shown)]
    yield from (File(m[1], shown[m.end() :][: end - m.end()]) for m, end in zip(starts, ends, strict=False))
    table, used = TABLE.match(shown), re.search(r"^\$ dpaudit \w+ (\w+\.csv)\b", block, re.MULTILINE)
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


STAND_IN = re.compile(r"(?<![\w-])(?:FILE|ID|NAME|COMMAND)\b|…|\.\.\.")


def inline(path):
    """Returns the commands within the text that could be pasted: with options, and without stand-ins for values."""
    found = re.findall(r"`(dpaudit \w+ [^`\n]*--[^`\n]*)`", path.read_text())
    return [words for words in found if not STAND_IN.search(words)]

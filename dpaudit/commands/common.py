"""What the commands share: options, output as text or JSON, progress, errors."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from dpaudit.commands.streams import stdout
from dpaudit.files.writing import check_writable, refuse_inputs, write_file
from dpaudit.mechanisms.base import text
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.rationals import positive
from dpaudit.numbers.verdict import Verdict


def check_out(out: str | None) -> str | None:
    """Returns the path; a file that cannot be written is refused before any work is done."""
    return _writable("out", out)


def check_certificate(path: str | None) -> str | None:
    """Returns the path; the same for --certificate."""
    return _writable("certificate", path)


def check_junit(path: str | None) -> str | None:
    """Returns the path; the same for --junit."""
    return _writable("junit", path)


def _writable(option: str, name: str | None) -> str | None:
    if name is not None:
        check_writable(option, name)
    return name


INPUTS = ("mech", "adjacency", "file", "plan", "result", "expect", "module")
OUTPUTS = ("out", "certificate", "junit", "export")
"""Parameters of the commands that name files."""


def refuse_overwriting(given: Mapping[str, Any]) -> None:
    """Refuses an output that is one of the files that the command reads, or another of its outputs."""
    read = [str(given[name]) for name in INPUTS if given.get(name)]
    read += [pair.partition("=")[2] for pair in given.get("set_") or ()]
    read += [file for name in read if (file := name.rpartition(":")[0])]
    taken = [name for name in read if Path(name).is_file()]
    for option in OUTPUTS:
        named = given.get(option)
        for path in [named] if isinstance(named, str) else named or []:
            refuse_inputs(option, path, taken)
            taken.append(path)


Digits = Annotated[str, typer.Option("--digits", metavar="D", help="Every enclosure has width at most 10^−D.")]
Json = Annotated[bool, typer.Option("--json", help="JSON for programs: numbers as decimal strings, rounded outward.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", metavar="FILE", callback=check_out, help="Write the result to this file, not to the terminal."
    ),
]
Memory = Annotated[
    str, typer.Option("--memory", metavar="GIB", help="Refuse a job that needs more memory than this many GiB.")
]
Tier = Annotated[
    str,
    typer.Option(
        "--tier",
        metavar="auto|exact|fast",
        help="exact: balls for everything. fast: floats with a proven error bound discard, balls decide the rest. "
        "Both are certified; auto chooses by size.",
    ),
]
Certificate = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        callback=check_certificate,
        help="Write a certificate that `dpaudit verify` checks.",
    ),
]
Require = Annotated[
    bool, typer.Option("--require", help="Exit with 0 only if the claimed guarantee is proved (for CI).")
]


def memory_bytes(text: str) -> int:
    """Returns the bound in bytes; the option is in GiB."""
    return int(positive("memory", text) * 2**30)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yields a progress callback that draws on stderr if it is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, emoji=False), transient=True) as bar:
        task = bar.add_task(visible(label), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Terminated(KeyboardInterrupt):
    """SIGTERM came: like Ctrl-C, it unwinds everything that runs."""


@contextmanager
def terminable() -> Iterator[None]:
    """Makes SIGTERM end the block and its workers as Ctrl-C does, with one line and exit code 143."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the end is not to be interrupted
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except Terminated:
        print("dpaudit: terminated", file=sys.stderr)
        raise typer.Exit(128 + signal.SIGTERM) from None
    finally:
        signal.signal(signal.SIGTERM, before)


WIDE = 10_000
"""Columns where the output is no terminal: nothing is folded there, so that numbers can be copied."""


def listing(*columns: str, prose: Sequence[str] = ()) -> Any:
    """Returns a table whose cells are folded where they do not fit, never cut; columns of prose stay narrow."""
    from rich.table import Table

    table = Table()
    for title in columns:
        table.add_column(title, overflow="fold", max_width=56 if title in prose else None)
    return table


def emit(payload: Any, render: Callable[[Any], None], as_json: bool, out: str | None) -> None:
    """Writes the payload as JSON, or what ``render(console)`` draws, to the terminal or to the file ``out``."""
    stream = stdout()
    if out is None and not as_json and stream.isatty():
        from rich.console import Console

        render(Console(file=stream, highlight=False, emoji=False))
    else:
        page = _json(payload) if as_json else _page(render)
        if out is not None:
            write_file("out", out, page)
            print(f"written: {visible(out)}", file=sys.stderr)
            return
        stream.write(page)
    stream.flush()


def _json(payload: Any) -> str:
    return json.dumps(payload, ensure_ascii=False, indent=2) + "\n"


def _page(render: Callable[[Any], None]) -> str:
    """Returns what is drawn, for a file or a pipe: nothing is folded, and nothing but the line ends acts."""
    from io import StringIO

    from rich.console import Console

    page = StringIO()
    render(Console(file=page, highlight=False, emoji=False, width=WIDE, soft_wrap=True))
    return "".join(f"{visible(line.rstrip())}\n" for line in page.getvalue().split("\n")[:-1])


def fields(console: Any, rows: list[tuple[str, str]]) -> None:
    """Draws a two-column table of names and values."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    console.print(table)


def decimal(value: Fraction) -> str:
    """Returns a rational of at most 8 digits as a decimal, exactly; any other as a fraction."""
    shown = f"{float(value):.8g}"
    return shown if Fraction(shown) == value else str(value)


def cells(value: Any) -> str:
    """Returns "(4, 4)" for a histogram or an output, any other data set as its text; safe as markup."""
    from rich.markup import escape

    return escape(text(value))


def certifiable(mechanism: Any, path: str | None) -> None:
    """Refuses a certificate of a mechanism that the verifier does not know, before any work is done."""
    if path is not None:
        from dpaudit.evidence import certificate

        certificate.check_possible(mechanism)


def certify(result: Any, path: str | None) -> None:
    """Writes the certificate of a result, or of several, if a path is given."""
    if path is not None:
        from dpaudit.evidence import certificate

        certificate.write(result, path)
        print(f"written: {visible(path)}", file=sys.stderr)


def claiming(mechanism: Any, require: bool) -> None:
    """Refuses --require where nothing is claimed, before any work is done."""
    if require and mechanism.claimed_here() is None:
        raise _nothing_claimed(mechanism)


def _nothing_claimed(mechanism: Any) -> InputError:
    rule = f"{mechanism.name} claims nothing here, so nothing can be required of it; is its claimed() misspelt?"
    return InputError("require", "yes", rule)


def finish(result: Any, certificate: str | None, require: bool) -> None:
    """Writes the certificate if one is wanted; with --require, exits with 0 only if the claim is proved.

    1: it is refuted; 2: nothing is claimed; 3: it is neither proved nor refuted.
    """
    certify(result, certificate)
    first = result[0] if isinstance(result, list) else result
    claim = first.claim
    if not require or claim.verdict is Verdict.PROVED:
        return
    if claim.verdict is Verdict.REFUTED:
        raise typer.Exit(1)
    if claim.guarantee is None:
        raise _nothing_claimed(first.subject.mechanism)
    undecided(f"the claim, {claim.guarantee.text()}, is neither proved nor refuted by this")


def undecided(reason: str) -> NoReturn:
    """Says in one line why --require is not met, and ends with 3."""
    print(f"dpaudit: --require: undecided: {visible(reason)}", file=sys.stderr)
    raise typer.Exit(3)


COLOURS = {
    "PROVED": "green",
    "REFUTED": "red",
    "IMPOSSIBLE": "red",
    "UNDECIDED": "yellow",
    "UNWITNESSED": "yellow",
    "MEASURED": "cyan",
}


def badge(verdict: str) -> str:
    """Returns the verdict in its colour."""
    return f"[bold {COLOURS[verdict]}]{verdict}[/]"

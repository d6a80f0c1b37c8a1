"""What the commands share: options, output as text or JSON, progress, errors."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from dpaudit.mechanisms.base import text
from dpaudit.numbers.errors import InputError
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
    if name is None:
        return None
    path = Path(name)
    existed = path.exists()
    try:
        with path.open("a"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise InputError(option, name, f"cannot be written: {error.strerror or error}") from None
    return name


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
Require = Annotated[bool, typer.Option("--require", help="Exit with 1 if the claimed guarantee is refuted (for CI).")]


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

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
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
    if out is None:
        _write(payload, render, as_json, sys.stdout)
        sys.stdout.flush()
        return
    try:
        with Path(out).open("w", encoding="utf-8") as file:
            _write(payload, render, as_json, file)
    except OSError as error:
        raise InputError("out", out, f"cannot be written: {error.strerror or error}") from None
    print(f"written: {out}", file=sys.stderr)


def _write(payload: Any, render: Callable[[Any], None], as_json: bool, file: Any) -> None:
    if as_json:
        json.dump(payload, file, ensure_ascii=False, indent=2)
        file.write("\n")
        return
    from io import StringIO

    from rich.console import Console

    if file.isatty():
        render(Console(file=file, highlight=False))
        return
    page = StringIO()
    render(Console(file=page, highlight=False, width=WIDE, soft_wrap=True))
    file.write("".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines()))


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
        print(f"written: {path}", file=sys.stderr)


def finish(result: Any, certificate: str | None, require: bool) -> None:
    """Writes the certificate if one is wanted; exits with 1 if --require is given and the claim is refuted."""
    certify(result, certificate)
    first = result[0] if isinstance(result, list) else result
    if require and first.claim.verdict is Verdict.REFUTED:
        raise typer.Exit(1)


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

"""What a command answers, and how the answer goes out: as text or JSON, to the terminal or a file, with evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from dpaudit.audit.display import as_json as plain
from dpaudit.audit.setting import Setting
from dpaudit.numbers.errors import InputError

WIDE = 10_000
"""Columns where the output is no terminal: nothing is folded there, so that numbers can be copied."""


@dataclass(frozen=True)
class Reply:
    """``payload`` is the answer for JSON; ``draw(console)`` draws it for people."""

    payload: Any
    draw: Callable[[Any], None]
    refuted: bool = False
    """Whether the claimed guarantee is refuted."""
    certified: Callable[[], Any] | None = None
    """Returns the results that a certificate is about."""
    after: Callable[[], None] | None = None
    """What else is to be done once the answer is out."""
    code: int = 0


def send(
    reply: Reply, as_json: bool = False, out: str | None = None, certificate: str | None = None, require: bool = False
) -> None:
    """Writes the reply, then the certificate if one is wanted; exits with the reply's code, or 1 for --require."""
    _emit(reply, as_json, out)
    if certificate is not None and reply.certified is not None:
        certify(reply.certified(), certificate)
    if reply.after is not None:
        reply.after()
    if reply.code or (require and reply.refuted):
        raise typer.Exit(reply.code or 1)


def _emit(reply: Reply, as_json: bool, out: str | None) -> None:
    if out is None:
        _write(reply, as_json, sys.stdout)
        sys.stdout.flush()
        return
    try:
        with Path(out).open("w", encoding="utf-8") as file:
            _write(reply, as_json, file)
    except OSError as error:
        raise InputError("out", out, f"cannot be written: {error.strerror or error}") from None
    print(f"written: {out}", file=sys.stderr)


def _write(reply: Reply, as_json: bool, file: Any) -> None:
    if as_json:
        json.dump(plain(reply.payload), file, ensure_ascii=False, indent=2)
        file.write("\n")
        return
    from io import StringIO

    from rich.console import Console

    if file.isatty():
        reply.draw(Console(file=file, highlight=False))
        return
    page = StringIO()
    reply.draw(Console(file=page, highlight=False, width=WIDE, soft_wrap=True))
    file.write("".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines()))


def certifiable(setting: Setting) -> None:
    """Refuses a certificate of a mechanism that the verifier does not know, before any work is done."""
    from dpaudit.evidence import certificate

    certificate.check_possible(setting.mechanism)


def certify(result: Any, path: str) -> None:
    """Writes the certificate of a result, or of several."""
    from dpaudit.evidence import certificate

    certificate.write(result, path)
    print(f"written: {path}", file=sys.stderr)


def writable(parameter: typer.CallbackParam, name: str | None) -> str | None:
    """Returns the path of an option; a file that cannot be written is refused before any work is done."""
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
        raise InputError(str(parameter.name), name, f"cannot be written: {error.strerror or error}") from None
    return name


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

"""What a command answers, and how the answer goes out: as text or JSON, to the terminal or a file, with evidence."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import isfile
from typing import Any, NoReturn

import typer

from dpaudit.audit.display import as_json as plain
from dpaudit.audit.drawing import as_text, draw
from dpaudit.audit.page import FEW, Page
from dpaudit.audit.setting import Setting
from dpaudit.commands.streams import stdout
from dpaudit.files.writing import check_writable, refuse_inputs, write_file
from dpaudit.forall.ranged import Ranged
from dpaudit.mechanisms import Mechanism, posterior
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim

INPUTS = ("mech", "adjacency", "file", "plan", "result", "expect", "module")
OUTPUTS = ("out", "certificate", "junit", "export", "plot", "coq", "table")
"""Parameters of the commands that name files."""


@dataclass(frozen=True)
class Reply:
    """``payload`` is the answer for JSON; ``page`` returns it for people, by default as the answer says itself."""

    payload: Any
    page: Callable[[], Page] | None = None
    claim: Claim | None = None
    """What --require asks to be proved."""
    certified: Callable[[], Any] | None = None
    """The results that a certificate is about."""
    after: Callable[[], None] | None = None
    """What else is to be done once the answer is out."""
    code: int = 0
    text: str | None = None
    """What is written, to the letter, in place of the page."""


def send(
    reply: Reply,
    as_json: bool = False,
    out: str | None = None,
    certificate: str | None = None,
    require: bool = False,
    digits: int | None = FEW,
    plot: str | None = None,
    latex: bool = False,
) -> None:
    """Writes the reply, then the certificate and the picture if they are wanted; exits with the reply's code.

    People see so many ``digits`` of an enclosure, None being all.

    With --require, exits with 0 only if the claim is proved; 1: it is refuted; 3: it is neither.
    """
    if as_json:
        emit_json(reply.payload, out)
    elif latex:
        _write(in_latex(reply.payload), out)
    elif reply.text is not None:
        _write(reply.text, out)
    else:
        _emit_text(reply, out, digits)
    if certificate is not None and reply.certified is not None:
        from dpaudit.evidence.certificate import write

        write(reply.certified(), certificate)
        _say_written(certificate)
    if plot is not None:
        reply.payload.plot(plot)
        _say_written(plot)
    if reply.after is not None:
        reply.after()
    if reply.code:
        raise typer.Exit(reply.code)
    if require and reply.claim is not None and reply.claim.verdict is not Verdict.PROVED:
        if reply.claim.verdict is Verdict.REFUTED:
            raise typer.Exit(1)
        words = reply.claim.guarantee.text() if reply.claim.guarantee is not None else "nothing"
        undecided(f"the claim, {words}, is neither proved nor refuted by this")


def in_latex(result: Any) -> str:
    """The answer for a paper; one that has no such form is refused."""
    if not hasattr(result, "latex"):
        raise InputError(
            "latex", "yes", "is for a true ε or δ, at one setting or over all n or ε; of this answer take --json"
        )
    found: str = result.latex()
    return found


def undecided(reason: str) -> NoReturn:
    """Says in one line why --require is not met, and ends with 3."""
    print(f"dpaudit: --require: undecided: {visible(reason)}", file=sys.stderr)
    raise typer.Exit(3)


def claiming(mechanism: Mechanism) -> None:
    """Refuses --require where nothing is claimed, before any work is done."""
    if mechanism.claimed_here() is None:
        rule = f"{mechanism.name} claims nothing here, so nothing can be required of it"
        own = posterior(mechanism) is None
        raise InputError("require", "yes", f"{rule}; is its claimed() misspelled?" if own else rule)


def emit_json(payload: Any, out: str | None) -> None:
    """Writes the answer as JSON to the standard output or the file."""
    _write(json.dumps(plain(payload), ensure_ascii=False, indent=2) + "\n", out)


def _emit_text(reply: Reply, out: str | None, digits: int | None) -> None:
    stream, page = stdout(), reply.page or reply.payload.page
    if out is None and stream.isatty():
        from rich.console import Console

        draw(Console(file=stream, highlight=False, emoji=False), page(), digits)
        stream.flush()
    else:
        _write(as_text(page(), digits=digits), out)


def _write(text: str, out: str | None) -> None:
    if out is not None:
        write_file("out", out, text)
        _say_written(out)
        return
    stream = stdout()
    stream.write(text)
    stream.flush()


def _say_written(path: str) -> None:
    print(f"written: {visible(path)}", file=sys.stderr)


def check_outputs(subject: Setting | Ranged, certificate: str | None, plot: str | None) -> None:
    """Refuses a certificate that the verifier does not know and a picture of nothing, before any work is done."""
    if certificate is not None:
        from dpaudit.evidence.certificate import check_possible

        check_possible(subject)
    if plot is not None and isinstance(subject, Ranged) and not subject.drawable:
        rule = "a theorem has a picture only for a box of priors, both sides ranges: --prior 1/9..2,1/9..2"
        raise InputError("plot", plot, rule)


def writable(parameter: typer.CallbackParam, name: str | None) -> str | None:
    """The path of an option; a file that cannot be written is refused before any work is done."""
    if name is not None:
        check_writable(str(parameter.name), name)
    return name


def refuse_overwriting(given: Mapping[str, Any]) -> None:
    """Refuses an output that is one of the files that the command reads, or another of its outputs."""
    read = [str(given[name]) for name in INPUTS if given.get(name)]
    read += [pair.partition("=")[2] for pair in given.get("set_") or ()]
    read += [file for name in read if (file := name.rpartition(":")[0])]
    taken = [name for name in read if isfile(name)]
    for option in OUTPUTS:
        named = given.get(option)
        for path in [named] if isinstance(named, str) else named or []:
            refuse_inputs(option, path, taken)
            taken.append(path)


class Terminated(KeyboardInterrupt):
    """SIGTERM came: like Ctrl-C, it unwinds everything that runs."""


@contextmanager
def terminable() -> Iterator[None]:
    """Makes SIGTERM end the block and its workers as Ctrl-C does, with one line and exit code 143."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the end is not to be interrupted
        reason = Terminated()
        if "dpaudit.code.run" in sys.modules:  # else no code is being followed
            from dpaudit.code.run import interrupted

            raise interrupted(reason)
        raise reason

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

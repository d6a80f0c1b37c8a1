"""The command line of the verifier; the file is read and checked in a process of its own, within limits.

    python -I dpaudit-verify.pyz certificate.json           the lower bound, from the witness alone
    python -I dpaudit-verify.pyz certificate.json --full    and the upper bound: every pair, every output

Exit code 0: ACCEPTED, with the accepted sentence; 1: REJECTED, with the first thing that fails; 2: no such file;
3: WITNESS CHECKED, --full was requested and the certificate covers its witness only. A certificate is data: nothing in
it is executed. When ``verify`` returns, everything that its lines say has been established.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .arithmetic import Malformed, Undecided
from .bounds import FiniteLaw
from .composition import Composition
from .core import Rejected, Unconfirmed
from .reading import FORMAT, MAX_BYTES, VERSION, brief, digest, read, shape
from .theorems.every_epsilon import Ratio
from .theorems.every_epsilon_laplace import LaplaceRatio
from .theorems.every_n import EveryN
from .theorems.prior_map import Map

SECONDS, MEMORY = 60, 1024
"""The default limits: seconds, MiB."""
KINDS: dict[str, Any] = {
    "law": FiniteLaw,
    "every-epsilon": Ratio,
    "prior-map": Map,
    "every-n": EveryN,
    "composition": Composition,
}
"""Each takes the document and whether everything is checked; check() returns lines and a statement with ``text``."""
OTHER = "; this is no certificate, so nothing is said against it: a report keeps its own in the folder certificates"
ACCEPTED, WITNESS = "ACCEPTED", "WITNESS CHECKED"


def kind_of(document: dict[str, Any]) -> Any:
    """The class for a certificate of this ``kind``."""
    kind, subject = document.get("kind"), document.get("subject")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Malformed(f"the kind is none of {', '.join(KINDS)}")
    laplace = isinstance(subject, dict) and str(subject.get("mechanism")).startswith("LS")
    return LaplaceRatio if kind == "every-epsilon" and laplace else KINDS[kind]


def parts_of(document: Any, full: bool, name: str = "") -> Iterator[tuple[str, Any]]:
    """The prefix for the lines of each certificate in the file, and the certificate; the hashes are checked."""
    right = isinstance(document, dict) and document.get("format") == FORMAT
    if not right or repr(document.get("version")) != str(VERSION):
        raise Malformed(f'{name}this is not a "{FORMAT}" of version {VERSION}')
    if document.get("sha256") != digest(document):
        raise Rejected("the hash does not match the content: the file was changed or damaged")
    if "parts" not in document or name:
        yield name, kind_of(document)(document, full)
        return
    parts = shape(document, "the certificate", {"parts": list, "format": str, "version": int, "sha256": str})[0]
    if not 0 < len(parts) <= 1000:
        raise Malformed("parts is not a list of 1 to 1000 certificates")
    for i, part in enumerate(parts, start=1):
        yield from parts_of(part, full, f"part {i}: ")


def verify(document: Any, full: bool = False) -> tuple[list[str], dict[str, Any]]:
    """What was established line by line, and the statement; raises Rejected with the first thing that fails."""
    lines, said = ["the hash matches the content"], []
    try:
        for name, part in parts_of(document, full):
            found, statement = part.check()
            lines += [name + line for line in found]
            said.append((name, statement))
    except Malformed as problem:
        raise Rejected(f"malformed: {problem}") from None
    except Undecided:
        raise Unconfirmed("undecided: the stated numbers are too close to be separated") from None
    except RecursionError:
        raise Rejected("malformed: nested too deeply") from None
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as problem:
        raise Rejected(f"malformed: {type(problem).__name__}") from None
    if said[0][0] == "":
        return lines, said[0][1]
    text = "; ".join(name + statement["text"] for name, statement in said)
    return lines, {"text": text, "parts": [statement for _, statement in said]}


def extent(statement: dict[str, Any]) -> str:
    """How far the certificate, or each kind of its parts, was checked."""
    return ", ".join(dict.fromkeys(part["checked"] for part in statement.get("parts", [statement])))


def heading(statement: dict[str, Any]) -> tuple[str, str]:
    """ACCEPTED, or WITNESS CHECKED after a full check of parts that cover their witness only; and the printed words."""
    open_ = [part["covered"] for part in statement.get("parts", [statement]) if part.get("covered")]
    return (WITNESS, f"{WITNESS}: {open_[0]}") if open_ else (ACCEPTED, f"{ACCEPTED} ({extent(statement)})")


# ------------------------------------------------------------------ limits


def _content(path: str) -> bytes:
    """At most MAX_BYTES + 1 bytes of a file; a pipe, a device or a folder is refused without waiting for it."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError
        return file.read(MAX_BYTES + 1)


def _confine(seconds: int, memory: int) -> None:
    """Gives this process its limits, where the system has such: the signals end it even within one operation.

    Standard input is a pipe to which nothing is written; it is closed when the parent ends, however that ends.
    """
    with suppress(ImportError):
        import fcntl
        import resource

        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)  # SIGIO ends this process
        if select.select([0], [], [], 0)[0]:  # it was closed before
            os._exit(1)
        signal.alarm(seconds + 1)
        for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory << 20)):
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _result(**found: Any) -> dict[str, Any]:
    return {"established": [], "statement": None, "reason": None, "unreadable": None, **found}


def _child(options: argparse.Namespace) -> dict[str, Any]:
    """The result on the file; this process has its limits."""
    try:
        _confine(options.seconds, options.memory)
        content = _content(options.certificate)
    except (OSError, ValueError) as error:
        return _result(unreadable=getattr(error, "strerror", None) or "it is a folder, a pipe or a device, not a file")
    try:
        established, statement = verify(read(content), options.full)
        return _result(established=established, statement=statement)
    except (Rejected, Malformed) as problem:
        elsewhere = "" if FORMAT.encode() in content else OTHER
        return _result(reason=f"{'malformed: ' if isinstance(problem, Malformed) else ''}{problem}{elsewhere}")
    except MemoryError:
        return _result(reason=f"too large to be checked: needs more than {options.memory} MiB of memory (--memory)")


def out_of_time(seconds: int) -> str:
    """The message for a certificate that takes too long, which does not mean that it is wrong."""
    limit = f"{seconds} second{'s' * (seconds > 1)}"
    return f"too large to be checked within {limit}, and neither right nor wrong so far; more: --seconds {5 * seconds}"


def run(path: str, full: bool = False, seconds: int = SECONDS, memory: int = MEMORY) -> dict[str, Any]:
    """established, statement, reason (None: not rejected) and unreadable (None, or why), from a child process.

    Whatever the file holds, this ends after about ``seconds``; the child has at most ``memory`` MiB and ends too.
    """
    here = Path(__file__).resolve().parent
    program = here if (here / "__main__.py").is_file() else here.parent  # the folder, or the archive
    command = [sys.executable, "-I", str(program), "--child", f"--seconds={seconds}", f"--memory={memory}"]
    command += [*(["--full"] if full else []), "--", path]
    needed = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    large, (heard, held) = "too large to be checked: takes", os.pipe()
    try:
        done = subprocess.run(command, stdin=heard, capture_output=True, timeout=seconds + 2, check=False, env=needed)
        return dict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return _result(reason=out_of_time(seconds))
    except json.JSONDecodeError:
        if -done.returncode in [getattr(signal, name) for name in ("SIGALRM", "SIGXCPU") if hasattr(signal, name)]:
            return _result(reason=out_of_time(seconds))
        limits = f"more than {seconds} seconds (--seconds) or {memory} MiB of memory (--memory)"
        return _result(reason=f"{large} {limits}; the check ended with code {done.returncode}")
    except (OSError, ValueError):
        return _result(unreadable="is not a valid file name")
    finally:
        os.close(heard)
        os.close(held)


def main() -> int:
    """Checks one file; returns the exit code."""
    parser = argparse.ArgumentParser(description="Checks a certificate by an independent method.")
    parser.add_argument("certificate")
    parser.add_argument("--full", action="store_true", help="check the upper bound too: every pair, every output")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="give up after so many seconds (%(default)s)")
    parser.add_argument("--memory", type=int, default=MEMORY, help="give up beyond so many MiB (%(default)s)")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if min(options.seconds, options.memory) < 1:
        parser.error("--seconds and --memory are whole numbers >= 1")
    if options.child:
        print(json.dumps(_child(options)))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the child ends with this process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    found = run(options.certificate, options.full, options.seconds, options.memory)
    if found["unreadable"] is not None:
        print(f"{brief(options.certificate)}: cannot be read: {found['unreadable']}", file=sys.stderr)
        return 2
    said, reason = found["statement"], found["reason"]
    word, words = heading(said) if reason is None else ("REJECTED", "")
    if options.json:
        print(json.dumps({"result": word, **found}, indent=1))
    else:
        print(*(f"  {line}\n" for line in found["established"]), sep="", end="")
        print(f"{words}: {said['text']}" if reason is None else f"REJECTED: {reason}")
    return {ACCEPTED: 0, WITNESS: 3}.get(word, 1)

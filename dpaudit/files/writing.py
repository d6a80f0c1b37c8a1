"""Writing a file: completely or not at all.

The content goes into a new file of an unpredictable name in the same folder (O_EXCL), then to the disk (fsync), then
into the place of the old file (rename). A crash at any moment leaves the old file or the new one. What a kill can
leave beside it is a file called ``.NAME.<16 hex digits>.new``. Nothing else in the folder is followed or removed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpaudit.numbers.errors import InputError


class NotWritten(InputError):
    """A requested file could not be written; its previous content is intact. Exit code 74."""


def write_file(option: str, path: str | Path, content: str | bytes) -> None:
    """Puts the content in the place of the file; text is UTF-8, half a surrogate pair is written as ``\\ud800``.

    A link is followed to the file that it names. A pipe or a device is written to.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with write_errors(option, path):
        target = _target(path)
        if _is_special(target):
            fill(os.open(target, os.O_WRONLY), data, durable=False)
            return
        new = fresh(target)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            fill(descriptor, data, like=target)
            os.replace(new, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(new)
            raise
        sync_folder(target.parent)


def check_writable(option: str, path: str | Path) -> None:
    """Refuses a file that cannot be written, before any work is done; nothing is left behind."""
    with write_errors(option, path):
        target = _target(path)
        if not _is_special(target):
            new = fresh(target)
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            os.unlink(new)


def refuse_inputs(option: str, path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuses an output that is one of the inputs, by whatever name or link."""
    with write_errors(option, path):
        for source in inputs:
            with suppress(FileNotFoundError, NotADirectoryError):
                if os.path.realpath(path) == os.path.realpath(source) or os.path.samefile(path, source):
                    raise InputError(
                        option, str(path), f"is also an input or another output ({source}): choose another name"
                    )


@contextmanager
def write_errors(option: str, path: str | Path) -> Iterator[None]:
    """Turns an error of the operating system into one line that names the option and the path."""
    try:
        yield
    except OSError as error:
        raise NotWritten(option, str(path), f"cannot be written: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(option, str(path), "is not a valid file name") from None


def _target(path: str | Path) -> Path:
    """The file itself, links followed; a link to nothing, a folder and a read-only file are refused."""
    target = Path(os.path.realpath(path))
    if os.path.islink(path) and not target.exists():
        raise FileNotFoundError(0, "it is a dangling link")
    if target.is_dir() or not str(path):
        raise IsADirectoryError(0, "it is a folder")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(0, "it is read-only")
    return target


def _is_special(target: Path) -> bool:
    """Whether the path is a pipe, a terminal or another device: it is written to, never replaced."""
    return target.is_relative_to("/dev") or target.is_relative_to("/proc") or (target.exists() and not target.is_file())


def fresh(target: Path) -> Path:
    """An unpredictable path beside the target; short, so that long names remain possible."""
    from secrets import token_hex  # brings OpenSSL

    return target.with_name(f".{target.name[:100]}.{token_hex(8)}.new")


def fill(descriptor: int, data: bytes, like: Path | None = None, durable: bool = True) -> None:
    """Writes everything, to the disk, and closes the file; it gets the permissions of the one that is ``like`` it."""
    try:
        if like is not None and like.exists():
            os.fchmod(descriptor, stat.S_IMODE(like.stat().st_mode))
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Writes the names in the folder to the disk, where the system can."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

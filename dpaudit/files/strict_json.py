"""Untrusted JSON: bounded, no duplicate keys, no NaN, numbers kept as written; one-line errors."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from dpaudit.numbers.errors import InputError

MAX_NUMBER = 2200
"""The most characters of a number."""


class Unreadable(InputError):
    """The file cannot be read at all, whatever it holds."""


def check_file(option: str, path: str) -> None:
    """Refuses a missing path and anything that is not a regular file: a folder, a device, a pipe that may never end."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise Unreadable(option, path, f"cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise Unreadable(option, path, "is not a valid file name") from None
    if not stat.S_ISREG(mode):
        raise Unreadable(option, path, "cannot be read: it is a folder, a pipe or a device, not a file")


def read_bytes(option: str, path: str, most: int) -> bytes:
    """The content of the file, which has at most ``most`` bytes."""
    check_file(option, path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise Unreadable(option, path, f"cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise InputError(option, path, f"is larger than {most >> 20} MiB")
    return content


def read_text(option: str, path: str, most: int) -> str:
    """The content of the file as UTF-8 text."""
    try:
        return read_bytes(option, path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(option, path, f"is not UTF-8 text (byte {error.start})") from None


def read_json(option: str, path: str, most: int) -> Any:
    """The document; whole numbers are ints, numbers with a point or exponent the text as written."""
    return parse_json(option, path, read_text(option, path, most))


def parse_json(option: str, path: str, text: str) -> Any:
    """The document in the text; ``path`` is for the error message only."""

    def refuse(rule: str) -> InputError:
        return InputError(option, path, rule)

    def number(token: str) -> str:
        if len(token) > MAX_NUMBER:
            raise refuse(f"has a number of {len(token)} characters, at most {MAX_NUMBER} are allowed")
        return token

    def constant(token: str) -> Any:
        raise refuse(f"has {token}, which is not a number")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen = set[str]()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise refuse(f"has the name {twice[:40]!r} twice in one object")
        return found

    try:
        return json.loads(
            text,
            parse_int=lambda token: int(number(token)),
            parse_float=number,
            parse_constant=constant,
            object_pairs_hook=members,
        )
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise refuse(f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise refuse("is nested too deeply") from None

"""Reads a certificate strictly, and quotes its texts safely.

When ``read`` returns, the content was JSON in which every number is whole and short and no name occurs twice;
when ``shape`` returns, an object has these members of these kinds and no others; when ``number`` returns, a text was an
exact number of bounded size. ``quoted`` returns printable ASCII in quotes: a name cannot speak for the verifier.
"""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from typing import Any

from .arithmetic import Malformed

FORMAT, VERSION = "dpaudit certificate", 2
MAX_BYTES = 32 << 20
DIGITS = 2100
"""The most decimals of a stated bound."""
INTEGER = 4000
"""The most characters of a whole number."""
MADE: dict[str, type | None] = {"made": str, **dict.fromkeys(("kind", "format", "version", "sha256"))}
"""Members of every certificate; ``made`` says how and with which tools it was made, and is not checked."""
KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}


def brief(value: object) -> str:
    """The value as printable ASCII, at most about 80 characters; a giant whole number as a power of 2."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"2^{value.bit_length() - 1}"
    return shortened(ascii(str(value))[1:-1])


def shortened(text: str) -> str:
    """At most about 80 characters of the text."""
    return text if len(text) <= 80 else text[:60] + f"... ({len(text)} characters)"


def quoted(name: object) -> str:
    """A text in quotes, shortened, with everything but printable ASCII escaped; anything else unchanged."""
    if not isinstance(name, str):
        return brief(name)
    return f'"{shortened(json.dumps(name)[1:-1])}"'


def read(content: bytes) -> Any:
    """The JSON document."""

    def text(token: str) -> str:
        if len(token) > INTEGER or not token[-1].isdigit():
            raise Malformed(f"has {brief(token)}, which is not a number, or one of more than {INTEGER} characters")
        return token

    def refuse(token: str) -> None:
        raise Malformed(f"has {brief(text(token))}, which is not a whole number: others are written as text")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise Malformed("has a name twice in one object")
        return found

    if len(content) > MAX_BYTES:
        raise Malformed(f"is larger than {MAX_BYTES >> 20} MiB")
    hooks: dict[str, Any] = {"parse_int": lambda token: int(text(token)), "parse_float": refuse, "parse_constant": text}
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=members, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Malformed(f"is not JSON{where}, not UTF-8 text, or nested too deeply") from None


def digest(document: dict[str, Any]) -> str:
    """The SHA-256 of everything but the hash itself, in canonical JSON: sorted names, no spaces, ASCII."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def number(value: Any, what: str, most: int = 1000) -> Fraction:
    """The exact number denoted by a text such as "-3", "2/7", "0.25" or "1e-8"; its size is bounded."""
    if not isinstance(value, str) or len(value) > 2 * most + 40:
        raise Malformed(f"{what} is not a number in text of at most {2 * most + 40} characters")
    match = re.fullmatch(r"-?(\d+/\d+|\d+(\.\d+)?(e[+-]?\d{1,6})?)", value, re.ASCII)
    if match is None or abs(int((match[3] or "e0")[1:])) > most or re.fullmatch(r".*/0+", value):
        raise Malformed(f"{what} = {brief(value)} is not an exact number of reasonable size")
    return Fraction(value)


def number_or_inf(value: Any, what: str) -> Fraction | None:
    """The number of a bound or a limit; None where the text is "inf"."""
    return None if value == "inf" else number(value, what, DIGITS)


def shape(document: Any, what: str, kinds: dict[str, type | None]) -> list[Any]:
    """The members: these and no others, of these kinds (None: anything, or missing); a bool is no int."""
    if not isinstance(document, dict):
        raise Malformed(f"{what} is not {KINDS[dict]}")
    for name in document:
        if name not in kinds:
            raise Malformed(f"{what} has the unknown member {quoted(name)}")
    for name, kind in kinds.items():
        value = document.get(name)
        if kind is not None and (not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)):
            raise Malformed(f"{name} is not {KINDS[kind]}")
    return [document.get(name) for name in kinds]


def are_counts(value: Any, size: int, most: int) -> bool:
    """Whether this is a list of ``size`` whole numbers from 0 to ``most``."""
    return isinstance(value, list) and len(value) == size and all(type(i) is int and 0 <= i <= most for i in value)

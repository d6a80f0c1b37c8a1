"""The exception for bad input, which names the option, the value and the rule; and safe display of foreign text."""

from __future__ import annotations

import re
from fractions import Fraction
from math import log10
from unicodedata import is_normalized

from dpaudit.numbers.digits import at_least


def visible(text: str, keep: str = "") -> str:
    r"""The text with invisible and active characters escaped, except those in ``keep``.

    Among them are line ends, escape sequences, lone surrogates and bidirectional marks. Texts that differ only in the
    encoding of their accents (NFC and NFD) look different too: characters that NFC would change are escaped.

    >>> visible("a\nACCEPTED \x1b[2J \ud800 \u202e")
    'a\\nACCEPTED \\x1b[2J \\ud800 \\u202e'
    >>> visible("caf\u00e9"), visible("cafe\u0301")
    ('café', 'cafe\\u0301')
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(s if s in keep or (s.isprintable() and s not in UNSEEN) else _escaped(s) for s in text)
    if is_normalized("NFC", shown):
        return shown
    shown = "".join(part if is_normalized("NFC", part) else _apart(part) for part in ACCENTED.findall(shown))
    return shown if is_normalized("NFC", shown) else "".join(s if s.isascii() else _escaped(s) for s in shown)


UNSEEN = frozenset(
    chr(code)
    for first, last in ((0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
                        (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF))
    for code in range(first, last + 1)
)  # fmt: skip
"""Invisible characters that Python counts as printable: fillers, joiners, variation selectors."""
ACCENTED = re.compile(r"[^\u0300-\u036f][\u0300-\u036f]*|[\u0300-\u036f]", re.DOTALL)


def _apart(part: str) -> str:
    """A sign and its accents, which NFC would change, with the accents written out; a lone sign itself."""
    return part[0] + "".join(map(_escaped, part[1:])) if len(part) > 1 else _escaped(part)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode()


class InputError(ValueError):
    """Bad input. ``str(error)`` is one line: option, value, rule.

    >>> str(InputError("n", 0, "must be a whole number >= 1"))
    'n = 0: must be a whole number >= 1'
    """

    def __init__(self, option: str, value: object, rule: str) -> None:
        self.option = option
        self.value = value
        self.rule = rule
        super().__init__(option, value, rule)

    def __str__(self) -> str:
        return self.line(self.option)

    def line(self, option: str) -> str:
        """The message with the option spelled as the user typed it."""
        shown = visible(" ".join(_value_text(self.value).split())) or "(empty)"
        if len(shown) > 60:
            shown = shown[:57] + "..."
        return f"{option} = {shown}: {visible(self.rule)}"


def missing_extra(option: str, value: object, extra: str, what: str) -> InputError:
    """The error for a missing package, with the command that installs it.

    >>> str(missing_extra("export", "t.parquet", "parquet", "Parquet needs pyarrow"))
    'export = t.parquet: Parquet needs pyarrow: pip install "dpaudit[parquet]"'
    """
    return InputError(option, value, f'{what}: pip install "dpaudit[{extra}]"')


def _value_text(value: object) -> str:
    """The value as text; a huge number by its size, an object that cannot be shown by its type."""
    if isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return str(value) if value.denominator < 10**60 > abs(value) else "(a long fraction)"
    try:
        return approximately(value) if isinstance(value, int) and abs(value) >= 10**60 else repr(value)
    except Exception:  # a foreign object: its repr may do anything
        return f"({type(value).__name__})"


class TooLargeError(InputError):
    """The job does not fit into the memory limit; the rule has the numbers."""

    def __init__(self, need: int, bound: int, what: str) -> None:
        rule = f"{what}: needs at least {gib(need, bound)}; take a smaller n or k, or raise the bound"
        super().__init__("memory", gib(bound), rule)

    def because(self, why: str) -> InputError:
        """The same refusal with a reason added."""
        return InputError(self.option, self.value, f"{self.rule}; {why}")


def gib(count: int, more_than: int = 0) -> str:
    """A number of bytes in GiB, rounded down to three digits, or to as many as show that it is ``more_than``.

    >>> gib(3 << 29), gib((1 << 31) + 1, 1 << 31)
    ('1.5 GiB', '2.0000000009 GiB')
    """
    if count >> 50:
        return f"{approximately(count >> 30)} GiB"
    shown = (at_least(Fraction(count, 1 << 30), digits) for digits in range(3, 30))
    return f"{next(text for text in shown if Fraction(text) * (1 << 30) > more_than or count <= more_than)} GiB"


def approximately(count: int) -> str:
    """The number, or its order of magnitude if it is long.

    >>> approximately(1234), approximately(10**40)
    ('1234', 'about 1e40')
    """
    size = abs(count)
    return str(count) if size < 10**15 else f"about {'-' * (count < 0)}1e{int(log10(size))}"

"""Commands on a page: what one types is never broken within an option."""

from __future__ import annotations

import re

from dpaudit.files.text import html as escape

LONG_WORD = 30
"""A longer word of a command, or of a table, may be broken."""
OPTION = re.compile(r"-{1,2}[\w-]+=?")


def typed(command: str) -> str:
    """Returns a command in words that are not broken; of a long one only an option at its start is kept whole.

    >>> typed("dpaudit check --digits 9")
    '<span>dpaudit</span> <span>check</span> <span>--digits</span> <span>9</span>'
    """
    return re.sub(r"\S+", lambda found: _word(found[0]), command)


def _word(word: str) -> str:
    if len(word) <= LONG_WORD:
        return f"<span>{escape(word)}</span>"
    option = OPTION.match(word)
    kept = option[0] if option else ""
    return (f"<span>{escape(kept)}</span>" if kept else "") + escape(word[len(kept) :])

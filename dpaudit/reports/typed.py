"""Commands on a page: what one types is never broken within an option."""

from __future__ import annotations

import re

from dpaudit.files.text import html as escape

LONG_WORD = 30
"""A longer word of a command, or of a table, may be broken."""
BREAKS = re.compile(r"[-/?]")
"""After these a browser may break a word that would fit."""
OPTION = re.compile(r"-{1,2}[\w-]+=?")


def typed(command: str) -> str:
    """Returns a command in words that are not broken; of a long one only an option at its start is kept whole.

    >>> typed("dpaudit check --digits 9")
    'dpaudit check <span>--digits</span> 9'
    """
    return re.sub(r"\S+", lambda found: _word(found[0]), command)


def _word(word: str) -> str:
    if not BREAKS.search(word):
        return escape(word)
    if len(word) <= LONG_WORD:
        return f"<span>{escape(word)}</span>"
    option = OPTION.match(word)
    kept = option[0] if option else ""
    return (f"<span>{escape(kept)}</span>" if kept else "") + escape(word[len(kept) :])

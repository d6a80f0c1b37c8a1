"""Text of others in messages: what is invisible or ambiguous is escaped, what is long is cut."""

from fractions import Fraction

import pytest

from dpaudit.numbers.errors import InputError, visible

UNSEEN = [(0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
          (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF)]  # fmt: skip
"""The invisible characters that are printable for Python; a list of its own, so that none is lost by accident."""


@pytest.mark.parametrize(("first", "last"), UNSEEN, ids=[f"{first:x}" for first, _ in UNSEEN])
def test_what_is_invisible_is_escaped_and_nothing_beside_it(first, last):
    for code in range(first, last + 1):
        assert visible(f"a{chr(code)}") == f"a{chr(code).encode('unicode_escape').decode()}"
    for code in (first - 1, last + 1):
        assert (visible(chr(code)) == chr(code)) == chr(code).isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é", "é"),
        ("é ", "é "),
        ("e\u0301", "e\\u0301"),
        ("xe\u0301y", "xe\\u0301y"),
        ("a\u0315\u0300", "a\\u0315\\u0300"),
        ("\u0300", "\u0300"),
        ("\u0340a", "\\u0340a"),
        ("é\u212b", "é\\u212b"),
        ("é\u1100\u1161b", "\\xe9\\u1100\\u1161b"),  # signs that combine and are no accents: nothing is sure
    ],
)
def test_texts_that_look_alike_are_told_apart(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a" * 60, "a" * 60),
        ("a" * 61, "a" * 57 + "..."),
        ("", "(empty)"),
        (Fraction(1, 10**60), "(a long fraction)"),
        (Fraction(1, 10**60 - 1), "1/" + "9" * 55 + "..."),
        (Fraction(10**60), "(a long fraction)"),
        (Fraction(-(10**60)), "(a long fraction)"),
        (10**60, "about 1e60"),
        (-(10**60), "about -1e60"),
        (10**60 - 1, "9" * 60),
    ],
)
def test_a_value_is_shown_shortly(value, shown):
    assert str(InputError("x", value, "rule")) == f"x = {shown}: rule"
    assert InputError("x", value, "rule").args == ("x", value, "rule")

"""JSON from strangers: what is read is what is written, and what is refused is refused in one line."""

import pytest

from dpaudit.files.strict_json import MAX_NUMBER, parse_json, read_json, read_text
from dpaudit.numbers.errors import InputError


def test_numbers_are_kept_as_they_are_written():
    assert parse_json("file", "a.json", '{"a": 0.10, "b": 1e400, "c": 12}') == {"a": "0.10", "b": "1e400", "c": 12}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"a": 1, "a": 2}', "has the name 'a' twice"),
        ("[NaN]", "has NaN, which is not a number"),
        ("[-Infinity]", "has -Infinity, which is not a number"),
        ("[" * 10**5, "is nested too deeply"),
        ("[1,", "is not JSON"),
        ("", "is not JSON"),
        ("1" * (MAX_NUMBER + 1), "at most 2200 are allowed"),
    ],
)
def test_what_is_refused(text, rule):
    with pytest.raises(InputError, match=r"^file = a.json: ") as refused:
        parse_json("file", "a.json", text)
    assert rule in str(refused.value)


def test_files(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert read_json("file", str(path), 100) == [1]
    with pytest.raises(InputError, match="is larger than"):
        read_text("file", str(path), 3)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_text("file", str(path), 100)
    with pytest.raises(InputError, match="cannot be read"):
        read_text("file", str(tmp_path / "missing"), 100)

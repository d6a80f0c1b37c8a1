"""Text from others is shown, and never acts: nasty names through every command, as text, JSON, Markdown, HTML, XML."""

import json
import re
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize
from xml.etree import ElementTree

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.files.text import csv_cell, csv_text, html, markdown
from dpaudit.numbers.errors import InputError, visible
from dpaudit.reports.document import Document, Section, text_of
from dpaudit.reports.table import Column, Kind, Table

NASTY = [
    "a\nACCEPTED",
    "\ud800 half",
    "\x1b[2J\x1b]0;title\x07 clear",
    "right \u202e to left",
    "[bold red]REFUTED[/]",
    "[/]",
    ":a: :warning:",
    "=HYPERLINK(1)",
    "<script>alert(1)</script>",
    "| cell | `code` ![x](y)",
    "\r\nverdict  PROVED",
    "\u2028line\u2029paragraph\x85",
    "\x00nul",
    "# heading",
]
CODE = f"""
NASTY = {NASTY!r}
class Mine:
    name = "mine\\nACCEPTED \\x1b[31m :a: [bold]x[/] \\ud800"
    formula = "P\\nverdict  PROVED"
    def __init__(self, epsilon=1, w="1"): self.epsilon = epsilon
    def datasets(self): return NASTY
    def outputs(self): return [f"o {{name}}" for name in NASTY]
    def probability(self, x, r): return f"{{2 if r == 'o ' + x else 1}}/{{len(NASTY) + 1}}"
    def claimed(self): return self.epsilon
class Broken(Mine):
    def probability(self, x, r): raise ValueError(NASTY[0] + NASTY[1] + NASTY[2])
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "mine.py"
    path.write_text(CODE)
    return f"{path}:Mine"


def harmless(text):
    """Nothing but line ends and what is seen; no line of its own by somebody's name; no markup was acted on."""
    lines = text.split("\n")
    assert all(line.isprintable() for line in lines), [line for line in lines if not line.isprintable()]
    assert not [line for line in lines if re.match(r"\s*(ACCEPTED|verdict  PROVED|line|paragraph)", line)]
    return text


def strings(value):
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    return [text for part in value for text in strings(part)] if isinstance(value, list) else [value]


COMMANDS = {
    "epsilon": [],
    "delta": ["--at", "1/10"],
    "judge": ["--claim", "rho=1"],
    "pmf": ["--x", "a\\nACCEPTED"],
    "profile": ["--at", "0"],
    "search": ["--eps", "1"],
    "calibrate": ["--target", "1"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_names_that_act_as_what_they_are(command, mine, capsys):
    arguments = [command, "--mech", mine, *COMMANDS[command], "--set", "w=[bold]:a:"]
    for more in ([], ["--json"]):
        code = main([*arguments, *more])
        captured = capsys.readouterr()
        harmless(captured.err)
        assert code in (0, 2), captured.err
        if code == 2:
            assert command == "calibrate"
            continue
        harmless(captured.out)
        assert "mine\\nACCEPTED" in captured.out.replace("\\\\", "\\")
        if more:
            assert all(text.isprintable() for text in strings(json.loads(captured.out)) if isinstance(text, str))
        else:
            assert "[bold]x[/]" in captured.out
            assert ":a:" in captured.out


def test_an_exception_with_a_nasty_message_is_one_line(mine, capsys):
    assert main(["epsilon", "--mech", mine.replace("Mine", "Broken")]) == 2
    error = capsys.readouterr().err
    assert harmless(error).count("\n") == 1


def test_arguments_that_act_are_shown(capsys):
    for word in NASTY:
        assert main(["epsilon", "--mech", word, "--n", "3"]) == 2
        assert harmless(capsys.readouterr().err).count("\n") == 1
        assert main(["epsilon", f"--{word}"]) == 2
        harmless(capsys.readouterr().err)


def test_a_certificate_of_nasty_names_is_made_and_checked(mine, tmp_path, capsys):
    path = tmp_path / "c.json"
    assert main(["epsilon", "--mech", mine, "--certificate", str(path)]) == 0
    capsys.readouterr()
    assert main(["verify", str(path), "--full"]) == 0
    shown = capsys.readouterr().out
    (accepted,) = [line for line in shown.split("\n") if line.startswith("ACCEPTED")]
    assert accepted.startswith("ACCEPTED (full): ")
    harmless(shown.replace("\nACCEPTED (full): ", "\n"))
    changed = json.loads(path.read_text())
    changed["statement"]["verdict"] = "PROVED\nACCEPTED"
    path.write_text(json.dumps(changed))
    assert main(["verify", str(path)]) == 1
    assert "\nACCEPTED" not in harmless(capsys.readouterr().out)


def test_a_report_of_nasty_names(mine, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["report", "--mech", mine, "--out", str(out), "--title", "\n".join(NASTY)]) == 0
    page, text = (out / "report.html").read_text(), (out / "report.md").read_text()
    body = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    assert all(line.isprintable() for line in body.split("\n"))
    assert "alert(1)</script>" not in body
    harmless(text)
    assert "<script>" not in text
    assert not [line for line in text.split("\n") if line.startswith("# heading")]
    result = json.loads((out / "result.json").read_text())
    assert all(
        text.isprintable() for section in result["sections"] for text in map(str, strings(section)) if "\n" not in text
    )


def test_a_result_file_of_strangers_is_shown_safely(tmp_path, capsys):
    cell = {"lower": "<b>", "upper": "1"}
    columns = (Column("\x1b[31m|x"), Column("value", Kind.NUMBER))
    section = Section("own-audit", "t\n# x", None, Table(columns, (("\u202e", None),)), (), ("c\nd",))
    path = tmp_path / "result.json"
    path.write_text(text_of(Document("title\ud800", "c", sections=(section,))), errors="backslashreplace")
    assert main(["render", str(path), "--out", str(tmp_path / "out")]) == 0
    harmless(capsys.readouterr().err)
    harmless((tmp_path / "out" / "report.md").read_text())
    found = json.loads(path.read_text())
    found["sections"][0]["table"]["rows"][0][1] = cell
    path.write_text(json.dumps(found))
    assert main(["render", str(path), "--out", str(tmp_path / "out")]) == 2


def test_junit_of_nasty_claims_is_xml(tmp_path, capsys):
    from dpaudit.commands.claims import _write_junit

    path = tmp_path / "junit.xml"
    _write_junit(str(path), [], [f"{name}: changed {name}" for name in NASTY])
    tree = ElementTree.parse(path)
    assert len(tree.findall("testcase")) == len({name.split(":")[0] for name in NASTY})


def test_a_table_of_nasty_names(tmp_path, capsys):
    path = tmp_path / "pmf.json"
    rows = {name: {other: f"1/{len(NASTY)}" for other in NASTY} for name in NASTY}
    path.write_text(json.dumps(rows))
    for more in ([], ["--json"], ["--claim", "1", "--at", "0", "--require"]):
        assert main(["table", str(path), *more]) == 0
        harmless(capsys.readouterr().out)
    assert main(["table", str(path), "--out", str(tmp_path / "out.txt")]) == 0
    harmless((tmp_path / "out.txt").read_text())


def test_a_file_name_that_is_no_text(tmp_path):
    """A name of bytes that are no UTF-8 comes in as halves of surrogate pairs."""
    for form in (b"pm\xff.csv", b"pm\n\x1b[31m.csv"):
        path = str(tmp_path).encode() + b"/" + form
        Path(path.decode(errors="surrogateescape")).write_text(",u,v\nA,1/4,3/4\nB,3/4,1/4\n")
        for more in ([], ["--json"], ["--out", str(tmp_path / "out"), "--certificate", str(tmp_path / "c")]):
            command = [sys.executable, "-m", "dpaudit", "table", path, *more]
            done = subprocess.run(command, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr
            assert b"\xff" not in done.stdout
            assert b"\x1b" not in done.stdout
        json.loads((tmp_path / "c").read_bytes())


def test_the_doors():
    assert visible("a\tb\n", keep="\n") == "a\\tb\n"
    assert html("<a>\x1b\n") == "&lt;a&gt;\\x1b\n"
    assert markdown("- a\n:b: [c](d) <e>") == "\\- a &#58;b: \\[c\\](d) &lt;e&gt;"
    formulas = ("=1", "+1+cmd", "@SUM(A1)", "-2+3", "'=1", "''=1", "'a", "＝1", "-3/4", "-1e-5", "+1", "'-1", "", "'")
    assert [csv_text(csv_cell(v)) for v in formulas] == list(formulas)
    assert [csv_cell(v)[0] for v in formulas[:6]] == 6 * ["'"]
    assert [csv_cell(v) for v in ("=1", "@x", "+a", "-3", "-a", "a\n=1", 3)] == [
        "'=1",
        "'@x",
        "'+a",
        "-3",
        "'-a",
        "a\\n=1",
        3,
    ]
    assert str(InputError("o", "a\nb\x1b", "r\nule")) == "o = a b\\x1b: r\\nule"


ALIKE = [
    ("caf\u00e9", "cafe\u0301"),
    ("\u00c5", "\u212b"),  # a letter, and a unit
    ("\u1e69", "s\u0323\u0307"),
    ("s\u0323\u0307", "s\u0307\u0323"),  # the same accents in another order
    ("\uac00", "\u1100\u1161"),  # a syllable, and its letters
    ("a", "a\ufe0f"),
    ("a b", "a\u3164b"),
    ("\u03a9", "\u2126"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_texts_that_look_alike_are_shown_apart(one, other):
    shown = {visible(one), visible(other)}
    assert len({normalize("NFC", text) for text in shown}) == 2
    assert all(visible(text) == text for text in shown)
    assert sum("\\" in text for text in shown) >= 1


@pytest.mark.parametrize("text", ["café", "x\u0302 \u2264 1", "Ω ≥ ε′", "日本", "ε\u0302"])
def test_ordinary_text_stays_as_it_is(text):
    assert visible(normalize("NFC", text)) == normalize("NFC", text)


class Accents:
    """Two data sets and two outputs that look alike."""

    def datasets(self):
        return ["caf\u00e9", "cafe\u0301"]

    def outputs(self):
        return ["\u00e9", "e\u0301"]

    def probability(self, x, r):
        return "3/4" if self.datasets().index(x) == self.outputs().index(r) else "1/4"


def test_labels_that_look_alike_are_shown_apart_in_every_answer(tmp_path):
    found = dpaudit.epsilon(Accents())
    page = [str(found), json.dumps(found.to_dict(), ensure_ascii=False), found._repr_html_()]
    dpaudit.export_table(Accents(), str(tmp_path / "pmf.csv"))
    page.append((tmp_path / "pmf.csv").read_text())
    for text in page:
        assert "café" in text
        assert "cafe\\u0301" in text.replace("\\\\", "\\")
        assert "e\u0301" not in text

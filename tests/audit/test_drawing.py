"""Text at any width: no number, id or command is broken; with fewer digits it is still an enclosure."""

import re
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.audit.display import as_json
from dpaudit.audit.drawing import WIDE, as_text
from dpaudit.audit.page import Command, Fields, Note, Table, Words
from dpaudit.cli import main
from dpaudit.commands import options
from dpaudit.numbers.enclosure import Enclosure, outward

WIDTHS = (60, 80, 120)
EXAMPLE = "dpaudit.examples.randomized_response:RandomizedResponse"
COMMANDS = {
    "epsilon": ["epsilon", "--mech", "EHDS", "--n", "6", "--digits", "40"],
    "epsilon in closed form": ["epsilon", "--mech", "LSDim", "--n", "9", "--k", "3"],
    "delta": ["delta", "--mech", "EHDL", "--n", "6", "--at", "0.1", "--digits", "60"],
    "judge": ["judge", "--mech", EXAMPLE, "--claim", "rho=1/8"],
    "table": ["table", "pmf.csv", "--claim", "1.1", "--at", "0,1/2"],
    "pmf": ["pmf", "--mech", "LSHist", "--x", "4,4", "--digits", "30"],
    "sensitivity": ["sensitivity", "--n", "6", "--digits", "25"],
    "mechanisms": ["mechanisms"],
    "shuffle": ["shuffle", "--n", "50", "--delta", "1e-3"],
    "explain": ["explain", "--epsilon", "1", "--delta", "1e-5"],
    "profile": ["profile", "--mech", "EHDL", "--n", "6"],
    "account": ["account", "--event", "randomized-response:k=2,eps=1 x 3", "--at", "1", "--delta", "1/100"],
    "accuracy": ["accuracy", "--mech", "LSHist", "--x", "3,3", "--t", "0.2"],
    "calibrate": ["calibrate", "--mech", "LSHist", "--n", "5", "--target", "1/3"],
    "calibrate gamma": ["calibrate", "--mech", "MH", "--n", "4", "--over", "gamma", "--gammas", "1/10,1"],
    "compare": ["compare", "--x", "3,3"],
    "compare a range": ["compare", "--n", "2..5", "--mech", "LSDim,LSHist,LSZhang,EHD,EHDL,EHDS"],
    "release": ["release", "--mech", "EHDS", "--x", "3,3", "--times", "3", "--seed", "1"],
    "samples": ["samples", "counts.csv", "--claim", "1", "--mech", EXAMPLE, "--at", "1/100"],
    "search": ["search", "--mech", "EHDL", "--n", "1..3", "--eps", "1/10", "--prior", "1/100,1/100"],
    "claims": ["claims"],
    "check": ["check", "gs.*"],
    "check and explain": ["check", "acc.4.2.closed", "--explain"],
    "verify": ["verify", "made.json"],
}
SILENT = ("report", "render", "sweep", "export", "suite")
"""Commands that print paths and counts, no tables of numbers, and one that is slow; a sweep's page is tested below."""

ENDS = re.compile(r"(?<![\w.])\[(-?[\d.]+(?:e-?\d+)?), (-?[\d.]+(?:e-?\d+)?)\]")
TAILS = re.compile(r"(-?\d[\d.]*)\[(\d+), (\d+)\](e-?\d+)?")
PLAIN = re.compile(r"(?<![\w./-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w/.])")


def printed(text):
    """The enclosures in a text, read with no help from dpaudit."""
    found = [(Fraction(a), Fraction(b)) for a, b in ENDS.findall(text)]
    for head, low, high, exponent in TAILS.findall(text):
        found.append(tuple(sorted(Fraction(f"{head}{tail}{exponent}") for tail in (low, high))))
    rest = ENDS.sub(" ", TAILS.sub(" ", text))
    return found + [(Fraction(number), Fraction(number)) for number in PLAIN.findall(rest)]


def enclosures(value):
    """The enclosures of a JSON document."""
    if isinstance(value, dict) and set(value) == {"lower", "upper"}:
        yield tuple(map(Fraction, (value["lower"], value["upper"]))) if value["lower"] != "inf" else None
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from enclosures(entry)


def without(value, names):
    """The document without the members of these names."""
    if isinstance(value, dict):
        return {key: without(entry, names) for key, entry in value.items() if key not in names}
    return [without(entry, names) for entry in value] if isinstance(value, list) else value


@pytest.fixture
def reply(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pmf.csv").write_text(",no,yes\nno,3/4,1/4\nyes,0.25,0.75\n")
    (tmp_path / "counts.csv").write_text(",no,yes\nno,730,270\nyes,270,730\n")
    found = []

    def ask(name):
        if name == "verify":
            assert main(["epsilon", "--mech", "EHDS", "--n", "4", "--certificate", "made.json", "--out", "o"]) == 0
        monkeypatch.setattr(options, "send", lambda reply, **_: found.append(reply))
        assert main(COMMANDS[name]) == 0
        return found[-1]

    return ask


def test_every_command_is_here():
    from dpaudit.cli import COMMANDS as ALL

    assert {arguments[0] for arguments in COMMANDS.values()} | set(SILENT) == {
        name for group in ALL.values() for name in group
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_broken_at_any_width(name, reply):
    found = reply(name)
    page = (found.page or found.payload.page)()
    wide = as_text(page)
    names = {word for word in re.findall(r"[\w.-]*[\w-]\.[a-z][\w.-]*\w|\b[\w/]+[A-Z]\w*\b", wide) if len(word) < 50}
    for width in WIDTHS:
        text = as_text(page, width)
        assert max(map(len, text.splitlines())) <= width
        assert names <= set(re.findall(r"[\w.-]*[\w-]\.[a-z][\w.-]*\w|\b[\w/]+[A-Z]\w*\b", text))
        there = printed(text)
        for lower, upper in printed(wide):
            assert any(low <= lower and upper <= high for low, high in there), (width, float(lower), float(upper))


LEFT_OUT = {"compare": ("quantiles", "calibrated"), "calibrate": ("points",)}
"""What is, or of which something is, in the JSON alone."""


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if name not in ("mechanisms", "claims", "check", "check and explain", "verify")]
)
def test_what_json_has_lies_in_what_is_printed(name, reply):
    found = reply(name)
    for width in (*WIDTHS, WIDE):
        there = printed(as_text(found.payload.page(), width))
        for lower, upper in filter(
            None, enclosures(without(as_json(found.payload), ("margin", *LEFT_OUT.get(name, ()))))
        ):
            near = max(abs(upper) / 1000, Fraction(1, 10**6))
            assert any(low <= lower and upper <= high and high - low <= near + upper - lower for low, high in there)


def test_a_table_of_words_alone_fits_a_page_in_a_pipe(reply):
    page = reply("mechanisms").page()
    assert as_text(page) == as_text(page, 80)
    numbers = Table(["a", "why"], [("0.123456789" * 12, "short")], ["why"])
    assert max(map(len, as_text([*page, numbers]).splitlines())) > 120


def test_fewer_digits_are_said(reply):
    page = reply("profile").payload.page()
    assert "Rounded outward to fit 80 columns; all digits: --json" in " ".join(as_text(page, 80, None).split())
    assert "Rounded" not in as_text(page, digits=None)
    assert "Rounded" not in as_text(page, 80)


@pytest.mark.parametrize("value", ["1/3", "-2/3", "123456789/7", "1/700000000000", "99999999/100000000"])
@pytest.mark.parametrize("digits", [1, 6, 12, 30])
def test_a_shortened_enclosure_contains_the_long_one(value, digits):
    whole = outward(Fraction(value), Fraction(value), 20)
    short = whole.shortened(digits)
    assert short.lower <= whole.lower <= whole.upper <= short.upper
    assert (short.lower, short.upper) in printed(str(short))


def test_a_command_is_folded_as_a_shell_reads_it():
    command = "dpaudit epsilon --mech 'a file with blanks.py:Mine' --prior 1/100,1/100 --n 12 --digits 40"
    lines = as_text([Fields([("again", Command(command))])], 60).splitlines()
    assert len(lines) > 1
    assert all(line.endswith(" \\") for line in lines[:-1])
    assert " ".join(line.removesuffix("\\").removeprefix("again").strip() for line in lines) == command


def test_a_long_word_is_left_whole_and_a_long_tuple_is_not():
    number, many = "7" * 70, tuple(range(40))
    text = as_text([Fields([("value", number), ("x", many)])], 60)
    assert number in text
    assert max(len(line) for line in text.splitlines() if number not in line) <= 60
    assert number in as_text([Table(["a", "b"], [["1", number]])], 60)


def test_prose_is_folded_between_words_only():
    words = " ".join(f"word{i}" for i in range(60))
    text = as_text([Table(["id", "text"], [["an.id", words]], prose=["text"])], 60)
    assert set(re.findall(r"word\d+", text)) == set(words.split())


def test_markup_and_control_signs_are_only_text():
    text = as_text([Fields([("x", Words("[bold]no[/] \x1b[31m", style="bold"))]), Note("[red]")])
    assert "[bold]no[/]" in text
    assert "\x1b" not in text


def test_a_sweep_says_where_it_stands(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('mech = "LSHist"\nn = [2, 3]\n')
    result = dpaudit.sweep(str(plan), str(tmp_path / "s.db"), workers=1)
    assert "2 done, 0 failed" in str(result)


def test_an_infinite_value_stays_infinite():
    from dpaudit.numbers.enclosure import infinite

    assert str(infinite().shortened(3)) == "∞"
    assert Enclosure(Fraction(0), Fraction(0), 5).shortened(3).upper == 0

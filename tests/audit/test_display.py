"""Results in a notebook."""

import re
import sys
from io import StringIO
from types import SimpleNamespace

import pytest
from random_laws import BLURRED, Given
from rich.console import Console

import dpaudit
from dpaudit.audit.display import Shown, flatten
from dpaudit.audit.drawing import as_text, draw
from dpaudit.audit.page import STYLE, Fields, Headline
from dpaudit.cli import main


def test_results_show_themselves():
    page = dpaudit.epsilon("EHDS", n=4)._repr_html_()
    assert "<th>true ε</th>" in page
    assert "None" not in page
    assert "_" not in page
    assert "EHDS" in page
    assert page.count("<table>") == 1
    assert dpaudit.pmf("LSHist", x="2,2")._repr_html_().count("<table>") == 2


def test_hostile_text_is_escaped():
    class Bad(Shown):
        def to_dict(self):
            return {"<script>": "<script>", "rows": [{"<b>": "<b>"}]}

    assert "<script>" not in Bad()._repr_html_()
    assert "<b>" not in Bad()._repr_html_()


HEADLINES = {
    "✓ 1-DP: PROVED at n = 4": lambda: dpaudit.epsilon("EHDS", n=4),
    "✓ 1-DP: PROVED for every n": lambda: dpaudit.epsilon("EHD/exact", n="all"),
    "✗ 1-DP: REFUTED at n = 1, true ε = 1.05222": lambda: dpaudit.epsilon("EHD", n=1, prior="1,1/1000"),
    "✓ 1-DP (its nominal ε; its documents do not claim it): PROVED at n = 4": lambda: dpaudit.epsilon("EHDL", n=4),
    "✗ 1-DP: REFUTED at n = 2, true ε = 2": lambda: dpaudit.epsilon(
        "dpaudit.examples.geometric:WrongSensitivity", n=2, claim=1
    ),
    "– δ(1/10) = 0.0569155; it neither proves nor refutes 1-DP": lambda: dpaudit.delta("EHDS", "1/10", n=4),
    "? 1/2-DP: UNDECIDED, true ε in [0, 0.694]": lambda: dpaudit.epsilon(Given([BLURRED] * 2, claim="1/2")),
}


@pytest.mark.parametrize("sentence", HEADLINES)
def test_the_verdict_is_on_top_on_a_terminal_and_in_a_notebook(sentence):
    result = HEADLINES[sentence]()
    assert str(result).startswith(sentence)
    first = re.search(r'<div class="dpaudit">(.*?)</p>', result._repr_html_())[1]
    assert re.match(rf'<p><span class="verdict \w+">{re.escape(sentence)}', first)


def test_the_colour_is_that_of_the_verdict():
    within, beyond = (dpaudit.epsilon("EHDL", n=n, prior="1/10,1/10").headline() for n in (4, 137))
    assert (within.colour, beyond.colour) == ("green", "red")
    assert beyond.more == "exceeds by 7.9e-6 (δ = 2.5e-7 would repair it)"


QUESTIONS = {
    "epsilon": lambda: dpaudit.epsilon("EHDS", n=4),
    "delta": lambda: dpaudit.delta("EHDS", "1/10", n=4),
    "judge": lambda: dpaudit.judge("LSHist", "mu=1", n=3),
    "pmf": lambda: dpaudit.pmf("LSHist", x="2,2"),
    "sensitivity": lambda: dpaudit.sensitivity(4),
    "explain": lambda: dpaudit.explain("1", delta="1e-5"),
    "profile": lambda: dpaudit.profile("LSHist", n=3, orders="2"),
    "accuracy": lambda: dpaudit.accuracy("LSHist", "2,2"),
    "calibrate": lambda: dpaudit.calibrate("LSHist", n=3),
    "calibrate_gamma": lambda: dpaudit.calibrate_gamma("MH", n=3, gammas="1,2"),
    "calibrate_releases": lambda: dpaudit.calibrate_releases("gaussian:sigma=?", "eps=1,delta=1e-5"),
    "compare": lambda: dpaudit.compare("2,2", mechs="LSHist,LSDim"),
    "compare_over_n": lambda: dpaudit.compare_over_n([2, 3], mechs="LSHist,LSDim"),
    "search": lambda: dpaudit.search("EHDL", n="1..2", eps="1/10", prior="1,1"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_result_prints_as_the_command_does_and_has_html_and_rows(name):
    result = QUESTIONS[name]()
    assert str(result) == as_text(result.page()).rstrip("\n")
    assert len(str(result).splitlines()) > 2
    assert "Enclosure(" not in str(result)
    html = result._repr_html_()
    for label in re.findall(r"<th>(.*?)</th>", html):
        assert "_" not in label
    assert "None" not in html
    assert result.rows()


def test_a_result_prints_what_the_command_prints(capsys):
    result = dpaudit.pmf("LSHist", x="2,2")
    assert main(["pmf", "--mech", "LSHist", "--x", "2,2"]) == 0
    assert capsys.readouterr().out == f"{result}\n"


def test_rows_are_flat_and_exact():
    result = dpaudit.pmf("LSHist", x="2,2")
    rows = result.rows()
    assert [row["output"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert rows[0]["probability_lower"] == result.probabilities[0].to_dict()["lower"]
    (row,) = dpaudit.epsilon("EHDS", n=4).rows()
    assert row["witness_x"].count(",") == 1
    assert flatten({"a": {"b": {"c": 1}}, "d": [1, 2]}) == {"a_b_c": 1, "d": "1,2"}


@pytest.fixture(params=["pandas", "polars"])
def package(request, monkeypatch):
    """A package of data frames, the only one that is found; the test is skipped where it is not installed."""
    pytest.importorskip(request.param, reason=f"{request.param} is not installed: pip install {request.param}")
    for other in {"pandas", "polars"} - {request.param}:
        monkeypatch.setitem(sys.modules, other, None)
    return request.param


def present(rows):
    """The rows without what is missing, which is None, or NaN in pandas."""
    return [{name: value for name, value in row.items() if value is not None and value == value} for row in rows]


def records(frame):
    return present(frame.to_dict("records") if hasattr(frame, "iloc") else frame.to_dicts())


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_frame_holds_the_rows(name, package):
    result = QUESTIONS[name]()
    frame = result.to_frame()
    assert type(frame).__module__.partition(".")[0] == package
    assert records(frame) == present(result.rows())


def test_a_frame_keeps_whole_numbers_and_reads_every_row(package):
    """A value may be missing in the first rows of a long table, and in any other."""
    late = [{"n": None, "error": None, "lower": "0.1000000000000000001"}] * 500
    rows = [*late, {"n": 10**15 + 1, "error": "late", "lower": "1"}]
    frame = Shown.to_frame(SimpleNamespace(rows=lambda: rows))
    assert records(frame) == present(rows)
    assert isinstance(records(frame)[-1]["n"], int)


def test_without_data_frames_the_error_says_what_to_install(monkeypatch):
    for package in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(dpaudit.InputError, match=r"needs pandas or polars: pip install pandas; rows\(\) gives"):
        dpaudit.epsilon("EHDS", n=4).to_frame()


def test_labels_are_dim_and_values_plain_on_a_terminal():
    lines = StringIO()
    page = [Headline("✗", "red", "1-DP: REFUTED", "exceeds by 70 %"), Fields([("name", "a value " * 12)])]
    draw(Console(file=lines, force_terminal=True, color_system="standard", width=60, highlight=False), page)
    first, value, more, *_ = lines.getvalue().splitlines()
    assert first == "\x1b[1;31m✗ 1-DP: REFUTED\x1b[0m; exceeds by 70 %"
    assert re.fullmatch(r"\x1b\[2mname  \x1b\[0m[a value]+", value)
    assert "\x1b" not in more


def test_every_rule_of_a_card_outdoes_those_of_jupyter():
    """Jupyter's `.jp-RenderedHTMLCommon tbody tr:nth-child(odd)` has two classes and two elements."""
    selectors = [
        s.strip() for rule in re.findall(r"([^{}]+)\{", STYLE.removeprefix("<style>")) for s in rule.split(",")
    ]
    assert len(selectors) > 10
    assert all(selector.startswith(".dpaudit.dpaudit.dpaudit") for selector in selectors)


def test_digits_are_six_unless_all_are_asked_for():
    result = dpaudit.epsilon("EHDS", n=100)
    assert "0.39993[3, 4]" in str(result)
    assert "0.39993[3, 4]" in result._repr_html_()
    assert "0.3999334321810030[1, 2]" in result.text(digits=None)
    assert "0.3273511[2, 3]" in str(dpaudit.epsilon("EHDS", n=4, claim="0.3273511")), "the digits that decide"


def test_what_is_exact_has_no_bits(capsys):
    for command in ("epsilon", "judge"):
        assert main([command, "--mech", "dpaudit.examples.sparse_vector:BrokenSparseVector"]) == 0
        text = capsys.readouterr().out
        assert "exact, by algebra, " in text
        assert "0 bits" not in text

"""Pictures of results: on given axes, in a file, on the command line; and refused where there is none."""

import re
import shlex
from xml.etree import ElementTree

import pytest
from colors import contrast

import dpaudit
from dpaudit.audit import picture
from dpaudit.charts import style
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError

RESULTS = {
    "epsilon": lambda: dpaudit.epsilon("EHDL", n=4),
    "delta": lambda: dpaudit.delta("EHDL", "1/10", n=4),
    "judge": lambda: dpaudit.judge("EHDL", "eps=1", n=4),
    "pmf": lambda: dpaudit.pmf("LSHist", x="2,2"),
    "profile": lambda: dpaudit.profile("LSHist", n=3, orders="2"),
    "sensitivity": lambda: dpaudit.sensitivity(4),
    "accuracy": lambda: dpaudit.accuracy("LSHist", "3,3"),
    "compare": lambda: dpaudit.compare("2,2", mechs="MH,LSDim"),
    "compare over n": lambda: dpaudit.compare_over_n([2, 4, 6], 1, mechs="MH,LSDim"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_draws_itself_on_given_axes(name):
    axes = style.new_axes()
    assert RESULTS[name]().plot(axes) is axes
    assert axes.get_xlabel()
    assert axes.has_data()


def test_without_axes_there_is_a_new_figure():
    from matplotlib import pyplot

    axes = RESULTS["epsilon"]().plot()
    assert axes.figure.number in pyplot.get_fignums()
    pyplot.close(axes.figure)


def test_a_path_gets_the_picture_that_the_command_draws(tmp_path):
    found = RESULTS["epsilon"]()
    found.plot(tmp_path / "a.svg")
    assert main([*shlex.split(found.command)[1:], "--plot", str(tmp_path / "b.svg")]) == 0
    assert (tmp_path / "a.svg").read_text() == (tmp_path / "b.svg").read_text()
    with pytest.raises(InputError, match=r"plot = a.gif: must end in .svg, .pdf, .png"):
        found.plot("a.gif")


def test_what_has_no_picture_says_so():
    with pytest.raises(InputError, match="this result has no picture"):
        dpaudit.explain("1").plot(style.new_axes())
    with pytest.raises(InputError, match="at most 400 outputs"):
        dpaudit.epsilon("LSHist", n=500).plot(style.new_axes())


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_on_the_command_line(suffix, tmp_path, capsys):
    path = tmp_path / f"figure{suffix}"
    assert main(["epsilon", "--mech", "EHDL", "--n", "4", "--plot", str(path)]) == 0
    assert path.read_bytes()[:5] in (b"<?xml", b"%PDF-", b"\x89PNG\r")
    assert f"written: {path}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("epsilon --mech EHDL --n 4 --plot a.gif", "--plot = a.gif: must end in .svg, .pdf, .png"),
        ("epsilon --mech EHDS --n all --plot a.svg", "--plot = a.svg: a theorem has a picture only for a box"),
    ],
)
def test_a_picture_that_cannot_be_is_refused_before_any_work(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------ the small pictures of a notebook


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dpaudit.epsilon("EHDS", n=20),
        lambda: dpaudit.delta("EHDS", "1/10", n=4),
        lambda: dpaudit.judge("EHDL", "eps=1", n=4),
        lambda: dpaudit.explain("0.4"),
        lambda: dpaudit.epsilon("dpaudit.examples.sparse_vector:BrokenSparseVector"),
    ],
)
def test_the_bar_of_a_result_says_what_it_shows_and_stays_in_its_frame(ask):
    bar = ElementTree.fromstring(re.search(r"<svg.*?</svg>", ask().picture())[0])
    assert bar.get("aria-label") == bar.find("title").text
    assert float(bar.get("width")) <= 520
    ends = [(float(part.get("x")), float(part.get("width"))) for part in bar.iter("rect")]
    assert ends
    assert all(0 <= x <= x + length <= float(bar.get("width")) for x, length in ends)


@pytest.mark.parametrize("ground", ["#ffffff", "#111111", "#1e1e1e"])
def test_small_pictures_are_seen_on_any_ground(ground):
    for colour in (picture.BLUE, picture.ORANGE):
        assert contrast(colour, ground) >= 3


def test_many_outputs_are_not_drawn():
    assert dpaudit.epsilon("LSHist", n=500).picture().count("<svg") == 1


def test_hostile_names_stay_text_in_a_picture():
    class Named:
        def datasets(self):
            return ["<script>", "</svg>"]

        def outputs(self):
            return ["<b>", '"']

        def probability(self, x, r):
            return "1/2"

    html = dpaudit.epsilon(Named)._repr_html_()
    assert "<script>" not in html
    assert html.count("</svg>") == 2

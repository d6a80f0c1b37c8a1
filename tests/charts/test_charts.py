"""Charts: SVG with text as text that follows the theme, files for papers, and pictures of results."""

import re
import shlex
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import dpaudit
from dpaudit.charts import draw, style
from dpaudit.cli import main
from dpaudit.numbers.enclosure import exact, infinite
from dpaudit.numbers.errors import InputError

LINES = [
    draw.Line("first", (1, 2, 3), tuple(exact(Fraction(i, 3), 6) for i in (1, 2, 3)), "→ 1.25"),
    draw.Line("second <b>", (1, 2, 3), (exact(Fraction(1), 6), infinite(), exact(Fraction(1, 2), 6))),
]


def drawn(make, alt="words", prefix="a-"):
    with style.styled():
        axes = style.new_axes()
        make(axes)
        return style.svg(axes.figure, alt, prefix)


def chart(axes):
    draw.lines(axes, LINES, [draw.Level(Fraction(1), "claimed ε = 1")], x_label="n", y_label="true ε")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_text_is_text_and_numbers_in_it_are_whole():
    tree = ElementTree.fromstring(drawn(chart))
    words = [part.text for part in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"n", "true ε", "first → 1.25", "second <b>", "claimed ε = 1"} <= set(words)
    assert tree.get("aria-label") == "words"


def test_it_has_the_colours_of_the_page():
    text = drawn(chart)
    assert "currentColor" in text
    assert f"var(--c1,{style.COLOURS[0]})" in text
    assert not re.search(r"(?:fill|stroke): #(?:000000|1f2328)", text)
    assert "font-family" not in text


def test_ids_of_two_pictures_differ_and_all_are_found():
    one, other = drawn(chart, prefix="a-"), drawn(chart, prefix="b-")
    ids = [re.findall(r' id="([^"]*)"', text) for text in (one, other)]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])
    assert set(re.findall(r"#([\w-]+)", re.sub(r"#[0-9a-f]{6}\b", "", one))) <= set(ids[0])


def test_the_same_picture_is_the_same_text():
    assert drawn(chart) == drawn(chart)


def test_a_file_of_its_own_has_its_title_above_the_picture():
    picture = drawn(chart)
    found = style.alone(picture, "LSHist & 7 others: " + "word " * 20)
    ElementTree.fromstring(found.partition("\n")[2])
    bare, tall = (float(re.search(r'height="([\d.]+)pt"', text)[1]) for text in (picture, found))
    assert "LSHist &amp; 7 others" in found
    assert tall > bare + 30, "two lines"
    assert f'viewBox="0 -{tall - bare:.0f} ' in found
    assert found.rstrip().endswith("</svg>")


def test_a_file_of_its_own_follows_the_theme():
    text = style.alone(drawn(chart))
    ElementTree.fromstring(text.partition("\n")[2])
    assert "prefers-color-scheme:dark" in text
    assert all(colour in text for colour in style.DARK)


@pytest.mark.parametrize(("colours", "ground"), [(style.COLOURS, "#ffffff"), (style.DARK, "#12151a")])
def test_names_in_colour_are_read_on_their_ground(colours, ground):
    assert min(contrast(colour, ground) for colour in colours) >= 4.5


@pytest.mark.parametrize("ground", ["#ffffff", "#12151a"])
def test_ordered_colours_are_seen_on_both_grounds(ground):
    found = draw.ordered_colours(10)
    assert len(set(found)) == 10
    assert min(contrast(colour, ground) for colour in found) >= 2.5


@pytest.mark.parametrize(("places", "gap"), [([0.1, 0.1, 0.1], 0.1), ([0.5, 0.45, 0.9], 0.1), ([], 1), ([0, 1], 0.1)])
def test_names_are_moved_apart_and_keep_their_order(places, gap):
    found = draw.spread(places, gap)
    pairs = sorted(zip(places, found, strict=True))
    heights = [height for _, height in pairs]
    assert heights == sorted(heights)
    assert all(b - a >= 0.99 * gap for a, b in pairwise(heights))


def test_a_line_that_another_one_hides_is_drawn_wider():
    same, other = ((exact(Fraction(1, i), 6), exact(Fraction(1), 6)) for i in (1, 2))
    axes = style.new_axes()
    rows = [draw.Line("a", (1, 2), same), draw.Line("b", (1, 2), same), draw.Line("c", (1, 2), other)]
    draw.lines(axes, rows, x_label="n", y_label="ε")
    widths = [line.get_linewidth() for line in axes.get_lines()]
    assert widths[0] > widths[1] == widths[2]
    assert all(tick == round(tick) for tick in axes.get_xticks()), "n is a whole number"


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

"""The style of charts: SVG with text as text that follows the theme, in colors that are read on both grounds."""

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from colors import contrast

from dpaudit.charts import draw, style
from dpaudit.numbers.enclosure import exact, infinite

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


def test_text_is_text_and_numbers_in_it_are_whole():
    tree = ElementTree.fromstring(drawn(chart))
    words = [part.text for part in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"n", "true ε", "first → 1.25", "second <b>", "claimed ε = 1"} <= set(words)
    assert tree.get("aria-label") == "words"


def test_it_has_the_colors_of_the_page():
    text = drawn(chart)
    assert "currentColor" in text
    assert f"var(--c1,{style.COLORS[0]})" in text
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
    assert all(color in text for color in style.DARK)


@pytest.mark.parametrize(("colors", "ground"), [(style.COLORS, "#ffffff"), (style.DARK, "#12151a")])
def test_names_in_color_are_read_on_their_ground(colors, ground):
    assert min(contrast(color, ground) for color in colors) >= 4.5


@pytest.mark.parametrize("ground", ["#ffffff", "#12151a"])
def test_ordered_colors_are_seen_on_both_grounds(ground):
    found = draw.ordered_colors(10)
    assert len(set(found)) == 10
    assert min(contrast(color, ground) for color in found) >= 2.5

"""The pictures: colours that everybody can tell apart, in numbers; labels and marks where they must be."""

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from dpaudit.pictures import colours
from dpaudit.pictures.distance import within
from dpaudit.pictures.lines import Chart, Curve, together
from dpaudit.pictures.maps import CellMap, Shades
from dpaudit.pictures.names import shortened
from dpaudit.pictures.pair import Losses, Mass, Pair, Stem
from dpaudit.pictures.picture import NARROW, WIDE, Figure
from dpaudit.pictures.plot import spread
from dpaudit.pictures.scales import RAISED, Scale, fitted
from dpaudit.pictures.small import Bar
from dpaudit.pictures.svg import width_of
from dpaudit.pictures.ternary import Ternary
from dpaudit.pictures.tradeoff import Tradeoff, guaranteed


def at(value):
    """What is known exactly."""
    return value, value


PLAIN = {raised: plain for plain, raised in RAISED.items()}
THEMES = {"light": colours.LIGHT, "dark": colours.DARK}
SEEN = {
    "everybody": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""How readers without one kind of cone see linear RGB (Machado, Oliveira and Fernandes 2009)."""


def linear(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]


def lab(colour, eyes):
    rgb = linear(colour)
    r, g, b = (min(1, max(0, sum(a * v for a, v in zip(row, rgb, strict=True)))) for row in SEEN[eyes])
    x, y, z = (
        (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883,
    )
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one, other, eyes):
    """The CIELAB distance of two colours as somebody sees them: 2.3 is just noticed, 10 is seen at a glance."""
    return sum((a - b) ** 2 for a, b in zip(lab(one, eyes), lab(other, eyes), strict=True)) ** 0.5


def contrast(one, other):
    """The contrast ratio of WCAG 2."""
    lights = sorted(sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear(c), strict=True)) for c in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("theme", THEMES)
def test_lines_are_told_apart_by_everybody(theme, eyes):
    lines = [THEMES[theme][f"p{i}"] for i in range(colours.LINES)]
    assert min(apart(one, other, eyes) for one, other in combinations(lines, 2)) > 20
    assert apart(THEMES[theme]["a"], THEMES[theme]["b"], eyes) > 30


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("theme", THEMES)
def test_neighbours_and_signs_on_a_map_are_told_apart(theme, eyes):
    for kind, count in (("q", 17), ("h", 13)):
        steps = [THEMES[theme][f"{kind}{i}"] for i in range(count)]
        assert min(apart(one, other, eyes) for one, other in pairwise(steps)) > 2.3
    assert apart(THEMES[theme]["q4"], THEMES[theme]["q12"], eyes) > 20  # the same size, below and above zero


@pytest.mark.parametrize("theme", THEMES)
def test_everything_is_seen_on_its_ground(theme):
    shown = THEMES[theme]
    for name in ("fg", "dim", "link", "proved", "refuted", "open", "measured"):
        assert contrast(shown[name], shown["bg"]) >= 4.5, name
    for name in ("a", "b", "mark", "axis", *(f"p{i}" for i in range(colours.LINES))):
        assert contrast(shown[name], shown["bg"]) >= 3, name
    assert contrast(shown["fg"], shown["soft"]) >= 4.5


def test_both_themes_have_every_colour_of_the_style():
    assert colours.LIGHT.keys() == colours.DARK.keys()
    for theme in THEMES.values():
        assert "var(" not in colours.resolved(colours.style(), theme)


def lines(*values, **more):
    return [
        Curve(name, [(float(x), y) for x, y in enumerate(own)], **more)
        for name, own in zip("ABCDEFGH", values, strict=False)
    ]


def test_labels_at_the_ends_do_not_stand_on_each_other():
    places = spread([100, 100, 101, 102, 300], 0, 300, 15)
    assert sorted(places) == places
    assert all(b - a >= 15 for a, b in pairwise(places))
    assert 0 <= places[0] <= places[-1] <= 300


def test_lines_that_coincide_say_so():
    chart = Chart(lines([1, 2, 3], [1, 2, 3], [3, 2, 1]), "n", "y")
    assert together(chart) == " A and B coincide here."
    pairs = Chart(lines([1, 2, 3], [1, 2, 3], [3, 4, 5], [3, 4, 5]), "n", "y")
    assert together(pairs) == " A and B coincide here. C and D coincide here.", "two pairs, not four of a kind"
    part = Chart(lines([1, 2, 3, 4, 5, 9], [1, 2, 3, 4, 5, 0]), "n", "y")
    assert together(part) == " A and B coincide from n = 0 to 4."
    assert together(Chart(lines([1, 2], [2, 1]), "n", "y")) == ""
    assert chart.draw(WIDE, "alt").body.count("wider") == 1


def test_lines_coincide_where_their_values_are_equal_and_all_are_named():
    near = Chart(lines([1, 2, 3, 4, 900], [1, 2, 3, 4.0001, 900.0001]), "n", "y")
    assert together(near) == " A and B coincide from n = 0 to 2.", "less than a pixel apart is not equal"
    three = Chart(lines([1, 2, 3, 4, 9], [1, 2, 3, 5, 8], [1, 2, 3, 6, 7]), "n", "y")
    assert together(three) == " A, B and C coincide from n = 0 to 2."
    again = Chart(lines([1, 2, 3, 4, 9, 1, 1], [1, 2, 3, 5, 9, 1, 2]), "n", "y")
    assert together(again) == " A and B coincide from n = 0 to 2 and from 4 to 5."
    part = Chart(lines([1, 2, 3, 4, 9], [1, 2]), "n", "y")
    assert together(part) == " A and B coincide from n = 0 to 1.", "not wherever the longer one is drawn"


def test_the_sign_of_what_coincides_has_its_room():
    alone, both = (Chart(lines(*[[1, 2, 3]] * count, note="= 3, claims 1/1000"), "n", "y") for count in (1, 2))
    assert both.ground(WIDE)[0].right < alone.ground(WIDE)[0].right


def test_steps_stand_at_their_own_places():
    chart = Chart(lines([1.0, 2.0]), "n", "y", steps=[([(0.0, 3.0), (1.0, 4.0)], "claimed")])
    ground, _ = chart.ground(WIDE)
    body = chart.draw(WIDE, "alt").body
    assert body.count("claimed") == 1
    assert ground.y(4.0) >= ground.top, "a step is inside the picture"
    assert body.count('"rule"') == 1


def test_a_chart_has_its_bars_limits_marks_and_names():
    curves = [Curve("A", [(1.0, 1.0), (2.0, 2.0)], ["one", "two"], limit=3.0, note="≤ 3"), Curve("B & C", [(1.0, 2.0)])]
    chart = Chart(curves, "n", "y", bars=[(4.0, "claimed")], marks=[(1.5, 1.0, "here")])
    for width in (WIDE, NARROW):
        picture = chart.draw(width, "the finding")
        tree = ElementTree.fromstring(picture.svg())
        assert tree.get("aria-label") == "the finding"
        words = [element.text for element in tree.iter("text")]
        assert {"claimed", "here", "n → ∞", "B & C"} <= set(words)
        assert [element.get("data-s") for element in tree.iter("g") if element.get("data-s")] == ["A", "B & C"]
    assert "A ≤ 3" in chart.draw(WIDE, "").body
    assert chart.draw(WIDE, "").body.count("<title>") == 3  # two points and the limit
    assert "claimed" in chart.draw(NARROW, "").body


def test_a_map_has_a_ring_at_its_worst_cell_and_a_contour_around_what_is_over():
    values = {(i, j): float(i + j) for i in range(4) for j in range(3)}
    over = frozenset({(3, 2), (2, 2)})
    drawn = CellMap(
        "m", values, list("abcd"), list("xyz"), Shades.amount(5.0), "across", "up", (3, 2), over, 104, 0
    ).draw("alt")
    tree = ElementTree.fromstring(drawn.svg())
    ring = [element for element in tree.iter("circle") if element.get("class") == "ring"]
    assert [(float(r.get("cx")), float(r.get("cy"))) for r in ring] == [(87.5, 36.5)]
    (contour,) = [element.get("d") for element in tree.iter("path") if element.get("class") == "ring"]
    assert contour.count("M") == 3  # one edge at the left, two below
    (cells,) = [element for element in tree.iter("g") if element.get("class") == "cells"]
    assert cells.get("data-v").split(";")[0] == "2 3 4 5"


def test_a_ternary_map_has_every_histogram_and_its_ring():
    n = 3
    values = {(i, j, n - i - j): float(i) for i in range(n + 1) for j in range(n + 1 - i)}
    drawn = Ternary("t", values, {}, Shades.amount(3.0), (3, 0, 0), [((0, 3, 0), "x")]).draw("alt")
    tree = ElementTree.fromstring(drawn.svg())
    paths = list(tree.iter("path"))
    assert sum(path.get("d").count("M") for path in paths) == 10
    assert len(paths) == 4, "one path for each colour"
    assert all(path.get("data-t").count("␟") + 1 == path.get("d").count("M") for path in paths)
    (ring,) = [element for element in tree.iter("circle") if element.get("class") == "ring"]
    assert float(ring.get("cx")) == pytest.approx(drawn.width / 2, abs=0.1)  # all records in cell 1: the upper corner


def test_a_pair_has_both_lines_the_losses_and_a_ring():
    stems = [
        Stem(float(i), str(i), at(0.5), at(0.25), at(loss), "said") for i, loss in enumerate((0.7, -0.2, float("inf")))
    ]
    drawn = Pair("h", "x", "y", stems, 0, "cropped", True, (-0.2, 0.7)).draw("alt")
    tree = ElementTree.fromstring(drawn.svg())
    (told,) = [e for e in tree.iter("path") if e.get("class") == "hit"]
    assert (told.get("d").count("M"), told.get("data-t")) == (3, "said␟said␟said")
    assert len([e for e in tree.iter("circle") if e.get("class") == "ring"]) == 1
    words = [element.text for element in tree.iter("text")]
    assert {"∞", "cropped"} <= set(words)


def test_scales_have_round_ticks_and_hold_their_values():
    assert [shown for _, shown in Scale(0, 1, 0, 100).ticks(4)] == ["0.0", "0.5", "1.0"]
    assert [shown for _, shown in Scale(1, 60, 0, 100, whole=True).ticks(6)] == ["10", "20", "30", "40", "50", "60"]
    assert [shown for _, shown in Scale(1e-6, 1, 0, 100, log=True).ticks(3)] == ["10⁻⁶", "10⁻⁴", "10⁻²", "1"]
    scale = fitted([0.1, 5.0], 10, 90)
    assert 10 <= scale(0.1) < scale(5.0) <= 90
    assert scale(100) == 90


def test_a_file_of_its_own_has_its_colours_and_nothing_for_the_pointer():
    curve = Curve("A", [(float(i), float(i)) for i in range(100)], ["tip"] * 100)
    text = Figure([Chart([curve], "n", "y").draw(WIDE, "said")], "caption").file()
    ElementTree.fromstring(text)
    assert "var(" not in text
    assert text.count("<title>") == 1
    assert "tip" not in text
    assert ".grid{" in text
    assert ".q0{" not in text, "only the style that it needs"


INF = float("inf")


def all_of(picture, tag, kind):
    tree = ElementTree.fromstring(picture.svg())
    return [element for element in tree.iter(tag) if kind in (element.get("class") or "").split()]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_an_infinite_value_stands_in_a_band_above_the_axis(width):
    points = [(1.0, 0.5), (2.0, INF), (3.0, INF)]
    drawn = Chart([Curve("A", points, limit=None)], "n", "y", bars=[(1.0, "claimed")]).draw(width, "alt")
    (band,) = all_of(drawn, "rect", "beyond")
    dots = [c for c in ElementTree.fromstring(drawn.svg()).iter("circle") if c.get("r") == "3"]
    low = float(band.get("y")) + float(band.get("height"))
    assert len(dots) == 2, "both infinite values are marked, also on a phone"
    assert all(float(band.get("y")) < float(dot.get("cy")) < low for dot in dots)
    rule = all_of(drawn, "path", "rule")[0].get("d")
    assert float(rule.split("L")[0].split(" ")[1]) > low, "the claim lies below the band"
    assert "∞" in [element.text for element in ElementTree.fromstring(drawn.svg()).iter("text")]
    finite = Chart([Curve("A", points[:1])], "n", "y").draw(width, "alt")
    assert not all_of(finite, "rect", "beyond")


def test_a_wide_enclosure_is_a_band_and_never_a_midpoint():
    points, ends = [(1.0, 0.5), (2.0, 0.5), (3.0, 0.5)], [(0.5, 0.5), (0.1, 0.9), (0.2, INF)]
    drawn = Chart([Curve("A", points, spans=ends)], "n", "y").draw(WIDE, "alt")
    (band,) = all_of(drawn, "path", "band")
    assert len(re.findall("[LHV]", band.get("d"))) == 5, "the upper and the lower ends of three values"
    assert band.get("class") == "band f0", "no line closes it at its sides"
    assert len(all_of(drawn, "path", "edge")) == 2
    assert not [p for p in all_of(drawn, "path", "line") if "thin" not in p.get("class")], "no line through midpoints"
    assert len(all_of(drawn, "path", "thin")) == 2, "one error bar for each value that is not known"
    narrow = Chart([Curve("A", points, spans=[(0.5, 0.5000001)] * 3)], "n", "y").draw(WIDE, "alt")
    assert not all_of(narrow, "path", "band")
    assert len(all_of(narrow, "path", "line")) == 1


def test_a_lone_point_is_seen_on_a_phone():
    drawn = Chart([Curve("A", [(1.0, 0.5)])], "n", "y").draw(NARROW, "alt")
    assert [c.get("r") for c in ElementTree.fromstring(drawn.svg()).iter("circle")] == ["4"]


def test_a_name_has_one_colour_and_sixteen_lines_differ():
    chart = Chart(lines([1, 2], [2, 1]), "n", "y", slots={"A": 5, "B": 9})
    assert {p.get("class") for p in all_of(chart.draw(WIDE, ""), "path", "line")} == {"line s5", "line s1"}
    found = colours.slots([f"mine {i}" for i in range(16)])
    assert len({colours.dashes_of(slot) for slot in found.values()}) == 16


def test_names_of_trade_off_curves_stand_by_pieces_of_their_lines():
    curves = {name: [(0.0, 1.0), (0.4 - i / 50, 0.4 - i / 50), (1.0, 0.0)] for i, name in enumerate("ABC")}
    drawn = Tradeoff(curves, [("ε = 1", 1.0, 0.0)], slots={"B": 6}).draw(371, "alt")
    assert not all_of(drawn, "path", "lead"), "no leaders that meet in a point"
    assert len(all_of(drawn, "path", "s6")) == 2, "the curve and its piece"


def test_what_is_impossible_stands_below_a_logarithmic_axis():
    stems = [
        Stem(float(i), str(i), at(0.5), at(q), at(loss), "said")
        for i, (q, loss) in enumerate([(0.25, 0.7), (0.0, INF)])
    ]
    drawn = Pair("h", "x", "y", stems, 1, "", False, (0.0, 0.7)).draw("alt")
    assert len(all_of(drawn, "path", "hollow")) == 1
    assert len(all_of(drawn, "rect", "beyond")) == 2, "one for probability 0, one for the infinite loss"
    words = [element.text for element in ElementTree.fromstring(drawn.svg()).iter("text")]
    assert {"0", "∞"} <= set(words)


def test_a_claim_outside_a_loss_distribution_is_still_named():
    inside, outside = (Losses("h", [Mass(at(0.5), at(1.0), "")], 1.0, 1.0, bar).draw("alt") for bar in (1.0, 2.0))
    assert all_of(inside, "path", "rule")
    assert not all_of(outside, "path", "rule")
    assert ">claim →<" in outside.body


def test_a_bound_is_cut_where_it_leaves_the_probabilities():
    assert within([(0.0, 0.5), (1.0, 1.5), (2.0, 3.0)]) == [[(0.0, 0.5), (0.5, 1.0)]]
    assert within([(0.0, -1.0), (1.0, 2.0)]) == [[(1 / 3, 0.0), (2 / 3, 1.0)]]
    assert within([(0.0, 2.0), (1.0, 3.0)]) == []


def widths(drawn):
    return [float(part.get("width")) for part in ElementTree.fromstring(drawn).iter("rect")]


def test_a_small_bar_is_light_where_the_value_is_not_known():
    exact, wide, open_, infinite = (
        Bar("true ε", low, high, "…", 1.0, "claimed 1").draw()
        for low, high in ((0.5, 0.5), (0.5, 2.0), (0.5, INF), (INF, INF))
    )
    assert len(widths(exact)) == 1
    assert widths(wide)[1] == pytest.approx(3 * widths(wide)[0], rel=0.01), "from 0.5 to 2"
    assert len(widths(open_)) == 2
    assert "→" in open_
    assert widths(infinite)[0] > widths(open_)[0], "nothing of it is in doubt"
    assert len(widths(infinite)) == 1


def test_no_curve_is_drawn_over_the_words_of_a_claim():
    body = Tradeoff({"A": [(0.0, 1.0), (0.3, 0.3), (1.0, 0.0)]}, [("ε = 1", 1.0, 0.0)]).draw(WIDE, "alt").body
    assert body.index("ε = 1") > body.rindex('data-s="A"')


@pytest.mark.parametrize(
    ("reach", "texts"),
    [
        (1e-8, ["−10⁻⁸", "0", "10⁻⁸"]),
        (0.4, ["−0.4", "−0.2", "0.0", "0.2", "0.4"]),
        (1.0, ["−1", "0", "1"]),
        (50.0, ["−50", "0", "50"]),
        (700.0, ["−500", "0", "500"]),
        (3e7, ["−2·10⁷", "0", "2·10⁷"]),
    ],
)
def test_loss_bars_have_round_ticks_on_both_sides_of_zero_at_any_size(reach, texts):
    stems = [Stem(0.0, "u", at(0.5), at(0.25), at(reach), ""), Stem(1.0, "v", at(0.25), at(0.5), at(-reach), "")]
    drawn = Pair("head", "a", "b", stems, 0, "", False, (-reach, reach)).draw("alt").svg()
    assert [text for text in texts if f">{text}</text>" not in drawn] == []


def test_ticks_across_do_not_touch_and_stand_within_the_picture():
    for reach in (1e-8, 3e-5, 0.4, 700.0, 123456.0):
        picture = Losses("head", [Mass(at(end), at(0.5), "") for end in (reach, -reach)], reach, 0.5).draw("alt")
        words = [e for e in ElementTree.fromstring(picture.svg()).iter("text") if float(e.get("y")) == 167]
        ends = [(float(e.get("x")) - width_of(e.text) / 2, float(e.get("x")) + width_of(e.text) / 2) for e in words]
        assert len(ends) > 1, reach
        assert all(a[1] < b[0] for a, b in pairwise(ends)), reach
        assert min(ends)[0] >= 0, reach
        assert ends[-1][1] <= picture.width, reach


@pytest.mark.parametrize("ends", [(0.331, 0.3361), (0.9, 1.1), (1e-304, 1.0), (0.3, 0.4)])
def test_a_logarithmic_axis_has_two_round_ticks_however_short_or_long(ends):
    ticks = fitted(ends, 200, 0, log=True).ticks(3)
    assert len(ticks) >= 2
    assert all(int(text[2:].translate(PLAIN)) % 50 == 0 for _, text in ticks if ends[0] < 1e-9 and text != "1")


def test_names_are_cut_with_a_mark_and_still_differ():
    names = ["raises ValueError: first of them", "raises ValueError: last of them", "no"]
    for most in (8, 14, 20):
        found = shortened(names, most)
        assert len(set(found)) == 3
        assert max(map(len, found)) <= most
    stems = [Stem(float(i), name, at(0.5), at(0.25), at(0.1), "") for i, name in enumerate(names)]
    shown = Pair("head", "a", "b", stems, 0, "", False).draw("alt").svg()
    assert ">raises ValueEr<" not in shown
    assert "…" in shown


def test_a_claim_of_any_size_has_its_trade_off():
    assert guaranteed(0.0, 0.5)[1] == (0.25, 0.25)
    assert guaranteed(800.0, 0.0)[1][0] < 1e-300


def test_an_axis_too_short_for_its_ticks_keeps_some_that_do_not_touch():
    ticks = Scale(1, 64, 0, 80, log=True).apart(2)
    assert ticks[0][1] == "1"
    assert len(ticks) > 1


def test_the_words_of_a_claim_stay_within_the_plot():
    name = "a mechanism with a name that is much too long for the plot that it stands in, by far"
    drawn = Chart([Curve("A", [(1.0, 0.5), (2.0, 0.6)])], "n", "y", bars=[(1.0, name)]).draw(NARROW, "alt")
    (words,) = [e for e in ElementTree.fromstring(drawn.svg()).iter("text") if e.text.startswith("a mech")]
    assert float(words.get("x")) + width_of(words.text) < NARROW - 16

"""Kinds of charts: names beside lines keep their distance, and no line hides another one."""

from fractions import Fraction
from itertools import pairwise

import pytest

from dpaudit.charts import draw, style
from dpaudit.numbers.enclosure import exact


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

"""Labels in pictures: whose they are is seen, they are whole, and a number is never cut."""

import math
import re
from fractions import Fraction
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from dpaudit.numbers import digits
from dpaudit.pictures.alike import coincident, equal
from dpaudit.pictures.distance import Distances
from dpaudit.pictures.labels import SAMPLE, beside, signs
from dpaudit.pictures.lines import Chart, Curve, together
from dpaudit.pictures.maps import CellMap, Shades
from dpaudit.pictures.pair import Pair, Stem
from dpaudit.pictures.picture import HALF, NARROW, WIDE
from dpaudit.pictures.plot import claim_rows
from dpaudit.pictures.svg import width_of
from dpaudit.reports import plan
from dpaudit.reports.board import board
from dpaudit.reports.charts import figures
from dpaudit.reports.report import build
from dpaudit.reports.tables import table

INF = math.inf
ROOM = ((30.0, 366.0), (30.0, 290.0))


def words_of(picture):
    return [e for e in ElementTree.fromstring(picture.svg()).iter("text") if e.text]


def away(box, end):
    x, y, wide = box
    return math.hypot(max(x - end[0], 0, end[0] - x - wide), max(0, abs(y - end[1]) - 6))


@pytest.mark.parametrize("other", [(INF, INF), (1.0, 1.0), (0.999, 0.999), (0.5, INF)])
def test_what_has_no_upper_bound_coincides_with_nothing_else(other):
    open_ = (0.999, INF)
    assert not equal(open_, other)
    assert not equal(other, open_)
    assert coincident({"A": {1.0: open_}, "B": {1.0: other}}, equal) == []


def test_what_is_infinite_coincides_with_what_is_infinite():
    assert equal((INF, INF), (INF, INF))
    chart = Chart([Curve(name, [(1.0, INF)], spans=[(low, INF)]) for name, low in (("A", INF), ("B", 0.9))], "n", "y")
    assert together(chart) == ""


ENDS = [(168.0, 159.0), (164.0, 197.0), (110.0, 242.0), (130.0, 229.0), (130.0, 229.5), (94.0, 283.0), (98.0, 275.0)]
"""Ends of curves that crowd each other, as those of a report do."""


def test_a_label_is_nearer_to_the_end_of_its_own_curve_than_to_another():
    boxes = beside(ENDS, [45.0] * len(ENDS), ROOM, taken=[(170.0, 270.0, 150.0)])
    for box, own in zip(boxes, ENDS, strict=True):
        others = [end for end in ENDS if math.dist(end, own) > 4]
        assert all(away(box, own) < away(box, other) for other in others), (box, own)
    for (a, b, wide), (c, d, w) in combinations(boxes, 2):
        assert abs(b - d) >= 14 or a > c + w or c > a + wide
    assert all(ROOM[0][0] <= x <= ROOM[0][1] - wide for x, _, wide in boxes)


def test_a_label_that_stands_apart_has_a_line_from_its_end_and_a_piece_of_its_curve():
    starts = [1.0, 0.9, 0.8, 0.7]
    curves = [Curve(name, [(0.0, y), (1.0, 0.5 + y / 1000)]) for name, y in zip("ABCD", starts, strict=True)]
    drawn = Chart(curves, "ε", "δ", inside=True).draw(HALF, "alt")
    tree = ElementTree.fromstring(drawn.svg())
    apart, series = 0, [g for g in tree.iter("g") if g.get("class") == "series"]
    lines = {g.get("data-s"): g.find("path") for g in series if g.find("text") is None and g.find("g") is not None}
    for group in series[-4:]:
        curve = lines[group.get("data-s")]
        end = [float(v) for v in re.findall(r"[\d.]+", curve.get("d"))][-2:]
        label, kinds = group.find("text"), [p.get("class") for p in (curve, *group.iter("path"))]
        led = [p for p in group.iter("path") if p.get("class") == "lead"]
        direct = math.isclose(float(label.get("y")) - 4, end[1], abs_tol=0.2)
        assert bool(led) != direct
        assert kinds.count(kinds[0]) == (1 if direct else 2), "the curve and its piece"
        apart += not direct
        if led:
            start = [float(v) for v in re.findall(r"[\d.]+", led[0].get("d"))][:2]
            assert math.dist(start, end) < 8, "it begins at its own end"
    assert apart == 3


def test_a_label_leaves_a_curve_where_there_is_room():
    curve = [(118.0 + i, 150.0) for i in range(60)]
    ((x, y, wide),) = beside([(110.0, 150.0)], [45.0], ROOM, curve)
    assert wide == 45.0 + SAMPLE or x < 110
    assert abs(y - 150) > 6 or x + wide < 118


COURSES = {
    "LSZhang": [(56, 50), (79, 57), (103, 69), (126, 85), (149, 105), (161, 127), (166, 150)],
    "LSDim": [(56, 56), (79, 70), (91, 82), (103, 104), (108, 126)],
    "LSHist": [(56, 40), (91, 47), (126, 62), (149, 82), (161, 104), (166, 126)],
    "EHD": [(56, 125), (68, 144), (79, 171), (91, 206), (97, 234)],
    "EHDL": [(56, 50), (79, 65), (91, 78), (114, 128), (126, 146), (137, 174), (149, 283)],
    "EHDS": [(56, 82), (68, 100), (79, 144), (91, 189), (97, 223)],
    "MH": [(56, 50), (79, 65), (91, 78), (114, 125), (126, 149), (137, 190), (143, 237)],
    "MHdelta": [(56, 74), (68, 88), (79, 113), (91, 158), (103, 180), (114, 227)],
}
"""Where the curves of a report are drawn: some end between others."""


def between(one, other, count=40):
    """Places on the line from one to the other, without its ends."""
    return [tuple(a + i / count * (b - a) for a, b in zip(one, other, strict=True)) for i in range(1, count)]


def test_a_label_stands_on_no_curve_also_where_it_is_then_nearer_to_another_end():
    met = [place for course in COURSES.values() for one, other in pairwise(course) for place in between(one, other)]
    widths = [width_of(name) for name in COURSES]
    boxes = beside([course[-1] for course in COURSES.values()], widths, ROOM, met)
    for name, (x, y, wide) in zip(COURSES, boxes, strict=True):
        assert not [place for place in met if away((x, y, wide), place) == 0], name


def test_the_thin_line_to_a_label_goes_through_no_other():
    met = [(x, y) for x in range(31, 366, 5) for y in range(31, 290, 5) if x < 160 or not 120 < y < 140]
    end, taken = (100.0, 150.0), (112.0, 132.0, 30.0)
    ((x, y, wide),) = beside([end], [45.0], ROOM, met, [taken])
    goal = min(max(end[0], x), x + wide), y
    assert all(away(taken, place) for place in between(end, goal)), (x, y, wide)


@pytest.mark.parametrize("width", [HALF, NARROW])
def test_no_curve_is_drawn_over_a_label(width):
    curves = [Curve(name, [(float(x), 300.0 - y) for x, y in course]) for name, course in COURSES.items()]
    tree = ElementTree.fromstring(Chart(curves, "ε", "δ", inside=True).draw(width, "alt").svg())
    series = [g.find("text") is not None for g in tree.iter("g") if g.get("class") == "series"]
    assert series.count(False) >= len(COURSES)
    assert series == sorted(series), "first all curves, then all labels"


def test_the_words_of_a_mark_are_whole_and_off_the_curves():
    words = "claimed (1, 1e-5)-DP"
    met = [(70.0, 30.0 + 4 * i) for i in range(65)]
    for x in (80.0, 120.0, 200.0, 300.0, 360.0):
        (sign,) = signs([((x, 290.0), words)], ROOM, met)
        left, y, wide = sign.box
        assert ROOM[0][0] <= left <= ROOM[0][1] - wide, x
        assert not any(left < a < left + wide and abs(b - y) < 6 for a, b in met), x
    for x in (50.0, 100.0, 140.0, 205.0):
        (sign,) = signs([((x, 290.0), words)], ((45.0, 210.0), (30.0, 290.0)))
        assert 45.0 <= sign.box[0] <= 210.0 - width_of(words), "also where neither side has room"
    curve = Curve("M", [(0.0, 0.1), (0.3, 0.006)])
    drawn = Chart([curve], "ε", "δ", log_y=True, inside=True, marks=[(1.0, 0.0, words), (2.0, 0.0, "b")])
    for width in (HALF, NARROW):
        (shown,) = [e for e in words_of(drawn.draw(width, "alt")) if e.text == words]
        start = float(shown.get("x")) - (width_of(words) if shown.get("class").startswith("e") else 0)
        assert 0 <= start <= width - width_of(words)


def ends(curves, width=WIDE):
    chart = Chart(curves, "n", "y")
    return {e.text for e in words_of(chart.draw(width, "alt")) if e.get("class") == "halo"}


def test_a_name_is_said_to_equal_another_only_where_the_numbers_are_equal_too():
    points = [(1.0, 0.5), (2.0, 0.6), (3.0, 0.7)]
    first = Curve("A", points, note="→ 0.922", limit=0.922)
    assert ends([first, Curve("B", points, note="→ 0.898", limit=0.898)]) == {"A → 0.922", "B → 0.898"}
    assert ends([first, Curve("B", points, note="≈ 0.7")]) == {"A → 0.922", "B ≈ 0.7"}
    same = Curve("B", points, note="→ 0.922", more=", no claim", limit=0.922)
    assert ends([first, same]) == {"A → 0.922", "= B → 0.922, no claim"}
    assert ends([first, Curve("B", points, limit=0.898)], NARROW) == {"A", "B"}, "the limits differ"


def test_of_a_claim_the_names_are_cut_and_never_the_number():
    words = "claimed ε = 123/456 (with δ = 1e-8): first, second, third"
    for room in range(100, 420, 7):
        shown = " ".join(claim_rows(words, room))
        assert "ε = 123/456" in shown
        assert "δ = 1e-8" in shown
        assert max(map(width_of, claim_rows(words, room))) <= room
    assert claim_rows(words, -50.0) == claim_rows(words, 70.0), "in a plot without room it has some"
    drawn = Chart([Curve("a name that is long " * 3, [(1.0, 0.5), (2.0, 0.6)])], "n", "y", bars=[(1.0, words)])
    texts = " ".join(e.text for e in words_of(drawn.draw(NARROW, "alt")))
    assert "ε = 123/456" in texts
    assert "δ = 1e-8" in texts


def test_the_title_of_an_axis_is_whole_though_the_plot_is_small():
    curves = [Curve("a mechanism whose name needs half of the picture", [(1.0, 0.5), (64.0, 0.6)], limit=0.7)]
    title = "order α, logarithmic"
    (shown,) = [e for e in words_of(Chart(curves, title, "y", log_x=True).draw(NARROW, "alt")) if e.text == title]
    x, wide = float(shown.get("x")), width_of(title)
    assert (x - wide if shown.get("class").startswith("e") else x) >= 0


def turned(picture):
    return [e.text for e in words_of(picture) if e.get("transform")]


def outputs(names):
    stems = [Stem(float(i), name, (0.5, 0.5), (0.25, 0.25), (0.1, 0.1), "") for i, name in enumerate(names)]
    return Pair("head", "a", "b", stems, 0, "", False).draw("alt")


def columns(names):
    values = {(i, 0): 1.0 for i in range(len(names))}
    return CellMap("m", values, names, ["x"], Shades.amount(1.0), "r", "x", named=True).draw("alt")


@pytest.mark.parametrize("draw", [outputs, columns])
def test_names_of_outputs_are_turned_only_where_they_do_not_fit_side_by_side(draw):
    short, long = ["-+", "yes", "1"], [f"raises error {i}" for i in range(6)]
    assert turned(draw(short)) == []
    assert turned(draw(long)) == long
    assert draw(short).height < draw(long).height
    for shown in (e for e in words_of(draw(short)) if e.text in short and e.get("class") == "m dim small"):
        assert float(shown.get("y")) < draw(short).height
    many = [str(i) for i in range(40)]
    assert turned(draw(many)) == many


def test_bounds_that_coincide_are_said_to():
    one = [(0.2, 0.3, ""), (0.5, 0.6, ""), (0.9, 1.0, "")]
    curves = {"": one, "tight (=)": one, "loose (≥)": [(t, v / 2, "") for t, v, _ in one]}
    curves["other (≥)"] = curves["loose (≥)"]
    shown = [e.text for e in words_of(Distances("M", curves, {"other (≥)": (0.5, 0.25)}, 1.0).draw("alt"))]
    assert shown[-3:] == [
        "tight (=), same as the exact one",
        "loose (≥)",
        "other (≥): first fails at 0.5 ◆, same as loose (≥)",
    ]


def test_a_limit_is_told_from_the_value_at_the_last_n():
    sections = build(plan.Plan("t", "c", (plan.block({"n": "2..3", "mechs": "EHDL,LSDim"}),)), lambda text: None)
    (section,) = [section for section in sections["sections"] if section["kind"] == "epsilon-by-n"]
    shown = {e.text for e in words_of(figures(section)[0].wide[0]) if e.get("class") == "halo"}
    assert {"EHDL → 0.922, no claim", "LSDim = 0.5, claims 1-DP"} <= shown


def margin_row(name, verdict, value):
    return {"id": name, "verdict_of": verdict, "margin": {"lower": value, "upper": value}}


def test_claims_that_are_impossible_count_as_failing_and_what_has_no_witness_stands_on_neither_side():
    rows = [
        *(margin_row("one", "PROVED", "0.5"), margin_row("two", "REFUTED", "0.5")),
        *(margin_row("three", "IMPOSSIBLE", "-0.25"), margin_row("four", "UNWITNESSED", "-0.125")),
    ]
    (figure,) = figures({"kind": "margins", "title": "Margins", "setting": {}, "rows": rows})
    assert figure.caption.startswith("2 of 4 inequalities and equations fail somewhere, two by the most")
    assert "said to hold somewhere: three." in figure.caption
    assert "Without a witness, and on neither side: four." in figure.caption
    for picture in (*figure.wide, *figure.narrow):
        tree = ElementTree.fromstring(picture.svg())
        (axis,) = [float(e.get("d")[1:].split(" ")[0]) for e in tree.iter("path") if e.get("class") == "axis"]
        square = next(e for e in tree.iter("rect") if e.get("class") == "fopen")
        assert math.isclose(float(square.get("x")) + 4, axis, abs_tol=0.11)
        assert {"PROVED", "REFUTED, IMPOSSIBLE", "UNWITNESSED"} <= {e.text for e in words_of(picture)}, "a key"


def printed(relation, left, right, margin, role, verdict):
    """What the board prints of one instance."""
    instance = {
        **{"parameters": {"n": "2"}, "relation": relation, "margin": {"lower": margin, "upper": margin}},
        **{"left": {"meaning": "L", "lower": left, "upper": left}},
        **{"right": {"meaning": "R", "lower": right, "upper": right}},
    }
    row = {"id": "c", "document": "d", "item": "i", "statement": "s", "quantifier": "q", "grid": "g"}
    return board({"kind": "claims", "rows": [{**row, "verdict": verdict, "establishes": "e", role: instance}]})


@pytest.mark.parametrize(
    ("relation", "left", "right", "margin", "sign"),
    [
        ("=", "0.25", "0.5", "0.25", "≠"),
        ("<=", "0.5", "0.25", "-0.25", "&gt;"),
        ("<", "0.5", "0.5", "0", "≥"),
        (">", "0.5", "0.5", "0", "≤"),
        (">=", "0.25", "0.5", "-0.25", "&lt;"),
        ("!=", "0.5", "0.5", "0", "="),
    ],
)
def test_a_relation_that_fails_is_printed_as_what_is_true_instead(relation, left, right, margin, sign):
    for role, verdict, title in (
        ("tightest", "IMPOSSIBLE", "Closest to holding"),
        ("tightest", "UNWITNESSED", "Closest to holding"),
        ("counterexample", "REFUTED", "First counterexample"),
    ):
        shown = printed(relation, left, right, margin, role, verdict)
        assert f"L = {left} {sign} R = {right};" in shown
        assert title in shown


@pytest.mark.parametrize(
    ("relation", "left", "right", "margin", "sign"),
    [
        ("<=", "0.25", "0.5", "0.25", "≤"),
        ("<=", "0.5", "0.5", "0", "≤"),
        (">", "0.5", "0.25", "0.25", "&gt;"),
        ("=", "0.5", "0.5", "0", "="),
        ("!=", "0.25", "0.5", "0.25", "≠"),
    ],
)
def test_a_relation_that_holds_is_printed_as_it_is(relation, left, right, margin, sign):
    shown = printed(relation, left, right, margin, "tightest", "PROVED")
    assert f"L = {left} {sign} R = {right};" in shown
    assert "Closest to failing" in shown


def test_what_is_refuted_is_printed_as_failing_though_its_margin_is_not_known_in_sign():
    side = {"meaning": "L", "lower": "0.5", "upper": "0.5"}
    instance = {"parameters": {}, "relation": "=", "left": side, "right": side, "margin": {"lower": "-1", "upper": "1"}}
    row = {
        "id": "c",
        "document": "d",
        "item": "i",
        "statement": "s",
        "quantifier": "q",
        "grid": "g",
        "verdict": "REFUTED",
    }
    part = {"verdict": "REFUTED", "statement": "s", "establishes": "e", "instance": instance}
    shown = board(
        {"kind": "claims", "rows": [{**row, "establishes": "e", "counterexample": instance, "parts": [part]}]}
    )
    assert shown.count("L = 0.5 ≠ L = 0.5;") == 2


class Leaky:
    """Says 1 outright with a small probability, and else randomized response: (1, share)-private."""

    name = "leaky"

    def __init__(self, share):
        self.share = Fraction(share)

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["yes", "no", "told"]

    def probability(self, x, r):
        told = self.share if x == 1 else 0
        return told if r == "told" else (1 - told) * Fraction(2 if (x == 1) == (r == "yes") else 1, 3)


def leaky(share, claim="eps=1,delta=1e-5"):
    wanted = plan.Plan("t", "c", (plan.block({"mechs": [Leaky(share)], "claim": claim}),))
    return build(wanted, lambda text: None)["sections"]


def caption_of(sections, kind="delta-curves"):
    (section,) = [section for section in sections if section["kind"] == kind]
    return figures(section, sections)[0].caption


def test_a_claim_that_fails_by_too_little_to_be_seen_in_the_trade_off_is_said_to():
    said = "At the right, below what is claimed, but by too little to be seen: leaky, by at most δ(1) = 0.001001."
    assert said in caption_of(leaky("1/1000"))
    assert "too little" not in caption_of(leaky("1/10")), "it is seen"
    assert "too little" not in caption_of(leaky("1/1000", "eps=1,delta=1/1000")), "it holds"


def share_row(name, low, high, of="ε"):
    row = {"mechanism": name, "share": {"lower": low, "upper": high}, "share_of": of, "claim": "1-DP"}
    return {**row, "word": "NOT PRIVATE", "outcome": "REFUTED", "strength": "computed"}


def test_a_bar_that_is_cut_has_a_gap_and_an_arrow_and_an_endless_one_a_grey_band():
    rows = [share_row("a", "2", "2", "δ"), share_row("b", "inf", "inf"), share_row("c", "1.6", "1.6")]
    rows += [share_row("d", "1.1", "3"), share_row("e", "1.2", "inf")]
    (figure,) = figures({"kind": "matrix", "title": "t", "setting": {}, "rows": rows})
    assert figure.caption.endswith("A bar with a gap goes on beyond the picture; those on grey may go on without end.")
    for picture in (*figure.wide, *figure.narrow):
        tree = ElementTree.fromstring(picture.svg())
        cut = {e.find("title").text[0] for e in tree.iter("path") if e.get("d").count("z") == 2}
        assert cut == {"a", "b", "d", "e"}
        assert len([e for e in tree.iter("rect") if e.get("class") == "beyond"]) == 2
        assert any("200 % of δ" in e.text for e in words_of(picture))
    (whole,) = figures({"kind": "matrix", "title": "t", "setting": {}, "rows": rows[2:3]})
    assert "gap" not in whole.caption


def loss_data(rows, left=(0, 0)):
    """A map by name whose worst cell is the first one."""
    both = [
        [None if loss is None else dict(zip(("lower", "upper"), loss, strict=True)) for loss in row] for row in rows
    ]
    outputs = [f"r{i}" for i in range(len(rows[0]))]
    found = [{"mechanism": "M", "x": f"x{i}", "losses": row} for i, row in enumerate(both)]
    more = {"outputs": {"M": outputs}, "left": {"M": list(left)}}
    more["worst"] = {"M": {"x": "x0", "x_prime": "x1", "output": "r0"}}
    (figure,) = figures({"kind": "loss-data", "title": "t", "setting": {}, "rows": found, **more})
    return figure.caption, figure.wide[0].body, figure.wide[0].alt


def test_of_cells_as_large_as_the_one_that_is_ringed_the_number_is_said():
    high, low, wide = ("1.0986122", "1.0986123"), ("-1.0986123", "-1.0986122"), ("0.5", "1.5")
    caption, _, alt = loss_data([[high, low], [low, high]])
    assert "x = x0, output r0 (one of 2 as large). As large: equal in size" in caption
    assert "output r0 (one of 2 as large)" in alt
    assert "one of" not in loss_data([[high, low], [None, low]])[0]
    assert "r0 (one of 2 that may be the largest)." in loss_data([[high, wide], [low, low]])[0]
    assert "r0 (one of 2 drawn that are as large)." in loss_data([[high, low], [low, high]], (0, 9))[0]
    infinite = ("inf", "inf")
    assert "r0 (one of 3 as large)." in loss_data([[infinite, infinite], [high, infinite]])[0]


def test_what_a_map_leaves_out_may_be_as_large_where_all_that_it_shows_is():
    high, low = ("1.0986122", "1.0986123"), ("0.1", "0.1")
    assert "Those of largest loss; 9 more outputs, maybe as large." in loss_data([[high, high], [low, low]], (0, 9))[1]
    assert "Those of largest loss; 9 more data sets." in loss_data([[high, high], [low, low]], (9, 0))[1]
    assert "Those of largest loss; 9 more data sets, maybe as large." in loss_data([[high, low]] * 2, (9, 0))[1]
    assert "Those of largest loss; 1 more output." in loss_data([[high, low]] * 2, (0, 1))[1]


def test_the_ends_of_a_short_segment_have_the_digits_that_tell_them_apart():
    ends = [
        ("0.5", "0.5"),
        ("0.99999999812345", "0.99999999812346"),
        ("1.0000000012345", "1.0000000012346"),
        ("2", "2"),
    ]
    values = [dict(zip(("lower", "upper"), both, strict=True)) for both in ends]
    more = {"mechanism": "M", "alpha": values[0], "power": values[0], "x": "a", "x_prime": "b"}
    rows = [{**more, "from": start, "to": end} for start, end in pairwise(values)]
    section = {"kind": "breakpoints", "setting": {}, "rows": [*rows, {**more, "from": values[-1], "to": "∞"}]}
    found = [
        [value if isinstance(value, str) else digits.shown(value) for value in row[1:3]] for row in table(section)[1]
    ]
    assert found == [["0.5", "0.999999998"], ["0.999999998", "1"], ["1", "2"], ["2", "∞"]]

"""What the verifier's core establishes from enclosures alone: every notion, bounds and verdicts."""

import re
from fractions import Fraction as F

import pytest

from dpaudit.evidence.verifier.arithmetic import MAX_SIZE, Interval, Malformed, Undecided
from dpaudit.evidence.verifier.core import Bounds, Delta, Law, Loss, Notion, Pair, Rejected, TradeOff, enclosure
from dpaudit.evidence.verifier.exact import Number, constant

BITS, TOO_LONG = 80, 1 << MAX_SIZE
ROWS = {"x": ("3/4", "1/4"), "y": ("1/4", "3/4")}  # the loss is ln 3 = 1.0986..., delta(0) = 1/2, delta(1) = 0.0704...
LEAK = {"x": ("1/2", "1/2"), "y": ("1", "0")}
THREE = {"x": ("51/100", "49/100"), "y": ("1/2", "1/2"), "z": ("9/10", "1/10")}


def law(rows):
    numbers = {x: [constant(F(p), BITS) for p in row] for x, row in rows.items()}
    return Law(numbers, BITS, [(x, y) for x in rows for y in rows if x != y])


def wide(*tenths):
    """Probabilities in whole tenths' intervals, of which no exact form is known."""
    scale = 1 << 60
    return [Number(Interval(a * scale // 10, -(-b * scale // 10), -60, BITS)) for a, b in tenths]


@pytest.mark.parametrize(
    ("rows", "right"),
    [({"x": ("1/3", "2/3")}, True), ({"x": ("1/3", "1/3")}, False), ({"x": ("2/3", "2/3")}, False),
     ({"x": ("1",), "y": ("1/2",)}, False)],
)  # fmt: skip
def test_rows_that_cannot_sum_to_1_are_rejected(rows, right):
    if right:
        law(rows).check_sums()
    else:
        with pytest.raises(Rejected, match="do not sum to 1"):
            law(rows).check_sums()


def test_rows_that_may_sum_to_1_are_accepted():
    Law({"x": wide((4, 6), (4, 6))}, BITS, []).check_sums()
    for row in (wide((1, 2), (3, 4)), wide((6, 7), (5, 6))):
        with pytest.raises(Rejected):
            Law({"x": row}, BITS, []).check_sums()


def test_an_entry_of_the_certificate():
    for entry, ends, bits in (([1, 2, 3], (8, 24), 2), ([4, 0, -2], (1, 1), 3), ([0, 0, 0], (0, 0), 0)):
        found = enclosure(entry)
        assert (found.ends(), found.bits) == (ends, bits)
    assert enclosure([1, 0, 5000]).e == 5000
    assert enclosure([1, 0, (1 << MAX_SIZE) - 1]).lo == 1
    for bad in (
        [-1, 2, 0],
        [0, -1, 0],
        [1, 2],
        [1, 2, 3, 4],
        (1, 2, 3),
        [1, 2, True],
        [1, 1.0, 0],
        [1, 0, 1 << MAX_SIZE],
    ):
        with pytest.raises(Malformed):
            enclosure(bad)


def test_equal_rows_and_infinite_losses():
    assert Pair(law({"x": ("1/3", "2/3"), "y": ("1/3", "2/3")}), "x", "y").same()
    assert not Pair(law(ROWS), "x", "y").same()
    assert not Pair(law({"x": ("1/2", "1/4", "1/4"), "y": ("1/2", "1/3", "1/6")}), "x", "y").same()
    assert not any(Pair(law({"x": ("1/3", "2/3"), "y": ("1/3", "2/3")}), "x", "y").exceeds(F(0)))
    assert not Pair(Law({"x": wide((2, 3)), "y": wide((2, 3))}, BITS, []), "x", "y").same()
    leak = law(LEAK)
    assert [Pair(leak, *pair).is_infinite() for pair in ("xy", "yx")] == [True, False]
    assert [Notion().infinite(Pair(leak, *pair)) for pair in ("xy", "yx")] == [True, False]
    assert [Loss(None, F(0), i).infinite(Pair(leak, "x", "y")) for i in (0, 1)] == [False, True]
    assert Loss(None, F(0), 1).reached(Pair(leak, "y", "x"), F(-5)) == -1  # an impossible output reaches nothing
    assert list(Pair(leak, "y", "x").exceeds(F(-9))) == [True, False]


def test_the_sum_of_excesses():
    pair = Pair(law(ROWS), "x", "y")
    for rest, sign in (("-1/2", 0), ("-0.4999", 1), ("-0.5001", -1)):
        assert pair.excess(F(1), F(0), F(rest)) == sign
    assert [pair.excess(F(2), F(0), F(rest)) for rest in ("-1/4", "-1/5", "-1/3")] == [0, 1, -1]
    assert [pair.excess(F(1), F(1), F(rest)) for rest in ("-0.0704", "-0.0705")] == [1, -1]
    row = wide((2, 3), (7, 8))
    unsure = Pair(Law({"x": row, "y": row}, BITS, []), "x", "y")  # each term is between 0 and 1/10
    assert [unsure.excess(F(1), F(0), F(rest)) for rest in ("1/20", "-1/4")] == [1, -1]
    for rest in ("0", "-1/10", "-3/20"):
        with pytest.raises(Undecided):
            unsure.excess(F(1), F(0), F(rest))
    with pytest.raises(Undecided):
        list(unsure.exceeds(F(0)))


def loss(claimed=None, delta="0", output=0):
    return lambda: Loss(None if claimed is None else F(claimed), F(delta), output)


def delta(at, claimed=None, bound="0"):
    return lambda: Delta(F(at), None if claimed is None else F(claimed), F(bound))


def curve(*points, threshold="0"):
    return lambda: TradeOff([(F(a), F(b)) for a, b in points], None if threshold is None else F(threshold))


TOUCHES, ABOVE = (("0", "1"), ("1/4", "1/4"), ("1", "0")), (("0", "1"), ("1", "0"))
BENT = ("0", "1"), ("1/2", "1/4"), ("1", "0")
SHORT, FULL = False, True
LN3 = "1.0986", "1.0987"
CASES = [
    # rows, pair, notion, least, most, full, the verdict or why it is rejected
    (ROWS, "xy", loss(), *LN3, FULL, None),
    (ROWS, "xy", loss(), "1.0987", "2", SHORT, "below the stated lower"),
    (ROWS, "xy", loss(), "1", "1.0986", SHORT, "above the stated upper"),
    (ROWS, "xy", loss(output=1), "-1.0987", "-1", SHORT, None),
    (ROWS, "xy", loss(output=1), "-1.0986", "-1", SHORT, "below the stated lower"),
    (ROWS, "xy", loss(output=1), "-1.0987", "-1", FULL, "exceeds the upper bound"),
    (ROWS, "xy", loss("1"), *LN3, SHORT, "REFUTED"),
    (ROWS, "xy", loss("1"), *LN3, FULL, "REFUTED"),
    (ROWS, "xy", loss("1"), "1", "2", SHORT, "REFUTED"),
    (ROWS, "xy", loss("1", output=1), "-1.0987", "2", FULL, "REFUTED"),
    (ROWS, "xy", loss("1", output=1), "-1.0987", "2", SHORT, None),
    (ROWS, "xy", loss("2"), *LN3, FULL, "PROVED"),
    (ROWS, "xy", loss("2"), "1", "3", FULL, "PROVED"),
    (ROWS, "xy", loss("2"), *LN3, SHORT, None),
    (ROWS, "xy", loss("1.0987"), *LN3, FULL, "PROVED"),
    (ROWS, "xy", loss("1", "1/2"), *LN3, FULL, "PROVED"),
    (ROWS, "xy", loss("1", "1/2"), *LN3, SHORT, None),
    (ROWS, "xy", loss("1", "1/20"), *LN3, FULL, "REFUTED"),
    (ROWS, "xy", loss("1", "1/20"), *LN3, SHORT, None),
    (ROWS, "xy", loss("0", "1"), *LN3, FULL, "PROVED"),
    (ROWS, "xy", loss("2", "1/20"), *LN3, FULL, "PROVED"),
    (ROWS, "xy", delta("0"), "1/2", "1/2", FULL, None),
    (ROWS, "xy", delta("0"), "0.51", "1", SHORT, "below the stated lower"),
    (ROWS, "xy", delta("0"), "0", "0.49", SHORT, "above the stated upper"),
    (ROWS, "xy", delta("0", "0", "1/2"), "1/2", "1/2", FULL, "PROVED"),
    (ROWS, "xy", delta("0", "0", "1/2"), "1/2", "3/4", FULL, "PROVED"),
    (ROWS, "xy", delta("0", "0", "1"), "1/2", "1", FULL, "PROVED"),
    (ROWS, "xy", delta("0", "0", "1/4"), "1/2", "1/2", SHORT, "REFUTED"),
    (ROWS, "xy", delta("0", "1", "1/4"), "1/2", "1/2", SHORT, None),
    (ROWS, "xy", delta("0", "1", "1/4"), "1/2", "1/2", FULL, "UNDECIDED"),
    (ROWS, "xy", delta("0", "1", "1/2"), "1/2", "1/2", FULL, "PROVED"),
    (ROWS, "xy", delta("1", "1/2", "1/4"), "0.07", "0.08", FULL, "UNDECIDED"),
    (ROWS, "xy", delta("1", "1/2", "1/20"), "0.07", "0.08", SHORT, "REFUTED"),
    (ROWS, "xy", curve(*TOUCHES), "0", "0", FULL, "PROVED"),
    (ROWS, "xy", curve(*TOUCHES), "0", "1", FULL, "PROVED"),
    (ROWS, "xy", curve(*TOUCHES, threshold=None), "0", "0", FULL, "PROVED"),
    (ROWS, "xy", curve(*TOUCHES, threshold=None), "1/10", "1/5", SHORT, "below the stated lower"),
    (ROWS, "xy", curve(*ABOVE), "1/2", "1/2", FULL, "REFUTED"),
    (ROWS, "xy", curve(*ABOVE), "0.51", "1", SHORT, "below the stated lower"),
    (ROWS, "xy", curve(*ABOVE), "1/4", "0.49", SHORT, "above the stated upper"),
    (ROWS, "xy", curve(*ABOVE, threshold=None), "0", "0.49", FULL, "exceeds the upper bound"),
    (ROWS, "xy", curve(*ABOVE, threshold=None), "0", "1/2", FULL, "REFUTED"),
    (ROWS, "xy", curve(("0", "1/2"), ("1/2", "0"), ("1", "0")), "0", "0", FULL, "PROVED"),
    (ROWS, "xy", curve(*BENT, threshold=None), "0", "1/9", FULL, "exceeds the upper bound"),
    ({"x": ("3/4", "1/8"), "y": ("1/4", "3/4")}, "xy", loss(), *LN3, SHORT, "do not sum to 1"),
    (LEAK, "xy", delta("0"), "1/2", "1/2", FULL, None),
    (LEAK, "xy", loss("1", output=1), None, None, FULL, "REFUTED"),
    (LEAK, "xy", loss("1", output=1), None, None, SHORT, "REFUTED"),
    (LEAK, "xy", loss("1", "1/2", output=1), None, None, SHORT, None),
    (LEAK, "xy", loss("1", "1/2", output=1), None, None, FULL, "PROVED"),
    (LEAK, "xy", loss("1", "1/4", output=1), None, None, FULL, "REFUTED"),
    (LEAK, "xy", loss("1", output=1), "1", "9", SHORT, "contrary to the bounds"),
    (LEAK, "xy", loss("1", output=0), None, None, SHORT, "contrary to the bounds"),
    (LEAK, "yx", loss("1", output=0), "0.69", "0.7", SHORT, None),
    (LEAK, "yx", loss("1", output=0), "0.69", "0.7", FULL, "exceeds the upper bound"),
    (THREE, "xy", loss("1"), "0.01", "0.02", SHORT, None),
    (THREE, "xy", loss("1"), "0.01", "0.02", FULL, "exceeds the upper bound"),
    (THREE, "xy", loss("1"), "0.01", "9", FULL, "REFUTED"),
    (THREE, "xy", loss("4"), "0.01", "9", FULL, "PROVED"),
    (THREE, "xy", delta("0"), "0.01", "0.39", FULL, "exceeds the upper bound"),
    (THREE, "xy", delta("0"), "0.01", "0.4", FULL, None),
]  # fmt: skip


STEEP, LOW, FLAT = (("0", "1"), ("1/2", "0"), ("1", "0")), (("0", "1/2"), ("1", "0")), (("0", "0"), ("1", "0"))
WORST = {BENT: "3/8", TOUCHES: "0", STEEP: "1/4", LOW: "1/8", FLAT: "0", ABOVE: "1/2"}
"""The largest f(alpha) - beta over all tests between the two rows."""


@pytest.mark.parametrize("points", WORST)
def test_the_largest_distance_below_a_curve(points):
    pair, worst = Pair(law(ROWS), "x", "y"), F(WORST[points])
    found = [curve(*points)().exceeded(pair, worst + off) for off in (F(-1, 100), F(0), F(1, 100), F(1, 10))]
    assert [bool(one) for one in found] == [True, False, False, False]
    assert found[1] is False


def test_the_lines_of_a_curve_and_the_value_at_a_test():
    assert curve(*TOUCHES)().lines == [(3, 1), (F(1, 3), F(1, 3))]
    assert curve(*BENT)().lines == [(F(3, 2), 1), (F(1, 2), F(1, 2))]
    pair = Pair(law(ROWS), "x", "y")
    assert [curve(*BENT)().reached(pair, F(bound)) for bound in ("0.37", "3/8", "0.38")] == [1, 0, -1]
    trivial = curve(*BENT, threshold=None)()
    assert [trivial.reached(pair, F(bound)) for bound in ("-1/2", "0", "1/2")] == [1, 0, -1]


def test_the_words_of_a_guarantee():
    made = loss(), loss("1"), loss("1", "1/2"), delta("0"), delta("0", "1", "1/2"), curve(*ABOVE)
    said = "", "1-DP", "(1, 1/2)-DP", "", "(1, 1/2)-DP", "f-DP through (0, 1), (1, 0)"
    assert tuple(make().guarantee for make in made) == said
    assert [delta("0")().trivial(F(bound)) for bound in ("0.99", "1", "2")] == [False, True, True]
    assert not loss()().trivial(F(9))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_bounds_and_verdicts(case):
    rows, (x, y), make, least, most, full, found = CASES[case]
    notion = make()
    bounds = Bounds(notion, *(None if end is None else F(end) for end in (least, most)))
    if found in (None, "PROVED", "REFUTED", "UNDECIDED"):
        lines = bounds.establish(law(rows), x, y, full)
        assert bounds.verdict == found
        assert ("upper bound: not checked (--full does)" in lines) == (not full)
        assert ("upper bound: no pair and output exceeds it" in lines) == (full and most is not None)
        open_ = "verdict: not checked (--full does)" in lines
        assert open_ == (notion.claimed is not None and not full and found is None)
        assert open_ or found is None or lines[-1].startswith(f"verdict {found}: ")
    else:
        with pytest.raises(Rejected, match=re.escape(found)):
            bounds.establish(law(rows), x, y, full)

"""What the certificate of a finite law states: forms that are read, and those that are refused."""

from fractions import Fraction as F

import attacks
import pytest
from certificates import changed, outcome

from dpaudit.evidence.verifier.arithmetic import Malformed
from dpaudit.evidence.verifier.bounds import _convex

ROWS = [["3/4", "1/4"], ["1/4", "3/4"]]
GUARANTEE = {"kind": "trade-off", "points": [["0", "1"], ["1/4", "1/4"], ["1", "0"]], "text": None}
CURVE = {**attacks.table(ROWS), "witness": {"x": "x0", "x_prime": "x1", "threshold": "0"}}
CURVE["statement"] = {"quantity": "trade-off", "lower": "0", "upper": "0", "guarantee": GUARANTEE}
CURVE["law"] = {"covers": "all", "rows": [[[3, 0, -2], [1, 0, -2]], [[1, 0, -2], [3, 0, -2]]]}


@pytest.mark.parametrize(("path", "value", "reason"), [
    (("text",), None, None),
    (("kind",), "gaussian", "does not match the quantity"),
    (("points",), ["01", "10"], "not a list of pairs"),
    (("points",), [["0", "1"], ["1", "0", "0"]], "not a list of pairs"),
    (("points",), [], "does not lead"),
    (("points",), [["0", "1"]], "does not lead"),
    (("points",), [["1", "0"]], "does not lead"),
    (("text",), "f-DP", "does not match its numbers"),
])  # fmt: skip
def test_the_guarantee_of_a_trade_off_function(path, value, reason):
    found = outcome(changed(CURVE, ("statement", "guarantee", *path), value), full=True)
    assert found is None if reason is None else reason in found


@pytest.mark.parametrize(("points", "reason"), [
    (["0 1", "1 0"], None),
    (["0 1", "1/2 0", "1 0"], None),
    (["0 0", "1 0"], None),
    (["0 1/2", "1/4 1/4", "1/2 0", "1 0"], None),
    (["0 11/10", "1 0"], "does not lead"),
    (["1/10 1", "1 0"], "does not lead"),
    (["0 1", "1 1/10"], "does not lead"),
    (["0 1", "9/10 0"], "does not lead"),
    (["0 1", "1/2 1/4", "1/2 1/8", "1 0"], "does not fall"),
    (["0 1/4", "1/4 1/2", "1 0"], "does not fall"),
    (["0 1", "1/4 3/4", "1/2 1/4", "1 0"], "not convex"),
])  # fmt: skip
def test_a_trade_off_function_falls_to_the_right_and_is_convex(points, reason):
    pairs = [tuple(map(F, point.split())) for point in points]
    if reason is None:
        assert _convex(pairs) == pairs
    else:
        with pytest.raises(Malformed, match=reason):
            _convex(pairs)


def statement(**members):
    return {**attacks.table(ROWS)["statement"], **members}


def bounded(quantity, guarantee):
    return {"quantity": quantity, "lower": "0", "upper": "9", "guarantee": guarantee}


@pytest.mark.parametrize(("path", "value", "reason"), [
    (("statement",), statement(), None),
    (("statement",), statement(claimed="1", claimed_delta="0"), None),
    (("statement",), statement(quantity="entropy"), "quantity is none of"),
    (("statement",), statement(at="-1"), "negative epsilon"),
    (("statement",), statement(claimed="1"), "not given together"),
    (("statement",), statement(claimed_delta="1/2"), "not given together"),
    (("statement",), statement(claimed="-1", claimed_delta="0"), "claimed is negative"),
    (("statement",), statement(claimed="1", claimed_delta="-1/2"), "not between 0 and 1"),
    (("statement",), statement(claimed="1", claimed_delta="3/2"), "not between 0 and 1"),
    (("statement",), statement(lower="1", upper="1/2"), "do not form an interval"),
    (("statement",), statement(upper="inf"), "do not form an interval"),
    (("statement",), statement(lower="inf", upper="inf"), "is infinite"),
    (("statement",), statement(verdict="PROVED"), "unknown member"),
    (("statement",), bounded("gdp_mu", {"kind": "gaussian", "mu": "-1/2"}), "mu is negative"),
    (("statement",), bounded("gdp_mu", {"kind": "zcdp", "mu": "1/2"}), "does not match the quantity"),
    (("statement",), bounded("gdp_mu", {"kind": "gaussian", "rho": "1/2"}), "unknown member"),
    (("witness", "output"), "o0", "unknown member"),
    (("witness", "x"), "x1", "not a pair of adjacent data sets"),
    (("law", "covers"), "some", "covers is neither"),
    (("law", "rows", 0), [attacks.ANYTHING] * 3, "one entry for each output"),
])  # fmt: skip
def test_the_members_of_a_certificate(path, value, reason):
    found = outcome(changed(attacks.table(ROWS), path, value))
    assert found is None if reason is None else reason in found

"""What a certificate may not say: verdicts against its own bounds, members that nobody knows, claims out of range."""

import attacks
import pytest
from certificates import FAMILY, OWN, changed, established, make, outcome
from mutate_certificates import fit_enclosures

import dpaudit
from dpaudit.evidence.certificate import bundle
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest

EHDS = ("EHDS", {"n": 8, "prior": "1/2,3"})


def stated(found, **members):
    for name, value in members.items():
        found = changed(found, ("statement", name), value)
    return found


@pytest.mark.parametrize(
    ("members", "short", "full"),
    [
        ({}, None, "PROVED"),
        ({"claimed": "1/10"}, "REFUTED", "REFUTED"),
        ({"claimed": "1/10", "claimed_delta": "1"}, None, "PROVED"),
        ({"claimed": "1/10", "claimed_delta": "1/1000"}, None, "REFUTED"),
        ({"upper": "2"}, None, "PROVED"),
        ({"lower": "0", "upper": "2", "claimed": "1/10"}, "REFUTED", "REFUTED"),
        ({"claimed": None, "claimed_delta": None}, None, None),
    ],
)
def test_the_verdict_is_derived_from_what_was_checked(members, short, full):
    found = stated(make(EHDS), **members)
    for verdict, way in ((short, False), (full, True)):
        lines, said = verify(found, way)
        assert said["verdict"] == verdict
        open_ = "verdict: not checked (--full does)" in lines
        assert open_ == (verdict is None and found["statement"]["claimed"] is not None)


def test_an_infinite_loss_refutes_a_claim_without_delta(tmp_path):
    (tmp_path / "t.csv").write_text(",a,b\nx,1,0\ny,1/2,1/2\n")
    found = make((str(tmp_path / "t.csv"), {}))
    assert found["statement"]["lower"] == "inf"
    assert verify(found)[1]["verdict"] is None
    assert verify(stated(found, claimed="1", claimed_delta="0"))[1]["verdict"] == "REFUTED"
    assert verify(stated(found, claimed="1", claimed_delta="1"), True)[1]["verdict"] == "PROVED"


def test_what_was_checked_is_not_called_unchecked():
    assert not any("not checked" in line for line in established(make(EHDS), True))


def test_a_tie_that_the_enclosures_leave_open_is_undecided():
    """The loss is ln sqrt(e^2) = 1: no interval tells that, and the exact form of a root is not known."""
    root = ["sqrt", ["exp", "2"]]
    large, small = ["/", root, ["+", "1", root]], ["/", "1", ["+", "1", root]]
    claim = {"claimed": "1", "claimed_delta": "0"}
    found = attacks.table([[large, small], [small, large]], quantity="epsilon", lower="0.9", upper="1.1", **claim)
    del found["statement"]["at"]
    found["witness"]["output"] = "o0"
    fit_enclosures(found)
    found["sha256"] = digest(found)
    for way in (False, True):
        lines, said = verify(found, way)
        assert said["verdict"] == "UNDECIDED"
        assert lines[-1] == "verdict UNDECIDED: what was checked leaves the claim open"


UNKNOWN = [
    (),
    ("subject",),
    ("statement",),
    ("witness",),
    ("law",),
]


@pytest.mark.parametrize("path", UNKNOWN)
@pytest.mark.parametrize("case", [FAMILY[0], OWN[0]])
def test_unknown_members_are_refused(case, path):
    found = make(case)
    place = found
    for name in path:
        place = place[name]
    place["remark"] = "trust me"
    found["sha256"] = digest(found)
    assert 'unknown member "remark"' in outcome(found)


def test_unknown_members_beside_parts_are_refused():
    found = {**bundle([dpaudit.epsilon("EHDS", n=3)]), "statement": {}}
    found["sha256"] = digest(found)
    assert 'unknown member "statement"' in outcome(found)


@pytest.mark.parametrize(("name", "value"), [("claimed_delta", "-1"), ("claimed_delta", "3/2"), ("claimed", "-1")])
def test_claims_out_of_range_are_malformed(name, value):
    assert "malformed: claimed is negative, or" in outcome(stated(make(FAMILY[0]), **{name: value}))


def test_an_interval_upside_down_is_malformed():
    found = make(OWN[0])
    wrong = changed(found, ("subject", "rows", 0, 0), ["between", "0.9", "0.1"])
    wrong = changed(wrong, ("subject", "logarithmic"), False)
    assert "malformed: between wants" in outcome(wrong)

"""What a certificate may not say: verdicts against its own bounds, members that nobody knows, claims out of range."""

import pytest
from certificates import FAMILY, OWN, changed, established, make, outcome

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence.certificate import bundle
from dpaudit.evidence.verifier.reading import digest

EHDS = ("EHDS", {"n": 8, "prior": "1/2,3"})


def stated(found, **members):
    for name, value in members.items():
        found = changed(found, ("statement", name), value)
    return found


@pytest.mark.parametrize("verdict", ["UNDECIDED", None])
@pytest.mark.parametrize("full", [False, True])
def test_an_open_verdict_that_the_lower_bound_decides_is_rejected(verdict, full):
    found = make(EHDS)
    assert "REFUTED" in outcome(stated(found, claimed="1/10", verdict=verdict), full)
    assert outcome(stated(found, claimed="1/10", verdict="REFUTED"), full) is None


@pytest.mark.parametrize("verdict", ["UNDECIDED", None])
def test_an_open_verdict_that_the_upper_bound_decides_is_rejected_with_full(verdict):
    found = stated(make(EHDS), verdict=verdict)
    assert "by which it is PROVED" in outcome(found, True)
    assert any(line.startswith("verdict: not checked") for line in established(found))


def test_the_same_of_delta_and_of_a_claim_with_delta():
    found = stated(make(EHDS, "1/10"), claimed="1/10", claimed_delta="1/1000", verdict="UNDECIDED")
    assert "by which it is REFUTED" in outcome(found, False)
    found = stated(found, claimed_delta="1/2")
    assert "by which it is PROVED" in outcome(found, True)
    assert outcome(stated(found, claimed="1/20"), True) is None
    found = stated(make(EHDS), claimed_delta="1/100", verdict="REFUTED")
    assert "verdict: not checked (REFUTED is stated)" in established(found)
    assert outcome(found, True) is not None


def test_an_infinite_loss_refutes_a_claim_without_delta(tmp_path):
    (tmp_path / "t.csv").write_text(",a,b\nx,1,0\ny,1/2,1/2\n")
    found = make((str(tmp_path / "t.csv"), {}))
    assert found["statement"]["lower"] == "inf"
    assert outcome(found) is None
    assert "REFUTED" in outcome(stated(found, claimed="1", claimed_delta="0", verdict="UNDECIDED"))


def test_what_was_checked_is_not_called_unchecked():
    assert not any("not checked" in line for line in established(make(EHDS), True))


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


def test_claims_out_of_range_on_the_command_line(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(",a,b\nx,1/3,2/3\ny,0.5,0.5\n")
    for value in ("3/2", "-1"):
        assert main(["table", str(tmp_path / "t.csv"), "--claim", f"eps=1,delta={value}"]) == 2
        assert capsys.readouterr().err.startswith(f"dpaudit: --claim = eps=1,delta={value}: delta must be")


def test_an_interval_upside_down_is_malformed():
    found = make(OWN[0])
    wrong = changed(found, ("subject", "rows", 0, 0), ["between", "0.9", "0.1"])
    wrong = changed(wrong, ("subject", "logarithmic"), False)
    assert "malformed: between wants" in outcome(wrong)

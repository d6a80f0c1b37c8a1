"""Certificates for every n: the verifier replays them with its own arithmetic, and accepts no changed one."""

import json
import re
from fractions import Fraction
from functools import partial

import pytest
from certificates import changed

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence.certificate import certificate
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.family import read_family
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest
from dpaudit.evidence.verifier.theorems.cells import Cell
from dpaudit.evidence.verifier.theorems.ends import block
from dpaudit.evidence.verifier.theorems.every_n import EveryN
from dpaudit.evidence.verifier.theorems.every_n_middle import middle


def certificate_of(mech, **setting):
    return json.loads(json.dumps(certificate(dpaudit.epsilon(mech, n="all", **setting))))


def stated(document, lower, upper):
    return changed(changed(document, ("statement", "lower"), lower), ("statement", "upper"), upper)


def accepted(document, full=True):
    """The lines and the statement, or the reason of the rejection."""
    document["sha256"] = digest(document)
    try:
        return verify(document, full)
    except Rejected as reason:
        return str(reason)


CHECK_BELOW = EveryN.check_below


@pytest.fixture
def above_n(monkeypatch):
    """Without the n below N, which take the time: each is an audit of its own."""
    seen = []
    monkeypatch.setattr(EveryN, "check_below", lambda part, n: seen.append(n))
    return seen


@pytest.fixture(scope="module")
def ehd():
    return certificate_of("EHD", prior="1/2,3", digits=4)


@pytest.fixture(scope="module")
def ehdl():
    return certificate_of("EHDL", prior="1/10,1/10", digits=2)


def test_the_verifier_accepts_it(ehd, ehdl, above_n):
    assert (accepted(ehd)[1]["verdict"], accepted(ehdl)[1]["verdict"]) == ("PROVED", "REFUTED")
    assert (accepted(ehd, full=False)[1]["verdict"], accepted(ehdl, full=False)[1]["verdict"]) == (None, "REFUTED")
    for document, words in ((ehd, "lies between 0.6495"), (ehdl, "lies between 1.07")):
        above_n.clear()
        lines, said = accepted(document)
        assert words in said["text"]
        assert "every n" in said["text"]
        assert said["checked"] == "full"
        assert above_n == list(range(1, document["cover"]["first"]))
        assert any("not checked" in line for line in accepted(document, full=False)[0])
        assert not any("not checked" in line for line in lines)


def test_an_n_below_is_looked_at_pair_by_pair(ehd, ehdl):
    """At the n of the supremum a slightly smaller bound is exceeded; at others it is not."""
    lower = str(Fraction(ehd["statement"]["lower"]) - Fraction(1, 1000))
    statement = changed(changed(ehd, ("statement", "upper"), lower), ("statement", "lower"), "1/2")
    part = EveryN(statement, True)
    part.check_below(1)
    part.check_below(20)
    with pytest.raises(Rejected, match=r"n = 4: x = \(0, 4\)"):
        part.check_below(4)
    ratio = changed(ehdl, ("subject", "nominal_epsilon"), "all")
    part = EveryN(ratio, True)
    part.check_below(3)
    part.check_below(8)
    part.most = Fraction(9, 10)
    with pytest.raises(Rejected, match="n = 8"):
        part.check_below(8)


def test_every_pair_of_an_n_below_is_there_or_its_mirror_image(ehd, ehdl):
    for document in (ehd, ehdl):  # of different priors, and of equal ones
        part = EveryN(document, True)
        for n in range(1, 12):
            found = {(x, y) for x, y, _ in part.pairs_of(n)}
            if document is ehdl:
                found |= {(x[::-1], y[::-1]) for x, y in found}
            assert found == {((i, n - i), (j, n - j)) for i in range(n + 1) for j in (i - 1, i + 1) if 0 <= j <= n}


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("statement", "upper"), "1.07", "not covered by the upper bound|do not form an interval"),
        (("statement", "lower"), "1.0706", "below the stated lower bound"),
        (("statement", "verdict"), "PROVED", "unknown member"),
        (("cover", "m"), 20, "out of range"),
        (("cover", "m"), 33, "not one list for each pair|out of range"),
        (("cover", "first"), 70, "out of range|do not begin|too small"),
        (("cover", "blocks"), [], "not one list for each pair"),
        (("cover", "blocks", 0), [[]] * 24, "do not begin at N|one list for each pair"),
        (("cover", "blocks", 0, 3), [], "do not begin at N"),
        (("cover", "blocks", 0, 3, 0), 200, "do not begin at N"),
        (("cover", "blocks", 0, 3, 0), 10, "do not begin at N"),
        (("cover", "blocks", 0, 2), 7, "malformed"),
        (("witness", "x"), 5, "not a pair of neighbors"),
        (("witness", "output"), 0, "below the stated lower bound"),
        (("witness", "output"), -1, "not a pair of neighbors with an output"),
        (("witness", "n"), "many", "not a number"),
        (("subject", "n"), 5, "not about every n"),
        (("subject", "prior"), ["1/2", "1/2"], "below the stated lower bound"),
        (("subject", "mechanism"), "MHdelta", "not one of"),
        (("subject", "nominal_epsilon"), "2", "exceeds|not covered"),
    ],
)
def test_a_changed_certificate_is_rejected(ehdl, above_n, path, value, reason):
    found = accepted(changed(ehdl, path, value))
    assert isinstance(found, str), found
    assert re.search(reason, found), found


def test_a_pair_of_a_side_is_not_left_out(ehdl, ehd, above_n):
    blocks = ehdl["cover"]["blocks"]
    for i in (0, 1, len(blocks[0]) - 1):
        found = accepted(changed(ehdl, ("cover", "blocks", 0), blocks[0][:i] + blocks[0][i + 1 :]))
        assert "not one list for each pair" in found
    assert len(ehd["cover"]["blocks"]) == 2
    assert "not one list for each pair" in accepted(changed(ehd, ("cover", "blocks"), ehd["cover"]["blocks"][:1]))


def test_fewer_blocks_do_not_cover(ehdl, above_n):
    """Without a cut the block before it is longer: of no pair that needs it is the bound below the upper one."""
    first, cut = ehdl["cover"]["first"], max(range(24), key=lambda x: len(ehdl["cover"]["blocks"][0][x]))
    starts = ehdl["cover"]["blocks"][0][cut]
    assert len(starts) > 2
    assert "not covered" in accepted(changed(ehdl, ("cover", "blocks", 0, cut), [first]))
    for wrong in ([*starts, starts[-1]], starts[::-1], [first, first + 2, first + 1], [first, "200"], [first, -5]):
        assert "malformed" in accepted(changed(ehdl, ("cover", "blocks", 0, cut), wrong))


def test_every_n_and_every_epsilon(above_n):
    document = certificate_of("EHDL", eps="all", digits=2)
    _, said = accepted(document)
    assert "for every epsilon > 0" in said["text"]
    assert said["verdict"] == "PROVED"
    assert isinstance(accepted(changed(document, ("statement", "upper"), "0.9")), str)
    assert isinstance(accepted(changed(document, ("subject", "prior"), ["1/10", "1/10"])), str)


@pytest.fixture(scope="module")
def sums():
    """A certificate with cuts: EHD at every n and every epsilon, whose supremum is at n = 3."""
    return certificate_of("EHD", eps="all", digits=6)


def test_cuts_are_accepted(sums, above_n):
    assert any(isinstance(entry, list) for entries in sums["cover"]["blocks"][0] for entry in entries)
    assert sums["witness"]["n"] == 3
    assert sums["witness"]["epsilon"] == "0"
    _, said = accepted(sums)
    assert "lies between 0.55228" in said["text"]


def test_an_n_below_needs_its_cuts(sums):
    part = EveryN(sums, True)
    for n in (2, 3, 9):
        part.check_below(n)
    part.below = {}
    with pytest.raises(Rejected, match=r"n = 9: x = \(0, 9\), x' = \(1, 8\) is not covered"):
        part.check_below(9)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("witness", "epsilon"), "1", "below the stated lower bound"),
        (("witness", "epsilon"), "-1", "malformed"),
        (("witness", "epsilon"), None, "malformed"),
        (("witness", "n"), 4, "below the stated lower bound"),
        (("statement", "upper"), "0.5", "do not form an interval|malformed"),
        (("cover", "below"), [[3, 0, 1]], "malformed"),
        (("cover", "below"), [[3, 0, 1, ["2", "1"]]], "malformed"),
        (("subject", "nominal_epsilon"), "1", "malformed"),
    ],
)
def test_changed_cuts_are_rejected(sums, above_n, path, value, reason):
    found = accepted(changed(sums, path, value))
    assert isinstance(found, str), found
    assert re.search(reason, found), found


def test_the_cuts_of_a_block_are_looked_at(sums, above_n):
    blocks = sums["cover"]["blocks"][0]
    x, i = next((x, i) for x, v in enumerate(blocks) for i, entry in enumerate(v) if isinstance(entry, list))
    n, there, back = blocks[x][i]
    place = ("cover", "blocks", 0, x, i)
    for entry, reason in (
        ([n, there[-1:], back[-1:]], "not covered"),
        ([n, back, there], "not covered|ACCEPTED"),
        ([n, there], "malformed"),
        ([n, [], []], "malformed"),
        (n, "not covered"),
    ):
        found = accepted(changed(sums, place, entry))
        assert re.search(reason, found if isinstance(found, str) else "ACCEPTED")


@pytest.fixture
def plateau(monkeypatch):
    """A theorem with a block that only its center and slope bound."""
    from dpaudit.forall import every_n_search

    monkeypatch.setattr(every_n_search, "PLAIN_BLOCKS", 0)
    return dpaudit.epsilon("MH", n="all", digits=3)


def test_a_plateau_has_no_certificate(plateau):
    with pytest.raises(dpaudit.InputError, match=r"on a plateau, .* take fewer --digits"):
        certificate(plateau)


@pytest.mark.parametrize(
    ("mech", "more"), [("EHDL", {}), ("EHDS", {"gamma": "1/3"}), ("MH", {}), ("EHD", {}), ("EHD/exact", {})]
)
def test_a_block_holds_the_losses_of_every_n_in_it(mech, more):
    """The loss at each output lies in the block's interval, for its first, a middle and its last n."""
    from dpaudit.forall.ranged import read

    subject = read(mech, n="all", prior="1/2,3", eps="2", **more).describe()
    for side in (0, 1):
        cell = block(subject, 140, side, (110, 121), 3)
        for n in (110, 115, 121):
            law = read_family({**subject, "n": n}, 140)
            whole = Cell([law], list(law.datasets()))
            for x in range(3):
                ends = [((v, n - v) if side == 0 else (n - v, v)) for v in (x, x + 1)]
                for r in range(12):
                    place = whole.outputs.index((r, n - r) if side == 0 else (n - r, r))
                    assert whole.loss(*ends, place).within(cell.loss(x, x + 1, r))
                assert whole.largest_loss(*ends).hi <= 0 or not excess_of(whole, ends, cell, x)


def excess_of(whole, ends, cell, x):
    """Whether a loss at this n, at any output, exceeds the largest of the block."""
    return (whole.largest_loss(*ends) - cell.largest_loss(x, x + 1)).lo > 0


def test_the_middle_is_that_of_the_engine():
    from dpaudit.forall.every_n import family_of
    from dpaudit.forall.ranged import read
    from dpaudit.numbers import balls

    for mech, more in (
        ("EHDL", {}),
        ("EHDS", {"gamma": "2"}),
        ("MH", {"gamma": "1/9"}),
        ("EHD", {}),
        ("EHD/exact", {}),
    ):
        ranged = read(mech, n="all", prior="1/2,3", **more)
        family, subject = family_of(ranged), ranged.describe()
        law = read_family({**subject, "n": 1}, 140)
        own = middle(law, 24, 100, partial(block, subject, 140)) * law.epsilon
        with balls.precision(128):
            low, high = balls.ends(family.middle(24, 100))
        assert own.ends()[0] <= high
        assert low <= own.ends()[1]


def test_a_tie_at_one_record_is_accepted_and_no_smaller_bound(above_n):
    """EHD at nominal epsilon 2 and target 1: at n = 1 the loss is exactly 1, by algebra."""
    document = certificate_of("EHD", eps=2, claim="1", digits=6)
    assert document["statement"]["upper"] == "1"
    _, said = accepted(document)
    assert "lies between 1 and 1" in said["text"]
    part = EveryN(document, True)
    CHECK_BELOW(part, 1)
    part.most = 1 - Fraction(1, 10**60)
    with pytest.raises(Rejected, match="n = 1: the loss exceeds"):
        CHECK_BELOW(part, 1)
    assert "below the stated lower bound" in accepted(stated(document, "1.000001", "1.1"))
    other = changed(document, ("subject", "prior"), ["1", "1000001/1000000"])
    assert "below the stated lower bound" in accepted(other)


def test_a_calibration_for_every_n_has_two_statements(tmp_path, capsys):
    path = tmp_path / "safe.json"
    words = f"calibrate --mech EHD --n all --prior 1,2 --target 1 --digits 10 --certificate {path}"
    assert main(words.split()) == 0
    meets, exceeds = json.loads(path.read_text())["parts"]
    assert Fraction(meets["statement"]["upper"]) <= 1 < Fraction(exceeds["statement"]["lower"])
    assert meets["statement"]["claimed"] == exceeds["statement"]["claimed"] == "1"
    nominal = [Fraction(part["subject"]["nominal_epsilon"]) for part in (meets, exceeds)]
    assert 0 < nominal[1] - nominal[0] <= Fraction(2, 10**7)
    assert main(["verify", str(path)]) == 0
    assert "verdict: REFUTED" in capsys.readouterr().out

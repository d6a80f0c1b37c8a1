"""Certificates for every n: the verifier replays them with its own arithmetic, and accepts no changed one."""

import copy
import json
import re
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence.certificate import certificate
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import verify
from dpaudit.evidence.verifier.reading import digest
from dpaudit.evidence.verifier.theorems import every_n_blocks as blocks
from dpaudit.evidence.verifier.theorems.every_n import EveryN


def certificate_of(mech, **setting):
    return json.loads(json.dumps(certificate(dpaudit.epsilon(mech, n="all", **setting))))


def accepted(document, full=True):
    """The lines and the statement, or the reason of the rejection."""
    document["sha256"] = digest(document)
    try:
        return verify(document, full)
    except Rejected as reason:
        return str(reason)


def changed(document, path, value):
    found = copy.deepcopy(document)
    node = found
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return found


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
    with pytest.raises(Rejected, match="n = 4: the pair 0, 1"):
        part.check_below(4)
    ratio = changed(ehdl, ("subject", "nominal_epsilon"), "all")
    part = EveryN(ratio, True)
    part.check_below(3)
    part.check_below(8)
    part.most = Fraction(9, 10)
    with pytest.raises(Rejected, match="n = 8"):
        part.check_below(8)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("statement", "upper"), "1.07", "not covered by the upper bound|do not form an interval"),
        (("statement", "lower"), "1.0706", "below the stated lower bound"),
        (("statement", "verdict"), "PROVED", "the verdict contradicts"),
        (("cover", "m"), 20, "out of range"),
        (("cover", "m"), 33, "do not reach|out of range"),
        (("cover", "first"), 70, "out of range|do not reach|too small"),
        (("cover", "blocks"), [], "do not reach"),
        (("cover", "blocks", 0, 3), [0], "do not reach"),
        (("cover", "blocks", 0, 0), 10, "no such ends"),
        (("cover", "blocks", 0, 2), 7, "no such ends"),
        (("witness", "x"), 5, "not a pair of neighbors"),
        (("witness", "output"), 0, "below the stated lower bound"),
        (("witness", "n"), "many", "not a number"),
        (("subject", "n"), 5, "not about every n"),
        (("subject", "prior"), ["1/2", "1/2"], "below the stated lower bound"),
        (("subject", "mechanism"), "MHdelta", "not one of"),
        (("subject", "nominal_epsilon"), "2", "exceeds|not covered"),
    ],
)
def test_a_changed_certificate_is_rejected(ehdl, above_n, path, value, reason):
    found = accepted(changed(ehdl, path, value), full=path != ("statement", "verdict"))
    assert isinstance(found, str), found
    assert re.search(reason, found), found


def test_a_block_that_is_left_out_is_missed(ehdl, above_n):
    blocks = ehdl["cover"]["blocks"]
    for i in range(len(blocks)):
        found = accepted(changed(ehdl, ("cover", "blocks"), blocks[:i] + blocks[i + 1 :]))
        assert "do not reach from N to infinity" in found


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
    assert any(isinstance(block[-1], list) and len(block) == 5 for block in sums["cover"]["blocks"])
    assert sums["witness"]["n"] == 3
    assert sums["witness"]["epsilon"] == "0"
    _, said = accepted(sums)
    assert "lies between 0.55228" in said["text"]


def test_an_n_below_needs_its_cuts(sums):
    part = EveryN(sums, True)
    for n in (2, 3, 9):
        part.check_below(n)
    part.below = {}
    with pytest.raises(Rejected, match="n = 9: the pair 0, 1"):
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
    i, block = next((i, b) for i, b in enumerate(sums["cover"]["blocks"]) if len(b) == 5)
    few = [part[-1:] for part in block[4]]
    for cuts, reason in ((few, "not covered"), (block[4][:1], "malformed"), ([[], []], "malformed")):
        assert reason in accepted(changed(sums, ("cover", "blocks", i, 4), cuts))
    assert "not covered" in accepted(changed(sums, ("cover", "blocks", i), block[:4]))


@pytest.fixture(scope="module")
def plateau():
    """A certificate with a block that only its centre and slope bound."""
    from dpaudit.forall import every_n_search

    kept, every_n_search.PLAIN_BLOCKS = every_n_search.PLAIN_BLOCKS, 0
    try:
        return certificate_of("MH", digits=3)
    finally:
        every_n_search.PLAIN_BLOCKS = kept


def test_a_plateau_is_accepted(plateau, above_n):
    assert any(block[4:] == ["slope"] for block in plateau["cover"]["blocks"])
    lines, said = accepted(plateau)
    assert said["checked"] == "full"
    assert "lies between 0.89774 and 0.89794" in said["text"]
    assert not any("not checked" in line for line in lines)


def test_a_block_with_a_slope_is_looked_at(plateau, above_n, monkeypatch):
    """Without its slope, or on a longer block, it is not covered; other forms are malformed."""
    check, block = EveryN.check_cover, next(b for b in plateau["cover"]["blocks"] if len(b) == 5)
    worst = [*block[:3], block[3][-3:], "slope"]

    def found(entry):
        return accepted(changed(plateau, ("cover", "blocks"), [entry]))

    with monkeypatch.context() as patch:
        patch.setattr(EveryN, "check_cover", lambda part: None)
        assert not isinstance(found(worst), str)
        for entry in (worst[:4], [108, 400, *worst[2:]]):
            assert "not covered by the upper bound" in found(entry)
    assert EveryN.check_cover is check
    for entry in ([*block[:4], "steep"], [*block, "slope"], [108, None, *block[2:]], [108, 108, *block[2:]]):
        assert "malformed" in found(entry)
    assert "do not reach from N to infinity" in found(block)
    ratio = changed(plateau, ("subject", "nominal_epsilon"), "all")
    assert "malformed" in accepted(ratio)


@pytest.mark.parametrize(
    ("mech", "more"), [("EHDL", {}), ("EHDS", {"gamma": "1/3"}), ("MH", {}), ("EHD", {}), ("EHD/exact", {})]
)
def test_the_slopes_are_those_of_the_engine(mech, more):
    """Both bounds by centre and slope hold at every n of a short block, and agree to some digits."""
    from dpaudit.forall.every_n import family_of
    from dpaudit.forall.every_n_distances import Block
    from dpaudit.forall.every_n_pairs import Pairs
    from dpaudit.forall.every_n_slopes import SlopedPairs
    from dpaudit.forall.ranged import read
    from dpaudit.numbers import balls

    ranged = read(mech, n="all", prior="1/2,3", eps="2", **more)
    part = object.__new__(EveryN)
    part.subject, part.bits = ranged.describe(), 140
    part.law = part.law_of(n=1)
    for side, prior in enumerate([part.law.prior, part.law.prior[::-1]]):
        sloped = blocks.Block(part.law, side, [110, 121], 3, 90, sloped=True)
        with balls.precision(128):
            engine = SlopedPairs(family_of(ranged), prior, Block(110, 121), 90, 6)
            for x in range(3):
                own = max(v.ends()[1] for v in sloped.uppers(x, False))
                assert abs(own - engine.upper(x)) < Fraction(1, 100)
                for n in (110, 115, 121):
                    exact = Pairs(family_of(ranged), prior, Block(n, n), 90, 6).peaks(x)
                    assert all(balls.ends(peak.value)[0] <= own for peak in exact)


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
        part = object.__new__(EveryN)
        part.subject, part.bits, part.m, part.first = subject, 140, 24, 100
        part.law = part.law_of(n=1)
        own = part.middle() * part.law.epsilon
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
    cells = [(0, 1), (1, 0)]
    assert not list(part._exceeding(part.law_of(n=1), cells))
    part.most = 1 - Fraction(1, 10**60)
    assert list(part._exceeding(part.law_of(n=1), cells)) == [0]
    other = changed(document, ("subject", "prior"), ["1", "1000001/1000000"])
    assert "below the stated lower bound" in accepted(other)


def test_a_calibration_for_every_n_has_two_statements(tmp_path, capsys):
    path = tmp_path / "safe.json"
    words = f"calibrate --mech EHD --n all --prior 1,2 --target 1 --digits 10 --certificate {path}"
    assert main(words.split()) == 0
    meets, exceeds = json.loads(path.read_text())["parts"]
    assert (meets["statement"]["verdict"], exceeds["statement"]["verdict"]) == ("PROVED", "REFUTED")
    assert meets["statement"]["claimed"] == exceeds["statement"]["claimed"] == "1"
    nominal = [Fraction(part["subject"]["nominal_epsilon"]) for part in (meets, exceeds)]
    assert 0 < nominal[1] - nominal[0] <= Fraction(2, 10**7)
    assert main(["verify", str(path)]) == 0
    assert "verdict: REFUTED" in capsys.readouterr().out

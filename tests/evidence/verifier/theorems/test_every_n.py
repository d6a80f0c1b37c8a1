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
        assert said["text"].startswith(f"{document['subject']['mechanism']} with every n, k = 2, prior = ")
        assert re.search(rf"upper bound: n < {document['cover']['first']} one by one, then \d+ blocks of n", lines[2])
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


def test_the_words_are_of_the_subject_at_every_n(ehdl):
    document = changed(ehdl, ("subject", "parameters"), {"gamma": "1/100"})
    document["subject"]["mechanism"] = "MH"
    words = "MH with every n, k = 2, prior = 1/10, 1/10, nominal epsilon = 1, gamma = 1/100; adjacent:"
    assert EveryN(document, False).say()["text"].startswith(words)


def test_a_witness_from_n_on_reaches_its_own_loss_and_no_more(ehdl, above_n):
    """At the n of the witness, N and 400 here, the bound is what the mechanism of that n reaches, not the limit."""
    for n in (ehdl["cover"]["first"], 400):
        found = changed(ehdl, ("witness", "n"), n)
        x, y, r = ((found["witness"][name], n - found["witness"][name]) for name in ("x", "x_prime", "output"))
        cell = EveryN(ehdl, True).single(n)
        low, high = cell.loss(x, y, cell.outputs.index(r)).ends()
        below, above = str(low - Fraction(1, 10**9)), str(high + Fraction(1, 10**9))
        assert not isinstance(accepted(changed(found, ("statement", "lower"), below), full=False), str)
        assert "below the stated lower bound" in accepted(changed(found, ("statement", "lower"), above), full=False)


def test_a_witness_is_not_seen_from_an_end_before_n_is_large_enough(ehdl):
    """Next to an end S is not found at n = 12, where its peak is at the other end: the loss would be too large."""
    subject = {**ehdl["subject"], "mechanism": "MH", "parameters": {"gamma": "1/100"}, "prior": ["3", "1/10"]}
    forged = {**ehdl, "subject": subject, "witness": {"side": 0, "x": 0, "x_prime": 1, "output": 0, "n": 12}}
    forged["cover"] = {**ehdl["cover"], "first": 12}
    part = EveryN(forged, False)
    whole, near = part.single(12), part.block(0, (12, 12), 1)
    true, seen = whole.loss((0, 12), (1, 11), whole.outputs.index((0, 12))), near.loss(0, 1, 0)
    assert true.ends()[1] < seen.ends()[0]
    between = (true.ends()[1] + seen.ends()[0]).limit_denominator(10**9) / 2
    forged["statement"] = {**ehdl["statement"], "lower": str(between), "upper": "9"}
    assert "N is too small for the smooth sensitivity" in accepted(forged, full=False)
    forged["witness"]["n"] = forged["cover"]["first"] = 3
    assert "N is too small for the pairs near the ends" in accepted(forged, full=False)


@pytest.mark.parametrize(
    ("m", "first", "prior"), [(24, 71, "1/10"), (23, 72, "1/10"), (24, 72, "25"), (24, 10**4 + 1, "1/10")]
)
def test_m_and_n_are_those_of_the_lemmas(ehdl, above_n, m, first, prior):
    """M from 24 and the priors on, N from 3 M on; what the cover says otherwise is as it should be."""
    entries = [[[first] for _ in range(m)]]
    forged = changed(ehdl, ("cover",), {"m": m, "first": first, "blocks": entries, "below": []})
    forged["subject"]["prior"] = [prior, prior]
    assert accepted(stated(forged, "-9", "9")) == "malformed: M or N is out of range"


def test_the_data_sets_of_a_block_are_in_its_cell(ehdl, above_n, monkeypatch):
    seen = []
    monkeypatch.setattr(EveryN, "covered", lambda part, cell, pairs, *_: seen.append((cell, pairs)))
    part = EveryN(ehdl, True)
    part.everywhere()
    assert sum(len(pairs) for _, pairs in seen) > 2 * part.m
    assert all({x, y} < {*cell.laws[0].datasets()} for cell, pairs in seen for x, y, _ in pairs)


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
    one, other = ehd["cover"]["blocks"]
    for wrong in ([one], [one, other, other], [one, [*other, other[0]]], [[*one, one[0]], other]):
        assert "not one list for each pair" in accepted(changed(ehd, ("cover", "blocks"), wrong))


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


@pytest.mark.parametrize(
    ("mech", "more", "m"),
    [("EHDL", {}, 24), ("EHDL", {}, 40), ("EHDL", {}, 60), ("EHDL", {}, 100), ("EHDL", {}, 1000),
     ("EHDS", {"gamma": "2"}, 24), ("MH", {"gamma": "1/9"}, 24), ("EHD", {}, 24), ("EHD/exact", {}, 24)],
)  # fmt: skip
def test_the_middle_is_that_of_the_engine(mech, more, m):
    """The part that is the largest differs with M."""
    from dpaudit.forall.every_n import family_of
    from dpaudit.forall.ranged import read
    from dpaudit.numbers import balls

    ranged = read(mech, n="all", prior="1/2,3", **more)
    family, subject = family_of(ranged), ranged.describe()
    law = read_family({**subject, "n": 1}, 140)
    own = middle(law, m, 5 * m, partial(block, subject, 140)) * law.epsilon
    with balls.precision(128):
        low, high = balls.ends(family.middle(m, 5 * m))
    assert own.ends()[0] <= high
    assert low <= own.ends()[1]
    assert own.ends()[1] - own.ends()[0] < Fraction(1, 10**20)


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

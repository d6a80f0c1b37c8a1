"""Certificates of theorems: what the verifier accepts, and that no changed one is accepted."""

import json
import math
import random
from fractions import Fraction

import pytest
from certificates import changed

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence.certificate import certificate
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.family import read_family
from dpaudit.evidence.verifier.main import extent, verify
from dpaudit.evidence.verifier.reading import digest
from dpaudit.evidence.verifier.theorems.every_epsilon import Ratio
from dpaudit.evidence.verifier.theorems.every_epsilon_laplace import LaplaceRatio
from dpaudit.evidence.verifier.theorems.prior_map import Map

SHARES = [Fraction(1, 4), Fraction(1, 8), Fraction(1, 8), Fraction(1, 2)]
RATIOS = [
    ("EHDL", {"n": 6, "eps": "all"}),
    ("EHDL", {"n": 5, "prior": "1/100,3", "eps": "all"}),
    ("EHDS", {"n": 4, "prior": "1/2,3", "eps": "all", "gamma": "1/3"}),
    ("MH", {"n": 3, "k": 3, "eps": "all"}),
    ("EHD", {"n": 1, "prior": "1/100,1/100", "eps": "all"}),
    ("EHD", {"n": 1, "prior": "1,1/1000", "eps": "all"}),
    ("EHDS", {"n": 1, "prior": "1,2", "eps": "1..2"}),
    ("EHD", {"n": 9, "eps": "1..9"}),
    ("EHDL", {"n": 4, "eps": "all", "adjacency": "all"}),
]
LAPLACES = [
    ("LSZhang", {"n": 1, "eps": "all"}),
    ("LSZhang", {"n": 1, "eps": "1/2..7"}),
    ("LSZhang", {"n": 4, "k": 3, "eps": "all"}),
    ("LSDim", {"n": 2, "k": 3, "eps": "all"}),
    ("LSDim", {"n": 1, "k": 4, "eps": "1..3"}),
    ("LSHist", {"n": 5, "prior": "1/2,3", "eps": "1/3..2"}),
]
MAPS = [
    ("EHD", {"n": 1, "prior": "1/1000..1/4,1/1000..1/4", "rest": "1/3"}),
    ("EHD", {"n": 2, "prior": "1/1000..1/4,1/50..3", "rest": "1/2"}),
    ("EHDS", {"n": 3, "prior": "1/100..2,1/100..2"}),
    ("MH", {"n": 2, "prior": "1/2..1,1,1/2..1"}),
    ("EHD/exact", {"n": 3, "prior": "1/100..1,1/100..1"}),
]


def certificate_of(mech, setting):
    return json.loads(json.dumps(certificate(dpaudit.epsilon(mech, **setting))))


def verdict_of(mech, setting):
    return dpaudit.epsilon(mech, **setting).claim.verdict.value


def accepted(document, full=True):
    """The lines and the statement, or None if the certificate is rejected; its hash fits."""
    document["sha256"] = digest(document)
    try:
        return verify(document, full)
    except Rejected:
        return None


@pytest.mark.parametrize(("mech", "setting"), [*RATIOS, *LAPLACES, *MAPS])
def test_the_verifier_accepts_it(mech, setting):
    document, verdict = certificate_of(mech, setting), verdict_of(mech, setting)
    for full in (False, True):
        lines, said = accepted(document, full)
        assert said["verdict"] in (verdict, None if not full else verdict)
        assert any("not checked" in line for line in lines) != full
    assert said["verdict"] == verdict
    assert said["checked"] == "full"
    assert "None" not in " ".join(lines)
    assert "nominal epsilon = 1" not in said["text"] or setting.get("eps") is None


def places(node, path=()):
    """The paths of all texts and numbers of a document."""
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))
    else:
        yield path


@pytest.mark.parametrize(("mech", "setting"), LAPLACES)
def test_changed_bounds_of_the_laplace_family_are_rejected(mech, setting):
    document = certificate_of(mech, setting)
    low, high = (Fraction(document["statement"][end]) for end in ("lower", "upper"))
    tiny = Fraction(1, 10**25)
    for path, value in (
        (("statement", "upper"), str(low - tiny)),
        (("statement", "lower"), str(high + tiny)),
        (("witness", "output"), document["witness"]["x"][:1] * 9),
        (("witness", "x"), document["witness"]["x_prime"]),
        (("witness", "epsilon"), "-1"),
        (("cover",), [[document["witness"]["x"], document["witness"]["x_prime"], ["1"]]]),
        (("subject", "adjacency"), {"kind": "all"}),
        (("subject", "mechanism"), "EHDL"),
        (("subject", "k"), document["subject"]["k"] + 1),
    ):
        assert accepted(changed(document, path, value)) is None, path
    both = changed(document, ("statement", "upper"), str(low - tiny))
    assert accepted(changed(both, ("statement", "lower"), str(low - 2 * tiny))) is None
    one = {"LSZhang": "1/2", "LSDim": f"1/{document['subject']['k']}", "LSHist": "1/2"}[mech]
    weaker = changed(changed(document, ("statement", "lower"), one), ("statement", "upper"), one)
    assert accepted(weaker) is None or low == high == Fraction(one)


def test_every_row_of_a_cover_is_checked_and_no_other_is_taken():
    document = certificate_of("EHDL", {"n": 6, "eps": "all"})
    cover, mirrored = document["cover"], certificate_of("EHD", {"n": 1, "prior": "1,1/1000", "eps": "all"})
    assert mirrored["cover"] == []
    for surplus in ([[0, 6], [2, 4], ["1"]], [[3, 3], [3, 3], ["1"]], cover[0]):
        found = changed(document, ("cover",), [*cover, surplus])
        found["sha256"] = digest(found)
        with pytest.raises(Rejected, match=r"malformed: .* twice, or one that is not adjacent"):
            verify(found, True)
    coarse = [[[0, 1], [1, 0], ["1"]]]  # true without its row, but the row does not show it
    assert accepted(changed(mirrored, ("cover",), coarse)) is None


def test_a_constant_ratio_is_not_claimed_of_other_rows():
    document = certificate_of("EHDL", {"n": 2, "prior": "1,3", "eps": "all"})
    assert accepted(changed(document, ("cover",), [])) is None


def test_a_range_of_the_laplace_family_is_not_stretched():
    """With one record the ratio falls with epsilon: from 1 at 0 on."""
    document = certificate_of("LSZhang", {"n": 1, "eps": "1/2..7"})
    for text in ("all", "1/3..7", "7..1/2"):
        assert accepted(changed(document, ("subject", "nominal_epsilon"), text)) is None
    assert accepted(changed(document, ("subject", "nominal_epsilon"), "1/2..8")) is not None
    for text in ("0", "1/3", "8", "inf", "5"):
        assert accepted(changed(document, ("witness", "epsilon"), text)) is None
    every = certificate_of("LSZhang", {"n": 1, "eps": "all"})
    assert every["witness"]["epsilon"] == "0"
    assert accepted(changed(every, ("witness", "epsilon"), "1/100")) is None


@pytest.mark.parametrize(("mech", "n", "k"), [("LSZhang", 3, 2), ("LSZhang", 2, 3), ("LSDim", 2, 4), ("LSHist", 4, 2)])
def test_the_powers_are_those_of_every_pair_and_output(mech, n, k):
    """All ratios of probabilities, exactly, at three epsilons, are among those q^a (2-q)^b, and no others are."""
    part = LaplaceRatio(certificate_of(mech, {"n": n, "k": k, "eps": "all"}), True)
    powers = part.powers()
    seen = set()
    for epsilon in ("1", "1/3"):
        law = read_family({**part.subject, "nominal_epsilon": epsilon}, 140)
        t = float(Fraction(epsilon)) / law.scale
        values = {power: -power[0] * t + power[1] * math.log(2 - math.exp(-t)) for power in powers}
        for x in law.datasets():
            for y in law.neighbors(x):
                for p, q in zip(law.make_row(x), law.make_row(y), strict=True):
                    loss = math.log(p.value.ends()[0] / q.value.ends()[0])
                    found = {power for power, value in values.items() if abs(value - loss) < 1e-9}
                    assert found
                    seen |= found
    assert seen == powers


@pytest.mark.parametrize(("mech", "setting"), RATIOS[:3])
def test_a_stronger_ratio_is_rejected(mech, setting):
    document = certificate_of(mech, setting)
    statement = document["statement"]
    low, high = statement["lower"], statement["upper"]
    middle = str((Fraction(low) + Fraction(high)) / 2)
    assert accepted(changed(document, ("statement", "upper"), low)) is None
    assert accepted(changed(document, ("statement", "lower"), high)) is None
    both = (
        accepted(changed(document, ("statement", "upper"), middle)),
        accepted(changed(document, ("statement", "lower"), middle)),
    )
    assert None in both
    for claimed, verdict in (("1/10", "REFUTED"), (middle, "UNDECIDED"), ("2", "PROVED")):
        _, said = accepted(changed(document, ("statement", "claimed"), claimed))
        assert said["verdict"] == verdict


def test_every_interval_of_the_cover_is_needed():
    document = certificate_of("EHDL", {"n": 6, "eps": "all"})
    worst = next(i for i, entry in enumerate(document["cover"]) if entry[:2] == [[0, 6], [1, 5]])
    assert accepted(changed(document, ("cover", worst), document["cover"][worst - 1])) is None
    assert accepted(changed(document, ("cover", worst, 2), ["1"])) is None
    assert accepted(changed(document, ("cover", worst, 2), ["4", "1/4"])) is None
    assert accepted(changed(document, ("cover",), document["cover"][worst + 1 :])) is None


def test_more_bits_are_taken_where_few_do_not_decide():
    document = certificate_of("EHD", {"n": 3, "eps": "1..2"})
    part = Ratio(document, True)
    part.bits = 30
    assert part.check()[1]["verdict"] == "PROVED"
    assert part.bits == 120
    part.bits = 10
    with pytest.raises(Rejected, match="undecided with 40 bits"):
        part.check()


def test_a_range_is_not_stretched():
    document = certificate_of("EHD", {"n": 9, "eps": "1..9"})
    for text in ("all", "1/2..9", "1..100", "9..1", "1..2..3", "1..9..0..any text", "", None):
        found = accepted(changed(document, ("subject", "nominal_epsilon"), text))
        assert found is None or text == "1..100"
    assert accepted(changed(document, ("subject", "mechanism"), "MHdelta")) is None


@pytest.mark.parametrize(
    ("path", "values", "reason"),
    [
        (("witness", "epsilon"), ("1/2", "10", "inf"), "the epsilon of the witness is outside the stated range"),
        (("subject", "nominal_epsilon"), ("0..9", "1..1", "9..1", "1..2..3", "1"), "neither all nor a range"),
    ],
)
def test_a_range_has_two_ends_and_holds_its_witness(path, values, reason):
    document = certificate_of("EHD", {"n": 2, "eps": "1..9"})
    for value in values:
        changed_one = changed(document, path, value)
        with pytest.raises(Rejected, match=reason):
            verify({**changed_one, "sha256": digest(changed_one)}, False)


@pytest.mark.parametrize(("mech", "setting"), MAPS[:3])
def test_a_changed_map_is_rejected(mech, setting):
    document = certificate_of(mech, setting)
    verdict, leaves = accepted(document)[1]["verdict"], [*places(document["cover"])]
    leaves = [path for path in leaves if path and isinstance(path[-1], int)]
    source, seen = random.Random(14), 0
    for path in source.sample(leaves, min(8, len(leaves))):
        node = document["cover"]
        for key in path:
            node = node[key]
        for value in {"PROVED", "REFUTED"} - {node} if isinstance(node, str) else {node + 1, node - 1}:
            found = accepted(changed(document, ("cover", *path), value))
            assert found is None or found[1]["verdict"] == verdict
            seen += found is None
    assert seen
    assert accepted(changed(document, ("statement", "claimed"), "1/10")) is None
    if verdict == "REFUTED":
        assert accepted(changed(document, ("subject", "prior", 0), "5..9")) is None


def test_a_map_that_leaves_a_box_open_proves_nothing():
    document = certificate_of("EHDS", {"n": 3, "prior": "1/100..2,1/100..2"})
    assert accepted(document)[1]["verdict"] == "PROVED"
    every = [[[x, 3 - x], [y, 3 - y]] for x in range(4) for y in (x - 1, x + 1) if 0 <= y <= 3]
    open_, half = [0, every, "UNDECIDED", "UNDECIDED"], [1, every, "UNDECIDED", document["cover"]]
    for cover, undecided in ((open_, "1"), (half, "1/2")):
        _, said = accepted(changed(document, ("cover",), cover))
        assert (said["verdict"], said["undecided"]) == ("UNDECIDED", undecided)
    for wrong in ([0, [], "UNDECIDED", "UNDECIDED"], [0, every, "UNDECIDED"], [2, every, "PROVED", "PROVED"]):
        assert accepted(changed(document, ("cover",), wrong)) is None


def test_a_map_of_which_no_box_is_looked_at_is_not_checked():
    forged = certificate_of("EHD", {"n": 1, "prior": "1/1000..1/4,1/1000..1/4", "rest": "1/3"})
    forged["cover"] = "PROVED"
    assert accepted(forged) is None
    lines, said = accepted(forged, full=False)
    assert "verdict: not checked (--full does)" in lines
    assert "100 % proved, 0 % refuted, 0 % undecided (stated, NOT CHECKED)" in said["text"]
    assert "verdict: NOT CHECKED; checked: NOTHING BUT THE SHARES" in said["text"]
    assert said["verdict"] is None
    assert extent(said) == "NOTHING BUT THE SHARES"


def test_the_halves_of_a_box_are_its_halves():
    every = [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    document = certificate_of("EHD", {"n": 1, "prior": "1..3,5..9", "claim": "9"})
    cover = [0, every, [1, every, "UNDECIDED", [1, every, "UNDECIDED", "UNDECIDED"]], "UNDECIDED"]
    part = Map(changed(document, ("cover",), cover), True)
    assert part.lines()
    pairs = frozenset((x, y) for x in part.law.datasets() for y in part.law.neighbors(x))
    leaves = [(share, sides, found) for kind, share, sides, found in part._leaves(cover, part.sides, pairs, 1) if share]
    boxes = [((1, 2), (5, 7)), ((1, 2), (7, 8)), ((1, 2), (8, 9)), ((2, 3), (5, 9))]
    assert leaves == [(share, [*box], pairs) for share, box in zip(SHARES, boxes, strict=True)]


@pytest.mark.parametrize(
    ("path", "value"),
    [(("subject", "prior", 0), "1/4..1/1000"), (("subject", "prior", 0), "1/1000..1/8..1/4"),
     (("subject", "prior", 0), "1/4.."), (("statement", "claimed"), "-1")],
)  # fmt: skip
def test_a_map_is_of_a_box_and_a_bound(path, value):
    document = certificate_of("EHD", {"n": 1, "prior": "1/1000..1/4,1/1000..1/4", "rest": "1/3"})
    document["cover"] = "UNDECIDED"
    assert accepted(document, full=False)
    assert accepted(changed(document, path, value), full=False) is None


def test_a_witness_of_a_box_is_a_pair_of_adjacent_data_sets():
    """(0, 2) and (2, 0) differ in two records: their loss exceeds what is claimed, and refutes nothing."""
    document = certificate_of("EHD", {"n": 2, "prior": "1..2,1", "claim": "1"})
    for pair, right in (([[0, 2], [1, 1]], True), ([[0, 2], [2, 0]], False)):
        refuted = changed(document, ("cover",), ["REFUTED", *pair, [0, 2]])
        assert (accepted(changed(refuted, ("statement", "claimed"), "1/100")) is not None) == right


def test_a_refuted_map_is_checked_at_one_witness():
    document = certificate_of("EHD", {"n": 1, "prior": "1/1000..1/4,1/1000..1/4", "rest": "1/3"})
    _, said = accepted(document, full=False)
    assert "verdict: REFUTED; checked: one witness" in said["text"]
    forged = changed(document, ("cover",), ["REFUTED", [0, 1], [1, 0], [0, 1]])
    assert accepted(forged, full=False) is None
    honest = changed(document, ("statement", "claimed"), "1000")
    assert accepted(honest, full=False) is None


def test_on_the_command_line(tmp_path, capsys):
    for name, words in (
        ("ratio.json", ["--mech", "EHDL", "--n", "6", "--eps", "all"]),
        ("laplace.json", ["--mech", "LSDim", "--n", "20", "--k", "3", "--eps", "1/2..4"]),
        ("map.json", ["--mech", "EHD", "--n", "1", "--prior", "1/100..1,1/100..1", "--rest", "1/3"]),
    ):
        path = str(tmp_path / name)
        assert main(["epsilon", *words, "--certificate", path]) == 0
        assert main(["verify", path, "--full"]) == 0
        assert "ACCEPTED (full)" in capsys.readouterr().out


def test_what_has_no_replay_is_refused_before_any_work():
    for words in ("--mech LSDim --n 5 --eps all --adjacency all", "--mech EHDL --n 5 --eps all --score kl"):
        assert main(["epsilon", *words.split(), "--certificate", "never.json"]) == 2


@pytest.mark.parametrize(("mech", "setting"), [RATIOS[0], MAPS[0]])
def test_a_certificate_of_another_form_is_malformed(mech, setting):
    document = certificate_of(mech, setting)
    for path, value in (
        (("kind",), "prior-map" if document["kind"] == "every-epsilon" else "every-epsilon"),
        (("kind",), ["every-epsilon"]),
        (("statement", "quantity"), "epsilon"),
        (("statement", "verdict"), "PROVED"),
        (("made",), None),
        (("made",), ["dpaudit"]),
        (("cover",), None),
        (("cover",), 3),
        (("cover",), [[]]),
        (("subject", "n"), document["subject"]["n"] + 1),
        (("subject", "n"), 10**9 + 1),
        (("subject", "mechanism"), "LSDim"),
        (("subject",), None),
        (("subject", "prior"), "1,1"),
        (("more",), 1),
    ):
        assert accepted(changed(document, path, value)) is None, path


def test_what_nobody_claims_is_called_asked():
    for mech, setting, words in (
        ("EHDL", {"n": 2, "eps": "all"}, "; asked: epsilon-DP for every epsilon > 0; verdict"),
        ("EHDS", {"n": 2, "eps": "all"}, "; claimed: epsilon-DP for every epsilon > 0; verdict"),
        ("MH", {"n": 2, "eps": "1..2", "gamma": "1/2"}, "; claimed: (3/2 epsilon)-DP for every epsilon from 1 to 2;"),
        ("EHDS", {"n": 2, "eps": "all", "adjacency": "all"}, "; asked: epsilon-DP for every epsilon > 0; verdict"),
        ("EHDL", {"n": 1, "prior": "1..2,1"}, "; asked: 1-DP for every prior of the box; verdict"),
        ("EHD", {"n": "all", "digits": 5}, "; claimed: 1-DP for every n; verdict"),
        ("EHDL", {"n": "all", "digits": 5, "eps": "all"}, "; asked: epsilon-DP for every n; verdict"),
    ):
        assert words in accepted(certificate_of(mech, setting), full=False)[1]["text"]

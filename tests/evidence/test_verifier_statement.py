"""ACCEPTED says what was accepted: subject, adjacency, counts, bounds, claim, verdict, how far it was checked."""

import json
from fractions import Fraction

import attacks
import pytest
from certificates import changed, make, outcome
from mutate_certificates import fit_enclosures

import dpaudit
from dpaudit.cli import main
from dpaudit.evidence.certificate import bundle, certificate
from dpaudit.evidence.verifier.main import verify

EHDS = ("EHDS", {"n": 4, "prior": "1/2,3", "gamma": "3", "eps": "1/2"})


def said(document, full=False):
    return verify(document, full)[1]


def test_the_sentence_names_everything():
    found = said(make(EHDS), True)
    assert found["text"] == (
        "EHDS with n = 4, k = 2, prior = 1/2, 3, nominal epsilon = 1/2, gamma = 3; adjacent: one record replaced, 4 of "
        "10 possible pairs; 5 data sets, 5 outputs: the true epsilon lies between "
        f"{found['lower']} and {found['upper']}; "
        "claimed: 1/2-DP; verdict: PROVED; checked: full"
    )
    assert found["subject"] == {"kind": "family", "mechanism": "EHDS", "n": 4, "k": 2, "prior": "1/2, 3",
                                "nominal_epsilon": "1/2", "gamma": "3"}  # fmt: skip
    assert found["adjacency"] == {"relation": "one record replaced", "pairs": 4, "possible": 10}
    assert (found["datasets"], found["outputs"], found["claim"]) == (5, 5, "1/2-DP")
    assert (found["verdict"], found["checked"]) == ("PROVED", "full")


def test_the_witness_alone_says_what_is_not_checked():
    found = said(make(EHDS))
    assert "is at least" in found["text"]
    assert "the other end is NOT CHECKED" in found["text"]
    assert "verdict: NOT CHECKED; checked: witness only" in found["text"]
    assert found["verdict"] is None


def test_another_claim_prints_another_sentence(tmp_path, capsys):
    document, texts = make(EHDS), []
    for claim in ("1/2", "100"):
        path = tmp_path / "c.json"
        path.write_text(json.dumps(changed(document, ("statement", "claimed"), claim)))
        assert main(["verify", str(path), "--full"]) == 0
        texts.append(" ".join(capsys.readouterr().out.split()))
        assert f"claimed: {claim}-DP; verdict: PROVED" in texts[-1]
        assert main(["verify", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["statement"]["claim"] == f"{claim}-DP"
    assert texts[0] != texts[1]


def test_listed_pairs_are_said_in_capitals():
    rows = [["1/2", "1/2"], ["1/3", "2/3"], ["1/5", "4/5"]]
    every, some = said(attacks.table(rows)), said(attacks.table(rows, pairs=[[0, 1]]))
    whole = said(attacks.table(rows, pairs=[[0, 1], [0, 2], [2, 1]]))
    assert "adjacent: every pair, 3 of 3 possible pairs; 3 data sets" in every["text"]
    assert "adjacent: EXPLICIT LIST, 1 of 3 possible pairs; 2 pairs are LEFT OUT; 3 data sets" in some["text"]
    assert "adjacent: EXPLICIT LIST, 3 of 3 possible pairs; 3 data sets" in whole["text"]
    most = said(attacks.table(rows, pairs=[[0, 1], [0, 2]]))
    assert "2 of 3 possible pairs; 1 pair is LEFT OUT; 3 data sets" in most["text"]
    assert some["adjacency"] == {"relation": "EXPLICIT LIST", "pairs": 1, "possible": 3}


def test_parts_are_all_said():
    document = bundle([dpaudit.epsilon("EHDL", n=2), dpaudit.delta("EHDL", "1/3", n=2)])
    found = said(document)
    assert [part["quantity"] for part in found["parts"]] == ["epsilon", "delta"]
    assert "part 1: EHDL" in found["text"]
    assert "part 2: EHDL" in found["text"]
    assert "delta(1/3) is at least" in found["text"]


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("rho=1", "rho = sup D_a / a lies between"),
        ("alpha=2,eps=1", "claimed: (2, 1)-Rényi DP; verdict: PROVED"),
        ("mu=2", "claimed: 2-GDP"),
        ("f=0:1;1/2:1/10;1:0", "claimed: f-DP through (0, 1), (1/2, 1/10), (1, 0)"),
    ],
)
def test_guarantees_are_said_by_their_numbers(claim, text):
    document = certificate(dpaudit.judge("dpaudit.examples.randomized_response:SpinnerResponse", claim))
    assert text in said(document, True)["text"]
    lie = changed(document, ("statement", "guarantee", "text"), "1/1000-GDP")
    assert "does not match its numbers" in outcome(lie)


# ------------------------------------------------------------------ what a table may not be

ROWS = [["1/2", "1/2"], ["1/3", "2/3"]]


@pytest.mark.parametrize(
    "name", ["EHDL", "ehdl", "E H D L", "EHDL\u200b", "\uff25\uff28\uff24\uff2c", "lszhang", "M\u200dH", "e\u0301hdl"]
)
def test_a_table_may_not_carry_the_name_of_a_mechanism_of_the_family(name):
    assert "may not be called" in outcome(attacks.table(ROWS, name=name))
    assert outcome(attacks.table(ROWS, name="another one")) is None


def test_nor_is_such_a_certificate_written(tmp_path):
    class Other:
        name = "EHDL"

        def datasets(self):
            return [0, 1]

        outputs = datasets

        def probabilities(self, x):
            return [Fraction(1, 2 + x), 1 - Fraction(1, 2 + x)]

    with pytest.raises(dpaudit.InputError, match="name of a mechanism of the family"):
        certificate(dpaudit.epsilon(Other()))


def test_a_name_cannot_forge_a_line():
    text = said(attacks.table(ROWS, name="x\nACCEPTED: all is well \x1b[31m \u202e"))["text"]
    assert "\n" not in text
    assert text.isascii()
    assert text.isprintable()


@pytest.mark.parametrize("row", [["7", "-3"], ["2", "-1"], ["1/2", "1/3"], [["exp", "-2000"], "1"], ["0", "0"]])
@pytest.mark.parametrize("pairs", [None, [[0, 1]]])
@pytest.mark.parametrize("full", [False, True])
def test_every_row_is_checked_paired_or_not(row, pairs, full):
    reason = outcome(attacks.table([*ROWS, row], pairs=pairs), full)
    assert "does not sum to 1" in reason or "negative entry" in reason


def test_the_rows_of_the_witness_are_there_even_if_nothing_is_asked_of_them():
    document = changed(attacks.table([*ROWS, ["1/4", "3/4"]]), ("law", "covers"), "witness")
    lonely = changed(document, ("subject", "rows"), [["1/3", "2/3"]])
    assert "not one row for each that is covered" in outcome(lonely)


NOT_ONE = [
    [["exp", "-2000"], "1"],
    [["^", ["exp", "-1"], "5000"], "1"],
    [["/", ["exp", "1"], ["+", ["exp", "1"], "1"]], ["/", "1", ["+", ["exp", "1"], "1", ["exp", "-1000"]]]],
    [["+", ["exp", "-1"], ["exp", "-900"]], ["+", "1", ["*", "-1", ["exp", "-1"]]]],
    [["sqrt", ["exp", "-3000"]], "1"],
    [attacks.TOWER, "1"],
]


@pytest.mark.parametrize("row", NOT_ONE, ids=range(len(NOT_ONE)))
def test_a_row_that_misses_one_by_less_than_any_bits_tell_is_rejected_by_algebra(row):
    assert "does not sum to 1" in outcome(attacks.table([row, ["1/2", "1/2"]]))


def test_an_entry_whose_sign_nobody_tells_is_not_accepted():
    assert "undecided" in outcome(attacks.table([[["^", "1/3", "9" * 1000], "1"], ["1/2", "1/2"]]))
    wide = ["+", ["*", ["sqrt", "2"], ["sqrt", "2"]], "-2"]
    assert "undecided" in outcome(attacks.table([[wide, "1"], ["1/2", "1/2"]]))


def test_what_algebra_does_not_add_up_is_said():
    half = ["/", ["log", "2"], ["log", "4"]]
    document = attacks.table([[half, half], ["1/2", "1/2"]])
    assert "1 of its 2 rows add up to 1 only AS FAR AS 155 DIGITS TELL" in said(document)["text"]
    assert "AS FAR AS" not in said(attacks.table(ROWS))["text"]


NEGATIVE = [
    ["sqrt", "-1"],
    ["sqrt", ["+", ["exp", "1"], "-3"]],
    ["sqrt", ["+", "1", ["*", "-1", ["exp", ["exp", "-9"]]]]],
    ["log", ["+", "1", ["*", "-1", ["exp", "1"]]]],
    ["log", "0"],
]


@pytest.mark.parametrize("entry", NEGATIVE, ids=str)
def test_the_root_of_a_negative_number_is_rejected(entry):
    for logarithmic in (False, True):
        document = attacks.table([[entry, "1"], ["1/2", "1/2"]], logarithmic)
        assert " of a n" in outcome(document, True), outcome(document, True)


def test_the_root_of_zero_in_disguise_is_zero():
    zero = ["sqrt", ["+", ["*", ["exp", "1/2"], ["exp", "1/2"]], ["*", "-1", ["exp", "1"]]]]
    assert outcome(attacks.table([[zero, "1"], ["1/2", "1/2"]]), True) is None


@pytest.mark.parametrize("pairs", [[[-1, 0]], [[0, 3]], [[0, True]], [[0, 1, 2]], [[1, 1]], [[0, 1], [1, 0]], {}])
def test_pairs_that_are_none_are_malformed(pairs):
    rows = [["1/2", "1/2"], ["1/3", "2/3"], ["1/5", "4/5"]]
    assert outcome(attacks.table(rows, pairs=pairs)).startswith("malformed: ")
    why = "pairs is not a list" if pairs not in ([[1, 1]], [[0, 1], [1, 0]]) else "a pair occurs twice, or is none"
    assert why in outcome(attacks.table(rows, pairs=pairs))


def test_a_claimed_delta_above_one_is_refused_by_both():
    with pytest.raises(dpaudit.InputError, match="must be <= 1"):
        dpaudit.judge("EHDS", "eps=1,delta=2", n=3)
    document = changed(make(EHDS), ("statement", "claimed_delta"), "2")
    assert "claimed_delta is not between 0 and 1" in outcome(document)


# ------------------------------------------------------------------ the fault of the first verifier

ONE = ["*", ["sqrt", ["sqrt", ["exp", "1e17"]]], ["exp", "-2.5e16"]]
"""It is 1; the first verifier halved an odd power of ten and took it for 0.316…, 1 over the root of 10."""
TENTH = "0.158113883008418933199932000000000000000000000000000000000000000000000000"


def nested(**statement):
    rows = [[["*", ONE, "1/2"], ["+", "1", ["*", "-1/2", ONE]]], [TENTH, f"{1 - Fraction(TENTH)}"]]
    document = attacks.table(rows, **statement)
    if statement["quantity"] == "epsilon":
        del document["statement"]["at"]
        document["witness"]["output"] = "o0"
    fit_enclosures(document)
    return changed(document, ("version",), 2)


def test_a_root_of_a_root_at_a_huge_exponent_is_not_taken_for_another_number():
    """P_x(o0) is 1/2 and P_y(o0) 0.158…: the true epsilon is ln(√10) = 1.1512…, and delta(0) 0.3418…"""
    claim = {"claimed": "1e-9", "claimed_delta": "0"}
    false = nested(quantity="epsilon", lower="0", upper="1e-9", **claim)
    assert outcome(false) == outcome(false, True) == "the value at the witness is above the stated upper bound"
    true = nested(quantity="epsilon", lower="1.15129254", upper="1.15129255", **claim)
    assert said(true, True)["verdict"] == "REFUTED"
    false = nested(quantity="delta", at="0", lower="0", upper="1e-9", **claim)
    assert outcome(false, True) == "the value at the witness is above the stated upper bound"
    true = nested(quantity="delta", at="0", lower="0.3418861", upper="0.3418862", claimed=None, claimed_delta=None)
    assert outcome(true, True) is None


# ------------------------------------------------------------------ names


NASTY = ['x"; ACCEPTED (full): all is well; "', "a\nACCEPTED (full): EHDS", "\x1b[2J", "\u202etxet", "'", "\\"]


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_quoted_and_escaped_wherever_they_are_said(name):
    shown = json.dumps(name)
    text = said(attacks.table(ROWS, name=name))["text"]
    assert f"which calls itself {shown}; " in text
    assert text.isascii()
    assert text.isprintable()
    assert text.replace(shown, "").count('"') == 0
    reason = outcome(attacks.table({name: ["1/2", "1/3"], "y": ["1/2", "1/2"]}))
    assert f"the row of {shown} does not sum to 1" in reason
    member = changed(attacks.table(ROWS), ("subject", name), 1)
    assert f"unknown member {shown}" in outcome(member)
    table = attacks.table(ROWS)
    table["subject"]["source"] = name
    assert f", source {shown}; " in said(attacks.sealed({k: v for k, v in table.items() if k != "sha256"}))["text"]


def test_a_long_name_is_shortened_inside_its_quotes():
    text = said(attacks.table(ROWS, name="n" * 5000))["text"]
    assert 'calls itself "' + "n" * 60 + '... (5000 characters)"' in text


# ------------------------------------------------------------------ what the engine certifies is accepted


@pytest.mark.parametrize("prior", ["1e7,1e7", "1e12,3", "1e40,1e40", "1e-40,1"])
def test_priors_of_any_size(prior):
    for at in (None, "1/3"):
        assert outcome(make(("EHDS", {"n": 3, "prior": prior}), at), True) is None


@pytest.mark.parametrize("eps", ["1e7", "1e-50"])
def test_any_nominal_epsilon(eps):
    for mech in ("EHDL", "LSHist"):
        assert outcome(make((mech, {"n": 2, "eps": eps})), True) is None
        assert outcome(make((mech, {"n": 2, "eps": eps}), "1/3"), True) is None


class Weights:
    """Weights of 1e-400, and others far apart."""

    def __init__(self, low):
        self.low = low

    def datasets(self):
        return [0, 1]

    def outputs(self):
        return ["a", "b", "c"]

    def probabilities(self, x):
        tiny = Fraction(self.low)
        return [tiny * (1 + x), tiny * (2 - x), 1 - 3 * tiny]


@pytest.mark.parametrize("low", ["1e-400", "1e-30", "1e-999"])
def test_tiny_probabilities(low):
    for at in (None, "0", "1/10", "3"):
        document = make((Weights(low), {}), at)
        assert outcome(document) is None
        assert outcome(document, True) is None


def test_what_can_never_be_accepted_is_refused_at_the_door():
    class Deep:
        def datasets(self):
            return [0, 1]

        outputs = datasets

        def log_weight(self, x, r):
            found = dpaudit.log(2)
            for _ in range(110):
                found = dpaudit.exp(-found)
            return found if x == r else 0

    with pytest.raises(dpaudit.InputError, match=r"the verifier could not accept it: .*nested too deeply"):
        certificate(dpaudit.epsilon(Deep()))

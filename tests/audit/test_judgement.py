"""The words of a verdict: one table from judged statements to what a reader sees."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F

import pytest

from dpaudit.audit.judgement import (
    EVERY_N,
    Extent,
    Judgement,
    Margin,
    Whose,
    judged,
    nominal,
    over_n,
    worst,
)
from dpaudit.numbers.enclosure import Enclosure, at_least, infinite, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee
from dpaudit.privacy.pairs import Witness

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
WITNESS = Witness("a", "b", "c")


def near(value: str | F, width: str = "0", digits: int = 40) -> Enclosure:
    return outward(F(value), F(value) + F(width), digits)


def claim(option: str, verdict: Verdict | None, quantity: str, value: Enclosure, **at: str) -> Claim:
    found: Guarantee = parse_guarantee("claim", option)
    return Claim(found, verdict, Evidence(quantity, value, WITNESS, at))


SENTENCES = [
    (claim("1", PROVED, "epsilon", near("0.64")), EVERY_N, "1-DP: PROVED for every n"),
    (claim("1", PROVED, "epsilon", near("0.64")), Extent(tuple(range(1, 101))), "1-DP: PROVED for n = 1…100"),
    (claim("1", PROVED, "epsilon", near("0.64")), Extent((5,)), "1-DP: PROVED at n = 5"),
    (claim("1", PROVED, "epsilon", near("0.64")), None, "1-DP: PROVED"),
    (claim("1", REFUTED, "epsilon", near("2")), None, "1-DP: REFUTED, true ε = 2"),
    (claim("1", REFUTED, "epsilon", near("2")), Extent((7,)), "1-DP: REFUTED at n = 7, true ε = 2"),
    (claim("1", REFUTED, "epsilon", infinite()), None, "1-DP: REFUTED, true ε = ∞"),
    (claim("1", REFUTED, "epsilon", near("1.00000000001")), None, "1-DP: REFUTED, true ε = 1.00000000001"),
    (claim("1", REFUTED, "epsilon", near("1.5")), EVERY_N, "1-DP: REFUTED, true ε = 1.5"),
    (claim("1", UNDECIDED, "epsilon", near("0.9", "0.2")), None, "1-DP: UNDECIDED, true ε in [0.9, 1.1]"),
    (
        claim("eps=1,delta=1e-5", REFUTED, "delta", near("2e-5"), epsilon="1"),
        None,
        "(1, 1e-5)-DP: REFUTED, δ(1) = 2e-5",
    ),
    (claim("rho=1/2", REFUTED, "zcdp_rho", near("0.75")), None, "1/2-zCDP: REFUTED, zCDP ρ = 0.75"),
    (Claim(EpsilonDelta(F(1)), UNDECIDED), None, "1-DP: UNDECIDED"),
]


@pytest.mark.parametrize(("found", "extent", "sentence"), SENTENCES)
def test_the_sentence(found: Claim, extent: Extent | None, sentence: str) -> None:
    made = judged(found, "M", extent=extent)
    assert made is not None
    assert made.sentence() == sentence


def test_delta_at_another_epsilon_repairs_nothing() -> None:
    """δ falls as ε grows: δ(2) refutes (1, 1e-5)-DP, but δ(1), which would repair it, is larger."""
    for at, text in (("1", "exceeds by 100 % (δ = 2e-5 would repair it)"), ("2", "exceeds by 100 %")):
        made = judged(claim("eps=1,delta=1e-5", REFUTED, "delta", near("2e-5"), epsilon=at), "M")
        assert made is not None
        assert made.margin_text() == text


def test_a_statement_that_nobody_makes_says_so() -> None:
    found = nominal(near("1.7"), F(1), "EHDL", Extent((135, 136, 137)))
    told = "1-DP (its nominal ε; its documents do not claim it): REFUTED, first at n = 137"
    assert replace(found, first_n=137).sentence() == told
    assert found.to_dict()["whose"] == "nominal"
    assert nominal(near("0.5"), F(1), "EHDL").margin_text() == "uses 50 % of the nominal ε"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (near("0.5"), PROVED),
        (near("1"), PROVED),
        (near("0.9", "0.2"), UNDECIDED),
        (near("1", "0.1"), UNDECIDED),
        (near("1.0000001"), REFUTED),
        (infinite(), REFUTED),
    ],
)
def test_the_nominal_epsilon_judges_by_the_whole_enclosure(value: Enclosure, verdict: Verdict) -> None:
    assert nominal(value, F(1), "EHDL").verdict is verdict


def test_no_judgement_without_a_statement_or_where_the_quantity_is_silent() -> None:
    assert judged(Claim(), "M") is None
    assert judged(claim("1", None, "delta", near("0.1"), epsilon="2"), "M") is None


MARGINS = [
    (near("0.6321"), "1", PROVED, None, "uses 64 % of the claim"),
    (near("0.63"), "1", PROVED, None, "uses 63 % of the claim"),
    (near("0.99999"), "1", PROVED, None, "uses 99.999 % of the claim"),
    (near(F(1, 3)), F(1, 3), PROVED, None, "uses 100 % of the claim"),
    (near("0"), "1", PROVED, None, "uses 0 % of the claim"),
    (near("0"), "0", PROVED, None, ""),
    (near("1.7"), "1", REFUTED, None, "exceeds by 70 %"),
    (near("1.709"), "1", REFUTED, None, "exceeds by 70 %"),
    (near("3.4"), "2", REFUTED, None, "exceeds by 70 %"),
    (near("1.0001"), "1", REFUTED, None, "exceeds by 0.01 %"),
    (near("1.00009"), "1", REFUTED, None, "exceeds by 9e-5"),
    (near("25.9"), "1", REFUTED, None, "is 25 times the claim"),
    (near("0.5"), "0", REFUTED, None, "exceeds by 0.5"),
    (near(1 + F("6.59e-16")), "1", REFUTED, near("2.81e-15"), "exceeds by 6.5e-16 (δ = 2.9e-15 would repair it)"),
    (infinite(), "1", REFUTED, near("0.01"), "exceeds the claim without bound (δ = 0.01 would repair it)"),
    (infinite(), "1", REFUTED, near("1"), "exceeds the claim without bound"),
    (near("0.9", "0.2"), "1", UNDECIDED, None, "uses between 90 % and 110 % of the claim"),
    (at_least(F("0.9"), 6), "1", UNDECIDED, None, "uses at least 90 % of the claim"),
    (near("1", "1e-9"), "1", REFUTED, None, "exceeds by at most 1e-9"),
]


@pytest.mark.parametrize(("value", "bound", "verdict", "delta", "words"), MARGINS)
def test_the_margin(value: Enclosure, bound: str, verdict: Verdict, delta: Enclosure | None, words: str) -> None:
    assert Margin.between(value, F(bound), delta).text(verdict) == words


@pytest.mark.parametrize("value", ["0.123456", "0.9999999", "1e-30", "0.6366"])
def test_a_share_is_at_most_and_an_excess_down(value: str) -> None:
    used = Margin.between(near(value), F(1)).text(PROVED).split()[1]
    assert F(value) <= F(used) / 100 <= F(value) * F("1.1")
    assert F(used) < 100
    over = Margin.between(near(1 + F(value)), F(1)).text(REFUTED)
    shown, percent = F(over.split()[2]), over.endswith("%")
    assert F(value) * F("0.9") <= (shown / 100 if percent else shown) <= F(value)


def test_a_value_that_algebra_proved_is_not_printed_above_its_bound() -> None:
    made = judged(claim("1", PROVED, "epsilon", near("0.999999999", "2e-9")), "M")
    assert made is not None
    assert made.margin_text() == "uses 100 % of the claim"
    assert made.value is not None
    assert made.value.upper == 1


def test_json_has_the_members_of_a_verdict() -> None:
    made = judged(claim("1", REFUTED, "epsilon", near("2")), "EHDL", Whose.ASKED, Extent((9,)))
    assert made is not None
    margin = {"excess": {"lower": "1", "upper": "1"}, "share": {"lower": "2", "upper": "2"}, "repairing_delta": None}
    assert made.to_dict() == {
        "word": "REFUTED",
        "statement": "EHDL is 1-DP",
        "whose": "asked",
        "extent": "at n = 9",
        "first_n": None,
        "margin": {**margin, "text": "exceeds by 100 %"},
        "text": "1-DP: REFUTED at n = 9, true ε = 2; exceeds by 100 %",
    }


def statement(
    verdict: Verdict, value: str, bound: str = "1", extent: Extent | None = None, width: str = "0"
) -> Judgement:
    found = judged(claim(bound, verdict, "epsilon", near(value, width)), f"{verdict} {value}/{bound}", extent=extent)
    assert found is not None
    return found


def test_worst_is_the_largest_share_of_its_claim() -> None:
    small = statement(PROVED, "0.9", extent=Extent((1,)))
    large = statement(PROVED, "5", "10", extent=EVERY_N)
    over, far = statement(REFUTED, "2.2", "2"), statement(REFUTED, "1.5")
    open_ = statement(UNDECIDED, "0.9", width="0.2")
    assert worst([large, small]) is small
    assert worst([small, over, open_, far]) is far
    wider = statement(UNDECIDED, "0.8", width="0.4")
    assert worst([open_, wider]) is wider
    assert worst([wider, open_]) is wider


OPEN = "open"
"""An enclosure with the bound inside: from 0.9 to 1.1."""
OVER_N = [
    ({1: "0.5", 2: "0.6", 3: "0.55"}, None, "1-DP: PROVED for n = 1…3; uses 60 % of the claim at n = 2"),
    ({1: "0.5", 2: "0.6"}, PROVED, "1-DP: PROVED for every n; uses 70 % of the claim"),
    ({1: "0.5", 7: "1.2", 9: "1.4"}, None, "1-DP: REFUTED, first at n = 7; exceeds by 40 % at n = 9"),
    ({1: "0.5", 7: "1.2"}, PROVED, "1-DP: REFUTED, first at n = 7; exceeds by 20 %"),
    (
        {1: "0.5", 7: OPEN, 8: "0.2"},
        None,
        "1-DP: UNDECIDED at n = 7, true ε in [0.9, 1.1]; uses between 90 % and 110 % of the claim",
    ),
    ({1: "0.5", 7: OPEN}, PROVED, "1-DP: PROVED for every n; uses 70 % of the claim"),
    ({1: "0.5", 7: OPEN, 9: "1.4"}, PROVED, "1-DP: REFUTED, first at n = 9; exceeds by 40 %"),
    ({4: "0.5"}, REFUTED, "1-DP: PROVED at n = 4; uses 50 % of the claim"),
]


@pytest.mark.parametrize(("values", "theorem", "text"), OVER_N)
def test_several_n_together(values: dict[int, str], theorem: Verdict | None, text: str) -> None:
    def at(n: int, value: str) -> Judgement:
        if value == OPEN:
            return statement(UNDECIDED, "0.9", extent=Extent((n,)), width="0.2")
        return statement(PROVED if F(value) <= 1 else REFUTED, value, extent=Extent((n,)))

    each = {n: at(n, value) for n, value in values.items()}
    known = None if theorem is None else statement(theorem, "0.7", extent=EVERY_N)
    assert over_n(each, known).text() == text

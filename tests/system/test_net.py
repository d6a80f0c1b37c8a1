"""The net, cast a little: no two paths disagree on extreme settings. The long run is python -m tests.net."""

import dataclasses
from collections import Counter
from fractions import Fraction as Fr

import pytest
from hypothesis import given, settings
from mpmath import mp
from net import __main__ as command
from net import truth
from net.cli import enclosure_of
from net.laws import LAWS
from net.run import Finding, Tally, batch, cast, examine, refusal
from net.settings import Family, Own, drawn_cases, family, from_json, own, random_case, to_json
from net.view import View

import dpaudit
from dpaudit.numbers.enclosure import Enclosure, exact

SHARES = ["0", "457/1000", "997/1000", "1001/1000"]


def setting(mech, occasional="none", **options):
    return Family(mech, options, SHARES, occasional, True)


def rows(*given, style="probabilities", claim="1", labels=None, actual=None):
    names = labels or [f"'x{i}'" for i in range(len(given))]
    outputs = [f"'r{i}'" for i in range(len(given[0]))]
    return Own(style, names, outputs, [list(r) for r in given], actual, None, claim, SHARES, "verify", True)


ZERO = "exp('1/2')*exp('1/2')-exp(1)"
REMEMBERED = [
    setting("EHD", n="2", prior="1,1,1", eps="700"),
    setting("MH", n="3", prior="1,1,1", eps="500", gamma="1"),
    setting("EHDL", n="3", prior="1/3,1/1000000,1/2", eps="3000"),
    setting("LSHist", n="5", prior="1,1", eps="15"),
    rows([ZERO, f"1-({ZERO})"], ["F('0')", "F('1')"]),
    rows(["F('0')", "F('1')"], [ZERO, f"1-({ZERO})"]),
    rows(["sqrt(2)*sqrt(2)-2", "F('1')"], ["F('0')", "F('1')"]),
    rows(["('0', '1/10')", "('9/10', '1')"], ["F('0')", "F('1')"], actual=[["F('0')", "F('1')"]] * 2),
    rows(["exp(1)*exp(-1)-1-exp(-1000)", "1-(exp(1)*exp(-1)-1-exp(-1000))"], ["F('0')", "F('1')"]),
    rows(["F('1/2')", "F('1/2')"], ["F('1/100')", "F('99/100')"], ["F('1/2')", "F('1/2')"], labels=["0", "False", "1"]),
]
"""Settings on which two paths did disagree once, or which were refused."""


def disagreements(case):
    tally = Tally()
    examine(case, tally)
    return "\n".join(finding.text() for finding in tally.findings)


@pytest.mark.parametrize("case", REMEMBERED, ids=range(len(REMEMBERED)))
def test_what_went_wrong_once(case):
    assert not disagreements(case)


@settings(max_examples=8)
@given(drawn_cases(family))
def test_the_family(case):
    assert not disagreements(case)


@settings(max_examples=40)
@given(drawn_cases(own))
def test_own_mechanisms(case):
    assert not disagreements(case)


def test_settings_that_should_be_answered_are():
    """Of the verifier less is asked: it has fewer bits than the engine."""
    tally = batch(2, range(40))
    assert not tally.findings
    assert tally.settings == 40
    assert all(tally.agreed[law.name] for law in LAWS)
    names = [law.name for law in LAWS if law.occasional != "verify"]
    owed, refused = (sum(counts[name] for name in names) for counts in (tally.owed, tally.unanswered))
    assert owed > 250
    assert refused <= owed // 50, tally.messages


# ------------------------------------------------------------------ the net itself


def off(found):
    """An enclosure beside the truth."""
    return Enclosure(found.upper + Fr(1, 1000), found.upper + Fr(2, 1000), 60)


def wide(found):
    return Enclosure(found.lower, found.upper + Fr(1, 10**6), 60)


def refuted(claim):
    return dataclasses.replace(claim, verdict=dpaudit.Verdict.REFUTED)


def every(pairs):
    return tuple((at, off(value)) for at, value in pairs)


PLANTED = [
    ("profile δ = delta", "delta", "delta", off),
    ("profile δ = delta", "delta", "delta", wide),
    ("profile δ = delta", "profile", "deltas", every),
    ("total variation = δ(0)", "profile", "total_variation", off),
    ("δ = 0 from ε on, and not before", "epsilon", "epsilon", off),
    ("the curve's segments give δ", "profile", "segments", lambda found: found[:-1]),
    ("Rényi divergences rise to ε", "profile", "renyi", every),
    ("verdicts do not contradict", "epsilon", "claim", refuted),
    ("pmf sums to 1", "pmf", "probabilities", lambda row: (off(row[0]), *row[1:])),
    ("ε and δ from pmf, by brute force", "pmf", "probabilities", lambda row: (exact(Fr(1, len(row)), 30),) * len(row)),
    ("the slow reference", "epsilon", "epsilon", off),
    ("mean error from pmf", "accuracy", "mean", off),
    ("verify --full accepts what is certified", "delta", "delta", off),
    ("JSON = text = API", "epsilon", "epsilon", off),
]


@pytest.mark.parametrize(("law", "name", "member", "change"), PLANTED, ids=range(len(PLANTED)))
def test_a_planted_error_is_found(monkeypatch, law, name, member, change):
    true = getattr(dpaudit, name)

    def false(*arguments, **options):
        result = true(*arguments, **options)
        return dataclasses.replace(result, **{member: change(getattr(result, member))})

    monkeypatch.setattr(dpaudit, name, false, raising=False)
    tally, occasional = Tally(), next(one.occasional for one in LAWS if one.name == law)
    examine(setting("LSHist", occasional, n="2", prior="1,1", eps="1"), tally, lambda one: one.name == law)
    assert tally.found == Counter({law: 1})
    assert tally.findings[0].sides[0][0] != "crash"


def test_every_law_has_seen_a_planted_error():
    assert {law for law, *_ in PLANTED} | {"exact tier = fast tier", "own mechanisms: the truth as it was written"} == {
        law.name for law in LAWS
    }


def test_a_planted_difference_of_the_tiers_is_found(monkeypatch):
    true = dpaudit.epsilon

    def false(*arguments, tier="auto", **options):
        result = true(*arguments, tier=tier, **options)
        return dataclasses.replace(result, epsilon=off(result.epsilon)) if tier == "fast" else result

    monkeypatch.setattr(dpaudit, "epsilon", false)
    tally = Tally()
    law = "exact tier = fast tier"
    examine(setting("EHD", n="2", prior="1,1", eps="1"), tally, lambda one: one.name == law)
    assert tally.found == Counter({law: 1})


def test_a_planted_error_in_an_own_mechanism_is_found(monkeypatch):
    case, tally = rows(["F('1/4')", "F('3/4')"], ["F('1/2')", "F('1/2')"]), Tally()
    true = dpaudit.epsilon
    for change in ({"epsilon": off(true(View(case).mech).epsilon)}, {"claim": refuted(true(View(case).mech).claim)}):
        monkeypatch.setattr(dpaudit, "epsilon", lambda mech, new=change, **_: dataclasses.replace(true(mech), **new))
        examine(case, tally, lambda one: one.kind is Own)
    assert tally.found == Counter({"own mechanisms: the truth as it was written": 2})


def test_a_crash_is_a_finding_and_a_refusal_is_none(monkeypatch):
    tally = Tally()
    monkeypatch.setattr(dpaudit, "profile", lambda *_, **__: [][0], raising=False)
    examine(setting("LSHist", n="2", prior="1,1", eps="1"), tally)
    assert [finding.sides[0][0] for finding in tally.findings] == ["crash"]
    assert "--mech LSHist" in tally.findings[0].text()
    refused = Tally()
    examine(setting("LSHist", n="0", prior="1,1", eps="1"), refused)
    assert not refused.findings
    assert refused.unanswered == refused.owed
    assert sum(refused.messages.values()) < sum(refused.unsaid.values())
    assert refusal(ZeroDivisionError()) is None


def test_the_truth_of_rows():
    case = rows(["F('1/4')", "F('3/4')", "F('0')"], [f"({ZERO})+F('1/2')", "F('1/2')", ZERO])
    with mp.workdps(truth.DPS):
        found = truth.rows(case)
        assert truth.wrong(found) is None
        assert abs(truth.epsilon(found, case.pairs) - mp.log(2)) < truth.NOTHING
        assert abs(truth.delta(found, case.pairs, Fr(0)) - mp.mpf(1) / 4) < truth.NOTHING
        assert truth.wrong(truth.rows(REMEMBERED[8])) == "row 0 has a negative entry"
        assert truth.epsilon(truth.rows(rows(["F('1')", "F('0')"], ["F('0')", "F('1')"])), case.pairs) == mp.inf
        weights = truth.rows(rows(["None", "F('1')"], ["log(3)", "F('0')"], style="log_weight"))
        assert abs(weights[1][0] - mp.mpf(3) / 4) < truth.NOTHING
        assert weights[0] == [0, 1]


def test_settings_are_printed_and_read_back():
    made = [random_case(f"3 {i}") for i in range(40)]
    assert all(from_json(to_json(case)) == case for case in made)
    assert {type(case) for case in made} == {Family, Own}
    assert len(set(map(to_json, made))) == 40
    assert {case.mech for case in (random_case(f"4 {i}") for i in range(200)) if isinstance(case, Family)} == set(
        dpaudit.MECHANISMS
    )


@pytest.mark.parametrize(
    ("shown", "ends"),
    [
        ("0.4[1, 2]", ("0.41", "0.42")),
        ("[14.9, 15.1]", ("14.9", "15.1")),
        ("5.96[6, 7]e-21", ("5.966e-21", "5.967e-21")),
        ("3.85e-20", ("3.85e-20", "3.85e-20")),
        ("[0, 1e-30]", ("0", "1e-30")),
    ],
)
def test_the_text_of_an_enclosure(shown, ends):
    assert enclosure_of(f"  true ε     {shown}\n", "true ε") == tuple(map(Fr, ends))
    assert enclosure_of(f"δ(1/2)   {shown}", "δ(") == tuple(map(Fr, ends))
    assert enclosure_of("true ε  ∞", "true ε") == (float("inf"), float("inf"))
    assert enclosure_of("nothing", "true ε") is None


def test_the_command(monkeypatch, capsys):
    tally = cast(2, None, 2, 1, print)
    assert tally.settings == 2
    case = setting("LSHist", n="2", prior="1,1", eps="1")
    monkeypatch.setattr("sys.argv", ["net", "--case", to_json(case)])
    assert command.main() == 0
    assert "nothing found" in capsys.readouterr().out
    monkeypatch.setattr(command, "cast", lambda *_: Tally(findings=[Finding("a law", case, (("delta at 1", "0"),))]))
    monkeypatch.setattr("sys.argv", ["net", "--minutes", "1"])
    assert command.main() == 1
    assert "dpaudit delta --mech LSHist --n 2 --prior 1,1 --eps 1 --at 1" in capsys.readouterr().out

"""The verdict on top of a report: one module decides the words, for every combination of what was found."""

import dataclasses
import itertools
import math
import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dpaudit
from dpaudit.audit.conclusion import Strength, Word, conclude, counted, rank, together
from dpaudit.claims.families import proved_for_all
from dpaudit.examples.geometric import WrongSensitivity
from dpaudit.numbers.digits import percent, short
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports import document, html, markdown, matrix, plan
from dpaudit.reports.block import Block
from dpaudit.reports.judged import rows_of
from dpaudit.reports.report import build
from dpaudit.reports.sentences import sentence
from dpaudit.reports.shares import share_of
from dpaudit.reports.tables import table
from dpaudit.reports.verdict import facts, headline, whole

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
EACH = (P, R, U, None)
SEVERAL = [rows for size in (1, 2, 3) for rows in itertools.product(EACH, repeat=size)]


def quiet(_text):
    pass


# ------------------------------------------------------------------ the words


@pytest.mark.parametrize("theorem", EACH)
def test_the_word_for_every_combination_of_verdicts_on_a_claim(theorem):
    for rows in SEVERAL:
        word = conclude(rows, theorem=theorem).word
        assert (word is Word.NOT_PRIVATE) == (R in rows)
        assert (word is Word.NO_CLAIM) == (set(rows) == {None})
        proved = theorem is P and R not in rows and None not in rows
        assert (word is Word.FOR_ALL) == proved
        assert (word is Word.UNDECIDED) == (U in rows and R not in rows and not proved)
        assert (word is Word.ON_AUDITED) == (P in rows and not {R, U} & set(rows) and not proved)


@pytest.mark.parametrize("theorem", EACH)
def test_without_a_claim_the_nominal_epsilon_is_what_is_compared(theorem):
    for rows in SEVERAL:
        found = conclude([None] * len(rows), rows, theorem)
        assert found.word is Word.NO_CLAIM
        everywhere = theorem is P and R not in rows and None not in rows
        assert found.outcome is (P if everywhere else together(rows))
        assert (found.strength is Strength.FOR_ALL) == everywhere
        assert (found.strength is Strength.WITNESS) == (R in rows)


def test_what_fails_comes_first_and_nothing_is_concluded_from_nothing():
    words = [(Word.NOT_PRIVATE, R), (Word.UNDECIDED, U), (Word.NO_CLAIM, R), (Word.NO_CLAIM, U), (Word.ON_AUDITED, P)]
    words += [(Word.FOR_ALL, P), (Word.NO_CLAIM, P)]
    assert [rank(*word) for word in words] == list(range(7))
    assert rank(Word.NO_CLAIM, None) == 6
    assert list(counted(["NO CLAIM", "NOT PRIVATE", "NO CLAIM"]).items()) == [("NOT PRIVATE", 1), ("NO CLAIM", 2)]
    with pytest.raises(ValueError, match="nothing was looked at"):
        conclude([])
    with pytest.raises(ValueError, match="no verdict on a guarantee"):
        together([Verdict.MEASURED])


# ------------------------------------------------------------------ the rows, with every kind of claim

PAIR = {"x": [0, 1], "x_prime": [1, 0], "output": [0, 1]}
FINITE, INFINITE, OPEN = ({"lower": a, "upper": b} for a, b in (("0.5", "0.5"), ("inf", "inf"), ("0.5", "inf")))
PURE = {"kind": "epsilon", "text": "1-DP", "epsilon": "1", "delta": "0"}
BOTH = {"kind": "epsilon-delta", "text": "(1, 1/8)-DP", "epsilon": "1", "delta": "1/8"}
RHO = {"kind": "zcdp", "text": "1/2-zCDP", "rho": "1/2"}
EVIDENCE = {
    "epsilon": None,
    "epsilon-delta": {"quantity": "delta", "at": {"epsilon": "1"}, "enclosure": FINITE, "pair": PAIR},
    "zcdp": {"quantity": "zcdp_rho", "at": {"alpha": "2"}, "enclosure": FINITE, "pair": PAIR},
}


def row(n, verdict, guarantee, nominal, epsilon):
    """A row of true epsilon as the collector makes it."""
    judged = guarantee is not None
    return {
        "mechanism": "EHDS",
        "n": n,
        "epsilon": epsilon,
        "guarantee": guarantee,
        "claimed": None,
        "verdict": verdict.value if judged else None,
        "evidence": EVIDENCE[guarantee["kind"]] if judged else None,
        "nominal": nominal,
        "nominal_verdict": verdict.value if nominal and not judged else None,
        "witness": PAIR,
        "command": "dpaudit epsilon",
    }


CASES = {"family": Block.read("EHDS", n="1..3").cases[0], "own": Block.read(WrongSensitivity(Fraction(1), 1)).cases[0]}
THEOREM = {"claim": None, "words": "w", "commands": [], "supremum": FINITE, "limit": FINITE, "attained": "inf"}
THEOREM |= {"command": "dpaudit check"}


@pytest.mark.parametrize("theorem", EACH)
@pytest.mark.parametrize("epsilon", [FINITE, INFINITE, OPEN], ids=["finite", "infinite", "open"])
@pytest.mark.parametrize(
    ("guarantee", "nominal"),
    [(PURE, "1"), (BOTH, "1"), (RHO, None), (None, "1"), (None, None)],
    ids=["pure", "delta", "zcdp", "nominal", "nothing"],
)
def test_every_row_says_what_was_found(guarantee, nominal, epsilon, theorem, monkeypatch):
    known = None if theorem is None else {**THEOREM, "verdict": theorem.value}
    monkeypatch.setattr(matrix, "for_every_n", lambda *_: known)
    monkeypatch.setattr(matrix, "beyond", lambda *_: None)
    for verdicts in itertools.product((P, R, U), repeat=3):
        rows = [row(n, v, guarantee, nominal, epsilon) for n, v in enumerate(verdicts, 1)]
        check(matrix.verdict_row(CASES["family"], rows, quiet), verdicts, theorem)
    for verdict in (P, R, U):
        check(
            matrix.verdict_row(CASES["own"], [row(None, verdict, guarantee, nominal, epsilon)], quiet), [verdict], None
        )


def check(found, verdicts, theorem):
    compared = bool(found["claim"] or found["nominal"])
    fails = compared and R in verdicts
    text, lines = found["text"], dict(facts(whole([found])))
    assert ("fails" in text.split(" But ")[0] or "It exceeds" in text) == fails
    assert ("holds" in text or "stays within" in text) == (compared and found["outcome"] == P)
    assert ("is undecided" in text) == (compared and found["outcome"] == U)
    assert ("for every n" in text) == (found["strength"] == "for all n")
    assert ("But " in text) == (not fails and theorem is R)
    assert (found["share"] is None) == (not compared)
    assert "no claim is exceeded" not in text
    assert found["smallest_failing_n"] == (1 + verdicts.index(R) if fails and found["n"] else None)
    first = "fails first" if found["claim"] else "exceeds first"
    assert (first in lines) == (found["smallest_failing_n"] is not None)
    assert "∞" in text or found["epsilon"] != INFINITE
    assert found["not_covered"]
    head = headline(whole([found]))
    assert head.startswith(found["word"])
    beyond = theorem is R and found["outcome"] == P
    assert ("exceeds its nominal" in head) == (found["word"] == "NO CLAIM" and (fails or (compared and beyond)))
    assert ("stays within" in head) == (found["word"] == "NO CLAIM" and found["outcome"] == P and theorem is not R)
    assert ("claims nothing" in text) == (found["claim"] is None)


def test_the_worst_of_several_is_on_top_with_counts(monkeypatch):
    monkeypatch.setattr(matrix, "for_every_n", lambda *_: None)
    rows = [
        matrix.verdict_row(CASES["family"], [row(1, verdict, guarantee, "1", FINITE)], quiet)
        for verdict, guarantee in ((P, PURE), (R, None), (U, PURE), (R, BOTH), (P, None))
    ]
    for some in itertools.permutations(rows):
        found = whole(list(some))
        assert found["word"] == "NOT PRIVATE"
        assert found["counts"] == {"NOT PRIVATE": 1, "UNDECIDED": 1, "HOLDS ON WHAT WAS AUDITED": 1, "NO CLAIM": 2}
    assert whole([rows[0], rows[1]])["word"] == "NO CLAIM"  # it exceeds its nominal ε
    assert whole([rows[0], rows[4]])["word"] == "HOLDS ON WHAT WAS AUDITED"
    assert whole([], ["a", "", "b"]) == {"word": None, "text": "a; b", "counts": {}}


def test_a_share_is_of_what_decided():
    assert share_of(row(1, P, PURE, "1", FINITE)) == ("ε", FINITE)
    assert share_of(row(1, P, BOTH, "1", FINITE)) == ("δ", {"lower": "4", "upper": "4"})
    assert share_of(row(1, P, RHO, None, FINITE)) == ("ρ", {"lower": "1", "upper": "1"})
    assert share_of(row(1, P, PURE, "1", INFINITE)) == ("ε", INFINITE)
    assert share_of(row(1, U, PURE, "1", OPEN)) == ("ε", OPEN)
    assert share_of(row(1, P, PURE, "1", OPEN)) == ("ε", {"lower": "0.5", "upper": "1"})  # it is proved to be no more
    assert share_of(row(1, P, {**PURE, "epsilon": "0"}, "1", FINITE)) is None
    assert share_of(row(1, P, None, None, FINITE)) is None


# ------------------------------------------------------------------ whole reports


def made(mechs, **setting):
    block = Block.read(mechs, **setting)
    return build(plan.Plan("t", block.command(), (block,)), quiet)


def test_ehdl_exceeds_its_nominal_epsilon_from_137_on_whatever_the_grid():
    block = Block.read("EHDL,EHDS", n="10..150..70", prior="1/10,1/10")
    from dpaudit.reports.collect import epsilon_rows

    rows = matrix.matrix(block, epsilon_rows(block, quiet), quiet)["rows"]
    assert [(r["mechanism"], r["word"], r["outcome"]) for r in rows] == [
        ("EHDL", "NO CLAIM", "REFUTED"),
        ("EHDS", "HOLDS FOR ALL n", "PROVED"),
    ]
    worst = rows[0]
    assert worst["smallest_failing_n"] == worst["witness"]["n"] == 137
    assert worst["looked_at"] == "every n from 1 to 137 was looked at"
    assert "It exceeds its nominal ε = 1 first at n = 137" in worst["text"]
    assert "--n 137" in worst["command"]
    assert Fraction(worst["theorem"]["limit"]["lower"]) > 1
    assert rows[1]["theorem"]["claim"] == "dp.ehds"


def test_a_theorem_that_refutes_beyond_the_range_names_an_n_that_fails():
    block = Block.read("EHDL", n="2..4", prior="1/100,1/100", eps="1/100")
    case = block.cases[0]
    rows = rows_of(case, block.ns, quiet)
    found = matrix.verdict_row(case, rows, quiet)
    assert (found["word"], found["outcome"], found["smallest_failing_n"]) == ("NO CLAIM", "PROVED", None)
    far = found["theorem"]["fails_at"]
    last = dpaudit.epsilon(case.at(far["n"] - 1)).epsilon
    assert last.upper < Fraction(1, 100) < Fraction(far["epsilon"]["lower"])
    where = f"first at n = {far['n']}"
    assert far["looked_at"] == f"every n from 1 to {far['n']} was looked at"
    assert headline(whole([found])) == f"NO CLAIM: true ε exceeds its nominal ε {where}, beyond what was asked for"
    assert f"But it exceeds its nominal ε = 1/100 {where}" in found["text"]


def test_a_claim_that_fails_beyond_the_range_says_so_in_the_headline():
    block = Block.read("EHDS", n="1..5", claim="eps=0.4")
    case = block.cases[0]
    found = matrix.verdict_row(case, rows_of(case, block.ns, quiet), quiet)
    words = r"HOLDS ON WHAT WAS AUDITED; the claim fails first at n = 101, beyond what was asked for"
    assert re.fullmatch(words, headline(whole([found])))


def test_what_an_own_mechanism_breaks_is_on_top(tmp_path):
    result = made(WrongSensitivity, n="1..2")
    found = result["verdict"]
    assert (found["word"], found["smallest_failing_n"]) == ("NOT PRIVATE", 2)
    assert found["looked_at"] == "every n from 1 to 2 was looked at"
    for text in (markdown.render(result, {}), html.render(result)):
        assert text.index("NOT PRIVATE") < text.index("What was audited" if "<html" in text else "What is claimed")
        assert "200 % of the claim" in text
        assert found["command"] in re.sub("<[^>]*>", "", text)
    assert "code that samples" in str(found["not_covered"])


class Wide:
    """Known to wide enclosures only."""

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return ["a", "b"]

    def probability(self, x, r):
        return (Fraction(1, 4), Fraction(3, 4))

    def claimed(self):
        return Fraction(1, 2)


def test_undecided_is_said_so():
    result = made(Wide)
    assert result["verdict"]["word"] == "UNDECIDED"
    assert "is undecided" in result["verdict"]["text"]
    assert "HOLDS" not in markdown.render(result, {})


def test_a_grid_is_no_theorem():
    result = made("EHD,MHdelta", n="1..3", prior="1/2,1/2", delta="1/100")
    rows = {r["mechanism"]: r for r in result["sections"][0]["rows"]}
    assert rows["MHdelta"]["word"] == "HOLDS ON WHAT WAS AUDITED"
    assert rows["MHdelta"]["strength"] == "audited"
    assert "MHdelta at other n than 1..3" in rows["MHdelta"]["not_covered"]
    assert rows["EHD"]["word"] == "HOLDS FOR ALL n"  # by the theorem on every n; no claim covers this prior
    assert rows["EHD"]["theorem"]["claim"] is None
    other = made("EHDS", n=2, adjacency="all")["verdict"]
    assert (other["word"], other["theorem"]) == ("NO CLAIM", None)


def test_the_claims_that_are_theorems_name_what_they_are_about():
    from dpaudit.claims.catalogue import load
    from proofs_checks import CATALOGUE

    checks = load().checks
    for key, family in CATALOGUE.guarantees.items():
        name, options = checks[key].audits
        assert name == family.mechanism
        assert {**options} == {k: v for k, v in family.parameters.items() if k != "score"}
    found = {
        words: getattr(proved_for_all(dpaudit.mechanism(mech, n=3, **setting)), "id", None)
        for words, mech, setting in (
            ("any gamma", "EHDS", {"gamma": 7, "prior": "1/9,3"}),
            ("another score", "EHDS", {"score": "tv"}),
            ("another adjacency", "EHDS", {"adjacency": "all"}),
            ("constant", "EHD", {"prior": "1,2,3"}),
            ("constant, small", "EHD", {"prior": "1,1/2"}),
            ("exact", "EHD", {"prior": "1,1/2", "gs": "exact"}),
            ("on a grid only", "MHdelta", {"delta": "1/8"}),
            ("none", "EHDL", {}),
        )
    }
    assert found == {
        "any gamma": "dp.ehds",
        "another score": None,
        "another adjacency": None,
        "constant": "dp.ehd.prior-ge-1",
        "constant, small": None,
        "exact": "dp.ehd.exact-gs",
        "on a grid only": None,
        "none": None,
    }


def test_a_claim_is_cited_only_if_it_and_what_it_cites_are_proved_now(monkeypatch):
    """Break the lemma on smooth sensitivity, and EHDS does not hold for all n any more; EHD does not rest on it."""
    from dpaudit.claims import catalogue, families

    library = catalogue.load()
    broken = dataclasses.replace(library.checks["smooth.gamma"], run=lambda context: 1 / 0)
    shaken = dataclasses.replace(library, checks={**library.checks, "smooth.gamma": broken})
    monkeypatch.setattr(families, "load", lambda: shaken)
    families._stands.cache_clear()
    try:
        assert proved_for_all(dpaudit.mechanism("EHDS", n=3)) is None
        assert proved_for_all(dpaudit.mechanism("EHD", n=3)).id == "dp.ehd.prior-ge-1"
    finally:
        families._stands.cache_clear()
    monkeypatch.undo()
    assert proved_for_all(dpaudit.mechanism("EHDS", n=3)).id == "dp.ehds"


def test_a_report_asks_the_claims_and_not_coq(monkeypatch):
    from dpaudit.claims import families, formal

    monkeypatch.setattr(formal, "_asked", lambda files: pytest.fail("coqc was asked"))
    families._stands.cache_clear()
    assert proved_for_all(dpaudit.mechanism("EHDS", n=3)).id == "dp.ehds"


# ------------------------------------------------------------------ the evidence chain


def steps(result):
    (section,) = [section for section in result["sections"] if section["kind"] == "chain"]
    return {step["step"]: step for step in section["rows"]}


def ends(value):
    return [float(value[end]) for end in ("lower", "upper")]


def test_the_chain_leads_from_the_claim_to_the_loss():
    found = steps(made("EHDL", n="2..4"))
    assert list(found) == ["claim", "pair", "output", "p", "p_prime", "loss", "verdict"]
    p, q, loss = (ends(found[name]["value"])[0] for name in ("p", "p_prime", "loss"))
    assert math.log(p / q) == pytest.approx(loss, abs=1e-9)
    assert found["loss"]["value"] == dpaudit.epsilon("EHDL", n=4, digits=12).epsilon.to_dict()
    assert found["verdict"]["words"].endswith("≤ 1, its nominal ε: NO CLAIM")


class Leaky(Wide):
    """Says yes a little too often."""

    def probability(self, x, r):
        yes = Fraction(1, 2) if x == "a" else Fraction(5, 8)
        return yes if r == "a" else 1 - yes

    def claimed(self):
        return Fraction(1, 100), Fraction(1, 16)


def test_the_chain_of_delta_goes_over_a_set_of_outputs():
    result = made(Leaky)
    found = steps(result)
    p, q, delta = (ends(found[name]["value"])[0] for name in ("p", "p_prime", "loss"))
    assert p - math.exp(0.01) * q == pytest.approx(delta, abs=1e-9)
    assert found["output"]["words"].startswith("S = the output with")
    assert result["verdict"]["word"] == "NOT PRIVATE"
    assert result["verdict"]["share_of"] == "δ"
    assert "> 1/16: NOT PRIVATE" in found["verdict"]["words"]


def test_the_chain_of_an_infinite_loss(tmp_path):
    (tmp_path / "t.csv").write_text(",a,b\nx,1/2,1/2\ny,0,1\n")
    result = made(str(tmp_path / "t.csv"))
    assert steps(result)["loss"]["value"] == INFINITE
    assert (result["verdict"]["word"], result["verdict"]["share"]) == ("NO CLAIM", None)
    assert "its true ε is ∞" in result["verdict"]["text"]


def test_tables_of_verdict_and_chain_are_whole(tmp_path):
    result = made(f"EHDS,{'dpaudit.examples.geometric:WrongSensitivity'}", n="1..2")
    for section in result["sections"][:2]:
        columns, rows = table(section)
        assert rows
        assert all(len(cells) == len(columns) for cells in rows)
    assert [cells[0] for cells in table(result["sections"][0])[1]] == ["NOT PRIVATE", "HOLDS FOR ALL n"]


# ------------------------------------------------------------------ numbers for reading

decimals = st.decimals(min_value="-1e9", max_value="1e9", allow_nan=False, places=12)


@given(decimals, decimals)
@example(Fraction(1, 10), Fraction(9, 10))
def test_no_digit_is_shown_that_is_not_known(a, b):
    low, high = sorted((Fraction(a), Fraction(b)))
    shown = short({"lower": text_of(low), "upper": text_of(high)})
    if shown.startswith("["):
        inner = [Fraction(end) for end in shown.strip("[]").split(", ")]
        assert inner[0] <= low <= high <= inner[1]
    elif "≤" in shown:
        assert max(abs(low), abs(high)) <= Fraction(shown.split("≤ ")[1])
        assert low <= 0 < high
    else:
        digits = shown.lstrip("-").split("e")[0]
        size = 10 ** -Fraction(len(digits.partition(".")[2]))
        size *= Fraction(f"1e{shown.partition('e')[2] or 0}")
        assert low == high or all(abs(end - Fraction(shown)) <= max(size, abs(high) / 10**2) for end in (low, high))


def text_of(value):
    return format(float(value), ".12f") if value.denominator > 1 else str(value)


@given(st.fractions(min_value=0, max_value=3), st.integers(0, 10**6))
@example(Fraction(1004, 1000), 0)
@example(Fraction(1), 0)
@example(Fraction(999_999, 10**6), 0)
def test_a_percentage_is_on_the_right_side_of_the_claim(low, width):
    high = low + Fraction(width, 10**12)
    shown = percent({"lower": str(low), "upper": str(high)})
    numbers = [Fraction(word) for word in shown.split() if word[0].isdigit()]
    if low > 1:
        assert min(numbers) > 100
    elif high < 1 and "between" not in shown:
        assert max(numbers) < 100
    elif low == high == 1:
        assert shown == "100 %"


def test_infinity_and_small_numbers_look_alike_everywhere():
    assert short(INFINITE) == "∞"
    assert short({"lower": "-inf", "upper": "-inf"}) == "−∞"
    assert short({"lower": "1e-8", "upper": "1e-8"}) == short({"lower": "0.00000001", "upper": "0.00000001"}) == "1e-8"
    assert percent(INFINITE) == "∞"
    assert percent(OPEN) == "at least 50 %"


# ------------------------------------------------------------------ the file


def test_a_file_of_the_schema_before_is_still_drawn(tmp_path):
    result = made("EHDS", n="1..2")
    old = {key: value for key, value in result.items() if key != "verdict"}
    old |= {"schema": "dpaudit-report/1", "sections": [s for s in result["sections"] if s["kind"] == "epsilon-by-n"]}
    old["content_hash"] = document.content_hash(old)
    (tmp_path / "old.json").write_text(document.dumps(old))
    found = document.load(str(tmp_path / "old.json"))
    assert found["verdict"]["word"] is None
    assert "earlier version" in markdown.render(found, {})
    assert "earlier version" in html.render(found)


def test_the_verdict_is_part_of_the_hash(tmp_path):
    result = made("EHDS", n="1..2")
    forged = {**result, "verdict": {**result["verdict"], "word": "NOT PRIVATE"}}
    assert document.content_hash(forged) != result["content_hash"]


def test_sentences_are_made_from_the_row_alone():
    result = made("EHDS,LSHist", n="1..2")
    for one in result["sections"][0]["rows"]:
        assert one["text"] == sentence(one)

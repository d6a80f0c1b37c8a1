"""The sentences of a report: numbers of claims that add up, how a verdict is known, and the largest true ε."""

from fractions import Fraction as F

import pytest

from dpaudit.audit.judgement import Extent, Judgement
from dpaudit.claims.outcome import ON_GRID
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.document import Document, EveryN, Finding, Paper
from dpaudit.reports.words import claims_sentence, counts_line, epsilon_line, known_line, reader_line

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
HALF = Enclosure(F(1, 2), F(1, 2), 12)


def papers(*verdicts):
    """Claims with these verdicts; "grid" is one that is proved on a grid."""
    return tuple(
        Paper(f"a/{i}", "a", "", "", P if one == "grid" else one, ON_GRID if one == "grid" else "")
        for i, one in enumerate(verdicts)
    )


CLAIMS = [
    ((P, P), "0 of 2 claims are false as stated, 2 are proved.", "2 of 2 claims can be relied on as printed"),
    (
        (P, "grid", R, Verdict.IMPOSSIBLE, U, Verdict.UNWITNESSED),
        "2 of 6 claims are false as stated, 2 are proved, 1 of them on a stated grid only; 2 are neither.",
        "1 of 6 claims can be relied on as printed; whatever builds on one of the 2 that are false needs another proof",
    ),
    (
        (U,),
        "0 of 1 claims are false as stated, 0 are proved; 1 are neither.",
        "0 of 1 claims can be relied on as printed",
    ),
]


@pytest.mark.parametrize(("verdicts", "counts", "reader"), CLAIMS)
def test_the_numbers_of_claims(verdicts, counts, reader):
    document = Document("", "", claims=papers(*verdicts))
    assert claims_sentence(document) == counts
    assert reader_line(document).startswith(reader)


def finding(verdict=None, extent=None, epsilon=HALF, every=None, ns=()):
    found = None if verdict is None else Judgement(EpsilonDelta(F(1)), verdict, extent=extent)
    return Finding("MH", "", "", found, epsilon, ns[-1] if ns else None, ns, every_n=every)


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        ((P, R), "2 statements: 1 PROVED, 1 REFUTED"),
        ((P, P), ""),
        ((R,), ""),
        ((U, U, R), "3 statements: 1 REFUTED, 2 UNDECIDED"),
    ],
)
def test_the_verdicts_are_counted_unless_the_headline_says_so(verdicts, line):
    assert sorted(counts_line(Document("", "", tuple(map(finding, verdicts)))).split()) == sorted(line.split())


EVERY = Extent(every=True)
KNOWN = [
    (finding(epsilon=None), "not known"),
    (finding(P, epsilon=None), "not known"),
    (finding(), "computed exactly, for every"),
    (finding(P), "computed exactly, for every"),
    (finding(R), "computed exactly from both"),
    (finding(U), "computed with certified bounds, which do not decide it"),
    (finding(P, EVERY, every=EveryN(P, "")), "a theorem on the supremum over every n"),
    (finding(P, EVERY, every=EveryN(P, "", claim="Theorem 1")), "a proof by algebra (Theorem 1)"),
    (finding(P, Extent((1, 2)), every=EveryN(P, "")), "computed exactly, for every"),
    (finding(P, EVERY), "computed exactly, for every"),
]


@pytest.mark.parametrize(("found", "words"), KNOWN)
def test_how_a_verdict_is_known(found, words):
    assert known_line(found).startswith(words)


EPSILONS = [
    (finding(), "0.5"),
    (finding(ns=(3,)), "0.5"),
    (finding(ns=(2, 3)), "0.5 (largest of n = 2…3, at n = 3)"),
    (finding(epsilon=None, ns=(2, 3)), "not known"),
    (finding(every=EveryN(P, "", supremum=HALF)), "0.5; at most 0.5 over every n, as n → ∞"),
    (finding(every=EveryN(P, "", supremum=HALF, attained=7)), "0.5; at most 0.5 over every n, at n = 7"),
]


@pytest.mark.parametrize(("found", "line"), EPSILONS)
def test_the_true_epsilon_and_its_supremum(found, line):
    assert epsilon_line(found) == line

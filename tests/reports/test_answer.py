"""The exit code of reports: what fails, what is open, what could not be audited, and what was claimed at all."""

from fractions import Fraction as F

import pytest

from dpaudit.audit.judgement import Extent, Judgement, Whose
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.answer import claiming, exit_code
from dpaudit.reports.document import Bound, Document, Finding, Paper
from dpaudit.reports.plan import Plan

P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
ONE = Enclosure(F(1), F(1), 12)


def finding(verdict=None, whose=Whose.CLAIMED, extent=None, epsilon=ONE, lost=()):
    judgement = None if verdict is None else Judgement(EpsilonDelta(F(1)), verdict, whose, "MH", extent)
    return Finding("MH", "", "", judgement=judgement, epsilon=epsilon, lost=lost)


def paper(verdict):
    return Paper("a/1", "a", "Claim 1", "", verdict, "")


def bound(verdict):
    return Bound("a/1", "", "", "MH", (1, 1), ONE, ONE, ONE, verdict, 1, 0)


def document(*findings, claims=(), bounds=()):
    return Document(
        "", "", findings, bounds=tuple(map(bound, bounds)), claims=tuple(paper(verdict) for verdict in claims)
    )


EVERY, SOME = Extent(every=True), Extent((1, 2))
LOST = finding(epsilon=None, lost=("too large", "at n = 9"))
CODES = [
    # the documents; the code without and with --require; what the line says with --require
    ([document(finding(P))], 0, 0, ""),
    ([document(finding(R))], 0, 1, ""),
    ([document(finding(P)), document(finding(R))], 0, 1, ""),
    ([document(finding(R), LOST)], 3, 1, ""),
    ([document(finding(U))], 0, 3, "undecided: MH"),
    ([document(finding(P), LOST)], 3, 3, "could not be audited: MH (too large; at n = 9)"),
    ([document(finding(R, Whose.NOMINAL), finding(P))], 0, 0, ""),
    ([document(finding(U, Whose.NOMINAL), finding(P))], 0, 0, ""),
    ([document(finding(P), claims=[P, R])], 0, 1, ""),
    ([document(finding(P), claims=[P, Verdict.IMPOSSIBLE])], 0, 1, ""),
    ([document(claims=[P, U, Verdict.UNWITNESSED])], 0, 3, "undecided: 2 claims"),
    ([document(claims=[P])], 0, 0, ""),
    ([document(finding(P), bounds=[P, R])], 0, 1, ""),
    ([document(finding(P), bounds=[P, U])], 0, 3, "undecided: accuracy bounds"),
    ([document(finding(), bounds=[P])], 0, 0, ""),
    ([document(finding(U), finding(P), claims=[U], bounds=[U])], 0, 3, "undecided: MH, 1 claims, accuracy bounds"),
]


@pytest.mark.parametrize(("documents", "plain", "required", "words"), CODES)
def test_the_exit_code_and_its_line(documents, plain, required, words):
    assert exit_code(documents, require=False)[0] == plain
    code, line = exit_code(documents, require=True)
    assert code == required
    assert line == words or (words and line.endswith(words))


@pytest.mark.parametrize(("extent", "code"), [(EVERY, 0), (SOME, 3), (None, 0)])
def test_a_verdict_on_some_n_is_open_where_every_n_is_asked(extent, code):
    documents = [document(finding(P, extent=extent))]
    assert exit_code(documents, require=True)[0] == 0
    assert exit_code(documents, require=True, every_n=True) == (code, "--require: undecided: MH" if code else "")


@pytest.mark.parametrize("documents", [[document(finding())], [document(finding(P, Whose.NOMINAL))]])
def test_a_requirement_without_a_claim_is_refused(documents):
    assert exit_code(documents, require=False) == (0, "")
    with pytest.raises(InputError) as refused:
        exit_code(documents, require=True)
    assert (refused.value.option, refused.value.value) == ("require", "yes")


def test_a_plan_that_claims_nothing_is_refused_before_any_work():
    with pytest.raises(InputError, match="nothing is claimed") as refused:
        claiming(Plan("", ""))
    assert refused.value.option == "require"

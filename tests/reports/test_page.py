"""The page: what a reader sees first, words, tables, Markdown and HTML of one document; nothing in it acts."""

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from dpaudit.audit.judgement import EVERY_N, Margin, Whose
from dpaudit.claims.outcome import ON_GRID
from dpaudit.claims.words import on_its_grid
from dpaudit.numbers.enclosure import at_least, exact, infinite, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import parse_guarantee
from dpaudit.reports import words
from dpaudit.reports.document import Document, EveryN, Finding, Section
from dpaudit.reports.page import MOST_ROWS, Page, cell, grid
from dpaudit.reports.table import Column, Figure, Kind, Look, Table
from dpaudit.reports.write import html, markdown, rendered
from tests.reports.test_document import FULL, HALF, TABLE, P, R, U, finding, judgement

NASTY = ("<script>alert(1)</script>", "# heading", "a|b", "\x1b[31m", "\u202e", "[x](javascript:y)", "`", "$x$", "<b>")


def number(text):
    return exact(Fraction(text), 20)


SENTENCES = [
    (finding("A"), "A is 1-differentially private for n = 1…3; it uses 50 % of the claim."),
    (finding("A, ε = 1"), "A with ε = 1 is 1-differentially private for n = 1…3; it uses 50 % of the claim."),
    (
        finding("A", R, number("1.0000000001"), judgement=judgement(R, number("1.0000000001"), "A", first_n=3)),
        "A is not 1-differentially private: at n = 3, its true ε is 1.0000000001, above 1, the claim.",
    ),
    (
        finding("A", R, infinite(), judgement=judgement(R, infinite(), "A", extent=None, whose=Whose.NOMINAL)),
        "A is not 1-differentially private: at n = 3, its true ε is ∞, above 1, its nominal ε "
        "(its documents do not claim it).",
    ),
    (
        finding("A", U, outward(Fraction("0.9"), Fraction("1.1"), 6)),
        "Whether A is 1-differentially private is undecided for n = 1…3: true ε in [0.9, 1.1].",
    ),
    (
        finding("A", judgement=judgement(name="A", guarantee=parse_guarantee("claim", "rho=1/2"), extent=EVERY_N)),
        "A is 1/2-zCDP for every n; it uses 50 % of the claim.",
    ),
    (Finding("C", "f", "", epsilon=HALF), "C claims nothing; it has true ε 0.5."),
    (Finding("C", "f", ""), "C claims nothing; it could not be audited."),
]


@pytest.mark.parametrize(("found", "said"), SENTENCES)
def test_the_verdict_in_one_plain_sentence(found, said):
    assert words.sentence(found) == said


def test_several_mechanisms():
    both = Document("t", "c", findings=(finding("A"), finding("B")))
    assert words.headline(both).startswith("Both mechanisms are as private as stated. The closest to its limit: A is")
    assert words.counts_line(both) == "", "the headline has just said it"
    assert words.headline(FULL).startswith("A is not 1-differentially private: ")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([P], "The accuracy bound holds on these data."),
        ([P, P], "Both accuracy bounds hold on these data."),
        ([P, P, R], "1 of 3 accuracy bounds fails on these data (for A)."),
        ([P, U], "None of 2 accuracy bounds fails on these data; 1 is undecided."),
        ([], "Nothing was judged."),
    ],
)
def test_the_accuracy_bounds_in_a_sentence(verdicts, said):
    bounds = tuple(replace(FULL.bounds[0], verdict=verdict) for verdict in verdicts)
    assert words.bounds_sentence(Document("t", "c", bounds=bounds)) == said


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([finding("A")], "A is 1-DP: PROVED for n = 1…3"),
        (
            [finding("A", R, number(2), judgement=judgement(R, number(2), first_n=2))],
            "A is 1-DP: REFUTED, first at n = 2",
        ),
        ([finding("A"), finding("B", R, number(2))], "B exceeds what is stated; the other does not"),
        (
            [finding("A"), finding("B")],
            "2 of 2 mechanisms use at most half of what is stated; A uses 50 % of the claim",
        ),
        ([Finding("C", "f", "")], "True ε"),
    ],
)
def test_the_finding_is_the_title_of_the_picture(findings, said):
    assert words.share_sentence(findings).startswith(said)


def test_the_largest_true_epsilon_over_every_n():
    every = EveryN(P, "c", outward(Fraction("0.4488"), Fraction("0.448871391"), 9), HALF)
    shown = words.epsilon_line(finding("A", every_n=every))
    assert shown == "0.5 (largest of n = 1…3, at n = 3); at most 0.448872 over every n, as n → ∞"


def test_no_list_of_the_box_has_more_than_four_lines():
    many = tuple(finding(f"M{i}", ns=(i, i + 2), lost=(f"reason {i}",)) for i in range(9))
    document = Document("t", "c", findings=many)
    lines = words.not_covered_lines(document)
    assert len(lines) == 4
    assert lines[0] == "9 other reservations, which result.json lists"
    (line,) = words.covered_lines(document)
    assert line.startswith("every neighboring pair and output at the n that were audited (")


def test_nobody_checked_it_yet():
    (line,) = words.checked_lines(Document("t", "c", findings=(finding("A"),)))
    assert line.startswith("nobody yet; dpaudit report --certificate")
    checked = finding("A", checked=("the independent verifier, which accepts a.json",))
    assert words.checked_lines(Document("t", "c", findings=(checked,))) == list(checked.checked)
    assert words.checked_lines(Document("t", "c", findings=(finding("A", U),)))[0].startswith("nobody: there is no")


@pytest.mark.parametrize(
    ("verdict", "value", "last"),
    [
        (R, exact(Fraction(2), 6), "ln of their ratio = 2 > 1"),
        (P, HALF, "ln of their ratio = 0.5 ≤ 1"),
        (U, at_least(Fraction(1, 2), 6), "ln of their ratio ≥ 0.5; stated is at most 1"),
    ],
)
def test_the_evidence_sets_the_number_beside_what_is_stated(verdict, value, last):
    *_, part = (p for p in Page(Document("t", "c", findings=(finding("A", verdict, value),)), {}).parts if p.lines)
    assert part.lines[-1] == last


def test_a_long_table_shows_the_rows_that_have_every_mechanism():
    rows = [("A", n, HALF, P) for n in range(1, 138)] + [("B", n, HALF, P) for n in (101, 102)]
    table = Table.of("mechanism | n: count | true ε: enclosure | verdict: verdict", rows)
    found = grid(table, Figure(Look.LINES, "t", "n", "true ε", by="mechanism"))
    assert {"1", "101", "102", "137"} <= {row[0].text for row in found.rows}


def test_a_wide_table_of_few_rows_becomes_cards_on_a_phone():
    assert grid(TABLE).cards
    assert not grid(Table(TABLE.columns[:3], tuple(row[:3] for row in TABLE.rows))).cards
    assert not grid(Table(TABLE.columns, TABLE.rows * 11)).cards
    numbers = Table.of("mechanism | n: count | true ε: enclosure", [(name, 1, HALF) for name in "ABCDE"])
    assert not grid(numbers, Figure(Look.LINES, "t", "n", "true ε", by="mechanism")).cards, "its rows have no names"


# ------------------------------------------------------------------ tables


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        (Kind.NUMBER, exact(Fraction(1, 3), 12), "0.333333"),
        (Kind.NUMBER, infinite(), "∞"),
        (Kind.EXACT, Fraction(1, 10**8), "1e-8"),
        (Kind.VERDICT, Verdict.IMPOSSIBLE, "IMPOSSIBLE"),
        (Kind.COUNT, 12, "12"),
        (Kind.TEXT, None, ""),
    ],
)
def test_a_cell_as_text(kind, value, shown):
    assert cell(Column("c", kind), value).text == shown


def test_a_long_table_shows_some_rows_and_says_how_many_are_left():
    rows = tuple(("A" if i < 200 else "B", i, R if i == 277 else P) for i in range(400))
    table = Table((Column("mechanism"), Column("n", Kind.COUNT), Column("verdict", Kind.VERDICT)), rows)
    some = grid(table)
    shown = [int(row[1].text) for row in some.rows]
    assert {0, 277, 399} <= set(shown)
    assert len(shown) + some.left_out == 400
    assert len(shown) <= MOST_ROWS + 2
    assert len(grid(table, most=400).rows) == 400
    assert grid(TABLE).left_out == 0


def test_lines_have_a_column_each_and_a_mark_where_the_statement_fails():
    rows = (("A", 1, HALF, P), ("A", 3, HALF, R), ("B", 2, HALF, U), ("B", 1, infinite(), R))
    table = Table.of("mechanism | n: count | true ε: enclosure | verdict: verdict", rows)
    found = grid(table, Figure(Look.LINES, "t", "n", "true ε", by="mechanism"))
    assert found.heads == ["n", "A", "B"]
    assert [[cell.text for cell in row] for row in found.rows] == [
        ["1", "0.5", "✗ ∞"],
        ["2", "", "? 0.5"],
        ["3", "✗ 0.5", ""],
    ]


def test_the_verdict_on_a_claim_says_how_far_it_reaches():
    claim = replace(FULL.claims[0], establishes=ON_GRID)
    document = Document("t", "c", claims=(claim, FULL.claims[0]))
    assert words.claim_verdict(claim) == f"PROVED{on_its_grid(Verdict.PROVED, ON_GRID)}" != "PROVED"
    assert "2 are proved, 1 of them on a stated grid only" in words.headline(document)
    for text in (html(Page(document, {})), markdown(Page(document, {}))):
        assert words.claim_verdict(claim) in text


def test_a_column_without_a_value_is_left_out():
    table = Table((Column("a"), Column("b")), (("x", ""), ("y", None)))
    assert grid(table).heads == ["a"]


# ------------------------------------------------------------------ HTML and Markdown


class Reader(HTMLParser):
    """The tags of a page, and what it would fetch or run."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.acts, self.ids = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        names = dict(attrs)
        self.ids += [names["id"]] if "id" in names else []
        acts = [name for name in names if name.startswith("on") or name in ("src", "srcset", "action")]
        acts += [value for name, value in attrs if name == "href" and not str(value).startswith("#")]
        self.acts += acts + ([tag] if tag in ("script", "iframe", "link", "object", "form") else [])
        if tag not in ("meta", "br", "path", "use", "rect", "image"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(text):
    found = Reader()
    found.feed(text)
    assert not found.open
    return found


def test_the_page_is_one_file_without_a_script_that_makes_no_request():
    files = rendered(FULL)
    found = read(files["report.html"])
    assert not [act for act in found.acts if not act.startswith("#")]
    assert "url(http" not in files["report.html"]
    assert "@import" not in files["report.html"]
    assert len(found.ids) == len(set(found.ids))
    assert {"main", "h1", "h2", "details", "summary", "svg", "title"} <= set(found.tags)
    assert '<html lang="en">' in files["report.html"]


def test_the_verdict_comes_first_and_the_rest_is_folded():
    text = rendered(FULL)["report.html"]
    body = text[text.index("<body>") :]
    assert body.index("REFUTED") < body.index("<svg") < body.index("<details")
    assert (
        body.index("A is not 1-differentially private") < body.index("for a person") if "for a person" in body else True
    )
    assert "<details open" not in body
    assert body.count("<details") == rendered(FULL, full=True)["report.html"].count(" open>")


def test_nothing_of_strangers_acts():
    bad = "\n".join(NASTY)
    table = Table((Column(bad), Column("n", Kind.COUNT)), ((bad, 1),))
    findings = (finding(bad), finding("B", lost=(bad,), command=bad))
    section = Section("x", bad, None, table, (bad,), (bad,))
    document = Document(bad, bad, findings=findings, sections=(section,))
    files = rendered(document)
    text = re.sub(r"<style.*?</style>", "", files["report.html"], flags=re.DOTALL)
    assert not read(files["report.html"]).acts
    assert "<script>" not in text
    assert all(line.isprintable() for line in text.split("\n"))
    shown = files["report.md"]
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "<script>" not in re.sub(r"(`+) .*? \1|^    .*$", "", shown, flags=re.MULTILINE), "but as code"
    assert not re.search(r"^# heading", shown, re.MULTILINE)


def test_markdown_has_a_table_with_as_many_cells_as_heads():
    text = rendered(FULL)["report.md"]
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) >= 3
    for table in tables:
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().split("\n")}
        assert len(counts) == 1, table
    assert "![found](charts/01-epsilon-by-n.svg)" in text
    assert text.startswith("# A report\n")


def test_privacy_and_accuracy_have_boxes_of_their_own():
    text = html(Page(FULL, {}))
    assert text.count('class="box') == 2
    assert text.index('aria-label="Verdict"') < text.index('aria-label="Accuracy"')
    alone = html(Page(replace(FULL, findings=(), claims=()), {}))
    assert alone.count('class="box') == 1
    assert "1 of 1 accuracy bounds fails" in alone
    assert alone.index("Pr &lt; t") < alone.index("<details"), "the bounds are open where they are the report"
    assert "acc.1" not in text[: text.index("<details")], "no claim ids in headlines"


def test_a_document_of_nothing_is_a_page_too():
    empty = Document("Nothing", "c")
    assert "Nothing was judged." in markdown(Page(empty, {}))
    read(html(Page(empty, {})))


def test_margins_are_rounded_to_the_safe_side():
    tight = Margin.between(outward(Fraction("0.99999"), Fraction("0.999999"), 8), Fraction(1))
    assert tight.text(P) == "uses 99.9999 % of the claim"


def test_a_document_with_an_answer_of_its_own_has_no_lead():
    document = Document("t", "c", findings=(finding("A", R), finding("B", R)), answer="2 of 39 fail.")
    (box,) = Page(document, {}).boxes
    assert (box.word, box.text, box.counts) == ("REFUTED", "2 of 39 fail.", "")
    assert document.lead is None
    assert not {"true ε", "stated", "margin"} & {field.label for field in box.fields}

"""The committed reports are fresh: JSON recomputed on a sample, HTML and Markdown rendered identically."""

import random
from fractions import Fraction
from pathlib import Path
from shutil import which

import pytest

import dpaudit
from dpaudit.reports import html, markdown, plan
from dpaudit.reports.document import dumps, load
from dpaudit.reports.index import index
from dpaudit.reports.studies import board_row, ratio
from dpaudit.reports.write import chart_paths, charts

FOLDER = Path(__file__).parent.parent / "reports"
REPORTS = sorted(FOLDER.glob("*/plan.toml"))
MOST_BYTES, MOST_LINES, MOST_OF_A_PAGE = 5_000_000, 20_000, 800_000


def named(path):
    return path.parent.name


def test_they_are_for_people_to_keep():
    """All that is committed: pictures for papers (PNG) are made beside it and ignored."""
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".png"]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    assert all(path.stat().st_size < MOST_OF_A_PAGE for path in files if path.suffix == ".html")
    assert sum(path.read_bytes().count(b"\n") for path in files) < MOST_LINES
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {".gitignore", "README.md"}


def test_the_index_says_what_each_found():
    page = (FOLDER / "README.md").read_text()
    assert page == index(FOLDER)
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert all(f"({name}/" in page for name in folders)
    for path in REPORTS:
        verdict = load(str(path.parent / "result.json"))["verdict"]
        assert verdict["word"] is None or verdict["word"] in page


def test_the_index_has_a_line_for_each():
    """The verdict in one sentence: who wants all of it opens the report."""
    rows = [row.split(" | ") for row in (FOLDER / "README.md").read_text().splitlines() if row.startswith("| [")]
    assert len(rows) == len({path.parent for path in FOLDER.glob("*/result.json")})
    for *_, words in rows:
        assert 5 < len(words.removesuffix(" |").split()) <= 30, words


def mechanism(block, label, n):
    """The mechanism of that label in the block of a plan, for n records."""
    (case,) = [case for case in block.cases if case.label == label]
    return case.setting.at(n=n).mechanism


def meet(a, b):
    """Whether two enclosures of one number overlap: another tier may round the last digit otherwise."""
    return Fraction(a["lower"]) <= Fraction(b["upper"]) and Fraction(b["lower"]) <= Fraction(a["upper"])


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_html_and_markdown_are_what_the_json_renders_to(path):
    document = load(str(path.parent / "result.json"))
    assert (path.parent / "report.html").read_text() == html.render(document)
    assert (path.parent / "result.json").read_text() == dumps(document)
    assert (path.parent / "report.md").read_text() == markdown.render(document, chart_paths(document))
    for name, (_, figure) in charts(document).items():
        assert (path.parent / name).read_text() == figure.file()


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_the_json_belongs_to_the_plan(path):
    document = load(str(path.parent / "result.json"))
    wanted = plan.read_plan(str(path))
    assert document["title"] == wanted.title
    settings = [section["setting"] for section in document["sections"] if section["kind"] == "epsilon-by-n"]
    assert settings == [block.to_dict() for block in wanted.audits]


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_a_sample_of_the_numbers_is_recomputed(path):
    document = load(str(path.parent / "result.json"))
    chosen = random.Random(path.parent.name)
    for section in document["sections"]:
        if section["kind"] == "epsilon-by-n":
            (block,) = [block for block in plan.read_plan(str(path)).audits if block.to_dict() == section["setting"]]
            for row in chosen.sample(section["rows"], 12):
                found = dpaudit.epsilon(mechanism(block, row["mechanism"], row["n"]), digits=12)
                assert meet(found.epsilon.to_dict(), row["epsilon"])
                assert found.claim.to_dict()["verdict"] == row["verdict"]
        if section["kind"] == "prior-study":
            for row in chosen.sample(section["rows"], 12):
                alpha = Fraction(row["mechanism"].strip("()").split(", ")[0])
                again = ratio(section["setting"]["mechanism"], row["n"], alpha, Fraction(row["eps"]))
                assert meet(again["ratio"], row["ratio"])
                assert again["verdict"] == row["verdict"]
        if section["kind"] == "error-by-n":
            setting = section["setting"]
            small = [row for row in section["rows"] if row["n"] <= 2000]
            for row in chosen.sample(small, min(4, len(small))):
                options = {key: setting[key] for key in ("prior", "eps")}
                if row["mechanism"] == "MHdelta":
                    options["delta"] = setting["parameters"]["delta"]
                found = dpaudit.accuracy(row["mechanism"], row["x"], digits=10, **options)
                assert meet(found.mean.to_dict(), row["mean"])


def test_the_board_of_claims_is_what_the_checks_say_today():
    from dpaudit.claims.expectations import expected_of
    from proofs_checks import CATALOGUE

    board = load(str(next(path for path in REPORTS if named(path) == "claims").parent / "result.json"))["sections"][0]
    rows = {row["id"]: row for row in board["rows"]}
    expected = expected_of(CATALOGUE)
    assert {key: row["verdict"] for key, row in rows.items()} == {key: e["verdict"] for key, e in expected.items()}
    known = {claim.id: claim for claim in CATALOGUE.claims}
    assert {key: row["statement"] for key, row in rows.items()} == {key: known[key].statement for key in rows}
    formal = ("sliding.stated",) if which("coqc") else ()  # its line says whether Coq was run here
    for key in (*formal, "gs.any-prior", "acc.4.2.closed", "dp.ehd.any-prior", "ehdl.algebra"):
        assert board_row(dpaudit.check([key]).results[0].to_dict()) == rows[key]


def test_a_sample_of_deltas_and_sensitivities_is_recomputed():
    for path in REPORTS:
        chosen = random.Random(path.parent.name)
        audits = {str(block.to_dict()): block for block in plan.read_plan(str(path)).audits}
        for section in load(str(path.parent / "result.json"))["sections"]:
            block = audits.get(str(section["setting"]))
            if section["kind"] == "delta-curves":
                for row in chosen.sample(section["rows"], 3):
                    found = dpaudit.delta(mechanism(block, row["mechanism"], section["n"]), at=row["at"], digits=12)
                    assert meet(found.delta.to_dict(), row["delta"])
            if section["kind"] == "worst-pairs":
                row = chosen.choice(section["rows"])
                x = section["pairs"][row["mechanism"]]["x"]
                found = dpaudit.pmf(mechanism(block, row["mechanism"], section["n"]), x=x, digits=12)
                assert meet(found.probabilities[found.outputs.index(tuple(row["output"]))].to_dict(), row["p"])

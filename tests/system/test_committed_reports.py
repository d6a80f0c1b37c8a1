"""The committed reports are fresh: a sample of the JSON is recomputed, the pages and charts are what it renders to."""

import random
from fractions import Fraction
from pathlib import Path

import pytest

import dpaudit
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.verdict import Verdict
from dpaudit.reference.definitions import MECHANISMS
from dpaudit.reports.claims import paper
from dpaudit.reports.codec import encode
from dpaudit.reports.document import load
from dpaudit.reports.plan import read_plan
from dpaudit.reports.write import rendered
from reports.index import index

FOLDER = Path(__file__).parents[2] / "reports"
REPORTS = sorted(FOLDER.glob("*/plan.toml"))
MOST_BYTES, MOST_OF_A_PAGE = 3_000_000, 400_000


def named(path):
    return path.parent.name


def document(path):
    return load(str(path.parent / "result.json"))


def test_they_are_for_people_to_keep():
    kept = [path for path in FOLDER.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES
    assert all(path.stat().st_size < MOST_OF_A_PAGE for path in kept if path.suffix == ".html")
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {".gitignore", "README.md", "index.py"}


def test_the_index_says_what_each_found():
    page = (FOLDER / "README.md").read_text()
    assert page == index(FOLDER)
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert all(f"({name}/" in page for name in folders)


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_the_pages_are_what_the_json_renders_to(path):
    found = document(path)
    texts = rendered(found)
    for name, text in texts.items():
        assert (path.parent / name).read_text() == text, name
    charts = {f"charts/{chart.name}" for chart in (path.parent / "charts").glob("*")}
    assert charts == {name for name in texts if name.startswith("charts/")}


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_the_json_belongs_to_the_plan(path):
    found, wanted = document(path), read_plan(str(path))
    assert (found.title, found.plan) == (wanted.title, path.read_text())
    names = {case.label for block in wanted.audits for case in block.cases}
    missing = names - {finding.name for finding in found.findings}
    assert missing <= set(REGISTRY) - set(MECHANISMS)  # "all" may have got a mechanism since


def meet(one, other):
    """Whether two enclosures of one number overlap: another tier may round the last digit otherwise."""
    return one.lower <= other.upper and other.lower <= one.upper


def settings(path):
    """The setting of every mechanism that is audited, by its name in the report."""
    return {case.label: case.setting for block in read_plan(str(path)).audits for case in block.cases}


@pytest.mark.parametrize("path", REPORTS, ids=named)
def test_a_sample_of_the_numbers_is_recomputed(path):
    chosen, known = random.Random(path.parent.name), settings(path)
    for section in document(path).sections:
        names = [column.name for column in section.table.columns] if section.table else []
        rows = [dict(zip(names, row, strict=True)) for row in section.table.rows] if section.table else []
        if section.kind == "epsilon-by-n":
            for row in chosen.sample(rows, 12):
                found = dpaudit.epsilon(known[row["mechanism"]].at(n=row["n"]), digits=12)
                assert meet(found.epsilon, row["true ε"])
                assert found.judgement.verdict is row["verdict"]
        if section.kind == "mean-error" and "Figure" not in section.title:
            for row in chosen.sample([row for row in rows if row["n"] <= 100], 3):
                x = [int(part) for part in row["x"].strip("()").split(",")]
                found = dpaudit.accuracy(known[row["mechanism"]].at(n=sum(x)), x, digits=10)
                assert meet(found.mean, row["mean error"])


def test_the_smallest_n_of_ehdl_is_what_the_definition_gives():
    (path,) = [path for path in REPORTS if named(path) == "ehdl"]
    found = {finding.name: finding for finding in document(path).findings}["EHDL, ε = 1, prior (1/10, 1/10)"]
    assert found.judgement.first_n == 137
    for n, verdict in ((136, Verdict.PROVED), (137, Verdict.REFUTED)):
        assert dpaudit.judge("EHDL", "1", n=n, prior="1/10,1/10").verdict is verdict
    assert found.proof.value.lower > Fraction(1)


def test_the_claims_are_what_the_checks_say_today():
    from dpaudit.claims.expectations import expected_of
    from proofs_checks import CATALOGUE

    (path,) = [path for path in REPORTS if named(path) == "claims"]
    papers = {one.id: one for one in document(path).claims}
    expected = expected_of(CATALOGUE)
    assert {key: one.verdict.value for key, one in papers.items()} == {k: e["verdict"] for k, e in expected.items()}
    known = {claim.id: claim for claim in CATALOGUE.claims}
    assert {key: one.statement for key, one in papers.items()} == {key: known[key].statement for key in papers}
    for key in ("gs.any-prior", "acc.4.2.closed", "dp.ehd.any-prior", "ehdl.algebra"):
        assert encode(paper(dpaudit.check([key]).results[0])) == encode(papers[key])

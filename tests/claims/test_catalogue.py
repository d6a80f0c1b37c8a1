"""A second paper goes through everything as a plug-in: an entry point and a package, and nothing of dpaudit changes."""

import ast
import json
import re
import sys
import textwrap
from pathlib import Path

import pytest

from dpaudit.claims import catalogue, expectations, page
from dpaudit.cli import main

HERE = Path(__file__).parent
PAPER = HERE / "response_paper"
IDS = ["rr.private", "rr.variance", "rr.honest"]


def install(folder, monkeypatch, target="response_paper:CATALOGUE", name="response"):
    """What pip would leave in site-packages, in a folder of the path."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[dpaudit.claims]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(str(HERE))
    monkeypatch.syspath_prepend(str(folder))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    install(tmp_path / "site", monkeypatch)


def run(capsys, *arguments, code=0):
    assert main(list(arguments)) == code
    return capsys.readouterr()


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_its_claims_are_decided_beside_those_of_the_documents(jobs, capsys):
    rows = json.loads(run(capsys, "check", "rr.*", "candidates.beta", "--json", "--jobs", jobs).out)
    assert {row["id"]: (row["verdict"], row["establishes"]) for row in rows} == {
        "candidates.beta": ("PROVED", "for all n, by algebra"),
        "rr.private": ("PROVED", "for all n, by algebra"),
        "rr.variance": ("REFUTED", "by counterexample"),
        "rr.honest": ("PROVED", "by witness"),
    }
    assert rows[2]["counterexample"]["parameters"] == {"n": "1", "eps": "1/2"}
    assert rows[3]["witness"]["parameters"] == {"eps": "5"}


@pytest.mark.usefixtures("installed")
def test_it_is_listed_explained_and_held_against_its_expectations(capsys):
    listed = json.loads(run(capsys, "claims", "rr.*", "--json").out)
    assert [(row["id"], row["verdict"]) for row in listed] == list(
        zip(IDS, ["PROVED", "REFUTED", "PROVED"], strict=True)
    )
    text = run(capsys, "check", "rr.*", "--explain").out
    for part in ("[checked: identity]", "[by hand]", "counterexample: n = 1, ε = 1/2", "a lie: 1/(1+e^ε) = "):
        assert part in text
    run(capsys, "check", "rr.*", "--expect", str(PAPER / "expected.json"))


@pytest.mark.usefixtures("installed")
def test_its_page_is_made_from_its_own_claims(capsys):
    from response_paper import CATALOGUE

    text = page.render(CATALOGUE, expectations.expected_of(CATALOGUE))
    assert text == CATALOGUE.page.read_text(encoding="utf-8")
    assert "3 claims: 2 PROVED, 1 REFUTED." in text
    assert "candidates" not in text


@pytest.mark.usefixtures("installed")
def test_it_has_a_board_in_a_report(capsys, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('title = "Randomized response"\nclaims = ["rr.*"]\n')
    run(capsys, "report", "--plan", str(plan), "--out", str(tmp_path / "made"))
    board = json.loads((tmp_path / "made" / "result.json").read_text())["claims"]
    assert [claim["id"] for claim in board] == IDS
    assert "rr.variance" in (tmp_path / "made" / "report.html").read_text()


def test_dpaudit_imports_no_paper():
    for path in (HERE.parents[1] / "dpaudit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "proofs_checks" for name in names), path


def test_without_it_nobody_knows_its_claims(capsys):
    assert "no claim has this id" in run(capsys, "check", "rr.private", code=2).err


@pytest.mark.usefixtures("installed")
def test_an_id_belongs_to_one_paper(tmp_path, monkeypatch, capsys):
    (tmp_path / "copy_paper.py").write_text(
        "from dataclasses import replace\nimport response_paper\n"
        "CATALOGUE = replace(response_paper.CATALOGUE, package='copy_paper')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path / "other", monkeypatch, "copy_paper:CATALOGUE", "copy")
    captured = run(capsys, "check", "rr.private", code=2)
    assert "rr.private is also a claim of copy_paper" in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("no_such_paper:CATALOGUE", "CATALOGUE = no_such_paper:CATALOGUE: cannot be loaded: ModuleNotFoundError"),
        ("json:dumps", "CATALOGUE = json:dumps: is not a dpaudit.claims.Catalogue"),
    ],
)
def test_a_broken_plug_in_is_one_line(target, message, tmp_path, monkeypatch, capsys):
    install(tmp_path / "site", monkeypatch, target)
    captured = run(capsys, "check", code=2)
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("checks", "message"),
    [
        ("import no_such_module", "ModuleNotFoundError"),
        ("@check('new.other', grid='all')\ndef other(ctx): ...", "new.other is not in the catalogue"),
        ("@check('new.one', grid='all', uses=['new.none'])\ndef one(ctx): ...", "new.one uses new.none, which has no"),
        ("@check('new.one', grid='all', uses=['new.one'])\ndef one(ctx): ...", "in a circle: new.one → new.one"),
    ],
)
def test_a_plug_in_whose_checks_do_not_fit_is_one_line(checks, message, tmp_path, monkeypatch, capsys):
    paper = tmp_path / "new_paper"
    paper.mkdir()
    (paper / "__init__.py").write_text(
        "from pathlib import Path\nfrom dpaudit.claims import Catalogue, claims\n"
        "ROWS = claims('New', ('new.one', 'New', 'Lemma 1', 'one'))\n"
        "CATALOGUE = Catalogue('New', ROWS, 'new_paper', Path(__file__).parent)\n"
    )
    (paper / "checks.py").write_text(f"from dpaudit.claims import check\n{checks}\n")
    install(tmp_path, monkeypatch, "new_paper:CATALOGUE", "new")
    captured = run(capsys, "check", "new.*", code=2)
    assert message in captured.err
    assert captured.err.count("\n") == 1
    for name in ("new_paper", "new_paper.checks"):
        sys.modules.pop(name, None)


def test_the_paper_of_the_documentation(tmp_path, monkeypatch, capsys):
    text = (HERE.parents[1] / "docs" / "claims.md").read_text(encoding="utf-8").partition("## A paper of your own")[2]
    (tmp_path / "mypaper").mkdir()
    _, *parts = re.split(r"^    # ([\w/]+\.\w+).*\n", text, flags=re.M)
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        (tmp_path / name).write_text(textwrap.dedent(re.match(r"(?:    .*\n|\n)+", body).group()))
    install(tmp_path, monkeypatch, "mypaper:CATALOGUE", "mypaper")
    (documents,) = (found for found in catalogue.installed() if found.package == "proofs_checks")
    others = documents.expected, documents.page
    before = [path.stat().st_mtime_ns for path in others]
    assert expectations.main(["my.*"]) == 0
    assert [path.stat().st_mtime_ns for path in others] == before
    run(capsys, "check", "my.*", "--expect", str(tmp_path / "mypaper" / "expected.json"))
    rows = json.loads(run(capsys, "claims", "my.*", "--json").out)
    assert [(row["verdict"], row["establishes"]) for row in rows] == [
        ("PROVED", "exhaustive on the grid"),
        ("PROVED", "by witness"),
    ]
    assert "2 claims: 1 PROVED, 1 PROVED on its grid." in (tmp_path / "mypaper" / "README.md").read_text()


def test_expectations_of_an_unknown_id_are_one_line(capsys):
    assert expectations.main(["mypaper"]) == 2
    err = capsys.readouterr().err
    assert "no claim has this id" in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("installed")
def test_the_listing_is_one_call(capsys):
    import dpaudit

    assert dpaudit.list_claims(["rr.*", "dp.mh"]) == json.loads(run(capsys, "claims", "rr.*", "dp.mh", "--json").out)


def test_no_installed_paper_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [])
    captured = run(capsys, "check", code=2)
    assert "pip install -e ." in captured.err
    assert captured.err.count("\n") == 1

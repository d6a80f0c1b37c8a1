"""Reports: one document, deterministic, hashed; rendering computes nothing and lets nothing in."""

import json
import sys
from fractions import Fraction

import pytest

from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.reports import document, html, markdown, plan
from dpaudit.reports.charts import CHARTS, figures
from dpaudit.reports.report import build
from dpaudit.reports.steps import Steps
from dpaudit.reports.tables import table
from dpaudit.reports.write import write

PLAN = """
title = "A small report"
[[audit]]
mechs = ["EHD", "EHDS", "LSHist", "MHdelta", "LSZhang"]
n = "1..5"
prior = "1/2,1/2"
[[audit]]
mechs = "EHDS"
n = 3
k = 3
[[study]]
kind = "priors"
n = "2,4"
priors = ["1/100", "1"]
eps = ["1/2"]
"""


def quiet(_text):
    pass


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / "plan.toml"
    path.write_text(PLAN)
    return build(plan.read_plan(str(path)), quiet), str(path)


def without_run(result):
    return {key: value for key, value in result.items() if key != "run"}


def test_the_same_plan_gives_the_same_document(made):
    result, path = made
    again = build(plan.read_plan(path), quiet)
    assert document.dumps(without_run(again)) == document.dumps(without_run(result))


def test_every_enclosure_is_certified_and_narrow(made):
    def walk(value):
        if isinstance(value, dict):
            if value.get("quantity") == "zCDP ρ":  # known to 1 % at the least
                ends = [Fraction(end) for end in value["value"].values()]
                assert ends[0] <= ends[1] <= ends[0] * Fraction(101, 100)
            elif set(value) == {"lower", "upper"}:
                yield value
            else:
                for entry in value.values():
                    yield from walk(entry)
        elif isinstance(value, list):
            for entry in value:
                yield from walk(entry)

    found = list(walk(made[0]["sections"]))
    assert len(found) > 100
    assert all(0 <= Fraction(e["upper"]) - Fraction(e["lower"]) <= Fraction(1, 10**6) for e in found)


def test_sections_follow_the_plan(made):
    kinds = [section["kind"] for section in made[0]["sections"]]
    assert kinds.count("epsilon-by-n") == 2
    assert kinds.count("loss-map") == 1
    assert kinds.count("loss-ternary") == 1
    assert kinds[:2] == ["matrix", "chain"]
    assert kinds.count("matrix") == 1
    for section in made[0]["sections"]:
        assert section["command"].startswith("dpaudit ")
        drawn = figures(section, made[0]["sections"])
        assert bool(drawn) == (section["kind"] in CHARTS and bool(section["rows"]))
        columns, rows = table(section)
        assert all(len(row) == len(columns) for row in rows)


def test_the_numbers_are_the_engines(made):
    import dpaudit

    section = next(section for section in made[0]["sections"] if section["kind"] == "epsilon-by-n")
    row = next(row for row in section["rows"] if row["mechanism"] == "EHDS" and row["n"] == 4)
    assert row["epsilon"] == dpaudit.epsilon("EHDS", n=4, prior="1/2,1/2", digits=12).epsilon.to_dict()


def test_a_changed_file_is_refused(made, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(document.dumps(made[0]))
    assert document.load(str(path)) == made[0]
    path.write_text(path.read_text().replace('"REFUTED"', '"PROVED"').replace("0.5", "0.4", 1))
    with pytest.raises(InputError, match="was changed"):
        document.load(str(path))


def test_many_rows_are_lists_in_the_file_and_objects_for_who_reads_it(made, tmp_path):
    written = json.loads(document.dumps(made[0]))
    many = [section for section in written["sections"] if "columns" in section]
    assert many
    assert all(len(row) == len(section["columns"]) for section in many for row in section["rows"])
    path = tmp_path / "result.json"
    path.write_text(document.dumps(made[0]))
    assert document.load(str(path)) == made[0]
    for rows in ([[1, 2]], [5], {"a": 1}, None):
        many[0]["rows"] = rows
        path.write_text(json.dumps(written))
        with pytest.raises(InputError, match="columns and rows do not fit"):
            document.load(str(path))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "dpaudit-report/1"}', "[" * 10**5, "\x00"])
def test_a_file_that_is_no_report_is_refused_in_one_line(text, tmp_path, capsys):
    path = tmp_path / "result.json"
    path.write_text(text)
    assert main(["render", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_render_writes_the_same_files_again(made, tmp_path, capsys):
    pytest.importorskip("vl_convert", reason="PNG needs vl-convert-python (extra: report)")
    first = write(made[0], str(tmp_path / "a"))
    assert main(["render", str(first[0]), "--out", str(tmp_path / "b")]) == 0
    for path in first:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    charts = sorted(path.name for path in (tmp_path / "a" / "charts").iterdir())
    assert any(name.endswith(".svg") for name in charts)
    assert any(name.endswith(".png") for name in charts)


HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>|`_*'


def poison(value):
    """The document with every free text replaced by something hostile."""
    if isinstance(value, dict):
        keep = {
            "kind",
            "verdict",
            "lower",
            "upper",
            "claimed",
            "eps",
            "n",
            "at",
            "order",
            "claimed_delta",
            "schema",
            "data",
            *("epsilon", "delta", "nominal", "bound"),
        }
        names = {key: poison(key) if key[:1].isupper() else key for key in value}  # of mechanisms
        return {names[key]: entry if key in keep else poison(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [poison(entry) for entry in value]
    return HOSTILE + value if isinstance(value, str) else value


def test_hostile_text_shows_as_text(made):
    claim = {
        "id": "x",
        "document": "x",
        "item": "x",
        "statement": "x",
        "quantifier": "x",
        "establishes": "x",
        "grid": "x",
        "verdict": HOSTILE,
        "finding": "x",
    }
    section = {"kind": "claims", "title": "x", "question": "x", "command": "x", "setting": {}, "rows": [claim]}
    bad = poison({**made[0], "sections": [*made[0]["sections"], section]})
    page = html.render(bad)
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert "&lt;script&gt;alert" in page
    text = markdown.render(bad, {})
    body = "\n".join(
        line for line in text.splitlines() if not line.startswith("    ") and "`" not in line.replace("\\`", "")
    )
    assert "<script>" not in body


@pytest.mark.parametrize(
    ("toml", "rule"),
    [
        ("[[audit]]\nmechs = 'all'", "must be a range"),
        ("[[audit]]\nn = '5..1'", "must not fall"),
        ("[[audit]]\nn = 'x'", "whole number"),
        ("[[audit]]\nn = 3\neps = 0.1", "not exact"),
        ("[[audit]]\nn = 3\nfrobs = 1", "unknown key"),
        ("[[audit]]\nn = 3\nmechs = 'EHSD'", "did you mean"),
        ("[audit]\nn = 3", "must be written as"),
        ("[[study]]\nkind = 'x'", "must be one of"),
        ("[[study]]\nkind = 'priors'\npriors = '1'", "must be a list"),
        ("frobs = 1", "unknown table"),
        ("maps = 'no'\n[[audit]]\nn = 3", "must be true or false"),
        ("title = ", "is not TOML"),
        ("", "say what to report"),
    ],
)
def test_bad_plans_are_one_line(toml, rule, tmp_path, capsys):
    path = tmp_path / "plan.toml"
    path.write_text(toml)
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert rule in error
    assert error.count("\n") == 1


def test_bad_options_are_one_line(tmp_path, capsys):
    blocked = tmp_path / "file"
    blocked.write_text("")
    for arguments in (
        ["report"],
        ["report", "--mech", "all"],
        ["report", "--mech", "EHDS", "--n", "0..3"],
        ["report", "--plan", "missing.toml"],
        ["report", "--plan", "missing.toml", "--claims"],
        ["render", "missing.json"],
        ["report", "--mech", "EHDS", "--n", "2", "--out", str(blocked / "below")],
    ):
        assert main(arguments) == (74 if "--out" in arguments else 2)
        assert capsys.readouterr().err.count("\n") == 1


def test_without_the_extra_the_charts_are_svg_and_one_line_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert main(["report", "--mech", "EHDS", "--n", "1..3", "--out", str(tmp_path)]) == 0
    error = capsys.readouterr().err
    assert error == 'dpaudit: png = left out: charts as PNG need vl-convert: pip install "dpaudit[report]"\n'
    assert sorted(path.name for path in tmp_path.iterdir()) == ["charts", "report.html", "report.md", "result.json"]
    assert {path.suffix for path in (tmp_path / "charts").iterdir()} == {".svg"}
    assert '<svg class="pic"' in (tmp_path / "report.html").read_text()
    assert "![" in (tmp_path / "report.md").read_text()


def test_pictures_do_not_depend_on_what_was_drawn_before(made, tmp_path):
    pytest.importorskip("vl_convert", reason="PNG needs vl-convert-python (extra: report)")
    only = [section for section in made[0]["sections"] if section["kind"] in ("loss-map", "sensitivity")][:2]
    shown = {**made[0], "sections": only}
    for folder in ("a", "b"):
        write(shown, str(tmp_path / folder))
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / f / "charts").iterdir()} for f in ("a", "b"))
    assert len(first) == 4
    assert first == second


def test_the_result_file_has_one_row_a_line(made):
    lines = document.dumps(made[0]).splitlines()
    written = json.loads("\n".join(lines))
    assert [document.whole_rows(section) for section in written["sections"]] == made[0]["sections"]
    for section in written["sections"]:
        for row in section["rows"]:
            assert json.dumps(row, ensure_ascii=False, separators=(",", ":")) in {line.rstrip(",") for line in lines}
    rows = sum(len(section["rows"]) for section in made[0]["sections"])
    assert len(lines) < rows + 20 * len(made[0]["sections"]) + 10


def test_loss_maps_that_are_left_out_name_the_command_that_draws_them(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("maps = false\n[[audit]]\nmechs = 'EHDS'\nn = 50")
    left = build(plan.read_plan(str(path)), quiet)["sections"]
    (section,) = [section for section in left if section["kind"] == "loss-map"]
    assert section["rows"] == []
    assert section["command"] == "dpaudit report --mech EHDS --n 40"
    assert "left out" in section["text"]
    shown = markdown.render(document.make("t", "c", [section], {}), {})
    assert section["command"] in shown
    assert "output of the largest loss" not in shown


def test_a_folder_of_the_users_is_left_alone(tmp_path, capsys):
    charts = tmp_path / "charts"
    charts.mkdir()
    for name in ("thesis.txt", "01-notes.svg"):
        (charts / name).write_text("mine")
    (charts / "99-loss-map-ehds.svg").write_text("an old chart")
    assert main(["report", "--mech", "EHDS", "--n", "2", "--out", str(tmp_path)]) == 0
    assert (charts / "thesis.txt").read_text() == "mine"
    assert (charts / "01-notes.svg").exists()
    assert not (charts / "99-loss-map-ehds.svg").exists()
    assert not list(tmp_path.glob(".*"))


def test_options_beside_a_plan_are_refused(tmp_path, capsys):
    path = tmp_path / "plan.toml"
    path.write_text("[[audit]]\nn = 2")
    for more in (["--title", "x"], ["--eps", "5"], ["--mech", "EHDS"], ["--claims"]):
        for how in (["--plan", str(path)], ["--refresh", str(tmp_path)]):
            assert main(["report", *how, *more]) == 2
            assert "leave out" in capsys.readouterr().err


def test_everything_is_checked_before_the_first_audit(tmp_path, monkeypatch, capsys):
    def forbidden(*_):
        raise AssertionError("computed before the plan was checked")

    monkeypatch.setattr("dpaudit.audit.questions.epsilon", forbidden)
    for study in ("kind = 'priors'\nepz = '4'", "kind = 'accuracy'\nx = '1,2'\nn = '3'", "kind = 'accuracy'\nfoo = 1"):
        path = tmp_path / "plan.toml"
        path.write_text(f"[[audit]]\nn = 2\n[[study]]\n{study}")
        assert main(["report", "--plan", str(path), "--out", str(tmp_path / "o")]) == 2
    path.write_text("claims = ['no.such.claim']\n[[audit]]\nn = 2")
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "o")]) == 2


def test_a_forged_file_with_the_right_hash_is_one_line(made, tmp_path, capsys):
    for change in ({"sections": [{"kind": "epsilon-by-n"}]}, {"title": 5}, {"sections": {"a": 1}}, {"run": []}):
        forged = {**made[0], **change}
        forged["content_hash"] = document.content_hash(forged)
        path = tmp_path / "forged.json"
        path.write_text(json.dumps(forged))
        assert main(["render", str(path), "--out", str(tmp_path / "f")]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_title_and_the_plan_are_part_of_what_is_recorded(made, tmp_path, capsys):
    assert "1..5" in made[0]["plan"]
    assert main(["report", "--mech", "EHDS", "--n", "2", "--title", "My <b>", "--out", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "result.json").read_text())["command"].endswith("--title 'My <b>'")


def test_a_number_that_may_be_zero_says_so():
    from dpaudit.reports.tables import short

    assert short({"lower": "0", "upper": "1e-14"}) == "≤ 1e-14"
    assert short({"lower": "0", "upper": "0"}) == "0"


def test_the_command_line_report(tmp_path, capsys):
    assert main(["report", "--mech", "EHD,EHDS", "--n", "1..3", "--out", str(tmp_path / "r")]) == 0
    result = json.loads((tmp_path / "r" / "result.json").read_text())
    assert result["command"] == "dpaudit report --mech EHD,EHDS --n 1..3"
    assert "content_hash" in (tmp_path / "r" / "result.json").read_text()
    assert "# Audit of EHD, EHDS" in (tmp_path / "r" / "report.md").read_text().replace("\\", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[audit]]\nn = 2\n[[audit]]\nmechs = 'LSHist'\nn = 3\ngamma = 1", "[[audit]] number 2, gamma = 1: none of"),
        ("[[audit]]\nmechs = 'EHDS,,'\nn = 3", "[[audit]] number 1, mechs = EHDS,,: must be a list with single commas"),
        ("[[audit]]\nn = 3\nfrobs = 1", "[[audit]] number 1, key = frobs: unknown key"),
        ("[[study]]\nkind = 'x'", "[[study]] number 1, kind = x: must be one of"),
        ("[[study]]\nkind = 'accuracy'\n[[study]]\nkind = 'priors'\npriors = []", "[[study]] number 2, priors = []"),
    ],
)
def test_an_error_of_a_plan_names_the_table_and_the_key(text, said, tmp_path, capsys):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    assert main(["report", "--plan", str(path), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"dpaudit: {said}")


def test_claims_are_counted_once(tmp_path):
    """The steps are counted beside the words; a second count of claims, to another total, only puzzled."""
    told = []
    steps = Steps(lambda words, done, total, share: told.append(words))
    path = tmp_path / "plan.toml"
    path.write_text("claims = ['acc.4.2.strict']")
    build(plan.read_plan(str(path)), steps)
    assert any(words.startswith("claim checked: ") for words in told)
    assert not any(" of " in words for words in told)

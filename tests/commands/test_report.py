"""dpaudit report and render: files, exit codes, plans and their faults, certificates, what cannot be audited."""

import json

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.reports.document import load
from dpaudit.reports.plan import from_options
from dpaudit.reports.report import build
from dpaudit.reports.steps import Steps
from dpaudit.reports.words import covered_lines, not_covered_lines

RESPONSE = "dpaudit.examples.randomized_response:RandomizedResponse"
MINE = '''
class Leaky:
    """Says yes a little too often."""
    def datasets(self): return [0, 1]
    def outputs(self): return ["no", "yes"]
    def probabilities(self, x): return ["1/4", "3/4"] if x else ["4/5", "1/5"]
    def claimed(self): return "1"

class Wide:
    def datasets(self): return [0, 1]
    def outputs(self): return ["no", "yes"]
    def probabilities(self, x): return [("1/4", "1/2"), ("1/2", "3/4")] if x else [("1/2", "3/4"), ("1/4", "1/2")]
    def claimed(self): return "1/2"

class Silent(Leaky):
    claimed = None
'''


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    return str(tmp_path / "mine.py")


def asked(out, *words):
    return main(["report", *words, "--out", str(out)])


def test_the_files_and_what_is_printed(tmp_path, capsys):
    out = tmp_path / "out"
    assert asked(out, "--mech", "LSDim,LSHist", "--n", "1..3", "--title", "Two") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("✓ 1-DP: PROVED for every n")
    assert "for a person" in shown
    assert {path.name for path in out.iterdir()} == {"report.html", "report.md", "result.json", "charts"}
    result = json.loads((out / "result.json").read_text())
    assert result["title"] == "Two"
    assert result["verdict"]["word"] == "PROVED"
    assert [f["name"] for f in result["findings"]] == ["LSHist", "LSDim"], "the largest share of its claim first"
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    again = tmp_path / "again"
    assert main(["render", str(out / "result.json"), "--out", str(again)]) == 0
    assert all((again / path.relative_to(out)).read_bytes() == content for path, content in before.items())


def test_the_same_inputs_give_the_same_content():
    plans = [from_options("LSHist", n="2..3", prior="1/10,1/10") for _ in range(2)]
    assert len({build(plan, Steps.of(None))[0].hash for plan in plans}) == 1
    assert plans[0].command == "dpaudit report --mech LSHist --n 2..3 --prior 1/10,1/10"


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("Leaky", [], 0),
        ("Leaky", ["--require"], 1),
        ("Leaky", ["--require", "--claim", "2"], 0),
        ("Wide", ["--require"], 3),
        ("Silent", [], 0),
        ("Silent", ["--require"], 2),
        ("Silent", ["--require", "--claim", "eps=1,delta=1/2"], 0),
    ],
)
def test_exit_codes(name, words, code, mine, tmp_path):
    assert asked(tmp_path / "out", "--mech", f"{mine}:{name}", *words) == code


def test_the_answer_as_json_is_the_verdict(mine, tmp_path, monkeypatch):
    found = dpaudit.report(f"{mine}:Leaky", out=str(tmp_path / "out"))
    verdict = json.loads(found[2].read_text())["verdict"]
    assert (verdict["word"], verdict["statement"]) == ("REFUTED", "Leaky is 1-DP")
    assert verdict["margin"]["text"].startswith("exceeds by 32 % (δ = 0.21 would repair it)")


def test_a_certificate_is_written_and_verified(tmp_path, mine):
    out = tmp_path / "out"
    assert asked(out, "--mech", f"LSHist,{mine}:Leaky", "--n", "2", "--certificate") == 0
    assert {path.name for path in (out / "certificates").iterdir()} == {"lshist.json", "leaky.json"}
    document = load(str(out / "result.json"))
    assert document.command.endswith(" --certificate")
    for finding in document.findings:
        said, _, command = finding.checked[0].partition("; to repeat it: dpaudit ")
        assert said.startswith("the independent verifier, which accepts certificates/")
        verdict = "PROVED" if finding.name == "LSHist" else "REFUTED"
        assert f" and finds {verdict}" in said
        word, file, *options = command.split()
        assert main([word, str(out / file), *options]) == 0


def test_a_certificate_of_one_n_says_so_and_a_note_is_no_reservation(tmp_path):
    out = tmp_path / "out"
    assert asked(out, "--mech", "LSHist,randomized-response", "--n", "2", "--certificate") == 0
    document = load(str(out / "result.json"))
    found = {finding.name: finding for finding in document.findings}
    assert "in full and finds PROVED, at n = 2 only;" in found["LSHist"].checked[0]
    assert "only" not in found["randomized-response"].checked[0]
    (note,) = found["randomized-response"].stands_for
    assert f"randomized-response: {note}" in covered_lines(document)
    assert not any(note in line for line in not_covered_lines(document))


def test_what_the_verifier_does_not_know_is_said(tmp_path):
    out = tmp_path / "out"
    assert asked(out, "--mech", "EHDL/kl", "--n", "2", "--certificate") == 0
    (finding,) = load(str(out / "result.json")).findings
    assert any(line.startswith("nobody, as there is no certificate: ") for line in finding.checked)


def test_one_that_cannot_be_audited_is_a_row_and_the_rest_is_there(tmp_path, mine, capsys):
    (tmp_path / "bad.py").write_text(
        MINE.replace('return ["1/4", "3/4"] if x else ["4/5", "1/5"]', 'raise KeyError("x")')
    )
    out = tmp_path / "out"
    assert asked(out, "--mech", f"EHDS,{tmp_path}/bad.py:Leaky", "--n", "2") == 3
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "could not be audited" in line]
    assert "Leaky (" in line
    assert "KeyError" in line, "the reason stands there"
    found = load(str(out / "result.json"))
    assert {f.name: f.epsilon is None for f in found.findings} == {"EHDS": False, "Leaky": True}
    assert asked(tmp_path / "alone", "--mech", f"{tmp_path}/bad.py:Leaky") == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to report"),
        (["--mech", "EHDS"], "must be a range such as 1..60, or all"),
        (["--mech", "EHDS,EHDS", "--n", "2"], "is named twice"),
        (["--mech", RESPONSE, "--n", "all"], "numbers or a range are needed"),
        (["--claim", "1", "--claims"], "goes with --mech"),
        (["--plan", "x.toml", "--n", "2"], "the plan has all options"),
        (["--refresh", "x", "--n", "2"], "the plans have all options"),
        (["--mech", "EHDS", "--n", "1..99999"], "at most 10000"),
    ],
)
def test_what_is_refused_in_one_line(words, said, tmp_path, capsys):
    assert asked(tmp_path / "out", *words) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line

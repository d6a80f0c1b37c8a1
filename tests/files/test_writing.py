"""What is written is written whole: a fault at every call of the system, for every kind of output, loses nothing."""

import os
import re
import shutil
from pathlib import Path

import pytest

import dpaudit
from dpaudit.audit.page import Note
from dpaudit.cli import main
from dpaudit.commands import reply
from dpaudit.commands.claims import _write_junit
from dpaudit.evidence import certificate
from dpaudit.files.folders import write_folder
from dpaudit.files.writing import NotWritten, check_writable, write_file
from dpaudit.reports.document import Document, text_of
from dpaudit.reports.write import OURS as CHARTS
from dpaudit.reports.write import rendered
from dpaudit.reports.write import write as write_report
from dpaudit.sweeps.export import export
from tests.faults import deaths, faulty, full_disk, in_a_child

OLD = "what was there before\n" * 50
OURS = re.compile(r"\.[^/]*\.[0-9a-f]{16}\.new(/.*)?")


class Jobs:
    def jobs(self):
        spec = {
            "mech": "EHDS",
            "n": 3,
            "prior": "1,1",
            "eps": "1",
            "quantity": "epsilon",
            "digits": 5,
            "parameters": {},
        }
        yield "entry", {**spec, "parameters": {}}, "done", {"lower": "0", "upper": "1", "x": "=1+1"}, None, 0.5


RESULT = dpaudit.epsilon("EHDS", n=3)
PAGE = Document("title", "command")
FILES = {
    "certificate.json": lambda path: certificate.write(RESULT, path),
    "out.json": lambda path: reply.send(reply.Reply(RESULT, print), True, path),
    "out.txt": lambda path: reply.send(reply.Reply(None, lambda: [Note("text")]), False, path),
    "junit.xml": lambda path: _write_junit(path, [], ["a: changed"]),
    "table.csv": lambda path: export(Jobs(), path),
    "table.parquet": lambda path: export(Jobs(), path),
    "plain": lambda path: write_file("out", path, "new\n" * 100),
}
BYSTANDERS = (".writable", ".report.md.new", ".plain.new", "mine.txt")


def contents(folder):
    """What lies below the folder; a file that a killed run may leave is not counted, by its name."""
    found = {str(path.relative_to(folder)): path for path in sorted(Path(folder).rglob("*"))}
    kept = {name: path for name, path in found.items() if not any(OURS.fullmatch(p) for p in name.split("/"))}
    return {name: os.readlink(p) if p.is_symlink() else p.read_bytes() for name, p in kept.items() if not p.is_dir()}


def leftovers(folder):
    return [path for path in Path(folder).rglob("*") if OURS.fullmatch(path.name)]


def furnished(folder):
    """A folder with a user's files and a link to nothing."""
    folder.mkdir()
    for name in BYSTANDERS:
        (folder / name).write_text(f"the user's {name}")
    (folder / "charts.old").symlink_to(folder.parent / "nowhere")
    return folder


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_old_or_the_new_one_whatever_fails(name, tmp_path, capsys):
    write = FILES[name]
    folder = furnished(tmp_path / "folder")
    target = folder / name
    write(str(target))
    new = target.read_bytes()
    target.write_text(OLD)
    before = contents(folder)
    with faulty() as counted:
        write(str(target))
    assert {"open", "write", "fsync", "replace"} <= set(counted.calls)
    for at in range(len(counted.calls)):
        target.write_text(OLD)
        with faulty(at, full_disk), pytest.raises(NotWritten, match="No space left"):
            write(str(target))
        assert target.read_bytes() == (new if at > counted.calls.index("replace") else OLD.encode()), counted.calls[at]
        assert not leftovers(folder)
    for at, death in deaths(counted.calls):
        target.write_text(OLD)
        with faulty(at, death):
            assert in_a_child(lambda: write(str(target))) == 9
        assert target.read_bytes() in (OLD.encode(), new), (counted.calls[at], death)
        assert {**contents(folder), name: ""} == {**before, name: ""}
        for path in leftovers(folder):
            path.unlink()


REPORTS = {
    "report": lambda folder: write_report(PAGE, folder, {}),
    "charts": lambda folder: write_folder("out", folder, {"charts/00-map.svg": b"new", "a": b"new"}, CHARTS.fullmatch),
}


@pytest.fixture(params=REPORTS)
def write(request, monkeypatch):
    """What writes a folder; a report is rendered once."""
    texts = rendered(PAGE)
    monkeypatch.setattr("dpaudit.reports.write.rendered", lambda *_: texts)
    return REPORTS[request.param]


def test_a_report_is_replaced_file_by_file_whatever_fails(write, tmp_path):
    """Before the first file is replaced nothing has changed; after that every file is the old or the new one, whole."""
    folder = tmp_path / "parent" / "folder"
    folder.parent.mkdir()
    old = {"report.html": OLD, "report.md": OLD, "result.json": OLD, "charts/01-sensitivity.svg": OLD, "a": OLD}

    def again():
        shutil.rmtree(folder, ignore_errors=True)
        furnished(folder)
        (folder / "charts").mkdir()
        (folder / "charts" / "my-own.svg").write_text("the user's")
        for name, text in old.items():
            (folder / name).write_text(text)

    again()
    before = contents(folder)
    with faulty() as counted:
        write(str(folder))
    after = contents(folder)
    assert before != after
    assert not leftovers(folder.parent)
    assert {name: after[name] for name in (*BYSTANDERS, "charts.old", "charts/my-own.svg")}.items() <= before.items()
    assert "charts/01-sensitivity.svg" not in after
    first = counted.calls.index("replace")

    def check(at):
        found = contents(folder)
        assert at > first or found == before, counted.calls[at]
        assert all(text in (before.get(name), after.get(name)) for name, text in found.items()), counted.calls[at]
        assert before.keys() & after.keys() <= found.keys(), counted.calls[at]

    for at, call in enumerate(counted.calls):
        again()
        with faulty(at, full_disk), pytest.raises(NotWritten, match="No space left"):
            write(str(folder))
        check(at)
        assert not [path for path in leftovers(folder.parent) if call != "unlink" or path.is_dir()], call
    for at, death in deaths(counted.calls):
        again()
        with faulty(at, death):
            assert in_a_child(lambda: write(str(folder))) == 9
        check(at)


def test_a_report_that_was_not_there_is_whole_or_not_at_all(write, tmp_path):
    """After an error nothing is left, not even an empty folder; a kill leaves no folder of the report's name."""
    folder = tmp_path / "one" / "two" / "folder"
    with faulty() as counted:
        write(str(folder))
    after = contents(folder)
    assert {"open", "write", "fsync", "makedirs", "rename"} <= set(counted.calls)
    for at, call in enumerate(counted.calls):
        shutil.rmtree(tmp_path / "one", ignore_errors=True)
        with faulty(at, full_disk), pytest.raises(NotWritten, match="No space left"):
            write(str(folder))
        for path in leftovers(tmp_path):
            assert call == "unlink", call  # the probe for which nothing else could be done
            path.unlink()
        assert not (tmp_path / "one").exists() or (at > counted.calls.index("rename") and contents(folder) == after)
    for at, death in deaths(counted.calls):
        shutil.rmtree(tmp_path / "one", ignore_errors=True)
        with faulty(at, death):
            assert in_a_child(lambda: write(str(folder))) == 9
        assert not folder.exists() or contents(folder) == after


def test_a_folder_in_an_old_report_goes_again_after_an_error(tmp_path, monkeypatch):
    """No empty charts/ is left in a folder that had none."""
    (tmp_path / "mine.txt").write_text("the user's")
    monkeypatch.setattr(os, "replace", lambda *_: full_disk(None, None, None))
    with pytest.raises(NotWritten, match="No space left"):
        REPORTS["charts"](str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_what_is_refused_leaves_no_folder(tmp_path, capsys):
    assert main(["report", "--mech", "EHDS", "--n", "2", "--eps", "no", "--out", str(tmp_path / "a" / "b")]) == 2
    assert not (tmp_path / "a").exists()


def test_a_report_goes_into_the_folder_that_one_stands_in(tmp_path, monkeypatch):
    monkeypatch.chdir(furnished(tmp_path / "here"))
    write_report(PAGE, ".", {})
    assert Path("report.html").exists()
    assert Path.cwd() == tmp_path / "here"
    assert Path("mine.txt").read_text() == "the user's mine.txt"


def test_links_permissions_and_devices(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write_file("out", tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    write_file("out", "/dev/null", "new")
    assert not Path("/dev/null").is_file()
    with pytest.raises(NotWritten, match="No space left"):
        write_file("out", "/dev/full", "new")
    for path, words in (("nothing", "a dangling link"), (".", "a folder"), ("no/such", "No such file")):
        (tmp_path / "nothing").unlink(missing_ok=True)
        (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
        for act in (check_writable, lambda option, path: write_file(option, path, "x")):
            with pytest.raises(NotWritten, match=words):
                act("out", tmp_path / path)
    assert not (tmp_path / "nowhere").exists()


MINE = """
class Mine:
    def datasets(self): return ["a", "b"]
    def outputs(self): return [0, 1]
    def probability(self, x, r): return "3/4" if (x == "a") == (r == 0) else "1/4"
"""


def test_no_output_is_an_input_or_another_output(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    inputs = {
        "mine.py": MINE,
        "pmf.csv": ",u,v\nA,1/4,3/4\nB,3/4,1/4\n",
        "pairs.csv": "A,B\n",
        "plan.toml": "[[audit]]\nmech = 'EHDS'\nn = 3\n",
        "expected.json": "{}",
        "result.json": text_of(PAGE),
    }
    for name, text in inputs.items():
        Path(name).write_text(text)
    Path("link.py").symlink_to("mine.py")
    os.link("pmf.csv", "hard.csv")
    assert main(["sweep", "plan.toml", "--out", "s.db", "--workers", "1"]) == 0
    store = Path("s.db").read_bytes()
    capsys.readouterr()
    for line in (
        "epsilon --mech mine.py:Mine --out mine.py",
        "epsilon --mech mine.py:Mine --certificate link.py",
        "epsilon --mech mine.py:Mine --out same --certificate ./same",
        "table pmf.csv --out pmf.csv",
        "table pmf.csv --certificate hard.csv",
        "table pmf.csv --adjacency pairs.csv --json --out pairs.csv",
        "epsilon --mech pmf.csv --set adjacency=pairs.csv --out pairs.csv",
        "check sliding.stated --expect expected.json --junit expected.json",
        "check --from mine.py --out mine.py",
        "sweep plan.toml --out plan.toml",
        "sweep --out s.db --export s.db",
        "verify result.json --out result.json",
    ):
        assert main(line.split()) == 2, line
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "is also an input or another output" in error, line
    assert {name: Path(name).read_text() for name in inputs} == inputs
    assert Path("s.db").read_bytes() == store


def test_an_output_that_cannot_be_written_is_74(tmp_path, capsys):
    base = ["epsilon", "--mech", "EHDS", "--n", "3"]
    (tmp_path / "file").write_text("")
    for option in (["--certificate", "/no/such/x"], ["--out", str(tmp_path)]):
        assert main([*base, *option]) == 74
        assert capsys.readouterr().err.count("\n") == 1
    assert main(["report", "--mech", "EHDS", "--n", "2", "--out", str(tmp_path / "file")]) == 74

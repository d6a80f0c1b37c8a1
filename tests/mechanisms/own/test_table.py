"""Tables of probabilities: three file formats, one meaning; whatever is wrong is refused with row and column."""

import csv
import json
from decimal import Decimal
from fractions import Fraction as Fr

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.numbers.errors import InputError

CSV = ",no,yes\nno,3/4,1/4\nyes,0.25,0.75\nmaybe,1/2,0.5\n"
PAIRS = "x,x_prime\nno,maybe\nmaybe,yes\n"


def run(capsys, *arguments, code=0):
    assert main(["table", *map(str, arguments)]) == code
    return capsys.readouterr()


def result(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--json").out)


@pytest.fixture
def files(tmp_path):
    """The same table and adjacency in every format."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: parquet)")
    import pyarrow.parquet as parquet

    (tmp_path / "pmf.csv").write_text(CSV)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    rows = {"no": ["3/4", "1/4"], "yes": [0.25, 0.75], "maybe": ["1/2", 0.5]}
    (tmp_path / "pmf.json").write_text(json.dumps({"outputs": ["no", "yes"], "rows": rows}))
    named = {x: dict(zip(("no", "yes"), row, strict=True)) for x, row in rows.items()}
    (tmp_path / "named.json").write_text(json.dumps(named))
    (tmp_path / "pairs.json").write_text('[["no", "maybe"], ["maybe", "yes"]]')
    columns = {"x": list(rows), "no": ["3/4", "1/4", "1/2"]}
    decimals = pyarrow.array([Decimal("0.25"), Decimal("0.75"), Decimal("0.50")])
    parquet.write_table(pyarrow.table({**columns, "yes": decimals}), tmp_path / "pmf.parquet")
    pairs = pyarrow.table({"x": ["no", "maybe"], "y": ["maybe", "yes"]})
    parquet.write_table(pairs, tmp_path / "pairs.parquet")
    parquet.write_table(pyarrow.table({**columns, "yes": [0.25, 0.75, 0.5]}), tmp_path / "floats.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["pmf.csv", "pmf.json", "named.json", "pmf.parquet"])
def test_every_format_means_the_same(files, capsys, name):
    everything = result(capsys, files / name, "--at", "0")
    assert everything["counts"] == {"datasets": 3, "pairs": 6, "outputs": 2}
    assert everything["epsilon"]["lower"].startswith("1.0986122886681096")  # ln 3
    assert Fr(everything["deltas"][0]["delta"]["lower"]) == Fr(1, 2)
    for pairs in ("pairs.csv", "pairs.json", "pairs.parquet"):
        fewer = result(capsys, files / name, "--adjacency", files / pairs)
        assert fewer["counts"]["pairs"] == 4
        assert fewer["epsilon"]["lower"].startswith("0.6931471805599453")  # ln 2
    assert main(["delta", "--mech", str(files / name), "--set", f"adjacency={files / 'pairs.csv'}", "--at", "0"]) == 0
    assert "0.25" in capsys.readouterr().out


def test_binary_floats_are_refused(files, capsys):
    assert "column yes holds binary floats" in run(capsys, files / "floats.parquet", code=2).err


def test_a_claim_decides_the_exit_code_where_it_is_required(files, capsys):
    path = files / "pmf.csv"
    assert run(capsys, path, "--claim", "1.1", "--require").err == ""
    assert "REFUTED" in run(capsys, path, "--claim", "1.09", "--require", code=1).out


def test_a_claim_may_be_written_as_judge_takes_it(files, capsys):
    path = files / "pmf.csv"
    for words, verdict in (
        ("1.1", "PROVED"),
        ("eps=1.1", "PROVED"),
        ("eps=1.09", "REFUTED"),
        ("eps=1,delta=1/10", "PROVED"),  # delta(1) = 3/4 - e/4 = 0.0704
        ("eps=1,delta=0.07", "REFUTED"),
        ("rho=3/5", "PROVED"),
        ("rho=1/8", "REFUTED"),
    ):
        assert result(capsys, path, "--claim", words)["verdict"]["word"] == verdict
    assert "--claim eps=1,delta=1/10" in run(capsys, path, "--claim", "eps=1,delta=1/10").out
    assert "delta must be <= 1" in run(capsys, path, "--claim", "eps=1,delta=2", code=2).err


@pytest.mark.parametrize("header", ["data,0,1", ",1/4,3/4", "n,1/2,1/3", "x;y,a,b"])
def test_numbers_may_be_names_of_outputs(tmp_path, capsys, header):
    (tmp_path / "t.csv").write_text(f"{header}\nx,3/4,1/4\ny,1/4,3/4\n")
    assert result(capsys, tmp_path / "t.csv")["counts"]["outputs"] == 2


def test_zero_against_positive_is_infinite(tmp_path, capsys):
    (tmp_path / "t.csv").write_text(",a,b,c\nx,1/2,1/2,0\ny,0,1,0\n")
    found = result(capsys, tmp_path / "t.csv", "--at", "3")
    assert found["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert found["witness"] == {"x": "x", "x_prime": "y", "output": "a"}
    assert Fr(found["deltas"][0]["delta"]["lower"]) == Fr(1, 2)
    assert "∞" in run(capsys, tmp_path / "t.csv").out


BAD = {
    "pmf.csv": [
        ("", "is empty"),
        (",a,b\n", "at least 2 data sets"),
        (",a,b\nx,1,0\n", "at least 2 data sets"),
        (",a,b\nx,1,0\ny,3/2,-1/2\n", "row 3 (y), column b: -1/2 is negative"),
        (",a,b\nx,1,0\ny,1\n", "row 3 (y): has 1 entries, there are 2 outputs"),
        (",a,b\nx,1,0\ny,1,0,0\n", "row 3 (y): has 3 entries"),
        (",a,b\nx,1,0\ny,0,1\n x,1,0\n", "row 4: the data set x occurs twice, first in row 2"),
        (",a,b,a\nx,1,0,0\ny,1,0,0\n", "the header: the output a occurs twice, in columns 1 and 3"),
        (",a,\nx,1,0\ny,1,0\n", "the header, column 2: a name must be text"),
        (",a,b\nx,1,0\n,1,0\n", "row 3: a name must be text"),
        (",a,b\nx,1,0\ny,one,0\n", "row 3 (y), column a: one must be an exact number"),
        (",a,b\nx,1,0\ny,,1\n", "row 3 (y), column a: (empty) must be an exact number"),
        (",a,b\nx,1,0\ny,nan,1\n", "column a: nan must be an exact number"),
        (",a,b\nx,1,0\ny,1e999999999,1\n", "at most 1000 digits"),
        (",a,b\nx,1,0\ny," + "9" * 10**6 + ",1\n", "row"),
        (",a,b\nx,1,0\ny,1/0,1\n", "denominator"),
        (',a,b\nx,1,0\n"y,1,0\n', "row"),
        (",a,b\nx,1,0\ny,1\x00,0\n", "row 3"),
        ("x\ny\nz\n", "no output columns"),
        (";a;b\nx;0,75;0,25\ny;0,25;0,75\n", "is separated by semicolons; use commas, and a point in decimals"),
        ("\ta\tb\nx\t3/4\t1/4\n", "is separated by tabs"),
        ("x,3/4,1/4\ny,1/4,3/4\nz,1/2,1/2\n", "row 1: holds probabilities; the first line must name the outputs"),
        ("x,0.5,0.5\ny,0.25,0.75\n", "row 1: holds probabilities"),
    ],
    "pmf.json": [
        ("", "is not JSON"),
        ("[" * 10**5, "nested too deeply"),
        ('{"a":' * 10**5, "nested too deeply"),
        ("[]", "must be"),
        ('{"x": 1, "y": 2}', "must be"),
        ('{"x": {"a": 1}, "x": {"a": 1}}', "twice in one object"),
        ('{"x": {"a": NaN}, "y": {"a": 1}}', "has NaN"),
        ('{"x": {"a": ' + "9" * 10**6 + '}, "y": {"a": 1}}', "1000000 characters"),
        ('{"x": {"a": 1}, "y": {"b": 1}}', "is missing in some rows"),
        ('{"x": {"a": true}, "y": {"a": 1}}', "row 1 (x), column a: bool"),
        ('{"x": {"a": null}, "y": {"a": 1}}', "NoneType"),
        ('{"x": {"a": [1]}, "y": {"a": 1}}', "list"),
        ('{"outputs": ["a"], "rows": {"x": [1], "y": ["0.9"]}}', "row 2 (y): sums to 9/10"),
        ('{"outputs": [["a"]], "rows": {"x": [1], "y": [1]}}', "the header, column 1"),
        ('{"outputs": ["a"], "rows": [1]}', "must be"),
    ],
    "pmf.parquet": [("", "not a readable Parquet file"), ("PAR1 nonsense PAR1", "not a readable Parquet file")],
}


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [(name, content, rule) for name, cases in BAD.items() for content, rule in cases],
    ids=lambda value: str(value)[:30],
)
def test_bad_tables(tmp_path, capsys, name, content, rule):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: parquet)")
    (tmp_path / name).write_text(content)
    captured = run(capsys, tmp_path / name, code=2)
    assert rule in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dpaudit: TABLE = ")


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        ("no,maybe\nno,perhaps\n", "row 2: perhaps is not a data set of the table"),
        ("n0,mayb3\n", "row 1: n0 is not a data set"),  # a slip in the first line is no header
        ("no\n", "row 1: must be two data sets, has 1 entries"),
        ("no,yes,maybe\n", "has 3 entries"),
        ("no,no\n", "row 1: pairs no with itself"),
        ("", "holds no pair"),
        ("x,y\n", "holds no pair"),
    ],
)
def test_bad_adjacency(tmp_path, capsys, content, rule):
    (tmp_path / "pmf.csv").write_text(CSV)
    (tmp_path / "pairs.csv").write_text(content)
    captured = run(capsys, tmp_path / "pmf.csv", "--adjacency", tmp_path / "pairs.csv", code=2)
    assert captured.err.startswith("dpaudit: --adjacency = ")
    assert rule in captured.err


def test_missing_files_and_not_utf8(tmp_path, capsys):
    assert "cannot be read" in run(capsys, tmp_path / "none.csv", code=2).err
    assert "cannot be read" in run(capsys, tmp_path / "none.json", code=2).err
    (tmp_path / "latin.csv").write_bytes(b",a,b\nx\xe9,1,0\n")
    assert "is not UTF-8 text" in run(capsys, tmp_path / "latin.csv", code=2).err


RUN_BY_SPREADSHEETS = [
    '=HYPERLINK("http://x","y")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2+3",
    "'=1",
    "-3/4",
    "'quoted'",
]


class Formulas:
    """Data sets and outputs whose names a spreadsheet would run."""

    def datasets(self):
        return RUN_BY_SPREADSHEETS

    def outputs(self):
        return RUN_BY_SPREADSHEETS

    def probability(self, x, r):
        return f"{2 if x == r else 1}/{len(RUN_BY_SPREADSHEETS) + 1}"


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_names_that_a_spreadsheet_would_run_are_quoted_and_read_back(tmp_path, kind):
    path = tmp_path / f"pmf.{kind}"
    dpaudit.export_table(Formulas(), str(path))
    if kind == "csv":
        cells = [cell for row in csv.reader(path.read_text().splitlines()) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@") or cell == "-2+3"]
    given, read = (load_mechanism(mech, 1, {}) for mech in (Formulas(), str(path)))
    assert list(read.datasets()) == list(read.outputs()) == RUN_BY_SPREADSHEETS
    assert all(read.algebra().rational_row(x) == given.algebra().rational_row(x) for x in RUN_BY_SPREADSHEETS)


@pytest.mark.parametrize("name", ["", " a", 201 * "a"])
def test_a_name_that_would_not_be_read_back_is_not_exported(tmp_path, name):
    class Named(Formulas):
        def datasets(self):
            return ["=1", name]

        def probability(self, x, r):
            return f"1/{len(RUN_BY_SPREADSHEETS)}"

    with pytest.raises(dpaudit.InputError, match="could not be read back"):
        dpaudit.export_table(Named(), str(tmp_path / "pmf.csv"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rows", [{"no": ["3/4", "1/4"]}, [["3/4", "1/4"]], None])
def test_rows_in_place_of_a_file_are_refused_in_one_line(rows):
    with pytest.raises(InputError, match="must be the name of a file"):
        dpaudit.table(rows)

"""A user's own mechanism imports what lies beside it, and every result says what it was made of."""

import hashlib
import json
import sys

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.reports.block import Block
from dpaudit.reports.judge import finding

CODE = """
from fractions import Fraction
import helper

def twice(q):
    return 2 * q

class Two:
    def __init__(self, n=10, share=Fraction(3, 4), rule=twice, word=None):
        self.n, self.share, self.rule, self.word = n, share, rule, word
    @property
    def name(self):
        import late
        return f"{helper.SIDE} {late.SIDE}"
    def datasets(self): return ["no", "yes"]
    def outputs(self): return ["no", "yes"]
    def probability(self, x, r): return self.share if x == r else 1 - self.share
    def claimed(self): return 2
"""
IN_FORCE = {"n": "10", "share": "3/4", "rule": "dpaudit_own_comp:twice", "word": "None"}


@pytest.fixture
def folders(tmp_path):
    for side in ("left", "right"):
        folder = tmp_path / side
        folder.mkdir()
        (folder / "comp.py").write_text(CODE)
        for name in ("helper", "late"):
            (folder / f"{name}.py").write_text(f"SIDE = {side!r}\n")
    return tmp_path


def test_what_lies_beside_a_mechanism_can_be_imported_at_once_and_later(folders):
    path, modules = list(sys.path), set(sys.modules)
    names = [dpaudit.mechanism(f"{folders}/{side}/comp.py:Two").name for side in ("left", "right", "left")]
    assert names == ["left left", "right right", "left left"]
    assert sys.path == path
    assert not {"helper", "late"} & (set(sys.modules) - modules)


def test_every_parameter_in_force_and_the_hash_of_the_file_are_recorded(folders, capsys):
    mech, out = f"{folders}/left/comp.py:Two", folders / "c.json"
    wanted = hashlib.sha256(CODE.encode()).hexdigest()
    assert main(["epsilon", "--mech", mech, "--json", "--certificate", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    held = json.loads(out.read_text())["subject"]
    for record in (found, held, dpaudit.epsilon(mech).subject.describe()):
        assert record["parameters"] == IN_FORCE
        assert (record["source"], record["source_sha256"]) == (mech, wanted)
    assert main(["epsilon", "--mech", mech, "--set", "share=2/3"]) == 0
    text = capsys.readouterr().out
    assert "n = 10, share = 2/3, rule = dpaudit_own_comp:twice" in text
    assert f"SHA-256 {wanted[:12]}" in text
    assert main(["verify", str(out)]) == 0
    assert f'source sha256 "{wanted}"' in capsys.readouterr().out


def test_a_report_says_it_too(folders):
    (case,) = Block.read(f"{folders}/left/comp.py:Two").cases
    found = finding(case, lambda _: None)
    assert found.setting.startswith("n = 10, share = 3/4")
    assert found.sha256 == hashlib.sha256(CODE.encode()).hexdigest()


def test_a_table_and_an_object_say_what_they_were_made_of(tmp_path):
    file = tmp_path / "pmf.csv"
    file.write_text(",a,b\nx,1/2,1/2\ny,1/4,3/4\n")
    wanted = hashlib.sha256(file.read_bytes()).hexdigest()
    assert dpaudit.table(str(file)).to_dict()["source_sha256"] == wanted
    assert dpaudit.epsilon(str(file), adjacency="all").to_dict()["source_sha256"] == wanted

    class Coin:
        def __init__(self, bias="1/3", *, tries=2):
            self.bias, self.tries = bias, tries

        def datasets(self):
            return [0, 1]

        def outputs(self):
            return [0, 1]

        def probabilities(self, x):
            return ["1/3", "2/3"] if x else ["1/2", "1/2"]

    found = dpaudit.mechanism(Coin(tries=5)).describe()
    assert found["parameters"] == {"bias": "1/3", "tries": "5"}
    with open(__file__, "rb") as here:
        assert found["source_sha256"] == hashlib.sha256(here.read()).hexdigest()


def test_what_is_installed_in_a_folder_inside_stays_loaded(tmp_path, monkeypatch):
    """An environment often lies in the folder of the mechanism; numpy can be loaded only once."""
    installed = tmp_path / ".venv" / "packages"
    installed.mkdir(parents=True)
    (installed / "heavy_package.py").write_text("")
    (tmp_path / "light_module.py").write_text("")
    code = "import heavy_package, light_module\nclass Mine:\n    def datasets(self): return [0, 1]\n"
    (tmp_path / "mine.py").write_text(code + "    def sample(self, x, rng): return rng.randrange(x + 2)\n")
    monkeypatch.syspath_prepend(str(installed))
    dpaudit.delta(f"{tmp_path / 'mine.py'}:Mine", at=1)
    assert "heavy_package" in sys.modules
    assert "light_module" not in sys.modules
    del sys.modules["heavy_package"]

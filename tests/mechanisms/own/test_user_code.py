"""Somebody's code neither passes CI by ending the program, nor prints into the results, nor changes under the audit."""

import gc
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms.own.user_code import no_exit
from dpaudit.numbers.errors import InputError

ROOT = Path(__file__).parents[3]
CODE = """
import os, subprocess, sys, threading
class Base:
    def datasets(self): return ["a", "b"]
    def outputs(self): return [0, 1]
    def probability(self, x, r): return "3/4" if (x == "a") == (r == 0) else "1/4"
    def claimed(self): return "1.1"
class Leaves(Base):
    def probability(self, x, r): os._exit(0)
class Exits(Base):
    def probability(self, x, r): sys.exit(0)
class Raises(Base):
    def probability(self, x, r): raise BaseException("down")
class LeavesWhenMade(Base):
    def __init__(self): os._exit(0)
class LeavesInItsName(Base):
    @property
    def name(self): os._exit(0)
class LeavesInAThread(Base):
    def claimed(self):
        thread = threading.Thread(target=os._exit, args=(0,))
        thread.start()
        thread.join()
        return "1.1" if threading.active_count() > 99 else "1"
class Shown:
    def __init__(self, name): self.name = name
    def __eq__(self, other): return self.name == other.name
    def __hash__(self): return hash(self.name)
    def __str__(self): os._exit(0)
class LeavesInAText(Base):
    def datasets(self): return [Shown("a"), Shown("b")]
class Prints(Base):
    def probability(self, x, r):
        print("LOUD")
        os.write(1, b"LOUD\\n")
        sys.__stdout__.write("LOUD\\n")
        subprocess.run(["echo", "LOUD"])
        return Base.probability(self, x, r)
class Forks(Base):
    def claimed(self):
        child = os.fork()
        if not child: os._exit(0)
        os.waitpid(child, 0)
        return "1.1"
class ForksAndReturns(Base):
    def probability(self, x, r):
        os.fork()
        return Base.probability(self, x, r)
class SamplesAndForks:
    def datasets(self): return ["a", "b"]
    def claimed(self): return 1000
    def sample(self, x, rng):
        first = rng.random() < 0.5
        os.fork()
        return first and rng.random() < (0.25 if x == "a" else 0.5)
class ForksAndRaises(Base):
    def probability(self, x, r):
        if not os.fork(): raise ValueError("in the child")
        return Base.probability(self, x, r)
class Misspelt(Base):
    claimed = None
    def __init__(self, epsilon=1): self.epsilon = epsilon
    def claim(self): return 1
class Wide(Base):
    def claimed(self): return "1.098612"
    def probability(self, x, r):
        return ("0.7499999", "0.7500001") if (x == "a") == (r == 0) else ("0.2499999", "0.2500001")
"""


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "mine.py"
    path.write_text(CODE)
    return str(path)


def run(*arguments):
    """The command in a process of its own: what it ends with counts."""
    command = [sys.executable, "-m", "dpaudit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


ENDS = {
    **dict.fromkeys(("Leaves", "Exits", "Raises", "LeavesWhenMade", "LeavesInItsName"), 2),
    "LeavesInAText": 2,
    "LeavesInAThread": 1,
    "Forks": 0,
}


@pytest.mark.parametrize("name", ENDS)
def test_code_that_ends_the_program_does_not_pass(name, mine):
    done = run("epsilon", "--mech", f"{mine}:{name}", "--require", "--json")
    assert done.returncode == ENDS[name], done.stderr
    if ENDS[name] == 2:
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert "mine.py line" in done.stderr


@pytest.mark.parametrize("command", [["epsilon"], ["delta", "--at", "0"], ["judge"], ["pmf", "--x", "a"], ["profile"]])
def test_what_code_prints_goes_to_stderr(command, mine):
    done = run(*command, "--mech", f"{mine}:Prints", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["mechanism"] == "Prints"
    assert done.stderr.count("LOUD") >= 16
    assert set(done.stderr.split()) == {"LOUD"}


def test_code_of_a_check_neither_ends_nor_prints(tmp_path):
    for text in ("import os; os._exit(0)", "raise BaseException", "import sys; sys.exit(0)"):
        (tmp_path / "checks.py").write_text(text)
        done = run("check", "--from", str(tmp_path / "checks.py"), "--json")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr


def test_in_python_the_exits_are_errors_and_os_is_as_before():
    class Leaves:
        def datasets(self):
            return ["a", "b"]

        def outputs(self):
            return [0]

        def probability(self, x, r):
            os._exit(0)

    before = os._exit
    with pytest.raises(dpaudit.InputError, match=r"it calls os\._exit, which would end the audit"):
        dpaudit.epsilon(Leaves())
    assert os._exit is before


def test_blocks_of_several_threads_leave_os_as_it_was():
    before, seen = os._exit, []

    def work():
        for _ in range(300):
            with no_exit():
                seen.append(os._exit is not before)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4 * 300
    assert all(seen)
    assert os._exit is before


@pytest.mark.parametrize("name", ["ForksAndReturns", "ForksAndRaises"])
def test_code_that_forks_is_audited_once(name, mine):
    done = run("epsilon", "--mech", f"{mine}:{name}", "--json", "--require")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"]["word"] == "PROVED"


def test_a_sampler_that_forks_is_refused_in_one_line(mine):
    done = run("epsilon", "--mech", f"{mine}:SamplesAndForks", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "os.fork cannot be followed" in done.stderr


REQUIRED = [
    ("epsilon --mech {}:Base", 0, ""),
    ("epsilon --mech {}:Misspelt", 2, "claims nothing here"),
    ("delta --mech {}:Misspelt --at 1", 2, "claims nothing here"),
    ("judge --mech {}:Misspelt", 2, "claims nothing here"),
    ("search --mech {}:Misspelt --eps 2", 2, "claims nothing here"),
    ("epsilon --mech EHDL --n 3", 2, "claims nothing here"),
    ("table pmf.csv", 2, "nothing is claimed: state a guarantee with --claim"),
    ("delta --mech {}:Base --at 2", 3, "neither proved nor refuted"),
    ("delta --mech {}:Base --at 1/2", 3, "neither proved nor refuted"),
    ("epsilon --mech {}:Wide", 3, "neither proved nor refuted"),
    ("delta --mech {}:Wide --at 1.098612", 3, "neither proved nor refuted"),
    ("judge --mech {}:Wide", 3, "neither proved nor refuted"),
    ("search --mech {}:Wide --eps 1", 3, "neither proved nor refuted at 1 of the certified settings"),
    ("check dp.ehd.any-prior", 1, ""),
]


@pytest.mark.parametrize(("line", "code", "words"), REQUIRED)
def test_only_a_proof_passes_require(line, code, words, mine, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("pmf.csv").write_text(",u,v\nA,1/4,3/4\nB,3/4,1/4\n")
    assert main([*line.format(mine).split(), "--require"]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == bool(words)
    assert words in error


def test_check_requires_proofs(tmp_path, capsys):
    from dpaudit.commands.claims import _require
    from dpaudit.numbers.verdict import Verdict as V

    _require([V.PROVED, V.MEASURED])
    for verdicts, code in (
        ([V.PROVED, V.REFUTED, V.UNDECIDED], 1),
        ([V.IMPOSSIBLE], 1),
        ([V.PROVED, V.UNDECIDED], 3),
        ([V.PROVED, V.UNWITNESSED], 3),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            _require(verdicts)
        assert caught.value.exit_code == code
    with pytest.raises(dpaudit.InputError, match="only measured"):
        _require([V.MEASURED])


def test_an_error_of_our_own_has_no_exit_code_of_a_verdict(monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("dpaudit.audit.questions.epsilon", broken)
    assert main(["epsilon", "--mech", "EHDS", "--n", "5"]) == 70


class Steady:
    """A mechanism that counts its calls; the tests make one of its methods depend on the count."""

    def __init__(self):
        self.calls = 0

    def count(self):
        self.calls += 1
        return self.calls

    def datasets(self):
        return ["a", "b"]

    def outputs(self):
        return [0, 1]

    def probability(self, x, r):
        return "1/2"


def test_rows_that_change_between_two_calls_are_refused():
    class Changing(Steady):
        def probability(self, x, r):
            first = self.count() <= 2
            return ("1/4" if r else "3/4") if first else ("1/3" if r else "2/3")

    with pytest.raises(dpaudit.InputError, match=r"probability\(a, 0\) changes between two calls: 3/4, then 2/3"):
        dpaudit.epsilon(Changing())


def test_a_list_that_changes_between_two_calls_is_refused():
    class Changing(Steady):
        probability = None

        def probabilities(self, x):
            return ["1/2", "1/2"] if self.count() % 2 else {0: "1/3", 1: "2/3"}

    with pytest.raises(dpaudit.InputError, match=r"probabilities\(a\) at 0 changes between two calls: 1/2, then 1/3"):
        dpaudit.epsilon(Changing())


@pytest.mark.parametrize(
    ("method", "values", "words"),
    [
        ("datasets", (["a", "b"], ["a", "c"]), r"datasets\(\) changes between two calls: 'b', then 'c'|b, then c"),
        ("outputs", ([0, 1], [0, 1, 2]), r"outputs\(\) changes between two calls: 2 items, then 3 items"),
        ("neighbors", (["a"], ["b"]), r"neighbors\(\) changes between two calls: a, then b"),
        ("claimed", (1, 2), r"claimed\(\) changes between two calls: 1-DP, then 2-DP"),
    ],
)
def test_whatever_else_changes_is_refused(method, values, words):
    kind = type("Changing", (Steady,), {method: lambda self, *_: values[self.count() % 2 == 0]})
    with pytest.raises(dpaudit.InputError, match=words):
        dpaudit.epsilon(kind())


def test_what_is_written_differently_and_is_the_same_number_has_not_changed():
    class Same(Steady):
        def probability(self, x, r):
            return "1/2" if self.count() % 2 else "0.5"

    assert dpaudit.epsilon(Same()).epsilon.upper == 0


def one(x, rng):
    return rng.getrandbits(1)


class Endless:
    """Has no end."""

    budget: ClassVar = {"seconds": 1}

    def datasets(self):
        return [0, 1]

    def sample(self, x, rng):
        while True:
            pass


class Asynchronous(Endless):
    """Is not called as others are."""

    async def sample(self, x, rng):
        return 1


class Certain(Endless):
    """Asks for nothing."""

    budget: ClassVar = {"residual": "2"}


@pytest.mark.parametrize("data", ["yes", "0", "1/2", 0])
def test_data_sets_are_a_list(data):
    with pytest.raises(InputError, match="at least two data sets"):
        dpaudit.epsilon(one, data=data)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Endless, r"line [0-9]+: no path of its code was followed to an end: .* coordinates\(x\)"),
        (Asynchronous, "is a coroutine"),
        (Certain, "below 1"),
    ],
)
def test_code_without_an_answer_says_why(kind, words, recwarn):
    with pytest.raises(InputError, match=words):
        dpaudit.epsilon(kind)
    gc.collect()
    assert not recwarn.list

"""A mechanism given by its code, through every command: answers, residuals, assumptions, refusals that lead on."""

import json
import math
import re
from fractions import Fraction as Fr
from pathlib import Path

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.verdict import Verdict

CODE = '''
import math, os, time
import numpy as np
class Base:
    def datasets(self): return [0, 1]
class Response(Base):
    """Randomized response."""
    def __init__(self, epsilon=1): self.epsilon = epsilon
    def sample(self, x, rng): return x if rng.randrange(4) < 3 else 1 - x
    def claimed(self): return "1.1"
class Numpy(Base):
    def sample(self, x, rng: np.random.Generator):
        assert isinstance(rng, np.random.Generator)
        return int(x ^ (rng.random() < 0.25))
class Holds(Base):
    def __init__(self): self.rng = np.random.default_rng(7)
    def sample(self, x, rng): return int(x ^ (self.rng.random() < 0.25))
class Crashes(Base):
    def sample(self, x, rng): return x // rng.randrange(4)
class AlwaysCrashes(Base):
    def sample(self, x, rng): return rng.nothing
class Timed(Base):
    def sample(self, x, rng): return time.perf_counter_ns()
class Floats(Base):
    def sample(self, x, rng): return x + rng.random()
class Exits(Base):
    def sample(self, x, rng): os._exit(0)
class Unlisted(Response):
    def outputs(self): return [0]
class Budgeted(Response):
    budget = {"time": 1}
class Both(Response):
    def probability(self, x, r): return "1/2"
class Counts(Base):
    """Endless: 1, 2, 3, ..."""
    budget = {"residual": "1e-6"}
    def sample(self, x, rng):
        n = x
        while rng.random() < 0.5: n += 1
        return n
    def claimed(self): return (1, "0.6")
def noisy(x, rng, share=0.25):
    """Flips a bit."""
    return x ^ (rng.random() < share)
'''


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    path = tmp_path_factory.mktemp("code") / "mine.py"
    path.write_text(CODE)
    return str(path)


def test_the_law_is_exact(mine):
    found = dpaudit.epsilon(f"{mine}:Response")
    assert found.epsilon.contains(Fr("1.09861228866810969140"))
    assert found.claim.verdict is Verdict.PROVED
    assert found.to_dict()["residual"] == "0"
    assert found.to_dict()["assumptions"] == [
        "the random source is perfect: uniform floats m/2^53, uniform whole numbers, independent"
    ]
    assert dpaudit.mechanism(f"{mine}:Response").exact_rows([0, 1]).rows == [["3/4", "1/4"], ["1/4", "3/4"]]
    for other, settings in (("Numpy", {}), ("Holds", {}), ("noisy", {"settings": {"data": "0,1"}})):
        assert dpaudit.mechanism(f"{mine}:{other}", **settings).exact_rows([0]).rows == [["3/4", "1/4"]]


def test_the_distribution_of_one_data_set_follows_no_other():
    seen = set()

    def noisy(x, rng):
        seen.add(x)
        return x ^ (rng.random() < 0.25)

    assert dpaudit.pmf(noisy, 1, data=[0, 1, 2]).outputs == (0, 1)
    assert seen == {1}
    assert dpaudit.delta(noisy, 0, data=[0, 1]).delta.contains(Fr(1, 2))
    assert dpaudit.epsilon(noisy, data=[0, 1]).epsilon.lower > 1


def test_an_exception_is_an_output(mine):
    found = dpaudit.pmf(f"{mine}:Crashes", 1)
    assert [str(o) for o in found.outputs] == ["0", "1", "raises ZeroDivisionError"]
    assert [p.lower for p in found.probabilities] == [Fr(1, 2), Fr(1, 4), Fr(1, 4)]


JUDGED = {"1/2": "REFUTED", "50": "UNDECIDED", "50,delta=0.6": "PROVED"}
JUDGED |= {"5,delta=1e-3": "REFUTED", "50,delta=1e-3": "UNDECIDED"}
"""0 is impossible for 1; e^50 times the residual is much."""


def test_a_residual_gives_a_lower_bound(mine, capsys):
    found = dpaudit.epsilon(f"{mine}:Counts")
    assert found.epsilon.is_open
    assert found.epsilon.lower > 0
    assert found.claim.verdict is Verdict.PROVED  # (1, 0.6), by delta
    assert {eps: dpaudit.judge(f"{mine}:Counts", f"eps={eps}").verdict.name for eps in JUDGED} == JUDGED
    assert found.to_dict()["epsilon"]["upper"] == "inf"
    assert 0 < float(found.to_dict()["residual"]) <= 1e-6
    delta = dpaudit.delta(f"{mine}:Counts", 0).delta
    assert delta.contains(Fr(1, 2))
    assert delta.width < Fr(1, 10**4)
    assert main(["epsilon", "--mech", f"{mine}:Counts"]) == 0
    shown = capsys.readouterr().out
    for words in ("≥ ", "was not followed", "no upper bound", "ε-DP can be refuted, not proved", "assumes"):
        assert words in shown


ORDER = [("epsilon", "true ε", "covers"), ("delta --at 1", "δ(1)", "covers"), ("profile", "curve", "effort")]
ORDER += [("judge --claim eps=1/2", "decided by", "covers"), ("explain", "here", "again")]
ORDER += [("release --x 1", "one more", ""), ("pmf --x 1", "└", "")]


@pytest.mark.parametrize(("command", "answer", "after"), ORDER)
def test_the_answer_comes_before_what_it_rests_on(mine, command, answer, after, capsys):
    name, *words = command.split()
    main([name, "--mech", f"{mine}:{'Response' if name == 'release' else 'Counts'}", *words])
    starts = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    first = next(i for i, start in enumerate(starts) if start.startswith(answer))
    rests = [i for i, start in enumerate(starts) if start in ("assumes", "residual")]
    assert "residual" in starts or name == "release"
    assert first < rests[0]
    assert rests[-1] + 1 == (starts.index(after) if after else len(starts))


BAD = {
    "AlwaysCrashes": "always raises AttributeError",
    "Timed": "not a function of its draws",
    "Floats": "the output takes more than",
    "Exits": "it calls os._exit",
    "Unlisted": "gives 1, which outputs() does not list",
    "Budgeted": "budget must be a dict",
    "Both": "needs exactly one of",
    "noisy": "--set data=0,1,2",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_code_is_one_line(mine, name, capsys):
    assert main(["epsilon", "--mech", f"{mine}:{name}"]) == 2
    found = capsys.readouterr().err.strip()
    assert BAD[name] in found
    assert len(found.splitlines()) == 1


def test_every_command_takes_it(mine, tmp_path, capsys):
    mech = ["--mech", f"{mine}:Response"]
    certificate = str(tmp_path / "c.json")
    assert main(["epsilon", *mech, "--certificate", certificate, "--require"]) == 0
    assert main(["verify", certificate, "--full"]) == 0
    assert "the law of its code" in json.loads(Path(certificate).read_text())["subject"]["source"]
    assert main(["profile", *mech]) == 0
    capsys.readouterr()
    assert main(["search", *mech, "--eps", "1"]) == 0
    assert main(["search", "--mech", f"{mine}:Numpy", "--eps", "1"]) == 0
    found = capsys.readouterr().out
    assert "smallest n" not in found, "it has none"
    assert not any(line.strip().startswith(";") for line in found.splitlines())
    assert main(["profile", "--mech", f"{mine}:Counts", "--at", "0,1"]) == 0
    counts = str(tmp_path / "d.json")
    assert main(["delta", "--mech", f"{mine}:Counts", "--at", "1", "--certificate", counts]) == 0
    assert main(["verify", counts, "--full"]) == 0
    assert main(["epsilon", "--mech", f"{mine}:Counts", "--certificate", counts]) == 2
    assert "only a lower bound is known" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_table_goes_out_and_comes_in(mine, tmp_path, kind):
    path = str(tmp_path / f"pmf.{kind}")
    dpaudit.export_table(f"{mine}:Crashes", path)
    assert dpaudit.table(path).epsilon == dpaudit.epsilon(f"{mine}:Crashes").epsilon
    with pytest.raises(dpaudit.InputError, match="a table is exact"):
        dpaudit.export_table(f"{mine}:Counts", path)


def test_the_table_goes_out_by_a_command(mine, tmp_path, capsys):
    path = str(tmp_path / "pmf.csv")
    assert main(["export", "--mech", f"{mine}:Crashes", "--table", path]) == 0
    assert f"dpaudit table {path}" in " ".join(capsys.readouterr().out.split())
    assert dpaudit.table(path).epsilon == dpaudit.epsilon(f"{mine}:Crashes").epsilon
    for wrong in (["--mech", f"{mine}:Crashes"], ["--table", path], ["c.json", "--table", path], ["c.json"], []):
        assert main(["export", *wrong]) == 2
        assert "give a certificate and --coq" in capsys.readouterr().err
    assert main(["export", "--mech", f"{mine}:Crashes", "--table", str(tmp_path / "pmf.txt")]) == 2


def test_a_report(mine, tmp_path):
    assert main(["report", "--mech", f"{mine}:Counts", "--out", str(tmp_path / "r")]) == 0
    page = (tmp_path / "r" / "report.md").read_text()
    assert "the random source is perfect" in page
    assert "of the probability was not followed" in page
    assert "≥ " in page


def test_the_fixture_takes_a_sampler(dp_audit):
    def noisy(x, rng):
        return x if rng.randrange(4) else 1 - x

    dp_audit(noisy, data=[0, 1]).epsilon_at_most("1.1")
    with pytest.raises(pytest.fail.Exception, match="REFUTED"):
        dp_audit(noisy, data=[0, 1]).epsilon_at_most("1")


# ------------------------------------------------------------------ refusals


class _Drawn:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def datasets(self):
        return [0, 1]


class NumpyLaplace(_Drawn):
    def sample(self, x, rng):
        return x + rng.laplace(0, 1 / float(self.epsilon))


class NumpyGaussian(_Drawn):
    def sample(self, x, rng):
        return x + rng.normal(0, 2)


class Clock(_Drawn):
    def sample(self, x, rng):
        import time

        return time.time()


@pytest.mark.parametrize(
    ("kind", "leads"),
    [
        (NumpyLaplace, ["dpaudit.Noise) with noise.laplace(scale)", "dpaudit epsilon --mech laplace"]),
        (NumpyGaussian, ["noise.gaussian(sigma)", "dpaudit epsilon --mech gaussian"]),
        (Clock, []),
    ],
)
def test_a_refusal_of_code_leads_on(kind, leads):
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon(kind)
    assert all(words in str(caught.value) for words in [*leads, "dpaudit samples counts.csv --claim 1"])
    for words in leads[1:]:
        assert dpaudit.epsilon(words.rpartition(" ")[2]).epsilon is not None


def test_refused_code_is_drawn_and_counted_by_the_command_that_the_refusal_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = "return round(float(x + rng.laplace(0, 1)))"
    (tmp_path / "noisy.py").write_text(
        f"class Noisy:\n    def datasets(self):\n        return [0, 9]\n    def sample(self, x, rng):\n        {code}\n"
    )
    assert main(["epsilon", "--mech", "noisy.py:Noisy"]) == 2
    command = re.search(r"dpaudit (samples --draw .*)$", capsys.readouterr().err)[1]
    assert "--claim 1" in command
    assert main(command.replace("20000", "300").split()) == 0
    assert "1-DP: REFUTED" in capsys.readouterr().out
    claimed = (tmp_path / "noisy.py").read_text() + "    def claimed(self):\n        return '3/2'\n"
    (tmp_path / "claiming.py").write_text(claimed)
    assert main(["epsilon", "--mech", "claiming.py:Noisy"]) == 2
    command = re.search(r"dpaudit (samples --draw .*)$", capsys.readouterr().err)[1]
    assert "--claim" not in command
    assert main(command.replace("20000", "300").split()) == 0
    assert "3/2-DP: REFUTED" in capsys.readouterr().out


def test_a_sampler_that_cannot_be_rewritten_is_named_with_its_line(tmp_path, capsys):
    """No line of it calls it, so the line is that of its definition."""
    file = tmp_path / "looks.py"
    file.write_text(
        "class Looks:\n"
        "    def datasets(self):\n        return [0, 1]\n"
        "    def sample(self, x, rng):\n        k = len(locals()) * 0\n"
        "        while rng.random() < 0.5:\n            k = 1 - k\n        return (x + k) % 2\n"
    )
    assert main(["epsilon", "--mech", f"{file}:Looks"]) == 0
    assert "looks.py line 4: `Looks.sample` is outside the mergeable subset" in capsys.readouterr().out


# ------------------------------------------------------------------ the examples


def test_the_discrete_laplace_of_the_paper():
    found = dpaudit.mechanism("dpaudit.examples.discrete_laplace:DiscreteLaplace", n=1)
    law = found._sampled.law(0)
    assert law.residual <= Fr(1, 10**15)
    q = math.exp(-1)
    for z, p in zip(law.outputs, law.lower, strict=True):
        assert float(p) == pytest.approx((1 - q) / (1 + q) * q ** abs(z), abs=1e-15)
    clipped = dpaudit.epsilon("dpaudit.examples.discrete_laplace:ClippedDiscreteLaplace", n=1)
    assert clipped.epsilon.contains(1)
    assert clipped.claim.verdict is Verdict.PROVED


def test_the_discrete_gaussian_of_the_paper():
    from dpaudit.examples.discrete_gaussian import DiscreteGaussian

    class Short(DiscreteGaussian):
        budget = {"residual": "1e-9"}  # noqa: RUF012

    law = dpaudit.mechanism(Short, n=1)._sampled.law(0)
    assert law.residual <= Fr(1, 10**9)
    total = sum(math.exp(-z * z / 2) for z in range(-40, 41))
    for z, p in zip(law.outputs, law.lower, strict=True):
        assert float(p) == pytest.approx(math.exp(-z * z / 2) / total, abs=1e-9)

"""Mechanisms given by their code: a refusal says what to do instead."""

import re

import pytest

import dpaudit
from dpaudit.cli import main


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

"""Code with noise enters by the same door as every mechanism: the documents' laws, certificates, pytest, examples."""

from fractions import Fraction as F
from itertools import product
from math import floor

import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.verdict import Verdict

HOME = "dpaudit.examples.ideal_noise:"


class Documents:
    """LSHist, LSDim and LSZhang as code: floor-and-clamp of Laplace noise on cells."""

    def __init__(self, n, k, scale, cells, epsilon):
        self.n, self.k, self.scale, self.cells, self.epsilon = n, k, scale, cells, epsilon

    def datasets(self):
        return [x for x in product(range(self.n + 1), repeat=self.k) if sum(x) == self.n]

    adjacency = "replace-one"

    def sample(self, x, noise: dpaudit.Noise):
        noised = [floor(c + noise.laplace(self.scale / self.epsilon)) for c in x[: self.cells]]
        return tuple(min(max(v, 0), self.n) for v in noised)


CASES = [
    ("LSHist", 4, 2, 1, 1),
    ("LSHist", 2, 3, 2, 2),
    ("LSDim", 3, 2, 2, 1),
    ("LSDim", 2, 3, 3, 2),
    ("LSZhang", 2, 2, 2, 2),
]


@pytest.mark.parametrize(("name", "n", "k", "scale", "cells"), CASES)
def test_the_documents_mechanisms_written_as_code_have_the_engines_laws(name, n, k, scale, cells):
    eps = F(2, 3)
    coded = Documents(n, k, F(scale), cells, eps)
    mine, theirs = dpaudit.epsilon(coded), dpaudit.epsilon(name, n=n, k=k, eps=eps)
    assert mine.epsilon.lower <= theirs.epsilon.upper
    assert theirs.epsilon.lower <= mine.epsilon.upper
    for x in coded.datasets():
        ours, engine = dpaudit.pmf(coded, x), dpaudit.pmf(name, x, n=n, eps=eps)
        assert len(ours.outputs) == len(engine.outputs)
        for p, q in zip(ours.probabilities, engine.probabilities, strict=True):
            assert p.lower <= q.upper
            assert q.lower <= p.upper


EXAMPLES = [
    ("NoisyCount", "1/2", Verdict.PROVED),
    ("NoisyMax", None, Verdict.PROVED),
    ("SparseVector", None, Verdict.PROVED),
    ("SparseVectorWithoutStop", None, Verdict.REFUTED),
    ("NoisyMaxValue", "3/4", Verdict.REFUTED),
    ("SparseVectorReleasesValue", "1/2", Verdict.PROVED),
]


@pytest.mark.parametrize(("name", "closed", "verdict"), EXAMPLES)
def test_the_examples(name, closed, verdict):
    settings = {} if name == "NoisyCount" else {"k": 2 if "Value" in name else 3}
    if name == "NoisyMaxValue":
        closed = "1/2"
        verdict = Verdict.PROVED
    found = dpaudit.epsilon(HOME + name, eps="1/2", settings=settings)
    assert found.claim.verdict is verdict
    assert closed is None or found.closed_form_text == closed


def test_the_thresholded_histogram_has_its_delta():
    found = dpaudit.delta(HOME + "ThresholdedHistogram", "1/2", eps="1/2")
    assert str(found.delta).startswith("0.005554")


def test_a_certificate_of_noisy_max_is_accepted(tmp_path, capsys):
    path = str(tmp_path / "max.json")
    arguments = ["--mech", HOME + "NoisyMax", "--eps", "1/2", "--set", "k=2", "--certificate", path]
    assert main(["epsilon", *arguments]) == 0
    assert main(["verify", path, "--full"]) == 0
    assert "ACCEPTED" in capsys.readouterr().out


def test_gaussian_noise_gives_a_table_of_intervals():
    class Max:
        def datasets(self):
            return [(0, 0), (1, 0)]

        def sample(self, x, noise: dpaudit.Noise):
            return noise.argmax([q + noise.gaussian(2) for q in x])

    # P(argmax = 0) = Phi(1 / (2 sqrt 2)) against 1/2
    found = dpaudit.epsilon(Max())
    assert str(found.epsilon).startswith("0.3234")


def test_the_annotation_decides():
    class Code:
        def datasets(self):
            return [0, 1]

        def sample(self, x, rng):
            return x ^ (rng.random() < 0.25)

    assert dpaudit.epsilon(Code()).epsilon.contains(F(10986, 10000)) is False  # ln 3 = 1.09861…
    assert str(dpaudit.epsilon(Code()).epsilon).startswith("1.0986")

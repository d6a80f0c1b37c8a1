"""Rows compared by their sums (EVERY_N.md, section 6): the bound at random, EHD's suprema, what stays open."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

import dpaudit
from dpaudit.forall import every_n_search, every_n_sums
from dpaudit.forall.every_epsilon_rows import Row
from dpaudit.forall.every_n_sums import by_sums
from dpaudit.numbers import balls


def distances(n):
    """All H(x, r) with prior (1, 1)."""
    x = np.arange(n + 1)
    mean, own = np.add.outer(x, x) / 2, gammaln(1 + x) + gammaln(1 + n - x)
    return np.sqrt(-np.expm1(np.minimum(gammaln(1 + mean) + gammaln(1 + n - mean) - np.add.outer(own, own) / 2, 0)))


def test_sums_bound_the_loss_at_every_epsilon():
    """Rows with a far part of any size: the bound by sums holds, and the limit of small epsilon is inside it."""
    source = np.random.default_rng(5)
    for _ in range(40):
        rows, far = source.uniform(0.1, 2, (2, 6)), source.uniform(1.5, 1.6, (2, 9))
        rows[0][1] = rows[1][2] = 0.0
        far += source.choice([0, 3], (2, 1))
        with balls.precision(64):
            x, y = (Row([balls.dyadic(v) for v in row], own) for row, own in zip(rows, (1, 2), strict=True))
            beyond = tuple(balls.from_ends(balls.dyadic(v.min()), balls.dyadic(v.max())) for v in far)
            bound = by_sums(x, y, beyond, Fraction(0))
            assert bound.cuts == tuple(sorted(bound.cuts))
        for count in (0, 3, 9):
            p, q = (np.append(near, more[:count]) for near, more in zip(rows, far, strict=True))
            for t in (1e-4, 0.1, 0.7, 3, 40):
                logs = [np.log(np.exp(-t * row).sum()) for row in (p, q)]
                assert (q - p).max() + (logs[1] - logs[0]) / t <= float(bound.most) + 1e-9


SHARP = [
    ("constant", 3, lambda h: (h[0, 1] + (h[0, 3] - h[1, 2]) / 4) / (2 * np.sqrt(1 - np.pi / 4))),
    ("exact", 4, lambda h: 1 / 2 + (h[0, 2] + h[0, 4] - h[1, 2] - h[1, 3]) / (10 * h[0, 1])),
]


@pytest.mark.parametrize(("gs", "n", "form"), SHARP)
def test_ehd_is_sharp_over_every_n_and_epsilon(gs, n, form):
    """The theorem of section 6: the supremum is at n = 3, or 4, in the limit of small epsilon."""
    found = dpaudit.epsilon("EHD", n="all", eps="all", gs=gs, digits=9)
    assert found.open is None
    assert (found.attained, found.attained_epsilon) == (n, "0")
    assert float(found.ratio.lower) - 1e-12 <= form(distances(n)) <= float(found.ratio.upper) + 1e-12
    assert found.ratio.upper - found.ratio.lower <= Fraction(1, 10**9)


@pytest.mark.parametrize("gs", ["constant", "exact"])
@pytest.mark.parametrize("n", [2, 5, 30, 200])
def test_no_n_and_epsilon_exceeds_the_supremum(gs, n):
    supremum = {"constant": 0.5522856628, "exact": 0.6717191288}[gs]
    h = distances(n)
    a = h / (2 * (h[0, 1] if gs == "exact" else np.sqrt(1 - np.pi / 4)))
    for t in np.logspace(-4, 3, 40):
        logs = np.log(np.exp(-t * a).sum(axis=1))
        losses = (t * (a[1:] - a[:-1]) + (logs[1:] - logs[:-1])[:, None]) / t
        assert abs(losses).max() <= supremum + 1e-9


def test_what_does_not_close_is_an_enclosure_with_the_inequality_that_lacks(monkeypatch):
    """Without sums, the matched rows of large n are not sharp: the answer says which pairs, and stays true."""
    monkeypatch.setattr(every_n_sums, "MOST_CUTS", 0)
    monkeypatch.setattr(every_n_search, "MOST_BLOCKS", 60)
    result = dpaudit.epsilon("EHD", n="all", eps="all", digits=4)
    assert result.attained == 3
    assert result.where().startswith("the lower bound: ")
    assert "the pairs 0|1 on n" in result.open
    assert result.ratio.lower < Fraction("0.5523") < result.ratio.upper < Fraction("0.7")
    assert result.claim.verdict.value == "PROVED"

"""Pairs of distributions: what sampling and the other direction make of their masses."""

from fractions import Fraction as F

import pytest

from dpaudit.accounting.pairs import Atom, Bell, Pair
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball

BOTH = Pair(
    atoms=lambda: [Atom(ball(F(5, 8)), ball(F(1, 4)), F(9, 10)), Atom(ball(F(1, 8)), ball(F(1, 2)))],
    p_only=lambda: ball(F(1, 4)),
    q_only=lambda: ball(F(1, 4)),
    symmetric=False,
)
ATOMS = [(F(5, 8), F(1, 4)), (F(1, 8), F(1, 2))]
MIXED = [(F(3, 4) * q + F(1, 4) * p, q) for p, q in ATOMS] + [(F(3, 16), F(1, 4))]
"""After sampling at 1/4, what only Q had is an atom."""


@pytest.mark.parametrize(
    ("pair", "atoms", "infinite", "rest"),
    [
        (BOTH, ATOMS, F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1)), ATOMS, F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1, 2)).sampled(F(1, 2)), MIXED, F(1, 16), F(0)),
        (BOTH.other_direction(), [(q, p) for p, q in ATOMS], F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1, 4)).other_direction(), [(q, p) for p, q in MIXED], F(0), F(1, 16)),
        (BOTH.sampled(F(1, 4)).other_direction().other_direction(), MIXED, F(1, 16), F(0)),
    ],
)
def test_nothing_of_p_and_q_is_lost(pair, atoms, infinite, rest):
    """``rest`` is Q of what is impossible under P."""
    with balls.precision(64):
        found = pair.all_atoms()
        assert [(balls.ends(atom.p)[0], balls.ends(atom.q)[0]) for atom in found] == atoms
        assert balls.ends(pair.infinite())[0] == infinite
    assert sum(p for p, _ in atoms) + infinite == sum(q for _, q in atoms) + rest == 1


def test_a_loss_that_is_known_changes_its_sign_with_the_direction_and_is_forgotten_by_sampling():
    losses = [
        [atom.loss for atom in pair.all_atoms()] for pair in (BOTH, BOTH.other_direction(), BOTH.sampled(F(1, 4)))
    ]
    assert losses == [[F(9, 10), None], [F(-9, 10), None], [None] * 3]


def test_sampling_ends_the_symmetry():
    pair = Pair(pieces=(Bell(F(1)),))
    assert pair.sampled(F(1)).symmetric
    assert not pair.sampled(F(1, 2)).symmetric
    assert not BOTH.sampled(F(1)).symmetric
    assert pair.sampled(F(1, 2)).other_direction().swapped

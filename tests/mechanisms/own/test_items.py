"""Data sets and outputs that compare equal and are different values are refused by name."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.numbers.errors import InputError


class Twins:
    def __init__(self, datasets=("a", "b"), outputs=(0, 1), links=None, names=None):
        self.lists, self.links, self.names = (datasets, outputs), links, names
        if links is not None:
            self.neighbors = links.__getitem__

    def datasets(self):
        return self.lists[0]

    def outputs(self):
        return self.lists[1]

    def probabilities(self, x):
        p = Fraction(49, 50) if x is False else Fraction(1, 2)
        return dict(zip(self.names or self.lists[1], (p, 1 - p), strict=True))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"datasets": [0, False, 1]}, r"datasets\(\) returns 0 and False, which compare equal \(numbers 1 and 2\)"),
        ({"datasets": [2, 1, 1.0]}, r"datasets\(\) returns 1 and 1.0, which compare equal \(numbers 2 and 3\)"),
        ({"datasets": [(0, 1), (False, 1)]}, r"datasets\(\) returns \(0, 1\) and \(False, 1\), which compare equal"),
        ({"datasets": ["a", "b", "a"]}, r"datasets\(\) returns a twice \(numbers 1 and 3\)"),
        ({"outputs": [True, 1]}, r"outputs\(\) returns True and 1, which compare equal \(numbers 1 and 2\)"),
        ({"outputs": [0, 0]}, r"outputs\(\) returns 0 twice"),
        (
            {"datasets": [0, 1], "links": [[True], []]},
            r"neighbors\(0\) returns True, which compares equal to the data set 1 but is another value",
        ),
        ({"datasets": [(0,), (1,)], "links": {(0,): [(1.0,)]}}, r"returns \(1.0,\), which compares equal to"),
        ({"names": [False, 1]}, r"probabilities\(a\) names False, which compares equal to the output 0"),
    ],
)
def test_twins_are_refused_by_name(given, message):
    with pytest.raises(InputError, match=message):
        dpaudit.epsilon(Twins(**given))


def test_neighbors_may_be_named_twice_and_by_numbers_of_the_same_text():
    assert dpaudit.epsilon(Twins([0, 1], links=[[1, 1, Fraction(1), 0], []])).counts.pairs == 2

"""Which pairs of a subject are adjacent, and whether the enclosures of a certificate contain its probabilities."""

from math import isqrt

import attacks
import pytest
from certificates import changed, make, outcome
from mutate_certificates import fit_enclosures

from dpaudit.evidence.verifier.family import read_family

THREE = [["1/2", "1/2"], ["51/100", "49/100"], ["9/10", "1/10"]]


@pytest.mark.parametrize(("pairs", "upper", "reason"), [
    (None, "2/5", None),
    (None, "39/100", "exceeds the upper bound"),
    ([[0, 1]], "1/50", None),
    ([[0, 1]], "1/200", "above the stated upper bound"),
    ([[0, 1], [1, 2]], "39/100", None),
    ([[0, 1], [1, 2]], "38/100", "exceeds the upper bound"),
    ([[2, 1], [0, 1], [0, 2]], "39/100", "exceeds the upper bound"),
])  # fmt: skip
def test_every_adjacent_pair_is_visited(pairs, upper, reason):
    """The witness is the first pair, whose delta(0) is 1/100; that of the others is 39/100 and 40/100."""
    document = attacks.table(THREE, pairs=pairs, upper=upper)
    fit_enclosures(document)
    found = outcome(attacks.sealed(document), full=True)
    assert found is None if reason is None else reason in found


@pytest.mark.parametrize("adjacency", [None, {"kind": "all"}])
def test_the_pairs_are_counted_and_are_those_that_are_visited(adjacency):
    subject = {**make(("EHDL", {"n": 3}))["subject"], "adjacency": adjacency}
    law = read_family(subject, 80)
    pairs = [(x, y) for x in law.datasets() for y in law.neighbors(x)]
    assert law.counts() == (4, len(set(pairs)), 4)
    assert len(set(pairs)) == len(pairs) == (6 if adjacency is None else 12)
    assert all(law.adjacent(x, y) and x != y for x, y in pairs)


ROOT = isqrt(1 << 127)  # the floor of 2^64 times 0.7071...
REST = (1 << 64) - ROOT - 1
IRRATIONAL = ["/", ["sqrt", "2"], "2"], ["+", "1", ["*", "-1/2", ["sqrt", "2"]]]
HALF = ["/", ["sqrt", "2"], ["*", "2", ["sqrt", "2"]]]  # no interval tells it from its neighbors


@pytest.mark.parametrize(("row", "held", "reason"), [
    (IRRATIONAL, [[ROOT, 1, -64], [REST, 1, -64]], None),
    (IRRATIONAL, [[ROOT + 1, 1, -64], [REST, 1, -64]], "does not contain the probability"),
    (IRRATIONAL, [[ROOT - 1, 1, -64], [REST, 1, -64]], "does not contain the probability"),
    (IRRATIONAL, [[ROOT, 1, -64], [1, 1, -1]], "does not contain the probability"),
    ((HALF, "1/2"), [[1, 2, -2], [1, 0, -1]], None),
    ((HALF, "1/2"), [[1, 0, -1], [1, 0, -1]], "bits: whether the row of"),
    (("1/2", "1/2"), [[1, 0, -1], [1, 0, -1]], None),
])  # fmt: skip
def test_an_enclosure_contains_the_probability_of_the_subject(row, held, reason):
    """An entry of the law is [lo, width, e]: the numbers from lo 2^e to (lo + width) 2^e."""
    found = outcome(changed(attacks.table([list(row), ["1/2", "1/2"]]), ("law", "rows", 0), held))
    assert found is None if reason is None else reason in found

"""What stands in for a release of which only the order of its pair is not known."""

from fractions import Fraction as F

from dpaudit.accounting.bounds import lower_measure, upper_measure
from dpaudit.accounting.cells import Lattice, Range, cells
from dpaudit.accounting.compose import Composition, Term
from dpaudit.accounting.grid import NOTHING
from dpaudit.numbers import balls


def test_nothing_is_learned_from_nothing():
    """Its delta is 0 at every epsilon >= 0, and 1 - e^epsilon below."""
    found = cells(NOTHING, Lattice(F(1, 4)), Range(F(1, 10**9), F(1, 10**9)))
    composed = Composition([Term(lower_measure(found, 0.0), upper_measure(found, 0.0), 3)], F(0))
    with balls.precision(64):
        for epsilon, delta in ((F(0), 0.0), (F(1, 3), 0.0), (F(-1), 1 - float(balls.ball(-1).exp()))):
            low, high = composed.delta(epsilon)
            assert delta - 1e-9 <= float(balls.ends(low)[0]) <= delta <= float(balls.ends(high)[1]) <= delta + 1e-9

"""Small pictures of a result for a notebook. Floats draw here, rounded from certified numbers; they decide nothing."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.pictures.small import Bar, Two
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited, text

MOST_OUTPUTS = 400
"""A pair with more outputs is not drawn."""
RARE = 1e-6
"""Outputs of less than this share of the most likely one, for both data sets, lie outside the picture."""
BITS = 128


def bar(name: str, value: Enclosure, bound: Fraction | None, bound_name: str, bad: bool = True) -> str:
    """Returns the value against a bound; beyond it, it has the other colour, unless that is not ``bad``."""
    beyond = value.is_infinite or (bound is not None and value.lower > bound)
    return Bar(
        name=name,
        value=float(value.lower),
        upper=float(value.upper),
        shown=str(value.beside(bound)),
        bound=None if bound is None else float(bound),
        bound_shown=powers(f"{bound_name} {bound}"),
        bad=bad and beyond,
    ).draw()


def pair(mechanism: Audited, witness: Witness) -> str:
    """Returns the two output distributions of a pair where they live; nothing where there are too many outputs."""
    if mechanism.counts().outputs > MOST_OUTPUTS:
        return ""
    with balls.precision(BITS):
        law = mechanism.law()
        p, q = ([balls.float_below(mass) for mass in law.probabilities(x)] for x in (witness.x, witness.x_prime))
    outputs = list(mechanism.outputs())
    worst = outputs.index(witness.output) if witness.output in outputs else None
    least = RARE * max(p + q)
    alive = [i for i in range(len(outputs)) if max(p[i], q[i]) >= least or i == worst]
    shown = slice(alive[0], alive[-1] + 1)
    return Two(
        x=text(witness.x),
        y=text(witness.x_prime),
        rows=(p[shown], q[shown]),
        outputs=[text(output) for output in outputs[shown]],
        worst=None if worst is None else worst - alive[0],
        least=least,
    ).draw()

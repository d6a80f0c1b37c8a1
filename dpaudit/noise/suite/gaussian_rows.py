"""The rows with Gaussian noise (DiPApprox): finite outputs, probabilities by certified quadrature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.noise.explore import explore
from dpaudit.noise.gaussian import WORKING_BITS
from dpaudit.noise.law import finite_law, value_ball
from dpaudit.noise.suite import programs
from dpaudit.noise.suite.at_c import exact_at_c
from dpaudit.noise.suite.inputs import NOMINAL, Program, Vector, ordered, suite_pairs
from dpaudit.noise.suite.rows import Row
from dpaudit.noise.suite.solve import DIGITS, Answer
from dpaudit.noise.supremum import Region
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.champion import Champion
from dpaudit.privacy.protocols import text

Chances = Mapping[Any, Ball]


def _row(name: str, program: Program) -> Row:
    words = f"{(program.__doc__ or '').strip()} d = 5, pairs differ in every entry."
    note = "Gaussian noise has no pure ε over all inputs; over these pairs the largest loss is finite."
    return Row(name, words, NOMINAL, list, program=program, pairs=tuple(suite_pairs(5, True)), note=note)


GAUSSIAN_ROWS = (
    _row("GaussianNoisyMax", programs.gaussian_noisy_max),
    _row("GaussianSVT", programs.gaussian_svt),
)


def chances(program: Program, x: Vector) -> Chances:
    """The probability of every output."""
    data = tuple(Fraction(q) for q in x)
    law = finite_law(explore(lambda noise: program(data, noise, NOMINAL), dict))
    with balls.precision(WORKING_BITS):
        return {output: value_ball(value) for output, value in law.values.values()}


def solve_gaussian(row: Row) -> Answer:
    """The answer of a Gaussian row."""
    start = perf_counter()
    if row.program is None:
        raise ValueError("the row has no program")
    program = row.program
    laws = {x: chances(program, x) for x in dict.fromkeys(x for pair in row.pairs for x in pair)}
    champion: Champion[tuple[Vector, Vector, Any]] = Champion()
    pairs = ordered(row.pairs)
    with balls.precision(WORKING_BITS):
        for x, y in pairs:
            outputs = list(laws[x])
            values = [(laws[x][o] / laws[y][o]).log() for o in outputs]
            champion.offer(values, lambda i, x=x, y=y, o=outputs: (x, y, o[i]))  # type: ignore[misc]
        value, (x, y, output) = champion.result()
        shown = balls.enclosure(value, DIGITS, least=0)
    if shown is None:
        raise ArithmeticError("too few bits for a Gaussian row")
    found, number = exact_at_c([_tests(laws[a], laws[b]) for a, b in pairs])
    return Answer(row, shown, None, x, y, text(output), None, found, pairs[number], perf_counter() - start)


def _tests(p: Chances, q: Chances) -> Callable[[Fraction], Region]:
    def test(at: Fraction) -> Region:
        factor = ball(at).exp()
        inside = [o for o in p if balls.certainly_less(factor * q[o], p[o])]
        rest = [balls.positive_part(p[o] - factor * q[o]) for o in p if o not in inside]
        masses = [balls.total([law[o] for o in inside]) for law in (p, q)]
        return Region(masses[0], masses[1], balls.total(rest))

    return test

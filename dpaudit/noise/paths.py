"""The probability of a path: the product over its trees of comparisons, its coins and its discrete draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpaudit.noise import gaussian
from dpaudit.noise.explore import Path
from dpaudit.noise.families import Family, discrete_laplace_window
from dpaudit.noise.trees import best_root, chance, is_closed, multiply, rooted
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.exponentials import Form


@dataclass(frozen=True)
class Value:
    """A probability: exactly, as a quotient of sums of exponentials; or by a function that encloses it in a ball."""

    form: Form | None
    ball: Callable[[], Ball] | None = None


def probability(path: Path) -> Value:
    """The probability of the path; its real parts are not looked at."""
    exact, rest = [path.weight], list[Callable[[], Ball]]()
    for tree in path.system.trees():
        root = best_root(tree)
        node = rooted(tree, root)
        if is_closed(node):
            exact.append(chance(node))
        else:
            rest.append(gaussian.tree_chance(tree))
    for s in path.system.lattice:
        found = _lattice(path.families[s], path.system.lattice_window(s))
        if isinstance(found, tuple):
            exact.append(found)
        else:
            rest.append(found)
    form = multiply(exact)
    if not rest:
        return Value(form)
    return Value(None, lambda: gaussian.product([gaussian.form_ball(form), *(part() for part in rest)]))


def _lattice(family: Family, window: tuple[int | None, int | None]) -> Form | Callable[[], Ball]:
    if family.kind == "discrete laplace":
        return discrete_laplace_window(family.scale, *window)
    return lambda: gaussian.lattice_window(family.scale, *window)

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


def probability(path: Path, exactly: bool = True) -> Value:
    """The probability of the path, exactly where possible and requested; its real parts are ignored."""
    exact, rest = [path.weight], list[Callable[[], Ball]]()
    for tree in path.system.trees():
        root = best_root(tree)
        node = rooted(tree, root)
        if is_closed(node):
            exact.append(chance(node))
        else:
            rest.append(gaussian.tree_chance(tree))
    for s in path.system.lattice:
        found = lattice_chance(path.families[s], path.system.lattice_window(s))
        if isinstance(found, tuple):
            exact.append(found)
        else:
            rest.append(found)
    if not rest and exactly:
        return Value(multiply(exact))
    return Value(None, lambda: gaussian.product([*map(gaussian.form_ball, exact), *(part() for part in rest)]))


def lattice_chance(family: Family, window: tuple[int | None, int | None]) -> Form | Callable[[], Ball]:
    """The probability that a discrete draw lies between two whole numbers, or a function that encloses it."""
    if family.kind == "discrete laplace":
        return discrete_laplace_window(family.scale, *window)
    return lambda: gaussian.lattice_window(family.scale, *window)

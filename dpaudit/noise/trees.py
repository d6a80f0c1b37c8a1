"""Trees of comparisons, eliminated leaf by leaf in the closed class.

A leaf Y with low <= X - Y <= high becomes the factor H(X - low) - H(X - high) of X's density, H being the cumulative
distribution of Y. Equal trees (with the same distributions, cuts and windows) are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import lcm

from dpaudit.noise.constraints import Tree
from dpaudit.noise.families import Family, Window
from dpaudit.noise.pieces import Grid, Piecewise, constant
from dpaudit.numbers.exponentials import ONE, Form, combine

Node = tuple[Family, Window, tuple["Child", ...]]
"""A draw, its cut and its subtrees; equal nodes have equal probabilities."""
Child = tuple[Window, Node]
"""low <= parent - child <= high."""


class TooComplex(Exception):
    """The path is beyond what can be computed; the message says why."""


def rooted(tree: Tree, root: int) -> Node:
    """The tree seen from one of its draws; children in a fixed order."""
    beside: dict[int, list[tuple[int, Window]]] = {s: [] for s in tree.families}
    for (s, t), window in tree.edges.items():
        beside[s].append((t, window))
        beside[t].append((s, _turned(window)))

    def node(s: int, parent: int | None) -> Node:
        children = [(window, node(t, s)) for t, window in beside[s] if t != parent]
        return tree.families[s], tree.cuts[s], tuple(sorted(children, key=repr))

    return node(root, None)


def _turned(window: Window) -> Window:
    low, high = window
    return (None if high is None else -high), (None if low is None else -low)


def best_root(tree: Tree) -> int:
    """The draw with the most neighbors: the elimination is then a single product."""
    degree = dict.fromkeys(tree.families, 0)
    for s, t in tree.edges:
        degree[s] += 1
        degree[t] += 1
    return max(degree, key=lambda s: (degree[s], -s))


# ------------------------------------------------------------------ the closed class


def grid_for(nodes: Iterable[Node]) -> Grid:
    """A grid with every rate, end, cut and window of these trees."""
    a = b = 1
    waiting = list(nodes)
    while waiting:
        family, cut, children = waiting.pop()
        a = lcm(a, family.rate().denominator)
        ends = [*cut, *(family.support() if family.kind == "uniform" else ())]
        for window, child in children:
            ends += window
            waiting.append(child)
        for end in ends:
            b = lcm(b, 1 if end is None else end.denominator)
    return Grid(a, b)


def is_closed(node: Node) -> bool:
    """Whether every draw of the tree has its density in the closed class."""
    return node[0].closed and all(is_closed(child) for _, child in node[2])


@lru_cache(maxsize=1 << 14)
def density(node: Node, grid: Grid) -> Piecewise:
    """The density of the root on the event that all comparisons of the tree hold: its integral is their probability."""
    family, cut, children = node
    if children:
        *rest, (window, child) = children
        return density((family, cut, tuple(rest)), grid).times(factor(window, child, grid))
    low, high = (None if end is None else grid.point(end) for end in cut)
    return family.density(grid).within(low, high)


@lru_cache(maxsize=1 << 14)
def factor(window: Window, child: Node, grid: Grid) -> Piecewise:
    """x -> the chance that low <= x - Y <= high."""
    low, high = window
    below = density(child, grid).cumulative()
    whole = constant(grid, density(child, grid).integral()) if low is None else below.shifted(-grid.point(low))
    return whole if high is None else whole.plus(below.shifted(-grid.point(high)), -1)


@lru_cache(maxsize=1 << 16)
def chance(node: Node) -> Form:
    """The probability of a closed tree, a sum of exponentials."""
    grid = grid_for([node])
    return grid.number(density(node, grid).integral()), ONE


def multiply(forms: list[Form]) -> Form:
    """The product; TooComplex where it has too many terms."""
    found = combine(forms, add_up=False)
    if found is None:
        raise TooComplex("the probability of a path has too many terms: use fewer different scales")
    return found

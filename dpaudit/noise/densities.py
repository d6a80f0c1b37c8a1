"""Outputs with real parts: a weight and one density for each real part, in coordinates where they are independent."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

from flint import fmpq, fmpq_mat

from dpaudit.noise.constraints import Tree
from dpaudit.noise.explore import Path, RealPart
from dpaudit.noise.families import EVERYWHERE, Family, Window
from dpaudit.noise.linear import Linear, fraction
from dpaudit.noise.paths import lattice_chance
from dpaudit.noise.pieces import Piecewise, Terms, constant
from dpaudit.noise.trees import Node, TooComplex, chance, density, grid_for, is_closed, multiply, rooted
from dpaudit.numbers.exponentials import ONE, Exponentials, Form, combine, product

WAYS = "several paths lead to outputs of one shape with several real parts: return which path was taken"
SEVERAL = "a real part adds several draws: return them one by one, or add one draw only"
LOOP = '; for the total cost of noisy steps: dpaudit account --event "gaussian:sigma=2,rate=1/100 x 1000"'
"""Advice for a loop such as that of DP-SGD, which is not a single release."""


@dataclass(frozen=True)
class Normal:
    """A real part that is a sum of Gaussian draws, around ``mean``."""

    variance: Fraction
    mean: Fraction


Density = Piecewise | Normal


@dataclass(frozen=True)
class Part:
    """The outputs of one shape: their probability apart from the real parts, and the density of each real part.

    With one real part the weight's numerator is in its density. ``image`` says which linear image of the real parts is
    meant.
    """

    weight: Form
    densities: tuple[Density, ...]
    image: Hashable = None


def reals(output: Hashable) -> list[Linear]:
    """The forms of the real parts of an output, from left to right."""
    if isinstance(output, RealPart):
        return [output.form]
    return [form for entry in output for form in reals(entry)] if isinstance(output, tuple) else []


def shape(output: Hashable) -> Any:
    """The output with every real part replaced by a dot; 1, True and Fraction(1) differ."""
    if isinstance(output, tuple):
        return tuple, tuple(map(shape, output))
    return (RealPart, "·") if isinstance(output, RealPart) else (type(output), output)


def parts(paths: Sequence[Path]) -> dict[Any, Part]:
    """The law by shapes of outputs; TooComplex where real parts are not independent, nor a linear image of such."""
    grouped: dict[Any, list[Part]] = {}
    for path in paths:
        grouped.setdefault(shape(path.output), []).append(_part(path))
    return {key: _merged(found) for key, found in grouped.items()}


def _merged(found: Sequence[Part]) -> Part:
    if len(found) == 1:
        return found[0]
    if not found[0].densities:
        weight = combine([part.weight for part in found], add_up=True)
        if weight is None:
            raise TooComplex("the probability of an output has too many terms")
        return Part(weight, ())
    if len(found[0].densities) > 1:
        raise TooComplex(f"{WAYS}{LOOP}")
    all_ = [part.weight[1] for part in found]
    bottoms = [bottom for i, bottom in enumerate(all_) if bottom not in all_[:i]]
    total: Piecewise | None = None
    for part in found:
        only = part.densities[0]
        if isinstance(only, Normal):
            raise TooComplex(f"several paths lead to one Gaussian real part: return which path was taken{LOOP}")
        here = _weighted(only, reduce(product, [bottom for bottom in bottoms if bottom != part.weight[1]], ONE))
        total = here if total is None else _sum(total, here)
    if total is None:
        raise ValueError("unreachable")
    return Part((ONE, reduce(product, bottoms, ONE)), (total,))


def _sum(f: Piecewise, g: Piecewise) -> Piecewise:
    a, b = lcm(f.grid.a, g.grid.a), lcm(f.grid.b, g.grid.b)
    return f.regridded(a, b).plus(g.regridded(a, b))


def _part(path: Path) -> Part:
    forms = reals(path.output)
    sums = _gaussian_sums(path, forms)
    if sums:
        return Part(_weight(path, list(path.system.trees())), sums)
    if len(forms) == 1 and len(forms[0].terms) == 2:
        return _two_draws(path, forms[0])
    placed, image = _independent(forms)
    trees = list(path.system.trees())
    home = {s: number for number, tree in enumerate(trees) for s in tree.families}
    used = [home[s] for s, _, _ in placed if s in home]
    if len(set(used)) < len(used):
        raise TooComplex("two real parts depend on each other through comparisons: return one of them")
    others = [tree for number, tree in enumerate(trees) if number not in used]
    weight = _weight(path, others)
    densities = [_density(path, trees[home[s]] if s in home else None, s, a, b) for s, a, b in placed]
    if len(densities) == 1 and isinstance(densities[0], Piecewise):
        return Part((ONE, weight[1]), (_weighted(densities[0], weight[0]),), image)
    return Part(weight, tuple(densities), image)


def _gaussian_sums(path: Path, forms: Sequence[Linear]) -> tuple[Normal, ...]:
    """The real parts, where each is a sum of Gaussian draws that are compared nowhere, and no two share a draw."""
    used = [s for form in forms for s, _ in form.terms]
    if len(set(used)) < len(used) or any(s in path.system.scale or path.families[s].kind != "gaussian" for s in used):
        return ()
    variances = [sum((fraction(c) * path.families[s].scale) ** 2 for s, c in form.terms) for form in forms]
    return tuple(Normal(Fraction(v), fraction(form.shift)) for v, form in zip(variances, forms, strict=True))


def _weight(path: Path, others: Sequence[Tree]) -> Form:
    """The chance of the coins, of whole-valued draws, and of the trees that have no real part."""
    closed = [rooted(tree, next(iter(tree.families))) for tree in others]
    if not all(map(is_closed, closed)):
        raise TooComplex("comparisons of Gaussian draws beside real parts are not followed: return one kind")
    whole = [lattice_chance(path.families[s], path.system.lattice_window(s)) for s in path.system.lattice]
    known = [form for form in whole if isinstance(form, tuple)]
    if len(known) < len(whole):
        raise TooComplex("discrete Gaussian draws beside real parts are not followed: return one kind")
    return multiply([path.weight, *known, *map(chance, closed)])


def _independent(forms: Sequence[Linear]) -> tuple[list[tuple[int, Fraction, Fraction]], Hashable]:
    """(draw, factor, shift) for each real part: factor draw + shift; a linear image is undone, and described."""
    symbols = sorted({s for form in forms for s, _ in form.terms})
    if all(len(form.terms) == 1 for form in forms) and len(symbols) == len(forms):
        return [(form.terms[0][0], fraction(form.terms[0][1]), fraction(form.shift)) for form in forms], None
    if len(symbols) < len(forms):
        raise TooComplex("two real parts are made of the same draws: return one of them")
    if len(symbols) > len(forms):
        raise TooComplex(f"{SEVERAL}{LOOP}")
    size = len(forms)
    matrix = fmpq_mat(size, size, [dict(form.terms).get(s, fmpq(0)) for form in forms for s in symbols])
    if not matrix.det():
        raise TooComplex("the real parts are linearly dependent: return fewer of them")
    shifts = matrix.inv() * fmpq_mat(size, 1, [form.shift for form in forms])
    image = tuple(str(entry) for entry in matrix.entries())
    return [(s, Fraction(1), fraction(shifts[row, 0])) for row, s in enumerate(symbols)], image


def _density(path: Path, tree: Tree | None, s: int, a: Fraction, b: Fraction) -> Density:
    """The density of a s + b, on the event that the comparisons of its tree come out."""
    if tree is None:
        family = path.families[s].times(a)
        if family.kind == "gaussian":
            return Normal(family.scale**2, b)
        node: Node = (family, EVERYWHERE, ())
    else:
        node = scaled_node(rooted(tree, s), a / tree.scales[s])
    if not is_closed(node):
        raise TooComplex("a Gaussian real part is compared: return the comparison, or use Laplace noise")

    grid = grid_for([node])
    found = density(node, grid)
    fine = lcm(grid.b, b.denominator)
    found = found.regridded(grid.a, fine)
    return found.shifted(-found.grid.point(b))


def _two_draws(path: Path, form: Linear) -> Part:
    """The part of one real that adds two draws: one of them is Laplace noise and compared with the other at most."""
    (s, a), (t, b) = ((symbol, fraction(c)) for symbol, c in form.terms)
    trees = list(path.system.trees())
    for inner, leaf, factor, other in ((s, t, a, b), (t, s, b, a)):
        noise = path.families[leaf].times(other)
        home = next((tree for tree in trees if inner in tree.families), None)
        place = next((tree for tree in trees if leaf in tree.families), None)
        beside = [edge for edge in place.edges if leaf in edge] if place is not None else []
        bound = place is not None and (place.cuts[leaf] != EVERYWHERE or any(inner not in edge for edge in beside))
        if noise.kind != "laplace" or bound or not path.families[inner].closed:
            continue
        node: Node = (path.families[inner].times(factor), EVERYWHERE, ())
        window: Window = EVERYWHERE
        if home is not None:
            node = scaled_node(rooted(_without(home, beside, leaf), inner), factor / home.scales[inner])
        if beside:  # factor inner + other leaf lies in the window of their comparison
            low, high = path.system.range(form)
            window = tuple(None if end is None else end - fraction(form.shift) for end in (low, high))  # type: ignore[assignment]
        if not is_closed(node):
            continue
        weight = _weight(path, [tree for tree in trees if tree is not home and tree is not place])
        return _convolved(node, noise, window, fraction(form.shift), weight)
    raise TooComplex(f"{SEVERAL}{LOOP}")


def _without(tree: Tree, edges: Sequence[tuple[int, int]], leaf: int) -> Tree:
    kept = {edge: window for edge, window in tree.edges.items() if edge not in edges}
    families = {s: family for s, family in tree.families.items() if s != leaf}
    return Tree(families, tree.cuts, kept, tree.scales)


def _convolved(node: Node, noise: Family, window: Window, shift: Fraction, weight: Form) -> Part:
    grid = grid_for([node, (noise, window, ())])
    fine = lcm(grid.b, shift.denominator)
    found = density(node, grid).regridded(grid.a, fine)
    found = found.with_laplace(found.grid.rate(noise.rate()))
    found = found.within(*(None if end is None else found.grid.point(end) for end in window))
    found = found.shifted(-found.grid.point(shift))
    return Part((ONE, weight[1]), (_weighted(found, weight[0]),))


def scaled_node(node: Node, factor: Fraction) -> Node:
    """The tree with every draw multiplied by the factor."""
    if factor == 1:
        return node
    family, cut, children = node

    def scaled(window: Window) -> Window:
        low, high = (None if end is None else end * factor for end in window)
        return (low, high) if factor > 0 else (high, low)

    below = tuple(sorted(((scaled(w), scaled_node(child, factor)) for w, child in children), key=repr))
    return family.times(factor), scaled(cut), below


def _weighted(function: Piecewise, top: Exponentials) -> Piecewise:
    """The function times a sum of exponentials; on a grid that has its exponents."""
    if top == ONE:
        return function
    fine = lcm(function.grid.b, *(exponent.denominator for exponent in top))
    found = function.regridded(function.grid.a, fine)
    unit = found.grid.a * fine
    terms: Terms = {(0, 0, int(e * unit)): fmpq(c.numerator, c.denominator) for e, c in top.items()}
    return found.times(constant(found.grid, terms))
